//! Checks that buffer accesses are in bounds: storage buffers, atomic counters and transform feedback buffers.

use std::collections::BTreeMap;

use crate::draw::XfbRows;
use crate::draw::xfb::XfbStep;
use crate::limits::MAX_BUFFER_BYTES;
use crate::read::reader::Reader;
use crate::{Action, Case, DrawShape, Expectation, ReadExpectation, Setting, Step};
use ir::diagnostic::{Diagnostic, counted};
use ir::options::{ATOMIC_COUNTER_POINT, XFB_POINT};

/// Checks that every byte that a step reads or writes exists.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other step makes a buffer")]
pub(super) fn check(reader: &mut Reader<'_>, case: &Case) {
    let mut sizes = BTreeMap::new();
    for step in &case.steps {
        for (binding, end) in touched(&step.value) {
            let message = match sizes.get(&binding) {
                None => format!("there is no {} yet", case.buffer_name(binding)),
                Some(size) if end > u64::from(*size) => {
                    format!("{} has only {}", case.buffer_name(binding), counted(*size, "byte"))
                }
                Some(_) => continue,
            };
            let help = how_to_make(binding);
            reader.report(Diagnostic::error(step.span, message).with_help(help));
        }
        match &step.value {
            Step::Set(Setting::Ssbo { binding, size }) => sizes.insert(*binding, *size),
            Step::Run(Action::Xfb(XfbStep::Buffer { buffer, size, .. })) => {
                sizes.insert(XFB_POINT + *buffer, *size)
            }
            _ => None,
        };
    }
}

/// Binding points of the buffers that a step accesses, each with the end offset of the access.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other step looks at a buffer by itself")]
fn touched(step: &Step) -> Vec<(u32, u64)> {
    if let Some(draw) = step.draw() {
        let end = |source: &XfbRows| {
            let first = u64::from(source.offset) + u64::from(source.row_bytes());
            let before = match draw.shape {
                DrawShape::Arrays { first, count, .. } => {
                    (u64::from(first) + u64::from(count)).saturating_sub(1)
                }
                // The executor checks these.
                DrawShape::Indexed { .. } | DrawShape::Captured { .. } => return 0,
                DrawShape::Rect(_) | DrawShape::RectOrtho(_) | DrawShape::RectTextured { .. } => 0,
            };
            first.saturating_add(before.saturating_mul(source.stride.into()))
        };
        return draw.sources.iter().map(|rows| (XFB_POINT + rows.buffer, end(rows))).collect();
    }
    match step {
        Step::Run(Action::Xfb(XfbStep::Range { of, offset, size, .. })) => {
            vec![(XFB_POINT + *of, u64::from(*offset) + u64::from(*size))]
        }
        Step::Set(Setting::SsboData { binding, offset, ty, values }) => {
            vec![(*binding, end_of(*offset, ty, values.len()))]
        }
        Step::Expect(Expectation::Read(ReadExpectation::Buffer(probe))) => {
            vec![(probe.binding, end_of(probe.offset, &probe.ty, probe.expected.len()))]
        }
        _ => Vec::new(),
    }
}

/// Syntax of the command that makes the buffer at a binding point.
fn how_to_make(binding: u32) -> String {
    if let Some(buffer) = binding.checked_sub(XFB_POINT) {
        return format!("make it with `xfb buffer object {buffer} SIZE`");
    }
    if let Some(counters) = binding.checked_sub(ATOMIC_COUNTER_POINT) {
        return format!("make it with `atomic counter buffer {counters} COUNT`");
    }
    let point = ir::vulkan::shown(binding);
    format!("make it with `ssbo {point} SIZE`, at most {MAX_BUFFER_BYTES} bytes")
}

/// End offset of `count` tightly packed scalars of `ty`.
fn end_of(offset: u32, ty: &ir::interface::Type, count: usize) -> u64 {
    let scalar_bytes = 4 * u64::from(crate::read::value::scalar_kind(ty).components());
    u64::from(offset) + scalar_bytes * count as u64
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::Dialect;
    use crate::read::parse::tests::messages;

    /// Checks the error about these lines of `[test]`, which start in line 3.
    #[track_caller]
    fn check_error(lines: &str, expect: &Expect) {
        let text = format!("[vertex shader]\n[test]\n{lines}\nprobe all rgb 0 0 0\nlink success\n");
        expect.assert_eq(&messages(&text, Dialect::Interstage).expect_err("is wrong"));
    }

    #[test]
    fn probes_of_captures_stay_inside() {
        check_error(
            "probe capture 0 float 0 == 1\n\
             xfb buffer object 0 12\n\
             probe capture 0 float 8 == 1\n\
             probe capture 0 float 12 == 1\n\
             probe capture 0 float 4 == 1 2 3\n\
             probe capture 0 vec4 0 == 1 2 3 4\n\
             probe capture 1 uint 0 == 1\n\
             probe xfb buffer float 0 3 1\n\
             xfb buffer object 0 16\n\
             probe capture 0 float 12 == 1",
            &expect![[r#"
                3:1: there is no capture buffer 0 yet (help: make it with `xfb buffer object 0 SIZE`)
                5:1: nothing was captured into capture buffer 0 yet (help: put it behind a captured draw)
                6:1: capture buffer 0 has only 12 bytes (help: make it with `xfb buffer object 0 SIZE`)
                6:1: nothing was captured into capture buffer 0 yet (help: put it behind a captured draw)
                7:1: capture buffer 0 has only 12 bytes (help: make it with `xfb buffer object 0 SIZE`)
                7:1: nothing was captured into capture buffer 0 yet (help: put it behind a captured draw)
                8:1: capture buffer 0 has only 12 bytes (help: make it with `xfb buffer object 0 SIZE`)
                8:1: nothing was captured into capture buffer 0 yet (help: put it behind a captured draw)
                9:1: there is no capture buffer 1 yet (help: make it with `xfb buffer object 1 SIZE`)
                10:1: capture buffer 0 has only 12 bytes (help: make it with `xfb buffer object 0 SIZE`)
                10:1: nothing was captured into capture buffer 0 yet (help: put it behind a captured draw)
                12:1: nothing was captured into capture buffer 0 yet (help: put it behind a captured draw)
                13:1: nothing has drawn or cleared these pixels yet (help: put it behind a draw, a dispatch or a clear)"#]],
        );
    }

    #[test]
    fn probes_of_captures_name_a_buffer_and_whole_words() {
        check_error(
            "xfb buffer object 0 64\n\
             probe capture 4 float 0 == 1\n\
             probe capture -1 float 0 == 1\n\
             probe capture 0 float 2 == 1\n\
             probe capture 0 float -4 == 1\n\
             probe capture 0 float 4294967296 == 1\n\
             xfb buffer object 4 64",
            &expect![[r"
                4:15: the number of the capture buffer must be an integer from 0 to 3, not `4` (help: usage: probe capture N TYPE OFFSET OPERATOR values)
                5:15: the number of the capture buffer must be an integer from 0 to 3, not `-1` (help: usage: probe capture N TYPE OFFSET OPERATOR values)
                6:23: the byte offset must be a multiple of 4, not `2` (help: usage: probe capture N TYPE OFFSET OPERATOR values)
                7:23: the byte offset must be an integer from 0 to 16777216, not `-4` (help: usage: probe capture N TYPE OFFSET OPERATOR values)
                8:23: the byte offset must be an integer from 0 to 16777216, not `4294967296` (help: usage: probe capture N TYPE OFFSET OPERATOR values)
                9:19: the number of the capture buffer must be an integer from 0 to 3, not `4` (help: usage: xfb buffer object N SIZE [WORD])"]],
        );
    }

    /// Row n begins at byte 16 + 8n of the buffer and has four bytes.
    #[test]
    fn captured_rows_stay_inside() {
        let rows = "from capture 0 a/float/float offset 16 stride 8";
        check_error(
            &format!(
                "draw arrays points 0 1 {rows}\n\
                 xfb buffer object 0 36\n\
                 draw arrays points 1 2 {rows}\n\
                 draw arrays points 1 3 {rows}\n\
                 xfb draw arrays points 3 1 {rows}\n\
                 draw arrays points 4294967295 4294967295 {rows}\n\
                 draw arrays points 0 1 {rows} from capture 1 b/int/int"
            ),
            &expect![[r"
                3:1: there is no capture buffer 0 yet (help: make it with `xfb buffer object 0 SIZE`)
                6:1: capture buffer 0 has only 36 bytes (help: make it with `xfb buffer object 0 SIZE`)
                7:1: capture buffer 0 has only 36 bytes (help: make it with `xfb buffer object 0 SIZE`)
                8:1: capture buffer 0 has only 36 bytes (help: make it with `xfb buffer object 0 SIZE`)
                9:1: there is no capture buffer 1 yet (help: make it with `xfb buffer object 1 SIZE`)"]],
        );
    }
}
