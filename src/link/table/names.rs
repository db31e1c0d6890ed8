//! Checks names in the two interfaces that all stages of a GLSL program share: its uniforms and its buffers. In each
//! interface a name has one meaning (GLSL 4.60 sections 4.3.5 and 4.3.9).
//!
//! An interface contains the names of all uniforms outside blocks (values, samplers, images and counters), and the
//! names of the members of blocks without an instance name. A block's own name only matches it with blocks of other
//! shaders, and an instance name has no meaning outside its shader. The compiler checks that a shader uses its block's
//! name for nothing else.

use std::collections::BTreeMap;

use ir::declared_block::{BlockKind, DeclaredBlock};
use ir::declared_uniform::DeclaredUniform;
use ir::diagnostic::Diagnostic;
use ir::source::Span;
use ir::stage_module::StageModule;

use crate::LinkError;
use crate::table::binding::Sharing;

/// Checks the names of a program's stages, which are in the order of the pipeline. Stages that are separate programs
/// share no names.
///
/// # Errors
/// Two declarations of a name differ, or two uniforms are at the same location.
pub(crate) fn check(stages: &[&StageModule], sharing: Sharing) -> Result<(), LinkError> {
    let errors = match sharing {
        Sharing::ByName => conflicts(stages),
        Sharing::Apart => stages.iter().flat_map(|stage| conflicts(&[stage])).collect(),
    };
    if errors.is_empty() { Ok(()) } else { Err(LinkError::Refused(errors)) }
}

fn conflicts(stages: &[&StageModule]) -> Vec<Diagnostic> {
    let blocks = |kind| {
        let all = stages.iter().flat_map(|stage| &stage.declared_blocks);
        all.filter(move |block| block.kind == kind).flat_map(names_of_block)
    };
    let uniforms = || stages.iter().flat_map(|stage| &stage.declared_uniforms);
    let mut errors = differences(uniforms().map(Name::of).chain(blocks(BlockKind::Uniform)));
    errors.extend(differences(blocks(BlockKind::Storage)));
    errors.extend(counters_at_one_place(uniforms()));
    if errors.is_empty() {
        let named = uniforms().filter_map(located).map(|uniform| (uniform.name, uniform));
        errors = overlaps(named.collect::<BTreeMap<_, _>>().into_values());
    }
    errors
}

/// A name, with its meaning in one declaration.
struct Name<'a> {
    text: &'a str,
    meaning: Meaning<'a>,
}

impl<'a> Name<'a> {
    fn of(uniform: &'a DeclaredUniform) -> Self {
        Self { text: &uniform.name, meaning: Meaning::Uniform(uniform) }
    }
}

#[derive(Clone, Copy)]
enum Meaning<'a> {
    /// A uniform outside any block.
    Uniform(&'a DeclaredUniform),
    /// A member of a block without an instance name.
    Member(&'a DeclaredBlock),
}

fn names_of_block(block: &DeclaredBlock) -> impl Iterator<Item = Name<'_>> {
    let members = block.members.iter().filter(|_| !block.has_instance_name);
    members.map(|member| Name { text: &member.name, meaning: Meaning::Member(block) })
}

/// An error for each name that has a different meaning than in an earlier declaration.
fn differences<'a>(names: impl Iterator<Item = Name<'a>>) -> Vec<Diagnostic> {
    let mut known: BTreeMap<&str, Vec<Meaning<'_>>> = BTreeMap::new();
    let mut errors = Vec::new();
    for Name { text, meaning } in names {
        let earlier = known.entry(text).or_default();
        let difference = earlier.iter().find_map(|earlier| meaning.difference(*earlier, text));
        errors.extend(difference.map(|message| Diagnostic::error(meaning.span(), message)));
        earlier.push(meaning);
    }
    errors
}

impl Meaning<'_> {
    /// A message about the difference between this meaning of `name` and an earlier one; `None` if they agree.
    /// Declarations of the same block are compared elsewhere.
    fn difference(self, earlier: Self, name: &str) -> Option<String> {
        match (self, earlier) {
            (Self::Uniform(here), Self::Uniform(there)) => here.difference(there),
            (Self::Member(here), Self::Member(there)) if here.name == there.name => None,
            (Self::Uniform(_) | Self::Member(_), Self::Uniform(_) | Self::Member(_)) => {
                Some(format!(
                    "`{name}` is {} here but {} elsewhere",
                    self.describe(),
                    earlier.describe()
                ))
            }
        }
    }

    fn describe(self) -> String {
        match self {
            Self::Uniform(uniform) => format!("a uniform of type {}", uniform.ty),
            Self::Member(block) => format!("a member of block `{}`", block.name),
        }
    }

    const fn span(self) -> Span {
        match self {
            Self::Uniform(uniform) => uniform.span,
            Self::Member(block) => block.span,
        }
    }
}

/// Reports counters with different names at the same place of a buffer (GLSL 4.60 section 4.4.6.1).
fn counters_at_one_place<'a>(
    uniforms: impl Iterator<Item = &'a DeclaredUniform>,
) -> Vec<Diagnostic> {
    let mut taken: Vec<(u32, u32, u32, &str)> = Vec::new();
    let mut errors = Vec::new();
    for counter in uniforms {
        let (Some(binding), Some(first)) = (counter.binding, counter.offset) else { continue };
        let end = first.saturating_add(counter.location_count.saturating_mul(4));
        let other = taken.iter().find(|(other, start, last, name)| {
            *other == binding && *start < end && first < *last && *name != counter.name
        });
        if let Some((.., other)) = other {
            let message = format!(
                "atomic counters `{other}` and `{}` overlap in the buffer at binding {binding}",
                counter.name
            );
            errors.push(Diagnostic::error(counter.span, message));
        }
        taken.push((binding, first, end, &counter.name));
    }
    errors
}

/// A uniform with an explicit location.
pub(crate) struct Located<'a> {
    pub(crate) name: &'a str,
    pub(crate) first: u32,
    /// Number of locations.
    pub(crate) count: u32,
    pub(crate) span: Option<Span>,
}

fn located(uniform: &DeclaredUniform) -> Option<Located<'_>> {
    let (name, count, span) = (&uniform.name, uniform.location_count, Some(uniform.span));
    Some(Located { name, first: uniform.location?, count, span })
}

/// Reports uniforms at the locations of others.
pub(crate) fn overlaps<'a>(uniforms: impl Iterator<Item = Located<'a>>) -> Vec<Diagnostic> {
    let mut taken: Vec<Located<'_>> = Vec::new();
    let mut errors = Vec::new();
    for uniform in uniforms {
        let end = |uniform: &Located<'_>| uniform.first.saturating_add(uniform.count);
        let overlaps =
            |other: &&Located<'_>| uniform.first < end(other) && other.first < end(&uniform);
        if let Some(other) = taken.iter().find(overlaps) {
            let message = format!(
                "the locations of uniforms `{}` and `{}` overlap",
                other.name, uniform.name
            );
            errors.push(Diagnostic::error(uniform.span, message));
        }
        taken.push(uniform);
    }
    errors
}

#[cfg(test)]
mod tests;
