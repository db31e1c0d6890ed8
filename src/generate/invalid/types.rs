//! Random types, with expressions that read and write values of them.

use std::fmt::Write as _;

use fastrand::Rng;

use crate::invalid::version::Version;

/// A scalar, vector or matrix of 32-bit values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain {
    /// Its scalars.
    pub base: Base,
    /// Columns; 1 unless this is a matrix.
    pub columns: u8,
    /// Rows; 1 for a scalar.
    pub rows: u8,
}

/// Scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// `float`
    Float,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `bool`
    Bool,
}

/// A type with everything that a declaration can specify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// The innermost type, if this is no struct.
    pub plain: Plain,
    /// The struct's name and members, if this is one.
    pub members: Option<(String, Vec<Plain>)>,
    /// Array lengths, outermost first.
    pub dimensions: Vec<u8>,
}

impl Plain {
    /// A float vector of `rows` components.
    pub const fn float(rows: u8) -> Self {
        Self { base: Base::Float, columns: 1, rows }
    }

    /// Any type that the version has except booleans.
    pub fn numeric(version: Version, rng: &mut Rng) -> Self {
        let rows = rng.u8(1..=4);
        let integers = version.since(130, 300);
        let base = match rng.u8(0..6) {
            0 if integers => Base::Int,
            1 if integers => Base::Uint,
            _ => Base::Float,
        };
        let is_matrix = base == Base::Float && rows > 1 && rng.u8(0..3) == 0;
        let columns = match is_matrix {
            false => 1,
            // Non-square matrices came later.
            true if version.since(120, 300) => rng.u8(2..=4),
            true => rows,
        };
        Self { base, columns, rows }
    }

    /// Any type of floats.
    pub fn floats(version: Version, rng: &mut Rng) -> Self {
        loop {
            let plain = Self::numeric(version, rng);
            if plain.base == Base::Float {
                return plain;
            }
        }
    }

    /// Name in GLSL.
    pub fn name(self) -> String {
        let (scalar, prefix) = match self.base {
            Base::Float => ("float", ""),
            Base::Int => ("int", "i"),
            Base::Uint => ("uint", "u"),
            Base::Bool => ("bool", "b"),
        };
        match (self.columns, self.rows) {
            (1, 1) => scalar.to_owned(),
            (1, rows) => format!("{prefix}vec{rows}"),
            (columns, rows) if columns == rows => format!("mat{rows}"),
            (columns, rows) => format!("mat{columns}x{rows}"),
        }
    }

    /// A float expression computed from the value at `path`.
    pub fn read(self, path: &str) -> String {
        match (self.base, self.columns, self.rows) {
            (Base::Float, 1, 1) => path.to_owned(),
            (Base::Float, 1, _) => format!("{path}.x"),
            (Base::Float, _, _) => format!("{path}[0].x"),
            (Base::Int | Base::Uint | Base::Bool, _, 1) => format!("float({path})"),
            (Base::Int | Base::Uint | Base::Bool, _, _) => format!("float({path}.x)"),
        }
    }

    /// An expression of this type.
    pub fn value(self) -> String {
        format!("{}(1)", self.name())
    }
}

impl Type {
    /// A type that is neither an array nor a struct.
    pub const fn of(plain: Plain) -> Self {
        Self { plain, members: None, dimensions: Vec::new() }
    }

    /// A random varying type, valid in every version that has it.
    pub fn varying(version: Version, rng: &mut Rng) -> Self {
        let mut ty = Self::of(Plain::numeric(version, rng));
        match rng.u8(0..8) {
            0 | 1 => ty.dimensions.push(rng.u8(1..=3)),
            2 if version.since(430, 0) => ty.dimensions = vec![rng.u8(1..=2), rng.u8(1..=2)],
            3 if version.since(150, 300) => ty = Self::structure(version, rng),
            4 if version.since(150, 0) => {
                ty = Self::structure(version, rng);
                ty.dimensions.push(2);
            }
            _ => {}
        }
        ty
    }

    /// A random uniform type.
    pub fn uniform(version: Version, rng: &mut Rng) -> Self {
        let mut ty = Self::of(Plain::numeric(version, rng));
        if rng.u8(0..8) == 0 && ty.plain.columns == 1 {
            ty.plain.base = Base::Bool;
        }
        match rng.u8(0..6) {
            0 => ty.dimensions.push(rng.u8(1..=3)),
            1 if version.since(430, 310) => ty.dimensions = vec![rng.u8(1..=2), rng.u8(1..=2)],
            2 => ty = Self::structure(version, rng),
            3 => {
                ty = Self::structure(version, rng);
                ty.dimensions.push(2);
            }
            _ => {}
        }
        ty
    }

    /// A struct whose name encodes its members, so that equal names mean equal structs.
    pub fn structure(version: Version, rng: &mut Rng) -> Self {
        let members: Vec<_> = (0..rng.u8(1..=3)).map(|_| Plain::numeric(version, rng)).collect();
        let name: Vec<_> = members.iter().map(|member| member.name()).collect();
        let name = format!("S_{}", name.join("_"));
        Self { plain: Plain::float(1), members: Some((name, members)), dimensions: Vec::new() }
    }

    /// True if it has integers.
    pub fn has_integers(&self) -> bool {
        let is_integer = |plain: &Plain| plain.base != Base::Float;
        match &self.members {
            Some((_, members)) => members.iter().any(is_integer),
            None => is_integer(&self.plain),
        }
    }

    /// The struct's declaration, if it is one.
    pub fn definition(&self) -> Option<String> {
        let (name, members) = self.members.as_ref()?;
        let mut text = format!("struct {name} {{");
        for (idx, member) in members.iter().enumerate() {
            let _ = write!(text, " {} m{idx};", member.name());
        }
        text.push_str(" };");
        Some(text)
    }

    /// Type name without array lengths.
    pub fn name(&self) -> String {
        match &self.members {
            Some((name, _)) => name.clone(),
            None => self.plain.name(),
        }
    }

    /// Type and name of a declaration: `vec2 v[3]`.
    pub fn declare(&self, name: &str) -> String {
        let mut text = format!("{} {name}", self.name());
        for length in &self.dimensions {
            let _ = write!(text, "[{length}]");
        }
        text
    }

    /// Locations that a varying or attribute of this type takes.
    pub fn slots(&self) -> u32 {
        let columns = |plain: &Plain| u32::from(plain.columns);
        let one: u32 = match &self.members {
            Some((_, members)) => members.iter().map(columns).sum(),
            None => columns(&self.plain),
        };
        self.dimensions.iter().fold(one, |slots, length| slots * u32::from(*length))
    }

    /// A random part of a variable that is a scalar, vector or matrix.
    pub fn part(&self, name: &str, rng: &mut Rng) -> (String, Plain) {
        let mut path = name.to_owned();
        for length in &self.dimensions {
            let _ = write!(path, "[{}]", rng.u8(0..*length));
        }
        match &self.members {
            None => (path, self.plain),
            Some((_, members)) => {
                let idx = rng.usize(0..members.len());
                (format!("{path}.m{idx}"), members[idx])
            }
        }
    }

    /// A statement that reads a random part of a variable.
    pub fn read(&self, name: &str, rng: &mut Rng) -> String {
        let (path, plain) = self.part(name, rng);
        format!("acc += {};", plain.read(&path))
    }

    /// A statement that writes a random part of a variable.
    pub fn write(&self, name: &str, rng: &mut Rng) -> String {
        let (path, plain) = self.part(name, rng);
        format!("{path} = {};", plain.value())
    }
}
