//! `[shader include]` and `[shader include paths]`: GLSL texts by path, as in `GL_ARB_shading_language_include`.

use crate::read::reader::{Reader, lines};
use crate::read::section::Section;
use crate::{Case, IncludeSource};
use ir::diagnostic::Diagnostic;
use ir::source::Span;

/// Reads `[shader include]`: the first line is the path, the rest the text.
pub(in crate::read) fn read(reader: &mut Reader<'_>, section: &Section, case: &mut Case) {
    let Some(first) = lines(reader.source, section.body).next() else { return };
    let path = reader.source.slice(first).trim();
    if !path.starts_with('/') {
        let error = Diagnostic::error(
            section.header,
            "the first line of an include is its path, which starts with `/`",
        );
        reader.report(error);
        return;
    }
    let text = Span::new((first.end + 1).min(section.body.end), section.body.end);
    reader.give("[shader include]", vec![(path.to_owned(), first)]);
    case.includes.push(IncludeSource { path: path.to_owned(), text });
}

/// Reads `[shader include paths]`: one folder per line.
pub(in crate::read) fn read_folders(reader: &mut Reader<'_>, section: &Section, case: &mut Case) {
    for line in lines(reader.source, section.body) {
        let folder = reader.source.slice(line).trim();
        if folder.is_empty() || folder.starts_with('#') {
            continue;
        }
        if !folder.starts_with('/') {
            reader.report(Diagnostic::error(
                line,
                format!("`{folder}` is not a folder: it must start with `/`"),
            ));
            continue;
        }
        reader.give("[shader include paths]", vec![(folder.to_owned(), line)]);
        case.include_folders.push(folder.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use crate::Dialect;
    use crate::read::parse::parse;
    use crate::read::problem::CaseError;

    const HEAD: &str = "[require]\nGLSL >= 1.10\n";
    const SHADERS: &str =
        "[vertex shader passthrough]\n[fragment shader]\n#include \"/a/b\"\n[test]\nlink success\n";

    #[test]
    fn the_first_line_is_the_path_and_the_rest_the_text() {
        let text = format!(
            "{HEAD}[shader include paths]\n/a\n[shader include]\n/a/b\nfloat x;\n{SHADERS}"
        );
        let parsed = parse("cases/a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
        let case = parsed.result.expect("the case is right");
        assert_eq!(case.include_folders, ["/a"]);
        assert_eq!(case.includes[0].path, "/a/b");
        assert_eq!(parsed.source.slice(case.includes[0].text), "float x;\n");
    }

    #[test]
    fn paths_must_be_absolute() {
        let text = format!("{HEAD}[shader include]\nfloat x;\n{SHADERS}");
        let parsed = parse("cases/a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
        let Err(CaseError::Broken(errors)) = parsed.result else { panic!("must be refused") };
        assert_eq!(
            errors[0].message,
            "the first line of an include is its path, which starts with `/`"
        );
    }
}
