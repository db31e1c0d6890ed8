//! Plans the two compute stages that write records, from the layout.
//!
//! The method *from the function* is simple: every scalar and vector is read where the user's code leaves it. The
//! method *from the slots* works like a driver: every scalar is looked up in the slot that the packer chose for it, and
//! consecutive components that stay consecutive form one *chunk*, which never crosses a slot. A slot may hold a scalar
//! times w. If the linker replaced a scalar by a constant, a uniform or an equal scalar, its replacement is captured.
//! Outputs that are not passed to the next stage get extra slots after the others, packed like flat varyings. These
//! slots exist only in the stage that packs and reads slots. Built-in variables get extra slots too, in vectors.

use std::collections::BTreeMap;

use naga::BuiltIn;

use crate::pack::{PackItem, PackingClass, Position, pack};
use crate::place::map::{XfbChunkRow, XfbRow};
use crate::place::optimise::UniformScalar;
use crate::place::routing::{PairOfStages, Route, Routing};
use crate::table::shell::{ResultChunk, ResultWire, Shell, Slot, VertexResults, Wire};
use ir::diagnostic::Diagnostic;
use ir::interface::{Interpolation, Place, Sampling, ScalarKind, Type, Variable};
use ir::options::Packing;
use ir::stage_module::{Direction, StageModule};

use super::{Item, Run, TimesW, XfbLayout, XfbLeaf};

/// Routes of a program's varyings, if it has a fragment stage.
pub(crate) type Routed<'a> = Option<(PairOfStages<'a>, &'a Routing)>;

/// The plan of both capture methods, and its rows in the link map.
#[derive(Clone, Debug)]
pub(crate) struct Ways {
    pub(crate) runs: Vec<Run>,
    pub(crate) times_w: TimesW,
    pub(crate) from_function: VertexResults,
    /// The shell with all slots that are read, and the parts of them that go into records.
    pub(crate) from_slots: (Shell, VertexResults),
    pub(crate) rows: Vec<XfbRow>,
}

/// Key of a word of a scalar: index of the global, path to the scalar or vector, and index of the word. A 64-bit scalar
/// has two words, and every other scalar is one word.
type ScalarPlace = (usize, Vec<u32>, u8);

/// The source of a captured scalar in the method from the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScalarSource {
    Slot {
        /// Index of the slot in the shell's list.
        slot: usize,
        component: u8,
        /// True if the slot holds the scalar times w.
        is_over_w: bool,
    },
    Constant(u32),
    Uniform(UniformScalar),
}

/// Plans both capture methods. `vertex` is the stage as it is wrapped, with `shell` around it.
pub(crate) fn ways(
    layout: &XfbLayout,
    vertex: &StageModule,
    shell: &Shell,
    routed: Routed<'_>,
    packing: Packing,
) -> Result<Ways, Vec<Diagnostic>> {
    let mut shell = shell.clone();
    let mut sources = routed_sources(vertex, &shell, routed);
    add_own_slots(layout, vertex, routed, packing, (&mut shell, &mut sources))?;
    let mut names: Vec<String> =
        shell.outputs.iter().map(|slot| slot.location.to_string()).collect();
    names.extend(add_builtins(layout, (&mut shell, &mut sources)));
    let mut ways = Ways {
        runs: Vec::new(),
        times_w: TimesW::default(),
        from_function: VertexResults::default(),
        from_slots: (shell, VertexResults::default()),
        rows: Vec::new(),
    };
    let mut record_word = 0;
    for item in &layout.items {
        ways.add(item, &mut record_word, &sources, vertex, &names);
    }
    if !ways.times_w.words.is_empty() {
        ways.add_w(record_word, vertex);
    }
    Ok(ways)
}

impl Ways {
    fn add(
        &mut self,
        item: &Item,
        record_word: &mut u32,
        sources: &BTreeMap<ScalarPlace, ScalarSource>,
        vertex: &StageModule,
        names: &[String],
    ) {
        let first = *record_word;
        let mut chunks = Vec::new();
        for leaf in item.leaves() {
            let XfbLeaf { place, scalar, size, .. } = leaf.clone();
            let word = *record_word;
            self.from_function.wires.push(ResultWire { place, scalar, size, word });
            for component in 0..leaf.words() {
                let word = word + u32::from(component);
                let source = sources.get(&key(&leaf.place, component));
                self.take(&leaf, component, source.copied(), word, vertex);
                if let Some(source) = source {
                    add_chunk(&mut chunks, *source, item.word + (word - first));
                }
            }
            *record_word += u32::from(leaf.words());
        }
        let count = *record_word - first;
        if count > 0 {
            let Item { name, buffer, word, .. } = item.clone();
            self.runs.push(Run { name, record_word: first, buffer, word, count });
        }
        let row = |chunk: &(ScalarSource, u8, u32)| chunk_row(chunk, vertex, names);
        let chunks = chunks.iter().map(row).collect();
        self.rows.push(XfbRow { name: item.name.clone(), buffer: item.buffer, chunks });
    }

    /// Adds the w that the epilog uses: the position's, or 0 without a position.
    fn add_w(&mut self, word: u32, vertex: &StageModule) {
        self.times_w.w = word;
        let mut outputs =
            vertex.builtins.iter().filter(|output| output.direction == Direction::Output);
        let position = outputs.find(|output| matches!(output.builtin, BuiltIn::Position { .. }));
        for results in [&mut self.from_function, &mut self.from_slots.1] {
            match position {
                Some(position) => {
                    let place = Place { global: position.global, path: vec![3] };
                    let (scalar, size) = (ScalarKind::F32, 1);
                    results.wires.push(ResultWire { place, scalar, size, word });
                }
                None => results.constants.push((word, 0)),
            }
        }
    }

    /// Adds a scalar to those that are read from slots.
    fn take(
        &mut self,
        leaf: &XfbLeaf,
        component: u8,
        source: Option<ScalarSource>,
        word: u32,
        vertex: &StageModule,
    ) {
        let results = &mut self.from_slots.1;
        let width = u8::from(leaf.scalar.components() == 2) + 1;
        let own = || (component_of(&leaf.place, leaf.size, component / width), leaf.scalar);
        let (place, scalar) = match source {
            Some(ScalarSource::Slot { slot, component, is_over_w }) => {
                if is_over_w {
                    self.times_w.words.insert(word);
                }
                match results.chunks.last_mut() {
                    Some(last) if last.goes_on_with(slot, component, word) => last.count += 1,
                    Some(_) | None => {
                        results.chunks.push(ResultChunk { slot, component, count: 1, word });
                    }
                }
                return;
            }
            Some(ScalarSource::Constant(bits)) => {
                results.constants.push((word, bits));
                return;
            }
            Some(ScalarSource::Uniform(known)) => uniform_place(vertex, known).unwrap_or_else(own),
            // The first word of the scalar also adds the second one.
            None if component % width == 1 => return,
            None => own(),
        };
        results.wires.push(ResultWire { place, scalar, size: 1, word });
    }
}

fn key(place: &Place, component: u8) -> ScalarPlace {
    (place.global.index(), place.path.clone(), component)
}

fn component_of(place: &Place, size: u8, component: u8) -> Place {
    let mut place = place.clone();
    if size > 1 {
        place.path.push(u32::from(component));
    }
    place
}

/// Number of words of a scalar or vector, 1 to 8.
pub(super) const fn words_of(size: u8, scalar: ScalarKind) -> u8 {
    if scalar.components() == 2 { size * 2 } else { size }
}

/// Every word of an output, with its place.
fn scalars(output: &Variable) -> Vec<ScalarPlace> {
    let Some(place) = &output.place else { return Vec::new() };
    let of_leaf = |leaf: ir::interface::Leaf| {
        let path = [place.path.as_slice(), &leaf.path].concat();
        let words = words_of(leaf.size, leaf.scalar);
        (0..words).map(move |word| (place.global.index(), path.clone(), word))
    };
    output.ty.leaves().into_iter().flat_map(of_leaf).collect()
}

/// The sources of the scalars that the fragment stage reads, from the linker's routes.
fn routed_sources(
    vertex: &StageModule,
    shell: &Shell,
    routed: Routed<'_>,
) -> BTreeMap<ScalarPlace, ScalarSource> {
    let mut sources = BTreeMap::new();
    let Some((pair, routing)) = routed else { return sources };
    let slot_at = |at: Position, is_over_w: bool| {
        let slot = shell.outputs.iter().position(|slot| slot.location == at.slot)?;
        Some(ScalarSource::Slot { slot, component: at.component, is_over_w })
    };
    for (matched, routes) in pair.matching.pairs.iter().zip(&routing.routes) {
        for (place, route) in scalars(&vertex.outputs[matched.output]).into_iter().zip(routes) {
            let source = match route {
                Route::Slot { at, is_over_w, .. } => slot_at(*at, *is_over_w),
                Route::Dead => None,
                Route::Constant(bits) => Some(ScalarSource::Constant(*bits)),
                Route::Uniform(known) => {
                    uniform_place(vertex, *known).map(|_| ScalarSource::Uniform(*known))
                }
            };
            if let Some(source) = source {
                sources.insert(place, source);
            }
        }
    }
    sources
}

/// The uniform scalar that a varying is known to equal.
fn uniform_place(vertex: &StageModule, known: UniformScalar) -> Option<(Place, ScalarKind)> {
    let uniform = vertex.uniforms.get(known.uniform)?;
    let mut before = 0;
    for leaf in uniform.ty.leaves() {
        let size = usize::from(leaf.size);
        if known.scalar < before + size {
            let component = u8::try_from(known.scalar - before).ok()?;
            let path = [uniform.place.path.as_slice(), &leaf.path].concat();
            let place = Place { global: uniform.place.global, path };
            return Some((component_of(&place, leaf.size, component), leaf.scalar))
                .filter(|_| leaf.scalar.components() == 1 && leaf.scalar != ScalarKind::Bool);
        }
        before += size;
    }
    None
}

/// Adds the extra slots that exist only in the stage that reads slots.
fn add_own_slots(
    layout: &XfbLayout,
    vertex: &StageModule,
    routed: Routed<'_>,
    packing: Packing,
    (shell, sources): (&mut Shell, &mut BTreeMap<ScalarPlace, ScalarSource>),
) -> Result<(), Vec<Diagnostic>> {
    let is_paired = |output: usize| {
        routed.is_some_and(|(pair, _)| pair.matching.pairs.iter().any(|met| met.output == output))
    };
    let mut wanted = Vec::new();
    for (idx, output) in vertex.outputs.iter().enumerate() {
        let scalar_kinds = xfb_scalars(layout);
        let own = scalars(output);
        let missing = |scalar: &ScalarPlace| {
            scalar_kinds.contains_key(scalar) && !sources.contains_key(scalar)
        };
        if !own.iter().any(missing) {
            continue;
        }
        if is_paired(idx) {
            let scalars = own.iter().filter(|scalar| missing(scalar));
            wanted.extend(scalars.map(|scalar| {
                (word_type(scalar_kinds[scalar]), None, vec![scalar.clone()], output)
            }));
        } else {
            let explicit = output.location.map(|slot| Position {
                slot,
                component: u8::try_from(output.component.unwrap_or(0)).unwrap_or_default(),
            });
            wanted.push((output.ty.clone(), explicit, own, output));
        }
    }
    let item = |(ty, explicit, _, _): &(Type, Option<Position>, Vec<ScalarPlace>, &Variable)| {
        let class = PackingClass::of(ty, Interpolation::Flat, Sampling::Center);
        let is_aligned = packing.is_vec3_aligned;
        PackItem { ty: ty.clone(), class, explicit: *explicit, is_convergent: false, is_aligned }
    };
    let items: Vec<_> = wanted.iter().map(item).collect();
    let slots = pack(&items, packing.mode).map_err(|error| {
        let span = wanted.last().and_then(|(.., output)| output.span);
        vec![Diagnostic::error(span, format!("the captured outputs cannot be packed: {error:?}"))]
    })?;
    let base = shell.outputs.iter().map(|slot| slot.location + 1).max().unwrap_or(0);
    for ((_, _, places, output), positions) in wanted.iter().zip(&slots.items) {
        for (place, at) in places.iter().zip(positions) {
            let slot = own_slot(shell, base.saturating_add(at.slot), ScalarKind::U32);
            let end = (slot, at.component);
            let (component, is_over_w) = (at.component, false);
            sources.insert(place.clone(), ScalarSource::Slot { slot, component, is_over_w });
            wire(shell, output, place, end, sources);
        }
    }
    Ok(())
}

fn xfb_scalars(layout: &XfbLayout) -> BTreeMap<ScalarPlace, ScalarKind> {
    let leaves = layout.items.iter().flat_map(Item::leaves);
    let scalars = leaves
        .flat_map(|leaf| (0..leaf.words()).map(move |word| (key(&leaf.place, word), leaf.scalar)));
    scalars.collect()
}

/// The packer's type for one word of a scalar.
const fn word_type(scalar: ScalarKind) -> Type {
    Type::Scalar(if scalar.components() == 2 { ScalarKind::U32 } else { scalar })
}

/// Index of the extra slot at a location. Adds the slot if it is missing.
fn own_slot(shell: &mut Shell, location: u32, kind: ScalarKind) -> usize {
    let known = shell.outputs.iter().position(|slot| slot.location == location);
    known.unwrap_or_else(|| {
        let class = PackingClass::of(&Type::F32, Interpolation::Flat, Sampling::Center);
        shell.outputs.push(Slot {
            location,
            kind,
            width: 4,
            class: Some(class),
            blend_source: None,
            is_alpha_one: false,
        });
        shell.outputs.len() - 1
    })
}

/// Connects one scalar of `output` to a component. A 64-bit scalar is connected with its second word, together with the
/// source of the first.
fn wire(
    shell: &mut Shell,
    output: &Variable,
    at: &ScalarPlace,
    end: (usize, u8),
    sources: &BTreeMap<ScalarPlace, ScalarSource>,
) {
    let Some(whole) = &output.place else { return };
    let (_, path, component) = at;
    let is_it =
        |leaf: &ir::interface::Leaf| path.strip_prefix(whole.path.as_slice()) == Some(&leaf.path);
    let Some(leaf) = output.ty.leaves().into_iter().find(is_it) else { return };
    let place = Place { global: whole.global, path: path.clone() };
    let (place, components) = if leaf.scalar.components() == 1 {
        (component_of(&place, leaf.size, *component), vec![end])
    } else {
        let first = component.checked_sub(1).filter(|first| first % 2 == 0);
        let first = first.and_then(|first| sources.get(&(at.0, path.clone(), first)));
        let Some(ScalarSource::Slot { slot, component: low, .. }) = first else { return };
        (component_of(&place, leaf.size, *component / 2), vec![(*slot, *low), end])
    };
    shell.output_wires.push(Wire { place, scalar: leaf.scalar, components, is_over_w: false });
}

/// Adds slots for built-in variables, and for outputs that the linker removed from the interface, as vectors of four:
/// `gl_ClipDistance[5]` is the second component of the second vector. Returns the names of the new slots in the link
/// map.
fn add_builtins(
    layout: &XfbLayout,
    (shell, sources): (&mut Shell, &mut BTreeMap<ScalarPlace, ScalarSource>),
) -> Vec<String> {
    let base = shell.outputs.iter().map(|slot| slot.location + 1).max().unwrap_or(0);
    let mut vectors: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    let mut names = Vec::new();
    for item in layout.items.iter().filter(|item| item.is_builtin) {
        for (leaf, component) in leaf_scalars(item) {
            let element = leaf.place.path.first().copied();
            let index = element.unwrap_or(0) + u32::from(component);
            let vector = (leaf.place.global.index(), index / 4);
            let slot = *vectors.entry(vector).or_insert_with(|| {
                let stem = item.name.split('[').next().unwrap_or_default();
                names.push(element.map_or(stem.to_owned(), |_| format!("{stem}/{}", index / 4)));
                let number = u32::try_from(names.len()).unwrap_or(u32::MAX);
                own_slot(shell, base.saturating_add(number), ScalarKind::F32)
            });
            let at = u8::try_from(index % 4).unwrap_or(0);
            let source = ScalarSource::Slot { slot, component: at, is_over_w: false };
            if sources.insert(key(&leaf.place, component), source) != Some(source) {
                let place = component_of(&leaf.place, leaf.size, component);
                let components = vec![(slot, at)];
                let wire = Wire { place, scalar: leaf.scalar, components, is_over_w: false };
                shell.output_wires.push(wire);
            }
        }
    }
    names
}

fn leaf_scalars(item: &Item) -> Vec<(XfbLeaf, u8)> {
    let scalars = |leaf: XfbLeaf| (0..leaf.words()).map(move |idx| (leaf.clone(), idx));
    item.leaves().into_iter().flat_map(scalars).collect()
}

/// Adds a scalar to the chunks of an item. A chunk is the source of its first word, the number of words, and the first
/// word in the buffer.
fn add_chunk(chunks: &mut Vec<(ScalarSource, u8, u32)>, source: ScalarSource, word: u32) {
    if let (
        Some((ScalarSource::Slot { slot, component, is_over_w }, count, start)),
        ScalarSource::Slot { slot: next, component: at, is_over_w: next_is_over_w },
    ) = (chunks.last_mut(), source)
        && (*slot, *is_over_w) == (next, next_is_over_w)
        && *component + *count == at
        && *start + u32::from(*count) == word
    {
        *count += 1;
        return;
    }
    chunks.push((source, 1, word));
}

fn chunk_row(
    (source, count, word): &(ScalarSource, u8, u32),
    vertex: &StageModule,
    names: &[String],
) -> XfbChunkRow {
    let from = match source {
        ScalarSource::Slot { slot, component, is_over_w } => {
            let range = usize::from(*component)..usize::from(*component) + usize::from(*count);
            let letters = "xyzw".get(range).unwrap_or("?");
            let divided = if *is_over_w { "/w" } else { "" };
            format!("{}.{letters}{divided}", names.get(*slot).map_or("?", String::as_str))
        }
        ScalarSource::Constant(bits) => format!("0x{bits:08x}"),
        ScalarSource::Uniform(known) => {
            vertex.uniforms.get(known.uniform).map_or("?", |uniform| &uniform.name).to_owned()
        }
    };
    XfbChunkRow { from, word: *word }
}
