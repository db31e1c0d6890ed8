//! Finds inputs of a geometry stage that only unread outputs depend on (C32).
//!
//! The analysis does not follow the order of statements: a global or local variable is live if some live expression
//! loads it anywhere, and everything that control flow depends on is live. Unread outputs are not live, unless the
//! stage itself reads them back.

use std::collections::{BTreeMap, BTreeSet};

use naga::{Block, Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Statement};

use ir::interface::Variable;
use ir::operands;
use ir::stage_module::StageModule;

/// A global, or its member with this index. The member's index follows the vertex index, if there is one.
type Cell = (Handle<GlobalVariable>, Option<u32>);

/// Indices of the used inputs of `geometry` that no live output needs. Only outputs that are marked in `live` count.
pub(crate) fn dead_inputs(geometry: &StageModule, live: &[bool]) -> Vec<usize> {
    let is_control = geometry.control().is_some();
    let inputs = geometry.inputs.iter().map(|input| (input, !input.is_patch));
    let outputs = geometry.outputs.iter().map(|output| (output, is_control && !output.is_patch));
    let known = inputs.chain(outputs.clone());
    let of = |(variable, has_vertices): (&Variable, bool)| {
        Some((variable.place.as_ref()?.global, usize::from(has_vertices)))
    };
    let mut state = Liveness {
        skipped: known.filter_map(of).collect(),
        outputs: outputs.filter_map(of).map(|(global, _)| global).collect(),
        live: BTreeSet::new(),
        locals: BTreeSet::new(),
    };
    let seeds = geometry.outputs.iter().zip(live).filter(|(_, is_live)| **is_live);
    state.live.extend(seeds.filter_map(|(output, _)| cell_of(output)));
    let built_in = geometry.builtins.iter().map(|output| (output.global, None));
    state.live.extend(built_in);
    state.run(&geometry.module);
    let is_dead = |input: &Variable| {
        let Some(cell) = cell_of(input) else { return false };
        input.is_used && !state.is_live(cell)
    };
    (0..).zip(&geometry.inputs).filter(|(_, input)| is_dead(input)).map(|(idx, _)| idx).collect()
}

fn cell_of(variable: &Variable) -> Option<Cell> {
    let place = variable.place.as_ref()?;
    Some((place.global, place.path.first().copied()))
}

struct Liveness {
    /// For each input and output, the number of indices that select a vertex.
    skipped: BTreeMap<Handle<GlobalVariable>, usize>,
    outputs: BTreeSet<Handle<GlobalVariable>>,
    live: BTreeSet<Cell>,
    /// Live local variables, with the index of their function.
    locals: BTreeSet<(usize, Handle<LocalVariable>)>,
}

/// The variable that a pointer leads into.
enum Root {
    Global(Cell),
    Local(Handle<LocalVariable>),
    /// An argument, or a value that is not a pointer.
    Other,
}

/// A function of the module.
#[derive(Clone, Copy)]
struct Scope<'a> {
    /// Its index among the functions.
    idx: usize,
    function: &'a Function,
}

impl Liveness {
    /// Adds live variables until nothing changes.
    fn run(&mut self, module: &Module) {
        loop {
            let before = (self.live.len(), self.locals.len());
            for (idx, (_, function)) in module.functions.iter().enumerate() {
                self.block(module, Scope { idx, function }, &function.body);
            }
            if before == (self.live.len(), self.locals.len()) {
                return;
            }
        }
    }

    fn is_live(&self, (global, member): Cell) -> bool {
        self.live.contains(&(global, None))
            || self.live.contains(&(global, member))
            || member.is_none() && self.live.iter().any(|(known, _)| *known == global)
    }

    fn block(&mut self, module: &Module, of: Scope<'_>, block: &Block) {
        for statement in block {
            self.statement(module, of, statement);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "whatever else a statement reads is live")]
    fn statement(&mut self, module: &Module, of: Scope<'_>, statement: &Statement) {
        match statement {
            Statement::Emit(_) => {}
            Statement::Block(block) => self.block(module, of, block),
            Statement::If { condition, accept, reject } => {
                self.need(of, *condition);
                self.block(module, of, accept);
                self.block(module, of, reject);
            }
            Statement::Switch { selector, cases } => {
                self.need(of, *selector);
                for case in cases {
                    self.block(module, of, &case.body);
                }
            }
            Statement::Loop { body, continuing, break_if } => {
                self.block(module, of, body);
                self.block(module, of, continuing);
                if let Some(condition) = break_if {
                    self.need(of, *condition);
                }
            }
            Statement::Store { pointer, value } => {
                if self.is_seen(module, of, *pointer) {
                    self.need(of, *pointer);
                    self.need(of, *value);
                }
            }
            other => {
                let one = Block::from_vec(vec![other.clone()]);
                let mut read = Vec::new();
                operands::read_by_block(&one, |operand| read.push(operand));
                for operand in read {
                    self.need(of, operand);
                    // A call or an atomic operation may read the target of a pointer argument.
                    self.load(of, operand);
                }
            }
        }
    }

    /// True if a value stored through `pointer` may be observed.
    fn is_seen(&self, module: &Module, of: Scope<'_>, pointer: Handle<Expression>) -> bool {
        match self.root(of.function, pointer) {
            Root::Global((global, member)) => {
                let space = module.global_variables[global].space;
                // Values that invocations of a control stage share are observed only where they are loaded.
                let is_shared = space == naga::AddressSpace::WorkGroup;
                let is_own = space == naga::AddressSpace::Private
                    || is_shared && self.outputs.contains(&global);
                !is_own || self.is_live((global, member))
            }
            Root::Local(local) => self.locals.contains(&(of.idx, local)),
            Root::Other => true,
        }
    }

    /// Marks everything that the expression depends on as live.
    fn need(&mut self, of: Scope<'_>, expression: Handle<Expression>) {
        let mut seen = BTreeSet::new();
        let mut rest = vec![expression];
        while let Some(next) = rest.pop() {
            if !seen.insert(next) {
                continue;
            }
            let mut known = of.function.expressions[next].clone();
            if let Expression::Load { pointer } = known {
                self.load(of, pointer);
            }
            rest.extend(operands::of_expression(&mut known).into_iter().map(|operand| *operand));
        }
    }

    /// Marks the variable that a pointer leads into as live.
    fn load(&mut self, of: Scope<'_>, pointer: Handle<Expression>) {
        match self.root(of.function, pointer) {
            Root::Global(cell) => {
                self.live.insert(cell);
            }
            Root::Local(local) => {
                self.locals.insert((of.idx, local));
            }
            Root::Other => {}
        }
    }

    fn root(&self, function: &Function, pointer: Handle<Expression>) -> Root {
        // The indices from the pointer back to the variable; `None` for dynamic ones.
        let mut path = Vec::new();
        let mut next = pointer;
        loop {
            #[expect(clippy::wildcard_enum_match_arm, reason = "no other expression is a pointer")]
            match &function.expressions[next] {
                Expression::Access { base, .. } => {
                    path.push(None);
                    next = *base;
                }
                Expression::AccessIndex { base, index } => {
                    path.push(Some(*index));
                    next = *base;
                }
                Expression::GlobalVariable(global) => {
                    path.reverse();
                    let skipped = self.skipped.get(global);
                    let member = skipped.and_then(|skipped| path.get(*skipped).copied().flatten());
                    return Root::Global((*global, member));
                }
                Expression::LocalVariable(local) => return Root::Local(*local),
                _ => return Root::Other,
            }
        }
    }
}
