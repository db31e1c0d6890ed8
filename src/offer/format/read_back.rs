//! Formats that wgpu's GL backend cannot read back. It reads every format with its own channels and type, which GL ES
//! allows for only a few of the 16-bit normalised formats. The others read back as zeros or without their sign.

use crate::language::Language;

/// Formats that are read back wrongly on ES 3.1 and 3.2 of Mesa 22.3. `r16unorm` and `rgba16unorm` are read correctly
/// there.
const UNREADABLE_IN_ES: [&str; 4] = ["rg16unorm", "r16snorm", "rg16snorm", "rgba16snorm"];

/// True if a target of this format can be read back.
pub(crate) fn reads_back(language: Option<Language>, format: &str) -> bool {
    !(language.is_some_and(|language| language.is_es) && UNREADABLE_IN_ES.contains(&format))
}

#[cfg(test)]
mod tests {
    use ir::format::Format;

    use super::*;

    #[test]
    fn es_does_not_read_all_of_16_bits() {
        let check = |is_es: bool, format: &str, expected: bool| {
            let language = Some(Language { number: 320, is_es });
            assert_eq!(reads_back(language, format), expected, "{format}");
        };
        check(true, "rg16unorm", false);
        check(true, "rgba16snorm", false);
        check(true, "rgba16unorm", true);
        check(false, "rgba16snorm", true);
        assert!(reads_back(None, "rgba16snorm"));
    }

    #[test]
    fn these_formats_are_there() {
        for name in UNREADABLE_IN_ES {
            assert!(Format::from_name(name).is_some(), "{name}");
        }
    }
}
