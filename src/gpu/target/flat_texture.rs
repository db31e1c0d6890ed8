//! Two-dimensional textures that passes draw into or read, and uploads of texels.

use crate::adapter::Gpu;

/// The descriptor of a two-dimensional texture with one level and one sample per pixel.
pub(crate) const fn flat_texture(
    label: &'static str,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
) -> wgpu::TextureDescriptor<'static> {
    wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    }
}

/// Writes the texels of all layers of a level. `texel` is the size of a texel in bytes.
pub(crate) fn upload(gpu: &Gpu, texture: &wgpu::Texture, level: u32, texel: usize, bytes: &[u8]) {
    let size = texture.size();
    let size = size.mip_level_size(level, texture.dimension());
    let texel = u32::try_from(texel).unwrap_or(0);
    gpu.queue.write_texture(
        wgpu::TexelCopyTextureInfo { mip_level: level, ..texture.as_image_copy() },
        bytes,
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: size.width.checked_mul(texel),
            rows_per_image: Some(size.height),
        },
        size,
    );
}
