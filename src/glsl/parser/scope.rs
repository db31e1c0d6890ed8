//! Which names are structs: all that the grammar needs to know about names.

use std::collections::HashMap;

/// The structs that OpenGL's compatibility profile declares.
const BUILTIN_STRUCTS: [&str; 8] = [
    "gl_DepthRangeParameters",
    "gl_FogParameters",
    "gl_LightModelParameters",
    "gl_LightModelProducts",
    "gl_LightProducts",
    "gl_LightSourceParameters",
    "gl_MaterialParameters",
    "gl_PointParameters",
];

/// The nested scopes around the parser's place.
#[derive(Debug)]
pub(super) struct Scopes {
    /// For every scope, the structs it declares and the variables that hide one.
    scopes: Vec<HashMap<String, Meaning>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Struct,
    Variable,
}

impl Default for Scopes {
    fn default() -> Self {
        let builtin = BUILTIN_STRUCTS.map(|name| (name.to_owned(), Meaning::Struct));
        Self { scopes: vec![HashMap::from(builtin)] }
    }
}

impl Scopes {
    pub(super) fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    pub(super) fn declare_struct(&mut self, name: &str) {
        self.declare(name, Meaning::Struct);
    }

    /// Only a variable that hides a struct is worth remembering.
    pub(super) fn declare_variable(&mut self, name: &str) {
        if self.is_struct(name) {
            self.declare(name, Meaning::Variable);
        }
    }

    pub(super) fn is_struct(&self, name: &str) -> bool {
        let meaning = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        meaning == Some(&Meaning::Struct)
    }

    fn declare(&mut self, name: &str, meaning: Meaning) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), meaning);
        }
    }
}
