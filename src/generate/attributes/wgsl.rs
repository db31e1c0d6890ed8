//! Programs about the attributes and directives of WGSL, as naga knows them.

use super::{Attribute, Expected, Language};

use Expected::{Carried, NoEffect, Refused};

/// A place: its name, and the sections with `$` where the attribute stands.
struct Place {
    name: &'static str,
    vertex: &'static str,
    fragment: &'static str,
}

const VERTEX: &str = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(0.0); }";
const FRAGMENT: &str = "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }";

const fn in_vertex(name: &'static str, vertex: &'static str) -> Place {
    Place { name, vertex, fragment: FRAGMENT }
}

const fn in_fragment(name: &'static str, fragment: &'static str) -> Place {
    Place { name, vertex: VERTEX, fragment }
}

const fn in_compute(name: &'static str, text: &'static str) -> Place {
    Place { name, vertex: "", fragment: text }
}

#[rustfmt::skip]
const PLACES: &[Place] = &[
    in_vertex("vertex entry point", "$ @vertex fn main() -> @builtin(position) vec4f { return vec4f(0.0); }"),
    in_vertex("position", "@vertex fn main() -> $ @builtin(position) vec4f { return vec4f(0.0); }"),
    Place {
        name: "vertex output",
        vertex: "struct Out { @builtin(position) p: vec4f, $ @location(0) a: vec2f }\n\
            @vertex fn main() -> Out { return Out(vec4f(0.0), vec2f(0.0)); }",
        fragment: FRAGMENT,
    },
    in_fragment("fragment entry point", "$ @fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }"),
    in_fragment("fragment input", "@fragment fn main($ @location(0) a: vec2f) -> @location(0) vec4f { return vec4f(a, a); }"),
    in_fragment("fragment output", "@fragment fn main() -> $ @location(0) vec4f { return vec4f(1.0); }"),
    in_fragment("output member", "struct Out { @location(0) a: vec4f, $ @location(1) b: vec4f }\n\
        @fragment fn main() -> Out { return Out(vec4f(1.0), vec4f(0.5)); }"),
    in_fragment("second of two sources", "enable dual_source_blending;\nstruct Out { @location(0) @blend_src(0) a: vec4f, @location(0) $ b: vec4f }\n\
        @fragment fn main() -> Out { return Out(vec4f(1.0), vec4f(0.5)); }"),
    in_fragment("function", "$ fn f() -> f32 { return 1.0; } @fragment fn main() -> @location(0) vec4f { return vec4f(f()); }"),
    in_fragment("parameter", "fn f($ a: f32) -> f32 { return a; } @fragment fn main() -> @location(0) vec4f { return vec4f(f(1.0)); }"),
    in_fragment("member", "struct B { a: f32, $ b: f32, c: f32 } @group(0) @binding(0) var<uniform> u: B;\n\
        @fragment fn main() -> @location(0) vec4f { return vec4f(u.c); }"),
    in_fragment("uniform", "$ @group(0) @binding(0) var<uniform> u: f32; @fragment fn main() -> @location(0) vec4f { return vec4f(u); }"),
    in_fragment("unbound uniform", "@group(0) $ var<uniform> u: f32; @fragment fn main() -> @location(0) vec4f { return vec4f(u); }"),
    in_fragment("ungrouped uniform", "@binding(3) $ var<uniform> u: f32; @fragment fn main() -> @location(0) vec4f { return vec4f(u); }"),
    in_fragment("storage buffer", "$ @group(0) @binding(0) var<storage, read_write> u: f32;\n\
        @fragment fn main() -> @location(0) vec4f { return vec4f(u); }"),
    in_fragment("private variable", "$ var<private> p: f32; @fragment fn main() -> @location(0) vec4f { return vec4f(p); }"),
    in_fragment("override", "$ override o: f32 = 1.0; @fragment fn main() -> @location(0) vec4f { return vec4f(o); }"),
    in_fragment("constant", "$ const c: f32 = 1.0; @fragment fn main() -> @location(0) vec4f { return vec4f(c); }"),
    in_fragment("alias", "$ alias T = f32; @fragment fn main() -> @location(0) vec4f { return vec4f(T(1.0)); }"),
    in_fragment("struct", "$ struct S { a: f32 } @fragment fn main() -> @location(0) vec4f { return vec4f(S(1.0).a); }"),
    in_fragment("local variable", "@fragment fn main() -> @location(0) vec4f { $ var a = 1.0; return vec4f(a); }"),
    in_fragment("block of code", "@fragment fn main() -> @location(0) vec4f { $ { return vec4f(1.0); } }"),
    in_fragment("if", "@fragment fn main() -> @location(0) vec4f { $ if true { return vec4f(1.0); } return vec4f(0.5); }"),
    in_compute("compute entry point", "@group(0) @binding(0) var<storage, read_write> u: u32;\n@compute $ fn main() { u = 1u; }"),
    in_compute("size of a workgroup", "override n: u32 = 2u; @group(0) @binding(0) var<storage, read_write> u: u32;\n@compute $ fn main() { u = n; }"),
];

/// The attributes, with a value that is none of the defaults.
const ATTRIBUTES: [&str; 30] = [
    "@align(16)",
    "@binding(1)",
    "@blend_src(1)",
    "@builtin(vertex_index)",
    "@coherent",
    "@compute",
    "@const",
    "@diagnostic(off, derivative_uniformity)",
    "@early_depth_test(force)",
    "@fragment",
    "@group(1)",
    "@id(7)",
    "@incoming_payload(p)",
    "@interpolate(flat)",
    "@interpolate(flat, first)",
    "@interpolate(linear)",
    "@interpolate(perspective, centroid)",
    "@invariant",
    "@location(1)",
    "@mesh(m)",
    "@must_use",
    "@nonsense",
    "@payload(p)",
    "@per_primitive",
    "@ray_generation",
    "@size(32)",
    "@task",
    "@vertex",
    "@volatile",
    "@workgroup_size(2)",
];

/// The expected treatment of an attribute where it is allowed.
fn expected(attribute: &str, place: &str) -> Expected {
    match (attribute, place) {
        ("@align(16)" | "@size(32)", "member") => Carried,
        ("@size(32)", "vertex output" | "output member") => Carried,
        ("@align(16)", "vertex output" | "output member") => {
            NoEffect("the member already lies at such an offset")
        }
        ("@builtin(vertex_index)" | "@location(1)", "member") => Carried,
        (_, "output member") if attribute.starts_with("@interpolate") => Carried,
        (_, "fragment output") if attribute.starts_with("@interpolate") => {
            NoEffect("nothing interpolates an output of the fragment stage")
        }
        ("@binding(1)", "unbound uniform") | ("@group(1)", "ungrouped uniform") => Carried,
        ("@blend_src(1)", "second of two sources") => Carried,
        ("@early_depth_test(force)", "fragment entry point") => Carried,
        ("@id(7)", "override") => {
            NoEffect("it only names the override for a case that gives it a value")
        }
        ("@invariant", "position") => Carried,
        ("@must_use", "function") => NoEffect("it only refuses calls without use"),
        ("@workgroup_size(2)", "compute entry point" | "size of a workgroup") => Carried,
        ("@coherent" | "@volatile", "storage buffer") => Carried,
        (_, "vertex output" | "fragment input") if attribute.starts_with("@interpolate") => Carried,
        (_, "function" | "vertex entry point" | "fragment entry point")
            if attribute.starts_with("@diagnostic") =>
        {
            Carried
        }
        (_, _) => Refused,
    }
}

/// Directives, and their expected treatments.
const DIRECTIVES: [(&str, Expected); 8] = [
    ("enable f16;", NoEffect("it permits types")),
    ("enable dual_source_blending;", NoEffect("it permits an attribute")),
    ("enable clip_distances;", NoEffect("it permits a built-in value")),
    ("enable nonsense;", Refused),
    ("requires readonly_and_readwrite_storage_textures;", NoEffect("it asks for what naga has")),
    ("requires nonsense;", Refused),
    ("diagnostic(off, derivative_uniformity);", Carried),
    ("diagnostic(nonsense, derivative_uniformity);", Refused),
];

/// All programs.
pub fn all() -> Vec<Attribute> {
    let mut all = Vec::new();
    for place in PLACES {
        for attribute in ATTRIBUTES {
            // A stage without a size is not a compute stage.
            let is_of_compute = place.vertex.is_empty();
            // Without its first source, the second one is an error.
            if place.name == "second of two sources" && attribute != "@blend_src(1)" {
                continue;
            }
            if !is_of_compute || attribute.starts_with("@workgroup_size") {
                all.push(program(place, attribute, expected(attribute, place.name)));
            }
            if place.name == "size of a workgroup" && attribute.starts_with("@workgroup_size") {
                all.push(program(place, "@workgroup_size(n)", Carried));
            }
        }
    }
    let start = in_fragment(
        "directive",
        "$ @fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }",
    );
    all.extend(DIRECTIVES.map(|(directive, expected)| program(&start, directive, expected)));
    all
}

fn program(place: &Place, text: &str, expected: Expected) -> Attribute {
    let case = |text: &str| {
        let Place { vertex, fragment, .. } = place;
        if vertex.is_empty() {
            return format!(
                "[compute shader wgsl]\n{}\n\n[test]\nlink success\n",
                fragment.replace('$', text)
            );
        }
        let [vertex, fragment] = [vertex, fragment].map(|section| section.replace('$', text));
        format!(
            "[vertex shader wgsl]\n{vertex}\n\n[fragment shader wgsl]\n{fragment}\n\n[test]\nlink success\n"
        )
    };
    let letters = text.trim_start_matches('@').split(['(', ';']).next().unwrap_or_default();
    let nonsense = if text.contains("nonsense") { "nonsense" } else { letters };
    let word = nonsense.split(' ').next_back().unwrap_or_default();
    Attribute {
        language: Language::Wgsl,
        word: word.to_owned(),
        place: format!("{} as {text}", place.name),
        version: "1".to_owned(),
        expected,
        text: case(text),
        bare: case(""),
    }
}
