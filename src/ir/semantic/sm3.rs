//! `GENERIC` labels in Direct3D 9's shader model 3, which has 14 declaration usages with 16 indices each.
//!
//! Of the 224 pairs five belong to other semantics (`POSITION`, `PSIZE`, `COLOR[0]`, `COLOR[1]` and `FOG`), which
//! leaves 219 labels: 0 to 218. `BCOLOR[i]` has no separate usage and occupies COLOR i + 2, which leaves 217 labels.
//! These two pairs have the highest labels, so back colours only cost 217 and 218. Labels 0 to 15 are TEXCOORD 0 to 15,
//! and the other usages follow in the order of their numbers.

use super::{Semantic, SemanticError, SemanticName};

/// Number of indices of a usage.
const INDICES: u32 = 16;
/// Number of labels without `BCOLOR`.
pub const LABELS: u32 = 219;
/// Number of labels with `BCOLOR`.
pub const LABELS_WITH_BACK_COLORS: u32 = 217;

/// A declaration usage, in the order of Direct3D's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are Direct3D's")]
pub enum Usage {
    Position,
    BlendWeight,
    BlendIndices,
    Normal,
    PointSize,
    TexCoord,
    Tangent,
    Binormal,
    TessFactor,
    PositionTransformed,
    Color,
    Fog,
    Depth,
    Sample,
}

impl Usage {
    /// All usages by number.
    pub const ALL: [Self; 14] = [
        Self::Position,
        Self::BlendWeight,
        Self::BlendIndices,
        Self::Normal,
        Self::PointSize,
        Self::TexCoord,
        Self::Tangent,
        Self::Binormal,
        Self::TessFactor,
        Self::PositionTransformed,
        Self::Color,
        Self::Fog,
        Self::Depth,
        Self::Sample,
    ];

    /// First index that no other semantic permanently occupies.
    const fn first_free(self) -> u32 {
        match self {
            Self::Position | Self::PointSize | Self::Fog => 1,
            // 0 and 1 are colours; 2 and 3 are the last labels.
            Self::Color => 4,
            Self::BlendWeight
            | Self::BlendIndices
            | Self::Normal
            | Self::TexCoord
            | Self::Tangent
            | Self::Binormal
            | Self::TessFactor
            | Self::PositionTransformed
            | Self::Depth
            | Self::Sample => 0,
        }
    }
}

/// A usage and an index below 16, which SM3 links by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Declaration {
    /// The usage.
    pub usage: Usage,
    /// The index.
    pub index: u32,
}

/// The declarations of all `GENERIC` labels, in order.
fn declarations() -> impl Iterator<Item = Declaration> {
    let first = std::iter::once(Usage::TexCoord);
    let others = Usage::ALL.into_iter().filter(|usage| *usage != Usage::TexCoord);
    let all = first.chain(others).flat_map(|usage| {
        (usage.first_free()..INDICES).map(move |index| Declaration { usage, index })
    });
    // 217 is COLOR3 and 218 is COLOR2.
    all.chain([3, 2].map(|index| Declaration { usage: Usage::Color, index }))
}

/// The declaration of a semantic; `None` if SM3 has none for it.
pub fn declaration_of(semantic: Semantic) -> Option<Declaration> {
    let at = |usage, index| Some(Declaration { usage, index });
    match (semantic.name, semantic.index) {
        (SemanticName::Generic, index) => declarations().nth(usize::try_from(index).ok()?),
        (SemanticName::Position, 0) => at(Usage::Position, 0),
        (SemanticName::PointSize, 0) => at(Usage::PointSize, 0),
        (SemanticName::Fog, 0) => at(Usage::Fog, 0),
        (SemanticName::Color, index @ 0..=1) => at(Usage::Color, index),
        (SemanticName::BackColor, index @ 0..=1) => at(Usage::Color, index + 2),
        (
            SemanticName::Position
            | SemanticName::PointSize
            | SemanticName::Fog
            | SemanticName::Color
            | SemanticName::BackColor
            | SemanticName::Normal
            | SemanticName::Face
            | SemanticName::EdgeFlag
            | SemanticName::PrimitiveId
            | SemanticName::InstanceId
            | SemanticName::VertexId
            | SemanticName::Stencil
            | SemanticName::ClipDistance
            | SemanticName::ClipVertex
            | SemanticName::TexCoord
            | SemanticName::PointCoord
            | SemanticName::Layer
            | SemanticName::ViewportIndex
            | SemanticName::SampleId
            | SemanticName::SamplePosition
            | SemanticName::SampleMask,
            _,
        ) => None,
    }
}

/// The semantic of a declaration. For COLOR2 and COLOR3 it depends on `has_back_colors`.
pub fn semantic_of(declaration: Declaration, has_back_colors: bool) -> Option<Semantic> {
    let own = |name, index| Some(Semantic { name, index });
    match (declaration.usage, declaration.index) {
        (Usage::Position, 0) => own(SemanticName::Position, 0),
        (Usage::PointSize, 0) => own(SemanticName::PointSize, 0),
        (Usage::Fog, 0) => own(SemanticName::Fog, 0),
        (Usage::Color, index @ 0..=1) => own(SemanticName::Color, index),
        (Usage::Color, index @ 2..=3) if has_back_colors => own(SemanticName::BackColor, index - 2),
        _ => {
            let label = declarations().position(|known| known == declaration)?;
            Some(Semantic::generic(u32::try_from(label).ok()?))
        }
    }
}

impl std::str::FromStr for Declaration {
    type Err = SemanticError;

    /// Parses `TEXCOORD7`.
    fn from_str(text: &str) -> Result<Self, SemanticError> {
        let all = Usage::ALL.into_iter();
        let mut all = all.flat_map(|usage| (0..INDICES).map(move |index| Self { usage, index }));
        all.find(|declaration| declaration.to_string() == text).ok_or_else(|| {
            SemanticError(format!("`{text}` is not a declaration such as `TEXCOORD7`"))
        })
    }
}

impl std::fmt::Display for Declaration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let usage = match self.usage {
            Usage::Position => "POSITION",
            Usage::BlendWeight => "BLENDWEIGHT",
            Usage::BlendIndices => "BLENDINDICES",
            Usage::Normal => "NORMAL",
            Usage::PointSize => "PSIZE",
            Usage::TexCoord => "TEXCOORD",
            Usage::Tangent => "TANGENT",
            Usage::Binormal => "BINORMAL",
            Usage::TessFactor => "TESSFACTOR",
            Usage::PositionTransformed => "POSITIONT",
            Usage::Color => "COLOR",
            Usage::Fog => "FOG",
            Usage::Depth => "DEPTH",
            Usage::Sample => "SAMPLE",
        };
        write!(f, "{usage}{}", self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_declarations_are_inverse() {
        for label in 0..LABELS {
            let semantic = Semantic::generic(label);
            let declaration = declaration_of(semantic).expect("SM3 has room for it");
            assert!(declaration.index < INDICES);
            assert_eq!(semantic_of(declaration, false), Some(semantic));
        }
        assert_eq!(declaration_of(Semantic::generic(LABELS)), None);
    }

    /// 14 usages of 16 indices are 224 pairs; five of them belong to other semantics.
    #[test]
    fn every_declaration_means_something() {
        for has_back_colors in [false, true] {
            let mut generics = 0;
            for usage in Usage::ALL {
                for index in 0..INDICES {
                    let found = semantic_of(Declaration { usage, index }, has_back_colors);
                    let found = found.expect("each of the 224 pairs is used");
                    assert_eq!(declaration_of(found), Some(Declaration { usage, index }));
                    let declaration = Declaration { usage, index };
                    assert_eq!(declaration.to_string().parse(), Ok(declaration));
                    generics += u32::from(found.name == SemanticName::Generic);
                }
            }
            let expected = if has_back_colors { LABELS_WITH_BACK_COLORS } else { LABELS };
            assert_eq!(generics, expected);
        }
    }

    #[test]
    fn declarations_print_as_in_direct3d() {
        let shown = |label| declaration_of(Semantic::generic(label)).map(|usage| usage.to_string());
        assert_eq!(shown(7).as_deref(), Some("TEXCOORD7"));
        // POSITION0 belongs to the position.
        assert_eq!(shown(16).as_deref(), Some("POSITION1"));
        assert_eq!(shown(217).as_deref(), Some("COLOR3"));
        assert_eq!(shown(218).as_deref(), Some("COLOR2"));
        let back = Semantic { name: SemanticName::BackColor, index: 1 };
        assert_eq!(declaration_of(back).map(|usage| usage.to_string()).as_deref(), Some("COLOR3"));
    }
}
