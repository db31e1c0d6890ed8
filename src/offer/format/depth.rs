//! Converts formats of depth buffers to wgpu's.

use case::depth_stencil::DepthFormat;

/// Format of depth textures in wgpu: fixed-point, for which comparisons clamp the reference as in GL.
pub const DEPTH_TEXTURE: wgpu_types::TextureFormat = wgpu_types::TextureFormat::Depth16Unorm;

/// wgpu's format for a depth format.
pub const fn depth_format(format: DepthFormat) -> wgpu_types::TextureFormat {
    match format {
        DepthFormat::Depth16Unorm => wgpu_types::TextureFormat::Depth16Unorm,
        DepthFormat::Depth24Plus => wgpu_types::TextureFormat::Depth24Plus,
        DepthFormat::Depth24PlusStencil8 => wgpu_types::TextureFormat::Depth24PlusStencil8,
        DepthFormat::Depth32Float => wgpu_types::TextureFormat::Depth32Float,
        DepthFormat::Depth32FloatStencil8 => wgpu_types::TextureFormat::Depth32FloatStencil8,
        DepthFormat::Stencil8 => wgpu_types::TextureFormat::Stencil8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aspects_are_wgpus() {
        for format in DepthFormat::all() {
            let theirs = depth_format(format);
            assert_eq!(theirs.has_depth_aspect(), format.has_depth());
            assert_eq!(theirs.has_stencil_aspect(), format.has_stencil());
            let name = format!("{theirs:?}").to_lowercase();
            assert_eq!(name, format.name().replace('-', ""));
        }
    }
}
