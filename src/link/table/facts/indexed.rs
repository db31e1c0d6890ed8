//! Finds the globals that a module indexes with values that are known only at run time.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's enums have dozens of variants of which a few touch memory"
)]

use std::collections::{BTreeMap, BTreeSet};

use naga::{Block, Expression, Function, GlobalVariable, Handle, Module, Statement};

use ir::operands;

/// How a module uses its globals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Indexed {
    /// Globals with an index that is no literal, at any depth.
    by_variables: BTreeSet<Handle<GlobalVariable>>,
    /// Globals that code writes, or whose pointer it passes on.
    written: BTreeSet<Handle<GlobalVariable>>,
    /// Globals whose pointer code passes on.
    passed_on: BTreeSet<Handle<GlobalVariable>>,
    /// Globals that code loads as a whole.
    loaded: BTreeSet<Handle<GlobalVariable>>,
}

impl Indexed {
    /// Searches all functions.
    pub(crate) fn of(module: &Module) -> Self {
        let mut found = Self::default();
        let functions = module.functions.iter().map(|(_, function)| function);
        for function in functions.chain(module.entry_points.iter().map(|entry| &entry.function)) {
            let roots = found.search_expressions(function);
            found.search_statements(&function.body, &roots);
        }
        found
    }

    /// True if code indexes the global with values that are known only at run time, and does nothing but read it.
    pub(crate) fn reads(&self, global: Handle<GlobalVariable>) -> bool {
        self.by_variables.contains(&global) && !self.written.contains(&global)
    }

    /// True if code indexes the global with values that are known only at run time, and passes no pointer into it on.
    pub(crate) fn accesses(&self, global: Handle<GlobalVariable>) -> bool {
        self.by_variables.contains(&global) && !self.is_passed_on(global)
    }

    /// True if code passes a pointer into the global on, to a function or an atomic operation.
    pub(crate) fn is_passed_on(&self, global: Handle<GlobalVariable>) -> bool {
        self.passed_on.contains(&global)
    }

    /// True if code loads the global as a whole.
    pub(crate) fn loads_whole(&self, global: Handle<GlobalVariable>) -> bool {
        self.loaded.contains(&global)
    }

    /// Returns the pointers into globals.
    fn search_expressions(&mut self, function: &Function) -> Pointers {
        let mut roots = Pointers::new();
        for (handle, expression) in function.expressions.iter() {
            let root = match *expression {
                Expression::GlobalVariable(global) => Some(global),
                Expression::AccessIndex { base, .. } => roots.get(&base).copied(),
                Expression::Access { base, index } => {
                    let root = roots.get(&base).copied();
                    if !matches!(function.expressions[index], Expression::Literal(_)) {
                        self.by_variables.extend(root);
                    }
                    root
                }
                Expression::Load { pointer } => {
                    if let Expression::GlobalVariable(global) = function.expressions[pointer] {
                        self.loaded.insert(global);
                    }
                    None
                }
                _ => None,
            };
            roots.extend(root.map(|root| (handle, root)));
        }
        roots
    }

    fn search_statements(&mut self, block: &Block, roots: &Pointers) {
        for statement in block {
            match statement {
                Statement::Store { pointer, .. } => {
                    self.written.extend(roots.get(pointer));
                }
                Statement::Atomic { pointer, .. } => {
                    self.written.extend(roots.get(pointer));
                    self.passed_on.extend(roots.get(pointer));
                }
                Statement::Call { arguments, .. } => {
                    let passed_on = || arguments.iter().filter_map(|one| roots.get(one));
                    self.written.extend(passed_on());
                    self.passed_on.extend(passed_on());
                }
                other => {
                    for inner in operands::blocks(other) {
                        self.search_statements(inner, roots);
                    }
                }
            }
        }
    }
}

/// The global of each pointer into one.
type Pointers = BTreeMap<Handle<Expression>, Handle<GlobalVariable>>;

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the globals that the code only reads, with an index that is known only at run time, of those that it
    /// loads as a whole, and of those that it reads or writes with such an index.
    fn found(code: &str) -> [Vec<String>; 3] {
        let text = format!(
            "var<private> a: array<vec4f, 8>;
            var<private> b: array<array<f32, 4>, 2>;
            fn take(p: ptr<private, array<vec4f, 8>>) -> f32 {{ return 1.0; }}
            fn f(i: u32) -> f32 {{ {code} }}"
        );
        let module = naga::front::wgsl::parse_str(&text).expect("valid WGSL");
        let indexed = Indexed::of(&module);
        let names = |is_it: &dyn Fn(Handle<GlobalVariable>) -> bool| {
            let all = module.global_variables.iter().filter(|(handle, _)| is_it(*handle));
            all.filter_map(|(_, global)| global.name.clone()).collect()
        };
        [
            names(&|it| indexed.reads(it)),
            names(&|it| indexed.loads_whole(it)),
            names(&|it| indexed.accesses(it)),
        ]
    }

    #[test]
    fn an_index_is_found_at_any_depth() {
        assert_eq!(found("return a[i].x;")[0], ["a"]);
        assert_eq!(found("return a[1][i] + b[1][i];")[0], ["a", "b"]);
        assert!(found("return a[1].x + b[1][2];")[0].is_empty());
    }

    #[test]
    fn a_global_that_is_written_or_passed_on_is_not_only_read() {
        assert!(found("a[2] = vec4f(); return a[i].x;")[0].is_empty());
        assert!(found("a[i].y = 1.0; return 1.0;")[0].is_empty());
        assert!(found("if i > 1 { loop { b[0][1] = 2.0; break; } } return b[1][i];")[0].is_empty());
        assert!(found("return take(&a) + a[i].x;")[0].is_empty());
    }

    #[test]
    fn a_global_that_is_written_is_accessed_unless_it_is_passed_on() {
        let accessed = |code: &str| found(code)[2].clone();
        assert_eq!(accessed("a[i] = vec4f(); return b[1][2];"), ["a"]);
        assert!(accessed("a[1] = vec4f(); return b[1][2];").is_empty());
        assert_eq!(accessed("return take(&a) + a[i].x + b[i][1];"), ["b"]);
    }

    #[test]
    fn a_load_of_all_is_found() {
        let [read, loaded, _] = found("let all = a; return all[1].x + b[i][1];");
        assert_eq!([read, loaded], [["b"], ["a"]]);
    }
}
