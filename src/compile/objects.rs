//! Stage objects: stages that are compiled individually, then linked in pairs, with tessellation and geometry stages in
//! between, or without a fragment stage.
//!
//! In interstage's own cases every section is an object. In piglit's files with `SSO ENABLED` all sections of a stage
//! are one program. `[vertex data]` must then name attributes by location, unless the vertex stage is alone: piglit's
//! reader looks names up in the program that it linked last, which is that of the last stage.

use case::gl::limit::Limits;
use case::{Case, Dialect, Setting, ShaderSource, VertexColumn};
use ir::diagnostic::CompileError;
use ir::interface::Variable;
use ir::stage::{PerStage, ShaderStage};
use ir::stage_module::{LanguageRules, StageModule};

use super::{
    asks_for_compatibility, compile_stage, compile_vertex, fixed_vertex, name_order, wrong,
};

/// Stage objects by name; the name of an unnamed one is empty.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// The names of the objects of each kind of stage.
    pub names: PerStage<Vec<String>>,
    /// The objects of each kind of stage.
    pub stages: PerStage<Vec<StageModule>>,
    /// Index of the fixed-function fragment stage among the fragment stages, if some draw needs it.
    pub fixed_fragment: Option<usize>,
}

impl Objects {
    /// Index of the fixed-function fragment stage, if it processes the fragments of a program whose last stage is
    /// `last`.
    ///
    /// In the compatibility profile it does so if no program has a fragment stage (GL 4.6 compatibility profile,
    /// chapter 16), and uses the colour that the last stage writes. The core profile has no fixed-function stage, so
    /// fragments without a colour stay undefined.
    pub fn fixed_fragment_behind(&self, last: Option<&StageModule>) -> Option<usize> {
        self.fixed_fragment.filter(|_| last.is_some_and(gives_color))
    }

    /// Adds a vertex stage if there is none: other stages link without one.
    ///
    /// Draws get the fixed-function stage, as in the compatibility profile; in the core profile they are undefined (GL
    /// 4.6, section 11.1). Without draws, the added stage passes the position through.
    ///
    /// # Errors
    /// The results of the draws are undefined.
    fn add_vertex(&mut self, case: &Case) -> Result<(), CompileError> {
        let Some(section) =
            case.shaders.first().filter(|_| self.stages[ShaderStage::Vertex].is_empty())
        else {
            return Ok(());
        };
        let others = || self.stages.values().flatten();
        let is_pair = others().all(|stage| stage.stage == ShaderStage::Fragment);
        let rules = others().map(|stage| stage.rules).next();
        let vertex = if let Some(draw) = case.draws().next() {
            let lacks = |what: String, span| {
                let word = format!("{what} without a vertex stage, which GL leaves undefined");
                CompileError::Unsupported { word, span }
            };
            let fragment = others().next().filter(|_| is_pair);
            let Some(fragment) = fragment.filter(|stage| is_compatible(case, stage)) else {
                let (line, _) = case.source.line_and_column(draw.span.start);
                return Err(lacks(format!("the draw in line {line}"), Some(draw.span)));
            };
            let is_open = |input: &&Variable| input.is_used && !input.name.starts_with("gl_");
            if let Some(input) = fragment.inputs.iter().find(is_open) {
                return Err(lacks(format!("an input `{}`", input.name), input.span));
            }
            fixed_vertex(&[section], fragment)?
        } else {
            let is_glsl = matches!(rules, Some(LanguageRules::Glsl { .. }));
            let rules = rules.filter(|_| !is_glsl).unwrap_or(LanguageRules::FixedFunction);
            wgsl::passthrough(rules)
        };
        self.add(String::new(), vertex);
        Ok(())
    }

    /// Checks that each stage has one of the kind that must follow it, such as a control stage an evaluation stage,
    /// without which nothing can be drawn. If `use` lines choose the stages, their own checks apply.
    fn check_followers(&self, case: &Case) -> Result<(), CompileError> {
        for section in &case.shaders {
            let behind = section.stage.properties().followed_by;
            if let Some(behind) = behind.filter(|stage| self.stages[*stage].is_empty()) {
                let (own, behind) = (section.stage.word(), behind.word_with_article());
                let word = format!("a separable {own} stage without {behind} stage");
                return Err(CompileError::unsupported(word, section.header));
            }
        }
        Ok(())
    }

    /// Assigns Mesa's slots to varyings between neighbouring stages if piglit's files need them.
    fn locate_by_order(&mut self) -> Result<(), CompileError> {
        let firsts = self.stages.values_mut().filter_map(|stages| stages.first_mut());
        let mut stages: Vec<&mut StageModule> = firsts.collect();
        for first in 1..stages.len() {
            let (before, behind) = stages.split_at_mut(first);
            name_order::locate(before[first - 1], behind[0])?;
        }
        Ok(())
    }

    /// Adds the fixed-function fragment stage, if a program of `case` may need it.
    fn add_fixed_fragment(&mut self, case: &Case) {
        let mut uses = case.settings().filter_map(|setting| {
            let Setting::Use(stages) = setting.value else { return None };
            Some(stages)
        });
        let lacks_fragment = match uses.next() {
            Some(first) => std::iter::once(first)
                .chain(uses)
                .any(|stages| stages.names()[ShaderStage::Fragment].is_none()),
            None => self.stages[ShaderStage::Fragment].is_empty(),
        };
        if !lacks_fragment || case.rasterised_draws().next().is_none() {
            return;
        }
        let mut all = self.stages.values().flatten();
        let producer = all.find(|own| own.stage.may_precede_raster() && gives_color(own));
        if let Some(stage) = producer.and_then(glsl::fixed_function::fragment) {
            self.fixed_fragment = Some(self.stages[ShaderStage::Fragment].len());
            // In one program the rules are those of the version; in a separable one they mark the stage as
            // fixed-function.
            let is_apart = case.link.is_separable;
            let rules = if is_apart { LanguageRules::FixedFunction } else { stage.rules };
            self.add(String::new(), StageModule { rules, ..stage });
        }
    }

    fn add(&mut self, name: String, stage: StageModule) {
        self.names[stage.stage].push(name);
        self.stages[stage.stage].push(stage);
    }
}

/// True if the stage is in the compatibility profile, according to its version or the case.
fn is_compatible(case: &Case, stage: &StageModule) -> bool {
    match stage.rules {
        LanguageRules::Glsl { version, is_es } => {
            !is_es && (version < 140 || asks_for_compatibility(case))
        }
        LanguageRules::Wgsl
        | LanguageRules::Spirv
        | LanguageRules::FixedFunction
        | LanguageRules::Vulkan => false,
    }
}

/// True if the stage writes the colour of the compatibility profile.
fn gives_color(stage: &StageModule) -> bool {
    let is_color = |output: &Variable| output.name == "gl_FrontColor" && output.is_used;
    matches!(stage.rules, LanguageRules::Glsl { is_es: false, .. })
        && stage.outputs.iter().any(is_color)
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
pub fn compile_objects(case: &Case, limits: &Limits) -> Result<Objects, CompileError> {
    let mut objects = Objects::default();
    for sections in objects_of(case) {
        let first = sections[0];
        let name = first.name.clone().unwrap_or_default();
        if first.stage == ShaderStage::Compute {
            return Err(CompileError::unsupported("separable compute stages", first.header));
        }
        let stage = if first.stage == ShaderStage::Vertex {
            let mut stage = compile_vertex(case, limits, &sections, None)?;
            if case.dialect == Dialect::Piglit {
                locate_attributes(case, &mut stage)?;
            }
            stage
        } else {
            compile_stage(case, limits, first.stage, &sections)?
        };
        objects.add(name, stage);
    }
    objects.check_followers(case)?;
    if case.dialect == Dialect::Piglit {
        objects.locate_by_order()?;
    }
    objects.add_vertex(case)?;
    objects.add_fixed_fragment(case);
    Ok(objects)
}

/// Compiles every stage of `case` individually, without any requirement on the other stages.
///
/// # Errors
/// If a stage does not compile: the first error.
pub fn compile_alone(case: &Case, limits: &Limits) -> Result<(), CompileError> {
    let mut stages: Vec<Vec<&ShaderSource>> = Vec::new();
    for section in &case.shaders {
        let own = |other: &ShaderSource| other.stage == section.stage && other.name == section.name;
        match stages.iter_mut().find(|stage| stage.iter().any(|other| own(other))) {
            Some(stage) => stage.push(section),
            None => stages.push(vec![section]),
        }
    }
    for sections in stages {
        let stage = sections[0].stage;
        if stage == ShaderStage::Vertex {
            compile_vertex(case, limits, &sections, None)?;
        } else {
            compile_stage(case, limits, stage, &sections)?;
        }
    }
    Ok(())
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

/// Assigns the attributes the locations that piglit's reader binds them to, and checks that its vertex data refer only
/// to attributes with known locations.
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
    let is_alone = case.last_stage() == ShaderStage::Vertex;
    if is_alone && data.columns.iter().all(|column| is_named(&column)) {
        return Ok(());
    }
    if let Some(column) = data.columns.iter().find(is_named).filter(|_| !is_alone) {
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
        let found =
            match compile_objects(&case.result.expect("a right file"), &Limits::guaranteed(&[])) {
                Ok(objects) => {
                    let vertex = &objects.stages[ShaderStage::Vertex];
                    let inputs = vertex.iter().flat_map(|stage| &stage.inputs);
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

    /// Checks the names of the vertex and fragment stages that a case with these sections gets, or the error.
    #[track_caller]
    fn check_alone(dialect: Dialect, sections: &str, steps: &str, expected: &str) {
        let link = match dialect {
            Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan => "[link]\nseparable\n",
            Dialect::Piglit => "",
        };
        let sso = if dialect == Dialect::Piglit { "SSO ENABLED\n" } else { "" };
        let text = format!(
            "[require]\nGLSL >= 4.50\n{sso}{sections}\n{link}[test]\n{steps}\nlink success\n"
        );
        let case = parse("a.shader_test", text.as_bytes(), dialect).remove(0);
        let found =
            match compile_objects(&case.result.expect("a right file"), &Limits::guaranteed(&[])) {
                Ok(Objects { stages, fixed_fragment, .. }) => {
                    let is_fixed =
                        |stage: &StageModule| stage.rules == LanguageRules::FixedFunction;
                    let counts = [ShaderStage::Vertex, ShaderStage::Fragment].map(|stage| {
                        let stages = &stages[stage];
                        format!(
                            "{}/{}",
                            stages.iter().filter(|stage| is_fixed(stage)).count(),
                            stages.len()
                        )
                    });
                    format!("{} {fixed_fragment:?}", counts.join(" "))
                }
                Err(CompileError::Unsupported { word, .. }) => word,
                Err(error) => format!("{error:?}"),
            };
        assert_eq!(found, expected);
    }

    /// The numbers count fixed-function stages among all vertex stages and among all fragment stages.
    #[test]
    fn fixed_function_stages_are_the_compatibility_profiles() {
        let check = |sections: &str, steps: &str, expected: &str| {
            check_alone(Dialect::Interstage, sections, steps, expected);
        };
        let draw = "draw rect -1 -1 2 2\nprobe all rgba 1 1 1 1";
        let capture =
            "xfb buffer object 0 4\nxfb draw arrays points 0 1\nprobe xfb buffer float 0 0 0";
        let color = "gl_FrontColor = vec4(1.0);";
        let vertex = |version: &str, body: &str| {
            format!(
                "[vertex shader]\n#version {version}\nvoid main() {{ gl_Position = vec4(0.0); {body} }}"
            )
        };
        check(&vertex("120", color), draw, "0/1 1/1 Some(0)");
        check(&vertex("150 compatibility", color), draw, "0/1 1/1 Some(0)");
        check(&vertex("120", ""), draw, "0/1 0/0 None");
        check(&vertex("450", ""), draw, "0/1 0/0 None");
        let rows = format!("{}\n[vertex data]\na/float/float\n0", vertex("120", color));
        check(&rows, capture, "0/1 0/0 None");
        let fragment = |version: &str, input: &str| {
            format!("[fragment shader]\n#version {version}\n{input}\nvoid main() {{}}")
        };
        check(&fragment("120", ""), draw, "1/1 0/1 None");
        let lacking = "the draw in line 10 without a vertex stage, which GL leaves undefined";
        check(&fragment("450", ""), draw, lacking);
        check(&fragment("450", ""), "", "1/1 0/1 None");
        let reading =
            "[fragment shader]\n#version 120\nvarying vec4 a;\nvoid main() { gl_FragColor = a; }";
        let input = "an input `a` without a vertex stage, which GL leaves undefined";
        check(reading, draw, input);
        let geometry = "[geometry shader]\n#version 150\nlayout(points) in;\n\
                        layout(points, max_vertices = 1) out;\nvoid main() {}";
        let lacking = "the draw in line 11 without a vertex stage, which GL leaves undefined";
        check(geometry, draw, lacking);
        check(geometry, "", "1/1 0/0 None");
    }

    #[test]
    fn tessellation_stages_compile_without_a_vertex_stage() {
        let check = |sections: &str, steps: &str, expected: &str| {
            check_alone(Dialect::Interstage, sections, steps, expected);
        };
        let control = "[tessellation control shader]\n#version 450\nlayout(vertices = 3) out;\n\
                       void main() {}";
        let evaluation = "[tessellation evaluation shader]\n#version 450\nlayout(quads) in;\n\
                          void main() {}";
        check(evaluation, "", "1/1 0/0 None");
        check(&format!("{control}\n{evaluation}"), "", "1/1 0/0 None");
        check(control, "", "a separable control stage without an evaluation stage");
        let draw = "draw rect patch -1 -1 2 2\nprobe all rgba 1 1 1 1";
        let lacking = "the draw in line 10 without a vertex stage, which GL leaves undefined";
        check(evaluation, draw, lacking);
    }

    #[test]
    fn attributes_of_a_vertex_stage_alone_have_names() {
        let vertex = "[vertex shader]\n#version 450\nin vec4 q;\nvoid main() { gl_Position = q; }";
        let data = |columns: &str| format!("{vertex}\n[vertex data]\n{columns}\n{ROW}");
        let draw = "draw arrays GL_POINTS 0 1\nprobe all rgba 1 1 1 1";
        let check = |columns: &str, expected: &str| {
            check_alone(Dialect::Piglit, &data(columns), draw, expected);
        };
        check("q/float/vec4 a/float/vec4", "0/1 0/0 None");
        let word = "SSO with vertex data for `q`, which has no location";
        check("0/float/vec4 q/float/vec4", word);
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
