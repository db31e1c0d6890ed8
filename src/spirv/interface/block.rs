//! Uniform and storage blocks. Their point identifies them; their names are only for people.

use std::fmt::Display;

use naga::{GlobalVariable, Handle};
use rspirv::spirv::{Decoration, Op, StorageClass};

use crate::declarations::{Variable, first_word};
use crate::types::layout_of;
use ir::interface::{Place, Type};
use ir::layout::BlockLayout;
use ir::layout::explicit::{self, Container};
use ir::stage_module::{ResourceKind, ResourceVariable, UniformKind, UniformVariable};

use super::point::Point;
use super::{Gathering, Problem, paths, subscripts};

impl Gathering<'_> {
    /// Adds a uniform block, or one for every element of an array, at consecutive bindings. Push constants count as a
    /// uniform block.
    pub(super) fn add_uniform_block(
        &mut self,
        variable: Variable,
        global: Handle<GlobalVariable>,
    ) -> Result<(), Problem> {
        let (block, lengths) = self.declarations.without_arrays(variable.ty);
        let (place, container) = match variable.class {
            StorageClass::PushConstant => (Point::PushConstants, Container::StorageBlock),
            _ => (self.point(variable.id)?, Container::UniformBlock),
        };
        let (ty, layout) = self.block_layout(variable, block, place, container)?;
        for (idx, path) in (0..).zip(paths(&lengths)) {
            let place = place.element(idx);
            self.interface.uniforms.push(UniformVariable {
                alias: self.alias(block, &path),
                kind: UniformKind::Block { binding: Some(place.number()), has_instance_name: true },
                layout: Some(layout.clone()),
                is_used: self.usage.is_used(variable.id),
                span: Some((self.spans)(variable.id)),
                ..UniformVariable::loose(place.to_string(), ty.clone(), Place { global, path })
            });
        }
        Ok(())
    }

    /// Adds a storage block. A block of an array is added as one element, with its index in `element`.
    pub(super) fn add_storage_block(
        &mut self,
        variable: Variable,
        global: Handle<GlobalVariable>,
        element: Option<u32>,
    ) -> Result<(), Problem> {
        let (block, lengths) = self.declarations.without_arrays(variable.ty);
        let first = self.point(variable.id)?;
        let (ty, layout) = self.block_layout(variable, block, first, Container::StorageBlock)?;
        let path = element.and_then(|idx| paths(&lengths).into_iter().nth(idx as usize));
        let point = first.element(element.unwrap_or(0));
        let is_read_only = |idx: u32| {
            self.declarations.member_decorations(block, idx).has(Decoration::NonWritable)
        };
        let count = match &ty {
            Type::Struct(ty) => u32::try_from(ty.members.len()).unwrap_or(0),
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Array { .. } => 0,
        };
        let own = self.declarations.decorations(variable.id);
        let is_writable = !(own.has(Decoration::NonWritable) || (0..count).all(is_read_only));
        self.interface.resources.push(ResourceVariable {
            name: point.to_string(),
            alias: self.alias(block, &path.unwrap_or_default()),
            global,
            kind: ResourceKind::StorageBuffer { is_writable },
            binding: Some(point.number()),
            location: None,
            described: Some((ty, layout.clone())),
            element: element.unwrap_or(0),
            layout: Some(layout),
            span: Some((self.spans)(variable.id)),
        });
        Ok(())
    }

    /// Adds a uniform outside any block, identified by its location.
    pub(super) fn add_loose(
        &mut self,
        variable: Variable,
        global: Handle<GlobalVariable>,
    ) -> Result<(), Problem> {
        let ty = self.type_of(variable.id, variable.ty)?;
        let own = self.declarations.decorations(variable.id);
        let Some(location) = own.number(Decoration::Location) else {
            let shown = self.shown(variable.id);
            return Err(Problem::Wrong(variable.id, format!("uniform {shown} has no Location")));
        };
        let initial = variable.initializer.map(|id| {
            let mut bits = Vec::new();
            self.collect_bits(id, &ty, &mut bits).map(|()| bits)
        });
        let initial = match initial {
            Some(None) => {
                let word =
                    "an initialiser of a SPIR-V uniform that is not made of 32-bit and 64-bit constants"
                        .to_owned();
                return Err(Problem::Unsupported(variable.id, word));
            }
            Some(bits) => bits,
            None => None,
        };
        self.interface.uniforms.push(UniformVariable {
            alias: self.declarations.name(variable.id).unwrap_or("").to_owned(),
            kind: UniformKind::Loose { location: Some(location) },
            initial,
            is_used: self.usage.is_used(variable.id),
            span: Some((self.spans)(variable.id)),
            ..UniformVariable::loose(format!("location {location}"), ty, Place::whole(global))
        });
        Ok(())
    }

    /// The scalars of a constant in leaf order.
    fn collect_bits(&self, id: u32, ty: &Type, bits: &mut Vec<u64>) -> Option<()> {
        let constant = self.declarations.value(id)?;
        match constant.class.opcode {
            Op::ConstantTrue => bits.push(1),
            Op::ConstantFalse => bits.push(0),
            Op::ConstantNull => {
                let scalars = ty.leaves().iter().map(|leaf| usize::from(leaf.size)).sum();
                bits.extend(std::iter::repeat_n(0, scalars));
            }
            Op::Constant => match constant.operands.as_slice() {
                [rspirv::dr::Operand::LiteralBit32(value)] => bits.push(u64::from(*value)),
                [rspirv::dr::Operand::LiteralBit64(value)] => bits.push(*value),
                _ => return None,
            },
            Op::ConstantComposite => {
                for (idx, part) in constant.operands.iter().enumerate() {
                    self.collect_bits(first_word(part), &part_type(ty, idx)?, bits)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Type and layout of a block, checked by the rules of its storage class.
    fn block_layout(
        &self,
        variable: Variable,
        block: u32,
        point: Point,
        container: Container,
    ) -> Result<(Type, BlockLayout), Problem> {
        let ty = self.type_of(variable.id, block)?;
        let wrong = |message: &dyn Display| {
            Problem::Link(variable.id, format!("block at {point}: {message}"))
        };
        if !matches!(ty, Type::Struct(_)) {
            return Err(wrong(&"its type is not a struct"));
        }
        let is = |decoration| self.declarations.decorations(block).has(decoration);
        let is_block = match variable.class {
            StorageClass::StorageBuffer | StorageClass::PushConstant => is(Decoration::Block),
            // The old way to declare a storage block.
            _ => is(Decoration::Block) != is(Decoration::BufferBlock),
        };
        if !is_block {
            return Err(wrong(&"its type is not decorated as `Block`"));
        }
        let layout = layout_of(self.declarations, block).map_err(|malformed| wrong(&malformed))?;
        match explicit::first_error(&ty, &layout, container) {
            Some(rule) => Err(wrong(&rule)),
            None => Ok((ty, layout)),
        }
    }

    /// The block's own name with the element's indices; empty if it has none.
    fn alias(&self, block: u32, path: &[u32]) -> String {
        let Some(name) = self.declarations.name(block) else { return String::new() };
        format!("{name}{}", subscripts(path))
    }
}

/// The type of a composite's part.
fn part_type(ty: &Type, idx: usize) -> Option<Type> {
    Some(match ty {
        Type::Scalar(_) => return None,
        Type::Vector { scalar, .. } => Type::Scalar(*scalar),
        Type::Matrix { rows, scalar, .. } => Type::Vector { size: *rows, scalar: *scalar },
        Type::Array { element, .. } => (**element).clone(),
        Type::Struct(ty) => ty.members.get(idx)?.ty.clone(),
    })
}
