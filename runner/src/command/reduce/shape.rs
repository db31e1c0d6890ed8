//! What a reduced case must keep to be a case of the same kind: a draw if there was one, and in every remaining stage a
//! `main` with a statement and the outputs that the pipeline needs.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::pieces::{Piece, Section};

/// Outputs of both stages that GLSL declares implicitly.
const BUILT_IN: [&str; 4] = ["gl_Position", "gl_FragColor", "gl_FragData", "gl_FragDepth"];

/// A declaration of an output.
static OUTPUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bout\s+(?:\w+\s+)+(\w+)\s*(?:\[[^\]]*\]\s*)?;")
        .expect("the pattern is a constant")
});

/// A declaration of the position as a member of a struct in WGSL.
static POSITION: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"@builtin\(position\)\s*(\w+)\s*:";
    Regex::new(pattern).expect("the pattern is a constant")
});

/// A declaration of an input in GLSL, or a parameter of `main` in WGSL.
static INPUT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\b(?:in|varying)\s+(?:\w+\s+)+\w+\s*[;\[]|\bmain\(\s*\w+\s*:";
    Regex::new(pattern).expect("the pattern is a constant")
});

/// The shape of the original case.
#[derive(Debug)]
pub(super) struct Shape {
    /// Line of the failing step, if a step fails.
    step: Option<usize>,
    /// True if a step before the failing one draws or computes.
    draws: bool,
    present: Present,
    /// Properties of each stage's code, by the line of its header.
    stages: BTreeMap<usize, Code>,
}

/// Stages of a case.
#[derive(Clone, Copy, Debug)]
struct Present {
    vertex: bool,
    fragment: bool,
}

/// Properties of the code of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Code {
    has_statement: bool,
    /// True if the code writes the position (vertex) or an output (fragment).
    writes: bool,
}

impl Shape {
    /// The shape of a case whose failure is at `line`.
    pub(super) fn of(pieces: &[Piece], line: Option<usize>) -> Self {
        let is_step =
            |piece: &Piece| piece.section() == Section::Test && Some(piece.line()) == line;
        let step = line.filter(|_| pieces.iter().any(is_step));
        let stages = codes(pieces).map(|(header, text)| (header.line(), Code::of(header, &text)));
        let (draws, present) = (draws(pieces, step), present(pieces));
        Self { step, draws, present, stages: stages.collect() }
    }

    /// True if the shorter case has this shape.
    pub(super) fn is_of(&self, pieces: &[Piece]) -> bool {
        let keeps = |(header, text): (&Piece, String)| {
            let code = Code::of(header, &text);
            let before = self.stages.get(&header.line()).copied().unwrap_or(code);
            before.has_statement <= code.has_statement && before.writes <= code.writes
        };
        let stages = present(pieces);
        // Without the vertex stage, the inputs of the fragment stage are undefined; without a fragment stage, the
        // pixels are.
        let needs_vertex = self.present.vertex && codes(pieces).any(|(_, text)| reads(&text));
        let needs_fragment = self.present.fragment && self.step.is_some();
        self.draws <= draws(pieces, self.step)
            && needs_vertex <= stages.vertex
            && needs_fragment <= stages.fragment
            && codes(pieces).all(keeps)
    }
}

/// Headers of stages, each with its code.
fn codes(pieces: &[Piece]) -> impl Iterator<Item = (&Piece, String)> {
    let headers = pieces.iter().enumerate().filter(|(_, piece)| piece.section() == Section::Header);
    headers.filter_map(|(at, header)| {
        let code = pieces[at + 1..].iter().take_while(|piece| piece.section() == Section::Code);
        let text = code.map(Piece::trimmed).collect::<Vec<_>>().join("\n");
        header.trimmed().contains(" shader").then_some((header, text))
    })
}

fn present(pieces: &[Piece]) -> Present {
    let has = |name: &str| codes(pieces).any(|(header, _)| header.trimmed().starts_with(name));
    Present { vertex: has("[vertex"), fragment: has("[fragment") }
}

/// True if a stage reads variables of the previous stage.
fn reads(text: &str) -> bool {
    INPUT.is_match(text)
}

/// True if a step before the failing one draws or computes.
fn draws(pieces: &[Piece], failing: Option<usize>) -> bool {
    let steps = pieces.iter().filter(|piece| piece.section() == Section::Test);
    let mut before = steps.filter(|piece| failing.is_none_or(|line| piece.line() < line));
    before.any(|piece| matches!(piece.trimmed().split(' ').next(), Some("draw" | "compute")))
}

impl Code {
    fn of(header: &Piece, text: &str) -> Self {
        let main = text.find("main").or_else(|| text.find("fn "));
        let body = main.and_then(|at| text[at..].split_once('{')).map_or("", |(_, body)| body);
        let is_vertex = header.trimmed().starts_with("[vertex");
        let own = OUTPUT.captures_iter(text).filter_map(|found| found.get(1));
        let mut outputs: Vec<_> = own.map(|name| name.as_str()).filter(|_| !is_vertex).collect();
        let position = POSITION.captures_iter(text).filter_map(|found| found.get(1));
        outputs.extend(position.map(|name| name.as_str()).filter(|_| is_vertex));
        outputs.extend(BUILT_IN);
        Self {
            has_statement: body.contains(';'),
            writes: outputs.iter().any(|name| is_written(body, name)),
        }
    }
}

/// True if a statement assigns to the variable or to a part of it.
fn is_written(body: &str, name: &str) -> bool {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    body.match_indices(name).any(|(at, _)| {
        let rest = &body[at + name.len()..];
        let is_whole = !body[..at].ends_with(is_word) && !rest.starts_with(is_word);
        let before_end = rest.split(';').next().unwrap_or_default();
        is_whole && before_end.contains('=')
    })
}

#[cfg(test)]
mod tests {
    use super::super::pieces::{cut, without};
    use super::*;

    const CASE: &str = "\
[vertex shader]
in vec4 p;
void main(void) { gl_Position = p; }
[fragment shader]
out vec4 color;
void main() { float x = 1.0; color = vec4(x); }
[test]
draw rect -1 -1 2 2
probe all rgba 0 0 0 0
draw rect -1 -1 2 2
";

    #[test]
    fn the_position_and_main_of_wgsl_stay() {
        let case = "[vertex shader wgsl]\nstruct V { @builtin(position) place: vec4f, }\n\
                    @vertex fn main(p: vec4f) -> V {\nvar v: V;\nv.place = p;\nreturn v;\n}\n";
        let pieces = cut(case);
        let shape = Shape::of(&pieces, None);
        for (left_out, is_of) in [("v.place = p;", false), ("var v: V;", true), ("@vertex", false)]
        {
            let ids = pieces.iter().filter(|piece| piece.trimmed().starts_with(left_out));
            let ids = ids.map(|piece| piece.id).collect();
            assert_eq!(shape.is_of(&without(&pieces, &ids)), is_of, "{left_out}");
        }
    }

    #[track_caller]
    fn check(cut_out: &[&str], is_of: bool) {
        let pieces = cut(CASE);
        let left_out = pieces.iter().filter(|piece| cut_out.contains(&piece.trimmed()));
        let left_out = left_out.map(|piece| piece.id).collect();
        let shape = Shape::of(&pieces, Some(9));
        assert_eq!(shape.is_of(&without(&pieces, &left_out)), is_of, "{cut_out:?}");
    }

    #[test]
    fn a_draw_and_the_outputs_of_every_stage_stay() {
        check(&[], true);
        check(&["float x = 1.0;"], true);
        check(&["color = vec4(x);"], false);
        check(&["float x = 1.0;", "color = vec4(x);"], false);
        check(&["gl_Position = p;"], false);
        // The draw after the probe does not count.
        check(&["draw rect -1 -1 2 2"], false);
        check(&["[vertex shader]", "in vec4 p;", "void main(void) {", "gl_Position = p;"], true);
    }
}
