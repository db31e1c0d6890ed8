//! Rasterises primitives: from clip space to quads of pixels with covered samples.

pub(crate) mod clip;
pub(crate) mod samples;
pub(crate) mod triangle;

use case::state::{Face, Raster};

use crate::noise::Noise;
use crate::numbers;
use plan::topology::Primitive;

use clip::{Vertex, Viewport};
use samples::SUBPIXELS;
use triangle::{Corner, Quad, Triangle};

/// The part of a primitive that is rasterised in one step.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Coverage and values of the part.
    pub(crate) triangle: Triangle,
    /// True if the front is visible. The linker negates y so that memory starts with the lowest row. So front faces,
    /// which wind counter-clockwise in GL with y up, wind clockwise on WebGPU's screen. Lines and points have only
    /// fronts.
    pub(crate) is_front: bool,
}

/// Properties of the render targets of a draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Framebuffer {
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    /// Positions of the samples of a pixel.
    pub(crate) samples: &'static [[i64; 2]],
    /// Which faces are fronts, and which are culled.
    pub(crate) faces: Raster,
    /// Errors of positions and interpolated values.
    pub(crate) noise: Option<Noise>,
}

impl Framebuffer {
    /// The parts of a primitive with these vertices.
    pub(crate) fn parts(&self, primitive: Primitive, vertices: Vec<Vertex>) -> Vec<Part> {
        let viewport = Viewport(self.size, self.noise);
        match primitive {
            Primitive::Triangles => {
                let corners = viewport.polygon(vertices);
                let triangles = fan(&corners).map(|triangle| {
                    let is_front = triangle.is_clockwise != self.faces.is_front_reversed;
                    Part { triangle, is_front }
                });
                let culled = self.faces.cull.map(|face| face == Face::Front);
                triangles.filter(|part| Some(part.is_front) != culled).collect()
            }
            Primitive::Lines => match viewport.line(vertices)[..] {
                [from, to] => rectangle(&band([from, to])),
                _ => Vec::new(),
            },
            Primitive::Points => {
                let corner = vertices.into_iter().next().and_then(|vertex| viewport.point(vertex));
                corner.map_or_else(Vec::new, |corner| rectangle(&square(corner)))
            }
        }
    }

    /// Number of quads that are examined for a part.
    pub(crate) fn quads(&self, part: &Part) -> usize {
        let sides =
            part.triangle.bounds(self.size).map(|[first, end]| (end - first).max(0) / 2 + 1);
        sides.into_iter().map(|side| usize::try_from(side).unwrap_or(0)).product()
    }

    /// Calls `emit` for every quad of a part with a covered sample.
    ///
    /// # Errors
    /// The first error of `emit`.
    pub(crate) fn cover<E>(
        &self,
        part: &Part,
        emit: impl FnMut(Quad) -> Result<(), E>,
    ) -> Result<(), E> {
        part.triangle.cover(self.size, self.samples, emit)
    }
}

/// Splits a convex polygon into triangles.
fn fan(corners: &[Corner]) -> impl Iterator<Item = Triangle> + '_ {
    let pairs = corners.windows(2).skip(1);
    pairs.filter_map(|pair| {
        let [second, third] = pair else { return None };
        Triangle::new(&[*corners.first()?, *second, *third])
    })
}

/// Makes a rectangle a single part.
fn rectangle(corners: &[Corner; 4]) -> Vec<Part> {
    let triangle = Triangle::rectangle(corners);
    triangle.map(|triangle| Part { triangle, is_front: true }).into_iter().collect()
}

/// The square of a point, one pixel wide.
fn square(corner: Corner) -> [Corner; 4] {
    let half = SUBPIXELS / 2;
    let around = [[-half, -half], [half, -half], [half, half], [-half, half]];
    around.map(|by| corner.moved(by))
}

/// The rectangle around a line, one pixel wide: Vulkan's strict lines (Vulkan 1.3, 27.12.1), which consist of the
/// samples that they cover, without a diamond rule.
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
        Framebuffer { size: [8, 8], samples, faces: Raster::default(), noise: None }
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
            let emitted = framebuffer.cover(&part, |quad| {
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
        // A point on a grid line belongs to the pixel to its right, or the one below. A centre on a side of the square
        // is inside on the upper and on the left side.
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
    fn culled_faces_have_no_parts() {
        let parts = |cull: Option<Face>, is_front_reversed: bool| {
            let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]];
            let vertices = corners.map(|[x, y]| Vertex::new(0, [x, y, 0.5, 1.0], Vec::new()));
            let faces = Raster { cull, is_front_reversed, ..Raster::default() };
            let framebuffer = Framebuffer { faces, ..framebuffer(1) };
            framebuffer.parts(Primitive::Triangles, vertices.into()).len()
        };
        assert_eq!(parts(None, false), 1);
        assert_eq!(parts(Some(Face::Front), false), 0);
        assert_eq!(parts(Some(Face::Back), false), 1);
        assert_eq!(parts(Some(Face::Front), true), 1);
        assert_eq!(parts(Some(Face::Back), true), 0);
    }

    /// The side at the start passes through centres and is a left side; the side at the end is a right side.
    #[test]
    fn a_line_ends_where_its_rectangle_ends() {
        let pixels = |from: f64, to: f64| {
            let (covered, is_front) = drawn(1, Primitive::Lines, &[[from, 0.125], [to, 0.125]]);
            assert!(is_front);
            covered.iter().map(|[x, y, _]| [*x, *y]).collect::<Vec<_>>()
        };
        let expected = [[1, 3], [2, 3], [3, 3]];
        assert_eq!(pixels(-0.625, 0.125), expected);
        assert_eq!(pixels(0.125, -0.625), expected);
        assert_eq!(pixels(0.125, 0.125), Vec::<[i64; 2]>::new());
    }

    #[test]
    fn a_line_of_several_samples_is_a_band() {
        // The line is through the middle of row 3, from the middle of column 1 to that of column 3.
        let (covered, _) = drawn(4, Primitive::Lines, &[[-0.625, 0.125], [-0.125, 0.125]]);
        // Samples 1 and 3 are to the right of the middle.
        assert_eq!(covered, [[1, 3, 0b1010], [2, 3, 0b1111], [3, 3, 0b0101]]);
    }
}
