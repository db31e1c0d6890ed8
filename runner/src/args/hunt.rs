//! The options of `interstage hunt`.

use std::path::PathBuf;
use std::time::Duration;

use crate::args::{Language, PoolOptions};

/// `interstage hunt`.
#[derive(Clone, Debug, clap::Args)]
pub struct HuntOptions {
    /// Cases whose variants run instead of random programs: files, folders, or `@LIST`
    pub paths: Vec<PathBuf>,
    /// Folder for what is found; a hunt goes on where the last one in its folder ended
    #[arg(short, long, value_name = "DIR", default_value = "hunt")]
    pub output: PathBuf,
    /// Languages of the random programs
    #[arg(long, value_enum, value_delimiter = ',', default_value = "glsl,wgsl,spirv")]
    pub language: Vec<Language>,
    /// Seed of the first program of each language, or of the first variants [default: the next one in the folder]
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// Number of programs of each language, or of variants, on each adapter [default: no limit]
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Time after which no further programs run, such as `90s`, `30m` or `2h` [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Leave out an operation of a kind of numbers, such as `abs of uint`, as `generate programs --statistics` names it;
    /// several times for several
    #[arg(long, value_name = "FEATURE")]
    pub leave_out: Vec<String>,
    /// Time for reducing one program; with 0, programs stay as they are, and wrong values of one kind count as one fault
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "5m")]
    pub reduce_time: Duration,
    /// Adapter and workers.
    #[command(flatten)]
    pub pool: PoolOptions,
    /// Script of case results that replaces the adapter; see `worker/scripted.rs`
    #[arg(long, value_name = "FILE", hide = true)]
    pub script: Option<PathBuf>,
}

/// Reads a number with a unit: `s`, `m`, `h` or none, which is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a number with `s`, `m` or `h`, such as `30m`".to_owned();
    let (number, seconds) = match text.char_indices().last() {
        Some((at, 's')) => (&text[..at], 1),
        Some((at, 'm')) => (&text[..at], 60),
        Some((at, 'h')) => (&text[..at], 3600),
        _ => (text, 1),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let seconds = |text| duration(text).map(|time| time.as_secs());
        assert_eq!(seconds("90"), Ok(90));
        assert_eq!(seconds("5s"), Ok(5));
        assert_eq!(seconds("30m"), Ok(1800));
        assert_eq!(seconds("2h"), Ok(7200));
        for wrong in
            ["", "h", "1d", "-1m", "1.5h", "99999999999999999999h", "9999999999999999h", "é"]
        {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
