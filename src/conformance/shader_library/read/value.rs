//! Reads `values`.

use ir::diagnostic::{Diagnostic, counted};
use ir::source::Span;

use super::Reader;
use crate::shader_library::token::Kind;
use crate::shader_library::values::{Scalar, ScalarType, Value, ValueType, Values};

/// Words that begin a declaration.
const STORAGES: [&str; 3] = ["input", "output", "uniform"];

impl Reader<'_> {
    /// `values { … }`.
    pub(super) fn values(&mut self) -> Result<Values, Diagnostic> {
        self.advance();
        self.need("{")?;
        let mut values = Values::default();
        while !self.take("}") {
            let list = match self.text(self.token) {
                "input" => &mut values.inputs,
                "output" => &mut values.outputs,
                "uniform" => &mut values.uniforms,
                _ => return Err(self.unknown("`input`, `output`, `uniform` or `}`", &STORAGES)),
            };
            self.advance();
            list.push(self.value()?);
        }
        check(&values)?;
        Ok(values)
    }

    /// `TYPE NAME = VALUE ;` or `TYPE NAME = [ VALUE | … ] ;`.
    fn value(&mut self) -> Result<Value, Diagnostic> {
        let ty = self.value_type()?;
        let (name, span) = if self.token.kind == Kind::Text {
            let name = self.quoted("a name")?;
            (name.value, name.span)
        } else {
            let token = self.need_kind(Kind::Word, "a name")?;
            (self.text(token).to_owned(), token.span)
        };
        check_name(&name, span)?;
        self.need("=")?;
        let mut list = Vec::new();
        if self.take("[") {
            list.push(self.element(ty)?);
            while self.take("|") {
                list.push(self.element(ty)?);
            }
            self.need("]")?;
        } else {
            list.push(self.element(ty)?);
        }
        self.need(";")?;
        Ok(Value { name, ty, list, span })
    }

    fn value_type(&mut self) -> Result<ValueType, Diagnostic> {
        let ty = ValueType::named(self.text(self.token));
        let ty = ty.ok_or_else(|| self.unexpected("a type of GLSL such as `vec4`"))?;
        self.advance();
        Ok(ty)
    }

    /// One value: a scalar, or a constructor of the type.
    fn element(&mut self, ty: ValueType) -> Result<Vec<Scalar>, Diagnostic> {
        if ty.count() == 1 {
            return Ok(vec![self.scalar(ty.scalar)?]);
        }
        self.need(&ty.name())?;
        self.need("(")?;
        let mut scalars = vec![self.scalar(ty.scalar)?];
        while scalars.len() < ty.count() {
            self.need(",")?;
            scalars.push(self.scalar(ty.scalar)?);
        }
        self.need(")")?;
        Ok(scalars)
    }

    fn scalar(&mut self, kind: ScalarType) -> Result<Scalar, Diagnostic> {
        if kind == ScalarType::Bool {
            return match (self.take("true"), self.take("false")) {
                (true, _) => Ok(Scalar::Bool(true)),
                (_, true) => Ok(Scalar::Bool(false)),
                _ => Err(self.unexpected("`true` or `false`")),
            };
        }
        let is_negative = self.take("-");
        let (wanted, what) = match kind {
            ScalarType::Float => (Kind::Real, "a number with a decimal point"),
            ScalarType::Bool | ScalarType::Int | ScalarType::Uint => (Kind::Integer, "an integer"),
        };
        let token = self.need_kind(wanted, what)?;
        let text = self.text(token);
        let sign = if is_negative { "-" } else { "" };
        let signed = format!("{sign}{text}");
        let scalar = match kind {
            ScalarType::Float => {
                signed.parse().ok().filter(|value: &f64| value.is_finite()).map(Scalar::Float)
            }
            ScalarType::Bool | ScalarType::Int | ScalarType::Uint => {
                signed.parse().ok().and_then(bits).map(Scalar::Integer)
            }
        };
        scalar.ok_or_else(|| Diagnostic::error(token.span, format!("`{signed}` is out of range")))
    }
}

/// The 32 bits of an `int` or `uint`. The suite also writes the bits of one type as a number of the other.
fn bits(value: i64) -> Option<i32> {
    let unsigned = || u32::try_from(value).ok().map(u32::cast_signed);
    i32::try_from(value).ok().or_else(unsigned)
}

/// Checks that the name is a variable, or a member or element of one.
fn check_name(name: &str, span: Span) -> Result<(), Diagnostic> {
    let is_first = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'[' | b']');
    if is_first && name.bytes().all(is_part) {
        return Ok(());
    }
    Err(Diagnostic::error(span, format!("`{name}` is no name of a variable")))
}

/// Checks that all lists are as long as that of the first output, or without outputs as the first list. A case has as many
/// draws.
fn check(values: &Values) -> Result<(), Diagnostic> {
    let draws = values.draws();
    for value in values.all() {
        let found = value.list.len();
        if found != draws {
            let message = format!(
                "`{}` has {}, and the case has {}",
                value.name,
                counted(found, "value"),
                counted(draws, "draw")
            );
            let help = "there is a draw for each value of the first output, or without outputs of the first list";
            return Err(Diagnostic::error(value.span, message).with_help(help));
        }
    }
    Ok(())
}
