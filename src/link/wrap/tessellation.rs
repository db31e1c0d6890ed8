//! Builds the shells of tessellation stages, which run as compute stages; see [`crate::table::front`].
//!
//! All vertices of a patch are read before the user's code runs, because the code may read any of them.

use std::collections::BTreeMap;

use naga::{
    Barrier, BinaryOperator, Block, BuiltIn, Expression, GlobalVariable, Handle, Module, Statement,
    StorageAccess, TypeInner,
};

use crate::table::front::{ELEMENT_WORDS, Element};
use crate::table::shell::{
    ComputeShell, ControlShell, EvaluationShell, Given, ResultWire, Shell, VertexResults, Wire,
};
use crate::table::word_block::{First, InPlaceBlocks, MisplacedBlock};
use ir::builder::{FunctionBuilder, add_private};
use ir::interface::{Place, ScalarKind};
use ir::operands;
use ir::stage_module::StageModule;
use ir::tessellation::{ControlStage, EvaluationStage};

use super::argument;
use super::in_place::outgoing::{self, DividedOutputs, Eligible, Outgoing, OutputVertices};
use super::in_place::{InPlace, Incoming, add_first_result};
use super::own_buffer::{Words, draw_words, element, elements, vectors_of, word_at, words};
use super::prolog::fill;
use super::receive::{load, receive_patch, receive_vertices, store, vector};
use super::vertex_compute::{invocation, leave_slots, return_beyond, write, write_wires};

/// Access to the buffer that a stage writes.
const WRITTEN: StorageAccess = StorageAccess::LOAD.union(StorageAccess::STORE);

/// Values of a control stage's prolog that its epilog needs.
pub(super) struct EnteredControl {
    /// Value of `gl_InvocationID`.
    invocation: Handle<Expression>,
    /// The results of the patch.
    patch: Words,
    /// The outputs of a vertex.
    of_vertex: DividedOutputs,
    /// The outputs of the patch.
    of_patch: DividedOutputs,
}

/// Builds the code before the user's code in a control stage. Returns what is accessed in place, too.
pub(super) fn enter_control(
    builder: &mut FunctionBuilder<&mut Module>,
    own: &ControlStage,
    shell: &ComputeShell<'_, ControlShell>,
) -> (EnteredControl, InPlaceBlocks) {
    let control = shell.own;
    let [of_vertex, of_patch] = divide_control(builder.module, own, shell);
    let [draw, _] = draw_words::<2>(builder, control.at, 3);
    let [list, patches, vertices, size] = [0, 1, 2, 3].map(|idx| builder.part(draw, idx));
    let ty = builder.vector_type(3, ScalarKind::U32);
    let group = naga::Binding::BuiltIn(BuiltIn::WorkGroupId);
    let group = builder.argument(argument(ty, "patch".to_owned(), group));
    let [primitive, instance] = [0, 1].map(|idx| builder.part(group, idx));
    let ty = builder.scalar_type(ScalarKind::U32);
    let local = naga::Binding::BuiltIn(BuiltIn::LocalInvocationIndex);
    let invocation = builder.argument(argument(ty, "invocation".to_owned(), local));
    let before = builder.binary(BinaryOperator::Multiply, instance, patches);
    let patch = builder.binary(BinaryOperator::Add, before, primitive);
    let numbers = [
        (own.primitive_id, primitive),
        (own.invocation_id, invocation),
        (own.patch_vertices, size),
    ];
    store_numbers(builder, numbers);
    let results = elements(builder, control.at, 0, Element::Vector, StorageAccess::LOAD);
    let lists = words(builder, control.at, 1, StorageAccess::LOAD);
    let vertices = VerticesOfDraw { lists, list, vertices, size, primitive, instance };
    let stride = control.received.stride / ELEMENT_WORDS;
    let incoming = Incoming { shell: shell.common, received: &control.received };
    let inputs = receive_vertices(builder, results, incoming, |builder, vertex| {
        vertices.first_vector(builder, vertex, stride)
    });
    fill(
        builder,
        &Shell { uniforms: shell.common.uniforms.clone(), ..Shell::default() },
        &[],
        None,
    );
    let written = elements(builder, control.at, 2, Element::Vector, WRITTEN);
    let words = control.first_vertex + own.vertices * control.vertex_stride;
    let stride = builder.uint(words / ELEMENT_WORDS);
    let first = builder.binary(BinaryOperator::Multiply, patch, stride);
    let patch = Words::in_vectors(written, first);
    let in_place = [of_vertex.in_place.as_slice(), &of_patch.in_place].concat();
    let outputs = write_in_place(builder, patch, in_place);
    let entered = EnteredControl { invocation, patch, of_vertex, of_patch };
    (entered, InPlaceBlocks { inputs, outputs })
}

/// The outputs of a control stage: those of a vertex, and those of the patch.
fn divide_control(
    module: &Module,
    own: &ControlStage,
    shell: &ComputeShell<'_, ControlShell>,
) -> [DividedOutputs; 2] {
    let control = shell.own;
    let vertices = OutputVertices {
        count: own.vertices,
        first_word: control.first_vertex,
        stride: control.vertex_stride,
    };
    let of_vertex = Outgoing { shell: shell.common, results: &control.results };
    let of_patch = Outgoing { shell: &control.patch, results: &control.patch_results };
    [(of_vertex, Some(vertices)), (of_patch, None)]
        .map(|(outgoing, vertices)| outgoing::divide(module, outgoing, Eligible::All, vertices))
}

/// Stores the index of the first vector of the stage's results for outputs that are written in place, and returns these.
fn write_in_place(
    builder: &mut FunctionBuilder<&mut Module>,
    results: Words,
    in_place: Vec<InPlace>,
) -> Vec<MisplacedBlock> {
    if in_place.is_empty() {
        return Vec::new();
    }
    let first = add_first_result(builder);
    let pointer = builder.global(first);
    builder.store(pointer, results.first);
    let block = |output: InPlace| output.block(results.buffer, First::OfBlock(first));
    in_place.into_iter().map(block).collect()
}

fn store_numbers<const N: usize>(
    builder: &mut FunctionBuilder<&mut Module>,
    numbers: [(Option<Handle<GlobalVariable>>, Handle<Expression>); N],
) {
    for (global, value) in numbers {
        let Some(global) = global else { continue };
        let value = builder.bitcast(value, ScalarKind::U32, ScalarKind::I32);
        let pointer = builder.global(global);
        builder.store(pointer, value);
    }
}

/// The location of the vertex stage's results for a patch.
#[derive(Clone, Copy)]
struct VerticesOfDraw {
    lists: Handle<GlobalVariable>,
    /// Index of the first word of the list of patches.
    list: Handle<Expression>,
    /// Number of vertices of one instance.
    vertices: Handle<Expression>,
    /// Number of vertices of a patch.
    size: Handle<Expression>,
    primitive: Handle<Expression>,
    instance: Handle<Expression>,
}

impl VerticesOfDraw {
    /// Index of the first vector of the results of vertex `vertex` of the patch; each vertex has `stride` vectors.
    fn first_vector(
        self,
        builder: &mut FunctionBuilder<&mut Module>,
        vertex: Handle<Expression>,
        stride: u32,
    ) -> Handle<Expression> {
        let skipped = builder.binary(BinaryOperator::Multiply, self.primitive, self.size);
        let at = builder.binary(BinaryOperator::Add, self.list, skipped);
        let at = builder.binary(BinaryOperator::Add, at, vertex);
        let pointer = element(builder, self.lists, at);
        let ordinal = builder.load(pointer);
        let before = builder.binary(BinaryOperator::Multiply, self.instance, self.vertices);
        let number = builder.binary(BinaryOperator::Add, before, ordinal);
        let stride = builder.uint(stride);
        builder.binary(BinaryOperator::Multiply, number, stride)
    }
}

/// For each global that is an array of vertices, a private global for one vertex.
fn ones(
    builder: &mut FunctionBuilder<&mut Module>,
    arrays: impl Iterator<Item = Handle<GlobalVariable>>,
) -> BTreeMap<Handle<GlobalVariable>, Handle<GlobalVariable>> {
    let mut ones = BTreeMap::new();
    for array in arrays {
        let ty = builder.module.global_variables[array].ty;
        let TypeInner::Array { base, .. } = builder.module.types[ty].inner else { continue };
        ones.entry(array).or_insert_with(|| add_private(builder.module, None, base));
    }
    ones
}

fn of_one(ones: &BTreeMap<Handle<GlobalVariable>, Handle<GlobalVariable>>, place: &Place) -> Place {
    let global = ones.get(&place.global).copied().unwrap_or(place.global);
    Place { global, path: place.path.clone() }
}

/// Builds the code after the user's code in a control stage. After all invocations of the patch have finished, each
/// copies the results of its vertex, and the first also copies those of the patch.
pub(super) fn leave_control(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    shell: &ComputeShell<'_, ControlShell>,
    entered: EnteredControl,
) {
    let EnteredControl { invocation, patch, of_vertex, of_patch } = entered;
    if of_vertex.is_copied() || of_patch.is_copied() {
        builder.push(Statement::ControlBarrier(Barrier::WORK_GROUP));
    }
    if !of_vertex.is_done() {
        let vertex = results_of_vertex(builder, shell.own, patch, invocation);
        leave_vertex(builder, stage, &of_vertex, vertex, invocation);
    }
    if !of_patch.is_done() {
        let zero = builder.uint(0);
        let is_first = builder.binary(BinaryOperator::Equal, invocation, zero);
        builder.open_block();
        leave_results(builder, stage, of_patch.outgoing(), patch);
        let accept = builder.close_block();
        builder.push(Statement::If { condition: is_first, accept, reject: Block::new() });
    }
    builder.push(Statement::Return { value: None });
}

/// Makes the barriers of a control stage order accesses to the buffers, too: its invocations find there what others
/// wrote in place.
pub(super) fn order_results(module: &mut Module) {
    for (_, function) in module.functions.iter_mut() {
        order_in(&mut function.body);
    }
}

fn order_in(block: &mut Block) {
    for statement in block.iter_mut() {
        if let Statement::ControlBarrier(barrier) = statement {
            *barrier |= Barrier::STORAGE;
        }
        operands::blocks_mut(statement).into_iter().for_each(order_in);
    }
}

fn leave_vertex(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    outputs: &DividedOutputs,
    destination: Words,
    invocation: Handle<Expression>,
) {
    let DividedOutputs { shell, results, .. } = outputs;
    let wired = shell.output_wires.iter().map(|wire| wire.place.global);
    let built_in = results.wires.iter().map(|wire| wire.place.global);
    let ones = ones(builder, wired.chain(built_in));
    for (array, one) in &ones {
        let all = builder.global(*array);
        let from = builder.element(all, invocation);
        let value = builder.load(from);
        let to = builder.global(*one);
        builder.store(to, value);
    }
    let wire = |wire: &Wire| Wire { place: of_one(&ones, &wire.place), ..wire.clone() };
    let shell = Shell {
        outputs: shell.outputs.clone(),
        output_wires: shell.output_wires.iter().map(wire).collect(),
        ..Shell::default()
    };
    let wire = |wire: &ResultWire| ResultWire { place: of_one(&ones, &wire.place), ..wire.clone() };
    let own = VertexResults { wires: results.wires.iter().map(wire).collect(), ..results.clone() };
    let outgoing = Outgoing { shell: &shell, results: &own };
    leave_results(builder, stage, outgoing, destination);
}

/// The results of an invocation's vertex, among those of the patch.
fn results_of_vertex(
    builder: &mut FunctionBuilder<&mut Module>,
    control: &ControlShell,
    patch: Words,
    invocation: Handle<Expression>,
) -> Words {
    let size = builder.uint(control.vertex_stride / ELEMENT_WORDS);
    let skipped = builder.binary(BinaryOperator::Multiply, invocation, size);
    let before = builder.uint(control.first_vertex / ELEMENT_WORDS);
    let at = builder.binary(BinaryOperator::Add, patch.first, before);
    let first = builder.binary(BinaryOperator::Add, at, skipped);
    Words { first, ..patch }
}

/// Builds code that writes all results.
fn leave_results(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    Outgoing { shell, results }: Outgoing<'_>,
    destination: Words,
) {
    write_wires(builder, &results.wires, destination);
    for (word, bits) in &results.constants {
        let scalar = builder.uint(*bits);
        write(builder, destination, *word, scalar);
    }
    leave_slots(builder, stage, shell, results, destination);
}

/// Values of an evaluation stage's prolog that its epilog needs.
pub(super) struct EnteredEvaluation {
    /// The results of the domain point.
    results: Words,
    outputs: DividedOutputs,
}

/// Builds the code before the user's code in an evaluation stage. Returns what is accessed in place, too.
pub(super) fn enter_evaluation(
    builder: &mut FunctionBuilder<&mut Module>,
    own: &EvaluationStage,
    shell: &ComputeShell<'_, EvaluationShell>,
) -> (EnteredEvaluation, InPlaceBlocks) {
    let ComputeShell { common: shell, own: evaluation } = shell;
    let outputs = divide_evaluation(builder.module, shell, &evaluation.given);
    let [draw, uncontrolled, outer, inner] = draw_words::<4>(builder, evaluation.at, 3);
    let [list, points, size, patches] = [0, 1, 2, 3].map(|idx| builder.part(draw, idx));
    let id = invocation(builder);
    let point = builder.part(id, 0);
    let lists = words(builder, evaluation.at, 1, StorageAccess::LOAD);
    let written = elements(builder, evaluation.at, 2, Element::Vector, WRITTEN);
    let [first_corner, corners] = [2, 3].map(|idx| builder.part(uncontrolled, idx));
    if let Given::Record(_, stride) = &evaluation.given {
        let stride = *stride / ELEMENT_WORDS;
        let list = Corners { lists, first: first_corner, count: corners, stride };
        enter_corner(builder, list, written, point);
    }
    return_beyond(builder, point, points);
    let results = elements(builder, evaluation.at, 0, Element::Vector, StorageAccess::LOAD);
    let four = builder.uint(4);
    let skipped = builder.binary(BinaryOperator::Multiply, point, four);
    let at = builder.binary(BinaryOperator::Add, list, skipped);
    let list = Words { buffer: lists, first: at, element: Element::Word };
    let tuple = load(builder, list, 0, 4);
    let patch = tuple[0];
    store_coordinate(builder, own, &tuple[1..]);
    let primitive = builder.binary(BinaryOperator::Modulo, patch, patches);
    store_numbers(builder, [(own.primitive_id, primitive), (own.patch_vertices, size)]);
    let vertices_in = Incoming { shell, received: &evaluation.received };
    let inputs = if let Some(control) = &evaluation.patch {
        let stride = builder.uint(control.stride / ELEMENT_WORDS);
        let first = builder.binary(BinaryOperator::Multiply, patch, stride);
        let incoming = Incoming { shell: &control.shell, received: &control.received };
        let of_patch = receive_patch(builder, Words::in_vectors(results, first), incoming);
        let vertex_stride = evaluation.received.stride / ELEMENT_WORDS;
        let of_vertices = receive_vertices(builder, results, vertices_in, |builder, vertex| {
            let before = builder.uint(control.first_vertex / ELEMENT_WORDS);
            let at = builder.binary(BinaryOperator::Add, first, before);
            let stride = builder.uint(vertex_stride);
            let skipped = builder.binary(BinaryOperator::Multiply, vertex, stride);
            builder.binary(BinaryOperator::Add, at, skipped)
        });
        [of_patch, of_vertices].concat()
    } else {
        let [list, vertices] = [0, 1].map(|idx| builder.part(uncontrolled, idx));
        let instance = builder.binary(BinaryOperator::Divide, patch, patches);
        let vertices = VerticesOfDraw { lists, list, vertices, size, primitive, instance };
        let stride = evaluation.received.stride / ELEMENT_WORDS;
        let in_place = receive_vertices(builder, results, vertices_in, |builder, vertex| {
            vertices.first_vector(builder, vertex, stride)
        });
        for level in &evaluation.levels {
            let (from, idx) =
                if level.word < 4 { (outer, level.word) } else { (inner, level.word - 4) };
            let word = builder.part(from, idx);
            store(builder, level, &[word]);
        }
        in_place
    };
    fill(builder, &Shell { uniforms: shell.uniforms.clone(), ..Shell::default() }, &[], None);
    let results = results_of_point(builder, &evaluation.given, written, [point, corners]);
    let in_place = write_in_place(builder, results, outputs.in_place.clone());
    (EnteredEvaluation { results, outputs }, InPlaceBlocks { inputs, outputs: in_place })
}

/// The outputs of an evaluation stage.
fn divide_evaluation(module: &Module, shell: &Shell, given: &Given) -> DividedOutputs {
    let none = Shell::default();
    let record = match given {
        Given::Results(..) => VertexResults::default(),
        Given::Record(wires, _) => VertexResults { wires: wires.clone(), ..Default::default() },
    };
    let outgoing = match given {
        Given::Results(results, _) => Outgoing { shell, results },
        Given::Record(..) => Outgoing { shell: &none, results: &record },
    };
    outgoing::divide(module, outgoing, Eligible::Indexed, None)
}

/// The results of a domain point: behind the entries of the corners if there are some.
fn results_of_point(
    builder: &mut FunctionBuilder<&mut Module>,
    given: &Given,
    written: Handle<GlobalVariable>,
    [point, corners]: [Handle<Expression>; 2],
) -> Words {
    let (Given::Results(_, stride) | Given::Record(_, stride)) = given;
    let stride = builder.uint(*stride / ELEMENT_WORDS);
    let skipped = builder.binary(BinaryOperator::Multiply, point, stride);
    let first = match given {
        Given::Results(..) => skipped,
        Given::Record(..) => {
            let before = vectors_of(builder, corners);
            builder.binary(BinaryOperator::Add, before, skipped)
        }
    };
    Words::in_vectors(written, first)
}

/// The list of corners and the size of records.
#[derive(Clone, Copy)]
struct Corners {
    lists: Handle<GlobalVariable>,
    /// Index of the first word of the list.
    first: Handle<Expression>,
    count: Handle<Expression>,
    /// Number of vectors of a point's record.
    stride: u32,
}

/// Builds code that writes the entry of corner `idx`, if this corner exists.
fn enter_corner(
    builder: &mut FunctionBuilder<&mut Module>,
    corners: Corners,
    written: Handle<GlobalVariable>,
    idx: Handle<Expression>,
) {
    let is_there = builder.binary(BinaryOperator::Less, idx, corners.count);
    builder.open_block();
    let at = builder.binary(BinaryOperator::Add, corners.first, idx);
    let pointer = element(builder, corners.lists, at);
    let point = builder.load(pointer);
    let stride = builder.uint(corners.stride);
    let skipped = builder.binary(BinaryOperator::Multiply, point, stride);
    let before = vectors_of(builder, corners.count);
    let record = builder.binary(BinaryOperator::Add, before, skipped);
    let entry = word_at(builder, written, idx);
    builder.store(entry, record);
    let accept = builder.close_block();
    builder.push(Statement::If { condition: is_there, accept, reject: Block::new() });
}

fn store_coordinate(
    builder: &mut FunctionBuilder<&mut Module>,
    own: &EvaluationStage,
    bits: &[Handle<Expression>],
) {
    let Some(global) = own.coordinate else { return };
    let value = vector(builder, bits);
    let value = builder.bitcast(value, ScalarKind::U32, ScalarKind::F32);
    let pointer = builder.global(global);
    builder.store(pointer, value);
}

/// Builds the code after the user's code in an evaluation stage.
pub(super) fn leave_evaluation(
    builder: &mut FunctionBuilder<&mut Module>,
    stage: &StageModule,
    EnteredEvaluation { results, outputs }: EnteredEvaluation,
) {
    leave_results(builder, stage, outputs.outgoing(), results);
    builder.push(Statement::Return { value: None });
}
