//! WGSL stages: read by naga, then given the same interface as GLSL stages.
//!
//! The user's entry point becomes an ordinary function. A new `main` without arguments and result loads the
//! arguments from private globals, calls it, and stores the result's parts into private globals. Arguments and
//! struct members without `@location` are user variables like the others: the linker places them. The varyings of
//! the case's `[varyings]` are declared for the shader as `var<private>` after its text.

mod attribute;
mod entry;
mod nesting;

use naga::{AddressSpace, Handle, Module, StorageAccess, TypeInner};

use ir::diagnostic::{CompileError, Diagnostic};
use ir::interface::{Place, ScalarKind, Type, Variable, VaryingDeclaration};
use ir::source::Span;
use ir::stage::{ShaderStage, naga_stage};
use ir::stage_module::{LanguageRules, ResourceKind, ResourceVariable, StageModule};

/// Compiles the WGSL at `text` inside `source` as `stage`, with the case's `[varyings]` declared for it.
pub fn compile(
    source: &str,
    text: Span,
    stage: ShaderStage,
    varyings: &[VaryingDeclaration],
) -> Result<StageModule, CompileError> {
    let shader = source.get(std::ops::Range::from(text)).unwrap_or("");
    nesting::check(shader, text.start)?;
    attribute::check(shader, text.start)?;
    let mut module = parse(shader, text, varyings)?;
    let entry_point = take_entry_point(&mut module, stage, text)?;
    let mut compiled = entry::turn_inside_out(module, entry_point, stage, text)?;
    add_declared(&mut compiled, varyings)?;
    compiled.resources = resources(&compiled.module, text)?;
    Ok(compiled)
}

/// Vertex stage of `[vertex shader passthrough]`: the attribute `piglit_vertex` is the position, by GL's rules.
pub fn passthrough(rules: LanguageRules) -> StageModule {
    const TEXT: &str = "@vertex fn main(piglit_vertex: vec4<f32>) -> @builtin(position) vec4<f32> { return piglit_vertex; }";
    let text = Span::new(0, TEXT.len());
    let mut stage = compile(TEXT, text, ShaderStage::Vertex, &[]).expect("the text above is right");
    stage.rules = rules;
    for input in &mut stage.inputs {
        input.span = None;
    }
    stage
}

/// Pads the text so that naga's spans are offsets into the case's source.
fn parse(
    shader: &str,
    text: Span,
    varyings: &[VaryingDeclaration],
) -> Result<Module, CompileError> {
    let mut padded = " ".repeat(text.start);
    padded.push_str(shader);
    padded.push('\n');
    for varying in varyings {
        let declaration = ["var<private> ", &varying.name, ": ", &wgsl_type(&varying.ty), ";\n"];
        padded.extend(declaration);
    }
    naga::front::wgsl::parse_str(&padded).map_err(|error| {
        let span = error.labels().find_map(|(span, _)| span.to_range());
        let span = span.map_or(text, |range| Span::new(range.start, range.end));
        let is_inside = span.start < text.end;
        let mut diagnostic =
            Diagnostic::error(if is_inside { span } else { text }, error.message());
        diagnostic.help = error.notes().next().map(str::to_owned);
        CompileError::Diagnostics(vec![diagnostic])
    })
}

fn take_entry_point(
    module: &mut Module,
    stage: ShaderStage,
    text: Span,
) -> Result<naga::EntryPoint, CompileError> {
    let wanted = naga_stage(stage);
    let mut fitting: Vec<_> =
        module.entry_points.drain(..).filter(|entry| entry.stage == wanted).collect();
    let count = fitting.len();
    match fitting.pop() {
        Some(entry) if count == 1 => Ok(entry),
        _ => {
            let word = match stage {
                ShaderStage::Vertex => "@vertex",
                ShaderStage::Fragment => "@fragment",
                // WGSL has no geometry stages; a section of one is refused before.
                ShaderStage::TessellationControl
                | ShaderStage::TessellationEvaluation
                | ShaderStage::Geometry
                | ShaderStage::Compute => "@compute",
            };
            let first_line = Span::new(text.start, text.start.saturating_add(1).min(text.end));
            let message = format!("the section must have one `{word}` function, not {count}");
            Err(CompileError::Diagnostics(vec![Diagnostic::error(first_line, message)]))
        }
    }
}

/// Adds the `[varyings]`. Those that are not members of the entry point's own interface become variables in the
/// declared globals; the others only set qualifiers of that interface.
fn add_declared(
    stage: &mut StageModule,
    varyings: &[VaryingDeclaration],
) -> Result<(), CompileError> {
    let own = match stage.stage {
        ShaderStage::Vertex => &mut stage.outputs,
        ShaderStage::Fragment => &mut stage.inputs,
        ShaderStage::TessellationControl
        | ShaderStage::TessellationEvaluation
        | ShaderStage::Geometry
        | ShaderStage::Compute => return Ok(()),
    };
    for varying in varyings {
        if let Some(variable) = own.iter_mut().find(|variable| variable.name == varying.name) {
            if variable.ty != varying.ty {
                let message = format!(
                    "`{}` is {} here but {} in the shader",
                    varying.name, varying.ty, variable.ty
                );
                return Err(CompileError::Diagnostics(vec![Diagnostic::error(
                    varying.span,
                    message,
                )]));
            }
            variable.interpolation = varying.interpolation;
            variable.sampling = varying.sampling;
            continue;
        }
        let mut globals = stage.module.global_variables.iter();
        let is_declared =
            |global: &naga::GlobalVariable| global.name.as_deref() == Some(&varying.name);
        let Some((global, _)) = globals.rfind(|(_, global)| is_declared(global)) else { continue };
        let is_used = is_mentioned(&stage.module, global);
        own.push(Variable {
            interpolation: varying.interpolation,
            sampling: varying.sampling,
            is_used,
            is_statically_used: is_used,
            place: Some(Place::whole(global)),
            span: Some(varying.span),
            ..Variable::new(&varying.name, varying.ty.clone())
        });
    }
    Ok(())
}

fn is_mentioned(module: &Module, global: Handle<naga::GlobalVariable>) -> bool {
    let is_it =
        |expression: &naga::Expression| *expression == naga::Expression::GlobalVariable(global);
    module
        .functions
        .iter()
        .any(|(_, function)| function.expressions.iter().any(|(_, expression)| is_it(expression)))
}

fn resources(module: &Module, text: Span) -> Result<Vec<ResourceVariable>, CompileError> {
    let mut found = Vec::new();
    for (handle, global) in module.global_variables.iter() {
        let span = module.global_variables.get_span(handle).to_range();
        let span = span.map_or(text, |range| Span::new(range.start, range.end));
        let kind = if let AddressSpace::Storage { access } = global.space {
            ResourceKind::StorageBuffer { is_writable: access.contains(StorageAccess::STORE) }
        } else if global.space == AddressSpace::Uniform {
            ResourceKind::UniformBuffer
        } else if global.space == AddressSpace::Handle && is_mentioned(module, handle) {
            let is_sampler = matches!(module.types[global.ty].inner, TypeInner::Sampler { .. });
            let word = if is_sampler { "sampler" } else { "texture" }.to_owned();
            return Err(CompileError::Unsupported { word, span: Some(span) });
        } else {
            continue;
        };
        found.push(ResourceVariable {
            name: global.name.clone().unwrap_or_default(),
            global: handle,
            kind,
            binding: global.binding.map(|binding| binding.binding),
            alias: String::new(),
            described: None,
            element: 0,
            layout: None,
            location: None,
            span: Some(span),
        });
    }
    Ok(found)
}

/// WGSL's name of an interface type.
fn wgsl_type(ty: &Type) -> String {
    let scalar_name = |scalar: &ScalarKind| match scalar {
        ScalarKind::F32 => "f32",
        ScalarKind::I32 => "i32",
        ScalarKind::U32 => "u32",
        ScalarKind::F64 => "f64",
        ScalarKind::I64 => "i64",
        ScalarKind::U64 => "u64",
        ScalarKind::Bool => "bool",
    };
    match ty {
        Type::Scalar(scalar) => scalar_name(scalar).to_owned(),
        Type::Vector { size, scalar } => format!("vec{size}<{}>", scalar_name(scalar)),
        Type::Matrix { columns, rows, scalar } => {
            format!("mat{columns}x{rows}<{}>", scalar_name(scalar))
        }
        Type::Array { element, length } => format!("array<{}, {length}>", wgsl_type(element)),
        Type::Struct(ty) => ty.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use ir::interface::{Interpolation, Sampling};

    use super::*;

    #[track_caller]
    fn check(stage: ShaderStage, shader: &str, varyings: &str, expected: Expect) {
        let declared: Vec<VaryingDeclaration> = fixture::notation::variables(varyings)
            .into_iter()
            .map(|variable| VaryingDeclaration {
                name: variable.name,
                ty: variable.ty,
                interpolation: variable.interpolation,
                sampling: variable.sampling,
                generic: None,
                span: Span::new(0, 0),
            })
            .collect();
        // The shader is somewhere in the middle of a case.
        let source = format!("[vertex shader wgsl]\n{shader}\n[test]\n");
        let text = Span::new(21, 21 + shader.len());
        expected.assert_eq(&match compile(&source, text, stage, &declared) {
            Ok(compiled) => summary(&compiled),
            Err(CompileError::Diagnostics(errors) | CompileError::Link(errors)) => {
                let shown = |error: &Diagnostic| {
                    let span = error.span.expect("an error has a place");
                    format!("{}: {}", &source[span.start..span.end], error.message)
                };
                errors.iter().map(shown).collect::<Vec<_>>().join("\n")
            }
            Err(CompileError::Unsupported { word, .. }) => format!("unsupported: {word}"),
        });
    }

    fn summary(stage: &StageModule) -> String {
        let line = |kind: &str, variable: &Variable| {
            let mut words = vec![kind.to_owned(), variable.ty.to_string(), variable.name.clone()];
            if variable.interpolation != Interpolation::Unqualified {
                words.push(variable.interpolation.to_string());
            }
            if variable.sampling != Sampling::Center {
                words.push(variable.sampling.to_string());
            }
            words.extend(variable.location.map(|location| format!("@{location}")));
            words.extend((!variable.is_used).then(|| "unused".to_owned()));
            words.join(" ")
        };
        let mut lines: Vec<String> = stage.inputs.iter().map(|input| line("in", input)).collect();
        lines.extend(stage.outputs.iter().map(|output| line("out", output)));
        lines.extend(
            stage
                .builtins
                .iter()
                .map(|builtin| format!("{:?} {:?}", builtin.direction, builtin.builtin)),
        );
        lines.join("\n")
    }

    #[test]
    fn members_without_location_are_user_variables() {
        check(
            ShaderStage::Vertex,
            "struct Out { @builtin(position) p: vec4f, uv: vec2f, n: array<mat2x3f, 2> }
             @vertex fn main(@location(3) a: vec4f, b: vec2i, @builtin(vertex_index) i: u32) -> Out {
                 return Out(a, vec2f(b), array<mat2x3f, 2>());
             }",
            "",
            expect![[r#"
                in vec4 a @3
                in ivec2 b
                out vec2 uv
                out mat2x3[2] n
                Input VertexIndex
                Output Position { invariant: false }"#]],
        );
    }

    #[test]
    fn declared_varyings_are_private_globals_of_the_shader() {
        check(
            ShaderStage::Fragment,
            "@fragment fn main() -> @location(0) vec4f { return vec4f(t, f32(n.x)); }",
            "flat ivec3 n; noperspective centroid vec3 t; smooth float unread",
            expect![[r#"
                in ivec3 n flat
                in vec3 t noperspective centroid
                in float unread smooth unused
                out vec4 result @0"#]],
        );
    }

    #[test]
    fn a_member_takes_its_qualifiers_from_the_declaration() {
        check(
            ShaderStage::Fragment,
            "struct In { a: vec2f, b: f32 }
             @fragment fn main(v: In) -> @location(0) vec4f { return vec4f(v.a, 0, 1); }",
            "flat vec2 a",
            expect![[r#"
                in vec2 a flat
                in float b unused
                out vec4 result @0"#]],
        );
    }

    #[test]
    fn errors_point_into_the_case() {
        check(
            ShaderStage::Vertex,
            "@vertex fn main() -> @builtin(position) vec4f { return nowhere; }",
            "",
            expect!["nowhere: no definition in scope for identifier: `nowhere`"],
        );
        check(
            ShaderStage::Fragment,
            "fn helper() {}",
            "",
            expect!["f: the section must have one `@fragment` function, not 0"],
        );
    }

    #[test]
    fn deep_nesting_is_refused_before_naga_sees_it() {
        let deep = format!(
            "@fragment fn main() {{ let x = {}1{}; }}",
            "(".repeat(50_000),
            ")".repeat(50_000)
        );
        check(
            ShaderStage::Fragment,
            &deep,
            "",
            expect!["(: nesting is deeper than interstage's limit of 120"],
        );
        let long = format!("@fragment fn main() {{ let x = 1{}; }}", "+1".repeat(50_000));
        check(
            ShaderStage::Fragment,
            &long,
            "",
            expect!["+: an expression has more operators than interstage's limit of 2000"],
        );
    }
}
