//! Lines of a stage's text to which a compiler's words point.

use super::fault::Fault;
use super::language::Language;

/// Largest number of lines that are quoted.
const MAX_LINES: usize = 3;

/// The fault with the lines of the text that its words name as `in.hlsl:12` or `in.hlsl(12,3)`, unless the words quote them already. naga
/// wrote the text, or the program before this one.
pub(super) fn with_lines(fault: Fault, text: &[u8], language: Language) -> Fault {
    let quoted = |words: String| {
        let lines = lines_of(&words, &String::from_utf8_lossy(text), language);
        [vec![words], lines].concat().join("\n")
    };
    match fault {
        Fault::Refused { status, words } => Fault::Refused { status, words: quoted(words) },
        Fault::Crashed { signal, words } => Fault::Crashed { signal, words: quoted(words) },
        Fault::NotWritten { .. }
        | Fault::NotStarted(_)
        | Fault::Hung(_)
        | Fault::NoResult(_)
        | Fault::Invalid(_)
        | Fault::Interface(_) => fault,
    }
}

fn lines_of(words: &str, text: &str, language: Language) -> Vec<String> {
    if language == Language::Spirv {
        return Vec::new();
    }
    let name = format!("in.{}", language.extension());
    let mut found: Vec<String> = Vec::new();
    for after in words.split(&name).skip(1) {
        let Some(after) = after.strip_prefix([':', '(']) else { continue };
        let end = after.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(after.len());
        let number = after[..end].parse::<usize>().ok();
        let line = number.and_then(|number| text.lines().nth(number.checked_sub(1)?));
        let Some(line) = line.map(str::trim).filter(|line| !words.contains(line)) else { continue };
        let quoted = format!("{name}:{}: `{line}`", &after[..end]);
        if found.len() < MAX_LINES && !found.contains(&quoted) {
            found.push(quoted);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "float a;\n    int b = 2;\nfloat c;\nfloat d;\nfloat e;\n";

    #[track_caller]
    fn check(words: &str, expected: &[&str]) {
        assert_eq!(lines_of(words, TEXT, Language::Hlsl), expected, "{words}");
    }

    #[test]
    fn lines_are_quoted_once_unless_the_words_have_them() {
        check("ERROR: in.hlsl:2: 'b' : no", &["in.hlsl:2: `int b = 2;`"]);
        check("in.hlsl:2:3: no\nin.hlsl:2:9: nor this", &["in.hlsl:2: `int b = 2;`"]);
        check("in.hlsl(2,3): error", &["in.hlsl:2: `int b = 2;`"]);
        check("in.hlsl:2:3: no\n    int b = 2;\n        ^", &[]);
        let three = ["in.hlsl:1: `float a;`", "in.hlsl:3: `float c;`", "in.hlsl:4: `float d;`"];
        check("in.hlsl:1 in.hlsl:3 in.hlsl:4 in.hlsl:5", &three);
    }

    #[test]
    fn words_that_name_no_line_are_left_alone() {
        for words in [
            "",
            "in.hlsl:0: x",
            "in.hlsl:99: x",
            "in.hlsl: x",
            "in.wgsl:1: x",
            "in.hlsl:-1",
            "in.hlsl2",
            "in.hlsl",
        ] {
            check(words, &[]);
        }
        assert!(lines_of("in.spv:1", TEXT, Language::Spirv).is_empty());
    }

    #[test]
    fn only_what_a_program_says_is_quoted_from() {
        let words = "in.hlsl:1".to_owned();
        let of = |fault: Fault| with_lines(fault, TEXT.as_bytes(), Language::Hlsl).to_string();
        let refused = Fault::Refused { status: "status 1".to_owned(), words: words.clone() };
        let expected = "refuses the stage (status 1)\nin.hlsl:1\nin.hlsl:1: `float a;`";
        assert_eq!(of(refused), expected);
        let crashed = Fault::Crashed { signal: "signal 6".to_owned(), words: words.clone() };
        assert_eq!(of(crashed), "crashes (signal 6)\nin.hlsl:1\nin.hlsl:1: `float a;`");
        assert_eq!(of(Fault::NoResult(words)), "writes no result: in.hlsl:1");
    }
}
