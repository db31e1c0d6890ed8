//! Facts about functions and statements that decide which changes keep their meaning.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's expressions and statements have dozens of variants of which a few matter here"
)]

use naga::front::Typifier;
use naga::proc::{ResolveContext, TypeResolution};
use naga::{
    Arena, Block, Expression, Function, Handle, Module, SampleLevel, Statement, Type, TypeInner,
    UniqueArena,
};

use ir::operands::{Operand, blocks, of_block, of_expression};

/// Facts about the expressions of a function.
#[derive(Debug)]
pub(crate) struct Facts {
    types: Vec<TypeResolution>,
    constant: Vec<bool>,
    /// Number of uses of each expression by statements and by evaluated expressions.
    uses: Vec<usize>,
}

impl Facts {
    /// The facts about `function`; `None` if an expression has no type.
    pub(crate) fn of(module: &Module, function: &Function) -> Option<Self> {
        let locals = (&function.local_variables, &function.arguments);
        let context = ResolveContext::with_locals(module, locals.0, locals.1);
        let mut typifier = Typifier::new();
        let (mut types, mut constant) = (Vec::new(), Vec::new());
        for (handle, expression) in function.expressions.iter() {
            typifier.grow(handle, &function.expressions, &context).ok()?;
            types.push(typifier[handle].clone());
            let is_constant = is_constant(expression, &constant);
            constant.push(is_constant);
        }
        let mut uses = vec![0; types.len()];
        let mut used = |handle: Handle<Expression>| uses[handle.index()] += 1;
        each_use(&function.body, &function.expressions, &mut used);
        Some(Self { types, constant, uses })
    }

    /// Type of an expression.
    pub(crate) fn inner<'a>(
        &'a self,
        expression: Handle<Expression>,
        types: &'a UniqueArena<Type>,
    ) -> &'a TypeInner {
        self.types[expression.index()].inner_with(types)
    }

    /// Type of an expression, as naga resolves it.
    pub(crate) fn resolution(&self, expression: Handle<Expression>) -> &TypeResolution {
        &self.types[expression.index()]
    }

    /// True if the value of an expression is known before the stage runs.
    pub(crate) fn is_constant(&self, expression: Handle<Expression>) -> bool {
        self.constant[expression.index()]
    }

    /// The expressions that are evaluated in `statements` and used by others.
    pub(crate) fn escaping(
        &self,
        statements: &[Statement],
        expressions: &Arena<Expression>,
    ) -> Vec<Handle<Expression>> {
        let block = Block::from_vec(statements.to_vec());
        let mut inside = vec![0_usize; self.uses.len()];
        let mut used = |handle: Handle<Expression>| inside[handle.index()] += 1;
        each_use(&block, expressions, &mut used);
        let evaluated = evaluated(&block).into_iter();
        evaluated.filter(|handle| self.uses[handle.index()] > inside[handle.index()]).collect()
    }
}

fn is_constant(expression: &Expression, known: &[bool]) -> bool {
    match expression {
        Expression::Literal(_)
        | Expression::Constant(_)
        | Expression::Override(_)
        | Expression::ZeroValue(_) => true,
        Expression::Compose { .. }
        | Expression::Splat { .. }
        | Expression::AccessIndex { .. }
        | Expression::Access { .. }
        | Expression::Swizzle { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Select { .. }
        | Expression::Relational { .. }
        | Expression::Math { .. }
        | Expression::As { .. } => {
            let mut copy = expression.clone();
            of_expression(&mut copy).into_iter().all(|operand| known[operand.index()])
        }
        _ => false,
    }
}

/// Calls `used` for each use of an expression by the statements of `block` and by what they evaluate.
fn each_use(
    block: &Block,
    expressions: &Arena<Expression>,
    used: &mut impl FnMut(Handle<Expression>),
) {
    let mut copy = block.clone();
    for operand in of_block(&mut copy) {
        match operand {
            Operand::Emitted(range) => {
                for handle in range.clone() {
                    let mut expression = expressions[handle].clone();
                    for operand in of_expression(&mut expression) {
                        used(*operand);
                    }
                }
            }
            Operand::Read(handle) | Operand::Stored(handle) => used(*handle),
            Operand::Result(_) => {}
        }
    }
}

/// The expressions whose values the statements of `block` compute, nested ones included.
fn evaluated(block: &Block) -> Vec<Handle<Expression>> {
    let mut copy = block.clone();
    let mut all = Vec::new();
    for operand in of_block(&mut copy) {
        match operand {
            Operand::Emitted(range) => all.extend(range.clone()),
            Operand::Result(handle) => all.push(*handle),
            Operand::Read(_) | Operand::Stored(_) => {}
        }
    }
    all
}

/// True if a variable can hold values of this type, and a function can take and return them.
pub(crate) fn is_storable(inner: &TypeInner, types: &UniqueArena<Type>) -> bool {
    match inner {
        TypeInner::Scalar(_) | TypeInner::Vector { .. } | TypeInner::Matrix { .. } => true,
        TypeInner::Array { base, size: naga::ArraySize::Constant(_), .. } => {
            is_storable(&types[*base].inner, types)
        }
        TypeInner::Struct { members, .. } => members
            .iter()
            .all(|member| member.binding.is_none() && is_storable(&types[member.ty].inner, types)),
        _ => false,
    }
}

/// True for numbers, booleans, and vectors of them.
pub(crate) const fn is_plain(inner: &TypeInner) -> bool {
    matches!(inner, TypeInner::Scalar(_) | TypeInner::Vector { .. })
}

/// The functions of a module whose invocations act together: by barriers, derivatives, textures that choose their level
/// by derivatives, or subgroup operations. They need the control flow that they have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collective {
    functions: Vec<bool>,
    /// True if any function acts together.
    pub(crate) is_anywhere: bool,
}

impl Collective {
    /// The functions of `module`.
    pub(crate) fn of(module: &Module) -> Self {
        let mut all = Self::default();
        for (_, function) in module.functions.iter() {
            let acts = all.acts_in(&function.body, &function.expressions);
            all.functions.push(acts);
            all.is_anywhere |= acts;
        }
        for entry in &module.entry_points {
            all.is_anywhere |= all.acts_in(&entry.function.body, &entry.function.expressions);
        }
        all
    }

    /// True if invocations act together in `statements`, or in functions that these call.
    pub(crate) fn acts_in(
        &self,
        statements: &[Statement],
        expressions: &Arena<Expression>,
    ) -> bool {
        statements.iter().any(|statement| match statement {
            Statement::Emit(range) => range.clone().any(|handle| acts(&expressions[handle])),
            Statement::Call { function, .. } => self.functions[function.index()],
            Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_)
            | Statement::WorkGroupUniformLoad { .. }
            | Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. }
            | Statement::CooperativeStore { .. }
            | Statement::RayQuery { .. }
            | Statement::RayPipelineFunction(_) => true,
            other => blocks(other).into_iter().any(|block| self.acts_in(block, expressions)),
        })
    }
}

/// True if the expression depends on other invocations.
const fn acts(expression: &Expression) -> bool {
    match expression {
        Expression::Derivative { .. }
        | Expression::CooperativeLoad { .. }
        | Expression::CooperativeMultiplyAdd { .. } => true,
        Expression::ImageSample { level, gather, .. } => {
            gather.is_none() && matches!(level, SampleLevel::Auto | SampleLevel::Bias(_))
        }
        _ => false,
    }
}

/// Jumps in a list of statements that leave the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a kind of jump of its own")]
pub(crate) struct Jumps {
    /// `break` of a loop or switch around the list.
    pub(crate) breaks: bool,
    /// `continue` of a loop around the list.
    pub(crate) continues: bool,
    /// `return`.
    pub(crate) returns: bool,
    /// `discard`.
    pub(crate) kills: bool,
    /// `return` inside a loop or switch of the list.
    pub(crate) returns_from_inside: bool,
}

impl Jumps {
    /// The jumps out of `statements`.
    pub(crate) fn of(statements: &[Statement]) -> Self {
        statements.iter().map(Self::of_statement).fold(Self::default(), Self::and)
    }

    fn of_statement(statement: &Statement) -> Self {
        let inside = || blocks(statement).into_iter().map(|block| Self::of(block));
        let all = inside().fold(Self::default(), Self::and);
        match statement {
            Statement::Break => Self { breaks: true, ..all },
            Statement::Continue => Self { continues: true, ..all },
            Statement::Return { .. } => Self { returns: true, ..all },
            Statement::Kill => Self { kills: true, ..all },
            Statement::Switch { .. } => {
                Self { breaks: false, returns_from_inside: all.returns, ..all }
            }
            Statement::Loop { .. } => {
                let returns_from_inside = all.returns;
                Self { breaks: false, continues: false, returns_from_inside, ..all }
            }
            _ => all,
        }
    }

    const fn and(self, other: Self) -> Self {
        Self {
            breaks: self.breaks || other.breaks,
            continues: self.continues || other.continues,
            returns: self.returns || other.returns,
            kills: self.kills || other.kills,
            returns_from_inside: self.returns_from_inside || other.returns_from_inside,
        }
    }
}

/// Number of statements and evaluated expressions, nested ones included.
pub(crate) fn size(statements: &[Statement]) -> usize {
    let of = |statement: &Statement| match statement {
        Statement::Emit(range) => range.clone().count(),
        other => 1 + blocks(other).into_iter().map(|block| size(block)).sum::<usize>(),
    };
    statements.iter().map(of).sum()
}
