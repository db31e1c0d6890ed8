//! Overloads of functions whose first parameter is opaque, selected by the arguments.

use crate::ast::Ident;
use crate::builtins::{self, Prototype};
use crate::lower::Result;
use crate::lower::body::Body;
use crate::lower::call::argument::Argument;
use crate::lower::operand::{Operand, Value};
use crate::lower::types::{Kind, Ty};

use super::OpaqueCall;

impl Body<'_, '_> {
    /// The values of the arguments, converted to the parameters of the overload that accepts them with the fewest
    /// conversions. The first argument is opaque.
    pub(super) fn opaque_arguments(
        &mut self,
        name: &Ident,
        arguments: &[Argument],
    ) -> Result<Vec<Value>> {
        let Some((first, rest)) = arguments.split_first() else {
            return self.no_match(name, arguments);
        };
        let keyword = self.stage.struct_name(first.ty).to_owned();
        let mut best: Option<(usize, Vec<Ty>)> = None;
        for prototype in builtins::opaque_prototypes(&name.name, &keyword) {
            if !self.has_function(&name.name, Some(&prototype.opaque)) {
                continue;
            }
            let Some(types) = self.accepted(&prototype, rest) else { continue };
            let converted = types.iter().zip(rest).filter(|(ty, given)| **ty != given.ty).count();
            if best.as_ref().is_none_or(|(fewest, _)| converted < *fewest) {
                best = Some((converted, types));
            }
        }
        let Some((_, types)) = best else { return self.no_match(name, arguments) };
        let mut values = vec![self.argument_value(first)?];
        for (argument, ty) in rest.iter().zip(types) {
            let value = self.argument_value(argument)?;
            values.push(self.implicit(value, ty, argument.span)?);
        }
        Ok(values)
    }

    /// Stands for the result of a call that is valid and cannot be run.
    pub(super) fn stand_in(&mut self, call: &OpaqueCall<'_>) -> Operand {
        let OpaqueCall { name, ty, span, .. } = call;
        let starts = |words: &[&str]| words.iter().any(|word| name.name.starts_with(word));
        let ty = if starts(&["imageStore"]) {
            return Operand::Void;
        } else if starts(&["imageAtomic", "atomicCounter"]) {
            self.stage.scalar(ty.kind)
        } else if starts(&["textureQueryL"]) && !starts(&["textureQueryLevels"]) {
            self.stage.vector(2, Kind::Float)
        } else if starts(&["textureQueryLevels", "textureSamples", "imageSamples"]) {
            let is_test = starts(&["textureSamplesIdentical"]);
            self.stage.scalar(if is_test { Kind::Bool } else { Kind::Int })
        } else if starts(&["textureSize", "imageSize"]) {
            self.stage.vector(ty.sizes(), Kind::Int)
        } else if ty.is_shadow && !starts(&["textureGather", "shadow"]) {
            self.stage.scalar(Kind::Float)
        } else {
            self.stage.vector(4, ty.kind)
        };
        Operand::Value(self.zero(ty, *span))
    }

    /// The types of the parameters if the overload accepts these arguments.
    fn accepted(&mut self, prototype: &Prototype, arguments: &[Argument]) -> Option<Vec<Ty>> {
        let Prototype { parameters, required, .. } = prototype;
        if !(*required..=parameters.len()).contains(&arguments.len()) {
            return None;
        }
        let mut types = Vec::new();
        for (word, argument) in parameters.iter().zip(arguments) {
            let ty = self.parameter_type(word)?;
            if !self.is_type_convertible(argument.ty, ty) {
                return None;
            }
            types.push(ty);
        }
        Some(types)
    }

    fn parameter_type(&mut self, word: &str) -> Option<Ty> {
        if word == "ivec2[4]" {
            let offset = self.stage.vector(2, Kind::Int);
            return Some(self.stage.array(offset, 4));
        }
        self.stage.keyword_type(word)
    }
}
