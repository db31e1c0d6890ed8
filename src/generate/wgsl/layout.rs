//! Types of WGSL buffers, and where their parts are (WGSL, "Memory Layout"; "Address Space Layout Constraints").

use fastrand::Rng;

/// A type that a buffer may hold.
#[derive(Clone, Debug)]
pub(super) enum Ty {
    /// Components (1 for scalars), and the prefix of the scalar.
    Vector(u32, &'static str),
    /// Columns and rows.
    Matrix(u32, u32),
    /// An atomic `i` or `u`.
    Atomic(&'static str),
    Array(Box<Ty>, u32),
    /// An array without a length in the shader, for which the buffer has room for this many elements.
    Runtime(Box<Ty>, u32),
    Struct(Vec<Member>),
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) ty: Ty,
    /// `@align`
    pub(super) align: Option<u32>,
    /// `@size`
    pub(super) size: Option<u32>,
}

/// The address space of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Uniform,
    /// A storage buffer that the stage does not write.
    Read,
    ReadWrite,
}

/// A vector, matrix or atomic in a buffer.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// Its expression behind the name of the buffer.
    pub(super) path: String,
    pub(super) ty: Ty,
    /// Its byte.
    pub(super) at: u32,
}

/// An array without a length.
pub(super) struct Tail<'a> {
    /// Its expression behind the name of the buffer.
    pub(super) path: String,
    /// The type of its elements.
    pub(super) ty: &'a Ty,
    /// Its byte.
    pub(super) at: u32,
}

/// The next multiple of `to`.
pub(super) const fn up(value: u32, to: u32) -> u32 {
    value.div_ceil(to) * to
}

/// Alignment of a vector of scalars with 4 bytes.
const fn vector_alignment(components: u32) -> u32 {
    match components {
        1 => 4,
        2 => 8,
        _ => 16,
    }
}

impl Ty {
    /// A random type, nested at most `depth` deep.
    pub(super) fn random(rng: &mut Rng, depth: u32, space: Space) -> Self {
        match rng.u32(0..9) {
            0 | 1 if depth > 0 => {
                Self::Array(Box::new(Self::element(rng, depth, space)), rng.u32(1..=3))
            }
            2 | 3 if depth > 0 => Self::Struct(Member::some(rng, depth, space)),
            4 | 5 => Self::Matrix(rng.u32(2..=4), rng.u32(2..=4)),
            6 if space == Space::ReadWrite => Self::Atomic(["i", "u"][rng.usize(0..2)]),
            _ => Self::Vector(rng.u32(1..=4), ["", "", "i", "u"][rng.usize(0..4)]),
        }
    }

    /// A random type of the elements of an array, whose stride is a multiple of 16 in a uniform buffer.
    pub(super) fn element(rng: &mut Rng, depth: u32, space: Space) -> Self {
        let ty = Self::random(rng, depth - 1, space);
        if space != Space::Uniform || ty.stride().is_multiple_of(16) {
            return ty;
        }
        let mut member = Member { ty: ty.nested(), align: None, size: None };
        if rng.bool() {
            member.align = Some(16.max(member.ty.alignment()));
        } else {
            member.size = Some(up(member.ty.size(), 16));
        }
        Self::Struct(vec![member])
    }

    /// The type as that of a member in a uniform buffer. naga's SPIR-V writer misplaces or panics on matrices of two rows
    /// in a structure that is a member of another, so such matrices get another row.
    fn nested(self) -> Self {
        if let Self::Struct(members) = self { Self::Struct(widened(members)) } else { self }
    }

    pub(super) fn alignment(&self) -> u32 {
        match self {
            Self::Vector(components, _) => vector_alignment(*components),
            Self::Matrix(_, rows) => vector_alignment(*rows),
            Self::Atomic(_) => 4,
            Self::Array(element, _) | Self::Runtime(element, _) => element.alignment(),
            Self::Struct(members) => members.iter().map(Member::alignment).max().unwrap_or(4),
        }
    }

    /// The alignment without `@align`.
    fn plain_alignment(&self) -> u32 {
        match self {
            Self::Vector(..) | Self::Matrix(..) | Self::Atomic(_) => self.alignment(),
            Self::Array(element, _) | Self::Runtime(element, _) => element.plain_alignment(),
            Self::Struct(members) => {
                members.iter().map(|member| member.ty.plain_alignment()).max().unwrap_or(4)
            }
        }
    }

    pub(super) fn size(&self) -> u32 {
        match self {
            Self::Vector(components, _) => 4 * components,
            Self::Matrix(columns, rows) => columns * matrix_stride(*rows),
            Self::Atomic(_) => 4,
            Self::Array(element, length) | Self::Runtime(element, length) => {
                element.stride() * length
            }
            Self::Struct(members) => {
                let end = places(members).into_iter().zip(members);
                let end = end.map(|(at, member)| at + member.size()).max();
                up(end.unwrap_or(0), self.alignment())
            }
        }
    }

    /// Distance of two elements of this type.
    pub(super) fn stride(&self) -> u32 {
        up(self.size(), self.alignment())
    }

    /// The vectors, matrices and atomics in a value of this type.
    pub(super) fn leaves(&self, path: &str, at: u32) -> Vec<Leaf> {
        match self {
            Self::Vector(..) | Self::Matrix(..) | Self::Atomic(_) => {
                vec![Leaf { path: path.to_owned(), ty: self.clone(), at }]
            }
            Self::Array(element, length) | Self::Runtime(element, length) => {
                let of =
                    |idx| element.leaves(&format!("{path}[{idx}]"), at + idx * element.stride());
                (0..*length).flat_map(of).collect()
            }
            Self::Struct(members) => {
                let numbered = places(members).into_iter().zip(members).enumerate();
                let of = |(idx, (place, member)): (usize, (u32, &Member))| {
                    member.ty.leaves(&format!("{path}.m{idx}"), at + place)
                };
                numbered.flat_map(of).collect()
            }
        }
    }

    /// The array without a length in this type.
    pub(super) fn tail(&self) -> Option<Tail<'_>> {
        match self {
            Self::Runtime(ty, _) => Some(Tail { path: String::new(), ty, at: 0 }),
            Self::Struct(members) => {
                let (at, last) = (places(members).pop()?, members.last()?);
                let path = format!(".m{}", members.len() - 1);
                last.ty.tail().map(|tail| Tail { path, at, ..tail })
            }
            Self::Vector(..) | Self::Matrix(..) | Self::Atomic(_) | Self::Array(..) => None,
        }
    }

    /// Its name; declares its structures first.
    pub(super) fn name(&self, structures: &mut Vec<String>) -> String {
        match self {
            Self::Vector(1, prefix) => super::declared::scalar(prefix).to_owned(),
            Self::Vector(components, prefix) => {
                format!("vec{components}<{}>", super::declared::scalar(prefix))
            }
            Self::Matrix(columns, rows) => format!("mat{columns}x{rows}<f32>"),
            Self::Atomic(prefix) => format!("atomic<{}>", super::declared::scalar(prefix)),
            Self::Array(element, length) => {
                format!("array<{}, {length}>", element.name(structures))
            }
            Self::Runtime(element, _) => format!("array<{}>", element.name(structures)),
            Self::Struct(members) => {
                let mut text = String::new();
                for (idx, member) in members.iter().enumerate() {
                    let ty = member.ty.name(structures);
                    text.extend([format!("    {}m{idx}: {ty},\n", member.attributes())]);
                }
                let name = format!("S{}", structures.len());
                structures.push(format!("struct {name} {{\n{text}}}\n"));
                name
            }
        }
    }
}

/// Members whose matrices of two rows get another row, and which still are where uniform buffers need them.
fn widened(members: Vec<Member>) -> Vec<Member> {
    fn of(ty: Ty) -> Ty {
        match ty {
            Ty::Matrix(columns, 2) => Ty::Matrix(columns, 3),
            Ty::Array(element, length) => Ty::Array(Box::new(of(*element)), length),
            Ty::Struct(members) => Ty::Struct(widened(members)),
            other @ (Ty::Vector(..) | Ty::Matrix(..) | Ty::Atomic(_) | Ty::Runtime(..)) => other,
        }
    }
    let widen = |member: Member| {
        let ty = of(member.ty);
        let align = member.align.map(|align| align.max(ty.alignment()));
        let is_structure = matches!(ty, Ty::Struct(_));
        let least = if is_structure { up(ty.size(), 16) } else { ty.size() };
        let size = member.size.map(|size| size.max(least));
        Member { ty, align, size }
    };
    members.into_iter().map(widen).collect()
}

/// Distance of a matrix's columns.
pub(super) const fn matrix_stride(rows: u32) -> u32 {
    up(4 * rows, vector_alignment(rows))
}

/// Bytes at which the members of a structure begin.
fn places(members: &[Member]) -> Vec<u32> {
    let mut end = 0;
    let place = |member: &Member| {
        let at = up(end, member.alignment());
        end = at + member.size();
        at
    };
    members.iter().map(place).collect()
}

impl Member {
    /// Random members of a structure, nested at most `depth` deep with it.
    pub(super) fn some(rng: &mut Rng, depth: u32, space: Space) -> Vec<Self> {
        (0..rng.u32(1..=4)).map(|_| Self::random(rng, depth - 1, space)).collect()
    }

    fn random(rng: &mut Rng, depth: u32, space: Space) -> Self {
        Self::of(Ty::random(rng, depth, space), rng, space)
    }

    /// A member of this type, with attributes that the address space needs and some others.
    pub(super) fn of(ty: Ty, rng: &mut Rng, space: Space) -> Self {
        let ty = if space == Space::Uniform { ty.nested() } else { ty };
        let mut member = Self { ty, align: None, size: None };
        if rng.u8(0..5) == 0 {
            member.align =
                Some(member.ty.alignment() << rng.u32(0..=2)).filter(|align| *align <= 64);
        }
        if rng.u8(0..5) == 0 && !matches!(member.ty, Ty::Runtime(..)) {
            member.size = Some(member.ty.size() + 4 * rng.u32(0..=5));
        }
        let is_composite = matches!(member.ty, Ty::Array(..) | Ty::Struct(_));
        if space == Space::Uniform && is_composite {
            let align = member.alignment();
            if align < 16 {
                member.align = Some(16);
            }
            // The member after a structure begins at a multiple of 16.
            if matches!(member.ty, Ty::Struct(_)) && !member.size().is_multiple_of(16) {
                member.size = Some(up(member.size(), 16));
            }
        }
        // naga's reader forgets that a structure is aligned like its members with `@align`.
        if member.align.is_none() && member.ty.plain_alignment() < member.ty.alignment() {
            member.align = Some(member.ty.alignment());
        }
        member
    }

    fn alignment(&self) -> u32 {
        self.align.unwrap_or_else(|| self.ty.alignment())
    }

    fn size(&self) -> u32 {
        self.size.unwrap_or_else(|| self.ty.size())
    }

    /// `@align(…) @size(…) `
    fn attributes(&self) -> String {
        let align = self.align.map(|align| format!("@align({align}) ")).unwrap_or_default();
        align + &self.size.map(|size| format!("@size({size}) ")).unwrap_or_default()
    }
}
