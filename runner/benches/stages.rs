//! Benchmarks of the library's crates per case, without a GPU: `cargo bench --package interstage-runner`.
//!
//! The cases are from the repository: one with four varyings, one with as many as fit, and one that is mostly code.

use std::sync::Arc;

use case::gl::limit::Limits;
use compile::{compile, compile_objects};
use divan::{Bencher, black_box};
use interstage_runner::files::case_file;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use case::{Case, Language, ShaderSource};
use glsl::ast::Version;
use ir::options::ProgramLimit;
use ir::profile::Profile;
use ir::stage::ShaderStage;
use ir::stage_module::{StageModule, Stages};
use link::program::{LinkedProgram, LinkedStages};
use link::{AdapterRules, LabelOptions, LinkOptions, ProgramRules, RasterState, link, session};

const CASES: [&str; 3] = [
    "varying/double_parked_vec3",
    "varying/twenty_one_vec3_and_a_float_fill_sixteen_slots",
    "glsl/integers_divide_towards_zero_and_wrap",
];

fn main() {
    divan::main();
}

#[divan::bench(args = CASES)]
fn parse_case(bencher: Bencher<'_, '_>, name: &str) {
    let path = path(name);
    let bytes = case_file::read(&path).expect("a case of the repository");
    let dialect = case::Dialect::Interstage;
    bencher.bench(|| case::parse::parse(&path, black_box(&bytes), dialect));
}

/// Parses both stages to tokens and a syntax tree.
#[divan::bench(args = CASES)]
fn parse_glsl(bencher: Bencher<'_, '_>, name: &str) {
    let case = case(name);
    bencher.bench(|| trees(black_box(&case)));
}

/// Lowers the syntax trees of both stages to naga IR and interface tables.
#[divan::bench(args = CASES)]
fn lower(bencher: Bencher<'_, '_>, name: &str) {
    let trees = trees(&case(name));
    bencher.bench(|| {
        for (stage, unit) in &trees {
            black_box(
                glsl::compile(std::slice::from_ref(unit), *stage, &glsl::Hints::default())
                    .expect("it compiles"),
            );
        }
    });
}

/// Links this many floats: the time per float should not grow.
#[divan::bench(args = [64, 100, 1_000, 10_000])]
fn link_floats(bencher: Bencher<'_, '_>, count: usize) {
    let each = |line: &dyn Fn(usize) -> String| -> String {
        (0..count).flat_map(|idx| [line(idx), "\n".to_owned()]).collect()
    };
    let outputs = each(&|idx| format!("out float v{idx};"));
    let inputs = each(&|idx| format!("in float v{idx};"));
    let writes = each(&|idx| format!("v{idx} = 1.0;"));
    let sum = each(&|idx| format!("sum += v{idx};"));
    let stage = |kind: ShaderStage, text: &str| {
        let version = Version { number: 450, is_es: false, is_compatibility: false };
        let options = glsl::ParseOptions { default_version: version, ..Default::default() };
        let unit = glsl::parse(text, 0, &options).expect("right GLSL");
        glsl::compile(&[unit], kind, &glsl::Hints::default()).expect("right GLSL")
    };
    let vertex = format!("{outputs}void main() {{ gl_Position = vec4(0.0); {writes} }}");
    let vertex = stage(ShaderStage::Vertex, &vertex);
    let fragment = format!(
        "{inputs}out vec4 color; void main() {{ float sum = 0.0; {sum} color = vec4(sum); }}"
    );
    let fragment = stage(ShaderStage::Fragment, &fragment);
    let stages = Stages::new([vertex, fragment]).expect("a program");
    // Far more components than GL has.
    let limits = vec![(ProgramLimit::VaryingComponents, 4 * 4096)];
    let options = LinkOptions {
        adapter: AdapterRules { max_inter_stage_variables: 4096, ..AdapterRules::default() },
        rules: ProgramRules { limits, ..ProgramRules::default() },
        ..LinkOptions::default()
    };
    bencher.bench(|| link(black_box(&stages), &options).expect("it links"));
}

/// Runs naga's validator on both linked modules.
#[divan::bench(args = CASES)]
fn validate(bencher: Bencher<'_, '_>, name: &str) {
    let Compiled { stages, options } = compiled(name);
    let LinkedProgram { stages, .. } = link(&stages, &options).expect("it links");
    let LinkedStages::Render { vertex, fragment: Some(fragment) } = stages else {
        panic!("two stages")
    };
    let modules = [vertex, fragment];
    bencher.bench(|| {
        for module in &modules {
            let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
            black_box(validator.validate(module).expect("a linked module is valid"));
        }
    });
}

/// Runs all of linking: tables, wrapping, validation and verification.
#[divan::bench(args = CASES)]
fn link_all(bencher: Bencher<'_, '_>, name: &str) {
    let Compiled { stages, options } = compiled(name);
    bencher.bench(|| link(black_box(&stages), &options).expect("it links"));
}

/// The profiles by name.
fn profiles() -> impl Iterator<Item = &'static str> {
    Profile::ALL.iter().map(|(name, _)| *name)
}

/// Links a pair of separable stages that has not been linked before.
#[divan::bench(args = profiles())]
fn pair_first(bencher: Bencher<'_, '_>, profile: &str) {
    let (vertex, fragment, options) = separable(profile);
    bencher.bench(|| {
        session::link_all(&vertex, &fragment, black_box(&[(0, 0)]), &options).expect("it links")
    });
}

/// Links all 400 pairs of twenty vertex and twenty fragment stages, each used three times; repeated pairs are not
/// linked again.
#[divan::bench(args = profiles())]
fn pairs(bencher: Bencher<'_, '_>, profile: &str) {
    let (vertex, fragment, options) = separable(profile);
    let uses: Vec<(usize, usize)> = (0..1200).map(|at| (at / 20 % 20, at % 20)).collect();
    bencher.bench(|| {
        session::link_all(&vertex, &fragment, black_box(&uses), &options).expect("they link")
    });
}

/// Twenty vertex and twenty fragment stages, with labels that every profile has.
fn separable(profile: &str) -> (Vec<StageModule>, Vec<StageModule>, LinkOptions) {
    let case = case("semantic/all_pairs_of_twenty_and_twenty_stages");
    let objects = compile_objects(&case, &Limits::guaranteed(&[])).expect("it compiles");
    let profile = Profile::ALL.iter().find(|(name, _)| *name == profile).expect("it is listed").1;
    let options = LinkOptions {
        labels: LabelOptions { profile, is_separable: true, ..LabelOptions::default() },
        ..LinkOptions::default()
    };
    let [vertex, fragment] =
        [ShaderStage::Vertex, ShaderStage::Fragment].map(|stage| objects.stages[stage].clone());
    (vertex, fragment, options)
}

fn path(name: &str) -> String {
    format!("{}/../cases/{name}.{}", env!("CARGO_MANIFEST_DIR"), case_file::EXTENSION)
}

/// The first case of the file.
fn case(name: &str) -> Case {
    let cases = case_file::load(&path(name)).expect("a case of the repository");
    let first = cases.into_iter().next().expect("a file is at least one case");
    first.result.expect("the case is good")
}

fn trees(case: &Case) -> Vec<(ShaderStage, glsl::ast::TranslationUnit)> {
    let version = Version { number: 450, is_es: false, is_compatibility: false };
    let options = glsl::ParseOptions { default_version: version, ..Default::default() };
    let source = Arc::clone(&case.source);
    let tree = |shader: &ShaderSource| {
        let unit = glsl::parse(source.slice(shader.text), shader.text.start, &options);
        (shader.stage, unit.expect("it is GLSL"))
    };
    let is_glsl = |shader: &&ShaderSource| shader.language == Language::Glsl;
    case.shaders.iter().filter(is_glsl).map(tree).collect()
}

/// The stages of a case, and its link options.
struct Compiled {
    stages: Stages,
    options: LinkOptions,
}

fn compiled(name: &str) -> Compiled {
    let case = case(name);
    let targets = case.render_targets.iter().map(|target| Some(target.format.class())).collect();
    let options = LinkOptions {
        raster: RasterState { targets, ..RasterState::default() },
        ..LinkOptions::default()
    };
    Compiled { stages: compile(&case, &Limits::guaranteed(&[])).expect("it compiles"), options }
}
