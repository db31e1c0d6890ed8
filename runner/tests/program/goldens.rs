//! Life cycle of goldens: missing, blessed, matching, changed. These tests draw on any available adapter;
//! `cargo xtask test` ensures that there is one.

use crate::{folder, interstage, program, run};

const CASE: &str = "\
[vertex shader]
#version 450
layout(location = 0) in vec4 piglit_vertex;
void main()
{
    gl_Position = piglit_vertex;
}

[fragment shader]
#version 450
out vec4 color;
void main()
{
    color = vec4(0.0, 1.0, 0.0, 1.0);
}

[require]
size 4 4

[test]
draw rect -1 -1 2 2
golden target 0 green exact
";

#[test]
fn a_golden_is_missing_then_blessed_then_held_and_a_change_is_kept() {
    let folder = folder(&[("cases/a.shader_test", CASE)]);
    let path = folder.path();
    let missing = run(program(path).arg("run"));
    assert_eq!(missing.code, Some(1), "{}", missing.text());
    assert!(
        missing.stdout.contains("the golden does not exist; create it with `interstage bless`"),
        "{}",
        missing.stdout
    );

    let blessed = run(program(path).args(["bless", "cases/a.shader_test"]));
    assert_eq!(blessed.code, Some(0), "{}", blessed.text());
    assert!(
        blessed.stdout.contains("golden/a/green.png: new: 4 by 4 rgba8unorm\n"),
        "{}",
        blessed.stdout
    );
    let held = run(program(path).arg("run"));
    assert_eq!(held.code, Some(0), "{}", held.text());

    std::fs::write(
        path.join("cases/a.shader_test"),
        CASE.replace("vec4(0.0, 1.0", "vec4(1.0, 1.0"),
    )
    .unwrap();
    let changed = run(program(path).args(["run", "--keep", "out"]));
    assert_eq!(changed.code, Some(1), "{}", changed.text());
    let kept: Vec<_> = std::fs::read_dir(path.join("out/cases/a.shader_test")).unwrap().collect();
    assert!(kept.len() >= 4, "an image, the link map and two stages: {kept:?}");
}

#[test]
fn a_probe_that_fails_is_blessed_in_the_text_and_the_change_is_shown() {
    let probed = CASE.replace("golden target 0 green exact", "probe all rgba 0.5 0 0 1");
    let folder = folder(&[("cases/a.shader_test", &probed)]);
    let blessed = run(program(folder.path()).args(["bless", "cases/a.shader_test"]));
    assert_eq!(blessed.code, Some(0), "{}", blessed.text());
    assert!(blessed.stdout.contains("- probe all rgba 0.5 0 0 1\n"), "{}", blessed.stdout);
    assert!(blessed.stdout.contains("+ probe all rgba 0 1 0 1\n"), "{}", blessed.stdout);
    let text = std::fs::read_to_string(folder.path().join("cases/a.shader_test")).unwrap();
    assert_eq!(text, probed.replace("0.5 0 0 1", "0 1 0 1"));
}

#[test]
fn probes_of_fractions_and_of_depth_are_blessed_too() {
    let wrong = "draw rect -1 -1 2 2\n\
                 relative probe rect rgb (0.5, 0.0, 0.5, 0.5) (0.25, 1.0, 0.0)\nprobe depth 1 1 0.25\n";
    let right = wrong.replace("(0.25, 1.0, 0.0)", "(0, 1, 0)").replace("1 1 0.25", "1 1 1");
    let case = |steps: &str| {
        let case = CASE.replace("size 4 4", "size 4 4\ndepthbuffer");
        case.replace("draw rect -1 -1 2 2\ngolden target 0 green exact\n", steps)
    };
    let folder = folder(&[("cases/a.shader_test", &case(wrong))]);
    let blessed = run(program(folder.path()).args(["bless", "cases/a.shader_test"]));
    let text = std::fs::read_to_string(folder.path().join("cases/a.shader_test")).unwrap();
    assert_eq!(text, case(&right), "{}", blessed.text());
}

#[test]
fn a_value_that_all_parameters_share_is_blessed_and_one_that_is_a_parameter_is_not() {
    let probed = CASE.replace("golden target 0 green exact", "probe all rgba 0.5 0 0 1");
    let shared =
        format!("[parameters]\ngreen = 1.0 1\n\n{}", probed.replace("(0.0, 1.0", "(0.0, ${green}"));
    let own =
        format!("[parameters]\nred = 0.25 0.5\n\n{}", probed.replace("0.5 0 0 1", "${red} 0 0 1"));
    let folder = folder(&[("cases/a.shader_test", &shared), ("cases/b.shader_test", &own)]);
    let bless = |case: &str| run(program(folder.path()).args(["bless", case]));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let blessed = bless("cases/a.shader_test#green=1");
    assert_eq!(blessed.code, Some(0), "{}", blessed.text());
    assert_eq!(read("cases/a.shader_test"), shared.replace("0.5 0 0 1", "0 1 0 1"));
    let refused = bless("cases/b.shader_test#red=0.25");
    assert_eq!(refused.code, Some(1), "{}", refused.text());
    assert_eq!(read("cases/b.shader_test"), own);
}

#[test]
fn nothing_is_blessed_in_ci() {
    let folder = folder(&[("cases/a.shader_test", CASE)]);
    let refused =
        run(program(folder.path()).args(["bless", "cases/a.shader_test"]).env("CI", "true"));
    assert_eq!(refused.code, Some(3));
    assert!(!folder.path().join("golden").exists());
}

#[test]
fn a_case_that_passes_as_it_is_has_nothing_to_accept() {
    let folder = folder(&[("cases/a.shader_test", crate::GOOD), ("cases/b.shader_test", CASE)]);
    let bless = || run(program(folder.path()).args(["bless", "cases"]));
    let first = bless();
    assert_eq!(first.code, Some(0), "{}", first.text());
    assert!(first.stdout.contains("nothing to accept in 1 case\n"), "{}", first.stdout);
    let again = bless();
    assert_eq!(again.code, Some(0), "{}", again.text());
    assert!(again.stdout.ends_with("nothing to accept in 2 cases\n"), "{}", again.stdout);
    assert!(!again.stdout.contains("cases/"), "{}", again.stdout);
}

#[test]
fn a_dry_run_tells_the_changes_and_makes_none() {
    let probed = CASE.replace("golden target", "probe all rgba 0.5 0 0 1\ngolden target");
    let folder = folder(&[("cases/a.shader_test", &probed)]);
    let told = run(program(folder.path()).args(["bless", "--dry-run", "cases"]));
    assert_eq!(told.code, Some(0), "{}", told.text());
    for line in
        ["green.png: new: 4 by 4", "+ probe all rgba 0 1 0 1", "dry run: 1 case would change"]
    {
        assert!(told.stdout.contains(line), "{line}: {}", told.stdout);
    }
    let text = std::fs::read_to_string(folder.path().join("cases/a.shader_test")).unwrap();
    assert_eq!(text, probed);
    assert!(!folder.path().join("golden").exists());
}

#[test]
fn a_review_writes_what_is_accepted_and_nothing_else() {
    let probed = CASE.replace("golden target 0 green exact", "probe all rgba 0.5 0 0 1");
    let names = ["cases/a.shader_test", "cases/b.shader_test", "cases/c.shader_test"];
    let folder = folder(&names.map(|name| (name, probed.as_str())));
    let review = |answers: &str| {
        std::fs::write(folder.path().join("answers"), answers).unwrap();
        let answers = std::fs::File::open(folder.path().join("answers")).unwrap();
        run(program(folder.path()).args(["bless", "--review", "cases"]).stdin(answers))
    };
    let silent = review("");
    assert_eq!(silent.code, Some(3), "{}", silent.text());
    assert!(silent.stderr.contains("there is no answer on stdin"), "{}", silent.stderr);
    let reviewed = review("n\nwhat\ny\nq\n");
    assert_eq!(reviewed.code, Some(0), "{}", reviewed.text());
    assert!(reviewed.stdout.ends_with("1 case changed\n"), "{}", reviewed.stdout);
    let is_changed = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        text.contains("probe all rgba 0 1 0 1")
    };
    assert_eq!(names.map(is_changed), [false, true, false]);
}

#[test]
fn what_the_linker_decided_is_accepted_too() {
    let wrong = crate::GOOD.replace("slots 1", "slots 3 # of vec4\nuv  1.xy");
    let folder = folder(&[("cases/a.shader_test", &wrong)]);
    let blessed = interstage(folder.path(), &["bless", "cases"]);
    assert_eq!(blessed.code, Some(0), "{}", blessed.text());
    let text = std::fs::read_to_string(folder.path().join("cases/a.shader_test")).unwrap();
    assert_eq!(text, crate::GOOD.replace("slots 1", "slots 1 # of vec4\nuv 0.xy"));
    assert!(blessed.stdout.contains("- slots 3 # of vec4\n"), "{}", blessed.stdout);
    let lines = |output, carrier| {
        crate::GOOD.replace("slots 1", &format!("output 0 {output} # of it\ncarrier 0 {carrier}"))
    };
    for (output, carrier) in [("uvec4", "flat vec2"), ("vec4", "smooth vec4")] {
        let path = folder.path().join("cases/a.shader_test");
        std::fs::write(&path, lines(output, carrier)).unwrap();
        let blessed = interstage(folder.path(), &["bless", "cases"]);
        assert_eq!(blessed.code, Some(0), "{}", blessed.text());
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text, lines("vec4", "smooth vec2"), "{}", blessed.text());
    }
    // A varying that does not exist has no slot to accept.
    std::fs::write(folder.path().join("cases/a.shader_test"), text.replace("uv 0", "vu 0"))
        .unwrap();
    let refused = interstage(folder.path(), &["bless", "cases"]);
    assert_eq!(refused.code, Some(1), "{}", refused.text());
    assert!(refused.stdout.contains("no varying `vu` crosses"), "{}", refused.stdout);
}
