//! The opaque types of GLSL: their keywords, and the corresponding types of naga.

use naga::{ImageClass, ImageDimension, TypeInner};

use crate::lower::types::Kind;

/// An opaque type of GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpaqueType {
    pub(super) class: Class,
    pub(super) dim: Dim,
    pub(super) is_arrayed: bool,
    pub(super) is_shadow: bool,
    /// Scalar kind of the texels.
    pub(super) kind: Kind,
}

/// Kind of an opaque type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A texture together with a sampler, which GLSL calls a sampler.
    Sampler,
    /// A texture without a sampler.
    Texture,
    /// A sampler without a texture. The shape has no meaning.
    BareSampler,
    Image,
    Counter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dim {
    One,
    Two,
    Three,
    Cube,
    Rect,
    Buffer,
    Multisample,
    /// An image of another API (`GL_OES_EGL_image_external`).
    External,
}

/// Samplers without a texture, and whether they compare.
const BARE_SAMPLERS: [(&str, bool); 2] = [("sampler", false), ("samplerShadow", true)];

/// Parses the keyword of an opaque type that programs may use.
pub(super) fn parse_type(word: &str) -> Option<OpaqueType> {
    parse_any_type(word).filter(|ty| ty.is_runnable())
}

/// Parses the keyword of any opaque type.
pub(super) fn parse_any_type(word: &str) -> Option<OpaqueType> {
    if word == "atomic_uint" {
        let (class, dim, kind) = (Class::Counter, Dim::One, Kind::Uint);
        return Some(OpaqueType { class, dim, is_arrayed: false, is_shadow: false, kind });
    }
    let (kind, plain) = match word.as_bytes().first()? {
        b'i' if !word.starts_with("image") => (Kind::Int, &word[1..]),
        b'u' => (Kind::Uint, &word[1..]),
        _ => (Kind::Float, word),
    };
    if let Some((_, is_shadow)) = BARE_SAMPLERS.iter().find(|(name, _)| *name == word) {
        let (class, dim, is_shadow) = (Class::BareSampler, Dim::Two, *is_shadow);
        return Some(OpaqueType { class, dim, is_arrayed: false, is_shadow, kind });
    }
    let families =
        [("sampler", Class::Sampler), ("texture", Class::Texture), ("image", Class::Image)];
    let (class, shape) =
        families.iter().find_map(|(family, class)| Some((*class, plain.strip_prefix(family)?)))?;
    let (shape, is_shadow) =
        shape.strip_suffix("Shadow").map_or((shape, false), |rest| (rest, true));
    let (shape, is_arrayed) =
        shape.strip_suffix("Array").map_or((shape, false), |rest| (rest, true));
    let dim = match shape {
        "1D" => Dim::One,
        "2D" => Dim::Two,
        "3D" if !is_arrayed => Dim::Three,
        "Cube" => Dim::Cube,
        "2DRect" if !is_arrayed => Dim::Rect,
        "2DMS" if !is_shadow => Dim::Multisample,
        "Buffer" if !is_arrayed && !is_shadow => Dim::Buffer,
        "ExternalOES" if plain == word && class == Class::Sampler => Dim::External,
        _ => return None,
    };
    if is_shadow && (class != Class::Sampler || dim == Dim::Three || kind != Kind::Float) {
        return None;
    }
    let is_texture_rectangle = class == Class::Texture && dim == Dim::Rect;
    (!is_texture_rectangle).then_some(OpaqueType { class, dim, is_arrayed, is_shadow, kind })
}

impl OpaqueType {
    /// Number of coordinates without the layer.
    pub(super) const fn coordinates(self) -> u8 {
        match self.dim {
            Dim::One | Dim::Buffer => 1,
            Dim::Two | Dim::Rect | Dim::Multisample | Dim::External => 2,
            Dim::Three | Dim::Cube => 3,
        }
    }

    /// False for types of which only the rules are known.
    pub(super) const fn is_runnable(self) -> bool {
        !matches!(self.dim, Dim::Buffer | Dim::Multisample | Dim::External)
    }

    /// Number of components of the size of a texture or image.
    pub(super) const fn sizes(self) -> u8 {
        let plain = if let Dim::Cube = self.dim { 2 } else { self.coordinates() };
        plain + self.is_arrayed as u8
    }

    pub(super) fn image(self, class: ImageClass) -> TypeInner {
        let (dim, arrayed) = match (self.dim, self.class) {
            (
                Dim::One | Dim::Two | Dim::Rect | Dim::Buffer | Dim::Multisample | Dim::External,
                _,
            ) => (ImageDimension::D2, self.is_arrayed),
            (Dim::Three, _) => (ImageDimension::D3, false),
            // Cube faces are layers of a storage texture.
            (Dim::Cube, Class::Image) => (ImageDimension::D2, true),
            (Dim::Cube, _) => (ImageDimension::Cube, self.is_arrayed),
        };
        TypeInner::Image { dim, arrayed, class }
    }

    pub(super) fn sampled(self) -> TypeInner {
        let kind = self.kind.scalar().kind;
        self.image(if self.is_shadow {
            ImageClass::Depth { multi: false }
        } else {
            ImageClass::Sampled { kind, multi: false }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: Option<(Class, Dim, bool, bool, Kind)>) {
        let found =
            parse_type(word).map(|ty| (ty.class, ty.dim, ty.is_arrayed, ty.is_shadow, ty.kind));
        assert_eq!(found, expected, "{word}");
    }

    #[test]
    fn type_words_say_class_shape_and_texels() {
        check("sampler2D", Some((Class::Sampler, Dim::Two, false, false, Kind::Float)));
        check("isampler1DArray", Some((Class::Sampler, Dim::One, true, false, Kind::Int)));
        check("samplerCubeArrayShadow", Some((Class::Sampler, Dim::Cube, true, true, Kind::Float)));
        check("image3D", Some((Class::Image, Dim::Three, false, false, Kind::Float)));
        check("iimage2D", Some((Class::Image, Dim::Two, false, false, Kind::Int)));
        check("uimage2DRect", Some((Class::Image, Dim::Rect, false, false, Kind::Uint)));
        check("itexture2DArray", Some((Class::Texture, Dim::Two, true, false, Kind::Int)));
        check("samplerShadow", Some((Class::BareSampler, Dim::Two, false, true, Kind::Float)));
        check("isampler", None);
        check("texture2DShadow", None);
        check("texture2DRect", None);
        check("sampler3DShadow", None);
        check("image2DShadow", None);
        check("samplerBuffer", None);
        check("sampler2DMS", None);
    }
}
