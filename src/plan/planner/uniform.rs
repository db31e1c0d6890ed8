//! Plans `uniform` steps, and the binding points of uniform blocks if each stage is a program.
//!
//! A program has its own loose uniforms and its own blocks. Each block has a *binding point*, where all programs share
//! one buffer, each through its own members. In interstage's cases the block declares the point; a block without one
//! has its own buffer. In piglit's files piglit's reader assigns the points: it assigns buffers and the points from 0
//! on to the blocks of the program that it linked last, which is that of the last stage, and leaves those of other
//! programs as declared.

use super::program_uniforms::BlockPlace;
use super::program_uniforms::ProgramUniforms;
use super::program_uniforms::{is_of, write_in_block};
use crate::error::Misfit;
use case::UniformStep;
use case::{Dialect, ShaderSource};
use ir::interface::{ScalarKind, Type};
use ir::stage::ShaderStage;
use link::resource::uniform::RAW_UNIFORM_GROUP;
use link::table::binding::{OpaqueBinding, UniformBuffer};

use super::Planner;

impl Planner<'_> {
    pub(super) fn set_uniform(&mut self, uniform: &UniformStep) -> Result<(), Misfit> {
        let stage = self.active_stage;
        let is_location = uniform.name.starts_with(|first: char| first.is_ascii_digit());
        let is_piglit = self.case.dialect == Dialect::Piglit;
        let is_library = self.case.dialect == Dialect::ShaderLibrary;
        if is_library && !ProgramUniforms::of(self.program).has(&uniform.name) {
            // GL ignores values for uniforms that the program lacks.
            return Ok(());
        }
        if is_piglit && self.case.link.is_separable {
            if !is_location && self.program.reflection.has_names {
                return self.set_member_as_piglit(uniform);
            }
            // GL's errors are ignored.
            if is_location && !self.is_taken_by_gl(uniform) {
                return Ok(());
            }
        }
        let is_unit = self.set_unit(uniform)?;
        // The other stage, a separate program, may have an ordinary uniform with the same name.
        let is_alone = !self.case.link.is_separable || stage.is_some();
        if is_unit && (is_alone || !ProgramUniforms::of(self.program).has(&uniform.name)) {
            return Ok(());
        }
        let is_label = !is_piglit || !self.program.reflection.has_names;
        if self.block.binding.is_some() && is_label && !is_location {
            ProgramUniforms::of(self.program).write_at(&mut self.uniforms, &self.block, uniform)?;
        } else {
            self.write_named(stage, uniform)?;
        }
        self.share_points();
        Ok(())
    }

    fn write_named(
        &mut self,
        stage: Option<ShaderStage>,
        uniform: &UniformStep,
    ) -> Result<(), Misfit> {
        let name = ProgramUniforms::of(self.program).name_in_block_array(
            stage,
            &uniform.name,
            self.block.element,
        );
        let named = name.map(|name| UniformStep { name, ..uniform.clone() });
        let uniform = named.as_ref().unwrap_or(uniform);
        if self.case.dialect != Dialect::Piglit {
            ProgramUniforms::of(self.program).check_type(stage, uniform)?;
        }
        ProgramUniforms::of(self.program).write_of(stage, &mut self.uniforms, uniform)
    }

    /// Sets a block member of the program that piglit's reader linked last. piglit looks up names outside blocks in the
    /// program that is used without a pipeline, and there is none.
    fn set_member_as_piglit(&mut self, uniform: &UniformStep) -> Result<(), Misfit> {
        let last = &self.program.reflection;
        let is_in_block = |name: &str| {
            let array = format!("{name}[0]");
            let base = name.rsplit_once('[').map_or(name, |(base, _)| base);
            let element = format!("{base}[0]");
            let is_it = |known: &str| known == name || known == array || known == element;
            last.uniforms.iter().any(|uniform| uniform.block.is_some() && is_it(&uniform.name))
        };
        if let Some((point, size, place)) = self.unused_place(uniform) {
            let there = self.points.entry(point).or_default();
            there.resize(there.len().max(size), 0);
            write_in_block(there, &place, uniform)?;
            self.load_points();
            return Ok(());
        }
        if !is_in_block(&uniform.name) {
            return Err(Misfit(format!(
                "`{}` is no location and in no block of the last stage, and each stage is a program",
                uniform.name
            )));
        }
        self.write_named(Some(self.case.last_stage()), uniform)?;
        self.share_points();
        Ok(())
    }

    /// True if GL accepts the value for the uniform at this location of the active program.
    fn is_taken_by_gl(&self, uniform: &UniformStep) -> bool {
        let Some(stage) = self.active_stage else { return false };
        let location: Option<u32> = uniform.name.parse().ok();
        let is_unit = |opaque: &OpaqueBinding| {
            opaque.location.is_some()
                && opaque.location == location
                && is_of(opaque.owner, Some(stage))
        };
        if self.program.opaques.iter().any(is_unit) {
            return uniform.ty == Type::Scalar(ScalarKind::I32);
        }
        ProgramUniforms::of(self.program).check_type(Some(stage), uniform).is_ok()
    }

    /// Place of a member of a block that the last program declares but does not use: the binding point, the block's
    /// size, and the place in the block.
    fn unused_place(&self, uniform: &UniformStep) -> Option<(u32, usize, BlockPlace)> {
        // GL removes packed blocks that are not used, and does not find their members.
        let text = |shader: &ShaderSource| self.case.source.slice(shader.text).contains("packed");
        if self.case.shaders.iter().any(text) {
            return None;
        }
        let last = &self.program.reflection;
        let (base, index) = match uniform.name.rsplit_once('[') {
            Some((base, index)) => (base, index.strip_suffix(']')?.parse().ok()?),
            None => (&*uniform.name, 0_u32),
        };
        let is_it = |known: &str| known == base || known.strip_suffix("[0]") == Some(base);
        let variable = last
            .uniforms
            .iter()
            .find(|variable| variable.block.is_some() && is_it(&variable.name))?;
        let first = variable.block?;
        let at = first.checked_add(usize::try_from(self.block.element).ok()?)?;
        let block = last.uniform_blocks.get(at).filter(|block| block.first_of_array == first)?;
        let is_own = |buffer: &UniformBuffer| {
            buffer.owner == Some(self.case.last_stage()) && buffer.name == block.name
        };
        if self.program.uniform_buffers.iter().any(is_own) {
            return None;
        }
        let place = variable.place?;
        let offset = index.checked_mul(place.array_stride)?.checked_add(place.offset)?;
        let (matrix_stride, is_row_major) = (place.matrix_stride, place.is_row_major);
        let place = BlockPlace { offset, matrix_stride, is_row_major, ..BlockPlace::default() };
        Some((u32::try_from(at).ok()?, usize::try_from(block.size).ok()?, place))
    }

    /// Uniform buffers of the current program that have a binding point, and the point.
    fn pointed(&self) -> Vec<(usize, u32)> {
        let all = self.program.uniform_buffers.iter().enumerate();
        all.filter_map(|(at, buffer)| Some((at, self.point_of(buffer)?))).collect()
    }

    fn point_of(&self, buffer: &UniformBuffer) -> Option<u32> {
        let owner = buffer.owner?;
        if buffer.name.is_empty() || buffer.at.group != RAW_UNIFORM_GROUP {
            return None;
        }
        match (self.case.dialect, owner) {
            (Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan, _) => {
                buffer.case_binding
            }
            (Dialect::Piglit, owner) if owner != self.case.last_stage() => {
                Some(buffer.case_binding.unwrap_or(0))
            }
            (Dialect::Piglit, _) => {
                let last = &self.program.reflection;
                if !last.has_names {
                    return buffer.case_binding;
                }
                let index =
                    last.uniform_blocks.iter().position(|block| block.name == buffer.name)?;
                u32::try_from(index).ok()
            }
        }
    }

    /// Copies new values from each block to all others at its binding point.
    fn share_points(&mut self) {
        let pointed = self.pointed();
        let before = self.points.clone();
        for (at, point) in &pointed {
            let Some(bytes) = self.uniforms.get(*at) else { continue };
            let old = before.get(point).map_or(&[][..], Vec::as_slice);
            let new = self.points.entry(*point).or_default();
            new.resize(new.len().max(bytes.len()), 0);
            let old = old.iter().chain(std::iter::repeat(&0));
            for ((byte, old), new) in bytes.iter().zip(old).zip(new) {
                if byte != old {
                    *new = *byte;
                }
            }
        }
        self.load_points();
    }

    /// Updates all blocks from their binding points.
    pub(super) fn load_points(&mut self) {
        for (at, point) in self.pointed() {
            let there = self.points.get(&point).map_or(&[][..], Vec::as_slice);
            let there = there.iter().chain(std::iter::repeat(&0));
            if let Some(bytes) = self.uniforms.get_mut(at) {
                bytes.iter_mut().zip(there).for_each(|(byte, there)| *byte = *there);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use prepare::{AdapterRules, Linking};

    use crate::plan;
    use crate::topology::ProvokingVertex;
    use case::Dialect;
    use case::parse::parse;
    use check::verdict::Verdict;
    use ir::profile::Profile;

    /// Draws a piglit file whose stages are programs and declare `vertex` and `fragment`, with all members named by a
    /// letter and added up. Returns the contents of the blocks, or the error.
    fn drawn(vertex: &str, fragment: &str, steps: &str) -> String {
        let sum = |text: &str| {
            let members = text.split("vec4 ").skip(1).filter_map(|member| member.chars().next());
            members.flat_map(|name| [' ', '+', ' ', name]).collect::<String>()
        };
        let text = format!(
            "[require]\nGLSL >= 4.50\nSSO ENABLED\n\
             [vertex shader]\n{vertex}\nvoid main() {{ gl_Position = vec4(0.0){}; }}\n\
             [fragment shader]\n{fragment}\nout vec4 color;\nvoid main() {{ color = vec4(0.0){}; }}\n\
             [test]\n{steps}\ndraw rect -1 -1 2 2\nprobe all rgba 0 0 0 0\n",
            sum(vertex),
            sum(fragment),
        );
        let case = parse("a.shader_test", text.as_bytes(), Dialect::Piglit).remove(0);
        let case = case.result.expect("a right file");
        let Ok(compiled) = prepare::compile(&case) else { return "does not compile".to_owned() };
        let linked = match compiled.link(&case, AdapterRules::default(), Profile::Webgpu) {
            Ok(Linking::Done(linked)) => linked,
            Ok(Linking::Failed(error)) => panic!("{error}"),
            Err(Verdict::Unsupported(word)) => return format!("unsupported: {word}"),
            Err(verdict) => panic!("{verdict:?}"),
        };
        let plan = match plan(&case, &linked, ProvokingVertex::Last) {
            Ok(plan) => plan,
            Err(error) => return error.to_string(),
        };
        let buffers = linked.programs[0].uniform_buffers.iter().zip(&plan.bindings[0].uniforms);
        let shown =
            buffers.filter(|(buffer, _)| !buffer.name.is_empty()).map(|(buffer, content)| {
                let numbers = plan.uniform_contents[*content].chunks_exact(4);
                let numbers = numbers
                    .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
                let numbers: Vec<_> = numbers.map(|number| number.to_string()).collect();
                format!("{} {}", buffer.name, numbers.join(" "))
            });
        shown.collect::<Vec<_>>().join(", ")
    }

    #[track_caller]
    fn check(vertex: &str, fragment: &str, steps: &str, expected: &str) {
        assert_eq!(drawn(vertex, fragment, steps), expected);
    }

    /// As in piglit's `shader_runner`, whose `prog` is the program that it linked last.
    #[test]
    fn piglit_knows_the_blocks_of_the_last_program_by_name() {
        let block = "uniform B { vec4 b; };";
        check("", block, "uniform vec4 b 1 2 3 4", "B 1 2 3 4");
        let unused = "uniform F { vec2 e; mat2 f[2]; };";
        let steps = "uniform mat2 f[1] 1 2 3 4";
        let seen = "V 0 0 0 0 0 0 0 0 0 0 0 0 1 2 0 0 3 4 0 0";
        check("layout(std140) uniform V { vec4 a, b, c, d, e; };", unused, steps, seen);
        let packed = "layout(packed) uniform F { vec2 e; };";
        let expected = "uniform `e` is not used by the program, which has no uniforms";
        check("", packed, "uniform vec2 e 1 2", expected);
        let nobody =
            "`b` is no location and in no block of the last stage, and each stage is a program";
        check(block, "", "uniform vec4 b 1 2 3 4", nobody);
        check(block, "", "active shader program GL_VERTEX_SHADER\nuniform vec4 b 1 2 3 4", nobody);
        check("", "uniform vec4 b; uniform C { vec4 c; };", "uniform vec4 b 1 2 3 4", nobody);
    }

    #[test]
    fn piglit_binds_the_blocks_of_the_last_program_from_0_on() {
        let fragment = "layout(binding = 5) uniform F { vec4 f; };";
        let steps = "uniform vec4 f 1 2 3 4";
        check("uniform V { vec4 v; };", fragment, steps, "V 1 2 3 4, F 1 2 3 4");
        let smaller = "layout(std140, binding = 0) uniform V { vec4 v; vec4 w; };";
        check(smaller, fragment, steps, "V 1 2 3 4 0 0 0 0, F 1 2 3 4");
        let elsewhere = "layout(binding = 5) uniform V { vec4 v; };";
        check(elsewhere, fragment, steps, "V 0 0 0 0, F 1 2 3 4");
    }

    /// Mesa orders blocks by a hash of their names.
    #[test]
    fn which_of_several_blocks_is_bound_where_is_unknown() {
        let fragment = "uniform F { vec4 f; }; uniform G { vec4 g; };";
        let steps = "uniform vec4 f 1 2 3 4\nuniform vec4 g 5 6 7 8";
        let word = "unsupported: SSO where `V` is bound to one of several blocks of the last stage";
        check("layout(binding = 1) uniform V { vec4 v; };", fragment, steps, word);
        let elsewhere = "layout(binding = 2) uniform V { vec4 v; };";
        check(elsewhere, fragment, steps, "V 0 0 0 0, F 1 2 3 4, G 5 6 7 8");
    }
}
