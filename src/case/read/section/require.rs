//! `[require]`: requirements for an adapter.

use crate::gl::{self, Api, Support, extension, limit};
use crate::limits::MAX_TARGET_SIZE;
use crate::read::line::{Punctuation, Word, Words, wrong};
use crate::read::problem::{Parsed, Problem};
use crate::read::reader::{Reader, lines};
use crate::read::section::Section;
use crate::vacuous;
use crate::{Case, DeviceRequirement, Dialect, GlRequirement, LinkSection, Requirement};
use ir::backend::Backend;
use ir::diagnostic::{Diagnostic, nearest_word};
use ir::options::PerVertexRule;
use ir::scalar::Number;
use ir::source::{Span, Spanned};

/// Choice between GLSL and SPIR-V sections, by piglit's `SPIRV` key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::read) enum SpirvMode {
    /// GLSL sections are used.
    #[default]
    Off,
    /// A SPIR-V section replaces the GLSL sections of its stage.
    Replaces,
}

type ReadKey = fn(&mut Words<'_>, Word<'_>) -> Parsed<Requirement>;

/// Keys and their read functions. Keys that start with `GL_` are not in the table.
const KEYS: [(&str, ReadKey); 9] = [
    ("GL", read_gl),
    ("GLSL", read_glsl),
    ("INT", read_gl_limit),
    ("depthbuffer", |_, _| Ok(Requirement::DepthBuffer)),
    ("size", read_size),
    ("SIZE", read_size),
    ("feature", read_feature),
    ("limit", read_limit),
    ("backend", read_backend),
];

/// Key whose line also needs a comment on the line above.
const ADAPTER: &str = "adapter";

/// Keywords of the section.
pub(in crate::read) fn known_words() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|(word, _)| *word).chain([ADAPTER]).chain(Backend::ALL.map(Backend::name))
}

/// Reads the section into `case`.
pub(in crate::read) fn read(
    reader: &mut Reader<'_>,
    section: &Section,
    case: &mut Case,
) -> SpirvMode {
    let mut spirv = SpirvMode::Off;
    let mut is_in_comment = false;
    reader.each_line(section.body, Punctuation::IsText, |reader, words| {
        if !reader.is_strict() && skip_comment(words, &mut is_in_comment) {
            return Ok(());
        }
        let key = words.need("a key")?;
        if !reader.is_strict()
            && (read_piglit_key(words, key, &mut spirv)?
                || read_separable_key(words, key, &mut case.link)?)
        {
            return Ok(());
        }
        let requirement = if key.text == ADAPTER {
            let reason = comment_above(reader, section.body, key.span);
            read_adapter(words, reason)?
        } else {
            read_requirement(words, key)?
        };
        if let Requirement::Size(size) = requirement {
            case.size = size;
        }
        reader.give("[require]", setting_of(&requirement, words.span));
        case.requirements.push(Spanned::new(requirement, words.span));
        Ok(())
    });
    let api = gl::api(case);
    let dialect = reader.dialect;
    for line in &case.requirements {
        match name_problem(line, api, dialect) {
            Some(_) if reader.is_full() => break,
            Some(problem) => reader.report(problem),
            None => {}
        }
    }
    check_apis(reader, case);
    spirv
}

/// Checks that the lines do not require both GL and GL ES, or both the core and the compatibility profile.
fn check_apis(reader: &mut Reader<'_>, case: &Case) {
    let of_api = |is_wanted: bool| {
        let is_it = move |line: &&Spanned<Requirement>| matches!(line.value, Requirement::Gl(GlRequirement::Version { is_es, .. }) if is_es == is_wanted);
        case.requirements.iter().find(is_it).map(|line| line.span)
    };
    if let (true, Some(desktop), Some(es)) = (reader.is_strict(), of_api(false), of_api(true)) {
        let (first, second) = if es.start < desktop.start { (es, desktop) } else { (desktop, es) };
        let (line, _) = reader.source.line_and_column(first.start);
        let message =
            format!("a case requires either GL or GL ES, but line {line} is of the other");
        reader.report(vacuous::CONTRADICTION.error(second, message));
    }
    let of_profile = |name: &str| {
        let is_it = move |line: &&Spanned<Requirement>| matches!(&line.value, Requirement::Gl(GlRequirement::Version { profile: Some(own), .. }) if own == name);
        case.requirements.iter().find(is_it).map(|line| line.span)
    };
    if let (true, Some(core), Some(compatibility)) =
        (reader.is_strict(), of_profile("CORE"), of_profile("COMPAT"))
    {
        let first = core.start.min(compatibility.start);
        let second = if first == core.start { compatibility } else { core };
        let (line, _) = reader.source.line_and_column(first);
        let message = format!("a case requires one profile of GL, but line {line} is of the other");
        reader.report(vacuous::CONTRADICTION.error(second, message));
    }
}

/// Key of a requirement. Two lines with the same key are an error: both would have to hold, and mostly cannot.
fn setting_of(requirement: &Requirement, span: Span) -> Vec<(String, Span)> {
    let key = match requirement {
        Requirement::Gl(GlRequirement::Version { is_es: true, .. }) => "GL ES".to_owned(),
        Requirement::Gl(GlRequirement::Version { profile: Some(profile), .. }) => {
            format!("GL {profile}")
        }
        Requirement::Gl(GlRequirement::Version { profile: None, .. }) => "GL".to_owned(),
        Requirement::Gl(GlRequirement::Glsl { .. }) => "GLSL".to_owned(),
        Requirement::Gl(
            GlRequirement::Extension { name, .. } | GlRequirement::Limit { name, .. },
        ) => name.clone(),
        Requirement::DepthBuffer => "depthbuffer".to_owned(),
        Requirement::Size(_) => "size".to_owned(),
        Requirement::ClipDistances => "feature CLIP_DISTANCES".to_owned(),
        Requirement::Device(DeviceRequirement::Feature(name)) => format!("feature {name}"),
        Requirement::Device(DeviceRequirement::Limit { name, .. }) => format!("limit {name}"),
        Requirement::Device(DeviceRequirement::Backend(_)) => "backend".to_owned(),
        Requirement::Device(DeviceRequirement::Adapter { pattern, .. }) => {
            format!("adapter {}", pattern.to_lowercase())
        }
    };
    vec![(key, span)]
}

/// Problem with the name of a GL extension or limit.
///
/// In interstage's own cases it must be a name that GL has. In piglit's files, a name that GL has and interstage lacks
/// makes the file unsupported. A name that no GL has is skipped later, as on every driver.
fn name_problem(requirement: &Spanned<Requirement>, api: Api, dialect: Dialect) -> Option<Problem> {
    let Requirement::Gl(value) = &requirement.value else { return None };
    let (kind, name, support, is_wanted) = match value {
        GlRequirement::Extension { name, is_wanted } => {
            ("extension", name, extension::support(name, api), *is_wanted)
        }
        GlRequirement::Limit { name, .. } => ("limit", name, limit::support(name), true),
        GlRequirement::Version { .. } | GlRequirement::Glsl { .. } => return None,
    };
    match (support, dialect) {
        (Support::Unknown, Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan) => {
            let message = format!("no GL has {} {kind} `{name}`", article(kind));
            let known: Vec<&str> = if kind == "limit" {
                limit::names().collect()
            } else {
                extension::names().collect()
            };
            let problem = Problem::from(Diagnostic::error(requirement.span, message));
            Some(problem.nearest(name, known))
        }
        (Support::Lacking, Dialect::Piglit) if is_wanted => {
            Some(Problem::unsupported(name.clone(), requirement.span))
        }
        (Support::Provided | Support::Lacking | Support::Unknown, _) => None,
    }
}

fn article(kind: &str) -> &'static str {
    if kind == "extension" { "an" } else { "a" }
}

/// Skips a line of a C comment, and returns true if it was one. piglit's files have them here, although its reader
/// does not know comments.
fn skip_comment(words: &mut Words<'_>, is_inside: &mut bool) -> bool {
    *is_inside |= words.peek().is_some_and(|word| word.text.starts_with("/*"));
    let is_comment = *is_inside;
    while let Some(word) = is_comment.then(|| words.take_word()).flatten() {
        *is_inside &= !word.text.ends_with("*/");
    }
    is_comment
}

/// Reads piglit keys that are not requirements but change how the file is parsed.
fn read_piglit_key(words: &mut Words<'_>, key: Word<'_>, spirv: &mut SpirvMode) -> Parsed<bool> {
    match key.text {
        "SPIRV" => {
            *spirv = match words.need("`YES`, `ONLY` or `NO`")?.text {
                "YES" | "ONLY" => SpirvMode::Replaces,
                "NO" => SpirvMode::Off,
                other => return Err(Problem::unsupported(format!("SPIRV {other}"), words.span)),
            };
            Ok(true)
        }
        "rlimit" => {
            // A file that sets a limit tests how the driver fails at it.
            Err(Problem::unsupported("rlimit".to_owned(), words.span))
        }
        _ => Ok(false),
    }
}

/// Reads `SSO ENABLED`, where each stage is a separate program, and `SEPARABLE PROGRAM ENABLED`, where all stages are
/// one program, linked with `GL_PROGRAM_SEPARABLE`.
fn read_separable_key(
    words: &mut Words<'_>,
    key: Word<'_>,
    link: &mut LinkSection,
) -> Parsed<bool> {
    if !matches!(key.text, "SSO" | "SEPARABLE") {
        return Ok(false);
    }
    let is_one_program = key.text == "SEPARABLE";
    if is_one_program && words.need("`PROGRAM`")?.text != "PROGRAM" {
        return Err(Problem::unsupported(key.text.to_owned(), words.span));
    }
    let state = words.need("`ENABLED`")?;
    if state.text != "ENABLED" {
        return Err(Problem::unsupported(format!("{} {}", key.text, state.text), words.span));
    }
    if is_one_program {
        link.per_vertex = PerVertexRule::Redeclared;
    } else {
        // Mesa, on which piglit's files were written, does not require the block in a single stage.
        link.is_separable = true;
    }
    Ok(true)
}

/// Keys of piglit that interstage lacks.
const PIGLIT_KEYS: [&str; 3] = ["INT", "SIZE", "depthbuffer"];

fn read_requirement(words: &mut Words<'_>, key: Word<'_>) -> Parsed<Requirement> {
    if let Some((_, read)) = KEYS.iter().find(|(known, _)| *known == key.text) {
        return read(words, key);
    }
    if let Some(name) = key.text.strip_prefix('!').filter(|name| name.starts_with("GL_")) {
        return Ok(GlRequirement::Extension { name: name.to_owned(), is_wanted: false }.into());
    }
    if key.text.starts_with("GL_") {
        if words.has_more() {
            return gl_limit(words, key);
        }
        return Ok(GlRequirement::Extension { name: key.text.to_owned(), is_wanted: true }.into());
    }
    let known = KEYS.iter().map(|(known, _)| *known).chain([ADAPTER]);
    let mut known = known.chain(PIGLIT_KEYS.iter().copied());
    let is_near = nearest_word(key.text, known.clone()).is_some();
    let is_elsewhere = known.any(|known| known == key.text);
    // piglit ignores lines that it does not recognise.
    if words.dialect == Dialect::Piglit && (is_elsewhere || !is_near) {
        return Err(Problem::unsupported(key.text, key.span));
    }
    let known = KEYS.iter().map(|(known, _)| *known).chain([ADAPTER]);
    Err(wrong(key, format!("unknown requirement `{}`", key.text)).nearest(key.text, known))
}

fn read_gl(words: &mut Words<'_>, _: Word<'_>) -> Parsed<Requirement> {
    let is_es = words.take("ES");
    let profile = words.peek().filter(|word| matches!(word.text, "COMPAT" | "CORE"));
    words.skip(usize::from(profile.is_some()));
    let version = read_version(words, 10)?;
    let profile = profile.map(|word| word.text.to_owned());
    Ok(GlRequirement::Version { is_es, version, profile }.into())
}

fn read_glsl(words: &mut Words<'_>, _: Word<'_>) -> Parsed<Requirement> {
    let is_es = words.take("ES");
    Ok(GlRequirement::Glsl { is_es, version: read_version(words, 100)? }.into())
}

/// Reads `>= 3.3` as 33 for `scale` 10, and `>= 1.30` as 130 for `scale` 100.
fn read_version(words: &mut Words<'_>, scale: u16) -> Parsed<u16> {
    at_least(words)?;
    let word = words.need("a version")?;
    let digits = if scale == 10 { 1 } else { 2 };
    let example = if scale == 10 { "3.3" } else { "1.30" };
    parse_version(word.text, digits, scale)
        .or_else(|| piglit_version(word.text, scale).filter(|_| words.dialect == Dialect::Piglit))
        .ok_or_else(|| {
            wrong(word, format!("expected a version such as `{example}`, found `{}`", word.text))
        })
}

fn parse_version(text: &str, digits: usize, scale: u16) -> Option<u16> {
    let (major, minor) = text.split_once('.')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if major.len() != 1 || minor.len() != digits || !is_number(major) || !is_number(minor) {
        return None;
    }
    Some(major.parse::<u16>().ok()? * scale + minor.parse::<u16>().ok()?)
}

/// Parses the forms of versions that piglit also accepts: `GLSL >= 4.0` for 4.00, and `GL >= 3.10` for 3.1.
fn piglit_version(text: &str, scale: u16) -> Option<u16> {
    let other_scale = if scale == 10 { 100 } else { 10 };
    let digits = if scale == 10 { 2 } else { 1 };
    parse_version(text, digits, other_scale).map(|version| version * scale / other_scale)
}

fn at_least(words: &mut Words<'_>) -> Parsed<()> {
    let word = words.need("`>=`")?;
    match word.text {
        ">=" => Ok(()),
        "==" | "!=" | "<" | "<=" | ">" if words.dialect == Dialect::Piglit => {
            Err(Problem::unsupported(format!("require {}", word.text), word.span))
        }
        _ => Err(wrong(word, format!("expected `>=`, found `{}`", word.text))),
    }
}

fn read_gl_limit(words: &mut Words<'_>, _: Word<'_>) -> Parsed<Requirement> {
    let name = words.need("a limit such as `GL_MAX_VARYING_COMPONENTS`")?;
    gl_limit(words, name)
}

fn gl_limit(words: &mut Words<'_>, name: Word<'_>) -> Parsed<Requirement> {
    at_least(words)?;
    let minimum = i64::from(words.integer("the least value", 0..=u32::MAX)?);
    Ok(GlRequirement::Limit { name: name.text.to_owned(), minimum }.into())
}

fn read_size(words: &mut Words<'_>, _: Word<'_>) -> Parsed<Requirement> {
    let width = words.integer("the width", 1..=MAX_TARGET_SIZE)?;
    let height = words.integer("the height", 1..=MAX_TARGET_SIZE)?;
    Ok(Requirement::Size([width, height]))
}

fn read_feature(words: &mut Words<'_>, _: Word<'_>) -> Parsed<Requirement> {
    let word = words.need("a wgpu feature such as `CLIP_DISTANCES`")?;
    let is_constant = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if word.text.is_empty() || !word.text.bytes().all(is_constant) {
        let message =
            format!("expected a wgpu feature such as `CLIP_DISTANCES`, found `{}`", word.text);
        return Err(wrong(word, message));
    }
    if !words.take("or") {
        return Ok(DeviceRequirement::Feature(word.text.to_owned()).into());
    }
    let instead = words.need("`emulated`")?;
    if (word.text, instead.text) != ("CLIP_DISTANCES", "emulated") {
        let message = "only `feature CLIP_DISTANCES or emulated` has an alternative";
        return Err(wrong(instead, message));
    }
    Ok(Requirement::ClipDistances)
}

fn read_limit(words: &mut Words<'_>, _: Word<'_>) -> Parsed<Requirement> {
    let name = words.need("a wgpu limit such as `max_inter_stage_shader_variables`")?;
    at_least(words)?;
    let value = words.peek();
    let minimum = match words.number("the least value")? {
        Number::Integer(value) => u64::try_from(value).ok(),
        Number::Bits(bits) => Some(bits),
        Number::Real(_) => None,
    };
    match (minimum, value) {
        (Some(minimum), _) => {
            Ok(DeviceRequirement::Limit { name: name.text.to_owned(), minimum }.into())
        }
        (None, value) => {
            Err(wrong(value.unwrap_or(name), "the least value must be an integer from 0 on"))
        }
    }
}

fn read_backend(words: &mut Words<'_>, _: Word<'_>) -> Parsed<Requirement> {
    let mut next = Some(words.need("a backend: `vulkan`, `gl`, `metal`, `dx12` or `cpu`")?);
    let mut backends = Vec::new();
    while let Some(word) = next {
        let Ok(backend) = word.text.parse() else {
            let error = wrong(word, format!("unknown backend `{}`", word.text));
            return Err(error
                .nearest(word.text, Backend::ALL.map(Backend::name))
                .with_help("backends are `vulkan`, `gl`, `metal`, `dx12` and `cpu`"));
        };
        backends.push(backend);
        next = words.take_word();
    }
    Ok(DeviceRequirement::Backend(backends).into())
}

fn read_adapter(words: &mut Words<'_>, reason: Option<String>) -> Parsed<Requirement> {
    let operator = words.need("`~` or `!~`")?;
    let is_wanted = match operator.text {
        "~" => true,
        "!~" => false,
        other => return Err(wrong(operator, format!("expected `~` or `!~`, found `{other}`"))),
    };
    let pattern = words.need_quoted("a part of the adapter's name")?;
    if pattern.text.is_empty() {
        return Err(wrong(pattern, "every adapter's name contains the empty text"));
    }
    let Some(reason) = reason else {
        let error = Diagnostic::error(words.span, "`adapter` needs a reason");
        return Err(error.with_help("say why in a comment on the line above").into());
    };
    Ok(DeviceRequirement::Adapter { pattern: pattern.text.to_owned(), is_wanted, reason }.into())
}

/// The comment on the line above the one with `key`.
fn comment_above(reader: &Reader<'_>, body: Span, key: Span) -> Option<String> {
    let above = lines(reader.source, body).take_while(|line| line.end < key.start).last()?;
    let comment = reader.source.slice(above).trim().strip_prefix('#')?.trim();
    (!comment.is_empty()).then(|| comment.to_owned())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::read::parse::tests::messages;

    use super::*;

    #[track_caller]
    fn check(line: &str, expect: impl Into<Requirement>) {
        let text = format!(
            "[require]\n# because\n{line}\n[test]\nlink success\n[vertex shader passthrough]\n"
        );
        let case = messages(&text, Dialect::Interstage).expect("is a case");
        assert_eq!(case.requirements[0].value, expect.into());
    }

    #[track_caller]
    fn check_error(line: &str, expect: &Expect) {
        let text =
            format!("[require]\n{line}\n[test]\nlink success\n[vertex shader passthrough]\n");
        expect.assert_eq(&messages(&text, Dialect::Interstage).expect_err("is wrong"));
    }

    #[test]
    fn versions_are_whole_numbers() {
        check("GL >= 3.3", GlRequirement::Version { is_es: false, version: 33, profile: None });
        check("GL ES >= 3.1", GlRequirement::Version { is_es: true, version: 31, profile: None });
        let profile = Some("COMPAT".to_owned());
        check("GL COMPAT >= 3.2", GlRequirement::Version { is_es: false, version: 32, profile });
        check("GLSL >= 1.30", GlRequirement::Glsl { is_es: false, version: 130 });
        check("GLSL ES >= 3.00", GlRequirement::Glsl { is_es: true, version: 300 });
    }

    #[test]
    fn extensions_and_limits_of_gl_keep_their_names() {
        let name = "GL_ARB_cull_distance";
        let extension = |is_wanted| GlRequirement::Extension { name: name.into(), is_wanted };
        check("GL_ARB_cull_distance", extension(true));
        check("!GL_ARB_cull_distance", extension(false));
        let limit = GlRequirement::Limit { name: "GL_MAX_SAMPLES".into(), minimum: 8 };
        check("GL_MAX_SAMPLES >= 8", limit.clone());
        check("INT GL_MAX_SAMPLES >= 8", limit);
    }

    #[test]
    fn names_that_no_gl_has_are_mistakes_in_our_own_files() {
        check_error(
            "GL_ARB_cul_distance",
            &expect![[r"
            2:1: no GL has an extension `GL_ARB_cul_distance` (help: did you mean `GL_ARB_cull_distance`?)"]],
        );
        check_error(
            "!GL_ARB_nonexistent_thing",
            &expect![[r"
            2:1: no GL has an extension `GL_ARB_nonexistent_thing`"]],
        );
        check_error(
            "GL_MAX_VARYING_COMPONENT >= 8",
            &expect![[r"
            2:1: no GL has a limit `GL_MAX_VARYING_COMPONENT` (help: did you mean `GL_MAX_VARYING_COMPONENTS`?)"]],
        );
        check_error(
            "INT GL_MAX_NONSENSE >= 1",
            &expect![[r"
            2:1: no GL has a limit `GL_MAX_NONSENSE`"]],
        );
        // A case that requires an extension that GL has and interstage lacks is skipped when it runs.
        let name = "GL_ARB_bindless_texture".to_owned();
        check("GL_ARB_bindless_texture", GlRequirement::Extension { name, is_wanted: true });
    }

    /// Checks the word that makes a piglit file unsupported, or `None` if the file is read.
    #[track_caller]
    fn check_piglit(line: &str, expect: Option<&str>) {
        let text = format!("[require]\n{line}\n[test]\nlink success\n");
        let case = messages(&text, Dialect::Piglit);
        let expect = expect.map(|word| format!("2:1: unsupported: {word}"));
        assert_eq!(case.err(), expect, "{line}");
    }

    #[test]
    fn what_gl_has_and_interstage_has_not_is_unsupported_in_piglits_files() {
        check_piglit("GL_ARB_bindless_texture", Some("GL_ARB_bindless_texture"));
        let tasks = "GL_MAX_TASK_ATOMIC_COUNTERS_NV";
        check_piglit("INT GL_MAX_TASK_ATOMIC_COUNTERS_NV >= 1", Some(tasks));
        check_piglit("INT GL_MAX_TESS_GEN_LEVEL >= 1", None);
        check_piglit("!GL_ARB_bindless_texture", None);
        check_piglit("GL_ARB_DRAW_BUFFERS", None);
        check_piglit("GL_MAX_NONSENSE >= 1", None);
        // An extension of the other API does not exist.
        check_piglit("GL_OES_sample_variables", Some("GL_OES_sample_variables"));
        check_piglit("GL ES >= 3.0\nGL_OES_sample_variables", None);
    }

    #[test]
    fn our_own_keys_are_in_wgpus_words() {
        check("size 64 32", Requirement::Size([64, 32]));
        check("feature CLIP_DISTANCES", DeviceRequirement::Feature("CLIP_DISTANCES".into()));
        check("feature CLIP_DISTANCES or emulated", Requirement::ClipDistances);
        let limit = DeviceRequirement::Limit { name: "max_buffer_size".into(), minimum: 1 << 33 };
        check("limit max_buffer_size >= 8589934592", limit);
        check("backend vulkan gl", DeviceRequirement::Backend(vec![Backend::Vulkan, Backend::Gl]));
        let (pattern, reason) = ("llvm pipe".into(), "because".into());
        let adapter = DeviceRequirement::Adapter { pattern, is_wanted: false, reason };
        check("adapter !~ \"llvm pipe\"", adapter);
    }

    #[track_caller]
    fn check_separable(line: &str, expect: Option<(bool, PerVertexRule)>) {
        let text = format!("[require]\nGLSL >= 1.50\n{line}\n[test]\nlink success\n");
        let case = messages(&text, Dialect::Piglit);
        let found = case.ok().map(|case| (case.link.is_separable, case.link.per_vertex));
        assert_eq!(found, expect, "{line}");
    }

    #[test]
    fn stages_are_programs_or_one_program_that_redeclares() {
        check_separable("", Some((false, PerVertexRule::Free)));
        check_separable("SSO ENABLED", Some((true, PerVertexRule::Free)));
        check_separable("SEPARABLE PROGRAM ENABLED", Some((false, PerVertexRule::Redeclared)));
        for wrong in ["SSO DISABLED", "SSO", "SEPARABLE ENABLED", "SEPARABLE PROGRAM"] {
            check_separable(wrong, None);
        }
        check_error(
            "SSO ENABLED",
            &expect![[r"
            2:1: unknown requirement `SSO`"]],
        );
    }

    #[test]
    fn mistakes_are_named() {
        check_error(
            "featur A",
            &expect![[r"
            2:1: unknown requirement `featur` (help: did you mean `feature`?)"]],
        );
        check_error(
            "GLSL >= 130",
            &expect![[r"
            2:9: expected a version such as `1.30`, found `130`"]],
        );
        check_error("GL == 3.3", &expect!["2:4: expected `>=`, found `==`"]);
        check_error(
            "feature SHADER_F64 or emulated",
            &expect!["2:23: only `feature CLIP_DISTANCES or emulated` has an alternative"],
        );
        check_error(
            "size 0 8",
            &expect![[r"
            2:6: the width must be an integer from 1 to 8192, not `0`"]],
        );
        check_error(
            "backend vulcan",
            &expect![[r"
            2:9: unknown backend `vulcan` (help: did you mean `vulkan`?)"]],
        );
        check_error(
            "adapter ~ \"llvm\"",
            &expect![[r"
            2:1: `adapter` needs a reason (help: say why in a comment on the line above)"]],
        );
    }

    #[test]
    fn clipping_is_emulated_only_where_a_case_says_so_and_the_adapter_cannot() {
        let emulates = |requirement: &str, has_clip_distances: bool| {
            let text = format!(
                "[require]\nGLSL >= 4.50\n{requirement}\n[fragment shader]\nvoid main() {{}}\n\
                 [test]\nlink success\n"
            );
            let mut cases = crate::read::parse::parse("a", text.as_bytes(), Dialect::Interstage);
            let case = cases.swap_remove(0).result.expect("a case");
            case.emulates_clip(has_clip_distances)
        };
        assert!(emulates("feature CLIP_DISTANCES or emulated", false));
        assert!(!emulates("feature CLIP_DISTANCES or emulated", true));
        assert!(!emulates("feature CLIP_DISTANCES", false));
        assert!(!emulates("", false));
    }
}
