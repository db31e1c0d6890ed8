//! Shards: parts of a plan that take about the same time.
//!
//! Slow cases are often neighbours, so the plan is shuffled first. The seed is fixed: every machine with the same cases
//! computes the same shards, and each case is in exactly one.

use std::str::FromStr;

/// `K/N`: the K-th of N shards, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    count: usize,
}

/// A text that names no shard: the user's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `K/N`, such as `1/4`, with K from 1 to N")]
pub struct NotAShard;

impl FromStr for Shard {
    type Err = NotAShard;

    fn from_str(text: &str) -> Result<Self, NotAShard> {
        let (number, count) = text.split_once('/').ok_or(NotAShard)?;
        let parse = |text: &str| text.parse().map_err(|_| NotAShard);
        let shard = Self { number: parse(number)?, count: parse(count)? };
        if (1..=shard.count).contains(&shard.number) { Ok(shard) } else { Err(NotAShard) }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl Shard {
    /// Keeps only the cases of this shard, in their order. `name` returns the name of a case.
    pub fn cut<T>(self, cases: &mut Vec<T>, name: impl Fn(&T) -> &str) {
        let mut shuffled: Vec<_> =
            cases.iter().enumerate().map(|(idx, case)| (hash(name(case)), idx)).collect();
        shuffled.sort_unstable();
        let mut is_in = vec![false; cases.len()];
        for (_, idx) in shuffled.into_iter().skip(self.number - 1).step_by(self.count) {
            is_in[idx] = true;
        }
        let mut is_in = is_in.into_iter();
        cases.retain(|_| is_in.next().unwrap_or(false));
    }
}

/// FNV-1a with a final mix, because names differ mostly in their last bytes. The standard library's hash may change
/// between versions.
fn hash(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_in_exactly_one_shard_and_shards_are_equal() {
        let all: Vec<_> = (0..1001).map(|index| (index, format!("cases/{index}"))).collect();
        let mut seen = vec![0; all.len()];
        for number in 1..=4 {
            let mut cases = all.clone();
            Shard { number, count: 4 }.cut(&mut cases, |(_, name)| name);
            assert!((250..=251).contains(&cases.len()), "{}", cases.len());
            assert!(cases.is_sorted_by_key(|(index, _)| *index));
            for (index, _) in &cases {
                seen[*index] += 1;
            }
            // Neighbours are spread out: a shard has about a quarter of the first hundred cases.
            let early = cases.iter().filter(|(index, _)| *index < 100).count();
            assert!((10..=40).contains(&early), "{early}");
        }
        assert!(seen.iter().all(|count| *count == 1));
    }

    #[test]
    fn a_shard_is_one_of_its_number() {
        assert_eq!("2/3".parse(), Ok(Shard { number: 2, count: 3 }));
        for wrong in ["0/3", "4/3", "1", "1/0", "a/b", "1/-1", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
