//! Checks an interface whose values cross in a buffer of words.
//!
//! The stores of the producer and the loads of the consumer are read symbolically. The index of a word is a sum of
//! unknowns times constants, plus a constant. Two indices are of the same word of a vertex if the unknowns have the same
//! factors, which are the numbers of words from vertex to vertex, and the constants are equal.

use std::collections::{BTreeMap, BTreeSet};

use naga::{
    AddressSpace, BinaryOperator, Binding, Block, BuiltIn, Expression, Function, GlobalVariable,
    Handle, Literal, Module, Statement,
};

use crate::place::routing::Route;
use crate::table::binding::BindingPoint;
use crate::table::front::ELEMENT_WORDS;
use crate::table::word_block::{First, Home, MisplacedBlock};
use ir::interface::{Leaf, Place, Type};
use ir::layout::Shape;

use super::Defect;
use super::reader::{Origin, Scalar, StageReader};

/// A variable, or a part of one, that must cross.
#[derive(Clone, Debug)]
pub(crate) struct Crossed {
    /// Its name, for messages.
    pub(crate) name: String,
    /// Its type in both stages.
    pub(crate) ty: Type,
    /// The producer's variable, without the index of the vertex.
    pub(crate) from: Place,
    /// The consumer's variable, without the index of the vertex.
    pub(crate) to: Place,
    /// Route of each scalar; scalars beyond them cross.
    pub(crate) routes: Vec<Route>,
}

/// What a stage does with the buffer of an interface.
#[derive(Debug)]
pub(crate) struct Side<'a> {
    /// The final module.
    pub(crate) module: &'a Module,
    /// Binding point of the buffer; `None` for the only storage buffer of the module.
    pub(crate) at: Option<BindingPoint>,
    /// The producer's outputs or the consumer's inputs of which it has no copies.
    pub(crate) in_place: &'a [MisplacedBlock],
}

/// The vertices that an interface has values of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The consumer reads so many vertices of a primitive or patch.
    Vertices(u32),
    /// The same, of a patch whose vertices one workgroup of the producer writes: its variables are arrays of vertices.
    OfPatch(u32),
    /// There is one set of values: of a patch, or of the vertex that is drawn.
    One,
}

/// Checks that each scalar of `crossed` is loaded from the word to which the producer stores it, for each vertex.
pub(crate) fn verify(
    [producer, consumer]: [&Side<'_>; 2],
    crossed: &[Crossed],
    extent: Extent,
) -> Result<(), Defect> {
    let mut written = written(producer)?;
    let read = read(consumer)?;
    let vertices: Vec<Option<u32>> = match extent {
        Extent::Vertices(count) | Extent::OfPatch(count) => (0..count).map(Some).collect(),
        Extent::One => vec![None],
    };
    for variable in crossed {
        for (shown, path) in crossing_words(variable) {
            for vertex in &vertices {
                let to = word_of(&variable.to, *vertex, &path);
                let load =
                    read.word(&to).ok_or_else(|| Defect(format!("{shown} is never stored")))?;
                let own_vertex = vertex.filter(|_| matches!(extent, Extent::OfPatch(_)));
                let from = [None, own_vertex].map(|it| word_of(&variable.from, it, &path));
                if !written.has(from, *vertex, &load)? {
                    return Err(Defect(format!("{shown} is not loaded from where it is written")));
                }
            }
        }
    }
    Ok(())
}

/// The words that need the buffer, as paths in the variable with their names for messages.
fn crossing_words(variable: &Crossed) -> Vec<(String, Vec<u32>)> {
    let leaves = variable.ty.leaves();
    let words = leaves.iter().flat_map(|leaf: &Leaf| {
        let halves = leaf.scalar.components();
        (0..u32::from(leaf.size) * halves).map(move |word| {
            let shown = format!("{}{} component {word}", variable.name, leaf.suffix);
            let mut path = leaf.path.clone();
            path.extend((leaf.size > 1).then_some(word / halves));
            path.extend((halves > 1).then_some(word % halves));
            (shown, path)
        })
    });
    let routes = variable.routes.iter().map(Some).chain(std::iter::repeat(None));
    let crosses = |route: Option<&Route>| route.is_none_or(|it| matches!(it, Route::Slot { .. }));
    words.zip(routes).filter(|(_, route)| crosses(*route)).map(|(word, _)| word).collect()
}

fn word_of(place: &Place, vertex: Option<u32>, path: &[u32]) -> Scalar {
    let path = vertex.into_iter().chain(place.path.iter().copied()).chain(path.iter().copied());
    Scalar { global: place.global, path: path.collect() }
}

/// Index of a word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Index {
    /// The factor of each unknown that is multiplied.
    unknown: BTreeMap<Handle<Expression>, u32>,
    /// Unknowns that are not multiplied: the index of a record.
    records: BTreeSet<Handle<Expression>>,
    /// The constant.
    constant: u32,
    /// The factor of the number of the invocation among those of a patch.
    of_invocation: u32,
}

impl Index {
    fn plus(mut self, other: &Self) -> Self {
        for (unknown, factor) in &other.unknown {
            *self.unknown.entry(*unknown).or_default() += factor;
        }
        self.records.extend(&other.records);
        self.constant = self.constant.wrapping_add(other.constant);
        self.of_invocation += other.of_invocation;
        self
    }

    fn times(mut self, factor: u32) -> Self {
        let records = std::mem::take(&mut self.records);
        self.unknown.extend(records.into_iter().map(|unknown| (unknown, 1)));
        self.in_elements_of(factor)
    }

    /// The index of the first word of an element, if this is the index of the element, which has so many words.
    fn in_elements_of(mut self, factor: u32) -> Self {
        self.unknown.values_mut().for_each(|known| *known = known.wrapping_mul(factor));
        self.constant = self.constant.wrapping_mul(factor);
        self.of_invocation = self.of_invocation.wrapping_mul(factor);
        self
    }

    /// The words from one set of values to the next; a record is found by the index of its first word.
    fn strides(&self) -> BTreeSet<u32> {
        self.unknown.values().copied().collect()
    }

    /// True if this word, which is one of `all` that a stage writes, is beyond the set of values to which it belongs.
    fn is_beyond(&self, all: &[Self]) -> bool {
        if self.of_invocation > 0 {
            let own = all.iter().filter(|other| other.of_invocation == self.of_invocation);
            let first = own.map(|other| other.constant).min().unwrap_or(0);
            return self.constant - first >= self.of_invocation;
        }
        self.strides().into_iter().any(|stride| self.constant >= stride)
    }

    /// True if this is the word that another stage finds at `other`. An invocation of a control stage writes one vertex of
    /// a patch; all others write everything that they write at one place.
    fn is_read_as(&self, other: &Self, vertex: Option<u32>) -> bool {
        let before = self.of_invocation.wrapping_mul(vertex.unwrap_or(0));
        let are_records = [self, other].map(|index| !index.records.is_empty());
        let is_same_set = are_records[1] && are_records[0] || self.strides() == other.strides();
        is_same_set && self.constant.wrapping_add(before) == other.constant
    }
}

/// A word that a stage writes.
struct Store {
    index: Index,
    scalar: Scalar,
}

/// The words of variables that the producer writes to the buffer.
struct Written<'a> {
    /// The words that copies of variables go to.
    stores: Vec<Store>,
    /// The variables without copies.
    in_place: InPlace<'a>,
    /// Numbers of words by which the code moves the first word of these variables on.
    steps: Vec<u32>,
    /// The scalars that were found in place, by their words.
    taken: BTreeMap<u32, Scalar>,
}

impl Written<'_> {
    /// True if the word that the consumer finds at `load`, for this vertex, is that of a scalar. `copied` is the scalar as
    /// copies name it, `own` as the variable itself does.
    fn has(
        &mut self,
        [copied, own]: [Scalar; 2],
        vertex: Option<u32>,
        load: &Index,
    ) -> Result<bool, Defect> {
        let mut stores = self.stores.iter().filter(|store| store.scalar == copied);
        if !self.in_place.has(own.global) {
            return Ok(stores.any(|store| store.index.is_read_as(load, vertex)));
        }
        let Some(index) = self.in_place.word(&own).filter(|_| stores.next().is_none()) else {
            return Err(Defect("an output in place has no word of its own".to_owned()));
        };
        let is_beyond = self.steps.iter().any(|step| index.constant >= *step);
        if is_beyond || index.is_beyond(&[]) {
            return Err(Defect(format!("word {} belongs to the next vertex", index.constant)));
        }
        let is_copied = self.stores.iter().any(|store| store.index.constant == index.constant);
        let first = self.taken.entry(index.constant).or_insert_with(|| own.clone());
        if is_copied || *first != own {
            return Err(Defect(format!("a word is written twice, at {}", index.constant)));
        }
        Ok(index.is_read_as(load, None))
    }
}

/// Finds the words of variables that the producer writes to the buffer.
fn written<'a>(side: &Side<'a>) -> Result<Written<'a>, Defect> {
    let buffer = side.buffer()?;
    let mut in_place = InPlace::of(side);
    let mut steps = Vec::new();
    let mut all = Vec::new();
    for function in functions(side.module) {
        let words = WordReader { reader: StageReader { module: side.module, function }, buffer };
        let mut copies = BTreeMap::new();
        let mut taken = Vec::new();
        for (pointer, value) in stores(&function.body) {
            if let Some((copy, array)) = words.copied(pointer, value) {
                copies.insert(copy, array);
            }
            match words.moved(pointer, value) {
                Some(step) => steps.extend(in_place.is_first(&words, pointer).then_some(step)),
                None => in_place.note(&words, pointer, value),
            }
            let origins = words.reader.origins(value);
            for (index, origin) in words.indices(pointer).into_iter().zip(&origins) {
                if taken.contains(&index) {
                    return Err(Defect(format!("a word is written twice, at {}", index.constant)));
                }
                taken.push(index.clone());
                if let Origin::Loaded(scalar) = origin {
                    let global = copies.get(&scalar.global).copied().unwrap_or(scalar.global);
                    all.push(Store { index, scalar: Scalar { global, path: scalar.path.clone() } });
                }
            }
        }
        if let Some(index) = taken.iter().find(|index| index.is_beyond(&taken)) {
            return Err(Defect(format!("word {} belongs to the next vertex", index.constant)));
        }
    }
    Ok(Written { stores: all, in_place, steps, taken: BTreeMap::new() })
}

/// Variables without copies.
struct InPlace<'a> {
    blocks: &'a [MisplacedBlock],
    /// The first words, by the scalar that has the index.
    firsts: BTreeMap<Scalar, Index>,
}

impl<'a> InPlace<'a> {
    fn of(side: &Side<'a>) -> Self {
        Self { blocks: side.in_place, firsts: BTreeMap::new() }
    }

    fn has(&self, global: Handle<GlobalVariable>) -> bool {
        self.blocks.iter().any(|block| block.global == global)
    }

    /// True if `pointer` leads to the index of a first word.
    fn is_first(&self, words: &WordReader<'_>, pointer: Handle<Expression>) -> bool {
        let target = words.reader.pointer(pointer).map(|(global, _)| global);
        target.is_some() && self.blocks.iter().any(|block| first_words(block) == target)
    }

    /// Notes the index of a first word, if this store writes one.
    fn note(
        &mut self,
        words: &WordReader<'_>,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
    ) {
        if !self.is_first(words, pointer) {
            return;
        }
        let Some((global, path)) = words.reader.pointer(pointer) else { return };
        let first = words.sum(value).in_elements_of(ELEMENT_WORDS);
        self.firsts.insert(Scalar { global, path }, first);
    }

    /// The word of a scalar; `None` if it is unknown.
    fn word(&self, scalar: &Scalar) -> Option<Index> {
        let block = self.blocks.iter().find(|block| block.global == scalar.global)?;
        let Home::Results { first, offset, .. } = block.home else { return None };
        let (first, path) = match (first, &block.layout.shape, &scalar.path[..]) {
            (First::OfBlock(first), _, path) => {
                (Scalar { global: first, path: Vec::new() }, block.layout.scalar_offset(path)?)
            }
            (First::OfVertices(first), Shape::Array { element, .. }, [vertex, path @ ..]) => {
                (Scalar { global: first, path: vec![*vertex] }, element.scalar_offset(path)?)
            }
            (First::OfVertices(_), _, _) => return None,
        };
        let constant = (offset + path) / 4;
        let own = Index { constant, ..Index::default() };
        self.firsts.get(&first).map(|first| first.clone().plus(&own))
    }
}

/// The words of the buffer that the consumer reads.
struct Read<'a> {
    /// The word that each scalar of a copied variable comes from.
    copied: BTreeMap<Scalar, Index>,
    in_place: InPlace<'a>,
}

impl Read<'_> {
    /// The word that a scalar of the consumer's variables comes from; `None` if it is unknown, or if there are two.
    fn word(&self, scalar: &Scalar) -> Option<Index> {
        let copied = self.copied.get(scalar);
        if !self.in_place.has(scalar.global) {
            return copied.cloned();
        }
        self.in_place.word(scalar).filter(|_| copied.is_none())
    }
}

/// Finds the words of the buffer that the consumer reads.
fn read<'a>(side: &Side<'a>) -> Result<Read<'a>, Defect> {
    let buffer = side.buffer()?;
    let mut read = Read { copied: BTreeMap::new(), in_place: InPlace::of(side) };
    for function in functions(side.module) {
        let words = WordReader { reader: StageReader { module: side.module, function }, buffer };
        for (pointer, value) in stores(&function.body) {
            let Some((global, path)) = words.reader.pointer(pointer) else { continue };
            if read.in_place.is_first(&words, pointer) {
                read.in_place.note(&words, pointer, value);
                continue;
            }
            let paths = words.reader.word_paths(global, &path);
            for (path, origin) in paths.into_iter().zip(words.reader.origins(value)) {
                let Origin::Element(pointer, word) = origin else { continue };
                let Some(index) = words.index(pointer, word) else { continue };
                if read.copied.insert(Scalar { global, path }, index).is_some() {
                    return Err(Defect("a scalar is loaded twice".to_owned()));
                }
            }
        }
    }
    Ok(read)
}

/// The global with the indices of a variable's first words.
const fn first_words(block: &MisplacedBlock) -> Option<Handle<GlobalVariable>> {
    match block.home {
        Home::Results { first: First::OfBlock(global) | First::OfVertices(global), .. } => {
            Some(global)
        }
        Home::Own | Home::Uniforms { .. } => None,
    }
}

fn functions(module: &Module) -> impl Iterator<Item = &Function> {
    let own = module.functions.iter().map(|(_, function)| function);
    own.chain(module.entry_points.iter().map(|entry| &entry.function))
}

impl Side<'_> {
    fn buffer(&self) -> Result<Handle<GlobalVariable>, Defect> {
        let is_it = |variable: &GlobalVariable| match (self.at, &variable.binding) {
            (Some(at), Some(own)) => own.group == at.group && own.binding == at.binding,
            (Some(_), None) => false,
            (None, _) => matches!(variable.space, AddressSpace::Storage { .. }),
        };
        let mut all = self.module.global_variables.iter().filter(|(_, variable)| is_it(variable));
        let (Some((buffer, _)), None) = (all.next(), all.next()) else {
            return Err(Defect("an interface has one buffer".to_owned()));
        };
        Ok(buffer)
    }
}

/// All stores of a block, as pointers and values.
fn stores(block: &Block) -> Vec<(Handle<Expression>, Handle<Expression>)> {
    let mut all = Vec::new();
    for statement in block {
        if let Statement::Store { pointer, value } = statement {
            all.push((*pointer, *value));
        } else if let Statement::If { accept, reject, .. } = statement {
            all.extend(stores(accept).into_iter().chain(stores(reject)));
        }
    }
    all
}

/// A function that uses the buffer.
struct WordReader<'a> {
    reader: StageReader<'a>,
    buffer: Handle<GlobalVariable>,
}

impl WordReader<'_> {
    fn expression(&self, handle: Handle<Expression>) -> &Expression {
        &self.reader.function.expressions[handle]
    }

    /// Indices of the words of the buffer that `pointer` leads to; none if it leads elsewhere.
    fn indices(&self, pointer: Handle<Expression>) -> Vec<Index> {
        match *self.expression(pointer) {
            Expression::Access { base, .. } => {
                let words = 0..self.reader.element_words(base);
                words.filter_map(|word| self.index(pointer, word)).collect()
            }
            Expression::AccessIndex { base, index } => {
                self.index(base, index).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Index of a word of the element of the buffer that `pointer` leads to; `None` if it leads elsewhere.
    fn index(&self, pointer: Handle<Expression>, word: u32) -> Option<Index> {
        let Expression::Access { base, index } = *self.expression(pointer) else { return None };
        let (global, _) = self.reader.pointer(base)?;
        let own = Index { constant: word, ..Index::default() };
        let all = || self.sum(index).in_elements_of(self.reader.element_words(base)).plus(&own);
        (global == self.buffer).then(all)
    }

    fn sum(&self, value: Handle<Expression>) -> Index {
        match *self.expression(value) {
            Expression::Literal(Literal::U32(constant)) => Index { constant, ..Index::default() },
            Expression::Binary { op: BinaryOperator::Add, left, right } => {
                self.sum(left).plus(&self.sum(right))
            }
            Expression::Binary { op: BinaryOperator::Multiply, left, right } => {
                match (self.expression(left), self.expression(right)) {
                    (_, Expression::Literal(Literal::U32(factor))) => self.sum(left).times(*factor),
                    (Expression::Literal(Literal::U32(factor)), _) => {
                        self.sum(right).times(*factor)
                    }
                    _ => Index { records: [value].into(), ..Index::default() },
                }
            }
            _ if self.is_invocation_of_patch(value) => {
                Index { of_invocation: 1, ..Index::default() }
            }
            _ => Index { records: [value].into(), ..Index::default() },
        }
    }

    /// The number of words by which a store moves the index of a first word on; `None` if it does not.
    fn moved(&self, pointer: Handle<Expression>, value: Handle<Expression>) -> Option<u32> {
        let Expression::Binary { op: BinaryOperator::Add, left, right } = *self.expression(value)
        else {
            return None;
        };
        let Expression::Load { pointer: from } = *self.expression(left) else { return None };
        let is_same = self.reader.pointer(from) == self.reader.pointer(pointer);
        let Expression::Literal(Literal::U32(step)) = *self.expression(right) else { return None };
        is_same.then_some(step.saturating_mul(ELEMENT_WORDS))
    }

    fn is_invocation_of_patch(&self, value: Handle<Expression>) -> bool {
        let Expression::FunctionArgument(idx) = *self.expression(value) else { return false };
        let binding = &self.reader.function.arguments[idx as usize].binding;
        *binding == Some(Binding::BuiltIn(BuiltIn::LocalInvocationIndex))
    }

    /// A variable that becomes the element of an array of vertices that belongs to the invocation, and that array.
    fn copied(
        &self,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
    ) -> Option<(Handle<GlobalVariable>, Handle<GlobalVariable>)> {
        let Expression::GlobalVariable(copy) = *self.expression(pointer) else { return None };
        let Expression::Load { pointer } = *self.expression(value) else { return None };
        let Expression::Access { base, index } = *self.expression(pointer) else { return None };
        let Expression::GlobalVariable(array) = *self.expression(base) else { return None };
        self.is_invocation_of_patch(index).then_some((copy, array))
    }
}
