//! Goldens: the expected images of cases, beside the folder `cases`.
//!
//! The golden `NAME` of `cases/varying/a.shader_test#n=2` is `golden/varying/a#n=2/NAME.png`. 8-bit unorm and uint
//! formats are stored as [`png`], which a person can view; all others with their exact bits in `NAME.npy` ([`npy`]).
//! The first row of both is the top of the image, the reverse of the row order in [`Image`].

pub mod layout;
pub mod npy;
pub mod png;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use interstage::case::{Case, Golden, ReadExpectation, Step};
use interstage::check::Goldens;
use interstage::ir::format::Format;
use interstage::ir::readback::Image;

use crate::files::basis::Input;
use crate::files::case_file;
use crate::files::golden::layout::{Container, NotGolden, TexelLayout};
use crate::project;

/// Name of the folder beside `cases`.
pub const FOLDER: &str = "golden";

/// Goldens that a case names, in file order.
pub fn named_by(case: &Case) -> impl Iterator<Item = &Golden> {
    case.steps.iter().filter_map(|step| golden_of(&step.value))
}

/// The golden that a step names, if any.
pub const fn golden_of(step: &Step) -> Option<&Golden> {
    if let Some(ReadExpectation::Golden(golden)) = step.reading() { Some(golden) } else { None }
}

/// Path of a golden of a case; the error says why it has none.
pub fn path(case: &Case, golden: &Golden) -> Result<PathBuf, NotGolden> {
    let plain = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
    if golden.name.is_empty() || !golden.name.chars().all(plain) {
        return Err(NotGolden(format!(
            "`{}` is not a valid name for a golden; use only letters, digits, `_` and `-`",
            golden.name
        )));
    }
    let place = project::golden_place(case.source.path());
    let Some((beside, below)) = place.map_err(|error| NotGolden(error.to_string()))? else {
        return Err(NotGolden(
            "goldens need a project: put the file below a folder named `cases`, or write an `interstage.toml`".to_owned(),
        ));
    };
    let below = format!("{below}{}", case_file::parameters_of(&case.name));
    let layout = TexelLayout::of(format_of(case, golden)?)?;
    let file = format!("{}.{}", golden.name, layout.container.extension());
    Ok(beside.join(FOLDER).join(below).join(file))
}

/// Files of all goldens that a case names, with their present contents.
pub fn inputs(case: &Case) -> Vec<Input> {
    let paths = named_by(case).filter_map(|golden| path(case, golden).ok());
    paths.filter_map(|path| path.to_str().map(Input::of_file)).collect()
}

/// Reads all goldens that a case names.
pub fn load(case: &Case) -> Goldens {
    let load_one = |golden: &Golden| {
        let unnamed = |reason: NotGolden| reason.0;
        let path = path(case, golden).map_err(unnamed)?;
        let format = format_of(case, golden).map_err(unnamed)?;
        read(&path, format).map_err(|reason| format!("{}: {reason}", path.display()))
    };
    let images: BTreeMap<_, _> =
        named_by(case).map(|golden| (golden.name.clone(), load_one(golden))).collect();
    Goldens { images }
}

/// Reads an image of the given format.
pub fn read(path: &Path, format: Format) -> Result<Image, NotGolden> {
    let bytes = std::fs::read(path).map_err(|error| {
        let is_missing = error.kind() == std::io::ErrorKind::NotFound;
        NotGolden(if is_missing {
            "the golden does not exist; create it with `interstage bless`".to_owned()
        } else {
            error.to_string()
        })
    })?;
    let layout = TexelLayout::of(format)?;
    let mut image = match layout.container {
        Container::Png => png::decode(&bytes, format, layout)?,
        Container::Npy => npy::decode(&bytes, format, layout)?,
    };
    flip(&mut image);
    Ok(image)
}

/// Writes an image. The file is replaced atomically, so an interrupted run leaves no partial file.
pub fn write(path: &Path, image: &Image) -> anyhow::Result<()> {
    let layout = TexelLayout::of(image.format)?;
    let mut image = image.clone();
    flip(&mut image);
    let bytes = match layout.container {
        Container::Png => png::encode(&image, layout)?,
        Container::Npy => npy::encode(&image, layout),
    };
    let partial = path.with_extension("partial");
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&partial, bytes))
        .and_then(|()| std::fs::rename(&partial, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Format of the render target that a golden is compared with.
pub fn format_of(case: &Case, golden: &Golden) -> Result<Format, NotGolden> {
    let target = case.render_targets.iter().find(|target| target.index == golden.target);
    target
        .map(|target| target.format)
        .ok_or_else(|| NotGolden(format!("the case has no render target {}", golden.target)))
}

/// Reverses the order of the rows.
fn flip(image: &mut Image) {
    let row = image.bytes.len() / (image.height as usize).max(1);
    if row > 0 {
        image.bytes = image.bytes.rchunks(row).flatten().copied().collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn round_trip(format: &str, bytes_per_texel: usize) {
        // Formats unknown to the library have no goldens.
        let Some(format) = Format::from_name(format) else { return };
        let bytes =
            (0..3 * 2 * bytes_per_texel).map(|idx| u8::try_from(idx * 7 % 251).unwrap()).collect();
        let image = Image::whole(format, 3, 2, bytes);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deeper/x.file");
        write(&path, &image).unwrap();
        assert_eq!(read(&path, format), Ok(image));
    }

    #[test]
    fn what_is_written_is_read_back_to_the_bit() {
        round_trip("rgba8unorm", 4);
        round_trip("bgra8unorm", 4);
        round_trip("r8uint", 1);
        round_trip("rg8unorm", 2);
        round_trip("rgba8sint", 4);
        round_trip("rgba16float", 8);
        round_trip("rg32uint", 8);
        round_trip("rgba32float", 16);
        round_trip("rgb10a2unorm", 4);
    }

    #[test]
    fn files_are_the_right_way_up() {
        let bytes = vec![1, 1, 1, 255, 2, 2, 2, 255];
        let mut image = Image::whole(Format::RGBA8_UNORM, 1, 2, bytes);
        flip(&mut image);
        assert_eq!(image.bytes, [2, 2, 2, 255, 1, 1, 1, 255]);
    }
}
