//! The link map: the linker's decisions as printable tables.

use std::collections::BTreeMap;
use std::fmt;

use crate::label::relocate::{Counters, Placement};
use crate::lower::distance_map::DistanceMap;
use crate::pack::{PackingClass, Position};
use crate::place::fragment_output::OutputRow;
use crate::place::routing::{Carrier, Route, Routing};
use ir::interface::{Leaf, Type, Variable};
use ir::options::{Chunk, PackStep, RemovalReason};
use ir::semantic::slot_text;
use ir::stage::ShaderStage;
use ir::type_name::part_at;

/// The linker's decisions for one program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkMap {
    /// The slots in use, in order.
    pub slots: Vec<SlotRow>,
    /// The varyings that cross between the stages, with the route of each component.
    pub varyings: Vec<PlacedVarying>,
    /// Outputs that were removed because they are not read, in declaration order.
    pub unread: Vec<String>,
    /// Inputs that are not written and read zero, in declaration order.
    pub unwritten: Vec<String>,
    /// The clip and cull distances that the vertex stage writes.
    pub distances: DistanceMap,
    /// The outputs of the fragment stage to draw buffers.
    pub outputs: Vec<OutputRow>,
    /// Steps by which the linker packed more tightly than asked.
    pub steps: Vec<PackStep>,
    /// Transform feedback buffers, by number: number and stride in bytes.
    pub xfb_buffers: Vec<(u32, u32)>,
    /// Captured outputs, in the order of their list.
    pub xfb_rows: Vec<XfbRow>,
    /// Number of captured varyings as GL counts them.
    pub xfb_varyings: u32,
    /// The locations of labels, if slots are labels.
    pub placement: Option<Placement>,
    /// Inputs of a separable stage that are undefined, because the interfaces do not match.
    pub mismatches: Vec<String>,
    /// Counters of all links of the case.
    pub counters: Counters,
    /// True if 64-bit values are pairs of words, because the adapter lacks 64-bit types.
    pub is_in_words: bool,
    /// The maps of the interfaces before the last one. All other fields are about the last interface.
    pub earlier: Vec<InterfaceMap>,
}

/// The map of an interface between two stages before the fragment stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterfaceMap {
    /// The producer and the consumer.
    pub stages: [ShaderStage; 2],
    /// True if the map is about variables of patches, and not of vertices.
    pub is_patch: bool,
    /// The slots and varyings of the interface.
    pub map: LinkMap,
}

impl InterfaceMap {
    /// The stages as text: `vertex to control, patches`.
    fn title(&self) -> String {
        let of = if self.is_patch { ", patches" } else { "" };
        let [producer, consumer] = self.stages.map(ShaderStage::word);
        format!("{producer} to {consumer}{of}")
    }
}

/// A captured output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XfbRow {
    /// Name of the output.
    pub name: String,
    /// Number of the output's buffer.
    pub buffer: u32,
    /// Sources of the output's words, in order; empty if the output is not written.
    pub chunks: Vec<XfbChunkRow>,
}

/// Consecutive words of a captured output that come from consecutive components of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XfbChunkRow {
    /// The source: `1.yz`, `1.yz/w` if the slot holds them times w, `gl_ClipDistance/1.y`, the bits of a constant, or a
    /// uniform's name.
    pub from: String,
    /// Index of the first word in the buffer, relative to the vertex's first word.
    pub word: u32,
}

impl XfbRow {
    /// The sources as text: `1.w->5 2.x->6`, or `unwritten`.
    pub fn chunks_text(&self) -> String {
        if self.chunks.is_empty() {
            return "unwritten".to_owned();
        }
        let chunks = self.chunks.iter().map(|chunk| format!("{}->{}", chunk.from, chunk.word));
        chunks.collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for XfbRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.chunks_text())
    }
}

/// One row of the slot table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotRow {
    /// Number of the slot, which is also its location.
    pub slot: u32,
    /// Packing class of the slot's contents.
    pub class: PackingClass,
    /// Type of the vector in the slot.
    pub carrier: Carrier,
    /// Content of each component: a scalar's name, or `None`.
    pub components: [Option<String>; 4],
}

/// A varying with the routes of its scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedVarying {
    /// Name by which it is matched.
    pub name: String,
    /// Another name of the varying, or empty.
    pub alias: String,
    /// Type of the varying.
    pub ty: Type,
    /// Route of every scalar, in leaf order.
    pub routes: Vec<Route>,
}

impl LinkMap {
    /// The map of a program without varyings.
    pub const EMPTY: Self = Self {
        slots: Vec::new(),
        varyings: Vec::new(),
        unread: Vec::new(),
        unwritten: Vec::new(),
        distances: DistanceMap { clip: 0, cull: 0 },
        outputs: Vec::new(),
        steps: Vec::new(),
        xfb_buffers: Vec::new(),
        xfb_rows: Vec::new(),
        xfb_varyings: 0,
        placement: None,
        mismatches: Vec::new(),
        counters: Counters { links: 0, identical: 0, relocations: 0, emitted: 0, reused: 0 },
        is_in_words: false,
        earlier: Vec::new(),
    };

    /// The map without the parts that depend on earlier pairs: counters and numbers of modules.
    #[must_use]
    pub fn without_history(mut self) -> Self {
        self.counters = Counters::default();
        if let Some(placement) = &mut self.placement {
            placement.modules = [None; 2];
        }
        self
    }

    /// The map of varyings that are all in the slots that the packer chose.
    #[cfg(test)]
    pub(crate) fn new(varyings: &[&Variable], packed: &crate::pack::SlotMap) -> Self {
        Self::of_varyings(varyings, &Routing::plain(varyings, packed))
    }

    /// Fills the slot table from the routing of `varyings`.
    pub(crate) fn of_varyings(varyings: &[&Variable], routing: &Routing) -> Self {
        let slots = routing.classes.iter().filter_map(|(slot, class)| {
            let carrier = *routing.carriers.get(slot)?;
            Some(SlotRow { slot: *slot, class: *class, carrier, components: [const { None }; 4] })
        });
        let mut map =
            Self { slots: slots.collect(), steps: routing.steps.clone(), ..Self::default() };
        let rows: BTreeMap<u32, usize> =
            map.slots.iter().enumerate().map(|(idx, row)| (row.slot, idx)).collect();
        for (variable, routes) in varyings.iter().zip(&routing.routes) {
            map.add(variable, routes.clone(), &rows);
        }
        map
    }

    fn add(&mut self, variable: &Variable, routes: Vec<Route>, rows: &BTreeMap<u32, usize>) {
        for (route, name) in routes.iter().zip(component_names(&variable.name, &variable.ty)) {
            let Route::Slot { at, is_over_w, is_duplicate: false, .. } = route else { continue };
            let row = rows.get(&at.slot).and_then(|row| self.slots.get_mut(*row));
            if let Some(row) = row {
                let name = if *is_over_w { format!("{name}·w") } else { name };
                row.components[usize::from(at.component)] = Some(name);
            }
        }
        self.varyings.push(PlacedVarying {
            name: variable.name.clone(),
            alias: variable.alias.clone(),
            ty: variable.ty.clone(),
            routes,
        });
    }

    /// The routes of the scalars of the varying called `name`, or of a part of one (`s[1].v`, `m[2]` for a matrix
    /// column, `v.yz`).
    pub fn routes_of(&self, name: &str) -> Option<Vec<Route>> {
        self.varyings.iter().find_map(|varying| {
            let known =
                [&varying.name, &varying.alias].into_iter().filter(|known| !known.is_empty());
            let mut known = known;
            let path = known.find_map(|known| name.strip_prefix(known.as_str()))?;
            let scalars = scalars_at(&varying.ty, path)?;
            scalars.map(|scalar| varying.routes.get(scalar).copied()).collect()
        })
    }

    /// The positions of the scalars of `name` (see [`Self::routes_of`]) that are in slots.
    pub fn positions_of(&self, name: &str) -> Option<Vec<Position>> {
        let position = |route: &Route| match route {
            Route::Slot { at, .. } => Some(*at),
            Route::Constant(_) | Route::Uniform(_) | Route::Dead => None,
        };
        Some(self.routes_of(name)?.iter().filter_map(position).collect())
    }

    /// Names of the scalars that are in no slot for `reason`.
    pub fn removed(&self, reason: RemovalReason) -> Vec<String> {
        let of_varying = |varying: &PlacedVarying| {
            let names = component_names(&varying.name, &varying.ty);
            let routes = varying.routes.clone();
            names
                .into_iter()
                .zip(routes)
                .filter(|(_, route)| route.removal() == Some(reason))
                .map(|(name, _)| name)
                .collect::<Vec<_>>()
        };
        join_components(self.varyings.iter().flat_map(of_varying))
    }

    /// The lines of the map about the outer interfaces: clip and cull distances, and fragment outputs.
    pub fn outer_lines(&self) -> Vec<String> {
        let outputs = self.outputs.iter().map(ToString::to_string);
        self.distances.lines().into_iter().chain(outputs).collect()
    }

    /// The lines of the map about slots, one line per slot: `0.xyzw <- a.xy b.xy`.
    pub fn slot_lines(&self) -> Vec<String> {
        self.slots.iter().map(slot_line).collect()
    }

    /// The lines of all interfaces about slots. If there are several, each line begins with its stages:
    /// `vertex to geometry: 0.xyzw <- a.xy b.xy`.
    pub fn interface_lines(&self) -> Vec<String> {
        let Some(InterfaceMap { stages: [_, last], .. }) = self.earlier.last() else {
            return self.slot_lines();
        };
        let titled = |title: String, map: &Self| -> Vec<String> {
            map.slot_lines().into_iter().map(|line| format!("{title}: {line}")).collect()
        };
        let earlier = self.earlier.iter().flat_map(|earlier| titled(earlier.title(), &earlier.map));
        earlier.chain(titled(format!("{} to fragment", last.word()), self)).collect()
    }
}

/// Groups positions to runs inside slots, which `[link]` writes as `1.w 2.x`.
pub fn chunks_of(positions: &[Position]) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    for at in positions {
        match chunks.last_mut() {
            Some(last) if last.slot == at.slot && last.component + last.count == at.component => {
                last.count += 1;
            }
            Some(_) | None => {
                chunks.push(Chunk { slot: at.slot, component: at.component, count: 1 });
            }
        }
    }
    chunks
}

/// Prints runs inside slots: `0.xy`, `1.w 2.x`.
pub fn chunk_text(chunks: &[Chunk]) -> String {
    let one = |chunk: &Chunk| {
        let letters =
            "xyzw".get(usize::from(chunk.component)..usize::from(chunk.component + chunk.count));
        format!("{}.{}", slot_text(chunk.slot), letters.unwrap_or("?"))
    };
    chunks.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// The name of every 32-bit component of a variable: `f`, `v.x`, `m[1].z`, `d.lo`.
fn component_names(name: &str, ty: &Type) -> Vec<String> {
    ty.leaves().iter().flat_map(|leaf| leaf_component_names(name, leaf)).collect()
}

fn leaf_component_names(name: &str, leaf: &Leaf) -> Vec<String> {
    let whole = format!("{name}{}", leaf.suffix);
    let scalars = "xyzw"
        .chars()
        .take(usize::from(leaf.size))
        .map(|letter| if leaf.size == 1 { whole.clone() } else { format!("{whole}.{letter}") });
    if leaf.scalar.components() == 1 {
        return scalars.collect();
    }
    scalars.flat_map(|scalar| [format!("{scalar}.lo"), format!("{scalar}.hi")]).collect()
}

fn slot_line(row: &SlotRow) -> String {
    let in_use = "xyzw".chars().zip(&row.components).filter(|(_, name)| name.is_some());
    let letters: String = in_use.map(|(letter, _)| letter).collect();
    let parts = join_components(row.components.iter().flatten().cloned());
    format!("{}.{letters} <- {}", slot_text(row.slot), parts.join(" "))
}

/// Joins consecutive scalars of one vector: `a.x a.y` prints as `a.xy`.
fn join_components(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for name in names {
        let joined = name.rsplit_once('.').filter(|(_, tail)| is_component(tail)).and_then(
            |(stem, tail)| {
                let last = parts.last_mut()?;
                let (last_stem, last_tail) = last.rsplit_once('.')?;
                (last_stem == stem && last_tail.chars().all(|c| "xyzw".contains(c)))
                    .then(|| last.push_str(tail))
            },
        );
        if joined.is_none() {
            parts.push(name);
        }
    }
    parts
}

/// Indices of the words of the scalars at `path`, which may end in components: `[2].v.yz`.
fn scalars_at(ty: &Type, path: &str) -> Option<std::vec::IntoIter<usize>> {
    if let Some(part) = part_at(ty, path) {
        let first = part.first_component as usize;
        let all: Vec<usize> = (first..first + part.ty.component_count() as usize).collect();
        return Some(all.into_iter());
    }
    let (whole, components) = path.rsplit_once('.')?;
    let part = part_at(ty, whole)?;
    let Type::Vector { size, scalar } = part.ty else { return None };
    let index = |letter: char| "xyzw".find(letter).filter(|idx| *idx < usize::from(size));
    let picked: Option<Vec<usize>> = components.chars().map(index).collect();
    let (first, words) = (part.first_component as usize, scalar.components() as usize);
    let of_scalar = |idx: usize| (0..words).map(move |word| first + idx * words + word);
    Some(picked?.into_iter().flat_map(of_scalar).collect::<Vec<_>>().into_iter())
}

fn is_component(tail: &str) -> bool {
    matches!(tail, "x" | "y" | "z" | "w")
}

impl fmt::Display for LinkMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for interface in &self.earlier {
            writeln!(f, "{}:\n{}", interface.title(), interface.map)?;
        }
        if let Some(InterfaceMap { stages: [_, last], .. }) = self.earlier.last() {
            writeln!(f, "{} to fragment:", last.word())?;
        }
        let header = ["slot", "class", "type", "x", "y", "z", "w"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for row in &self.slots {
            let mut cells =
                vec![row.slot.to_string(), row.class.to_string(), row.carrier.to_string()];
            cells.extend(
                row.components.iter().map(|name| name.clone().unwrap_or_else(|| "–".into())),
            );
            rows.push(cells);
        }
        write_table(f, &rows)?;
        if !self.unread.is_empty() {
            writeln!(f, "unread, removed: {}", self.unread.join(", "))?;
        }
        if !self.unwritten.is_empty() {
            writeln!(f, "unwritten, read zero: {}", self.unwritten.join(", "))?;
        }
        if !self.mismatches.is_empty() {
            writeln!(f, "undefined, read zero: {}", self.mismatches.join(", "))?;
        }
        if let Some(placement) = &self.placement {
            writeln!(f, "{placement}")?;
            writeln!(f, "{}", self.counters)?;
        }
        for reason in RemovalReason::ALL {
            let removed = self.removed(reason);
            if !removed.is_empty() {
                writeln!(f, "{reason}, not passed: {}", removed.join(", "))?;
            }
        }
        if !self.steps.is_empty() {
            let steps: Vec<String> = self.steps.iter().map(ToString::to_string).collect();
            writeln!(f, "packed more tightly: {}", steps.join(", "))?;
        }
        for (buffer, stride) in &self.xfb_buffers {
            let own = self.xfb_rows.iter().filter(|row| row.buffer == *buffer);
            let rows: Vec<String> = own.map(ToString::to_string).collect();
            writeln!(f, "capture buffer {buffer}, stride {stride}: {}", rows.join(", "))?;
        }
        Ok(())
    }
}

/// Writes a table with left-aligned columns, two spaces apart, without trailing spaces.
fn write_table(f: &mut fmt::Formatter<'_>, rows: &[Vec<String>]) -> fmt::Result {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width + 2 - cell.chars().count()));
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
