//! Evidence of a failed case: the images and buffers that differed from the expectations, the link map and the lowered
//! stages.
//!
//! The worker writes it as `evidence.json` into the case's folder, beside files that other programs can open.
//! `index.html` and `interstage compare` read it. Bytes are deflated (RFC 1951) and base64-encoded, so that a browser
//! can decode them without a library.

use std::io::{Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use interstage::check::verdict::Failure;
use serde::{Deserialize, Serialize};

/// The folder with the evidence of a run, inside its result folder.
pub const FOLDER: &str = "evidence";

/// Name of the evidence file in a case's folder.
pub const FILE: &str = "evidence.json";

/// Prefix of the worker's note with the folder of the evidence.
pub const NOTE: &str = "kept in ";

/// Limit on the size of decompressed data.
const MAX_BYTES: u64 = 1 << 30;

/// Evidence of one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The case file's text.
    pub source: String,
    /// The link map.
    pub map: String,
    /// The lowered stages, in the order of the pipeline.
    pub stages: Vec<Stage>,
    /// Failed expectations.
    pub failures: Vec<Failure>,
    /// Render targets; those with an expected image come first.
    pub images: Vec<ImageEvidence>,
    /// Buffers.
    pub buffers: Vec<BufferEvidence>,
}

/// A lowered stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// `vertex`, `fragment` or `compute`.
    pub name: String,
    /// Text of the stage as WGSL.
    pub wgsl: String,
}

/// A render target at the time at which some expectations read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageEvidence {
    /// Lines of the failed expectations that read it.
    pub lines: Vec<usize>,
    /// Number of the render target.
    pub target: u32,
    /// Name of an image that is not a render target: `depth buffer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// wgpu's name of the format.
    pub format: String,
    /// Pixels per row.
    pub width: u32,
    /// Number of rows; the first one is the lowest.
    pub height: u32,
    /// The image read back.
    pub actual: Packed,
    /// An image that would satisfy these expectations.
    pub expected: Option<Packed>,
    /// The executor's image, if the oracle was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<OracleEvidence>,
    /// For every pixel a byte whose bits are the channels that an expectation rejects (bit 0 is red); none if the
    /// expectations do not check single pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unaccepted: Option<Packed>,
    /// For every pixel a byte whose bits are the channels that some expectation of the case looks at (bit 0 is red); none
    /// if all of them are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probed: Option<Packed>,
    /// Tolerance of these expectations, in the case's own notation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tolerance: String,
}

/// A buffer at the time at which an expectation read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferEvidence {
    /// Line of the expectation.
    pub line: usize,
    /// Kind and binding of the buffer: `storage buffer 2`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The bytes read back.
    pub actual: Packed,
    /// The executor's bytes, if the oracle was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<OracleEvidence>,
}

/// The executor's result in place of an image or buffer of an adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OracleEvidence {
    /// Result with the stages before linking; none if they cannot run unlinked.
    pub unlinked: Option<Packed>,
    /// Result of the linked program.
    pub linked: Packed,
}

/// Bytes, deflated and base64-encoded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed(String);

impl Packed {
    /// Packs the bytes quickly.
    pub fn of(bytes: &[u8]) -> Self {
        Self::with(bytes, Compression::fast())
    }

    /// Packs the bytes as small as possible.
    pub fn small(bytes: &[u8]) -> Self {
        Self::with(bytes, Compression::best())
    }

    fn with(bytes: &[u8], compression: Compression) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), compression);
        let deflated = encoder.write_all(bytes).and_then(|()| encoder.finish());
        Self(STANDARD.encode(deflated.expect("writing to memory does not fail")))
    }

    /// Unpacks the bytes; `None` if the data is damaged.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let deflated = STANDARD.decode(&self.0).ok()?;
        let mut bytes = Vec::new();
        DeflateDecoder::new(&deflated[..]).take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// The base64 text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Folder of a case inside `folder`: the case's name as a path that cannot leave the folder it is joined to.
pub fn folder_of(folder: &Path, case: &str) -> PathBuf {
    let normal = |component| matches!(component, Component::Normal(_)).then_some(component);
    folder.join(Path::new(case).components().filter_map(normal).collect::<PathBuf>())
}

/// Copies the evidence of all failed cases from one result folder to another.
pub fn adopt(from: &Path, to: &Path) -> anyhow::Result<()> {
    let from = from.join(FOLDER);
    if from.is_dir() { copy_folder(&from, &to.join(FOLDER)) } else { Ok(()) }
}

fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    let explain = || format!("cannot copy {} to {}", from.display(), to.display());
    std::fs::create_dir_all(to).with_context(explain)?;
    for entry in from.read_dir().with_context(explain)? {
        let entry = entry.with_context(explain)?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().with_context(explain)?.is_dir() {
            copy_folder(&path, &copy)?;
        } else {
            std::fs::copy(&path, &copy).with_context(explain)?;
        }
    }
    Ok(())
}

/// Writes the evidence into the folder of its case.
pub fn write(folder: &Path, evidence: &Evidence) -> anyhow::Result<()> {
    let path = folder.join(FILE);
    std::fs::write(&path, serde_json::to_vec(evidence)?)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Reads the evidence from the folder of a case; none if it is missing or unreadable.
pub fn read(folder: &Path) -> Option<Evidence> {
    serde_json::from_slice(&std::fs::read(folder.join(FILE)).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_packing() {
        let much = vec![7; 100_000];
        for bytes in [&b""[..], b"a", &much, &[0, 255, 1, 254]] {
            assert_eq!(Packed::of(bytes).bytes().as_deref(), Some(bytes));
        }
        assert!(Packed::of(&much).as_str().len() < 1_000);
        assert_eq!(Packed::small(&much).bytes(), Some(much));
    }

    #[test]
    fn damaged_bytes_are_none_and_no_panic() {
        assert_eq!(Packed("###".to_owned()).bytes(), None);
        assert_eq!(Packed("/////w==".to_owned()).bytes(), None);
    }

    #[test]
    fn the_folder_of_a_case_stays_inside() {
        let found = folder_of(Path::new("out"), "/etc/../../x/a.shader_test#n=1");
        assert_eq!(found, Path::new("out/etc/x/a.shader_test#n=1"));
    }
}
