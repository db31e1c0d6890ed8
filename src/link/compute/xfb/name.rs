//! Outputs that can be captured, and their names (OpenGL 4.6 core, 7.3.1.1 and 11.1.2.1).

use ir::diagnostic::counted;
use naga::{ArraySize, BuiltIn, GlobalVariable, Handle, TypeInner};

use ir::interface::{Place, ScalarKind, Type, Variable};
use ir::source::Span;
use ir::stage_module::{Direction, StageModule};

/// An output or built-in variable of the vertex stage that can be captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Name of the output in a list. A member of a block without an instance name is named without its block.
    pub name: String,
    /// The name in [`StageModule::outputs`], or of the built-in variable.
    pub variable: String,
    /// Type of the output.
    pub ty: Type,
    /// Place of the output; `None` if it is not written.
    pub place: Option<Place>,
    /// True if the output is not packed: a built-in variable, or `gl_ClipVertex`.
    pub is_builtin: bool,
    /// The stream of a geometry stage that the output belongs to.
    pub stream: u32,
    /// Position of the declaration.
    pub span: Option<Span>,
}

/// A part of a [`Candidate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPart {
    /// Indices that lead from the whole output to the part.
    pub path: Vec<u32>,
    /// Type of the part.
    pub ty: Type,
}

/// Built-in variables of a vertex stage that are not arrays. They are outputs even if the shader does not name them.
const BUILTINS: [(&str, BuiltIn, Type); 2] = [
    (
        "gl_Position",
        BuiltIn::Position { invariant: false },
        Type::Vector { size: 4, scalar: ScalarKind::F32 },
    ),
    ("gl_PointSize", BuiltIn::PointSize, Type::F32),
];

const ARRAYS: [(&str, BuiltIn); 2] =
    [("gl_ClipDistance", BuiltIn::ClipDistances), ("gl_CullDistance", BuiltIn::CullDistance)];

/// All outputs of a vertex stage that can be captured.
pub fn candidates(vertex: &StageModule) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = vertex.outputs.iter().map(candidate).collect();
    all.extend(texture_coordinates(&vertex.outputs));
    let builtin = |kind: BuiltIn| {
        let is_it = |known: BuiltIn| match (known, kind) {
            (BuiltIn::Position { .. }, BuiltIn::Position { .. }) => true,
            (known, kind) => known == kind,
        };
        let mut outputs =
            vertex.builtins.iter().filter(|output| output.direction == Direction::Output);
        outputs.find(|output| is_it(output.builtin)).map(|found| (found.global, found.is_written))
    };
    let whole = |name: &str, ty: Type, known: Option<(Handle<GlobalVariable>, bool)>| Candidate {
        name: name.to_owned(),
        variable: name.to_owned(),
        ty,
        place: known.filter(|(_, is_written)| *is_written).map(|(global, _)| Place::whole(global)),
        is_builtin: true,
        stream: 0,
        span: None,
    };
    all.extend(BUILTINS.map(|(name, kind, ty)| whole(name, ty, builtin(kind))));
    for (name, kind) in ARRAYS {
        let Some(known) = builtin(kind) else {
            let declared = vertex.builtin_lengths.get(name);
            all.extend(declared.map(|length| whole(name, Type::F32.array(*length), None)));
            continue;
        };
        let ty = vertex.module.global_variables[known.0].ty;
        if let TypeInner::Array { size: ArraySize::Constant(length), .. } =
            vertex.module.types[ty].inner
        {
            all.push(whole(name, Type::F32.array(length.get()), Some(known)));
        }
    }
    all
}

fn candidate(output: &Variable) -> Candidate {
    let is_alone =
        output.is_block_member && !output.alias.is_empty() && !output.alias.contains('.');
    Candidate {
        name: if is_alone { output.alias.clone() } else { output.name.clone() },
        variable: output.name.clone(),
        ty: output.ty.clone(),
        place: output.place.clone().filter(|_| output.is_used),
        is_builtin: output.name == "gl_ClipVertex",
        stream: output.stream,
        span: output.span,
    }
}

/// `gl_TexCoord` as a whole, whose elements are separate outputs.
fn texture_coordinates(outputs: &[Variable]) -> Option<Candidate> {
    const NAME: &str = "gl_TexCoord";
    let elements = outputs.iter().filter(|output| output.name.strip_prefix(NAME).is_some());
    let first = outputs.iter().find(|output| output.name.strip_prefix(NAME) == Some("[0]"))?;
    let length = u32::try_from(elements.count()).ok()?;
    let global = first.place.as_ref()?.global;
    Some(Candidate {
        name: NAME.to_owned(),
        variable: NAME.to_owned(),
        ty: first.ty.clone().array(length),
        place: Some(Place::whole(global)),
        is_builtin: false,
        stream: first.stream,
        span: first.span,
    })
}

/// An error of the case: a name that does not exist or cannot be captured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct XfbError(pub String);

impl From<XfbError> for String {
    fn from(error: XfbError) -> Self {
        error.0
    }
}

/// The part of an output called `name`.
///
/// # Errors
/// No output or part has this name.
pub fn find<'a>(
    candidates: &'a [Candidate],
    name: &str,
) -> Result<(&'a Candidate, OutputPart), XfbError> {
    let rest_of = |candidate: &'a Candidate| {
        let rest = name.strip_prefix(candidate.name.as_str())?;
        (rest.is_empty() || rest.starts_with(['.', '['])).then_some((candidate, rest))
    };
    // The longest matching name is used: `Block[1].a` before `Block`.
    let known = candidates.iter().filter_map(rest_of).max_by_key(|(known, _)| known.name.len());
    let Some((candidate, rest)) = known else {
        return Err(XfbError(format!(
            "`{name}` is captured, but the vertex stage has no such output"
        )));
    };
    let part = part(candidate, rest)?;
    if let Some(problem) = is_whole(&part.ty) {
        return Err(XfbError(format!("`{name}` is {problem} one by one")));
    }
    Ok((candidate, part))
}

/// Describes a type that cannot be captured as a whole (structures have no entry, 11.1.2.1; arrays of arrays have none
/// either, 7.3.1.1); `None` for any other type.
fn is_whole(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => None,
        Type::Struct(_) => Some("a structure, whose members are captured"),
        Type::Array { element, .. } => match &**element {
            Type::Struct(_) => Some("an array of structures, whose members are captured"),
            Type::Array { .. } => Some("an array of arrays, whose elements are captured"),
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => None,
        },
    }
}

fn part(candidate: &Candidate, path: &str) -> Result<OutputPart, XfbError> {
    let mut part = OutputPart { path: Vec::new(), ty: candidate.ty.clone() };
    let mut name = candidate.name.clone();
    let mut rest = path;
    while !rest.is_empty() {
        let (idx, ty, text, tail) = step(&part.ty, rest, &name)?;
        part.path.push(idx);
        part.ty = ty;
        name.push_str(text);
        rest = tail;
    }
    Ok(part)
}

/// Takes one step from a type called `name` along `path`. Returns the index, the type, the text of the step, and the
/// rest of the path.
fn step<'a>(
    ty: &Type,
    path: &'a str,
    name: &str,
) -> Result<(u32, Type, &'a str, &'a str), XfbError> {
    if let Some(member) = path.strip_prefix('.') {
        let end = member.find(['.', '[']).unwrap_or(member.len());
        let (own, tail) = member.split_at(end);
        let Type::Struct(structure) = ty else {
            return Err(XfbError(format!("`{name}` is captured as a structure, but is not one")));
        };
        let found = (0..).zip(&structure.members).find(|(_, member)| member.name == own);
        let Some((idx, found)) = found else {
            return Err(XfbError(format!("`{name}` is captured, but has no member `{own}`")));
        };
        return Ok((idx, found.ty.clone(), &path[..=end], tail));
    }
    let index = path.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let Some((Some(idx), tail)) = index.map(|(digits, tail)| (plain_index(digits), tail)) else {
        return Err(XfbError(format!("`{path}` behind `{name}` is not an index")));
    };
    let Type::Array { element, length } = ty else {
        return Err(XfbError(format!("`{name}` is captured with an index, but is not an array")));
    };
    if idx >= *length {
        let length = counted(*length, "element");
        return Err(XfbError(format!("`{name}[{idx}]` is captured, but `{name}` has {length}")));
    }
    Ok((idx, (**element).clone(), &path[..path.len() - tail.len()], tail))
}

/// Parses an index as GL writes it: decimal, without a sign and without leading zeros (OpenGL 4.6 core, 7.3.1).
pub fn plain_index(digits: &str) -> Option<u32> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|_| is_plain)
}

/// The parts of a type that GL lists: neither structures nor arrays of structures or arrays. Each comes with the suffix
/// of its name.
pub fn parts(ty: &Type) -> Vec<(String, OutputPart)> {
    let whole = |ty: &Type| vec![(String::new(), OutputPart { path: Vec::new(), ty: ty.clone() })];
    let below = |idx: u32, name: String, ty: &Type| {
        parts(ty).into_iter().map(move |(suffix, mut part)| {
            part.path.insert(0, idx);
            (format!("{name}{suffix}"), part)
        })
    };
    match ty {
        Type::Struct(structure) => (0..)
            .zip(&structure.members)
            .flat_map(|(idx, member)| below(idx, format!(".{}", member.name), &member.ty))
            .collect(),
        Type::Array { element, length } if is_whole(ty).is_some() => {
            (0..*length).flat_map(|idx| below(idx, format!("[{idx}]"), element)).collect()
        }
        Type::Array { .. } | Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => {
            whole(ty)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::variables;

    use super::*;

    fn outputs() -> Vec<Candidate> {
        let list = "vec4 a; vec3 n[3]; float g[2][3]; struct{float f; vec2 v[2];} s[2]; mat3 m";
        variables(list).iter().map(candidate).collect()
    }

    #[track_caller]
    fn check(name: &str, expected: Result<(&str, &[u32]), &str>) {
        let all = outputs();
        let found = find(&all, name).map(|(_, part)| (part.ty.to_string(), part.path));
        let expected = expected.map(|(ty, path)| (ty.to_owned(), path.to_vec()));
        assert_eq!(found, expected.map_err(|text| XfbError(text.to_owned())));
    }

    #[test]
    fn names_lead_to_parts() {
        check("a", Ok(("vec4", &[])));
        check("n", Ok(("vec3[3]", &[])));
        check("n[2]", Ok(("vec3", &[2])));
        check("g[1]", Ok(("float[3]", &[1])));
        check("g[1][2]", Ok(("float", &[1, 2])));
        check("s[1].v", Ok(("vec2[2]", &[1, 1])));
        check("s[0].v[1]", Ok(("vec2", &[0, 1, 1])));
    }

    #[test]
    fn what_cannot_be_captured_has_a_reason() {
        let no_output =
            |name: &str| format!("`{name}` is captured, but the vertex stage has no such output");
        check("b", Err(&no_output("b")));
        check("aa", Err(&no_output("aa")));
        check("n[3]", Err("`n[3]` is captured, but `n` has 3 elements"));
        check("a[0]", Err("`a` is captured with an index, but is not an array"));
        check("m[0]", Err("`m` is captured with an index, but is not an array"));
        check("a.x", Err("`a` is captured as a structure, but is not one"));
        check("s[0].w", Err("`s[0]` is captured, but has no member `w`"));
        check("s[0]", Err("`s[0]` is a structure, whose members are captured one by one"));
        check("s", Err("`s` is an array of structures, whose members are captured one by one"));
        check("g", Err("`g` is an array of arrays, whose elements are captured one by one"));
        check("n[-1]", Err("`[-1]` behind `n` is not an index"));
        check("n[01]", Err("`[01]` behind `n` is not an index"));
        check("n[+1]", Err("`[+1]` behind `n` is not an index"));
        check("n[00]", Err("`[00]` behind `n` is not an index"));
        check("n[", Err("`[` behind `n` is not an index"));
    }

    #[test]
    fn gl_lists_arrays_of_plain_types_as_one() {
        let all = outputs();
        let names: Vec<_> = parts(&all[3].ty).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["[0].f", "[0].v", "[1].f", "[1].v"]);
        let names: Vec<_> = parts(&all[2].ty).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["[0]", "[1]"]);
    }
}
