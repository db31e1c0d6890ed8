//! What several objects of one stage say about the same global must agree: the rules of GLSL that need nothing but the
//! trees. Types and storage are compared where globals are declared.

use super::scan;
use crate::diagnostic::Diagnostic;
use crate::frontend::glsl::ast::{
    BlockDeclaration, Declaration, Declarator, Expr, ExprKind, Initializer, Item, LayoutEntry,
    Qualifiers, TranslationUnit,
};
use crate::source::Span;

/// Every disagreement between the objects.
pub(super) fn check(units: &[TranslationUnit]) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for name in ["gl_FragCoord", "gl_FragDepth"] {
        check_builtin(units, name, &mut errors);
    }
    check_per_vertex(units, &mut errors);
    for (idx, unit) in units.iter().enumerate() {
        for second in globals(unit) {
            let earlier = units[..idx].iter().flat_map(globals);
            if let Some(first) = earlier.filter(|first| first.name() == second.name()).last() {
                compare(&first, &second, &mut errors);
            }
        }
        for second in blocks(unit) {
            let mut earlier = units[..idx].iter().flat_map(blocks);
            if let Some(first) = earlier.find(|first| first.name.name == second.name.name) {
                compare_members(first, second, &mut errors);
            }
        }
    }
    errors
}

/// A variable at global scope.
struct Global<'a> {
    qualifiers: &'a Qualifiers,
    declarator: &'a Declarator,
}

impl Global<'_> {
    fn name(&self) -> &str {
        &self.declarator.name.name
    }
}

fn globals(unit: &TranslationUnit) -> impl Iterator<Item = Global<'_>> {
    unit.items.iter().flat_map(|item| {
        let (ty, declarators) = match item {
            Item::Declaration(Declaration::Variables { ty, declarators }) => {
                (Some(ty), &**declarators)
            }
            Item::Function(..) | Item::Prototype(_) | Item::Declaration(_) => (None, &[][..]),
        };
        ty.into_iter().flat_map(move |ty| {
            declarators.iter().map(|declarator| Global { qualifiers: &ty.qualifiers, declarator })
        })
    })
}

fn blocks(unit: &TranslationUnit) -> impl Iterator<Item = &BlockDeclaration> {
    unit.items.iter().filter_map(|item| match item {
        Item::Declaration(Declaration::Block(block)) => Some(block),
        Item::Function(..) | Item::Prototype(_) | Item::Declaration(_) => None,
    })
}

fn compare(first: &Global<'_>, second: &Global<'_>, errors: &mut Vec<Diagnostic>) {
    let name = second.name();
    let mut complain = |message: String| {
        errors.push(Diagnostic::error(second.declarator.name.span, message));
    };
    if first.qualifiers.is_invariant != second.qualifiers.is_invariant {
        complain(format!("`{name}` is invariant in one shader object only"));
    }
    for word in ["location", "component"] {
        let values = [first, second].map(|global| layout_value(global.qualifiers, word));
        if let [Some(first), Some(second)] = values
            && !is_same(first, second)
        {
            complain(format!("`{name}` has another {word} in another shader object"));
        }
    }
    if layout_value(first.qualifiers, "component").is_some()
        != layout_value(second.qualifiers, "component").is_some()
    {
        complain(format!("`{name}` has another component in another shader object"));
    }
    let initializers = (&first.declarator.initializer, &second.declarator.initializer);
    if let (Some(first), Some(second)) = initializers
        && !(is_constant(first) && is_same_initializer(first, second))
    {
        complain(format!("`{name}` has another initialiser in another shader object"));
    }
}

/// Members' offsets and alignments; their types are compared elsewhere.
fn compare_members(
    first: &BlockDeclaration,
    second: &BlockDeclaration,
    errors: &mut Vec<Diagnostic>,
) {
    for (left, right) in first.members.iter().zip(&second.members) {
        let layouts = [left, right].map(|member| &member.ty.qualifiers.layout);
        if !is_same_layout(layouts[0], layouts[1]) {
            let message = format!(
                "`{}` of block `{}` has another layout in another shader object",
                right.name.name, second.name.name
            );
            errors.push(Diagnostic::error(right.name.span, message));
        }
    }
}

/// A built-in that some object redeclares: all objects that use it must redeclare it, with the same layout.
fn check_builtin(units: &[TranslationUnit], name: &str, errors: &mut Vec<Diagnostic>) {
    let redeclared = |unit| globals(unit).find(|global| global.name() == name);
    let Some(first) = units.iter().find_map(redeclared) else { return };
    for unit in units {
        match redeclared(unit) {
            Some(second)
                if !is_same_layout(&first.qualifiers.layout, &second.qualifiers.layout) =>
            {
                let message = format!("`{name}` has other qualifiers in another shader object");
                errors.push(Diagnostic::error(second.declarator.name.span, message));
            }
            Some(_) => {}
            None => {
                if let Some(span) = first_use(unit, &[name]) {
                    let message = format!("`{name}` is redeclared in another shader object only");
                    errors.push(Diagnostic::error(span, message));
                }
            }
        }
    }
}

/// `gl_PerVertex` likewise, with the same members.
fn check_per_vertex(units: &[TranslationUnit], errors: &mut Vec<Diagnostic>) {
    const MEMBERS: [&str; 5] =
        ["gl_Position", "gl_PointSize", "gl_ClipDistance", "gl_CullDistance", "gl_ClipVertex"];
    let redeclared = |unit| blocks(unit).find(|block| block.name.name == "gl_PerVertex");
    let Some(first) = units.iter().find_map(redeclared) else { return };
    let names = |block: &BlockDeclaration| {
        block.members.iter().map(|member| member.name.name.clone()).collect::<Vec<_>>()
    };
    for unit in units {
        match redeclared(unit) {
            Some(second) if names(first) != names(second) => {
                let message = "`gl_PerVertex` has other members in another shader object";
                errors.push(Diagnostic::error(second.span, message));
            }
            Some(_) => {}
            None => {
                if let Some(span) = first_use(unit, &MEMBERS) {
                    let message = "`gl_PerVertex` is redeclared in another shader object only";
                    errors.push(Diagnostic::error(span, message));
                }
            }
        }
    }
}

fn first_use(unit: &TranslationUnit, names: &[&str]) -> Option<Span> {
    let mut found = None;
    scan::visit_unit(unit, &mut |expr| {
        if let ExprKind::Variable(name) = &expr.kind
            && names.contains(&&**name)
        {
            found.get_or_insert(expr.span);
        }
    });
    found
}

fn layout_value<'a>(qualifiers: &'a Qualifiers, word: &str) -> Option<&'a Expr> {
    let entry = qualifiers.layout.iter().find(|entry| entry.name.name == word)?;
    entry.value.as_ref()
}

/// Order does not count.
fn is_same_layout(first: &[LayoutEntry], second: &[LayoutEntry]) -> bool {
    let holds = |all: &[LayoutEntry], wanted: &LayoutEntry| {
        all.iter().any(|entry| {
            entry.name.name == wanted.name.name
                && match (&entry.value, &wanted.value) {
                    (None, None) => true,
                    (Some(left), Some(right)) => is_same(left, right),
                    (Some(_), None) | (None, Some(_)) => false,
                }
        })
    };
    first.iter().all(|entry| holds(second, entry)) && second.iter().all(|entry| holds(first, entry))
}

fn is_same_initializer(first: &Initializer, second: &Initializer) -> bool {
    match (first, second) {
        (Initializer::Expr(first), Initializer::Expr(second)) => is_same(first, second),
        (Initializer::List(first, _), Initializer::List(second, _)) => {
            first.len() == second.len()
                && first
                    .iter()
                    .zip(second)
                    .all(|(first, second)| is_same_initializer(first, second))
        }
        (Initializer::Expr(_), Initializer::List(..))
        | (Initializer::List(..), Initializer::Expr(_)) => false,
    }
}

/// Made of literals, constructors and operators alone, so that equal text means equal values.
fn is_constant(initializer: &Initializer) -> bool {
    match initializer {
        Initializer::Expr(expr) => !reads_variable(expr),
        Initializer::List(items, _) => items.iter().all(is_constant),
    }
}

fn reads_variable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Uint(_)
        | ExprKind::Float(_)
        | ExprKind::Double(_)
        | ExprKind::Bool(_) => false,
        ExprKind::Unary(_, operand) => reads_variable(operand),
        ExprKind::Binary(_, left, right) => reads_variable(left) || reads_variable(right),
        ExprKind::Call(_, arguments) => arguments.iter().any(reads_variable),
        ExprKind::Variable(_)
        | ExprKind::Increment { .. }
        | ExprKind::Assign(..)
        | ExprKind::Select(..)
        | ExprKind::Comma(..)
        | ExprKind::Construct(..)
        | ExprKind::Method(..)
        | ExprKind::Field(..)
        | ExprKind::Index(..) => true,
    }
}

/// The same text up to spacing, for the kinds that [`reads_variable`] lets pass; everything else differs.
fn is_same(first: &Expr, second: &Expr) -> bool {
    match (&first.kind, &second.kind) {
        (ExprKind::Int(first), ExprKind::Int(second)) => first == second,
        (ExprKind::Uint(first), ExprKind::Uint(second)) => first == second,
        (ExprKind::Float(first), ExprKind::Float(second)) => first.to_bits() == second.to_bits(),
        (ExprKind::Double(first), ExprKind::Double(second)) => first.to_bits() == second.to_bits(),
        (ExprKind::Bool(first), ExprKind::Bool(second)) => first == second,
        (ExprKind::Variable(first), ExprKind::Variable(second)) => first == second,
        (ExprKind::Unary(op, first), ExprKind::Unary(other, second)) => {
            op == other && is_same(first, second)
        }
        (ExprKind::Binary(op, left, right), ExprKind::Binary(other, other_left, other_right)) => {
            op == other && is_same(left, other_left) && is_same(right, other_right)
        }
        (ExprKind::Call(name, first), ExprKind::Call(other, second)) => {
            name.name == other.name
                && first.len() == second.len()
                && first.iter().zip(second).all(|(first, second)| is_same(first, second))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::glsl::{ParseOptions, parse};

    #[track_caller]
    fn check_objects(first: &str, second: &str, expected: &str) {
        let header = "#version 450\n";
        let units = [first, second].map(|text| {
            parse(&format!("{header}{text}"), 0, &ParseOptions::default()).expect("the text parses")
        });
        let messages: Vec<String> = check(&units).into_iter().map(|error| error.message).collect();
        assert_eq!(messages.join("; "), expected);
    }

    #[test]
    fn initialisers_must_be_equal_constants() {
        check_objects("float a = 1.0 + 2.0;", "float a = 1.0+2.0;", "");
        check_objects(
            "vec2 a = vec2(1.0);",
            "vec2 a = vec2(2.0);",
            "`a` has another initialiser in another shader object",
        );
        check_objects(
            "float a = b;",
            "float a = b;",
            "`a` has another initialiser in another shader object",
        );
        check_objects("float a = 1.0;", "float a;", "");
    }

    #[test]
    fn locations_components_and_invariance_must_agree() {
        check_objects("layout(location = 1) out vec2 a;", "layout(location = 1) out vec2 a;", "");
        check_objects(
            "layout(location = 1) out vec2 a;",
            "layout(location = 2) out vec2 a;",
            "`a` has another location in another shader object",
        );
        check_objects(
            "invariant out vec2 a;",
            "out vec2 a;",
            "`a` is invariant in one shader object only",
        );
    }

    #[test]
    fn fragcoord_must_be_redeclared_wherever_it_is_used() {
        let redeclared = "layout(origin_upper_left) in vec4 gl_FragCoord;";
        check_objects(redeclared, "void f() {}", "");
        check_objects(
            redeclared,
            "float f() { return gl_FragCoord.x; }",
            "`gl_FragCoord` is redeclared in another shader object only",
        );
        check_objects(
            redeclared,
            "layout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord;",
            "`gl_FragCoord` has other qualifiers in another shader object",
        );
    }

    #[test]
    fn blocks_must_have_the_same_layout() {
        check_objects(
            "buffer B { layout(offset = 16) float a; };",
            "buffer B { layout(offset = 32) float a; };",
            "`a` of block `B` has another layout in another shader object",
        );
    }
}
