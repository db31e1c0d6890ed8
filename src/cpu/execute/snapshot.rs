//! Takes snapshots for expectations.

use std::sync::Arc;

use case::Case;
use ir::format::Format;
use ir::readback::{Area, Extent, Image, Snapshot};
use plan::{ExecuteError, Plan, PlannedSnapshot, SnapshotSource, TexelFormat, TextureLayer};

use crate::errors::lacking;
use crate::numbers::index;
use crate::target::surface::{Place, Surface};
use crate::world::World;

/// Cost of reading a pixel back.
const PIXEL_WORK: usize = 32;

/// Copies what an expectation reads.
pub(crate) fn snapshot(
    world: &World,
    case: &Case,
    plan: &Plan,
    planned: PlannedSnapshot,
    extent: Extent,
) -> Result<Snapshot, ExecuteError> {
    let picture = |format: Format, size: [u32; 2], texel: &dyn Fn(usize) -> Vec<u8>| {
        let whole = Area::whole(size[0], size[1]);
        let part = match extent {
            Extent::Probed => planned.area.filter(|area| whole.contains(*area)).unwrap_or(whole),
            Extent::Whole => whole,
        };
        let pixels = index(part.width).saturating_mul(index(part.height));
        world.spend(pixels.saturating_mul(PIXEL_WORK))?;
        Ok(image(format, size, part, texel))
    };
    let of_surface = |surface: Surface, sample: Option<u32>| {
        let bytes = world.bytes(surface.place);
        picture(surface.format, surface.size, &|pixel| {
            surface.texel(bytes, pixel, sample, world.noise)
        })
    };
    let of_target = |idx: usize, sample: Option<u32>| {
        let target = world.targets.get(idx).ok_or_else(|| lacking("such a target"))?;
        of_surface(target.surface(idx), sample)
    };
    match planned.source {
        SnapshotSource::Target(idx) => of_target(idx, None),
        SnapshotSource::Sample { target, sample } => of_target(target, Some(sample)),
        SnapshotSource::Depth => {
            let depth = world.depth.as_ref().ok_or_else(|| lacking("depth buffer"))?;
            let value = |pixel: usize| depth.depths.get(pixel * index(depth.samples));
            picture(Format::R32_FLOAT, case.size, &|pixel| {
                value(pixel).map_or_else(Vec::new, |value| value.to_le_bytes().to_vec())
            })
        }
        SnapshotSource::Stencil => {
            let depth = world.depth.as_ref().ok_or_else(|| lacking("depth buffer"))?;
            if depth.samples > 1 {
                return Err(ExecuteError::Lacking("stencil values of several samples".to_owned()));
            }
            let texel = |pixel| depth.stencils.get(pixel).copied().into_iter().collect();
            picture(Format::R8_UINT, case.size, &texel)
        }
        SnapshotSource::Texture(idx) => {
            let planned = plan.textures.get(idx).ok_or_else(|| lacking("such a texture"))?;
            let format = format_of(planned.format);
            let size = [planned.size[0], planned.size[1]];
            let place = Place::Texture(TextureLayer { texture: idx, layer: 0 });
            of_surface(Surface { place, format, size, samples: 1 }, None)
        }
        SnapshotSource::Layers(idx) => {
            let planned = plan.textures.get(idx).ok_or_else(|| lacking("such a texture"))?;
            let format = format_of(planned.format);
            let [width, height, layers] = planned.size;
            let texel = |pixel| texel(world.textures.bytes(idx), format, pixel);
            picture(format, [width, height.saturating_mul(layers)], &texel)
        }
        SnapshotSource::Buffer(idx) => {
            let size = index(plan.storage_sizes.get(idx).copied().unwrap_or(0));
            let words = world.buffers.get(idx).map_or(&[][..], |buffer| &buffer.words);
            let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take(size);
            Ok(Snapshot::Buffer(Arc::new(bytes.collect())))
        }
    }
}

/// The colour format of texels. Depths, which no expectation reads from textures, count as colours.
const fn format_of(texels: TexelFormat) -> Format {
    match texels {
        TexelFormat::Color(format) => format,
        TexelFormat::Depth => Format::RGBA8_UNORM,
    }
}

/// The bytes of a texel by its index.
fn texel(bytes: &[u8], format: Format, index: usize) -> Vec<u8> {
    let size = format.bytes_per_texel();
    let start = index.saturating_mul(size);
    bytes.get(start..start.saturating_add(size)).unwrap_or(&[]).to_vec()
}

/// The pixels of `part`, row by row; `texel` returns the bytes of a pixel by its index.
fn image(
    format: Format,
    [width, height]: [u32; 2],
    part: Area,
    texel: &dyn Fn(usize) -> Vec<u8>,
) -> Snapshot {
    let mut bytes = Vec::new();
    for y in part.y..part.y.saturating_add(part.height) {
        for x in part.x..part.x.saturating_add(part.width) {
            let pixel = index(y).saturating_mul(index(width)).saturating_add(index(x));
            bytes.extend(texel(pixel));
        }
    }
    Snapshot::Image(Arc::new(Image { format, width, height, part, bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_the_rows_of_its_part() {
        let part = Area { x: 1, y: 1, width: 2, height: 2 };
        let texel = |pixel: usize| vec![u8::try_from(pixel).expect("small")];
        let Snapshot::Image(image) = image(Format::R8_UINT, [4, 3], part, &texel) else {
            panic!("it is an image");
        };
        assert_eq!((image.bytes.as_slice(), image.part), (&[5, 6, 9, 10][..], part));
    }
}
