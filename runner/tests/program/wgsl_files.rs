//! Plain WGSL files, run with generated inputs against the oracle.

mod inputs;

use std::fs;

use expect_test::expect;

use crate::interstage;

const FILE: &str = "\
struct Particle { place: vec2<f32>, speed: vec2<f32> }
@group(0) @binding(0) var<uniform> seconds: f32;
@group(0) @binding(1) var<storage, read> old: array<Particle>;
@group(0) @binding(2) var<storage, read_write> next: array<Particle>;
@group(1) @binding(0) var picture: texture_2d<f32>;

@compute @workgroup_size(4) fn move_all(@builtin(global_invocation_id) id: vec3<u32>) {
    next[id.x].place = old[id.x].place + old[id.x].speed * seconds;
    next[id.x].speed = old[id.x].speed;
}

struct Varyings { @builtin(position) place: vec4f, @location(0) color: vec3f }
@vertex fn vertices(@location(0) place: vec2f, @location(1) color: vec3f) -> Varyings {
    return Varyings(vec4f(place, 0.0, 1.0), color);
}
@fragment fn plain(input: Varyings) -> @location(0) vec4f { return vec4f(input.color * seconds, 1.0); }
@fragment fn lonely(@location(7) other: f32) -> @location(0) vec4f { return vec4f(other); }
@compute @workgroup_size(1) fn looks() { next[0].place = vec2f(textureDimensions(picture)); }
";

#[test]
fn every_entry_point_runs_or_is_named() {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    fs::write(folder.path().join("a.wgsl"), FILE).expect("the file can be written");
    let told = interstage(folder.path(), &["run", "--oracle", "a.wgsl", "--adapter", "cpu"]);
    expect![[r#"
        cpu:0 · interstage's executor · 0.1.0
        4 cases in some time
        oracle: 4 cases compared, 4 of them unlinked as well
        oracle: 2112 values, 0.00 % of them undecided
        oracle: 533 invocations changed 34 of 64 words and 512 of 512 pixels
        4 passed, 0 failed, 0 skipped
    "#]]
    .assert_eq(&told.stdout);
    assert_eq!(told.code, Some(0), "{}", told.text());
    let told = interstage(folder.path(), &["list", "a.wgsl"]);
    expect![[r#"
        a.wgsl#move_all
        a.wgsl#vertices+plain
        a.wgsl#lonely
        a.wgsl#looks
    "#]]
    .assert_eq(&told.stdout);
    // One of the programs, by its name.
    let told = interstage(folder.path(), &["run", "a.wgsl#vertices+plain", "--adapter", "cpu"]);
    assert!(told.stdout.contains("1 passed, 0 failed, 0 skipped"), "{}", told.text());
}

/// The inputs are those in the generated text; a value computed by hand shows this.
#[test]
fn the_generated_case_is_one_that_can_be_kept() {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    fs::write(folder.path().join("a.wgsl"), FILE).expect("the file can be written");
    let told = interstage(folder.path(), &["generate", "wgsl", "a.wgsl"]);
    expect![[r#"
        4 cases in some time
    "#]]
    .assert_eq(&told.stdout);
    let case = folder.path().join("out/cases/a_move_all.shader_test");
    let text = fs::read_to_string(&case).expect("the case was written");
    let test = text.split("[test]").nth(1).unwrap_or_default();
    expect![[r#"

        uniform float seconds 8
        ssbo 1 128
        ssbo 1 subdata float 0 3 1.75 4 2.5 1.5 3.5 2.25 3.25 2.75 3.75 0.25 1 0.75 2 1.25 0.5
        ssbo 1 subdata float 64 3 1.75 4 2.5 1.5 3.5 2.25 3.25 2.75 3.75 0.25 1 0.75 2 1.25 0.5
        ssbo 2 128
        ssbo 2 subdata uint 0 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed
        ssbo 2 subdata uint 64 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed 0x5eed5eed
        compute 2 1 1
        compare oracle ssbo 2
    "#]]
    .assert_eq(test);
    // 3 + 4 · 8, computed by hand.
    let with = |value: &str| {
        let probe = format!("{text}probe buffer 2 float 0 == {value}\n");
        fs::write(&case, probe).expect("the case can be written");
        let run = ["run", "out/cases/a_move_all.shader_test", "--adapter", "cpu"];
        interstage(folder.path(), &run).code
    };
    assert_eq!([with("35"), with("36")], [Some(0), Some(1)]);
}

/// Values computed by hand show that all 8 invocations ran and wrote into the buffer of their group.
#[test]
fn overrides_size_workgroups_and_groups_are_apart() {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    let text = "override width: u32 = 4;
        override unset: f32;
        @group(0) @binding(0) var<storage, read_write> first: array<u32, 8>;
        @group(1) @binding(0) var<storage, read_write> second: array<u32, 8>;
        @compute @workgroup_size(width, 2) fn lanes(@builtin(local_invocation_index) i: u32) {
            first[i] = i + 10u;
            second[i] = i * 7u;
        }
        @compute @workgroup_size(1) fn lacks() { first[0] = u32(unset); }";
    fs::write(folder.path().join("a.wgsl"), text).expect("the file can be written");
    let told = interstage(folder.path(), &["generate", "wgsl", "a.wgsl"]);
    let refusal = "a.wgsl#lacks: unsupported: overrides without a value, such as `unset`\n";
    assert!(told.stdout.starts_with(refusal), "{}", told.text());
    let case = folder.path().join("out/cases/a_lanes.shader_test");
    let text = fs::read_to_string(&case).expect("the case was written");
    let with = |values: [u32; 2]| {
        let [first, second] = values;
        let probes =
            format!("probe ssbo uint 0 28 == {first}\nprobe ssbo uint 1:0 28 == {second}\n");
        fs::write(&case, format!("{text}{probes}")).expect("the case can be written");
        let run = ["run", "out/cases/a_lanes.shader_test", "--adapter", "cpu"];
        interstage(folder.path(), &run).code
    };
    assert_eq!([with([17, 49]), with([17, 50]), with([16, 49])], [Some(0), Some(1), Some(1)]);
}

#[test]
fn what_is_no_wgsl_is_told_with_its_place() {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    fs::write(folder.path().join("bad.wgsl"), "@compute\nfn x( {\n").expect("it can be written");
    let invalid = "@group(0) @binding(0) var<uniform> u: array<f32, 2>;\n@compute @workgroup_size(1) fn y() { _ = u[0]; }\n";
    fs::write(folder.path().join("invalid.wgsl"), invalid).expect("it can be written");
    fs::write(folder.path().join("none.wgsl"), "fn x() {}\n").expect("it can be written");
    let told = interstage(folder.path(), &["run", ".", "--adapter", "cpu"]);
    expect![[r#"
        BROKEN bad.wgsl
          error: expected identifier, found "{"
            ┌─ ./bad.wgsl:2:7
            │
          2 │ fn x( {
            │       ^
          repeat    interstage run './bad.wgsl'
        BROKEN invalid.wgsl
          error: Global variable [0] 'u' is invalid: Alignment requirements for address space Uniform are not met by [1]: The array stride 4 is not a multiple of the required alignment 16
            ┌─ ./invalid.wgsl:1:23
            │
          1 │ @group(0) @binding(0) var<uniform> u: array<f32, 2>;
            │                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          repeat    interstage run './invalid.wgsl'
        cpu:0 · interstage's executor · 0.1.0
        unsupported: 1 × entry points that compute nothing that can be stored
          none.wgsl#x
        failed:
          bad.wgsl  (broken)
          invalid.wgsl  (broken)
        3 cases in some time
        among the failed: 2 broken
        among the skipped: 1 unsupported by interstage
        0 passed, 2 failed, 1 skipped
    "#]]
    .assert_eq(&told.stdout);
    let told = interstage(folder.path(), &["generate", "wgsl", "bad.wgsl"]);
    expect![[r#"
        error: bad.wgsl:2:7: error: expected identifier, found "{"
        exit code 3
    "#]]
    .assert_eq(&told.text());
    for wrong in [
        &["generate", "wgsl"][..],
        &["generate", "blocks", "bad.wgsl"],
        &["generate", "wgsl", "a.glsl"],
    ] {
        assert_ne!(interstage(folder.path(), wrong).code, Some(0), "{wrong:?}");
    }
}

/// The second source is a factor of the target's value, so a wrong one is detected.
#[test]
fn two_sources_of_blending_are_both_compared() {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    let file = "\
enable dual_source_blending;
struct Sources { @location(0) @blend_src(0) color: vec4f, @location(0) @blend_src(1) factor: vec4f }
@fragment fn lit(@location(0) at: vec2f) -> Sources { return Sources(vec4f(at, 0.0, 1.0), vec4f(0.25)); }
@fragment fn plain(@location(0) at: vec2f) -> @location(0) vec4f { return vec4f(at, 0.0, 1.0); }
";
    fs::write(folder.path().join("a.wgsl"), file).expect("the file can be written");
    let told = interstage(folder.path(), &["run", "a.wgsl", "--adapter", "cpu"]);
    assert!(told.stdout.ends_with("2 passed, 0 failed, 0 skipped\n"), "{}", told.text());
    interstage(folder.path(), &["generate", "wgsl", "a.wgsl"]);
    // The centre of this pixel is a sixteenth right of and above the middle, and `at` a quarter of that above (1, 2). A
    // quarter of the target's previous value, (1, 0.5, 2, 4), is added.
    let case = folder.path().join("out/cases/a_lit.shader_test");
    let text = fs::read_to_string(&case).expect("the case was written");
    for (alpha, code) in [("2", 0), ("1.25", 1)] {
        let probe = format!("probe rgba (8, 8) (1.265625, 2.140625, 0.5, {alpha})\n");
        fs::write(&case, format!("{text}{probe}")).expect("the case can be written");
        let ran =
            interstage(folder.path(), &["run", "out/cases/a_lit.shader_test", "--adapter", "cpu"]);
        assert_eq!(ran.code, Some(code), "{}", ran.text());
    }
}

/// The verdicts of programs that change nothing, everything, and a part of what is compared; the numbers are counted by
/// hand.
#[test]
fn what_changes_nothing_is_not_tested() {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    let file = "\
@group(0) @binding(0) var<storage, read> old: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;
@compute @workgroup_size(4) fn same(@builtin(global_invocation_id) id: vec3u) { next[id.x] = next[id.x]; }
@compute @workgroup_size(3) fn copied(@builtin(global_invocation_id) id: vec3u) { next[id.x] = old[id.x]; }
@fragment fn nothing(@location(0) at: vec2f) -> @location(0) vec4f { discard; return vec4f(at, at); }
@fragment fn zeros(@location(1) at: vec3f) -> @location(0) vec4f { return vec4f(0.0); }
@fragment fn half(@builtin(position) at: vec4f, @location(2) other: f32) -> @location(0) vec4u {
    if at.x < 4.0 { discard; }
    return vec4u(0u);
}
";
    fs::write(folder.path().join("a.wgsl"), file).expect("the file can be written");
    let run = ["run", "a.wgsl", "--adapter", "cpu", "--results", "out"];
    expect![[r#"
        cpu:0 · interstage's executor · 0.1.0
        not tested: 1 × nothing changed: 262 invocations left all 256 words and pixels as they were
          a.wgsl#nothing
        not tested: 1 × nothing changed: 8 invocations left all 8 words and pixels as they were
          a.wgsl#same
        5 cases in some time
        oracle: 5 cases compared, 5 of them unlinked as well
        oracle: 3088 values, 0.00 % of them undecided
        oracle: 800 invocations changed 6 of 16 words and 448 of 768 pixels
        3 passed, 0 failed, 0 skipped, 2 not tested
        exit code 0
    "#]]
    .assert_eq(&interstage(folder.path(), &run).text());
    let text = fs::read_to_string(folder.path().join("out/results.json")).expect("results");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let row = |case: &serde_json::Value| {
        let oracle = &case["oracle"];
        let number = |field: &str| oracle[field].to_string();
        let [name, kind] = ["name", "kind"].map(|field| case[field].as_str().unwrap_or_default());
        let fields = ["invocations", "changed_words", "words", "changed_pixels", "pixels"];
        format!("{name} {kind}: {}\n", fields.map(number).join(" "))
    };
    let rows: String = json["cases"].as_array().expect("cases").iter().map(row).collect();
    expect![[r#"
        a.wgsl#copied Pass: 6 6 8 0 0
        a.wgsl#half Pass: 262 0 0 192 256
        a.wgsl#nothing Untested: 262 0 0 0 256
        a.wgsl#same Untested: 8 0 8 0 0
        a.wgsl#zeros Pass: 262 0 0 256 256
    "#]]
    .assert_eq(&rows);
    // A baseline that lists the case as failed is out of date.
    let list = folder.path().join("fails.txt");
    fs::write(&list, "a.wgsl#same,Fail\n").expect("the list can be written");
    let run = ["run", "a.wgsl#same", "--adapter", "cpu", "--known-failures", "fails.txt"];
    let told = interstage(folder.path(), &run);
    assert!(told.stdout.contains("1 skipped unexpectedly"), "{}", told.text());
    assert_eq!(told.code, Some(2), "{}", told.text());
    // A run of only such cases tests nothing.
    let told = interstage(folder.path(), &["run", "a.wgsl#same", "--adapter", "cpu"]);
    assert_eq!(told.code, Some(3), "{}", told.text());
    assert!(told.stderr.contains("nothing was tested: the only result"), "{}", told.text());
}

/// Places that go through square matrices stay near the target, so most of it is drawn.
#[test]
fn square_matrices_are_near_the_identity() {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    let file = "\
struct Camera { view: mat4x4f, projection: mat4x4f }
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<storage> models: array<mat3x3f>;
@vertex fn vertices(@location(0) place: vec4f) -> @builtin(position) vec4f {
    return camera.projection * camera.view * vec4f(models[0] * place.xyz, place.w);
}
@fragment fn red() -> @location(0) vec4f { return vec4f(1.0, 0.0, 0.0, 1.0); }
";
    fs::write(folder.path().join("a.wgsl"), file).expect("the file can be written");
    let told = interstage(folder.path(), &["run", "a.wgsl", "--adapter", "cpu"]);
    expect![[r#"
        cpu:0 · interstage's executor · 0.1.0
        1 case in some time
        oracle: 1 case compared, 1 of them unlinked as well
        oracle: 1024 values, 0.00 % of them undecided
        oracle: 178 invocations changed 0 of 0 words and 172 of 256 pixels
        1 passed, 0 failed, 0 skipped
    "#]]
    .assert_eq(&told.stdout);
}

/// Undecided values are not a failure of a file without expectations; a wrong value from a driver still is.
#[test]
fn values_that_are_not_decided_are_no_failure() {
    let folder = tempfile::tempdir().expect("the system has room for temporary files");
    let file = "\
@group(0) @binding(0) var<storage, read_write> some: array<f32>;
@compute @workgroup_size(8) fn vague(@builtin(local_invocation_index) i: u32) {
    some[i] = fract(sin(f32(i) + 1.0) * 40000.0);
}
@compute @workgroup_size(8) fn clear(@builtin(local_invocation_index) i: u32) { some[i] = 1.0; }
";
    fs::write(folder.path().join("a.wgsl"), file).expect("the file can be written");
    let told = interstage(folder.path(), &["run", "a.wgsl", "--adapter", "cpu"]);
    expect![[r#"
        cpu:0 · interstage's executor · 0.1.0
        not decided: 1 × 8 of 8 values depend on rounding or are undefined
          a.wgsl#vague
        2 cases in some time
        oracle: 2 cases compared, 2 of them unlinked as well
        oracle: 16 values, 50.00 % of them undecided
        oracle: 16 invocations changed 16 of 16 words and 0 of 0 pixels
        1 passed, 0 failed, 0 skipped, 1 not decided
        exit code 0
    "#]]
    .assert_eq(&told.text());
}
