//! Tests which inputs are read in place, and where.

use super::*;

use crate::program::LinkedProgram;
use crate::{LinkOptions, testing};
use ir::stage::ShaderStage;
use ir::stage_module::Stages;

const VERTEX: &str = "out vec4 a[3]; out vec3 b[2];
    void main() {
        gl_Position = vec4(0.0);
        for (int i = 0; i < 3; i++) a[i] = vec4(i);
        b[0] = b[1] = vec3(1.0);
    }";

const EVALUATION: &str = "layout(triangles) in;
    in vec4 c[];
    patch in vec2 g[2];
    uniform int u;
    void main() { gl_Position = c[0] + c[1] + c[2] + g[u].xyxy; }";

/// Links a control stage with this code between the other stages.
fn linked(control: &str) -> LinkedProgram {
    let control = format!(
        "layout(vertices = 3) out;
        in vec4 a[][3]; in vec3 b[][2]; out vec4 c[]; patch out vec2 g[2];
        void main() {{ {control} g[0] = g[1] = vec2(0.0); }}"
    );
    let texts = [
        (ShaderStage::Vertex, VERTEX),
        (ShaderStage::TessellationControl, &*control),
        (ShaderStage::TessellationEvaluation, EVALUATION),
        (ShaderStage::Fragment, "out vec4 color; void main() { color = vec4(1.0); }"),
    ];
    let stage = |(stage, text)| testing::stage(stage, &format!("#version 450\n{text}"));
    let stages = Stages::new(texts.map(stage).to_vec()).expect("stages of one program");
    crate::link(&stages, &LinkOptions::default()).expect("the program links")
}

/// True if pass `idx` of the program keeps first vectors under this name.
fn keeps(program: &LinkedProgram, idx: usize, name: &str) -> bool {
    let globals = &program.passes[idx].module.global_variables;
    globals.iter().any(|(_, global)| global.name.as_deref() == Some(name))
}

#[test]
fn an_input_with_a_variable_index_is_not_copied() {
    let program = linked("c[gl_InvocationID] = a[gl_InvocationID][1];");
    assert!(keeps(&program, 1, "first_vectors"));
    let program = linked("c[gl_InvocationID] = a[0][gl_InvocationID];");
    assert!(keeps(&program, 1, "first_vectors"));
    assert!(keeps(&program, 2, "first_vector"), "the variable of the patch");
    assert!(!keeps(&program, 2, "first_vectors"), "its other inputs have constant indices");
}

#[test]
fn an_input_with_constant_indices_is_copied() {
    let program = linked("c[gl_InvocationID] = a[1][2] + b[0][1].xyzz;");
    assert!(!keeps(&program, 1, "first_vectors"));
}

#[test]
fn barriers_of_a_control_stage_order_its_results() {
    let program = linked("c[gl_InvocationID] = a[0][1]; barrier(); c[gl_InvocationID] += c[0];");
    let module = &program.passes[1].module;
    assert!(keeps(&program, 1, "first_result"));
    let functions = module.functions.iter().map(|(_, function)| function);
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let code: Vec<_> = functions.chain(entries).map(|one| format!("{:?}", one.body)).collect();
    let code = code.concat();
    assert_eq!(code.matches("ControlBarrier(").count(), 1, "nothing is copied at the end");
    assert_eq!(code.matches("ControlBarrier(Barrier(STORAGE | WORK_GROUP))").count(), 1, "{code}");
}

/// Offset and stride of a variable of this type whose elements have these words.
fn array(ty: &str, words: &[&[u32]]) -> Option<(u32, u32)> {
    let text = format!("var<private> a: {ty};");
    let module = naga::front::wgsl::parse_str(&text).expect("valid WGSL");
    let (_, global) = module.global_variables.iter().next().expect("a variable");
    let leaves = (0..).zip(words).map(|(idx, words)| (vec![idx], words.to_vec())).collect();
    let search = Search { module: &module, leaves: &leaves };
    let (offset, layout) = search.layout(global.ty, &[])?;
    match layout.shape {
        Shape::Array { stride, .. } | Shape::Matrix { stride, .. } => Some((offset, stride)),
        Shape::Leaf | Shape::Struct(_) => None,
    }
}

#[test]
fn elements_at_equal_distances_have_a_layout() {
    assert_eq!(array("array<vec3f, 3>", &[&[2, 3, 4], &[5, 6, 7], &[8, 9, 10]]), Some((8, 12)));
    assert_eq!(array("array<f32, 2>", &[&[0], &[4]]), Some((0, 16)));
    assert_eq!(array("mat2x3f", &[&[4, 5, 6], &[8, 9, 10]]), Some((16, 16)));
}

#[test]
fn scattered_words_have_none() {
    // A component elsewhere, unequal distances, elements in another order, and an element without words.
    assert_eq!(array("array<vec3f, 2>", &[&[0, 1, 2], &[4, 6, 7]]), None);
    assert_eq!(array("array<f32, 3>", &[&[0], &[4], &[5]]), None);
    assert_eq!(array("array<f32, 2>", &[&[4], &[0]]), None);
    assert_eq!(array("array<f32, 2>", &[&[4]]), None);
    assert_eq!(array("mat2x2f", &[&[0, 1], &[5, 4]]), None);
}
