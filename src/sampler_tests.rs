//! Compares textures of the executor with those of every adapter, pixel by pixel. Without an adapter these tests fail.

use case::Dialect;
use case::parse::parse;
use cpu::texture::{Level, Lookup, Textures};
use gpu::{Gpu, adapters};
use ir::readback::{Extent, Snapshot};
use link::AdapterRules;
use plan::topology::ProvokingVertex;
use plan::{BoundOpaque, ExecuteError, Programs};

/// Width and height of the target.
const SIDE: u16 = 16;

/// Tolerance: adapters weight texels with at least 8 bits.
const STEP: f32 = 1.0 / 128.0;

/// A texture lookup of a fragment stage at the coordinates 3 · (pixel centre) / 16 − 1.
struct Sampling<'a> {
    /// Commands that create the texture.
    commands: &'a str,
    /// GLSL type of the texture, such as `sampler2D`.
    sampler: &'a str,
    /// GLSL expression of type `vec4` that reads `tex` at `at`.
    code: &'a str,
    /// The same lookup, for the executor.
    lookup: fn([f32; 2]) -> Lookup,
}

fn exact([s, t]: [f32; 2], level: f32) -> Lookup {
    Lookup {
        coordinate: [s, t, 0.0],
        layer: 0,
        offset: [0; 3],
        level: Level::Exact(level),
        reference: None,
        gather: None,
    }
}

/// Compares all pixels of the lookup on every adapter with the executor's.
#[track_caller]
fn check(sampling: &Sampling<'_>) {
    let Sampling { commands, sampler, code, lookup } = sampling;
    let text = format!(
        "[require]\nGLSL >= 4.50\nsize {SIDE} {SIDE}\n[vertex shader]\nin vec4 piglit_vertex;\n\
         void main() {{ gl_Position = piglit_vertex; }}\n[fragment shader]\nuniform {sampler} tex;\nout vec4 color;\n\
         void main() {{ vec2 at = gl_FragCoord.xy * 3.0 / {SIDE}.0 - 1.0; color = {code}; }}\n\
         [render targets]\n0 rgba32float\n[test]\n{commands}\ndraw rect -1 -1 2 2\nprobe all rgba 0 0 0 0\n"
    );
    let mut cases = parse("a.shader_test", text.as_bytes(), Dialect::Interstage);
    let case = cases.swap_remove(0).result.unwrap_or_else(|error| panic!("{error:?}"));
    let rules = AdapterRules::default();
    let program = prepare::linked_program(&case, rules).expect("it links");
    let programs = Programs::from(&program);
    let plan = plan::plan(&case, programs, ProvokingVertex::First).expect("the steps fit");
    let textures = Textures::new(&plan);
    let bound = &plan.bindings.last().expect("there is a draw").opaques;
    let view = bound.iter().find_map(|bound| match bound {
        BoundOpaque::View(view) => Some(*view),
        BoundOpaque::Sampler(_) => None,
    });
    let state = bound.iter().find_map(|bound| match bound {
        BoundOpaque::Sampler(state) => Some(*state),
        BoundOpaque::View(_) => None,
    });
    let (view, state) = view.zip(state).expect("the program has a texture");
    let all = adapters();
    assert!(!all.is_empty(), "these tests need an adapter, such as Mesa's lavapipe");
    let mut compared = 0;
    for info in all {
        let gpu = Gpu::open(&format!("{}:{}", info.backend, info.index)).expect("it is listed");
        let readback = gpu::execute(&gpu, &case, &program, Extent::Whole);
        let readback = match readback {
            // Mesa's GL has float targets only with a setting in its environment.
            Err(ExecuteError::Lacking(_)) => continue,
            readback => readback.unwrap_or_else(|error| panic!("{info}: {error}")),
        };
        compared += 1;
        assert_eq!(readback.messages, [""; 0], "{info}");
        let Some(Some(Snapshot::Image(image))) = readback.snapshots.last() else {
            panic!("{info}: no image")
        };
        for (idx, pixel) in (0..SIDE * SIDE).zip(image.bytes.as_chunks::<16>().0) {
            let at = [idx % SIDE, idx / SIDE]
                .map(|at| (f32::from(at) + 0.5) * 3.0 / f32::from(SIDE) - 1.0);
            let own = textures.sample(view, state, &lookup(at)).map(f32::from_bits);
            let found: Vec<_> =
                pixel.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
            let is_near = own.iter().zip(&found).all(|(own, found)| (own - found).abs() <= STEP);
            assert!(is_near, "{code} at {at:?}: {own:?} here, {found:?} on {info}");
        }
    }
    assert_ne!(compared, 0, "no adapter has float targets");
}

#[test]
fn wrapped_and_filtered_texels_are_those_of_adapters() {
    for filter in ["nearest", "linear"] {
        for (s, t) in [
            ("repeat", "mirrored_repeat"),
            ("clamp_to_edge", "repeat"),
            ("mirrored_repeat", "clamp_to_edge"),
            ("clamp_to_border", "clamp_to_border"),
        ] {
            check(&Sampling {
                commands: &format!(
                    "texture rgbw 0 (5, 4)\ntexparameter 2D min {filter}\ntexparameter 2D mag {filter}\n\
                     texparameter 2D wrap_s {s}\ntexparameter 2D wrap_t {t}\n\
                     texparameter 2D border_color 1 1 1 1"
                ),
                sampler: "sampler2D",
                code: "textureLod(tex, at, 0.0)",
                lookup: |at| exact(at, 0.0),
            });
        }
    }
}

#[test]
fn levels_are_those_of_adapters() {
    for between in ["nearest_mipmap_nearest", "linear_mipmap_linear"] {
        let commands = &format!(
            "texture miptree 0\ntexparameter 2D min {between}\ntexparameter 2D mag linear"
        );
        let (sampler, commands) = ("sampler2D", commands.as_str());
        check(&Sampling {
            commands,
            sampler,
            code: "textureLod(tex, at, at.x * 2.0)",
            lookup: |at| exact(at, at[0] * 2.0),
        });
        // A step of two texels out of eight to the right: llvmpipe only approximates logarithms that are not whole.
        check(&Sampling {
            commands,
            sampler,
            code: "textureGrad(tex, at, vec2(0.25, 0.0), vec2(0.0, 0.1))",
            lookup: |at| {
                let (x, y) = ([0.25, 0.0, 0.0], [0.0, 0.1, 0.0]);
                Lookup { level: Level::Gradients { x, y, bias: 0.0 }, ..exact(at, 0.0) }
            },
        });
    }
}

#[test]
fn gathered_texels_and_offsets_are_those_of_adapters() {
    let commands = "texture rgbw 0 (4, 4)\ntexparameter 2D wrap_s repeat";
    let sampler = "sampler2D";
    // Green differs between the columns, and blue between the rows.
    check(&Sampling {
        commands,
        sampler,
        code: "textureGather(tex, at, 1)",
        lookup: |at| Lookup { gather: Some(1), ..exact(at, 0.0) },
    });
    check(&Sampling {
        commands,
        sampler,
        code: "textureGather(tex, at, 2)",
        lookup: |at| Lookup { gather: Some(2), ..exact(at, 0.0) },
    });
    check(&Sampling {
        commands,
        sampler,
        code: "textureLodOffset(tex, at, 0.0, ivec2(1, -2))",
        lookup: |at| Lookup { offset: [1, -2, 0], ..exact(at, 0.0) },
    });
}

#[test]
fn comparisons_are_those_of_adapters() {
    for filter in ["nearest", "linear"] {
        let commands = format!(
            "texture shadow2D 0 (5, 1)\ntexparameter 2D min {filter}\ntexparameter 2D mag {filter}"
        );
        check(&Sampling {
            commands: &commands,
            sampler: "sampler2DShadow",
            code: "vec4(textureLod(tex, vec3(at, 0.6), 0.0), 0.0, 0.0, 1.0)",
            lookup: |at| Lookup { reference: Some(0.6), ..exact(at, 0.0) },
        });
    }
}
