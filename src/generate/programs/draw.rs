//! Draws a program.
//!
//! Integers wrap and are exact. Exact floats have few bits between statements, so none of their operations rounds. Inexact floats stay within ±64 and pass only through continuous functions; nothing discrete depends on them.
//! So one value is right everywhere, or the values in a range that the oracle knows.
//!
//! Everything counts: when a block ends, what it declared and nothing has read is folded into a hash, or for inexact
//! floats into a sum. Both reach the outputs.

mod argument;
mod exact;
mod expression;
mod fold;
mod function;
mod integer;
mod lookup;
mod main;
mod memory;
mod rough;
mod statement;

use std::collections::{BTreeSet, HashMap};

pub(super) use expression::own_gives;

use fastrand::Rng;

use super::operation::Row;
use super::tree::{
    Expression, Function, INPUTS, INT, INVOCATIONS, Interpolation, Kind, Program, Scalar, Stage,
    StageKind, Statement, Type, Types, UINT, Uniforms, Variable, Varying, Widths,
};
use super::{Language, Recipe};

/// Maximum number of locations of the varyings; some adapters have no more.
const MOST_LOCATIONS: usize = 11;

/// Number of the type of [`INPUT`] among the arrays.
const INPUT_ARRAY: u8 = 3;

/// Number of the type of the workgroup's memory among the arrays.
const SHARED_ARRAY: u8 = 4;

/// The buffer that stages read.
const INPUT: Variable = Variable { number: 0, ty: Type::Array(INPUT_ARRAY), kind: Kind::Input };

/// About how many statements an invocation runs at most.
const MOST_COST: usize = 4000;

/// Number of statements of a stage, with those of the functions that it calls. Some compilers put all into one function.
const MOST_SIZE: usize = 500;

/// The program of a seed.
pub(super) fn program(seed: u64, recipe: &Recipe) -> Program {
    let mut rng = Rng::with_seed(seed);
    let widths = match rng.u8(0..6) {
        0 => Widths::Wide,
        1 if recipe.allows("half") => Widths::Half,
        _ => Widths::Usual,
    };
    let draws = if rng.u8(0..4) == 0 && recipe.allows("several draws") { 2 } else { 1 };
    let mut program = Program {
        types: types(&mut rng, widths),
        varyings: Vec::new(),
        block: 0,
        stages: Vec::new(),
        uniforms: (0..draws).map(|_| uniforms(&mut rng)).collect(),
        captured: Vec::new(),
        widths,
        spelling: recipe.spelling(seed),
    };
    if rng.u8(0..3) == 0 && recipe.allows("compute stage") {
        program.stages = vec![Drawer::new(&mut rng, recipe, &program, StageKind::Compute).stage()];
        return program;
    }
    varyings(&mut rng, recipe, &mut program);
    let kinds = kinds(&mut rng, recipe);
    if recipe.allows("capture") && rng.u8(0..4) == 0 {
        program.captured = program.varyings.iter().map(|varying| varying.variable).collect();
        program.captured.retain(|one| matches!(one.ty, Type::Value(..) | Type::Matrix(..)));
    }
    for kind in kinds {
        let stage = Drawer::new(&mut rng, recipe, &program, kind).stage();
        program.stages.push(stage);
    }
    program
}

/// The stages of a program that draws.
fn kinds(rng: &mut Rng, recipe: &Recipe) -> Vec<StageKind> {
    use StageKind::{Control, Evaluation, Fragment, Geometry, Vertex};
    let mut kinds = vec![Vertex, Control, Evaluation, Geometry, Fragment];
    let mut has = |of: u8, name: &str| recipe.allows(name) && rng.u8(0..of) == 0;
    let has_patches = has(6, "tessellation evaluation stage");
    let has_control = has_patches && has(2, "tessellation control stage");
    let has_geometry = has(6, "geometry stage");
    kinds.retain(|kind| match kind {
        Control => has_control,
        Evaluation => has_patches,
        Geometry => has_geometry,
        _ => true,
    });
    kinds
}

fn uniforms(rng: &mut Rng) -> Uniforms {
    Uniforms {
        ints: std::array::from_fn(|_| rng.i32(-1000..1000)),
        uints: std::array::from_fn(|_| rng.u32(..)),
        sixteenths: std::array::from_fn(|_| rng.i32(-512..512)),
    }
}

/// Scalars of variables; frequent ones occur several times.
const fn scalars(widths: Widths) -> &'static [Scalar] {
    use Scalar::{Bool, Double, Float, Half, Int, Long, Rough, Uint, Ulong};
    match widths {
        Widths::Usual => &[Bool, Int, Int, Uint, Uint, Float, Float, Rough],
        Widths::Wide => &[Bool, Int, Int, Uint, Uint, Float, Float, Rough, Long, Ulong, Double],
        Widths::Half => &[Bool, Int, Int, Uint, Uint, Float, Rough, Half, Half, Half],
    }
}

fn pick<'a, T>(rng: &mut Rng, from: &'a [T]) -> &'a T {
    &from[rng.usize(0..from.len())]
}

/// A scalar or vector type.
fn vector(rng: &mut Rng, widths: Widths) -> Type {
    let scalar = *pick(rng, scalars(widths));
    Type::Value(scalar, *pick(rng, &[1, 1, 2, 3, 4]))
}

/// A type without structures and arrays.
fn plain(rng: &mut Rng, widths: Widths) -> Type {
    if rng.u8(0..8) == 0 {
        return Type::Matrix(rng.u8(2..=4), rng.u8(2..=4));
    }
    vector(rng, widths)
}

/// Arrays, structures of their elements, and arrays of these.
fn types(rng: &mut Rng, widths: Widths) -> Types {
    let mut types = Types::default();
    for _ in 0..2 {
        types.arrays.push((plain(rng, widths), *pick(rng, &[2, 4, 8])));
    }
    for number in 0..2 {
        let mut members: Vec<_> = (0..rng.usize(1..=3)).map(|_| plain(rng, widths)).collect();
        if number == 1 && rng.bool() {
            members.push(*pick(rng, &[Type::Array(0), Type::Struct(0)]));
        }
        types.structs.push(members);
    }
    types.arrays.push((*pick(rng, &[Type::Struct(0), Type::Struct(1), Type::Array(0)]), 2));
    types.arrays.extend([(UINT, INPUTS), (UINT, INVOCATIONS)]);
    types
}

/// The varyings. The first are those of the hash and of the sum of the vertex stage.
fn varyings(rng: &mut Rng, recipe: &Recipe, program: &mut Program) {
    let mut left = MOST_LOCATIONS - 2;
    // WGSL has no varyings of 64 bits.
    let is_narrow = program.widths == Widths::Wide && recipe.is_for(Language::Wgsl);
    let of_varyings = if is_narrow { Widths::Usual } else { program.widths };
    let flat = |number, ty| Varying {
        variable: Variable { number, ty, kind: Kind::Varying },
        interpolation: Interpolation::Flat,
    };
    let smooth = |number, ty, rng: &mut Rng| Varying {
        variable: Variable { number, ty, kind: Kind::Varying },
        interpolation: *pick(
            rng,
            &[Interpolation::Perspective, Interpolation::Centroid, Interpolation::Linear],
        ),
    };
    program.varyings = vec![flat(0, UINT), smooth(1, super::tree::ROUGH, rng)];
    for number in 2..2 + rng.usize(0..=4) {
        let mut ty = match rng.u8(0..6) {
            0 if recipe.allows("composite varying") => {
                *pick(rng, &[Type::Array(0), Type::Struct(0), Type::Matrix(2, 3)])
            }
            _ => vector(rng, of_varyings),
        };
        let fits = !program.types.holds(ty, &|scalar| scalar == Scalar::Bool)
            && (matches!(ty, Type::Value(..))
                || !program.types.holds(ty, &|scalar| scalar == Scalar::Rough))
            && program.types.locations(ty) <= left;
        if !fits {
            ty = INT;
        }
        let Some(rest) = left.checked_sub(program.types.locations(ty)) else { break };
        left = rest;
        let is_rough = matches!(ty, Type::Value(Scalar::Rough, _));
        program.varyings.push(if is_rough { smooth(number, ty, rng) } else { flat(number, ty) });
    }
    if recipe.allows("block of varyings") && rng.u8(0..3) == 0 {
        program.block = rng.usize(1..=program.varyings.len());
    }
}

/// The surroundings of a statement.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    /// Number of blocks.
    depth: usize,
    exits: Exits,
    /// True between two iterations of a loop.
    in_continuing: bool,
    /// True where all invocations of a quad or workgroup are.
    is_uniform: bool,
}

/// The ways out of a block, except those of its function.
#[derive(Clone, Copy, Debug, Default)]
struct Exits {
    /// True in a loop.
    in_loop: bool,
    /// True in a loop or a switch.
    can_break: bool,
    /// True in a switch in a loop.
    in_inner_switch: bool,
}

/// The function that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Main,
    /// Has no effect but its result, and a hash of its own.
    Pure {
        hash: Variable,
        result: Type,
    },
    /// May change private variables, and its first parameter, also by functions that it calls.
    Impure {
        result: Option<Type>,
    },
}

/// Draws one stage.
struct Drawer<'a> {
    rng: &'a mut Rng,
    recipe: &'a Recipe,
    program: &'a Program,
    kind: StageKind,
    /// Variables that may be read.
    variables: Vec<Variable>,
    /// Those whose value nothing has read yet.
    unread: BTreeSet<Variable>,
    /// Counters and limits of loops, which nothing else changes.
    counters: Vec<Variable>,
    privates: Vec<(Variable, Expression)>,
    functions: Vec<Function>,
    /// Operations by the kind and number of the components of their results.
    fitting: HashMap<(Scalar, u8), Vec<(&'static Row, Scalar)>>,
    /// Calls that the current statement needs first.
    pending: Vec<Statement>,
    scope: Scope,
    around: Around,
    /// Turns of the surrounding loops, multiplied.
    turns: usize,
    /// About how many statements the current function runs.
    cost: usize,
    /// Number of its statements, with those of the functions that it calls.
    size: usize,
    /// Functions that some other function calls.
    called: BTreeSet<usize>,
    /// Number of locals and parameters so far.
    count: usize,
    /// True if the stage has set its pixel of the picture.
    is_painted: bool,
    /// True while an expression is drawn that is evaluated several times or that a call must not precede.
    has_no_calls: bool,
}

impl<'a> Drawer<'a> {
    fn new(rng: &'a mut Rng, recipe: &'a Recipe, program: &'a Program, kind: StageKind) -> Self {
        Self {
            rng,
            recipe,
            program,
            kind,
            variables: Vec::new(),
            unread: BTreeSet::new(),
            counters: Vec::new(),
            privates: Vec::new(),
            functions: Vec::new(),
            fitting: HashMap::new(),
            pending: Vec::new(),
            scope: Scope::Main,
            around: Around::default(),
            turns: 1,
            cost: 0,
            size: 0,
            called: BTreeSet::new(),
            count: 0,
            is_painted: false,
            has_no_calls: false,
        }
    }

    fn stage(mut self) -> Stage {
        self.private(UINT);
        self.private(super::tree::ROUGH);
        for _ in 0..self.rng.usize(0..=2) {
            let ty = self.ty();
            self.private(ty);
        }
        // SPIR-V lacks it: it selects no element of a constant at run time.
        if self.recipe.allows("constant array") && self.rng.bool() {
            let ty = Type::Array(self.rng.u8(0..3));
            let (number, value) = (self.privates.len(), self.constant(ty));
            self.privates.push((Variable { number, ty, kind: Kind::Table }, value));
        }
        for _ in 0..self.rng.usize(1..=4) {
            let function = self.function();
            self.functions.push(function);
        }
        self.main()
    }

    /// A private variable with a constant value. The first is the hash, the second the sum.
    fn private(&mut self, ty: Type) {
        let value = self.constant(ty);
        let variable = Variable { number: self.privates.len(), ty, kind: Kind::Private };
        self.privates.push((variable, value));
    }

    const fn types(&self) -> &'a Types {
        &self.program.types
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        *pick(self.rng, from)
    }

    /// True once in `of` times.
    fn once_in(&mut self, of: u8) -> bool {
        self.rng.u8(0..of) == 0
    }

    /// The type of a variable.
    fn ty(&mut self) -> Type {
        loop {
            let ty = match self.rng.u8(0..10) {
                0 => Type::Array(self.rng.u8(0..3)),
                1 => Type::Struct(self.rng.u8(0..2)),
                _ => plain(self.rng, self.program.widths),
            };
            if self.may_hold(ty) {
                return ty;
            }
        }
    }

    /// True if the current function may have values of the type: a pure one has no sum of inexact floats.
    fn may_hold(&self, ty: Type) -> bool {
        match self.scope {
            Scope::Pure { .. } => !self.types().holds(ty, &|scalar| scalar == Scalar::Rough),
            Scope::Main | Scope::Impure { .. } => true,
        }
    }

    fn fresh(&mut self, ty: Type, kind: Kind) -> Variable {
        self.count += 1;
        Variable { number: self.count, ty, kind }
    }
}
