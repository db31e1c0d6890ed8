//! Buffers, uniforms, textures and overrides of a program, as lines of its case.

use std::fmt::Write as _;

use case::limits::{MAX_BINDING, MAX_BUFFER_BYTES};
use ir::vulkan;
use naga::back::PipelineConstants;
use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::valid::GlobalUse;
use naga::{
    AddressSpace, EntryPoint, GlobalVariable, Handle, ScalarKind, ShaderStage, StorageAccess,
};

use crate::file::{File, Targets};
use crate::{inputs, texture};

/// Inputs and outputs of a program, as lines of a case.
#[derive(Default)]
pub(super) struct Lines {
    /// Render targets of the program.
    pub(super) targets: Targets,
    pub(super) commands: String,
    pub(super) expectations: String,
    /// True if the program writes something that is compared.
    pub(super) writes: bool,
    /// True if the program reads what it writes, so the order of invocations may matter.
    pub(super) updates: bool,
    /// Binding points in use, and their variables.
    points: Vec<(String, Handle<GlobalVariable>)>,
    /// Number of uniform values so far.
    values: usize,
}

impl Lines {
    /// True if nothing that the program writes is compared.
    pub(super) fn shows_nothing(&self) -> bool {
        !self.writes && self.targets.is_empty()
    }
}

impl File<'_> {
    /// Takes the binding point of a resource, which no other variable of the program may have.
    fn take_point(
        &self,
        handle: Handle<GlobalVariable>,
        lines: &mut Lines,
    ) -> Result<String, String> {
        let Some(own) = self.module.global_variables[handle].binding else {
            return Err("resources without a binding".to_owned());
        };
        let naga::ResourceBinding { group, binding } = own;
        if group > vulkan::MAX_SET || binding > MAX_BINDING {
            return Err(format!(
                "groups above {} and bindings above {MAX_BINDING}",
                vulkan::MAX_SET
            ));
        }
        let point = vulkan::shown(vulkan::point(group, binding));
        if let Some((_, first)) = lines.points.iter().find(|(taken, _)| *taken == point) {
            let [first, second] = [*first, handle].map(|handle| self.placed(handle));
            return Err(format!(
                "resources that two stages declare at one binding: {first} and {second}"
            ));
        }
        lines.points.push((point.clone(), handle));
        Ok(point)
    }

    /// A variable with the line and column of its declaration.
    fn placed(&self, handle: Handle<GlobalVariable>) -> String {
        let name = self.module.global_variables[handle].name.as_deref().unwrap_or_default();
        let at = self.module.global_variables.get_span(handle).location(self.source);
        format!("`{name}` in {}:{}", at.line_number, at.line_position)
    }

    /// Rejects an entry point that uses an override without a value, which a pipeline would have to provide.
    fn check_overrides(&self, index: usize) -> Result<(), String> {
        let EntryPoint { stage, name, .. } = &self.module.entry_points[index];
        let wanted = Some((*stage, name.as_str()));
        let mut constants = PipelineConstants::default();
        for (_, own) in self.module.overrides.iter() {
            if let Some(value) = self.settings.value_of(own.id, own.name.as_deref()) {
                let key = own.id.map(|id| id.to_string()).or_else(|| own.name.clone());
                constants.insert(key.unwrap_or_default(), value.number());
            }
        }
        match process_overrides(self.module, self.info, wanted, &constants) {
            Err(PipelineConstantError::MissingValue(name)) => {
                Err(format!("overrides without a value, such as `{name}`"))
            }
            // The case reports any other error.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Sections with the values of overrides for the stages of these entry points.
    pub(super) fn specializations(&self, entries: &[usize]) -> String {
        let mut lines = String::new();
        for (_, own) in self.module.overrides.iter() {
            let Some(value) = self.settings.value_of(own.id, own.name.as_deref()) else { continue };
            let kind = self.module.types[own.ty].inner.scalar_kind();
            let (ty, value) = match kind {
                Some(ScalarKind::Bool) => ("bool", u8::from(value.number() != 0.0).to_string()),
                Some(ScalarKind::Sint) => ("int", value.number().to_string()),
                Some(ScalarKind::Uint) => ("uint", value.number().to_string()),
                _ => ("float", value.number().to_string()),
            };
            let id = own.id.map(|id| id.to_string()).or_else(|| own.name.clone());
            let _ = writeln!(lines, "{ty} {} {value}", id.unwrap_or_default());
        }
        let mut text = String::new();
        for index in entries.iter().filter(|_| !lines.is_empty()) {
            let stage = match self.module.entry_points[*index].stage {
                ShaderStage::Vertex => "vertex",
                ShaderStage::Fragment => "fragment",
                _ => "compute",
            };
            let _ = write!(text, "[{stage} shader specializations]\n{lines}\n");
        }
        text
    }

    /// Commands for the buffers and uniforms that entry points use, and expectations of what they write.
    pub(super) fn add_resources(&self, entries: &[usize], lines: &mut Lines) -> Result<(), String> {
        entries.iter().try_for_each(|entry| self.check_overrides(*entry))?;
        for (handle, variable) in self.module.global_variables.iter() {
            let used = entries.iter().map(|entry| self.info.get_entry_point(*entry)[handle]);
            let used = used.fold(GlobalUse::empty(), |all, one| all | one);
            if used.is_empty() {
                continue;
            }
            match variable.space {
                AddressSpace::Storage { access } => {
                    self.add_buffer(handle, access, used, lines)?;
                }
                AddressSpace::Uniform => {
                    let point = self.take_point(handle, lines)?;
                    self.add_uniform(handle, &point, lines)?;
                }
                AddressSpace::Immediate => self.add_uniform(handle, "immediates", lines)?,
                AddressSpace::Handle => {
                    let point = self.take_point(handle, lines)?;
                    let inner = &self.module.types[variable.ty].inner;
                    lines.commands += &texture::commands(&point, inner)?;
                    if texture::is_written(inner) {
                        lines.writes = true;
                        let _ = writeln!(lines.expectations, "compare oracle texture {point}");
                    }
                }
                AddressSpace::Function | AddressSpace::Private | AddressSpace::WorkGroup => {}
                _ => return Err(format!("variables of {:?}", variable.space)),
            }
        }
        Ok(())
    }

    fn add_buffer(
        &self,
        handle: Handle<GlobalVariable>,
        access: StorageAccess,
        used: GlobalUse,
        lines: &mut Lines,
    ) -> Result<(), String> {
        let point = self.take_point(handle, lines)?;
        let elements = self.settings.elements(&point).unwrap_or(inputs::ELEMENTS);
        let ty = self.module.global_variables[handle].ty;
        let (size, leaves) =
            inputs::leaves(self.module, ty, elements).ok_or("buffers of this type")?;
        self.check_size(handle, size)?;
        let values = self.settings.values(&point);
        if used.contains(GlobalUse::READ) || !values.is_empty() {
            let first = inputs::first_number(lines.points.len());
            lines.commands += &inputs::fill(&point, size, &leaves, first, values);
        } else {
            lines.commands += &inputs::unset(&point, size as usize);
        }
        lines.writes |= used.contains(GlobalUse::WRITE);
        lines.updates |= used.contains(GlobalUse::READ | GlobalUse::WRITE);
        if access.contains(StorageAccess::STORE) {
            let _ = writeln!(lines.expectations, "compare oracle ssbo {point}");
        }
        Ok(())
    }

    /// Commands for the uniform buffer, or the immediates, at `point`.
    fn add_uniform(
        &self,
        handle: Handle<GlobalVariable>,
        point: &str,
        lines: &mut Lines,
    ) -> Result<(), String> {
        let variable = &self.module.global_variables[handle];
        let (size, _) = inputs::leaves(self.module, variable.ty, inputs::ELEMENTS)
            .ok_or("uniforms of this type")?;
        self.check_size(handle, size)?;
        let name = variable.name.as_deref().unwrap_or_default();
        let values = self.settings.values(point);
        let set = inputs::uniforms(self.module, name, variable.ty, &mut lines.values, values);
        lines.commands += &set.ok_or("uniforms of this type")?;
        Ok(())
    }

    /// Rejects a buffer that is too large for a case.
    fn check_size(&self, handle: Handle<GlobalVariable>, size: u32) -> Result<(), String> {
        if size > MAX_BUFFER_BYTES {
            let variable = self.placed(handle);
            return Err(format!(
                "buffers of more than {} MiB, such as {variable}",
                MAX_BUFFER_BYTES >> 20
            ));
        }
        Ok(())
    }
}
