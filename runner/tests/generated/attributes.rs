//! Every qualifier, layout word, execution mode, decoration and attribute is carried, has no effect for a reason in its
//! table, or is rejected with a message that names it.

mod observe;

use generate::attributes::{Attribute, Language, all};

use observe::{Bare, Observed};

/// Checks all programs of a language; at least `least` must be carried.
#[track_caller]
fn check(language: Language, least: usize) {
    let programs = all().into_iter().filter(|program| program.language == language);
    let mut bare = Bare::default();
    let mut judge = |program: Attribute| {
        let observed = Observed::of(&program, &mut bare);
        (program, observed)
    };
    let judged: Vec<(Attribute, Observed)> = programs.map(&mut judge).collect();
    let wrong: Vec<String> = judged
        .iter()
        .filter(|(program, observed)| !observed.is(program))
        .map(|(program, observed)| {
            let Attribute { word, place, version, expected, .. } = program;
            format!("{version}: `{word}`, {place}: {expected}, but {observed:?}")
        })
        .collect();
    let carried = judged.iter().filter(|(_, observed)| *observed == Observed::Visible).count();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), judged.len(), wrong.join("\n"));
    assert!(carried >= least, "only {carried} are visible");
}

#[test]
fn no_word_of_glsl_is_lost() {
    check(Language::Glsl, 100);
}

#[test]
fn no_mode_and_no_decoration_of_spirv_is_lost() {
    check(Language::Spirv, 30);
}

#[test]
fn no_attribute_of_wgsl_is_lost() {
    check(Language::Wgsl, 10);
}
