//! What a case requires of GL, answered with an adapter's limits.

use super::limits::LIMITS;
use crate::case::Case;
use crate::format::Format;
use crate::gl::{self, limit};
use crate::gpu::Gpu;

/// The first line of `[require]` about GL that is not met, in words. Without a `gpu` the adapter's part is what WebGPU
/// guarantees.
pub fn missing_gl(gpu: Option<&Gpu>, case: &Case) -> Option<String> {
    let api = gl::api(case);
    let own = |name: &str| adapter_limit(gpu, name);
    let promise = case.link.promised_components();
    case.requirements.iter().find_map(|it| gl::lacks(&it.value, api, &own, promise))
}

/// Names and values of GL's limits on `gpu`.
pub(in crate::gpu) fn gl_limit_values(gpu: &Gpu) -> Vec<(&'static str, i64)> {
    limit::values(&|name| adapter_limit(Some(gpu), name))
}

fn adapter_limit(gpu: Option<&Gpu>, name: &str) -> i64 {
    if name == limit::SAMPLES {
        // WebGPU guarantees four.
        let counts = gpu.map_or(0b101, |gpu| gpu.format_support(Format::RGBA8_UNORM).samples);
        return i64::from(counts.checked_ilog2().map_or(1, |bit| 1 << bit));
    }
    let limits = gpu.map_or_else(wgpu::Limits::default, |gpu| gpu.abilities.limits.clone());
    let found = LIMITS.iter().find(|(known, _, _)| *known == name);
    found.map_or(0, |(_, get, _)| i64::try_from(get(&limits)).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_of_the_adapter_that_gl_takes_is_one_of_wgpus() {
        let is_known = |name: &str| {
            name == limit::SAMPLES || LIMITS.iter().any(|(known, _, _)| *known == name)
        };
        let check = |name: &str| {
            assert!(is_known(name), "{name}");
            1
        };
        assert_eq!(limit::values(&check).len(), limit::values(&|_| 0).len());
    }

    #[test]
    fn without_an_adapter_there_is_what_webgpu_guarantees() {
        let value = |name| limit::value(name, &|limit| adapter_limit(None, limit));
        assert_eq!(value("GL_MAX_SAMPLES"), Some(4));
        assert_eq!(value("GL_MAX_VERTEX_ATTRIBS"), Some(16));
        assert_eq!(value("GL_MAX_FRAGMENT_UNIFORM_COMPONENTS"), Some(16_384));
        assert_eq!(value("GL_MAX_DRAW_BUFFERS"), Some(8));
    }
}
