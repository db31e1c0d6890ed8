//! Plans draws: their uniforms, their state, and the operations before them.

use crate::error::Misfit;
use case::UniformStep;
use case::state::Viewport;
use case::{Draw, DrawShape, RESTART_INDEX, Topology};
use ir::interface::{ScalarKind, Type};
use ir::scalar::Number;
use ir::stage_module::TRIANGLES_PER_PRIMITIVE;
use link::lower::draw_parameters::{BASE_INSTANCE, BASE_VERTEX};
use link::program::{LinkedProgram, LinkedStages};
use link::table::binding::{ImageAccess, OpaqueBinding, OpaqueKind, StorageBuffer};

use super::Planner;
use super::geometry::{self, DrawRanges, Instances};
use super::geometry_stage::Rasterizer;
use super::program_uniforms::ProgramUniforms;
use crate::operation::DrawSetup;
use crate::operation::Operation;
use crate::operation::PlannedDraw;
use crate::pass::PassVertices;

fn viewport_bits(viewport: Viewport) -> [u32; 6] {
    let Viewport { position: [x, y], size: [width, height], depths: [least, greatest] } = viewport;
    [x, y, width, height, least, greatest].map(f32::to_bits)
}

impl Planner<'_> {
    pub(super) fn draw(&mut self, idx: usize, draw: &Draw) -> Result<(), Misfit> {
        if matches!(self.program.stages, LinkedStages::Compute(_)) {
            return Err("a draw needs a vertex stage, and the program has none".into());
        }
        let program = self.program;
        if program.has_chain() {
            let rasterizer =
                if self.state.is_rasterizer_off { Rasterizer::Off } else { Rasterizer::On };
            return self.geometry_draw(idx, draw, rasterizer);
        }
        if self.capture.is_active() {
            self.captured_draw(idx, draw)?;
        }
        if self.capture.is_paused() {
            self.uncaptured_draw(draw)?;
        }
        if self.state.is_rasterizer_off && !writes_before_rasterizer(program) {
            return Ok(());
        }
        self.write_draw_parameters(draw)?;
        let source = self.row_source(draw)?;
        let shape = self.geometry.add(draw, source)?;
        self.fill_rows(draw, &shape.vertices, shape.points)?;
        let size = self.render_size();
        self.state.write_draw(self.program, &mut self.uniforms, shape.points, size)?;
        let bindings = self.bind()?;
        let instances = Instances { count: draw.instances, first: self.first_instance(draw) };
        self.push_draw(idx, shape, instances, bindings)
    }

    /// First instance of a draw as the vertex stage counts: GLSL's instance id does not include it.
    pub(super) const fn first_instance(&self, draw: &Draw) -> u32 {
        if self.program.draw.counts_first_instance { draw.first_instance } else { 0 }
    }

    /// Plans the draw of a list, and the culling before it.
    pub(super) fn push_draw(
        &mut self,
        idx: usize,
        shape: DrawRanges,
        all: Instances,
        bindings: usize,
    ) -> Result<(), Misfit> {
        let Instances { count: instances, first: first_instance } = all;
        let is_discarded = self.state.is_rasterizer_off;
        let is_tested = self.has_depth() && !is_discarded;
        let depth = self.state.depth_test().filter(|_| is_tested);
        let stencil = self.state.stencil_test().filter(|_| is_tested);
        if shape.indices.is_empty() || instances == 0 {
            return Ok(());
        }
        let (attachments, outputs) = self.output_setup()?;
        let vertices = PassVertices {
            rows: shape.vertices.clone(),
            indices: shape.indices.clone(),
            instances,
            first_instance,
        };
        let first_kept = self.cull(idx, &shape, &vertices, bindings)?;
        self.plan.operations.push(Operation::Draw(PlannedDraw {
            setup: DrawSetup {
                program: self.current,
                to: self.render_to,
                attachments,
                outputs,
                primitive: shape.primitive,
                depth,
                stencil,
                raster: self.state.raster(shape.primitive, shape.points),
                is_discarded,
            },
            vertices: shape.vertices,
            indices: shape.indices,
            instances,
            first_instance,
            bindings,
            viewport: self.state.viewport.map(viewport_bits),
            blend_color: self.outputs.blend_color.map(f32::to_bits),
            first_kept,
            step: idx,
        }));
        if is_discarded {
            return Ok(());
        }
        self.forget_depth();
        for buffer in &self.program.draw.written_targets {
            if let Some(target) = self.outputs.target_of(*buffer) {
                self.forget_target(target);
            }
        }
        Ok(())
    }

    /// Writes uniforms that depend on the draw.
    pub(super) fn write_draw_parameters(&mut self, draw: &Draw) -> Result<(), Misfit> {
        self.write_bases(draw)?;
        self.write_triangles(&draw.shape)
    }

    /// Writes `gl_BaseVertex` and `gl_BaseInstance`, if the program has them.
    fn write_bases(&mut self, draw: &Draw) -> Result<(), Misfit> {
        let bases = [
            (BASE_VERTEX, i128::from(draw.base_vertex)),
            (BASE_INSTANCE, i128::from(draw.first_instance)),
        ];
        for (name, base) in
            bases.into_iter().filter(|(name, _)| ProgramUniforms::of(self.program).has(name))
        {
            // SPIR-V may declare them as unsigned.
            for (scalar, base) in [(ScalarKind::I32, base), (ScalarKind::U32, base & 0xffff_ffff)] {
                let (name, ty) = (name.to_owned(), Type::Scalar(scalar));
                let step = UniformStep { name, ty, values: vec![Number::Integer(base)] };
                if ProgramUniforms::of(self.program).check_type(None, &step).is_ok() {
                    ProgramUniforms::of(self.program).write(&mut self.uniforms, &step)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the number of triangles per primitive, if the program has `gl_PrimitiveID`.
    fn write_triangles(&mut self, shape: &DrawShape) -> Result<(), Misfit> {
        let name = TRIANGLES_PER_PRIMITIVE.to_owned();
        if !ProgramUniforms::of(self.program).has(&name) {
            return Ok(());
        }
        if self.program.has_chain() {
            let (ty, values) = (Type::Scalar(ScalarKind::I32), vec![Number::Integer(1)]);
            return ProgramUniforms::of(self.program)
                .write(&mut self.uniforms, &UniformStep { name, ty, values });
        }
        let is_polygon = matches!(shape, DrawShape::Indexed { topology: Topology::Polygon, .. });
        if is_polygon && self.case.indices.contains(&RESTART_INDEX) {
            return Err(
                "`gl_PrimitiveID` is not known where `restart` makes several polygons".into()
            );
        }
        let ty = Type::Scalar(ScalarKind::I32);
        let captured = self.geometry.captured.unwrap_or(0);
        let values = vec![Number::Integer(geometry::triangles_per_primitive(shape, captured))];
        ProgramUniforms::of(self.program)
            .write(&mut self.uniforms, &UniformStep { name, ty, values })
    }
}

/// True if the vertex stage may write buffers or images: discarding primitives later does not undo these writes (OpenGL
/// 4.6 core section 14.1).
fn writes_before_rasterizer(program: &LinkedProgram) -> bool {
    let is_written = |buffer: &StorageBuffer| buffer.is_writable && buffer.stages.vertex;
    let is_stored = |opaque: &OpaqueBinding| {
        let is_image = |access| access != ImageAccess::Read;
        opaque.stages.vertex
            && matches!(opaque.kind, OpaqueKind::Image { access, .. } if is_image(access))
    };
    program.storage_buffers.iter().any(is_written) || program.opaques.iter().any(is_stored)
}
