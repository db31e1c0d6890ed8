//! Computes the layout of `xfb_buffer`, `xfb_offset` and `xfb_stride` (GLSL 4.60, 4.4.2.1).

use ir::diagnostic::Diagnostic;
use ir::interface::Type;
use ir::source::Span;
use ir::stage_module::XfbDeclarations;

use super::name::{Candidate, parts};
use super::{Item, MAX_BUFFERS, MAX_COMPONENTS, Varying, XfbLayout, check_streams, place_of};

/// The layout that the stage declares.
///
/// # Errors
/// An error for every contradiction.
pub fn layout(
    candidates: &[Candidate],
    declared: &XfbDeclarations,
) -> Result<XfbLayout, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut items = Vec::new();
    for output in &declared.outputs {
        let known = candidates.iter().find(|candidate| candidate.variable == output.name);
        let Some(candidate) = known else { continue };
        if let Some(message) = problem(&candidate.ty, output.buffer, output.offset, &output.name) {
            errors.push(Diagnostic::error(output.span, message));
            continue;
        }
        items.extend(items_of(candidate, output.buffer, output.offset / 4, output.span));
    }
    items.sort_by_key(|item| (item.buffer, item.word));
    errors.extend(items.windows(2).filter_map(overlap));
    let strides = strides(&items, declared, &mut errors);
    for item in &items {
        let end = item.word.saturating_add(item.words());
        if end > MAX_COMPONENTS {
            let message = format!(
                "`{}` ends after word {end} of capture buffer {}, which has {MAX_COMPONENTS} per vertex",
                item.name, item.buffer
            );
            errors.push(Diagnostic::error(item.span, message));
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    check_streams(&items)?;
    let varyings = (0..items.len()).map(Varying::Item).collect();
    let strides = [strides, implied_strides(&items)].concat();
    Ok(XfbLayout::of(items, varyings, &strides))
}

/// The strides of buffers with 64-bit scalars that declare no stride: "rounded up to a multiple of 8". A list of names
/// has no such rule.
fn implied_strides(items: &[Item]) -> Vec<(u32, u32)> {
    let wide = items.iter().filter(|item| item.ty.has_64_bit());
    let stride = |item: &Item| {
        let own = items.iter().filter(|other| other.buffer == item.buffer);
        let end = own.map(|other| other.word.saturating_add(other.words())).max()?;
        Some((item.buffer, end.next_multiple_of(2)))
    };
    wide.filter_map(stride).collect()
}

fn problem(ty: &Type, buffer: u32, offset: u32, name: &str) -> Option<String> {
    if buffer >= MAX_BUFFERS {
        return Some(format!(
            "`{name}` goes to capture buffer {buffer}; there are only {MAX_BUFFERS}"
        ));
    }
    let unit = if ty.has_64_bit() { 8 } else { 4 };
    (!offset.is_multiple_of(unit))
        .then(|| format!("the `xfb_offset` of `{name}` must be a multiple of {unit}"))
}

/// The items of an output that starts at `word`: its parts in order.
fn items_of(candidate: &Candidate, buffer: u32, word: u32, span: Span) -> Vec<Item> {
    let mut word = word;
    let item = |(suffix, part): (String, super::name::OutputPart)| {
        if part.ty.has_64_bit() {
            word = word.next_multiple_of(2);
        }
        let name = format!("{}{suffix}", candidate.name);
        let place = place_of(candidate, &part.path);
        let (variable, is_builtin) = (candidate.variable.clone(), candidate.is_builtin);
        let (ty, stream) = (part.ty, candidate.stream);
        let item = Item { name, variable, ty, place, buffer, word, is_builtin, stream, span };
        word = word.saturating_add(item.words());
        item
    };
    parts(&candidate.ty).into_iter().map(item).collect()
}

fn overlap(pair: &[Item]) -> Option<Diagnostic> {
    let [first, second] = pair else { return None };
    let is_over =
        first.buffer == second.buffer && first.word.saturating_add(first.words()) > second.word;
    is_over.then(|| {
        let message = format!(
            "`{}` and `{}` overlap in capture buffer {}",
            first.name, second.name, first.buffer
        );
        Diagnostic::error(second.span, message)
    })
}

/// The declared strides in words, by buffer.
fn strides(
    items: &[Item],
    declared: &XfbDeclarations,
    errors: &mut Vec<Diagnostic>,
) -> Vec<(u32, u32)> {
    let mut strides: Vec<(u32, u32)> = Vec::new();
    for stride in &declared.strides {
        let (buffer, bytes) = (stride.buffer, stride.stride);
        let own = || items.iter().filter(|item| item.buffer == buffer);
        let end = own().map(|item| item.word.saturating_add(item.words())).max().unwrap_or(0);
        let unit = if own().any(|item| item.ty.has_64_bit()) { 8 } else { 4 };
        let before = strides.iter().find(|(known, _)| *known == buffer);
        let message = if buffer >= MAX_BUFFERS {
            format!("there are only {MAX_BUFFERS} capture buffers")
        } else if before.is_some_and(|(_, words)| *words != bytes / 4) {
            format!(
                "the `xfb_stride` of capture buffer {buffer} is given twice with different values"
            )
        } else if bytes % unit != 0 {
            format!("the `xfb_stride` of capture buffer {buffer} must be a multiple of {unit}")
        } else if bytes / 4 > MAX_COMPONENTS {
            format!(
                "the `xfb_stride` of capture buffer {buffer} is more than {MAX_COMPONENTS} words"
            )
        } else if bytes / 4 < end {
            format!(
                "the `xfb_stride` of capture buffer {buffer} is {bytes}, but {} bytes are captured",
                end.saturating_mul(4)
            )
        } else {
            strides.push((buffer, bytes / 4));
            continue;
        };
        errors.push(Diagnostic::error(stride.span, message));
    }
    strides
}

#[cfg(test)]
mod tests {
    use crate::compute::xfb::tests::{candidates_of, show};
    use ir::stage_module::{XfbOutput, XfbStride};

    use super::*;

    /// Checks the layout of outputs `type name @buffer+offset | …` and strides `buffer: stride`, or its errors.
    #[track_caller]
    fn check(outputs: &str, strides: &[(u32, u32)], expected: &str) {
        let mut declared = XfbDeclarations::default();
        let mut list = String::new();
        for part in outputs.split(" | ") {
            let (variable, at) = part.rsplit_once(" @").expect("a place");
            let (buffer, offset) = at.split_once('+').expect("an offset");
            let name = variable.rsplit_once(' ').expect("a name").1;
            declared.outputs.push(XfbOutput {
                name: name.split('[').next().expect("a name").to_owned(),
                buffer: buffer.parse().expect("a number"),
                offset: offset.parse().expect("a number"),
                span: Span::new(0, 0),
            });
            list.push_str(variable);
            list.push(';');
        }
        let stride = |(buffer, stride): &(u32, u32)| XfbStride {
            buffer: *buffer,
            stride: *stride,
            span: Span::new(0, 0),
        };
        declared.strides = strides.iter().map(stride).collect();
        assert_eq!(show(&layout(&candidates_of(&list), &declared)), expected, "{outputs}");
    }

    /// C99
    #[test]
    fn order_of_declaration_does_not_matter_but_overlap_does() {
        let sorted = "a 0+0, b 0+2; 0: 20";
        check("vec3 b @0+8 | vec2 a @0+0", &[], sorted);
        check("vec2 a @0+0 | vec3 b @0+8", &[], sorted);
        check("vec3 b @0+4 | vec2 a @0+0", &[], "`a` and `b` overlap in capture buffer 0");
        check("vec3 b @1+4 | vec2 a @0+0", &[], "a 0+0, b 1+1; 0: 8, 1: 16");
    }

    /// X8 and C100
    #[test]
    fn doubles_make_strides_multiples_of_eight() {
        let outputs = "float f @0+8 | double d @0+0";
        check(outputs, &[], "d 0+0, f 0+2; 0: 16");
        let message = "the `xfb_stride` of capture buffer 0 must be a multiple of 8";
        check(outputs, &[(0, 12)], message);
        check(outputs, &[(0, 24)], "d 0+0, f 0+2; 0: 24");
        check("double d @0+4", &[], "the `xfb_offset` of `d` must be a multiple of 8");
        check("float f @0+6", &[], "the `xfb_offset` of `f` must be a multiple of 4");
    }

    #[test]
    fn a_stride_holds_everything_and_is_given_once() {
        check("vec3 a @0+4", &[(0, 16)], "a 0+1; 0: 16");
        check(
            "vec3 a @0+4",
            &[(0, 12)],
            "the `xfb_stride` of capture buffer 0 is 12, but 16 bytes are captured",
        );
        let message = "the `xfb_stride` of capture buffer 0 is given twice with different values";
        check("vec3 a @0+0", &[(0, 12), (0, 16)], message);
        check("vec3 a @0+0", &[(0, 12), (0, 12)], "a 0+0; 0: 12");
        check("vec3 a @0+0", &[(1, 16)], "a 0+0; 0: 12, 1: 16 idle");
        check("float a @4+0", &[], "`a` goes to capture buffer 4; there are only 4");
    }

    #[test]
    fn structures_are_captured_member_after_member() {
        check(
            "struct{float f; vec4 v; float g[2];} s[2] @0+0",
            &[],
            "s[0].f 0+0, s[0].v 0+1, s[0].g 0+5, s[1].f 0+7, s[1].v 0+8, s[1].g 0+12; 0: 56",
        );
    }

    /// An unused buffer may have any stride.
    #[test]
    fn nothing_needs_no_stride() {
        check("vec3 a @0+0", &[(1, 0)], "a 0+0; 0: 12, 1: 0 idle");
    }
}
