//! `[vertex shader specializations]`: values of the specialisation constants of a SPIR-V stage, and of the overrides of a
//! WGSL stage. `TYPE ID VALUE`, in WGSL also `TYPE NAME VALUE`.

use crate::read::line::{Punctuation, Word, Words, wrong};
use crate::read::problem::Parsed;
use crate::read::reader::Reader;
use crate::read::section::Section;
use crate::read::value::read_scalar;
use ir::interface::ScalarKind;
use ir::scalar::{self, Number};
use ir::stage::{ConstantName, ShaderStage, Specialization};

/// Types of constants.
const TYPES: [(&str, ScalarKind); 4] = [
    ("float", ScalarKind::F32),
    ("int", ScalarKind::I32),
    ("uint", ScalarKind::U32),
    ("bool", ScalarKind::Bool),
];

/// Reads the section of `stage`.
pub(in crate::read) fn read(
    reader: &mut Reader<'_>,
    section: &Section,
    stage: ShaderStage,
    values: &mut Vec<Specialization>,
) {
    reader.each_line(section.body, Punctuation::IsText, |reader, words| {
        let value = read_value(words, stage)?;
        let setting = match &value.constant {
            ConstantName::Id(id) => format!("{} constant {id}", stage.name()),
            ConstantName::Name(name) => format!("{} constant `{name}`", stage.name()),
        };
        reader.give("specializations", vec![(setting, value.span)]);
        values.push(value);
        Ok(())
    });
}

fn read_value(words: &mut Words<'_>, stage: ShaderStage) -> Parsed<Specialization> {
    let word = words.need("a type, a number and a value")?;
    let Some((_, kind)) = TYPES.iter().find(|(name, _)| *name == word.text) else {
        let names = TYPES.map(|(name, _)| name);
        return Err(
            wrong(word, format!("a constant cannot be `{}`", word.text)).nearest(word.text, names)
        );
    };
    let number = |number, kind| {
        let bits = scalar::bits(number, kind).ok();
        bits.and_then(|bits| u32::try_from(bits).ok())
            .ok_or_else(|| wrong(word, "the numbers do not fit 32 bits"))
    };
    let is_name = |word: Word<'_>| word.text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let constant = if let Some(name) = words.peek().filter(|word| is_name(*word)) {
        words.skip(1);
        ConstantName::Name(name.text.to_owned())
    } else {
        let id = read_scalar(words, ScalarKind::U32, "the constant's number or name")?;
        ConstantName::Id(number(id, ScalarKind::U32)?)
    };
    let value = if *kind == ScalarKind::Bool && words.take("true") {
        Number::Integer(1)
    } else if *kind == ScalarKind::Bool && words.take("false") {
        Number::Integer(0)
    } else {
        read_scalar(words, *kind, "the constant's value")?
    };
    Ok(Specialization {
        stage,
        constant,
        kind: *kind,
        bits: number(value, *kind)?,
        span: words.span,
    })
}

#[cfg(test)]
mod tests {
    use ir::stage::ConstantName;

    use crate::Dialect;
    use crate::read::parse::tests::messages;

    #[track_caller]
    fn check(lines: &str, expect: Result<Vec<(ConstantName, u32)>, &str>) {
        let text = format!(
            "[vertex shader spirv]\n[vertex shader specializations]\n{lines}\n[test]\nlink success\n"
        );
        let read = messages(&text, Dialect::Interstage).map(|case| {
            case.specializations.iter().map(|value| (value.constant.clone(), value.bits)).collect()
        });
        match (read, expect) {
            (Ok(read), Ok(expect)) => assert_eq!(Ok::<_, ()>(read), Ok(expect)),
            (Err(error), Err(expect)) => assert!(error.contains(expect), "{error}"),
            (read, expect) => panic!("{read:?} instead of {expect:?}"),
        }
    }

    #[test]
    fn a_line_is_type_id_value() {
        check(
            "uint 0 42\nfloat 1 0.5\nint 7 -1\nbool 3 1",
            Ok([(0, 42), (1, 0x3f00_0000), (7, u32::MAX), (3, 1)]
                .map(|(id, bits)| (ConstantName::Id(id), bits))
                .to_vec()),
        );
        let named = |name: &str, bits| (ConstantName::Name(name.to_owned()), bits);
        check("bool b true\nbool c false", Ok(vec![named("b", 1), named("c", 0)]));
        check("uint size 4", Ok(vec![(ConstantName::Name("size".to_owned()), 4)]));
    }

    #[test]
    fn mistakes_are_named() {
        check("double 0 1", Err("a constant cannot be `double`"));
        check("uint 0", Err("the constant's value"));
        check("uint 0 true", Err("expected the constant's value, found `true`"));
        check("bool 0 2", Err("`2` does not fit `bool`"));
        check("uint 0 1 2", Err("2"));
        check("uint -1 2", Err("`-1` does not fit `uint`"));
        check("uint a 1\nint a 2", Err("vertex constant `a`"));
    }
}
