//! Compiles SPIR-V text and compares the tables of the stages, or the messages.

use expect_test::{Expect, expect};

use ir::interface::ScalarKind;
use ir::stage::ConstantName;

use super::*;

fn assembly<'a>(source: &'a str, entry: Option<&'a Spanned<String>>) -> Input<'a> {
    let form = Form::Assembly { source, text: Span::new(0, source.len()) };
    Input { form, entry, conventions: Conventions::OpenGl }
}

/// Checks the tables of a fragment stage with these decorations, declarations and code, or its errors.
#[track_caller]
fn check(decorations: &str, declarations: &str, code: &str, expected: Expect) {
    let text = format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main \"main\" %color
        OpExecutionMode %main OriginLowerLeft
        OpDecorate %color Location 0
        {decorations}
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
        %zero = OpConstant %int 0
        %two = OpConstant %int 2
        %v4 = OpTypeVector %float 4
        %pout = OpTypePointer Output %v4
        %color = OpVariable %pout Output
        {declarations}
        %main = OpFunction %void None %fn
        %label = OpLabel
        {code}
        OpReturn
        OpFunctionEnd"
    );
    expected.assert_eq(&match compile(&assembly(&text, None), ShaderStage::Fragment, &[]) {
        Ok(stage) => summary(&stage),
        Err(CompileError::Diagnostics(errors)) => messages("", &text, &errors),
        Err(CompileError::Link(errors)) => messages("link: ", &text, &errors),
        Err(CompileError::Unsupported { word, span }) => {
            format!("unsupported: {word} at `{}`", underlined(&text, span))
        }
    });
}

fn underlined(text: &str, span: Option<Span>) -> &str {
    &text[std::ops::Range::from(span.expect("an error has a place"))]
}

fn messages(prefix: &str, text: &str, errors: &[Diagnostic]) -> String {
    let shown = |error: &Diagnostic| {
        format!("{prefix}{} at `{}`", error.message, underlined(text, error.span))
    };
    errors.iter().map(shown).collect::<Vec<_>>().join("\n")
}

fn summary(stage: &StageModule) -> String {
    let used = |is_used: bool| if is_used { "" } else { " unused" };
    let mut lines: Vec<String> = Vec::new();
    for (word, list) in [("in", &stage.inputs), ("out", &stage.outputs)] {
        lines.extend(list.iter().map(|variable| {
            let ir::interface::Variable { name, ty, location, .. } = variable;
            format!("{word} {ty} {name} at {location:?}{}", used(variable.is_used))
        }));
    }
    lines.extend(stage.uniforms.iter().map(|uniform| {
        format!("uniform {} alias `{}`{}", uniform.name, uniform.alias, used(uniform.is_used))
    }));
    lines.extend(
        stage.resources.iter().map(|resource| format!("{:?} {}", resource.kind, resource.name)),
    );
    lines.join("\n")
}

#[test]
fn variables_are_known_by_their_places() {
    check(
        "OpName %block \"Block\"
        OpDecorate %in Location 3
        OpDecorate %in Component 1
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %b Binding 5
        OpDecorate %loose Location 9",
        "%pin = OpTypePointer Input %float
        %in = OpVariable %pin Input
        %block = OpTypeStruct %v4
        %count = OpConstant %int 2
        %blocks = OpTypeArray %block %count
        %pb = OpTypePointer Uniform %blocks
        %b = OpVariable %pb Uniform
        %pl = OpTypePointer UniformConstant %v4
        %loose = OpVariable %pl UniformConstant",
        "%v = OpLoad %v4 %loose
        OpStore %color %v",
        expect![[r#"
            in float location 3 component 1 at Some(3) unused
            out vec4 location 0 at Some(0)
            uniform binding 5 alias `Block[0]` unused
            uniform binding 6 alias `Block[1]` unused
            uniform location 9 alias ``"#]],
    );
}

/// Errors about decorations are reported at the decorated id, or at the mention of an unknown id.
#[test]
fn wrong_decorations_have_a_place() {
    let declared = "%pi = OpTypePointer Input %int
        %in = OpVariable %pi Input";
    let check = |decorations: &str, expected: Expect| check(decorations, declared, "", expected);
    let twice = "OpDecorate %in Location 1\nOpDecorate %in Location 2";
    check(
        twice,
        expect!["a variable has Location 1 and Location 2 at `%in = OpVariable %pi Input`"],
    );
    check(
        "OpDecorate %nothing Location 1",
        expect!["OpDecorate is of an id that nothing declares at `%nothing`"],
    );
    check(
        "OpMemberDecorate %in 0 Location 1",
        expect![
            "OpMemberDecorate is of member 0, which is not there at `%in = OpVariable %pi Input`"
        ],
    );
}

#[test]
fn members_of_no_block_have_no_interpolation_of_their_own() {
    let declared = "%struct = OpTypeStruct %v4
        %pi = OpTypePointer Input %struct
        %in = OpVariable %pi Input";
    let load = "%value = OpLoad %struct %in";
    let expected = expect![[r#"
        unsupported: the decoration Flat of a member of no block at `%in = OpVariable %pi Input`"#]];
    let own = "OpDecorate %in Location 1\nOpMemberDecorate %struct 0 Flat";
    check(own, declared, load, expected);
    let expected = expect![[r#"
        in struct location 1 at Some(1)
        out vec4 location 0 at Some(0) unused"#]];
    check(&format!("{own}\nOpDecorate %in Flat"), declared, load, expected);
}

/// 64-bit numbers begin at even components (StandaloneSpirv-Component-04923), and only scalars and vectors may have a
/// component.
#[test]
fn components_suit_their_types() {
    let check = |ty: &str, component: u32, is_right: bool| {
        let text = format!(
            "OpCapability Shader
            OpMemoryModel Logical GLSL450
            OpEntryPoint Fragment %main \"main\" %in
            OpExecutionMode %main OriginLowerLeft
            OpDecorate %in Location 1
            OpDecorate %in Component {component}
            OpDecorate %in Flat
            %void = OpTypeVoid
            %fn = OpTypeFunction %void
            %float = OpTypeFloat 32
            %double = OpTypeFloat 64
            %dvec2 = OpTypeVector %double 2
            %vec2 = OpTypeVector %float 2
            %int = OpTypeInt 32 1
            %three = OpConstant %int 3
            %pairs = OpTypeArray %vec2 %three
            %mat2 = OpTypeMatrix %vec2 2
            %pi = OpTypePointer Input %{ty}
            %in = OpVariable %pi Input
            %main = OpFunction %void None %fn
            %label = OpLabel
            OpReturn
            OpFunctionEnd"
        );
        let compiled = compile(&assembly(&text, None), ShaderStage::Fragment, &[]);
        assert_eq!(compiled.is_ok(), is_right, "{ty} at {component}: {:?}", compiled.err());
    };
    for (ty, right) in
        [("double", &[0, 2][..]), ("dvec2", &[0]), ("vec2", &[0, 1, 2]), ("pairs", &[0, 1, 2])]
    {
        for component in 0..5 {
            check(ty, component, right.contains(&component));
        }
    }
    check("mat2", 0, false);
}

#[test]
fn points_are_sets_and_bindings() {
    check(
        "OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %array ArrayStride 4
        OpDecorate %packed Block
        OpMemberDecorate %packed 0 Offset 4
        OpDecorate %a Binding 5
        OpDecorate %a DescriptorSet 0
        OpDecorate %b Binding 5
        OpDecorate %b DescriptorSet 2
        OpDecorate %c Binding 6
        OpDecorate %c DescriptorSet 1",
        "%block = OpTypeStruct %v4
        %length = OpConstant %int 3
        %array = OpTypeArray %float %length
        %packed = OpTypeStruct %array
        %pa = OpTypePointer Uniform %block
        %a = OpVariable %pa Uniform
        %b = OpVariable %pa Uniform
        %pc = OpTypePointer StorageBuffer %block
        %c = OpVariable %pc StorageBuffer
        %pd = OpTypePointer PushConstant %packed
        %pf = OpTypePointer PushConstant %float
        %d = OpVariable %pd PushConstant",
        "%at = OpAccessChain %pf %d %zero %two
        %one = OpLoad %float %at",
        expect![[r#"
            out vec4 location 0 at Some(0) unused
            uniform binding 5 alias `` unused
            uniform set 2 binding 5 alias `` unused
            uniform push constants alias ``
            StorageBuffer { is_writable: true } set 1 binding 6"#]],
    );
    check(
        "OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %b Binding 5
        OpDecorate %b DescriptorSet 256",
        "%block = OpTypeStruct %v4
        %pb = OpTypePointer Uniform %block
        %b = OpVariable %pb Uniform",
        "",
        expect![
            "unsupported: SPIR-V sets above 255 and bindings above 65534 at `%b = OpVariable %pb Uniform`"
        ],
    );
}

#[test]
fn what_is_missing_is_said_where_it_is_missing() {
    check(
        "OpName %in \"uv\"",
        "%pin = OpTypePointer Input %v4
        %in = OpVariable %pin Input",
        "",
        expect!["input `uv` has no Location at `%in = OpVariable %pin Input`"],
    );
    check(
        "OpDecorate %block Block
        OpDecorate %b Binding 5",
        "%block = OpTypeStruct %v4
        %pb = OpTypePointer Uniform %block
        %b = OpVariable %pb Uniform",
        "",
        expect![
            "link: block at binding 5: `member0` has no Offset at `%b = OpVariable %pb Uniform`"
        ],
    );
}

#[test]
fn what_cannot_be_run_is_unsupported() {
    check(
        "OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0",
        "%block = OpTypeStruct %v4
        %pb = OpTypePointer TaskPayloadWorkgroupEXT %block
        %b = OpVariable %pb TaskPayloadWorkgroupEXT",
        "",
        expect![
            "unsupported: variables of storage class TaskPayloadWorkgroupEXT at `%b = OpVariable %pb TaskPayloadWorkgroupEXT`"
        ],
    );
}

#[test]
fn a_value_for_a_constant_that_is_not_there_is_an_error_in_gl_alone() {
    let text = "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        OpExecutionMode %main LocalSize 1 1 1
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %main = OpFunction %void None %fn
        %label = OpLabel
        OpReturn
        OpFunctionEnd";
    let value = Specialization {
        stage: ShaderStage::Compute,
        constant: ConstantName::Id(3),
        kind: ScalarKind::U32,
        bits: 0,
        span: Span::new(0, 11),
    };
    let compiled_with = |conventions, value: &Specialization| {
        let input = Input { conventions, ..assembly(text, None) };
        match compile(&input, ShaderStage::Compute, std::slice::from_ref(value)) {
            Ok(_) => String::new(),
            Err(CompileError::Diagnostics(errors)) => messages("", text, &errors),
            Err(other) => format!("{other:?}"),
        }
    };
    let compiled = |conventions| compiled_with(conventions, &value);
    let message = "the module has no specialisation constant 3 at `OpCapabilit`";
    assert_eq!(compiled(Conventions::OpenGl), message);
    assert_eq!(compiled(Conventions::Vulkan), "");
    let named = Specialization { constant: ConstantName::Name("main".to_owned()), ..value.clone() };
    let message = "`main` is no number, which a constant of SPIR-V has at `OpCapabilit`";
    assert_eq!(compiled_with(Conventions::OpenGl, &named), message);
}

/// naga uses the signedness of the memory, which would change the result.
#[test]
fn atomic_minima_have_the_sign_of_the_memory() {
    let least = |op: &str, expected: Expect| {
        let code = format!("%least = {op} %int %at %one %zero %two");
        check(
            "OpDecorate %block Block
            OpMemberDecorate %block 0 Offset 0",
            "%one = OpConstant %int 1
            %block = OpTypeStruct %int
            %pb = OpTypePointer StorageBuffer %block
            %pint = OpTypePointer StorageBuffer %int
            %b = OpVariable %pb StorageBuffer",
            &format!("%at = OpAccessChain %pint %b %zero\n{code}"),
            expected,
        );
    };
    least(
        "OpAtomicUMin",
        expect![
            "unsupported: OpAtomicUMin on integers of the other sign at `%main = OpFunction %void None %fn`"
        ],
    );
    least(
        "OpAtomicSMin",
        expect![[r#"
            out vec4 location 0 at Some(0) unused
            StorageBuffer { is_writable: true } binding 0"#]],
    );
}

#[test]
fn a_stage_needs_an_entry_point_of_its_own() {
    let text = "OpCapability Shader OpMemoryModel Logical GLSL450";
    let error = compile(&assembly(text, None), ShaderStage::Vertex, &[]);
    let Err(CompileError::Diagnostics(errors)) = error else { panic!("{error:?}") };
    assert_eq!(errors[0].message, "the module has no entry point of the execution model Vertex");
}

#[test]
fn deep_nesting_and_hostile_types_are_refused() {
    let mut code = String::new();
    for depth in 0..130 {
        let lines = format!(
            "OpSelectionMerge %m{depth} None\nOpBranchConditional %true %a{depth} %m{depth}\n%a{depth} = OpLabel\n",
        );
        code.push_str(&lines);
    }
    for depth in (0..130).rev() {
        let lines = format!("OpBranch %m{depth}\n%m{depth} = OpLabel\n");
        code.push_str(&lines);
    }
    check(
        "",
        "%bool = OpTypeBool
        %true = OpConstantTrue %bool",
        &code,
        expect![
            "nesting is deeper than interstage's limit of 120 at `%main = OpFunction %void None %fn`"
        ],
    );
    let mut types = "%s0 = OpTypeStruct %v4 %v4\n".to_owned();
    for idx in 1..30 {
        let line = format!("%s{idx} = OpTypeStruct %s{0} %s{0}\n", idx - 1);
        types.push_str(&line);
    }
    types.push_str("%pin = OpTypePointer Input %s29\n%in = OpVariable %pin Input");
    check(
        "OpDecorate %in Location 1",
        &types,
        "",
        expect!["the type is nested too deeply, or too large at `%s17 = OpTypeStruct %s16 %s16`"],
    );
}

/// Checks which of two vertex entry points is compiled.
#[track_caller]
fn check_entry(names: [&str; 2], wanted: Option<&str>, expect: Result<&str, &str>) {
    let [first, second] = names;
    let text = format!(
        "OpCapability Shader OpMemoryModel Logical GLSL450
        OpEntryPoint Vertex %a \"{first}\" %x
        OpEntryPoint Vertex %b \"{second}\" %y
        OpDecorate %x Location 1 OpDecorate %y Location 2
        %void = OpTypeVoid %fn = OpTypeFunction %void
        %float = OpTypeFloat 32 %out = OpTypePointer Output %float
        %one = OpConstant %float 1
        %x = OpVariable %out Output %y = OpVariable %out Output
        %a = OpFunction %void None %fn %la = OpLabel OpStore %x %one OpReturn OpFunctionEnd
        %b = OpFunction %void None %fn %lb = OpLabel OpStore %y %one OpReturn OpFunctionEnd"
    );
    let wanted = wanted.map(|name| Spanned::new(name.to_owned(), Span::new(0, 1)));
    let compiled = compile(&assembly(&text, wanted.as_ref()), ShaderStage::Vertex, &[]);
    match (compiled, expect) {
        (Ok(stage), Ok(expect)) => {
            let used = stage.outputs.iter().filter(|output| output.is_used);
            assert_eq!(used.map(|output| output.name.clone()).collect::<Vec<_>>(), [expect]);
        }
        (Err(CompileError::Diagnostics(errors)), Err(expect)) => {
            assert_eq!(errors[0].message, expect);
        }
        (other, _) => panic!("{other:?}"),
    }
}

#[test]
fn an_entry_point_is_chosen_by_its_name() {
    check_entry(["first", "second"], Some("second"), Ok("location 2"));
    check_entry(["first", "second"], Some("first"), Ok("location 1"));
    check_entry(["first", "main"], None, Ok("location 2"));
    let message = "none of the module's 2 Vertex entry points is called `main`";
    check_entry(["first", "second"], None, Err(message));
    let message = "the module has no Vertex entry point called `third`; it has `first`, `second`";
    check_entry(["first", "second"], Some("third"), Err(message));
}

#[test]
fn no_type_contains_itself_and_no_id_has_two_meanings() {
    check(
        "",
        "%s = OpTypeStruct %v4 %s",
        "",
        expect!["the id 11 is used before it is declared at `%s = OpTypeStruct %v4 %s`"],
    );
}

/// Checks an array [2][2] of storage blocks with this code.
#[track_caller]
fn check_block_array(code: &str, expected: Expect) {
    check(
        "OpDecorate %block BufferBlock
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %b Binding 3",
        "%block = OpTypeStruct %int
        %row = OpTypeArray %block %two
        %all = OpTypeArray %row %two
        %pall = OpTypePointer Uniform %all
        %prow = OpTypePointer Uniform %row
        %pint = OpTypePointer Uniform %int
        %b = OpVariable %pall Uniform",
        code,
        expected,
    );
}

#[test]
fn a_block_that_is_chosen_at_run_time_is_read_and_written_and_nothing_else() {
    let indexed = |index: &str, rest: &str| {
        format!(
            "%zero_at = OpAccessChain %pint %b %zero %zero %zero
            %i = OpLoad %int %zero_at
            %r = OpAccessChain %prow %b {index}
            %p = OpAccessChain %pint %r %i %zero
            {rest}"
        )
    };
    check_block_array(
        &indexed("%i", "OpStore %p %i"),
        expect![[r#"
        out vec4 location 0 at Some(0) unused
        StorageBuffer { is_writable: true } binding 3
        StorageBuffer { is_writable: true } binding 4
        StorageBuffer { is_writable: true } binding 5
        StorageBuffer { is_writable: true } binding 6"#]],
    );
    check_block_array(
        &indexed("%two", "OpStore %p %i"),
        expect![
            "unsupported: an index outside an array of storage blocks at `%main = OpFunction %void None %fn`"
        ],
    );
    check_block_array(
        &indexed("%i", "%q = OpPtrAccessChain %pint %p %i"),
        expect![
            "unsupported: a pointer with a dynamic index into an array of storage blocks in OpPtrAccessChain at `%main = OpFunction %void None %fn`"
        ],
    );
    check_block_array(
        "%whole = OpLoad %all %b",
        expect![
            "unsupported: an array of storage blocks used as a whole at `%main = OpFunction %void None %fn`"
        ],
    );
    check_block_array(
        "%p = OpAccessChain %pint %b %zero %two %zero",
        expect![
            "unsupported: an index outside an array of storage blocks at `%main = OpFunction %void None %fn`"
        ],
    );
}

#[test]
fn what_cannot_be_carried_is_refused_by_name() {
    check(
        "OpExecutionMode %main PostDepthCoverage",
        "",
        "",
        expect![
            "unsupported: the execution mode PostDepthCoverage at `%main = OpFunction %void None %fn`"
        ],
    );
    check(
        "OpExecutionMode %main LocalSize 1 1 1",
        "",
        "",
        expect![
            "the execution mode LocalSize is not allowed in this stage at `%main = OpFunction %void None %fn`"
        ],
    );
    let input = "%pin = OpTypePointer Input %float
        %in = OpVariable %pin Input";
    check(
        "OpDecorate %in Location 0
        OpDecorate %in PerVertexKHR",
        input,
        "%v = OpLoad %float %in",
        expect![
            "unsupported: the decoration PerVertexKHR of an input at `%in = OpVariable %pin Input`"
        ],
    );
    // No code of this stage reads it.
    check(
        "OpDecorate %in Location 0
        OpDecorate %in PerVertexKHR",
        input,
        "",
        expect![[r#"
            in float location 0 at Some(0) unused
            out vec4 location 0 at Some(0) unused"#]],
    );
    check(
        "OpDecorate %sum FPRoundingMode RTZ",
        "%one = OpConstant %float 1",
        "%sum = OpFAdd %float %one %one",
        expect![
            "unsupported: the decoration FPRoundingMode of a value at `%sum = OpFAdd %float %one %one`"
        ],
    );
}

#[test]
fn groups_give_their_decorations_to_their_members() {
    check(
        "OpDecorate %group Location 3
        %group = OpDecorationGroup
        OpGroupDecorate %group %in
        OpDecorate %members Location 5
        %members = OpDecorationGroup
        OpGroupMemberDecorate %members %block 0
        OpDecorate %block Block",
        "%pin = OpTypePointer Input %float
        %in = OpVariable %pin Input
        %block = OpTypeStruct %float
        %pblock = OpTypePointer Input %block
        %b = OpVariable %pblock Input",
        "",
        expect![[r#"
            in float location 3 at Some(3) unused
            in float location 5 at Some(5) unused
            out vec4 location 0 at Some(0) unused"#]],
    );
}
