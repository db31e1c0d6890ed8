//! WGSL stages: read by naga, then given the same interface as GLSL stages.
//!
//! The user's entry point becomes an ordinary function. A new `main` without arguments and result loads the arguments
//! from private globals, calls it, and stores the result's parts into private globals. Arguments and struct members
//! without `@location` are ordinary user variables, which the linker places. The varyings of the case's `[varyings]`
//! are declared for the shader as `var<private>` after its text.

mod attribute;
mod carried;
mod checked;
mod dialect;
mod entry;
mod nesting;
mod overrides;
mod resources;
pub mod token;

pub use entry::is_member_used;

use naga::{GlobalVariable, Handle, Module};

use ir::diagnostic::{CompileError, Diagnostic};
use ir::interface::{
    Interpolation, Place, Sampling, ScalarKind, Type, Variable, VaryingDeclaration,
};
use ir::source::{Span, Spanned};
use ir::stage::{Execution, ShaderStage, Specialization, naga_stage};
use ir::stage_module::{LanguageRules, StageModule};

use checked::{Places, error_at};

/// A WGSL stage of a case.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The text of the whole case.
    pub source: &'a str,
    /// Position of the WGSL in the text of the case.
    pub text: Span,
    /// The stage.
    pub stage: ShaderStage,
    /// The name of the entry point. The default is the only entry point of the stage, or the one called `main`.
    pub entry: Option<&'a Spanned<String>>,
    /// The case's `[varyings]`, which are declared for the shader.
    pub varyings: &'a [VaryingDeclaration],
    /// Values for the overrides of the module.
    pub values: &'a [Specialization],
}

impl<'a> Input<'a> {
    /// A stage whose text is all of `source`, without varyings and override values.
    pub const fn whole(source: &'a str, stage: ShaderStage) -> Self {
        let text = Span::new(0, source.len());
        Self { source, text, stage, entry: None, varyings: &[], values: &[] }
    }
}

/// Compiles a stage.
///
/// # Errors
/// naga cannot parse the text, its validator rejects the module as it is written, there is no such entry point, the
/// values do not fit the overrides, or a part of the module is unsupported.
pub fn compile(input: &Input<'_>) -> Result<StageModule, CompileError> {
    let Input { source, text, stage, varyings, .. } = *input;
    let places = Places { source, text };
    let shader = source.get(std::ops::Range::from(text)).unwrap_or("");
    nesting::check(shader, text.start)?;
    attribute::check(shader, text.start)?;
    let module = parse(shader, text, varyings)?;
    let chosen = choose(&module, input)?;
    let Chosen { module, entry, used } = resolve(module, chosen, input)?;
    let mut compiled = entry::turn_inside_out(module, entry, stage, places)?;
    add_declared(&mut compiled, varyings)?;
    compiled.resources = resources::resources(&compiled.module, &used, places)?;
    Ok(compiled)
}

/// Vertex stage of `[vertex shader passthrough]`: it copies the attribute `piglit_vertex` to the position, by GL's
/// rules.
pub fn passthrough(rules: LanguageRules) -> StageModule {
    const TEXT: &str = "@vertex fn main(piglit_vertex: vec4<f32>) -> @builtin(position) vec4<f32> { return piglit_vertex; }";
    let input = Input::whole(TEXT, ShaderStage::Vertex);
    let mut stage = compile(&input).expect("the text above is right");
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
        // A comment without an end goes on through what follows the text.
        let span = span.map_or(text, |range| Span::new(range.start, range.end.min(text.end)));
        let is_inside = span.start < text.end;
        let mut diagnostic =
            Diagnostic::error(if is_inside { span } else { text }, error.message());
        diagnostic.help = error.notes().next().map(str::to_owned);
        CompileError::Diagnostics(vec![diagnostic])
    })
}

/// The index of the stage's entry point.
fn choose(module: &Module, input: &Input<'_>) -> Result<usize, CompileError> {
    // Sections of stages that WGSL lacks are rejected earlier.
    let word = match input.stage.properties().runs_as {
        Execution::Vertex => "@vertex",
        Execution::Fragment => "@fragment",
        Execution::Compute => "@compute",
    };
    let wanted = naga_stage(input.stage);
    let all = module.entry_points.iter().enumerate();
    let fitting: Vec<_> = all.filter(|(_, entry)| entry.stage == wanted).collect();
    let called =
        |name: &str| fitting.iter().find(|(_, entry)| entry.name == name).map(|(index, _)| *index);
    if let Some(name) = input.entry {
        let missing = || {
            let message = format!("the shader has no `{word}` function called `{}`", name.value);
            error_at(name.span, message)
        };
        return called(&name.value).ok_or_else(missing);
    }
    let only = if let [(index, _)] = fitting[..] { Some(index) } else { called("main") };
    only.ok_or_else(|| {
        let Span { start, end } = input.text;
        let first_letter = Span::new(start, start.saturating_add(1).min(end));
        let count = fitting.len();
        let message = match count {
            0 => format!("the section must have a `{word}` function"),
            _ => format!("none of the {count} `{word}` functions is called `main`"),
        };
        error_at(first_letter, message)
    })
}

/// A valid module without overrides and entry points, and the entry point of the stage, which was taken out of it.
struct Chosen {
    module: Module,
    entry: naga::EntryPoint,
    /// The variables that the entry point uses.
    used: Vec<Handle<GlobalVariable>>,
}

/// Validates the module as it is written, resolves its overrides, and takes the entry point at `chosen` out of it.
fn resolve(module: Module, chosen: usize, input: &Input<'_>) -> Result<Chosen, CompileError> {
    let Input { source, text, varyings, values, .. } = *input;
    let places = Places { source, text };
    let own: Vec<_> = varyings.iter().filter_map(|own| declared(&module, own)).collect();
    let mut complete = module.clone();
    let mut stand_ins = dialect::complete(&mut complete, &own);
    let info = checked::validate(&complete, places)?;
    carried::check(&complete, &info, chosen, places)?;
    if module.overrides.is_empty() && values.is_empty() {
        let used = used(&module, info.get_entry_point(chosen));
        let mut module = module;
        let entry = module.entry_points.swap_remove(chosen);
        module.entry_points.clear();
        return Ok(Chosen { module, entry, used });
    }
    let (mut module, info) = overrides::resolve(&complete, &info, chosen, values, places)?;
    let used = used(&module, info.get_entry_point(0));
    let entry = match stand_ins.swap_remove(chosen) {
        Some(stand_in) => stand_in.undo(&mut module),
        None => module.entry_points.pop(),
    };
    let entry = entry.expect("naga keeps the entry point that it is asked for");
    Ok(Chosen { module, entry, used })
}

fn used(module: &Module, info: &naga::valid::FunctionInfo) -> Vec<Handle<GlobalVariable>> {
    let all = module.global_variables.iter().map(|(handle, _)| handle);
    all.filter(|handle| !info[*handle].is_empty()).collect()
}

/// Adds the `[varyings]`. Those that are not members of the entry point's own interface become variables in the
/// declared globals; the others only set qualifiers of that interface.
fn add_declared(
    stage: &mut StageModule,
    varyings: &[VaryingDeclaration],
) -> Result<(), CompileError> {
    let own = match stage.stage.properties().runs_as {
        Execution::Vertex => &mut stage.outputs,
        Execution::Fragment => &mut stage.inputs,
        Execution::Compute => return Ok(()),
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
            qualify(variable, varying)?;
            continue;
        }
        let Some(global) = declared(&stage.module, varying) else { continue };
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

/// Applies the qualifiers of a line of `[varyings]`. A variable with a location has qualifiers of its own: a line
/// without qualifiers keeps them, and a line with different ones is an error.
fn qualify(variable: &mut Variable, varying: &VaryingDeclaration) -> Result<(), CompileError> {
    let given = (varying.interpolation, varying.sampling);
    if variable.location.is_some() {
        let is_plain = given == (Interpolation::Unqualified, Sampling::Center);
        if is_plain || given == (variable.interpolation, variable.sampling) {
            return Ok(());
        }
        let message = format!("`{}` has other attributes in the shader", varying.name);
        let error = Diagnostic::error(varying.span, message);
        return Err(CompileError::Diagnostics(vec![error.with_help(
            "a variable with `@location` takes its interpolation from `@interpolate`",
        )]));
    }
    (variable.interpolation, variable.sampling) = given;
    Ok(())
}

/// The variable that is declared for a line of `[varyings]`.
fn declared(module: &Module, varying: &VaryingDeclaration) -> Option<Handle<GlobalVariable>> {
    let mut globals = module.global_variables.iter();
    let is_it = |global: &GlobalVariable| global.name.as_deref() == Some(&varying.name);
    globals.rfind(|(_, global)| is_it(global)).map(|(handle, _)| handle)
}

fn is_mentioned(module: &Module, global: Handle<naga::GlobalVariable>) -> bool {
    let is_it =
        |expression: &naga::Expression| *expression == naga::Expression::GlobalVariable(global);
    module
        .functions
        .iter()
        .any(|(_, function)| function.expressions.iter().any(|(_, expression)| is_it(expression)))
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
        let input =
            Input { source: &source, text, stage, entry: None, varyings: &declared, values: &[] };
        expected.assert_eq(&match compile(&input) {
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
            expect!["f: the section must have a `@fragment` function"],
        );
    }

    /// naga's place of a comment without an end went on behind the text, and nothing could be shown.
    #[test]
    fn an_error_about_a_comment_without_an_end_is_in_the_text() {
        check(
            ShaderStage::Fragment,
            "const a = /* no end",
            "vec3 n",
            expect![[
                r#"/* no end: expected expression, found "/* no end\nvar<private> n: vec3<f32>;\n""#
            ]],
        );
    }

    /// Errors about an argument or a member are reported at its declaration, even if something else has the same type
    /// or name.
    #[test]
    fn errors_about_inputs_and_outputs_are_at_their_declaration() {
        let places = [
            "fn other(v: bool) {} @fragment fn main(a: f32, v: bool) {}",
            "struct A { v: bool } struct In { a: f32, /* v: */ v: bool } @fragment fn main(i: In) {}",
        ];
        for (text, expected) in places.into_iter().zip([47, 50]) {
            let input = Input::whole(text, ShaderStage::Fragment);
            let Err(CompileError::Diagnostics(errors)) = compile(&input) else { panic!("{text}") };
            assert_eq!(errors[0].span, Some(Span::new(expected, expected + 1)), "{text}");
        }
        let expected = expect!["v: `v` has booleans, which no input or output of a stage has"];
        check(ShaderStage::Fragment, places[0], "", expected);
        let result = "@fragment fn main() -> bool { return true; }";
        let expected =
            expect!["main: `result` has booleans, which no input or output of a stage has"];
        check(ShaderStage::Fragment, result, "", expected);
    }

    /// Sets every part of a module that is carried to an unusual value, and checks that it reaches the stage. One
    /// module has an override, so naga rebuilds it; the other has none.
    #[test]
    fn every_part_of_a_module_reaches_the_stage() {
        const TEXT: &str = "enable f16;
            diagnostic(off, derivative_uniformity);
            override width: u32 = 3;
            const odd: vec3<f16> = vec3<f16>(1.5h);
            struct Odd { @align(32) first: f32, @size(48) second: vec2<i32>, rest: array<atomic<u32>> }
            @group(7) @binding(11) var<storage, read_write> buffer: Odd;
            @group(9) @binding(2) var<uniform> block: vec4<f32>;
            var<private> start: vec2<u32> = vec2<u32>(5, 6);
            var<workgroup> kept: array<u32, 4>;
            @compute @workgroup_size(SIZE, 2, 5)
            fn main(@builtin(num_workgroups) groups: vec3<u32>) {
                let halves = frexp(f32(odd.x) + block.y);
                kept[1] = start.y + groups.z;
                buffer.second = vec2<i32>(halves.exp);
                atomicAdd(&buffer.rest[2], kept[1]);
            }";
        for size in ["width", "3"] {
            let source = TEXT.replace("SIZE", size);
            let input = Input::whole(&source, ShaderStage::Compute);
            let compiled = compile(&input).expect("a stage");
            assert_eq!(compiled.workgroup_size, [3, 2, 5]);
            let module = &compiled.module;
            let shown: Vec<_> = module
                .global_variables
                .iter()
                .filter_map(|(_, own)| {
                    let GlobalVariable { name, space, binding, ty, init, memory_decorations } = own;
                    let name = name.as_deref().filter(|name| !name.starts_with("interstage"))?;
                    let place = binding.map(|at| (at.group, at.binding));
                    let size = module.types[*ty].inner.size(module.to_ctx());
                    assert!(memory_decorations.is_empty());
                    Some(format!("{name} {space:?} {place:?} {size} {}", init.is_some()))
                })
                .collect();
            expect![[r#"
                buffer Storage { access: StorageAccess(LOAD | STORE) } Some((7, 11)) 64 false
                block Uniform Some((9, 2)) 16 false
                start Private None 8 true
                kept WorkGroup None 16 false"#]]
            .assert_eq(&shown.join("\n"));
            let resources = compiled.resources.iter();
            let resources: Vec<_> = resources
                .map(|own| format!("{} = {} {:?}", own.alias, own.name, own.binding))
                .collect();
            let expected = [
                "buffer = @group(7) @binding(11) Some(458763)",
                "block = @group(9) @binding(2) Some(589826)",
            ];
            assert_eq!(resources, expected);
            assert_eq!(module.diagnostic_filters.len(), 1);
            assert!(module.diagnostic_filter_leaf.is_some());
            assert_eq!(module.special_types.predeclared_types.len(), 1);
            assert!(module.overrides.is_empty());
            assert!(module.constants.iter().any(|(_, own)| own.name.as_deref() == Some("odd")));
        }
    }

    /// WGSL has no notation for memory decorations, so the test changes the module after naga's reader.
    #[test]
    fn decorations_of_memory_are_carried() {
        const TEXT: &str = "@group(0) @binding(0) var<storage, read_write> own: u32;
            override unused: u32 = 1;
            @compute @workgroup_size(unused) fn main() { own = 1; }";
        let mut module = naga::front::wgsl::parse_str(TEXT).expect("right WGSL");
        let decorations = naga::MemoryDecorations::all();
        for (_, global) in module.global_variables.iter_mut() {
            global.memory_decorations = decorations;
        }
        let input = Input::whole(TEXT, ShaderStage::Compute);
        let chosen = resolve(module, 0, &input).expect("a stage");
        let mut globals = chosen.module.global_variables.iter();
        assert!(globals.all(|(_, global)| global.memory_decorations == decorations));
        assert_eq!(chosen.used.len(), 1);
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

    #[test]
    fn comments_are_no_nesting() {
        for comment in ["/* /* */ ( */\n", "/*/ ( */\n", "// (\n"] {
            let text = format!("@fragment fn main() {{ {} }}", comment.repeat(200));
            let compiled = compile(&Input::whole(&text, ShaderStage::Fragment));
            assert!(compiled.is_ok(), "{comment}: {compiled:?}");
        }
    }

    /// Only operators that naga nests count towards the limit; the items of a list do not.
    #[test]
    fn long_lists_are_no_deep_nesting() {
        let text = format!(
            "const all = array({}0);\n@fragment fn main() {{ let x = all[1]; }}",
            "0,".repeat(5000)
        );
        let input = Input::whole(&text, ShaderStage::Fragment);
        assert!(compile(&input).is_ok(), "5,001 items are a list");
    }
}
