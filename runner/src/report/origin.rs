//! Origin of results: the command, its start time and duration, and the tested commit.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Variables in which CI systems give the commit. The first one is interstage's own, for any other system.
const COMMIT_VARIABLES: [&str; 4] =
    ["INTERSTAGE_COMMIT", "GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"];

const SECONDS_PER_DAY: u64 = 86_400;

/// Origin of results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// Time at which the run began, in UTC: `2026-11-23T16:41:20Z`.
    pub started: String,
    /// Arguments of the program.
    pub command: Vec<String>,
    /// Commit that is checked out in the working directory; empty if it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// Duration of the run in seconds.
    pub seconds: f32,
}

/// A run that has started.
#[derive(Debug)]
pub struct Begun {
    origin: Origin,
    at: Instant,
}

impl Begun {
    /// Records the start of this process's run.
    pub fn now() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let command = std::env::args_os().skip(1);
        let named = COMMIT_VARIABLES.iter().find_map(|name| std::env::var(name).ok());
        let checked_out = || commit_in(&std::env::current_dir().ok()?);
        let origin = Origin {
            started: utc(now.map_or(0, |now| now.as_secs())),
            command: command.map(|word| word.to_string_lossy().into_owned()).collect(),
            commit: named.or_else(checked_out).unwrap_or_default(),
            seconds: 0.0,
        };
        Self { origin, at: Instant::now() }
    }

    /// The origin of results that are written now.
    pub fn origin(&self) -> Origin {
        Origin { seconds: self.at.elapsed().as_secs_f32(), ..self.origin.clone() }
    }
}

/// Formats a time, in seconds since 1970 in UTC, as in RFC 3339.
pub fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / SECONDS_PER_DAY, seconds % SECONDS_PER_DAY);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a day counted from 1970-01-01. Internally a year begins in March, so that a leap day is its
/// last day.
const fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let leap_days = day_of_era / 1_460 + day_of_era / 146_096;
    let year_of_era = (day_of_era + day_of_era / 36_524 - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

/// Reads the commit that is checked out in the git repository around `folder` from its files.
fn commit_in(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists())?;
    let git = if git.is_file() { pointed_to(&git)? } else { git };
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    let Some(name) = head.trim().strip_prefix("ref: ") else { return Some(head.trim().to_owned()) };
    let common = std::fs::read_to_string(git.join("commondir"));
    let common = common.map_or_else(|_| git.clone(), |path| git.join(path.trim()));
    let loose = std::fs::read_to_string(common.join(name)).map(|text| text.trim().to_owned());
    loose.ok().or_else(|| {
        let packed = std::fs::read_to_string(common.join("packed-refs")).ok()?;
        let line = packed.lines().find(|line| line.ends_with(&format!(" {name}")))?;
        line.split(' ').next().map(str::to_owned)
    })
}

/// The folder that the `.git` file of a work tree names.
fn pointed_to(file: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(file).ok()?;
    Some(file.parent()?.join(text.trim().strip_prefix("gitdir: ")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_rfc_3339_writes_them() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn the_commit_is_read_from_branches_packed_branches_and_work_trees() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        assert_eq!(commit_in(&folder.path().join("nowhere")), None);
        write("a/.git/HEAD", "ref: refs/heads/main\n");
        write("a/.git/packed-refs", "# pack-refs\n1234 refs/heads/main\n");
        let inner = folder.path().join("a/b");
        assert_eq!(commit_in(&inner).as_deref(), Some("1234"));
        write("a/.git/refs/heads/main", "5678\n");
        assert_eq!(commit_in(&inner).as_deref(), Some("5678"));
        write("c/.git", "gitdir: ../a/.git/worktrees/c\n");
        write("a/.git/worktrees/c/HEAD", "ref: refs/heads/main\n");
        write("a/.git/worktrees/c/commondir", "../..\n");
        assert_eq!(commit_in(&folder.path().join("c")).as_deref(), Some("5678"));
        write("c/.git", "gitdir: ../a/.git\n");
        write("a/.git/HEAD", "9abc\n");
        assert_eq!(commit_in(&folder.path().join("c")).as_deref(), Some("9abc"));
    }
}
