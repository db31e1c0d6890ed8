//! Writes MSL, and refuses what naga's writer panics at.

use naga::back::msl;
use naga::valid::ModuleInfo;
use naga::{Module, Scalar};

use super::{WriteError, not_expressible};

/// Writes a valid module with one entry point, in version 2.4.
///
/// # Errors
/// MSL cannot express the module.
pub(super) fn write(module: &Module, info: &ModuleInfo) -> Result<String, WriteError> {
    let mut scalars = module.types.iter().filter_map(|(_, ty)| ty.inner.scalar());
    if scalars.any(|scalar| scalar == Scalar::F64) {
        return Err(not_expressible("MSL", "it has no 64-bit floats"));
    }
    let options = msl::Options { lang_version: (2, 4), ..msl::Options::default() };
    let written = msl::write_string(module, info, &options, &msl::PipelineOptions::default());
    written.map(|(text, _)| text).map_err(|error| not_expressible("MSL", error))
}

#[cfg(test)]
mod tests {
    use crate::emit::{Language, write};

    #[test]
    fn doubles_are_not_expressible() {
        let check = |ty: &str, expected: Result<(), &str>| {
            let text = format!(
                "@group(0) @binding(0) var<storage, read_write> a: {ty};
                 @compute @workgroup_size(1) fn main() {{ a = {ty}(); }}"
            );
            let module = naga::front::wgsl::parse_str(&text).expect("valid WGSL");
            let written = write(&module, Language::Msl).map(|_| ());
            assert_eq!(written.map_err(|error| error.to_string()), expected.map_err(str::to_owned));
        };
        check("vec2<f32>", Ok(()));
        check("f64", Err("not expressible in MSL: it has no 64-bit floats"));
        check("vec3<f64>", Err("not expressible in MSL: it has no 64-bit floats"));
    }
}
