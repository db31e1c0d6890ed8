//! Redeclared built-in variables (GLSL 4.60 sections 7.1 and 7.2).

use crate::ast::{
    BlockDeclaration, Declaration, Declarator, ExprKind, Ident, Item, QualifiedType, Qualifiers,
    Storage, TypeName, TypeSpecifier,
};
use crate::builtins;
use ir::stage::{Ports, ShaderStage};

use super::block::BlockKind;
use super::site::Site;
use super::{Checker, has_storage, scan};

/// Members that `gl_PerVertex` may have.
const PER_VERTEX: [&str; 11] = [
    "gl_BackColor",
    "gl_BackSecondaryColor",
    "gl_ClipDistance",
    "gl_ClipVertex",
    "gl_CullDistance",
    "gl_FogFragCoord",
    "gl_FrontColor",
    "gl_FrontSecondaryColor",
    "gl_PointSize",
    "gl_Position",
    "gl_TexCoord",
];

/// Members that extensions add to `gl_PerVertex`, with the extensions.
const ADDED_MEMBERS: [(&str, &str); 2] = [
    ("gl_Layer", "GL_AMD_vertex_shader_layer"),
    ("gl_ViewportIndex", "GL_AMD_vertex_shader_viewport_index"),
];

/// Variables that a control stage writes and an evaluation stage reads.
const LEVELS: [&str; 2] = ["gl_TessLevelOuter", "gl_TessLevelInner"];

impl Checker<'_> {
    /// Checks a global whose name begins with `gl_`.
    pub(super) fn check_redeclaration(
        &mut self,
        position: usize,
        ty: &QualifiedType,
        declarator: &Declarator,
    ) {
        let name = &declarator.name;
        let Some(row) = builtins::redeclaration(&name.name, self.stage) else {
            self.complain_of_redeclaration(name);
            return;
        };
        let dimensions = ty.ty.array.len() + declarator.array.len();
        self.check_builtin_type(&ty.ty, dimensions, name);
        self.check_builtin_version(name);
        if !self.has(&row.availability) {
            self.complain(
                name.span,
                format!("`{}` cannot be redeclared in this version", name.name),
            );
        }
        self.check_builtin_storage(&ty.qualifiers, name);
        self.check_late(position, declarator);
    }

    /// Reports a redeclared name with a reserved prefix that is not a redeclarable built-in variable.
    fn complain_of_redeclaration(&mut self, name: &Ident) {
        let is_there = builtins::variable(&name.name, self.stage)
            .is_some_and(|row| self.has(&row.availability));
        let what = if is_there { "cannot be redeclared" } else { "is a reserved name" };
        self.complain(name.span, format!("`{}` {what}", name.name));
    }

    /// Checks that a redeclared variable keeps its type.
    fn check_builtin_type(&mut self, ty: &TypeSpecifier, dimensions: usize, name: &Ident) {
        let Some(row) = builtins::redeclaration(&name.name, self.stage) else { return };
        let is_typed = matches!(&ty.kind, TypeName::Named(word) if word == row.keyword);
        if !is_typed || dimensions != usize::from(row.is_array) {
            let suffix = if row.is_array { "[]" } else { "" };
            let message =
                format!("`{}` must be redeclared as `{}{suffix}`", name.name, row.keyword);
            self.complain(name.span, message);
        }
    }

    fn check_builtin_version(&mut self, name: &Ident) {
        let row = builtins::variable(&name.name, self.stage);
        if row.is_some_and(|row| !self.has(&row.availability)) {
            self.complain(name.span, format!("`{}` is not available in this version", name.name));
        }
    }

    fn check_builtin_storage(&mut self, qualifiers: &Qualifiers, name: &Ident) {
        let is_output = match self.stage.outputs() {
            Ports::Varyings | Ports::VaryingsOfVertices | Ports::VaryingsOfPatches => {
                !LEVELS.contains(&&*name.name) || !self.stage.inputs().have_patches()
            }
            Ports::Outer => ["gl_FragDepth", "gl_SampleMask"].contains(&&*name.name),
            Ports::Nothing => false,
        };
        let wanted = if is_output { Storage::Out } else { Storage::In };
        let is_right = has_storage(qualifiers, wanted)
            || has_storage(qualifiers, Storage::Varying)
            || has_storage(qualifiers, Storage::Attribute);
        if !is_right {
            let word = if is_output { "out" } else { "in" };
            self.complain(name.span, format!("`{}` is redeclared without `{word}`", name.name));
        }
    }

    /// Checks that only varyings of the compatibility profile get an interpolation.
    pub(super) fn check_builtin_sampling(&mut self, qualifiers: &Qualifiers, name: &Ident) {
        let has_sampling =
            qualifiers.interpolation.is_some() || qualifiers.is_centroid || qualifiers.is_sample;
        if has_sampling && builtins::variable(&name.name, self.stage).is_some() {
            let message = format!("`{}` cannot have an interpolation qualifier", name.name);
            self.complain(name.span, message);
        }
    }

    /// Checks `layout` qualifiers that only one built-in variable may have.
    pub(super) fn check_layout_owner(&mut self, ty: &QualifiedType, declarator: &Declarator) {
        for entry in &ty.qualifiers.layout {
            let owner = match &*entry.name.name {
                "origin_upper_left" | "pixel_center_integer" => "gl_FragCoord",
                "depth_any" | "depth_greater" | "depth_less" | "depth_unchanged" => "gl_FragDepth",
                _ => continue,
            };
            if declarator.name.name != owner {
                self.complain(
                    entry.name.span,
                    format!("`{}` is only allowed on `{owner}`", entry.name.name),
                );
            }
        }
    }

    /// Checks that some variables are redeclared before they are used, and always in the same way.
    fn check_late(&mut self, position: usize, declarator: &Declarator) {
        let name = &declarator.name;
        if !["gl_FragCoord", "gl_FragDepth"].contains(&&*name.name) {
            return;
        }
        let mut earlier = Vec::new();
        for item in self.unit.items.iter().take(position + 1) {
            if let Item::Declaration(Declaration::Variables { ty, declarators }) = item
                && declarators.iter().any(|declarator| declarator.name.name == name.name)
            {
                let mut words: Vec<_> =
                    ty.qualifiers.layout.iter().map(|entry| &*entry.name.name).collect();
                words.sort_unstable();
                earlier.push(words);
            }
        }
        if earlier.windows(2).any(|pair| pair[0] != pair[1]) {
            self.complain(
                name.span,
                format!("`{}` is redeclared with different layout qualifiers", name.name),
            );
        } else if earlier.len() == 1 && self.is_used_before(position, &[&name.name]) {
            self.complain(name.span, format!("`{}` is used before it is redeclared", name.name));
        }
    }

    /// Checks `out gl_PerVertex { … };`.
    pub(super) fn check_builtin_block(&mut self, position: usize, block: &BlockDeclaration) {
        let is_output = has_storage(&block.qualifiers, Storage::Out);
        let is_input = has_storage(&block.qualifiers, Storage::In);
        let (inputs, outputs) = (self.stage.inputs(), self.stage.outputs());
        let is_known = is_output && outputs.are_varyings() || is_input && inputs.have_vertices();
        if block.name.name != "gl_PerVertex" || !is_known {
            let message = format!(
                "`{}` cannot be redeclared here; only `out gl_PerVertex` of stages that give vertices and \
                 `in gl_PerVertex` of later ones can",
                block.name.name
            );
            self.complain(block.name.span, message);
            return;
        }
        self.check_block_extension(block, BlockKind::Interface(Storage::Out));
        self.check_block_layout(block, Site::BuiltinBlock);
        self.check_block_words(block, Site::BuiltinBlock);
        for member in &block.members {
            self.check_builtin_sampling(&member.ty.qualifiers, &member.name);
        }
        let is_array = is_input || outputs.have_vertices();
        if is_array {
            self.check_vertex_instance(block, if is_input { "gl_in" } else { "gl_out" });
        } else if let Some((instance, _)) = &block.instance {
            self.complain(instance.span, "`out gl_PerVertex` cannot have an instance name");
        }
        for member in &block.members {
            let name = &*member.name.name;
            let dimensions = member.ty.ty.array.len() + member.array.len();
            self.check_builtin_type(&member.ty.ty, dimensions, &member.name);
            let is_added =
                |(own, extension): &(&str, &str)| *own == name && self.enables(&[extension]);
            if !PER_VERTEX.contains(&name) && !ADDED_MEMBERS.iter().any(is_added) {
                let message = format!("`gl_PerVertex` has no member `{name}`");
                self.complain(member.name.span, message);
            }
            self.check_builtin_version(&member.name);
        }
        let names: Vec<&str> = block.members.iter().map(|member| &*member.name.name).collect();
        let members: &[&str] = match (is_input, is_array) {
            (true, _) => &["gl_in"],
            (false, true) => &["gl_out"],
            (false, false) => &PER_VERTEX,
        };
        if self.is_used_before(position, members) {
            self.complain(block.name.span, "`gl_PerVertex` is redeclared after it is used");
        }
        if is_array {
            self.check_twice(position, block);
            return;
        }
        self.check_beside_block(position, block, &names);
    }

    /// Checks that the size of workgroups is declared before `gl_WorkGroupSize` is used (GLSL 4.60 section 7.1.6).
    pub(super) fn check_workgroup_size(&mut self) {
        let unit = self.unit;
        let declared = unit.items.iter().position(scan::has_workgroup_size);
        let mut first = None;
        for item in unit.items.iter().take(declared.unwrap_or(unit.items.len())) {
            scan::visit_item(item, &mut |expr| {
                if matches!(&expr.kind, ExprKind::Variable(name) if name == "gl_WorkGroupSize") {
                    first.get_or_insert(expr.span);
                }
            });
        }
        if let Some(span) = first.filter(|_| self.stage == ShaderStage::Compute) {
            self.complain(span, "`gl_WorkGroupSize` is used before the local size is declared");
        }
    }

    /// Checks that the redeclared block is the array `name`.
    fn check_vertex_instance(&mut self, block: &BlockDeclaration, name: &str) {
        let instance = block.instance.as_ref();
        let is_right = instance.is_some_and(|(own, array)| own.name == name && array.len() == 1);
        if !is_right {
            let span = instance.map_or(block.name.span, |(name, _)| name.span);
            let word = if name == "gl_in" { "in" } else { "out" };
            let message = format!("`{word} gl_PerVertex` must be redeclared as the array `{name}`");
            self.complain(span, message);
        }
    }

    /// Checks that no earlier block redeclares the same array of `gl_PerVertex`.
    fn check_twice(&mut self, position: usize, block: &BlockDeclaration) {
        let is_input = scan::is_input_per_vertex(block);
        let is_same = |item: &Item| {
            matches!(item, Item::Declaration(Declaration::Block(other))
                if other.name.name == block.name.name && scan::is_input_per_vertex(other) == is_input)
        };
        if self.unit.items.iter().take(position).any(is_same) {
            self.complain(block.name.span, "`gl_PerVertex` is redeclared twice");
        }
    }

    /// Checks that the redeclared `gl_PerVertex` agrees with other declarations and uses of its possible members.
    fn check_beside_block(&mut self, position: usize, block: &BlockDeclaration, names: &[&str]) {
        let mut left_out = Vec::new();
        for (idx, item) in self.unit.items.iter().enumerate() {
            match item {
                Item::Declaration(Declaration::Block(other))
                    if idx < position
                        && other.name.name == block.name.name
                        && !scan::is_input_per_vertex(other) =>
                {
                    self.complain(block.name.span, "`gl_PerVertex` is redeclared twice");
                }
                Item::Declaration(Declaration::Variables { declarators, .. }) => {
                    let twice = declarators
                        .iter()
                        .find(|declarator| PER_VERTEX.contains(&&*declarator.name.name));
                    if let Some(twice) = twice {
                        let message = format!(
                            "`{}` and `gl_PerVertex` cannot both be redeclared",
                            twice.name.name
                        );
                        self.complain(twice.name.span, message);
                    }
                }
                Item::Declaration(_) | Item::Function(..) | Item::Prototype(_) => {}
            }
            scan::visit_item(item, &mut |expr| {
                if let ExprKind::Variable(name) = &expr.kind
                    && PER_VERTEX.contains(&&**name)
                    && !names.contains(&&**name)
                {
                    left_out.push((expr.span, name.clone()));
                }
            });
        }
        for (span, name) in left_out {
            self.complain(
                span,
                format!("`{name}` is used, but the redeclaration of `gl_PerVertex` omits it"),
            );
        }
    }
}
