//! The seventh phase of [`link`](crate::link()): adds the compute stages that culling and transform feedback need.

use naga::Module;

use crate::LinkError;
use crate::compute::vertex_compute::VertexProgram;
use crate::compute::xfb::Xfb;
use crate::compute::{cull_distance, xfb};
use crate::phase::packed::Packed;
use crate::phase::placed::Placed;
use crate::resource::Resources;
use crate::table::pass::Pass;
use crate::table::word_block::InPlaceBlocks;

/// A program with all modules that run.
#[derive(Debug)]
pub(crate) struct Complete<'a> {
    /// The packed program.
    pub(crate) packed: Packed<'a>,
    /// The final modules, in the order of the stages.
    pub(crate) modules: Vec<Module>,
    /// The variables that emulated stages access in place, as in [`Wrapped`](crate::phase::wrapped::Wrapped).
    pub(crate) in_place: Vec<InPlaceBlocks>,
    /// The resources that the modules use, as in [`Bound`](crate::phase::bound::Bound).
    pub(crate) resources: Resources,
    /// True if a module needs capabilities that some adapters lack, as in [`Bound`](crate::phase::bound::Bound).
    pub(crate) needs_capabilities: bool,
    /// The passes of culling and transform feedback.
    pub(crate) passes: Vec<Pass>,
    /// What transform feedback does with the records.
    pub(crate) captured: Option<Xfb>,
}

impl<'a> Complete<'a> {
    /// Adds the compute stages of culling and transform feedback.
    ///
    /// # Errors
    /// The vertex stage cannot run as a compute stage, or an output cannot be captured.
    pub(crate) fn new(placed: Placed<'a>) -> Result<Self, LinkError> {
        let Placed { mut packed, modules, in_place, infos, resources, needs_capabilities } = placed;
        let mut map = std::mem::take(&mut packed.map);
        let lowered = packed.lowered();
        let drawn = lowered.stages.drawn();
        let program = VertexProgram {
            stages: &lowered.stages.all(),
            drawn,
            info: &infos[drawn],
            shell: &packed.shells[drawn],
            attributes: if lowered.emulated.is_some() { &[] } else { &packed.attributes },
            uniforms: &packed.uniforms,
            options: &lowered.options,
        };
        let mut passes = cull_distance::link(&lowered.cull, program)?;
        let captured = match &lowered.xfb {
            Some(layout) => {
                let (captured, captures, rows) = xfb::link(layout, program, packed.routed())?;
                layout.add_rows(rows, &mut map);
                passes.extend(captures);
                Some(captured)
            }
            None => None,
        };
        packed.map = map;
        Ok(Self { packed, modules, in_place, resources, needs_capabilities, passes, captured })
    }
}
