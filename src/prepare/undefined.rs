//! Detects expectations that depend on fragments that no stage processes.
//!
//! Without a fragment stage, the results of fragment shader execution are undefined (GL 4.6 core profile, sections 7.3
//! and 15.2), and the adapter leaves the target unchanged. So no expectation about colours, depths or stencil values
//! can pass after such a draw. The stages before the rasteriser have defined results: captures, queries, buffers, and
//! draws under `GL_RASTERIZER_DISCARD`.

use case::state::{Capability, StateChange};
use case::{Action, Case, Expectation, ReadExpectation, ReadSource, Setting, Step};
use ir::source::Span;
use link::program::LinkedStages;
use link::session::LinkedPrograms;

/// The reason why the case is unsupported, if an expectation depends on fragments that no fragment stage wrote.
pub(crate) fn undefined_fragments(case: &Case, linked: &LinkedPrograms) -> Option<String> {
    let is_open = |at: usize| {
        let program = linked.programs.get(at).map(|program| &program.stages);
        matches!(program, Some(LinkedStages::Render { fragment: None, .. }))
    };
    let mut uses = linked.uses.iter().copied();
    let mut current = linked.uses.first().copied().unwrap_or(0);
    let mut is_discarded = false;
    let mut drawn: Option<Span> = None;
    for step in &case.steps {
        match &step.value {
            Step::Set(Setting::Use(_)) => current = uses.next().unwrap_or(current),
            Step::Set(Setting::State(StateChange::Switch {
                capability: Capability::RasterizerDiscard,
                is_enabled,
            })) => is_discarded = *is_enabled,
            Step::Run(Action::Draw(_)) if !is_discarded && is_open(current) => {
                drawn.get_or_insert(step.span);
            }
            Step::Expect(Expectation::Read(expectation)) if sees_fragments(case, expectation) => {
                let Some(draw) = drawn else { continue };
                let line = |span: Span| case.source.line_and_column(span.start).0;
                return Some(format!(
                    "fragments without a fragment stage, which GL leaves undefined: those of line {}, \
                     which line {} looks at",
                    line(draw),
                    line(step.span)
                ));
            }
            Step::Set(_) | Step::Run(_) | Step::Expect(_) => {}
        }
    }
    None
}

/// True for an expectation about render targets or the depth buffer. If draws go to textures, which later draws may
/// read, true for any expectation about results on the GPU.
fn sees_fragments(case: &Case, expectation: &ReadExpectation) -> bool {
    match expectation.source() {
        ReadSource::Target { .. } | ReadSource::Depth(_) => true,
        ReadSource::Buffer(_) | ReadSource::Texture(_) | ReadSource::Count(_) => {
            case.draws_to_textures()
        }
    }
}

#[cfg(test)]
mod tests {
    use case::Dialect;
    use case::parse::parse;
    use check::verdict::Verdict;

    use crate::{AdapterRules, compile, first_profile};

    /// For each stage object, a word of the lines that use it, and its section.
    const OBJECTS: [(&str, &str); 3] = [
        (
            "use v",
            "[vertex shader v]\n#version 450\nout gl_PerVertex { vec4 gl_Position; };\nin vec4 piglit_vertex;\n\
             void main() { gl_Position = piglit_vertex; }\n",
        ),
        (
            "use w",
            "[vertex shader w]\n#version 120\nattribute vec4 piglit_vertex;\n\
             void main() { gl_Position = piglit_vertex; gl_FrontColor = vec4(1.0); }\n",
        ),
        (
            " f\n",
            "[fragment shader f]\n#version 450\nout vec4 c;\nvoid main() { c = vec4(1.0); }\n",
        ),
    ];

    /// Checks the two lines that the message names, counted from the first step on; `None` if the case is supported.
    #[track_caller]
    fn check(steps: &str, expected: Option<[usize; 2]>) {
        for setting in ["separable", "mix on"] {
            let used = OBJECTS.iter().filter(|(word, _)| steps.contains(word));
            let sections: String = used.map(|(_, section)| *section).collect();
            let head = format!("[require]\nGLSL >= 4.50\n{sections}[link]\n{setting}\n[test]\n");
            let text = format!("{head}{steps}\nprobe all rgba 1 1 1 1\n");
            let case = parse("a", text.as_bytes(), Dialect::Interstage).remove(0);
            let case = case.result.expect("a right case");
            let compiled = compile(&case).expect("it compiles");
            let linked = compiled.link(&case, AdapterRules::default(), first_profile(&case));
            let first = head.lines().count();
            let expected = expected.map(|[draw, probe]| {
                format!(
                    "fragments without a fragment stage, which GL leaves undefined: those of line {}, which line {} looks at",
                    first + draw,
                    first + probe
                )
            });
            match linked {
                Err(Verdict::Unsupported(word)) => assert_eq!(Some(word), expected),
                Ok(crate::Linking::Done(_)) => assert_eq!(None, expected),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn nothing_that_no_fragment_stage_wrote_is_looked_at() {
        let draw = "draw rect -1 -1 2 2";
        check(&format!("use v\n{draw}"), Some([2, 3]));
        check(&format!("use v f\n{draw}"), None);
        check(&format!("use v f\n{draw}\nuse v\n{draw}\n{draw}"), Some([4, 6]));
        check(&format!("use v\n{draw}\nuse v f\n{draw}"), Some([2, 5]));
        let discard = "enable GL_RASTERIZER_DISCARD";
        check(&format!("use v f\n{draw}\nuse v\n{discard}\n{draw}"), None);
        let kept = "disable GL_RASTERIZER_DISCARD";
        check(&format!("use v\n{discard}\n{draw}\n{kept}\n{draw}"), Some([5, 6]));
        // In the compatibility profile the fixed-function fragment stage uses the colour.
        check(&format!("use w\n{draw}"), None);
        check(&format!("use w\n{draw}\nprobe all rgba 1 1 1 1\nuse v\n{draw}"), Some([5, 6]));
    }
}
