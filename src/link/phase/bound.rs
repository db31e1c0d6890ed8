//! The fifth phase of [`link`](crate::link()): modules whose resources have binding points, and which naga accepts.

use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::LinkError;
use crate::label::relocate::with_small_locations;
use crate::phase::packed::Packed;
use crate::phase::wrapped::Wrapped;
use crate::resource::bind::{OwnBlocks, bind, validate};
use crate::resource::{self, Resources};
use crate::table::word_block::InPlaceBlocks;

/// Bound stages.
#[derive(Debug)]
pub(crate) struct Bound<'a> {
    /// The packed program.
    pub(crate) packed: Packed<'a>,
    /// The modules, in the order of the stages.
    pub(crate) modules: Vec<Module>,
    /// The object index of each stage, as in [`Wrapped`].
    pub(crate) objects: Vec<Option<usize>>,
    /// The variables that emulated stages access in place, as in [`Wrapped`].
    pub(crate) in_place: Vec<InPlaceBlocks>,
    /// naga's analysis of each module.
    pub(crate) infos: Vec<ModuleInfo>,
    /// The resources that the modules use.
    pub(crate) resources: Resources,
    /// True if a module needs capabilities that some adapters lack.
    pub(crate) needs_capabilities: bool,
}

impl<'a> Bound<'a> {
    /// Binds the resources, and validates.
    ///
    /// # Errors
    /// The stages disagree about a resource, naga cannot express a block, or it rejects a module.
    pub(crate) fn new(
        Wrapped { packed, mut modules, in_place, objects }: Wrapped<'a>,
    ) -> Result<Self, LinkError> {
        let options = &packed.lowered().options;
        let stages = packed.lowered().stages.all();
        let own = OwnBlocks { uniforms: &packed.uniforms, in_place: &in_place };
        bind(&stages, &mut modules, own, options)?;
        let mut needs_capabilities = false;
        let infos = modules.iter().map(|module| {
            let small = with_small_locations(module);
            let module = small.as_ref().unwrap_or(module);
            let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
            validator.validate(module).or_else(|_| {
                needs_capabilities = true;
                validate(module)
            })
        });
        let infos = infos.collect::<Result<Vec<_>, _>>()?;
        let resources = resource::used(&stages, &modules, &infos, options.labels.sharing());
        Ok(Self { packed, modules, objects, in_place, infos, resources, needs_capabilities })
    }
}
