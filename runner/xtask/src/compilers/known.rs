//! `runner/lab/compilers.txt`: failures with a known cause.

/// Failures with a known cause.
#[derive(Debug)]
pub(super) struct Known(Vec<Line>);

#[derive(Debug)]
struct Line {
    /// The compiler, or the beginning of several and `*`.
    compiler: String,
    /// The case file without its extension, `*/` and the name of such a file, a folder and `/*`, or `*`.
    file: String,
    /// Part of the message.
    symptom: String,
    /// The cause, in a few words: a heading of `docs/compiler-faults.md`.
    cause: String,
}

/// A failure of a case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure<'a> {
    pub(super) compiler: &'a str,
    /// Name of the case.
    pub(super) case: &'a str,
    pub(super) message: &'a str,
}

impl Known {
    /// Parses lines of `COMPILER FILE "PART OF THE MESSAGE" CAUSE`; a line that begins with `#` is a comment.
    ///
    /// # Errors
    /// A line has another form.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let read = |line| {
            parse(line).ok_or_else(|| {
                format!("expected COMPILER FILE \"PART OF THE MESSAGE\" CAUSE, found `{line}`")
            })
        };
        lines.map(read).collect::<Result<_, _>>().map(Self)
    }

    /// The known cause of a failure.
    pub(super) fn cause(&self, failure: Failure<'_>) -> Option<&str> {
        self.0.iter().find(|line| line.fits(failure)).map(|line| line.cause.as_str())
    }
}

fn parse(line: &str) -> Option<Line> {
    let (compiler, rest) = line.split_once(' ')?;
    let (file, rest) = rest.trim_start().split_once(' ')?;
    let (symptom, cause) = rest.trim_start().strip_prefix('"')?.split_once("\" ")?;
    let cause = cause.trim();
    if symptom.is_empty() || cause.is_empty() {
        return None;
    }
    let [compiler, file, symptom, cause] = [compiler, file, symptom, cause].map(str::to_owned);
    Some(Line { compiler, file, symptom, cause })
}

impl Line {
    fn fits(&self, Failure { compiler, case, message }: Failure<'_>) -> bool {
        let is_file = || {
            if let Some(folder) = self.file.strip_suffix('*') {
                return case.starts_with(folder);
            }
            let rest = match self.file.strip_prefix('*') {
                Some(end) => case.split_once(end).map(|(_, rest)| rest),
                None => case.strip_prefix(&self.file),
            };
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        let is_compiler = || match self.compiler.strip_suffix('*') {
            Some(beginning) => compiler.starts_with(beginning),
            None => compiler == self.compiler,
        };
        is_compiler() && is_file() && message.contains(&self.symptom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
# for people

dxc * \"too many elements\" naga's writer forgets an element
* cases/wgsl/* \"in.wgsl\" anything
tint cases/a/b \"probe\" a wrong value
naga */d \"probe\" a wrong value
opt-* * \"store\" a wrong value
";

    #[track_caller]
    fn check(compiler: &str, case: &str, message: &str, expected: Option<&str>) {
        let known = Known::parse(LIST).expect("all lines are right");
        assert_eq!(known.cause(Failure { compiler, case, message }), expected);
    }

    #[test]
    fn a_failure_is_known_by_compiler_file_and_message() {
        let [forgets, wrong] = ["naga's writer forgets an element", "a wrong value"].map(Some);
        check("dxc", "cases/x.shader_test#a=1", "error: too many elements in", forgets);
        check("tint", "cases/x.shader_test", "error: too many elements in", None);
        check("tint", "cases/a/b.shader_test#n=1", "probe all", wrong);
        check("tint", "cases/a/bb.shader_test", "probe all", None);
        check("tint", "cases/a/b.shader_test", "link", None);
        check("naga", "/scripts/x/d.amber", "probe", wrong);
        check("naga", "/scripts/x/dd.amber", "probe", None);
        check("naga", "/scripts/x/d/e.amber", "probe", None);
        check("naga", "cases/wgsl/c.shader_test", "in.wgsl:1", Some("anything"));
        check("naga", "cases/glsl/c.shader_test", "in.wgsl:1", None);
        check("opt-Os", "cases/a.shader_test", "store", wrong);
        check("opt", "cases/a.shader_test", "store", None);
    }

    #[test]
    fn every_cause_is_described() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let text = |path: &str| std::fs::read_to_string(root.join(path)).expect("a file of ours");
        let known = Known::parse(&text("runner/lab/compilers.txt")).expect("all lines are right");
        let documentation = text("docs/compiler-faults.md");
        let is_described = |cause: &str| {
            documentation.lines().any(|line| {
                line.strip_prefix("### ") == Some(cause)
                    || line.starts_with('|') && line.split('|').any(|cell| cell.trim() == cause)
            })
        };
        let missing = known.0.iter().filter(|line| !is_described(&line.cause));
        let missing: Vec<_> = missing.map(|line| &line.cause).collect();
        assert!(missing.is_empty(), "{missing:#?}");
        assert!(!is_described("a cause that nobody knows"));
    }

    #[test]
    fn every_line_has_all_parts() {
        for line in ["dxc * \"x\"", "dxc * \"x\" ", "dxc * x y", "dxc \"x\" y", "dxc * \"\" y"] {
            let error = Known::parse(line).expect_err(line);
            assert!(error.ends_with(&format!("found `{line}`")), "{error}");
        }
    }
}
