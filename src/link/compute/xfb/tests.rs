//! Helpers shared by the tests of layouts.

use crate::notation::variables;
use ir::diagnostic::Diagnostic;

use super::XfbLayout;
use super::name::Candidate;

/// The capturable outputs of a list in the notation of [`crate::testing`].
pub(super) fn candidates_of(list: &str) -> Vec<Candidate> {
    let candidate = |variable: ir::interface::Variable| Candidate {
        name: variable.name.clone(),
        variable: variable.name,
        ty: variable.ty,
        place: None,
        is_builtin: false,
        stream: variable.stream,
        span: None,
    };
    variables(list).into_iter().map(candidate).collect()
}

/// Prints `a 0+2; 0: 20`: the items with buffer and word, and the buffers with their strides in bytes; or the errors.
pub(super) fn show(layout: &Result<XfbLayout, Vec<Diagnostic>>) -> String {
    let layout = match layout {
        Ok(layout) => layout,
        Err(errors) => {
            return errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; ");
        }
    };
    let items =
        layout.items.iter().map(|item| format!("{} {}+{}", item.name, item.buffer, item.word));
    let buffers = layout.buffers.iter().map(|buffer| {
        let idle = if buffer.is_active { "" } else { " idle" };
        format!("{}: {}{idle}", buffer.number, buffer.stride * 4)
    });
    format!("{}; {}", items.collect::<Vec<_>>().join(", "), buffers.collect::<Vec<_>>().join(", "))
}
