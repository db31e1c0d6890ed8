//! Atomic counters: their buffers, and the table of their offsets.

use std::collections::{BTreeMap, BTreeSet};

use naga::{GlobalVariable, Handle};
use rspirv::spirv::Decoration;

use crate::role::Role;
use ir::stage_module::{CounterVariable, ResourceKind, ResourceVariable};

use super::{Gathering, Problem, paths, subscripts};

/// Maximum number of counters in one array.
const MAX_COUNTERS: u32 = 4096;

impl Gathering<'_> {
    /// The buffer of all counters at a binding point.
    pub(crate) fn add_counter_buffer(&mut self, binding: u32, global: Handle<GlobalVariable>) {
        self.interface.resources.push(ResourceVariable {
            name: format!("atomic counters {binding}"),
            alias: String::new(),
            global,
            kind: ResourceKind::AtomicCounters,
            binding: Some(binding),
            location: None,
            described: None,
            element: 0,
            layout: None,
            span: None,
        });
    }

    /// Every counter, with the elements of arrays separate. Two counters at one offset are an error.
    pub(crate) fn counters(
        &self,
        roles: &BTreeMap<u32, Role>,
    ) -> Result<Vec<CounterVariable>, Problem> {
        let mut counters = Vec::new();
        let mut taken = BTreeSet::new();
        let is_counter = |id: &u32| roles.get(id) == Some(&Role::AtomicCounter);
        for variable in
            self.declarations.variables.iter().filter(|variable| is_counter(&variable.id))
        {
            let own = self.declarations.decorations(variable.id);
            let binding = own.number(Decoration::Binding).unwrap_or(0);
            let first = own.number(Decoration::Offset).unwrap_or(0);
            let (_, lengths) = self.declarations.without_arrays(variable.ty);
            let count = lengths.iter().fold(1_u32, |count, length| count.saturating_mul(*length));
            let wrong = |message: String| Err(Problem::Link(variable.id, message));
            if count > MAX_COUNTERS || !first.is_multiple_of(4) || first > 1 << 20 {
                return wrong(format!("an atomic counter cannot be at offset {first}"));
            }
            let unnamed = || format!("binding {binding} offset {first}");
            let name = self.declarations.name(variable.id).map_or_else(unnamed, str::to_owned);
            for (offset, path) in (first..).step_by(4).zip(paths(&lengths)) {
                if !taken.insert((binding, offset)) {
                    return wrong(format!(
                        "two atomic counters are at offset {offset} of binding {binding}"
                    ));
                }
                counters.push(CounterVariable {
                    name: format!("{name}{}", subscripts(&path)),
                    binding,
                    offset,
                    span: Some((self.spans)(variable.id)),
                });
            }
        }
        Ok(counters)
    }
}
