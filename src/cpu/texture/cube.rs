//! Cube maps: the face of a direction, by the tables of Vulkan's sections "Cube Map Face Selection" and "Cube Map
//! Derivative Transformation", and the texels beyond the edge of a face, by "Cube Map Edge Handling".

/// A position on a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OnFace {
    /// Faces +x, −x, +y, −y, +z, −z.
    pub(super) face: usize,
    /// Coordinates from 0 to 1.
    pub(super) at: [f64; 2],
    /// The values from which the coordinates are computed.
    projected: Projected,
}

/// Numerators of the face's coordinates and their denominator, which is positive on the face.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Projected {
    s: f64,
    t: f64,
    major: f64,
}

impl OnFace {
    /// The position that `direction` points to. Between components of the same magnitude, z takes precedence over y,
    /// and y over x.
    pub(super) fn new(direction: [f64; 3]) -> Self {
        let [x, y, z] = direction.map(f64::abs);
        let axis = if z >= x && z >= y { 2 } else { usize::from(y >= x) };
        let face = 2 * axis + usize::from(direction[axis].is_sign_negative());
        let projected = Projected::new(face, direction);
        let Projected { s, t, major } = projected;
        // The zero vector is mapped to the middle of the face.
        let divisor = if major == 0.0 { 1.0 } else { major };
        Self { face, at: [s, t].map(|side| (side / divisor).midpoint(1.0)), projected }
    }

    /// Derivatives of the face's coordinates, from those of the direction.
    pub(super) fn derivatives(&self, direction: [f64; 3]) -> [f64; 2] {
        let Projected { s, t, major } = self.projected;
        let change = Projected::new(self.face, direction);
        [(s, change.s), (t, change.t)]
            .map(|(side, changes)| (major * changes - side * change.major) / (2.0 * major * major))
    }
}

impl Projected {
    fn new(face: usize, [x, y, z]: [f64; 3]) -> Self {
        let projected = |s, t, major| Self { s, t, major };
        match face {
            0 => projected(-z, -y, x),
            1 => projected(z, -y, -x),
            2 => projected(x, z, y),
            3 => projected(x, -z, -y),
            4 => projected(x, -y, z),
            _ => projected(-x, -y, -z),
        }
    }
}

/// A texel of a face: face, column and row.
pub(super) type FaceTexel = (usize, [i64; 2]);

/// The texels that represent a texel: itself, the one of the neighbouring face beyond an edge, or beyond a corner the
/// three that meet there.
pub(super) fn texels(face: usize, [column, row]: [i64; 2], size: i64) -> Vec<FaceTexel> {
    let last = size - 1;
    let (inner_column, inner_row) = (column.clamp(0, last), row.clamp(0, last));
    match (column == inner_column, row == inner_row) {
        (true, true) => vec![(face, [column, row])],
        (true, false) | (false, true) => vec![beyond(face, [column, row], size)],
        (false, false) => vec![
            (face, [inner_column, inner_row]),
            beyond(face, [column, inner_row], size),
            beyond(face, [inner_column, row], size),
        ],
    }
}

/// The texel beyond one edge of a face, on the adjacent face. Lengths are in half texels, and the cube has sides of
/// twice `size`, from −size to size.
fn beyond(face: usize, at: [i64; 2], size: i64) -> FaceTexel {
    let mut point = point_of(face, at.map(|side| 2 * side + 1 - size), size);
    let old_axis = (face / 2).min(2);
    let new_axis = (0..3).find(|axis| point[*axis].abs() > size).unwrap_or(old_axis);
    // The row next to the edge is half a texel from it.
    point[old_axis] = point[old_axis].signum() * (size - 1);
    point[new_axis] = point[new_axis].signum() * size;
    let face = 2 * new_axis + usize::from(point[new_axis] < 0);
    (face, on_face(face, point).map(|side| ((side + size - 1) / 2).clamp(0, size - 1)))
}

/// The point of the cube at these numerators of a face's coordinates.
const fn point_of(face: usize, [s, t]: [i64; 2], size: i64) -> [i64; 3] {
    match face {
        0 => [size, -t, -s],
        1 => [-size, -t, s],
        2 => [s, size, t],
        3 => [s, -size, -t],
        4 => [s, -t, size],
        _ => [-s, -t, -size],
    }
}

/// The inverse of [`point_of`].
const fn on_face(face: usize, [x, y, z]: [i64; 3]) -> [i64; 2] {
    match face {
        0 => [-z, -y],
        1 => [z, -y],
        2 => [x, z],
        3 => [x, -z],
        4 => [x, -y],
        _ => [-x, -y],
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the values are exact")]
mod tests {
    use super::*;

    #[track_caller]
    fn check(direction: [f64; 3], face: usize, at: [f64; 2]) {
        let found = OnFace::new(direction);
        assert_eq!((found.face, found.at), (face, at), "{direction:?}");
    }

    #[test]
    fn the_largest_component_selects_the_face() {
        // Vulkan's table: +x has s = −z and t = −y, and so on; the coordinate is (s / |major| + 1) / 2.
        check([2.0, 1.0, -1.0], 0, [0.75, 0.25]);
        check([-2.0, 1.0, -1.0], 1, [0.25, 0.25]);
        check([1.0, 2.0, -1.0], 2, [0.75, 0.25]);
        check([1.0, -2.0, -1.0], 3, [0.75, 0.75]);
        check([1.0, -1.0, 2.0], 4, [0.75, 0.75]);
        check([1.0, -1.0, -2.0], 5, [0.25, 0.75]);
    }

    #[test]
    fn of_equal_components_z_is_first() {
        assert_eq!(OnFace::new([1.0, 1.0, 1.0]).face, 4);
        assert_eq!(OnFace::new([1.0, -1.0, 0.5]).face, 3);
    }

    #[test]
    fn derivatives_follow_the_quotient_rule() {
        // s = −z / x changes by −1/x with z, and by z / x² with x. Derivatives are halved, as face coordinates go from
        // 0 to 1.
        let place = OnFace::new([2.0, 0.0, -1.0]);
        assert_eq!(place.derivatives([0.0, 0.0, 1.0]), [-0.25, 0.0]);
        assert_eq!(place.derivatives([1.0, 0.0, 0.0]), [-0.125, 0.0]);
        let place = OnFace::new([-2.0, 1.0, 0.0]);
        // t = −y / −x = −y / |x|, and |x| decreases as x increases.
        assert_eq!(place.derivatives([1.0, 0.0, 0.0]), [0.0, -0.125]);
    }

    #[test]
    fn texels_beyond_an_edge_are_on_the_neighbour() {
        // To the right of +x, where s = −z, is face −z, whose s = −x is least at +x.
        assert_eq!(texels(0, [4, 1], 4), [(5, [0, 1])]);
        // To the left of +x is the right edge of +z.
        assert_eq!(texels(0, [-1, 1], 4), [(4, [3, 1])]);
        // Above +x is +y, whose s = x is greatest there, and whose t = z is opposite to s of +x.
        assert_eq!(texels(0, [1, -1], 4), [(2, [3, 2])]);
        // Below −z is −y, whose t = −z is greatest there, and whose s = x is opposite to s of −z.
        assert_eq!(texels(5, [1, 4], 4), [(3, [2, 3])]);
        assert_eq!(texels(4, [0, 3], 4), [(4, [0, 3])]);
    }

    #[test]
    fn three_texels_meet_beyond_a_corner() {
        // The corner of +x, +y and +z.
        assert_eq!(texels(4, [4, -1], 4), [(4, [3, 0]), (0, [0, 0]), (2, [3, 3])]);
        assert_eq!(texels(4, [1, -1], 1), [(4, [0, 0]), (0, [0, 0]), (2, [0, 0])]);
    }

    #[test]
    fn going_over_an_edge_and_back_is_nothing() {
        let size = 5;
        for face in 0..6 {
            for along in 0..size {
                for (out, inner) in [
                    ([-1, along], [0, along]),
                    ([size, along], [size - 1, along]),
                    ([along, -1], [along, 0]),
                    ([along, size], [along, size - 1]),
                ] {
                    let (other, at) = texels(face, out, size)[0];
                    let last = size - 1;
                    let candidates = [[-1, at[1]], [size, at[1]], [at[0], -1], [at[0], size]];
                    let edges = [at[0] == 0, at[0] == last, at[1] == 0, at[1] == last];
                    let mut ways = candidates.iter().zip(edges).filter(|(_, is_edge)| *is_edge);
                    let is_back =
                        |(way, _): (&[i64; 2], bool)| texels(other, *way, size)[0] == (face, inner);
                    assert!(ways.any(is_back), "{face} {out:?} -> {other} {at:?}");
                }
            }
        }
    }
}
