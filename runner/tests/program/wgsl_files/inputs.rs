//! Functions of plain WGSL files, the settings beside a file, and files that cannot be run.

use std::fs;
use std::path::Path;

use expect_test::{Expect, expect};

use crate::interstage;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("the file can be written");
    }
    folder
}

/// The `[test]` section of a generated case.
fn test_of(folder: &Path, case: &str) -> String {
    let text = fs::read_to_string(folder.join("out/cases").join(case)).expect("the case");
    text.split("[test]\n").nth(1).unwrap_or_default().to_owned()
}

/// The exit code of a run of a generated case with these lines behind it.
fn code_with(folder: &Path, case: &str, lines: &str) -> Option<i32> {
    let path = folder.join("out/cases").join(case);
    let text = fs::read_to_string(&path).expect("the case was written");
    let name = format!("out/cases/with_{case}");
    fs::write(folder.join(&name), format!("{text}{lines}\n")).expect("the case can be written");
    interstage(folder, &["run", &name, "--adapter", "cpu"]).code
}

/// Functions that no entry point calls, of files with and without entry points.
const LIBRARY: &str = "\
struct Pair { a: vec2f, b: array<u32, 2> }
fn doubled(x: f32, pair: Pair) -> f32 { return x * 2.0 + pair.a.y; }
fn moved(place: ptr<function, vec2f>, by: u32) { (*place).x += f32(by) + doubled(1.0, Pair()); }
fn slope(x: f32) -> f32 { return dpdx(x) + x; }
fn sampled(picture: texture_2d<f32>) -> vec4f { return textureLoad(picture, vec2u(0), 0); }
fn used(x: u32) -> u32 { return x + 1u; }
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(1) fn main() { numbers[0] = used(4u); }
";

#[test]
fn functions_without_an_entry_point_are_called() {
    let folder = folder(&[("a.wgsl", LIBRARY)]);
    let told = interstage(folder.path(), &["run", "a.wgsl", "--adapter", "cpu"]);
    expect![[r#"
        cpu:0 · interstage's executor · 0.1.0
        unsupported: 1 × functions with arguments of this type
          a.wgsl#sampled
        5 cases in some time
        oracle: 4 cases compared, 4 of them unlinked as well
        oracle: 38 values, 0.00 % of them undecided
        oracle: 265 invocations changed 19 of 38 words and 0 of 0 pixels
        among the skipped: 1 unsupported by interstage
        4 passed, 0 failed, 1 skipped
        exit code 0
    "#]]
    .assert_eq(&told.text());
    let told = interstage(folder.path(), &["list", "a.wgsl"]);
    expect![[r#"
        a.wgsl#main
        a.wgsl#doubled
        a.wgsl#moved
        a.wgsl#slope
        a.wgsl#sampled
    "#]]
    .assert_eq(&told.stdout);
    // By hand: x is 0.25, the pair (1, 0.75) and (4, 7), and so the result 1.25, stored behind both arguments.
    interstage(folder.path(), &["generate", "wgsl", "a.wgsl"]);
    let case = folder.path().join("out/cases/a_doubled.shader_test");
    let text = fs::read_to_string(&case).expect("the case was written");
    let word = text.matches("interstage_sink[").count() - 1;
    let with = |value: &str| {
        let probe = format!("{text}probe buffer 1 float {} == {value}\n", word * 4);
        fs::write(&case, probe).expect("the case can be written");
        let run = ["run", "out/cases/a_doubled.shader_test", "--adapter", "cpu"];
        interstage(folder.path(), &run).code
    };
    assert_eq!([with("1.25"), with("1.5")], [Some(0), Some(1)]);
}

const SET: &str = "\
override width: u32;
@id(7) override scale: f32 = 1.0;
struct Camera { near: f32, far: f32 }
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(1) @binding(0) var<storage> some: array<vec2u>;
@compute @workgroup_size(width) fn sum(@builtin(global_invocation_id) id: vec3u) {
    sums[id.x] = f32(some[id.x].y) * scale + camera.far;
}
@compute @workgroup_size(1) fn endless() { loop { if sums[0] == 7.0 { break; } } }
@fragment fn paint(@builtin(position) at: vec4f) -> @location(0) vec4f { return at; }
";

const SETTINGS: &str = "\
size = [32, 8]
tolerance = 0.25

[workgroups]
sum = [3, 1, 1]

[exclude]
endless = \"never ends\"

[overrides]
width = 2
7 = 0.5

[elements]
1 = 6
\"1:0\" = 6

[values]
\"1:0\" = [5, 6, 7, 8]
0 = [0.125]
";

#[test]
fn settings_beside_a_file_give_sizes_and_values() {
    let folder = folder(&[("a.wgsl", SET), ("a.wgsl.toml", SETTINGS)]);
    let told = interstage(folder.path(), &["run", "a.wgsl", "--adapter", "cpu"]);
    expect![[r#"
        cpu:0 · interstage's executor · 0.1.0
        skipped: 1 × excluded: never ends
          a.wgsl#endless
        3 cases in some time
        oracle: 2 cases compared, 2 of them unlinked as well
        oracle: 1030 values, 0.00 % of them undecided
        oracle: 268 invocations changed 6 of 6 words and 256 of 256 pixels
        2 passed, 0 failed, 1 skipped
        exit code 0
    "#]]
    .assert_eq(&told.text());
    interstage(folder.path(), &["generate", "wgsl", "a.wgsl"]);
    expect![[r#"
        uniform float camera.near 0.125
        uniform float camera.far 16
        ssbo 1 24
        ssbo 1 subdata uint 0 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed
        ssbo 1:0 48
        ssbo 1:0 subdata uint 0 5 6 7 8 6 1 3 2 5 4 7 6
        compute 3 1 1
        tolerance 0.25 0.25 0.25 0.25
        compare oracle ssbo 1
    "#]]
    .assert_eq(&test_of(folder.path(), "a_sum.shader_test"));
    // The second result is computed by hand: 8 · 0.5 + 16.
    let with = |value: &str| {
        let probe = format!("probe buffer 1 float 4 == {value}");
        code_with(folder.path(), "a_sum.shader_test", &probe)
    };
    assert_eq!([with("20"), with("21")], [Some(0), Some(1)]);
}

/// Runs a file with these settings, which have a mistake.
#[track_caller]
fn check_settings(settings: &str, expected: Expect) {
    let folder = folder(&[("a.wgsl", SET), ("a.wgsl.toml", settings)]);
    let told = interstage(folder.path(), &["run", "a.wgsl", "--adapter", "cpu"]);
    assert_eq!(told.code, Some(3), "{}", told.text());
    let lines: Vec<_> = told.stdout.lines().skip(1).take(2).map(str::trim).collect();
    expected.assert_eq(&lines.join(" "));
}

#[test]
fn mistakes_in_settings_are_told_with_line_and_column() {
    let check = check_settings;
    check("\nsize = [0, 1]\n", expect!["error: sides have 1 to 8192 pixels ┌─ a.wgsl.toml:2:8"]);
    check(
        "tolerance = -1\n",
        expect!["error: a tolerance is a number from 0 on ┌─ a.wgsl.toml:1:13"],
    );
    check(
        "siz = 1\n",
        expect!["error: unknown key `siz`; did you mean `size`? ┌─ a.wgsl.toml:1:1"],
    );
    check(
        "size = \n",
        expect!["error: string values must be quoted, expected literal string ┌─ a.wgsl.toml:1:8"],
    );
    check(
        "[workgroups]\nsum = 3\n",
        expect![
            "error: invalid type: integer `3`, expected an array of length 3 ┌─ a.wgsl.toml:2:7"
        ],
    );
    check(
        "[workgroups]\nsum = [0, 1, 1]\n",
        expect!["error: there are 1 to 65535 workgroups per direction ┌─ a.wgsl.toml:2:7"],
    );
    check(
        "[workgroups]\nsun = [1, 1, 1]\n",
        expect!["error: the file has no entry point `sun`; did you mean `sum`? ┌─ a.wgsl.toml:2:1"],
    );
}

#[test]
fn settings_for_what_a_file_lacks_are_told() {
    let check = check_settings;
    check(
        "[exclude]\n\"sum+pain\" = \"x\"\n",
        expect![
            "error: the file has no entry point `sum+pain`; there are sum, endless, paint ┌─ a.wgsl.toml:2:1"
        ],
    );
    check(
        "[overrides]\nwidht = 1\n",
        expect![
            "error: the file has no override `widht`; did you mean `width`? ┌─ a.wgsl.toml:2:1"
        ],
    );
    check(
        "[elements]\n0 = 4\n",
        expect!["error: the buffer has no runtime-sized array ┌─ a.wgsl.toml:2:1"],
    );
    check(
        "[elements]\n1 = 0\n",
        expect!["error: an array has at least one element ┌─ a.wgsl.toml:2:5"],
    );
    check(
        "[values]\n\"3:0\" = [1]\n",
        expect!["error: the file has no binding `3:0`; did you mean `1:0`? ┌─ a.wgsl.toml:2:1"],
    );
    check("[values]\n0 = [1, 2, 3]\n", expect!["error: 3 values for 2 scalars ┌─ a.wgsl.toml:2:1"]);
    check(
        "[values]\n\"1:0\" = [1, 2.5]\n",
        expect!["error: 2.5 is no value of an integer there ┌─ a.wgsl.toml:2:1"],
    );
}

/// Runs a bad file beside a good one, whose case must run.
#[track_caller]
fn check_bad(text: &str, expected: Expect) {
    let good = "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n\
                @compute @workgroup_size(1) fn good() { b[0] = 1u; }\n";
    let folder = folder(&[("bad.wgsl", text), ("good.wgsl", good)]);
    let told = interstage(folder.path(), &["run", ".", "--adapter", "cpu"]);
    assert!(told.stdout.contains("\n1 passed, "), "{}", told.text());
    let lines = told.stdout.lines().filter(|line| {
        ["  error: ", "    ┌─ ", "unsupported: ", "skipped: "]
            .iter()
            .any(|own| line.starts_with(own))
    });
    expected.assert_eq(&lines.map(str::trim).collect::<Vec<_>>().join("\n"));
}

#[test]
fn preprocessors_are_named() {
    let text = "// A module of an engine.\n#import engine::view\n@fragment fn main() {}\n";
    check_bad(
        text,
        expect![[r#"
        error: `#import` is a directive of a preprocessor such as naga_oil, which WGSL does not have: compose the module first
        ┌─ ./bad.wgsl:2:1"#]],
    );
    check_bad(
        "fn a() {}\n  #ifdef MORE\nfn a() {}\n#endif\n",
        expect![[r#"
        error: `#ifdef` is a directive of a preprocessor such as naga_oil, which WGSL does not have: compose the module first
        ┌─ ./bad.wgsl:2:3"#]],
    );
}

#[test]
fn a_module_without_functions_is_named() {
    check_bad(
        "const X = 3;\n",
        expect!["unsupported: 1 × files without entry points and functions"],
    );
}

#[test]
fn two_variables_at_one_binding_are_named() {
    let text = "@group(0) @binding(1) var<storage, read_write> first: array<u32>;
        @group(0) @binding(1) var<uniform> second: vec4f;
        struct V { @builtin(position) p: vec4f, @location(0) c: vec4f }
        @vertex fn vs(@location(0) p: vec4f) -> V { return V(p, second); }
        @fragment fn fs(v: V) -> @location(0) vec4f { first[0] = 4; return v.c; }";
    check_bad(
        text,
        expect![
            "unsupported: 1 × resources that two stages declare at one binding: `first` in 1:23 and `second` in 2:31"
        ],
    );
}

#[test]
fn huge_arrays_are_named() {
    let buffer = |count: u64| {
        format!(
            "struct S {{ a: u32 }}\n@group(0) @binding(0) var<storage, read_write> many: array<u32, {count}>;\n\
             @compute @workgroup_size(1) fn main() {{ many[0] = 1u; }}\n"
        )
    };
    check_bad(
        &buffer(1 << 31),
        expect![[r#"
        error: Error laying out type [2]: Size exceeds limit of 2147483647 bytes
        ┌─ ./bad.wgsl:2:23"#]],
    );
    check_bad(
        &buffer((1 << 29) - 1),
        expect!["unsupported: 1 × buffers of more than 16 MiB, such as `many` in 2:23"],
    );
    let private = "var<private> many: array<u32, 100000000>;\n\
                   @compute @workgroup_size(1) fn main() { many[0] = 1u; }\n";
    check_bad(private, expect!["skipped: 1 × the executor has no arrays as large as this"]);
}

#[test]
fn a_file_of_very_many_entry_points_is_refused() {
    let entry = |number: u32| {
        format!("@compute @workgroup_size(1) fn entry{number}() {{ let x = {number}u; }}\n")
    };
    check_bad(
        &(0..3000).map(entry).collect::<String>(),
        expect![[r#"
        error: the cases of the file's 3000 entry points and functions, each with its 183780 bytes, are too large; divide it
        ┌─ ./bad.wgsl:1:1"#]],
    );
}

/// Lists name the programs of a collection as they name cases: failures, flakes and skips, with `#` and `+` in names.
#[test]
fn a_collection_has_a_baseline() {
    let compute = "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n\
                   @compute @workgroup_size(1) fn good() { b[0] = 1u; }\n\
                   @compute @workgroup_size(1) fn bad() { b[1] = 1u; }\n";
    let drawing = "struct V { @builtin(position) p: vec4f, @location(0) c: vec4f }\n\
                   @vertex fn vs(@location(0) p: vec4f) -> V { return V(p, p); }\n\
                   @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }\n";
    let (all, some) = ("fail #bad\nfail #vs\n", "fail #bad\n");
    let folder = folder(&[
        ("compute.wgsl", compute),
        ("drawing.wgsl", drawing),
        ("all", all),
        ("some", some),
        ("skips.txt", "# Draws are skipped.\ndrawing.wgsl#vs\\+fs\n"),
        ("flakes.txt", ".*#vs.*\n"),
    ]);
    let run = |script: &str, more: &[&str]| {
        let own = ["run", "--oracle", "--script", script, "--adapter", "scripted:0"];
        let told = interstage(folder.path(), &[&own, more].concat());
        (told.code, told.stdout.lines().last().unwrap_or_default().to_owned())
    };
    let check = |script: &str, more: &[&str], code: i32, totals: &str| {
        assert_eq!(run(script, more), (Some(code), totals.to_owned()), "{more:?}");
    };
    check("all", &[".", "--results", "out"], 1, "1 passed, 2 failed, 0 skipped");
    let list = fs::read_to_string(folder.path().join("out/failures.csv")).expect("a list");
    assert_eq!(list, "compute.wgsl#bad,Fail\ndrawing.wgsl#vs+fs,Fail\n");
    let known = [".", "--known-failures", "out/failures.csv"];
    check("all", &known, 0, "1 passed, 0 failed, 0 skipped, 2 known failures");
    check("some", &known, 2, "1 passed, 1 failed, 0 skipped, 1 known failure");
    check("all", &["--failed", "out"], 1, "0 passed, 2 failed, 0 skipped");
    check("all", &[".", "--skips", "skips.txt"], 1, "1 passed, 1 failed, 1 skipped");
    check(
        "all",
        &[".", "--flakes", "flakes.txt"],
        1,
        "1 passed, 1 failed, 0 skipped, 1 known failure",
    );
}

/// A vertex stage whose positions are all the same paints nothing: its outputs are captured, and the fragment stage runs
/// with another vertex stage. Invocations that are alike run once where they would race.
#[test]
fn stages_that_paint_nothing_and_invocations_that_are_alike_are_decided() {
    let file = "\
@group(0) @binding(0) var<storage, read_write> sum: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> old: u32;
struct Out { @builtin(position) place: vec4f, @location(0) @interpolate(flat) number: vec2u }
@vertex fn vs() -> Out { return Out(vec4f(0.0), vec2u(3u, 4u)); }
@fragment fn fs() { old = atomicAdd(&sum, 2u); }
@compute @workgroup_size(1) fn cs() { old = atomicAdd(&sum, 2u); }
";
    let folder = folder(&[("a.wgsl", file)]);
    let told = interstage(folder.path(), &["run", "a.wgsl", "--adapter", "cpu"]);
    expect![[r#"
        cpu:0 · interstage's executor · 0.1.0
        3 cases in some time
        oracle: 3 cases compared, 3 of them unlinked as well
        oracle: 10 values, 0.00 % of them undecided
        oracle: 136 invocations changed 10 of 10 words and 0 of 0 pixels
        3 passed, 0 failed, 0 skipped
        exit code 0
    "#]]
    .assert_eq(&told.text());
    interstage(folder.path(), &["generate", "wgsl", "a.wgsl"]);
    // The sum begins with 5, the first number of the first buffer.
    for (case, right, wrong) in [
        ("vs", "probe capture 0 uint 16 == 3 4", "probe capture 0 uint 16 == 3 5"),
        ("fs", "probe buffer 1 uint 0 == 5", "probe buffer 1 uint 0 == 7"),
        ("cs", "probe buffer 0 uint 0 == 7", "probe buffer 0 uint 0 == 9"),
    ] {
        let name = format!("a_{case}.shader_test");
        let with = |probe: &str| code_with(folder.path(), &name, probe);
        assert_eq!([with(right), with(wrong)], [Some(0), Some(1)], "{case}");
    }
}

/// Depths that a fragment stage writes are compared, also where it writes nothing else, and even if it writes the depth
/// that is usual before a draw.
#[test]
fn depths_that_a_stage_writes_are_compared() {
    let file = "\
@group(0) @binding(0) var<uniform> scale: f32;
struct Out { @location(0) color: vec4f, @builtin(frag_depth) depth: f32 }
@fragment fn only(@builtin(position) p: vec4f) -> @builtin(frag_depth) f32 { return (p.x + scale) / 64; }
@fragment fn both(@builtin(position) p: vec4f) -> Out { return Out(p, p.y / 16); }
@fragment fn ones() -> @builtin(frag_depth) f32 { return 1.0; }
";
    let folder = folder(&[("a.wgsl", file)]);
    let told = interstage(folder.path(), &["run", "a.wgsl", "--adapter", "cpu"]);
    expect![[r#"
        cpu:0 · interstage's executor · 0.1.0
        3 cases in some time
        oracle: 3 cases compared, 3 of them unlinked as well
        oracle: 1792 values, 0.00 % of them undecided
        oracle: 786 invocations changed 0 of 0 words and 1024 of 1024 pixels
        3 passed, 0 failed, 0 skipped
        exit code 0
    "#]]
    .assert_eq(&told.text());
    interstage(folder.path(), &["generate", "wgsl", "a.wgsl"]);
    // `scale` is 8, and the centre of the first pixel is at 0.5.
    for (case, right, wrong) in [
        ("only", "probe depth 0 0 0.1328125", "probe depth 0 0 0.1484375"),
        ("both", "probe depth 0 2 0.15625", "probe depth 0 2 0.3"),
    ] {
        let name = format!("a_{case}.shader_test");
        let with =
            |probe: &str| code_with(folder.path(), &name, &format!("tolerance 0 0 0 0\n{probe}"));
        assert_eq!([with(right), with(wrong)], [Some(0), Some(1)], "{case}");
    }
}
