//! Allocates registers and adds operations.

use naga::{Arena, Expression, Handle, Literal};

use super::limits::MAX_DEPTH;
use super::words::{words_of, words_of_inner};
use super::{Compiler, MAX_OPS, MAX_REGISTERS, Result, not_implemented};
use crate::code::{Element, Length, Node, Op, Register};
use arithmetic::{BinaryFunction, Kind, Operand, Split, UnaryFunction};

impl Compiler<'_> {
    /// Allocates registers.
    pub(super) fn allocate(&mut self, words: usize) -> Result<Register> {
        let at = self.is_once.len();
        if at.saturating_add(words) > MAX_REGISTERS {
            return not_implemented("stages with so many values");
        }
        self.is_once.resize(at + words, false);
        Ok(at)
    }

    /// The register of a constant.
    pub(super) fn word(&mut self, word: u32) -> Result<Register> {
        if let Some(known) = self.constants.get(&word) {
            return Ok(*known);
        }
        let at = self.fresh(word)?;
        self.constants.insert(word, at);
        Ok(at)
    }

    fn fresh(&mut self, word: u32) -> Result<Register> {
        let at = self.allocate(1)?;
        self.is_once[at] = true;
        self.code.constants.push((at, word));
        Ok(at)
    }

    /// Consecutive registers of constants.
    pub(super) fn words(&mut self, words: &[u32]) -> Result<Register> {
        if let [word] = *words {
            return self.word(word);
        }
        let at = self.is_once.len();
        for word in words {
            self.fresh(*word)?;
        }
        Ok(at)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low and the high word")]
    pub(super) fn literal(&mut self, literal: Literal) -> Result<Register> {
        let wide = |bits: u64| [bits as u32, (bits >> 32) as u32];
        match literal {
            Literal::F32(value) => self.word(value.to_bits()),
            Literal::U32(value) => self.word(value),
            Literal::I32(value) => self.word(value.cast_unsigned()),
            Literal::Bool(value) => self.word(u32::from(value)),
            Literal::F64(value) => self.words(&wide(value.to_bits())),
            Literal::U64(value) => self.words(&wide(value)),
            Literal::I64(value) => self.words(&wide(value.cast_unsigned())),
            Literal::F16(value) => self.word(u32::from(value.to_bits())),
            Literal::U16(value) => self.word(u32::from(value)),
            Literal::I16(value) => self.word(u32::from(value.cast_unsigned())),
            Literal::AbstractInt(_) | Literal::AbstractFloat(_) => {
                not_implemented("literals of this type")
            }
        }
    }

    /// Enters a block or an expression. The caller lowers the depth again when it leaves.
    pub(super) fn enter(&mut self) -> Result<()> {
        self.nesting += 1;
        if self.nesting > MAX_DEPTH {
            return not_implemented("blocks and expressions inside each other as deep as this");
        }
        Ok(())
    }

    /// Registers of a constant expression.
    pub(super) fn constant(
        &mut self,
        expressions: &Arena<Expression>,
        handle: Handle<Expression>,
    ) -> Result<Register> {
        self.enter()?;
        let at = self.constant_inside(expressions, handle)?;
        self.nesting -= 1;
        Ok(at)
    }

    fn constant_inside(
        &mut self,
        expressions: &Arena<Expression>,
        handle: Handle<Expression>,
    ) -> Result<Register> {
        match expressions[handle] {
            Expression::Literal(literal) => self.literal(literal),
            Expression::Constant(constant) => {
                let init = self.module.constants[constant].init;
                self.constant(&self.module.global_expressions, init)
            }
            Expression::ZeroValue(ty) => {
                let words = words_of(self.module, ty)?;
                self.words(&vec![0; words])
            }
            Expression::Compose { ty, ref components } => {
                let mut parts = Vec::new();
                for component in components {
                    let from = self.constant(expressions, *component)?;
                    parts.push((from, self.constant_words(expressions, *component)?));
                }
                debug_assert_eq!(
                    words_of(self.module, ty).ok(),
                    Some(parts.iter().map(|(_, words)| words).sum())
                );
                self.compose(&parts)
            }
            Expression::Splat { size, value } => {
                let from = self.constant(expressions, value)?;
                let words = self.constant_words(expressions, value)?;
                self.compose(&vec![(from, words); size as usize])
            }
            _ => not_implemented("constants of this kind"),
        }
    }

    fn constant_words(
        &self,
        expressions: &Arena<Expression>,
        handle: Handle<Expression>,
    ) -> Result<usize> {
        match expressions[handle] {
            Expression::Literal(literal) => words_of_inner(self.module, &literal.ty_inner()),
            Expression::Constant(constant) => {
                words_of(self.module, self.module.constants[constant].ty)
            }
            Expression::ZeroValue(ty) | Expression::Compose { ty, .. } => words_of(self.module, ty),
            Expression::Splat { size, value } => {
                Ok(size as usize * self.constant_words(expressions, value)?)
            }
            _ => not_implemented("constants of this kind"),
        }
    }

    /// Copies parts into consecutive registers, unless they are consecutive already.
    pub(super) fn compose(&mut self, parts: &[(Register, usize)]) -> Result<Register> {
        let is_consecutive = parts.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0);
        if let (Some((first, _)), true) = (parts.first(), is_consecutive) {
            return Ok(*first);
        }
        let at = self.allocate(parts.iter().map(|(_, words)| words).sum())?;
        let mut to = at;
        let is_once = parts.iter().all(|(from, words)| self.are_once(*from, *words));
        for (from, words) in parts {
            self.push(Op::Move { to, from: *from, words: *words }, is_once)?;
            to += words;
        }
        self.mark(at, to - at, is_once);
        Ok(at)
    }

    pub(super) fn are_once(&self, at: Register, words: usize) -> bool {
        self.is_once[at..at + words].iter().all(|is_once| *is_once)
    }

    pub(super) fn mark(&mut self, at: Register, words: usize, is_once: bool) {
        self.is_once[at..at + words].fill(is_once);
    }

    /// Adds an operation whose only effect is its result.
    pub(super) fn push(&mut self, op: Op, is_once: bool) -> Result<()> {
        if is_once {
            self.code.once.push(op);
            return self.check_size();
        }
        self.emit_body(op)
    }

    /// Adds an operation to the current block.
    pub(super) fn emit_body(&mut self, op: Op) -> Result<()> {
        let at = self.code.ops.len();
        self.code.ops.push(op);
        let block = self.block();
        match block.last_mut() {
            Some(Node::Ops(range)) if range.end == at => range.end = at + 1,
            _ => block.push(Node::Ops(at..at + 1)),
        }
        self.check_size()
    }

    fn check_size(&self) -> Result<()> {
        if self.code.ops.len() + self.code.once.len() + self.nodes > MAX_OPS {
            return not_implemented("stages with so many operations");
        }
        Ok(())
    }

    /// Adds control flow to the current block.
    pub(super) fn node(&mut self, node: Node) -> Result<()> {
        self.nodes += 1;
        self.block().push(node);
        self.check_size()
    }

    /// The innermost block.
    pub(super) fn block(&mut self) -> &mut Vec<Node> {
        if self.blocks.is_empty() {
            self.blocks.push(Vec::new());
        }
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }

    pub(super) fn unary(
        &mut self,
        function: UnaryFunction,
        kind: Kind,
        [from, count]: [usize; 2],
    ) -> Result<Register> {
        if Split::new(&mut [], 0, 0).function(function, kind, [0, 0]).is_none() {
            return not_implemented(format!("{function:?} of {kind:?}"));
        }
        let words = function.result(kind).words();
        let to = self.allocate(words * count)?;
        let is_once = self.are_once(from, count * kind.words());
        self.push(Op::Unary { function, kind, to, from, count }, is_once)?;
        self.mark(to, words * count, is_once);
        Ok(to)
    }

    pub(super) fn convert(
        &mut self,
        [from_kind, to_kind]: [Kind; 2],
        [from, count]: [usize; 2],
    ) -> Result<Register> {
        let to = self.allocate(to_kind.words() * count)?;
        let is_once = self.are_once(from, count * from_kind.words());
        self.push(Op::Convert { from_kind, to_kind, to, from, count }, is_once)?;
        self.mark(to, to_kind.words() * count, is_once);
        Ok(to)
    }

    pub(super) fn binary(
        &mut self,
        function: BinaryFunction,
        kind: Kind,
        [left, right]: [Operand; 2],
        count: usize,
    ) -> Result<Register> {
        check_binary(function, kind)?;
        let words = function.result(kind).words();
        let to = self.allocate(words * count)?;
        let is_once = self.is_operand_once(left, kind.words(), count)
            && self.is_operand_once(right, function.second_words(kind), count);
        self.push(Op::Binary { function, kind, to, left, right, count }, is_once)?;
        self.mark(to, words * count, is_once);
        Ok(to)
    }

    pub(super) fn is_operand_once(&self, operand: Operand, words: usize, count: usize) -> bool {
        (0..count).all(|item| self.are_once(operand.at + item * operand.step, words))
    }

    /// Computes the place of an element: base + min(index, length − 1) × stride.
    pub(super) fn index(&mut self, element: Element) -> Result<Register> {
        let to = self.allocate(1)?;
        let is_once = self.is_once[element.index]
            && element.base.is_none_or(|base| self.is_once[base])
            && match element.length {
                Length::Constant(_) => true,
                Length::Register(length) => self.is_once[length],
            };
        self.push(Op::Index { to, element }, is_once)?;
        self.mark(to, 1, is_once);
        Ok(to)
    }
}

/// Checks that the kind has a function of two scalars.
pub(super) fn check_binary(function: BinaryFunction, kind: Kind) -> Result<()> {
    let none = Operand { at: 0, step: 0 };
    let found = Split::new(&mut [], 0, 0).function_of_two(function, kind, [none; 2], 0);
    found.map_or_else(|| not_implemented(format!("{function:?} of {kind:?}")), Ok)
}
