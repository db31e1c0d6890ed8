//! Assigns binding points to the modules' own resources, and runs naga's validator.

use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::resource::explicit_io;
use crate::resource::uniform::{Uniforms, in_place};
use crate::table::word_block::InPlaceBlocks;
use crate::{LinkError, LinkOptions, resource};
use ir::source::Span;
use ir::stage_module::StageModule;

/// The blocks that the linker makes, of which code reads words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnBlocks<'a> {
    /// The uniforms of all stages.
    pub(crate) uniforms: &'a Uniforms,
    /// The variables that each of the first stages accesses in place.
    pub(crate) in_place: &'a [InPlaceBlocks],
}

/// Assigns binding points to the modules' own resources, and lowers blocks to words.
///
/// # Errors
/// The stages disagree about a resource, or naga cannot express a block.
pub(crate) fn bind(
    stages: &[&StageModule],
    modules: &mut [Module],
    own: OwnBlocks<'_>,
    options: &LinkOptions,
) -> Result<(), LinkError> {
    resource::relocate(stages, modules, options.labels.sharing()).map_err(LinkError::Refused)?;
    let none = InPlaceBlocks::default();
    let results = own.in_place.iter().chain(std::iter::repeat(&none));
    for ((stage, module), results) in stages.iter().zip(&mut *modules).zip(results) {
        let mut blocks =
            explicit_io::misplaced_blocks(stage, module, options.adapter.block_layouts);
        blocks.extend(in_place::blocks(stage, module, &own.uniforms.buffers));
        blocks.extend(results.inputs.iter().chain(&results.outputs).cloned());
        explicit_io::lower(module, &blocks)?;
    }
    Ok(())
}

/// Validates a linked module as wgpu does.
///
/// # Errors
/// The module is invalid; the error has naga's message.
pub(crate) fn validate(module: &Module) -> Result<ModuleInfo, LinkError> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|error| {
        let span = error.spans().find_map(|(span, _)| span.to_range());
        let mut message = format!("naga refuses the linked module: {}", error.as_inner());
        let mut source = std::error::Error::source(error.as_inner());
        while let Some(inner) = source {
            message.push_str(": ");
            message.push_str(&inner.to_string());
            source = inner.source();
        }
        LinkError::Invalid { message, span: span.map(|range| Span::new(range.start, range.end)) }
    })
}
