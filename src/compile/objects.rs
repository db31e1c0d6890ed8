//! Stage objects: stages that are compiled individually and linked in pairs, or in triples with a geometry stage.
//!
//! In interstage's own cases every section is an object. In piglit's files with `SSO ENABLED` all sections of a stage
//! are one program. `[vertex data]` must then name attributes by location: piglit's reader looks names up in the
//! program that it linked last, which is the fragment stage's.

use case::{Case, Dialect, ShaderSource, VertexColumn};
use ir::diagnostic::CompileError;
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

use super::{compile_stage, compile_vertex, name_order, wrong};

/// Stage objects by name; the name of an unnamed one is empty.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// Names of the vertex stages.
    pub vertex_names: Vec<String>,
    /// The vertex stages.
    pub vertex: Vec<StageModule>,
    /// Names of the geometry stages.
    pub geometry_names: Vec<String>,
    /// The geometry stages.
    pub geometry: Vec<StageModule>,
    /// Names of the fragment stages.
    pub fragment_names: Vec<String>,
    /// The fragment stages.
    pub fragment: Vec<StageModule>,
}

/// True if the stages of `case` are objects.
pub fn has_objects(case: &Case) -> bool {
    let is_named = case.shaders.iter().any(|shader| shader.name.is_some());
    is_named || case.link.is_separable
}

/// Compiles every stage object of `case` individually.
///
/// # Errors
/// If an object does not compile: the first error.
pub fn compile_objects(case: &Case) -> Result<Objects, CompileError> {
    let mut objects = Objects::default();
    for sections in objects_of(case) {
        let first = sections[0];
        let name = first.name.clone().unwrap_or_default();
        match first.stage {
            ShaderStage::Vertex => {
                let mut stage = compile_vertex(case, &sections, None)?;
                if case.dialect == Dialect::Piglit {
                    locate_attributes(case, &mut stage)?;
                }
                objects.vertex.push(stage);
                objects.vertex_names.push(name);
            }
            ShaderStage::Fragment => {
                objects.fragment.push(compile_stage(case, ShaderStage::Fragment, &sections)?);
                objects.fragment_names.push(name);
            }
            ShaderStage::Geometry => {
                objects.geometry.push(compile_stage(case, ShaderStage::Geometry, &sections)?);
                objects.geometry_names.push(name);
            }
            ShaderStage::TessellationControl | ShaderStage::TessellationEvaluation => {
                return Err(CompileError::unsupported(
                    "separable tessellation stages",
                    first.header,
                ));
            }
            ShaderStage::Compute => {
                return Err(CompileError::unsupported("separable compute stages", first.header));
            }
        }
    }
    if case.dialect == Dialect::Piglit {
        let Objects { vertex, geometry, fragment, .. } = &mut objects;
        let stages = vertex.first_mut().into_iter();
        let stages = stages.chain(geometry.first_mut()).chain(fragment.first_mut());
        let mut stages: Vec<&mut StageModule> = stages.collect();
        for first in 1..stages.len() {
            let (before, behind) = stages.split_at_mut(first);
            name_order::locate(before[first - 1], behind[0])?;
        }
    }
    Ok(objects)
}

/// Sections of every object, at least one for each.
fn objects_of(case: &Case) -> Vec<Vec<&ShaderSource>> {
    let mut objects: Vec<Vec<&ShaderSource>> = Vec::new();
    for section in &case.shaders {
        let is_same = |object: &&mut Vec<&ShaderSource>| {
            object.iter().any(|other| other.stage == section.stage && other.name == section.name)
        };
        match objects.iter_mut().find(is_same) {
            Some(object) if case.dialect == Dialect::Piglit => object.push(section),
            Some(_) | None => objects.push(vec![section]),
        }
    }
    objects
}

/// Assigns attributes the locations that piglit's reader binds them to, and checks that its vertex data refer only to
/// attributes with known locations.
fn locate_attributes(case: &Case, stage: &mut StageModule) -> Result<(), CompileError> {
    for (name, location) in [("piglit_vertex", 0), ("piglit_texcoord", 1)] {
        let is_taken = stage.inputs.iter().any(|input| input.location == Some(location));
        let own =
            stage.inputs.iter_mut().find(|input| input.name == name && input.location.is_none());
        if let Some(input) = own.filter(|_| !is_taken) {
            input.location = Some(location);
        }
    }
    let Some(data) = &case.vertex_data else { return Ok(()) };
    let is_named = |column: &&VertexColumn| column.attribute.parse::<u32>().is_err();
    if let Some(column) = data.columns.iter().find(is_named) {
        let message = format!(
            "`{}` is not a location: each stage is a program of its own, so attributes are not found by name",
            column.attribute
        );
        return Err(wrong(column.span, &message));
    }
    let open = stage.inputs.iter().find(|input| input.is_used && input.location.is_none());
    open.map_or(Ok(()), |input| {
        let word = format!("SSO with vertex data for `{}`, which has no location", input.name);
        Err(CompileError::Unsupported { word, span: input.span })
    })
}

#[cfg(test)]
mod tests {
    use case::parse::parse;

    use super::*;

    const ROW: &str = "0 0 0 1 0 0 0 1";

    /// Checks the attributes of the vertex stage with their locations, or the compile error of the objects.
    #[track_caller]
    fn check(vertex: &[&str], columns: &str, expected: &str) {
        let sections = vertex.iter().map(|text| format!("[vertex shader]\n#version 450\n{text}\n"));
        let text = format!(
            "[require]\nGLSL >= 4.50\nSSO ENABLED\n{}[fragment shader]\n#version 450\nvoid main() {{}}\n\
             [vertex data]\n{columns}\n{ROW}\n[test]\ndraw arrays GL_POINTS 0 1\nprobe all rgba 0 0 0 0\n",
            sections.collect::<String>(),
        );
        let case = parse("a.shader_test", text.as_bytes(), Dialect::Piglit).remove(0);
        let found = match compile_objects(&case.result.expect("a right file")) {
            Ok(objects) => {
                let inputs = objects.vertex.iter().flat_map(|stage| &stage.inputs);
                let inputs = inputs.map(|input| match input.location {
                    Some(location) => format!("{} {location}", input.name),
                    None => input.name.clone(),
                });
                inputs.collect::<Vec<_>>().join(", ")
            }
            Err(CompileError::Unsupported { word, .. }) => format!("unsupported: {word}"),
            Err(CompileError::Diagnostics(errors) | CompileError::Link(errors)) => {
                errors.iter().map(|error| &*error.message).collect::<Vec<_>>().join("; ")
            }
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn vertex_data_find_attributes_by_location_only() {
        let columns = "0/float/vec4 3/float/vec4";
        let located = "layout(location = 3) in vec4 q; in vec4 piglit_vertex;
                       void main() { gl_Position = piglit_vertex + q; }";
        check(&[located], columns, "q 3, piglit_vertex 0");
        let named = "`q` is not a location: each stage is a program of its own, so attributes are not found by name";
        check(&[located], "0/float/vec4 q/float/vec4", named);
        let open = "in vec4 q; void main() { gl_Position = q; }";
        let word = "unsupported: SSO with vertex data for `q`, which has no location";
        check(&[open], columns, word);
    }

    #[test]
    fn all_sections_of_a_stage_are_one_program() {
        let main =
            "layout(location = 0) in vec4 p; vec4 f(); void main() { gl_Position = p + f(); }";
        let columns = "0/float/vec4 3/float/vec4";
        check(&[main, "vec4 f() { return vec4(0.0); }"], columns, "p 0");
        check(&[main], columns, "`f` is declared but not defined");
    }
}
