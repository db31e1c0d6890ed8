//! Reads `STRUCT`.

use std::sync::Arc;

use ir::source::Span;

use super::names::duplicate;
use super::script::Parser;
use super::text::at::At;
use super::text::limits::{MAX_COMPONENTS, MAX_ELEMENT_BYTES, MAX_STRUCTURE_DEPTH, MAX_STRUCTURES};
use super::text::problem::{Parsed, Problem};
use super::type_name::data_type;
use crate::syntax::data::{DataType, Member, Standard, Struct};

impl<'a> Parser<'a> {
    /// Reads `STRUCT NAME [STRIDE N]` and its members.
    pub(super) fn read_structure(&mut self, start: Span) -> Parsed<()> {
        let name = self.cursor.name("the name of the structure")?;
        let stride = if self.cursor.accept("STRIDE") { Some(self.element_bytes()?) } else { None };
        let header = self.cursor.since(start);
        self.cursor.finish_line()?;
        if self.structures.contains_key(name.value) {
            return Err(duplicate("structure", name.value, name.span));
        }
        if self.structures.len() >= MAX_STRUCTURES {
            let message = format!("a script has at most {MAX_STRUCTURES} structures");
            return Err(Problem::error(header, message));
        }
        let mut members = Vec::new();
        self.block(header, |parser, word| {
            let member = parser.read_member(word, &members)?;
            members.push(member);
            parser.cursor.finish_line()
        })?;
        let structure = Struct { name: name.value.to_owned(), stride, members };
        check(&structure, name.span)?;
        self.structures.insert(name.value.to_owned(), Arc::new(structure));
        Ok(())
    }

    /// Reads `TYPE NAME [OFFSET N] [MATRIX_STRIDE N]`.
    fn read_member(&mut self, word: At<&'a str>, before: &[Member]) -> Parsed<Member> {
        let (data_type, is_array) = data_type(word, &self.structures)?;
        if is_array {
            return Err(Problem::unsupported("arrays in structures", word.span));
        }
        let name = self.cursor.name("the name of the member")?;
        if before.iter().any(|member| member.name == name.value) {
            return Err(duplicate("member", name.value, name.span));
        }
        if before.len() >= MAX_COMPONENTS {
            return Err(too_large(word.span));
        }
        let name = name.value.to_owned();
        let mut member = Member { name, data_type, offset: None, matrix_stride: None };
        while !self.cursor.is_line_end() {
            let option = self.cursor.word("`OFFSET` or the end of the line")?;
            match option.value {
                "OFFSET" => member.offset = Some(self.element_bytes()?),
                "MATRIX_STRIDE" => match member.data_type {
                    DataType::Matrix { rows, scalar, .. } => {
                        let stride = self.element_bytes()?;
                        if stride < u32::from(rows) * scalar.size() {
                            let message = "the stride is smaller than a column";
                            return Err(Problem::error(option.span, message));
                        }
                        member.matrix_stride = Some(stride);
                    }
                    DataType::Scalar(_) | DataType::Vector(..) | DataType::Struct(_) => {
                        let message = "only a matrix has a `MATRIX_STRIDE`";
                        return Err(Problem::error(option.span, message));
                    }
                },
                _ => {
                    let known = ["OFFSET", "MATRIX_STRIDE"];
                    return Err(Problem::unknown("option", option, known));
                }
            }
        }
        Ok(member)
    }

    /// Consumes a number of bytes within an element.
    fn element_bytes(&mut self) -> Parsed<u32> {
        self.cursor.up_to(MAX_ELEMENT_BYTES, "a number of bytes in an element")
    }
}

/// Checks that a structure is not empty, neither too large nor too deeply nested, and that its members do not overlap
/// and are in order.
fn check(structure: &Struct, span: Span) -> Parsed<()> {
    if structure.members.is_empty() {
        return Err(Problem::error(span, "a structure has at least one member"));
    }
    if components(structure) > MAX_COMPONENTS || depth(structure) > MAX_STRUCTURE_DEPTH {
        return Err(too_large(span));
    }
    for standard in [Standard::Std430, Standard::Std140] {
        let mut end = 0;
        for (offset, member) in structure.placed(standard) {
            if offset < end {
                let message = format!("member `{}` lies in the one before", member.name);
                return Err(Problem::error(span, message));
            }
            end = offset + member.size(standard);
            if end > MAX_ELEMENT_BYTES {
                return Err(too_large(span));
            }
        }
        if structure.stride.is_some_and(|stride| stride < end) {
            return Err(Problem::error(span, "the stride is smaller than the structure"));
        }
    }
    Ok(())
}

fn components(structure: &Struct) -> usize {
    let of = |member: &Member| match &member.data_type {
        DataType::Scalar(_) => 1,
        DataType::Vector(size, _) => usize::from(*size),
        DataType::Matrix { columns, rows, .. } => usize::from(*columns) * usize::from(*rows),
        DataType::Struct(inner) => components(inner),
    };
    structure.members.iter().map(of).sum()
}

fn depth(structure: &Struct) -> usize {
    let of = |member: &Member| match &member.data_type {
        DataType::Struct(inner) => depth(inner),
        DataType::Scalar(_) | DataType::Vector(..) | DataType::Matrix { .. } => 0,
    };
    1 + structure.members.iter().map(of).max().unwrap_or(0)
}

fn too_large(span: Span) -> Problem {
    let message = format!(
        "a structure has at most {MAX_COMPONENTS} numbers, {MAX_ELEMENT_BYTES} bytes, and \
         {MAX_STRUCTURE_DEPTH} structures in one another"
    );
    Problem::error(span, message)
}
