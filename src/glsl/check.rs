//! Semantic rules that can be checked on the syntax tree alone.
//!
//! They are checked for every shader object before it is lowered, and all errors are reported. Rules that need the
//! types and values of expressions are checked by the lowering.
//!
//! Terms: a *global* is a variable at global scope; a *member* belongs to a block or struct; *stage level* is a
//! statement such as `layout(…) in;`, which applies to the stage as a whole.

mod barrier;
mod block;
mod builtin;
mod constant;
mod function;
mod image;
mod interface;
mod later;
mod layout;
pub(super) mod layout_word;
mod local;
mod name;
mod opaque;
mod precision;
pub(super) mod qualifier_word;
pub(super) mod site;
mod storage;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use ir::diagnostic::Diagnostic;
use ir::source::Span;
use ir::stage::ShaderStage;

use super::ast::{
    Declaration, ExprKind, Item, Qualifiers, Storage, StructDefinition, TranslationUnit, TypeName,
    TypeSpecifier, Version,
};
use super::builtins::{Availability, Context, NEVER};
use super::scan;

/// The errors and unsupported constructs of a shader object.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// All errors that the checks find.
    pub(super) errors: Vec<Diagnostic>,
    /// Names and positions of constructs that are valid but not supported.
    pub(super) unsupported: Vec<(String, Span)>,
}

/// Checks one shader object.
pub(super) fn check(unit: &TranslationUnit, stage: ShaderStage) -> Findings {
    let mut checker = Checker {
        unit,
        stage,
        version: unit.version,
        structs: unit.items.iter().filter_map(struct_of).collect(),
        globals: unit.items.iter().flat_map(globals_of).collect(),
        first_uses: first_uses(unit),
        errors: Vec::new(),
        unsupported: Vec::new(),
    };
    for (position, item) in unit.items.iter().enumerate() {
        checker.item(position, item);
    }
    checker.check_pragma();
    checker.check_workgroup_size();
    checker.check_image_arguments();
    checker.check_names();
    checker.check_later();
    checker.check_precision();
    Findings { errors: checker.errors, unsupported: checker.unsupported }
}

/// Maximum number of structs in one type that are visited. Deeper nesting is rejected elsewhere.
const MAX_STRUCTS: usize = 256;

/// State of checking one shader object.
struct Checker<'a> {
    unit: &'a TranslationUnit,
    stage: ShaderStage,
    version: Version,
    /// The structs at global scope.
    structs: HashMap<&'a str, &'a StructDefinition>,
    /// The variables at global scope.
    globals: HashMap<&'a str, &'a Qualifiers>,
    /// The first item that uses a name.
    first_uses: HashMap<&'a str, usize>,
    errors: Vec<Diagnostic>,
    unsupported: Vec<(String, Span)>,
}

impl<'a> Checker<'a> {
    fn item(&mut self, position: usize, item: &'a Item) {
        match item {
            Item::Function(prototype, body) => {
                self.check_function(prototype);
                self.check_parameter_names(prototype);
                self.check_subroutine(prototype);
                self.check_return(prototype, body);
                self.check_locals(body);
                self.check_late_precision(body);
                self.check_barriers(prototype, body);
            }
            Item::Prototype(prototype) => {
                self.check_function(prototype);
                self.check_subroutine_prototype(prototype);
            }
            Item::Declaration(Declaration::Variables { ty, declarators }) => {
                self.check_globals(position, ty, declarators);
            }
            Item::Declaration(Declaration::Block(block)) => self.check_block(position, block),
            Item::Declaration(Declaration::Requalify { qualifiers, names, .. }) => {
                if names.is_empty() {
                    self.check_stage_level(qualifiers);
                } else {
                    self.check_requalified(position, qualifiers, names);
                }
            }
            Item::Declaration(Declaration::Precision { .. }) => {}
        }
    }

    /// Records an error.
    fn complain(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(span, message));
    }

    /// True if the version is at least this one, of desktop GLSL or of ES.
    fn is_from(&self, desktop: u16, es: u16) -> bool {
        self.version.number >= if self.version.is_es { es } else { desktop }
    }

    /// True if the object has a built-in.
    fn has(&self, availability: &Availability) -> bool {
        let version = self.version;
        let is_compatible = version.number < 140 || version.is_compatibility;
        let has_legacy =
            !version.is_es && (is_compatible || self.enables(&["GL_ARB_compatibility"]));
        let enables = |names: &[&str]| self.enables(names);
        availability.is_met(Context { version, has_legacy, enables: &enables })
    }

    /// True if one of these extensions is enabled.
    fn enables(&self, names: &[&str]) -> bool {
        let extensions = &self.unit.extensions;
        extensions.iter().rev().any(|extension| {
            let last = extensions.iter().rfind(|other| other.name == extension.name);
            let is_enabled = last.is_some_and(|last| last.behaviour != "disable");
            is_enabled && names.contains(&&*extension.name)
        })
    }

    /// True if `is_it` holds for the name of the type or of a part of it.
    fn contains(&self, ty: &TypeSpecifier, is_it: &dyn Fn(&str) -> bool) -> bool {
        self.contains_new(ty, is_it, &mut HashSet::new())
    }

    /// Like [`Self::contains`], but skips structs in `seen`, because an invalid shader may nest a struct in itself.
    fn contains_new<'t>(
        &'t self,
        ty: &'t TypeSpecifier,
        is_it: &dyn Fn(&str) -> bool,
        seen: &mut HashSet<&'t str>,
    ) -> bool {
        let definition = match &ty.kind {
            TypeName::Named(name) => match self.structs.get(&**name) {
                Some(definition) if seen.len() < MAX_STRUCTS && seen.insert(name) => definition,
                Some(_) => return false,
                None => return is_it(name),
            },
            TypeName::Struct(definition) => definition,
        };
        definition.members.iter().any(|member| self.contains_new(&member.ty.ty, is_it, seen))
    }

    /// True if the type is a struct, or an array of one.
    fn is_struct(&self, ty: &TypeSpecifier) -> bool {
        match &ty.kind {
            TypeName::Named(name) => self.structs.contains_key(&**name),
            TypeName::Struct(_) => true,
        }
    }

    /// True if one of these names is used before the item `position`.
    fn is_used_before(&self, position: usize, names: &[&str]) -> bool {
        names.iter().any(|name| self.first_uses.get(name).is_some_and(|first| *first < position))
    }
}

fn first_uses(unit: &TranslationUnit) -> HashMap<&str, usize> {
    let mut uses = HashMap::new();
    for (position, item) in unit.items.iter().enumerate() {
        scan::visit_item(item, &mut |expr| {
            if let ExprKind::Variable(name) = &expr.kind {
                uses.entry(&**name).or_insert(position);
            }
        });
    }
    uses
}

fn globals_of(item: &Item) -> Vec<(&str, &Qualifiers)> {
    let Item::Declaration(Declaration::Variables { ty, declarators }) = item else {
        return Vec::new();
    };
    declarators.iter().map(|declarator| (&*declarator.name.name, &ty.qualifiers)).collect()
}

fn struct_of(item: &Item) -> Option<(&str, &StructDefinition)> {
    let Item::Declaration(Declaration::Variables { ty, .. }) = item else { return None };
    let TypeName::Struct(definition) = &ty.ty.kind else { return None };
    definition.name.as_ref().map(|name| (&*name.name, definition))
}

/// True for inputs or outputs of a stage that have one element for each vertex; their outermost dimension is the vertex
/// index.
fn is_vertex_array(stage: ShaderStage, qualifiers: &Qualifiers) -> bool {
    let has_vertices = stage.inputs().have_vertices() && has_storage(qualifiers, Storage::In)
        || stage.outputs().have_vertices() && has_storage(qualifiers, Storage::Out);
    has_vertices && !qualifiers.is_patch
}

/// True if the qualifiers contain this storage qualifier.
fn has_storage(qualifiers: &Qualifiers, storage: Storage) -> bool {
    qualifiers.storage.iter().any(|(word, _)| *word == storage)
}

/// True for a matrix of floats or doubles.
fn is_matrix(name: &str) -> bool {
    name.starts_with("mat") || name.starts_with("dmat")
}

/// True for an integer type.
fn is_integer(name: &str) -> bool {
    ["int", "uint"].contains(&name) || name.starts_with("ivec") || name.starts_with("uvec")
}

/// True for a type of doubles or 64-bit integers.
fn is_wide(name: &str) -> bool {
    is_double(name)
        || ["int64_t", "uint64_t"].contains(&name)
        || ["i64vec", "u64vec"].iter().any(|family| name.starts_with(family))
}

/// True for a type of doubles.
fn is_double(name: &str) -> bool {
    name == "double" || name.starts_with("dvec") || name.starts_with("dmat")
}

/// True for a boolean type.
fn is_bool(name: &str) -> bool {
    name == "bool" || name.starts_with("bvec")
}

/// True for a sampler, image or atomic counter.
fn is_opaque(name: &str) -> bool {
    let has_family =
        |name: &str| ["sampler", "image", "texture"].iter().any(|family| name.starts_with(family));
    name == "atomic_uint"
        || has_family(name)
        || name.strip_prefix(['i', 'u']).is_some_and(has_family)
}

/// True for an image.
fn is_image(name: &str) -> bool {
    ["image", "iimage", "uimage"].iter().any(|family| name.starts_with(family))
}
