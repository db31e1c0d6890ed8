//! Symbolic values in the functions of a final module.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's enums have dozens of variants of which a few matter here"
)]

use naga::{
    BinaryOperator, Binding, Expression, Function, GlobalVariable, Handle, Literal, Module,
    TypeInner,
};

use super::Defect;

/// A word of a private global: the path ends in the component of a vector, and in the half of a 64-bit scalar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Scalar {
    pub(super) global: Handle<GlobalVariable>,
    pub(super) path: Vec<u32>,
}

/// A component of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SlotScalar {
    pub(super) location: u32,
    pub(super) component: u8,
}

/// Symbolic value of a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Input(SlotScalar),
    /// An input times the window position's w.
    InputTimesW(SlotScalar),
    /// Component of the window position.
    Window(u32),
    Loaded(Scalar),
    /// A scalar times a known origin.
    Product(Scalar, Box<Origin>),
    Literal(u32),
    Uniform,
    /// A word of the element that a pointer into an array leads to, by its number in the element.
    Element(Handle<Expression>, u32),
    Other,
}

/// Reads a function of a module.
pub(super) struct StageReader<'a> {
    pub(super) module: &'a Module,
    pub(super) function: &'a Function,
}

impl<'a> StageReader<'a> {
    pub(super) fn of(module: &'a Module) -> Result<Self, Defect> {
        let [entry] = &module.entry_points[..] else {
            return Err(Defect("a final module has one entry point".to_owned()));
        };
        Ok(Self { module, function: &entry.function })
    }

    /// The words of a scalar or vector value; a 64-bit scalar has two, the low one first.
    pub(super) fn origins(&self, value: Handle<Expression>) -> Vec<Origin> {
        match &self.function.expressions[value] {
            Expression::FunctionArgument(idx) => self.argument(*idx),
            Expression::Load { pointer } => self.loaded(*pointer),
            Expression::Literal(literal) => vec![literal_origin(*literal)],
            Expression::ZeroValue(ty) => {
                let width = width_of(&self.module.types[*ty].inner);
                vec![Origin::Literal(0); usize::from(width)]
            }
            Expression::Binary { op: BinaryOperator::Multiply, left, right } => {
                self.product(*left, *right)
            }
            Expression::Binary { op, left, right } => self.wide_operation(*op, *left, *right),
            Expression::As { expr, convert: None, .. } => self.origins(*expr),
            Expression::As { expr, kind: naga::ScalarKind::Uint, convert: Some(width) } => {
                let mut words = self.origins(*expr);
                words.resize(usize::from(*width) / 4, Origin::Literal(0));
                words
            }
            Expression::AccessIndex { base, index } => {
                let words = self.origins(*base);
                let unit = self.words_of_scalar(*base);
                words.chunks(unit).nth(*index as usize).unwrap_or(&[]).to_vec()
            }
            Expression::Swizzle { size, vector, pattern } => {
                let origins = self.origins(*vector);
                let pick = |idx: usize| {
                    origins.get(pattern[idx] as usize).cloned().unwrap_or(Origin::Other)
                };
                (0..*size as usize).map(pick).collect()
            }
            Expression::Compose { components, .. } => {
                components.iter().flat_map(|component| self.origins(*component)).collect()
            }
            _ => vec![Origin::Other],
        }
    }

    /// Words of each part of a value: of a 64-bit scalar, or of a pair that stands for one, two.
    fn words_of_scalar(&self, value: Handle<Expression>) -> usize {
        let Expression::Load { pointer } = self.function.expressions[value] else { return 1 };
        let Some(inner) =
            self.pointer(pointer).and_then(|(global, path)| self.behind(global, &path))
        else {
            return 1;
        };
        match inner {
            TypeInner::Array { .. } => 2,
            inner => usize::from(inner.scalar_width().unwrap_or(4)) / 4,
        }
    }

    /// The operations that join words to a 64-bit scalar and take it apart: shifts by 32, and `|`.
    fn wide_operation(
        &self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Vec<Origin> {
        match (op, &self.origins(left)[..], &self.origins(right)[..]) {
            (BinaryOperator::ShiftLeft, [low, _], [Origin::Literal(32)]) => {
                vec![Origin::Literal(0), low.clone()]
            }
            (BinaryOperator::ShiftRight, [_, high], [Origin::Literal(32)]) => {
                vec![high.clone(), Origin::Literal(0)]
            }
            (
                BinaryOperator::InclusiveOr,
                [Origin::Literal(0), high],
                [low, Origin::Literal(0)],
            ) => {
                vec![low.clone(), high.clone()]
            }
            _ => vec![Origin::Other],
        }
    }

    fn argument(&self, idx: u32) -> Vec<Origin> {
        let argument = &self.function.arguments[idx as usize];
        let width = width_of(&self.module.types[argument.ty].inner);
        let origin = |component: u8| match argument.binding {
            Some(Binding::Location { location, .. }) => {
                Origin::Input(SlotScalar { location, component })
            }
            Some(Binding::BuiltIn(naga::BuiltIn::Position { .. })) => {
                Origin::Window(u32::from(component))
            }
            Some(Binding::BuiltIn(_)) | None => Origin::Other,
        };
        (0..width).map(origin).collect()
    }

    fn loaded(&self, pointer: Handle<Expression>) -> Vec<Origin> {
        if let Expression::Access { base, .. } = self.function.expressions[pointer] {
            let words = (0..self.element_words(base)).map(|word| Origin::Element(pointer, word));
            return words.collect();
        }
        if let Expression::AccessIndex { base, index } = self.function.expressions[pointer]
            && let Expression::Access { .. } = self.function.expressions[base]
        {
            return vec![Origin::Element(base, index)];
        }
        let Some((global, path)) = self.pointer(pointer) else { return vec![Origin::Other; 4] };
        let space = self.module.global_variables[global].space;
        if matches!(space, naga::AddressSpace::Uniform | naga::AddressSpace::Immediate) {
            return vec![Origin::Uniform; usize::from(self.width_behind(global, &path))];
        }
        let paths = self.word_paths(global, &path).into_iter();
        paths.map(|path| Origin::Loaded(Scalar { global, path })).collect()
    }

    /// Number of words of an element of the array that `array` points to: 1 unless it is a vector.
    pub(super) fn element_words(&self, array: Handle<Expression>) -> u32 {
        let inner = self.pointer(array).and_then(|(global, path)| self.behind(global, &path));
        match inner {
            Some(TypeInner::Array { base, .. }) => {
                u32::from(width_of(&self.module.types[base].inner).max(1))
            }
            _ => 1,
        }
    }

    /// The paths of the words of the scalar or vector at `path`.
    pub(super) fn word_paths(&self, global: Handle<GlobalVariable>, path: &[u32]) -> Vec<Vec<u32>> {
        let Some(inner) = self.behind(global, path) else { return Vec::new() };
        let indices: Vec<Vec<u32>> = match (&inner, inner.scalar_width()) {
            (TypeInner::Scalar(_), Some(8)) => vec![vec![0], vec![1]],
            (TypeInner::Scalar(_), _) => vec![vec![]],
            (TypeInner::Vector { size, .. }, Some(8)) => {
                (0..*size as u32).flat_map(|idx| [vec![idx, 0], vec![idx, 1]]).collect()
            }
            (TypeInner::Vector { size, .. }, _) => (0..*size as u32).map(|idx| vec![idx]).collect(),
            (TypeInner::Array { size: naga::ArraySize::Constant(count), .. }, _) => {
                (0..count.get()).flat_map(|idx| [vec![idx, 0], vec![idx, 1]]).collect()
            }
            _ => Vec::new(),
        };
        indices.into_iter().map(|rest| [path, &rest].concat()).collect()
    }

    /// The product of two scalars.
    fn product(&self, left: Handle<Expression>, right: Handle<Expression>) -> Vec<Origin> {
        match (&self.origins(left)[..], &self.origins(right)[..]) {
            ([Origin::Input(at)], [Origin::Window(3)]) => vec![Origin::InputTimesW(*at)],
            ([Origin::Loaded(left)], [right]) => {
                vec![Origin::Product(left.clone(), Box::new(right.clone()))]
            }
            (left, right) => vec![Origin::Other; left.len().max(right.len())],
        }
    }

    pub(super) fn pointer(
        &self,
        pointer: Handle<Expression>,
    ) -> Option<(Handle<GlobalVariable>, Vec<u32>)> {
        match &self.function.expressions[pointer] {
            Expression::GlobalVariable(global) => Some((*global, Vec::new())),
            Expression::AccessIndex { base, index } => {
                let (global, mut path) = self.pointer(*base)?;
                path.push(*index);
                Some((global, path))
            }
            _ => None,
        }
    }

    /// Number of words in the scalar or vector at `path`; 0 for anything else.
    fn width_behind(&self, global: Handle<GlobalVariable>, path: &[u32]) -> u8 {
        self.behind(global, path).map_or(0, |inner| width_of(&inner))
    }

    /// The type at `path` in a global.
    fn behind(&self, global: Handle<GlobalVariable>, path: &[u32]) -> Option<TypeInner> {
        let types = &self.module.types;
        let mut inner = types[self.module.global_variables[global].ty].inner.clone();
        for idx in path {
            inner = match inner {
                TypeInner::Struct { members, .. } => {
                    types[members.get(*idx as usize)?.ty].inner.clone()
                }
                TypeInner::Array { base, .. } => types[base].inner.clone(),
                TypeInner::Matrix { rows, scalar, .. } => TypeInner::Vector { size: rows, scalar },
                TypeInner::Vector { scalar, .. } => TypeInner::Scalar(scalar),
                _ => return None,
            };
        }
        Some(inner)
    }
}

const fn width_of(inner: &TypeInner) -> u8 {
    match inner {
        TypeInner::Scalar(scalar) => scalar.width.div_ceil(4),
        TypeInner::Vector { size, scalar } => *size as u8 * scalar.width.div_ceil(4),
        _ => 0,
    }
}

fn literal_origin(literal: Literal) -> Origin {
    match literal {
        Literal::F32(value) => Origin::Literal(value.to_bits()),
        Literal::U32(bits) => Origin::Literal(bits),
        Literal::I32(value) => Origin::Literal(value.cast_unsigned()),
        _ => Origin::Other,
    }
}
