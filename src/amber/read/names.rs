//! Names of objects that a script declares, and their indices.

use std::collections::HashMap;

use ir::diagnostic::Diagnostic;
use ir::source::Span;

use super::text::at::At;
use super::text::problem::{Parsed, Problem, shown};

/// Objects of one kind by name.
#[derive(Debug)]
pub(crate) struct Names {
    /// Name of the kind in messages.
    what: &'static str,
    indices: HashMap<String, usize>,
    /// All names, in order.
    order: Vec<String>,
}

impl Names {
    /// An empty table.
    pub(crate) fn new(what: &'static str) -> Self {
        Self { what, indices: HashMap::new(), order: Vec::new() }
    }

    /// Checks that no object has this name yet.
    pub(crate) fn check_new(&self, name: At<&str>) -> Parsed<()> {
        if self.indices.contains_key(name.value) {
            return Err(duplicate(self.what, name.value, name.span));
        }
        Ok(())
    }

    /// Adds a new name with the next index.
    pub(crate) fn add(&mut self, name: &str) {
        self.indices.insert(name.to_owned(), self.order.len());
        self.order.push(name.to_owned());
    }

    /// The index of a name, or an error if it is unknown.
    pub(crate) fn find(&self, name: At<&str>) -> Parsed<usize> {
        let index = self.indices.get(name.value).copied();
        index
            .ok_or_else(|| Problem::unknown(self.what, name, self.order.iter().map(String::as_str)))
    }
}

/// The error for two objects with the same name.
pub(crate) fn duplicate(what: &str, name: &str, span: Span) -> Problem {
    let message = format!("there is a {what} `{}` already", shown(name));
    Problem::Broken(Diagnostic::error(span, message))
}
