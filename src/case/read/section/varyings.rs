//! `[varyings]`: the varyings of WGSL and SPIR-V stages. `[GENERIC[n]] [interpolation] [sampling] TYPE NAME`.

use crate::Case;
use crate::limits::MAX_VARYING_COMPONENTS;
use crate::read::line::{Punctuation, Words, wrong};
use crate::read::problem::Parsed;
use crate::read::reader::Reader;
use crate::read::section::{Section, is_name};
use crate::read::value::{read_type, scalar_kind};
use ir::interface::{Interpolation, Sampling, ScalarKind, VaryingDeclaration};
use ir::semantic::{ARBITRARY_LABELS, MAX_SLOT, Semantic};
use ir::source::Spanned;

const INTERPOLATIONS: [(&str, Interpolation); 3] = [
    ("smooth", Interpolation::Smooth),
    ("flat", Interpolation::Flat),
    ("noperspective", Interpolation::NoPerspective),
];

const SAMPLINGS: [(&str, Sampling); 2] =
    [("centroid", Sampling::Centroid), ("sample", Sampling::Sample)];

const GENERIC: &str = "GENERIC";

/// Keywords of the section.
pub(in crate::read) fn known_words() -> impl Iterator<Item = &'static str> {
    qualifiers().chain([GENERIC])
}

fn qualifiers() -> impl Iterator<Item = &'static str> {
    let sampling = SAMPLINGS.iter().map(|(word, _)| *word);
    INTERPOLATIONS.iter().map(|(word, _)| *word).chain(sampling)
}

/// Reads the section into `case`.
pub(in crate::read) fn read(reader: &mut Reader<'_>, section: &Section, case: &mut Case) {
    reader.each_line(section.body, Punctuation::IsText, |reader, words| {
        let varying = read_varying(words)?;
        let generic = varying.generic.map(|generic| format!("{GENERIC}[{generic}]"));
        let settings = generic.into_iter().chain([varying.name.clone()]);
        reader.give("[varyings]", settings.map(|setting| (setting, varying.span)).collect());
        if let Some(index) = varying.generic {
            // Equivalent to a line `semantic NAME GENERIC[n]`.
            let semantic = (varying.name.clone(), Semantic::generic(index));
            case.link.semantics.push(Spanned::new(semantic, varying.span));
            reader.give("[link]", vec![(format!("semantic {}", varying.name), varying.span)]);
        }
        case.varyings.push(varying);
        Ok(())
    });
}

fn read_varying(words: &mut Words<'_>) -> Parsed<VaryingDeclaration> {
    let generic = read_generic(words)?;
    let interpolation = take_one_of(words, &INTERPOLATIONS).unwrap_or(Interpolation::Unqualified);
    let sampling = take_one_of(words, &SAMPLINGS).unwrap_or(Sampling::Center);
    let ty_word = words.need("a type and a name")?;
    let ty = read_type(ty_word).map_err(|problem| problem.nearest(ty_word.text, qualifiers()))?;
    if ty.component_count() > MAX_VARYING_COMPONENTS {
        let message = format!("a varying has at most {MAX_VARYING_COMPONENTS} components");
        return Err(wrong(ty_word, message));
    }
    if scalar_kind(&ty) == ScalarKind::Bool {
        return Err(wrong(ty_word, "a varying cannot be boolean"));
    }
    let is_flat = matches!(interpolation, Interpolation::Unqualified | Interpolation::Flat);
    if ty.has_always_flat() && !(is_flat && sampling == Sampling::Center) {
        let error = wrong(ty_word, "integers and 64-bit numbers are not interpolated");
        return Err(error.with_help("write `flat`"));
    }
    let name = words.need("the varying's name")?;
    if name.text.contains('[') {
        let error = wrong(name, format!("expected a name, found `{}`", name.text));
        return Err(error.with_help("array sizes follow the type: `vec2[3] name`"));
    }
    if !is_name(name.text) {
        return Err(wrong(name, format!("expected a name, found `{}`", name.text)));
    }
    let (name, span) = (name.text.to_owned(), words.span);
    Ok(VaryingDeclaration { name, ty, interpolation, sampling, generic, span })
}

/// Consumes the next word if the table has it, and returns its value.
fn take_one_of<T: Copy>(words: &mut Words<'_>, table: &[(&str, T)]) -> Option<T> {
    table.iter().find(|(word, _)| words.take(word)).map(|(_, value)| *value)
}

/// Reads `GENERIC[7]`.
fn read_generic(words: &mut Words<'_>) -> Parsed<Option<u32>> {
    let Some(word) = words.peek().filter(|word| word.text.starts_with(GENERIC)) else {
        return Ok(None);
    };
    words.skip(1);
    let index = word.text[GENERIC.len()..]
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .and_then(|digits| digits.parse::<u32>().ok().filter(|index| *index < ARBITRARY_LABELS));
    match index {
        Some(index) => Ok(Some(index)),
        None => Err(wrong(
            word,
            format!("expected `GENERIC[0]` to `GENERIC[{MAX_SLOT}]`, found `{}`", word.text),
        )),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::Dialect;
    use crate::read::parse::tests::messages;

    use super::*;

    fn read_lines(lines: &str) -> Result<Case, String> {
        let text = format!("[varyings]\n{lines}\n[vertex shader wgsl]\n[test]\nlink success\n");
        messages(&text, Dialect::Interstage)
    }

    #[track_caller]
    fn check_error(lines: &str, expect: &Expect) {
        expect.assert_eq(&read_lines(lines).expect_err("is wrong"));
    }

    #[test]
    fn a_label_is_a_semantic_and_is_given_once() {
        let case = read_lines("GENERIC[7] vec4 a\nvec4 b").expect("is a case");
        let found: Vec<_> = case.link.semantics.into_iter().map(|line| line.value).collect();
        assert_eq!(found, [("a".to_owned(), Semantic::generic(7))]);
        check_error(
            "GENERIC[7] vec4 a\n[link]\nsemantic a GENERIC[8]",
            &expect![
                "4:1: `semantic a` is given twice, first in line 2 (help: one of them has no effect, or contradicts the other; keep one)"
            ],
        );
    }

    #[test]
    fn qualifiers_come_in_a_fixed_order_and_may_be_missing() {
        let case =
            read_lines("noperspective centroid vec3 t\nGENERIC[7] flat uint[2] id\nmat3x2 m")
                .expect("is a case");
        let found: Vec<_> = case
            .varyings
            .iter()
            .map(|v| {
                format!("{:?} {} {} {} {}", v.generic, v.interpolation, v.sampling, v.ty, v.name)
            })
            .collect();
        assert_eq!(
            found,
            [
                "None noperspective centroid vec3 t",
                "Some(7) flat center uint[2] id",
                "None unqualified center mat3x2 m",
            ]
        );
    }

    #[test]
    fn mistakes_are_named() {
        check_error(
            "smoth vec2 a",
            &expect!["2:1: unknown type `smoth` (help: did you mean `smooth`?)"],
        );
        check_error(
            "vec3<f32> a",
            &expect![[r"
            2:1: unknown type `vec3<f32>` (help: types have their GLSL names here: `float`, `vec3`, `ivec2`, `mat3x2`)"]],
        );
        check_error(
            "vec2 a[3]",
            &expect![[r"
            2:6: expected a name, found `a[3]` (help: array sizes follow the type: `vec2[3] name`)"]],
        );
        check_error(
            "vec2 a\nvec3 a",
            &expect![
                "3:1: `a` is given twice, first in line 2 (help: one of them has no effect, or contradicts the other; keep one)"
            ],
        );
        check_error(
            "bool b\nfloat",
            &expect![[r"
            2:1: a varying cannot be boolean
            3:1: missing the varying's name"]],
        );
        check_error(
            "smooth int a\nnoperspective uvec2 b\ncentroid dvec2 c\nflat sample ivec3[2] d\nint e",
            &expect![[r#"
                2:8: integers and 64-bit numbers are not interpolated (help: write `flat`)
                3:15: integers and 64-bit numbers are not interpolated (help: write `flat`)
                4:10: integers and 64-bit numbers are not interpolated (help: write `flat`)
                5:13: integers and 64-bit numbers are not interpolated (help: write `flat`)"#]],
        );
        check_error("vec4[257] a", &expect!["2:1: a varying has at most 1024 components"]);
        check_error(
            "GENERIC[a] vec4 a",
            &expect![[r"
            2:1: expected `GENERIC[0]` to `GENERIC[1073741823]`, found `GENERIC[a]`"]],
        );
        check_error(
            "GENERIC[1] vec4 a\nGENERIC[1] vec4 b",
            &expect![
                "3:1: `GENERIC[1]` is given twice, first in line 2 (help: one of them has no effect, or contradicts the other; keep one)"
            ],
        );
    }
}
