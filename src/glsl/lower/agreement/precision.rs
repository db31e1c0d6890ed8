//! Precision of ES uniforms. It has no effect on values here, but must match between the stages.

use crate::ast::{Declaration, Item, Qualifiers};
use ir::precision::Precision;
use ir::stage::ShaderStage;

use crate::lower::Stage;
use crate::lower::qualifier::At;
use crate::lower::types::{Kind, Shape, Ty};

impl Stage<'_> {
    /// Precision of a variable of this type in a declaration; `None` outside ES, and for structs and booleans.
    pub(in crate::lower) fn precision(
        &self,
        at: At,
        qualifiers: &Qualifiers,
        ty: Ty,
    ) -> Option<Precision> {
        if !self.version(at.object).is_es {
            return None;
        }
        let keyword = self.precision_keyword(ty)?;
        qualifiers.precision.or_else(|| self.default_precision(at, &keyword))
    }

    /// The type whose default precision applies.
    fn precision_keyword(&self, ty: Ty) -> Option<String> {
        match self.shape(ty) {
            Shape::Scalar(kind) | Shape::Vector(_, kind) => match kind {
                Kind::Float => Some("float".to_owned()),
                Kind::Int | Kind::Uint => Some("int".to_owned()),
                Kind::Bool | Kind::Int64 | Kind::Uint64 | Kind::Double => None,
            },
            Shape::Matrix(..) => Some("float".to_owned()),
            Shape::Array(element, _) => self.precision_keyword(element),
            Shape::Struct => self.is_opaque(ty).then(|| self.struct_name(ty).to_owned()),
        }
    }

    /// The precision from the last `precision … keyword;` before the declaration, or else the language's default.
    fn default_precision(&self, at: At, keyword: &str) -> Option<Precision> {
        let items = self.units.get(at.object).map_or(&[][..], |unit| &unit.items);
        let above = items.iter().take(at.position).rev();
        let declared = above.into_iter().find_map(|item| {
            let Item::Declaration(Declaration::Precision { type_name, precision }) = item else {
                return None;
            };
            (type_name.name == keyword).then_some(*precision)
        });
        let own = match (self.stage, keyword) {
            (_, "sampler2D" | "samplerCube") => Some(Precision::Low),
            (_, "atomic_uint") => Some(Precision::High),
            (_, opaque) if !["float", "int"].contains(&opaque) => None,
            (ShaderStage::Fragment, "int") => Some(Precision::Medium),
            (ShaderStage::Fragment, _) => None,
            (_, _) => Some(Precision::High),
        };
        declared.or(own)
    }
}
