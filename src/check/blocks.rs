//! Checks `block …` and `member …` of `[link]`, and formats blocks as text.

use crate::verdict::Failure;
use case::linking::BlockExpectation;
use case::{BlockFact, Case, LinkExpectation, MemberFact};
use link::program::LinkedProgram;
use link::reflect::{ActiveBlock, ActiveVariable, Reflection};

/// Checks the blocks and members of `[link]`, with a failure for each expectation that does not hold.
pub fn check_blocks(case: &Case, program: &LinkedProgram) -> Vec<Failure> {
    let all = || program.reflections().rev();
    let mut failures = Vec::new();
    for expectation in &case.link.expectations {
        let LinkExpectation::Block(line) = &expectation.value else { continue };
        let details = match line {
            BlockExpectation::Whole { name, facts } => match all()
                .find_map(|stage| find_block(stage, name))
            {
                Some(block) => {
                    facts.iter().filter_map(|fact| differ(fact.1, number(block, fact.0))).collect()
                }
                None => vec![format!("the program has no block `{name}`")],
            },
            BlockExpectation::Member { path, facts } => match all()
                .find_map(|stage| find_member(stage, path))
            {
                Some(member) => {
                    facts.iter().filter_map(|fact| differ(fact.1, place(member, fact.0))).collect()
                }
                None => vec![format!("the program has no block member `{path}`")],
            },
        };
        if !details.is_empty() {
            failures.push(Failure::of_text(&case.source, expectation.span, details));
        }
    }
    failures
}

fn differ(expected: u32, actual: u32) -> Option<String> {
    (expected != actual).then(|| format!("expected {expected}, actual {actual}"))
}

fn number(block: &ActiveBlock, fact: BlockFact) -> u32 {
    match fact {
        BlockFact::Size => block.size,
        BlockFact::Binding => block.binding,
        BlockFact::Members => block.variables,
    }
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

fn find_block<'a>(reflection: &'a Reflection, name: &str) -> Option<&'a ActiveBlock> {
    let fits = |block: &ActiveBlock| block.name == name || block.alias == name;
    blocks(reflection).into_iter().map(|(block, _)| block).find(|block| fits(block))
}

fn find_member<'a>(reflection: &'a Reflection, path: &str) -> Option<&'a ActiveVariable> {
    blocks(reflection).into_iter().find_map(|(block, members)| {
        let behind = |name: &str| {
            let rest = path.strip_prefix(name).filter(|_| !name.is_empty());
            rest.and_then(|rest| rest.strip_prefix('.'))
        };
        let wanted = behind(&block.name).or_else(|| behind(&block.alias))?;
        members.into_iter().find(|member| {
            let own = inside(block, member);
            own == wanted || own.strip_suffix("[0]") == Some(wanted)
        })
    })
}

/// The member's name without the block's.
fn inside<'a>(block: &ActiveBlock, member: &'a ActiveVariable) -> &'a str {
    let array = block.name.split('[').next().unwrap_or_default();
    let rest = member.name.strip_prefix(array).and_then(|rest| rest.strip_prefix('.'));
    rest.unwrap_or(&member.name)
}

/// Formats the blocks in `[link]`'s notation.
pub fn block_text(reflection: &Reflection) -> String {
    let mut lines = Vec::new();
    for (block, members) in blocks(reflection) {
        let ActiveBlock { name, size, binding, variables, .. } = block;
        let point = ir::vulkan::shown(*binding);
        lines.push(format!("block {name} size {size} binding {point} members {variables}\n"));
        lines.extend(members.into_iter().map(|member| member_text(block, member)));
    }
    lines.concat()
}

fn member_text(block: &ActiveBlock, member: &ActiveVariable) -> String {
    let place = member.place.unwrap_or_default();
    let fact = |word: &str, value: u32| match value {
        0 => String::new(),
        value => format!(" {word} {value}"),
    };
    let strides = fact("stride", place.array_stride) + &fact("matrix_stride", place.matrix_stride);
    let order = fact("row_major", u32::from(place.is_row_major));
    let (block, inside, offset) = (&block.name, inside(block, member), place.offset);
    format!("member {block}.{inside} offset {offset}{strides}{order}\n")
}
