//! Vertices and index lists of draws.

use std::ops::Range;
use std::sync::Arc;

use crate::error::Misfit;
use crate::topology::{self, Primitive, ProvokingVertex};
use crate::vertex::{self, UnreadColumns, VertexLayout};
use case::bind::VertexTable;
use case::{Case, Dialect, Draw, DrawShape, RESTART_INDEX, Topology, VertexColumn, VertexData};
use link::program::{FlatVertex, LinkedProgram};

/// Maximum indices of all draws of one case.
const MAX_INDICES: usize = 1 << 24;

/// Maximum rows from transform feedback buffers in one case: each is copied individually.
const MAX_CAPTURED_ROWS: usize = 1 << 14;

/// Vertices and indices of all draws so far.
pub(super) struct Geometry<'a> {
    case: &'a Case,
    program: &'a LinkedProgram,
    /// All programs of the case.
    programs: &'a [LinkedProgram],
    /// Provoking vertex of the backend.
    pub(super) provoking: ProvokingVertex,
    /// The provoking vertex that the case has last chosen before this step.
    pub(super) chosen: Option<ProvokingVertex>,
    pub(super) layout: VertexLayout,
    pub(super) vertices: Vec<u8>,
    pub(super) indices: Vec<u32>,
    /// True if points may be drawn as quads.
    can_be_quads: bool,
    /// Rows and indices of a script, which replace the case's.
    table: Option<Arc<VertexTable>>,
    /// Range of the rows of `[vertex data]`, once a draw has used them.
    data_rows: Option<Range<usize>>,
    /// Range of the rows of `[vertex data]` with four copies of each, for the corners of points.
    corner_rows: Option<Range<usize>>,
    /// Number of vertices captured by the last transform feedback.
    pub(super) captured: Option<u32>,
    /// Rows from transform feedback buffers so far.
    captured_rows: usize,
}

/// Rows of a `draw rect`, in the order of a strip.
const RECT_ROWS: [u32; 4] = [0, 1, 2, 3];

/// Source of a draw's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// `[vertex data]`.
    Section,
    /// Transform feedback buffers with this number of rows, which the caller fills in.
    Captured(u32),
}

/// Point mode of a draw, for a program that draws points as quads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointDraw {
    /// Points, as quads.
    Quads,
    /// Not points.
    NoQuads,
}

impl PointDraw {
    /// Number of copies of a row among the vertices.
    pub(super) const fn vertices(self) -> usize {
        match self {
            Self::Quads => 4,
            Self::NoQuads => 1,
        }
    }
}

/// Ranges of one draw in a [`Geometry`].
#[derive(Clone)]
pub(super) struct DrawRanges {
    pub(super) primitive: Primitive,
    pub(super) points: PointDraw,
    pub(super) vertices: Range<usize>,
    pub(super) indices: Range<u32>,
}

/// Number of triangles per primitive of a draw; also 1 for points and lines. `captured` is the vertex count of
/// `draw captured`.
pub(super) fn triangles_per_primitive(shape: &DrawShape, captured: u32) -> i128 {
    let (topology, count) = match shape {
        DrawShape::Arrays { topology, count, .. } | DrawShape::Indexed { topology, count, .. } => {
            (*topology, *count)
        }
        DrawShape::Captured { topology } => (*topology, captured),
        DrawShape::Rect(_) | DrawShape::RectOrtho(_) | DrawShape::RectTextured { .. } => return 1,
    };
    match topology {
        Topology::Quads | Topology::QuadStrip => 2,
        Topology::Polygon => i128::from(count.saturating_sub(2).max(1)),
        Topology::Points
        | Topology::Lines
        | Topology::LineLoop
        | Topology::LineStrip
        | Topology::Triangles
        | Topology::TriangleStrip
        | Topology::TriangleFan
        | Topology::LinesAdjacency
        | Topology::LineStripAdjacency
        | Topology::TrianglesAdjacency
        | Topology::TriangleStripAdjacency
        | Topology::Patches => 1,
    }
}

/// The rows of a draw, before they become a list of primitives.
pub(super) struct DrawnRows {
    pub(super) topology: Topology,
    /// Numbers of the rows, and [`RESTART_INDEX`] between two runs.
    pub(super) rows: Vec<u32>,
    /// Byte range of row 0 and all rows after it.
    pub(super) vertices: Range<usize>,
}

/// Instances of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instances {
    /// Number of instances.
    pub(super) count: u32,
    /// The first instance, as the vertex stage counts.
    pub(super) first: u32,
}

impl<'a> Geometry<'a> {
    pub(super) fn new(
        case: &'a Case,
        program: &'a LinkedProgram,
        programs: &'a [LinkedProgram],
        layout: VertexLayout,
        provoking: ProvokingVertex,
    ) -> Self {
        Self {
            case,
            program,
            programs,
            provoking,
            chosen: None,
            layout,
            vertices: Vec::new(),
            indices: Vec::new(),
            can_be_quads: true,
            table: None,
            data_rows: None,
            corner_rows: None,
            captured: None,
            captured_rows: 0,
        }
    }

    /// The provoking vertex at this step: the chosen one, or the one of the program's language.
    pub(super) fn convention(&self) -> ProvokingVertex {
        self.chosen.unwrap_or(match self.program.draw.flat {
            FlatVertex::First => ProvokingVertex::First,
            FlatVertex::Last => ProvokingVertex::Last,
        })
    }

    /// Switches to another program for the next draws.
    pub(super) fn change_program(&mut self, program: &'a LinkedProgram, layout: VertexLayout) {
        self.program = program;
        self.layout = layout;
        self.data_rows = None;
        self.corner_rows = None;
    }

    /// Takes rows and indices from another table.
    pub(super) fn change_table(&mut self, table: Arc<VertexTable>) {
        self.table = Some(table);
        self.data_rows = None;
        self.corner_rows = None;
    }

    /// The table that rows are taken from.
    pub(super) fn table(&self) -> Option<Arc<VertexTable>> {
        self.table.clone()
    }

    /// Sets the current value of an attribute for the next draws.
    pub(super) fn set_current(&mut self, attribute: &str, value: [f32; 4]) {
        let attributes = &self.program.attributes;
        if let Some(attribute) = attributes.iter().find(|known| known.name == attribute) {
            self.layout.set_unset(attribute.location, value);
            self.data_rows = None;
            self.corner_rows = None;
        }
    }

    /// Adds a draw in GL's capture order: a vertex is repeated for each primitive that contains it.
    pub(super) fn add_captured(&mut self, draw: &Draw, source: Rows) -> Result<DrawRanges, Misfit> {
        let convention = self.convention();
        let provoking = std::mem::replace(&mut self.provoking, convention);
        self.can_be_quads = false;
        let shape = self.add(draw, source);
        (self.provoking, self.can_be_quads) = (provoking, true);
        shape
    }

    /// Adds one draw.
    pub(super) fn add(&mut self, draw: &Draw, source: Rows) -> Result<DrawRanges, Misfit> {
        if let Some((rect, texture)) = self.rect_of(&draw.shape) {
            let vertices = self.rect(rect, texture)?;
            return self.list(Topology::TriangleStrip, &RECT_ROWS, vertices);
        }
        let (topology, rows) = self.rows_of(draw)?;
        self.rows(topology, &rows, source)
    }

    /// Adds the rows of a draw, without a list of its primitives.
    pub(super) fn add_rows(&mut self, draw: &Draw, source: Rows) -> Result<DrawnRows, Misfit> {
        if let Some((rect, texture)) = self.rect_of(&draw.shape) {
            let vertices = self.rect(rect, texture)?;
            let rows = RECT_ROWS.to_vec();
            return Ok(DrawnRows { topology: Topology::TriangleStrip, rows, vertices });
        }
        let (topology, rows) = self.rows_of(draw)?;
        let vertices = self.vertices_of(&rows, PointDraw::NoQuads, source)?;
        Ok(DrawnRows { topology, rows, vertices })
    }

    /// Adds a list of indices.
    pub(super) fn push_indices(
        &mut self,
        indices: impl ExactSizeIterator<Item = u32>,
    ) -> Result<Range<u32>, Misfit> {
        self.check_count(u32::try_from(indices.len()).unwrap_or(u32::MAX))?;
        let start = self.indices.len();
        self.indices.extend(indices);
        Ok(pool_index(start)?..pool_index(self.indices.len())?)
    }

    /// Rectangle and texture coordinates of a `draw rect`.
    fn rect_of(&self, shape: &DrawShape) -> Option<([f32; 4], Option<[f32; 4]>)> {
        match shape {
            DrawShape::Rect(rect) => Some((*rect, None)),
            DrawShape::RectOrtho(rect) => Some((ortho(*rect, self.case.size), None)),
            DrawShape::RectTextured { rect, texture } => Some((*rect, Some(*texture))),
            DrawShape::Arrays { .. } | DrawShape::Captured { .. } | DrawShape::Indexed { .. } => {
                None
            }
        }
    }

    /// Topology and numbers of the rows of a draw that is not a rectangle.
    fn rows_of(&self, draw: &Draw) -> Result<(Topology, Vec<u32>), Misfit> {
        match &draw.shape {
            DrawShape::Rect(_) | DrawShape::RectOrtho(_) | DrawShape::RectTextured { .. } => {
                Ok((Topology::TriangleStrip, RECT_ROWS.to_vec()))
            }
            DrawShape::Arrays { topology, first, count } => {
                let end = first.checked_add(*count).ok_or("the last row is out of range")?;
                self.check_count(*count)?;
                Ok((*topology, (*first..end).collect()))
            }
            DrawShape::Captured { topology } => {
                let count = self.captured.ok_or("nothing has been captured yet")?;
                self.check_count(count)?;
                Ok((*topology, (0..count).collect()))
            }
            DrawShape::Indexed { topology, first, count } => {
                let all = self.table.as_ref().map_or(&self.case.indices, |table| &table.indices);
                let first = usize::try_from(*first).unwrap_or(usize::MAX);
                let end = usize::try_from(*count).ok().and_then(|count| first.checked_add(count));
                let rows = end.and_then(|end| all.get(first..end)).ok_or_else(|| {
                    let (has, needed) = (all.len(), end.unwrap_or(usize::MAX));
                    Misfit(format!("the draw needs {needed} indices, but `[index data]` has {has}"))
                })?;
                let based = |row: &u32| match *row {
                    RESTART_INDEX => Some(RESTART_INDEX),
                    row => {
                        row.checked_add_signed(draw.base_vertex).filter(|row| *row != RESTART_INDEX)
                    }
                };
                let rows: Option<Vec<u32>> = rows.iter().map(based).collect();
                let rows = rows.ok_or("an index with its base vertex is out of range")?;
                Ok((*topology, rows))
            }
        }
    }

    /// Adds the rows of a rectangle, which is a strip: lower left, lower right, upper left, upper right.
    fn rect(&mut self, rect: [f32; 4], texture: Option<[f32; 4]>) -> Result<Range<usize>, Misfit> {
        let (corners, texture) = (corners(rect), texture.map(corners));
        let rows = vertex::rect_rows(&self.layout, &self.program.attributes, corners, texture)?;
        Ok(self.push_rows(rows))
    }

    fn rows(
        &mut self,
        topology: Topology,
        rows: &[u32],
        source: Rows,
    ) -> Result<DrawRanges, Misfit> {
        if topology == Topology::Points && self.program.draw.points.is_some() && self.can_be_quads {
            return self.quads(rows, source);
        }
        let vertices = self.vertices_of(rows, PointDraw::NoQuads, source)?;
        self.list(topology, rows, vertices)
    }

    /// Adds a quad for every point: the corners of row n have the indices 4n to 4n + 3.
    fn quads(&mut self, rows: &[u32], source: Rows) -> Result<DrawRanges, Misfit> {
        let vertices = self.vertices_of(rows, PointDraw::Quads, source)?;
        let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        self.check_count(count.saturating_mul(6))?;
        let mut corners = Vec::with_capacity(rows.len().saturating_mul(6));
        for row in rows.iter().filter(|row| **row != RESTART_INDEX) {
            corners.extend(point_corners(*row).ok_or("too many vertices")?);
        }
        let list = self.list(Topology::Triangles, &corners, vertices)?;
        Ok(DrawRanges { points: PointDraw::Quads, ..list })
    }

    fn vertices_of(
        &mut self,
        used: &[u32],
        points: PointDraw,
        source: Rows,
    ) -> Result<Range<usize>, Misfit> {
        match source {
            Rows::Section => self.data_rows(used, points),
            Rows::Captured(count) => self.unset_rows(used, points, count),
        }
    }

    /// Adds rows of current values, up to the last row in `used`.
    fn current_rows(&mut self, used: &[u32], points: PointDraw) -> Result<Range<usize>, Misfit> {
        let last = used.iter().filter(|row| **row != RESTART_INDEX).max();
        self.check_count(last.copied().unwrap_or(0))?;
        let rows = last.map_or(0, |last| *last as usize + 1);
        let rows = self.layout.unset_rows(rows.saturating_mul(points.vertices()));
        Ok(self.push_rows(rows))
    }

    /// Adds rows of current values that rows of transform feedback buffers will replace, up to the last row in `used`.
    fn unset_rows(
        &mut self,
        used: &[u32],
        points: PointDraw,
        available: u32,
    ) -> Result<Range<usize>, Misfit> {
        let last = used.iter().filter(|row| **row != RESTART_INDEX).max();
        let Some(last) = last.copied() else { return Ok(0..0) };
        if last >= available {
            return Err(Misfit(format!(
                "there is no row {last}; the capture buffers have {available}"
            )));
        }
        let rows = usize::try_from(last).unwrap_or(usize::MAX).saturating_add(1);
        self.captured_rows = self.captured_rows.saturating_add(rows);
        if self.captured_rows > MAX_CAPTURED_ROWS {
            return Err(Misfit(format!(
                "the draws of a case may take {MAX_CAPTURED_ROWS} rows from capture buffers together"
            )));
        }
        let rows = self.layout.unset_rows(rows.saturating_mul(points.vertices()));
        Ok(self.push_rows(rows))
    }

    /// Range of the rows of `[vertex data]`, or an error if some of `used` do not exist.
    fn data_rows(&mut self, used: &[u32], points: PointDraw) -> Result<Range<usize>, Misfit> {
        let table = self.table.clone();
        let own = table.as_ref().map_or(&self.case.vertex_data, |table| &table.data);
        let Some(data) = own else {
            if self.program.attributes.is_empty() {
                return Ok(0..0);
            }
            // GL's current values replace arrays; only piglit's files rely on it.
            return match self.case.dialect {
                Dialect::Piglit => self.current_rows(used, points),
                Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan => {
                    Err("the vertex stage has attributes, and there is no `[vertex data]`".into())
                }
            };
        };
        let mut rows = used.iter().filter(|row| **row != RESTART_INDEX);
        if let Some(row) = rows.find(|row| **row >= data.row_count) {
            return Err(Misfit(format!(
                "there is no row {row}; `[vertex data]` has {}",
                data.row_count
            )));
        }
        let known = match points {
            PointDraw::Quads => &self.corner_rows,
            PointDraw::NoQuads => &self.data_rows,
        };
        if let Some(range) = known {
            return Ok(range.clone());
        }
        // Scripts identify attributes only by location, as does piglit's reader in these files, so every location is
        // valid.
        let unread = match self.case.dialect {
            Dialect::Piglit if self.case.link.is_separable => UnreadColumns::Ignored,
            Dialect::Vulkan => UnreadColumns::Ignored,
            Dialect::Piglit | Dialect::Interstage | Dialect::ShaderLibrary => {
                UnreadColumns::Refused
            }
        };
        let kept;
        let is_left_out = |column: &&VertexColumn| {
            self.is_for_another(column) || self.is_ignored_by_gl(data, column)
        };
        let data = if data.columns.iter().any(|column| is_left_out(&column)) {
            let columns = data.columns.iter().filter(|column| !is_left_out(column));
            kept = VertexData { columns: columns.cloned().collect(), ..data.clone() };
            &kept
        } else {
            data
        };
        let rows = vertex::data_rows(&self.layout, &self.program.attributes, data, unread)?;
        match points {
            PointDraw::Quads => {
                let range = self.push_rows(repeated(&rows, self.layout.stride()));
                self.corner_rows = Some(range.clone());
                Ok(range)
            }
            PointDraw::NoQuads => {
                let range = self.push_rows(rows);
                self.data_rows = Some(range.clone());
                Ok(range)
            }
        }
    }

    /// True if the column is for an attribute that the vertex stage lacks, which GL ignores. In the shader library every
    /// stage has the first attribute, the position.
    fn is_ignored_by_gl(&self, data: &VertexData, column: &VertexColumn) -> bool {
        let is_first = data.columns.first() == Some(column);
        self.case.dialect == Dialect::ShaderLibrary
            && !is_first
            && !vertex::is_read(&self.program.attributes, column)
    }

    /// True if the vertex stage of another program reads the column, and that of this one does not.
    fn is_for_another(&self, column: &VertexColumn) -> bool {
        let is_read = |program: &LinkedProgram| vertex::is_read(&program.attributes, column);
        !is_read(self.program) && self.programs.iter().any(is_read)
    }

    fn push_rows(&mut self, rows: Vec<u8>) -> Range<usize> {
        let start = self.vertices.len();
        self.vertices.extend(rows);
        start..self.vertices.len()
    }

    fn list(
        &mut self,
        topology: Topology,
        rows: &[u32],
        vertices: Range<usize>,
    ) -> Result<DrawRanges, Misfit> {
        let runs = rows.split(|row| *row == RESTART_INDEX);
        let (from, to) = (self.convention(), self.provoking);
        let lists = runs.map(|run| topology::list(topology, run, from, to));
        let lists: Option<Vec<_>> = lists.collect();
        let list = lists.ok_or("no API says which vertex of a quad is the first")?.concat();
        let indices = self.push_indices(list.into_iter())?;
        let (primitive, points) = (topology::primitive_of(topology), PointDraw::NoQuads);
        Ok(DrawRanges { primitive, points, vertices, indices })
    }

    fn check_count(&self, count: u32) -> Result<(), Misfit> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if self.indices.len().saturating_add(count) > MAX_INDICES {
            return Err(Misfit(format!(
                "the draws of a case may have {MAX_INDICES} vertices together"
            )));
        }
        Ok(())
    }
}

/// Indices of both triangles of point `row`, whose corners are vertices 4 · row to 4 · row + 3. Both are
/// counterclockwise: points have no back face.
pub(super) fn point_corners(row: u32) -> Option<[u32; 6]> {
    let first = row.checked_mul(4)?;
    Some([0, 1, 2, 2, 1, 3].map(|corner| first | corner))
}

/// Every row repeated four times.
fn repeated(rows: &[u8], stride: usize) -> Vec<u8> {
    rows.chunks_exact(stride.max(1)).flat_map(|row| row.repeat(4)).collect()
}

fn pool_index(idx: usize) -> Result<u32, Misfit> {
    u32::try_from(idx).map_err(|_| Misfit("too many vertices".to_owned()))
}

/// Corners of a rectangle: lower left, lower right, upper left, upper right.
fn corners([x, y, width, height]: [f32; 4]) -> [[f32; 2]; 4] {
    let (right, top) = (x + width, y + height);
    [[x, y], [right, y], [x, top], [right, top]]
}

/// Converts window pixels to clip space, with piglit's rounding: in double precision up to the result.
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
fn ortho([x, y, width, height]: [f32; 4], size: [u32; 2]) -> [f32; 4] {
    let [across, up] = size.map(f64::from);
    let scale = |pixels: f32, whole: f64| 2.0 * (f64::from(pixels) / whole);
    [
        (scale(x, across) - 1.0) as f32,
        (scale(y, up) - 1.0) as f32,
        scale(width, across) as f32,
        scale(height, up) as f32,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ortho_maps_the_window_to_clip_space() {
        let check = |rect, size, expected: [f32; 4]| {
            assert_eq!(ortho(rect, size).map(f32::to_bits), expected.map(f32::to_bits));
        };
        check([0.0, 0.0, 250.0, 250.0], [250, 250], [-1.0, -1.0, 2.0, 2.0]);
        check([16.0, 32.0, 32.0, 16.0], [64, 64], [-0.5, 0.0, 1.0, 0.5]);
    }
}
