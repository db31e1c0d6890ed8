//! Declarations of uniforms outside blocks in GLSL: values, samplers, images and atomic counters.
//!
//! All declarations of one name in a program must agree in every property, used or not (GLSL 4.60 section 4.3.5; for
//! precisions GLSL ES 3.20 section 9.2.2).

use crate::interface::precision::Precision;
use crate::source::Span;

/// One declaration of a uniform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredUniform {
    /// The uniform's name.
    pub name: String,
    /// The type as GLSL writes it, with the members of structs: `sampler2D[2]`, `S { highp float a; }`.
    pub ty: String,
    /// The precision. `None` outside ES, for types without one, and before ES 3.00 if no code names the uniform.
    pub precision: Option<Precision>,
    /// `layout(location = …)`
    pub location: Option<u32>,
    /// Number of locations of the uniform.
    pub location_count: u32,
    /// `layout(binding = …)`; for a counter without one, its default.
    pub binding: Option<u32>,
    /// Byte offset of a counter in the buffer at its binding point.
    pub offset: Option<u32>,
    /// Format of an image: `rgba8`.
    pub format: Option<String>,
    /// Initial value: the scalars' bits in leaf order.
    pub initial: Option<Vec<u64>>,
    /// Span of the name.
    pub span: Span,
}

impl DeclaredUniform {
    /// Describes the first property that differs from an `earlier` declaration of the same uniform, as a sentence.
    pub fn difference(&self, earlier: &Self) -> Option<String> {
        let name = &self.name;
        if self.ty != earlier.ty {
            let (here, there) = (&self.ty, &earlier.ty);
            return Some(format!(
                "uniform `{name}` is {here} here but {there} in an earlier stage"
            ));
        }
        let numbers = [
            ("at location", self.location, earlier.location),
            ("at binding", self.binding, earlier.binding),
            ("at offset", self.offset, earlier.offset),
        ];
        for (property, here, there) in numbers {
            if let (Some(here), Some(there)) = (here, there)
                && here != there
            {
                let message = format!(
                    "uniform `{name}` is {property} {here} here but {there} in an earlier stage"
                );
                return Some(message);
            }
        }
        if self.format != earlier.format {
            return Some(format!("uniform `{name}` has another image format in an earlier stage"));
        }
        if differ(self.precision.as_ref(), earlier.precision.as_ref()) {
            return Some(format!("uniform `{name}` has another precision in an earlier stage"));
        }
        differ(self.initial.as_ref(), earlier.initial.as_ref())
            .then(|| format!("uniform `{name}` has another initialiser in an earlier stage"))
    }
}

/// True if both are given and are not equal.
fn differ<T: PartialEq>(here: Option<&T>, there: Option<&T>) -> bool {
    here.zip(there).is_some_and(|(here, there)| here != there)
}
