//! Adds computations of other places and functions, whose results have no effect, though compilers cannot know that.
//!
//! A donor is an operation of any function, with its operands, or a call of a pure function. What it loads or is given
//! becomes bits of the value at the new place. Its result is combined with that value: as `x + (y & 0)` and the like for
//! integers, or as `select(x, y, false)`, where compilers know neither the zero nor the `false`.

mod donor;
mod value;

use naga::{BinaryOperator, Expression, Handle, Scalar};

use crate::copy::{Change, Copy};

use super::values::Shape;
use donor::Donor;
use value::Value;

/// The change.
#[derive(Debug)]
pub(crate) struct Donate;

impl Change for Donate {
    fn expression(
        &mut self,
        copy: &mut Copy<'_>,
        old: Handle<Expression>,
        new: &Expression,
    ) -> Option<Handle<Expression>> {
        let shape = Shape::of(copy, old).filter(|shape| value::is_given(shape.scalar))?;
        if copy.scene.zero.is_none() || copy.scene.collective.is_anywhere {
            return None;
        }
        let donor = Donor::choose(copy)?;
        if !copy.random.alters() {
            return None;
        }
        let host = Value { new: copy.new.emit(new.clone()), shape };
        let combined = donor.copied(copy, host).and_then(|donated| combined(copy, host, donated));
        Some(combined.unwrap_or(host.new))
    }
}

/// The value of `host`, for which `donated` must be computed.
fn combined(copy: &mut Copy<'_>, host: Value, donated: Value) -> Option<Handle<Expression>> {
    let donated = copy.like(donated, host.shape)?.new;
    if !host.shape.is_integer() || copy.random.coin() {
        let never = copy.never()?;
        return Some(copy.new.select(never, donated, host.new));
    }
    let zero = Value { new: copy.zero()?, shape: Shape { size: None, scalar: Scalar::U32 } };
    let zero = copy.like(zero, host.shape)?.new;
    let none = [BinaryOperator::And, BinaryOperator::Multiply][copy.random.index(2)];
    let neutral = copy.new.binary(none, donated, zero);
    let all = [
        BinaryOperator::Add,
        BinaryOperator::Subtract,
        BinaryOperator::ExclusiveOr,
        BinaryOperator::InclusiveOr,
    ];
    let op = all[copy.random.index(all.len())];
    Some(copy.new.binary(op, host.new, neutral))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{check_some, text, varied, varied_by};

    #[test]
    fn operations_are_computed_elsewhere_without_effect() {
        let wgsl =
            "@fragment fn main(@location(0) @interpolate(flat) a: vec4u, @location(1) b: vec4f)
            -> @location(0) vec4f { let c = exp2(b.x * 3.5); return vec4f(f32(a.x * 5u) + c); }";
        check_some(&mut || Box::new(Donate), wgsl, &["select(", "bitcast<f32>", "bitcast<u32>"]);
    }

    /// The first operand of WGSL's `select` is the one for `false`.
    #[test]
    fn the_value_itself_is_chosen() {
        let wgsl = "@fragment fn main(@location(0) @interpolate(flat) a: u32, @location(1) b: f32)
            -> @location(0) vec4f { return vec4f(b * 3.5, f32(a ^ 5u), 0.0, 1.0); }";
        let (mut chosen, mut all) = (0, 0);
        for seed in 0..16 {
            let text = text(&varied_by(&mut Donate, wgsl, seed).0);
            chosen += text.matches("select(_e").count();
            // Another is in what makes the zero.
            all += text.matches("select(").count() - text.matches("select(0u, 1u").count();
        }
        assert!(all > 10, "{all}");
        assert_eq!(chosen, all);
    }

    #[test]
    fn pure_functions_are_called_elsewhere() {
        let wgsl = "fn f(x: f32, n: i32) -> f32 { var v = x; if n > 3 { v += 2.0; } return v; }
            @fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f { return a * a.y; }";
        check_some(&mut || Box::new(Donate), wgsl, &["= f(_e"]);
    }

    /// Results of these may be undefined for other operands.
    #[test]
    fn what_guards_its_operands_is_not_donated() {
        for (operation, part) in [
            ("1 / (n - 1)", " / "),
            ("(n - 1) % n", " % "),
            ("(n - 1) << u32(n)", " << "),
            ("i32(a.y * 2.0)", "i32("),
        ] {
            let wgsl = format!(
                "@fragment fn main(@location(0) a: vec4f, @location(1) @interpolate(flat) n: i32)
                -> @location(0) vec4i {{ return vec4i({operation} ^ ((n * 3) ^ n)); }}"
            );
            let mut all = 0;
            for seed in 0..16 {
                let (module, places) = varied_by(&mut Donate, &wgsl, seed);
                let text = text(&module);
                // Bits become integers by another conversion, and opaque zeros by one from `u32`.
                let count = text.matches(part).count() - text.matches("i32(_e").count();
                assert_eq!(count, 1, "{text}");
                all += places;
            }
            assert!(all > 0, "{operation}");
        }
    }

    #[test]
    fn stages_that_act_together_stay() {
        let wgsl = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f {
            return dpdx(a * a.x + a.y); }";
        assert_eq!(varied(&mut Donate, wgsl).1, 0);
    }
}
