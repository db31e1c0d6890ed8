//! Checks GL's limits for blocks, if a case sets them (OpenGL 4.6, §7.6.2 and §7.8), and the linker's own limits for
//! variables.

use crate::reflect::{ActiveBlock, Reflection, reflect};
use crate::table::binding::{Sharing, StageUse};
use crate::{LinkError, LinkOptions};
use ir::diagnostic::Diagnostic;
use ir::interface::{MAX_COMPONENTS, Variable};
use ir::options::{DebugNames, ProgramLimit};
use ir::stage::ShaderStage;
use ir::stage_module::{LanguageRules, ResourceKind, StageModule};

/// Rejects stages that exceed the linker's own limits, and then those that exceed GL's limits for attributes and
/// textures.
pub(crate) fn check<'a>(
    stages: impl IntoIterator<Item = &'a StageModule>,
    options: &LinkOptions,
) -> Result<(), LinkError> {
    let stages: Vec<&StageModule> = stages.into_iter().collect();
    check_sizes(&stages)?;
    let most = options.rules.attributes.unwrap_or(0).max(MAX_ATTRIBUTES);
    let attributes = stages.iter().filter_map(|stage| too_many_attributes(stage, most));
    // The textures of the last stage are reported first.
    let textures = stages.iter().rev().filter_map(|stage| too_many_textures(stage));
    let errors: Vec<Diagnostic> = attributes.chain(textures).collect();
    if errors.is_empty() { Ok(()) } else { Err(LinkError::Refused(errors)) }
}

/// Rejects variables that are so large that the passes, which list every component, would run out of memory.
fn check_sizes(stages: &[&StageModule]) -> Result<(), LinkError> {
    for stage in stages {
        let variables = stage.inputs.iter().chain(&stage.outputs);
        let variables = variables.map(|variable| (&variable.name, &variable.ty, variable.span));
        let uniforms =
            stage.uniforms.iter().map(|uniform| (&uniform.name, &uniform.ty, uniform.span));
        for (name, ty, span) in variables.chain(uniforms) {
            let count = ty.component_count();
            if count > MAX_COMPONENTS {
                let message = format!(
                    "`{name}` has {count} components; at most {MAX_COMPONENTS} can be linked"
                );
                return Err(LinkError::Refused(vec![Diagnostic::error(span, message)]));
            }
        }
    }
    Ok(())
}

/// Number of locations of vertex attributes in GL and in WebGPU, unless a case requires more.
const MAX_ATTRIBUTES: u32 = 16;

/// Maximum number of textures of one stage in Mesa; GL 4.6 guarantees 16.
const MAX_TEXTURES: usize = 32;

/// Maximum number of uniform blocks of one stage in Mesa, used if a case sets no limit; GL 4.6 guarantees 14.
const MAX_UNIFORM_BLOCKS: u32 = 15;

/// The error if the attributes of a stage need more than `most` locations. Declared locations count whether they are
/// used or not (GLSL 4.60 section 4.4.1); attributes without a location count only if they are used.
fn too_many_attributes(stage: &StageModule, most: u32) -> Option<Diagnostic> {
    let vertex = Some(stage).filter(|stage| stage.stage == ShaderStage::Vertex)?;
    let used = || vertex.inputs.iter().filter(|input| input.is_used);
    let count = |input: &Variable| u32::try_from(input.ty.leaves().len()).unwrap_or(u32::MAX);
    let is_beyond = |input: &&Variable| {
        input.location.is_some_and(|first| first.saturating_add(count(input)) > most)
    };
    if let Some(input) = vertex.inputs.iter().find(is_beyond) {
        let (name, location) = (&input.name, input.location.unwrap_or(0));
        let message = format!("attribute `{name}` is at location {location}; there are {most}");
        return Some(Diagnostic::error(input.span, message));
    }
    let all = used().map(count).fold(0, u32::saturating_add);
    let span = used().next_back().and_then(|input| input.span);
    let message = format!("the attributes take {all} locations; there are {most}");
    (all > most).then(|| Diagnostic::error(span, message))
}

fn too_many_textures(stage: &StageModule) -> Option<Diagnostic> {
    let mut textures =
        stage.resources.iter().filter(|resource| resource.kind == ResourceKind::Texture);
    let (count, last) = (textures.clone().count(), textures.next_back()?);
    let message = format!("the stage has {count} textures; at most {MAX_TEXTURES} are allowed");
    (count > MAX_TEXTURES).then(|| Diagnostic::error(last.span, message))
}

/// GL's reflection of a program, after checking the limits.
fn reflected_program(
    stages: &[&StageModule],
    options: &LinkOptions,
) -> Result<Reflection, LinkError> {
    let mut reflection = reflect(stages);
    if options.rules.debug_names == DebugNames::Told && !reflection.has_names {
        reflection.add_debug_names(stages);
    }
    let mut limits = options.rules.limits.clone();
    if !limits.iter().any(|(limit, _)| *limit == ProgramLimit::UniformBlocks) {
        limits.push((ProgramLimit::UniformBlocks, MAX_UNIFORM_BLOCKS));
    }
    let errors = exceeded(&reflection, &limits);
    if errors.is_empty() { Ok(reflection) } else { Err(LinkError::Refused(errors)) }
}

/// GL's reflection of each stage before the last, if each stage is a separate program, and of the last stage or of the
/// whole program, after checking the limits.
pub(crate) fn reflected(
    stages: &[&StageModule],
    options: &LinkOptions,
) -> Result<(Vec<(ShaderStage, Reflection)>, Reflection), LinkError> {
    let sharing = options.labels.sharing();
    // The fixed-function stage is not a program.
    let is_shader = |stage: &&StageModule| stage.rules != LanguageRules::FixedFunction;
    let shaders: Vec<&StageModule> = stages.iter().copied().filter(is_shader).collect();
    let stages = if sharing == Sharing::Apart { &*shaders } else { stages };
    match (sharing, stages) {
        (Sharing::Apart, [earlier @ .., last]) => {
            let own =
                |stage: &&StageModule| Ok((stage.stage, reflected_program(&[stage], options)?));
            let earlier = earlier.iter().map(own).collect::<Result<_, LinkError>>()?;
            Ok((earlier, reflected_program(&[last], options)?))
        }
        (Sharing::Apart | Sharing::ByName, _) => {
            Ok((Vec::new(), reflected_program(stages, options)?))
        }
    }
}

/// An error for every limit that the program exceeds.
fn exceeded(reflection: &Reflection, limits: &[(ProgramLimit, u32)]) -> Vec<Diagnostic> {
    let messages = limits.iter().flat_map(|(limit, most)| match limit {
        ProgramLimit::UniformBlocks => per_stage("uniform", &reflection.uniform_blocks, *most),
        ProgramLimit::StorageBlocks => per_stage("storage", &reflection.storage_blocks, *most),
        ProgramLimit::CombinedUniformBlocks => {
            combined("uniform", &reflection.uniform_blocks, *most)
        }
        ProgramLimit::CombinedStorageBlocks => {
            combined("storage", &reflection.storage_blocks, *most)
        }
        ProgramLimit::UniformBlockSize => sizes("uniform", &reflection.uniform_blocks, *most),
        ProgramLimit::StorageBlockSize => sizes("storage", &reflection.storage_blocks, *most),
        // This limit is not about blocks; `budget` checks it.
        ProgramLimit::VaryingComponents => Vec::new(),
    });
    messages.map(|message| Diagnostic::error(None, message)).collect()
}

type IsUsed = fn(&StageUse) -> bool;

const STAGES: [(&str, IsUsed); 3] = [
    ("vertex", |stages| stages.vertex),
    ("fragment", |stages| stages.fragment),
    ("compute", |stages| stages.compute),
];

fn per_stage(kind: &str, blocks: &[ActiveBlock], most: u32) -> Vec<String> {
    let too_many = |(stage, is_used): &(&str, IsUsed)| {
        let count = blocks.iter().filter(|block| is_used(&block.stages)).count();
        (count > most as usize).then(|| {
            format!("the {stage} stage has {count} {kind} blocks; at most {most} are allowed")
        })
    };
    STAGES.iter().filter_map(too_many).collect()
}

/// Counts a block once for each stage that uses it.
fn combined(kind: &str, blocks: &[ActiveBlock], most: u32) -> Vec<String> {
    let of_stage = |(_, is_used): &(&str, IsUsed)| {
        blocks.iter().filter(|block| is_used(&block.stages)).count()
    };
    let count: usize = STAGES.iter().map(of_stage).sum();
    let message =
        format!("the stages have {count} {kind} blocks together; at most {most} are allowed");
    (count > most as usize).then_some(message).into_iter().collect()
}

fn sizes(kind: &str, blocks: &[ActiveBlock], most: u32) -> Vec<String> {
    let large = blocks.iter().filter(|block| block.size > most);
    let message = |ActiveBlock { name, size, .. }: &ActiveBlock| {
        format!("{kind} block `{name}` has {size} bytes; at most {most} are allowed")
    };
    large.map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a limit on a program with uniform and storage blocks of these sizes and stages (`v`, `f` or both).
    #[track_caller]
    fn check(limit: ProgramLimit, most: u32, expect: &[&str]) {
        let block = |(name, size, stages): (&str, u32, &str)| ActiveBlock {
            name: name.to_owned(),
            size,
            stages: StageUse {
                vertex: stages.contains('v'),
                fragment: stages.contains('f'),
                compute: false,
            },
            ..ActiveBlock::default()
        };
        let blocks: Vec<_> = [("A", 16, "v"), ("B", 64, "vf"), ("C", 48, "f"), ("D", 16, "f")]
            .into_iter()
            .map(block)
            .collect();
        let reflection = Reflection {
            uniform_blocks: blocks.clone(),
            storage_blocks: blocks,
            ..Reflection::default()
        };
        let found = exceeded(&reflection, &[(limit, most)]);
        let messages: Vec<&str> = found.iter().map(|error| &*error.message).collect();
        assert_eq!(messages, expect, "{limit:?} {most}");
    }

    #[test]
    fn a_limit_is_exceeded_by_one_more() {
        check(ProgramLimit::UniformBlocks, 3, &[]);
        let fragment = "the fragment stage has 3 uniform blocks; at most 2 are allowed";
        check(ProgramLimit::UniformBlocks, 2, &[fragment]);
        check(ProgramLimit::CombinedUniformBlocks, 5, &[]);
        let all = "the stages have 5 uniform blocks together; at most 4 are allowed";
        check(ProgramLimit::CombinedUniformBlocks, 4, &[all]);
        check(ProgramLimit::UniformBlockSize, 64, &[]);
        let large = "uniform block `B` has 64 bytes; at most 63 are allowed";
        check(ProgramLimit::UniformBlockSize, 63, &[large]);
    }

    #[test]
    fn storage_blocks_have_limits_of_their_own() {
        let vertex = "the vertex stage has 2 storage blocks; at most 1 are allowed";
        let fragment = "the fragment stage has 3 storage blocks; at most 1 are allowed";
        check(ProgramLimit::StorageBlocks, 1, &[vertex, fragment]);
        let all = "the stages have 5 storage blocks together; at most 0 are allowed";
        check(ProgramLimit::CombinedStorageBlocks, 0, &[all]);
        let large = ["B` has 64", "C` has 48"]
            .map(|which| format!("storage block `{which} bytes; at most 32 are allowed"));
        check(ProgramLimit::StorageBlockSize, 32, &[&large[0], &large[1]]);
    }
}
