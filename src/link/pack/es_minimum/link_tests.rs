//! Checks that everything that the oracle accepts links. The random sets go through the linker's own fallback steps,
//! and some of them are compiled as shaders.

use std::fmt::Write as _;
use std::sync::LazyLock;

use crate::match_up::{Matching, Pair};
use crate::pack::end_of;
use crate::place::routing::PairOfStages;
use crate::place::varying::place;
use crate::testing::stage;
use crate::{LinkOptions, link};
use ir::interface::{Type, Variable};
use ir::options::PackStep;
use ir::stage::ShaderStage;
use ir::stage_module::{StageModule, Stages};

use super::ROWS;
use super::random::{Qualifiers, Random, fitting_set};

/// Number of sets of each kind that are placed. `SHADERS` of them are also compiled and linked.
const SETS: usize = 2_000;
const SHADERS: usize = 40;

static EMPTY: LazyLock<[StageModule; 2]> = LazyLock::new(|| {
    [ShaderStage::Vertex, ShaderStage::Fragment]
        .map(|kind| stage(kind, "#version 450\nvoid main() {}"))
});

/// Checks that the set fits sixteen slots by steps that change no value and do not depend on values.
fn is_placed(set: &[Variable]) -> Result<(), String> {
    let variable = |(idx, known): (usize, &Variable)| Variable {
        name: format!("v{idx}"),
        is_used: true,
        ..known.clone()
    };
    let all: Vec<Variable> = set.iter().enumerate().map(variable).collect();
    let [mut vertex, mut fragment] = EMPTY.clone();
    let pairs = (0..all.len()).map(|idx| Pair { output: idx, input: idx }).collect();
    (vertex.outputs, fragment.inputs) = (all.clone(), all);
    let matching = Matching { pairs, ..Matching::default() };
    let pair =
        PairOfStages { producer: &vertex, consumer: &fragment, matching: &matching, clip: None };
    let routing = place(pair, &LinkOptions::default()).map_err(|error| format!("{error:?}"))?;
    let is_harmless = |step: &PackStep| matches!(step, PackStep::Dense | PackStep::Centroid);
    let slots = end_of(&routing.classes);
    if slots as usize <= ROWS && routing.steps.iter().all(is_harmless) {
        return Ok(());
    }
    Err(format!("{slots} slots, {:?}", routing.steps))
}

/// Checks that shaders with these varyings link.
fn is_linked(set: &[Variable]) -> Result<(), String> {
    let (mut structs, mut inputs, mut outputs) = (String::new(), String::new(), String::new());
    let (mut uniforms, mut writes, mut reads) = (String::new(), String::new(), String::new());
    for (idx, variable) in set.iter().enumerate() {
        let ty = glsl_type(&variable.ty, idx, &mut structs);
        let at = variable.location.map_or(String::new(), |at| format!("layout(location = {at}) "));
        let flat = if variable.ty.has_always_flat() {
            "flat".to_owned()
        } else {
            variable.interpolation.to_string()
        };
        let flat = if flat == "unqualified" { String::new() } else { flat };
        let sampling = variable.sampling.to_string().replace("center", "");
        let _ = writeln!(uniforms, "uniform {ty} u{idx};");
        let _ = writeln!(outputs, "{at}{flat} {sampling} out {ty} v{idx};");
        let _ = writeln!(inputs, "{at}{flat} {sampling} in {ty} v{idx};");
        let _ = writeln!(writes, "v{idx} = u{idx};");
        let _ = writeln!(reads, "if (v{idx} != u{idx}) color += vec4(1.0);");
    }
    let head = format!("#version 450\n{structs}{uniforms}");
    let vertex = format!("{head}{outputs}void main() {{ gl_Position = vec4(0.0);\n{writes}}}");
    let fragment =
        format!("{head}{inputs}out vec4 color;\nvoid main() {{ color = vec4(0.0);\n{reads}}}");
    let stages =
        Stages::new([stage(ShaderStage::Vertex, &vertex), stage(ShaderStage::Fragment, &fragment)])
            .expect("a program");
    link(&stages, &LinkOptions::default()).map(drop).map_err(|error| format!("{error:?}\n{vertex}"))
}

/// The GLSL name of a type. The structs that it needs are added to `structs`.
fn glsl_type(ty: &Type, idx: usize, structs: &mut String) -> String {
    match ty {
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => ty.to_string(),
        Type::Array { element, length } => {
            // The outer dimension comes first.
            let inner = glsl_type(element, idx, structs);
            let at = inner.find('[').unwrap_or(inner.len());
            let (base, dimensions) = inner.split_at(at);
            format!("{base}[{length}]{dimensions}")
        }
        Type::Struct(own) => {
            let members = own.members.iter();
            let members = members
                .map(|member| format!("{} {}; ", glsl_type(&member.ty, idx, structs), member.name));
            let members: String = members.collect();
            let _ = writeln!(structs, "struct S{idx} {{ {members}}};");
            format!("S{idx}")
        }
    }
}

#[track_caller]
fn check(seed: u64, qualifiers: Qualifiers) {
    let mut random = Random(seed);
    for number in 0..SETS {
        let (set, _) = fitting_set(&mut random, qualifiers);
        assert_eq!(is_placed(&set), Ok(()), "set {number}");
        if number < SHADERS {
            assert_eq!(is_linked(&set), Ok(()), "set {number}");
        }
    }
}

#[test]
fn smooth_and_flat_sets_link() {
    check(11, Qualifiers::Plain);
}

#[test]
fn sets_with_centroid_and_sample_link() {
    check(12, Qualifiers::Sampled);
}

#[test]
fn sets_with_locations_link() {
    check(13, Qualifiers::Located);
}
