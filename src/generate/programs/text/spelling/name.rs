//! Names of variables that mean something in another language, or that compilers make.

use super::Token;

/// Names that a program in WGSL may have.
const OF_WGSL: [&str; 26] = [
    "float",
    "int",
    "uint",
    "half",
    "double",
    "float4",
    "uint2",
    "ivec3",
    "dvec2",
    "sampler2D",
    "Texture2D",
    "lerp",
    "mul",
    "frac",
    "asint",
    "asfloat",
    "SV_Position",
    "gl_FragCoord",
    "gl_Position",
    "naga_div",
    "naga_mod",
    "naga_f2i32",
    "_e10",
    "_group_0_binding_4_fs",
    "Größe",
    "Δ_1",
];

/// Names that a program in GLSL may have.
const OF_GLSL: [&str; 24] = [
    "u32",
    "f32",
    "i32",
    "vec3f",
    "array",
    "fn",
    "let",
    "var",
    "loop",
    "override",
    "f64",
    "float4",
    "uint2",
    "Texture2D",
    "SamplerState",
    "lerp",
    "mul",
    "frac",
    "asint",
    "SV_Target",
    "naga_div",
    "naga_mod",
    "_e10",
    "local",
];

/// Other names of local variables.
pub(super) struct Names<'a> {
    tokens: &'a [Token<'a>],
    known: &'static [&'static str],
    /// Index of the first name that is given.
    first: usize,
    is_used: bool,
}

impl<'a> Names<'a> {
    /// Names for a text with these tokens. Every second program keeps its own.
    pub(super) fn new(tokens: &'a [Token<'a>], seed: u64, is_wgsl: bool) -> Self {
        let known: &[&str] = if is_wgsl { &OF_WGSL } else { &OF_GLSL };
        let mut rng = fastrand::Rng::with_seed(seed);
        Self { tokens, known, first: rng.usize(0..known.len()), is_used: rng.bool() }
    }

    /// The name for a token: another one for some local variables, or itself.
    pub(super) fn of(&self, token: &str) -> String {
        let number = token.strip_prefix('x').and_then(|rest| rest.parse::<usize>().ok());
        let other = number
            .filter(|number| self.is_used && *number < self.known.len())
            .map(|number| self.known[(self.first + number) % self.known.len()])
            .filter(|name| self.tokens.iter().all(|token| token.text != *name));
        other.unwrap_or(token).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;

    #[test]
    fn only_local_variables_have_other_names_and_no_two_the_same() {
        let text = "x0 x1 x2 x25 x99 p3 lerp";
        let tokens = tokens(text);
        let names = Names { tokens: &tokens, known: &OF_WGSL, first: 3, is_used: true };
        let found: Vec<_> = text.split(' ').map(|token| names.of(token)).collect();
        assert_eq!(found, ["half", "double", "float4", "uint", "x99", "p3", "lerp"]);
        assert_eq!(names.of("x8"), "x8", "lerp is taken");
        let names = Names { is_used: false, ..names };
        assert_eq!(names.of("x0"), "x0");
    }
}
