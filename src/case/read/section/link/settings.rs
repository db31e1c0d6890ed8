//! Settings of `[link]`.

use crate::read::line::{Words, wrong};
use crate::read::once::Once;
use crate::read::problem::Parsed;
use crate::vacuous;
use crate::{LinkSection, ProfileChoice};
use ir::linkage_table::LinkageLine;
use ir::options::{DebugNames, Optimise, OutputRule, PackMode, PerVertexRule, ProgramLimit, Share};
use ir::profile::Profile;
use ir::semantic::{ARBITRARY_LABELS, MAX_LOCATION, Semantic, SemanticName, Use};
use ir::source::Spanned;
use ir::stage::ShaderStage;

use super::{ReadLine, need_semantic};

/// Leading words of the settings, with their read functions.
pub(super) const LINES: [(&str, Once, ReadLine); 17] = [
    ("profile", Once::First(1), read_profile),
    ("pack", Once::First(1), read_pack),
    ("fallback", Once::First(1), |words, link| read_switch(words, &mut link.packing.has_fallback)),
    ("native", Once::First(1), |words, link| read_switch(words, &mut link.packing.is_native_kept)),
    ("optimise", Once::Each(1), read_optimise),
    ("share", Once::Each(1), read_share),
    ("variables", Once::First(1), read_variables),
    ("outputs", Once::First(1), read_outputs),
    ("emulate", Once::First(1), read_emulate),
    ("mix", Once::First(1), |words, link| read_switch(words, &mut link.mixes_languages)),
    ("debug_names", Once::First(1), read_debug_names),
    ("limit", Once::First(2), read_limit),
    ("separable", Once::First(1), |_, link| {
        link.is_separable = true;
        link.per_vertex = PerVertexRule::Redeclared;
        Ok(())
    }),
    ("semantic", Once::First(2), read_semantic),
    ("generics", Once::First(2), read_generics),
    ("linkage", Once::At(&[0, 3]), read_linkage),
    ("sprite", Once::Each(1), read_sprite),
];

/// Values of `pack`.
const PACK_MODES: [(&str, PackMode); 5] = [
    ("on", PackMode::On),
    ("off", PackMode::Off),
    ("inside", PackMode::Inside),
    ("scalar", PackMode::Scalar),
    ("dense", PackMode::Dense),
];

/// Word for a sprite origin at the lower left.
const LOWER_LEFT: &str = "lower_left";

/// A word and the flag that it sets.
type Switch<T> = (&'static str, fn(&mut T) -> &mut bool);

/// Values of `optimise`.
const OPTIMISATIONS: [Switch<Optimise>; 5] = [
    ("dead", |optimise| &mut optimise.dead),
    ("constants", |optimise| &mut optimise.constants),
    ("uniforms", |optimise| &mut optimise.uniforms),
    ("duplicates", |optimise| &mut optimise.duplicates),
    ("convergent", |optimise| &mut optimise.convergent),
];

/// Values of `share`.
const SHARED: [Switch<Share>; 2] = [
    ("centroid", |share| &mut share.centroid),
    ("noperspective", |share| &mut share.noperspective),
];

/// Keywords of settings after the first word.
pub(super) fn known_words() -> impl Iterator<Item = &'static str> {
    let modes = PACK_MODES.iter().map(|(word, _)| *word);
    let optimisations = OPTIMISATIONS.iter().map(|(word, _)| *word);
    let limits = ProgramLimit::ALL.iter().map(|(word, _)| *word);
    let profiles = Profile::ALL.iter().map(|(word, _)| *word);
    let stages = ShaderStage::OF_DRAWS.iter().map(|stage| stage.word());
    let others = stages.chain([ProfileChoice::ALL_NAME, BUT, LOWER_LEFT]);
    modes.chain(optimisations).chain(limits).chain(profiles).chain(others)
}

fn read_profile(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let word = words.need("a linkage profile")?;
    let Some(choice) = ProfileChoice::of_name(word.text) else {
        let message = format!("there is no linkage profile `{}`", word.text);
        let known = Profile::ALL.iter().map(|(known, _)| *known);
        let known = known.chain([ProfileChoice::ALL_NAME]);
        return Err(wrong(word, message).nearest(word.text, known));
    };
    link.profile = Some(choice);
    if choice == ProfileChoice::All && words.take(BUT) {
        link.refusing = Some(read_refusing(words)?);
    }
    Ok(())
}

/// Reads the profiles that refuse the stages. At least one other profile must remain for the comparison.
fn read_refusing(words: &mut Words<'_>) -> Parsed<Vec<Profile>> {
    let mut refusing = Vec::new();
    let mut next = Some(words.need("a linkage profile")?);
    while let Some(word) = next {
        let known = Profile::ALL.iter().filter(|(_, profile)| *profile != Profile::Webgpu);
        let Some((_, profile)) = known.clone().find(|(name, _)| *name == word.text) else {
            let message = format!("there is no other linkage profile `{}`", word.text);
            return Err(wrong(word, message).nearest(word.text, known.map(|(name, _)| *name)));
        };
        if refusing.contains(profile) {
            let message = format!("`{}` is given twice", word.text);
            return Err(vacuous::GIVEN_TWICE.error(word.span, message).into());
        }
        refusing.push(*profile);
        if refusing.len() == known.count() {
            let message = "no other profile is left to compare with";
            return Err(vacuous::NO_PROFILE.error(word.span, message).into());
        }
        next = words.take_word();
    }
    Ok(refusing)
}

/// Word before the profiles that refuse the stages.
const BUT: &str = "but";

fn read_semantic(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let name = words.need("a varying")?.text.to_owned();
    let semantic = need_semantic(words)?;
    link.semantics.push(Spanned::new((name, semantic), words.span));
    Ok(())
}

fn read_generics(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let word = words.need("a stage such as `vertex`")?;
    let names = || ShaderStage::OF_DRAWS.iter().map(|stage| stage.word());
    let Some(stage) = ShaderStage::OF_DRAWS.iter().find(|stage| stage.word() == word.text) else {
        let known: Vec<String> = names().map(|name| format!("`{name}`")).collect();
        let message = format!("expected one of {}, found `{}`", known.join(", "), word.text);
        return Err(wrong(word, message).nearest(word.text, names()));
    };
    let limit = words.integer("the number of labels", 0..=ARBITRARY_LABELS)?;
    link.generics[*stage] = Some(limit);
    Ok(())
}

/// Reads `linkage GENERIC[3] -> GENERIC[7]`
fn read_linkage(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let output = need_label(words)?;
    let arrow = words.need("`->`")?;
    if arrow.text != "->" {
        return Err(wrong(arrow, format!("expected `->`, found `{}`", arrow.text)));
    }
    let reader = words.peek();
    let input = need_label(words)?;
    let reader = reader.filter(|_| output == input);
    if let Some(word) = reader {
        let message = format!("`{output}` goes to `{input}` without this line");
        return Err(wrong(word, message)
            .with_help("leave out the line: only a label that matches a different one needs one"));
    }
    let known = link.linkage.lines.iter().find(|line| line.value.output == output);
    if let Some(known) = known.filter(|line| line.value.input != input) {
        let message = format!("`{output}` goes to `{}` already", known.value.input);
        return Err(wrong(arrow, message).with_help("an output can go to one input only"));
    }
    let line = Spanned::new(LinkageLine { output, input }, words.span);
    link.linkage.lines.push(line);
    Ok(())
}

/// Reads a label that can match another one: a stage writes it, and a stage reads it.
fn need_label(words: &mut Words<'_>) -> Parsed<Semantic> {
    let word = words.need("a semantic such as `GENERIC[7]`")?;
    let semantic: Semantic = word.text.parse().map_err(|error| wrong(word, error))?;
    semantic
        .check_among(Use::Intermediate, ARBITRARY_LABELS)
        .map_err(|error| wrong(word, error))?;
    let why = match (semantic.name, semantic.name.builtin()) {
        (SemanticName::BackColor, _) => "back faces show BCOLOR in place of COLOR".to_owned(),
        (SemanticName::EdgeFlag, _) => "no stage reads it".to_owned(),
        (_, Some(builtin)) => format!("it is `{builtin}`"),
        (_, None) => return Ok(semantic),
    };
    Err(wrong(word, format!("`{semantic}` cannot match another label: {why}"))
        .with_help("COLOR, FOG, GENERIC and TEXCOORD can"))
}

/// Reads `sprite SEMANTIC… [lower_left]`
fn read_sprite(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    while let Some(word) = words.peek() {
        if word.text == LOWER_LEFT {
            break;
        }
        words.skip(1);
        let semantic: Semantic = word.text.parse().map_err(|error| wrong(word, error))?;
        if !matches!(semantic.name, SemanticName::TexCoord | SemanticName::Generic) {
            return Err(wrong(word, "only TEXCOORD and GENERIC are replaced in points"));
        }
        semantic
            .check_among(Use::Intermediate, ARBITRARY_LABELS)
            .map_err(|error| wrong(word, error))?;
        link.sprite.labels.push(Spanned::new(semantic, word.span));
    }
    if link.sprite.labels.is_empty() {
        words.need("a semantic such as `TEXCOORD[0]`")?;
    }
    link.sprite.is_lower_left |= words.take(LOWER_LEFT);
    Ok(())
}

fn read_pack(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let word = words.need("`on`, `off`, `scalar` or `dense`")?;
    let Some((_, mode)) = PACK_MODES.iter().find(|(known, _)| *known == word.text) else {
        let message = format!("expected `on`, `off`, `scalar` or `dense`, found `{}`", word.text);
        return Err(wrong(word, message));
    };
    link.packing.mode = *mode;
    Ok(())
}

fn read_switch(words: &mut Words<'_>, switch: &mut bool) -> Parsed<()> {
    let word = words.need("`on` or `off`")?;
    *switch = match word.text {
        "on" => true,
        "off" => false,
        other => return Err(wrong(word, format!("expected `on` or `off`, found `{other}`"))),
    };
    Ok(())
}

fn read_debug_names(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let mut is_told = false;
    read_switch(words, &mut is_told)?;
    link.debug_names = if is_told { DebugNames::Told } else { DebugNames::Hidden };
    Ok(())
}

/// Reads one or more words, each of which sets a flag.
fn read_switches<T>(words: &mut Words<'_>, known: &[Switch<T>], switches: &mut T) -> Parsed<()> {
    let list = || known.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let mut word = words.need(&list())?;
    loop {
        let Some((_, switch)) = known.iter().find(|(name, _)| *name == word.text) else {
            let message = format!("expected one of {}, found `{}`", list(), word.text);
            return Err(
                wrong(word, message).nearest(word.text, known.iter().map(|(name, _)| *name))
            );
        };
        *switch(switches) = true;
        match words.take_word() {
            Some(next) => word = next,
            None => return Ok(()),
        }
    }
}

fn read_optimise(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    read_switches(words, &OPTIMISATIONS, &mut link.packing.optimise)
}

fn read_share(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    read_switches(words, &SHARED, &mut link.packing.share)
}

fn read_variables(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    link.variables =
        Some(words.integer("the number of inter-stage variables", 1..=MAX_LOCATION + 1)?);
    Ok(())
}

fn read_limit(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let word = words.need("a limit such as `uniform_blocks`")?;
    let names = || ProgramLimit::ALL.iter().map(|(name, _)| *name);
    let Some((_, limit)) = ProgramLimit::ALL.iter().find(|(name, _)| *name == word.text) else {
        let message = format!("there is no limit `{}`", word.text);
        return Err(wrong(word, message).nearest(word.text, names()));
    };
    link.limits.push((*limit, words.integer("the limit", 0..=u32::MAX)?));
    Ok(())
}

fn read_outputs(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let word = words.need("`typed` or `raw`")?;
    link.outputs = match word.text {
        "typed" => OutputRule::Typed,
        "raw" => OutputRule::Raw,
        other => return Err(wrong(word, format!("expected `typed` or `raw`, found `{other}`"))),
    };
    Ok(())
}

fn read_emulate(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let word = words.need("`clip`")?;
    if word.text != "clip" {
        return Err(wrong(word, format!("expected `clip`, found `{}`", word.text)));
    }
    link.emulates_clip = true;
    Ok(())
}
