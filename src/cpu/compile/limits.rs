//! Limits on modules, so that no recursion over them overflows the stack.

use naga::{Block, Function, Module, Statement, TypeInner};

use super::{Result, not_implemented};

/// Maximum nesting depth of types, and of blocks, calls and expressions.
pub(super) const MAX_DEPTH: usize = 512;

/// Rejects modules whose types or blocks are nested too deeply; `entry` is the function that is compiled.
pub(super) fn check(module: &Module, entry: &Function) -> Result<()> {
    let mut depths: Vec<usize> = Vec::new();
    for (_, ty) in module.types.iter() {
        let depth_of = |inner: naga::Handle<naga::Type>| depths.get(inner.index()).copied();
        let depth = match &ty.inner {
            TypeInner::Array { base, .. } | TypeInner::BindingArray { base, .. } => depth_of(*base),
            TypeInner::Struct { members, .. } => {
                members.iter().map(|member| depth_of(member.ty)).max().unwrap_or(Some(0))
            }
            _ => Some(0),
        };
        match depth {
            Some(depth) if depth < MAX_DEPTH => depths.push(depth + 1),
            _ => return not_implemented("types inside each other as deep as this"),
        }
    }
    let functions = module.functions.iter().map(|(_, function)| function);
    functions.chain([entry]).try_for_each(|function| block(&function.body, MAX_DEPTH))
}

fn block(all: &Block, left: usize) -> Result<()> {
    let Some(left) = left.checked_sub(1) else {
        return not_implemented("blocks inside each other as deep as this");
    };
    for statement in all {
        match statement {
            Statement::Block(inner) => block(inner, left)?,
            Statement::If { accept, reject, .. } => {
                block(accept, left)?;
                block(reject, left)?;
            }
            Statement::Switch { cases, .. } => {
                cases.iter().try_for_each(|case| block(&case.body, left))?;
            }
            Statement::Loop { body, continuing, .. } => {
                block(body, left)?;
                block(continuing, left)?;
            }
            _ => {}
        }
    }
    Ok(())
}
