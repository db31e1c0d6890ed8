//! Clips primitives in homogeneous space, before the division by w.

use super::triangle::Corner;
use crate::noise::Noise;
use crate::numbers::{unsigned_bits, whole};

/// The minimum w in front of the eye.
const LEAST_W: f64 = 1e-35;

/// Half the width, in pixels, of the area that is drawn without clipping at the sides. Products of edge functions, of
/// twice as many subpixels, fit in 64 bits.
const GUARD_PIXELS: f64 = 1_048_576.0;

/// A vertex of a primitive.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vertex {
    /// Position in clip space.
    pub(crate) position: [f64; 4],
    /// User clip distances; negative outside.
    pub(crate) distances: Vec<f64>,
    /// Shares of the primitive's vertices in this vertex.
    pub(crate) shares: [f64; 3],
}

impl Vertex {
    /// Vertex `idx` of a primitive. Infinite distances are replaced by very large ones, because the point between them
    /// and others is unknown.
    pub(crate) fn new(idx: usize, position: [f64; 4], distances: Vec<f64>) -> Self {
        let mut shares = [0.0; 3];
        if let Some(share) = shares.get_mut(idx) {
            *share = 1.0;
        }
        let distances = distances.into_iter().map(|distance| distance.clamp(-1e300, 1e300));
        Self { position, distances: distances.collect(), shares }
    }

    fn is_finite(&self) -> bool {
        let distances = self.distances.iter().all(|distance| !distance.is_nan());
        distances && self.position.iter().all(|side| side.is_finite())
    }

    /// The point between two vertices at the fraction `part` of the way.
    fn between(&self, other: &Self, part: f64) -> Self {
        let mix = |from: f64, to: f64| from + (to - from) * part;
        let distances = self.distances.iter().zip(&other.distances);
        Self {
            position: std::array::from_fn(|idx| mix(self.position[idx], other.position[idx])),
            distances: distances.map(|(from, to)| mix(*from, *to)).collect(),
            shares: std::array::from_fn(|idx| mix(self.shares[idx], other.shares[idx])),
        }
    }
}

/// A side of the view volume.
#[derive(Clone, Copy, Debug)]
enum Plane {
    Near,
    Far,
    Front,
    User(usize),
    /// A side of the guard band: axis, sign, and its distance in units of w.
    Guard(usize, f64, f64),
}

impl Plane {
    /// Distance of a vertex from the plane; negative outside.
    fn distance(self, vertex: &Vertex) -> f64 {
        let [_, _, z, w] = vertex.position;
        match self {
            Self::Near => z,
            Self::Far => w - z,
            Self::Front => w - LEAST_W,
            Self::User(idx) => vertex.distances.get(idx).copied().unwrap_or(0.0),
            Self::Guard(axis, sign, band) => band.mul_add(w, -sign * vertex.position[axis]),
        }
    }
}

/// A framebuffer of this many pixels, to which clip space is projected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viewport(pub(crate) [u32; 2], pub(crate) Option<Noise>);

impl Viewport {
    fn planes(self, distances: usize) -> Vec<Plane> {
        let [width, height] = self.0.map(|side| GUARD_PIXELS / (f64::from(side.max(1)) / 2.0));
        let guards = [
            Plane::Guard(0, 1.0, width),
            Plane::Guard(0, -1.0, width),
            Plane::Guard(1, 1.0, height),
            Plane::Guard(1, -1.0, height),
        ];
        let mut planes = vec![Plane::Front, Plane::Near, Plane::Far];
        planes.extend((0..distances).map(Plane::User));
        planes.extend(guards);
        planes
    }

    /// The part of a convex polygon that is inside, as corners. Empty if nothing is inside, or if a number is not
    /// finite.
    pub(crate) fn polygon(self, vertices: Vec<Vertex>) -> Vec<Corner> {
        let weights = weights(&vertices);
        self.corners(&self.inside(vertices, clip_polygon), weights)
    }

    /// The part of a line that is inside: two corners, or none.
    pub(crate) fn line(self, vertices: Vec<Vertex>) -> Vec<Corner> {
        let weights = weights(&vertices);
        self.corners(&self.inside(vertices, clip_line), weights)
    }

    /// A point, if it is inside; the sides of the framebuffer count too.
    pub(crate) fn point(self, vertex: Vertex) -> Option<Corner> {
        let [x, y, _, w] = vertex.position;
        if x.abs() > w || y.abs() > w {
            return None;
        }
        let keep = |vertices: Vec<Vertex>, plane: Plane| {
            let is_inside = vertices.iter().all(|vertex| plane.distance(vertex) >= 0.0);
            if is_inside { vertices } else { Vec::new() }
        };
        self.corners(&self.inside(vec![vertex], keep), [w; 3]).pop()
    }

    fn inside(
        self,
        mut vertices: Vec<Vertex>,
        clip: impl Fn(Vec<Vertex>, Plane) -> Vec<Vertex>,
    ) -> Vec<Vertex> {
        if !vertices.iter().all(Vertex::is_finite) {
            return Vec::new();
        }
        let distances = vertices.first().map_or(0, |vertex| vertex.distances.len());
        for plane in self.planes(distances) {
            if vertices.iter().any(|vertex| plane.distance(vertex) < 0.0) {
                vertices = clip(vertices, plane);
            }
        }
        vertices
    }

    /// Projects clipped vertices. `weights` are the w of the primitive's vertices.
    fn corners(self, vertices: &[Vertex], weights: [f64; 3]) -> Vec<Corner> {
        vertices.iter().map(|vertex| self.corner(vertex, weights)).collect()
    }

    fn corner(self, vertex: &Vertex, weights: [f64; 3]) -> Corner {
        let [x, y, z, w] = vertex.position;
        let [width, height] = self.0.map(f64::from);
        let across = (x / w).mul_add(0.5, 0.5) * width;
        let down = (y / w).mul_add(-0.5, 0.5) * height;
        Corner {
            depth: z / w,
            over_w: 1.0 / w,
            perspective: vertex.shares,
            linear: std::array::from_fn(|idx| vertex.shares[idx] * (weights[idx] / w)),
            ..self.placed([across, down])
        }
    }

    /// A corner at a position in pixels. With noise it is off by a subpixel, unless it lies on the coarsest permitted
    /// grid, of 16 subpixels per pixel (Vulkan's `subPixelPrecisionBits`).
    fn placed(self, pixels: [f64; 2]) -> Corner {
        let mut corner = Corner::at(pixels);
        let Some(noise) = self.1 else { return corner };
        let salt = corner.at[0] * 65_537 + corner.at[1];
        for (axis, salt) in (0..2).zip([salt, !salt]) {
            if (pixels[axis] * 16.0).fract() != 0.0 {
                let sign = noise.sign(unsigned_bits(salt));
                corner.at[axis] += whole(sign);
                corner.place[axis] += sign / 2.0;
            }
        }
        corner
    }
}

/// The w of each vertex.
fn weights(vertices: &[Vertex]) -> [f64; 3] {
    std::array::from_fn(|idx| vertices.get(idx).map_or(1.0, |vertex| vertex.position[3]))
}

/// Clips a polygon at a plane, by Sutherland and Hodgman. The point on an edge is computed from its inner end, so that
/// neighbours that share the edge get the same point.
fn clip_polygon(vertices: Vec<Vertex>, plane: Plane) -> Vec<Vertex> {
    let mut kept = Vec::with_capacity(vertices.len() + 1);
    for (idx, from) in vertices.iter().enumerate() {
        let to = &vertices[(idx + 1) % vertices.len()];
        let (here, there) = (plane.distance(from), plane.distance(to));
        if here >= 0.0 {
            kept.push(from.clone());
        }
        if here >= 0.0 && there < 0.0 {
            kept.push(from.between(to, here / (here - there)));
        } else if here < 0.0 && there >= 0.0 {
            kept.push(to.between(from, there / (there - here)));
        }
    }
    kept
}

fn clip_line(vertices: Vec<Vertex>, plane: Plane) -> Vec<Vertex> {
    let [from, to] = &vertices[..] else { return Vec::new() };
    let (here, there) = (plane.distance(from), plane.distance(to));
    match (here >= 0.0, there >= 0.0) {
        (true, true) => vertices,
        (true, false) => vec![from.clone(), from.between(to, here / (here - there))],
        (false, true) => vec![to.between(from, there / (there - here)), to.clone()],
        (false, false) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::CENTRE;
    use super::super::triangle::{Shares, Triangle, point};
    use super::*;

    const VIEWPORT: Viewport = Viewport([16, 16], None);

    fn vertices(positions: [[f64; 4]; 3]) -> Vec<Vertex> {
        let vertex = |(idx, at): (usize, [f64; 4])| Vertex::new(idx, at, Vec::new());
        positions.into_iter().enumerate().map(vertex).collect()
    }

    fn are_near(shares: [f64; 3], expected: [f64; 3]) -> bool {
        shares.into_iter().zip(expected).all(|(share, other)| (share - other).abs() < 1e-12)
    }

    /// Splits a clipped polygon into triangles.
    fn fan(corners: &[Corner]) -> Vec<Triangle> {
        let pairs = corners.windows(2).skip(1);
        pairs.filter_map(|pair| Triangle::new(&[corners[0], pair[0], pair[1]])).collect()
    }

    /// The shares at a pixel, and the number of triangles that cover it.
    fn at_pixel(triangles: &[Triangle], pixel: [i64; 2]) -> (usize, Shares) {
        let (mut count, mut shares) = (0, Shares::default());
        for triangle in triangles {
            let quads = triangle.cover(VIEWPORT.0, &[[128, 128]], |quad| {
                let [x, y] = [pixel[0] - quad.x, pixel[1] - quad.y];
                if (0..2).contains(&x) && (0..2).contains(&y) {
                    let place = usize::try_from(y * 2 + x).expect("small");
                    if quad.coverage[place] != 0 {
                        count += 1;
                        shares = triangle.shares(point(pixel, CENTRE));
                    }
                }
                Ok::<(), std::convert::Infallible>(())
            });
            quads.expect("it cannot fail");
        }
        (count, shares)
    }

    #[test]
    fn what_is_inside_stays_as_it_is() {
        let inside =
            vertices([[-1.0, -1.0, 0.5, 1.0], [2.0, -2.0, 1.0, 2.0], [0.0, 1.0, 0.0, 1.0]]);
        let corners = VIEWPORT.polygon(inside);
        let places: Vec<_> = corners.iter().map(|corner| corner.at).collect();
        // WebGPU's y points up in clip space and down in the framebuffer.
        assert_eq!(places, [[0, 16 * 256], [16 * 256, 16 * 256], [8 * 256, 0]]);
        assert!(are_near(corners[1].perspective, [0.0, 1.0, 0.0]));
        assert!(are_near(corners[1].linear, [0.0, 1.0, 0.0]));
        assert!((corners[1].depth - 0.5).abs() < 1e-15);
        assert!(fan(&corners).iter().all(|triangle| !triangle.is_clipped()));
    }

    /// A clipped triangle has at each pixel the shares of the whole one: the solution of
    /// `Σ shareᵢ · (xᵢ, yᵢ, wᵢ) ∝ (x, y, 1)`, to the precision of the grid.
    #[test]
    fn clipping_does_not_change_interpolation() {
        // The last vertex is behind the eye.
        let positions = [[-2.0, -2.0, 1.0, 2.0], [2.0, -2.0, 1.0, 2.0], [0.0, 2.0, -0.25, -0.5]];
        let triangles = fan(&VIEWPORT.polygon(vertices(positions)));
        assert!(!triangles.is_empty());
        assert!(triangles.iter().all(Triangle::is_clipped));
        let mut compared = 0;
        for y in 0..16 {
            for x in 0..16 {
                let (count, shares) = at_pixel(&triangles, [x, y]);
                assert!(count <= 1, "{x} {y}");
                if count == 0 {
                    continue;
                }
                compared += 1;
                let sum = |side: usize| {
                    let all = shares.perspective.iter().zip(&positions);
                    all.map(|(share, position)| share * position[side]).sum::<f64>()
                };
                let [at_x, at_y] = [sum(0) / sum(3), sum(1) / sum(3)];
                let pixel = [x, y].map(|side| crate::numbers::real(side) + 0.5);
                assert!((at_x - (pixel[0] / 8.0 - 1.0)).abs() < 2e-3, "{x} {y}: {at_x}");
                assert!((at_y - (1.0 - pixel[1] / 8.0)).abs() < 2e-3, "{x} {y}: {at_y}");
                assert!((shares.perspective.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!((shares.linear.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                assert!((shares.over_w * sum(3) - 1.0).abs() < 1e-9);
            }
        }
        assert!(compared > 50, "{compared}");
    }

    #[test]
    fn each_plane_cuts_its_own_part() {
        let square = |distances: [Option<f64>; 4]| {
            let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
            let vertex = |(idx, [x, y]): (usize, [f64; 2])| {
                let distance = distances[idx].into_iter().collect();
                Vertex::new(idx, [x, y, (x + 1.0) * 0.75, 1.0], distance)
            };
            corners.into_iter().enumerate().map(vertex).collect::<Vec<_>>()
        };
        // z is 0 to 1.5: a third is behind the far plane.
        let corners = VIEWPORT.polygon(square([None; 4]));
        let most = corners.iter().map(|corner| corner.at[0]).max();
        // 4096 · 2/3 = 2730.7 subpixels.
        assert_eq!(most, Some(2731));
        // The distance is -1 at the bottom and 1 at the top, so the lower half is clipped.
        let halves = [Some(-1.0), Some(-1.0), Some(1.0), Some(1.0)];
        let most = VIEWPORT.polygon(square(halves)).iter().map(|corner| corner.at[1]).max();
        assert_eq!(most, Some(8 * 256));
        assert!(VIEWPORT.polygon(square([Some(-1.0); 4])).is_empty());
        let unknown = [Some(f64::NAN), Some(1.0), Some(1.0), Some(1.0)];
        assert!(VIEWPORT.polygon(square(unknown)).is_empty());
        let endless = [Some(f64::INFINITY), Some(1.0), Some(1.0), Some(-1.0)];
        assert!(!VIEWPORT.polygon(square(endless)).is_empty());
    }

    #[test]
    fn the_largest_triangles_fit_the_grid() {
        let huge = f64::from(f32::MAX);
        let positions =
            [[-huge, -huge, 0.0, 1.0], [huge, -huge, 0.0, 1.0], [0.0, huge, 0.0, 1e-30]];
        let triangles = fan(&VIEWPORT.polygon(vertices(positions)));
        assert!(!triangles.is_empty());
        let (count, _) = at_pixel(&triangles, [7, 9]);
        assert_eq!(count, 1);
    }

    #[test]
    fn lines_and_points_end_at_the_sides_of_the_volume() {
        let line = |z: f64| {
            let from = Vertex::new(0, [0.0, 0.0, 0.5, 1.0], Vec::new());
            let to = Vertex::new(1, [0.5, 0.0, z, 1.0], Vec::new());
            VIEWPORT.line(vec![from, to])
        };
        assert_eq!(line(1.5)[1].at, [8 * 256 + 2 * 256, 8 * 256]);
        assert!(are_near(line(1.5)[1].perspective, [0.5, 0.5, 0.0]));
        let point = |x: f64, z: f64| {
            VIEWPORT.point(Vertex::new(0, [x, 0.0, z, 1.0], Vec::new())).map(|corner| corner.at[0])
        };
        assert_eq!(point(0.5, 0.5), Some(12 * 256));
        assert_eq!(point(1.01, 0.5), None);
        assert_eq!(point(0.0, -0.1), None);
    }
}
