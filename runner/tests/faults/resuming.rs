//! `--resume`, `--shard` and `merge`.

use std::collections::BTreeMap;

use crate::{Place, run};

#[test]
fn a_resumed_run_is_the_run_it_would_have_been() {
    let place = Place::numbered(50, "fail /001\nskip /003\n");
    place.run(&[]);
    let whole = place.statuses();
    let json = place.read("out/results.json");
    let journal = place.read("out/journal.jsonl");
    let cut: usize = journal.lines().take(20).map(|line| line.len() + 1).sum();
    // Twenty lines, and an incomplete one.
    place.write("out/journal.jsonl", &journal[..cut + 30]);
    std::fs::remove_file(place.path().join("out/results.csv")).unwrap();
    let resumed = run(&mut place.command(&["run", "--resume", "out"]));
    assert_eq!(resumed.code, Some(1), "{}", resumed.text());
    place.check_all(
        "journal torn in the middle of a line; then --resume",
        1,
        50,
        |name, status| whole.get(name).is_some_and(|it| it == status),
    );
    let names = |json: &str| {
        json.lines().filter(|line| line.contains("\"name\"")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names(&place.read("out/results.json")), names(&json));
    // Failures are printed in the order of the cases, including those of the interrupted run.
    let failed: Vec<_> =
        resumed.stdout.lines().filter_map(|line| line.strip_prefix("FAIL ")).collect();
    assert!(failed.len() == 10 && failed.is_sorted(), "{failed:?}");
    assert_eq!(place.journal_length(), 50);
}

#[test]
fn every_adapter_is_resumed_where_it_was() {
    let place = Place::numbered(30, "fail /001\n");
    place.run(&["--adapter", "all"]);
    let whole = [0, 1].map(|idx| place.statuses_in(&format!("out/scripted-{idx}")));
    let name = "out/scripted-1/journal.jsonl";
    let journal: Vec<_> =
        place.read(name).lines().take(10).map(|line| format!("{line}\n")).collect();
    place.write(name, &journal.concat());
    let resumed = run(&mut place.command(&["run", "--resume", "out"]));
    assert_eq!(resumed.code, Some(1), "{}", resumed.text());
    assert_eq!([0, 1].map(|idx| place.statuses_in(&format!("out/scripted-{idx}"))), whole);
    assert_eq!(place.read(name).lines().count(), 31);
    // Results of another adapter with the same selector do not count.
    let journal = place.read(name).replacen("adapter 1", "adapter 7", 1);
    place.write(name, &journal.replace("\"status\":\"Pass\"", "\"status\":\"Skip\""));
    let other = run(&mut place.command(&["run", "--resume", "out"]));
    let told = "note: all 30 results on scripted:1 are out of date: the adapter was scripted:1 · adapter 7 and is \
                scripted:1 · adapter 1\n";
    assert_eq!((other.stderr.as_str(), other.code), (told, Some(1)), "{}", other.text());
    assert_eq!([0, 1].map(|idx| place.statuses_in(&format!("out/scripted-{idx}"))), whole);
}

#[test]
fn only_what_can_be_resumed_is() {
    let place = Place::numbered(3, "");
    let resume =
        |place: &Place, folder: &str| run(&mut place.command(&["run", "--resume", folder])).text();
    assert!(
        resume(&place, "nowhere").starts_with("error: cannot read the run in nowhere: run.json: ")
    );
    place.run(&[]);
    let header = place.read("out/run.json");
    place.write("out/run.json", &header.replace("\"schema\": 1", "\"schema\": 7"));
    assert_eq!(
        resume(&place, "out"),
        "error: cannot read the run in out: run.json: the file has schema 7, but this version of interstage reads \
         schema 1\nexit code Some(3)\n"
    );
    place.write("out/run.json", &header);
    let journal = place.read("out/journal.jsonl");
    place.write("out/journal.jsonl", &journal.replace("\"journal\":1", "\"journal\":7"));
    assert_eq!(
        resume(&place, "out"),
        "error: out/journal.jsonl: another version of interstage wrote this journal\nexit code Some(3)\n"
    );
    place.write("out/journal.jsonl", &journal);
    place.write("cases/0000a.shader_test", "");
    assert_eq!(
        resume(&place, "out"),
        "error: the case list changed since the run started: expected `cases/0001.shader_test` at index 1, found \
         `cases/0000a.shader_test`\nexit code Some(3)\n"
    );
    let elsewhere =
        run(place.command(&["run", "--resume", "../out"]).current_dir(place.path().join("cases")));
    assert!(elsewhere.stderr.contains("; resume it from that folder"), "{}", elsewhere.text());
}

#[test]
fn shards_merge_to_the_whole() {
    let place = Place::numbered(60, "fail /001\nonce crash /0020\n");
    place.run(&["--adapter", "all"]);
    let whole = |place: &Place, folder: &str| -> BTreeMap<_, _> {
        [0, 1].map(|idx| (idx, place.statuses_in(&format!("{folder}/scripted-{idx}")))).into()
    };
    let expected = whole(&place, "out");
    let shard = |number: usize, folder: &str| {
        let shard = format!("{number}/3");
        let arguments = [
            "run",
            "--script",
            "script",
            "--adapter",
            "all",
            "--shard",
            &shard,
            "--results",
            folder,
        ];
        run(&mut place.command(&arguments));
    };
    (1..=3).for_each(|number| shard(number, &format!("part{number}")));
    let merge = |folders: &[&str]| {
        run(&mut place.command(&[&["merge", "--results", "joined"], folders].concat()))
    };
    let merged = merge(&["part2", "part3", "part1"]);
    assert_eq!(merged.code, Some(1), "{}", merged.text());
    let mut found = whole(&place, "joined");
    // The case was a flake only in the first run.
    for statuses in found.values_mut() {
        let at_once = statuses.insert("0020".to_owned(), "Flake".to_owned());
        assert_eq!(at_once.as_deref(), Some("Pass"));
    }
    assert_eq!(found, expected);
    let missing = merge(&["part1", "part3"]);
    assert!(
        missing.stderr.contains("error: shard 2/3 is missing; also name the results folder"),
        "{}",
        missing.text()
    );
    assert_eq!(missing.code, Some(3));
    let twice = merge(&["part1", "part1"]);
    assert!(twice.stderr.contains("is also in an earlier folder"), "{}", twice.text());
    // Merged results can be merged again.
    place.write("again/cases/x.shader_test", "");
    let again = run(&mut place.command(&["merge", "joined", "--results", "twice"]));
    assert_eq!(again.code, Some(1), "{}", again.text());
}

/// More shards than cases, as when most of a suite is filtered out on each of many machines.
#[test]
fn shards_without_a_case_leave_results_and_merge() {
    let place = Place::numbered(3, "");
    let shard = |number: usize, more: &[&str]| {
        let (shard, folder) = (format!("{number}/8"), format!("part{number}"));
        let arguments = ["run", "--script", "script", "--shard", &shard, "--results", &folder];
        run(&mut place.command(&[&arguments, more].concat()))
    };
    let folders: Vec<_> = (1..=8).map(|number| format!("part{number}")).collect();
    let folders: Vec<_> = folders.iter().map(String::as_str).collect();
    let merge = || {
        let merged = [&["merge", "--results", "joined"], &folders[..]].concat();
        run(&mut place.command(&merged))
    };
    for more in [&[][..], &["--overwrite", "--filter", "/0001"]] {
        for number in 1..=8 {
            let ran = shard(number, more);
            assert_eq!(ran.code, Some(0), "{}", ran.text());
            assert!(place.path().join(format!("part{number}/results.csv")).is_file());
        }
        let merged = merge();
        assert_eq!(merged.code, Some(0), "{more:?}: {}", merged.text());
        let count = if more.contains(&"--filter") { 1 } else { 3 };
        assert_eq!(place.statuses_in("joined").len(), count, "{more:?}");
    }
    // A filter that matches nothing is still an error, and not an empty shard.
    let ran = shard(1, &["--overwrite", "--filter", "nothing"]);
    assert_eq!(ran.code, Some(3), "{}", ran.text());
    std::fs::remove_dir_all(place.path().join("part5")).unwrap();
    std::fs::create_dir(place.path().join("part5")).unwrap();
    assert_eq!(merge().code, Some(3));
}

/// One adapter writes into the folder itself, several into folders of their own.
#[test]
fn a_run_leaves_no_results_of_other_adapters() {
    let place = Place::numbered(3, "");
    let run_on = |adapters: &str| {
        let arguments = ["run", "--script", "script", "--results", "out", "--adapter", adapters];
        let ran = run(&mut place.command(&arguments));
        assert_eq!(ran.code, Some(0), "{}", ran.text());
        let merged = run(&mut place.command(&["merge", "out", "--results", "joined"]));
        assert_eq!(merged.code, Some(0), "{}", merged.text());
    };
    let has = |path: &str| place.path().join("out").join(path).exists();
    run_on("scripted:0");
    assert!(has("results.json") && has("journal.jsonl"));
    run_on("scripted:0,scripted:1");
    assert!(!has("results.json") && !has("journal.jsonl") && has("scripted-1/results.json"));
    run_on("scripted:1");
    assert!(has("results.json") && !has("scripted-0") && !has("scripted-1"));
}
