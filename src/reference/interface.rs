//! Matches outputs and inputs, by GLSL's rules and by the case format's rules for labels.

use std::collections::BTreeSet;

use case::{LinkSection, ProfileChoice};
use ir::interface::{Interpolation, StructType, Type, Variable};
use ir::linkage_table::LinkageLine;
use ir::profile::{Profile, UnwrittenInput};
use ir::semantic::Semantic;
use ir::source::Spanned;
use ir::stage_module::{LanguageRules, StageModule};
use ir::tessellation::{INNER_LEVELS, OUTER_LEVELS};

/// Names of outputs for inputs that have a different name.
const COLORS: [(&str, &str); 2] =
    [("gl_Color", "gl_FrontColor"), ("gl_SecondaryColor", "gl_FrontSecondaryColor")];

/// The levels of a patch, which are not varyings.
const LEVELS: [&str; 2] = [OUTER_LEVELS, INNER_LEVELS];

/// The property that an output and an input must share to match.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Label { label: u32, component: u32 },
    Name(String),
}

/// The interface of two stages.
#[derive(Debug, Default)]
pub(super) struct Interface<'a> {
    /// Outputs with values, and the inputs that read them.
    pub(super) pairs: Vec<(&'a Variable, &'a Variable)>,
    /// Inputs that are read and have no value.
    pub(super) empty: Vec<&'a Variable>,
    /// True if the last of four components of inputs without a value is one instead of zero.
    pub(super) is_last_one: bool,
}

/// The rules of the case for matching.
struct Rules<'a> {
    section: &'a LinkSection,
    /// True if interpolation qualifiers must agree (GLSL before 4.40, and every ES).
    must_agree: bool,
    is_es: bool,
}

impl<'a> Interface<'a> {
    /// The interface of a vertex and a fragment stage.
    pub(super) fn of(
        section: &'a LinkSection,
        vertex: &'a StageModule,
        fragment: Option<&'a StageModule>,
    ) -> Self {
        let Some(fragment) = fragment else { return Self::default() };
        Self::between(section, vertex, fragment, false)
    }

    /// The interface of two stages, for vertices or for patches.
    pub(super) fn between(
        section: &'a LinkSection,
        vertex: &'a StageModule,
        fragment: &'a StageModule,
        is_patch: bool,
    ) -> Self {
        let rules = Rules::of(section, vertex.rules, fragment.rules);
        let is_varying = |input: &&Variable| input.is_used && !LEVELS.contains(&&*input.name);
        let inputs: Vec<_> = fragment.inputs.iter().filter(is_varying).collect();
        let partners = inputs.iter().map(|input| rules.partner(vertex, fragment, input));
        let partners: Vec<_> = partners.collect();
        // Inputs that only names can match, of vertices and of patches, are either all defined or all undefined.
        let mut named = inputs.iter().zip(&partners).filter(|(input, _)| !is_member(input));
        let is_whole = !section.is_separable || named.all(|(_, partner)| partner.is_some());
        let is_label = |input: &Variable| matches!(rules.key(input), Key::Label { .. });
        let mut interface = Self { is_last_one: rules.is_last_one(), ..Self::default() };
        let all = inputs.into_iter().zip(partners);
        for (input, partner) in all.filter(|(input, _)| input.is_patch == is_patch) {
            let is_alone = is_label(input) || input.name.starts_with("gl_");
            match partner {
                Some(output) if output.is_used && (is_whole || is_alone) => {
                    interface.pairs.push((output, input));
                }
                Some(_) | None => interface.empty.push(input),
            }
        }
        interface
    }
}

/// True for a member of `gl_in`, which is not a varying.
pub(super) fn is_member(input: &Variable) -> bool {
    let members = ["gl_Position", "gl_PointSize", "gl_ClipDistance", "gl_CullDistance"];
    members.contains(&&*input.name)
}

/// Indices of the words of an input without a value that are one if the last of four components is.
pub(super) fn ones(input: &Variable) -> Vec<usize> {
    let Some(last) = 3_usize.checked_sub(input.component.unwrap_or(0) as usize) else {
        return Vec::new();
    };
    let (mut word, mut all) = (0, Vec::new());
    for leaf in input.ty.leaves() {
        all.extend((last < leaf.words()).then_some(word + last));
        word += leaf.words();
    }
    all
}

/// True if an input has this label of the case's sprite coordinates.
pub(super) fn has_label(section: &LinkSection, input: &Variable, label: Semantic) -> bool {
    let element = input.name.strip_prefix("gl_TexCoord[").and_then(|rest| rest.strip_suffix(']'));
    match element {
        Some(index) => label.to_string() == format!("TEXCOORD[{index}]"),
        None => given(section, input) == Some(label.key()),
    }
}

/// The label that the case or the shader assigns to a variable.
fn given(section: &LinkSection, variable: &Variable) -> Option<u32> {
    let line = section.semantics.iter().rfind(|line| line.value.0 == variable.name);
    line.map(|line| line.value.1.key()).or(variable.location)
}

impl<'a> Rules<'a> {
    fn of(section: &'a LinkSection, vertex: LanguageRules, fragment: LanguageRules) -> Self {
        let version = |rules| match rules {
            LanguageRules::Glsl { version, is_es } => Some((version, is_es)),
            LanguageRules::Wgsl
            | LanguageRules::Spirv
            | LanguageRules::FixedFunction
            | LanguageRules::Vulkan => None,
        };
        let (must_agree, is_es) = match (version(vertex), version(fragment)) {
            (Some((first, first_es)), Some((second, second_es))) => {
                let is_es = first_es && second_es;
                (is_es || first.max(second) < 440, is_es)
            }
            (Some(_) | None, Some(_) | None) => (false, false),
        };
        Self { section, must_agree, is_es }
    }

    /// Under nv50, separable inputs without a value are 0, 0, 0, 1; all others are zero.
    fn is_last_one(&self) -> bool {
        let profile = match self.section.profile {
            Some(ProfileChoice::One(profile)) => profile,
            Some(ProfileChoice::All) | None => Profile::Webgpu,
        };
        self.section.is_separable && profile.traits().unwritten == UnwrittenInput::ZeroOne
    }

    fn key(&self, variable: &Variable) -> Key {
        let label = given(self.section, variable)
            .or_else(|| Semantic::of_builtin(&variable.name).map(Semantic::key));
        if let Some(label) = label {
            return Key::Label { label, component: variable.component.unwrap_or(0) };
        }
        let output = COLORS.iter().find(|(input, _)| *input == variable.name);
        Key::Name(output.map_or(&*variable.name, |(_, output)| output).to_owned())
    }

    /// The key of the output that an input reads; `None` if the linkage table connects that output to another input.
    fn read_key(&self, input: &Variable) -> Option<Key> {
        let Key::Label { label, component } = self.key(input) else { return Some(self.key(input)) };
        let lines = &self.section.linkage.lines;
        let named = |side: fn(&LinkageLine) -> Semantic| {
            lines.iter().find(|Spanned { value, .. }| side(value).key() == label)
        };
        match (named(|line| line.input), named(|line| line.output)) {
            (Some(line), _) => Some(Key::Label { label: line.value.output.key(), component }),
            (None, Some(_)) => None,
            (None, None) => Some(Key::Label { label, component }),
        }
    }

    /// The output that an input reads.
    fn partner(
        &self,
        vertex: &'a StageModule,
        fragment: &StageModule,
        input: &Variable,
    ) -> Option<&'a Variable> {
        let wanted = self.read_key(input)?;
        let meets = |output: &&Variable| {
            self.key(output) == wanted
                && output.is_patch == input.is_patch
                && (!self.section.is_separable
                    || self.suits(output, input) && is_same_block(vertex, fragment, input))
        };
        vertex.outputs.iter().find(meets)
    }

    /// True if a separable output is compatible with an input.
    fn suits(&self, output: &Variable, input: &Variable) -> bool {
        let meaning = |variable: &Variable| match variable.interpolation {
            Interpolation::Unqualified if self.is_es => Interpolation::Smooth,
            other @ (Interpolation::Unqualified
            | Interpolation::Smooth
            | Interpolation::Flat
            | Interpolation::NoPerspective) => other,
        };
        let has_label = matches!(self.key(input), Key::Label { .. });
        let is_typed = is_same(&output.ty, &input.ty)
            || has_label && input.location.is_some() && is_wider(&output.ty, &input.ty);
        is_typed && (!self.must_agree || meaning(output) == meaning(input))
    }
}

/// True for equal types; the names of structures are ignored.
fn is_same(first: &Type, second: &Type) -> bool {
    let members = |ty: &StructType| {
        ty.members.iter().map(|member| (member.name.clone(), member.ty.clone())).collect::<Vec<_>>()
    };
    match (first, second) {
        (Type::Struct(first), Type::Struct(second)) => {
            let (first, second) = (members(first), members(second));
            first.len() == second.len()
                && first
                    .iter()
                    .zip(&second)
                    .all(|((name, ty), (other, other_ty))| name == other && is_same(ty, other_ty))
        }
        (Type::Array { element, length }, Type::Array { element: other, length: other_length }) => {
            length == other_length && is_same(element, other)
        }
        (first, second) => first == second,
    }
}

/// True if the output is a vector that begins with the input's components.
fn is_wider(output: &Type, input: &Type) -> bool {
    let (from, to) = (output.leaves(), input.leaves());
    let are_vectors = [output, input].iter().all(|ty| match ty {
        Type::Scalar(_) | Type::Vector { .. } => !ty.has_64_bit(),
        Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => false,
    });
    are_vectors && from[0].scalar == to[0].scalar && from[0].size >= to[0].size
}

/// True if the input is not a member of a block, or of a block that both stages declare alike.
fn is_same_block(vertex: &StageModule, fragment: &StageModule, input: &Variable) -> bool {
    if !input.is_block_member || input.location.is_some() {
        return true;
    }
    let block = |variable: &Variable| variable.name.split(['.', '[']).next().map(str::to_owned);
    let own = block(input);
    let members = |all: &[Variable]| -> Vec<Variable> {
        let is_own = |member: &&Variable| member.is_block_member && block(member) == own;
        all.iter().filter(is_own).cloned().collect()
    };
    let (first, second) = (members(&vertex.outputs), members(&fragment.inputs));
    let names: BTreeSet<_> = first.iter().map(|member| &member.name).collect();
    first.len() == second.len()
        && names.len() == first.len()
        && first
            .iter()
            .zip(&second)
            .all(|(first, second)| first.name == second.name && is_same(&first.ty, &second.ty))
}

#[cfg(test)]
mod tests {
    use ir::interface::ScalarKind;
    use ir::semantic::SemanticName;
    use ir::source::Span;

    use super::*;

    fn vector(name: &str, size: u8, location: Option<u32>) -> Variable {
        let ty = Type::scalar_or_vector(size, ScalarKind::F32);
        Variable { location, ..Variable::new(name, ty) }
    }

    fn rules(section: &LinkSection) -> Rules<'_> {
        Rules { section, must_agree: false, is_es: false }
    }

    #[test]
    fn labels_come_before_names() {
        let mut section = LinkSection::default();
        let semantic = Semantic { name: SemanticName::Color, index: 0 };
        section.semantics.push(Spanned::new(("a".to_owned(), semantic), Span::new(0, 0)));
        let rules = rules(&section);
        let front = rules.key(&vector("gl_FrontColor", 4, None));
        assert_eq!(rules.key(&vector("gl_Color", 4, None)), front);
        assert_eq!(rules.key(&vector("a", 4, Some(7))), front);
        assert_eq!(rules.key(&vector("b", 4, None)), Key::Name("b".to_owned()));
        let label = Key::Label { label: 7, component: 0 };
        assert_eq!(rules.key(&vector("b", 4, Some(7))), label);
    }

    #[test]
    fn a_line_of_the_linkage_table_redirects_both_ends() {
        let mut section = LinkSection::default();
        let line = LinkageLine { output: Semantic::generic(3), input: Semantic::generic(7) };
        section.linkage.lines.push(Spanned::new(line, Span::new(0, 0)));
        let rules = rules(&section);
        let read = |at| rules.read_key(&vector("a", 4, Some(at)));
        let label = |label| Some(Key::Label { label, component: 0 });
        assert_eq!([read(7), read(3), read(4)], [label(3), None, label(4)]);
    }

    #[test]
    fn a_located_vector_may_read_the_beginning_of_a_longer_one() {
        let section = LinkSection { is_separable: true, ..LinkSection::default() };
        let rules = rules(&section);
        let suits = |written: u8, read: u8, location: Option<u32>| {
            rules.suits(&vector("a", written, location), &vector("a", read, location))
        };
        assert!(suits(4, 2, Some(1)) && suits(2, 2, None));
        assert!(!suits(2, 4, Some(1)) && !suits(4, 2, None));
        let flat = Variable { interpolation: Interpolation::Flat, ..vector("a", 2, Some(1)) };
        assert!(rules.suits(&flat, &vector("a", 2, Some(1))));
        let strict = Rules { must_agree: true, ..rules };
        assert!(!strict.suits(&flat, &vector("a", 2, Some(1))));
    }

    #[test]
    fn names_of_structures_do_not_count() {
        let structure = |name: &str, member: &str| {
            let ty = Type::Vector { size: 2, scalar: ScalarKind::I32 };
            let members = vec![ir::interface::Member { name: member.to_owned(), ty }];
            Type::Struct(StructType { name: name.to_owned(), members }).array(2)
        };
        assert!(is_same(&structure("S", "a"), &structure("T", "a")));
        assert!(!is_same(&structure("S", "a"), &structure("S", "b")));
    }
}
