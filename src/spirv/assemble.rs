//! Assembler for SPIR-V assembly in the notation of Khronos' `spirv-as`.
//!
//! An instruction is `%result = OpName operands…` or `OpName operands…`; ids are names or numbers after `%`, comments
//! run from `;` to the end of the line. The operands of an instruction come from rspirv's grammar tables.

mod enumerant;
mod number;
mod token;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use rspirv::grammar::{
    ExtInstOp, GLSL_STD_450_INSTRUCTION_TABLE, INSTRUCTION_TABLE, Instruction, LogicalOperand,
    OperandKind, OperandQuantifier,
};
use rspirv::spirv::Op;

use ir::diagnostic::Diagnostic;
use ir::source::Span;

use number::NumberType;
use token::Token;

/// Version of SPIR-V in the header; the readers check the instructions in use.
const VERSION: u32 = 0x0001_0300;
const HEADER_WORDS: usize = 5;
/// Maximum number of errors reported for one module.
const MAX_ERRORS: usize = 20;
/// Letters by which the name of an instruction may differ from what is meant.
const TYPO_LETTERS: usize = 2;

/// A binary, with the source positions of its parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembled {
    /// Header and instructions.
    pub(super) words: Vec<u32>,
    /// For every id, the position of the instruction that defines it; if none does, the position of its first mention.
    pub(super) results: BTreeMap<u32, Span>,
    /// Ids by their names in the text.
    pub(super) ids: BTreeMap<String, u32>,
}

type Result<T> = std::result::Result<T, Diagnostic>;

/// Opcodes by name without `Op`.
static OPCODES: LazyLock<HashMap<&'static str, &'static Instruction<'static>>> =
    LazyLock::new(|| INSTRUCTION_TABLE.iter().map(|entry| (entry.opname, entry)).collect());

/// Assembles `text`, which begins at byte `base` of the case. Returns the errors of the first wrong instructions.
pub(super) fn assemble(text: &str, base: usize) -> std::result::Result<Assembled, Vec<Diagnostic>> {
    let tokens = token::cut(text, base).map_err(|error| vec![error])?;
    let mut assembler = Assembler { assembled: Assembled::default(), ..Assembler::default() };
    assembler.reserve_numbers(&tokens);
    assembler.assembled.words = vec![0; HEADER_WORDS];
    let mut errors = Vec::new();
    for tokens in split(&tokens) {
        if let Err(error) = assembler.instruction(tokens) {
            errors.push(error);
        }
        if errors.len() == MAX_ERRORS {
            break;
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    for (id, span) in std::mem::take(&mut assembler.mentions) {
        assembler.assembled.results.entry(id).or_insert(span);
    }
    let bound = assembler.next_id;
    let header = [rspirv::spirv::MAGIC_NUMBER, VERSION, 0, bound, 0];
    assembler.assembled.words[..HEADER_WORDS].copy_from_slice(&header);
    Ok(assembler.assembled)
}

/// Splits before every opcode and every `%result =`.
fn split<'t, 's>(tokens: &'t [Token<'s>]) -> impl Iterator<Item = &'t [Token<'s>]> {
    let starts_here = |idx: usize| {
        let follows_result = idx >= 2 && tokens[idx - 1].text == "=";
        let is_result = tokens.get(idx + 1).is_some_and(|next| next.text == "=");
        is_result || tokens[idx].is_opcode() && !follows_result
    };
    let mut starts: Vec<usize> =
        (0..tokens.len()).filter(|idx| *idx == 0 || starts_here(*idx)).collect();
    starts.push(tokens.len());
    (1..starts.len()).map(move |idx| &tokens[starts[idx - 1]..starts[idx]])
}

#[derive(Default)]
struct Assembler {
    assembled: Assembled,
    next_id: u32,
    /// For every id, the position of its first mention.
    mentions: BTreeMap<u32, Span>,
    /// Numeric types by id, which determine the notation of constants.
    types: BTreeMap<u32, NumberType>,
    /// Types of the values that a switch may use as its selector.
    value_types: BTreeMap<u32, NumberType>,
}

/// An instruction of which some operands are assembled.
struct Unfinished<'t, 's> {
    /// The operands that are not read yet.
    rest: &'t [Token<'s>],
    /// The last letter of the instruction, where one is missing.
    end: Span,
    /// The binary so far; the first word is still 0.
    words: Vec<u32>,
    /// Id of the result's type.
    ty: Option<u32>,
    /// Id of the result.
    result: Option<u32>,
}

impl<'s> Unfinished<'_, 's> {
    fn take(&mut self, what: &str) -> Result<Token<'s>> {
        let Some((first, rest)) = self.rest.split_first() else {
            return Err(Diagnostic::error(self.end, format!("missing operand: {what}")));
        };
        self.rest = rest;
        Ok(*first)
    }
}

impl Assembler {
    /// Reserves ids written as numbers; names get larger ids.
    fn reserve_numbers(&mut self, tokens: &[Token<'_>]) {
        let numbers = tokens.iter().filter_map(|token| token.text.strip_prefix('%')?.parse().ok());
        let highest: u32 = numbers.filter(|number| *number < 1 << 20).max().unwrap_or(0);
        self.next_id = highest + 1;
    }

    fn instruction(&mut self, tokens: &[Token<'_>]) -> Result<()> {
        let (result, tokens) = match tokens {
            [result, equals, rest @ ..] if equals.text == "=" => (Some(*result), rest),
            all => (None, all),
        };
        let Some((opcode, rest)) = tokens.split_first() else {
            let span = result.map(|result| result.span);
            return Err(Diagnostic::error(span, "missing opcode"));
        };
        let name = opcode.text.strip_prefix("Op").unwrap_or("");
        let Some(entry) = OPCODES.get(name).copied() else {
            return Err(unknown_opcode(opcode, "Op"));
        };
        let last = rest.last().unwrap_or(opcode);
        let whole = result.map_or(opcode.span, |result| result.span).to(last.span);
        Self::check_result(entry, result, opcode)?;
        let mut unfinished =
            Unfinished { rest, end: last.last_letter(), words: vec![0], ty: None, result: None };
        for operand in entry.operands {
            if operand.kind == OperandKind::IdResult {
                let id = self.id(&result.unwrap_or(*opcode))?;
                if self.assembled.results.insert(id, whole).is_some() {
                    let message = format!(
                        "`{}` is the result of two instructions",
                        result.unwrap_or(*opcode).text
                    );
                    return Err(Diagnostic::error(whole, message));
                }
                unfinished.result = Some(id);
                unfinished.words.push(id);
                continue;
            }
            let before = unfinished.words.len();
            self.operand(operand, &mut unfinished)?;
            if operand.kind == OperandKind::IdResultType {
                unfinished.ty = unfinished.words.get(before).copied();
            }
        }
        if let Some(extra) = unfinished.rest.first() {
            let message = format!("`{}` has too many operands", opcode.text);
            return Err(Diagnostic::error(extra.span, message));
        }
        self.remember(entry.opcode, &unfinished);
        let mut words = unfinished.words;
        let count = u32::try_from(words.len()).ok().filter(|count| *count <= 0xffff);
        let Some(count) = count else {
            return Err(Diagnostic::error(whole, "the instruction is longer than 65535 words"));
        };
        words[0] = count << 16 | entry.opcode as u32;
        self.assembled.words.extend(words);
        Ok(())
    }

    fn check_result(
        entry: &Instruction<'_>,
        result: Option<Token<'_>>,
        opcode: &Token<'_>,
    ) -> Result<()> {
        let has_result = entry.operands.iter().any(|operand| operand.kind == OperandKind::IdResult);
        match (has_result, result) {
            (true, None) => {
                let message = format!("`{}` has a result: write `%id = {0} …`", opcode.text);
                Err(Diagnostic::error(opcode.span, message))
            }
            (false, Some(result)) => {
                let message = format!("`{}` has no result", opcode.text);
                Err(Diagnostic::error(result.span, message))
            }
            (true, Some(_)) | (false, None) => Ok(()),
        }
    }

    /// Records types that later literals depend on.
    fn remember(&mut self, op: Op, instruction: &Unfinished<'_, '_>) {
        if let Some(number) = NumberType::declared(op, &instruction.words) {
            self.types.extend(instruction.result.map(|id| (id, number)));
        }
        if let (Some(ty), Some(id)) = (instruction.ty, instruction.result)
            && let Some(number) = self.types.get(&ty)
        {
            self.value_types.insert(id, *number);
        }
    }

    fn operand(
        &mut self,
        operand: &LogicalOperand,
        instruction: &mut Unfinished<'_, '_>,
    ) -> Result<()> {
        match operand.quantifier {
            OperandQuantifier::ZeroOrOne if instruction.rest.is_empty() => Ok(()),
            OperandQuantifier::One | OperandQuantifier::ZeroOrOne => {
                self.one(operand.kind, instruction)
            }
            OperandQuantifier::ZeroOrMore => {
                while !instruction.rest.is_empty() {
                    self.one(operand.kind, instruction)?;
                }
                Ok(())
            }
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "every other kind of operand is an enumerant, looked up in one place"
    )]
    fn one(&mut self, kind: OperandKind, instruction: &mut Unfinished<'_, '_>) -> Result<()> {
        match kind {
            OperandKind::IdResultType
            | OperandKind::IdRef
            | OperandKind::IdMemorySemantics
            | OperandKind::IdScope => {
                let token = instruction.take("an id")?;
                instruction.words.push(self.id(&token)?);
            }
            OperandKind::LiteralInteger | OperandKind::LiteralFloat => {
                let token = instruction.take("a number")?;
                instruction.words.extend(number::literal(&token)?);
            }
            OperandKind::LiteralString => {
                token::string_words(&instruction.take("a string")?, &mut instruction.words)?;
            }
            OperandKind::LiteralContextDependentNumber => {
                let token = instruction.take("a number")?;
                let ty = instruction.ty.and_then(|id| self.types.get(&id));
                let message = "the type of the constant is not numeric";
                let ty = ty.ok_or_else(|| Diagnostic::error(token.span, message))?;
                instruction.words.extend(ty.words(&token)?);
            }
            OperandKind::LiteralExtInstInteger => {
                let token = instruction.take("an extended instruction")?;
                instruction.words.push(extended(&token)?);
            }
            OperandKind::LiteralSpecConstantOpInteger => self.specialised(instruction)?,
            OperandKind::PairLiteralIntegerIdRef => {
                let token = instruction.take("a number")?;
                let selector = instruction.words.get(1).and_then(|id| self.value_types.get(id));
                instruction.words.extend(selector.copied().unwrap_or_default().words(&token)?);
                let token = instruction.take("an id")?;
                instruction.words.push(self.id(&token)?);
            }
            OperandKind::PairIdRefLiteralInteger => {
                let token = instruction.take("an id")?;
                instruction.words.push(self.id(&token)?);
                let token = instruction.take("a number")?;
                instruction.words.extend(number::literal(&token)?);
            }
            OperandKind::PairIdRefIdRef => {
                for _ in 0..2 {
                    let token = instruction.take("an id")?;
                    instruction.words.push(self.id(&token)?);
                }
            }
            _ => {
                let token = instruction.take("a word")?;
                let (value, more) = enumerant::value(kind, &token)?;
                instruction.words.push(value);
                for operand in &more {
                    self.operand(operand, instruction)?;
                }
            }
        }
        Ok(())
    }

    /// Assembles an `OpSpecConstantOp`: an opcode without `Op` and its operands.
    fn specialised(&mut self, instruction: &mut Unfinished<'_, '_>) -> Result<()> {
        let token = instruction.take("an opcode without `Op`")?;
        let Some(entry) = OPCODES.get(token.text).copied() else {
            return Err(unknown_opcode(&token, ""));
        };
        instruction.words.push(entry.opcode as u32);
        let is_result = |kind| matches!(kind, OperandKind::IdResult | OperandKind::IdResultType);
        for operand in entry.operands.iter().filter(|operand| !is_result(operand.kind)) {
            self.operand(operand, instruction)?;
        }
        Ok(())
    }

    fn id(&mut self, token: &Token<'_>) -> Result<u32> {
        let name = token.text.strip_prefix('%').filter(|name| !name.is_empty());
        let Some(name) = name.filter(|_| !token.is_string) else {
            let message = format!("`{}` is not an id: ids start with `%`", token.text);
            return Err(Diagnostic::error(token.span, message));
        };
        if let Some(known) = self.assembled.ids.get(name) {
            return Ok(*known);
        }
        let number = name.parse().ok().filter(|number| (1..1 << 20).contains(number));
        let id = number.unwrap_or_else(|| {
            self.next_id += 1;
            self.next_id - 1
        });
        self.assembled.ids.insert(name.to_owned(), id);
        self.mentions.entry(id).or_insert(token.span);
        Ok(id)
    }
}

fn extended(token: &Token<'_>) -> Result<u32> {
    let entry = GLSL_STD_450_INSTRUCTION_TABLE.iter().find(|entry| entry.opname == token.text);
    if let Some(ExtInstOp::GlslStd450(op)) = entry.map(|entry| entry.opcode) {
        return Ok(op as u32);
    }
    let message = format!("`{}` is not an instruction of GLSL.std.450", token.text);
    Err(Diagnostic::error(token.span, message))
}

fn unknown_opcode(token: &Token<'_>, prefix: &str) -> Diagnostic {
    let bare = token.text.strip_prefix(prefix).unwrap_or(token.text);
    let error = Diagnostic::error(token.span, format!("unknown instruction `{}`", token.text));
    let near = OPCODES
        .keys()
        // Names of other lengths differ by more, and comparing the letters of a long one takes long.
        .filter(|name| name.len().abs_diff(bare.len()) <= TYPO_LETTERS)
        .map(|name| (strsim::damerau_levenshtein(name, bare), *name))
        .filter(|(distance, _)| *distance <= TYPO_LETTERS)
        .min();
    match near {
        Some((_, name)) => error.with_help(format!("did you mean `{prefix}{name}`?")),
        None => error,
    }
}

#[cfg(test)]
mod tests;
