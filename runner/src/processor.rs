//! The processor's level, which determines the code that a software driver generates.
//!
//! Mesa's software drivers compile for the vector instructions that they find, so the same driver generates different
//! code on another processor. The level is that of the x86-64 psABI, read as Mesa reads it: from the processor, minus
//! what `GALLIUM_OVERRIDE_CPU_CAPS` removes.

/// Mesa's variable that names the newest vector instructions to use.
const OVERRIDE: &str = "GALLIUM_OVERRIDE_CPU_CAPS";

/// The level that software drivers in this process see, such as `x86-64-v3`; on other processors only the architecture,
/// such as `aarch64`.
pub(crate) fn level() -> String {
    let overridden = std::env::var(OVERRIDE).ok();
    match native() {
        Some(native) => format!("x86-64-v{}", native.min(allowed(overridden.as_deref()))),
        None => std::env::consts::ARCH.to_owned(),
    }
}

/// Highest level that Mesa uses with this value of its variable. Mesa ignores unknown values.
fn allowed(overridden: Option<&str>) -> u8 {
    match overridden {
        Some("nosse" | "sse" | "sse2" | "sse3" | "ssse3" | "sse4.1") => 1,
        Some("avx") => 2,
        Some(_) | None => 4,
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(clippy::unnecessary_wraps, reason = "other architectures have no level")]
fn native() -> Option<u8> {
    let has_level_2 = is_x86_feature_detected!("sse4.2") && is_x86_feature_detected!("popcnt");
    let has_level_3 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c");
    let has_level_4 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl");
    Some(match (has_level_2, has_level_3, has_level_4) {
        (true, true, true) => 4,
        (true, true, false) => 3,
        (true, false, _) => 2,
        (false, _, _) => 1,
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn native() -> Option<u8> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mesas_variable_lowers_the_level() {
        let levels = ["sse2", "sse4.1", "avx", "avx7"].map(|value| allowed(Some(value)));
        assert_eq!(levels, [1, 1, 2, 4]);
        assert_eq!(allowed(None), 4);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn this_processor_has_a_level() {
        assert!((1..=4).contains(&native().expect("an x86-64 processor")));
        let level = level();
        assert!(level.strip_prefix("x86-64-v").is_some_and(|number| number.len() == 1), "{level}");
    }
}
