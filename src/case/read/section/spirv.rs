//! Settings at the start of a SPIR-V or WGSL section: `entry = "name"` selects the entry point, and in SPIR-V
//! `file = "path"` names a binary module that replaces the assembly.

use std::path::{Component, Path};
use std::sync::Arc;

use crate::read::line::{Punctuation, Words, wrong};
use crate::read::problem::Parsed;
use crate::read::reader::{Reader, lines};
use crate::read::section::Section;
use crate::{BinaryFile, Dialect, Language, ShaderSource};
use ir::diagnostic::Diagnostic;
use ir::source::{Span, Spanned};

/// Names of the settings.
const SETTINGS: [&str; 2] = ["entry", "file"];

/// Keywords of settings.
pub(in crate::read) fn known_words() -> impl Iterator<Item = &'static str> {
    SETTINGS.into_iter()
}

/// Reads the settings at the start of a SPIR-V or WGSL section, and shortens its text to the part after them.
pub(in crate::read) fn read(reader: &mut Reader<'_>, section: &Section, shader: &mut ShaderSource) {
    if reader.dialect == Dialect::Piglit {
        return;
    }
    for line in lines(reader.source, section.body) {
        let text = reader.source.slice(line).trim();
        if text.is_empty() || text.starts_with(comment(shader.language)) {
            continue;
        }
        if !is_setting(text, shader.language) {
            shader.text = Span::new(line.start, section.body.end);
            refuse_text_beside_file(reader, shader, line);
            return;
        }
        if let Err(problem) = read_setting(reader, line, shader) {
            reader.report(problem);
        }
    }
    shader.text = Span::new(section.body.end, section.body.end);
}

/// The start of a comment line above the settings.
const fn comment(language: Language) -> &'static str {
    match language {
        Language::Wgsl => "//",
        Language::SpirvAssembly | Language::Glsl | Language::Passthrough => "#",
    }
}

/// True for a setting: in assembly `=` follows only ids, which start with `%`, and WGSL has no assignments outside
/// functions.
fn is_setting(line: &str, language: Language) -> bool {
    let Some((name, _)) = line.split_once('=') else { return false };
    let name = name.trim();
    SETTINGS.contains(&name) && (language != Language::Wgsl || name == "entry")
}

fn read_setting(reader: &Reader<'_>, line: Span, shader: &mut ShaderSource) -> Parsed<()> {
    let (name, rest) = reader.source.slice(line).split_once('=').unwrap_or_default();
    let start = line.start + name.len() + 1;
    let mut words = Words::cut(rest, start, Punctuation::IsText, reader.dialect)?;
    let name = name.trim();
    let value = words.need_quoted("a value")?;
    if let Some(extra) = words.take_word() {
        return Err(wrong(extra, format!("unexpected `{}` at the end of the line", extra.text)));
    }
    let spanned = Spanned::new(value.text.to_owned(), value.span);
    let is_given = if name == "entry" {
        shader.entry.replace(spanned).is_some()
    } else {
        if let Some(reason) = wrong_path(value.text) {
            return Err(wrong(value, format!("`{}` {reason}", value.text)));
        }
        let content = Err("nobody has read it".to_owned());
        shader.file.replace(BinaryFile { path: spanned, content }).is_some()
    };
    if is_given {
        return Err(Diagnostic::error(line, format!("`{name}` is given twice")).into());
    }
    Ok(())
}

/// The reason why a path is not allowed: a case and its files must be in one folder that can be moved.
fn wrong_path(path: &str) -> Option<&'static str> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.is_empty() || path.contains(['\\', '\0']) {
        return Some("is not a path: its parts are separated by `/`");
    }
    let is_inside = Path::new(path).components().all(is_plain);
    (!is_inside).then_some("leaves the folder of the case")
}

fn refuse_text_beside_file(reader: &mut Reader<'_>, shader: &ShaderSource, line: Span) {
    if shader.file.is_some() {
        let message = "a section that names a file has no text of its own";
        reader.report(Diagnostic::error(line, message));
    }
}

impl ShaderSource {
    /// Sets the content of the section's file, or the error message.
    pub fn supply(&mut self, content: Result<Vec<u8>, String>) {
        if let Some(file) = &mut self.file {
            file.content = content.map(Arc::from);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Dialect;
    use crate::read::parse::tests::messages;

    /// Checks entry point, file and text of a vertex section with this body.
    #[test]
    fn a_wgsl_section_may_name_its_entry_point() {
        let text = "[vertex shader wgsl]\n// why\nentry = \"b\"\n@vertex fn b() {}\n[test]\nlink success\n";
        let case = messages(text, Dialect::Interstage).expect("a right case");
        let shader = &case.shaders[0];
        assert_eq!(shader.entry.as_ref().map(|entry| &*entry.value), Some("b"));
        assert_eq!(case.source.slice(shader.text).trim(), "@vertex fn b() {}");
        let text = "[vertex shader wgsl]\nfile = \"b\"\n[test]\nlink success\n";
        let case = messages(text, Dialect::Interstage).expect("a case whose text is no WGSL");
        assert!(case.shaders[0].file.is_none());
    }

    #[track_caller]
    fn check(body: &str, expect: Result<(Option<&str>, Option<&str>, &str), &str>) {
        let text = format!("[vertex shader spirv]\n{body}[test]\nlink success\n");
        match (messages(&text, Dialect::Interstage), expect) {
            (Ok(case), Ok(expect)) => {
                let shader = &case.shaders[0];
                let entry = shader.entry.as_ref().map(|entry| &*entry.value);
                let file = shader.file.as_ref().map(|file| &*file.path.value);
                assert_eq!((entry, file, case.source.slice(shader.text)), expect);
            }
            (Err(error), Err(expect)) => assert!(error.contains(expect), "{error}"),
            (read, expect) => panic!("{read:?} instead of {expect:?}"),
        }
    }

    #[test]
    fn settings_stand_before_the_assembly() {
        check("OpNop\n", Ok((None, None, "OpNop\n")));
        check("\n# why\nentry = \"a b\"\n%a = OpNop\n", Ok((Some("a b"), None, "%a = OpNop\n")));
        check("entry=\"a\"\nOpNop\n", Ok((Some("a"), None, "OpNop\n")));
        check("%entry = OpString \"a\"\n", Ok((None, None, "%entry = OpString \"a\"\n")));
    }

    #[test]
    fn a_file_stands_for_the_assembly() {
        check("file = \"a/b.spv\"\nentry = \"x\"\n", Ok((Some("x"), Some("a/b.spv"), "")));
        check("file = \"a.spv\"\nOpNop\n", Err("3:1: a section that names a file has no text"));
    }

    #[test]
    fn mistakes_are_named() {
        check("file = a.spv\n", Err("expected a value in quotes, found `a.spv`"));
        check("file = \"/a.spv\"\n", Err("`/a.spv` leaves the folder of the case"));
        check("file = \"a/../../b\"\n", Err("`a/../../b` leaves the folder of the case"));
        check("file = \"\"\n", Err("`` is not a path"));
        check("entry = \"a\"\nentry = \"b\"\n", Err("3:1: `entry` is given twice"));
        check("entry = \"a\" b\n", Err("unexpected `b`"));
    }
}
