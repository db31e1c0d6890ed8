//! Replaces a call by the body of the function.
//!
//! A `return` at the end becomes the value of the call. Where a function returns earlier, its body becomes a loop that
//! runs once, a `return` becomes a `break`, and the result goes through a variable.
//!
//! These functions are left alone: large ones, those that return from inside a loop or `switch`, and those that return
//! early and in which invocations act together.

use ir::builder::ends_in_jump;
use naga::{Block, Expression, Function, Handle, Statement};

use crate::copy::{Change, Copy, Done};
use crate::facts::{Jumps, is_storable, size};

/// Maximum size of a body.
const MAX_SIZE: usize = 240;

/// The change.
#[derive(Debug)]
pub(crate) struct Inline {
    /// Ways of returning from the functions that are being inlined, the innermost last.
    returns: Vec<Returns>,
}

/// Way in which an inlined body returns.
#[derive(Clone, Copy, Debug)]
enum Returns {
    /// At the end, with this new value.
    AtTheEnd(Option<Handle<Expression>>),
    /// Early, by a `break`; the value is in this variable.
    Early(Option<Handle<Expression>>),
}

impl Inline {
    /// The change.
    pub(crate) const fn new() -> Self {
        Self { returns: Vec::new() }
    }

    /// Replaces a `return` of a body.
    fn leave(&mut self, copy: &mut Copy<'_>, value: Option<Handle<Expression>>) -> Done {
        let Some(returns) = self.returns.last_mut() else { return Done::No };
        let value = value.map(|value| copy.of(value));
        match returns {
            Returns::AtTheEnd(result) => *result = value,
            Returns::Early(result) => {
                if let (Some(result), Some(value)) = (*result, value) {
                    copy.new.store(result, value);
                }
                copy.new.push(Statement::Break);
            }
        }
        Done::Replaced
    }

    /// Copies a body that returns at the end. Returns its value.
    fn straight(&mut self, copy: &mut Copy<'_>, body: &Block) -> Option<Handle<Expression>> {
        self.returns.push(Returns::AtTheEnd(None));
        copy.block(self, body);
        match self.returns.pop() {
            Some(Returns::AtTheEnd(value) | Returns::Early(value)) => value,
            None => None,
        }
    }

    /// Copies a body that returns early. Returns its value.
    fn looped(&mut self, copy: &mut Copy<'_>, body: &Block) -> Option<Handle<Expression>> {
        let result = copy.old.result.as_ref().map(|result| result.ty);
        let result = result.map(|ty| copy.variable(ty));
        self.returns.push(Returns::Early(result));
        copy.breakable += 1;
        copy.new.open_block();
        copy.block(self, body);
        copy.new.push(Statement::Break);
        let body = copy.new.close_block();
        copy.breakable -= 1;
        self.returns.pop();
        copy.new.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
        result.map(|result| copy.new.load(result))
    }
}

impl Change for Inline {
    fn statement(&mut self, copy: &mut Copy<'_>, statement: &Statement) -> Done {
        if let Statement::Return { value } = statement {
            return self.leave(copy, *value);
        }
        let Statement::Call { function, arguments, result } = statement else { return Done::No };
        let callee = copy.scene.function(*function).0;
        let fits = fits(copy, callee);
        if !fits || !copy.random.alters() {
            return Done::No;
        }
        let arguments: Vec<_> = arguments.iter().map(|argument| copy.of(*argument)).collect();
        let caller = copy.enter(*function, &arguments);
        let value = if is_straight(callee) {
            self.straight(copy, &callee.body)
        } else {
            self.looped(copy, &callee.body)
        };
        copy.leave(caller);
        if let (Some(result), Some(value)) = (*result, value) {
            copy.replace(result, value);
        }
        Done::Replaced
    }
}

/// True if control reaches the end of the body, and nothing returns before.
fn is_straight(function: &Function) -> bool {
    let body = &function.body;
    let has_return = matches!(body.last(), Some(Statement::Return { .. }));
    let early = &body[..body.len() - usize::from(has_return)];
    let has_end = has_return || (function.result.is_none() && !ends_in_jump(body));
    has_end && !Jumps::of(early).returns
}

/// True if the body can take the place of a call.
fn fits(copy: &Copy<'_>, callee: &Function) -> bool {
    let types = &copy.scene.source.types;
    let is_storable = |ty| is_storable(&types[ty].inner, types);
    let mut locals = callee.local_variables.iter();
    let is_small = size(&callee.body) <= MAX_SIZE && locals.all(|(_, local)| is_storable(local.ty));
    let may_loop = || {
        let result = callee.result.as_ref();
        let acts = copy.scene.collective.acts_in(&callee.body, &callee.expressions);
        let returns_from_inside = Jumps::of(&callee.body).returns_from_inside;
        !acts && !returns_from_inside && result.is_none_or(|result| is_storable(result.ty))
    };
    is_small && (is_straight(callee) || may_loop())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{check, text, varied};

    const MAIN: &str = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f";

    #[track_caller]
    fn calls(wgsl: &str) -> usize {
        let (module, _) = varied(&mut Inline::new(), wgsl);
        let text = text(&module);
        text.matches("f(").count() - text.matches("fn f(").count() - text.matches("if(").count()
    }

    #[test]
    fn a_body_takes_the_place_of_a_call() {
        let wgsl = format!(
            "fn f(x: f32) -> f32 {{ var n = 3.0; n += x; return n * 2.0; }}
             {MAIN} {{ var v = a; for (var i = 0; i < 3; i++) {{ v.x = f(v.y); }} return v; }}"
        );
        assert_eq!(calls(&wgsl), 0);
        check(&mut Inline::new(), &wgsl, &["local = 3f;", "* 2f)"]);
    }

    #[test]
    fn pointers_are_those_of_the_caller() {
        let wgsl = format!(
            "fn f(p: ptr<function, vec4f>) {{ (*p).x = 7.0; }}
             {MAIN} {{ var v = a; f(&v); return v; }}"
        );
        assert_eq!(calls(&wgsl), 0);
        check(&mut Inline::new(), &wgsl, &["    v.x = 7f;\n    let"]);
    }

    #[test]
    fn an_early_return_leaves_a_loop() {
        let wgsl = format!(
            "fn f(x: f32) -> f32 {{ if x > 0.5 {{ return 2.0; }} return x; }}
             {MAIN} {{ return vec4f(f(a.x)); }}"
        );
        assert_eq!(calls(&wgsl), 0);
        check(&mut Inline::new(), &wgsl, &["loop {", "local = 2f;\n            break;"]);
    }

    /// A `break` there would leave the inner loop only.
    #[test]
    fn returns_inside_loops_stay() {
        let wgsl = format!(
            "fn f(x: f32) -> f32 {{ loop {{ if x > 0.5 {{ return 2.0; }} break; }} return x; }}
             {MAIN} {{ return vec4f(f(a.x)); }}"
        );
        assert_eq!(calls(&wgsl), 1);
    }

    #[test]
    fn functions_that_act_together_keep_their_control_flow() {
        let wgsl = format!(
            "fn f(x: f32) -> f32 {{ return dpdx(x); }}
             fn g(x: f32) -> f32 {{ if x > 0.5 {{ return 2.0; }} return dpdx(x); }}
             {MAIN} {{ return vec4f(f(a.x), g(a.y), 0.0, 1.0); }}"
        );
        let text = text(&varied(&mut Inline::new(), &wgsl).0);
        assert!(text.contains("= g(") && !text.contains("= f("), "{text}");
    }
}
