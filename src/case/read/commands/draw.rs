//! `draw rect`, `draw arrays`, `draw indexed`, `draw instanced`, `draw captured`.

use crate::draw::XfbRows;
use crate::limits::{MAX_BUFFER_BYTES, MAX_INSTANCES};
use crate::read::elsewhere::unknown_word;
use crate::read::line::{Words, wrong};
use crate::read::problem::Parsed;
use crate::read::section::vertex_data::read_column;
use crate::{Action, Dialect, Draw, DrawShape, Topology, VertexColumn, VertexStorage};
use ir::options::MAX_XFB_BUFFER;

/// GL's topology names without `GL_`.
const TOPOLOGIES: [(&str, Topology); 15] = [
    ("points", Topology::Points),
    ("lines", Topology::Lines),
    ("line_loop", Topology::LineLoop),
    ("line_strip", Topology::LineStrip),
    ("triangles", Topology::Triangles),
    ("triangle_strip", Topology::TriangleStrip),
    ("triangle_fan", Topology::TriangleFan),
    ("quads", Topology::Quads),
    ("quad_strip", Topology::QuadStrip),
    ("polygon", Topology::Polygon),
    ("lines_adjacency", Topology::LinesAdjacency),
    ("line_strip_adjacency", Topology::LineStripAdjacency),
    ("triangles_adjacency", Topology::TrianglesAdjacency),
    ("triangle_strip_adjacency", Topology::TriangleStripAdjacency),
    ("patches", Topology::Patches),
];

/// Names of the topologies.
pub(super) fn known_words() -> impl Iterator<Item = &'static str> {
    TOPOLOGIES.iter().map(|(word, _)| *word)
}

/// Reads `draw rect [ortho] [patch] x y w h` or `draw rect tex x y w h s t sw th`.
pub(super) fn read_rect(words: &mut Words<'_>) -> Parsed<Action> {
    if words.take("tex") {
        let rect = words.floats32(["x", "y", "the width", "the height"])?;
        let texture = words.floats32(["s", "t", "the width in s", "the height in t"])?;
        let shape = DrawShape::RectTextured { rect, texture };
        return Ok(Action::Draw(Draw::once(shape)));
    }
    let (is_ortho, is_patch) = (words.take("ortho"), words.take("patch"));
    let shape = read_rect_shape(words, is_ortho)?;
    Ok(Action::Draw(Draw { is_patch, ..Draw::once(shape) }))
}

fn read_rect_shape(words: &mut Words<'_>, is_ortho: bool) -> Parsed<DrawShape> {
    let rect = words.floats32(["x", "y", "the width", "the height"])?;
    Ok(if is_ortho { DrawShape::RectOrtho(rect) } else { DrawShape::Rect(rect) })
}

/// Reads `draw arrays TOPOLOGY first count` or `draw arrays instanced TOPOLOGY first count N`.
pub(super) fn read_arrays(words: &mut Words<'_>) -> Parsed<Action> {
    Ok(Action::Draw(read_arrays_draw(words)?))
}

/// Reads the draw of `draw arrays`.
pub(super) fn read_arrays_draw(words: &mut Words<'_>) -> Parsed<Draw> {
    let is_instanced = words.take("instanced");
    let shape = read_arrays_shape(words)?;
    let instances = if is_instanced { read_instances(words)? } else { 1 };
    read_bases(words, Draw { instances, ..Draw::once(shape) })
}

/// Reads `draw instanced TOPOLOGY first count N` or `draw instanced rect [ortho] [patch] N x y w h`.
pub(super) fn read_instanced(words: &mut Words<'_>) -> Parsed<Action> {
    if words.take("rect") {
        let (is_ortho, is_patch) = (words.take("ortho"), words.take("patch"));
        let instances = read_instances(words)?;
        let shape = read_rect_shape(words, is_ortho)?;
        return Ok(Action::Draw(Draw { instances, is_patch, ..Draw::once(shape) }));
    }
    let shape = read_arrays_shape(words)?;
    let instances = read_instances(words)?;
    Ok(Action::Draw(read_bases(words, Draw { instances, ..Draw::once(shape) })?))
}

/// Reads `draw indexed TOPOLOGY first count [instances N] [base vertex N] [first instance N]`.
pub(super) fn read_indexed(words: &mut Words<'_>) -> Parsed<Action> {
    Ok(Action::Draw(read_indexed_draw(words)?))
}

/// Reads the draw of `draw indexed`.
pub(super) fn read_indexed_draw(words: &mut Words<'_>) -> Parsed<Draw> {
    let topology = read_topology(words)?;
    let first = words.integer("the first index", 0..=u32::MAX)?;
    let count = words.integer("the number of indices", 1..=u32::MAX)?;
    let instances = if words.take("instances") { read_instances(words)? } else { 1 };
    let shape = DrawShape::Indexed { topology, first, count };
    read_bases(words, Draw { instances, ..Draw::once(shape) })
}

/// Reads `draw captured TOPOLOGY [instances N] [first instance N] from capture …`.
pub(super) fn read_xfb(words: &mut Words<'_>) -> Parsed<Action> {
    Ok(Action::Draw(read_captured_draw(words)?))
}

/// Reads the draw of `draw captured`.
pub(super) fn read_captured_draw(words: &mut Words<'_>) -> Parsed<Draw> {
    let topology = read_topology(words)?;
    let instances = if words.take("instances") { read_instances(words)? } else { 1 };
    let shape = DrawShape::Captured { topology };
    let draw = read_bases(words, Draw { instances, ..Draw::once(shape) })?;
    if draw.sources.is_empty() {
        // The vertex count is known only at run time, so `[vertex data]` might have too few rows.
        words.need("`from capture`")?;
    }
    Ok(draw)
}

/// Reads `from capture N COLUMN… [offset BYTES] [stride BYTES]`, any number of times.
fn read_sources(words: &mut Words<'_>) -> Parsed<Vec<XfbRows>> {
    let mut sources: Vec<XfbRows> = Vec::new();
    while words.dialect != Dialect::Piglit && words.take("from") {
        let word = words.need("`capture`")?;
        if word.text != "capture" {
            return Err(wrong(word, format!("expected `capture`, found `{}`", word.text)));
        }
        let buffer = words.integer("the number of the capture buffer", 0..=MAX_XFB_BUFFER)?;
        let columns = read_columns(words, &sources)?;
        let mut source = XfbRows { buffer, columns, offset: 0, stride: 0 };
        let size = source.row_bytes();
        if words.take("offset") {
            source.offset = read_bytes(words, "the byte offset", 0)?;
        }
        source.stride = size;
        if words.take("stride") {
            source.stride = read_bytes(words, "the stride in bytes", size)?;
        }
        sources.push(source);
    }
    Ok(sources)
}

/// Reads attributes that do not occur in `before`.
fn read_columns(words: &mut Words<'_>, before: &[XfbRows]) -> Parsed<Vec<VertexColumn>> {
    let mut columns: Vec<VertexColumn> = Vec::new();
    while columns.is_empty() || words.peek().is_some_and(|word| word.text.contains('/')) {
        let word = words.need("a column such as `position/float/vec4`")?;
        let offset = columns.iter().map(|column| 4 * u32::from(column.components)).sum();
        let column = read_column(word, offset, words.dialect)?;
        if !is_word(&column) {
            let message = "captures are words: a column is of `float`, or of `int` or `uint` and an integer type";
            return Err(wrong(word, message));
        }
        let key = |column: &VertexColumn| {
            (column.attribute.clone(), column.element, column.matrix_column)
        };
        let mut known = before.iter().flat_map(|rows| &rows.columns).chain(&columns);
        if known.any(|other| key(other) == key(&column)) {
            return Err(wrong(word, format!("`{}` has two sources", column.attribute)));
        }
        columns.push(column);
    }
    Ok(columns)
}

/// True if the column stores words that the stage reads unconverted.
const fn is_word(column: &VertexColumn) -> bool {
    match column.storage {
        VertexStorage::Float => !column.is_integer && !column.is_wide,
        VertexStorage::Int | VertexStorage::Uint => column.is_integer && !column.is_wide,
        VertexStorage::Double => !column.is_integer && column.is_wide,
        VertexStorage::Int64 | VertexStorage::Uint64 => column.is_integer && column.is_wide,
        VertexStorage::Half
        | VertexStorage::Byte
        | VertexStorage::Ubyte
        | VertexStorage::Short
        | VertexStorage::Ushort => false,
    }
}

/// Reads a multiple of four that is at least `least`.
fn read_bytes(words: &mut Words<'_>, what: &str, least: u32) -> Parsed<u32> {
    let word = words.need(what)?;
    let bytes = word.text.parse().ok();
    let bytes = bytes.filter(|size| size % 4 == 0 && (least..=MAX_BUFFER_BYTES).contains(size));
    bytes.ok_or_else(|| {
        let range = format!("a multiple of 4 from {least} to {MAX_BUFFER_BYTES}");
        wrong(word, format!("{what} must be {range}, not `{}`", word.text))
    })
}

/// Reads `base vertex N` (indexed draws only), `first instance N`, and `from capture …`.
fn read_bases(words: &mut Words<'_>, mut draw: Draw) -> Parsed<Draw> {
    let is_indexed = matches!(draw.shape, DrawShape::Indexed { .. });
    if words.dialect != Dialect::Piglit && is_indexed && words.take("base") {
        let word = words.need("`vertex`")?;
        if word.text != "vertex" {
            return Err(wrong(word, format!("expected `vertex`, found `{}`", word.text)));
        }
        let word = words.need("the base vertex")?;
        draw.base_vertex = word.text.parse().map_err(|_| {
            wrong(word, format!("the base vertex must be a 32-bit integer, not `{}`", word.text))
        })?;
    }
    if words.dialect != Dialect::Piglit && words.take("first") {
        let word = words.need("`instance`")?;
        if word.text != "instance" {
            return Err(wrong(word, format!("expected `instance`, found `{}`", word.text)));
        }
        draw.first_instance = words.integer("the first instance", 0..=MAX_INSTANCES)?;
    }
    draw.sources = read_sources(words)?;
    Ok(draw)
}

fn read_arrays_shape(words: &mut Words<'_>) -> Parsed<DrawShape> {
    let topology = read_topology(words)?;
    let first = words.integer("the first row", 0..=u32::MAX)?;
    let count = words.integer("the number of rows", 1..=u32::MAX)?;
    Ok(DrawShape::Arrays { topology, first, count })
}

fn read_instances(words: &mut Words<'_>) -> Parsed<u32> {
    words.integer("the number of instances", 1..=MAX_INSTANCES)
}

/// Reads `GL_TRIANGLES` or `triangles`.
fn read_topology(words: &mut Words<'_>) -> Parsed<Topology> {
    let word = words.need("a topology such as `triangles`")?;
    let name = match word.text.strip_prefix("GL_") {
        Some(upper) if !upper.contains(|c: char| c.is_ascii_lowercase()) => {
            upper.to_ascii_lowercase()
        }
        Some(_) | None => word.text.to_owned(),
    };
    if let Some((_, topology)) = TOPOLOGIES.iter().find(|(known, _)| *known == name) {
        return Ok(*topology);
    }
    let is_gl = word.text.starts_with("GL_");
    let spelling =
        |known: &str| if is_gl { format!("GL_{}", known.to_uppercase()) } else { known.to_owned() };
    let known = TOPOLOGIES.map(|(known, _)| spelling(known));
    let known = known.iter().map(String::as_str);
    Err(unknown_word(words.dialect, word, "", "topology", known))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error, step};

    use super::*;

    fn draw(shape: DrawShape, instances: u32) -> Action {
        Action::Draw(Draw { instances, ..Draw::once(shape) })
    }

    #[test]
    fn rects_are_in_clip_space_or_pixels() {
        check("draw rect -1 -1 2 2", draw(DrawShape::Rect([-1.0, -1.0, 2.0, 2.0]), 1));
        let (rect, texture) = ([-1.0, -1.0, 2.0, 2.0], [0.0, 0.25, 1.0, 0.5]);
        let line = "draw rect tex -1 -1 2 2 0 0.25 1 0.5";
        check(line, draw(DrawShape::RectTextured { rect, texture }, 1));
        check("draw rect ortho 0 0 4 4.5", draw(DrawShape::RectOrtho([0.0, 0.0, 4.0, 4.5]), 1));
        check("draw instanced rect 3 0 0 1 1", draw(DrawShape::Rect([0.0, 0.0, 1.0, 1.0]), 3));
        let shape = DrawShape::RectOrtho([0.0, 0.0, 1.0, 1.0]);
        check("draw instanced rect ortho 3 0 0 1 1", draw(shape, 3));
        let patch = Draw { is_patch: true, ..Draw::once(DrawShape::Rect([0.0, 0.0, 1.0, 1.0])) };
        check("draw rect patch 0 0 1 1", Action::Draw(patch));
        let shape = DrawShape::RectOrtho([0.0, 0.0, 1.0, 1.0]);
        let patch = Draw { is_patch: true, instances: 3, ..Draw::once(shape) };
        check("draw instanced rect ortho patch 3 0 0 1 1", Action::Draw(patch));
        check_error(
            "draw rect 0 0 1e39 1",
            &expect![[r"
            `1e39` is not a finite 32-bit float (usage: draw rect [ortho] [patch] x y w h, or draw rect tex x y w h s t sw th)
            draw rect 0 0 1e39 1
                          ^^^^"]],
        );
    }

    #[test]
    fn rows_are_drawn_directly_or_through_indices() {
        let shape = DrawShape::Arrays { topology: Topology::TriangleFan, first: 0, count: 4 };
        check("draw arrays GL_TRIANGLE_FAN 0 4", draw(shape.clone(), 1));
        check("draw arrays triangle_fan 0 4", draw(shape.clone(), 1));
        check("draw arrays instanced GL_TRIANGLE_FAN 0 4 2", draw(shape.clone(), 2));
        check("draw instanced triangle_fan 0 4 2", draw(shape, 2));
        let shape = DrawShape::Arrays { topology: Topology::Patches, first: 0, count: 4 };
        check("draw arrays GL_PATCHES 0 4", draw(shape, 1));
        let shape = DrawShape::Indexed { topology: Topology::Triangles, first: 3, count: 6 };
        check("draw indexed triangles 3 6", draw(shape.clone(), 1));
        check("draw indexed triangles 3 6 instances 5", draw(shape, 5));
    }

    #[test]
    fn indices_and_instances_have_bases() {
        let shape = DrawShape::Indexed { topology: Topology::Triangles, first: 3, count: 6 };
        let draw =
            Draw { instances: 2, base_vertex: -3, first_instance: 4, ..Draw::once(shape.clone()) };
        let line = "draw indexed triangles 3 6 instances 2 base vertex -3 first instance 4";
        assert_eq!(step(Dialect::Interstage, line), Ok(Action::Draw(draw).into()));
        let draw = Draw { base_vertex: 7, ..Draw::once(shape) };
        let line = "draw indexed triangles 3 6 base vertex 7";
        assert_eq!(step(Dialect::Interstage, line), Ok(Action::Draw(draw).into()));
    }

    #[test]
    fn rows_come_from_capture_buffers() {
        /// Checks each source: the buffer, attributes with matrix column and offset in the row, offset and stride.
        #[track_caller]
        fn check(line: &str, expected: &[&str]) {
            let read = step(Dialect::Interstage, line).expect("it is right");
            let draw = read.draw().expect("it draws");
            let column = |column: &VertexColumn| {
                format!(" {}/{}@{}", column.attribute, column.matrix_column, column.offset)
            };
            let source = |rows: &XfbRows| {
                let columns: String = rows.columns.iter().map(column).collect();
                format!("{}:{columns} +{} *{}", rows.buffer, rows.offset, rows.stride)
            };
            let found: Vec<_> = draw.sources.iter().map(source).collect();
            assert_eq!(found, expected, "{line}");
        }
        check("draw arrays points 0 3 from capture 2 a/float/vec3", &["2: a/0@0 +0 *12"]);
        check(
            "draw indexed lines 0 2 base vertex 1 from capture 0 a/float/vec2 m/float/mat3/2 stride 32",
            &["0: a/0@0 m/2@8 +0 *32"],
        );
        check(
            "xfb draw captured points instances 2 first instance 1 from capture 0 a/int/ivec2 offset 8 \
             from capture 1 b/uint/uint",
            &["0: a/0@0 +8 *8", "1: b/0@0 +0 *4"],
        );
        check("draw instanced points 0 3 2", &[]);
    }

    #[test]
    fn rows_of_captures_are_words_from_one_place() {
        check_error(
            "draw captured points",
            &expect![[r"
            missing `from capture` (usage: draw captured TOPOLOGY [instances N] [first instance N] from capture N COLUMN… [offset BYTES] [stride BYTES])
            draw captured points
            ^^^^^^^^^^^^^^^^^^^^"]],
        );
        let check = |end: &str, message: &str| {
            let line = format!("draw arrays points 0 1 from capture {end}");
            let found = step(Dialect::Interstage, &line).expect_err("it is wrong");
            let found = found.split(" (usage").next().map(str::to_owned);
            assert_eq!(found.as_deref(), Some(message), "{end}");
        };
        check(
            "4 a/float/1",
            "the number of the capture buffer must be an integer from 0 to 3, not `4`",
        );
        check("0", "missing a column such as `position/float/vec4`");
        check("0 a/float/vec5", "unknown GLSL type `vec5`");
        let words =
            "captures are words: a column is of `float`, or of `int` or `uint` and an integer type";
        check("0 a/half/vec2", words);
        check("0 a/double/vec2", words);
        check("0 a/int/vec2", words);
        check("0 a/float/vec2 a/float/vec2", "`a` has two sources");
        check("0 a/float/vec2 from capture 1 a/float/vec2", "`a` has two sources");
        let bytes = |what: &str, least: u32, found: &str| {
            format!("{what} must be a multiple of 4 from {least} to 16777216, not `{found}`")
        };
        check("0 a/float/vec2 offset 2", &bytes("the byte offset", 0, "2"));
        check("0 a/float/vec2 stride 4", &bytes("the stride in bytes", 8, "4"));
        check("0 a/float/vec2 stride 10", &bytes("the stride in bytes", 8, "10"));
        let piglit = step(Dialect::Piglit, "draw arrays points 0 1 from capture 0 a/float/1");
        assert!(piglit.is_err_and(|error| error.contains("words are left")));
    }

    #[test]
    fn mistakes_are_named() {
        check_error(
            "draw arrays triangels 0 3",
            &expect![[r"
            unknown topology `triangels` (did you mean `triangles`?)
            draw arrays triangels 0 3
                        ^^^^^^^^^"]],
        );
        check_error(
            "draw arrays points 0 0",
            &expect![[r#"
                the number of rows must be an integer from 1 to 4294967295, not `0` (usage: draw arrays [instanced] TOPOLOGY first count [instances] [first instance N] [from capture …])
                draw arrays points 0 0
                                     ^"#]],
        );
    }
}
