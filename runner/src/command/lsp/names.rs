//! The names of a document: where stages declare them, and where the linker puts varyings.

use interstage::ir::interface::Variable;
use interstage::ir::source::{Source, Span};
use interstage::ir::stage::ShaderStage;
use interstage::ir::stage_module::{StageModule, Stages};
use interstage::link::place::map::{LinkMap, PlacedVarying, chunk_text, chunks_of};
use interstage::link::session::LinkedPrograms;
use interstage::prepare::Compiled;

use super::origin::Origin;

/// Role of a declaration in its stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Varying that the stage writes, or output of the fragment stage.
    Output,
    /// Varying that the stage reads, or attribute of the vertex stage.
    Input,
    /// Uniform or uniform block.
    Uniform,
    /// Storage buffer, texture, image or sampler.
    Resource,
}

/// A declaration in a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    /// Name by which it is matched, such as `Block.member`.
    pub(super) name: String,
    /// Another name, or empty.
    pub(super) alias: String,
    /// Role in the stage.
    pub(super) role: Role,
    /// The stage.
    pub(super) stage: ShaderStage,
    /// Location that the shader gives.
    pub(super) location: Option<u32>,
    /// Position in the document.
    pub(super) span: Span,
    /// Role, type and name.
    pub(super) text: String,
}

/// The linker's decision about a varying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    /// Name by which it is matched.
    pub(super) name: String,
    /// Another name, or empty.
    pub(super) alias: String,
    /// Type, slots and interpolation.
    pub(super) text: String,
    /// The cases for which this holds, without their file: empty, or `#name=value`.
    pub(super) cases: Vec<String>,
}

/// The names of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// Declarations, each once.
    pub(super) declarations: Vec<Declaration>,
    /// Decisions about varyings, each once.
    pub(super) placements: Vec<Placement>,
}

impl Role {
    /// The word before a declaration.
    const fn word(self) -> &'static str {
        match self {
            Self::Output => "out",
            Self::Input => "in",
            Self::Uniform => "uniform",
            Self::Resource => "resource",
        }
    }
}

impl Declaration {
    /// True if this declares `name`, or a block's member of that name.
    pub(super) fn is_named(&self, name: &str) -> bool {
        let is_end = |known: &str| {
            known.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        !name.is_empty() && (is_end(&self.name) || is_end(&self.alias))
    }
}

impl Names {
    /// Declarations of `word`, or of the whole of which it names a part (`s[1].v`, `v.yz`).
    pub(super) fn declared<'a>(&'a self, word: &'a str) -> Vec<&'a Declaration> {
        let with = |name: &str| -> Vec<&Declaration> {
            self.declarations.iter().filter(|known| known.is_named(name)).collect()
        };
        wholes(word).map(with).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The linker's decisions about `word`, or about the whole of which it names a part.
    pub(super) fn placed<'a>(&'a self, word: &'a str) -> Vec<&'a Placement> {
        let with = |name: &str| -> Vec<&Placement> {
            let is_named = |known: &&Placement| {
                let is_end = |own: &str| {
                    own.strip_suffix(name)
                        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
                };
                is_end(&known.name) || !known.alias.is_empty() && is_end(&known.alias)
            };
            self.placements.iter().filter(is_named).collect()
        };
        wholes(word).map(with).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Adds a declaration, unless it is known.
    pub(super) fn declare(&mut self, declaration: Declaration) {
        if !self.declarations.contains(&declaration) {
            self.declarations.push(declaration);
        }
    }

    /// Adds the declarations of compiled stages.
    pub(super) fn add_stages(&mut self, compiled: &Compiled, source: &Source, origin: &Origin<'_>) {
        for stage in stages(compiled) {
            for (role, variables) in [(Role::Input, &stage.inputs), (Role::Output, &stage.outputs)]
            {
                for variable in variables {
                    let Some(span) = variable.span else { continue };
                    let own = of_variable(variable, role, stage.stage);
                    self.declare(Declaration { span: origin.span(source, span), ..own });
                }
            }
            for uniform in &stage.uniforms {
                let Some(span) = uniform.span else { continue };
                self.declare(Declaration {
                    name: uniform.name.clone(),
                    alias: uniform.alias.clone(),
                    role: Role::Uniform,
                    stage: stage.stage,
                    location: None,
                    span: origin.span(source, span),
                    text: format!("{} {} {}", Role::Uniform.word(), uniform.ty, uniform.name),
                });
            }
            for resource in &stage.resources {
                let Some(span) = resource.span else { continue };
                self.declare(Declaration {
                    name: resource.name.clone(),
                    alias: resource.alias.clone(),
                    role: Role::Resource,
                    stage: stage.stage,
                    location: None,
                    span: origin.span(source, span),
                    text: format!("{} {}", Role::Resource.word(), resource.name),
                });
            }
        }
    }

    /// Adds the linker's decisions about the programs of the case with these parameters.
    pub(super) fn add_programs(&mut self, programs: &LinkedPrograms, case: &str) {
        for (program, number) in programs.programs.iter().zip(1_usize..) {
            let several = programs.programs.len() > 1;
            let title = if several { format!("program {number}: ") } else { String::new() };
            let last = program.map.earlier.last().map(|earlier| earlier.stages[1].word());
            let last = last.map_or_else(String::new, |last| format!("{last} to fragment: "));
            self.add_map(&program.map, &format!("{title}{last}"), case);
            for earlier in &program.map.earlier {
                let [from, to] = earlier.stages.map(ShaderStage::word);
                self.add_map(&earlier.map, &format!("{title}{from} to {to}: "), case);
            }
        }
    }

    fn add_map(&mut self, map: &LinkMap, title: &str, case: &str) {
        for varying in &map.varyings {
            let text = format!("{title}`{} {}`: {}", varying.ty, varying.name, place(map, varying));
            self.place(Placement { text, ..named(&varying.name, &varying.alias, case) });
        }
        for name in &map.unread {
            let text = format!("{title}`{name}`: removed, because nothing reads it");
            self.place(Placement { text, ..named(name, "", case) });
        }
        for name in &map.unwritten {
            let text = format!("{title}`{name}`: not written, reads zero");
            self.place(Placement { text, ..named(name, "", case) });
        }
    }

    fn place(&mut self, placement: Placement) {
        let is_known = |known: &&mut Placement| {
            (&known.name, &known.text) == (&placement.name, &placement.text)
        };
        match self.placements.iter_mut().find(is_known) {
            Some(known) => known.cases.extend(placement.cases),
            None => self.placements.push(placement),
        }
    }
}

fn named(name: &str, alias: &str, case: &str) -> Placement {
    let cases = vec![case.to_owned()];
    Placement { name: name.to_owned(), alias: alias.to_owned(), text: String::new(), cases }
}

/// `word`, and the wholes of which it names a part, the largest part first.
fn wholes(word: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(word), |part| Some(&part[..part.rfind(['.', '['])?]))
}

fn stages(compiled: &Compiled) -> Vec<&StageModule> {
    match compiled {
        Compiled::Program(stages) => stages.all().iter().collect(),
        Compiled::Programs(all) => all.iter().flat_map(Stages::all).collect(),
        Compiled::Objects(objects) => objects.stages.values().flatten().collect(),
        Compiled::Unlinkable(_) | Compiled::Unlinked => Vec::new(),
    }
}

fn of_variable(variable: &Variable, role: Role, stage: ShaderStage) -> Declaration {
    Declaration {
        name: variable.name.clone(),
        alias: variable.alias.clone(),
        role,
        stage,
        location: variable.location,
        span: Span::new(0, 0),
        text: format!("{} {} {}", role.word(), variable.ty, variable.name),
    }
}

/// Slots, interpolation and vector types of a varying, and why parts of it are in no slot.
fn place(map: &LinkMap, varying: &PlacedVarying) -> String {
    let positions = map.positions_of(&varying.name).unwrap_or_default();
    let mut parts = Vec::new();
    if !positions.is_empty() {
        parts.push(format!("slot `{}`", chunk_text(&chunks_of(&positions))));
    }
    let rows = map.slots.iter().filter(|row| positions.iter().any(|at| at.slot == row.slot));
    let mut carriers: Vec<_> = rows.map(|row| format!("{} {}", row.class, row.carrier)).collect();
    carriers.dedup();
    if !carriers.is_empty() {
        parts.push(format!("carrier {}", carriers.join(", ")));
    }
    for route in &varying.routes {
        let removed = route.removal().map(|reason| format!("{reason}, not passed"));
        parts.extend(removed.filter(|removed| !parts.contains(removed)));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_stands_for_its_whole() {
        let found: Vec<_> = wholes("s[1].v.yz").collect();
        assert_eq!(found, ["s[1].v.yz", "s[1].v", "s[1]", "s"]);
    }

    #[test]
    fn a_member_is_found_by_its_own_name() {
        let variable = Variable::new("Block.member", "vec2".parse().unwrap());
        let declaration = of_variable(&variable, Role::Output, ShaderStage::Vertex);
        assert!(declaration.is_named("member") && declaration.is_named("Block.member"));
        assert!(!declaration.is_named("ember") && !declaration.is_named(""));
        assert_eq!(declaration.text, "out vec2 Block.member");
    }
}
