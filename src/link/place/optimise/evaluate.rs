//! Evaluates a stage's code on value numbers instead of values.
//!
//! Both branches of an `if` are evaluated, and their values of a variable become a choice by the condition. Calls are
//! followed into the callee. Loops and switches are not evaluated: variables that they may write are unknown after
//! them.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is not followed has an unknown value")]

mod expression;
mod statement;

use std::collections::BTreeMap;
use std::rc::Rc;

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{AddressSpace, Expression, Function, GlobalVariable, Handle, LocalVariable, Module};

use ir::interface::Place;
use ir::stage_module::{Direction, StageModule};

use super::value::{Node, ValueId, Values};
use crate::table::facts::shape;

/// Number of statements and expressions that are evaluated before the analysis gives up.
const BUDGET: u32 = 1 << 18;

/// The values in private globals after a stage ran.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// All values of the stage.
    pub values: Values,
    globals: BTreeMap<Handle<GlobalVariable>, Rc<Vec<ValueId>>>,
}

impl Outcome {
    /// The scalars at `place` after the stage ran; `None` if they are unknown.
    pub(crate) fn at(&self, module: &Module, place: &Place) -> Option<Vec<ValueId>> {
        let ty = module.global_variables[place.global].ty;
        let (start, count) = shape::part_at(module, ty, &place.path)?;
        Some(self.globals.get(&place.global)?.get(start..start + count)?.to_vec())
    }
}

/// Runs the stage; `None` if it is too large.
pub(crate) fn run(stage: &StageModule, info: &ModuleInfo) -> Option<Outcome> {
    let mut evaluator = Evaluator {
        module: &stage.module,
        info,
        values: Values::default(),
        calls: 0,
        depth: 0,
        budget: BUDGET,
    };
    let start = evaluator.start(stage);
    let (_, memory) = evaluator.call(stage.main, Vec::new(), start.clone());
    // Globals that the code leaves unchanged are unknown: the shell may write them, as it does the coordinate of a
    // point.
    let is_written = |root: &TrackedVariable, scalars: &Rc<Vec<ValueId>>| {
        start.0.get(root).is_none_or(|first| !Rc::ptr_eq(first, scalars))
    };
    let globals = memory.0.into_iter().filter_map(|(root, scalars)| match root {
        TrackedVariable::Global(global) if stage.overwritten.contains(&global) => None,
        TrackedVariable::Global(global) => is_written(&root, &scalars).then_some((global, scalars)),
        TrackedVariable::Local { .. } => None,
    });
    let globals = globals.collect();
    (evaluator.budget > 0).then_some(Outcome { values: evaluator.values, globals })
}

/// A variable whose scalars are tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TrackedVariable {
    Global(Handle<GlobalVariable>),
    Local { call: u32, variable: Handle<LocalVariable> },
}

/// The scalars of all tracked variables.
#[derive(Clone, Debug, Default)]
struct Memory(BTreeMap<TrackedVariable, Rc<Vec<ValueId>>>);

/// A pointer to scalars of a tracked variable.
#[derive(Clone, Copy, Debug)]
struct Pointer {
    root: TrackedVariable,
    /// Index of the first scalar; `None` after a dynamic index.
    start: Option<usize>,
    count: usize,
}

/// Result of an expression.
#[derive(Clone, Debug)]
enum Value {
    Scalars(Vec<ValueId>),
    Pointer(Pointer),
    /// A resource, or data of a type that is not tracked.
    Other,
}

/// A function call in progress.
struct Frame<'a> {
    function: &'a Function,
    info: &'a FunctionInfo,
    arguments: Vec<Value>,
    call: u32,
    known: BTreeMap<Handle<Expression>, Value>,
    /// Memory and result at each return.
    exits: Vec<(Memory, Value)>,
}

struct Evaluator<'a> {
    module: &'a Module,
    info: &'a ModuleInfo,
    values: Values,
    calls: u32,
    depth: u32,
    budget: u32,
}

impl Evaluator<'_> {
    /// The values of the globals before `main` runs.
    fn start(&mut self, stage: &StageModule) -> Memory {
        let mut memory = Memory::default();
        for (handle, global) in stage.module.global_variables.iter() {
            let inner = &stage.module.types[global.ty].inner;
            let Some(count) = shape::scalar_count(&stage.module, inner) else { continue };
            let scalars = match global.space {
                AddressSpace::Private => match global.init {
                    Some(init) => self.constant_expression(init, count),
                    None => vec![self.values.constant(0); count],
                },
                AddressSpace::Uniform | AddressSpace::Immediate => {
                    self.given(handle, 0..count, true)
                }
                _ => continue,
            };
            memory.0.insert(TrackedVariable::Global(handle), Rc::new(scalars));
        }
        let inputs = stage.inputs.iter().filter_map(|input| Some((input.place.as_ref()?, false)));
        let uniforms = stage.uniforms.iter().map(|uniform| (&uniform.place, true));
        for (place, is_convergent) in inputs.chain(uniforms) {
            self.seed(&mut memory, place, is_convergent);
        }
        for builtin in stage.builtins.iter().filter(|input| input.direction == Direction::Input) {
            let is_convergent = builtin.builtin == naga::BuiltIn::InstanceIndex;
            let place = Place::whole(builtin.global);
            self.seed(&mut memory, &place, is_convergent);
        }
        memory
    }

    fn seed(&mut self, memory: &mut Memory, place: &Place, is_convergent: bool) {
        let ty = self.module.global_variables[place.global].ty;
        let Some((start, count)) = shape::part_at(self.module, ty, &place.path) else { return };
        let given = self.given(place.global, start..start + count, is_convergent);
        if let Some(scalars) = memory.0.get_mut(&TrackedVariable::Global(place.global)) {
            Rc::make_mut(scalars)[start..start + count].copy_from_slice(&given);
        }
    }

    fn given(
        &mut self,
        global: Handle<GlobalVariable>,
        scalars: std::ops::Range<usize>,
        is_convergent: bool,
    ) -> Vec<ValueId> {
        scalars
            .map(|scalar| self.values.number(Node::Given { global, scalar, is_convergent }))
            .collect()
    }

    /// Evaluates `function`. Returns its result, and the memory after it.
    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: Vec<Value>,
        mut memory: Memory,
    ) -> (Value, Memory) {
        self.calls += 1;
        self.depth += 1;
        let call = self.calls;
        let module = self.module;
        let function_body = &module.functions[function];
        let mut frame = Frame {
            function: function_body,
            info: &self.info[function],
            arguments,
            call,
            known: BTreeMap::new(),
            exits: Vec::new(),
        };
        self.start_locals(&mut frame, &mut memory);
        let end = self.block(&mut frame, &function_body.body, memory);
        if let Some(end) = end {
            frame.exits.push((end, Value::Other));
        }
        self.depth -= 1;
        self.join_exits(call, frame.exits)
    }

    fn start_locals(&mut self, frame: &mut Frame<'_>, memory: &mut Memory) {
        for (variable, local) in frame.function.local_variables.iter() {
            let inner = &self.module.types[local.ty].inner;
            let Some(count) = shape::scalar_count(self.module, inner) else { continue };
            let init = local.init.map(|init| self.value(frame, init, memory));
            let scalars = match init {
                Some(Value::Scalars(scalars)) if scalars.len() == count => scalars,
                Some(_) => self.unknowns(count),
                None => vec![self.values.constant(0); count],
            };
            memory
                .0
                .insert(TrackedVariable::Local { call: frame.call, variable }, Rc::new(scalars));
        }
    }

    fn join_exits(&mut self, call: u32, mut exits: Vec<(Memory, Value)>) -> (Value, Memory) {
        let Some((mut memory, mut value)) = exits.pop() else {
            return (Value::Other, Memory::default());
        };
        if exits.is_empty() {
            return (value, memory);
        }
        for (root, scalars) in &mut memory.0 {
            let lists: Option<Vec<&Rc<Vec<ValueId>>>> =
                exits.iter().map(|(other, _)| other.0.get(root)).collect();
            let Some(lists) = lists else { continue };
            if lists.iter().any(|list| !Rc::ptr_eq(list, scalars)) {
                let last = scalars.clone();
                let joined = (0..last.len()).map(|idx| {
                    let values = lists.iter().map(|list| list[idx]).chain([last[idx]]).collect();
                    self.exit(call, values)
                });
                *scalars = Rc::new(joined.collect());
            }
        }
        if let Value::Scalars(last) = &value {
            let lists: Option<Vec<&Vec<ValueId>>> = exits
                .iter()
                .map(|(_, other)| match other {
                    Value::Scalars(scalars) if scalars.len() == last.len() => Some(scalars),
                    _ => None,
                })
                .collect();
            value = match lists {
                Some(lists) => {
                    let joined = (0..last.len()).map(|idx| {
                        let values =
                            lists.iter().map(|list| list[idx]).chain([last[idx]]).collect();
                        self.exit(call, values)
                    });
                    Value::Scalars(joined.collect())
                }
                None => Value::Other,
            };
        }
        (value, memory)
    }

    fn exit(&mut self, call: u32, values: Vec<ValueId>) -> ValueId {
        match values.first() {
            Some(first) if values.iter().all(|value| value == first) => *first,
            _ => self.values.number(Node::Exit { call, values }),
        }
    }

    fn unknowns(&mut self, count: usize) -> Vec<ValueId> {
        (0..count).map(|_| self.values.unknown()).collect()
    }

    /// Takes one unit of the budget. Returns false if the budget is exhausted.
    fn spend(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.budget > 0
    }
}
