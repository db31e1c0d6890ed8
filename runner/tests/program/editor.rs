//! What editors use: the language server and the formatter.

mod fmt;
mod lsp;
