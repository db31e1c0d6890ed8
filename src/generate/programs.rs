//! Random programs of a vertex and a fragment stage, compared with the oracle: arithmetic, branches, switches, loops, dynamic
//! indices, nested calls, parameters that a function changes, derivatives, clip distances, and varyings of every type that
//! the language has.
//!
//! A program has no undefined behaviour by construction: every variable is initialised, indices are masked, loops are
//! bounded, and nothing is divided.

mod random;
mod spirv;
mod text;
mod tree;

/// The language of the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GLSL 4.50.
    Glsl,
    /// WGSL.
    Wgsl,
    /// SPIR-V assembly.
    Spirv,
}

/// Text of the case for `seed`.
pub fn case(seed: u64, language: Language) -> String {
    let program = random::program(seed, language);
    let (word, require) = match language {
        Language::Glsl => ("", "GLSL >= 4.50\n"),
        Language::Wgsl => (" wgsl", ""),
        Language::Spirv => (" spirv", ""),
    };
    let feature = if program.clip_distances > 0 { "feature CLIP_DISTANCES\n" } else { "" };
    let name = match language {
        Language::Glsl => "glsl",
        Language::Wgsl => "wgsl",
        Language::Spirv => "spirv",
    };
    let planes: Vec<_> = (0..program.clip_distances)
        .map(|number| format!("enable GL_CLIP_PLANE{number}\n"))
        .collect();
    let stage = |is_vertex| match language {
        Language::Glsl => text::stage(&program, is_vertex, false),
        Language::Wgsl => text::stage(&program, is_vertex, true),
        Language::Spirv => spirv::stage(&program, is_vertex),
    };
    let (float, int) = program.uniforms;
    let uniforms = match language {
        Language::Glsl | Language::Wgsl => {
            format!("uniform float u0 {float}\nuniform int u1 {int}\n")
        }
        Language::Spirv => format!(
            "block binding 0\nblock offset 0\nuniform float c {float}\nblock offset 4\nuniform int c {int}\n"
        ),
    };
    format!(
        "# A random program: `interstage generate programs --language {name} --seed {seed}`.\n\n[require]\n{require}{feature}size 8 8\n\n\
         [vertex shader{word}]\n{}\n[fragment shader{word}]\n{}\n\
         [render targets]\n0 rgba32float\n\n[test]\n{}{uniforms}draw rect -1 -1 2 2\ncompare oracle\n",
        stage(true),
        stage(false),
        planes.concat(),
    )
}
