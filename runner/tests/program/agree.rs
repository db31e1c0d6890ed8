//! Comparison of results with those of another implementation.

use expect_test::expect;

use crate::{GOOD, folder, interstage};

const REFERENCE: &str = "\
path\ttier\torigin\tglsl\treference\tneeds
pass.shader_test\t1\thand\t450\tpass\t
slots.shader_test\t1\thand\t450\tpass\t
other/pass.shader_test\t1\tgenerated\t450\tfail\t
other/slots.shader_test\t1\tgenerated\t450\tcrash\tx
texture.shader_test\t2\thand\t120\tpass\ttexture
gone.shader_test\t2\thand\t450\tpass\t
";

#[test]
fn wrong_passes_and_wrong_failures_are_named() {
    let wrong = GOOD.replace("slots 1", "slots 2");
    let folder = folder(&[
        ("suite/pass.shader_test", GOOD),
        ("suite/slots.shader_test", &wrong),
        ("suite/other/pass.shader_test", GOOD),
        ("suite/other/slots.shader_test", &wrong),
        ("suite/texture.shader_test", "[test]\nnewlist GL_COMPILE\n"),
        ("reference.tsv", REFERENCE),
    ]);
    interstage(folder.path(), &["run", "suite", "--results", "out"]);
    let arguments = ["agree", "out/results.json", "reference.tsv", "--root", "suite"];
    expect![[r#"
        tier    origin        cases  same  wrong passes  wrong failures  unsupported  passes unjudged  skipped by one  no result
        1       generated         2     1             1               0            0                0               0          0
        1       hand              2     1             0               1            0                0               0          0
        2       hand              2     0             0               0            1                0               0          1
        all                       6     2             1               1            1                0               0          1
        wrong failure  slots.shader_test
          slots 2: expected  2
        wrong pass  other/pass.shader_test
          the reference says fail
        exit code 1
    "#]].assert_eq(&interstage(folder.path(), &arguments).text());
}

#[test]
fn what_is_no_reference_table_is_refused() {
    let folder = folder(&[("cases/a.shader_test", GOOD), ("table.tsv", "path\ttier\n")]);
    interstage(folder.path(), &["run", "--results", "out"]);
    expect![[r"
        error: table.tsv is not a reference table: the first line has no column `origin`
        exit code 3
    "]]
    .assert_eq(&interstage(folder.path(), &["agree", "out/results.json", "table.tsv"]).text());
}
