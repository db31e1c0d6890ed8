//! Checks that every geometry stage is used, which a `use` of two names leaves out. Other stages may be there only for the
//! labels of their varyings.

use crate::read::reader::Reader;
use crate::{Case, Setting};
use ir::diagnostic::Diagnostic;
use ir::stage::ShaderStage;

/// Reports geometry stages that no `use` names, where there are any `use` lines.
pub(super) fn check(reader: &mut Reader<'_>, case: &Case) {
    let used = case.settings().filter_map(|setting| {
        let Setting::Use(stages) = setting.value else { return None };
        Some(stages.geometry.as_deref())
    });
    let used: Vec<Option<&str>> = used.collect();
    let stages = case.shaders.iter().filter(|shader| shader.stage == ShaderStage::Geometry);
    for shader in stages.filter(|_| !used.is_empty()) {
        let is_named = shader.name.is_some() && used.contains(&shader.name.as_deref());
        if !is_named {
            let message = format!("`{}` is never used", reader.source.slice(shader.header));
            let error = Diagnostic::error(shader.header, message);
            reader.report(error.with_help("no `use` names it"));
        }
    }
}
