//! What the grammar takes in every version, though it came later or was never there: constructors of arrays,
//! initialiser lists, instance names, words of `layout`, and names in places where another version has them.
//!
//! Where the specification and Mesa differ, Mesa is followed: 1.10 keeps functions and variables apart and lets
//! functions return arrays.

use std::collections::HashSet;

use super::layout::Place;
use super::local::visit_block;
use super::{Checker, NEVER, is_opaque};
use crate::case::ShaderStage;
use crate::frontend::glsl::ast::{
    BlockDeclaration, Condition, Declaration, Declarator, ExprKind, Ident, Initializer, Item,
    Prototype, QualifiedType, Statement, StatementKind, Storage,
};
use crate::frontend::glsl::scan;
use crate::source::Span;

const PACK: &str = "GL_ARB_shading_language_420pack";

/// A word of `layout`: of what it is said, the versions of desktop GLSL and ES that have it, extensions that bring it,
/// and what the message calls them.
type Row =
    (&'static [&'static str], &'static [Place], u16, u16, &'static [&'static str], &'static str);

#[rustfmt::skip]
const WORDS: [Row; 4] = [
    (&["binding"], &[Place::Uniform, Place::UniformBlock], 420, 310,
        &[PACK, "GL_ARB_shader_atomic_counters", "GL_ARB_shader_storage_buffer_object"],
        "GLSL 4.20 or GL_ARB_shading_language_420pack"),
    (&["location"], &[Place::Uniform], 430, 310, &["GL_ARB_explicit_uniform_location"],
        "GLSL 4.30 or GL_ARB_explicit_uniform_location"),
    (&["origin_upper_left", "pixel_center_integer"], &[Place::Input], 150, NEVER,
        &["GL_ARB_fragment_coord_conventions"], "GLSL 1.50 or GL_ARB_fragment_coord_conventions"),
    (&["depth_any", "depth_greater", "depth_less", "depth_unchanged"], &[Place::Output], 420, NEVER,
        &["GL_ARB_conservative_depth", "GL_AMD_conservative_depth", "GL_EXT_conservative_depth"],
        "GLSL 4.20 or GL_ARB_conservative_depth"),
];

/// Words of stages that interstage has not.
const OF_OTHER_STAGES: [&str; 19] = [
    "points",
    "lines",
    "lines_adjacency",
    "triangles",
    "triangles_adjacency",
    "line_strip",
    "triangle_strip",
    "max_vertices",
    "invocations",
    "vertices",
    "quads",
    "isolines",
    "equal_spacing",
    "fractional_even_spacing",
    "fractional_odd_spacing",
    "cw",
    "ccw",
    "point_mode",
    "primitive_type",
];

impl<'a> Checker<'a> {
    /// What of the whole shader is not in its version.
    pub(super) fn check_later(&mut self) {
        let unit = self.unit;
        self.check_array_constructors();
        let mut variables = HashSet::new();
        let mut prototypes: Vec<&Prototype> = Vec::new();
        for item in &unit.items {
            match item {
                Item::Function(prototype, body) => {
                    self.check_later_function(prototype, &variables);
                    visit_block(body, &mut |statement| self.check_later_statement(statement));
                }
                Item::Prototype(prototype) => {
                    self.check_later_function(prototype, &variables);
                    self.check_prototype_twice(prototype, &prototypes);
                    prototypes.push(prototype);
                }
                Item::Declaration(Declaration::Variables { ty, declarators }) => {
                    self.check_binding_owner(ty);
                    self.check_captured_size(ty, declarators);
                    variables.extend(declarators.iter().map(|it| &*it.name.name));
                    self.check_lists(declarators);
                }
                Item::Declaration(Declaration::Block(block)) => self.check_instance_name(block),
                Item::Declaration(
                    Declaration::Precision { .. } | Declaration::Requalify { .. },
                ) => {}
            }
        }
    }

    fn check_array_constructors(&mut self) {
        if self.is_from(120, 300) {
            return;
        }
        let mut found: Vec<Span> = Vec::new();
        scan::visit_unit(self.unit, &mut |expr| {
            if let ExprKind::Construct(ty, _) = &expr.kind
                && !ty.array.is_empty()
            {
                found.push(ty.span);
            }
        });
        for span in found {
            self.complain(span, "an array is not constructed in this version");
        }
    }

    fn check_later_function(&mut self, prototype: &Prototype, variables: &HashSet<&str>) {
        let name = &prototype.name;
        if variables.contains(&*name.name) && self.is_from(120, 100) {
            self.complain(name.span, format!("`{}` is a variable", name.name));
        }
        if let Some(size) = prototype.result.ty.array.first()
            && !self.is_from(110, 300)
        {
            self.complain(size.span, "a function returns no array in this version");
        }
    }

    /// In ES 1.00 a function is declared once (section 6.1).
    fn check_prototype_twice(&mut self, prototype: &Prototype, others: &[&Prototype]) {
        if self.is_from(110, 300) {
            return;
        }
        let types = |it: &Prototype| -> Vec<_> {
            let parameters = it.parameters.iter();
            parameters.map(|it| (it.ty.ty.kind.clone(), it.array.len())).collect()
        };
        let name = &prototype.name;
        let mut alike = others.iter().filter(|other| other.name.name == name.name);
        if alike.any(|other| types(other) == types(prototype)) {
            self.complain(name.span, format!("`{}` is declared twice", name.name));
        }
    }

    fn check_later_statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Declaration(declaration) => {
                if let Declaration::Variables { declarators, .. } = &**declaration {
                    self.check_lists(declarators);
                }
            }
            StatementKind::For { init, body, .. } => self.check_loop(&names_of(init), body),
            StatementKind::While { condition: Condition::Declaration(_, name, _), body } => {
                self.check_loop(&[name], body);
            }
            StatementKind::Empty
            | StatementKind::Block(_)
            | StatementKind::Expr(_)
            | StatementKind::If { .. }
            | StatementKind::Switch { .. }
            | StatementKind::While { .. }
            | StatementKind::DoWhile { .. }
            | StatementKind::Continue
            | StatementKind::Break
            | StatementKind::Return(_)
            | StatementKind::Discard => {}
        }
    }

    /// A loop's body is no scope of its own beside its head (GLSL 4.60 section 4.2.2).
    fn check_loop(&mut self, heads: &[&Ident], body: &Statement) {
        let StatementKind::Block(block) = &body.kind else { return };
        for name in block.statements.iter().flat_map(names_of) {
            if heads.iter().any(|head| head.name == name.name) {
                let message = format!("`{}` is declared in the head of the loop", name.name);
                self.complain(name.span, message);
            }
        }
    }

    /// `= { … }` (GLSL 4.60 section 4.1.11).
    fn check_lists(&mut self, declarators: &[Declarator]) {
        if self.is_from(420, NEVER) || self.enables(&[PACK]) {
            return;
        }
        for declarator in declarators {
            if let Some(Initializer::List(_, span)) = &declarator.initializer {
                self.complain(*span, "this version has no lists of initialisers");
            }
        }
    }

    /// Only what is outside the shader has a binding (GLSL 4.60 section 4.4.6).
    fn check_binding_owner(&mut self, ty: &QualifiedType) {
        let mut entries = ty.qualifiers.layout.iter();
        let binding = entries.find(|entry| entry.name.name == "binding");
        if let Some(entry) = binding
            && !self.contains(&ty.ty, &is_opaque)
        {
            self.complain(
                entry.name.span,
                "only samplers, images, counters and blocks have a binding",
            );
        }
    }

    /// A capture has a size (GLSL 4.60 section 4.4.2.1).
    fn check_captured_size(&mut self, ty: &QualifiedType, declarators: &[Declarator]) {
        if !ty.qualifiers.layout.iter().any(|entry| entry.name.name == "xfb_offset") {
            return;
        }
        for declarator in declarators {
            let mut sizes = ty.ty.array.iter().chain(&declarator.array);
            if let Some(open) = sizes.find(|size| size.size.is_none()) {
                let message = format!("`{}` is captured and needs a size", declarator.name.name);
                self.complain(open.span, message);
            }
        }
    }

    fn check_instance_name(&mut self, block: &BlockDeclaration) {
        let mut words = block.qualifiers.storage.iter();
        let old = words.find(|(word, _)| matches!(word, Storage::Varying | Storage::Attribute));
        if let Some((_, span)) = old {
            self.complain(*span, "a block is `in`, `out`, `uniform` or `buffer`");
        }
        if let Some((instance, _)) = &block.instance
            && !self.is_from(150, 300)
        {
            self.complain(instance.span, "a block has no instance name in this version");
        }
    }

    /// The version or extension that a word of `layout` lacks.
    pub(super) fn missing_word(&self, word: &str, place: Place) -> Option<&'static str> {
        let row = WORDS.iter().find(|row| row.0.contains(&word) && row.1.contains(&place))?;
        let has_it = self.is_from(row.2, row.3) || self.enables(row.4);
        (!has_it).then_some(row.5)
    }

    /// Whether a word is of a stage that this one is not.
    pub(super) fn is_of_another_stage(&self, word: &str) -> bool {
        let is_compute = self.stage == ShaderStage::Compute;
        let is_of_compute = word.starts_with("local_size") || word.starts_with("derivative_group");
        OF_OTHER_STAGES.contains(&word) || is_of_compute && !is_compute
    }

    /// Whether blocks of this storage have a layout in which offsets are known, unless they say something else.
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

/// Whether a block with this word has known offsets.
pub(super) fn is_fixed(word: &str) -> bool {
    ["std140", "std430", "scalar"].contains(&word)
}

/// The variables that a statement declares.
fn names_of(statement: &Statement) -> Vec<&Ident> {
    let StatementKind::Declaration(declaration) = &statement.kind else { return Vec::new() };
    let Declaration::Variables { declarators, .. } = &**declaration else { return Vec::new() };
    declarators.iter().map(|it| &it.name).collect()
}

#[cfg(test)]
mod tests {
    use crate::case::ShaderStage::{self, Compute, Fragment, Vertex};
    use crate::frontend::glsl::check::check as mistakes;
    use crate::frontend::glsl::parser::{ParseOptions, parse};

    /// Checks the first mistake and the text it underlines, in the form `message [text]`; empty when there is none.
    #[track_caller]
    fn check(version: &str, stage: ShaderStage, text: &str, expected: &str) {
        let text = format!("#version {version}\n{text}");
        let unit = parse(&text, 0, &ParseOptions::default()).expect("the grammar allows it");
        let found = mistakes(&unit, stage);
        let shown = found
            .first()
            .map(|it| format!("{} [{}]", it.message, &text[it.span.start..it.span.end]));
        assert_eq!(shown.unwrap_or_default(), expected, "{text}");
    }

    #[test]
    fn arrays_are_values_from_120_on() {
        let text = "void f() { float x = float[2](1.0, 2.0)[0]; }";
        check("110", Vertex, text, "an array is not constructed in this version [float]");
        check("100", Vertex, text, "an array is not constructed in this version [float]");
        check("120", Vertex, text, "");
        check("300 es", Vertex, text, "");
        let text = "float[2] f();";
        check("100", Vertex, text, "a function returns no array in this version [[2]]");
        check("110", Vertex, text, "");
    }

    #[test]
    fn lists_of_initialisers_came_with_420() {
        let text = "void f() { vec2 a = { 1.0, 2.0 }; }";
        check("410", Vertex, text, "this version has no lists of initialisers [{ 1.0, 2.0 }]");
        check("320 es", Vertex, text, "this version has no lists of initialisers [{ 1.0, 2.0 }]");
        check("420", Vertex, text, "");
        let text = format!("#extension GL_ARB_shading_language_420pack : enable\n{text}");
        check("130", Vertex, &text, "");
    }

    #[test]
    fn instance_names_came_with_150() {
        let text = "uniform B { float a; } b;";
        check("140", Vertex, text, "a block has no instance name in this version [b]");
        check("150", Vertex, text, "");
        check("300 es", Vertex, text, "");
        check("140", Vertex, "uniform B { float a; };", "");
    }

    #[test]
    fn words_of_layout_have_their_versions() {
        let binding = "`binding` needs GLSL 4.20 or GL_ARB_shading_language_420pack [binding]";
        check("410", Fragment, "layout(binding = 1) uniform sampler2D t;", binding);
        check("300 es", Fragment, "layout(binding = 1) uniform sampler2D t;", binding);
        check("420", Fragment, "layout(binding = 1) uniform sampler2D t;", "");
        let location = "`location` needs GLSL 4.30 or GL_ARB_explicit_uniform_location [location]";
        check("420", Vertex, "layout(location = 1) uniform vec4 u;", location);
        check("430", Vertex, "layout(location = 1) uniform vec4 u;", "");
        let depth = "`depth_less` needs GLSL 4.20 or GL_ARB_conservative_depth [depth_less]";
        check("410", Fragment, "layout(depth_less) out float gl_FragDepth;", depth);
        check("420", Fragment, "layout(depth_less) out float gl_FragDepth;", "");
    }

    #[test]
    fn words_of_other_stages_are_refused() {
        check("430", Vertex, "layout(triangles) in;", "`triangles` cannot stand here [triangles]");
        check(
            "430",
            Fragment,
            "layout(local_size_x = 4) in;",
            "`local_size_x` cannot stand here [local_size_x]",
        );
        check("430", Compute, "layout(local_size_x = 4) in;", "");
        check("430", Fragment, "layout(early_fragment_tests) in;", "");
    }

    #[test]
    fn places_need_a_layout_with_known_offsets() {
        let text = "uniform B { layout(offset = 16) float a; };";
        check("440", Vertex, text, "`offset` needs `std140` or `std430` [offset]");
        check("440", Vertex, &format!("layout(std140) {text}"), "");
        check("440", Vertex, &format!("layout(std140) uniform; {text}"), "");
        let message = "`offset` needs `std140` or `std430` [offset]";
        check("440", Vertex, &format!("layout(std430) buffer; {text}"), message);
    }

    #[test]
    fn a_loop_and_its_body_are_one_scope() {
        let message = "`i` is declared in the head of the loop [i]";
        check("330", Vertex, "void f() { for (int i = 0; i < 2; i++) { int i = 1; } }", message);
        check("330", Vertex, "void f() { while (bool i = false) { int i = 1; } }", message);
        check("330", Vertex, "void f() { for (int i = 0; i < 2; i++) { { int i = 1; } } }", "");
    }

    #[test]
    fn a_name_is_one_thing() {
        check("120", Vertex, "float n; float n() { return 1.0; }", "`n` is a variable [n]");
        check("110", Vertex, "float n; float n() { return 1.0; }", "");
        check("100", Vertex, "float n(); float n();", "`n` is declared twice [n]");
        check("300 es", Vertex, "float n(); float n();", "");
        check("100", Vertex, "float n(float a); float n(vec2 a);", "");
        check("330", Vertex, "struct S { float gl_a; };", "the name `gl_a` is reserved [gl_a]");
    }

    #[test]
    fn what_is_inside_has_no_binding() {
        let message = "only samplers, images, counters and blocks have a binding [binding]";
        check("420", Vertex, "layout(binding = 1) uniform float n;", message);
        check("420", Vertex, "layout(binding = 1) uniform sampler2D n[2];", "");
    }

    #[test]
    fn captures_have_sizes() {
        let text = "layout(xfb_offset = 0) out float n[];";
        check("440", Vertex, text, "`n` is captured and needs a size [[]]");
        check("440", Vertex, "layout(xfb_offset = 0) out float n[2];", "");
    }

    #[test]
    fn old_words_make_no_blocks() {
        let message = "a block is `in`, `out`, `uniform` or `buffer` [varying]";
        check("110", Vertex, "varying B { float a; };", message);
    }

    #[test]
    fn counters_have_bindings() {
        check("420", Fragment, "uniform atomic_uint n;", "an atomic counter needs a `binding` [n]");
        check("420", Fragment, "layout(binding = 0) uniform atomic_uint n;", "");
    }
}
