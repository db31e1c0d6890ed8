//! A loop becomes two: the first has some iterations, the second the rest.
//!
//! The first loop counts. Between two iterations it breaks at a bound, which compilers cannot always know. Where the
//! original ends, it sets a flag, so that the second loop does not run.
//!
//! Large loops, and those in which invocations act together, are left alone. So are loops with a `return` where
//! invocations act together later.

use naga::{
    BinaryOperator, Block, Expression, Handle, Scalar, Statement, TypeInner, UnaryOperator,
};

use crate::change::lists;
use crate::copy::{Change, Copy, Done, Rest};
use crate::facts::Jumps;

/// Largest number of iterations of the first loop, plus one.
const BOUNDS: u32 = 4;

/// The change.
#[derive(Debug)]
pub(crate) struct SplitLoop {
    /// The first loop that is copied here.
    first: Option<First>,
}

/// A loop that ends early.
#[derive(Clone, Copy, Debug)]
struct First {
    /// Number of loops and switches around its statements.
    depth: usize,
    /// The flag: whether the original loop ended.
    is_over: Handle<Expression>,
}

impl SplitLoop {
    /// The change.
    pub(crate) const fn new() -> Self {
        Self { first: None }
    }

    /// Writes the first loop, which leaves at the bound.
    fn write_first(&mut self, copy: &mut Copy<'_>, parts: Parts<'_>, first: First) {
        let before = self.first.replace(first);
        let limit = limit(copy);
        let ty = copy.new.insert_type(TypeInner::Scalar(Scalar::U32));
        let counter = copy.variable(ty);
        let none = copy.new.uint(0);
        copy.new.store(counter, none);
        copy.breakable += 1;
        copy.new.open_block();
        let count = copy.new.load(counter);
        let is_enough = copy.new.binary(BinaryOperator::GreaterEqual, count, limit);
        copy.break_if(is_enough);
        let one = copy.new.uint(1);
        let next = copy.new.binary(BinaryOperator::Add, count, one);
        copy.new.store(counter, next);
        copy.block(self, parts.body);
        let body = copy.new.close_block();
        copy.breakable -= 1;
        self.first = before;
        let rest = Rest { is_over: Some(first.is_over), ..parts.rest };
        copy.repeat(self, body, Vec::new(), &rest);
    }

    /// Writes the second loop, which runs if the original has not ended.
    fn write_second(&mut self, copy: &mut Copy<'_>, parts: Parts<'_>, is_over: Handle<Expression>) {
        let is_guarded = copy.random.coin();
        if is_guarded {
            copy.new.open_block();
        }
        copy.breakable += 1;
        copy.new.open_block();
        if !is_guarded {
            let is_over = copy.new.load(is_over);
            copy.break_if(is_over);
        }
        copy.block(self, parts.body);
        let body = copy.new.close_block();
        copy.breakable -= 1;
        copy.repeat(self, body, Vec::new(), &parts.rest);
        if is_guarded {
            let accept = copy.new.close_block();
            let is_over = copy.new.load(is_over);
            let condition = copy.unary(UnaryOperator::LogicalNot, is_over);
            copy.new.push(Statement::If { condition, accept, reject: Block::new() });
        }
    }
}

/// A loop of the old function.
#[derive(Clone, Copy, Debug)]
struct Parts<'a> {
    body: &'a Block,
    rest: Rest<'a>,
}

/// Number of iterations of the first loop.
fn limit(copy: &mut Copy<'_>) -> Handle<Expression> {
    let number = copy.random.below(BOUNDS);
    let known = copy.new.uint(number);
    let zero = if copy.random.coin() { copy.zero() } else { None };
    match zero {
        Some(zero) => copy.new.binary(BinaryOperator::Add, zero, known),
        None => known,
    }
}

impl Change for SplitLoop {
    fn statement(&mut self, copy: &mut Copy<'_>, statement: &Statement) -> Done {
        if let (Statement::Break, Some(first)) = (statement, self.first)
            && copy.breakable == first.depth
        {
            copy.set(first.is_over, true);
            copy.new.push(Statement::Break);
            return Done::Replaced;
        }
        let Statement::Loop { body, continuing, break_if } = statement else { return Done::No };
        if !fits(copy, std::slice::from_ref(statement)) || !copy.random.alters() {
            return Done::No;
        }
        let is_over = copy.flag(false);
        let first = First { depth: copy.breakable + 1, is_over };
        let parts = Parts { body, rest: Rest { continuing, break_if: *break_if, is_over: None } };
        self.write_first(copy, parts, first);
        self.write_second(copy, parts, is_over);
        Done::Replaced
    }
}

/// True if the loop can be split.
fn fits(copy: &Copy<'_>, whole: &[Statement]) -> bool {
    let leaves = Jumps::of(whole).returns && copy.scene.collective.is_anywhere;
    lists::is_copyable(copy, whole) && !leaves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{check_some, text, varied, varied_by};

    const TEXT: &str = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
        var v = a.x; loop { if v > 9.0 { break; } v = v * 1.5; continuing { break if v < 0.5; } }
        return vec4f(v); }";

    #[test]
    fn a_loop_becomes_two() {
        let (module, places) = varied(&mut SplitLoop::new(), TEXT);
        assert_eq!(places, 1);
        let text = text(&module);
        assert_eq!(text.matches("* 1.5f").count(), 2, "{text}");
        assert_eq!(text.matches("local = true;\n            break;").count(), 1, "{text}");
    }

    #[test]
    fn the_second_loop_runs_if_the_first_is_not_over() {
        let parts = ["if !(_", "2u)", "vary_zero", "if _e2"];
        check_some(&mut || Box::new(SplitLoop::new()), TEXT, &parts);
    }

    /// A `break` in the part that continues a loop belongs to a loop there.
    #[test]
    fn an_inner_break_sets_no_flag() {
        let wgsl = "@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {
            var n = i; loop { n++; continuing { loop { if n > 4u { break; } n++; } break if n > 8u; } } }";
        for seed in 0..16 {
            let text = text(&varied_by(&mut SplitLoop::new(), wgsl, seed).0);
            // The inner loop is split as well, and each of its copies has a flag of its own.
            assert!(!text.contains("local = true"), "{text}");
        }
    }

    #[test]
    fn a_break_of_a_switch_sets_no_flag() {
        let wgsl = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f { var n = 0;
            loop { switch n { case 1: { if a.x > 2.0 { break; } n += 7; } default: { n += 2; } }
            if n > 9 { break; } } return vec4f(f32(n)); }";
        let text = text(&varied(&mut SplitLoop::new(), wgsl).0);
        assert_eq!(text.matches("local = true").count(), 1, "{text}");
    }

    #[test]
    fn barriers_stay_single() {
        let wgsl = "@compute @workgroup_size(4) fn main() {
            for (var i = 0; i < 4; i++) { workgroupBarrier(); } }";
        assert_eq!(varied(&mut SplitLoop::new(), wgsl).1, 0);
    }
}
