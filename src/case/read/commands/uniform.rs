//! `uniform TYPE NAME values…`.

use crate::UniformStep;
use crate::read::elsewhere::unknown_word;
use crate::read::line::{Word, Words, wrong};
use crate::read::problem::{Parsed, Problem};
use crate::read::value::{basic_type, read_scalar, scalar_count, scalar_kind, unknown_type};
use crate::state::StateChange;
use crate::state::SubroutineChoice;
use crate::{Dialect, Setting};
use ir::diagnostic::Diagnostic;
use ir::interface::{ScalarKind, Type};
use ir::scalar::Number;
use ir::stage::ShaderStage;

/// Reads the rest of the line.
pub(super) fn read(words: &mut Words<'_>) -> Parsed<Setting> {
    let ty = read_basic_type(words, "uniform")?;
    let name = words.need("the uniform's name")?.text.to_owned();
    let values = read_values(words, &ty)?;
    Ok(Setting::Uniform(UniformStep { name, ty, values }))
}

/// Reads a stage by GL's name.
fn read_stage(words: &mut Words<'_>) -> Parsed<ShaderStage> {
    let word = words.need("a stage")?;
    ShaderStage::ALL.into_iter().find(|stage| gl_name(*stage) == word.text).ok_or_else(|| {
        let error = wrong(word, format!("unknown stage `{}`", word.text));
        error.nearest(word.text, ShaderStage::ALL.into_iter().map(gl_name))
    })
}

const fn gl_name(stage: ShaderStage) -> &'static str {
    stage.properties().gl_name
}

/// Reads the rest of an `active shader program` line. piglit's reader matches only the start of the word and ignores
/// unknown words.
pub(super) fn read_active_stage(words: &mut Words<'_>) -> Parsed<Setting> {
    if words.dialect != Dialect::Piglit {
        return read_stage(words).map(|stage| Setting::State(StateChange::ActiveStage(stage)));
    }
    let text = words.need("a stage")?.text;
    let known = ShaderStage::ALL.into_iter().find(|stage| text.starts_with(gl_name(*stage)));
    Ok(Setting::State(match known {
        Some(stage) => StateChange::ActiveStage(stage),
        None => StateChange::WithoutEffect,
    }))
}

/// Reads the rest of a `subuniform` line.
pub(super) fn read_subroutine(words: &mut Words<'_>) -> Parsed<Setting> {
    let stage = read_stage(words)?;
    let uniform = words.need("the subroutine uniform's name")?.text.to_owned();
    let function = words.need("the function's name")?.text.to_owned();
    Ok(Setting::State(StateChange::Subroutine(SubroutineChoice { stage, uniform, function })))
}

/// Reads a scalar, vector or matrix type.
pub(super) fn read_basic_type(words: &mut Words<'_>, command: &str) -> Parsed<Type> {
    let word = words.need("a type")?;
    // piglit's buffer commands write these two without `_t`.
    let name = match word.text {
        "int64" => "int64_t",
        "uint64" => "uint64_t",
        other => other,
    };
    match basic_type(name) {
        Some(ty) if scalar_kind(&ty) == ScalarKind::Bool => Err(wrong(
            word,
            format!(
                "a value of type `{}` is given as `{}`",
                word.text,
                word.text.replace("bool", "int").replace("bvec", "ivec")
            ),
        )),
        Some(ty) => Ok(ty),
        None => Err(not_a_type(words.dialect, word, command)),
    }
}

fn not_a_type(dialect: Dialect, word: Word<'_>, command: &str) -> Problem {
    match unknown_word(dialect, word, command, "type", []) {
        problem @ Problem::Unsupported { .. } => problem,
        Problem::Broken(_) => unknown_type(word, word.text),
    }
}

/// Reads one number for each scalar of `ty`. In piglit's files missing numbers are zero.
fn read_values(words: &mut Words<'_>, ty: &Type) -> Parsed<Vec<Number>> {
    let count = scalar_count(ty);
    let kind = scalar_kind(ty);
    let mut values = Vec::new();
    for idx in 1..=count {
        values.push(match (words.has_more(), words.dialect) {
            (true, _) => read_scalar(words, kind, "a number")?,
            (false, Dialect::Piglit) if idx > 1 => Number::Integer(0),
            (false, _) => {
                let message = format!("missing number {idx} of {count} for `{ty}`");
                return Err(Diagnostic::error(words.span, message).into());
            }
        });
    }
    Ok(values)
}

/// Reads one or more values of `ty`, to the end of the line.
pub(super) fn read_all_values(words: &mut Words<'_>, ty: &Type) -> Parsed<Vec<Number>> {
    let mut values = read_values(words, ty)?;
    while words.has_more() {
        values.extend(read_values(words, ty)?);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error, check_unsupported, step};

    use super::*;

    fn uniform(ty: &str, name: &str, values: Vec<Number>) -> Setting {
        let ty = basic_type(ty).expect("a type");
        Setting::Uniform(UniformStep { name: name.into(), ty, values })
    }

    #[test]
    fn every_scalar_has_a_number() {
        check("uniform float a 1.5", uniform("float", "a", vec![Number::Real(1.5)]));
        check("uniform int 3 -2", uniform("int", "3", vec![Number::Integer(-2)]));
        let zeros = vec![Number::Integer(0); 6];
        check("uniform mat3x2 s[1].m 0 0 0 0 0 0", uniform("mat3x2", "s[1].m", zeros));
        let bits = vec![Number::Bits(0x7fc0_0000), Number::Integer(1)];
        check("uniform vec2 v 0x7fc00000 1", uniform("vec2", "v", bits));
    }

    #[test]
    fn numbers_of_64_bits_are_exact() {
        let least = vec![Number::Integer(i64::MIN.into())];
        check("uniform int64_t i -9223372036854775808", uniform("int64_t", "i", least));
        let most = vec![Number::Integer(u64::MAX.into()), Number::Bits(u64::MAX)];
        let line = "uniform u64vec2 u 18446744073709551615 0xffffffffffffffff";
        check(line, uniform("u64vec2", "u", most));
        let bits = vec![Number::Bits(0x7ff0_0000_0000_0001), Number::Real(0.1)];
        check("uniform dvec2 d 0x7ff0000000000001 0.1", uniform("dvec2", "d", bits));
        let zeros = vec![Number::Integer(0); 12];
        check("uniform dmat4x3 m 0 0 0 0 0 0 0 0 0 0 0 0", uniform("dmat4x3", "m", zeros));
    }

    #[test]
    fn numbers_beyond_64_bits_wrap_only_in_piglit() {
        check_error(
            "uniform int64_t i 9223372036854775808",
            &expect![[r"
            `9223372036854775808` does not fit `int64_t` (usage: uniform TYPE NAME values)
            uniform int64_t i 9223372036854775808
                              ^^^^^^^^^^^^^^^^^^^"]],
        );
        check_error(
            "uniform uint64_t u -1",
            &expect![[r"
            `-1` does not fit `uint64_t` (usage: uniform TYPE NAME values)
            uniform uint64_t u -1
                               ^^"]],
        );
        check_error(
            "uniform u64vec2 u 0 18446744073709551616",
            &expect![[r"
            `18446744073709551616` does not fit `uint64_t` (usage: uniform TYPE NAME values)
            uniform u64vec2 u 0 18446744073709551616
                                ^^^^^^^^^^^^^^^^^^^^"]],
        );
        check_error(
            "uniform int64_t i 0.5",
            &expect![[r"
            `0.5` does not fit `int64_t` (usage: uniform TYPE NAME values)
            uniform int64_t i 0.5
                              ^^^"]],
        );
        check_error(
            "uniform double d 0x10000000000000000",
            &expect![[r"
            `0x10000000000000000` is too large a number (usage: uniform TYPE NAME values)
            uniform double d 0x10000000000000000
                             ^^^^^^^^^^^^^^^^^^^"]],
        );
        let wrapped = uniform("int64_t", "i", vec![Number::Bits(1 << 63)]);
        let line = "uniform int64_t i 9223372036854775808";
        assert_eq!(step(Dialect::Piglit, line), Ok(wrapped.into()));
    }

    #[test]
    fn integers_wrap_only_in_piglit() {
        let line = "uniform int i 4294967295";
        assert!(step(Dialect::Interstage, line).is_err());
        let expect = uniform("int", "i", vec![Number::Bits(0xffff_ffff)]);
        assert_eq!(step(Dialect::Piglit, line), Ok(expect.into()));
    }

    #[test]
    fn missing_numbers_are_zero_only_in_piglit() {
        let line = "uniform vec2 v 1";
        assert!(step(Dialect::Interstage, line).is_err());
        let expect = uniform("vec2", "v", vec![Number::Integer(1), Number::Integer(0)]);
        assert_eq!(step(Dialect::Piglit, line), Ok(expect.into()));
    }

    /// Matches piglit's `shader_runner`.
    #[test]
    fn an_unknown_active_stage_is_ignored_only_in_piglit() {
        let active = |stage| Ok(Setting::State(StateChange::ActiveStage(stage)).into());
        let vertex = "active shader program GL_VERTEX_SHADER";
        assert_eq!(step(Dialect::Interstage, vertex), active(ShaderStage::Vertex));
        assert!(step(Dialect::Interstage, "active shader program NONE").is_err());
        let control = "active shader program GL_TESS_CONTROL_SHADER";
        let stage = ShaderStage::TessellationControl;
        assert_eq!(step(Dialect::Interstage, control), active(stage));
        let read = |word| step(Dialect::Piglit, &format!("active shader program {word}"));
        assert_eq!(read("NONE"), Ok(Setting::State(StateChange::WithoutEffect).into()));
        assert_eq!(read("GL_FRAGMENT_SHADERS"), active(ShaderStage::Fragment));
        assert_eq!(read("GL_GEOMETRY_SHADER"), active(ShaderStage::Geometry));
        let stage = ShaderStage::TessellationEvaluation;
        assert_eq!(read("GL_TESS_EVALUATION_SHADER"), active(stage));
    }

    #[test]
    fn every_stage_has_subroutines() {
        let expected = SubroutineChoice {
            stage: ShaderStage::TessellationControl,
            uniform: "u".to_owned(),
            function: "f".to_owned(),
        };
        let line = "subuniform GL_TESS_CONTROL_SHADER u f";
        check(line, Setting::State(StateChange::Subroutine(expected)));
    }

    #[test]
    fn mistakes_are_named() {
        check_error(
            "uniform vec2 v 1",
            &expect![[r"
            missing number 2 of 2 for `vec2` (usage: uniform TYPE NAME values)
            uniform vec2 v 1
            ^^^^^^^^^^^^^^^^"]],
        );
        check_error(
            "uniform uint u -1",
            &expect![[r"
            `-1` does not fit `uint` (usage: uniform TYPE NAME values)
            uniform uint u -1
                           ^^"]],
        );
        check_error(
            "uniform bvec2 b 1 1",
            &expect![[r"
            a value of type `bvec2` is given as `ivec2` (usage: uniform TYPE NAME values)
            uniform bvec2 b 1 1
                    ^^^^^"]],
        );
        check_error(
            "uniform vec3f b 1",
            &expect![[r"
            unknown type `vec3f` (types have their GLSL names here: `float`, `vec3`, `ivec2`, `mat3x2`)
            uniform vec3f b 1
                    ^^^^^"]],
        );
        check_error(
            "uniform float f 1 2",
            &expect![[r"
            words are left
            uniform float f 1 2
                              ^"]],
        );
        check_unsupported("uniform handle h 1", "uniform handle");
    }
}
