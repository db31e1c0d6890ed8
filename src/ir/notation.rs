//! A short notation for interfaces in tests: `flat ivec3 n; struct{float f; vec2 a[2];} s`.

use crate::interface::{Interpolation, Member, Sampling, StructType, Type, Variable};

/// Parses a list of variables separated by `;`. Panics if the notation is invalid.
pub fn variables(text: &str) -> Vec<Variable> {
    split_outside_braces(text).iter().map(|part| variable(part)).collect()
}

fn variable(text: &str) -> Variable {
    let mut rest = text.trim();
    let mut interpolation = Interpolation::Unqualified;
    let mut sampling = Sampling::Center;
    let mut location = None;
    loop {
        let word = rest.split_whitespace().next().expect("a type");
        match word {
            "smooth" => interpolation = Interpolation::Smooth,
            "flat" => interpolation = Interpolation::Flat,
            "noperspective" => interpolation = Interpolation::NoPerspective,
            "centroid" => sampling = Sampling::Centroid,
            "sample" => sampling = Sampling::Sample,
            _ if word.starts_with('@') => location = Some(word[1..].parse().expect("a location")),
            _ => break,
        }
        rest = rest[word.len()..].trim_start();
    }
    let (ty, name) = typed_name(rest);
    Variable { interpolation, sampling, location, ..Variable::new(name, ty) }
}

fn typed_name(text: &str) -> (Type, String) {
    let (base, name) = if let Some(body) = text.strip_prefix("struct{") {
        let (members, name) = body.rsplit_once('}').expect("a closing brace");
        let members = split_outside_braces(members)
            .iter()
            .map(|part| typed_name(part.trim()))
            .map(|(ty, name)| Member { name, ty })
            .collect();
        (Type::Struct(StructType { name: "S".into(), members }), name.trim())
    } else {
        let (ty, name) = text.split_once(' ').expect("a type and a name");
        (ty.parse().expect("a known type"), name.trim())
    };
    let mut dimensions = name.split('[');
    let name = dimensions.next().expect("a name");
    let sizes: Vec<u32> =
        dimensions.map(|size| size.trim_end_matches(']').parse().expect("an array size")).collect();
    (sizes.into_iter().rev().fold(base, Type::array), name.to_owned())
}

fn split_outside_braces(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for letter in text.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if letter == ';' && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}
