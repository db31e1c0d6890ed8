//! Compiles products and other functions of matrices.

use arithmetic::{BinaryFunction, Machine, UnaryFunction};
use naga::{Expression, Handle, TypeInner};

use super::expression::Vector;
use super::function::FunctionCompiler;
use super::words::{count, kind_of};
use super::{Result, not_implemented};
use crate::code::Register;

/// A matrix in registers, column by column.
#[derive(Clone, Copy, Debug)]
struct Matrix {
    whole: Vector,
    columns: usize,
    rows: usize,
}

impl Matrix {
    const fn column(&self, index: usize) -> Vector {
        self.whole.slice(index * self.rows, self.rows)
    }

    const fn cell(&self, column: usize, row: usize) -> Vector {
        self.whole.component(column * self.rows + row)
    }
}

impl FunctionCompiler<'_, '_> {
    fn matrix(&mut self, expression: Handle<Expression>) -> Result<Option<Matrix>> {
        let TypeInner::Matrix { columns, rows, scalar } = *self.type_of(expression) else {
            return Ok(None);
        };
        let (columns, rows) = (count(columns), count(rows));
        let kind = kind_of(scalar)?;
        let whole = Vector { at: self.register(expression)?, kind, count: columns * rows };
        Ok(Some(Matrix { whole, columns, rows }))
    }

    pub(super) fn matrix_product(
        &mut self,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Register> {
        let (first, second) = (self.matrix(left)?, self.matrix(right)?);
        let (left, right) = (self.vector(left)?, self.vector(right)?);
        match (first, second) {
            (Some(first), Some(second)) => {
                let columns = (0..second.columns)
                    .map(|column| self.combination(first, second.column(column)))
                    .collect::<Result<Vec<_>>>()?;
                self.joined(&columns)
            }
            (Some(_), None) if right.count == 1 => {
                Ok(self.two(BinaryFunction::Multiply, left, right)?.at)
            }
            (Some(first), None) => Ok(self.combination(first, right)?.at),
            (None, Some(_)) if left.count == 1 => {
                Ok(self.two(BinaryFunction::Multiply, left, right)?.at)
            }
            (None, Some(second)) => {
                let dots = (0..second.columns)
                    .map(|column| self.dot(left, second.column(column)))
                    .collect::<Result<Vec<_>>>()?;
                self.joined(&dots)
            }
            (None, None) => not_implemented("products of this kind"),
        }
    }

    /// The sum of the columns, each multiplied by a component of `weights`.
    fn combination(&mut self, matrix: Matrix, weights: Vector) -> Result<Vector> {
        let mut sum = None;
        for index in 0..matrix.columns {
            let weight = weights.component(index);
            let term = self.two(BinaryFunction::Multiply, matrix.column(index), weight)?;
            sum = Some(match sum {
                Some(sum) => self.two(BinaryFunction::Add, sum, term)?,
                None => term,
            });
        }
        sum.map_or_else(|| not_implemented("matrices without columns"), Ok)
    }

    pub(super) fn dot(&mut self, left: Vector, right: Vector) -> Result<Vector> {
        let products = self.two(BinaryFunction::Multiply, left, right)?;
        let mut sum = products.component(0);
        for index in 1..products.count {
            sum = self.two(BinaryFunction::Add, sum, products.component(index))?;
        }
        Ok(sum)
    }

    pub(super) fn joined(&mut self, parts: &[Vector]) -> Result<Register> {
        let parts: Vec<_> =
            parts.iter().map(|part| (part.at, part.count * part.kind.words())).collect();
        self.compiler.compose(&parts)
    }

    pub(super) fn outer(&mut self, left: Vector, right: Vector) -> Result<Register> {
        let columns = (0..right.count)
            .map(|index| self.two(BinaryFunction::Multiply, left, right.component(index)))
            .collect::<Result<Vec<_>>>()?;
        self.joined(&columns)
    }

    pub(super) fn transpose(&mut self, expression: Handle<Expression>) -> Result<Register> {
        let Some(matrix) = self.matrix(expression)? else {
            return not_implemented("transposes of this");
        };
        let cells = (0..matrix.rows)
            .flat_map(|row| (0..matrix.columns).map(move |column| matrix.cell(column, row)));
        self.joined(&cells.collect::<Vec<_>>())
    }

    pub(super) fn determinant(&mut self, expression: Handle<Expression>) -> Result<Register> {
        match self.matrix(expression)? {
            Some(matrix) if matrix.columns == matrix.rows => {
                let all: Vec<usize> = (0..matrix.columns).collect();
                Ok(self.minor(matrix, &all, &all)?.at)
            }
            _ => not_implemented("determinants of this"),
        }
    }

    /// Determinant of the cells in these columns and rows, along its first column.
    fn minor(&mut self, matrix: Matrix, columns: &[usize], rows: &[usize]) -> Result<Vector> {
        let Some((first, others)) = columns.split_first() else {
            return not_implemented("empty determinants");
        };
        if let [row] = *rows {
            return Ok(matrix.cell(*first, row));
        }
        let mut sum: Option<Vector> = None;
        for (index, row) in rows.iter().enumerate() {
            let rest: Vec<_> = rows.iter().copied().filter(|other| other != row).collect();
            let minor = self.minor(matrix, others, &rest)?;
            let term = self.two(BinaryFunction::Multiply, matrix.cell(*first, *row), minor)?;
            sum = Some(match sum {
                None => term,
                Some(sum) if index % 2 == 0 => self.two(BinaryFunction::Add, sum, term)?,
                Some(sum) => self.two(BinaryFunction::Subtract, sum, term)?,
            });
        }
        sum.map_or_else(|| not_implemented("empty determinants"), Ok)
    }

    /// The inverse: the adjugate divided by the determinant.
    pub(super) fn inverse(&mut self, expression: Handle<Expression>) -> Result<Register> {
        let Some(matrix) = self.matrix(expression)? else {
            return not_implemented("inverses of this");
        };
        let all: Vec<usize> = (0..matrix.columns).collect();
        let determinant = self.minor(matrix, &all, &all)?;
        let without = |index: usize| -> Vec<usize> {
            all.iter().copied().filter(|other| *other != index).collect()
        };
        let mut cells = Vec::new();
        for column in 0..matrix.columns {
            for row in 0..matrix.rows {
                let minor = self.minor(matrix, &without(row), &without(column))?;
                let minor = if (column + row) % 2 == 0 {
                    minor
                } else {
                    self.one(UnaryFunction::Negate, minor)?
                };
                cells.push(self.two(BinaryFunction::Divide, minor, determinant)?);
            }
        }
        self.joined(&cells)
    }
}
