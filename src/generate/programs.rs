//! Random programs of a vertex and a fragment stage, or of a compute stage, compared with the oracle.
//!
//! They use all operators, functions, types and statements of a language, guarded so that nothing is undefined: divisors
//! are positive, indices and amounts of shifts masked, loops bounded. All values reach the outputs: exact ones in a hash,
//! inexact floats in a sum within the range that the oracle knows.

mod atomic;
mod case;
#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod draw;
#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod features;
#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod liveness;
mod lookup;
mod operation;
mod points;
#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod prune;
mod scalar;
#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod spirv;
#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod text;
mod tree;
mod walk;

use std::collections::{BTreeSet, HashSet};

pub use liveness::Reach;
pub use points::SUM_POINT as SUMS;
pub use prune::Layer;

use operation::{Op, ROWS, Row};
use tree::{Program, Scalar};

/// The language of the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GLSL 4.50.
    Glsl,
    /// WGSL.
    Wgsl,
    /// SPIR-V assembly.
    Spirv,
}

impl Language {
    /// All.
    pub const ALL: [Self; 3] = [Self::Glsl, Self::Wgsl, Self::Spirv];

    const fn name(self) -> &'static str {
        match self {
            Self::Glsl => "glsl",
            Self::Wgsl => "wgsl",
            Self::Spirv => "spirv",
        }
    }
}

/// The operations that programs may have.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The language of the stages.
    language: Language,
    /// The languages that have all that programs may have.
    shared: Vec<Language>,
    /// Features that no program has, as they were given.
    without: Vec<String>,
    /// Operations, each of a class, that no program has.
    left_out: HashSet<(Op, Scalar)>,
}

impl Recipe {
    /// All of a language.
    pub fn new(language: Language) -> Self {
        Self { language, shared: vec![language], without: Vec::new(), left_out: HashSet::new() }
    }

    /// Only operations and constructs that every language has. A seed gives the same program in each language.
    pub fn common(language: Language) -> Self {
        Self { shared: Language::ALL.to_vec(), ..Self::new(language) }
    }

    /// The same programs in another language.
    #[must_use]
    pub fn written_in(self, language: Language) -> Self {
        Self { language, ..self }
    }

    /// The same without an operation of a kind of numbers, such as `abs of uint`, or without a construct that programs may
    /// lack, such as `texel`; `None` if the language has no such.
    pub fn without(mut self, feature: &str) -> Option<Self> {
        let all = ROWS.iter().flat_map(|row| Scalar::ALL.map(|class| (row, class)));
        let named: Vec<_> = all
            .filter(|(row, class)| row.has(self.language, *class))
            .filter(|(row, class)| features::named(row.op, *class) == feature)
            .map(|(row, class)| (row.op, class))
            .collect();
        self.without.push(feature.to_owned());
        self.left_out.extend(&named);
        let is_construct =
            features::is_optional(feature) && !features::lacks(self.language, feature);
        (!named.is_empty() || is_construct).then_some(self)
    }

    /// True if programs may have the construct.
    fn allows(&self, construct: &str) -> bool {
        !self.without.iter().any(|left_out| left_out == construct)
            && !self.shared.iter().any(|language| features::lacks(*language, construct))
    }

    /// True if programs may have the operation of a class.
    fn has(&self, row: &Row, class: Scalar) -> bool {
        self.shared.iter().all(|language| row.has(*language, class))
            && !self.left_out.contains(&(row.op, class))
    }

    /// Seed of the unusual spelling of a seed's program; `None` for the usual one. Programs that several languages share
    /// may have one in each that has spellings.
    fn spelling(&self, seed: u64) -> Option<u64> {
        let is_left_out = self.without.iter().any(|left_out| left_out == features::UNUSUAL);
        let may = !is_left_out && !features::lacks(self.language, features::UNUSUAL);
        (may && seed.is_multiple_of(3)).then_some(seed)
    }

    /// True if programs are also written in the language.
    fn is_for(&self, language: Language) -> bool {
        self.shared.contains(&language)
    }

    /// The features that programs may have.
    pub fn features(&self) -> BTreeSet<String> {
        let mut all = features::all(self.language);
        for language in &self.shared {
            all = &all & &features::all(*language);
        }
        all.retain(|feature| !self.without.contains(feature));
        if !self.allows("half") {
            all.retain(|feature| !features::is_of_halves(feature));
        }
        all
    }

    /// The features of a seed's program, and the counts of what reaches its outputs.
    pub fn measured(&self, seed: u64) -> (BTreeSet<String>, Reach) {
        let program = draw::program(seed, self);
        (features::of(&program), liveness::of(&program))
    }

    /// The options that give this recipe.
    fn options(&self) -> String {
        let without = self.without.iter().map(|feature| format!(" --without '{feature}'"));
        let common = if self.shared.len() > 1 { " --common" } else { "" };
        let language = self.language.name();
        format!("--language {language}{common}{}", without.collect::<String>())
    }
}

/// A program that can be made smaller.
#[derive(Clone, Debug)]
pub struct Draft {
    program: Program,
    recipe: Recipe,
    seed: u64,
}

impl Draft {
    /// The program of a seed.
    pub fn new(seed: u64, recipe: &Recipe) -> Self {
        Self { program: draw::program(seed, recipe), recipe: recipe.clone(), seed }
    }

    /// Number of possible cuts of a layer.
    pub fn cuts(&self, layer: Layer) -> usize {
        prune::count(&self.program, layer)
    }

    /// The program with these cuts of a layer, by their numbers, and without what nothing reads any more. A program that
    /// is no longer valid is possible: a `break` may have lost its loop.
    #[must_use]
    pub fn with(&self, layer: Layer, cuts: &BTreeSet<usize>) -> Self {
        Self { program: prune::cut(&self.program, layer, cuts), ..self.clone() }
    }

    /// The program with ones in place of the operations with these names, where that keeps it defined, such as `abs of
    /// uint`.
    #[must_use]
    pub fn without_operations(&self, names: &BTreeSet<String>) -> Self {
        Self { program: prune::without_operations(&self.program, names), ..self.clone() }
    }

    /// The features of the program.
    pub fn features(&self) -> BTreeSet<String> {
        features::of(&self.program)
    }

    /// Text of the case.
    pub fn case(&self) -> String {
        case::text(&self.program, self.seed, &self.recipe)
    }
}

/// Text of the case for `seed`.
pub fn case(seed: u64, recipe: &Recipe) -> String {
    Draft::new(seed, recipe).case()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of the first programs that have halves.
    fn with_halves(recipe: &Recipe) -> Vec<u64> {
        (0..40).filter(|seed| case(*seed, recipe).contains("f16")).collect()
    }

    #[test]
    fn only_wgsl_has_halves_and_not_in_common_programs() {
        let all = with_halves(&Recipe::new(Language::Wgsl));
        assert!((3..=15).contains(&all.len()), "{all:?}");
        let text = case(all[0], &Recipe::new(Language::Wgsl));
        assert!(text.contains("\nfeature SHADER_F16\n") && text.contains("]\nenable f16;\n"));
        for language in [Language::Glsl, Language::Spirv] {
            assert!(with_halves(&Recipe::new(language)).is_empty(), "{language:?}");
            assert!(Recipe::new(language).without("half").is_none(), "{language:?}");
        }
        assert!(with_halves(&Recipe::common(Language::Wgsl)).is_empty());
    }

    #[test]
    fn halves_are_left_out_as_a_whole_or_by_their_operations() {
        let all = Recipe::new(Language::Wgsl);
        let is_of_half = |feature: &String| feature.contains("half");
        assert!(all.features().iter().filter(|feature| is_of_half(feature)).count() > 30);
        let none = all.clone().without("half").expect("WGSL has halves");
        assert!(with_halves(&none).is_empty());
        assert!(!none.features().iter().any(is_of_half));
        let some = all.without("step of half").expect("WGSL has steps of halves");
        assert!(!with_halves(&some).is_empty());
        assert!((0..40).all(|seed| !some.measured(seed).0.contains("step of half")));
    }

    #[test]
    fn optional_constructs_can_be_left_out() {
        for language in Language::ALL {
            let all = Recipe::new(language);
            for feature in all.features().iter().filter(|feature| features::is_optional(feature)) {
                let some = all.clone().without(feature).expect("the language has it");
                let has = |seed: &u64| features::of(&draw::program(*seed, &some)).contains(feature);
                assert_eq!((0..8).find(has), None, "{feature} in {language:?}");
            }
        }
    }

    #[test]
    fn pointers_are_used_where_a_language_has_them_and_can_be_left_out() {
        let feature = "assignment through a pointer";
        let uses = |recipe: &Recipe| (0..20).any(|seed| recipe.measured(seed).0.contains(feature));
        assert!(!uses(&Recipe::new(Language::Glsl)) && !uses(&Recipe::common(Language::Wgsl)));
        for language in [Language::Wgsl, Language::Spirv] {
            let all = Recipe::new(language);
            assert!(uses(&all), "{language:?}");
            assert!(!uses(&all.without(feature).expect("the language has pointers")));
        }
        let texts: String = (0..20).map(|seed| case(seed, &Recipe::new(Language::Wgsl))).collect();
        assert!(texts.contains("{ let pointer = &") && texts.contains("; (*pointer)"));
    }
}
