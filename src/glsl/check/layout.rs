//! Checks `layout(…)` qualifiers (GLSL 4.60 section 4.4, table at its beginning).

use std::collections::HashSet;

use crate::ast::{
    BlockDeclaration, Declaration, ExprKind, Item, LayoutEntry, MemoryWord, QualifiedType,
    Qualifiers, Storage,
};
use ir::treatment::Treatment;

use super::layout_word::{self, LayoutValue};
use super::site::Site;
use super::{Checker, NEVER, is_image};

/// Qualifiers of blocks and their members. Each overrides an earlier one in every version with blocks (GLSL 1.40 section
/// 4.3.7, GLSL ES 3.00 section 4.3.8.3).
const BLOCK_LAYOUTS: [&str; 6] =
    ["shared", "packed", "std140", "std430", "row_major", "column_major"];

impl Checker<'_> {
    /// Checks every word of the `layout` of a declaration.
    pub(super) fn check_layout(&mut self, qualifiers: &Qualifiers, site: Site) {
        let has_twice = self.is_from(420, 310)
            || self.enables(&["GL_ARB_enhanced_layouts", "GL_ARB_shading_language_420pack"]);
        let has_depths = self.is_from(440, NEVER) || self.enables(&["GL_ARB_enhanced_layouts"]);
        let mut depths = HashSet::new();
        let mut seen = HashSet::new();
        for entry in &qualifiers.layout {
            self.check_word(entry, site);
            let name = &*entry.name.name;
            let is_depth = name.starts_with("depth_");
            let is_new = seen.insert(if is_depth { "depth" } else { name });
            if is_depth && depths.insert(name) && depths.len() == 2 && has_depths {
                // Mesa and glslang use the last qualifier; the specification says this only for a repeated name.
                let word = format!("the second depth qualifier `{name}` of one declaration");
                self.unsupported.push((word, entry.name.span));
            }
            let is_overridden = has_twice || BLOCK_LAYOUTS.contains(&name);
            if !is_new && (!is_overridden || is_depth && !has_depths) {
                let what = if is_depth {
                    "the second depth qualifier of this `layout`"
                } else {
                    "given twice"
                };
                self.complain(entry.name.span, format!("`{name}` is {what}"));
            }
        }
        let has = |word: &str| qualifiers.layout.iter().any(|entry| entry.name.name == word);
        for word in ["component", "index"] {
            if has(word) && !has("location") && matches!(site, Site::Input | Site::Output) {
                self.complain(qualifiers.span, format!("`{word}` needs a `location`"));
            }
        }
    }

    fn check_word(&mut self, entry: &LayoutEntry, site: Site) {
        let LayoutEntry { name, value } = entry;
        let word = &*name.name;
        let Some(row) = layout_word::find(word, site, self.stage) else {
            let message = if layout_word::is_known(word) {
                format!("the layout qualifier `{word}` is not allowed here")
            } else {
                format!("`{word}` is not a layout qualifier")
            };
            self.complain(name.span, message);
            return;
        };
        if !self.has(&row.availability) {
            self.complain(name.span, format!("`{word}` needs {}", row.wanted));
            return;
        }
        match (row.value, value) {
            (LayoutValue::Absent, Some(value)) => {
                self.complain(value.span, format!("`{word}` cannot have a value"));
            }
            (LayoutValue::Number, None) => {
                self.complain(name.span, format!("`{word}` needs a value"));
            }
            (LayoutValue::Number, Some(value))
                if !self.has_expressions()
                    && !matches!(value.kind, ExprKind::Int(_) | ExprKind::Uint(_)) =>
            {
                let message =
                    format!("the value of `{word}` must be an integer literal in this version");
                self.complain(value.span, message);
            }
            (LayoutValue::Number, Some(_)) | (LayoutValue::Absent, None) => {}
        }
        if row.treatment == Treatment::Unsupported {
            self.unsupported.push((format!("the layout qualifier `{word}`"), name.span));
        }
    }

    /// True if `layout` accepts constant expressions (GLSL 4.40 section 4.4). In Mesa no version of ES does.
    fn has_expressions(&self) -> bool {
        self.is_from(440, NEVER) || self.enables(&["GL_ARB_enhanced_layouts"])
    }

    /// Checks a layout for the stage as a whole, such as `layout(…) in;`.
    pub(super) fn check_stage_level(&mut self, qualifiers: &Qualifiers) {
        let site = Site::of_stage(qualifiers);
        self.check_layout(qualifiers, site);
        self.check_words(qualifiers, site);
    }

    /// Checks that only images have a format, and that the format matches their type.
    pub(super) fn check_format(&mut self, ty: &QualifiedType) {
        let layout = &ty.qualifiers.layout;
        let formats = layout.iter().filter(|entry| layout_word::is_format(&entry.name.name));
        let all: Vec<_> = formats.collect();
        let Some(first) = all.first() else {
            self.check_missing_format(ty);
            return;
        };
        if !self.contains(&ty.ty, &is_image) {
            self.complain(first.name.span, "only images can have a format qualifier");
            return;
        }
        if !all.last().is_some_and(|entry| is_single(&entry.name.name)) {
            self.check_one_way(ty);
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
            self.complain(
                first.name.span,
                format!("the format `{word}` does not match the type of this image"),
            );
        }
        if let Some(second) = all.get(1)
            && !self.is_from(420, 310)
        {
            self.complain(
                second.name.span,
                "an image can have only one format qualifier in this version",
            );
        }
    }

    /// Checks that an image of GLSL ES is `readonly` or `writeonly`, unless its format has a single 32-bit channel
    /// (GLSL ES 3.20 section 4.9).
    pub(super) fn check_one_way(&mut self, ty: &QualifiedType) {
        let memory = &ty.qualifiers.memory;
        let is_one_way =
            [MemoryWord::ReadOnly, MemoryWord::WriteOnly].iter().any(|word| memory.contains(word));
        if self.version.is_es && !is_one_way && self.contains(&ty.ty, &is_image) {
            let message = "in GLSL ES an image of another format than `r32f`, `r32i` and `r32ui` is `readonly` or \
                           `writeonly`";
            self.complain(ty.ty.span, message);
        }
    }

    /// Checks that an image has a format: in GLSL an image that is not `writeonly`, in GLSL ES every image.
    fn check_missing_format(&mut self, ty: &QualifiedType) {
        let is_written_only = ty.qualifiers.memory.contains(&MemoryWord::WriteOnly);
        let is_free = is_written_only && !self.version.is_es
            || self.enables(&["GL_EXT_shader_image_load_formatted"]);
        let has_any = ty.qualifiers.layout.iter().any(|entry| entry.name.name == "r64ui");
        if self.contains(&ty.ty, &is_image) && !is_free && !has_any {
            let message = if self.version.is_es {
                "an image needs a format qualifier in GLSL ES"
            } else {
                "an image that is not `writeonly` needs a format qualifier"
            };
            self.complain(ty.ty.span, message);
        }
    }

    /// Checks qualifiers of blocks that require others, and members' qualifiers that exclude each other.
    pub(super) fn check_block_layout(&mut self, block: &BlockDeclaration, site: Site) {
        self.check_layout(&block.qualifiers, site);
        if let Some(site) = site.members() {
            for member in &block.members {
                self.check_layout(&member.ty.qualifiers, site);
            }
        }
        let qualifiers = std::iter::once(&block.qualifiers)
            .chain(block.members.iter().map(|member| &member.ty.qualifiers));
        let mut placing = qualifiers
            .flat_map(|qualifier| &qualifier.layout)
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

    /// True if blocks of this storage by default have a layout with known offsets.
    pub(super) fn has_fixed_default(&self, storage: Storage) -> bool {
        self.unit.items.iter().any(|item| {
            let Item::Declaration(Declaration::Requalify { qualifiers, names, .. }) = item else {
                return false;
            };
            names.is_empty()
                && qualifiers.storage.iter().any(|(word, _)| *word == storage)
                && qualifiers.layout.iter().any(|entry| is_fixed(&entry.name.name))
        })
    }
}

/// True for a format in which images of GLSL ES can be both read and written.
fn is_single(format: &str) -> bool {
    ["r32f", "r32i", "r32ui"].contains(&format)
}

/// True if a block with this qualifier has known offsets.
fn is_fixed(word: &str) -> bool {
    ["std140", "std430", "scalar"].contains(&word)
}

#[cfg(test)]
mod tests {
    use crate::check::tests::check;
    use ir::stage::ShaderStage::Vertex;

    #[test]
    fn places_need_a_layout_with_known_offsets() {
        let text = "uniform B { layout(offset = 16) float a; };";
        check("440", Vertex, text, "`offset` needs `std140` or `std430` [offset]");
        check("440", Vertex, &format!("layout(std140) {text}"), "");
        check("440", Vertex, &format!("layout(std140) uniform; {text}"), "");
        let message = "`offset` needs `std140` or `std430` [offset]";
        check("440", Vertex, &format!("layout(std430) buffer; {text}"), message);
    }
}
