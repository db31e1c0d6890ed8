//! Ten thousand cases, and a hundred thousand in `cargo xtask soak`.

use crate::{Place, soak};

#[test]
fn thousands_of_cases_are_run_and_none_is_lost() {
    let files: usize = if soak::is_soak() { 10 } else { 1 };
    let place = Place::new([], "fail n=99;\n");
    let text = "[parameters]\nn = 0..99\nm = 0..99\n\n[vertex shader passthrough]\n# ${n} ${m}\n\n[test]\nlink success\n";
    (0..files).for_each(|file| drop(place.write(&format!("cases/{file}.shader_test"), text)));
    let run = place.run(&["--quiet", "--retries", "0"]);
    assert_eq!(
        run.stdout.lines().last(),
        Some(&*format!("{} passed, {} failed, 0 skipped", files * 9_900, files * 100)),
        "{}",
        run.stderr
    );
    let results = place.read("out/results.csv");
    assert_eq!(results.lines().count(), files * 10_000);
    assert_eq!(
        results.lines().filter(|line| line.contains("#n=99;") && line.contains(",Fail,")).count(),
        files * 100
    );
    let all = format!("{files}0,000 cases, of which every hundredth fails (no fault)");
    soak::tell(&all);
    place.check_all(&all, 0, files * 10_000, |name, status| {
        status == if name.contains("#n=99;") { "Fail" } else { "Pass" }
    });
    assert!(results.lines().is_sorted_by_key(|line| line.split(',').next()));
}
