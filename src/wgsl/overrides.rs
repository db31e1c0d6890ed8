//! Overridable constants (`override`), which become ordinary constants with the values that the case gives.
//!
//! An override is identified by its `@id`, or by its name if it has no `@id` (WebGPU, "pipeline-overridable constant
//! identifier string"). naga's own pass inserts the values, evaluates the expressions that depend on them and removes
//! everything that the entry point does not use. Afterwards no override remains.

use naga::back::PipelineConstants;
use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::proc::IndexableLength;
use naga::valid::ModuleInfo;
use naga::{
    Arena, ArraySize, EntryPoint, Expression, Function, Module, Override, ScalarKind as Kind, Type,
    TypeInner,
};

use ir::diagnostic::{CompileError, Diagnostic};
use ir::interface::ScalarKind;
use ir::stage::{ConstantName, Specialization};

use crate::checked::{Places, error_at, whole_message};

/// Returns the module with only the entry point at `chosen`, in which every override is a constant.
pub(super) fn resolve(
    module: &Module,
    info: &ModuleInfo,
    chosen: usize,
    values: &[Specialization],
    places: Places<'_>,
) -> Result<(Module, ModuleInfo), CompileError> {
    let constants = constants(module, values)?;
    let entry = &module.entry_points[chosen];
    let wanted = Some((entry.stage, entry.name.as_str()));
    let (module, info) = process_overrides(module, info, wanted, &constants)
        .map_err(|error| refused(module, entry, &error, places))?;
    let (mut module, info) = (module.into_owned(), info.into_owned());
    fix_lengths(&mut module);
    module.overrides = Arena::new();
    if let Some(left) = left_over(&module) {
        return Err(CompileError::unsupported(left, places.text));
    }
    Ok((module, info))
}

/// The values of the overrides, by naga's keys.
fn constants(
    module: &Module,
    values: &[Specialization],
) -> Result<PipelineConstants, CompileError> {
    let mut constants = PipelineConstants::default();
    for value in values {
        let key = key_of(module, value)?;
        if constants.insert(key, number_of(value)).is_some() {
            let message = format!("{} is given twice", shown(&value.constant));
            return Err(error_at(value.span, message));
        }
    }
    Ok(constants)
}

/// Checks that a value fits its override, and returns naga's key of the override.
fn key_of(module: &Module, value: &Specialization) -> Result<String, CompileError> {
    let is_it = |one: &&Override| match &value.constant {
        ConstantName::Id(id) => one.id.is_some_and(|own| u32::from(own) == *id),
        ConstantName::Name(name) => one.name.as_ref() == Some(name),
    };
    let Some(Override { name, id, ty, init: _ }) =
        module.overrides.iter().map(|(_, one)| one).find(is_it)
    else {
        let message = format!("the shader has no {}", shown(&value.constant));
        return Err(error_at(value.span, message));
    };
    let name = name.clone().unwrap_or_default();
    if let (ConstantName::Name(_), Some(id)) = (&value.constant, id) {
        let message = format!("`{name}` has `@id({id})`, and a value names it by that number");
        return Err(error_at(value.span, message));
    }
    let TypeInner::Scalar(scalar) = module.types[*ty].inner else {
        return Err(CompileError::unsupported("an override that is no scalar", value.span));
    };
    let is_fitting = match (scalar.kind, value.kind) {
        (Kind::Float, ScalarKind::F32)
        | (Kind::Sint, ScalarKind::I32)
        | (Kind::Uint, ScalarKind::U32)
        // Vulkan and its scripts give booleans as integers.
        | (Kind::Bool, ScalarKind::Bool | ScalarKind::I32 | ScalarKind::U32) => true,
        (
            Kind::Float | Kind::Sint | Kind::Uint | Kind::Bool | Kind::AbstractInt | Kind::AbstractFloat,
            _,
        ) => false,
    };
    if !is_fitting {
        let message = format!("`{name}` is {}, not {}", type_name(scalar), value.kind);
        return Err(error_at(value.span, message));
    }
    let number = number_of(value);
    if !is_in_range(scalar, number) {
        let message = format!("`{name}` is {}, which has no {number}", type_name(scalar));
        return Err(error_at(value.span, message));
    }
    Ok(id.map_or(name, |id| id.to_string()))
}

/// True if the type can represent the number after rounding (WebGPU, "to WGSL type"). For 32-bit types this holds for
/// every finite value of the case.
fn is_in_range(scalar: naga::Scalar, number: f64) -> bool {
    // A number from the midpoint between the largest half and the next power of two on rounds to that power of two.
    const BEHIND_THE_LARGEST_HALF: f64 = 65520.0;
    match (scalar.kind, scalar.width) {
        (Kind::Float, 2) => number.abs() < BEHIND_THE_LARGEST_HALF,
        (Kind::Sint, 2) => (f64::from(i16::MIN)..=f64::from(i16::MAX)).contains(&number),
        (Kind::Uint, 2) => (0.0..=f64::from(u16::MAX)).contains(&number),
        (
            Kind::Float
            | Kind::Sint
            | Kind::Uint
            | Kind::Bool
            | Kind::AbstractInt
            | Kind::AbstractFloat,
            _,
        ) => number.is_finite(),
    }
}

/// WGSL's name of a scalar type.
fn type_name(scalar: naga::Scalar) -> String {
    let bits = u32::from(scalar.width) * 8;
    match scalar.kind {
        Kind::Float => format!("f{bits}"),
        Kind::Sint => format!("i{bits}"),
        Kind::Uint => format!("u{bits}"),
        Kind::Bool => "bool".to_owned(),
        Kind::AbstractInt | Kind::AbstractFloat => "abstract".to_owned(),
    }
}

fn shown(constant: &ConstantName) -> String {
    match constant {
        ConstantName::Id(id) => format!("`override` with `@id({id})`"),
        ConstantName::Name(name) => format!("`override` called `{name}`"),
    }
}

fn number_of(value: &Specialization) -> f64 {
    match value.kind {
        ScalarKind::F32 => f64::from(f32::from_bits(value.bits)),
        ScalarKind::I32 => f64::from(value.bits.cast_signed()),
        ScalarKind::U32
        | ScalarKind::Bool
        | ScalarKind::F64
        | ScalarKind::I64
        | ScalarKind::U64 => f64::from(value.bits),
    }
}

/// The compile error for an error of naga's override pass.
fn refused(
    module: &Module,
    entry: &EntryPoint,
    error: &PipelineConstantError,
    places: Places<'_>,
) -> CompileError {
    let at_entry = places.of_function(&entry.name);
    match error {
        PipelineConstantError::MissingValue(key) => {
            let is_it = |one: &Override| match one.id {
                Some(id) => id.to_string() == *key,
                None => one.name.as_ref() == Some(key),
            };
            let found = module.overrides.iter().find(|(_, one)| is_it(one));
            let place =
                found.map_or(at_entry, |(handle, _)| places.of(module.overrides.get_span(handle)));
            let name = found.and_then(|(_, one)| one.name.clone()).unwrap_or_else(|| key.clone());
            let error = Diagnostic::error(place, format!("the override `{name}` has no value"));
            let help = "it has no initial value, so the pipeline must give one";
            CompileError::Diagnostics(vec![error.with_help(help)])
        }
        PipelineConstantError::ValidationError(invalid) => places.invalid(invalid),
        // The checks above find the first two earlier.
        PipelineConstantError::SrcNeedsToBeFinite
        | PipelineConstantError::DstRangeTooSmall
        | PipelineConstantError::NotFound(_)
        | PipelineConstantError::ConstantEvaluatorError(_)
        | PipelineConstantError::NegativeWorkgroupSize
        | PipelineConstantError::NegativeMeshOutputMax => error_at(at_entry, whole_message(error)),
    }
}

/// Resolves array lengths that are overrides. naga leaves this to its back ends.
fn fix_lengths(module: &mut Module) {
    let mut fixed = Vec::new();
    for (handle, ty) in module.types.iter() {
        let TypeInner::Array { base, size: size @ ArraySize::Pending(_), stride } = ty.inner else {
            continue;
        };
        // The validator has checked that the length is a number of at least 1.
        let Ok(IndexableLength::Known(length)) = size.resolve(module.to_ctx()) else { continue };
        let Some(length) = std::num::NonZeroU32::new(length) else { continue };
        let inner = TypeInner::Array { base, size: ArraySize::Constant(length), stride };
        // The name distinguishes the array from one with the same length that does not use an override.
        let name = Some(format!("overridden_array_{}", handle.index()));
        fixed.push((handle, Type { name, inner }));
    }
    for (handle, ty) in fixed {
        module.types.replace(handle, ty);
    }
}

/// The description of a remaining override, if there is one.
fn left_over(module: &Module) -> Option<&'static str> {
    let is_override = |(_, one): (_, &Expression)| matches!(one, Expression::Override(_));
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let mut functions = entries.chain(module.functions.iter().map(|(_, function)| function));
    let has_override = |function: &Function| function.expressions.iter().any(is_override);
    if functions.any(has_override) || module.global_expressions.iter().any(is_override) {
        return Some("an override in an expression that naga does not evaluate");
    }
    let has_size = |entry: &EntryPoint| entry.workgroup_size_overrides.is_some();
    if module.entry_points.iter().any(has_size) {
        return Some("an override in a workgroup size that naga does not evaluate");
    }
    let is_pending = |ty: &Type| {
        let (TypeInner::Array { size, .. } | TypeInner::BindingArray { size, .. }) = ty.inner
        else {
            return false;
        };
        matches!(size, ArraySize::Pending(_))
    };
    let mut types = module.types.iter().map(|(_, ty)| ty);
    types.any(is_pending).then_some("an override in an array length that naga does not evaluate")
}

#[cfg(test)]
mod tests {
    use ir::source::Span;
    use ir::stage::ShaderStage;

    use crate::Input;

    use super::*;

    /// The text of the rejected value and the message; empty if the value is accepted.
    fn refused_value(kind: ScalarKind, ty: &str, bits: u32) -> String {
        let shader = format!(
            "enable f16; enable wgpu_int16; override a: {ty} = {ty}(1); override b: f32 = 1.0;
            @fragment fn main() -> @location(0) vec4f {{ return vec4f(f32(a), b, b, b); }}"
        );
        let source = format!("{shader}\nb = 3e38\na = value");
        let at = |text: &str| {
            let start = source.find(text).expect("a line");
            Span::new(start, start + text.len())
        };
        let value = |name: &str, kind, bits, text| Specialization {
            stage: ShaderStage::Fragment,
            constant: ConstantName::Name(name.to_owned()),
            kind,
            bits,
            span: at(text),
        };
        let all = [
            value("b", ScalarKind::F32, 3e38_f32.to_bits(), "b = 3e38"),
            value("a", kind, bits, "a = value"),
        ];
        let text = Span::new(0, shader.len());
        let input = Input { text, values: &all, ..Input::whole(&source, ShaderStage::Fragment) };
        match crate::compile(&input) {
            Ok(_) => String::new(),
            Err(CompileError::Diagnostics(errors)) => {
                let span = errors[0].span.expect("a place");
                format!("{}: {}", &source[std::ops::Range::from(span)], errors[0].message)
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    /// The error names the value that does not fit, not the largest value.
    #[test]
    fn a_value_beyond_its_type_is_told_at_its_own_line() {
        let float = |ty, value: f32| refused_value(ScalarKind::F32, ty, value.to_bits());
        assert_eq!(float("f16", 65519.0), "");
        assert_eq!(float("f16", -65520.0), "a = value: `a` is f16, which has no -65520");
        assert_eq!(float("f32", f32::INFINITY), "a = value: `a` is f32, which has no inf");
        let int = |ty, value: i32| refused_value(ScalarKind::I32, ty, value.cast_unsigned());
        assert_eq!(int("i16", -32768), "");
        assert_eq!(int("i16", 32768), "a = value: `a` is i16, which has no 32768");
        assert_eq!(int("i32", i32::MIN), "");
        let uint = |value| refused_value(ScalarKind::U32, "u16", value);
        assert_eq!(uint(65535), "");
        assert_eq!(uint(65536), "a = value: `a` is u16, which has no 65536");
    }
}
