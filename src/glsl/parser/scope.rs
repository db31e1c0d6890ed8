//! Scopes of struct names, which are the only names that the grammar depends on.

use std::collections::HashMap;

/// Structs declared by OpenGL's compatibility profile.
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

/// The scopes around the parser's position.
#[derive(Debug)]
pub(super) struct Scopes {
    /// For every scope, its structs and the variables that hide a struct.
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

    /// Declares a variable. It is recorded only if it hides a struct.
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
