//! Builds the pass-through vertex stage, which is drawn: it reads the record of an emitted vertex and passes on its
//! outputs.

use std::collections::BTreeMap;

use naga::{
    AddressSpace, ArraySize, BinaryOperator, Block, BuiltIn, Expression, Function, GlobalVariable,
    Handle, Module, Scalar, Span, Statement, StorageAccess, StructMember, TypeInner,
};

use crate::lower::state_uniform;
use crate::table::binding::NO_VERTEX;
use crate::table::shell::ResultWire;
use crate::wrap::{Words, load_record, store_record, word_at};
use ir::builder::{FunctionBuilder, add_private, global, insert_type};
use ir::interface::{Place, ScalarKind, Type, Variable};
use ir::options::GEOMETRY_POINT;
use ir::stage::ShaderStage;
use ir::stage_module::{BuiltinVariable, Direction, ResourceKind, ResourceVariable, StageModule};

use super::built_in::PRIMITIVE_ID;
use super::record::Record;

/// Name of the hidden `uint` uniform with the layer that is drawn to, encoded by [`drawn_layer`], or [`NO_LAYER`].
pub const LAYER: &str = "drawn layer";

/// Value of [`LAYER`] without layers: every primitive is drawn, whatever its layer.
pub const NO_LAYER: u32 = u32::MAX << PLACE_BITS;

/// Value of [`LAYER`] for `layer`, if the provoking vertex of a primitive is at `place` among the primitive's entries.
pub const fn drawn_layer(layer: u32, place: u32) -> u32 {
    layer << PLACE_BITS | place
}

/// Number of bits of [`LAYER`] below the layer, which are sufficient because a primitive has at most three vertices.
const PLACE_BITS: u32 = 2;

/// Name of the output with a primitive's layer.
const OWN_LAYER: &str = "gl_Layer";

/// Name of the buffer of records, which no shader can declare.
const RECORDS: &str = "geometry records";

/// Handles into the pass-through stage, with which it is completed once its record is known.
#[derive(Clone, Debug)]
pub(crate) struct PassThrough {
    /// The stage's main function, which is empty until [`Self::read`] fills it.
    main: Handle<Function>,
    /// The buffer of entries and records.
    records: Handle<GlobalVariable>,
    /// The global with the number of the entry.
    index: Handle<GlobalVariable>,
    /// The global with the layer that is drawn to, if the stage before writes a layer.
    layer: Option<Handle<GlobalVariable>>,
    /// The globals of outputs that have another type than in the stage before.
    replaced: Replaced,
}

impl PassThrough {
    /// The stage that passes on the outputs of `last`.
    pub(crate) fn of(last: &StageModule) -> (StageModule, Self) {
        let mut module = emptied(last);
        let (outputs, replaced) = outputs(last, &mut module);
        let records = records(&mut module);
        let word = insert_type(&mut module, TypeInner::Scalar(Scalar::U32));
        let index = add_private(&mut module, None, word);
        let layer = layer_place(last).map(|_| add_private(&mut module, None, word));
        let main = module.functions.append(Function::default(), Span::UNDEFINED);
        let mut builtins = written_builtins(last);
        builtins.push(BuiltinVariable {
            builtin: BuiltIn::VertexIndex,
            global: index,
            direction: Direction::Input,
            is_written: false,
        });
        let mut stage = StageModule {
            overwritten: outputs
                .iter()
                .filter_map(|output| Some(output.place.as_ref()?.global))
                .collect(),
            outputs,
            builtins,
            builtin_lengths: last.builtin_lengths.clone(),
            invariant_builtins: last.invariant_builtins.clone(),
            has_invariant_position: last.has_invariant_position,
            unredeclared_member: last.unredeclared_member.clone(),
            resources: vec![resource(records)],
            xfb: last.xfb.clone(),
            ..StageModule::new(ShaderStage::Vertex, last.rules, module, main)
        };
        if let Some(layer) = layer {
            state_uniform::fill(
                &mut stage,
                LAYER,
                Type::Scalar(ScalarKind::U32),
                Place::whole(layer),
            );
        }
        (stage, Self { main, records, index, layer, replaced })
    }

    /// Makes the stage read this record of the stage before it.
    pub(crate) fn read(&self, stage: &mut StageModule, last: &StageModule, record: &Record) {
        let wires: Vec<ResultWire> = record.wires.iter().map(|wire| self.wire(wire)).collect();
        let layers = self.layer.zip(layer_word(last, record)).map(|(drawn, own)| Layers {
            own,
            drawn,
            vertices: last.primitive_vertices().unwrap_or(1),
        });
        let entries = Entries { records: self.records, index: self.index, wires: &wires, layers };
        stage.module.functions[self.main] = main(&mut stage.module, last, &entries);
    }

    /// The place in this stage of a value of the stage before it.
    pub(crate) fn place(&self, place: &Place) -> Place {
        self.replaced.get(&place.global).map_or_else(|| place.clone(), |own| Place::whole(*own))
    }

    fn wire(&self, wire: &ResultWire) -> ResultWire {
        let place = self.place(&wire.place);
        let is_replaced = place.global != wire.place.global;
        let scalar = if is_replaced { ScalarKind::U32 } else { wire.scalar };
        ResultWire { place, scalar, ..wire.clone() }
    }
}

/// Data for selecting the drawn layer in a stage that writes `gl_Layer`.
#[derive(Clone, Copy)]
struct Layers {
    /// Index of the word with a primitive's layer in its records.
    own: u32,
    /// The global with the layer that is drawn to.
    drawn: Handle<GlobalVariable>,
    /// Number of vertices of a primitive.
    vertices: u32,
}

/// Place of the layer that a stage writes.
fn layer_place(last: &StageModule) -> Option<&Place> {
    let output = last.outputs.iter().find(|output| output.name == OWN_LAYER)?;
    output.place.as_ref().filter(|_| output.is_used)
}

fn layer_word(last: &StageModule, record: &Record) -> Option<u32> {
    let place = layer_place(last)?;
    record.wires.iter().find(|wire| wire.place == *place).map(|wire| wire.word)
}

fn written_builtins(geometry: &StageModule) -> Vec<BuiltinVariable> {
    let own = geometry.builtins.iter().filter(|output| output.direction == Direction::Output);
    own.cloned().collect()
}

/// The module of the geometry stage without its code. Globals that are not outputs become unused words, so that handles
/// stay valid.
fn emptied(geometry: &StageModule) -> Module {
    let mut module = geometry.module.clone();
    module.functions.clear();
    let word = insert_type(&mut module, TypeInner::Scalar(Scalar::U32));
    let is_kept = |handle: Handle<GlobalVariable>| {
        let is_output =
            |output: &Variable| output.place.as_ref().is_some_and(|place| place.global == handle);
        geometry.outputs.iter().any(is_output)
            || written_builtins(geometry).iter().any(|output| output.global == handle)
    };
    for (handle, variable) in module.global_variables.iter_mut() {
        if !is_kept(handle) {
            *variable = global(None, word, AddressSpace::Private, None);
        }
    }
    module
}

/// Globals of this stage by the globals that they replace.
type Replaced = BTreeMap<Handle<GlobalVariable>, Handle<GlobalVariable>>;

/// The outputs of the stage. The number of the primitive is unsigned, as in a fragment stage.
fn outputs(geometry: &StageModule, module: &mut Module) -> (Vec<Variable>, Replaced) {
    let mut replaced = BTreeMap::new();
    let mut outputs = geometry.outputs.clone();
    for output in outputs.iter_mut().filter(|output| output.name == PRIMITIVE_ID) {
        let word = insert_type(module, TypeInner::Scalar(Scalar::U32));
        let unsigned = add_private(module, None, word);
        if let Some(place) = &mut output.place {
            replaced.insert(place.global, unsigned);
            *place = Place::whole(unsigned);
        }
        output.ty = Type::Scalar(ScalarKind::U32);
    }
    (outputs, replaced)
}

fn records(module: &mut Module) -> Handle<GlobalVariable> {
    let inner = TypeInner::Vector { size: naga::VectorSize::Quad, scalar: Scalar::U32 };
    let base = insert_type(module, inner);
    let inner = TypeInner::Array { base, size: ArraySize::Dynamic, stride: 16 };
    let array = insert_type(module, inner);
    let member =
        StructMember { name: Some("elements".into()), ty: array, binding: None, offset: 0 };
    let inner = TypeInner::Struct { members: vec![member], span: 16 };
    let ty = naga::Type { name: Some("GeometryRecords".into()), inner };
    let ty = module.types.insert(ty, Span::UNDEFINED);
    let space = AddressSpace::Storage { access: StorageAccess::LOAD };
    let variable = global(Some("geometry_records".into()), ty, space, None);
    module.global_variables.append(variable, Span::UNDEFINED)
}

fn resource(records: Handle<GlobalVariable>) -> ResourceVariable {
    ResourceVariable {
        name: RECORDS.to_owned(),
        alias: String::new(),
        global: records,
        kind: ResourceKind::StorageBuffer { is_writable: false },
        binding: Some(GEOMETRY_POINT),
        location: None,
        layout: None,
        described: None,
        element: 0,
        span: None,
    }
}

/// The entries that the stage reads, and what it does with their records.
#[derive(Clone, Copy)]
struct Entries<'a> {
    /// The buffer of entries and records.
    records: Handle<GlobalVariable>,
    /// The global with the number of the entry.
    index: Handle<GlobalVariable>,
    /// The words of a record.
    wires: &'a [ResultWire],
    layers: Option<Layers>,
}

/// Builds `main`, which reads the entry with the vertex's index, and then its record. For an entry without a vertex,
/// and for a primitive of a layer that is not drawn to, the position is outside the clip volume.
fn main(module: &mut Module, geometry: &StageModule, entries: &Entries<'_>) -> Function {
    let Entries { records, index, wires, layers } = *entries;
    let mut builder = FunctionBuilder::new(module);
    let at = builder.global(index);
    let at = builder.load(at);
    let entry = word_at(&mut builder, records, at);
    let first = builder.load(entry);
    let none = builder.uint(NO_VERTEX);
    let is_none = builder.binary(BinaryOperator::Equal, first, none);
    builder.open_block();
    move_outside(&mut builder, geometry);
    let accept = builder.close_block();
    builder.open_block();
    for wire in wires {
        let count = u32::from(wire.size) * wire.scalar.components();
        let count = u8::try_from(count).unwrap_or(u8::MAX);
        let words = load_record(&mut builder, Words::in_vectors(records, first), wire.word, count);
        store_record(&mut builder, wire, &words);
    }
    if let Some(layers) = layers {
        let is_other = is_of_another(&mut builder, layers, records, at);
        builder.open_block();
        move_outside(&mut builder, geometry);
        let accept = builder.close_block();
        builder.push(Statement::If { condition: is_other, accept, reject: Block::new() });
    }
    let reject = builder.close_block();
    builder.push(Statement::If { condition: is_none, accept, reject });
    builder.finish()
}

/// Stores a position outside the clip volume.
fn move_outside(builder: &mut FunctionBuilder<&mut Module>, geometry: &StageModule) {
    let is_position =
        |output: &&BuiltinVariable| matches!(output.builtin, BuiltIn::Position { .. });
    if let Some(position) = written_builtins(geometry).iter().find(is_position) {
        let ty = builder.vector_type(4, ScalarKind::F32);
        let parts = [2, 2, 2, 1].map(|value| builder.number(value, ScalarKind::F32));
        let outside = builder.compose(ty, parts.to_vec());
        let pointer = builder.global(position.global);
        builder.store(pointer, outside);
    }
}

/// Tests whether the primitive of entry `at` belongs to a layer that is not drawn to. Its layer is that of its
/// provoking vertex.
fn is_of_another(
    builder: &mut FunctionBuilder<&mut Module>,
    layers: Layers,
    records: Handle<GlobalVariable>,
    at: Handle<Expression>,
) -> Handle<Expression> {
    let size = builder.uint(layers.vertices);
    let place = builder.binary(BinaryOperator::Modulo, at, size);
    let first = builder.binary(BinaryOperator::Subtract, at, place);
    let drawn = builder.global(layers.drawn);
    let drawn = builder.load(drawn);
    let mask = builder.uint((1 << PLACE_BITS) - 1);
    let provoking = builder.binary(BinaryOperator::And, drawn, mask);
    let provoking = builder.binary(BinaryOperator::Add, first, provoking);
    let entry = word_at(builder, records, provoking);
    let entry = builder.load(entry);
    let own = load_record(builder, Words::in_vectors(records, entry), layers.own, 1)[0];
    let none = builder.uint(NO_LAYER);
    let is_layered = builder.binary(BinaryOperator::NotEqual, drawn, none);
    let bits = builder.uint(PLACE_BITS);
    let layer = builder.binary(BinaryOperator::ShiftRight, drawn, bits);
    let differs = builder.binary(BinaryOperator::NotEqual, own, layer);
    builder.binary(BinaryOperator::LogicalAnd, is_layered, differs)
}
