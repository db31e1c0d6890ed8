//! Corrects the sample counts that wgpu reports for render targets. wgpu's GL backend never reports fewer than four,
//! whatever `GL_MAX_SAMPLES` is. With a count that the driver rejects, nothing is drawn and no message is given.

use ir::backend::Backend;
use ir::format::{Format, FormatClass};

use crate::adapter_info::AdapterInfo;
use crate::language::Language;

/// Drivers whose `GL_MAX_SAMPLES` is one. wgpu does not report that number.
const SINGLE_SAMPLED: [&str; 1] = ["softpipe"];

/// The sample counts that the driver of `adapter` really supports, out of the counts `told` that wgpu reports. Each
/// count is one bit.
pub(crate) fn real_samples(
    adapter: &AdapterInfo,
    language: Option<Language>,
    format: Format,
    told: u32,
) -> u32 {
    let is_integer = match format.class() {
        FormatClass::Float => false,
        FormatClass::Sint | FormatClass::Uint => true,
    };
    // OpenGL ES 3.0.6, 4.4.2.1: no multisampling of signed and unsigned integers.
    let is_old_es = language.is_some_and(|language| language.is_es && language.number < 310);
    let is_single =
        adapter.backend == Backend::Gl && SINGLE_SAMPLED.contains(&adapter.name.as_str());
    if is_single || is_old_es && is_integer { told & 1 } else { told }
}

#[cfg(test)]
mod tests {
    use crate::adapter_info::DeviceType;

    use super::*;

    #[track_caller]
    fn check(name: &str, backend: &str, es: Option<u16>, format: &str, expected: u32) {
        let adapter = AdapterInfo {
            backend: backend.parse().expect("the test names a backend"),
            index: 0,
            name: name.to_owned(),
            driver: String::new(),
            device_type: DeviceType::Cpu,
            bus: String::new(),
        };
        let language = es.map(|number| Language { number, is_es: true });
        let format = Format::from_name(format).expect("the test names a format");
        assert_eq!(real_samples(&adapter, language, format, 0b101), expected);
    }

    #[test]
    fn four_samples_are_not_everywhere() {
        check("llvmpipe", "gl", None, "rgba8unorm", 0b101);
        check("softpipe", "gl", None, "rgba8unorm", 1);
        check("softpipe", "vulkan", None, "rgba8unorm", 0b101);
    }

    #[test]
    fn integers_have_one_sample_in_es_3_0() {
        check("llvmpipe", "gl", Some(300), "rgba8uint", 1);
        check("llvmpipe", "gl", Some(300), "rgba32sint", 1);
        check("llvmpipe", "gl", Some(300), "rgba8unorm", 0b101);
        check("llvmpipe", "gl", Some(310), "rgba8uint", 0b101);
    }
}
