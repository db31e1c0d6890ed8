//! Places in GLSL where a qualifier is allowed or not, and the program around them.

use glsl::Site;
use ir::stage::ShaderStage::{
    self, Compute, Fragment, Geometry, TessellationControl as Control,
    TessellationEvaluation as Evaluation, Vertex,
};

/// The kind of entity that is declared, where the expected treatment depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Numbers.
    Value,
    /// A boolean.
    Boolean,
    /// A sampler.
    Sampler,
    /// An image.
    Image,
    /// An atomic counter.
    Counter,
    /// A built-in variable or block that is declared again.
    Builtin,
}

/// A place in a stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) name: &'static str,
    pub(super) stages: &'static [ShaderStage],
    pub(super) site: Site,
    pub(super) kind: Kind,
    /// The declaration at global scope; `@` is the word.
    pub(super) global: &'static str,
    /// The statement in `main`; `@` is the word.
    pub(super) local: &'static str,
}

const fn global(
    name: &'static str,
    stages: &'static [ShaderStage],
    site: Site,
    global: &'static str,
) -> Place {
    Place { name, stages, site, kind: Kind::Value, global, local: "" }
}

const fn local(name: &'static str, site: Site, local: &'static str) -> Place {
    Place { name, stages: &[Fragment], site, kind: Kind::Value, global: "", local }
}

impl Place {
    const fn of(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// True if the declaration has a storage qualifier besides the word.
    pub(super) fn has_storage(&self) -> bool {
        let text = if self.global.is_empty() { self.local } else { self.global };
        let after = text.split('@').nth(1).unwrap_or_default();
        let next = after.split_whitespace().next().unwrap_or_default();
        [
            "in",
            "in;",
            "out",
            "out;",
            "uniform",
            "uniform;",
            "buffer",
            "buffer;",
            "const",
            "shared",
            "subroutine",
            "subroutine(T)",
        ]
        .contains(&next)
    }
}

const ALL: &[ShaderStage] = &[Vertex, Control, Evaluation, Geometry, Fragment, Compute];
const GIVING: &[ShaderStage] = &[Vertex, Evaluation, Geometry];
const ARRAYS: &[ShaderStage] = &[Control, Evaluation, Geometry];
const TWO: &[ShaderStage] = &[Fragment, Compute];

/// All places.
#[rustfmt::skip]
pub(super) const PLACES: &[Place] = &[
    global("input", &[Vertex, Fragment], Site::Input, "@ in float a;"),
    global("input", ARRAYS, Site::Input, "@ in float a[];"),
    global("output", &[Vertex, Evaluation, Geometry, Fragment], Site::Output, "@ out float a;"),
    global("output", &[Control], Site::Output, "@ out float a[3];"),
    global("uniform", ALL, Site::Uniform, "@ uniform float a;"),
    global("sampler", TWO, Site::Uniform, "@ uniform sampler2D a;").of(Kind::Sampler),
    global("image", TWO, Site::Uniform, "layout(r32f) @ uniform image2D a;").of(Kind::Image),
    global("counter", TWO, Site::Uniform, "layout(binding = 0) @ uniform atomic_uint a;").of(Kind::Counter),
    global("constant", &[Fragment], Site::Constant, "@ const float a = 1.0;"),
    global("variable", ALL, Site::Global, "@ float a;"),
    global("initialised variable", &[Fragment], Site::Global, "@ float a = 1.0;"),
    global("array", ARRAYS, Site::Global, "@ float a[3];"),
    global("shared variable", &[Compute], Site::Shared, "@ shared float a;"),
    global("input block", &[Fragment], Site::InputBlock, "@ in B { float a; } b;"),
    global("input block", ARRAYS, Site::InputBlock, "@ in B { float a; } b[];"),
    global("input member", &[Fragment], Site::InputMember, "in B { @ float a; } b;"),
    global("input member", ARRAYS, Site::InputMember, "in B { @ float a; } b[];"),
    global("output block", GIVING, Site::OutputBlock, "@ out B { float a; } b;"),
    global("output block", &[Control], Site::OutputBlock, "@ out B { float a; } b[3];"),
    global("output member", GIVING, Site::OutputMember, "out B { @ float a; } b;"),
    global("output member", &[Control], Site::OutputMember, "out B { @ float a; } b[3];"),
    global("uniform block", TWO, Site::UniformBlock, "@ uniform B { mat3 a; };"),
    global("uniform member", TWO, Site::UniformMember, "layout(std140) uniform B { @ mat3 a; };"),
    global("storage block", TWO, Site::StorageBlock, "@ buffer B { mat3 a; };"),
    global("storage member", TWO, Site::StorageMember, "layout(std430) buffer B { @ mat3 a; };"),
    global("block", ALL, Site::Global, "@ B { float a; };"),
    global("struct member", &[Fragment], Site::StructMember, "struct S { @ float a; };"),
    global("function", &[Fragment], Site::Function, "@ float f() { return 1.0; }"),
    global("subroutine", &[Fragment], Site::Subroutine, "subroutine float T(); @ subroutine(T) float f() { return 1.0; }"),
    global("subroutine uniform", &[Fragment], Site::SubroutineUniform,
        "subroutine float T(); subroutine(T) float f() { return 1.0; } @ subroutine uniform T a;"),
    global("parameter", &[Fragment], Site::Parameter, "float f(@ float a) { a = 2.0; return a; } float g() { float b = 1.0; return f(b) + b; }"),
    global("read parameter", &[Fragment], Site::Parameter, "float f(@ float a) { return a; }"),
    global("image parameter", &[Fragment], Site::Parameter, "void f(@ image2D a) {}").of(Kind::Image),
    global("known variable", GIVING, Site::Known, "out float a; @ a;"),
    global("known built-in", GIVING, Site::Known, "@ gl_Position;").of(Kind::Builtin),
    global("known global", &[Fragment], Site::Known, "float a; @ a;").of(Kind::Boolean),
    global("stage input", ALL, Site::StageInput, "@ in;"),
    global("stage output", &[Vertex, Control, Evaluation, Fragment, Compute], Site::StageOutput, "@ out;"),
    global("stage output", &[Geometry], Site::StageOutput, "@ out; out float a;"),
    global("stage uniform", TWO, Site::StageUniform, "@ uniform; uniform B { mat3 a; }; "),
    global("stage buffer", TWO, Site::StageBuffer, "@ buffer; buffer B { mat3 a; };"),
    global("stage shared", &[Compute], Site::StageOther, "@ shared;"),
    global("stage alone", &[Fragment, Compute], Site::StageOther, "@;"),
    global("gl_PerVertex", GIVING, Site::BuiltinBlock, "@ out gl_PerVertex { vec4 gl_Position; };").of(Kind::Builtin),
    global("member of gl_PerVertex", GIVING, Site::BuiltinMember, "out gl_PerVertex { @ vec4 gl_Position; };").of(Kind::Builtin),
    global("gl_FragCoord", &[Fragment], Site::Builtin, "@ in vec4 gl_FragCoord;").of(Kind::Builtin),
    global("gl_FragDepth", &[Fragment], Site::Builtin, "@ out float gl_FragDepth;").of(Kind::Builtin),
    local("local variable", Site::Local, "@ float a = 1.0;"),
    local("condition of a loop", Site::Local, "while (@ bool a = false) {}").of(Kind::Boolean),
    local("variable of a loop", Site::Local, "for (@ int a = 0; a < 1;) { break; }"),
    local("input statement in a function", Site::Local, "@ in;").of(Kind::Boolean),
    local("known variable in a function", Site::Local, "float a; @ a;").of(Kind::Boolean),
];

/// Declarations that a stage needs to compile.
struct Needs {
    stage: ShaderStage,
    /// Declarations, with the words that make one superfluous.
    declarations: &'static [(&'static str, &'static str)],
    code: &'static str,
}

#[rustfmt::skip]
const NEEDS: &[Needs] = &[
    Needs { stage: Vertex, declarations: &[], code: "gl_Position = vec4(0.0);" },
    Needs { stage: Control, declarations: &[("vertices", "layout(vertices = 3) out;")],
        code: "gl_out[gl_InvocationID].gl_Position = vec4(0.0);" },
    Needs { stage: Evaluation, declarations: &[("triangles quads isolines", "layout(triangles) in;")],
        code: "gl_Position = vec4(0.0);" },
    Needs { stage: Geometry, declarations: &[
        ("points lines lines_adjacency triangles triangles_adjacency", "layout(triangles) in;"),
        ("points line_strip triangle_strip", "layout(triangle_strip) out;"),
        ("max_vertices", "layout(max_vertices = 3) out;"),
    ], code: "gl_Position = vec4(0.0); EmitVertex();" },
    Needs { stage: Fragment, declarations: &[("", "layout(location = 0) out vec4 color;")], code: "color = vec4(0.0);" },
    Needs { stage: Compute,
        declarations: &[("local_size_x local_size_y local_size_z", "layout(local_size_x = 1) in;")], code: "" },
];

/// The declarations that a stage of these places needs, with the words that make one superfluous, and its code.
pub(super) fn needs(stage: ShaderStage) -> (&'static [(&'static str, &'static str)], &'static str) {
    let own = NEEDS.iter().find(|own| own.stage == stage);
    own.map_or((&[], ""), |own| (own.declarations, own.code))
}

/// The stages of a program that has this one: a vertex and a fragment stage, and its family.
pub(super) fn around(stage: ShaderStage) -> Vec<ShaderStage> {
    if stage == Compute {
        return vec![stage];
    }
    let family = |stage: ShaderStage| stage.properties().family;
    let is_in = |other: &ShaderStage| family(*other).is_none() || family(*other) == family(stage);
    ShaderStage::OF_DRAWS.iter().copied().filter(is_in).collect()
}
