//! The reason why a compiler rejects a module, without module-specific parts.

/// Maximum length of a reason.
const LENGTH: usize = 110;

/// The first error in the compiler's messages about the file `path`; `otherwise` if there is none.
pub(super) fn of(said: &str, path: &str, otherwise: &str) -> String {
    let said = said.replace(path, "");
    let found = said.lines().find_map(message);
    plain(found.unwrap_or(otherwise))
}

/// The message of a line with an error, after its position.
fn message(line: &str) -> Option<&str> {
    let (is_glslang, rest) =
        line.strip_prefix("ERROR:").map_or((false, line), |rest| (true, rest.trim_start()));
    let rest = rest.trim_start_matches(|char: char| char == ':' || char.is_ascii_digit()).trim();
    let own = rest.strip_prefix("error:").or(rest.strip_prefix("fatal error:"));
    // DXC may have another name for the file.
    let (is_clang, rest) = match own.or(rest.split_once(": error:").map(|(_, rest)| rest)) {
        Some(rest) => (true, rest.trim()),
        None => (false, rest),
    };
    let is_error = is_glslang || is_clang || is_vkd3d(rest);
    (is_error && !rest.is_empty()).then_some(rest)
}

/// True for vkd3d's messages, which begin with a number: `E5005: …`.
fn is_vkd3d(message: &str) -> bool {
    let number = message.split_once(": ").and_then(|(code, _)| code.strip_prefix('E'));
    number.is_some_and(|number| number.len() == 4 && number.parse::<u16>().is_ok())
}

/// The text with `…` for quoted parts and `N` for numbers; numbers within words stay.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::new();
    let (mut quote, mut last) = (None, ' ');
    for char in text.chars() {
        let is_first = !last.is_alphanumeric();
        match (quote, char) {
            (Some(end), _) if char == end => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => (quote, plain) = (Some(char), plain + "…"),
            (None, '\'') if is_first => (quote, plain) = (Some(char), plain + "…"),
            (None, '0'..='9') if is_first => plain.push('N'),
            (None, '0'..='9') if last.is_ascii_digit() && plain.ends_with('N') => {}
            // This character ends a column of a table.
            (None, '|') => plain.push('/'),
            (None, _) => plain.push(char),
        }
        last = char;
    }
    let words: Vec<_> = plain.split_whitespace().collect();
    let cut: String = words.join(" ").chars().take(LENGTH).collect();
    cut.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "a/error_4#b=1/vertex.hlsl";

    #[track_caller]
    fn check(said: &str, expected: &str) {
        assert_eq!(of(&said.replace("PATH", PATH), PATH, "crashes, signal: 11"), expected);
    }

    #[test]
    fn the_first_error_of_each_compiler_is_the_reason() {
        check(
            "PATH\nWARNING: PATH:3: 'x' : odd\nERROR: PATH:6: 'constructor' : one argument per array element \n\
             ERROR: PATH:7: '=' : cannot convert\nERROR: 2 compilation errors.  No code generated.\n",
            "… : one argument per array element",
        );
        check(
            "PATH:3:9: W5300: Implicit truncation.\nPATH:12:5: E5005: Variable \"a1\" is not defined.\n",
            "E5005: Variable … is not defined.",
        );
        check("PATH:12:5: error: redefinition of 'member_1'\nnote: here", "redefinition of …");
        check("PATH:1:2 error: value inf cannot be 'f32'\n", "value inf cannot be …");
        check("hlsl.hlsl:3:5: error: unknown type name 'int16_t'\n", "unknown type name …");
    }

    #[test]
    fn numbers_and_names_make_no_reason_of_their_own() {
        let of = |name: &str, number: u32| {
            of(
                &format!("ERROR: a.hlsl:1: '{name}' : needs {number} of 40|50, don't it"),
                "a.hlsl",
                "",
            )
        };
        assert_eq!(of("a", 1), "… : needs N of N/N, don't it");
        assert_eq!(of("a", 1), of("b c", 234));
    }

    #[test]
    fn a_compiler_that_says_nothing_has_crashed_or_not() {
        check("PATH\n", "crashes, signal: N");
        check("", "crashes, signal: N");
    }
}
