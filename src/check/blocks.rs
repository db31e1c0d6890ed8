//! Checks `block …` and `member …` of `[link]`, and formats blocks as text.

use crate::verdict::Failure;
use case::linking::BlockExpectation;
use case::{BlockFact, Case, LinkExpectation, MemberFact};
use ir::vulkan::shown;
use link::program::LinkedProgram;
use link::reflect::{ActiveBlock, ActiveVariable, Reflection};

/// Checks the blocks and members of `[link]`, with a failure for each expectation that does not hold.
pub fn check_blocks(case: &Case, program: &LinkedProgram) -> Vec<Failure> {
    let all: Vec<&Reflection> = program.reflections().rev().collect();
    let mut failures = Vec::new();
    for expectation in &case.link.expectations {
        let LinkExpectation::Block(line) = &expectation.value else { continue };
        let found = match line {
            BlockExpectation::Whole { name, facts } => find_block(&all, name).map(|block| {
                facts
                    .iter()
                    .filter_map(|(fact, expected)| differ_in_block(*fact, *expected, block))
                    .collect()
            }),
            BlockExpectation::Member { path, facts } => find_member(&all, path).map(|member| {
                facts.iter().filter_map(|fact| differ(fact.1, place(member, fact.0))).collect()
            }),
        };
        let details: Vec<String> = found.unwrap_or_else(|message| vec![message]);
        if !details.is_empty() {
            failures.push(Failure::of_text(&case.source, expectation.span, details));
        }
    }
    failures
}

fn differ_in_block(fact: BlockFact, expected: u32, block: &ActiveBlock) -> Option<String> {
    match fact {
        BlockFact::Size => differ(expected, block.size),
        BlockFact::Members => differ(expected, block.variables),
        BlockFact::Binding => (expected != block.binding)
            .then(|| format!("expected {}, actual {}", shown(expected), shown(block.binding))),
    }
}

fn differ(expected: u32, actual: u32) -> Option<String> {
    (expected != actual).then(|| format!("expected {expected}, actual {actual}"))
}

fn place(member: &ActiveVariable, fact: MemberFact) -> u32 {
    let place = member.place.unwrap_or_default();
    match fact {
        MemberFact::Offset => place.offset,
        MemberFact::Stride => place.array_stride,
        MemberFact::MatrixStride => place.matrix_stride,
        MemberFact::RowMajor => place.is_row_major.into(),
    }
}

/// All blocks of a program, with their members.
fn blocks(reflection: &Reflection) -> Vec<(&ActiveBlock, Vec<&ActiveVariable>)> {
    let mut all = Vec::new();
    for (blocks, variables) in [
        (&reflection.uniform_blocks, &reflection.uniforms),
        (&reflection.storage_blocks, &reflection.buffer_variables),
    ] {
        for (idx, block) in blocks.iter().enumerate() {
            let own = variables.iter().filter(|variable| variable.block == Some(idx));
            all.push((block, own.collect()));
        }
    }
    all
}

/// The block called `name`; an error message if there is none, or if several buffers have the name.
fn find_block<'a>(all: &[&'a Reflection], name: &str) -> Result<&'a ActiveBlock, String> {
    for reflection in all {
        let blocks = blocks(reflection);
        let mut fitting =
            blocks.iter().map(|(block, _)| *block).filter(|block| has_name(block, name));
        if let Some(first) = fitting.next() {
            return one_of_its_name(first, fitting, name);
        }
    }
    Err(format!("the program has no block `{name}`"))
}

/// The member at `path`; an error message if there is none, or if several buffers have the block's name.
fn find_member<'a>(all: &[&'a Reflection], path: &str) -> Result<&'a ActiveVariable, String> {
    for reflection in all {
        let mut fitting = Vec::new();
        for (block, members) in blocks(reflection) {
            let is_it = |member: &&ActiveVariable| is_at(block, member, path);
            fitting.extend(members.into_iter().find(is_it).map(|member| (block, member)));
        }
        let Some((first, member)) = fitting.first() else { continue };
        let others = fitting.iter().skip(1).map(|(block, _)| *block);
        return one_of_its_name(first, others, &first.name).map(|_| *member);
    }
    Err(format!("the program has no block member `{path}`"))
}

/// The block `first`, unless another buffer of WGSL has the same name.
fn one_of_its_name<'a>(
    first: &'a ActiveBlock,
    mut others: impl Iterator<Item = &'a ActiveBlock>,
    name: &str,
) -> Result<&'a ActiveBlock, String> {
    match others.find(|other| first.is_wgsl && other.is_wgsl) {
        Some(other) => {
            let (one, two) = (shown(first.binding), shown(other.binding));
            if one == two {
                let (first, second) = (&first.name, &other.name);
                return Err(format!(
                    "stages declare different types for the buffer at {one}: `{first}` and `{second}`"
                ));
            }
            Err(format!("two buffers are called `{name}`; write `{one}` or `{two}` instead"))
        }
        None => Ok(first),
    }
}

/// The names by which lines may refer to the block.
fn names(block: &ActiveBlock) -> impl Iterator<Item = String> {
    let place = block.is_wgsl.then(|| shown(block.binding));
    let own = [Some(block.name.clone()), Some(block.alias.clone()), place];
    own.into_iter().flatten().filter(|name| !name.is_empty())
}

fn has_name(block: &ActiveBlock, name: &str) -> bool {
    names(block).any(|known| known == name)
}

/// True if `path` is the member's: one of the block's names and the rest.
fn is_at(block: &ActiveBlock, member: &ActiveVariable, path: &str) -> bool {
    let own = behind(block, member);
    let short = own.strip_suffix("[0]");
    names(block)
        .filter_map(|name| path.strip_prefix(&name).map(str::to_owned))
        .any(|rest| rest == own || short == Some(&rest))
}

/// The rest of a member's path after the block's name: `.color`. In a WGSL buffer that is an array it may begin with an
/// index (`[0].color`), and for a scalar, vector or matrix it is empty.
fn behind(block: &ActiveBlock, member: &ActiveVariable) -> String {
    let array = block.name.split('[').next().unwrap_or_default();
    match member.name.strip_prefix(array) {
        Some(rest) if rest.starts_with('.') || block.is_wgsl => rest.to_owned(),
        Some(_) | None => format!(".{}", member.name),
    }
}

/// Formats the blocks in `[link]`'s notation.
pub fn block_text(reflection: &Reflection) -> String {
    let mut lines = Vec::new();
    let all = blocks(reflection);
    for (block, members) in &all {
        let ActiveBlock { size, binding, variables, .. } = block;
        let point = shown(*binding);
        let is_unique = all.iter().filter(|(other, _)| other.name == block.name).count() == 1;
        let name = if block.is_wgsl && !is_unique { &point } else { &block.name };
        lines.push(format!("block {name} size {size} binding {point} members {variables}\n"));
        lines.extend(members.iter().map(|member| member_text(name, block, member)));
    }
    lines.concat()
}

fn member_text(name: &str, block: &ActiveBlock, member: &ActiveVariable) -> String {
    let place = member.place.unwrap_or_default();
    let fact = |word: &str, value: u32| match value {
        0 => String::new(),
        value => format!(" {word} {value}"),
    };
    let strides = fact("stride", place.array_stride) + &fact("matrix_stride", place.matrix_stride);
    let order = fact("row_major", u32::from(place.is_row_major));
    let (rest, offset) = (behind(block, member), place.offset);
    format!("member {name}{rest} offset {offset}{strides}{order}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use link::reflect::LeafPlace;
    use link::table::binding::StageUse;

    /// A program with two uniform buffers called `u`, one of which a later stage calls `v`.
    fn program() -> Reflection {
        let block = |name: &str, alias: &str, binding: u32| ActiveBlock {
            name: name.to_owned(),
            alias: alias.to_owned(),
            is_wgsl: true,
            binding,
            ..ActiveBlock::default()
        };
        let member = |name: &str, block: usize, offset: u32| ActiveVariable {
            name: name.to_owned(),
            origin: String::new(),
            gl_type: 0,
            size: 1,
            block: Some(block),
            location: None,
            place: Some(LeafPlace { offset, ..LeafPlace::default() }),
            top_level: None,
            counter_buffer: None,
            stages: StageUse::default(),
        };
        let point = ir::vulkan::point;
        Reflection {
            uniform_blocks: vec![
                block("u", "", point(0, 3)),
                block("u", "v", point(1, 2)),
                block("x", "", point(0, 5)),
                block("y", "", point(0, 5)),
            ],
            uniforms: vec![member("u.a", 0, 8), member("u.a", 1, 16), member("u.list[0]", 1, 32)],
            ..Reflection::default()
        }
    }

    #[track_caller]
    fn check(name: &str, expected: Result<u32, &str>) {
        let program = program();
        let found = find_block(&[&program], name).map(|block| block.binding);
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[track_caller]
    fn check_member(path: &str, expected: Result<u32, &str>) {
        let program = program();
        let found = find_member(&[&program], path);
        let offset = found.map(|member| member.place.unwrap_or_default().offset);
        assert_eq!(offset, expected.map_err(str::to_owned));
    }

    #[test]
    fn a_buffer_of_wgsl_has_names_and_a_place() {
        check("3", Ok(3));
        check("1:2", Ok(ir::vulkan::point(1, 2)));
        check("v", Ok(ir::vulkan::point(1, 2)));
        check("u", Err("two buffers are called `u`; write `3` or `1:2` instead"));
        check("y", Ok(5));
        check("5", Err("stages declare different types for the buffer at 5: `x` and `y`"));
        check("w", Err("the program has no block `w`"));
        check("2", Err("the program has no block `2`"));
    }

    #[test]
    fn a_member_is_behind_any_name_of_its_buffer() {
        check_member("3.a", Ok(8));
        check_member("1:2.a", Ok(16));
        check_member("v.list", Ok(32));
        check_member("v.list[0]", Ok(32));
        check_member("u.list", Ok(32));
        check_member("u.a", Err("two buffers are called `u`; write `3` or `1:2` instead"));
        check_member("v.b", Err("the program has no block member `v.b`"));
        check_member("va", Err("the program has no block member `va`"));
    }
}
