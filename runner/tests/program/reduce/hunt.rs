//! `interstage hunt`, on adapters that follow a script.

use std::path::Path;

use tempfile::TempDir;

use crate::{Run, folder, program, run};

/// Programs whose text has an operation give a wrong value.
const WRONG: &str = "text differ \\bpackHalf2x16\\(\n";

/// A hunt with a script in its folder.
fn hunt(folder: &Path, arguments: &[&str]) -> Run {
    let usual = ["hunt", "--script", "script", "--language", "glsl"];
    let mut program = program(folder);
    run(program.env("INTERSTAGE_ADAPTER", "scripted:0").args(usual).args(arguments))
}

fn with_script(script: &str) -> TempDir {
    folder(&[("script", script)])
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_default()
}

/// Names of the folders of faults.
fn faults(folder: &Path) -> Vec<String> {
    let Ok(entries) = folder.join("hunt/faults").read_dir() else { return Vec::new() };
    let names = entries.map(|entry| entry.expect("readable").file_name());
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_operation_that_gives_wrong_values_is_one_fault() {
    let folder = with_script(WRONG);
    let told = hunt(folder.path(), &["--count", "24"]);
    assert_eq!(told.code, Some(1), "{}", told.text());
    let names = faults(folder.path());
    let [name] = names.as_slice() else { panic!("{names:?}\n{}", told.text()) };
    let log = read(folder.path(), "hunt/hunt.jsonl");
    assert!(name.starts_with("001_") && log.contains("\"packHalf2x16 of float\""), "{log}");
    let path = format!("hunt/faults/{name}/cases/{name}.shader_test");
    let reduced = read(folder.path(), &path);
    assert!(reduced.contains("packHalf2x16(") && reduced.lines().count() < 30, "{reduced}");
    let original = read(
        folder.path(),
        &format!("hunt/faults/{name}/original/cases/{name}_original.shader_test"),
    );
    assert!(original.lines().count() > 100, "{original}");
    let report = read(folder.path(), &format!("hunt/faults/{name}/report.md"));
    for part in [
        "8.4 Floating-Point Pack and Unpack Functions",
        "actual    as the script says",
        "* scripted · adapter 0",
    ] {
        assert!(report.contains(part), "{part} is missing in {report}");
    }
    assert!(report.contains(&format!("interstage run '{path}'")), "{report}");
    assert!(read(folder.path(), "hunt/index.html").contains(name));
    assert!(!folder.path().join("hunt/running").exists());
}

#[test]
fn a_hunt_goes_on_where_the_last_one_ended_and_writes_nothing_twice() {
    let folder = with_script(WRONG);
    let first = hunt(folder.path(), &["--count", "12"]);
    let line = "  12 programs; 1 fault, 1 of them new";
    assert!(first.stdout.contains(line) && first.code == Some(1), "{}", first.text());
    let second = hunt(folder.path(), &["--count", "12"]);
    assert_eq!(second.code, Some(0), "{}", second.text());
    assert_eq!(faults(folder.path()).len(), 1, "{}", second.text());
    let log = read(folder.path(), "hunt/hunt.jsonl");
    let ran: Vec<_> = log.lines().filter(|line| line.starts_with("{\"Ran\"")).collect();
    assert!(ran.len() == 2 && ran[1].contains("\"first\":12"), "{log}");
    let other = hunt(folder.path(), &["--count", "1", "--adapter", "scripted:1"]);
    let notes = ["without scripted · adapter 0", "with scripted · adapter 1"];
    assert!(notes.iter().all(|note| other.stderr.contains(note)), "{}", other.text());
}

#[test]
fn what_a_killed_hunt_left_is_done_again() {
    let folder = with_script(WRONG);
    hunt(folder.path(), &["--count", "12"]);
    let log = folder.path().join("hunt/hunt.jsonl");
    let whole = read(folder.path(), "hunt/hunt.jsonl");
    // It was killed while it wrote the line of the batch, and before the folder of another fault was complete.
    std::fs::write(&log, &whole[..whole.trim_end().rfind('\n').expect("lines") + 20])
        .expect("ours");
    let name = faults(folder.path()).remove(0);
    let part = folder.path().join("hunt/faults/002_x.part");
    std::fs::create_dir_all(part).expect("ours");
    let again = hunt(folder.path(), &["--count", "12"]);
    assert_eq!(again.code, Some(0), "{}", again.text());
    assert_eq!(faults(folder.path()), [name, "002_x.part".to_owned()]);
    assert!(again.stdout.contains("12 programs; 1 fault, 0 of them new"), "{}", again.text());
}

#[test]
fn a_hunt_in_which_nothing_runs_fails() {
    let folder = with_script("skip .\n");
    let told = hunt(folder.path(), &["--count", "3"]);
    assert_eq!(told.code, Some(3), "{}", told.text());
    for part in ["skipped: 3 × ", "3 programs, 3 skipped; 0 faults"] {
        assert!(told.stdout.contains(part), "{part} is missing in {}", told.text());
    }
    assert!(told.stderr.contains("nothing was run: all results are skipped"), "{}", told.text());
}

#[test]
fn crashes_and_hangs_cost_their_program() {
    let folder = with_script("crash _3\\.\nhang _5\\.\nno-device _7\\.\n");
    let told = hunt(folder.path(), &["--count", "10", "--timeout", "1", "--reduce-time", "2s"]);
    assert_eq!(told.code, Some(1), "{}", told.text());
    assert!(told.stdout.contains("7 passed, 3 failed"), "{}", told.text());
    assert_eq!(faults(folder.path()).len(), 2, "{}", told.text());
    assert!(told.stderr.contains("crash: the worker process ended"), "{}", told.text());
    assert!(told.stderr.contains("timeout: stopped because it did not end"), "{}", told.text());
}

#[test]
fn a_failure_that_does_not_come_back_is_counted() {
    let folder = with_script("once differ _4\\.\n");
    let told = hunt(folder.path(), &["--count", "6"]);
    assert_eq!(told.code, Some(0), "{}", told.text());
    assert!(told.stdout.contains("1 of the failed passed when they ran again"), "{}", told.text());
    assert_eq!(faults(folder.path()), Vec::<String>::new());
}

#[test]
fn variants_of_cases_have_seeds() {
    let case = "[compute shader]\n#version 450\nlayout(local_size_x = 1) in;\nlayout(std430) buffer B { uint a; };\n\
                void main() { a = 1u; }\n\n[test]\nssbo 0 4\ncompute 1 1 1\nprobe ssbo uint 0 0 == 1\n";
    let folder = folder(&[
        ("cases/a.shader_test", case),
        ("cases/b.shader_test", case),
        ("script", "oracle /b"),
    ]);
    let told = hunt(folder.path(), &["cases", "--count", "5"]);
    assert_eq!(told.code, Some(1), "{}", told.text());
    assert!(
        told.stdout.contains("variants on scripted · adapter 0: 3 passed, 2 failed"),
        "{}",
        told.text()
    );
    let log = read(folder.path(), "hunt/hunt.jsonl");
    assert!(log.contains("\"first\":4"), "{log}");
    let name = faults(folder.path()).remove(0);
    let report = read(folder.path(), &format!("hunt/faults/{name}/report.md"));
    assert!(report.contains("--vary 0 --oracle"), "{report}");
}

#[test]
fn variants_of_one_combination_of_parameters_are_reduced() {
    let case = "[parameters]\nn = 1 2\n\n[compute shader]\n#version 450\nlayout(local_size_x = 1) in;\n\
                layout(std430) buffer B { uint a; };\nvoid main() { a = ${n}u; }\n\n[test]\nssbo 0 4\ncompute 1 1 1\n\
                probe ssbo uint 0 0 == ${n}\n";
    // The name of a reduced case has no parameters.
    let script =
        "oracle /a.shader_test#n=2\noracle /a.shader_test$\noracle /001_[a-z]*.shader_test$";
    let folder = folder(&[("cases/a.shader_test", case), ("script", script)]);
    let told = hunt(folder.path(), &["cases", "--count", "2"]);
    assert!(told.stdout.contains("1 passed, 1 failed\n"), "{}", told.text());
    let name = faults(folder.path()).remove(0);
    let original = read(
        folder.path(),
        &format!("hunt/faults/{name}/original/cases/{name}_original.shader_test"),
    );
    assert!(original.contains("a = 2u;") && !original.contains("[parameters]"), "{original}");
}

#[test]
fn a_case_that_fails_only_in_the_comparison_with_the_oracle_is_reduced() {
    let case = "[compute shader]\n#version 450\nlayout(local_size_x = 1) in;\nlayout(std430) buffer B { uint a; };\n\
                void main() { a = 1u; a = 2u; }\n\n[test]\nssbo 0 4\ncompute 1 1 1\nprobe ssbo uint 0 0 == 2\n";
    let folder = folder(&[("cases/a.shader_test", case), ("script", "oracle /a")]);
    let reduce = |arguments: &[&str]| {
        let usual =
            ["reduce", "cases/a.shader_test", "--script", "script", "--adapter", "scripted:0"];
        run(program(folder.path()).args(usual).args(arguments))
    };
    let without = reduce(&[]);
    assert!(without.stderr.contains("the case has the status `pass`"), "{}", without.text());
    let with = reduce(&["--oracle"]);
    assert!(with.code == Some(0) && with.stdout.lines().count() < 10, "{}", with.text());
}

#[test]
fn mistakes_are_told() {
    let folder = with_script("");
    let told = |arguments: &[&str]| {
        let told = hunt(folder.path(), arguments);
        assert_eq!(told.code, Some(3), "{}", told.text());
        told.stderr
    };
    assert!(told(&["--leave-out", "abs of nothing"]).contains("have no `abs of nothing`"));
    let only_glsl = ["--language", "glsl", "--leave-out", "abs of uint"];
    assert!(told(&only_glsl).contains("programs_glsl have no `abs of uint`"));
    assert!(told(&["--time", "1d"]).contains("expected a number with `s`, `m` or `h`"));
    assert!(told(&["nowhere"]).contains("nowhere"));
    assert!(told(&["-o", "script"]).contains("cannot create the folder script"));
    assert!(told(&["--leave-out", "abs of int", "script"]).contains("not for cases"));
    std::fs::create_dir(folder.path().join("hunt")).expect("ours");
    std::fs::write(folder.path().join("hunt/hunt.jsonl"), "something\n").expect("ours");
    assert!(told(&["--count", "1"]).contains("line 1 is not one of a hunt"));
}

/// A feature that GLSL lacks is still left out of programs in WGSL and SPIR-V.
#[test]
fn what_a_language_lacks_is_left_out_of_the_others() {
    let folder = with_script("");
    let arguments = ["hunt", "--script", "script", "--count", "1", "--leave-out", "abs of uint"];
    let mut program = program(folder.path());
    let told = run(program.env("INTERSTAGE_ADAPTER", "scripted:0").args(arguments));
    assert_eq!(told.code, Some(0), "{}", told.text());
    for name in ["programs_glsl", "programs_wgsl", "programs_spirv"] {
        assert!(told.stdout.contains(name), "{}", told.text());
    }
}

/// A front end that refuses a valid program has a fault, too.
#[test]
fn a_random_program_that_is_unsupported_is_a_fault() {
    let folder = with_script("text unsupported packHalf2x16\\(\n");
    let told = hunt(folder.path(), &["--count", "24"]);
    assert_eq!(told.code, Some(1), "{}", told.text());
    let names = faults(folder.path());
    let [name] = names.as_slice() else { panic!("{names:?}\n{}", told.text()) };
    let reduced = read(folder.path(), &format!("hunt/faults/{name}/cases/{name}.shader_test"));
    assert!(reduced.contains("packHalf2x16(") && reduced.lines().count() < 30, "{reduced}");
    assert!(told.stdout.contains("unsupported: as the script says"), "{}", told.text());
}

/// A script that adds the numbers of a file to those of a buffer.
const SCRIPT: &str = "#!amber\nSHADER compute kAdding GLSL\n#version 450\nlayout(local_size_x = 1) in;\n\
    layout(set = 0, binding = 0) buffer A { uint a; };\nlayout(set = 0, binding = 1) buffer B { uint b; };\n\
    void main() { a += b; }\nEND\nBUFFER kSum DATA_TYPE uint32 DATA 1 END\n\
    BUFFER kNumbers DATA_TYPE uint32 SIZE 1 FILE TEXT content/numbers.txt\nPIPELINE compute kPipeline\n\
    ATTACH kAdding\nBIND BUFFER kSum AS storage DESCRIPTOR_SET 0 BINDING 0\n\
    BIND BUFFER kNumbers AS storage DESCRIPTOR_SET 0 BINDING 1\nEND\nRUN kPipeline 1 1 1\n\
    EXPECT kSum IDX 0 EQ 3\n";

/// A compute stage of `VkRunner`.
const SECTIONS: &str = "[compute shader]\n#version 450\nlayout(local_size_x = 1) in;\n\
    layout(set = 0, binding = 0) buffer B { uint a; };\nvoid main() { a = 1u; }\n\n[test]\nssbo 0 4\ncompute 1 1 1\n\
    probe ssbo uint 0 0 == 1\n";

/// A case of the shader library.
const LIBRARY: &str = "case twice\nversion 300 es\nvalues { input float in0 = 1.0; output float out0 = 2.0; }\n\
    both \"\"\n#version 300 es\nprecision highp float;\n${DECLARATIONS}\nvoid main()\n{\n${SETUP}\n\
    out0 = in0 * 2.0;\n${OUTPUT}\n}\n\"\"\nend\n";

#[test]
fn variants_are_made_of_scripts_and_of_the_shader_library() {
    let folder = folder(&[
        ("cases/a.amber", SCRIPT),
        ("cases/content/numbers.txt", "2\n"),
        ("cases/b.vkscript", SECTIONS),
        ("cases/c.vk_shader_test", SECTIONS),
        ("cases/d.test", LIBRARY),
    ]);
    let usual = ["hunt", "cases", "--adapter", "cpu", "--count", "8"];
    let told = run(program(folder.path()).args(usual));
    assert!(told.stdout.contains(": 8 passed, 0 failed\n"), "{}", told.text());
}

#[test]
fn a_script_is_written_as_it_was_read_with_the_files_that_it_names() {
    let folder = folder(&[
        ("cases/a.amber", SCRIPT),
        ("cases/content/numbers.txt", "2\n"),
        ("script", "oracle /a"),
    ]);
    let told = hunt(folder.path(), &["cases", "--count", "1", "--reduce-time", "0"]);
    assert_eq!(told.code, Some(1), "{}", told.text());
    let name = faults(folder.path()).remove(0);
    let [reduced, original] = ["cases/NAME.amber", "original/cases/NAME_original.amber"]
        .map(|path| format!("hunt/faults/{name}/{}", path.replace("NAME", &name)));
    assert_eq!(read(folder.path(), &original), SCRIPT);
    assert!(read(folder.path(), &reduced).starts_with("#!amber\n# Found by "));
    let repeated =
        run(program(folder.path()).args(["run", "--adapter", "cpu", &reduced, &original]));
    assert!(repeated.stdout.contains("2 passed, 0 failed"), "{}", repeated.text());
    let report = read(folder.path(), &format!("hunt/faults/{name}/report.md"));
    assert!(report.contains("OpEntryPoint"), "{report}");
}

#[test]
fn cases_that_are_broken_are_named_once_and_are_no_fault() {
    let folder = folder(&[
        ("cases/a.amber", "nonsense"),
        ("cases/b.test", "case b"),
        ("cases/c.vk_shader_test", SECTIONS),
    ]);
    let hunt = |arguments: &[&str]| {
        run(program(folder.path()).args(["hunt", "--adapter", "cpu"]).args(arguments))
    };
    let told = hunt(&["cases", "--count", "6"]);
    assert_eq!(told.code, Some(0), "{}", told.text());
    assert!(told.stdout.contains("2 passed, 0 failed, 4 skipped"), "{}", told.text());
    for note in ["a.amber cannot be varied, because it is broken: a script", "b.test#b cannot be"] {
        assert_eq!(told.stderr.matches(note).count(), 1, "{}", told.text());
    }
    let none = hunt(&["cases/a.amber", "-o", "other"]);
    assert!(none.stderr.contains("none of the cases can be varied"), "{}", none.text());
}
