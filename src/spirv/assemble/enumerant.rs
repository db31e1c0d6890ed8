//! Enumerants: `Uniform`, `Location`, `Lod|ConstOffset`.

use std::str::FromStr;

use rspirv::dr::Operand;
use rspirv::grammar::{LogicalOperand, OperandKind};
use rspirv::spirv;

use ir::diagnostic::Diagnostic;

use super::token::Token;

/// The number of an enumerant of this kind, and its additional operands.
pub(super) fn value(
    kind: OperandKind,
    token: &Token<'_>,
) -> Result<(u32, Vec<LogicalOperand>), Diagnostic> {
    let operand = if token.is_string { None } else { operand(kind, token.text) };
    let Some(operand) = operand else {
        let message = format!("`{}` is not a valid {kind:?}", token.text);
        return Err(Diagnostic::error(token.span, message));
    };
    let mut words = Vec::new();
    rspirv::binary::Assemble::assemble_into(&operand, &mut words);
    let number = words.first().copied().unwrap_or(0);
    Ok((number, operand.additional_operands()))
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "kinds of OpenCL and of extensions that naga does not read"
)]
fn operand(kind: OperandKind, text: &str) -> Option<Operand> {
    Some(match kind {
        OperandKind::SourceLanguage => Operand::SourceLanguage(named(text)?),
        OperandKind::ExecutionModel => Operand::ExecutionModel(named(text)?),
        OperandKind::AddressingModel => Operand::AddressingModel(named(text)?),
        OperandKind::MemoryModel => Operand::MemoryModel(named(text)?),
        OperandKind::ExecutionMode => Operand::ExecutionMode(named(text)?),
        OperandKind::StorageClass => Operand::StorageClass(named(text)?),
        OperandKind::Dim => Operand::Dim(dimension(text)?),
        OperandKind::ImageFormat => Operand::ImageFormat(named(text)?),
        OperandKind::LinkageType => Operand::LinkageType(named(text)?),
        OperandKind::AccessQualifier => Operand::AccessQualifier(named(text)?),
        OperandKind::FunctionParameterAttribute => {
            Operand::FunctionParameterAttribute(named(text)?)
        }
        OperandKind::FPRoundingMode => Operand::FPRoundingMode(named(text)?),
        OperandKind::Decoration => Operand::Decoration(named(text)?),
        OperandKind::BuiltIn => Operand::BuiltIn(named(text)?),
        OperandKind::Scope => Operand::Scope(named(text)?),
        OperandKind::GroupOperation => Operand::GroupOperation(named(text)?),
        OperandKind::Capability => Operand::Capability(named(text)?),
        OperandKind::ImageOperands => Operand::ImageOperands(flags(text)?),
        OperandKind::FPFastMathMode => Operand::FPFastMathMode(flags(text)?),
        OperandKind::SelectionControl => Operand::SelectionControl(flags(text)?),
        OperandKind::LoopControl => Operand::LoopControl(flags(text)?),
        OperandKind::FunctionControl => Operand::FunctionControl(flags(text)?),
        OperandKind::MemorySemantics => Operand::MemorySemantics(flags(text)?),
        OperandKind::MemoryAccess => Operand::MemoryAccess(flags(text)?),
        _ => return None,
    })
}

fn named<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

/// Dimensions have other names in Rust, where names cannot start with a digit.
fn dimension(text: &str) -> Option<spirv::Dim> {
    let name = match text {
        "1D" | "2D" | "3D" => format!("Dim{text}"),
        other => other.to_owned(),
    };
    named(&name).or_else(|| named(text))
}

/// Parses names joined by `|`. The tables spell `DontUnroll` as `DONT_UNROLL`.
fn flags<T: bitflags::Flags>(text: &str) -> Option<T> {
    let mut all = T::empty();
    for word in text.split('|') {
        let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
        let wanted = plain(word);
        if wanted == "none" {
            continue;
        }
        let known = T::FLAGS.iter().find(|flag| plain(flag.name()) == wanted)?;
        all = all.union(T::from_bits_retain(known.value().bits()));
    }
    Some(all)
}
