//! Multiplies constant matrices, for the constant evaluator.

use arithmetic::{BinaryFunction, Known, Machine, Now};

use crate::lower::body::Body;
use crate::lower::types::constant::Constant;
use crate::lower::types::{Kind, Shape};

/// Arrangement of the scalars of a factor, column by column.
#[derive(Clone, Copy)]
struct Grid {
    columns: u8,
    rows: u8,
}

impl Body<'_, '_> {
    /// The product of two constants of floats or of doubles, at least one of which is a matrix. A vector is a column on
    /// the right of a matrix and a row on its left.
    pub(in crate::lower) fn evaluate_product(
        &mut self,
        left: &Constant,
        right: &Constant,
    ) -> Option<Constant> {
        let kind = self.shape(left.ty).kind()?;
        let (a, b) = match (self.shape(left.ty), self.shape(right.ty)) {
            (Shape::Scalar(_), _) => return scaled(right, left, kind),
            (_, Shape::Scalar(_)) => return scaled(left, right, kind),
            (Shape::Matrix(columns, rows, _), Shape::Matrix(n, m, _)) => {
                (Grid { columns, rows }, Grid { columns: n, rows: m })
            }
            (Shape::Matrix(columns, rows, _), Shape::Vector(m, _)) => {
                (Grid { columns, rows }, Grid { columns: 1, rows: m })
            }
            (Shape::Vector(n, _), Shape::Matrix(columns, rows, _)) => {
                (Grid { columns: n, rows: 1 }, Grid { columns, rows })
            }
            (Shape::Vector(..) | Shape::Array(..) | Shape::Struct | Shape::Matrix(..), _) => {
                return None;
            }
        };
        if a.columns != b.rows {
            return None;
        }
        let mut bits = Vec::new();
        for column in 0..b.columns {
            for row in 0..a.rows {
                let mut sum = None;
                for k in 0..a.columns {
                    let (x, y) = (at(left, a, k, row, kind)?, at(right, b, column, k, kind)?);
                    let term = Now.two(BinaryFunction::Multiply, x, y).ok()?;
                    sum = match sum {
                        Some(sum) => Some(Now.two(BinaryFunction::Add, sum, term).ok()?),
                        None => Some(term),
                    };
                }
                bits.push(sum?.bits());
            }
        }
        let ty = match (a.rows, b.columns) {
            (1, size) | (size, 1) => self.stage.vector(size, kind),
            (rows, columns) => self.stage.matrix(columns, rows, kind),
        };
        Some(Constant::new(ty, bits))
    }
}

fn at(factor: &Constant, grid: Grid, column: u8, row: u8, kind: Kind) -> Option<Known> {
    let idx = usize::from(column) * usize::from(grid.rows) + usize::from(row);
    factor.bits.get(idx).map(|bits| kind.known(*bits))
}

fn scaled(matrix: &Constant, factor: &Constant, kind: Kind) -> Option<Constant> {
    let factor = kind.known(*factor.bits.first()?);
    let product = |bits: &u64| {
        let product = Now.two(BinaryFunction::Multiply, kind.known(*bits), factor);
        Some(product.ok()?.bits())
    };
    let bits = matrix.bits.iter().map(product).collect::<Option<Vec<u64>>>()?;
    Some(Constant::new(matrix.ty, bits))
}
