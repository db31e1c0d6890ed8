//! Makes programs smaller: leaves out statements, and replaces expressions by constants or by their operands.
//!
//! What guards an operation stays: a program that is defined stays defined.

mod unused;

use std::collections::{BTreeSet, HashSet};

use super::operation::Op;
use super::tree::{
    Argument, Atomic, Expression, Kind, Literal, Place, Program, Scalar, Stage, StageKind,
    Statement, Step, Type, Types, Value, Variable,
};

pub(super) use unused::without_unused;

/// What a cut changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Stages between the vertex and the fragment stage, captures, all draws but the first and an unusual spelling are left
    /// out.
    Parts,
    /// Statements inside this number of blocks are left out, or replaced by their blocks.
    Statements(usize),
    /// Parts of `switch` statements are left out.
    Arms,
    /// Expressions inside this number of others are replaced by ones.
    Ones(usize),
    /// Expressions inside this number of others are replaced by an expression inside them.
    Operands(usize),
}

/// Depth of blocks and of expressions that are cut.
const MOST_BLOCKS: usize = 6;
const MOST_OPERATIONS: usize = 20;

impl Layer {
    /// All layers, those of large parts first.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Parts];
        all.extend((0..MOST_BLOCKS).map(Self::Statements));
        all.push(Self::Arms);
        all.extend(
            (0..MOST_OPERATIONS).flat_map(|depth| [Self::Ones(depth), Self::Operands(depth)]),
        );
        all
    }
}

/// Number of possible cuts of a layer.
pub(super) fn count(program: &Program, layer: Layer) -> usize {
    cut_with(program, layer, &BTreeSet::new()).1
}

/// The program with these cuts of a layer, and without what nothing needs any more.
pub(super) fn cut(program: &Program, layer: Layer, chosen: &BTreeSet<usize>) -> Program {
    without_unused(cut_with(program, layer, chosen).0)
}

/// The program with ones in place of operations with these names, where that keeps it defined.
pub(super) fn without_operations(program: &Program, names: &BTreeSet<String>) -> Program {
    let named = |value: &Expression| super::features::name(value);
    let is_wanted = |value: &Expression| named(value).is_some_and(|name| names.contains(&name));
    Layer::all().into_iter().fold(program.clone(), |program, layer| {
        if !matches!(layer, Layer::Ones(_)) {
            return program;
        }
        let mut cutter = Cutter::new(layer, Wanted::Like(&is_wanted));
        let mut copy = program;
        cutter.program(&mut copy);
        copy
    })
}

/// The program with these cuts of a layer, and the number of possible cuts.
fn cut_with(program: &Program, layer: Layer, chosen: &BTreeSet<usize>) -> (Program, usize) {
    let mut cutter = Cutter::new(layer, Wanted::Numbers(chosen));
    let mut copy = program.clone();
    cutter.program(&mut copy);
    (copy, cutter.next)
}

/// How an expression may be replaced.
#[derive(Clone, Copy, Debug)]
struct Freedom {
    /// By ones.
    ones: bool,
    /// By an operand, as may all expressions inside it.
    operands: bool,
}

const FREE: Freedom = Freedom { ones: true, operands: true };
const GUARDED: Freedom = Freedom { ones: true, operands: false };
const FROZEN: Freedom = Freedom { ones: false, operands: false };

impl Freedom {
    const fn within(self, outer: Self) -> Self {
        Self { operands: self.operands && outer.operands, ..self }
    }
}

/// Operations whose operands are free.
#[rustfmt::skip]
const PLAIN: &[Op] = &[
    Op::Add, Op::Subtract, Op::Multiply, Op::Negate, Op::And, Op::Or, Op::Xor, Op::Complement, Op::Min, Op::Max, Op::Clamp,
    Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual, Op::Equal, Op::NotEqual, Op::LogicalAnd, Op::LogicalOr,
    Op::LogicalXor, Op::BothTrue, Op::EitherTrue, Op::LogicalNot, Op::Any, Op::All, Op::Select, Op::BitCount, Op::BitReverse,
    Op::LowestBit, Op::HighestBit, Op::LeadingZeros, Op::TrailingZeros, Op::Extract, Op::Insert, Op::DotSigned,
    Op::DotUnsigned, Op::PackSigned, Op::PackUnsigned, Op::PackSignedClamped, Op::PackUnsignedClamped, Op::UnpackSigned,
    Op::UnpackUnsigned, Op::Carry, Op::Borrow, Op::HighProduct, Op::UnpackUnorm, Op::UnpackTwoUnorm, Op::UnpackSnorm,
    Op::UnpackFourSnorm,
];

/// Operations with an operand that another operation guards, and that may be one.
#[rustfmt::skip]
const SAFE_FOR_ONES: &[Op] = &[
    Op::Divide, Op::Remainder, Op::ShiftLeft, Op::ShiftRight, Op::Abs, Op::Sign, Op::Floor, Op::Ceil, Op::Truncate,
    Op::Round, Op::Fract, Op::Step, Op::Fma, Op::Dot, Op::Cross, Op::Cast, Op::Bits, Op::PackHalf, Op::PackFourUnorm, Op::PackFourSnorm, Op::PackTwoUnorm,
    Op::PackTwoSnorm, Op::Saturate, Op::ToHalf, Op::Exponent,
    Op::Significand, Op::ModfWhole, Op::ModfFraction, Op::Scale, Op::TimesVector, Op::VectorTimes, Op::TimesMatrix,
    Op::TimesScalar, Op::MatrixSum, Op::MatrixDifference, Op::ByComponents, Op::Outer, Op::Transpose, Op::Determinant,
];

/// The freedom of an operand; `None` if it stays as it is.
fn of_operand(op: Op, number: usize) -> Option<Freedom> {
    if op == Op::Clamp && number > 0 {
        return None;
    }
    Some(if PLAIN.contains(&op) {
        FREE
    } else if SAFE_FOR_ONES.contains(&op) {
        GUARDED
    } else {
        FROZEN
    })
}

/// The cuts that are made.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    Numbers(&'a BTreeSet<usize>),
    /// Those of expressions for which the function is true.
    Like(&'a dyn Fn(&Expression) -> bool),
}

struct Cutter<'a> {
    layer: Layer,
    wanted: Wanted<'a>,
    /// Number of the next cut.
    next: usize,
    /// Variables that bound loops.
    limits: HashSet<Variable>,
}

impl<'a> Cutter<'a> {
    fn new(layer: Layer, wanted: Wanted<'a>) -> Self {
        Self { layer, wanted, next: 0, limits: HashSet::new() }
    }

    fn program(&mut self, program: &mut Program) {
        if self.layer == Layer::Parts {
            program.stages.retain(|stage| !stage.kind.is_middle() || !self.takes());
            if !program.has(StageKind::Evaluation) {
                program.stages.retain(|stage| stage.kind != StageKind::Control);
            }
            if !program.captured.is_empty() && self.takes() {
                program.captured.clear();
            }
            if program.uniforms.len() > 1 && self.takes() {
                program.uniforms.truncate(1);
            }
            if program.spelling.is_some() && self.takes() {
                program.spelling = None;
            }
            return;
        }
        for stage in &mut program.stages {
            self.limits = limits(stage);
            for function in &mut stage.functions {
                let ends = function.result.is_some();
                self.statements(&program.types, &mut function.body, 0, ends);
            }
            self.statements(&program.types, &mut stage.body, 0, false);
            for result in &mut stage.results {
                self.expression(&program.types, result, 0, FREE);
            }
        }
    }

    /// True if the next cut is wanted.
    fn takes(&mut self) -> bool {
        self.next += 1;
        match self.wanted {
            Wanted::Numbers(numbers) => numbers.contains(&(self.next - 1)),
            Wanted::Like(_) => false,
        }
    }

    /// True if this expression is to be replaced by ones.
    fn replaces(&mut self, value: &Expression) -> bool {
        match self.wanted {
            Wanted::Numbers(_) => self.takes(),
            Wanted::Like(is_wanted) => is_wanted(value),
        }
    }

    /// Cuts a block. If it ends a function with a result, its last statement stays.
    fn statements(&mut self, types: &Types, list: &mut Vec<Statement>, depth: usize, ends: bool) {
        let all = std::mem::take(list);
        let last = all.len().wrapping_sub(1);
        for (number, mut statement) in all.into_iter().enumerate() {
            if self.layer == Layer::Statements(depth) {
                let stays = (ends && number == last) || !is_removable(&statement);
                let is_gone = !stays && self.takes();
                let mut inner = None;
                for block in blocks(&statement) {
                    if self.takes() {
                        inner = Some(block);
                    }
                }
                match inner {
                    _ if is_gone => {}
                    Some(inner) => list.extend(inner),
                    None => list.push(statement),
                }
                continue;
            }
            self.inside(types, &mut statement, depth);
            list.push(statement);
        }
    }

    /// Cuts what a statement holds.
    fn inside(&mut self, types: &Types, statement: &mut Statement, depth: usize) {
        match statement {
            Statement::Declare(variable, value) => {
                let freedom = if self.limits.contains(variable) { GUARDED } else { FREE };
                self.expression(types, value, 0, freedom);
            }
            Statement::Atomic(atomic) => {
                // Each invocation has elements of its own.
                for operand in &mut atomic.operands {
                    self.expression(types, operand, 0, FREE);
                }
            }
            Statement::Paint(value) => self.expression(types, value, 0, FREE),
            Statement::Assign(place, value)
            | Statement::AssignThrough(place, _, value)
            | Statement::Update(place, _, value) => {
                // Each invocation has elements of its own.
                if !matches!(place.variable.kind, Kind::Shared | Kind::Output) {
                    self.place(types, place, 0);
                }
                self.expression(types, value, 0, FREE);
            }
            Statement::Call(_, arguments) => self.arguments(types, arguments, 0, FREE),
            Statement::If(condition, first, second) => {
                self.expression(types, condition, 0, FREE);
                self.statements(types, first, depth + 1, false);
                self.statements(types, second, depth + 1, false);
            }
            Statement::Loop(repeat) => {
                self.statements(types, &mut repeat.body, depth + 1, false);
                self.statements(types, &mut repeat.continuing, depth + 1, false);
            }
            Statement::Switch(choice, cases) => {
                self.expression(types, choice, 0, FREE);
                for case in &mut *cases {
                    self.statements(types, &mut case.body, depth + 1, false);
                }
                if self.layer == Layer::Arms {
                    cases.retain(|case| case.labels.is_empty() || !self.takes());
                }
            }
            Statement::Return(value) => {
                if let Some(value) = value {
                    self.expression(types, value, 0, FREE);
                }
            }
            Statement::Break
            | Statement::BreakLoop
            | Statement::Continue
            | Statement::Discard
            | Statement::Barrier => {}
        }
    }

    fn arguments(
        &mut self,
        types: &Types,
        arguments: &mut [Argument],
        depth: usize,
        freedom: Freedom,
    ) {
        for argument in arguments {
            match argument {
                Argument::Value(value) => self.expression(types, value, depth, freedom),
                Argument::Changed(place) => self.place(types, place, depth),
            }
        }
    }

    /// Cuts the indices of a place.
    fn place(&mut self, types: &Types, place: &mut Place, depth: usize) {
        for step in &mut place.steps {
            if let Step::At(index) = step {
                self.expression(types, index, depth, GUARDED);
            }
        }
    }

    fn expression(
        &mut self,
        types: &Types,
        value: &mut Expression,
        depth: usize,
        freedom: Freedom,
    ) {
        if self.layer == Layer::Ones(depth) {
            if freedom.ones && !is_plain(value) && self.replaces(value) {
                *value = ones(types, value.ty);
            }
            return;
        }
        if self.layer == Layer::Operands(depth) {
            if freedom.operands {
                self.by_operand(value);
            }
            return;
        }
        let depth = depth + 1;
        match &mut value.value {
            Value::Literal(_) | Value::Painted => {}
            Value::Load(place) => self.place(types, place, depth),
            Value::Compose(parts) => {
                for part in parts {
                    self.expression(types, part, depth, FREE.within(freedom));
                }
            }
            Value::Part(inner, _) | Value::Swizzle(inner, _) | Value::Rough(inner) => {
                self.expression(types, inner, depth, FREE.within(freedom));
            }
            Value::Lookup(_, operands) => {
                for operand in operands {
                    self.expression(types, operand, depth, GUARDED);
                }
            }
            Value::Op(op, operands) => {
                let op = *op;
                for (number, operand) in operands.iter_mut().enumerate() {
                    // Operands that stay may be equal, and so change in the same way by name.
                    let is_named = matches!(self.wanted, Wanted::Like(_));
                    let own = of_operand(op, number).or(is_named.then_some(FROZEN));
                    if let Some(own) = own {
                        self.expression(types, operand, depth, own.within(freedom));
                    }
                }
            }
            Value::Call(_, arguments) => {
                self.arguments(types, arguments, depth, FREE.within(freedom));
            }
        }
    }

    /// Replaces an expression by one inside it that has its type and no more bits.
    fn by_operand(&mut self, value: &mut Expression) {
        let mut fitting = Vec::new();
        parts_like(value, value, &mut fitting);
        let mut chosen = None;
        for part in fitting {
            if self.takes() {
                chosen = Some(part.clone());
            }
        }
        if let Some(chosen) = chosen {
            *value = chosen;
        }
    }
}

/// The outermost expressions inside `value` that can stand for `whole`.
fn parts_like<'a>(whole: &Expression, value: &'a Expression, found: &mut Vec<&'a Expression>) {
    let mut visit = |part: &'a Expression| {
        let fits = part.ty == whole.ty
            && part.bits.before <= whole.bits.before
            && part.bits.behind <= whole.bits.behind;
        if !fits {
            parts_like(whole, part, found);
        } else if !is_plain(part) {
            found.push(part);
        }
    };
    match &value.value {
        Value::Literal(_) | Value::Painted => {}
        Value::Load(place) => {
            for step in &place.steps {
                if let Step::At(index) = step {
                    visit(index);
                }
            }
        }
        Value::Compose(parts) | Value::Op(_, parts) | Value::Lookup(_, parts) => {
            parts.iter().for_each(visit);
        }
        Value::Part(inner, _) | Value::Swizzle(inner, _) | Value::Rough(inner) => visit(inner),
        Value::Call(_, arguments) => {
            for argument in arguments {
                if let Argument::Value(argument) = argument {
                    visit(argument);
                }
            }
        }
    }
}

/// True for a statement that may be left out. Unused variables are left out with [`without_unused`]; barriers and what
/// they order stay.
const fn is_removable(statement: &Statement) -> bool {
    match statement {
        Statement::Declare(..) | Statement::Barrier => false,
        Statement::Atomic(atomic) => atomic.result.is_none(),
        Statement::Assign(place, _) => !matches!(place.variable.kind, Kind::Shared),
        _ => true,
    }
}

/// The blocks of which one may replace a statement. That of a loop runs once, and an atomic operation finds a one.
fn blocks(statement: &Statement) -> Vec<Vec<Statement>> {
    let mut blocks = match statement {
        Statement::If(_, first, second) => vec![first.clone(), second.clone()],
        Statement::Loop(repeat) => {
            let zero = Expression::literal(Scalar::Int, Literal::Int(0));
            let counter = Statement::Declare(repeat.counter, zero);
            vec![std::iter::once(counter).chain(repeat.body.iter().cloned()).collect()]
        }
        Statement::Switch(_, cases) => cases.iter().map(|case| case.body.clone()).collect(),
        Statement::Atomic(Atomic { result: Some(variable), .. }) => {
            let (scalar, count) = Expression::variable(*variable).scalar();
            vec![vec![Statement::Declare(*variable, Expression::numbers(scalar, count, 1))]]
        }
        _ => Vec::new(),
    };
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// The variables that bound loops.
fn limits(stage: &Stage) -> HashSet<Variable> {
    let mut limits = HashSet::new();
    super::walk::stage(stage, &mut |part| {
        if let super::walk::Part::Statement(Statement::Loop(repeat)) = part {
            limits.insert(repeat.limit);
        }
    });
    limits
}

/// True for a value that is made of literals.
fn is_plain(value: &Expression) -> bool {
    match &value.value {
        Value::Literal(_) => true,
        Value::Compose(parts) => parts.iter().all(is_plain),
        _ => false,
    }
}

/// A value of ones.
fn ones(types: &Types, ty: Type) -> Expression {
    if let Type::Value(scalar, 1) = ty {
        let literal = match scalar {
            Scalar::Bool => Literal::Bool(true),
            Scalar::Int | Scalar::Long => Literal::Int(1),
            Scalar::Uint | Scalar::Ulong => Literal::Uint(1),
            Scalar::Float | Scalar::Rough | Scalar::Double | Scalar::Half => Literal::Float(1.0),
        };
        return Expression::literal(scalar, literal);
    }
    let parts = types.parts(ty).into_iter().map(|part| ones(types, part)).collect();
    Expression::composed(ty, parts)
}

#[cfg(test)]
mod tests {
    use super::super::{Draft, Language, Recipe};
    use super::*;

    const LANGUAGES: [Language; 3] = [Language::Glsl, Language::Wgsl, Language::Spirv];

    /// All cuts of a layer at once.
    fn all(draft: &Draft, layer: Layer) -> Draft {
        draft.with(layer, &(0..draft.cuts(layer)).collect())
    }

    #[test]
    fn nothing_is_left_to_cut_in_the_end() {
        for language in LANGUAGES {
            for seed in 0..20 {
                let mut draft = Draft::new(seed, &Recipe::new(language));
                let before = draft.case().lines().count();
                for layer in Layer::all() {
                    draft = all(&draft, layer);
                }
                let after = draft.case().lines().count();
                assert!(after * 2 < before, "{language:?} {seed}: {before} lines became {after}");
                // Those are the hash and the sum.
                let mut privates = draft.program.stages.iter().flat_map(|stage| &stage.privates);
                assert!(privates.all(|(one, _)| one.number < 2), "{language:?} {seed}");
                let ones = Layer::Ones(0);
                assert_eq!(draft.cuts(ones), all(&draft, ones).cuts(ones), "{language:?} {seed}");
            }
        }
    }

    #[test]
    fn stages_in_between_captures_and_further_draws_are_left_out() {
        let drafts = (0..200).map(|seed| Draft::new(seed, &Recipe::new(Language::Glsl)));
        let mut found = BTreeSet::new();
        let parts = [
            "tessellation control stage",
            "tessellation evaluation stage",
            "geometry stage",
            "capture",
            "several draws",
        ];
        for draft in drafts {
            found.extend(draft.features());
            let left = all(&draft, Layer::Parts);
            assert!(!parts.iter().any(|part| left.features().contains(*part)));
            assert_eq!(left.cuts(Layer::Parts), 0);
        }
        assert!(parts.iter().all(|part| found.contains(*part)), "{found:?}");
    }

    #[test]
    fn a_program_without_cuts_loses_only_what_nothing_reads() {
        let draft = Draft::new(3, &Recipe::new(Language::Glsl));
        let same = draft.with(Layer::Arms, &BTreeSet::new());
        assert_eq!(same.features(), draft.features());
        assert!(same.case().len() <= draft.case().len());
    }

    #[test]
    fn the_cuts_of_a_layer_are_numbered() {
        let draft = Draft::new(5, &Recipe::new(Language::Wgsl));
        let count = draft.cuts(Layer::Ones(0));
        assert!(count > 10, "{count}");
        let texts: BTreeSet<_> = (0..count)
            .map(|number| draft.with(Layer::Ones(0), &BTreeSet::from([number])).case())
            .collect();
        assert_eq!(texts.len(), count, "two cuts do the same");
    }

    #[test]
    fn operations_are_replaced_by_name() {
        let names = |draft: &Draft| -> BTreeSet<String> {
            let is_free = |name: &String| name.starts_with("bit") || name.starts_with("find");
            draft.features().into_iter().filter(is_free).collect()
        };
        let draft = Draft::new(3, &Recipe::new(Language::Spirv));
        let there = names(&draft);
        assert!(!there.is_empty());
        assert_eq!(names(&draft.without_operations(&there)), BTreeSet::new());
    }

    #[test]
    fn guards_stay() {
        assert!(of_operand(Op::Clamp, 1).is_none());
        assert!(of_operand(Op::Divide, 1).is_some_and(|freedom| !freedom.operands));
        assert!(of_operand(Op::Sqrt, 0).is_some_and(|freedom| !freedom.ones));
        assert!(!is_removable(&Statement::Barrier));
    }
}
