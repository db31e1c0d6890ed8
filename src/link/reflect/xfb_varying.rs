//! Captured varyings as GL lists them (`GL_TRANSFORM_FEEDBACK_VARYING`): OpenGL 4.6 core, 7.3.1.1 and 11.1.2.1.

use crate::compute::xfb::{Varying, XfbLayout};
use crate::table::leaf::gl_type;
use ir::interface::Type;

/// An entry of GL's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XfbVarying {
    /// Name in the list. Gaps have GL's names, `gl_SkipComponents2` and `gl_NextBuffer`.
    pub name: String,
    /// GL's number for the type, or for the element type of an array; 0 for gaps.
    pub gl_type: u32,
    /// Number of elements; 1 if the varying is not an array. For a gap, the number of words, which is 0 for
    /// `gl_NextBuffer`.
    pub size: u32,
    /// Number of the buffer, and byte offset from the start of a vertex; `None` for gaps.
    pub place: Option<(u32, u32)>,
}

/// The list of a program whose transform feedback is `layout`.
pub fn xfb_varyings(layout: &XfbLayout) -> Vec<XfbVarying> {
    let gap = |name: String, size: u32| XfbVarying { name, gl_type: 0, size, place: None };
    let line = |varying: &Varying| match varying {
        Varying::NextBuffer => Some(gap("gl_NextBuffer".to_owned(), 0)),
        Varying::Skip(words) => Some(gap(format!("gl_SkipComponents{words}"), *words)),
        Varying::Item(idx) => {
            let item = layout.items.get(*idx)?;
            let (ty, size) = match &item.ty {
                Type::Array { element, length } => (&**element, *length),
                Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Struct(_) => {
                    (&item.ty, 1)
                }
            };
            Some(XfbVarying {
                name: item.name.clone(),
                gl_type: gl_type(ty),
                size,
                place: Some((item.buffer, item.word.saturating_mul(4))),
            })
        }
    };
    layout.varyings.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing;
    use ir::options::{CaptureItem, CaptureMode, CaptureSection};
    use ir::source::{Span, Spanned};
    use ir::stage::ShaderStage;

    use super::*;

    /// The captured varyings of a vertex stage whose `[capture]` is `list`, one per line as `name type×size
    /// @buffer+offset`.
    fn lines(outputs: &str, list: Vec<CaptureItem>) -> Vec<String> {
        let text = format!("#version 450\n{outputs} void main() {{ gl_Position = vec4(0.0); }}");
        let vertex = testing::stage(ShaderStage::Vertex, &text);
        let items = list.into_iter().map(|item| Spanned::new(item, Span::new(0, 0))).collect();
        let mode = CaptureMode::Interleaved;
        let section = CaptureSection { header: Span::new(0, 0), mode, items };
        let layout = crate::compute::xfb::declared(&vertex, Some(&section));
        let show = |varying: XfbVarying| {
            let place =
                varying.place.map_or(String::new(), |(buffer, at)| format!(" @{buffer}+{at}"));
            format!("{} {:#x}×{}{place}", varying.name, varying.gl_type, varying.size)
        };
        let layout = layout.expect("it is right").expect("something is captured");
        xfb_varyings(&layout).into_iter().map(show).collect()
    }

    #[test]
    fn gaps_are_listed_and_arrays_count_their_elements() {
        let output = |name: &str| CaptureItem::Output(name.to_owned());
        let (gap, next) = (CaptureItem::Skip(2), CaptureItem::NextBuffer);
        assert_eq!(
            lines(
                "out vec3 n[3]; out mat2 m;",
                vec![output("n"), gap, output("n[1]"), next, output("m")]
            ),
            [
                "n 0x8b51×3 @0+0",
                "gl_SkipComponents2 0x0×2",
                "n[1] 0x8b51×1 @0+44",
                "gl_NextBuffer 0x0×0",
                "m 0x8b5a×1 @1+0",
            ]
        );
    }
}
