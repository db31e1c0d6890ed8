//! 4×4 matrices of GL's fixed functions, in double precision until written to a uniform.

/// A column-major matrix: an array of columns, as in GLSL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix([[f64; 4]; 4]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]);

    /// The matrix of `glOrtho`.
    pub(super) fn ortho([left, right, bottom, top, near, far]: [f64; 6]) -> Self {
        let mut matrix = Self::IDENTITY;
        matrix.0[0][0] = 2.0 / (right - left);
        matrix.0[1][1] = 2.0 / (top - bottom);
        matrix.0[2][2] = -2.0 / (far - near);
        matrix.0[3][0] = -(right + left) / (right - left);
        matrix.0[3][1] = -(top + bottom) / (top - bottom);
        matrix.0[3][2] = -(far + near) / (far - near);
        matrix
    }

    /// The matrix of `glFrustum`.
    pub(super) fn frustum([left, right, bottom, top, near, far]: [f64; 6]) -> Self {
        let mut matrix = Self([[0.0; 4]; 4]);
        matrix.0[0][0] = 2.0 * near / (right - left);
        matrix.0[1][1] = 2.0 * near / (top - bottom);
        matrix.0[2][0] = (right + left) / (right - left);
        matrix.0[2][1] = (top + bottom) / (top - bottom);
        matrix.0[2][2] = -(far + near) / (far - near);
        matrix.0[2][3] = -1.0;
        matrix.0[3][2] = -2.0 * far * near / (far - near);
        matrix
    }

    pub(super) fn transposed(&self) -> Self {
        let mut matrix = *self;
        for column in 0..4 {
            for row in 0..4 {
                matrix.0[column][row] = self.0[row][column];
            }
        }
        matrix
    }

    /// The inverse, by Gaussian elimination; for a singular matrix some values are not finite.
    pub(super) fn inverted(&self) -> Self {
        let (mut left, mut right) = (self.0, Self::IDENTITY.0);
        for pivot in 0..4 {
            let size = |column: &usize| left[*column][pivot].abs();
            let best = (pivot..4).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(pivot);
            left.swap(pivot, best);
            right.swap(pivot, best);
            let scale = left[pivot][pivot];
            for row in 0..4 {
                left[pivot][row] /= scale;
                right[pivot][row] /= scale;
            }
            for column in (0..4).filter(|column| *column != pivot) {
                let factor = left[column][pivot];
                for row in 0..4 {
                    left[column][row] -= factor * left[pivot][row];
                    right[column][row] -= factor * right[pivot][row];
                }
            }
        }
        Self(right)
    }

    /// The row vector `vector` times this matrix.
    pub(super) fn times_row(&self, vector: [f64; 4]) -> [f64; 4] {
        self.0.map(|column| column.iter().zip(vector).map(|(a, b)| a * b).sum())
    }

    /// Values in column-major order.
    pub(super) fn values(&self) -> Vec<f64> {
        self.0.as_flattened().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_point(matrix: &Matrix, point: [f64; 4], expected: [f64; 4]) {
        let bits = |point: [f64; 4]| point.map(f64::to_bits);
        assert_eq!(bits(matrix.transposed().times_row(point)), bits(expected));
    }

    #[test]
    fn ortho_maps_its_box_to_the_unit_cube() {
        let matrix = Matrix::ortho([0.0, 8.0, 0.0, 4.0, -1.0, 1.0]);
        check_point(&matrix, [0.0, 0.0, -1.0, 1.0], [-1.0, -1.0, 1.0, 1.0]);
        check_point(&matrix, [8.0, 4.0, 1.0, 1.0], [1.0, 1.0, -1.0, 1.0]);
    }

    #[test]
    fn frustum_maps_near_and_far_to_the_ends_of_the_depth_range() {
        let matrix = Matrix::frustum([-1.0, 1.0, -2.0, 2.0, 1.0, 3.0]);
        check_point(&matrix, [1.0, 2.0, -1.0, 1.0], [1.0, 1.0, -1.0, 1.0]);
        check_point(&matrix, [3.0, 6.0, -3.0, 1.0], [3.0, 3.0, 3.0, 3.0]);
    }

    #[test]
    fn inverse_times_matrix_is_the_identity() {
        let sides = [-1.0, 3.0, -2.0, 6.0, 1.0, 2.0];
        for matrix in [Matrix::ortho(sides), Matrix::frustum(sides)] {
            let inverse = matrix.inverted();
            let product = inverse.0.map(|column| matrix.transposed().times_row(column));
            for (found, expected) in product.as_flattened().iter().zip(Matrix::IDENTITY.values()) {
                assert!((found - expected).abs() < 1e-12, "{product:?}");
            }
        }
    }
}
