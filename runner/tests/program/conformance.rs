//! Files of the shader library of the conformance tests, as their users type them.

mod parser_tests;

use expect_test::expect;

use crate::{folder, interstage};

/// A file with a case that passes, one that fails, and one with a mistake.
const LIBRARY: &str = "\
group if \"If statements\"
    case white
        version 300 es
        values { input float in0 = [ 0.0 | 1.0 ]; output float out0 = [ 1.0 | 0.0 ]; }
        both \"\"
            #version 300 es
            precision mediump float;
            ${DECLARATIONS}
            void main()
            {
                out0 = 0.0;
                if (in0 < 0.5)
                    out0 = 1.0;
                ${OUTPUT}
            }
        \"\"
    end
    case wrong
        version 300 es
        expect compile_fail
        import \"b.test\"
    end
    import \"b.test\"
end
";

/// An imported file.
const IMPORTED: &str = "\
case links
    version 300 es
    expect link_fail
    vertex \"\"
        #version 300 es
        ${VERTEX_DECLARATIONS}
        out mediump vec2 v;
        void main() { v = vec2(1.0); ${VERTEX_OUTPUT} }
    \"\"
    fragment \"\"
        #version 300 es
        precision mediump float;
        in vec2 v;
        out vec4 color;
        void main() { color = v.xyxy; }
    \"\"
end
";

#[test]
fn all_cases_of_a_folder_run_and_messages_point_into_the_file() {
    let folder = folder(&[("a.test", LIBRARY), ("b.test", IMPORTED)]);
    let told = interstage(folder.path(), &["run", ".", "--adapter", "cpu"]);
    assert_eq!(told.code, Some(3), "{}", told.text());
    expect![[r#"
        BROKEN a.test#if.wrong
          error: expected a word of a case or `end`, found `import`
             ┌─ ./a.test:21:9
             │
          21 │         import "b.test"
             │         ^^^^^^
          repeat    interstage run './a.test#if.wrong'
        FAIL a.test#if.links  cpu:0
          ./a.test: ./b.test:3: link error
            linking succeeded
          slots     0.xy <- v.xy
          repeat    interstage run './a.test#if.links' --adapter cpu:0 --keep out/
        FAIL b.test#links  cpu:0
          ./b.test:3: link error
            linking succeeded
          slots     0.xy <- v.xy
          repeat    interstage run './b.test#links' --adapter cpu:0 --keep out/
        cpu:0 · interstage's executor · 0.1.0
        failed:
          a.test#if.wrong  (broken)
          a.test#if.links
          b.test#links
        5 cases in some time
        among the failed: 1 broken
        2 passed, 3 failed, 0 skipped
    "#]]
    .assert_eq(&told.stdout);
}

#[test]
fn a_case_is_found_by_its_name() {
    let folder = folder(&[("a.test", LIBRARY), ("b.test", IMPORTED)]);
    let told = interstage(folder.path(), &["list", "a.test"]);
    expect![[r#"
        a.test#if.white_vertex
        a.test#if.white_fragment
        a.test#if.wrong
        a.test#if.links
    "#]]
    .assert_eq(&told.stdout);
    let name = "a.test#if.white_fragment";
    let told = interstage(folder.path(), &["run", name, "--adapter", "cpu"]);
    assert!(told.stdout.ends_with("1 passed, 0 failed, 0 skipped\n"), "{}", told.text());
    let told = interstage(folder.path(), &["inspect", name]);
    assert!(told.stdout.contains("float  in0"), "{}", told.text());
    let told = interstage(folder.path(), &["run", "a.test#if.white", "--adapter", "cpu"]);
    assert!(
        told.stderr.contains(
            "a.test#if.white: the file has no case with these groups and this name; it has"
        ),
        "{}",
        told.text()
    );
    let excluded = ["list", "a.test", "--exclude", "white|wrong"];
    assert_eq!(interstage(folder.path(), &excluded).stdout, "a.test#if.links\n");
}

#[test]
fn commands_that_change_cases_refuse_the_file_by_name() {
    let folder = folder(&[("a.test", LIBRARY), ("b.test", IMPORTED)]);
    let check = |arguments: &[&str], message: &str| {
        let told = interstage(folder.path(), arguments);
        assert_eq!(told.code, Some(3), "{}", told.text());
        assert!(told.stderr.contains(message), "{}", told.text());
    };
    check(&["bless", "b.test"], "b.test: files of the shader library have no goldens");
    check(&["fmt", "b.test"], "b.test: not a case file");
}

/// A case with a wrong value: the expectation of one pixel fails.
const DRAWN: &str = "\
case wrong_value
    version 300 es
    values { input float in0 = [ 0.0 | 1.0 ]; output float out0 = [ 1.0 | 0.5 ]; }
    both \"\"
        #version 300 es
        precision mediump float;
        ${DECLARATIONS}
        void main()
        {
            float needless = 0.25;
            out0 = 1.0 - in0;
            ${OUTPUT}
        }
    \"\"
end
";

#[test]
fn a_case_is_reduced_to_a_case_file() {
    let folder = folder(&[
        ("a.test", LIBRARY),
        ("b.test", IMPORTED),
        ("c.test", DRAWN),
        ("conformance/interstage.toml", "dialect = \"conformance\"\n"),
    ]);
    let small = "conformance/small.shader_test";
    let case = "c.test#wrong_value_fragment";
    let told = interstage(folder.path(), &["run", case, "--adapter", "cpu"]);
    let step = "probe all rgb 1 1 1 # draw 2 of 2: in0 = 1.0, out0 = 0.5\n";
    assert!(told.stdout.contains(step), "{}", told.text());
    let told = interstage(folder.path(), &["reduce", case, "--adapter", "cpu", "-o", small]);
    assert_eq!(told.code, Some(0), "{}", told.text());
    assert!(!told.stderr.contains("warning"), "{}", told.text());
    let text = std::fs::read_to_string(folder.path().join(small)).expect("it is written");
    assert!(text.contains(step) && !text.contains("needless"), "{text}");
    let told = interstage(folder.path(), &["run", small, "--adapter", "cpu"]);
    assert_eq!(told.code, Some(1), "{}", told.text());
    let check = |case: &str, message: &str| {
        let told = interstage(folder.path(), &["reduce", case, "--adapter", "cpu"]);
        assert_eq!(told.code, Some(3), "{}", told.text());
        assert!(told.stderr.contains(message), "{}", told.text());
    };
    check("a.test#if.white_vertex", "the case has the status `pass`");
    check("a.test#if.wrong", "a.test#if.wrong: the case is broken");
    check("b.test#links", "link error: linking succeeded; a case without the error");
}

/// Lists of known failures, and tables of references, name cases as a run prints them.
#[test]
fn lists_and_tables_name_the_cases() {
    let folder = folder(&[
        ("a.test", LIBRARY),
        ("b.test", IMPORTED),
        ("known.txt", "b.test#links,Fail,a reason\na.test#if.links,Fail\n"),
        (
            "table.tsv",
            "path\ttier\torigin\treference\nb.test#links\tx\ty\tpass\na.test#if.white_vertex\tx\ty\tpass\n",
        ),
    ]);
    let run = ["run", ".", "--adapter", "cpu", "--exclude", "wrong", "--results", "results"];
    let told = interstage(folder.path(), &[&run[..], &["--known-failures", "known.txt"]].concat());
    assert!(
        told.stdout.ends_with("2 passed, 0 failed, 0 skipped, 2 known failures\n"),
        "{}",
        told.text()
    );
    let told = interstage(folder.path(), &["agree", "results/results.json", "table.tsv"]);
    expect![[r#"
        tier    origin        cases  same  wrong passes  wrong failures  unsupported  passes unjudged  skipped by one  no result
        x       y                 2     1             0               1            0                0               0          0
        all                       2     1             0               1            0                0               0          0
        wrong failure  b.test#links
          link error: linking succeeded
    "#]]
    .assert_eq(&told.stdout);
}

#[test]
fn cases_become_case_files() {
    let folder = folder(&[("a.test", LIBRARY), ("b.test", IMPORTED), ("interstage.toml", "")]);
    let none = interstage(folder.path(), &["convert", "a.test"]);
    assert_eq!(none.code, Some(3), "{}", none.text());
    assert!(none.stderr.contains("a.test: give one of its cases, `FILE#NAME`"), "{}", none.text());
    let wrong = interstage(folder.path(), &["convert", "b.test#links"]);
    assert_eq!(wrong.code, Some(3), "{}", wrong.text());
    assert!(wrong.stderr.contains("its own expectation does not hold"), "{}", wrong.text());
    let drawn = interstage(folder.path(), &["convert", "a.test#if.white_vertex"]);
    assert_eq!(drawn.code, Some(0), "{}", drawn.text());
    assert!(
        drawn.stdout.starts_with("# a.test#if.white_vertex\n\n[require]\n"),
        "{}",
        drawn.text()
    );
    assert!(drawn.stdout.contains("probe all rgb 1 1 1"), "{}", drawn.text());
}
