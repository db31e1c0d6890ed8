//! `[vertex data]`: a header of columns `name[element]/ctype/glsltype[/matrix column]`, then one row per vertex; and
//! `[index data]`: vertex indices.
//!
//! The GLSL type may be a number of components instead, as in old piglit files; the storage type then decides whether
//! the shader type is an integer type.

use half::f16;

use crate::limits::MAX_LINE_BYTES;
use crate::read::line::{Punctuation, Word, Words, wrong};
use crate::read::number::parse_number;
use crate::read::problem::{Parsed, Problem};
use crate::read::reader::Reader;
use crate::read::section::Section;
use crate::read::value::basic_type;
use crate::{Case, Dialect, RESTART_INDEX, VertexColumn, VertexData, VertexStorage};
use ir::diagnostic::Diagnostic;
use ir::interface::{ScalarKind, Type};
use ir::scalar::Number;
use ir::source::Span;

const STORAGES: [(&str, VertexStorage); 11] = [
    ("half", VertexStorage::Half),
    ("float", VertexStorage::Float),
    ("double", VertexStorage::Double),
    ("byte", VertexStorage::Byte),
    ("ubyte", VertexStorage::Ubyte),
    ("short", VertexStorage::Short),
    ("ushort", VertexStorage::Ushort),
    ("int", VertexStorage::Int),
    ("uint", VertexStorage::Uint),
    ("int64", VertexStorage::Int64),
    ("uint64", VertexStorage::Uint64),
];

impl VertexStorage {
    /// Size of one number in bytes.
    pub const fn size(self) -> u32 {
        match self {
            Self::Byte | Self::Ubyte => 1,
            Self::Half | Self::Short | Self::Ushort => 2,
            Self::Float | Self::Int | Self::Uint => 4,
            Self::Double | Self::Int64 | Self::Uint64 => 8,
        }
    }

    /// True for integer types.
    pub const fn is_integer(self) -> bool {
        match self {
            Self::Half | Self::Float | Self::Double => false,
            Self::Byte
            | Self::Ubyte
            | Self::Short
            | Self::Ushort
            | Self::Int
            | Self::Uint
            | Self::Int64
            | Self::Uint64 => true,
        }
    }
}

/// Reads `[vertex data]` into `case`.
pub(in crate::read) fn read(reader: &mut Reader<'_>, section: &Section, case: &mut Case) {
    let mut table: Option<VertexData> = None;
    let mut is_header_broken = false;
    reader.each_line(section.body, Punctuation::IsText, |reader, words| match &mut table {
        Some(table) => read_row(words, table),
        None if is_header_broken => {
            // Rows without a valid header are skipped.
            words.skip(MAX_LINE_BYTES);
            Ok(())
        }
        None => {
            is_header_broken = true;
            let header = read_header(words)?;
            reader.give("[vertex data]", header.columns.iter().map(setting_of).collect());
            table = Some(header);
            Ok(())
        }
    });
    case.vertex_data = table;
}

/// Key of a column: an attribute, or an array element or matrix column of one.
fn setting_of(column: &VertexColumn) -> (String, Span) {
    let VertexColumn { attribute, element, matrix_column, span, .. } = column;
    let part = |number: u32, text: String| if number == 0 { String::new() } else { text };
    let element = part(*element, format!("[{element}]"));
    let matrix_column = part(*matrix_column, format!(" column {matrix_column}"));
    (format!("{attribute}{element}{matrix_column}"), *span)
}

fn read_header(words: &mut Words<'_>) -> Parsed<VertexData> {
    let mut columns = Vec::new();
    let mut stride = 0;
    while let Some(word) = words.take_word() {
        let column = read_column(word, stride, words.dialect)?;
        stride += u32::from(column.components) * column.storage.size();
        columns.push(column);
    }
    Ok(VertexData { columns, stride, bytes: Vec::new(), row_count: 0 })
}

/// Reads a column that starts `offset` bytes into its row.
pub(in crate::read) fn read_column(
    word: Word<'_>,
    offset: u32,
    dialect: Dialect,
) -> Parsed<VertexColumn> {
    let parts: Vec<_> = word.text.split('/').collect();
    let (name, storage, glsl_type, matrix_column) = match parts[..] {
        [name, storage, glsl_type] => (name, storage, glsl_type, "0"),
        [name, storage, glsl_type, matrix_column] => (name, storage, glsl_type, matrix_column),
        _ => {
            let error = wrong(word, format!("expected a column, found `{}`", word.text));
            return Err(error
                .with_help("a column is `name/float/vec3`: attribute, storage type, GLSL type"));
        }
    };
    let Some((_, storage)) = STORAGES.iter().find(|(known, _)| *known == storage) else {
        let error = wrong(word, format!("unknown storage type `{storage}`"));
        return Err(error.nearest(storage, STORAGES.iter().map(|(known, _)| *known)));
    };
    let (attribute, element) = split_element(word, name)?;
    // A number of components does not determine the number of matrix columns.
    let is_unchecked = dialect == Dialect::Piglit && glsl_type.parse::<u8>().is_ok();
    let shape = shape_of(glsl_type, *storage)
        .ok_or_else(|| wrong(word, format!("unknown GLSL type `{glsl_type}`")))?;
    let matrix_column = matrix_column.parse().ok();
    let matrix_column =
        matrix_column.filter(|column| *column < shape.columns || is_unchecked && *column < 64);
    let matrix_column = matrix_column
        .ok_or_else(|| wrong(word, format!("`{glsl_type}` has {} columns", shape.columns)))?;
    if shape.is_integer && !storage.is_integer() {
        return Err(wrong(word, format!("`{glsl_type}` cannot be stored as a float")));
    }
    Ok(VertexColumn {
        attribute: attribute.to_owned(),
        element,
        matrix_column,
        storage: *storage,
        components: shape.components,
        is_integer: shape.is_integer,
        is_wide: shape.is_wide,
        offset,
        span: word.span,
    })
}

fn split_element<'a>(word: Word<'_>, name: &'a str) -> Parsed<(&'a str, u32)> {
    let (attribute, element) = match name.split_once('[') {
        None => (name, Some(0)),
        Some((attribute, rest)) => {
            (attribute, rest.strip_suffix(']').and_then(|digits| digits.parse::<u16>().ok()))
        }
    };
    match element {
        Some(element) if !attribute.is_empty() => Ok((attribute, u32::from(element))),
        Some(_) | None => Err(wrong(word, format!("expected an attribute, found `{name}`"))),
    }
}

/// Shape of a GLSL type in one column.
struct ColumnShape {
    components: u8,
    columns: u32,
    is_integer: bool,
    is_wide: bool,
}

fn shape_of(glsl_type: &str, storage: VertexStorage) -> Option<ColumnShape> {
    if let Ok(components @ 1..=4) = glsl_type.parse::<u8>() {
        let is_integer = storage.is_integer();
        return Some(ColumnShape { components, columns: 1, is_integer, is_wide: false });
    }
    let (components, columns, scalar) = match basic_type(glsl_type)? {
        Type::Scalar(scalar) => (1, 1, scalar),
        Type::Vector { size, scalar } => (size, 1, scalar),
        Type::Matrix { columns, rows, scalar } => (rows, columns, scalar),
        Type::Array { .. } | Type::Struct(_) => return None,
    };
    let is_integer =
        matches!(scalar, ScalarKind::I32 | ScalarKind::U32 | ScalarKind::I64 | ScalarKind::U64);
    let is_wide = scalar.components() == 2;
    Some(ColumnShape { components, columns: u32::from(columns), is_integer, is_wide })
}

fn read_row(words: &mut Words<'_>, table: &mut VertexData) -> Parsed<()> {
    let complete = table.bytes.len();
    for column in &table.columns {
        for _ in 0..column.components {
            if let Err(problem) = read_cell(words, column, &mut table.bytes) {
                table.bytes.truncate(complete);
                return Err(problem);
            }
        }
    }
    table.row_count += 1;
    Ok(())
}

fn read_cell(words: &mut Words<'_>, column: &VertexColumn, bytes: &mut Vec<u8>) -> Parsed<()> {
    let what = || format!("a number for `{}`", column.attribute);
    let Some(word) = words.take_word() else {
        return Err(Diagnostic::error(words.span, format!("missing {}", what())).into());
    };
    let number = parse_number(word.text)
        .map_err(|_| wrong(word, format!("expected {}, found `{}`", what(), word.text)))?;
    match encode(number, column.storage, words.dialect) {
        Some(encoded) => {
            bytes.extend_from_slice(&encoded);
            Ok(())
        }
        None => Err(does_not_fit(word, column)),
    }
}

fn does_not_fit(word: Word<'_>, column: &VertexColumn) -> Problem {
    let storage = STORAGES.iter().find(|(_, storage)| *storage == column.storage);
    let storage = storage.map_or("", |(name, _)| *name);
    wrong(word, format!("`{}` does not fit `{storage}`", word.text))
}

/// The number's bytes, little-endian. Bit patterns are kept.
fn encode(number: Number, storage: VertexStorage, dialect: Dialect) -> Option<Vec<u8>> {
    let size = storage.size() as usize;
    let low_bytes = |value: u64| value.to_le_bytes().get(..size).map(<[u8]>::to_vec);
    match number {
        Number::Bits(bits) => {
            let fits = size == 8 || bits >> (size * 8) == 0;
            (fits || dialect == Dialect::Piglit).then(|| low_bytes(bits)).flatten()
        }
        Number::Integer(value) if storage.is_integer() => {
            let range = integer_range(storage);
            if !range.contains(&value) && dialect != Dialect::Piglit {
                return None;
            }
            low_bytes(u64::try_from(value.rem_euclid(1 << 64)).ok()?)
        }
        Number::Real(value) if storage.is_integer() => {
            (value == 0.0).then(|| low_bytes(0)).flatten()
        }
        Number::Integer(_) | Number::Real(_) => encode_float(number.to_f64()?, storage),
    }
}

fn integer_range(storage: VertexStorage) -> std::ops::RangeInclusive<i128> {
    match storage {
        VertexStorage::Byte => i8::MIN.into()..=i8::MAX.into(),
        VertexStorage::Ubyte => 0..=u8::MAX.into(),
        VertexStorage::Short => i16::MIN.into()..=i16::MAX.into(),
        VertexStorage::Ushort => 0..=u16::MAX.into(),
        VertexStorage::Int => i32::MIN.into()..=i32::MAX.into(),
        VertexStorage::Uint => 0..=u32::MAX.into(),
        VertexStorage::Int64 => i64::MIN.into()..=i64::MAX.into(),
        VertexStorage::Uint64 => 0..=u64::MAX.into(),
        VertexStorage::Half | VertexStorage::Float | VertexStorage::Double => 0..=0,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the column says how precisely it is stored")]
fn encode_float(value: f64, storage: VertexStorage) -> Option<Vec<u8>> {
    let (is_finite, bytes) = match storage {
        VertexStorage::Half => {
            let half = f16::from_f64(value);
            (half.is_finite(), half.to_le_bytes().to_vec())
        }
        VertexStorage::Float => ((value as f32).is_finite(), (value as f32).to_le_bytes().to_vec()),
        VertexStorage::Double => (value.is_finite(), value.to_le_bytes().to_vec()),
        VertexStorage::Byte
        | VertexStorage::Ubyte
        | VertexStorage::Short
        | VertexStorage::Ushort
        | VertexStorage::Int
        | VertexStorage::Uint
        | VertexStorage::Int64
        | VertexStorage::Uint64 => return None,
    };
    (is_finite || !value.is_finite()).then_some(bytes)
}

/// Highest index of a row.
const MAX_INDEX: u32 = RESTART_INDEX - 1;

/// Reads `[index data]` into `case`.
pub(in crate::read) fn read_indices(reader: &mut Reader<'_>, section: &Section, case: &mut Case) {
    reader.each_line(section.body, Punctuation::IsText, |_, words| {
        while words.has_more() {
            let is_restart = words.dialect != Dialect::Piglit && words.take("restart");
            let index = if is_restart {
                RESTART_INDEX
            } else {
                words.integer("an index", 0..=MAX_INDEX)?
            };
            case.indices.push(index);
        }
        Ok(())
    });
    if case.indices.is_empty() {
        reader.report_lenient(Diagnostic::error(section.header, "`[index data]` has no indices"));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::read::parse::tests::messages;

    use super::*;

    fn read_table(dialect: Dialect, lines: &str) -> Result<VertexData, String> {
        let text = format!(
            "[vertex shader]\n[vertex data]\n{lines}\n[test]\ndraw arrays GL_POINTS 0 1\nprobe all rgb 0 0 0\n"
        );
        messages(&text, dialect).map(|case| case.vertex_data.expect("has vertex data"))
    }

    #[track_caller]
    fn check_error(lines: &str, expect: &Expect) {
        expect.assert_eq(&read_table(Dialect::Interstage, lines).expect_err("is wrong"));
    }

    #[track_caller]
    fn check_bytes(header: &str, row: &str, expect: &[u8]) {
        let table =
            read_table(Dialect::Interstage, &format!("{header}\n{row}")).expect("is a case");
        assert_eq!((table.stride as usize, table.row_count), (expect.len(), 1));
        assert_eq!(table.bytes, expect);
    }

    #[test]
    fn columns_lie_side_by_side_without_padding() {
        let table = read_table(
            Dialect::Interstage,
            "a/float/vec3 b[2]/ubyte/1 m/half/mat3x2/2 4/double/dvec2\n\
            0 0 0 1 0 0 0 0\n0 0 0 2 0 0 0 0",
        )
        .expect("is a case");
        let found: Vec<_> = table
            .columns
            .iter()
            .map(|c| {
                (&c.attribute[..], c.element, c.matrix_column, c.components, c.is_integer, c.offset)
            })
            .collect();
        assert_eq!(
            found,
            [
                ("a", 0, 0, 3, false, 0),
                ("b", 2, 0, 1, true, 12),
                ("m", 0, 2, 2, false, 13),
                ("4", 0, 0, 2, false, 17),
            ]
        );
        assert_eq!((table.stride, table.row_count, table.bytes.len()), (33, 2, 66));
    }

    #[test]
    fn numbers_are_stored_low_byte_first() {
        check_bytes("a/float/float", "1", &[0, 0, 0x80, 0x3f]);
        check_bytes("a/float/1", "0x3f800000", &[0, 0, 0x80, 0x3f]);
        check_bytes("a/half/2", "1 -2", &[0, 0x3c, 0, 0xc0]);
        check_bytes("a/double/double", "1", &[0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
        check_bytes(
            "a/double/dvec2",
            "0x7ff0000000000001 -2",
            &[1, 0, 0, 0, 0, 0, 0xf0, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0xc0],
        );
        check_bytes("a/int64/int64_t", "-2", &[0xfe, 255, 255, 255, 255, 255, 255, 255]);
        check_bytes("a/uint64/1", "18446744073709551615", &[255; 8]);
        check_bytes("a/short/int b/ubyte/uint", "-2 255", &[0xfe, 0xff, 0xff]);
    }

    #[test]
    fn only_piglit_may_exceed_the_storage_type() {
        assert!(read_table(Dialect::Interstage, "a/byte/1\n128").is_err());
        let table = read_table(Dialect::Piglit, "a/byte/1\n128").expect("is a case");
        assert_eq!(table.bytes, [0x80]);
    }

    #[test]
    fn mistakes_are_named() {
        check_error(
            "a/float",
            &expect![[r"
            3:1: expected a column, found `a/float` (help: a column is `name/float/vec3`: attribute, storage type, GLSL type)"]],
        );
        check_error(
            "a/flaot/vec2\n1",
            &expect!["3:1: unknown storage type `flaot` (help: did you mean `float`?)"],
        );
        check_error("a/float/vec5", &expect!["3:1: unknown GLSL type `vec5`"]);
        check_error("a/float/mat2/2", &expect!["3:1: `mat2` has 2 columns"]);
        check_error("a/float/ivec2", &expect!["3:1: `ivec2` cannot be stored as a float"]);
        check_error(
            "a/float/vec2\n1\n1 x\n1 2 3\n1 2",
            &expect![[r"
            4:1: missing a number for `a`
            5:3: expected a number for `a`, found `x`
            6:5: unexpected `3` at the end of the line"]],
        );
        check_error("a/ubyte/uint\n256\n0", &expect!["4:1: `256` does not fit `ubyte`"]);
        check_error(
            "a/int64/i64vec2\n0 9223372036854775808",
            &expect!["4:3: `9223372036854775808` does not fit `int64`"],
        );
        check_error("a/uint64/uint64_t\n-1", &expect!["4:1: `-1` does not fit `uint64`"]);
        check_error(
            "a/double/i64vec2\n0 0",
            &expect!["3:1: `i64vec2` cannot be stored as a float"],
        );
        check_error(
            "a/int46/int64_t\n0",
            &expect!["3:1: unknown storage type `int46` (help: did you mean `int64`?)"],
        );
        check_error("a/double/dmat3/3\n0 0 0", &expect!["3:1: `dmat3` has 3 columns"]);
    }
}
