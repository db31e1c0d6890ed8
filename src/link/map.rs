//! The link map: what the linker decided, as tables that print.

use std::fmt;

use crate::case::Chunk;
use crate::link::interface::{Leaf, Type, Variable};
use crate::link::pack::{PackingClass, Position, SlotMap};
use crate::link::type_name::part_at;

/// What the linker decided for one program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkMap {
    /// The slots that hold something, in order.
    pub slots: Vec<SlotRow>,
    /// The varyings that cross, with the position of each component.
    pub varyings: Vec<PlacedVarying>,
    /// Outputs that were removed because nobody reads them, in declaration order.
    pub unread: Vec<String>,
    /// Inputs that nobody writes and that read zero, in declaration order.
    pub unwritten: Vec<String>,
}

/// One slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotRow {
    /// Its number, which is also its location.
    pub slot: u32,
    /// What it may hold.
    pub class: PackingClass,
    /// What each component holds: a scalar's name, or nothing.
    pub components: [Option<String>; 4],
}

/// A varying with its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedVarying {
    /// The name it is matched by.
    pub name: String,
    /// Another name it is known by, or empty.
    pub alias: String,
    /// Its type.
    pub ty: Type,
    /// One position per 32-bit component, in leaf order.
    pub positions: Vec<Position>,
}

impl LinkMap {
    /// Fills the slot table from what the packer chose for `varyings` (same order as the packer's items).
    pub fn new(varyings: &[&Variable], packed: &SlotMap) -> Self {
        let slots = (0..).zip(&packed.classes).filter_map(|(slot, class)| {
            class.map(|class| SlotRow { slot, class, components: [const { None }; 4] })
        });
        let mut map = Self { slots: slots.collect(), ..Self::default() };
        for (variable, positions) in varyings.iter().zip(&packed.items) {
            map.add(variable, positions.clone());
        }
        map
    }

    fn add(&mut self, variable: &Variable, positions: Vec<Position>) {
        for (at, name) in positions.iter().zip(component_names(&variable.name, &variable.ty)) {
            if let Some(row) = self.slots.iter_mut().find(|row| row.slot == at.slot) {
                row.components[usize::from(at.component)] = Some(name);
            }
        }
        self.varyings.push(PlacedVarying {
            name: variable.name.clone(),
            alias: variable.alias.clone(),
            ty: variable.ty.clone(),
            positions,
        });
    }

    /// Where the varying called `name`, or a part of one (`s[1].v`, `m[2]` for a matrix column), is.
    pub fn positions_of(&self, name: &str) -> Option<&[Position]> {
        self.varyings.iter().find_map(|varying| {
            let known =
                [&varying.name, &varying.alias].into_iter().filter(|known| !known.is_empty());
            let mut known = known;
            let path = known.find_map(|known| name.strip_prefix(known.as_str()))?;
            let part = part_at(&varying.ty, path)?;
            let first = part.first_component as usize;
            varying.positions.get(first..first + part.ty.component_count() as usize)
        })
    }

    /// The slots in one line each: `0.xyzw <- a.xy b.xy`.
    pub fn slot_lines(&self) -> Vec<String> {
        self.slots.iter().map(slot_line).collect()
    }
}

/// Positions as runs inside slots: what `[link]` writes as `1.w 2.x`.
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

/// `0.xy`, `1.w 2.x`
pub fn chunk_text(chunks: &[Chunk]) -> String {
    let one = |chunk: &Chunk| {
        let letters =
            "xyzw".get(usize::from(chunk.component)..usize::from(chunk.component + chunk.count));
        format!("{}.{}", chunk.slot, letters.unwrap_or("?"))
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

/// Neighbouring scalars of one vector are joined: `a.x a.y` prints as `a.xy`.
fn slot_line(row: &SlotRow) -> String {
    let mut letters = String::new();
    let mut parts: Vec<String> = Vec::new();
    for (letter, name) in "xyzw".chars().zip(&row.components) {
        let Some(name) = name else { continue };
        letters.push(letter);
        let joined = name.rsplit_once('.').filter(|(_, tail)| is_component(tail)).and_then(
            |(stem, tail)| {
                let last = parts.last_mut()?;
                let (last_stem, last_tail) = last.rsplit_once('.')?;
                (last_stem == stem && last_tail.chars().all(|c| "xyzw".contains(c)))
                    .then(|| last.push_str(tail))
            },
        );
        if joined.is_none() {
            parts.push(name.clone());
        }
    }
    format!("{}.{letters} <- {}", row.slot, parts.join(" "))
}

fn is_component(tail: &str) -> bool {
    matches!(tail, "x" | "y" | "z" | "w")
}

impl fmt::Display for LinkMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = vec![["slot", "class", "x", "y", "z", "w"].map(str::to_owned).to_vec()];
        for row in &self.slots {
            let mut cells = vec![row.slot.to_string(), row.class.to_string()];
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
        Ok(())
    }
}

/// Left-aligned columns, two spaces apart, without trailing spaces.
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
