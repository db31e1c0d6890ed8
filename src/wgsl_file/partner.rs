//! Generated stages for entry points that have no partner in their file.

use std::fmt::Write as _;

use ir::interface::{ScalarKind, Type};
use naga::{Interpolation, Sampling};

/// A varying between an entry point and its partner.
#[derive(Clone, Debug)]
pub(super) struct Varying {
    pub(super) location: u32,
    /// Type of the varying; for halves, the type of floats.
    pub(super) ty: Type,
    pub(super) is_half: bool,
    pub(super) interpolation: Option<Interpolation>,
    pub(super) sampling: Option<Sampling>,
}

impl Varying {
    /// Scalar kind in WGSL, and number of components; `None` for types that varyings of WGSL cannot have.
    fn shape(&self) -> Option<(&'static str, usize)> {
        let (kind, count) = match &self.ty {
            Type::Scalar(kind) => (*kind, 1),
            Type::Vector { size, scalar } => (*scalar, usize::from(*size)),
            Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => return None,
        };
        match kind {
            ScalarKind::F32 if self.is_half => Some(("f16", count)),
            ScalarKind::F32 => Some(("f32", count)),
            ScalarKind::I32 => Some(("i32", count)),
            ScalarKind::U32 => Some(("u32", count)),
            ScalarKind::Bool | ScalarKind::F64 | ScalarKind::I64 | ScalarKind::U64 => None,
        }
    }

    /// Its declaration as a member of a structure.
    fn member(&self) -> Option<String> {
        let (kind, count) = self.shape()?;
        let ty = if count == 1 { kind.to_owned() } else { format!("vec{count}<{kind}>") };
        let way = match self.interpolation {
            Some(Interpolation::Flat) => "flat",
            Some(Interpolation::Linear) => "linear",
            Some(Interpolation::Perspective) | None => "perspective",
            Some(Interpolation::PerVertex) => return None,
        };
        let place = match self.sampling {
            Some(Sampling::Centroid) => ", centroid",
            Some(Sampling::Sample) => ", sample",
            Some(Sampling::First) => ", first",
            Some(Sampling::Either) => ", either",
            Some(Sampling::Center) | None => "",
        };
        let location = self.location;
        Some(format!("    @location({location}) @interpolate({way}{place}) v{location}: {ty},\n"))
    }
}

/// A vertex stage that writes these varyings: floats that differ between the corners of a square that covers the
/// target, and small integers.
pub(super) fn vertex_stage(varyings: &[Varying]) -> Option<String> {
    let mut members = String::new();
    let mut writes = String::new();
    for varying in varyings {
        members += &varying.member()?;
        let (kind, count) = varying.shape()?;
        let location = varying.location;
        for part in 0..count {
            let place = match count {
                1 => String::new(),
                _ => format!(".{}", ["x", "y", "z", "w"][part]),
            };
            // Not a multiple of a texel of the generated textures, whose edges are not decided.
            let number = format!("{}.0078125", location as usize + part + 1);
            let _ = match (kind, part % 2) {
                ("f32", 0) => {
                    writeln!(writes, "    all.v{location}{place} = place.x * 0.25 + {number};")
                }
                ("f32", _) => {
                    writeln!(writes, "    all.v{location}{place} = place.y * 0.25 + {number};")
                }
                ("f16", 0) => {
                    writeln!(writes, "    all.v{location}{place} = f16(place.x * 0.25 + {number});")
                }
                ("f16", _) => {
                    writeln!(writes, "    all.v{location}{place} = f16(place.y * 0.25 + {number});")
                }
                _ => {
                    let number = location as usize + part + 1;
                    writeln!(writes, "    all.v{location}{place} = {kind}(index % 3u) + {number};")
                }
            };
        }
    }
    let enables = enables(varyings);
    Some(format!(
        "{enables}struct Varyings {{\n    @builtin(position) position: vec4<f32>,\n{members}}}\n\n\
         @vertex fn generated(@location(0) place: vec2<f32>, @builtin(vertex_index) index: u32) -> Varyings {{\n    \
         var all: Varyings;\n    all.position = vec4<f32>(place, 0.5, 1.0);\n{writes}    return all;\n}}\n"
    ))
}

/// The extensions that these varyings need.
fn enables(varyings: &[Varying]) -> &'static str {
    if varyings.iter().any(|varying| varying.is_half) { "enable f16;\n\n" } else { "" }
}

/// A fragment stage that writes each of these varyings to its own target, from 0 on; also returns the formats of the
/// targets. The last target has the sum of the varyings that have none. Without varyings, the stage writes white.
pub(super) fn fragment_stage(varyings: &[Varying]) -> Option<(String, Vec<&'static str>)> {
    /// Maximum number of targets.
    const MAX_TARGETS: usize = 8;
    let (mut inputs, mut outputs, mut writes, mut formats) =
        (String::new(), String::new(), String::new(), Vec::new());
    if varyings.is_empty() {
        let text =
            "@fragment fn generated() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }\n";
        return Some((text.to_owned(), vec!["rgba32float"]));
    }
    let own = if varyings.len() > MAX_TARGETS { MAX_TARGETS - 1 } else { varyings.len() };
    for varying in &varyings[own..] {
        inputs += &varying.member()?;
        let (count, location) = (varying.shape()?.1, varying.location);
        let rest = ", 0".repeat(4 - count);
        let value = if count == 1 {
            format!("vec4<f32>(f32(varyings.v{location}){rest})")
        } else {
            format!("vec4<f32>(vec{count}<f32>(varyings.v{location}){rest})")
        };
        let _ = writeln!(writes, "    all.t{own} += {value};");
    }
    if own < varyings.len() {
        let _ = writeln!(outputs, "    @location({own}) t{own}: vec4<f32>,");
    }
    for (target, varying) in varyings[..own].iter().enumerate() {
        inputs += &varying.member()?;
        let (kind, count) = varying.shape()?;
        let location = varying.location;
        let (kind, value) = match (kind, count) {
            ("f16", 1) => ("f32", format!("f32(varyings.v{location})")),
            ("f16", _) => ("f32", format!("vec{count}<f32>(varyings.v{location})")),
            _ => (kind, format!("varyings.v{location}")),
        };
        let _ = writeln!(outputs, "    @location({target}) t{target}: vec4<{kind}>,");
        let rest = ", 0".repeat(4 - count);
        let _ = writeln!(writes, "    all.t{target} = vec4<{kind}>({value}{rest});");
        formats.push(match kind {
            "f32" => "rgba32float",
            "i32" => "rgba32sint",
            _ => "rgba32uint",
        });
    }
    if own < varyings.len() {
        formats.push("rgba32float");
    }
    let enables = enables(varyings);
    let text = format!(
        "{enables}struct Varyings {{\n{inputs}}}\n\nstruct Targets {{\n{outputs}}}\n\n\
         @fragment fn generated(varyings: Varyings) -> Targets {{\n    var all: Targets;\n{writes}    return all;\n}}\n"
    );
    Some((text, formats))
}
