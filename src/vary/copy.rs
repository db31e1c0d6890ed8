//! Copies the functions of a module. A [`Change`] replaces some of what is copied.

use naga::{
    Block, Expression, Function, GlobalVariable, Handle, LocalVariable, Module, ShaderStage, Span,
    Statement, SwitchCase, Type, TypeInner,
};

use ir::builder::FunctionBuilder;
use ir::operands::{Operand, of_block, of_expression};

use crate::facts::{Collective, Facts, is_storable};
use crate::random::Random;

/// Whether a change has written its own replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// The place was replaced.
    Replaced,
    /// The place is to be copied as it is.
    No,
}

/// A transformation that keeps the meaning of functions. Each method is called for places that could be replaced.
pub(crate) trait Change {
    /// Begins a function, before its statements are copied.
    fn begin(&mut self, _copy: &mut Copy<'_>) {}

    /// Replaces the old expression `old`, which is evaluated here. `new` is the same with operands of the new function.
    /// Returns its new value.
    fn expression(
        &mut self,
        _copy: &mut Copy<'_>,
        _old: Handle<Expression>,
        _new: &Expression,
    ) -> Option<Handle<Expression>> {
        None
    }

    /// Replaces a statement of the old function.
    fn statement(&mut self, _copy: &mut Copy<'_>, _statement: &Statement) -> Done {
        Done::No
    }

    /// Replaces the statements of a block of the old function. Not called for blocks that must keep their form:
    /// those that continue loops.
    fn block(&mut self, _copy: &mut Copy<'_>, _block: &[Statement]) -> Done {
        Done::No
    }

    /// Replaces the finished copy of a function that is no entry point.
    fn finished(
        &mut self,
        _module: &mut Module,
        function: Function,
        _random: &mut Random,
    ) -> Function {
        function
    }
}

/// State that all functions of a module share while they are copied.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    /// The old module, which has the functions that are copied.
    pub(crate) source: &'a Module,
    pub(crate) collective: &'a Collective,
    /// A private variable that is zero whenever the stage runs, which no compiler can know.
    pub(crate) zero: Option<Handle<GlobalVariable>>,
    pub(crate) stage: ShaderStage,
    /// Facts about each function of the old module, without the entry point.
    pub(crate) facts: &'a [Facts],
}

impl<'a> Scene<'a> {
    /// A function of the old module, and the facts about it.
    pub(crate) fn function(&self, handle: Handle<Function>) -> (&'a Function, &'a Facts) {
        (&self.source.functions[handle], &self.facts[handle.index()])
    }
}

/// A function that is being copied.
#[derive(Debug)]
pub(crate) struct Copy<'a> {
    /// The new function, and the module that will hold it.
    pub(crate) new: FunctionBuilder<&'a mut Module>,
    /// The old function.
    pub(crate) old: &'a Function,
    pub(crate) facts: &'a Facts,
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) random: &'a mut Random,
    /// True for the function of an entry point. Its last statement stays the last one.
    pub(crate) is_entry: bool,
    /// Number of loops and switches around the current place.
    pub(crate) breakable: usize,
    /// New function for each old one before this one.
    functions: &'a [Handle<Function>],
    /// New expression for each old one that was copied.
    moved: Vec<Option<Handle<Expression>>>,
    is_continuing: bool,
}

/// A function whose copy was interrupted to copy the body of a function that it calls.
#[derive(Debug)]
pub(crate) struct Caller<'a> {
    old: &'a Function,
    facts: &'a Facts,
    is_entry: bool,
    moved: Vec<Option<Handle<Expression>>>,
}

/// The continuing part of a loop in the old function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest<'a> {
    pub(crate) continuing: &'a Block,
    pub(crate) break_if: Option<Handle<Expression>>,
    /// A variable of the new function that gets the value of `break_if`.
    pub(crate) is_over: Option<Handle<Expression>>,
}

/// An old expression, and the variable that has its value.
pub(crate) type Escaping = (Handle<Expression>, Handle<Expression>);

/// Statements in a block of their own, and the variables that pass their values to later statements.
#[derive(Debug)]
pub(crate) struct Enclosed {
    pub(crate) block: Block,
    pub(crate) escaping: Vec<Escaping>,
}

/// Copies every function of the scene's module, changed by `change`. Returns `None` if naga cannot type an expression.
pub(crate) fn changed(
    scene: &Scene<'_>,
    change: &mut dyn Change,
    random: &mut Random,
) -> Option<Module> {
    let mut module = scene.source.clone();
    let old = std::mem::take(&mut module.functions);
    let entries = std::mem::take(&mut module.entry_points);
    let mut functions = Vec::new();
    for (handle, function) in old.iter() {
        let facts = &scene.facts[handle.index()];
        let parts = Parts { old: function, facts, functions: &functions, is_entry: false };
        let new = copied(scene, change, random, &mut module, parts);
        let new = change.finished(&mut module, new, random);
        functions.push(module.functions.append(new, Span::UNDEFINED));
    }
    for mut entry in entries {
        let facts = Facts::of(scene.source, &entry.function)?;
        let parts =
            Parts { old: &entry.function, facts: &facts, functions: &functions, is_entry: true };
        let new = copied(scene, change, random, &mut module, parts);
        entry.function = new;
        module.entry_points.push(entry);
    }
    Some(module)
}

/// A function to copy.
struct Parts<'a> {
    old: &'a Function,
    facts: &'a Facts,
    functions: &'a [Handle<Function>],
    is_entry: bool,
}

fn copied(
    scene: &Scene<'_>,
    change: &mut dyn Change,
    random: &mut Random,
    module: &mut Module,
    parts: Parts<'_>,
) -> Function {
    let old = parts.old;
    let mut new = FunctionBuilder::new(module);
    new.function = Function {
        name: old.name.clone(),
        arguments: old.arguments.clone(),
        result: old.result.clone(),
        local_variables: old.local_variables.clone(),
        diagnostic_filter_leaf: old.diagnostic_filter_leaf,
        ..Function::default()
    };
    let mut copy = Copy {
        new,
        old,
        facts: parts.facts,
        scene,
        random,
        is_entry: parts.is_entry,
        breakable: 0,
        functions: parts.functions,
        moved: vec![None; old.expressions.len()],
        is_continuing: false,
    };
    copy.declare();
    change.begin(&mut copy);
    copy.block(change, &old.body);
    copy.finish()
}

impl<'a> Copy<'a> {
    /// Begins to copy the body of the old function `callee` in place of a call. Its local variables become new ones of the
    /// caller, initialised here. Call [`Self::leave`] after the body.
    pub(crate) fn enter(
        &mut self,
        callee: Handle<Function>,
        arguments: &[Handle<Expression>],
    ) -> Caller<'a> {
        let (old, facts) = self.scene.function(callee);
        let caller = Caller {
            old: std::mem::replace(&mut self.old, old),
            facts: std::mem::replace(&mut self.facts, facts),
            is_entry: std::mem::replace(&mut self.is_entry, false),
            moved: std::mem::replace(&mut self.moved, vec![None; old.expressions.len()]),
        };
        let locals = old.local_variables.iter();
        let locals: Vec<_> = locals.map(|(_, local)| self.variable(local.ty)).collect();
        for (handle, expression) in old.expressions.iter().filter(|(_, one)| one.needs_pre_emit()) {
            let new = if let Expression::FunctionArgument(idx) = *expression {
                arguments[idx as usize]
            } else if let Expression::LocalVariable(local) = *expression {
                locals[local.index()]
            } else {
                self.new.emit(expression.clone())
            };
            self.replace(handle, new);
        }
        for ((_, local), pointer) in old.local_variables.iter().zip(locals) {
            let value = match local.init {
                Some(init) => self.computed(init),
                None => self.new.emit(Expression::ZeroValue(local.ty)),
            };
            self.new.store(pointer, value);
        }
        caller
    }

    /// Goes on with the caller.
    pub(crate) fn leave(&mut self, caller: Caller<'a>) {
        let Caller { old, facts, is_entry, moved } = caller;
        (self.old, self.facts, self.is_entry, self.moved) = (old, facts, is_entry, moved);
    }

    /// Evaluates a constant expression here.
    fn computed(&mut self, old: Handle<Expression>) -> Handle<Expression> {
        if let Some(known) = self.moved[old.index()] {
            return known;
        }
        let mut expression = self.old.expressions[old].clone();
        for operand in of_expression(&mut expression) {
            *operand = self.computed(*operand);
        }
        self.new.emit(expression)
    }
}

impl Copy<'_> {
    /// Copies what is evaluated before all statements.
    fn declare(&mut self) {
        for (handle, expression) in self.old.expressions.iter() {
            if expression.needs_pre_emit() {
                let new = self.new.function.expressions.append(expression.clone(), Span::UNDEFINED);
                self.moved[handle.index()] = Some(new);
            }
        }
        for (handle, variable) in self.old.local_variables.iter() {
            let init = variable.init.map(|init| self.constant(init));
            self.new.function.local_variables[handle].init = init;
        }
    }

    fn finish(self) -> Function {
        let Self { new, old, moved, .. } = self;
        let mut function = new.finish();
        let named = old.named_expressions.iter();
        function.named_expressions =
            named.filter_map(|(old, name)| Some((moved[old.index()]?, name.clone()))).collect();
        function
    }

    /// The new expression with the value of `old`.
    pub(crate) fn of(&mut self, old: Handle<Expression>) -> Handle<Expression> {
        match self.moved[old.index()] {
            Some(new) => new,
            None => self.constant(old),
        }
    }

    /// True if the copy of this old function is finished.
    pub(crate) const fn is_before(&self, old: Handle<Function>) -> bool {
        old.index() < self.functions.len()
    }

    /// The finished copy of an old function.
    pub(crate) fn copy_of(&self, old: Handle<Function>) -> Handle<Function> {
        self.functions[old.index()]
    }

    /// Makes `new` the value of `old`.
    pub(crate) fn replace(&mut self, old: Handle<Expression>, new: Handle<Expression>) {
        self.moved[old.index()] = Some(new);
    }

    /// Copies an expression that is evaluated without a statement.
    fn constant(&mut self, old: Handle<Expression>) -> Handle<Expression> {
        let mut expression = self.old.expressions[old].clone();
        if expression.needs_pre_emit()
            && let Some(known) = self.moved[old.index()]
        {
            return known;
        }
        for operand in of_expression(&mut expression) {
            *operand = self.constant(*operand);
        }
        self.new.function.expressions.append(expression, Span::UNDEFINED)
    }

    /// Copies the statements of a block.
    pub(crate) fn block(&mut self, change: &mut dyn Change, block: &[Statement]) {
        if self.is_continuing || change.block(self, block) == Done::No {
            self.statements(change, block);
        }
    }

    /// Copies statements.
    pub(crate) fn statements(&mut self, change: &mut dyn Change, statements: &[Statement]) {
        for statement in statements {
            if change.statement(self, statement) == Done::No {
                self.statement(change, statement);
            }
        }
    }

    /// Copies the statements of a block into a new block.
    pub(crate) fn nested(&mut self, change: &mut dyn Change, block: &[Statement]) -> Block {
        self.new.open_block();
        self.block(change, block);
        self.new.close_block()
    }

    /// Copies a statement.
    fn statement(&mut self, change: &mut dyn Change, statement: &Statement) {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "all statements without blocks are copied alike"
        )]
        match statement {
            Statement::Emit(range) => {
                for old in range.clone() {
                    self.evaluate(change, old);
                }
            }
            Statement::Block(block) => {
                let block = self.nested(change, block);
                self.new.push(Statement::Block(block));
            }
            Statement::If { condition, accept, reject } => {
                let condition = self.of(*condition);
                let accept = self.nested(change, accept);
                let reject = self.nested(change, reject);
                self.new.push(Statement::If { condition, accept, reject });
            }
            Statement::Switch { selector, cases } => {
                let selector = self.of(*selector);
                self.breakable += 1;
                let cases = cases.iter().map(|case| SwitchCase {
                    value: case.value,
                    body: self.nested(change, &case.body),
                    fall_through: case.fall_through,
                });
                let cases = cases.collect();
                self.breakable -= 1;
                self.new.push(Statement::Switch { selector, cases });
            }
            Statement::Loop { body, continuing, break_if } => {
                self.breakable += 1;
                let body = self.nested(change, body);
                self.breakable -= 1;
                let rest = Rest { continuing, break_if: *break_if, is_over: None };
                self.repeat(change, body, Vec::new(), &rest);
            }
            other => self.simple(other),
        }
    }

    /// Adds a loop with a finished body, and copies what continues it. If the body was enclosed, that releases its values
    /// first.
    pub(crate) fn repeat(
        &mut self,
        change: &mut dyn Change,
        body: Block,
        escaping: Vec<Escaping>,
        rest: &Rest<'_>,
    ) {
        let was_continuing = std::mem::replace(&mut self.is_continuing, true);
        self.new.open_block();
        self.release(escaping);
        self.block(change, rest.continuing);
        let break_if = rest.break_if.map(|condition| self.of(condition));
        if let (Some(is_over), Some(condition)) = (rest.is_over, break_if) {
            self.new.store(is_over, condition);
        }
        let continuing = self.new.close_block();
        self.is_continuing = was_continuing;
        self.new.push(Statement::Loop { body, continuing, break_if });
    }

    /// Copies the expression `old`, which is evaluated here.
    fn evaluate(&mut self, change: &mut dyn Change, old: Handle<Expression>) {
        let mut expression = self.old.expressions[old].clone();
        if expression.needs_pre_emit() {
            return;
        }
        let offset =
            if let Expression::ImageSample { offset, .. } = &expression { *offset } else { None };
        for operand in of_expression(&mut expression) {
            *operand = self.of(*operand);
        }
        if let (Some(old), Expression::ImageSample { offset, .. }) = (offset, &mut expression) {
            // Offsets must be constant.
            *offset = Some(self.constant(old));
        }
        let new = change.expression(self, old, &expression);
        let new = new.unwrap_or_else(|| self.new.emit(expression));
        self.replace(old, new);
    }

    /// Copies a statement without blocks.
    fn simple(&mut self, statement: &Statement) {
        let mut block = Block::from_vec(vec![statement.clone()]);
        if let Some(Statement::Call { function, .. }) = block.last_mut() {
            *function = self.functions[function.index()];
        }
        for operand in of_block(&mut block) {
            match operand {
                Operand::Emitted(_) => {}
                Operand::Read(operand) | Operand::Stored(operand) => *operand = self.of(*operand),
                Operand::Result(result) => *result = self.result(*result),
            }
        }
        self.new.append(block);
    }

    /// Copies an expression that holds the result of a statement.
    fn result(&mut self, old: Handle<Expression>) -> Handle<Expression> {
        let mut expression = self.old.expressions[old].clone();
        if let Expression::CallResult(function) = &mut expression {
            *function = self.functions[function.index()];
        }
        let new = self.new.function.expressions.append(expression, Span::UNDEFINED);
        self.replace(old, new);
        new
    }

    /// Copies statements into a block of their own. Later statements get values computed there through variables.
    /// Call [`Self::release`] after the block. [`Self::can_enclose`] tells whether that is possible.
    pub(crate) fn enclose(
        &mut self,
        change: &mut dyn Change,
        statements: &[Statement],
    ) -> Enclosed {
        let escaping = self.facts.escaping(statements, &self.old.expressions);
        let escaping: Vec<_> =
            escaping.into_iter().map(|old| (old, self.variable_for(old))).collect();
        let block = self.enclose_into(change, statements, &escaping);
        Enclosed { block, escaping }
    }

    /// Copies the statements of `first` once more, into another block with the same effects.
    pub(crate) fn enclose_again(
        &mut self,
        change: &mut dyn Change,
        statements: &[Statement],
        first: &Enclosed,
    ) -> Block {
        self.enclose_into(change, statements, &first.escaping)
    }

    fn enclose_into(
        &mut self,
        change: &mut dyn Change,
        statements: &[Statement],
        escaping: &[Escaping],
    ) -> Block {
        self.new.open_block();
        self.statements(change, statements);
        for (old, variable) in escaping {
            let value = self.of(*old);
            self.new.store(*variable, value);
        }
        self.new.close_block()
    }

    /// Loads the values that later statements need of enclosed ones.
    pub(crate) fn release(&mut self, escaping: Vec<Escaping>) {
        for (old, variable) in escaping {
            let value = self.new.load(variable);
            self.replace(old, value);
        }
    }

    /// True if all values that later statements need of these fit into variables.
    pub(crate) fn can_enclose(&self, statements: &[Statement]) -> bool {
        let escaping = self.facts.escaping(statements, &self.old.expressions);
        escaping.into_iter().all(|old| self.is_storable(old))
    }

    /// True if invocations act together in these statements.
    pub(crate) fn acts_together(&self, statements: &[Statement]) -> bool {
        self.scene.collective.acts_in(statements, &self.old.expressions)
    }

    /// Copies statements that are never reached, into a block. Their values are not known afterwards.
    pub(crate) fn dead(&mut self, change: &mut dyn Change, statements: &[Statement]) -> Block {
        let moved = self.moved.clone();
        self.new.open_block();
        self.statements(change, statements);
        self.moved = moved;
        self.new.close_block()
    }

    /// Type of an old expression.
    pub(crate) fn inner(&self, old: Handle<Expression>) -> &TypeInner {
        self.facts.inner(old, &self.new.module.types)
    }

    /// Type of an old expression whose value is not constant; `None` for a constant.
    pub(crate) fn varying(&self, old: Handle<Expression>) -> Option<&TypeInner> {
        (!self.facts.is_constant(old)).then(|| self.inner(old))
    }

    /// True if a variable can hold the value of an old expression.
    pub(crate) fn is_storable(&self, old: Handle<Expression>) -> bool {
        is_storable(self.inner(old), &self.new.module.types)
    }

    /// Type of an old expression, added to the module if necessary.
    pub(crate) fn type_of(&mut self, old: Handle<Expression>) -> Handle<Type> {
        match self.facts.resolution(old).clone() {
            naga::proc::TypeResolution::Handle(ty) => ty,
            naga::proc::TypeResolution::Value(inner) => self.new.insert_type(inner),
        }
    }

    /// A new local variable for the value of an old expression; returns a pointer to it.
    pub(crate) fn variable_for(&mut self, old: Handle<Expression>) -> Handle<Expression> {
        let ty = self.type_of(old);
        self.variable(ty)
    }

    /// A new local variable; returns a pointer to it.
    pub(crate) fn variable(&mut self, ty: Handle<Type>) -> Handle<Expression> {
        let variable = LocalVariable { name: None, ty, init: None };
        let handle = self.new.function.local_variables.append(variable, Span::UNDEFINED);
        self.new.emit(Expression::LocalVariable(handle))
    }
}
