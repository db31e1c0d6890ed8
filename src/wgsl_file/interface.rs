//! Inputs and outputs of entry points.

use ir::interface::{ScalarKind, Type};
use ir::layout::natural;
use naga::{Binding, Function, Handle, Interpolation, Module, Sampling, TypeInner};

use wgsl::is_member_used;

use crate::file::File;
use crate::partner::Varying;

/// An input or output with a location.
pub(super) struct Located {
    pub(super) location: u32,
    pub(super) ty: Handle<naga::Type>,
    pub(super) interpolation: Option<Interpolation>,
    pub(super) sampling: Option<Sampling>,
    /// Number of the blend source, if it is one of two.
    pub(super) blend_source: Option<u32>,
}

impl Located {
    /// Interpolation and sampling, which are the same in both stages of a program. `flat` alone means `flat, first`.
    pub(super) fn way(&self) -> (Option<Interpolation>, Option<Sampling>) {
        let first =
            Some(Sampling::First).filter(|_| self.interpolation == Some(Interpolation::Flat));
        (self.interpolation, self.sampling.or(first))
    }
}

/// The type with which an input or output crosses a stage's interface, and true if it is a type of halves, which cross
/// as floats.
pub(super) fn crossing(module: &Module, ty: Handle<naga::Type>) -> Option<(Type, bool)> {
    let half = naga::Scalar { kind: naga::ScalarKind::Float, width: 2 };
    match module.types[ty].inner {
        TypeInner::Scalar(scalar) if scalar == half => Some((Type::F32, true)),
        TypeInner::Vector { size, scalar } if scalar == half => {
            Some((Type::Vector { size: size as u8, scalar: ScalarKind::F32 }, true))
        }
        _ => Some((natural::type_of(module, ty)?, false)),
    }
}

impl File<'_> {
    /// An entry point's inputs with a location.
    pub(super) fn inputs(&self, function: &Function) -> Vec<Located> {
        let arguments = function.arguments.iter();
        arguments
            .flat_map(|argument| self.located(argument.ty, argument.binding.as_ref()))
            .collect()
    }

    /// The inputs with a location that an entry point reads.
    pub(super) fn read_inputs(&self, function: &Function) -> Vec<Located> {
        let mut all = Vec::new();
        for (index, argument) in (0..).zip(&function.arguments) {
            match &self.module.types[argument.ty].inner {
                TypeInner::Struct { members, .. } if argument.binding.is_none() => {
                    let read = (0..).zip(members);
                    let read = read.filter(|(own, _)| is_member_used(function, index, *own));
                    all.extend(
                        read.flat_map(|(_, own)| self.located(own.ty, own.binding.as_ref())),
                    );
                }
                _ => all.extend(self.located(argument.ty, argument.binding.as_ref())),
            }
        }
        all
    }

    /// An entry point's outputs with a location.
    pub(super) fn outputs(&self, function: &Function) -> Vec<Located> {
        let result = function.result.iter();
        result.flat_map(|result| self.located(result.ty, result.binding.as_ref())).collect()
    }

    fn located(&self, ty: Handle<naga::Type>, binding: Option<&Binding>) -> Vec<Located> {
        match (binding, &self.module.types[ty].inner) {
            (Some(binding @ Binding::Location { .. }), _) => {
                let Binding::Location {
                    location,
                    interpolation,
                    sampling,
                    blend_src: blend_source,
                    per_primitive: _,
                } = *binding
                else {
                    return Vec::new();
                };
                vec![Located { location, ty, interpolation, sampling, blend_source }]
            }
            (None, TypeInner::Struct { members, .. }) => members
                .iter()
                .flat_map(|member| self.located(member.ty, member.binding.as_ref()))
                .collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn varyings(&self, all: &[Located]) -> Option<Vec<Varying>> {
        let varying = |own: &Located| {
            let Located { location, interpolation, sampling, .. } = *own;
            let (ty, is_half) = crossing(self.module, own.ty)?;
            Some(Varying { location, ty, is_half, interpolation, sampling })
        };
        all.iter().map(varying).collect()
    }
}
