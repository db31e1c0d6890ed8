//! A hundred thousand cases.

use crate::Place;

#[test]
fn a_hundred_thousand_cases_are_run_and_none_is_lost() {
    let place = Place::new([], "fail n=99;\n");
    let text = "[parameters]\nn = 0..99\nm = 0..99\n\n[vertex shader passthrough]\n# ${n} ${m}\n\n[test]\nlink success\n";
    (0..10).for_each(|file| drop(place.write(&format!("cases/{file}.shader_test"), text)));
    let run = place.run(&["--quiet", "--retries", "0"]);
    assert_eq!(
        run.stdout.lines().last(),
        Some("99000 passed, 1000 failed, 0 skipped"),
        "{}",
        run.stderr
    );
    let results = place.read("out/results.csv");
    assert_eq!(results.lines().count(), 100_000);
    assert_eq!(
        results.lines().filter(|line| line.contains("#n=99;") && line.contains(",Fail,")).count(),
        1000
    );
    let all = "100,000 cases, of which 1000 fail (no fault)";
    place.check_all(all, 0, 100_000, |name, status| {
        status == if name.contains("#n=99;") { "Fail" } else { "Pass" }
    });
    assert!(results.lines().is_sorted_by_key(|line| line.split(',').next()));
}
