//! Specialisation constants of GLSL for Vulkan: `layout(constant_id = N) const …` (`GL_KHR_vulkan_glsl`).
//!
//! A value from the pipeline replaces the initialiser, before any checks.

use crate::ast::{
    Declaration, Expr, ExprKind, Ident, Initializer, Item, LayoutEntry, TranslationUnit, TypeName,
};
use ir::diagnostic::{CompileError, Diagnostic};
use ir::interface::ScalarKind;
use ir::stage::Specialization;

/// Layout words that set the workgroup's size from a specialisation constant, and the corresponding words for fixed
/// sizes.
const SIZES: [(&str, &str); 3] = [
    ("local_size_x_id", "local_size_x"),
    ("local_size_y_id", "local_size_y"),
    ("local_size_z_id", "local_size_z"),
];

/// Sets the specialisation constants of `unit` to their values. Values for constants that it does not have are ignored,
/// as in Vulkan.
///
/// # Errors
/// A constant's number is not written as a number, a constant does not have a 32-bit scalar type, or the value of a
/// workgroup's size is not an integer.
pub fn specialize(
    unit: &mut TranslationUnit,
    values: &[Specialization],
) -> Result<(), CompileError> {
    specialize_sizes(unit, values)?;
    for item in &mut unit.items {
        let Item::Declaration(declaration) = item else { continue };
        let Declaration::Variables { ty, declarators } = declaration else { continue };
        let Some(entry) = find(&ty.qualifiers.layout, "constant_id") else { continue };
        let Some(value) = value_of(values, number(entry)?) else { continue };
        let TypeName::Named(name) = &ty.ty.kind else { continue };
        for declarator in declarators {
            let kind = literal(name, value.bits).ok_or_else(|| {
                let word = format!("specialisation constants of the type {name}");
                CompileError::unsupported(word, ty.ty.span)
            })?;
            let expr = Expr { kind, span: declarator.name.span };
            declarator.initializer = Some(Initializer::Expr(expr));
        }
    }
    Ok(())
}

/// Replaces the numbers of the constants for the workgroup's size by the sizes, all in one declaration. A size without
/// a value is the one that another layout word sets, or 1 (`GL_KHR_vulkan_glsl`, "work group size qualifiers").
fn specialize_sizes(
    unit: &mut TranslationUnit,
    values: &[Specialization],
) -> Result<(), CompileError> {
    let all = || unit.items.iter().flat_map(layout_of_stage);
    let is_id = |entry: &&LayoutEntry| SIZES.iter().any(|(id_word, _)| entry.name.name == *id_word);
    let Some(span) = all().find(is_id).map(|entry| entry.name.span) else { return Ok(()) };
    let mut sizes = Vec::new();
    for (id_word, word) in SIZES {
        let named = |name: &'static str| all().filter(move |entry| entry.name.name == name);
        let given = match named(id_word).next() {
            Some(entry) => value_of(values, number(entry)?),
            None => None,
        };
        let is_integer =
            |value: &&Specialization| matches!(value.kind, ScalarKind::I32 | ScalarKind::U32);
        if let Some(value) = given.filter(|value| !is_integer(value)) {
            let message = format!("`{id_word}` needs an integer, not a {}", value.kind);
            return Err(CompileError::Diagnostics(vec![Diagnostic::error(value.span, message)]));
        }
        let own = named(word).find_map(|entry| entry.value.as_ref());
        let own = own.map_or(ExprKind::Int(1), |value| value.kind.clone());
        let kind = given.map_or(own, |value| ExprKind::Uint(value.bits));
        let name = Ident { name: word.to_owned(), span };
        sizes.push(LayoutEntry { name, value: Some(Expr { kind, span }) });
    }
    unit.items.retain_mut(|item| {
        let Item::Declaration(Declaration::Requalify { qualifiers, .. }) = item else {
            return true;
        };
        let before = qualifiers.layout.len();
        qualifiers.layout.retain(|entry| !is_size(&entry.name.name));
        if qualifiers.layout.len() < before {
            qualifiers.layout.append(&mut sizes);
        }
        before == 0 || !qualifiers.layout.is_empty()
    });
    Ok(())
}

/// True for the layout words of workgroup sizes, and for those of their constants.
fn is_size(word: &str) -> bool {
    SIZES.iter().any(|(id_word, own)| [*id_word, *own].contains(&word))
}

/// The layout words of a declaration for the whole stage: `layout(…) in;`.
fn layout_of_stage(item: &Item) -> &[LayoutEntry] {
    let Item::Declaration(Declaration::Requalify { qualifiers, .. }) = item else { return &[] };
    &qualifiers.layout
}

/// The last value that is given for a constant.
fn value_of(values: &[Specialization], id: u32) -> Option<&Specialization> {
    values.iter().rev().find(|value| value.constant.id() == Some(id))
}

fn find<'a>(layout: &'a [LayoutEntry], name: &str) -> Option<&'a LayoutEntry> {
    layout.iter().find(|entry| entry.name.name == name)
}

fn number(entry: &LayoutEntry) -> Result<u32, CompileError> {
    let number = match entry.value.as_ref().map(|value| &value.kind) {
        Some(ExprKind::Int(number)) => u32::try_from(*number).ok(),
        Some(ExprKind::Uint(number)) => Some(*number),
        Some(_) | None => None,
    };
    number.ok_or_else(|| {
        let message = format!("`{}` needs a number that is not negative", entry.name.name);
        CompileError::Diagnostics(vec![Diagnostic::error(entry.name.span, message)])
    })
}

/// The literal with these bits, of the type `name`.
fn literal(name: &str, bits: u32) -> Option<ExprKind> {
    match name {
        "int" => Some(ExprKind::Int(bits.cast_signed())),
        "uint" => Some(ExprKind::Uint(bits)),
        "float" => Some(ExprKind::Float(f32::from_bits(bits))),
        "bool" => Some(ExprKind::Bool(bits != 0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ir::source::Span;
    use ir::stage::{ConstantName, ShaderStage};

    use super::*;
    use crate::ast::Version;
    use crate::{ParseOptions, Target, parse};

    fn parsed(text: &str) -> TranslationUnit {
        let options = ParseOptions {
            default_version: Version { number: 450, ..Version::default() },
            includes: Vec::new(),
            include_folders: Vec::new(),
            target: Target::Vulkan,
        };
        parse(text, 0, &options).expect("it can be parsed")
    }

    /// The initialisers after constant 3 was set to these bits, or the error.
    fn specialized(text: &str, bits: u32) -> Result<Vec<ExprKind>, CompileError> {
        let mut unit = parsed(text);
        let (stage, span) = (ShaderStage::Compute, Span::new(0, 0));
        let (constant, kind) = (ConstantName::Id(3), ScalarKind::U32);
        specialize(&mut unit, &[Specialization { stage, constant, kind, bits, span }])?;
        let mut found = Vec::new();
        for item in unit.items {
            let Item::Declaration(Declaration::Variables { declarators, .. }) = item else {
                continue;
            };
            for declarator in declarators {
                if let Some(Initializer::Expr(expr)) = declarator.initializer {
                    found.push(expr.kind);
                }
            }
        }
        Ok(found)
    }

    #[test]
    fn a_value_takes_the_place_of_the_initialiser() {
        let text =
            "layout(constant_id = 3) const int a = 1; layout(constant_id = 4) const int b = 2;";
        assert_eq!(specialized(text, u32::MAX), Ok(vec![ExprKind::Int(-1), ExprKind::Int(2)]));
        let text = "layout(constant_id = 3) const float a = 1.0;";
        assert_eq!(specialized(text, 0.5_f32.to_bits()), Ok(vec![ExprKind::Float(0.5)]));
        let text = "layout(constant_id = 3u) const bool a = false;";
        assert_eq!(specialized(text, 1), Ok(vec![ExprKind::Bool(true)]));
    }

    #[test]
    fn what_cannot_be_specialised_is_no_silent_default() {
        for text in [
            "layout(constant_id = 3) const double a = 1.0lf;",
            "layout(constant_id = 1 + 2) const int a = 1;",
            "layout(local_size_x_id = 1 + 2) in;",
        ] {
            assert!(specialized(text, 7).is_err(), "{text}");
        }
    }

    /// Checks the layout words of the stage after constant 3 was set to the value 7.
    #[track_caller]
    fn check_size(text: &str, expected: &str) {
        let mut unit = parsed(text);
        let (stage, span) = (ShaderStage::Compute, Span::new(0, 0));
        let (constant, kind) = (ConstantName::Id(3), ScalarKind::U32);
        let value = Specialization { stage, constant, kind, bits: 7, span };
        specialize(&mut unit, &[value]).expect("it can be specialised");
        let words = unit.items.iter().flat_map(layout_of_stage).map(|entry| {
            let value = match entry.value.as_ref().map(|value| &value.kind) {
                Some(ExprKind::Int(value)) => i64::from(*value),
                Some(ExprKind::Uint(value)) => i64::from(*value),
                other => panic!("{other:?} is no size"),
            };
            format!("{} {value}", entry.name.name)
        });
        assert_eq!(words.collect::<Vec<_>>().join(", "), expected);
    }

    #[test]
    fn sizes_of_workgroups_are_constants() {
        let check = |text: &str, [x, y, z]: [u32; 3]| {
            check_size(text, &format!("local_size_x {x}, local_size_y {y}, local_size_z {z}"));
        };
        check("layout(local_size_x_id = 3, local_size_y = 2) in;", [7, 2, 1]);
        let apart =
            "layout(local_size_z = 4, local_size_x = 5) in; layout(local_size_z_id = 3) in;";
        check(apart, [5, 1, 7]);
        check("layout(local_size_y_id = 8) in;", [1, 1, 1]);
        check("layout(local_size_y = 6, local_size_y_id = 8) in;", [1, 6, 1]);
        check_size("layout(local_size_y = 6) in;", "local_size_y 6");
    }
}
