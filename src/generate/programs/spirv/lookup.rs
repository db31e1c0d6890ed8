//! Writes lookups of textures.

use super::super::tree::{Expression, Filtered, Literal, Lookup, Scalar, TEXELS, Texture, Type};
use super::Writer;

impl Writer<'_> {
    pub(super) fn textures(&mut self) {
        for texture in Texture::ALL {
            let name = format!("%{}", texture.name());
            let (_, sampled) = self.texture_types(texture);
            self.bind(&name, texture.point());
            self.global(&name, "UniformConstant", &sampled);
        }
    }

    /// Types of the image and of the image with its sampler.
    fn texture_types(&mut self, texture: Texture) -> (String, String) {
        let component = self.declared.scalar(match texture {
            Texture::Words => Scalar::Uint,
            Texture::Exact | Texture::Smooth => Scalar::Float,
        });
        let image = self.declared.id(&format!("OpTypeImage {component} 2D 0 0 0 1 Unknown"));
        let sampled = self.declared.id(&format!("OpTypeSampledImage {image}"));
        (image, sampled)
    }

    /// A lookup with a result of the type.
    pub(super) fn lookup(&mut self, lookup: Lookup, operands: &[Expression], ty: &str) -> String {
        let texture = lookup.texture();
        let (image_type, sampled_type) = self.texture_types(texture);
        let operands: Vec<_> = operands.iter().map(|operand| self.expression(operand)).collect();
        let first = operands.first().cloned().unwrap_or_default();
        let sampled = self.result("OpLoad", &sampled_type, &format!("%{}", texture.name()));
        match lookup {
            Lookup::Fetch(level) => {
                let image = self.result("OpImage", &image_type, &sampled);
                let level = self.declared.number(Scalar::Int, &level.to_string());
                self.result("OpImageFetch", ty, &format!("{image} {first} Lod {level}"))
            }
            Lookup::Gather { component, offset } => {
                let at = self.coordinates(&first, 0.0, TEXELS);
                let component = self.declared.number(Scalar::Int, &component.to_string());
                let offset =
                    self.moved(offset).map_or_else(String::new, |by| format!(" ConstOffset {by}"));
                let operands = format!("{sampled} {at} {component}{offset}");
                self.result("OpImageGather", ty, &operands)
            }
            Lookup::Nearest { level, offset } => {
                let at = self.coordinates(&first, 0.5, TEXELS >> level);
                let level = self.declared.number(Scalar::Float, &format!("{level}.0"));
                let operands = match self.moved(offset) {
                    Some(by) => format!("{sampled} {at} Lod|ConstOffset {level} {by}"),
                    None => format!("{sampled} {at} Lod {level}"),
                };
                self.result("OpImageSampleExplicitLod", ty, &operands)
            }
            Lookup::Filtered(way) => {
                let others = operands.get(1..).unwrap_or_default().join(" ");
                let (opcode, word) = match way {
                    Filtered::Implicit => ("OpImageSampleImplicitLod", ""),
                    Filtered::Level => ("OpImageSampleExplicitLod", "Lod"),
                    Filtered::Gradient => ("OpImageSampleExplicitLod", "Grad"),
                };
                self.result(opcode, ty, &format!("{sampled} {first} {word} {others}"))
            }
            Lookup::Size(level) => {
                let image = self.result("OpImage", &image_type, &sampled);
                let level = self.declared.number(Scalar::Int, &level.to_string());
                self.result("OpImageQuerySizeLod", ty, &format!("{image} {level}"))
            }
            Lookup::Levels => {
                let image = self.result("OpImage", &image_type, &sampled);
                self.result("OpImageQueryLevels", ty, &image)
            }
        }
    }

    /// Coordinates of whole texels, plus a part of one, as a part of the texture.
    fn coordinates(&mut self, texels: &str, plus: f64, size: u8) -> String {
        let ty = self.ty(Type::Value(Scalar::Float, 2));
        let all = |writer: &mut Self, value: f64| {
            writer.expression(&Expression::literal(Scalar::Float, Literal::Float(value)).splat(2))
        };
        let mut at = self.result("OpConvertSToF", &ty, texels);
        if plus > 0.0 {
            let plus = all(self, plus);
            at = self.result("OpFAdd", &ty, &format!("{at} {plus}"));
        }
        let size = all(self, f64::from(size));
        self.result("OpFDiv", &ty, &format!("{at} {size}"))
    }

    /// A constant of two integers.
    fn moved(&mut self, offset: Option<[i8; 2]>) -> Option<String> {
        let [x, y] = offset?.map(|texels| self.declared.number(Scalar::Int, &texels.to_string()));
        let ty = self.ty(Type::Value(Scalar::Int, 2));
        Some(self.declared.id(&format!("OpConstantComposite {ty} {x} {y}")))
    }
}
