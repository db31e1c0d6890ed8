//! Reads `xfb_buffer`, `xfb_offset` and `xfb_stride` (GLSL 4.60, 4.4.2.1). The linker combines the declarations of all
//! objects.

use std::collections::BTreeMap;

use crate::ast::{Ident, MemberDeclaration, Qualifiers};
use ir::interface::Variable;
use ir::options::MAX_XFB_BUFFER;
use ir::source::Span;
use ir::stage_module::{XfbDeclarations, XfbOutput, XfbStride};

use crate::lower::qualifier::{At, has_layout};
use crate::lower::{Result, Stage, wrong};

const WORDS: [&str; 3] = ["xfb_buffer", "xfb_offset", "xfb_stride"];

/// The transform feedback declarations of a stage so far.
#[derive(Clone, Debug, Default)]
pub(in crate::lower) struct XfbState {
    pub(in crate::lower) declarations: XfbDeclarations,
    /// The default buffer of every object, from `layout(xfb_buffer = …) out;`.
    default_buffers: BTreeMap<usize, u32>,
    /// Strides of buffers, as first declared by each object.
    strides: BTreeMap<(usize, u32), u32>,
}

/// Transform feedback buffer and offset for the members of a block, which follow each other.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower) struct BlockXfb {
    /// Buffer of the first block of an array. The other blocks have the buffers after it.
    buffer: u32,
    /// Index of the block in its array; otherwise 0.
    pub(in crate::lower) element: u32,
    /// Offset of the block, if it has one.
    first: Option<u32>,
    /// Offset of the next member, if the block has an offset.
    offset: Option<u32>,
}

impl BlockXfb {
    /// True if a member with these qualifiers may be a transform feedback output, so that its type must be known.
    pub(in crate::lower) fn concerns(&self, qualifiers: &Qualifiers) -> bool {
        self.offset.is_some() || WORDS.iter().any(|word| has_layout(qualifiers, word))
    }
}

impl Stage<'_> {
    /// Records the transform feedback qualifiers of an output outside any block.
    pub(in crate::lower) fn capture_variable(
        &mut self,
        at: At,
        qualifiers: &Qualifiers,
        name: &Ident,
    ) -> Result<()> {
        if !self.has_xfb_words(qualifiers) {
            return Ok(());
        }
        let buffer = self.xfb_buffer(at, qualifiers)?;
        check_buffer(buffer, qualifiers.span)?;
        if let Some(offset) = self.xfb_offset(at, qualifiers)? {
            let (name, span) = (name.name.clone(), name.span);
            self.add_captured(XfbOutput { name, buffer, offset, span });
        }
        Ok(())
    }

    /// Reads `xfb_offset`, in bytes. The offsets of 64-bit types are checked when the program is linked.
    fn xfb_offset(&mut self, at: At, qualifiers: &Qualifiers) -> Result<Option<u32>> {
        let offset = self.layout_value(at, qualifiers, "xfb_offset")?;
        if offset.is_some_and(|offset| !offset.is_multiple_of(4)) {
            return wrong(qualifiers.span, "`xfb_offset` must be a multiple of 4");
        }
        Ok(offset)
    }

    /// Reads the transform feedback qualifiers of a block as a whole.
    pub(in crate::lower) fn capture_block(
        &mut self,
        at: At,
        qualifiers: &Qualifiers,
    ) -> Result<BlockXfb> {
        if !self.has_xfb_words(qualifiers) {
            let buffer = self.xfb.default_buffers.get(&at.object).copied().unwrap_or(0);
            return Ok(BlockXfb { buffer, element: 0, first: None, offset: None });
        }
        let buffer = self.xfb_buffer(at, qualifiers)?;
        check_buffer(buffer, qualifiers.span)?;
        let offset = self.xfb_offset(at, qualifiers)?;
        Ok(BlockXfb { buffer, element: 0, first: offset, offset })
    }

    /// Records the transform feedback qualifiers of a member of a block, which is the output `variable`.
    pub(in crate::lower) fn capture_member(
        &mut self,
        at: At,
        block: &mut BlockXfb,
        member: &MemberDeclaration,
        variable: &Variable,
    ) -> Result<()> {
        let (qualifiers, ty) = (&member.ty.qualifiers, &variable.ty);
        let own = self.xfb_offset(at, qualifiers)?;
        if let Some(buffer) = self.layout_value(at, qualifiers, "xfb_buffer")?
            && buffer != block.buffer
        {
            return wrong(
                qualifiers.span,
                "the `xfb_buffer` of a member must be that of its block",
            );
        }
        self.has_xfb_words(qualifiers);
        self.add_stride(at, qualifiers, block.buffer)?;
        let has_pairs = ty.leaves().iter().any(|leaf| leaf.scalar.components() == 2);
        let unit = if has_pairs { 8 } else { 4 };
        if has_pairs && block.first.is_some_and(|first| !first.is_multiple_of(unit)) {
            return wrong(
                qualifiers.span,
                "the `xfb_offset` of a block with 64-bit members must be a multiple of 8",
            );
        }
        let implied = block.offset.map(|offset| offset.next_multiple_of(unit));
        let Some(offset) = own.or(implied) else { return Ok(()) };
        let end = offset.saturating_add(ty.component_count().saturating_mul(4));
        block.offset = block.offset.map(|_| end);
        let buffer = block.buffer.saturating_add(block.element);
        let (name, span) = (variable.name.clone(), member.name.span);
        self.add_captured(XfbOutput { name, buffer, offset, span });
        Ok(())
    }

    /// Applies the defaults in `layout(xfb_buffer = 2, xfb_stride = 32) out;`.
    pub(in crate::lower) fn capture_stage(
        &mut self,
        at: At,
        qualifiers: &Qualifiers,
    ) -> Result<()> {
        if !self.has_xfb_words(qualifiers) {
            return Ok(());
        }
        let buffer = self.xfb_buffer(at, qualifiers)?;
        check_buffer(buffer, qualifiers.span)?;
        self.xfb.default_buffers.insert(at.object, buffer);
        Ok(())
    }

    /// True if a transform feedback qualifier occurs.
    fn has_xfb_words(&mut self, qualifiers: &Qualifiers) -> bool {
        let has_words = WORDS.iter().any(|word| has_layout(qualifiers, word));
        self.xfb.declarations.has_words |= has_words;
        has_words
    }

    /// The transform feedback buffer of a declaration. An `xfb_stride` applies to this buffer.
    fn xfb_buffer(&mut self, at: At, qualifiers: &Qualifiers) -> Result<u32> {
        let default = self.xfb.default_buffers.get(&at.object).copied().unwrap_or(0);
        let buffer = self.layout_value(at, qualifiers, "xfb_buffer")?.unwrap_or(default);
        self.add_stride(at, qualifiers, buffer)?;
        Ok(buffer)
    }

    fn add_stride(&mut self, at: At, qualifiers: &Qualifiers, buffer: u32) -> Result<()> {
        let span = qualifiers.span;
        if let Some(stride) = self.layout_value(at, qualifiers, "xfb_stride")? {
            let first = *self.xfb.strides.entry((at.object, buffer)).or_insert(stride);
            if first != stride {
                let message = format!(
                    "the `xfb_stride` of capture buffer {buffer} is {stride} here but {first} before"
                );
                return wrong(span, message);
            }
            let stride = XfbStride { buffer, stride, span };
            self.xfb.declarations.strides.push(stride);
        }
        Ok(())
    }

    /// Adds an output, unless another shader object has an equal declaration.
    fn add_captured(&mut self, output: XfbOutput) {
        let is_same = |known: &XfbOutput| {
            (&known.name, known.buffer, known.offset)
                == (&output.name, output.buffer, output.offset)
        };
        let outputs = &mut self.xfb.declarations.outputs;
        if !outputs.iter().any(is_same) {
            outputs.push(output);
        }
    }
}

fn check_buffer(buffer: u32, span: Span) -> Result<()> {
    if buffer > MAX_XFB_BUFFER {
        let message = format!("there is no capture buffer {buffer}; the last is {MAX_XFB_BUFFER}");
        return wrong(span, message);
    }
    Ok(())
}
