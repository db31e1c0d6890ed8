//! Declarations of a module: names, decorations, types, constants, variables. naga drops most of them.

use std::collections::BTreeMap;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};

/// Decorations of one id or of one member.
#[derive(Clone, Debug, Default)]
pub(super) struct Decorations(Vec<(Decoration, Vec<u32>)>);

impl Decorations {
    pub(super) fn has(&self, decoration: Decoration) -> bool {
        self.0.iter().any(|(known, _)| *known == decoration)
    }

    /// The operand of the decoration, if the decoration is there and has a number as its operand.
    pub(super) fn number(&self, decoration: Decoration) -> Option<u32> {
        let (_, operands) = self.0.iter().find(|(known, _)| *known == decoration)?;
        operands.first().copied()
    }

    /// The operands of all decorations of this kind.
    pub(super) fn numbers(&self, decoration: Decoration) -> impl Iterator<Item = u32> {
        let own = self.0.iter().filter(move |(known, _)| *known == decoration);
        own.filter_map(|(_, operands)| operands.first().copied())
    }

    /// Adds to a member's decorations the interpolation decorations of its variable.
    pub(super) fn within(mut self, variable: &Self) -> Self {
        let outer = variable.0.iter().filter(|(decoration, _)| INTERPOLATION.contains(decoration));
        self.0.extend(outer.cloned());
        self
    }

    pub(super) fn builtin(&self) -> Option<BuiltIn> {
        BuiltIn::from_u32(self.number(Decoration::BuiltIn)?)
    }
}

/// Decorations that determine how a variable is interpolated.
pub(super) const INTERPOLATION: [Decoration; 4] =
    [Decoration::Flat, Decoration::NoPerspective, Decoration::Sample, Decoration::Centroid];

/// A variable at module scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) id: u32,
    /// Pointee of its pointer type.
    pub(super) ty: u32,
    pub(super) class: StorageClass,
    pub(super) initializer: Option<u32>,
}

/// Tables of the declarations.
#[derive(Clone, Debug, Default)]
pub(super) struct Declarations {
    names: BTreeMap<u32, String>,
    member_names: BTreeMap<(u32, u32), String>,
    decorations: BTreeMap<u32, Decorations>,
    member_decorations: BTreeMap<(u32, u32), Decorations>,
    /// Types, constants and undefined values by their id.
    values: BTreeMap<u32, Instruction>,
    /// Variables in the module's order.
    pub(super) variables: Vec<Variable>,
    /// Nesting depth and number of 32-bit components of every type, which limit recursion.
    extents: BTreeMap<u32, (u32, u32)>,
}

impl Declarations {
    pub(super) fn of(module: &Module) -> Self {
        let mut all = Self::default();
        for instruction in &module.debug_names {
            all.add_name(instruction);
        }
        for instruction in &module.annotations {
            all.add_decoration(instruction);
        }
        for instruction in &module.types_global_values {
            all.add_value(instruction);
        }
        all
    }

    fn add_name(&mut self, instruction: &Instruction) {
        match (instruction.class.opcode, instruction.operands.as_slice()) {
            (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) if !name.is_empty() => {
                self.names.insert(*id, name.clone());
            }
            (
                Op::MemberName,
                [Operand::IdRef(id), Operand::LiteralBit32(member), Operand::LiteralString(name)],
            ) if !name.is_empty() => {
                self.member_names.insert((*id, *member), name.clone());
            }
            _ => {}
        }
    }

    fn add_decoration(&mut self, instruction: &Instruction) {
        let numbers = |operands: &[Operand]| operands.iter().map(first_word).collect();
        match (instruction.class.opcode, instruction.operands.as_slice()) {
            (Op::Decorate, [Operand::IdRef(id), Operand::Decoration(decoration), rest @ ..]) => {
                let own = self.decorations.entry(*id).or_default();
                own.0.push((*decoration, numbers(rest)));
            }
            (
                Op::MemberDecorate,
                [
                    Operand::IdRef(id),
                    Operand::LiteralBit32(member),
                    Operand::Decoration(decoration),
                    rest @ ..,
                ],
            ) => {
                let own = self.member_decorations.entry((*id, *member)).or_default();
                own.0.push((*decoration, numbers(rest)));
            }
            _ => {}
        }
    }

    fn add_value(&mut self, instruction: &Instruction) {
        let Some(id) = instruction.result_id else { return };
        if instruction.class.opcode == Op::Variable {
            let pointer = instruction.result_type.unwrap_or(0);
            let class = match instruction.operands.first() {
                Some(Operand::StorageClass(class)) => *class,
                _ => return,
            };
            let initializer = instruction.operands.get(1).map(first_word);
            let ty = self.pointee(pointer).unwrap_or(0);
            self.variables.push(Variable { id, ty, class, initializer });
            return;
        }
        let extent = self.extent_of(instruction);
        self.extents.insert(id, extent);
        self.values.insert(id, instruction.clone());
    }

    fn extent_of(&self, instruction: &Instruction) -> (u32, u32) {
        let of = |idx: usize| {
            let id = instruction.operands.get(idx).map_or(0, first_word);
            self.extents.get(&id).copied().unwrap_or((0, 1))
        };
        match instruction.class.opcode {
            Op::TypeVector | Op::TypeMatrix => {
                let ((depth, count), length) =
                    (of(0), instruction.operands.get(1).map_or(1, first_word));
                (depth + 1, count.saturating_mul(length))
            }
            Op::TypeArray => {
                let ((depth, count), length) = (of(0), instruction.operands.get(1));
                let length =
                    length.and_then(|length| self.integer(first_word(length))).unwrap_or(1);
                (depth + 1, count.saturating_mul(length))
            }
            Op::TypeRuntimeArray => (of(0).0 + 1, of(0).1),
            Op::TypeStruct => {
                (0..instruction.operands.len()).fold((1, 1), |(depth, count), idx| {
                    let (member_depth, member_count) = of(idx);
                    (depth.max(member_depth + 1), count.saturating_add(member_count))
                })
            }
            Op::TypeFloat | Op::TypeInt => {
                (0, instruction.operands.first().map_or(1, first_word).div_ceil(32))
            }
            _ => (0, 1),
        }
    }

    /// The first type that is too deep or has too many components for recursive passes.
    pub(super) fn first_oversized(&self) -> Option<u32> {
        const MAX_DEPTH: u32 = 64;
        const MAX_COMPONENTS: u32 = 1 << 20;
        let is_oversized =
            |(depth, count): &(u32, u32)| *depth > MAX_DEPTH || *count > MAX_COMPONENTS;
        self.extents.iter().find(|(_, extent)| is_oversized(extent)).map(|(id, _)| *id)
    }

    /// Width of a number with fewer than 32 bits in the type, if it contains one. The caller guarantees a limited
    /// nesting depth.
    pub(super) fn narrow_width(&self, ty: u32) -> Option<u32> {
        let (op, operands) = self.ty(ty)?;
        match op {
            Op::TypeInt | Op::TypeFloat => operands.first().copied().filter(|width| *width < 32),
            Op::TypeStruct => operands.iter().find_map(|member| self.narrow_width(*member)),
            Op::TypeVector | Op::TypeMatrix | Op::TypeArray | Op::TypeRuntimeArray => {
                self.narrow_width(*operands.first()?)
            }
            _ => None,
        }
    }

    /// Nesting depth of the type, and its approximate number of components.
    pub(super) fn extent(&self, ty: u32) -> (u32, u32) {
        self.extents.get(&ty).copied().unwrap_or((0, 1))
    }

    pub(super) fn name(&self, id: u32) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }

    /// The member's name, or one made from its index.
    pub(super) fn member_name(&self, ty: u32, member: u32) -> String {
        let known = self.member_names.get(&(ty, member)).cloned();
        known.unwrap_or_else(|| format!("member{member}"))
    }

    pub(super) fn decorations(&self, id: u32) -> Decorations {
        self.decorations.get(&id).cloned().unwrap_or_default()
    }

    pub(super) fn member_decorations(&self, ty: u32, member: u32) -> Decorations {
        self.member_decorations.get(&(ty, member)).cloned().unwrap_or_default()
    }

    /// All decorated ids.
    pub(super) fn decorated(&self) -> impl Iterator<Item = (u32, &Decorations)> {
        self.decorations.iter().map(|(id, decorations)| (*id, decorations))
    }

    /// All decorated members: the struct type and the number.
    pub(super) fn decorated_members(&self) -> impl Iterator<Item = ((u32, u32), &Decorations)> {
        self.member_decorations.iter().map(|(member, decorations)| (*member, decorations))
    }

    /// Name of a variable or type in messages.
    pub(super) fn shown(&self, id: u32) -> String {
        let unnamed = if self.value(id).is_some() { "a type or constant" } else { "a variable" };
        self.name(id).map_or_else(|| unnamed.to_owned(), |name| format!("`{name}`"))
    }

    /// The instruction that declares a type or constant.
    pub(super) fn value(&self, id: u32) -> Option<&Instruction> {
        self.values.get(&id)
    }

    /// Opcode and operands of a type.
    pub(super) fn ty(&self, id: u32) -> Option<(Op, Vec<u32>)> {
        let instruction = self.value(id)?;
        Some((instruction.class.opcode, instruction.operands.iter().map(first_word).collect()))
    }

    /// Pointee of a pointer type.
    pub(super) fn pointee(&self, pointer: u32) -> Option<u32> {
        let instruction = self.value(pointer)?;
        let is_pointer = instruction.class.opcode == Op::TypePointer;
        is_pointer.then(|| instruction.operands.get(1).map(first_word))?
    }

    /// Value of a 32-bit integer constant.
    pub(super) fn integer(&self, id: u32) -> Option<u32> {
        let instruction = self.value(id)?;
        let is_constant = instruction.class.opcode == Op::Constant;
        match instruction.operands.first() {
            Some(Operand::LiteralBit32(value)) if is_constant => Some(*value),
            _ => None,
        }
    }

    /// The type inside all array dimensions, and their lengths from the outermost.
    pub(super) fn without_arrays(&self, mut ty: u32) -> (u32, Vec<u32>) {
        let mut lengths = Vec::new();
        while let Some((Op::TypeArray, operands)) = self.ty(ty) {
            let (Some(element), Some(length)) = (operands.first(), operands.get(1)) else { break };
            lengths.push(self.integer(*length).unwrap_or(1));
            ty = *element;
        }
        (ty, lengths)
    }
}

/// The operand as a number; 0 for a string.
pub(super) fn first_word(operand: &Operand) -> u32 {
    let mut words = Vec::new();
    rspirv::binary::Assemble::assemble_into(operand, &mut words);
    words.first().copied().unwrap_or(0)
}
