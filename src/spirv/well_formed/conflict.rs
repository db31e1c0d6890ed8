//! Decorations and execution modes that contradict each other or that their target cannot have (SPIR-V 1.6, sections
//! 3.6 and 3.20; Vulkan 1.3, `StandaloneSpirv`). GLSL has the same rules for its qualifiers, so they apply to OpenGL
//! too.
//!
//! A repeated decoration or mode with the same operands is accepted, as in Mesa.

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op, StorageClass};

use ir::stage::ShaderStage;

use crate::declarations::{Declarations, Decorations, INTERPOLATION, Variable, first_word};
use crate::refusal::Refusal;

/// Decorations that an id or a member may have only once.
const SINGLE: [Decoration; 13] = [
    Decoration::Location,
    Decoration::Component,
    Decoration::Index,
    Decoration::Binding,
    Decoration::DescriptorSet,
    Decoration::Offset,
    Decoration::XfbBuffer,
    Decoration::XfbStride,
    Decoration::Stream,
    Decoration::ArrayStride,
    Decoration::MatrixStride,
    Decoration::BuiltIn,
    Decoration::SpecId,
];

/// Sets of decorations of which an id or a member may have at most one. Matrix orders are compared where blocks are
/// read.
const EXCLUSIVE: [[Decoration; 2]; 4] = [
    [Decoration::Flat, Decoration::NoPerspective],
    [Decoration::Block, Decoration::BufferBlock],
    // StandaloneSpirv-Location-04915
    [Decoration::BuiltIn, Decoration::Location],
    [Decoration::BuiltIn, Decoration::Component],
];

/// Sets of execution modes of which an entry point may have at most one.
const EXCLUSIVE_MODES: [&[ExecutionMode]; 3] = [
    &[ExecutionMode::OriginUpperLeft, ExecutionMode::OriginLowerLeft],
    &[ExecutionMode::DepthGreater, ExecutionMode::DepthLess, ExecutionMode::DepthUnchanged],
    &[ExecutionMode::LocalSize, ExecutionMode::LocalSizeId],
];

/// Checks that the execution modes of an entry point do not contradict each other.
pub(crate) fn check_modes(module: &Module, entry: u32) -> Result<(), Refusal> {
    let own = |mode: &&Instruction| mode.operands.first() == Some(&Operand::IdRef(entry));
    let mut seen: Vec<(ExecutionMode, &[Operand])> = Vec::new();
    for mode in module.execution_modes.iter().filter(own) {
        let [_, Operand::ExecutionMode(mode), operands @ ..] = mode.operands.as_slice() else {
            continue;
        };
        for (other, others) in &seen {
            let is_excluded =
                EXCLUSIVE_MODES.iter().any(|set| set.contains(mode) && set.contains(other));
            let message = if other == mode && *others != operands {
                format!("the execution mode {mode:?} is given twice with different operands")
            } else if other != mode && is_excluded {
                format!("the execution modes {other:?} and {mode:?} exclude each other")
            } else {
                continue;
            };
            return Err(Refusal::Wrong(entry, message));
        }
        seen.push((*mode, operands));
    }
    Ok(())
}

/// Checks that the decorations of each id and each member do not contradict each other.
pub(crate) fn check_decorations(declarations: &Declarations) -> Result<(), Refusal> {
    for (id, decorations) in declarations.decorated() {
        let shown = || declarations.shown(id);
        check_one(decorations).map_err(|message| wrong(id, &shown(), &message))?;
    }
    for ((ty, member), decorations) in declarations.decorated_members() {
        let shown = || format!("member {member} of {}", declarations.shown(ty));
        check_one(decorations).map_err(|message| wrong(ty, &shown(), &message))?;
    }
    Ok(())
}

fn check_one(decorations: &Decorations) -> Result<(), String> {
    for decoration in SINGLE {
        let mut values = decorations.numbers(decoration);
        let first = values.next();
        if let Some(other) = values.find(|value| Some(*value) != first) {
            let first = first.unwrap_or(0);
            return Err(format!("has {decoration:?} {first} and {decoration:?} {other}"));
        }
    }
    match EXCLUSIVE.into_iter().find(|pair| pair.iter().all(|one| decorations.has(*one))) {
        Some([first, second]) => {
            Err(format!("has the decorations {first:?} and {second:?}, which exclude each other"))
        }
        None => Ok(()),
    }
}

fn wrong(id: u32, shown: &str, message: &str) -> Refusal {
    Refusal::Wrong(id, format!("{shown} {message}"))
}

/// An input or output that the entry point reaches.
pub(crate) struct External<'a> {
    pub(crate) stage: ShaderStage,
    pub(crate) declarations: &'a Declarations,
    pub(crate) variable: Variable,
}

impl External<'_> {
    /// Checks the interpolation of the variable, or of each member of its block.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let Self { declarations, variable, .. } = self;
        let (inner, _) = declarations.without_arrays(variable.ty);
        let own = declarations.decorations(variable.id);
        let shown = declarations.shown(variable.id);
        let Some((Op::TypeStruct, members)) = declarations.ty(inner) else {
            return self.check_part(&shown, variable.ty, &own);
        };
        let is_block = declarations.decorations(inner).has(Decoration::Block);
        for (idx, ty) in (0..).zip(members) {
            let member = declarations.member_decorations(inner, idx);
            let dropped = INTERPOLATION.iter().find(|one| member.has(**one) && !own.has(**one));
            if let (false, Some(decoration)) = (is_block, dropped) {
                let word = format!("the decoration {decoration:?} of a member of no block");
                return Err(Refusal::Unsupported(variable.id, word));
            }
            let name = declarations.member_name(inner, idx);
            self.check_part(&format!("{shown}, member `{name}`,"), ty, &member.within(&own))?;
        }
        Ok(())
    }

    /// Checks a variable or a member. `shown` names it at the start of messages.
    fn check_part(&self, shown: &str, ty: u32, own: &Decorations) -> Result<(), Refusal> {
        if own.has(Decoration::BuiltIn) {
            return Ok(());
        }
        check_one(own).map_err(|message| wrong(self.variable.id, shown, &message))?;
        let is_input = self.variable.class == StorageClass::Input;
        let outer = match (self.stage, is_input) {
            // StandaloneSpirv-Flat-06202 and 06201
            (ShaderStage::Vertex, true) => Some("an input of a vertex stage"),
            (ShaderStage::Fragment, false) => Some("an output of a fragment stage"),
            _ => None,
        };
        let interpolation = INTERPOLATION.into_iter().find(|one| own.has(*one));
        if let (Some(outer), Some(decoration)) = (outer, interpolation) {
            let message = format!("is {outer}, which cannot have the decoration {decoration:?}");
            return Err(wrong(self.variable.id, shown, &message));
        }
        // StandaloneSpirv-Flat-04744
        let is_read = (self.stage, is_input) == (ShaderStage::Fragment, true);
        if is_read && !own.has(Decoration::Flat) && self.must_be_flat(ty) {
            let message = "has integers or 64-bit numbers, and must have the decoration Flat";
            return Err(wrong(self.variable.id, shown, message));
        }
        Ok(())
    }

    /// True if the type contains an integer or a 64-bit number. The caller guarantees a limited nesting depth.
    fn must_be_flat(&self, ty: u32) -> bool {
        let Some((op, operands)) = self.declarations.ty(ty) else { return false };
        match op {
            Op::TypeInt => true,
            Op::TypeFloat => operands.first() == Some(&64),
            Op::TypeStruct => operands.iter().any(|member| self.must_be_flat(*member)),
            Op::TypeVector | Op::TypeMatrix | Op::TypeArray => {
                operands.first().is_some_and(|element| self.must_be_flat(*element))
            }
            _ => false,
        }
    }
}

/// Checks that no code writes a depth in an entry point without `DepthReplacing` (SPIR-V 1.6, 3.6;
/// FragDepth-FragDepth-04216).
pub(crate) fn check_depth(module: &Module, declarations: &Declarations) -> Result<(), Refusal> {
    let code = || module.functions.iter().flat_map(Function::all_inst_iter);
    let is_written = |variable: &&Variable| {
        let is_it = |operand: &Operand| *operand == Operand::IdRef(variable.id);
        let writes = |one: &Instruction| one.class.opcode != Op::Load;
        code().any(|one| writes(one) && one.operands.iter().any(is_it))
    };
    let is_depth = |variable: &&Variable| {
        let own = declarations.decorations(variable.id);
        variable.class == StorageClass::Output && own.builtin() == Some(BuiltIn::FragDepth)
    };
    let mut depths = declarations.variables.iter().filter(is_depth);
    depths.find(is_written).map_or(Ok(()), |depth| {
        let message = "FragDepth is written without the execution mode DepthReplacing".to_owned();
        Err(Refusal::Wrong(depth.id, message))
    })
}

/// Checks that every decoration and execution mode has a target that exists (SPIR-V 1.6, 3.32.3 and 3.32.5). The error
/// is the id at fault and the message.
pub(crate) fn check_targets(
    module: &Module,
    is_known: impl Fn(u32) -> bool,
) -> Result<(), (u32, String)> {
    for mode in &module.execution_modes {
        let target = mode.operands.first().map_or(0, first_word);
        let mut entries = module.entry_points.iter();
        if !entries.any(|entry| entry.operands.get(1) == Some(&Operand::IdRef(target))) {
            return Err((
                target,
                "an execution mode is of an id that is no entry point".to_owned(),
            ));
        }
    }
    for annotation in &module.annotations {
        let name = annotation.class.opname;
        let members = match annotation.class.opcode {
            Op::MemberDecorate | Op::MemberDecorateString => annotation.operands.get(..2),
            Op::GroupMemberDecorate => annotation.operands.get(1..),
            _ => None,
        };
        let ids: Vec<u32> = match annotation.class.opcode {
            Op::GroupDecorate | Op::GroupMemberDecorate => {
                annotation.operands.iter().filter_map(Operand::id_ref_any).collect()
            }
            Op::DecorationGroup => Vec::new(),
            _ => annotation.operands.first().map(first_word).into_iter().collect(),
        };
        if let Some(id) = ids.into_iter().find(|id| !is_known(*id)) {
            return Err((id, format!("Op{name} is of an id that nothing declares")));
        }
        for place in members.unwrap_or(&[]).chunks(2) {
            let [ty, member] = [0, 1].map(|idx| place.get(idx).map_or(0, first_word));
            if member >= member_count(module, ty) {
                return Err((ty, format!("Op{name} is of member {member}, which is not there")));
            }
        }
    }
    Ok(())
}

/// Number of members of a struct type; 0 for anything else.
fn member_count(module: &Module, ty: u32) -> u32 {
    let known = module.types_global_values.iter().find(|one| one.result_id == Some(ty));
    let known = known.filter(|one| one.class.opcode == Op::TypeStruct);
    known.map_or(0, |one| u32::try_from(one.operands.len()).unwrap_or(u32::MAX))
}
