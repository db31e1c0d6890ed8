//! Compiles stages to [`Code`].
//!
//! Calls are inlined, and composite values are taken apart. Everything that is not implemented is an error here, so a
//! run cannot encounter it.

mod access;
mod emission;
mod emit;
mod expression;
pub(crate) mod fixed;
mod function;
mod image;
mod limits;
mod math;
mod matrix;
mod place;
mod statement;
mod subgroup;
pub(crate) mod wiring;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use ir::layout::BlockLayout;
use naga::{
    AddressSpace, EntryPoint, Function, FunctionArgument, FunctionResult, GlobalVariable, Handle,
    Module, StructMember,
};

use crate::code::{Code, Node, Op, Port, Register};
use function::FunctionCompiler;
use place::Place;
use wiring::Wiring;
use words::words_of;

/// A feature that the executor does not implement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the executor has no {0}")]
pub struct NotImplemented(pub String);

/// Result of compiling part of a stage.
type Result<T> = std::result::Result<T, NotImplemented>;

fn not_implemented<T>(what: impl Into<String>) -> Result<T> {
    Err(NotImplemented(what.into()))
}

/// Maximum operations of a stage: calls are inlined, so a small program may become a large one.
const MAX_OPS: usize = 1 << 20;

/// Maximum registers of a stage.
const MAX_REGISTERS: usize = 1 << 22;

/// Compiles the entry point of a valid module, which must have exactly one.
///
/// # Errors
/// The message names the feature that is not implemented.
pub fn compile(module: &Module) -> Result<Code> {
    let [entry] = &module.entry_points[..] else {
        return not_implemented("modules without exactly one entry point");
    };
    let EntryPoint {
        name: _,
        stage: _,
        // Left to the caller: the code is the same with and without it.
        early_depth_test: _,
        workgroup_size,
        workgroup_size_overrides,
        function,
        mesh_info,
        task_payload,
        incoming_ray_payload,
    } = entry;
    if workgroup_size_overrides.is_some() {
        return not_implemented("overridable sizes of workgroups");
    }
    if mesh_info.is_some() || task_payload.is_some() || incoming_ray_payload.is_some() {
        return not_implemented("mesh stages and rays");
    }
    let mut compiler = Compiler::new(module, function)?;
    compiler.code.workgroup_size = workgroup_size.map(|size| size.max(1));
    compiler.entry(function)?;
    Ok(compiler.finish())
}

/// State of compiling a module.
struct Compiler<'a> {
    module: &'a Module,
    code: Code,
    /// By register, true if its value is the same in all runs.
    is_once: Vec<bool>,
    /// Registers of constants, by their words.
    constants: BTreeMap<u32, Register>,
    /// Places of the global variables that were used so far.
    globals: BTreeMap<Handle<GlobalVariable>, Place<'a>>,
    /// Layouts of buffers that differ from those of their types.
    layouts: BTreeMap<Handle<GlobalVariable>, &'a BlockLayout>,
    /// The wiring of a geometry stage.
    emission: Option<&'a Wiring>,
    /// Number of statements that may write each global variable.
    writes: BTreeMap<Handle<GlobalVariable>, usize>,
    /// Nodes of the blocks that are being compiled, from the outermost to the innermost.
    blocks: Vec<Vec<Node>>,
    /// Number of calls that are being inlined.
    depth: usize,
    /// Nesting depth of the blocks, calls and expressions that are being compiled.
    nesting: usize,
    /// Number of nodes so far.
    nodes: usize,
}

impl<'a> Compiler<'a> {
    fn new(module: &'a Module, entry: &'a Function) -> Result<Self> {
        limits::check(module, entry)?;
        let functions = module.functions.iter().map(|(_, function)| function);
        let mut writes = BTreeMap::new();
        for function in functions.chain([entry]) {
            place::count_writes(function, &function.body, &mut writes);
        }
        Ok(Self {
            module,
            code: Code { workgroup_size: [1; 3], ..Code::default() },
            is_once: Vec::new(),
            constants: BTreeMap::new(),
            globals: BTreeMap::new(),
            layouts: BTreeMap::new(),
            emission: None,
            writes,
            blocks: vec![Vec::new()],
            depth: 0,
            nesting: 0,
            nodes: 0,
        })
    }

    fn entry(&mut self, function: &'a Function) -> Result<()> {
        let mut arguments = Vec::new();
        for FunctionArgument { name: _, ty, binding } in &function.arguments {
            let at = self.allocate(words_of(self.module, *ty)?)?;
            let ports = self.ports(*ty, binding.as_ref(), at)?;
            self.code.inputs.extend(ports);
            arguments.push(function::Value::Registers(at));
        }
        let result = match &function.result {
            Some(FunctionResult { ty, binding }) => {
                let at = self.allocate(words_of(self.module, *ty)?)?;
                let ports = self.ports(*ty, binding.as_ref(), at)?;
                self.code.outputs.extend(ports);
                Some(at)
            }
            None => None,
        };
        self.shared_memory()?;
        self.initialise_globals()?;
        FunctionCompiler::new(self, function, arguments, result)?.body()
    }

    /// Ports of an argument or a result of the entry point: one for each scalar or vector.
    fn ports(
        &self,
        ty: Handle<naga::Type>,
        binding: Option<&naga::Binding>,
        at: Register,
    ) -> Result<Vec<Port>> {
        let inner = &self.module.types[ty].inner;
        if let (naga::TypeInner::Struct { members, .. }, None) = (inner, binding) {
            let mut ports = Vec::new();
            let mut at = at;
            // Registers are consecutive, whatever the offsets are.
            for StructMember { name: _, ty, binding, offset: _ } in members {
                ports.extend(self.ports(*ty, binding.as_ref(), at)?);
                at += words_of(self.module, *ty)?;
            }
            return Ok(ports);
        }
        let Some(binding) = binding.cloned() else {
            return not_implemented("inputs and outputs without a binding");
        };
        if let naga::Binding::Location { per_primitive: true, .. } = binding {
            return not_implemented("inputs and outputs for each primitive");
        }
        let (scalar, components) = match *inner {
            naga::TypeInner::Scalar(scalar) => (scalar, 1),
            naga::TypeInner::Vector { size, scalar } => (scalar, usize::from(size as u8)),
            naga::TypeInner::Array { base, size: naga::ArraySize::Constant(count), .. } => {
                match self.module.types[base].inner {
                    naga::TypeInner::Scalar(scalar) => (scalar, count.get() as usize),
                    _ => return not_implemented("inputs and outputs of such arrays"),
                }
            }
            _ => return not_implemented("inputs and outputs of this type"),
        };
        Ok(vec![Port { binding, register: at, scalar, components }])
    }

    /// Assigns places to the workgroup's variables.
    fn shared_memory(&mut self) -> Result<()> {
        for (handle, variable) in self.module.global_variables.iter() {
            if variable.space == AddressSpace::WorkGroup {
                let place = Place::workgroup(self.code.shared_words);
                self.code.shared_words += words_of(self.module, variable.ty)?;
                self.globals.insert(handle, place);
            }
        }
        Ok(())
    }

    /// Allocates the private variables, and sets them to their initial values.
    fn initialise_globals(&mut self) -> Result<()> {
        for (handle, variable) in self.module.global_variables.iter() {
            if variable.space != AddressSpace::Private {
                continue;
            }
            let words = words_of(self.module, variable.ty)?;
            let at = self.allocate(words)?;
            self.globals.insert(handle, Place::registers(at));
            match variable.init {
                Some(init) => {
                    let expressions = &self.module.global_expressions;
                    let from = self.constant(expressions, init)?;
                    self.emit_body(crate::code::Op::Move { to: at, from, words })?;
                }
                None => self.emit_body(Op::Zero { to: at, words })?,
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Code {
        self.code.registers = self.is_once.len();
        self.code.body = self.blocks.pop().unwrap_or_default();
        let private = |(handle, place): (&Handle<GlobalVariable>, &Place<'_>)| {
            place.register().map(|register| (*handle, register))
        };
        self.code.globals = self.globals.iter().filter_map(private).collect();
        let mut ops = self.code.once.iter().chain(&self.code.ops);
        self.code.has_rounding = ops.any(|op| {
            matches!(op, Op::Convert { from_kind, to_kind, .. }
                if from_kind.is_float() && !to_kind.is_float())
        });
        self.code
    }
}
