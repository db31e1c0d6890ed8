//! Rasterisation: from primitives in clip space to quads of pixels with covered samples.

pub(crate) mod clip;
pub(crate) mod line;
pub(crate) mod samples;
pub(crate) mod triangle;

use crate::numbers;
use plan::topology::Primitive;

use clip::{Vertex, Viewport};
use line::Line;
use samples::SUBPIXELS;
use triangle::{Corner, Quad, Shares, Triangle};

/// Something that covers samples.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Triangle(Box<Triangle>),
    Line(Line),
}

impl Shape {
    /// The shares of the primitive's vertices at a point, in subpixels.
    pub(crate) fn shares(&self, at: [i64; 2]) -> Shares {
        match self {
            Self::Triangle(triangle) => triangle.shares(at),
            Self::Line(line) => line.shares(at),
        }
    }

    /// The depth at a point, in subpixels: between 0 and 1.
    pub(crate) fn depth(&self, at: [i64; 2]) -> f64 {
        let depth = match self {
            Self::Triangle(triangle) => triangle.depth(at),
            Self::Line(line) => line.depth(at),
        };
        depth.clamp(0.0, 1.0)
    }
}

/// The part of a primitive that is rasterised at once.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// What it covers.
    pub(crate) shape: Shape,
    /// True if its front is seen. The linker negates y so that memory starts with the lowest row; so front faces, which
    /// wind counterclockwise in GL with y up, wind clockwise on WebGPU's screen. Lines and points have only fronts.
    pub(crate) is_front: bool,
}

/// What is drawn to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Framebuffer {
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    /// Positions of the samples of a pixel.
    pub(crate) samples: &'static [[i64; 2]],
}

impl Framebuffer {
    /// The parts of a primitive with these vertices.
    pub(crate) fn parts(&self, primitive: Primitive, vertices: Vec<Vertex>) -> Vec<Part> {
        let viewport = Viewport(self.size);
        match primitive {
            Primitive::Triangles => {
                let corners = viewport.polygon(vertices);
                let triangles = fan(&corners).map(|triangle| {
                    let is_front = triangle.is_clockwise;
                    Part { shape: Shape::Triangle(Box::new(triangle)), is_front }
                });
                triangles.collect()
            }
            Primitive::Lines => match viewport.line(vertices)[..] {
                [from, to] if self.samples.len() > 1 => rectangle(&band([from, to])),
                [from, to] => {
                    let line = Line::new([from, to]).map(Shape::Line);
                    line.map(|shape| Part { shape, is_front: true }).into_iter().collect()
                }
                _ => Vec::new(),
            },
            Primitive::Points => {
                let corner = vertices.into_iter().next().and_then(|vertex| viewport.point(vertex));
                corner.map_or_else(Vec::new, |corner| rectangle(&square(corner)))
            }
        }
    }

    /// Gives every quad with a covered sample.
    ///
    /// # Errors
    /// The first error of `emit`.
    pub(crate) fn cover<E>(
        &self,
        shape: &Shape,
        emit: impl FnMut(Quad) -> Result<(), E>,
    ) -> Result<(), E> {
        match shape {
            Shape::Triangle(triangle) => triangle.cover(self.size, self.samples, emit),
            Shape::Line(line) => line.cover(self.size, emit),
        }
    }
}

/// The triangles of a convex polygon.
fn fan(corners: &[Corner]) -> impl Iterator<Item = Triangle> + '_ {
    let pairs = corners.windows(2).skip(1);
    pairs.filter_map(|pair| {
        let [second, third] = pair else { return None };
        Triangle::new([*corners.first()?, *second, *third])
    })
}

/// A rectangle as a single part.
fn rectangle(corners: &[Corner; 4]) -> Vec<Part> {
    let triangle = Triangle::rectangle(corners).map(Box::new).map(Shape::Triangle);
    triangle.map(|shape| Part { shape, is_front: true }).into_iter().collect()
}

/// The square of a point, one pixel wide.
fn square(corner: Corner) -> [Corner; 4] {
    let half = SUBPIXELS / 2;
    let around = [[-half, -half], [half, -half], [half, half], [-half, half]];
    around.map(|by| corner.moved(by))
}

/// The rectangle around a line, one pixel wide.
fn band([from, to]: [Corner; 2]) -> [Corner; 4] {
    let [dx, dy] = [0, 1].map(|axis| numbers::real(to.at[axis] - from.at[axis]));
    let length = dx.hypot(dy);
    let half = numbers::real(SUBPIXELS / 2);
    let [x, y] = [-dy, dx].map(|side| numbers::whole((side / length * half).round()));
    let moved = |corner: Corner, sign: i64| corner.moved([sign * x, sign * y]);
    [moved(from, -1), moved(to, -1), moved(to, 1), moved(from, 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framebuffer(samples: u32) -> Framebuffer {
        let samples = samples::positions(samples).expect("there is such a number");
        Framebuffer { size: [8, 8], samples }
    }

    /// The covered samples of all pixels, and whether all parts show their fronts.
    fn drawn(samples: u32, primitive: Primitive, positions: &[[f64; 2]]) -> (Vec<[i64; 3]>, bool) {
        let framebuffer = framebuffer(samples);
        let vertex =
            |(idx, [x, y]): (usize, &[f64; 2])| Vertex::new(idx, [*x, *y, 0.5, 1.0], Vec::new());
        let vertices = positions.iter().enumerate().map(vertex).collect();
        let (mut covered, mut is_front) = (Vec::new(), true);
        for part in framebuffer.parts(primitive, vertices) {
            is_front &= part.is_front;
            let emitted = framebuffer.cover(&part.shape, |quad| {
                for (pixel, coverage) in (0_i64..).zip(quad.coverage) {
                    if coverage != 0 {
                        let place = [quad.x + pixel % 2, quad.y + pixel / 2];
                        covered.push([place[0], place[1], i64::from(coverage)]);
                    }
                }
                Ok::<(), std::convert::Infallible>(())
            });
            emitted.expect("it cannot fail");
        }
        covered.sort_unstable();
        (covered, is_front)
    }

    #[test]
    fn a_point_is_one_pixel() {
        // A grid line belongs to the pixel on its right, and to the one below.
        // A centre on a side of the square is inside on the upper and on the left side.
        for (at, pixel) in [([0.1, 0.1], [4, 3]), ([0.125, -0.125], [4, 4]), ([0.0, 0.0], [3, 3])] {
            let (covered, is_front) = drawn(1, Primitive::Points, &[at]);
            assert_eq!((covered, is_front), (vec![[pixel[0], pixel[1], 1]], true));
        }
    }

    #[test]
    fn fronts_go_clockwise_on_the_screen() {
        let turn = |positions: [[f64; 2]; 3]| drawn(1, Primitive::Triangles, &positions).1;
        // y is up in clip space.
        assert!(turn([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]]));
        assert!(!turn([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]));
    }

    #[test]
    fn a_line_of_several_samples_is_a_band() {
        // Through the middle of row 3, from the middle of column 1 to that of column 3.
        let (covered, _) = drawn(4, Primitive::Lines, &[[-0.625, 0.125], [-0.125, 0.125]]);
        // Samples 1 and 3 are right of the middle.
        assert_eq!(covered, [[1, 3, 0b1010], [2, 3, 0b1111], [3, 3, 0b0101]]);
    }
}
