//! `draw rect`, `draw arrays`, `draw indexed`, `draw instanced`.

use crate::case::limits::MAX_INSTANCES;
use crate::case::line::{Words, wrong};
use crate::case::reader::{Parsed, Problem};
use crate::case::{Dialect, Draw, DrawShape, Step, Topology};

/// GL's names without `GL_`.
const TOPOLOGIES: [(&str, Topology); 10] = [
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
];

/// The names of topologies.
pub(super) fn known_words() -> impl Iterator<Item = &'static str> {
    TOPOLOGIES.iter().map(|(word, _)| *word)
}

/// `draw rect [ortho] x y w h` or `draw rect tex x y w h s t sw th`.
pub(super) fn read_rect(words: &mut Words<'_>) -> Parsed<Step> {
    if words.take("tex") {
        let rect = words.floats32(["x", "y", "the width", "the height"])?;
        let texture = words.floats32(["s", "t", "the width in s", "the height in t"])?;
        let shape = DrawShape::RectTextured { rect, texture };
        return Ok(Step::Draw(Draw::once(shape)));
    }
    let is_ortho = words.take("ortho");
    Ok(Step::Draw(Draw::once(read_rect_shape(words, is_ortho)?)))
}

fn read_rect_shape(words: &mut Words<'_>, is_ortho: bool) -> Parsed<DrawShape> {
    let rect = words.floats32(["x", "y", "the width", "the height"])?;
    Ok(if is_ortho { DrawShape::RectOrtho(rect) } else { DrawShape::Rect(rect) })
}

/// `draw arrays TOPOLOGY first count` or `draw arrays instanced TOPOLOGY first count N`.
pub(super) fn read_arrays(words: &mut Words<'_>) -> Parsed<Step> {
    read_arrays_draw(words).map(Step::Draw)
}

/// The draw of such a command.
pub(super) fn read_arrays_draw(words: &mut Words<'_>) -> Parsed<Draw> {
    let is_instanced = words.take("instanced");
    let shape = read_arrays_shape(words)?;
    let instances = if is_instanced { read_instances(words)? } else { 1 };
    read_bases(words, Draw { instances, ..Draw::once(shape) })
}

/// `draw instanced TOPOLOGY first count N` or `draw instanced rect [ortho] N x y w h`.
pub(super) fn read_instanced(words: &mut Words<'_>) -> Parsed<Step> {
    if words.take("rect") {
        let is_ortho = words.take("ortho");
        let instances = read_instances(words)?;
        let shape = read_rect_shape(words, is_ortho)?;
        return Ok(Step::Draw(Draw { instances, ..Draw::once(shape) }));
    }
    let shape = read_arrays_shape(words)?;
    let instances = read_instances(words)?;
    read_bases(words, Draw { instances, ..Draw::once(shape) }).map(Step::Draw)
}

/// `draw indexed TOPOLOGY first count [instances N] [base vertex N] [first instance N]`.
pub(super) fn read_indexed(words: &mut Words<'_>) -> Parsed<Step> {
    read_indexed_draw(words).map(Step::Draw)
}

/// The draw of such a command.
pub(super) fn read_indexed_draw(words: &mut Words<'_>) -> Parsed<Draw> {
    let topology = read_topology(words)?;
    let first = words.integer("the first index", 0..=u32::MAX)?;
    let count = words.integer("the number of indices", 1..=u32::MAX)?;
    let instances = if words.take("instances") { read_instances(words)? } else { 1 };
    let shape = DrawShape::Indexed { topology, first, count };
    read_bases(words, Draw { instances, ..Draw::once(shape) })
}

/// `base vertex N`, behind an indexed draw, and `first instance N`.
fn read_bases(words: &mut Words<'_>, mut draw: Draw) -> Parsed<Draw> {
    let is_indexed = matches!(draw.shape, DrawShape::Indexed { .. });
    if words.dialect == Dialect::Interstage && is_indexed && words.take("base") {
        let word = words.need("`vertex`")?;
        if word.text != "vertex" {
            return Err(wrong(word, format!("expected `vertex`, found `{}`", word.text)));
        }
        let word = words.need("the base vertex")?;
        draw.base_vertex = word.text.parse().map_err(|_| {
            wrong(word, format!("the base vertex must be a 32-bit integer, not `{}`", word.text))
        })?;
    }
    if words.dialect == Dialect::Interstage && words.take("first") {
        let word = words.need("`instance`")?;
        if word.text != "instance" {
            return Err(wrong(word, format!("expected `instance`, found `{}`", word.text)));
        }
        draw.first_instance = words.integer("the first instance", 0..=MAX_INSTANCES)?;
    }
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

/// `GL_TRIANGLES` or `triangles`.
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
    if words.dialect == Dialect::Piglit {
        return Err(Problem::unsupported(word.text, word.span));
    }
    let error = wrong(word, format!("unknown topology `{}`", word.text));
    Err(error.nearest(&name, TOPOLOGIES.map(|(known, _)| known)))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::case::commands::tests::{check, check_error, check_unsupported, step};

    fn draw(shape: DrawShape, instances: u32) -> Step {
        Step::Draw(Draw { instances, ..Draw::once(shape) })
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
        check_error(
            "draw rect 0 0 1e39 1",
            &expect![[r"
            `1e39` is not a finite 32-bit float (usage: draw rect [ortho] x y w h, or draw rect tex x y w h s t sw th)
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
        assert_eq!(step(Dialect::Interstage, line), Ok(Step::Draw(draw)));
        let draw = Draw { base_vertex: 7, ..Draw::once(shape) };
        let line = "draw indexed triangles 3 6 base vertex 7";
        assert_eq!(step(Dialect::Interstage, line), Ok(Step::Draw(draw)));
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
                the number of rows must be an integer from 1 to 4294967295, not `0` (usage: draw arrays [instanced] TOPOLOGY first count [instances] [first instance N])
                draw arrays points 0 0
                                     ^"#]],
        );
        check_unsupported("draw arrays GL_PATCHES 0 3", "GL_PATCHES");
    }
}
