//! Parts of a file for messages, so that a file with many cases is not copied for each of them.

use case::parse::CaseError;
use ir::diagnostic::Diagnostic;
use ir::source::{Source, Span};

/// The lines of `source` that contain `span`, with their numbers, and `error` with its positions in them.
pub(super) fn of(source: &Source, span: Span, error: CaseError) -> (Source, CaseError) {
    let first = source.line_index(span.start);
    let last = source.line_index(span.end.max(span.start));
    let start = source.line_span(first).start;
    let end = source.line_span(last).end;
    let text = source.slice(Span::new(start, end));
    let numbers = (first..=last).map(|idx| source.file_line(idx)).collect();
    let excerpt = Source::with_file_lines(source.path(), text, numbers);
    let moved = |at: Span| {
        let place = |offset: usize| offset.clamp(start, end) - start;
        Span::new(place(at.start), place(at.end))
    };
    let error = match error {
        CaseError::Broken(mistakes) => CaseError::Broken(
            mistakes
                .into_iter()
                .map(|mistake| Diagnostic { span: mistake.span.map(moved), ..mistake })
                .collect(),
        ),
        CaseError::Unsupported { word, span } => CaseError::Unsupported { word, span: moved(span) },
        CaseError::Excluded { reason } => CaseError::Excluded { reason },
    };
    (excerpt, error)
}
