//! `hint` and `memory barrier`: GL commands that have no effect here. Their words must be GL's, as a mistyped line
//! would not mean what was intended.

use crate::read::line::Words;
use crate::read::problem::{Parsed, Problem};
use crate::state::StateChange;
use crate::vacuous;
use crate::{Dialect, Setting};

/// Targets of `glHint`, in the core and the compatibility profile.
const HINTS: [&str; 8] = [
    "GL_FRAGMENT_SHADER_DERIVATIVE_HINT",
    "GL_LINE_SMOOTH_HINT",
    "GL_POLYGON_SMOOTH_HINT",
    "GL_TEXTURE_COMPRESSION_HINT",
    "GL_PERSPECTIVE_CORRECTION_HINT",
    "GL_POINT_SMOOTH_HINT",
    "GL_FOG_HINT",
    "GL_GENERATE_MIPMAP_HINT",
];

const MODES: [&str; 3] = ["GL_FASTEST", "GL_NICEST", "GL_DONT_CARE"];

/// Bits of `glMemoryBarrier`.
const BARRIERS: [&str; 16] = [
    "GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT",
    "GL_ELEMENT_ARRAY_BARRIER_BIT",
    "GL_UNIFORM_BARRIER_BIT",
    "GL_TEXTURE_FETCH_BARRIER_BIT",
    "GL_SHADER_IMAGE_ACCESS_BARRIER_BIT",
    "GL_COMMAND_BARRIER_BIT",
    "GL_PIXEL_BUFFER_BARRIER_BIT",
    "GL_TEXTURE_UPDATE_BARRIER_BIT",
    "GL_BUFFER_UPDATE_BARRIER_BIT",
    "GL_FRAMEBUFFER_BARRIER_BIT",
    "GL_TRANSFORM_FEEDBACK_BARRIER_BIT",
    "GL_ATOMIC_COUNTER_BARRIER_BIT",
    "GL_SHADER_STORAGE_BARRIER_BIT",
    "GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT",
    "GL_QUERY_BUFFER_BARRIER_BIT",
    "GL_ALL_BARRIER_BITS",
];

/// Reads `hint TARGET MODE`.
pub(super) fn read_hint(words: &mut Words<'_>) -> Parsed<Setting> {
    read_known(words, "target", &HINTS)?;
    read_known(words, "mode", &MODES)?;
    Ok(Setting::State(StateChange::WithoutEffect))
}

/// Reads `memory barrier BIT…`.
pub(super) fn read_memory_barrier(words: &mut Words<'_>) -> Parsed<Setting> {
    read_known(words, "bit", &BARRIERS)?;
    while words.has_more() {
        read_known(words, "bit", &BARRIERS)?;
    }
    Ok(Setting::State(StateChange::WithoutEffect))
}

/// Reads one of the `known` words; in piglit's files any word.
fn read_known(words: &mut Words<'_>, what: &str, known: &[&'static str]) -> Parsed<()> {
    let word = words.need(&format!("a {what} such as `{}`", known[0]))?;
    if known.contains(&word.text) || words.dialect == Dialect::Piglit {
        return Ok(());
    }
    let message = format!("GL has no {what} `{}` here", word.text);
    let error = Problem::from(vacuous::UNKNOWN_WORD.error(word.span, message));
    Err(error.nearest(word.text, known.iter().copied()))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error, step};

    use super::*;

    #[test]
    fn words_are_gls() {
        let without_effect = || Setting::State(StateChange::WithoutEffect);
        check("hint GL_FRAGMENT_SHADER_DERIVATIVE_HINT GL_NICEST", without_effect());
        check("memory barrier GL_FRAMEBUFFER_BARRIER_BIT", without_effect());
        let two = "memory barrier GL_UNIFORM_BARRIER_BIT GL_SHADER_STORAGE_BARRIER_BIT";
        check(two, without_effect());
        assert!(step(Dialect::Piglit, "memory barrier nonsense").is_ok());
        check_error(
            "memory barrier nonsense",
            &expect![[r#"
                GL has no bit `nonsense` here (usage: memory barrier BITS)
                memory barrier nonsense
                               ^^^^^^^^"#]],
        );
        check_error(
            "memory barrier GL_UNIFORM_BARRIER_BIT GL_SHADER_STORAGE_BARIER_BIT",
            &expect![[r#"
                GL has no bit `GL_SHADER_STORAGE_BARIER_BIT` here (did you mean `GL_SHADER_STORAGE_BARRIER_BIT`?)
                memory barrier GL_UNIFORM_BARRIER_BIT GL_SHADER_STORAGE_BARIER_BIT
                                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
        );
        check_error(
            "hint GL_FOG_HINT GL_NICE",
            &expect![[r#"
                GL has no mode `GL_NICE` here (did you mean `GL_NICEST`?)
                hint GL_FOG_HINT GL_NICE
                                 ^^^^^^^"#]],
        );
        check_error(
            "memory barrier",
            &expect![[r#"
                missing a bit such as `GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT` (usage: memory barrier BITS)
                memory barrier
                ^^^^^^^^^^^^^^"#]],
        );
    }
}
