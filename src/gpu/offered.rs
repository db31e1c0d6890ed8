//! What an adapter of wgpu offers, as tables.

use offer::format::FormatTable;
use offer::{Abilities, AdapterInfo, Language, Offer, Pretend, PretendError};

/// What `adapter`, which has this description, offers to cases, reduced by `pretend`.
pub(crate) fn offer_of(
    info: AdapterInfo,
    adapter: &wgpu::Adapter,
    pretend: &Pretend,
) -> Result<Offer, PretendError> {
    let abilities = pretend.reduce(abilities_of(adapter))?;
    let guarantees = wgpu::DownlevelFlags::WEBGPU_TEXTURE_FORMAT_SUPPORT;
    let has_guarantees = adapter.get_downlevel_capabilities().flags.contains(guarantees);
    let told = |format| adapter.get_texture_format_features(format);
    Ok(Offer::new(info, abilities, FormatTable::new(has_guarantees, told)))
}

/// All abilities of the adapter except experimental features.
fn abilities_of(adapter: &wgpu::Adapter) -> Abilities {
    let info = adapter.get_info();
    let is_gl = info.backend == wgpu::Backend::Gl;
    let all = Abilities {
        features: adapter.features() - wgpu::Features::all_experimental_mask(),
        flags: adapter.get_downlevel_capabilities().flags,
        limits: adapter.limits(),
        language: if is_gl { Language::of_driver(&info.driver_info) } else { None },
    };
    without_unordered_writes(with_room_for_point_sizes(all, &info.driver_info))
}

/// Lowers the limit on inter-stage variables by one on NVIDIA's GL, which also counts the point size. wgpu's GL
/// backend writes `gl_PointSize` in every vertex stage and counts only the position. With the point size, 31
/// variables need 129 components, and NVIDIA allows 128.
fn with_room_for_point_sizes(mut all: Abilities, driver: &str) -> Abilities {
    if all.language.is_some() && driver.contains("NVIDIA") {
        let most = &mut all.limits.max_inter_stage_shader_variables;
        *most = most.saturating_sub(1);
    }
    all
}

/// Removes shader writes to storage from vertex and fragment stages if the GLSL version has no memory barriers.
/// wgpu offers these writes if a driver of such a version has the extensions (NVIDIA's 3.3 has them), but emits
/// barriers by version alone, so later reads would see old contents.
fn without_unordered_writes(mut all: Abilities) -> Abilities {
    if all.language.is_some_and(|language| !language.has_bindings()) {
        all.features.remove(wgpu::Features::VERTEX_WRITABLE_STORAGE);
        all.flags.remove(wgpu::DownlevelFlags::FRAGMENT_WRITABLE_STORAGE);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nvidias_gl_counts_the_point_size() {
        let most = |language: Option<&str>, driver: &str| {
            let language = language.and_then(Language::of_driver);
            let found = Abilities { language, ..Abilities::of_executor() };
            with_room_for_point_sizes(found, driver).limits.max_inter_stage_shader_variables
        };
        assert_eq!(most(Some("3.3.0 NVIDIA 580.159.04"), "3.3.0 NVIDIA 580.159.04"), 30);
        assert_eq!(most(None, "580.159.04 NVIDIA"), 31);
        assert_eq!(
            most(Some("4.5 (Core Profile) Mesa 22.3.6"), "4.5 (Core Profile) Mesa 22.3.6"),
            31
        );
    }

    #[test]
    fn without_barriers_shaders_write_nothing() {
        use wgpu::DownlevelFlags as Flags;
        let writes = |version: &str| {
            let language = Language::of_driver(version);
            let found = Abilities { language, ..Abilities::of_executor() };
            let found = without_unordered_writes(found);
            [
                found.has(Flags::FRAGMENT_WRITABLE_STORAGE),
                found.features.contains(wgpu::Features::VERTEX_WRITABLE_STORAGE),
                found.has(Flags::FRAGMENT_STORAGE),
            ]
        };
        assert_eq!(writes("3.3.0 NVIDIA 580.159.04"), [false, false, true]);
        assert_eq!(writes("OpenGL ES 3.0 Mesa 22.3.6"), [false, false, true]);
        assert_eq!(writes("4.5 (Core Profile) Mesa 22.3.6"), [true; 3]);
        assert_eq!(writes("Mesa 22.3.6"), [true; 3]);
    }
}
