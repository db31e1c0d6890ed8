//! The minimum packing that every implementation of GLSL ES must match, used as an oracle for the packer.
//!
//! GLSL ES 3.00 section 12.9 (GLSL ES 1.00 appendix A, section 7) specifies an algorithm over a grid of sixteen rows
//! and four columns of scalars: every set of varyings that it can place must link. It has no double parking and no
//! packing classes, and this module shares no code with the packer. The rules:
//!
//! * A variable occupies one rectangle: each element of an array starts a new row, and a vector is part of one row.
//!   Each member of a struct is a separate variable. A matrix is as large as the square matrix of its larger dimension;
//!   `mat2` occupies two whole rows.
//! * Variables with a location come first. The others follow by type (`mat4`, `mat2`, `vec4`, `mat3`, `vec3`, `vec2`,
//!   scalar), within a type, smooth before flat, then larger arrays before smaller ones, then in order of declaration.
//! * Types wider than a scalar start in the first column of the lowest free rows. If there are no such rows for a
//!   `vec2`, it gets the highest rows, and in them the lowest columns, where it fits.
//! * A scalar, or an array of scalars, gets the column in which the fewest rows are free afterwards, and in it the
//!   lowest rows.
//! * A row is either smooth or flat. Centroid, sample and base type make no difference.
//! * A placed variable never moves again.

use std::cmp::Reverse;

use ir::interface::{Interpolation, ScalarKind, Type, Variable};

mod grid_tests;
mod link_tests;
mod random;
mod random_tests;

/// Number of rows of the grid. GLSL ES 3.00 guarantees this number of vectors for varyings, and WebGPU for inter-stage
/// variables.
pub(super) const ROWS: usize = 16;
const COLUMNS: usize = 4;

/// Kind of varyings in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RowKind {
    Smooth,
    Flat,
}

impl RowKind {
    fn of(variable: &Variable) -> Self {
        match variable.interpolation {
            _ if variable.ty.has_always_flat() => Self::Flat,
            Interpolation::Flat => Self::Flat,
            Interpolation::Unqualified | Interpolation::Smooth | Interpolation::NoPerspective => {
                Self::Smooth
            }
        }
    }
}

/// A complete placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    /// Index of the variable in every cell.
    pub(super) cells: [[Option<usize>; COLUMNS]; ROWS],
    kinds: [Option<RowKind>; ROWS],
}

/// The index of a variable that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unplaced(pub(super) usize);

/// Places all variables. The error is the first variable that cannot be placed.
pub(super) fn fit(variables: &[Variable]) -> Result<Grid, Unplaced> {
    let mut grid = Grid { cells: [[None; COLUMNS]; ROWS], kinds: [None; ROWS] };
    for (idx, variable) in variables.iter().enumerate() {
        if let Some(location) = variable.location {
            let column = variable.component.unwrap_or(0);
            place_explicit(&mut grid, idx, variable, location, column).ok_or(Unplaced(idx))?;
        }
    }
    let mut rectangles: Vec<Rectangle> = Vec::new();
    for (idx, variable) in
        variables.iter().enumerate().filter(|(_, variable)| variable.location.is_none())
    {
        let kind = RowKind::of(variable);
        let shapes = shapes(&variable.ty).ok_or(Unplaced(idx))?;
        rectangles.extend(shapes.into_iter().map(|shape| Rectangle { owner: idx, kind, shape }));
    }
    rectangles.sort_by_key(|area| (area.shape.order, area.kind, Reverse(area.shape.height)));
    for rectangle in &rectangles {
        let at = grid.room_for(rectangle).ok_or(Unplaced(rectangle.owner))?;
        grid.fill(rectangle, at);
    }
    Ok(grid)
}

/// The order of placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TypeOrder {
    Mat4,
    Mat2,
    Vec4,
    Mat3,
    Vec3,
    Vec2,
    Scalar,
}

#[derive(Clone, Copy, Debug)]
struct Size {
    order: TypeOrder,
    width: usize,
    height: usize,
}

#[derive(Clone, Copy, Debug)]
struct Rectangle {
    owner: usize,
    kind: RowKind,
    shape: Size,
}

/// The rectangles of a type; `None` if one of them is larger than any grid, or the type does not exist in ES.
fn shapes(ty: &Type) -> Option<Vec<Size>> {
    match ty {
        Type::Scalar(scalar) => vector(1, *scalar),
        Type::Vector { size, scalar } => vector(*size, *scalar),
        Type::Matrix { columns, rows, scalar: ScalarKind::F32 } => {
            let (order, width, height) = match columns.max(rows) {
                4 => (TypeOrder::Mat4, 4, 4),
                3 => (TypeOrder::Mat3, 3, 3),
                _ => (TypeOrder::Mat2, 4, 2),
            };
            Some(vec![Size { order, width, height }])
        }
        Type::Matrix { .. } => None,
        Type::Array { element, length } => {
            let length = usize::try_from(*length).ok().filter(|length| *length <= ROWS)?;
            let element_shapes = shapes(element)?;
            if matches!(element.without_arrays(), Type::Struct(_)) {
                return Some(element_shapes.repeat(length));
            }
            let taller = |shape: Size| Size { height: shape.height * length, ..shape };
            Some(element_shapes.into_iter().map(taller).collect())
        }
        Type::Struct(ty) => {
            let members: Option<Vec<_>> =
                ty.members.iter().map(|member| shapes(&member.ty)).collect();
            Some(members?.concat())
        }
    }
}

fn vector(size: u8, scalar: ScalarKind) -> Option<Vec<Size>> {
    let order = match size {
        4 => TypeOrder::Vec4,
        3 => TypeOrder::Vec3,
        2 => TypeOrder::Vec2,
        _ => TypeOrder::Scalar,
    };
    let is_known = matches!(scalar, ScalarKind::F32 | ScalarKind::I32 | ScalarKind::U32);
    is_known.then(|| vec![Size { order, width: usize::from(size), height: 1 }])
}

/// Places a variable with a location. Every scalar, vector and column occupies the next row from there on.
fn place_explicit(
    grid: &mut Grid,
    owner: usize,
    variable: &Variable,
    location: u32,
    column: u32,
) -> Option<()> {
    let kind = RowKind::of(variable);
    let column = usize::try_from(column).ok()?;
    for (row, leaf) in (usize::try_from(location).ok()?..).zip(variable.ty.leaves()) {
        let shape = Size { order: TypeOrder::Scalar, width: usize::from(leaf.size), height: 1 };
        let rectangle = Rectangle { owner, kind, shape };
        if !grid.is_free(&rectangle, Cell { row, column }) {
            return None;
        }
        grid.fill(&rectangle, Cell { row, column });
    }
    Some(())
}

/// A component of a row.
#[derive(Clone, Copy, Debug)]
struct Cell {
    row: usize,
    column: usize,
}

impl Grid {
    /// Number of rows up to the last one in use.
    pub(super) fn row_count(&self) -> usize {
        self.kinds.iter().rposition(Option::is_some).map_or(0, |last| last + 1)
    }

    fn is_free(&self, rectangle: &Rectangle, Cell { row, column }: Cell) -> bool {
        let Size { width, height, .. } = rectangle.shape;
        row + height <= ROWS
            && column + width <= COLUMNS
            && (row..row + height).all(|row| {
                self.kinds[row].is_none_or(|kind| kind == rectangle.kind)
                    && self.cells[row][column..column + width].iter().all(Option::is_none)
            })
    }

    fn fill(&mut self, rectangle: &Rectangle, Cell { row, column }: Cell) {
        let Size { width, height, .. } = rectangle.shape;
        for row in row..row + height {
            self.kinds[row] = Some(rectangle.kind);
            self.cells[row][column..column + width].fill(Some(rectangle.owner));
        }
    }

    /// The upper left cell of a free place for a rectangle.
    fn room_for(&self, rectangle: &Rectangle) -> Option<Cell> {
        if rectangle.shape.width == 1 {
            return self.fullest_column(rectangle);
        }
        let aligned =
            (0..ROWS).map(|row| Cell { row, column: 0 }).find(|at| self.is_free(rectangle, *at));
        if aligned.is_some() || rectangle.shape.width > 2 {
            return aligned;
        }
        let mut from_below = (0..ROWS * COLUMNS)
            .map(|at| Cell { row: ROWS - 1 - at / COLUMNS, column: at % COLUMNS });
        from_below.find(|at| self.is_free(rectangle, *at))
    }

    fn fullest_column(&self, rectangle: &Rectangle) -> Option<Cell> {
        let single = Rectangle { shape: Size { height: 1, ..rectangle.shape }, ..*rectangle };
        let room = |column: usize| {
            (0..ROWS).filter(|row| self.is_free(&single, Cell { row: *row, column })).count()
        };
        let lowest = |column: usize| {
            (0..ROWS).map(|row| Cell { row, column }).find(|at| self.is_free(rectangle, *at))
        };
        (0..COLUMNS).filter_map(lowest).min_by_key(|cell| room(cell.column))
    }
}
