//! GL state at one step, and the uniforms that depend on it.

use crate::error::Misfit;
use case::UniformStep;
use case::depth_stencil::{CompareFunction, DepthTest, StencilChange, StencilTest};
use case::state::{Capability, Projection, Raster, RasterChange, Viewport};
use ir::interface::{ScalarKind, Type};
use ir::scalar::Number;
use link::compute::geometry::{LAYER, NO_LAYER};
use link::lower::clip_distance::{CLIP_SPACE_PLANES, ENABLES, EYE_SPACE_PLANES};
use link::lower::point::{MAX_POINT_SIZE, POINT_STATE};
use link::program::LinkedProgram;
use link::table::shell::PointSizeRule;

use super::geometry::PointDraw;
use super::matrix::Matrix;
use super::program_uniforms::ProgramUniforms;
use crate::topology::Primitive;

/// State of draws besides uniforms and buffers.
pub(super) struct GlState {
    projection: Matrix,
    /// Bit n: user clip plane n is enabled.
    clip_enables: u8,
    clip_planes: [[f32; 4]; 8],
    is_depth_tested: bool,
    depth: DepthTest,
    stencil: Switched,
    raster: Raster,
    /// The viewport; `None` for the whole of the render targets.
    pub(super) viewport: Option<Viewport>,
    is_point_size_enabled: bool,
    /// True if rasterisation is off.
    pub(super) is_rasterizer_off: bool,
    /// Layer of a draw, as returned by `link::compute::geometry::drawn_layer`; `None` without layers.
    pub(super) layer: Option<u32>,
    /// `None` until `clear depth`.
    pub(super) clear_depth: Option<f32>,
    /// `None` until `clear stencil`.
    pub(super) clear_stencil: Option<u8>,
}

/// The stencil test, which keeps its state while disabled.
struct Switched {
    is_on: bool,
    test: StencilTest,
}

impl GlState {
    pub(super) fn new() -> Self {
        Self {
            projection: Matrix::IDENTITY,
            clip_enables: 0,
            clip_planes: [[0.0; 4]; 8],
            is_depth_tested: false,
            depth: DepthTest { function: CompareFunction::Less, is_written: true },
            is_point_size_enabled: false,
            is_rasterizer_off: false,
            layer: None,
            raster: Raster::default(),
            viewport: None,
            stencil: Switched { is_on: false, test: StencilTest::INITIAL },
            clear_depth: None,
            clear_stencil: None,
        }
    }

    /// Applies `change`; `size` is that of the render targets.
    pub(super) fn apply(&mut self, change: &RasterChange, size: [u32; 2]) {
        match change {
            RasterChange::Projection(projection) => self.projection = matrix_of(*projection, size),
            RasterChange::ClipPlane { plane, coefficients } => {
                if let Some(place) = self.clip_planes.get_mut(usize::from(*plane)) {
                    *place = *coefficients;
                }
            }
            RasterChange::DepthFunction(function) => self.depth.function = *function,
            RasterChange::DepthMask(is_written) => self.depth.is_written = *is_written,
            RasterChange::ClearDepth(depth) => self.clear_depth = Some(*depth),
            RasterChange::Stencil(change) => self.apply_stencil(*change),
            RasterChange::Primitives(raster) => self.raster = *raster,
            RasterChange::Viewport(viewport) => self.viewport = *viewport,
        }
    }

    /// Enables or disables a capability.
    pub(super) fn switch(&mut self, capability: Capability, is_enabled: bool) {
        match capability {
            Capability::ClipPlane(plane) => {
                let bit = 1_u8.checked_shl(u32::from(plane)).unwrap_or(0);
                self.clip_enables =
                    if is_enabled { self.clip_enables | bit } else { self.clip_enables & !bit };
            }
            Capability::DepthTest => self.is_depth_tested = is_enabled,
            Capability::StencilTest => self.stencil.is_on = is_enabled,
            Capability::ProgramPointSize => self.is_point_size_enabled = is_enabled,
            Capability::RasterizerDiscard => self.is_rasterizer_off = is_enabled,
            // Part of the linked program.
            Capability::TwoSide => {}
        }
    }

    /// Applies a change of stencil state.
    fn apply_stencil(&mut self, change: StencilChange) {
        let test = &mut self.stencil.test;
        match change {
            StencilChange::Function { function, reference, mask } => {
                *test = StencilTest { function, reference, mask, ..*test };
            }
            StencilChange::Operations(operations) => test.operations = operations,
            StencilChange::WriteMask(mask) => test.write_mask = mask,
            StencilChange::Clear(value) => self.clear_stencil = Some(value),
        }
    }

    /// Stencil test of a draw, or `None` if disabled.
    pub(super) fn stencil_test(&self) -> Option<StencilTest> {
        self.stencil.is_on.then_some(self.stencil.test)
    }

    /// How the primitives of a draw are rasterised: points are squares of two triangles, which are neither culled,
    /// outlined nor offset.
    pub(super) fn raster(&self, primitive: Primitive, points: PointDraw) -> Raster {
        let is_polygon = primitive == Primitive::Triangles && points == PointDraw::NoQuads;
        let is_depth_clamped = self.raster.is_depth_clamped;
        if is_polygon { self.raster } else { Raster { is_depth_clamped, ..Raster::default() } }
    }

    /// Depth test of a draw, or `None` if disabled.
    pub(super) fn depth_test(&self) -> Option<DepthTest> {
        self.is_depth_tested.then_some(self.depth)
    }

    /// Writes the uniforms that `program` has.
    pub(super) fn write(
        &self,
        program: &LinkedProgram,
        buffers: &mut [Vec<u8>],
    ) -> Result<(), Misfit> {
        // Fast path: most programs have none of these uniforms, and state changes often.
        let mut uniforms = program.uniform_buffers.iter().flat_map(|buffer| &buffer.uniforms);
        if !uniforms.any(|uniform| is_determined(&uniform.name) || is_determined(&uniform.alias)) {
            return Ok(());
        }
        for (name, ty, values) in self.uniforms() {
            if ProgramUniforms::of(program).has(&name) {
                ProgramUniforms::of(program).write(buffers, &UniformStep { name, ty, values })?;
            }
        }
        Ok(())
    }

    /// Writes the uniforms of a draw: its layer, and for points the render target's `size` in pixels, and point size or
    /// no points.
    pub(super) fn write_draw(
        &self,
        program: &LinkedProgram,
        buffers: &mut [Vec<u8>],
        kind: PointDraw,
        size: [u32; 2],
    ) -> Result<(), Misfit> {
        if program.has_chain() && ProgramUniforms::of(program).has(LAYER) {
            let (name, ty) = (LAYER.to_owned(), Type::Scalar(ScalarKind::U32));
            let values = vec![Number::Integer(i128::from(self.layer.unwrap_or(NO_LAYER)))];
            ProgramUniforms::of(program).write(buffers, &UniformStep { name, ty, values })?;
        }
        let Some(rule) = program.draw.points else { return Ok(()) };
        let whole = size.map(|pixels| f64::from(pixels.max(1)));
        let size = self.viewport.map_or(whole, |viewport| viewport.size.map(f64::from));
        let [width, height] = size.map(|pixels| 1.0 / pixels);
        let counts = match rule {
            PointSizeRule::Always => true,
            PointSizeRule::WhenEnabled => self.is_point_size_enabled,
        };
        let most = if counts { f64::from(MAX_POINT_SIZE) } else { 1.0 };
        let corner_bits = match kind {
            PointDraw::Quads => 2.0,
            PointDraw::NoQuads => 0.0,
        };
        let values = [width, height, most, corner_bits].map(Number::Real).to_vec();
        let ty = Type::Vector { size: 4, scalar: ScalarKind::F32 };
        ProgramUniforms::of(program)
            .write(buffers, &UniformStep { name: POINT_STATE.to_owned(), ty, values })
    }

    /// Every uniform that depends on state: name, type and value. The modelview matrix is always the identity.
    fn uniforms(&self) -> Vec<(String, Type, Vec<Number>)> {
        let mat4 = Type::Matrix { columns: 4, rows: 4, scalar: ScalarKind::F32 };
        let mat3 = Type::Matrix { columns: 3, rows: 3, scalar: ScalarKind::F32 };
        let vec4 = Type::Vector { size: 4, scalar: ScalarKind::F32 };
        let reals = |values: &[f64]| values.iter().copied().map(Number::Real).collect::<Vec<_>>();
        let mut all = Vec::new();
        let matrices = [
            ("gl_ProjectionMatrix", self.projection),
            ("gl_ModelViewProjectionMatrix", self.projection),
            ("gl_ModelViewMatrix", Matrix::IDENTITY),
        ];
        for (name, matrix) in matrices {
            let inverse = matrix.inverted();
            let forms = [
                ("", matrix),
                ("Inverse", inverse),
                ("Transpose", matrix.transposed()),
                ("InverseTranspose", inverse.transposed()),
            ];
            for (suffix, form) in forms {
                all.push((format!("{name}{suffix}"), mat4.clone(), reals(&form.values())));
            }
        }
        let normal = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        all.push(("gl_NormalMatrix".to_owned(), mat3, reals(&normal)));
        let to_eye = self.projection.inverted();
        for (idx, plane) in self.clip_planes.iter().enumerate() {
            let plane = plane.map(f64::from);
            for name in ["gl_ClipPlane", EYE_SPACE_PLANES] {
                all.push((format!("{name}[{idx}]"), vec4.clone(), reals(&plane)));
            }
            let plane = reals(&to_eye.times_row(plane));
            all.push((format!("{CLIP_SPACE_PLANES}[{idx}]"), vec4.clone(), plane));
        }
        let enables = vec![Number::Integer(i128::from(self.clip_enables))];
        all.push((ENABLES.to_owned(), Type::Scalar(ScalarKind::U32), enables));
        all
    }
}

/// Prefixes of the names of [`GlState::uniforms`].
const DETERMINED: [&str; 7] = [
    "gl_ProjectionMatrix",
    "gl_ModelView",
    "gl_NormalMatrix",
    "gl_ClipPlane",
    EYE_SPACE_PLANES,
    CLIP_SPACE_PLANES,
    ENABLES,
];

/// True if the uniform `name` may depend on state.
fn is_determined(name: &str) -> bool {
    DETERMINED.iter().any(|start| name.starts_with(start))
}

fn matrix_of(projection: Projection, [width, height]: [u32; 2]) -> Matrix {
    match projection {
        Projection::Pixels => {
            Matrix::ortho([0.0, f64::from(width), 0.0, f64::from(height), -1.0, 1.0])
        }
        Projection::Ortho(sides) => {
            let [left, right, bottom, top] = sides.map(f64::from);
            Matrix::ortho([left, right, bottom, top, -1.0, 1.0])
        }
        Projection::Frustum(sides) => Matrix::frustum(sides.map(f64::from)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(state: &GlState, name: &str) -> Vec<Number> {
        let uniforms = state.uniforms();
        let found = uniforms.into_iter().find(|(found, _, _)| found == name);
        found.expect("the test names a uniform of state").2
    }

    #[test]
    fn every_uniform_of_state_is_known_by_its_beginning() {
        for (name, _, _) in GlState::new().uniforms() {
            assert!(is_determined(&name), "{name}");
        }
        assert!(!is_determined("gl_FrontMaterial") && !is_determined("color"));
    }

    #[test]
    fn every_plane_has_its_own_enable_bit() {
        let mut state = GlState::new();
        let mut switch = |plane, is_enabled| {
            state.switch(Capability::ClipPlane(plane), is_enabled);
            value(&state, ENABLES)
        };
        assert_eq!(switch(7, true), [Number::Integer(0x80)]);
        assert_eq!(switch(0, true), [Number::Integer(0x81)]);
        assert_eq!(switch(7, false), [Number::Integer(0x01)]);
    }

    #[test]
    fn planes_reach_clip_space_through_the_inverse_projection() {
        let mut state = GlState::new();
        // x / 2 − 1: the plane x = 4 of eye space is x = 1 of clip space.
        state.apply(&RasterChange::Projection(Projection::Pixels), [4, 4]);
        let coefficients = [1.0, 0.0, 0.0, -4.0];
        state.apply(&RasterChange::ClipPlane { plane: 2, coefficients }, [4, 4]);
        let expected = [2.0, 0.0, 0.0, -2.0].map(Number::Real);
        assert_eq!(value(&state, &format!("{CLIP_SPACE_PLANES}[2]")), expected);
        let expected = coefficients.map(|value| Number::Real(f64::from(value)));
        assert_eq!(value(&state, &format!("{EYE_SPACE_PLANES}[2]")), expected);
        assert_eq!(value(&state, "gl_ClipPlane[2]"), expected);
    }

    #[test]
    fn depth_is_only_tested_when_enabled() {
        let mut state = GlState::new();
        state.apply(&RasterChange::DepthFunction(CompareFunction::Greater), [1, 1]);
        assert_eq!(state.depth_test(), None);
        state.switch(Capability::DepthTest, true);
        assert_eq!(
            state.depth_test(),
            Some(DepthTest { function: CompareFunction::Greater, is_written: true })
        );
    }
}
