//! Abilities of a device: features, downlevel flags, limits, and the GLSL that the GL backend writes for it. All checks
//! for capabilities that an adapter may lack read this type, so a device can pretend to have less.

/// A version of GLSL that naga writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Language {
    /// The version number: 330 for 3.30.
    pub(super) number: u16,
    /// True for GLSL ES.
    pub(super) is_es: bool,
}

/// Abilities that a device may use.
#[derive(Clone, Debug)]
pub(super) struct Abilities {
    /// Features that the device was opened with.
    pub(super) features: wgpu::Features,
    /// Downlevel flags: the guarantees of WebGPU that this adapter meets.
    pub(super) flags: wgpu::DownlevelFlags,
    /// Limits that the device was opened with.
    pub(super) limits: wgpu::Limits,
    /// GLSL version that the GL backend writes; `None` for other backends.
    pub(super) language: Option<Language>,
}

/// Features of the executor that cases can need.
const EXECUTOR_FEATURES: wgpu::Features = wgpu::Features::CLIP_DISTANCES
    .union(wgpu::Features::DUAL_SOURCE_BLENDING)
    .union(wgpu::Features::VERTEX_WRITABLE_STORAGE)
    .union(wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER)
    .union(wgpu::Features::SHADER_F64)
    .union(wgpu::Features::SHADER_F16)
    .union(wgpu::Features::SHADER_I16)
    .union(wgpu::Features::SHADER_INT64)
    .union(wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX)
    .union(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(wgpu::Features::SHADER_FLOAT32_ATOMIC)
    .union(wgpu::Features::TEXTURE_ATOMIC)
    .union(wgpu::Features::PRIMITIVE_INDEX)
    .union(wgpu::Features::SHADER_EARLY_DEPTH_TEST)
    .union(wgpu::Features::SUBGROUP)
    .union(wgpu::Features::SUBGROUP_BARRIER)
    .union(wgpu::Features::MEMORY_DECORATION_COHERENT)
    .union(wgpu::Features::MEMORY_DECORATION_VOLATILE)
    .union(wgpu::Features::TEXTURE_FORMAT_16BIT_NORM)
    .union(wgpu::Features::DEPTH32FLOAT_STENCIL8)
    .union(wgpu::Features::FLOAT32_BLENDABLE)
    .union(wgpu::Features::FLOAT32_FILTERABLE)
    .union(wgpu::Features::RG11B10UFLOAT_RENDERABLE)
    .union(wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES);

impl Abilities {
    /// All abilities of the adapter except experimental features.
    pub(super) fn of(adapter: &wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        let is_gl = info.backend == wgpu::Backend::Gl;
        let all = Self {
            features: adapter.features() - wgpu::Features::all_experimental_mask(),
            flags: adapter.get_downlevel_capabilities().flags,
            limits: adapter.limits(),
            language: if is_gl { Language::of_driver(&info.driver_info) } else { None },
        };
        all.with_room_for_point_sizes(&info.driver_info).without_unordered_writes()
    }

    /// Lowers the limit on inter-stage variables by one on NVIDIA's GL, which also counts the point size. wgpu's GL
    /// backend writes `gl_PointSize` in every vertex stage and counts only the position. With the point size, 31
    /// variables need 129 components, and NVIDIA allows 128.
    fn with_room_for_point_sizes(mut self, driver: &str) -> Self {
        if self.language.is_some() && driver.contains("NVIDIA") {
            let most = &mut self.limits.max_inter_stage_shader_variables;
            *most = most.saturating_sub(1);
        }
        self
    }

    /// Removes shader writes to storage from vertex and fragment stages if the GLSL version has no memory barriers.
    /// wgpu offers these writes if a driver of such a version has the extensions (NVIDIA's 3.3 has them), but emits
    /// barriers by version alone, so later reads would see old contents.
    fn without_unordered_writes(mut self) -> Self {
        if self.language.is_some_and(|language| !language.has_bindings()) {
            self.features.remove(wgpu::Features::VERTEX_WRITABLE_STORAGE);
            self.flags.remove(wgpu::DownlevelFlags::FRAGMENT_WRITABLE_STORAGE);
        }
        self
    }

    /// All abilities of the CPU executor. Its compiler reports shader features that it does not implement.
    pub(super) fn of_executor() -> Self {
        Self {
            features: EXECUTOR_FEATURES,
            flags: wgpu::DownlevelFlags::all(),
            // The executor has no limits of its own. These are lavapipe's limits where they exceed WebGPU's.
            limits: wgpu::Limits {
                max_texture_dimension_2d: 16_384,
                max_texture_dimension_3d: 4096,
                max_texture_array_layers: 2048,
                max_bind_groups: 8,
                max_sampled_textures_per_shader_stage: 32,
                max_samplers_per_shader_stage: 32,
                max_storage_buffers_per_shader_stage: 32,
                max_storage_textures_per_shader_stage: 32,
                max_uniform_buffers_per_shader_stage: 15,
                max_vertex_buffers: 16,
                max_vertex_attributes: 32,
                max_inter_stage_shader_variables: 31,
                max_color_attachment_bytes_per_sample: 128,
                max_compute_workgroup_storage_size: 32_768,
                max_compute_invocations_per_workgroup: 1024,
                max_compute_workgroup_size_x: 1024,
                max_compute_workgroup_size_y: 1024,
                max_compute_workgroup_size_z: 1024,
                ..wgpu::Limits::defaults()
            },
            language: None,
        }
    }

    /// True if the device has a downlevel flag.
    pub(super) const fn has(&self, flag: wgpu::DownlevelFlags) -> bool {
        self.flags.contains(flag)
    }
}

impl Language {
    /// The language of a driver that calls itself `3.3 (Core Profile) Mesa 22.3.6` or `OpenGL ES 3.2 Mesa 22.3.6`. From
    /// GL 3.3 and ES 3.0 on, GL and GLSL versions correspond; wgpu writes at most 4.50.
    pub(super) fn of_driver(version: &str) -> Option<Self> {
        let is_es = version.contains("ES");
        let start = version.find(|first: char| first.is_ascii_digit())?;
        let mut digits = version.get(start..)?.split(['.', ' ']);
        let major: u16 = digits.next()?.parse().ok()?;
        let minor: u16 = digits.next()?.parse().ok()?;
        let number = major.checked_mul(100)?.checked_add(minor.checked_mul(10)?)?;
        Some(Self { number: if is_es { number } else { number.min(450) }, is_es })
    }

    /// True if naga writes explicit bindings of buffers and textures in this version. Otherwise wgpu sets them by name,
    /// unless the driver has compute stages. Memory barriers exist in the same versions.
    pub(super) const fn has_bindings(self) -> bool {
        self.number >= if self.is_es { 310 } else { 420 }
    }

    /// True if the language has arrays of arrays.
    pub(super) const fn has_arrays_of_arrays(self) -> bool {
        self.number >= if self.is_es { 310 } else { 430 }
    }

    /// True if the language has layouts of `gl_FragDepth` without an extension.
    pub(super) const fn has_conservative_depth(self) -> bool {
        !self.is_es && self.number >= 420
    }

    /// True if `mix` takes vectors of integers and booleans.
    pub(super) const fn mixes_integers(self) -> bool {
        self.number >= if self.is_es { 310 } else { 450 }
    }

    /// True if the language has `textureGather`.
    pub(super) const fn gathers(self) -> bool {
        self.number >= if self.is_es { 310 } else { 400 }
    }

    /// True if everything that naga can write in this version exists in all other versions too.
    pub(super) const fn is_complete(self) -> bool {
        !self.is_es && self.number >= 430
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let es = if self.is_es { " ES" } else { "" };
        write!(f, "GLSL{es} {}.{:02}", self.number / 100, self.number % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_tell_their_language() {
        let check = |version: &str, expected: Option<&str>| {
            let found = Language::of_driver(version).map(|language| language.to_string());
            assert_eq!(found.as_deref(), expected, "{version}");
        };
        check("3.3 (Core Profile) Mesa 22.3.6", Some("GLSL 3.30"));
        check("4.6.0 NVIDIA 550.54", Some("GLSL 4.50"));
        check("OpenGL ES 3.1 Mesa 22.3.6", Some("GLSL ES 3.10"));
        check("none", None);
    }

    #[test]
    fn nvidias_gl_counts_the_point_size() {
        let most = |language: Option<&str>, driver: &str| {
            let language = language.and_then(Language::of_driver);
            let found = Abilities { language, ..Abilities::of_executor() };
            found.with_room_for_point_sizes(driver).limits.max_inter_stage_shader_variables
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
            let found = found.without_unordered_writes();
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
