//! Keeps what a failed case drew and how it was linked, for a person to look at.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use interstage::case::{CAPTURE_POINT, Case, Expectation, Step};
use interstage::gpu::Gpu;
use interstage::readback::{Captured, Readback};

use crate::golden;
use crate::golden::layout::TexelLayout;

/// Writes images, link map and lowered WGSL into the case's own folder below `folder`, and tells which it is; none when
/// the case came to nothing that could be kept.
pub fn keep(
    folder: &Path,
    case: &Case,
    gpu: Option<&Gpu>,
    readback: Option<&Readback>,
) -> anyhow::Result<Option<PathBuf>> {
    let Ok(inspection) = interstage::inspect(case, gpu) else { return Ok(None) };
    let folder = folder.join(inside(&case.name));
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    write(&folder.join("link_map.txt"), &inspection.map)?;
    for (stage, wgsl) in &inspection.stages {
        write(&folder.join(format!("{stage}.wgsl")), wgsl)?;
    }
    if let Some(readback) = readback {
        keep_images(&folder, case, readback)?;
        keep_captures(&folder, case, readback)?;
    }
    Ok(Some(folder))
}

/// One file per image and step; equal images that follow each other are written once.
fn keep_images(folder: &Path, case: &Case, readback: &Readback) -> anyhow::Result<()> {
    let mut last = None;
    for (step, captured) in case.steps.iter().zip(&readback.captures) {
        let Some(Captured::Image(image)) = captured else { continue };
        if last.is_some_and(|last| Arc::ptr_eq(last, image)) {
            continue;
        }
        last = Some(image);
        let Ok(layout) = TexelLayout::of(image.format) else { continue };
        let (line, _) = case.source.line_and_column(step.span.start);
        let target = target_of(&step.value);
        let name = format!("line{line}_target{target}.{}", layout.container.extension());
        golden::write(&folder.join(name), image)?;
    }
    Ok(())
}

/// The bytes of every capture buffer that a step looks at.
fn keep_captures(folder: &Path, case: &Case, readback: &Readback) -> anyhow::Result<()> {
    for (step, captured) in case.steps.iter().zip(&readback.captures) {
        let Step::Expect(Expectation::Buffer(probe)) = &step.value else { continue };
        let number = probe.binding.checked_sub(CAPTURE_POINT);
        let (Some(number), Some(Captured::Buffer(bytes))) = (number, captured) else { continue };
        let (line, _) = case.source.line_and_column(step.span.start);
        let path = folder.join(format!("line{line}_capture{number}.bin"));
        std::fs::write(&path, &**bytes)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The render target that an expectation looks at.
fn target_of(step: &Step) -> u32 {
    if let Step::Expect(Expectation::Probe(probe)) = step {
        return probe.target;
    }
    golden::golden_of(step).map_or(0, |golden| golden.target)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The case's name as a path that stays inside whatever it is joined to.
fn inside(name: &str) -> PathBuf {
    let normal = |component| matches!(component, Component::Normal(_)).then_some(component);
    Path::new(name).components().filter_map(normal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_stays_inside_the_folder() {
        assert_eq!(inside("/etc/../../x/a.shader_test#n=1"), Path::new("etc/x/a.shader_test#n=1"));
    }
}
