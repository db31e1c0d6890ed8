//! Resolves the names of captured outputs.

use ir::interface::{Place, ScalarKind, Type};
use ir::stage_module::{Direction, StageModule};
use naga::BuiltIn;

use crate::wires::{builtin, distances};

/// An output of a vertex stage, or part of one.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Name of the output in a list of captures.
    pub(super) name: String,
    /// Name of the whole output in the stage.
    pub(super) variable: String,
    pub(super) ty: Type,
    /// The vertex stream of a geometry stage that the output belongs to.
    pub(super) stream: u32,
    /// Place of the output; `None` if nothing writes it.
    pub(super) place: Option<Place>,
}

/// All outputs that can be captured.
pub(super) fn all(vertex: &StageModule) -> Vec<Found> {
    let mut all = Vec::new();
    for output in &vertex.outputs {
        // The name of a member of a block without an instance name does not include the block's.
        let is_free =
            output.is_block_member && !output.alias.is_empty() && !output.alias.contains('.');
        all.push(Found {
            name: if is_free { output.alias.clone() } else { output.name.clone() },
            variable: output.name.clone(),
            ty: output.ty.clone(),
            stream: output.stream,
            place: output.place.clone().filter(|_| output.is_used),
        });
    }
    all.extend(texture_coordinates(&all));
    let vector = Type::Vector { size: 4, scalar: ScalarKind::F32 };
    let position = BuiltIn::Position { invariant: false };
    all.push(of_builtin(vertex, "gl_Position", position, vector));
    all.push(of_builtin(vertex, "gl_PointSize", BuiltIn::PointSize, Type::F32));
    for (name, kind) in
        [("gl_ClipDistance", BuiltIn::ClipDistances), ("gl_CullDistance", BuiltIn::CullDistance)]
    {
        let used = distances(vertex, kind, Direction::Output).map(|(_, length)| length);
        let declared = vertex.builtin_lengths.get(name).copied();
        let length = used.and_then(|length| u32::try_from(length).ok()).or(declared);
        if let Some(length) = length {
            all.push(of_builtin(vertex, name, kind, Type::F32.array(length)));
        }
    }
    all
}

fn of_builtin(vertex: &StageModule, name: &str, kind: BuiltIn, ty: Type) -> Found {
    let own = builtin(vertex, kind, Direction::Output).filter(|own| own.is_written);
    let place = own.map(|own| Place::whole(own.global));
    Found { name: name.to_owned(), variable: name.to_owned(), ty, stream: 0, place }
}

/// `gl_TexCoord` as one array; its elements are separate outputs.
fn texture_coordinates(outputs: &[Found]) -> Option<Found> {
    let name = "gl_TexCoord";
    let first = outputs.iter().find(|output| output.variable == "gl_TexCoord[0]")?;
    let elements = outputs.iter().filter(|output| output.variable.starts_with("gl_TexCoord["));
    let length = u32::try_from(elements.count()).ok()?;
    let place = Some(Place::whole(first.place.as_ref()?.global));
    let (name, variable) = (name.to_owned(), name.to_owned());
    let ty = first.ty.clone().array(length);
    Some(Found { name, variable, ty, stream: first.stream, place })
}

/// The output, or part of one, called `name`.
pub(super) fn find(all: &[Found], name: &str) -> Option<Found> {
    let whole = |known: &&Found| {
        let rest = name.strip_prefix(&known.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let known = all.iter().filter(whole).max_by_key(|known| known.name.len())?;
    let mut found = known.clone();
    while found.name.len() < name.len() {
        found = inside(&found).into_iter().find(|part| {
            let rest = name.strip_prefix(&part.name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })?;
    }
    Some(found)
}

/// The members or elements of an output.
fn inside(whole: &Found) -> Vec<Found> {
    let part = |(idx, suffix, ty): (u32, String, &Type)| {
        let mut place = whole.place.clone();
        if let Some(place) = &mut place {
            place.path.push(idx);
        }
        let name = format!("{}{suffix}", whole.name);
        Found { name, ty: ty.clone(), place, ..whole.clone() }
    };
    match &whole.ty {
        Type::Struct(ty) => {
            let members = (0..).zip(&ty.members);
            members.map(|(idx, own)| part((idx, format!(".{}", own.name), &own.ty))).collect()
        }
        Type::Array { element, length } => {
            (0..*length).map(|idx| part((idx, format!("[{idx}]"), element))).collect()
        }
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => Vec::new(),
    }
}

/// The parts of an output that contain no structures, in order.
pub(super) fn pieces(whole: &Found) -> Vec<Found> {
    let is_plain = match &whole.ty {
        Type::Struct(_) => false,
        Type::Array { element, .. } => !matches!(**element, Type::Struct(_) | Type::Array { .. }),
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => true,
    };
    if is_plain {
        return vec![whole.clone()];
    }
    inside(whole).iter().flat_map(pieces).collect()
}

#[cfg(test)]
mod tests {
    use ir::interface::{Member, StructType};

    use super::*;

    /// `struct { float f; vec2 v[2]; } s[2]`, and `Block.a`.
    fn outputs() -> Vec<Found> {
        let pair = Type::Vector { size: 2, scalar: ScalarKind::F32 }.array(2);
        let member = |name: &str, ty| Member { name: name.to_owned(), ty };
        let members = vec![member("f", Type::F32), member("v", pair.clone())];
        let structure = Type::Struct(StructType { name: "S".to_owned(), members });
        let found = |name: &str, ty| Found {
            name: name.to_owned(),
            variable: name.to_owned(),
            ty,
            stream: 0,
            place: None,
        };
        vec![found("s", structure.array(2)), found("Block.a", pair), found("Block", Type::F32)]
    }

    #[track_caller]
    fn check(name: &str, expected: Option<&str>) {
        let found = find(&outputs(), name).map(|found| found.ty.to_string());
        assert_eq!(found.as_deref(), expected, "{name}");
    }

    #[test]
    fn a_name_leads_through_members_and_elements() {
        check("s[1].v", Some("vec2[2]"));
        check("s[1].v[1]", Some("vec2"));
        check("s[0].f", Some("float"));
        check("Block.a[0]", Some("vec2"));
        check("Block", Some("float"));
        check("s[2].f", None);
        check("s[0].g", None);
        check("t", None);
    }

    #[test]
    fn structures_fall_apart_and_plain_arrays_do_not() {
        let names: Vec<_> = pieces(&outputs()[0]).into_iter().map(|piece| piece.name).collect();
        assert_eq!(names, ["s[0].f", "s[0].v", "s[1].f", "s[1].v"]);
    }
}
