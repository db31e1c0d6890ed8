//! `interstage new`: templates that pass unchanged. All but that of `--link` need an adapter.

use crate::{folder, interstage, program, run};

#[test]
fn every_template_passes_at_once() {
    let folder = folder(&[]);
    let templates: [(&str, &[&str]); 6] = [
        ("v/glsl", &[]),
        ("texture", &["--texture"]),
        ("compute", &["--compute"]),
        ("wgsl", &["--wgsl"]),
        ("wgsl_texture", &["--wgsl", "--texture"]),
        ("wgsl_compute", &["--wgsl", "--compute"]),
    ];
    for (name, options) in templates {
        let made = interstage(folder.path(), &[&["new", name], options].concat());
        let path = format!("cases/{name}.shader_test");
        let told = format!("{path}\nrun it: interstage run {path}\nexit code 0\n");
        assert_eq!(made.text(), told);
        let ran = run(program(folder.path()).args(["run", &path]));
        assert!(ran.stdout.ends_with("1 passed, 0 failed, 0 skipped\n"), "{}", ran.text());
    }
    interstage(folder.path(), &["new", "link", "--link"]);
    let ran = interstage(folder.path(), &["run", "cases/link.shader_test"]);
    assert_eq!(ran.code, Some(0), "{}", ran.text());
}

#[test]
fn a_case_is_made_below_the_project_and_never_replaces_another() {
    let settings = "roots = [\"tests/shaders\"]\n";
    let folder = folder(&[("p/interstage.toml", settings), ("p/deep/er/x", "")]);
    let inside = folder.path().join("p/deep/er");
    let path = folder.path().join("p/tests/shaders/a/b.shader_test");
    assert_eq!(interstage(&inside, &["new", "a/b"]).code, Some(0));
    std::fs::write(&path, "mine").unwrap();
    // The same name, in its printed form.
    let again = interstage(&folder.path().join("p"), &["new", "tests/shaders/a/b.shader_test"]);
    assert_eq!(
        again.text(),
        "error: tests/shaders/a/b.shader_test exists already; choose another name\nexit code 3\n"
    );
    assert_eq!(std::fs::read_to_string(path).unwrap(), "mine");
}

#[test]
fn a_name_stays_below_the_folder_of_the_cases() {
    let folder = folder(&[]);
    for name in ["../x", "/x", "a#n=1", "a,b", "x/", ""] {
        let refused = interstage(folder.path(), &["new", name]);
        assert!(refused.stderr.contains("is not a valid name"), "{name}: {}", refused.text());
        assert_eq!(refused.code, Some(3));
    }
}
