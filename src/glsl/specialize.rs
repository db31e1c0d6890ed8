//! Specialisation constants of GLSL for Vulkan: `layout(constant_id = N) const …` (`GL_KHR_vulkan_glsl`).
//!
//! A value that a pipeline gives takes the place of the initialiser, before anything is checked.

use crate::ast::{
    Declaration, Expr, ExprKind, Initializer, Item, LayoutEntry, TranslationUnit, TypeName,
};
use ir::diagnostic::{CompileError, Diagnostic};
use ir::stage::Specialization;

/// Layout words that make a workgroup as large as a specialisation constant says.
const SIZES: [&str; 3] = ["local_size_x_id", "local_size_y_id", "local_size_z_id"];

/// Gives the constants of `unit` their values. Values for constants that it does not have are ignored.
///
/// # Errors
/// A number of a constant is not written as a number, a constant has no scalar type of 32 bits, or workgroup sizes are
/// specialised.
pub fn specialize(
    unit: &mut TranslationUnit,
    values: &[Specialization],
) -> Result<(), CompileError> {
    for item in &mut unit.items {
        let Item::Declaration(declaration) = item else { continue };
        if let Declaration::Requalify { qualifiers, .. } = declaration
            && let Some(size) = find(&qualifiers.layout, &SIZES)
        {
            let word = "workgroup sizes that are specialisation constants";
            return Err(CompileError::unsupported(word, size.name.span));
        }
        let Declaration::Variables { ty, declarators } = declaration else { continue };
        let Some(entry) = find(&ty.qualifiers.layout, &["constant_id"]) else { continue };
        let id = number(entry)?;
        let Some(value) = values.iter().rev().find(|value| value.id == id) else { continue };
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

fn find<'a>(layout: &'a [LayoutEntry], names: &[&str]) -> Option<&'a LayoutEntry> {
    layout.iter().find(|entry| names.contains(&&*entry.name.name))
}

fn number(entry: &LayoutEntry) -> Result<u32, CompileError> {
    let number = match entry.value.as_ref().map(|value| &value.kind) {
        Some(ExprKind::Int(number)) => u32::try_from(*number).ok(),
        Some(ExprKind::Uint(number)) => Some(*number),
        Some(_) | None => None,
    };
    number.ok_or_else(|| {
        let message = "`constant_id` needs a number that is not negative";
        CompileError::Diagnostics(vec![Diagnostic::error(entry.name.span, message)])
    })
}

/// The value with these bits.
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
    use ir::stage::ShaderStage;

    use super::*;
    use crate::ast::Version;
    use crate::{ParseOptions, Target, parse};

    /// The initialisers after constant 3 got these bits, or the error.
    fn specialized(text: &str, bits: u32) -> Result<Vec<ExprKind>, CompileError> {
        let options = ParseOptions {
            default_version: Version { number: 450, ..Version::default() },
            includes: Vec::new(),
            include_folders: Vec::new(),
            target: Target::Vulkan,
        };
        let mut unit = parse(text, 0, &options).expect("it can be parsed");
        let (stage, span) = (ShaderStage::Compute, Span::new(0, 0));
        specialize(&mut unit, &[Specialization { stage, id: 3, bits, span }])?;
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
            "layout(local_size_x_id = 3) in;",
        ] {
            assert!(specialized(text, 7).is_err(), "{text}");
        }
    }
}
