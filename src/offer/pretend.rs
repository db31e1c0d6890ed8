//! Devices with fewer abilities than their adapters: a named kind, without a feature, or with a lower limit.

use wgpu_types::{DownlevelFlags as Flags, Features, Limits};

use crate::limits::LIMITS;
use ir::diagnostic::nearest_word;

use super::ability::Abilities;
use super::language::Language;

/// A reduced device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pretend {
    pub(super) kind: Option<&'static str>,
    pub(super) without: Features,
    pub(super) without_flags: Flags,
    pub(super) limits: Vec<(&'static str, u64)>,
}

impl Default for Pretend {
    /// A device that has everything that its adapter has.
    fn default() -> Self {
        let (without, without_flags) = (Features::empty(), Flags::empty());
        Self { kind: None, without, without_flags, limits: Vec::new() }
    }
}

/// A named kind of device with typical abilities.
struct Kind {
    name: &'static str,
    what: &'static str,
    limits: fn() -> Limits,
    features: Features,
    flags: Flags,
    language: Option<Language>,
}

const fn glsl(number: u16, is_es: bool) -> Language {
    Language { number, is_es }
}

/// Downlevel flags of GL that all kinds below have.
const OF_GL: Flags = Flags::NON_POWER_OF_TWO_MIPMAPPED_TEXTURES
    .union(Flags::COMPARISON_SAMPLERS)
    .union(Flags::BUFFER_BINDINGS_NOT_16_BYTE_ALIGNED)
    .union(Flags::UNRESTRICTED_INDEX_BUFFER)
    .union(Flags::UNRESTRICTED_EXTERNAL_TEXTURE_COPIES)
    .union(Flags::SHADER_F16_IN_F32)
    .union(Flags::MSL2_1);
const OF_WEBGL: Flags =
    Flags::NON_POWER_OF_TWO_MIPMAPPED_TEXTURES.union(Flags::COMPARISON_SAMPLERS);
const COMPUTE: Flags = Flags::COMPUTE_SHADERS
    .union(Flags::FRAGMENT_STORAGE)
    .union(Flags::FRAGMENT_WRITABLE_STORAGE)
    .union(Flags::VERTEX_STORAGE)
    .union(Flags::INDIRECT_EXECUTION);
const OF_D3D11: Flags = Flags::all().difference(Flags::VERTEX_STORAGE);
const OF_VULKAN: Flags = Flags::all()
    .difference(Flags::FRAGMENT_WRITABLE_STORAGE)
    .difference(Flags::INDEPENDENT_BLEND)
    .difference(Flags::MULTISAMPLED_SHADING)
    .difference(Flags::CUBE_ARRAY_TEXTURES)
    .difference(Flags::ANISOTROPIC_FILTERING)
    .difference(Flags::FULL_DRAW_INDEX_UINT32)
    .difference(Flags::DEPTH_BIAS_CLAMP);

/// The kinds of devices. Their limits are the minima that each specification guarantees: WebGPU (3.6.2), OpenGL 3.3
/// (table 6.51 on), OpenGL ES 3.0 (tables 6.28 on) and Vulkan 1.0 (31.2, `Required Limits`); those of WebGL 2 and ES
/// 3.1 are wgpu's own.
const KINDS: [Kind; 7] = [
    Kind {
        name: "webgpu",
        what: "what every browser with WebGPU gives",
        limits: Limits::defaults,
        features: Features::empty(),
        flags: Flags::all(),
        language: None,
    },
    Kind {
        name: "webgl2",
        what: "a browser without WebGPU",
        limits: Limits::downlevel_webgl2_defaults,
        features: Features::empty(),
        flags: OF_WEBGL,
        language: Some(glsl(300, true)),
    },
    Kind {
        name: "gles30",
        what: "OpenGL ES 3.0",
        limits: gles30,
        features: Features::empty(),
        flags: OF_GL,
        language: Some(glsl(300, true)),
    },
    Kind {
        name: "gles31",
        what: "OpenGL ES 3.1, such as a Raspberry Pi",
        limits: Limits::downlevel_defaults,
        features: Features::empty(),
        flags: OF_GL.union(COMPUTE),
        language: Some(glsl(310, true)),
    },
    Kind {
        name: "gl33",
        what: "OpenGL 3.3, an old laptop",
        limits: gl33,
        features: Features::CLIP_DISTANCES
            .union(Features::DUAL_SOURCE_BLENDING)
            .union(Features::ADDRESS_MODE_CLAMP_TO_BORDER)
            .union(Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES)
            .union(Features::TEXTURE_FORMAT_16BIT_NORM),
        flags: OF_GL.union(Flags::BASE_VERTEX).union(Flags::FULL_DRAW_INDEX_UINT32),
        language: Some(glsl(330, false)),
    },
    Kind {
        name: "d3d11",
        what: "Direct3D 11 hardware",
        limits: d3d11,
        features: Features::CLIP_DISTANCES
            .union(Features::DUAL_SOURCE_BLENDING)
            .union(Features::DEPTH_CLIP_CONTROL)
            .union(Features::ADDRESS_MODE_CLAMP_TO_BORDER)
            .union(Features::TEXTURE_FORMAT_16BIT_NORM)
            .union(Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES),
        flags: OF_D3D11,
        language: None,
    },
    Kind {
        name: "vulkan-minimum",
        what: "the least that Vulkan 1.0 allows",
        limits: vulkan_minimum,
        features: Features::empty(),
        flags: OF_VULKAN,
        language: None,
    },
];

const fn gles30() -> Limits {
    Limits {
        max_texture_dimension_2d: 2048,
        max_texture_dimension_3d: 256,
        max_texture_array_layers: 256,
        max_sampled_textures_per_shader_stage: 16,
        max_samplers_per_shader_stage: 16,
        max_uniform_buffers_per_shader_stage: 12,
        max_uniform_buffer_binding_size: 16 << 10,
        max_vertex_attributes: 16,
        max_inter_stage_shader_variables: 15,
        max_color_attachments: 4,
        ..Limits::downlevel_webgl2_defaults()
    }
}

const fn gl33() -> Limits {
    Limits {
        max_texture_dimension_1d: 1024,
        max_texture_dimension_2d: 1024,
        max_color_attachments: 8,
        max_color_attachment_bytes_per_sample: 128,
        ..gles30()
    }
}

const fn d3d11() -> Limits {
    Limits {
        max_storage_buffers_per_shader_stage: 8,
        max_storage_textures_per_shader_stage: 8,
        max_inter_stage_shader_variables: 31,
        max_color_attachment_bytes_per_sample: 128,
        ..Limits::defaults()
    }
}

const fn vulkan_minimum() -> Limits {
    Limits {
        max_texture_dimension_1d: 4096,
        max_texture_dimension_2d: 4096,
        max_texture_dimension_3d: 256,
        max_texture_array_layers: 256,
        max_storage_buffers_per_shader_stage: 4,
        max_storage_textures_per_shader_stage: 4,
        max_uniform_buffers_per_shader_stage: 12,
        max_uniform_buffer_binding_size: 16 << 10,
        max_inter_stage_shader_variables: 15,
        max_color_attachments: 4,
        max_compute_workgroup_storage_size: 16 << 10,
        max_compute_invocations_per_workgroup: 128,
        max_compute_workgroup_size_x: 128,
        max_compute_workgroup_size_y: 128,
        max_compute_workgroup_size_z: 64,
        min_uniform_buffer_offset_alignment: 256,
        min_storage_buffer_offset_alignment: 256,
        ..Limits::defaults()
    }
}

/// The reason why a device cannot be pretended, which is an error of the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PretendError(String);

impl Pretend {
    /// The names of all kinds, with their descriptions.
    pub fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
        KINDS.iter().map(|kind| (kind.name, kind.what))
    }

    /// True if the device has everything that its adapter has.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Sets the kind of the device.
    ///
    /// # Errors
    /// No kind has this name; the error lists the names.
    pub fn with_kind(mut self, name: &str) -> Result<Self, PretendError> {
        let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
            let names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
            PretendError(format!("no device is called `{name}`; there are {}", names.join(", ")))
        })?;
        self.kind = Some(kind.name);
        Ok(self)
    }

    /// Removes a feature or downlevel flag of wgpu.
    ///
    /// # Errors
    /// wgpu does not know the name; the error names the nearest one.
    pub fn without(mut self, name: &str) -> Result<Self, PretendError> {
        let flag = Flags::from_name(name);
        match (Features::from_name(name), flag) {
            (Some(feature), _) => self.without |= feature,
            (None, Some(flag)) => self.without_flags |= flag,
            (None, None) => {
                let features = Features::all().iter_names().map(|(name, _)| name);
                let known: Vec<_> =
                    features.chain(Flags::all().iter_names().map(|(name, _)| name)).collect();
                return Err(unknown("feature or downlevel flag", name, known));
            }
        }
        Ok(self)
    }

    /// Sets a limit, written as `NAME=VALUE`.
    ///
    /// # Errors
    /// The text is not `NAME=VALUE` with a limit of wgpu and a number.
    pub fn with_limit(mut self, text: &str) -> Result<Self, PretendError> {
        let Some((name, value)) = text.split_once('=') else {
            return Err(PretendError(format!("expected NAME=VALUE, found `{text}`")));
        };
        let Some((known, _, _)) = LIMITS.iter().find(|(known, _, _)| *known == name) else {
            return Err(unknown("limit", name, LIMITS.iter().map(|limit| limit.0).collect()));
        };
        let value = value
            .parse()
            .map_err(|_| PretendError(format!("the limit `{name}` is a number, not `{value}`")))?;
        self.limits.retain(|(other, _)| other != known);
        self.limits.push((known, value));
        Ok(self)
    }

    /// Combines two reduced devices: the result lacks everything that either lacks. The kind and the limits of `other`
    /// take precedence.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.kind = other.kind.or(self.kind);
        self.without |= other.without;
        self.without_flags |= other.without_flags;
        self.limits.retain(|(name, _)| other.limits.iter().all(|(own, _)| own != name));
        self.limits.extend(&other.limits);
        self
    }

    /// Removes from `all` the abilities that this device lacks.
    ///
    /// # Errors
    /// A limit exceeds the adapter's.
    pub fn reduce(&self, mut all: Abilities) -> Result<Abilities, PretendError> {
        if let Some(kind) = KINDS.iter().find(|kind| Some(kind.name) == self.kind) {
            all.features &= kind.features;
            all.flags &= kind.flags;
            all.limits = (kind.limits)().or_worse_values_from(&all.limits);
            all.language = kind.language.or(all.language);
        }
        all.features = all.features.difference(self.without);
        all.flags = all.flags.difference(self.without_flags);
        for (name, value) in &self.limits {
            let Some((_, get, set)) = LIMITS.iter().find(|(known, _, _)| known == name) else {
                continue;
            };
            let own = get(&all.limits);
            // For an alignment, a greater value is weaker.
            let is_beyond = if name.starts_with("min_") { *value < own } else { *value > own };
            if is_beyond {
                return Err(PretendError(format!("{name} is {own} here, and cannot be {value}")));
            }
            set(&mut all.limits, *value);
        }
        Ok(all)
    }
}

fn unknown(kind: &str, name: &str, known: Vec<&str>) -> PretendError {
    PretendError(match nearest_word(name, known) {
        Some(near) => format!("wgpu has no {kind} `{name}`; did you mean `{near}`?"),
        None => format!("wgpu has no {kind} `{name}`"),
    })
}

/// Prints `gl33 -CLIP_DISTANCES max_bind_groups=2`, which [`str::parse`] reads.
impl std::fmt::Display for Pretend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = self.kind.into_iter().map(str::to_owned);
        let features = self.without.iter_names().map(|(name, _)| name);
        let flags = self.without_flags.iter_names().map(|(name, _)| name);
        let without = features.chain(flags).map(|name| format!("-{name}"));
        let limits = self.limits.iter().map(|(name, value)| format!("{name}={value}"));
        let words: Vec<_> = kind.chain(without).chain(limits).collect();
        f.write_str(&words.join(" "))
    }
}

impl std::str::FromStr for Pretend {
    type Err = PretendError;

    fn from_str(text: &str) -> Result<Self, PretendError> {
        text.split_whitespace().try_fold(Self::default(), |pretend, word| {
            match word.strip_prefix('-') {
                Some(name) => pretend.without(name),
                None if word.contains('=') => pretend.with_limit(word),
                None => pretend.with_kind(word),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Abilities {
        Abilities {
            features: Features::CLIP_DISTANCES | Features::FLOAT32_FILTERABLE,
            flags: Flags::all(),
            limits: Limits::defaults(),
            language: Some(glsl(450, false)),
        }
    }

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        assert_eq!(text.parse::<Pretend>().expect_err("it is wrong").0, expected);
    }

    #[test]
    fn what_is_said_can_be_read_again() {
        for text in ["", "gl33", "webgpu -CLIP_DISTANCES -BASE_VERTEX max_bind_groups=2"] {
            let pretend: Pretend = text.parse().expect("it is right");
            assert_eq!(pretend.to_string(), text);
            assert_eq!(pretend.is_nothing(), text.is_empty());
        }
    }

    #[test]
    fn a_device_has_no_more_than_its_adapter_and_its_kind() {
        let reduced = |text: &str| text.parse::<Pretend>().expect("it is right").reduce(all());
        let gl33 = reduced("gl33").expect("it is less");
        assert_eq!(gl33.features, Features::CLIP_DISTANCES);
        assert!(!gl33.has(Flags::COMPUTE_SHADERS) && gl33.has(Flags::BASE_VERTEX));
        assert_eq!(gl33.limits.max_uniform_buffer_binding_size, 16 << 10);
        // WebGPU's default is lower than GL's minimum.
        assert_eq!(gl33.limits.max_color_attachment_bytes_per_sample, 32);
        assert_eq!(gl33.language, Some(glsl(330, false)));
        let without =
            reduced("-CLIP_DISTANCES -BASE_VERTEX max_bind_groups=2").expect("it is less");
        assert_eq!(without.features, Features::FLOAT32_FILTERABLE);
        assert!(!without.has(Flags::BASE_VERTEX) && without.has(Flags::COMPUTE_SHADERS));
        assert_eq!(without.limits.max_bind_groups, 2);
        let beyond = reduced("max_bind_groups=9").expect_err("the adapter has four");
        assert_eq!(beyond.0, "max_bind_groups is 4 here, and cannot be 9");
        let alignment = reduced("min_uniform_buffer_offset_alignment=64").expect_err("finer");
        assert_eq!(
            alignment.0,
            "min_uniform_buffer_offset_alignment is 256 here, and cannot be 64"
        );
        assert!(reduced("min_uniform_buffer_offset_alignment=512").is_ok());
    }

    #[test]
    fn wrong_words_are_named() {
        check_refused(
            "gl34",
            "no device is called `gl34`; there are webgpu, webgl2, gles30, gles31, gl33, d3d11, \
             vulkan-minimum",
        );
        check_refused(
            "-CLIP_DISTANCE",
            "wgpu has no feature or downlevel flag `CLIP_DISTANCE`; did you mean `CLIP_DISTANCES`?",
        );
        check_refused(
            "max_bind_group=1",
            "wgpu has no limit `max_bind_group`; did you mean `max_bind_groups`?",
        );
        check_refused("max_bind_groups=x", "the limit `max_bind_groups` is a number, not `x`");
    }
}
