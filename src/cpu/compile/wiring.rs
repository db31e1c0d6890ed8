//! Compiles wired stages: the user's `main`, whose inputs and outputs are private globals, with the caller's description
//! of how values come into these globals and leave them.

use ir::layout::BlockLayout;
use naga::{Binding, BuiltIn, Function, GlobalVariable, Handle, Module, ResourceBinding, Scalar};

use super::expression::Vector;
use super::fixed::Planes;
use super::function::FunctionCompiler;
use super::words::{Layout, elements, member_offset};
use super::{Compiler, NotImplemented, Result, not_implemented};
use crate::code::{Address, Code, Node, Op, Port, Register, Shared, SharedPort};
use arithmetic::{BinaryFunction, Kind, Operand, UnaryFunction};

/// Part of a private global.
#[derive(Clone, Debug)]
pub struct Part {
    /// The private global.
    pub global: Handle<GlobalVariable>,
    /// Indices of members and elements from the global to the part.
    pub path: Vec<u32>,
    /// Offset in words from the end of the path.
    pub word: usize,
}

/// A scalar or vector that is an input or output of a stage.
#[derive(Clone, Debug)]
pub struct Wire {
    /// Source of an input's value, or destination of an output's.
    pub binding: Binding,
    /// Type of each component.
    pub scalar: Scalar,
    /// Number of components.
    pub components: usize,
    /// The part of a private global that holds the value.
    pub part: Part,
}

/// Consecutive words that are read from a uniform buffer.
#[derive(Clone, Debug)]
pub struct UniformWire {
    /// The buffer.
    pub buffer: ResourceBinding,
    /// Offsets of the words in the buffer, in words.
    pub words: Vec<u32>,
    /// For each word, true if it is a boolean, for which any number except 0 is true.
    pub are_booleans: Vec<bool>,
    /// The part of a private global that the words are written to.
    pub part: Part,
}

/// A colour output of a fragment stage.
#[derive(Clone, Debug)]
pub struct ColorWire {
    /// Location of the output.
    pub binding: Binding,
    /// Type of each channel.
    pub scalar: Scalar,
    /// The words of private globals for the channels that are written.
    pub channels: [Option<Part>; 4],
}

/// A word of a uniform buffer.
#[derive(Clone, Copy, Debug)]
pub struct UniformWord {
    /// The buffer.
    pub buffer: ResourceBinding,
    /// Offset of the word in the buffer, in words.
    pub word: u32,
}

/// A part of the workgroup's variables that is an output of the stage.
#[derive(Clone, Debug)]
pub struct SharedWire {
    /// First word in the results to which the part is copied.
    pub word: usize,
    /// The part.
    pub part: Part,
    /// Number of words of the part.
    pub words: usize,
}

/// Clip distances of a vertex stage in addition to, or instead of, its own.
#[derive(Clone, Debug)]
pub struct ClipWire {
    /// The word with a bit for every enabled distance; disabled distances are 1.
    pub enables: UniformWord,
    /// Planes and the point that they are compared with, if the stage writes no distances.
    pub planes: Option<(Planes, Part)>,
}

/// All inputs and outputs of a stage.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    /// Inputs, except uniforms.
    pub inputs: Vec<Wire>,
    /// Outputs, except colours.
    pub outputs: Vec<Wire>,
    /// Colour outputs of a fragment stage.
    pub colors: Vec<ColorWire>,
    /// Uniforms.
    pub uniforms: Vec<UniformWire>,
    /// True for a vertex stage whose clip space has z from -w to w.
    pub has_gl_depth: bool,
    /// Clip distances. If absent, all distances that the stage writes are enabled.
    pub clip: Option<ClipWire>,
    /// Bits of words that are set before the user's code.
    pub preset: Vec<(Part, u32)>,
    /// Floats that are clamped to 0 to 1 after the user's code, with their numbers.
    pub clamped: Vec<(Part, usize)>,
    /// Height from which the y of the window position is subtracted.
    pub turned_at: Option<u32>,
    /// True if pixel centres have integer coordinates.
    pub has_whole_centres: bool,
    /// Unchanged outputs for transform feedback, after [`Self::outputs`].
    pub captured: Vec<Wire>,
    /// Parts of the workgroup's variables that are outputs.
    pub shared: Vec<SharedWire>,
    /// Functions that a geometry stage calls to emit its outputs.
    pub emission: Option<EmissionWiring>,
    /// Layouts of buffers that differ from those of their types.
    pub layouts: Vec<(Handle<GlobalVariable>, BlockLayout)>,
}

/// Functions that a geometry stage calls.
#[derive(Clone, Debug)]
pub struct EmissionWiring {
    /// Emits a vertex of the stream that its argument names.
    pub emit: Handle<Function>,
    /// Ends the strip of the stream that its argument names.
    pub end: Handle<Function>,
    /// Vertices that one invocation may emit.
    pub max_vertices: u32,
}

/// Compiles the function `main` of a module with the inputs and outputs of `wiring`.
///
/// # Errors
/// The message names the feature that is not implemented.
pub(crate) fn compile_wired<'a>(
    module: &'a Module,
    main: Handle<Function>,
    wiring: &'a Wiring,
    workgroup_size: [u32; 3],
) -> std::result::Result<Code, NotImplemented> {
    let function = &module.functions[main];
    let mut compiler = Compiler::new(module, function)?;
    compiler.code.workgroup_size = workgroup_size;
    let layouts = wiring.layouts.iter().map(|(global, layout)| (*global, layout));
    compiler.layouts = layouts.collect();
    compiler.emission = Some(wiring).filter(|wiring| wiring.emission.is_some());
    compiler.shared_memory()?;
    compiler.initialise_globals()?;
    wiring.uniforms.iter().try_for_each(|wire| compiler.uniform(wire))?;
    wiring.inputs.iter().try_for_each(|wire| compiler.input(wire, wiring))?;
    wiring.preset.iter().try_for_each(|(part, bits)| compiler.preset(part, *bits))?;
    compiler.blocks.push(Vec::new());
    compiler.depth += 1;
    FunctionCompiler::new(&mut compiler, function, Vec::new(), None)?.body()?;
    compiler.depth -= 1;
    let body = compiler.blocks.pop().unwrap_or_default();
    compiler.block().push(Node::Call(body));
    compiler.leave(wiring)?;
    let drawn = compiler.code.outputs.len();
    if wiring.emission.is_none() {
        wiring.captured.iter().try_for_each(|wire| compiler.output(wire, wiring))?;
    }
    compiler.code.captured = compiler.code.outputs.split_off(drawn);
    wiring.shared.iter().try_for_each(|wire| compiler.shared(wire))?;
    Ok(compiler.finish())
}

impl Compiler<'_> {
    /// Adds the outputs of the stage, after the user's code.
    pub(super) fn leave(&mut self, wiring: &Wiring) -> Result<()> {
        for (part, words) in &wiring.clamped {
            let at = self.part(part)?;
            self.clamp_words(at, *words)?;
        }
        wiring.outputs.iter().try_for_each(|wire| self.output(wire, wiring))?;
        wiring.colors.iter().try_for_each(|wire| self.color(wire))?;
        if let Some(ClipWire { enables, planes: Some((planes, point)) }) = &wiring.clip {
            self.plane_distances(planes, point, *enables)?;
        }
        Ok(())
    }

    /// First register of a part of a private global.
    pub(super) fn part(&self, part: &Part) -> Result<Register> {
        let place = self.globals.get(&part.global).and_then(super::place::Place::register);
        let Some(at) = place else { return not_implemented("such variables") };
        Ok(at + self.offset(part)?)
    }

    /// Adds part of a workgroup variable to the outputs of the stage.
    fn shared(&mut self, wire: &SharedWire) -> Result<()> {
        let SharedWire { word, ref part, words } = *wire;
        let address = self.globals.get(&part.global).and_then(super::place::Place::address);
        let Some(Address { memory: Shared::Workgroup, offset, .. }) = address else {
            return not_implemented("such variables of a workgroup");
        };
        let at = offset as usize + self.offset(part)?;
        self.code.shared.push(SharedPort { word, at, words });
        Ok(())
    }

    /// Offset of a part from the start of its global, in words.
    fn offset(&self, part: &Part) -> Result<usize> {
        let mut offset = 0;
        let mut ty = self.module.global_variables[part.global].ty;
        for index in &part.path {
            let inner = &self.module.types[ty].inner;
            let step = match inner {
                naga::TypeInner::Struct { members, .. } => {
                    let Some(member) = members.get(*index as usize) else {
                        return not_implemented("such members");
                    };
                    ty = member.ty;
                    member_offset(self.module, members, *index as usize, Layout::Packed)?
                }
                naga::TypeInner::Array { base, .. } => {
                    ty = *base;
                    elements(self.module, inner, Layout::Packed)?.stride * index
                }
                _ => return not_implemented("such parts of variables"),
            };
            offset += step as usize;
        }
        Ok(offset + part.word)
    }

    fn uniform(&mut self, wire: &UniformWire) -> Result<()> {
        let to = self.part(&wire.part)?;
        let loaded = self.load_words(wire.buffer, &wire.words)?;
        let zero = Operand { at: self.word(0)?, step: 0 };
        for (word, is_boolean) in wire.are_booleans.iter().enumerate() {
            let from = loaded + word;
            let from = if *is_boolean {
                let operands = [Operand { at: from, step: 0 }, zero];
                self.binary(BinaryFunction::NotEqual, Kind::U32, operands, 1)?
            } else {
                from
            };
            self.emit_body(Op::Move { to: to + word, from, words: 1 })?;
        }
        Ok(())
    }

    /// Loads words of a uniform buffer into new registers.
    pub(super) fn load_words(
        &mut self,
        buffer: ResourceBinding,
        words: &[u32],
    ) -> Result<Register> {
        let resources = &mut self.code.resources;
        let known = resources.iter().position(|known| *known == buffer);
        let resource = known.unwrap_or_else(|| {
            resources.push(buffer);
            resources.len() - 1
        });
        let start = self.code.offsets.len();
        self.code.offsets.extend(words);
        let offsets = start..self.code.offsets.len();
        let to = self.allocate(words.len())?;
        let address = Address::words_of(Shared::Buffer(resource));
        self.push(Op::Load { to, address, offsets }, true)?;
        self.mark(to, words.len(), true);
        Ok(to)
    }

    /// Replaces disabled clip distances by 1.
    fn enabled(&mut self, at: Register, count: usize, enables: UniformWord) -> Result<Register> {
        let enables = self.load_words(enables.buffer, &[enables.word])?;
        let one = self.word(1.0_f32.to_bits())?;
        let mut distances = Vec::new();
        for plane in 0..count {
            let bit = self.word(1_u32.wrapping_shl(u32::try_from(plane).unwrap_or(u32::MAX)))?;
            let operand = |at| Operand { at, step: 0 };
            let operands = [operand(enables), operand(bit)];
            let masked = self.binary(BinaryFunction::And, Kind::U32, operands, 1)?;
            let to = self.allocate(1)?;
            let (condition, accept, reject) = (operand(masked), at + plane, one);
            let (words, count) = (1, 1);
            self.push(Op::Select { to, condition, accept, reject, words, count }, false)?;
            distances.push((to, 1));
        }
        self.compose(&distances)
    }

    fn input(&mut self, wire: &Wire, wiring: &Wiring) -> Result<()> {
        let to = self.part(&wire.part)?;
        let register = self.allocate(wire.components)?;
        let Wire { binding, scalar, components, .. } = wire.clone();
        let is_position = matches!(binding, Binding::BuiltIn(BuiltIn::Position { .. }));
        self.code.inputs.push(Port { binding, register, scalar, components });
        let from = if is_position { self.window_position(register, wiring)? } else { register };
        self.emit_body(Op::Move { to, from, words: wire.components })
    }

    /// The window position in the convention of the stage.
    fn window_position(&mut self, at: Register, wiring: &Wiring) -> Result<Register> {
        let part = |at| Vector { at, kind: Kind::F32, count: 1 };
        let [mut x, mut y] = [part(at), part(at + 1)];
        if let Some(height) = wiring.turned_at {
            #[expect(clippy::cast_precision_loss, reason = "targets are not that large")]
            let height = part(self.word((height as f32).to_bits())?);
            y = self.scalars(BinaryFunction::Subtract, height, y)?;
        }
        if wiring.has_whole_centres {
            let half = part(self.word(0.5_f32.to_bits())?);
            x = self.scalars(BinaryFunction::Subtract, x, half)?;
            y = self.scalars(BinaryFunction::Subtract, y, half)?;
        }
        self.compose(&[(x.at, 1), (y.at, 1), (at + 2, 2)])
    }

    pub(super) fn scalars(
        &mut self,
        function: BinaryFunction,
        left: Vector,
        right: Vector,
    ) -> Result<Vector> {
        let at = self.binary(function, left.kind, [left.operand(), right.operand()], 1)?;
        Ok(Vector { at, ..left })
    }

    pub(super) fn output(&mut self, wire: &Wire, wiring: &Wiring) -> Result<()> {
        let at = self.part(&wire.part)?;
        let Wire { binding, scalar, components, .. } = wire.clone();
        // Operations after the user's code have separate registers.
        let register = self.allocate(components)?;
        self.emit_body(Op::Move { to: register, from: at, words: components })?;
        let enables = wiring.clip.as_ref().map(|clip| clip.enables);
        let register = match (&binding, enables) {
            (Binding::BuiltIn(BuiltIn::Position { .. }), _) => {
                self.clip_position(register, wiring)?
            }
            (Binding::BuiltIn(BuiltIn::ClipDistances), Some(enables)) => {
                self.enabled(register, components, enables)?
            }
            _ => register,
        };
        self.code.outputs.push(Port { binding, register, scalar, components });
        Ok(())
    }

    fn preset(&mut self, part: &Part, bits: u32) -> Result<()> {
        let (to, from) = (self.part(part)?, self.word(bits)?);
        self.emit_body(Op::Move { to, from, words: 1 })
    }

    fn color(&mut self, wire: &ColorWire) -> Result<()> {
        let mut channels = [None; 4];
        for (channel, part) in channels.iter_mut().zip(&wire.channels) {
            *channel = part.as_ref().map(|part| self.part(part)).transpose()?;
        }
        let (binding, scalar) = (wire.binding.clone(), wire.scalar);
        let register = self.channels(channels, scalar)?;
        self.code.outputs.push(Port { binding, register, scalar, components: 4 });
        Ok(())
    }

    fn plane_distances(
        &mut self,
        planes: &Planes,
        point: &Part,
        enables: UniformWord,
    ) -> Result<()> {
        let at = self.part(point)?;
        let (distances, components) = (self.distances(at, planes)?, planes.words.len());
        let register = self.enabled(distances, components, enables)?;
        let binding = Binding::BuiltIn(BuiltIn::ClipDistances);
        self.code.outputs.push(Port { binding, register, scalar: Scalar::F32, components });
        Ok(())
    }

    /// The position in WebGPU's clip space, upside down: the first row in memory is GL's lowest.
    fn clip_position(&mut self, at: Register, wiring: &Wiring) -> Result<Register> {
        let part = |at| Vector { at, kind: Kind::F32, count: 1 };
        let y = self.unary(UnaryFunction::Negate, Kind::F32, [at + 1, 1])?;
        let z = if wiring.has_gl_depth {
            let sum = self.scalars(BinaryFunction::Add, part(at + 2), part(at + 3))?;
            let half = part(self.word(0.5_f32.to_bits())?);
            self.scalars(BinaryFunction::Multiply, sum, half)?.at
        } else {
            at + 2
        };
        self.compose(&[(at, 1), (y, 1), (z, 1), (at + 3, 1)])
    }
}
