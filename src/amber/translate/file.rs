//! Reads files with the content of buffers.

use std::path::{Component, Path};

use case::parse::Files;
use ir::source::Spanned;

use super::{Translated, broken, unsupported};
use crate::read::text_file;
use crate::syntax::data::DataFormat;
use crate::syntax::{Buffer, BufferKind, Content, Dimension, FileForm, Script};
use ir::diagnostic::counted;

/// The script with the content of its files, and the paths of the files.
pub(super) fn supplied(mut script: Script, files: &dyn Files) -> Translated<(Script, Vec<String>)> {
    let mut paths = Vec::new();
    for buffer in &mut script.buffers {
        let Content::File { form, path } = buffer.content.clone() else { continue };
        check_path(&path)?;
        match form {
            FileForm::Png => supply_picture(buffer, &path, files)?,
            FileForm::Binary => supply_bytes(buffer, &path, files)?,
            FileForm::Text => supply_text(buffer, &path, files)?,
        }
        paths.push(path.value);
    }
    Ok((script, paths))
}

/// Checks that a file is in the script's folder, or below it.
pub(super) fn check_path(path: &Spanned<String>) -> Translated<()> {
    let is_below = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if Path::new(&path.value).components().all(is_below) {
        return Ok(());
    }
    Err(broken(path.span, "the file must be in the script's folder, or below it"))
}

/// Reads a picture. Amber uses the colours as stored in the file, whatever the format of the buffer.
fn supply_picture(
    buffer: &mut Buffer,
    path: &Spanned<String>,
    files: &dyn Files,
) -> Translated<()> {
    let (mip_levels, samples) = match buffer.kind {
        BufferKind::Attachment { mip_levels, samples } => (mip_levels, samples),
        BufferKind::Plain | BufferKind::Image { .. } => {
            return Err(unsupported(path.span, "pictures in buffers that are no images"));
        }
    };
    let is_color = match &buffer.format {
        DataFormat::Pixel(format) => {
            ["R8G8B8A8_UNORM", "R8G8B8A8_SRGB"].contains(&format.name.as_str())
        }
        DataFormat::Type(_) => false,
    };
    if !is_color {
        return Err(unsupported(path.span, "pictures in images of other formats than R8G8B8A8"));
    }
    let picture = files.picture(&path.value).map_err(|reason| broken(path.span, reason))?;
    let [width, height] = picture.size;
    let (dimension, size) = (Dimension::D2, [width, height, 1]);
    buffer.kind = BufferKind::Image { dimension, size, mip_levels, samples };
    buffer.count = Some(width.saturating_mul(height));
    buffer.content = Content::Bytes(picture.bytes.into());
    Ok(())
}

fn supply_bytes(buffer: &mut Buffer, path: &Spanned<String>, files: &dyn Files) -> Translated<()> {
    if buffer.kind != BufferKind::Plain {
        return Err(unsupported(path.span, "images from files that are no pictures"));
    }
    let bytes = files.bytes(&path.value).map_err(|reason| broken(path.span, reason))?;
    let stride = buffer.format.element(buffer.layout, buffer.is_array).stride.max(1);
    let count = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    if count % stride != 0 {
        let message = format!("the file has {}, and each element {stride}", counted(count, "byte"));
        return Err(broken(path.span, message));
    }
    // As in Amber, the file determines the number of elements, whatever the script declares.
    buffer.count = Some(count / stride);
    buffer.content = Content::Bytes(bytes.into());
    Ok(())
}

fn supply_text(buffer: &mut Buffer, path: &Spanned<String>, files: &dyn Files) -> Translated<()> {
    if buffer.kind != BufferKind::Plain {
        return Err(unsupported(path.span, "images from files that are no pictures"));
    }
    let bytes = files.bytes(&path.value).map_err(|reason| broken(path.span, reason))?;
    let text = String::from_utf8_lossy(&bytes);
    let element = buffer.format.element(buffer.layout, buffer.is_array);
    let (bytes, count) = text_file(&text, &element)
        .map_err(|(line, message)| broken(path.span, format!("line {line}: {message}")))?;
    buffer.count = Some(count);
    buffer.content = Content::Bytes(bytes.into());
    Ok(())
}
