//! Differences between the verdicts, rule by rule.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::invalid::opinion::{Opinion, Verdict};

/// A program with all verdicts on it.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) rule: String,
    version: String,
    /// Verdict of the table of rules.
    right: Verdict,
    ours: Opinion,
    theirs: Opinion,
}

/// Kind of difference between the verdicts on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    /// Interstage accepts, both others reject.
    WrongPass,
    /// Interstage rejects, both others accept.
    WrongRefusal,
    /// Interstage and the table accept, `shader_runner` rejects.
    StrictRunner,
    /// Interstage and the table reject, `shader_runner` accepts.
    LaxRunner,
    /// Both accept, the table rejects.
    BothAccept,
    /// Both reject, the table accepts.
    BothRefuse,
}

#[derive(Default)]
struct Row {
    compared: usize,
    agree: usize,
    wrong_passes: usize,
    wrong_refusals: usize,
    unknown: usize,
}

impl Program {
    /// Creates the program of a generated file, whose comment names the rule and the right verdict.
    pub(crate) fn read(path: PathBuf, ours: Opinion, theirs: Opinion) -> Result<Self, String> {
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!("# {name}: ")));
            line.map(str::to_owned)
                .ok_or_else(|| format!("{}: the line `# {name}:` is missing", path.display()))
        };
        let right = match field("verdict")?.as_str() {
            "valid" => Verdict::Accepts,
            _ => Verdict::Refuses,
        };
        Ok(Self { rule: field("rule")?, version: field("version")?, right, ours, theirs, path })
    }

    /// True if all verdicts agree.
    pub(crate) fn all_agree(&self) -> bool {
        self.is_compared() && self.difference().is_none()
    }

    fn is_compared(&self) -> bool {
        self.ours.verdict != Verdict::Unknown && self.theirs.verdict != Verdict::Unknown
    }

    fn difference(&self) -> Option<Difference> {
        let accepts = |verdict: Verdict| verdict == Verdict::Accepts;
        match (accepts(self.right), accepts(self.ours.verdict), accepts(self.theirs.verdict)) {
            (true, true, true) | (false, false, false) => None,
            (false, true, false) => Some(Difference::WrongPass),
            (true, false, true) => Some(Difference::WrongRefusal),
            (true, true, false) => Some(Difference::StrictRunner),
            (false, false, true) => Some(Difference::LaxRunner),
            (false, true, true) => Some(Difference::BothAccept),
            (true, false, false) => Some(Difference::BothRefuse),
        }
    }
}

impl Difference {
    const ALL: [Self; 6] = [
        Self::WrongPass,
        Self::WrongRefusal,
        Self::StrictRunner,
        Self::LaxRunner,
        Self::BothAccept,
        Self::BothRefuse,
    ];

    const fn title(self) -> &'static str {
        match self {
            Self::WrongPass => "interstage alone accepts",
            Self::WrongRefusal => "interstage alone refuses",
            Self::StrictRunner => "shader_runner alone refuses",
            Self::LaxRunner => "shader_runner alone accepts",
            Self::BothAccept => "both accept what the table calls wrong",
            Self::BothRefuse => "both refuse what the table calls right",
        }
    }
}

/// Formats the differences, then a table of the rules with differences, then the sum.
pub(crate) fn report(programs: &[Program]) -> Vec<String> {
    let mut lines = Vec::new();
    for kind in Difference::ALL {
        let these = programs
            .iter()
            .filter(|program| program.is_compared() && program.difference() == Some(kind));
        let mut these: Vec<_> = these.collect();
        these.sort_by(|a, b| a.rule.cmp(&b.rule));
        if these.is_empty() {
            continue;
        }
        lines.push(format!("\n== {}: {}", kind.title(), these.len()));
        for program in these {
            let file = program.path.file_name().unwrap_or_default().to_string_lossy();
            lines.push(format!("{} · {} · {file}", program.rule, program.version));
            for (who, opinion) in
                [("interstage", &program.ours), ("shader_runner", &program.theirs)]
            {
                if !opinion.message.is_empty() {
                    lines.push(format!("    {who}: {}", opinion.message));
                }
            }
        }
    }
    lines.extend(unknown(programs));
    lines.extend(table(programs));
    lines
}

/// Lists the programs that were not compared, by reason.
fn unknown(programs: &[Program]) -> Vec<String> {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for program in programs.iter().filter(|program| !program.is_compared()) {
        let (who, opinion) = match program.ours.verdict {
            Verdict::Unknown => ("interstage", &program.ours),
            Verdict::Accepts | Verdict::Refuses => ("shader_runner", &program.theirs),
        };
        *reasons.entry(format!("{who}: {} ({})", opinion.message, program.rule)).or_default() += 1;
    }
    if reasons.is_empty() {
        return Vec::new();
    }
    let rows = reasons.into_iter().map(|(reason, count)| format!("{count} {reason}"));
    std::iter::once("\n== not compared".to_owned()).chain(rows).collect()
}

fn table(programs: &[Program]) -> Vec<String> {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut sum = Row::default();
    for program in programs {
        sum.add(program);
        rows.entry(&program.rule).or_default().add(program);
    }
    let mut lines = vec![
        "\n| rule | compared | agree | wrong passes | wrong refusals | not compared |".to_owned(),
        "|---|--:|--:|--:|--:|--:|".to_owned(),
    ];
    let rules = rows.len();
    let differing = rows.into_iter().filter(|(_, row)| row.agree != row.compared);
    lines.extend(differing.map(|(rule, row)| row.line(rule)));
    lines.push(sum.line(&format!("all {rules} rules")));
    lines
}

impl Row {
    fn add(&mut self, program: &Program) {
        if !program.is_compared() {
            self.unknown += 1;
            return;
        }
        self.compared += 1;
        match (program.ours.verdict, program.theirs.verdict) {
            (Verdict::Accepts, Verdict::Refuses) => self.wrong_passes += 1,
            (Verdict::Refuses, Verdict::Accepts) => self.wrong_refusals += 1,
            (Verdict::Accepts | Verdict::Refuses | Verdict::Unknown, _) => self.agree += 1,
        }
    }

    fn line(&self, name: &str) -> String {
        let Self { compared, agree, wrong_passes, wrong_refusals, unknown } = self;
        format!("| {name} | {compared} | {agree} | {wrong_passes} | {wrong_refusals} | {unknown} |")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(right: Verdict, ours: Verdict, theirs: Verdict, expected: Option<Difference>) {
        let opinion = |verdict| Opinion { verdict, message: String::new() };
        let program = Program {
            path: PathBuf::new(),
            rule: String::new(),
            version: String::new(),
            right,
            ours: opinion(ours),
            theirs: opinion(theirs),
        };
        assert_eq!(program.difference(), expected);
    }

    #[test]
    fn whoever_stands_alone_is_named() {
        let (yes, no) = (Verdict::Accepts, Verdict::Refuses);
        check(yes, yes, yes, None);
        check(no, no, no, None);
        check(no, yes, no, Some(Difference::WrongPass));
        check(yes, no, yes, Some(Difference::WrongRefusal));
        check(yes, yes, no, Some(Difference::StrictRunner));
        check(no, no, yes, Some(Difference::LaxRunner));
        check(no, yes, yes, Some(Difference::BothAccept));
        check(yes, no, no, Some(Difference::BothRefuse));
    }
}
