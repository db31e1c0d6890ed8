//! Classes of words in a version of the language: keyword, type, reserved, or ordinary name.
//!
//! GLSL gained keywords over time, and old shaders use later keywords (`sample`, `patch`, `buffer`) as names. The table
//! follows the lists of keywords in the specifications, section 3.6, and the extensions that add a keyword to earlier
//! versions.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::ast::{Extension, Version};
use super::builtins::{INT64, NEVER};
use super::target::VULKAN;

/// Class of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A name that the program may declare.
    Name,
    /// A keyword of the grammar.
    Keyword,
    /// A built-in type.
    Type,
    /// A word that is reserved for future use.
    Reserved,
}

/// The extension with rectangle textures.
const RECTANGLES: &str = "GL_ARB_texture_rectangle";

/// The words of one shader.
#[derive(Debug)]
pub(super) struct Vocabulary<'a> {
    version: Version,
    enabled: HashSet<&'a str>,
}

impl<'a> Vocabulary<'a> {
    /// The vocabulary of a version with extensions.
    pub(super) fn new(version: Version, extensions: &'a [Extension]) -> Self {
        let enabled = extensions.iter().filter(|extension| extension.behaviour != "disable");
        let mut enabled: HashSet<_> = enabled.map(|extension| &*extension.name).collect();
        // Desktop GLSL has this extension unless a directive disables it.
        if !version.is_es && !extensions.iter().any(|extension| extension.name == RECTANGLES) {
            enabled.insert(RECTANGLES);
        }
        Self { version, enabled }
    }

    /// Classifies `word`.
    pub(super) fn classify(&self, word: &str) -> Word {
        let Some(group) = GROUPS_BY_WORD.get(word) else { return Word::Name };
        let eras = if self.version.is_es { &group.es } else { &group.desktop };
        let is_enabled = || group.extensions.iter().any(|name| self.enabled.contains(name));
        if self.version.number >= eras.used_from || is_enabled() {
            group.meaning
        } else if self.version.number >= eras.reserved_from {
            Word::Reserved
        } else {
            Word::Name
        }
    }
}

/// Words that were added to the language together.
#[derive(Debug)]
struct WordGroup {
    words: &'static [&'static str],
    meaning: Word,
    desktop: Eras,
    es: Eras,
    /// Extensions of which each adds the words to any version.
    extensions: &'static [&'static str],
}

/// The first versions in which a word is reserved, and in which it is used.
#[derive(Debug)]
struct Eras {
    reserved_from: u16,
    used_from: u16,
}

/// True for the name of a built-in type of any version or extension.
pub(super) fn is_type(word: &str) -> bool {
    GROUPS_BY_WORD.get(word).is_some_and(|group| group.meaning == Word::Type)
}

/// All keywords that any version or extension uses.
#[cfg(test)]
pub(super) fn all_keywords() -> impl Iterator<Item = &'static str> {
    let is_used = |group: &&WordGroup| {
        let has_version = [&group.desktop, &group.es].iter().any(|eras| eras.used_from < NEVER);
        group.meaning == Word::Keyword && (has_version || !group.extensions.is_empty())
    };
    let groups = GROUPS.iter().filter(is_used);
    groups.flat_map(|group| group.words.iter().copied())
}

static GROUPS_BY_WORD: LazyLock<HashMap<&'static str, &'static WordGroup>> = LazyLock::new(|| {
    GROUPS.iter().flat_map(|group| group.words.iter().map(move |word| (*word, group))).collect()
});

const fn eras(reserved_from: u16, used_from: u16) -> Eras {
    Eras { reserved_from, used_from }
}

const fn keywords(words: &'static [&'static str], desktop: Eras, es: Eras) -> WordGroup {
    WordGroup { words, meaning: Word::Keyword, desktop, es, extensions: &[] }
}

const fn types(words: &'static [&'static str], desktop: Eras, es: Eras) -> WordGroup {
    WordGroup { words, meaning: Word::Type, desktop, es, extensions: &[] }
}

impl WordGroup {
    const fn or_with(mut self, extensions: &'static [&'static str]) -> Self {
        self.extensions = extensions;
        self
    }
}

const ALWAYS: Eras = eras(0, 0);

/// The types of separate textures and samplers.
const SEPARATE_TYPES: &[&str] = &[
    "sampler",
    "samplerShadow",
    "texture1D",
    "texture1DArray",
    "texture2D",
    "texture2DArray",
    "texture2DMS",
    "texture2DMSArray",
    "texture3D",
    "textureBuffer",
    "textureCube",
    "textureCubeArray",
    "itexture1D",
    "itexture1DArray",
    "itexture2D",
    "itexture2DArray",
    "itexture2DMS",
    "itexture2DMSArray",
    "itexture3D",
    "itextureBuffer",
    "itextureCube",
    "itextureCubeArray",
    "utexture1D",
    "utexture1DArray",
    "utexture2D",
    "utexture2DArray",
    "utexture2DMS",
    "utexture2DMSArray",
    "utexture3D",
    "utextureBuffer",
    "utextureCube",
    "utextureCubeArray",
];

/// The types of attachments that a fragment stage reads.
const SUBPASS_TYPES: &[&str] = &[
    "subpassInput",
    "subpassInputMS",
    "isubpassInput",
    "isubpassInputMS",
    "usubpassInput",
    "usubpassInputMS",
];

static GROUPS: &[WordGroup] = &[
    keywords(
        &[
            "break", "const", "continue", "discard", "do", "else", "false", "for", "if", "in",
            "inout", "out", "return", "struct", "true", "uniform", "while",
        ],
        ALWAYS,
        ALWAYS,
    ),
    keywords(&["attribute", "varying"], ALWAYS, ALWAYS),
    keywords(&["invariant"], eras(120, 120), ALWAYS),
    types(
        &[
            "bool",
            "bvec2",
            "bvec3",
            "bvec4",
            "float",
            "int",
            "ivec2",
            "ivec3",
            "ivec4",
            "mat2",
            "mat3",
            "mat4",
            "sampler2D",
            "samplerCube",
            "vec2",
            "vec3",
            "vec4",
            "void",
        ],
        ALWAYS,
        ALWAYS,
    ),
    types(&["sampler1D", "sampler1DShadow"], ALWAYS, eras(100, NEVER)),
    types(&["sampler2DShadow"], ALWAYS, eras(100, 300)),
    types(&["sampler3D"], ALWAYS, eras(100, 300)).or_with(&["GL_OES_texture_3D"]),
    keywords(&["centroid"], eras(120, 120), eras(300, 300)).or_with(&["GL_EXT_gpu_shader4"]),
    types(
        &["mat2x2", "mat2x3", "mat2x4", "mat3x2", "mat3x3", "mat3x4", "mat4x2", "mat4x3", "mat4x4"],
        eras(120, 120),
        eras(300, 300),
    ),
    keywords(&["precision", "lowp", "mediump", "highp"], eras(120, 130), ALWAYS),
    types(&["uint", "uvec2", "uvec3", "uvec4"], eras(130, 130), eras(300, 300))
        .or_with(&["GL_EXT_gpu_shader4"]),
    keywords(&["unsigned"], eras(110, NEVER), eras(100, NEVER)).or_with(&["GL_EXT_gpu_shader4"]),
    keywords(&["case", "default", "switch"], eras(110, 130), eras(100, 300)),
    keywords(&["flat"], eras(130, 130), eras(100, 300)).or_with(&["GL_EXT_gpu_shader4"]),
    keywords(&["noperspective"], eras(130, 130), eras(300, NEVER))
        .or_with(&["GL_EXT_gpu_shader4", "GL_NV_shader_noperspective_interpolation"]),
    keywords(&["smooth"], eras(130, 130), eras(300, 300)),
    types(&["sampler2DArray", "sampler2DArrayShadow"], eras(130, 130), eras(300, 300))
        .or_with(&["GL_EXT_gpu_shader4", "GL_EXT_texture_array"]),
    types(&["sampler1DArray", "sampler1DArrayShadow"], eras(130, 130), eras(300, NEVER))
        .or_with(&["GL_EXT_gpu_shader4", "GL_EXT_texture_array"]),
    types(&["samplerCubeShadow"], eras(130, 130), eras(300, 300)).or_with(&["GL_EXT_gpu_shader4"]),
    types(
        &[
            "isampler2D",
            "isampler2DArray",
            "isampler3D",
            "isamplerCube",
            "usampler2D",
            "usampler2DArray",
            "usampler3D",
            "usamplerCube",
        ],
        eras(130, 130),
        eras(300, 300),
    )
    .or_with(&["GL_EXT_gpu_shader4"]),
    types(
        &["isampler1D", "isampler1DArray", "usampler1D", "usampler1DArray"],
        eras(130, 130),
        eras(300, NEVER),
    )
    .or_with(&["GL_EXT_gpu_shader4"]),
    types(&["sampler2DRect", "sampler2DRectShadow"], eras(110, 140), eras(100, NEVER))
        .or_with(&[RECTANGLES]),
    types(&["isampler2DRect", "usampler2DRect"], eras(140, 140), eras(300, NEVER))
        .or_with(&["GL_EXT_gpu_shader4"]),
    types(&["samplerBuffer", "isamplerBuffer", "usamplerBuffer"], eras(130, 140), eras(300, 320))
        .or_with(&["GL_EXT_gpu_shader4", "GL_EXT_texture_buffer", "GL_OES_texture_buffer"]),
    types(&["sampler2DMS", "isampler2DMS", "usampler2DMS"], eras(150, 150), eras(300, 310))
        .or_with(&["GL_ARB_texture_multisample"]),
    types(
        &["sampler2DMSArray", "isampler2DMSArray", "usampler2DMSArray"],
        eras(150, 150),
        eras(300, 320),
    )
    .or_with(&["GL_ARB_texture_multisample", "GL_OES_texture_storage_multisample_2d_array"]),
    types(
        &["samplerCubeArray", "samplerCubeArrayShadow", "isamplerCubeArray", "usamplerCubeArray"],
        eras(400, 400),
        eras(310, 320),
    )
    .or_with(&[
        "GL_ARB_texture_cube_map_array",
        "GL_OES_texture_cube_map_array",
        "GL_EXT_texture_cube_map_array",
    ]),
    keywords(&["layout"], eras(140, 140), eras(300, 300)).or_with(&[
        "GL_AMD_conservative_depth",
        "GL_ARB_compute_shader",
        "GL_ARB_conservative_depth",
        "GL_ARB_enhanced_layouts",
        "GL_ARB_explicit_attrib_location",
        "GL_ARB_explicit_uniform_location",
        "GL_ARB_fragment_coord_conventions",
        "GL_ARB_gpu_shader5",
        "GL_ARB_separate_shader_objects",
        "GL_ARB_shader_atomic_counters",
        "GL_ARB_shader_image_load_store",
        "GL_ARB_shader_storage_buffer_object",
        "GL_ARB_shading_language_420pack",
        "GL_ARB_uniform_buffer_object",
        "GL_EXT_separate_shader_objects",
    ]),
    keywords(&["patch"], eras(400, 400), eras(300, 320)).or_with(&[
        "GL_ARB_tessellation_shader",
        "GL_EXT_tessellation_shader",
        "GL_OES_tessellation_shader",
    ]),
    keywords(&["precise"], eras(400, 400), eras(310, 320)).or_with(&[
        "GL_ARB_gpu_shader5",
        "GL_EXT_gpu_shader5",
        "GL_OES_gpu_shader5",
    ]),
    keywords(&["sample"], eras(400, 400), eras(300, 320))
        .or_with(&["GL_ARB_gpu_shader5", "GL_OES_shader_multisample_interpolation"]),
    keywords(&["subroutine"], eras(400, 400), eras(300, NEVER))
        .or_with(&["GL_ARB_shader_subroutine"]),
    types(
        &[
            "double", "dmat2", "dmat2x2", "dmat2x3", "dmat2x4", "dmat3", "dmat3x2", "dmat3x3",
            "dmat3x4", "dmat4", "dmat4x2", "dmat4x3", "dmat4x4", "dvec2", "dvec3", "dvec4",
        ],
        eras(110, 400),
        eras(100, NEVER),
    )
    .or_with(&["GL_ARB_gpu_shader_fp64"]),
    types(
        &["i64vec2", "i64vec3", "i64vec4", "int64_t", "u64vec2", "u64vec3", "u64vec4", "uint64_t"],
        eras(NEVER, NEVER),
        eras(NEVER, NEVER),
    )
    .or_with(INT64),
    // In OpenGL these words are ordinary names.
    types(SEPARATE_TYPES, eras(NEVER, NEVER), eras(NEVER, NEVER)).or_with(&[VULKAN]),
    types(SUBPASS_TYPES, eras(NEVER, NEVER), eras(NEVER, NEVER)).or_with(&[VULKAN]),
    types(
        &["float32_t", "f32vec2", "f32vec3", "f32vec4", "f32mat2", "f32mat3", "f32mat4"],
        eras(NEVER, NEVER),
        eras(NEVER, NEVER),
    )
    .or_with(&["GL_EXT_shader_explicit_arithmetic_types_float32"]),
    types(&["float64_t", "f64vec2", "f64vec3", "f64vec4"], eras(NEVER, NEVER), eras(NEVER, NEVER))
        .or_with(&["GL_EXT_shader_explicit_arithmetic_types_float64"]),
    types(
        &["int32_t", "i32vec2", "i32vec3", "i32vec4", "uint32_t", "u32vec2", "u32vec3", "u32vec4"],
        eras(NEVER, NEVER),
        eras(NEVER, NEVER),
    )
    .or_with(&["GL_EXT_shader_explicit_arithmetic_types_int32"]),
    types(
        &["float16_t", "f16vec2", "f16vec3", "f16vec4", "f16mat2", "f16mat3", "f16mat4"],
        eras(NEVER, NEVER),
        eras(NEVER, NEVER),
    )
    .or_with(&["GL_EXT_shader_explicit_arithmetic_types_float16", "GL_AMD_gpu_shader_half_float"]),
    keywords(&["terminateInvocation"], eras(NEVER, NEVER), eras(NEVER, NEVER))
        .or_with(&["GL_EXT_terminate_invocation"]),
    types(&["atomic_uint"], eras(420, 420), eras(300, 310))
        .or_with(&["GL_ARB_shader_atomic_counters"]),
    keywords(&["coherent", "readonly", "restrict", "writeonly"], eras(420, 420), eras(300, 310))
        .or_with(&["GL_ARB_shader_image_load_store", "GL_ARB_shader_storage_buffer_object"]),
    keywords(&["volatile"], eras(110, 420), eras(100, 310))
        .or_with(&["GL_ARB_shader_image_load_store", "GL_ARB_shader_storage_buffer_object"]),
    types(
        &[
            "image2D",
            "image2DArray",
            "image3D",
            "imageCube",
            "iimage2D",
            "iimage2DArray",
            "iimage3D",
            "iimageCube",
            "uimage2D",
            "uimage2DArray",
            "uimage3D",
            "uimageCube",
        ],
        eras(130, 420),
        eras(300, 310),
    )
    .or_with(&["GL_ARB_shader_image_load_store"]),
    types(
        &[
            "image1D",
            "image1DArray",
            "image2DMS",
            "image2DMSArray",
            "image2DRect",
            "iimage1D",
            "iimage1DArray",
            "iimage2DMS",
            "iimage2DMSArray",
            "iimage2DRect",
            "uimage1D",
            "uimage1DArray",
            "uimage2DMS",
            "uimage2DMSArray",
            "uimage2DRect",
        ],
        eras(130, 420),
        eras(300, NEVER),
    )
    .or_with(&["GL_ARB_shader_image_load_store"]),
    types(
        &[
            "imageBuffer",
            "imageCubeArray",
            "iimageBuffer",
            "iimageCubeArray",
            "uimageBuffer",
            "uimageCubeArray",
        ],
        eras(130, 420),
        eras(300, 320),
    )
    .or_with(&["GL_ARB_shader_image_load_store"]),
    keywords(&["shared"], eras(430, 430), eras(310, 310)).or_with(&["GL_ARB_compute_shader"]),
    keywords(&["buffer"], eras(430, 430), eras(310, 310))
        .or_with(&["GL_ARB_shader_storage_buffer_object"]),
    // These words are reserved in every version and never used.
    keywords(
        &[
            "asm",
            "cast",
            "class",
            "enum",
            "extern",
            "external",
            "fixed",
            "fvec2",
            "fvec3",
            "fvec4",
            "goto",
            "half",
            "hvec2",
            "hvec3",
            "hvec4",
            "inline",
            "input",
            "interface",
            "long",
            "namespace",
            "noinline",
            "output",
            "public",
            "sampler3DRect",
            "short",
            "sizeof",
            "static",
            "template",
            "this",
            "typedef",
            "union",
            "using",
        ],
        eras(110, NEVER),
        eras(100, NEVER),
    ),
    // `packed` became a `layout(…)` qualifier with uniform blocks.
    keywords(&["packed"], eras(110, NEVER), eras(100, NEVER)),
    keywords(&["superp"], eras(130, NEVER), eras(100, NEVER)),
    keywords(
        &["image1DArrayShadow", "image1DShadow", "image2DArrayShadow", "image2DShadow"],
        eras(130, NEVER),
        eras(NEVER, NEVER),
    ),
    keywords(&["active", "common", "filter", "partition"], eras(130, NEVER), eras(300, NEVER)),
    keywords(&["resource"], eras(420, NEVER), eras(300, NEVER)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(number: u16, is_es: bool, word: &str, expected: Word) {
        let version = Version { number, is_es, is_compatibility: false };
        assert_eq!(Vocabulary::new(version, &[]).classify(word), expected);
    }

    #[test]
    fn later_keywords_are_names_in_old_versions() {
        check(330, false, "sample", Word::Name);
        check(400, false, "sample", Word::Keyword);
        check(420, false, "buffer", Word::Name);
        check(430, false, "buffer", Word::Keyword);
        check(110, false, "mat2x3", Word::Name);
        check(120, false, "mat2x3", Word::Type);
    }

    #[test]
    fn words_are_reserved_before_they_are_used() {
        check(120, false, "switch", Word::Reserved);
        check(130, false, "switch", Word::Keyword);
        check(300, true, "sample", Word::Reserved);
        check(460, false, "goto", Word::Reserved);
    }

    #[test]
    fn an_extension_brings_its_words_forward() {
        let extension = |behaviour: &str| Extension {
            is_provided: true,
            name: "GL_ARB_compute_shader".to_owned(),
            behaviour: behaviour.to_owned(),
            span: ir::source::Span::new(0, 0),
        };
        let version = Version { number: 330, is_es: false, is_compatibility: false };
        let enabled = [extension("enable")];
        assert_eq!(Vocabulary::new(version, &enabled).classify("shared"), Word::Keyword);
        let disabled = [extension("disable")];
        assert_eq!(Vocabulary::new(version, &disabled).classify("shared"), Word::Name);
    }

    #[test]
    fn no_word_stands_in_two_groups() {
        let count: usize = GROUPS.iter().map(|group| group.words.len()).sum();
        assert_eq!(GROUPS_BY_WORD.len(), count);
    }
}
