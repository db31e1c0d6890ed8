//! `interstage.toml`: the settings of a project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use interstage::case::Dialect;
use interstage::ir::diagnostic::nearest_word;
use interstage::through::Language;
use serde::Deserialize;

use crate::project::CASES;

/// Name of the file.
pub const FILE: &str = "interstage.toml";

/// All keys, for suggestions.
const KEYS: [&str; 10] = [
    "roots",
    "dialect",
    "dialects",
    "adapter",
    "through",
    "through-language",
    "timeout",
    "known-failures",
    "flakes",
    "skips",
];

/// The settings. Paths are relative to the folder of the file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// Folders with cases, for commands without paths; by default `cases`.
    pub roots: Option<Vec<PathBuf>>,
    /// Dialect of all files.
    dialect: Option<DialectName>,
    /// Dialects of the files below certain folders; the longest path has priority.
    dialects: BTreeMap<String, DialectName>,
    /// Adapter, like `--adapter`.
    pub adapter: Option<String>,
    /// Compilers, like `--through`.
    pub through: Vec<String>,
    /// Language that their commands read, like `--through-language`.
    pub through_language: Option<Language>,
    /// Time limit in seconds, like `--timeout`.
    timeout: Option<Seconds>,
    /// Lists of known failures, like `--known-failures`.
    pub known_failures: Vec<PathBuf>,
    /// Lists of flakes, like `--flakes`.
    pub flakes: Vec<PathBuf>,
    /// Lists of skips, like `--skips`.
    pub skips: Vec<PathBuf>,
}

/// Name of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DialectName {
    Strict,
    Piglit,
    Vulkan,
    Conformance,
}

/// A time limit in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
struct Seconds(Duration);

impl TryFrom<f64> for Seconds {
    type Error = String;

    fn try_from(seconds: f64) -> Result<Self, String> {
        time_limit(seconds).map(Self)
    }
}

/// Converts a time limit in seconds; it must be positive and finite.
pub fn time_limit(seconds: f64) -> Result<Duration, String> {
    if seconds <= 0.0 {
        return Err("the time must be greater than 0".to_owned());
    }
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Unreadable settings: a message with file, line and column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingsError(String);

impl Settings {
    /// Reads the file at `path`.
    pub(super) fn read(path: &Path) -> Result<Self, SettingsError> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| SettingsError(format!("{}: {error}", path.display())))?;
        toml::from_str(&text).map_err(|error| explain(path, &text, &error))
    }

    /// Text of a settings file that sets only the dialect.
    pub fn text_of(dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Interstage => "dialect = \"strict\"\n",
            Dialect::Piglit => "dialect = \"piglit\"\n",
            Dialect::Vulkan => "dialect = \"vulkan\"\n",
            Dialect::ShaderLibrary => "dialect = \"conformance\"\n",
        }
    }

    /// Folders with cases, relative to the root.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.roots.clone().unwrap_or_else(|| vec![PathBuf::from(CASES)])
    }

    /// Time limit of a case.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout.map(|Seconds(time)| time)
    }

    /// Dialect of the file with this name; `None` if the settings say nothing about it.
    pub(super) fn dialect_of(&self, name: &str) -> Option<Dialect> {
        let is_above = |folder: &str| Path::new(name).starts_with(folder);
        let above = self.dialects.iter().filter(|(folder, _)| is_above(folder));
        let longest = above.max_by_key(|(folder, _)| folder.len()).map(|(_, dialect)| *dialect);
        longest.or(self.dialect).map(|dialect| match dialect {
            DialectName::Strict => Dialect::Interstage,
            DialectName::Piglit => Dialect::Piglit,
            DialectName::Vulkan => Dialect::Vulkan,
            DialectName::Conformance => Dialect::ShaderLibrary,
        })
    }
}

fn explain(path: &Path, text: &str, error: &toml::de::Error) -> SettingsError {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|char| *char != '\n').count() + 1;
    let message = error.message();
    let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    let message = unknown.map_or_else(
        || message.to_owned(),
        |key| {
            let help = nearest_word(key, KEYS).map_or_else(
                || format!("the keys are {}", KEYS.join(", ")),
                |nearest| format!("did you mean `{nearest}`?"),
            );
            format!("unknown key `{key}`; {help}")
        },
    );
    SettingsError(format!("{}:{line}:{column}: {message}", path.display()))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check_error(text: &str, expected: Expect) {
        let error = toml::from_str::<Settings>(text).expect_err("the text is wrong");
        expected.assert_eq(&explain(Path::new(FILE), text, &error).to_string());
    }

    #[test]
    fn every_dialect_has_a_name() {
        let dialects =
            [Dialect::Interstage, Dialect::Piglit, Dialect::Vulkan, Dialect::ShaderLibrary];
        for dialect in dialects {
            let settings: Settings =
                toml::from_str(Settings::text_of(dialect)).expect("the text is right");
            assert_eq!(settings.dialect_of("a"), Some(dialect));
        }
    }

    #[test]
    fn mistakes_are_told_with_line_and_column() {
        check_error(
            "roots = [\"a\"]\n\ntimout = 3\n",
            expect!["interstage.toml:3:1: unknown key `timout`; did you mean `timeout`?"],
        );
        check_error(
            "colour = 3\n",
            expect![
                "interstage.toml:1:1: unknown key `colour`; the keys are roots, dialect, dialects, adapter, through, through-language, timeout, known-failures, flakes, skips"
            ],
        );
        check_error(
            "timeout = -1\n",
            expect!["interstage.toml:1:11: the time must be greater than 0"],
        );
        check_error(
            "dialect = \"loose\"\n",
            expect![
                "interstage.toml:1:11: unknown variant `loose`, expected one of `strict`, `piglit`, `vulkan`, `conformance`"
            ],
        );
        check_error(
            "roots = \"a\"\n",
            expect![[r#"interstage.toml:1:9: invalid type: string "a", expected a sequence"#]],
        );
        check_error("roots = [\n", expect!["interstage.toml:1:10: unclosed array, expected `]`"]);
    }

    #[test]
    fn every_key_is_known() {
        let text = "roots = [\"a\", \"b\"]\ndialect = \"piglit\"\nadapter = \"all\"\ntimeout = 2.5\n\
                    through = [\"cp {in} {out}\"]\nthrough-language = \"hlsl\"\n\
                    known-failures = [\"f\"]\nflakes = []\nskips = []\n[dialects]\n\"a\" = \"strict\"\n";
        let settings: Settings = toml::from_str(text).expect("the text is right");
        assert_eq!(settings.timeout(), Some(Duration::from_millis(2500)));
        assert_eq!(settings.dialect_of("a/x"), Some(Dialect::Interstage));
        assert_eq!(settings.dialect_of("ab/x"), Some(Dialect::Piglit));
        for key in KEYS {
            assert!(
                text.contains(&format!("{key} = ")) || text.contains(&format!("[{key}]")),
                "{key}"
            );
        }
    }
}
