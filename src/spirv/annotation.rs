//! Execution modes and decorations of a module, compared with the tables of [`word`](super::word).
//!
//! Decorations of ids that the entry point does not reach (variables, functions and results of another stage) are not
//! checked: they belong to another entry point.

use std::collections::BTreeSet;

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{ExecutionMode, Op, StorageClass};

use ir::stage::ShaderStage;
use ir::treatment::Treatment;

use super::Conventions;
use super::declarations::{Declarations, Variable, first_word};
use super::refusal::Refusal;
use super::role::Role;
use super::usage::UsageTable;
use super::well_formed::conflict;
use super::word::{self, Site};

/// Writes `OpExecutionModeId`, which rspirv's reader does not know, as `OpExecutionMode`. This loses nothing: the mode
/// itself determines that its operands are ids.
pub(super) fn with_plain_modes(words: &[u32]) -> Vec<u32> {
    const HEADER: usize = 5;
    let mut words = words.to_vec();
    let mut at = HEADER;
    while let Some(word) = words.get_mut(at) {
        let length = (*word >> 16) as usize;
        if *word & 0xffff == Op::ExecutionModeId as u32 {
            *word = *word & 0xffff_0000 | Op::ExecutionMode as u32;
        }
        at += length.max(1);
    }
    words
}

/// Copies the decorations of each decoration group to the members of the group, and removes the groups.
pub(super) fn ungroup(module: &mut Module) {
    let annotations = std::mem::take(&mut module.annotations);
    let (groups, all): (Vec<_>, Vec<_>) =
        annotations.into_iter().partition(|one| one.class.opcode == Op::DecorationGroup);
    let groups: BTreeSet<u32> = groups.iter().filter_map(|group| group.result_id).collect();
    let target = |one: &Instruction| one.operands.first().map_or(0, first_word);
    let (of_groups, all): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|one| groups.contains(&target(one)) && !is_group(one));
    for one in all {
        if !is_group(&one) {
            module.annotations.push(one);
            continue;
        }
        let own: Vec<_> =
            of_groups.iter().filter(|decoration| target(decoration) == target(&one)).collect();
        let step = if one.class.opcode == Op::GroupMemberDecorate { 2 } else { 1 };
        for place in one.operands.get(1..).unwrap_or(&[]).chunks(step) {
            module.annotations.extend(own.iter().map(|decoration| regrouped(decoration, place)));
        }
    }
}

const fn is_group(instruction: &Instruction) -> bool {
    matches!(instruction.class.opcode, Op::GroupDecorate | Op::GroupMemberDecorate)
}

/// The decoration of a group, applied to `place`: an id, or an id and the number of a member.
fn regrouped(decoration: &Instruction, place: &[Operand]) -> Instruction {
    let opcode = match (place.len(), decoration.class.opcode) {
        (1, opcode) => opcode,
        (_, Op::DecorateString) => Op::MemberDecorateString,
        (_, _) => Op::MemberDecorate,
    };
    let own = decoration.operands.get(1..).unwrap_or(&[]);
    let operands = place.iter().chain(own).cloned().collect();
    Instruction::new(opcode, None, None, operands)
}

/// The execution modes of an entry point.
pub(super) fn modes(module: &Module, entry: u32) -> impl Iterator<Item = ExecutionMode> {
    module.execution_modes.iter().filter_map(move |mode| match mode.operands.as_slice() {
        [Operand::IdRef(function), Operand::ExecutionMode(mode), ..] if *function == entry => {
            Some(*mode)
        }
        _ => None,
    })
}

/// Checks the execution modes of an entry point.
pub(super) fn check_modes(
    module: &Module,
    entry: u32,
    stage: ShaderStage,
    conventions: Conventions,
) -> Result<(), Refusal> {
    for mode in modes(module, entry) {
        let row = word::of_mode(mode);
        let is_wrong = row.is_some_and(|row| !row.stages.contains(&stage));
        // In Vulkan the origin is the upper left corner, and pixel centres are at half-integers.
        let is_of_opengl =
            matches!(mode, ExecutionMode::OriginLowerLeft | ExecutionMode::PixelCenterInteger);
        if is_wrong {
            let message = format!("the execution mode {mode:?} is not allowed in this stage");
            return Err(Refusal::Wrong(entry, message));
        }
        if is_of_opengl && conventions == Conventions::Vulkan {
            let message = format!("the execution mode {mode:?} is not allowed in Vulkan");
            return Err(Refusal::Wrong(entry, message));
        }
        if row.is_none_or(|row| row.treatment == Treatment::Unsupported) {
            return Err(Refusal::Unsupported(entry, format!("the execution mode {mode:?}")));
        }
    }
    conflict::check_modes(module, entry)
}

/// Checks the decorations of everything that an entry point reaches.
pub(super) fn check_decorations(
    module: &Module,
    entry: u32,
    stage: ShaderStage,
    declarations: &Declarations,
    usage: &UsageTable,
) -> Result<(), Refusal> {
    let sites = Sites::new(module, entry, declarations, usage);
    for annotation in &module.annotations {
        let target = annotation.operands.first().map_or(0, first_word);
        let is_member =
            matches!(annotation.class.opcode, Op::MemberDecorate | Op::MemberDecorateString);
        let site = if is_member { Some(sites.of_member(target)) } else { sites.of(target) };
        let decoration = annotation.operands.iter().find_map(|operand| match operand {
            Operand::Decoration(decoration) => Some(*decoration),
            _ => None,
        });
        let (Some(site), Some(decoration)) = (site, decoration) else { continue };
        if word::of_decoration(decoration, site) == Treatment::Unsupported {
            let word = format!("the decoration {decoration:?} of {}", site.described());
            return Err(Refusal::Unsupported(target, word));
        }
    }
    conflict::check_decorations(declarations)?;
    for variable in &declarations.variables {
        let is_external = matches!(variable.class, StorageClass::Input | StorageClass::Output);
        if is_external && sites.of(variable.id).is_some() {
            conflict::External { stage, declarations, variable: *variable }.check()?;
        }
    }
    if modes(module, entry).any(|mode| mode == ExecutionMode::DepthReplacing) {
        return Ok(());
    }
    conflict::check_depth(module, declarations)
}

/// The site of every id that the entry point reaches.
struct Sites<'a> {
    declarations: &'a Declarations,
    usage: &'a UsageTable,
    /// The variables that the entry point lists.
    interface: BTreeSet<u32>,
    functions: BTreeSet<u32>,
    parameters: BTreeSet<u32>,
    locals: BTreeSet<u32>,
    values: BTreeSet<u32>,
}

impl<'a> Sites<'a> {
    fn new(
        module: &Module,
        entry: u32,
        declarations: &'a Declarations,
        usage: &'a UsageTable,
    ) -> Self {
        let own = |point: &&Instruction| point.operands.get(1) == Some(&Operand::IdRef(entry));
        let interface = module.entry_points.iter().find(own);
        let interface = interface.map_or(&[][..], |point| point.operands.get(3..).unwrap_or(&[]));
        let mut sites = Self {
            declarations,
            usage,
            interface: interface.iter().map(first_word).collect(),
            functions: BTreeSet::new(),
            parameters: BTreeSet::new(),
            locals: BTreeSet::new(),
            values: BTreeSet::new(),
        };
        for instruction in module.functions.iter().flat_map(Function::all_inst_iter) {
            let Some(id) = instruction.result_id else { continue };
            let ids = match instruction.class.opcode {
                Op::Function => &mut sites.functions,
                Op::FunctionParameter => &mut sites.parameters,
                Op::Variable => &mut sites.locals,
                _ => &mut sites.values,
            };
            ids.insert(id);
        }
        sites
    }

    /// The site of the members of the struct `id`.
    fn of_member(&self, id: u32) -> Site {
        let mut variables = self.declarations.variables.iter();
        let is_interface = variables.any(|variable| {
            matches!(variable.class, StorageClass::Input | StorageClass::Output)
                && self.declarations.without_arrays(variable.ty).0 == id
        });
        if is_interface { Site::InterfaceMember } else { Site::Member }
    }

    /// The site of `id`; `None` if the entry point does not reach it.
    fn of(&self, id: u32) -> Option<Site> {
        if let Some(variable) = self.declarations.variables.iter().find(|one| one.id == id) {
            let is_reached = self.usage.is_used(id) || self.interface.contains(&id);
            return is_reached.then(|| self.of_variable(*variable));
        }
        if let Some(value) = self.declarations.value(id) {
            return Some(match value.class.opcode {
                Op::TypeStruct => Site::Struct,
                Op::TypeArray | Op::TypeRuntimeArray => Site::Array,
                Op::TypePointer => Site::Pointer,
                _ if value.class.opname.starts_with("Type") => Site::Type,
                _ => Site::Constant,
            });
        }
        let sets = [
            (&self.functions, Site::Function),
            (&self.parameters, Site::Parameter),
            (&self.locals, Site::Local),
            (&self.values, Site::Value),
        ];
        sets.into_iter().find(|(ids, _)| ids.contains(&id)).map(|(_, site)| site)
    }

    fn of_variable(&self, variable: Variable) -> Site {
        match variable.class {
            StorageClass::Input => Site::Input,
            StorageClass::Output => Site::Output,
            StorageClass::Private | StorageClass::Workgroup => Site::Private,
            StorageClass::AtomicCounter => Site::Counter,
            _ => match Role::of(self.declarations, variable) {
                Ok(Role::LooseUniform) => Site::LooseUniform,
                Ok(Role::UniformBlock | Role::StorageBlock) => Site::Block,
                _ => Site::Texture,
            },
        }
    }
}

impl Site {
    const fn described(self) -> &'static str {
        match self {
            Self::Input => "an input",
            Self::Output => "an output",
            Self::Block => "a block",
            Self::Texture => "a texture, sampler or image",
            Self::LooseUniform => "a uniform",
            Self::Counter => "an atomic counter",
            Self::Private => "a private variable",
            Self::Struct => "a struct",
            Self::InterfaceMember => "a member of an input or output",
            Self::Member => "a member",
            Self::Array => "an array type",
            Self::Pointer => "a pointer type",
            Self::Type => "a type",
            Self::Constant => "a constant",
            Self::Function => "a function",
            Self::Parameter => "a parameter",
            Self::Local => "a local variable",
            Self::Value => "a value",
        }
    }
}
