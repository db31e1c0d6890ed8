//! Debug names of SPIR-V modules (`OpName`, `OpMemberName`). A program of SPIR-V stages answers queries without them,
//! but an implementation may report them (discussion of `ARB_gl_spirv` on mesa-dev, 2018).
//!
//! The debug name of a block is that of its type, and its members are called `Block.member`. Everything else has the
//! debug name of its variable. A variable without a name, or with an unnamed part, stays unnamed.

use std::collections::BTreeMap;

use crate::table::leaf::ActiveVariable;
use ir::stage_module::StageModule;

use super::{ActiveBlock, Reflection, XfbVarying};

/// Debug names by the linker's names. The first stage that has a debug name for an object determines it.
type Names<'a> = BTreeMap<&'a str, &'a str>;

impl Reflection {
    /// Adds tables with debug names for queries.
    pub(crate) fn add_debug_names(&mut self, stages: &[&StageModule]) {
        let mut named = Self { has_names: true, with_debug_names: None, ..self.clone() };
        let names = names_of(stages);
        rename_variables(&mut named.uniforms, &self.uniform_blocks, &names);
        rename_variables(&mut named.buffer_variables, &self.storage_blocks, &names);
        rename_blocks(&mut named.uniform_blocks);
        rename_blocks(&mut named.storage_blocks);
        for external in named.inputs.iter_mut().chain(&mut named.outputs) {
            external.name = debug_name(&external.name);
        }
        self.with_debug_names = Some(Box::new(named));
    }

    /// Sets the captured varyings in all tables.
    pub(crate) fn set_xfb_varyings(&mut self, varyings: Vec<XfbVarying>) {
        if let Some(named) = &mut self.with_debug_names {
            let rename = |varying: &XfbVarying| XfbVarying {
                name: debug_name(&varying.name),
                ..varying.clone()
            };
            named.xfb_varyings = varyings.iter().map(rename).collect();
        }
        self.xfb_varyings = varyings;
    }
}

fn names_of<'a>(stages: &[&'a StageModule]) -> Names<'a> {
    let mut names = Names::new();
    for stage in stages {
        let uniforms = stage.uniforms.iter().map(|uniform| (&uniform.name, &uniform.alias));
        let resources = stage.resources.iter().map(|resource| (&resource.name, &resource.alias));
        for (name, alias) in uniforms.chain(resources).filter(|(_, alias)| !alias.is_empty()) {
            names.entry(name.as_str()).or_insert(alias.as_str());
        }
    }
    names
}

fn rename_blocks(blocks: &mut [ActiveBlock]) {
    for block in blocks {
        block.name = std::mem::take(&mut block.alias);
    }
}

/// Replaces the names of block members by debug names. `blocks` still have the linker's names.
fn rename_variables(variables: &mut [ActiveVariable], blocks: &[ActiveBlock], names: &Names<'_>) {
    for variable in variables {
        let block = variable.block.and_then(|idx| blocks.get(idx));
        variable.name = match block {
            Some(block) => member_name(variable, block),
            None if variable.counter_buffer.is_some() => debug_name(&variable.name),
            None => loose_name(variable, names),
        };
    }
}

/// The debug name of a block member: `Block.member[0]`. For an array of blocks it has no index of the block.
fn member_name(member: &ActiveVariable, block: &ActiveBlock) -> String {
    let own = without_indices(&block.name);
    let rest = member.name.strip_prefix(own).unwrap_or(&member.name);
    let shown = without_indices(&block.alias);
    if shown.is_empty() || has_unnamed_member(rest) {
        String::new()
    } else {
        format!("{shown}{rest}")
    }
}

/// True if a path contains a member without a name, which the linker calls `member0` and so on.
fn has_unnamed_member(path: &str) -> bool {
    let digits =
        |part: &str| part.strip_prefix("member").map(|rest| without_indices(rest).to_owned());
    path.split('.')
        .filter_map(digits)
        .any(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The debug name of a loose uniform. The linker has one name per element of an array of textures, GL one name for all.
fn loose_name(variable: &ActiveVariable, names: &Names<'_>) -> String {
    let Some(shown) = names.get(variable.origin.as_str()) else { return String::new() };
    let is_element = variable.origin.ends_with(']');
    let (own, shown) = if is_element {
        (without_indices(&variable.origin), without_indices(shown))
    } else {
        (variable.origin.as_str(), *shown)
    };
    let rest = variable.name.strip_prefix(own).unwrap_or("");
    if has_unnamed_member(rest) { String::new() } else { format!("{shown}{rest}") }
}

fn without_indices(name: &str) -> &str {
    name.split('[').next().unwrap_or_default()
}

/// The debug name; empty for a name that the linker made up from a location or binding, such as `location 3` or
/// `binding 2 offset 8`.
fn debug_name(name: &str) -> String {
    let is_made_up = ["location ", "binding "].iter().any(|start| name.starts_with(start));
    if is_made_up { String::new() } else { name.to_owned() }
}
