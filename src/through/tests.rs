//! Programs of a shell in the place of compilers, and interfaces that they change.

use std::time::Instant;

use super::*;

const VERTEX: &str = "struct Out { @builtin(position) at: vec4f, @location(0) a: vec3f, @location(1) @interpolate(flat) b: i32 }
    @vertex fn main(@location(0) at: vec4f) -> Out { return Out(at, at.xyz, 7); }";

fn step(command: &str) -> Step {
    Step::of_command(command, None).expect("a command")
}

/// A program that a shell runs, with the files as `$1` and `$2`.
fn script(text: &str) -> Step {
    step(&format!("sh -c '{text}' sh {{in}} {{out}}"))
}

fn compile(steps: Vec<Step>, text: &str) -> Result<Arc<Compiled>, Failure> {
    let chain = Chain::new(steps).expect("a chain").with_time_limit(Duration::from_secs(1));
    chain.compile(&fixture::module(text), "vertex")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let failure = compile(vec![script(text)], VERTEX).expect_err("a fault");
    assert!(failure.to_string().contains(expected), "{failure}");
}

#[test]
fn a_copy_is_the_stage_itself() {
    let copied = compile(vec![step("cp {in} {out}"), step("cp {in} {out}")], VERTEX);
    let copied = copied.expect("a stage");
    assert_eq!(copied.words(), write::spirv(&fixture::module(VERTEX)).expect("words"));
    assert_eq!(copied.entry_point(), "main");
}

#[test]
fn every_fault_has_its_kind_and_the_words_of_the_program() {
    check(
        "echo no such operand >&2; exit 3",
        "vertex stage through sh: sh refuses the stage (status 3)\nno such operand",
    );
    check("echo inside; kill -SEGV $$", "sh crashes (signal 11)\ninside");
    check("sleep 30", "sh does not end within 1 s");
    check("exit 0", "sh writes no result: there is no file");
    check(": > $2", "sh writes no result: the file is empty");
    check("mkdir $2", "sh writes no result: it is not a file");
    check("echo abc > $2", "sh writes invalid SPIR-V");
    check("printf abc > $2", "sh writes invalid SPIR-V\n3 bytes are no whole words");
    let missing = compile(vec![step("no-such-compiler {in} {out}")], VERTEX).expect_err("a fault");
    assert_eq!(
        missing.to_string(),
        "vertex stage through no-such-compiler: no-such-compiler cannot be started: no-such-compiler: \
         there is no such program"
    );
}

/// HLSL has no point size, so a program that writes HLSL gets none, and drivers do from all others.
#[test]
fn point_sizes_do_not_reach_hlsl() {
    let has_size = |second: &str| {
        let second = Step::of_text(second, None).expect("a step");
        let chain = Chain::new(vec![step("a {in} {out}"), second]).expect("a chain");
        let (text, planned) = chain.begin(&fixture::module(VERTEX)).expect("SPIR-V");
        let count = |words: &[u32]| words.windows(2).filter(|pair| *pair == [11, 1]).count();
        let given = count(&words_of(&text).expect("whole words"));
        assert_eq!(count(&planned), 1, "OpDecorate with BuiltIn PointSize");
        given == 1
    };
    assert!(has_size("spirv-opt"));
    assert!(!has_size("dxc"));
}

/// A compiler that spins ends, even if nobody is left to stop it. The limit is set after its start.
#[cfg(target_os = "linux")]
#[test]
fn a_program_has_a_limit_of_processor_time() {
    check("sleep 0.3; ulimit -t; exit 3", "sh refuses the stage (status 3)\n8");
}

/// A module that is cut off is invalid, whether `spirv-val` is installed or not.
#[test]
fn a_module_without_code_is_invalid() {
    let words = write::spirv(&fixture::module(VERTEX)).expect("words");
    let code = words.iter().rposition(|word| *word == 0x0005_0036).expect("an OpFunction");
    let found = Interface::of(&words[..code]);
    assert_eq!(found, Err("the entry point `main` has no code".to_owned()));
}

/// The processes that a program started end with it, and gigabytes of output are not kept.
#[test]
fn a_program_that_never_stops_printing_is_stopped() {
    let started = Instant::now();
    let failure = compile(vec![script("yes & yes >&2")], VERTEX).expect_err("a fault");
    assert_eq!(failure.fault, Fault::Hung(Duration::from_secs(1)));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    let failure = compile(vec![script("yes | head -c 100000000; exit 1")], VERTEX);
    let Fault::Refused { words, .. } = failure.expect_err("a fault").fault else {
        panic!("not refused")
    };
    assert!(words.len() <= 8 << 10, "{} bytes", words.len());
}

/// The differences between a stage and another one that a program writes in its place.
fn differences(planned: &str, written: &str) -> Vec<String> {
    let of = |text: &str| {
        Interface::of(&write::spirv(&fixture::module(text)).expect("words")).expect("an interface")
    };
    of(planned).differences(&of(written))
}

#[track_caller]
fn check_interface(change: [&str; 2], expected: &[&str]) {
    let [old, new] = change;
    let written = VERTEX.replace(old, new);
    assert_ne!(written, VERTEX);
    assert_eq!(differences(VERTEX, &written), expected, "{new}");
}

#[test]
fn a_changed_interface_is_told_place_by_place() {
    check_interface(
        ["@location(1) @inter", "@location(2) @inter"],
        &[
            "output at location 1: nothing, planned: Flat i32",
            "output at location 2: Flat i32, planned: nothing",
        ],
    );
    check_interface(
        ["@interpolate(flat) b: i32", "@interpolate(flat) b: u32"],
        &["output at location 1: Flat u32, planned: Flat i32"],
    );
    check_interface(
        ["@location(0) a", "@location(0) @interpolate(linear) a"],
        &["output at location 0: NoPerspective vec3<f32>, planned: vec3<f32>"],
    );
    let fragment = "@fragment fn main(@location(0) a: vec4f) -> @location(0) vec4f { return a; }";
    let all = differences(VERTEX, fragment);
    assert_eq!(all[0], "Fragment entry point `main`, planned: Vertex entry point `main`");
    assert_eq!(all[1], "execution modes: OriginUpperLeft, planned: none");
}

/// Vulkan does not say whether built-in integers have a sign, and compilers of GLSL give them one.
#[test]
fn built_in_integers_have_any_sign() {
    let of = |ty: &str| {
        let text = "@fragment fn main(@builtin(sample_index) a: u32, @location(0) @interpolate(flat) b: BASE)
            -> @location(0) vec4f { return vec4f(f32(a) + f32(b)); }";
        let words = write::spirv(&fixture::module(&text.replace("BASE", ty))).expect("words");
        Interface::of(&words).expect("an interface")
    };
    let [signed, unsigned] = [of("i32"), of("u32")];
    assert_eq!(signed.differences(&unsigned), ["input at location 0: Flat u32, planned: Flat i32"]);
    let mask = "@fragment fn main() -> @builtin(sample_mask) u32 { return 1u; }";
    let words = write::spirv(&fixture::module(mask)).expect("words");
    let told = format!("{:?}", Interface::of(&words).expect("an interface"));
    assert!(told.contains("\"SampleMask\" }: {\"i32\"}"), "{told}");
    let place = |interface: &Interface| format!("{interface:?}");
    assert!(place(&unsigned).contains("\"SampleId\" }: {\"i32\"}"), "{}", place(&unsigned));
}

#[test]
fn what_nothing_uses_may_be_dropped() {
    let buffers = "@group(0) @binding(0) var<uniform> u: vec4f;
        @group(0) @binding(1) var<storage, read_write> s: vec4f;
        @compute @workgroup_size(2, 3, 1) fn main() { s = u; }";
    let fewer = buffers
        .replace("s = u;", "s = vec4f();")
        .replace("@group(0) @binding(0) var<uniform> u: vec4f;", "");
    assert_eq!(differences(buffers, &fewer), [""; 0]);
    assert_eq!(differences(&fewer, buffers), ["resource 0.0: uniform buffer, planned: nothing"]);
    let larger = buffers.replace("(2, 3, 1)", "(2, 4, 1)");
    let expected = "execution modes: LocalSize 2 4 1, planned: LocalSize 2 3 1";
    assert_eq!(differences(buffers, &larger), [expected]);
    let readable = buffers
        .replace("var<storage, read_write> s", "var<uniform> s")
        .replace("s = u;", "_ = s + u;");
    assert_eq!(
        differences(buffers, &readable)[0],
        "resource 0.1: uniform buffer, planned: storage buffer"
    );
}

/// A program of the name `cp` that runs once: the second time, the stage is known.
#[test]
fn a_stage_is_compiled_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let text = format!("echo once >> {}; cp $1 $2", log.display());
    let chain = Chain::new(vec![script(&text)]).expect("a chain");
    let module = fixture::module(VERTEX);
    let first = chain.compile(&module, "vertex").expect("a stage");
    assert_eq!(chain.compile(&module, "vertex").expect("a stage"), first);
    assert_eq!(std::fs::read_to_string(log).expect("a log"), "once\n");
}

#[test]
fn a_program_that_reads_wgsl_gets_wgsl() {
    let step = Step::of_command(
        "sh -c 'grep -o @vertex $1 >&2; exit 1' sh {in} {out}",
        Some(Language::Wgsl),
    );
    let failure = compile(vec![step.expect("a command")], VERTEX).expect_err("a fault");
    assert!(failure.to_string().ends_with("(status 1)\n@vertex"), "{failure}");
}
