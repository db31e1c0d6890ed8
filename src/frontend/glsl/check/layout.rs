//! Which words `layout(…)` may hold, and of what (GLSL 4.60 section 4.4, table at its beginning).

use std::collections::HashSet;

use super::later::is_fixed;
use super::{Checker, NEVER, is_image};
use crate::case::ShaderStage;
use crate::frontend::glsl::ast::{
    BlockDeclaration, ExprKind, LayoutEntry, MemoryWord, QualifiedType, Qualifiers, Storage,
};

/// What a `layout` is said of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Input,
    Output,
    Uniform,
    Constant,
    /// A block of inputs or outputs, and its members.
    InterfaceBlock,
    InterfaceMember,
    UniformBlock,
    StorageBlock,
    /// A member of a uniform or storage block.
    BufferMember,
    StageInput,
    StageOutput,
    StageUniform,
    StageBuffer,
    /// Anything that has no layout: locals, parameters, plain globals.
    Nothing,
}

use Place::{
    BufferMember, Constant, Input, InterfaceBlock, InterfaceMember, Output, StageBuffer,
    StageInput, StageOutput, StageUniform, StorageBlock, Uniform, UniformBlock,
};

const BUFFERS: &[Place] = &[UniformBlock, StorageBlock, StageUniform, StageBuffer];
const CAPTURE: &[Place] = &[Output, InterfaceBlock, InterfaceMember, StageOutput];

/// Words with the places they can stand at. Words of extensions that interstage cannot run anyway are here too.
#[rustfmt::skip]
const WORDS: &[(&[&str], &[Place])] = &[
    (&["location"], &[Input, Output, Uniform, InterfaceBlock, InterfaceMember]),
    (&["component"], &[Input, Output, InterfaceMember]),
    (&["index"], &[Output, Uniform]),
    (&["xfb_offset"], &[Output, InterfaceBlock, InterfaceMember]),
    (&["xfb_buffer", "xfb_stride", "stream"], CAPTURE),
    (&["origin_upper_left", "pixel_center_integer"], &[Input]),
    (&["depth_any", "depth_greater", "depth_less", "depth_unchanged"], &[Output]),
    (&["std140", "shared", "packed"], BUFFERS),
    (&["std430", "scalar"], BUFFERS),
    (&["row_major", "column_major"], &[UniformBlock, StorageBlock, StageUniform, StageBuffer, BufferMember]),
    (&["binding"], &[Uniform, UniformBlock, StorageBlock]),
    (&["offset"], &[Uniform, BufferMember]),
    (&["align"], &[UniformBlock, StorageBlock, BufferMember]),
    (&["local_size_x", "local_size_y", "local_size_z", "local_size_variable"], &[StageInput]),
    (&["derivative_group_quadsnv", "derivative_group_linearnv", "num_views"], &[StageInput]),
    (&["early_fragment_tests", "inner_coverage", "post_depth_coverage"], &[StageInput]),
    (&["pixel_interlock_ordered", "pixel_interlock_unordered"], &[StageInput]),
    (&["sample_interlock_ordered", "sample_interlock_unordered"], &[StageInput]),
    (&["bindless_sampler", "bindless_image", "bound_sampler", "bound_image"], &[Uniform, StageUniform]),
    (&["noncoherent"], &[Input, Output]),
    (&["viewport_relative", "secondary_view_offset"], &[Output]),
    (&["constant_id"], &[Constant]),
];

/// Words that only the fragment stage has.
const FRAGMENT_ONLY: [&str; 9] = [
    "origin_upper_left",
    "pixel_center_integer",
    "early_fragment_tests",
    "inner_coverage",
    "post_depth_coverage",
    "pixel_interlock_ordered",
    "pixel_interlock_unordered",
    "sample_interlock_ordered",
    "sample_interlock_unordered",
];

/// Formats of images.
const FORMATS: [&str; 40] = [
    "rgba32f",
    "rgba16f",
    "rg32f",
    "rg16f",
    "r11f_g11f_b10f",
    "r32f",
    "r16f",
    "rgba16",
    "rgb10_a2",
    "rgba8",
    "rg16",
    "rg8",
    "r16",
    "r8",
    "rgba16_snorm",
    "rgba8_snorm",
    "rg16_snorm",
    "rg8_snorm",
    "r16_snorm",
    "r8_snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "rg32i",
    "rg16i",
    "rg8i",
    "r32i",
    "r16i",
    "r8i",
    "r64i",
    "rgba32ui",
    "rgba16ui",
    "rgb10_a2ui",
    "rgba8ui",
    "rg32ui",
    "rg16ui",
    "rg8ui",
    "r32ui",
    "r16ui",
    "r8ui",
];

impl Checker<'_> {
    /// Every word of a `layout` at this place.
    pub(super) fn check_layout(&mut self, qualifiers: &Qualifiers, place: Place) {
        let mut seen = HashSet::new();
        for entry in &qualifiers.layout {
            self.check_word(entry, place);
            let has_twice = !self.is_from(440, NEVER)
                && !self.enables(&["GL_ARB_enhanced_layouts", "GL_ARB_shading_language_420pack"])
                && !self.is_from(420, 310);
            if !seen.insert(&*entry.name.name) && has_twice {
                let message = format!("`{}` is given twice", entry.name.name);
                self.complain(entry.name.span, message);
            }
        }
        let has = |word: &str| qualifiers.layout.iter().any(|entry| entry.name.name == word);
        let has_sources = self.is_from(110, NEVER) || self.enables(&["GL_EXT_blend_func_extended"]);
        if has("index") && place == Output && !has_sources {
            let message = "`index` of an output needs GL_EXT_blend_func_extended in GLSL ES";
            self.complain(qualifiers.span, message.to_owned());
        }
        for word in ["component", "index"] {
            if has(word) && !has("location") && matches!(place, Input | Output) {
                self.complain(qualifiers.span, format!("`{word}` needs a `location`"));
            }
        }
    }

    fn check_word(&mut self, entry: &LayoutEntry, place: Place) {
        let LayoutEntry { name, value } = entry;
        let word = name.name.to_ascii_lowercase();
        let is_format = FORMATS.contains(&&*word) || word == "r64ui";
        let is_known = WORDS.iter().any(|(words, _)| words.contains(&&*word)) || is_format;
        let is_placed =
            WORDS.iter().any(|(words, places)| words.contains(&&*word) && places.contains(&place))
                || is_format && place == Uniform;
        let is_staged = self.stage == ShaderStage::Fragment || !FRAGMENT_ONLY.contains(&&*word);
        let is_other_stages = matches!(place, StageInput | StageOutput);
        if !is_known && !is_other_stages {
            self.complain(name.span, format!("`layout` has no word `{}`", name.name));
        } else if is_known && !(is_placed && is_staged) || self.is_of_another_stage(&word) {
            self.complain(name.span, format!("`{}` cannot stand here", name.name));
        } else if let Some(wanted) = self.missing_version(&word, place) {
            self.complain(name.span, format!("`{}` needs {wanted}", name.name));
        } else if let Some(value) = value
            && !self.has_expressions()
            && !matches!(value.kind, ExprKind::Int(_) | ExprKind::Uint(_))
        {
            let message = format!("`{}` takes a literal in this version", name.name);
            self.complain(value.span, message);
        }
    }

    /// Whether `layout` takes constant expressions.
    fn has_expressions(&self) -> bool {
        self.is_from(440, 320) || self.enables(&["GL_ARB_enhanced_layouts"])
    }

    /// The version or extension that this word lacks.
    fn missing_version(&self, word: &str, place: Place) -> Option<&'static str> {
        let has_enhanced = self.is_from(440, NEVER) || self.enables(&["GL_ARB_enhanced_layouts"]);
        let has_separate = self.is_from(410, 310)
            || self.enables(&["GL_ARB_separate_shader_objects", "GL_EXT_separate_shader_objects"]);
        let has_attributes =
            self.is_from(330, 300) || self.enables(&["GL_ARB_explicit_attrib_location"]);
        let has_scalar = self.enables(&["GL_EXT_scalar_block_layout"]);
        let is_outer = matches!(
            (self.stage, place),
            (ShaderStage::Vertex, Input) | (ShaderStage::Fragment, Output)
        );
        match (word, place) {
            ("location", Input | Output) if is_outer && !has_attributes && !has_separate => {
                Some("GLSL 3.30 or GL_ARB_explicit_attrib_location")
            }
            ("location", Input | Output) if !is_outer && !has_separate => {
                Some("GLSL 4.10 or GL_ARB_separate_shader_objects")
            }
            ("scalar", _) if !has_scalar => Some("GL_EXT_scalar_block_layout"),
            ("std430", UniformBlock | StageUniform) if !has_scalar => {
                Some("a storage block or GL_EXT_scalar_block_layout")
            }
            ("component" | "align", _) | ("offset", BufferMember) if !has_enhanced => {
                Some("GLSL 4.40 or GL_ARB_enhanced_layouts")
            }
            _ => self.missing_word(word, place),
        }
    }

    /// `layout(…) in;` and the like.
    pub(super) fn check_stage_level(&mut self, qualifiers: &Qualifiers) {
        let place = match qualifiers.storage.first() {
            Some((Storage::In, _)) => StageInput,
            Some((Storage::Out, _)) => StageOutput,
            Some((Storage::Uniform, _)) => StageUniform,
            Some((Storage::Buffer, _)) => StageBuffer,
            Some(_) => Place::Nothing,
            // `invariant;`, `precise;` and lone `layout(…);` are mistakes that have always been let through.
            None => return,
        };
        self.check_layout(qualifiers, place);
    }

    /// A format is said of images alone, and suits what they hold.
    pub(super) fn check_format(&mut self, ty: &QualifiedType) {
        let layout = &ty.qualifiers.layout;
        let formats = layout.iter().filter(|it| FORMATS.contains(&&*it.name.name));
        let all: Vec<_> = formats.collect();
        let Some(first) = all.first() else {
            self.check_missing_format(ty);
            return;
        };
        if !self.contains(&ty.ty, &is_image) {
            self.complain(first.name.span, "a format is said of images alone");
            return;
        }
        let word = &*first.name.name;
        let holds = if word.ends_with("ui") {
            'u'
        } else if word.ends_with('i') {
            'i'
        } else {
            'f'
        };
        let suits = |name: &str| match name.chars().next() {
            Some('u') => holds == 'u',
            Some('i') if name.starts_with("ii") => holds == 'i',
            _ => holds == 'f',
        };
        if !self.contains(&ty.ty, &suits) {
            self.complain(first.name.span, format!("`{word}` does not suit this type of image"));
        }
        if let Some(second) = all.get(1)
            && !self.is_from(420, 310)
        {
            self.complain(second.name.span, "an image has one format");
        }
    }

    /// What is read needs a format.
    fn check_missing_format(&mut self, ty: &QualifiedType) {
        let is_written_only = ty.qualifiers.memory.contains(&MemoryWord::WriteOnly);
        let is_free = is_written_only && !self.version.is_es
            || self.enables(&["GL_EXT_shader_image_load_formatted"]);
        let has_any = ty.qualifiers.layout.iter().any(|it| it.name.name == "r64ui");
        if self.contains(&ty.ty, &is_image) && !is_free && !has_any {
            self.complain(ty.ty.span, "an image that is read needs a format");
        }
    }

    /// Words of blocks that need others, and members' words that exclude each other.
    pub(super) fn check_block_layout(&mut self, block: &BlockDeclaration, place: Place) {
        self.check_layout(&block.qualifiers, place);
        let member_place = if place == InterfaceBlock { InterfaceMember } else { BufferMember };
        for member in &block.members {
            self.check_layout(&member.ty.qualifiers, member_place);
        }
        let qualifiers = std::iter::once(&block.qualifiers)
            .chain(block.members.iter().map(|member| &member.ty.qualifiers));
        let mut placing = qualifiers
            .flat_map(|it| &it.layout)
            .filter(|entry| ["offset", "align"].contains(&&*entry.name.name));
        let words = || block.qualifiers.layout.iter().map(|entry| &*entry.name.name);
        let is_default = !words().any(|word| ["shared", "packed"].contains(&word));
        let mut storages = block.qualifiers.storage.iter();
        let mut has_default = || storages.any(|(word, _)| self.has_fixed_default(*word));
        let is_fixed = words().any(is_fixed) || is_default && has_default();
        let is_loose = !is_fixed;
        if let (true, Some(entry)) = (is_loose, placing.next()) {
            let message = format!("`{}` needs `std140` or `std430`", entry.name.name);
            self.complain(entry.name.span, message);
        }
    }
}
