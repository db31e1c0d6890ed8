//! Parses the names of texture functions that sample (GLSL 4.60 section 8.9, 1.20 section 8.7).
//!
//! `texture2DProjLod`, `textureProjLod` and `texture2DProjLodEXT` differ only in what the sampler's type already
//! specifies.

/// Parsed name of a sampling function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SampleName {
    pub(super) is_proj: bool,
    pub(super) level: LevelWord,
    pub(super) has_offset: bool,
    /// True for a `shadow…` function, whose result has four components.
    pub(super) is_shadow_name: bool,
}

/// Selection of the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LevelWord {
    /// The level follows from derivatives, with an optional bias.
    Implicit,
    /// The level is explicit: `Lod`.
    Lod,
    /// The level follows from explicit gradients: `Grad`.
    Grad,
}

/// Texture shapes in the names of old functions, the longest first.
const SHAPES: [&str; 8] = ["1DArray", "2DArray", "CubeArray", "2DRect", "1D", "2D", "3D", "Cube"];

/// The name after `start` and a shape.
fn without_shape(rest: &str) -> &str {
    SHAPES.iter().find_map(|shape| rest.strip_prefix(shape)).unwrap_or(rest)
}

/// Parses the name of a sampling function; each word occurs at most once and in this order.
pub(super) fn parse_sample(name: &str) -> Option<SampleName> {
    let (rest, is_shadow_name) = match (name.strip_prefix("texture"), name.strip_prefix("shadow")) {
        (Some(rest), _) => (rest, false),
        (None, Some(rest)) => (rest, true),
        (None, None) => return None,
    };
    let mut rest = without_shape(rest);
    let mut take = |word: &str| {
        let shorter = rest.strip_prefix(word);
        rest = shorter.unwrap_or(rest);
        shorter.is_some()
    };
    let is_proj = take("Proj");
    let level = if take("Lod") {
        LevelWord::Lod
    } else if take("Grad") {
        LevelWord::Grad
    } else {
        LevelWord::Implicit
    };
    let has_offset = take("Offset");
    let _ = take("ARB") || take("EXT");
    rest.is_empty().then_some(SampleName { is_proj, level, has_offset, is_shadow_name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<(bool, LevelWord, bool, bool)>) {
        let found = parse_sample(name)
            .map(|sample| (sample.is_proj, sample.level, sample.has_offset, sample.is_shadow_name));
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn names_of_all_ages_are_taken_apart() {
        check("texture", Some((false, LevelWord::Implicit, false, false)));
        check("texture2DRectProj", Some((true, LevelWord::Implicit, false, false)));
        check("textureProjGradOffset", Some((true, LevelWord::Grad, true, false)));
        check("shadow2DGradARB", Some((false, LevelWord::Grad, false, true)));
        check("texture2DProjLodEXT", Some((true, LevelWord::Lod, false, false)));
        check("textureSize", None);
        check("textureOffsetLod", None);
        check("texelFetch", None);
    }
}
