//! SPIR-V binaries: conversion of bytes to words, and validation of the instruction lengths (SPIR-V, 2.3).

use ir::diagnostic::counted;
use rspirv::spirv::MAGIC_NUMBER;

use crate::well_formed::malformed::Malformed;

/// Magic number, version, generator, bound and schema.
const HEADER_WORDS: usize = 5;
/// The newest minor version of SPIR-V 1.
const LAST_MINOR: u32 = 6;
/// Minimum limit on ids in every implementation (SPIR-V, 2.17).
const MAX_BOUND: u32 = 4_194_303;

/// The words of a module; the error says what is wrong with the file.
pub(super) fn words(bytes: &[u8]) -> Result<Vec<u32>, Malformed> {
    check_magic(bytes)?;
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let length = counted(bytes.len(), "byte");
        return Err(Malformed(format!("the file has {length}, which is not a multiple of 4")));
    }
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    check_header(&words)?;
    check_instructions(&words)?;
    Ok(words)
}

fn check_magic(bytes: &[u8]) -> Result<(), Malformed> {
    let Some(first) = bytes.first_chunk::<4>() else {
        let length = counted(bytes.len(), "byte");
        return Err(Malformed(format!(
            "the file has {length}, which is too short for a SPIR-V module"
        )));
    };
    if u32::from_le_bytes(*first) == MAGIC_NUMBER {
        return Ok(());
    }
    if u32::from_be_bytes(*first) == MAGIC_NUMBER {
        return Err(Malformed(
            "the module is big-endian; interstage supports little-endian modules only".to_owned(),
        ));
    }
    let is_text = bytes.is_ascii() && !bytes.contains(&0);
    let help = if is_text { "; write assembly in the section itself" } else { "" };
    Err(Malformed(format!(
        "the file does not begin with SPIR-V's magic number {MAGIC_NUMBER:#010x}{help}"
    )))
}

fn check_header(words: &[u32]) -> Result<(), Malformed> {
    let [_, version, _, bound, schema] = *words.first_chunk::<HEADER_WORDS>().ok_or_else(|| {
        let length = words.len();
        Malformed(format!("the header is cut off: it has {length} of {HEADER_WORDS} words"))
    })?;
    let (major, minor) = (version >> 16, version >> 8 & 0xff);
    if major != 1 || minor > LAST_MINOR || version & 0xff != 0 {
        return Err(Malformed(format!(
            "the version {version:#010x} is not one of 1.0 to 1.{LAST_MINOR}"
        )));
    }
    if bound == 0 || bound > MAX_BOUND {
        return Err(Malformed(format!(
            "the bound of ids is {bound}, but must be 1 to {MAX_BOUND}"
        )));
    }
    if schema != 0 {
        return Err(Malformed(format!(
            "the header's last word is {schema}, but is reserved and must be 0"
        )));
    }
    Ok(())
}

fn check_instructions(words: &[u32]) -> Result<(), Malformed> {
    let mut at = HEADER_WORDS;
    while let Some(first) = words.get(at) {
        let (count, left) = ((first >> 16) as usize, words.len() - at);
        if count == 0 {
            return Err(Malformed(format!("the instruction at word {at} has a length of 0 words")));
        }
        if count > left {
            return Err(Malformed(format!(
                "the file ends inside the instruction at word {at}: it has {count} words, but only {left} are left"
            )));
        }
        at += count;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: [u32; HEADER_WORDS] = [MAGIC_NUMBER, 0x0001_0300, 0, 10, 0];
    /// The instruction `OpNop`.
    const NOP: u32 = 0x0001_0000;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[track_caller]
    fn check(words: &[u32], expect: &str) {
        let message = super::words(&bytes(words)).err().map_or(String::new(), String::from);
        assert_eq!(message, expect);
    }

    /// The header with one word replaced.
    fn with(idx: usize, word: u32) -> [u32; HEADER_WORDS] {
        let mut header = HEADER;
        header[idx] = word;
        header
    }

    #[test]
    fn a_header_and_whole_instructions_are_a_module() {
        check(&HEADER, "");
        check(&[&HEADER[..], &[NOP, 0x0002_0003, 7]].concat(), "");
    }

    #[test]
    fn files_of_another_kind_are_named() {
        let magic = "the file does not begin with SPIR-V's magic number 0x07230203";
        let of = |bytes: &[u8]| words(bytes).err().map_or(String::new(), String::from);
        assert_eq!(of(b""), "the file has 0 bytes, which is too short for a SPIR-V module");
        assert_eq!(of(b"Op"), "the file has 2 bytes, which is too short for a SPIR-V module");
        assert_eq!(of(b"\x7fELF\0\0\0\0"), magic);
        assert_eq!(
            of(b"OpCapability Shader"),
            format!("{magic}; write assembly in the section itself")
        );
        let swapped: Vec<u8> = HEADER.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(
            of(&swapped),
            "the module is big-endian; interstage supports little-endian modules only"
        );
    }

    #[test]
    fn a_module_that_is_cut_off_is_refused_at_every_byte() {
        let whole = bytes(&[&HEADER[..], &[0x0002_0003, 7]].concat());
        for length in 0..whole.len() {
            let is_module = words(&whole[..length]).is_ok();
            assert_eq!(is_module, length == 4 * HEADER_WORDS, "{length} bytes");
        }
        let message = words(&whole[..whole.len() - 1]).err();
        let expect = "the file has 27 bytes, which is not a multiple of 4";
        assert_eq!(message, Some(Malformed(expect.to_owned())));
    }

    #[test]
    fn headers_and_lengths_are_checked() {
        check(&HEADER[..3], "the header is cut off: it has 3 of 5 words");
        check(&with(1, 0x0002_0000), "the version 0x00020000 is not one of 1.0 to 1.6");
        check(&with(1, 0x0001_0700), "the version 0x00010700 is not one of 1.0 to 1.6");
        check(&with(3, 0), "the bound of ids is 0, but must be 1 to 4194303");
        check(&with(4, 1), "the header's last word is 1, but is reserved and must be 0");
        let more = |words: &[u32]| [&HEADER[..], words].concat();
        check(&more(&[NOP, 5]), "the instruction at word 6 has a length of 0 words");
        check(
            &more(&[0x0003_0003, 7]),
            "the file ends inside the instruction at word 5: it has 3 words, but only 2 are left",
        );
    }
}
