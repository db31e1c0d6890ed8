//! GLSL functions that compare an output with its expected value.

use std::fmt::Write as _;

use crate::shader_library::values::{ScalarType, ValueType};

/// The type in which integers and booleans reach the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// Their own.
    Own,
    /// Floats, because they were passed as a varying.
    AsFloats,
}

/// A function `isOk` for each of the types.
pub(super) fn functions(types: &[ValueType], compared: Compared) -> String {
    let mut text = String::new();
    for ty in types {
        let name = ty.name();
        let floats = ty.with(ScalarType::Float).name();
        let (parameters, is_ok) = match (ty.is_float(), compared) {
            (true, _) => (format!("{name} a, {name} b, float eps"), of_floats(*ty)),
            (false, Compared::Own) => (format!("{name} a, {name} b"), "a == b".to_owned()),
            (false, Compared::AsFloats) => (format!("{floats} a, {name} b"), of_passed(*ty)),
        };
        let _ = writeln!(text, "bool isOk({parameters}) {{ return {is_ok}; }}");
    }
    text
}

/// The condition for floats: the error of each is at most `eps`, and beside matrices also `eps` of the expected value.
fn of_floats(ty: ValueType) -> String {
    let error = |column: u8| format!("abs(a[{column}] - b[{column}])");
    let greatest = |first: String, column: u8| format!("max({first}, {})", error(column));
    match (ty.columns, ty.rows) {
        (1, 1) => "abs(a - b) <= eps * abs(b) + eps".to_owned(),
        (1, _) => "all(lessThanEqual(abs(a - b), eps * abs(b) + eps))".to_owned(),
        (columns, rows) => {
            let errors = (1..columns).fold(error(0), greatest);
            format!("all(lessThanEqual({errors}, vec{rows}(eps)))")
        }
    }
}

/// The condition for integers and booleans that were passed as floats.
fn of_passed(ty: ValueType) -> String {
    let (name, floats) = (ty.name(), ty.with(ScalarType::Float).name());
    match (ty.scalar, ty.rows) {
        (ScalarType::Bool, 1) => "(a > 0.5) == b".to_owned(),
        (ScalarType::Bool, _) => format!("greaterThan(a, {floats}(0.5)) == b"),
        // A value halfway between two integers may be either of them.
        (_, 1) => "float(b) <= a + 0.5 && a + 0.5 <= float(b) + 1.0".to_owned(),
        _ => format!("{name}(floor(a + 0.5)) == b"),
    }
}
