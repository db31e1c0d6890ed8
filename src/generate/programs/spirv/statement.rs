//! Writes statements.

use std::fmt::Write as _;

use super::super::tree::{Argument, Case, Expression, Form, INT, Loop, Place, Scalar, Statement};
use super::{Leave, Writer};

impl Writer<'_> {
    /// Writes a statement. True if it left the block.
    pub(super) fn statement(&mut self, statement: &Statement) -> bool {
        match statement {
            Statement::Declare(variable, value) => {
                self.local(&format!("%x{}", variable.number), variable.ty);
                self.store(&Place::whole(*variable), value);
            }
            Statement::Assign(place, value) => self.store(place, value),
            Statement::AssignThrough(place, count, value) => {
                self.store_through(place, *count, value);
            }
            Statement::Update(place, op, value) => {
                let old = Expression::load(place.clone());
                self.store(place, &old.then(*op, vec![value.clone()]));
            }
            Statement::Call(number, arguments) => {
                let arguments = self.arguments(arguments);
                let void = self.declared.id("OpTypeVoid");
                self.result("OpFunctionCall", &void, &format!("%call{number} {arguments}"));
            }
            Statement::If(condition, first, second) => {
                return self.branch(condition, first, second);
            }
            Statement::Loop(repeat) => self.repeat(repeat),
            Statement::Switch(choice, cases) => self.switch(choice, cases),
            Statement::Break => {
                let after = self.leaves.last().map_or_else(String::new, |last| last.after.clone());
                self.line(&format!("OpBranch {after}"));
                return true;
            }
            Statement::BreakLoop => {
                let inner = self.leaves.iter().rev().find(|leave| leave.next.is_some());
                let after = inner.map_or_else(String::new, |inner| inner.after.clone());
                self.line(&format!("OpBranch {after}"));
                return true;
            }
            Statement::Continue => {
                let next = self.leaves.iter().rev().find_map(|leave| leave.next.clone());
                self.line(&format!("OpBranch {}", next.unwrap_or_default()));
                return true;
            }
            Statement::Return(value) => {
                let value = value.as_ref().map(|value| self.expression(value));
                self.line(&value.map_or_else(
                    || "OpReturn".to_owned(),
                    |value| format!("OpReturnValue {value}"),
                ));
                return true;
            }
            Statement::Discard => {
                self.line("OpKill");
                return true;
            }
            Statement::Barrier => {
                let [workgroup, semantics] =
                    ["2", "264"].map(|value| self.declared.number(Scalar::Uint, value));
                self.line(&format!("OpControlBarrier {workgroup} {workgroup} {semantics}"));
            }
            Statement::Atomic(atomic) => self.atomic(atomic),
            Statement::Paint(value) => self.paint(value),
        }
        false
    }

    pub(super) fn arguments(&mut self, arguments: &[Argument]) -> String {
        let mut texts = Vec::new();
        for argument in arguments {
            texts.push(match argument {
                Argument::Value(value) => self.expression(value),
                Argument::Changed(place) => self.pointer(place),
            });
        }
        texts.join(" ")
    }

    /// Writes a block, which goes on at `after`. True if its last statement left it.
    fn block(&mut self, label: &str, statements: &[Statement], after: &str) -> bool {
        self.line(&format!("{label} = OpLabel"));
        let is_left = self.statements(statements);
        if !is_left {
            self.line(&format!("OpBranch {after}"));
        }
        is_left
    }

    /// The label to which a block goes that has no other statement.
    fn exit(&self, block: &[Statement]) -> Option<String> {
        let innermost_loop = || self.leaves.iter().rev().find(|leave| leave.next.is_some());
        match block {
            [Statement::Break] => self.leaves.last().map(|leave| leave.after.clone()),
            [Statement::BreakLoop] => innermost_loop().map(|leave| leave.after.clone()),
            [Statement::Continue] => innermost_loop().and_then(|leave| leave.next.clone()),
            _ => None,
        }
    }

    /// Writes a branch. True if both sides leave it.
    fn branch(
        &mut self,
        condition: &Expression,
        first: &[Statement],
        second: &[Statement],
    ) -> bool {
        let condition = self.expression(condition);
        // A branch to a label of a loop or switch needs no merge.
        if let Some(exit) = self.exit(first)
            && second.is_empty()
            && self.ids.is_multiple_of(2)
        {
            let after = self.fresh();
            self.line(&format!("OpBranchConditional {condition} {exit} {after}"));
            self.line(&format!("{after} = OpLabel"));
            return false;
        }
        let (yes, after) = (self.fresh(), self.fresh());
        let no = if second.is_empty() { after.clone() } else { self.fresh() };
        self.line(&format!("OpSelectionMerge {after} None"));
        self.line(&format!("OpBranchConditional {condition} {yes} {no}"));
        let mut is_left = self.block(&yes, first, &after);
        if second.is_empty() {
            is_left = false;
        } else {
            is_left &= self.block(&no, second, &after);
        }
        self.line(&format!("{after} = OpLabel"));
        if is_left {
            self.line("OpUnreachable");
        }
        is_left
    }

    fn repeat(&mut self, Loop { form, counter, limit, body, continuing }: &Loop) {
        let labels: [String; 5] = std::array::from_fn(|_| self.fresh());
        let [header, test, inner, next, after] = &labels;
        let (int, bool) = (self.declared.scalar(Scalar::Int), self.declared.scalar(Scalar::Bool));
        let [zero, one] = ["0", "1"].map(|value| self.declared.number(Scalar::Int, value));
        let counter = format!("%x{}", counter.number);
        self.local(&counter, INT);
        self.line(&format!("OpStore {counter} {zero}\nOpBranch {header}\n{header} = OpLabel"));
        // The test may stand in the header.
        let is_short = *form != Form::DoWhile && self.ids.is_multiple_of(3);
        let merge = format!("OpLoopMerge {after} {next} None");
        if !is_short {
            self.line(&format!("{merge}\nOpBranch {test}"));
        }
        let count = |writer: &mut Self| {
            let now = writer.result("OpLoad", &int, &counter);
            let more = writer.result("OpIAdd", &int, &format!("{now} {one}"));
            writer.line(&format!("OpStore {counter} {more}"));
        };
        let goes_on = |writer: &mut Self| {
            let now = writer.result("OpLoad", &int, &counter);
            let most = writer.result("OpLoad", &int, &format!("%x{}", limit.number));
            writer.result("OpSLessThan", &bool, &format!("{now} {most}"))
        };
        if !is_short {
            self.line(&format!("{test} = OpLabel"));
        }
        if *form == Form::DoWhile {
            self.line(&format!("OpBranch {inner}"));
        } else {
            let condition = goes_on(self);
            if is_short {
                self.line(&merge);
            }
            self.line(&format!("OpBranchConditional {condition} {inner} {after}"));
        }
        self.line(&format!("{inner} = OpLabel"));
        if *form != Form::For {
            count(self);
        }
        self.leaves.push(Leave { after: after.clone(), next: Some(next.clone()) });
        if !self.statements(body) {
            self.line(&format!("OpBranch {next}"));
        }
        self.leaves.pop();
        self.line(&format!("{next} = OpLabel"));
        self.statements(continuing);
        if *form == Form::DoWhile {
            let condition = goes_on(self);
            self.line(&format!("OpBranchConditional {condition} {header} {after}"));
        } else {
            if *form == Form::For {
                count(self);
            }
            self.line(&format!("OpBranch {header}"));
        }
        self.line(&format!("{after} = OpLabel"));
    }

    fn switch(&mut self, choice: &Expression, cases: &[Case]) {
        let choice = self.expression(choice);
        let labels: Vec<_> = cases.iter().map(|_| self.fresh()).collect();
        let after = self.fresh();
        let Some(last) = labels.last() else { return };
        let mut targets = String::new();
        for (case, label) in cases.iter().zip(&labels) {
            for value in &case.labels {
                let _ = write!(targets, " {value} {label}");
            }
        }
        self.line(&format!("OpSelectionMerge {after} None"));
        self.line(&format!("OpSwitch {choice} {last}{targets}"));
        self.leaves.push(Leave { after: after.clone(), next: None });
        for (number, case) in cases.iter().enumerate() {
            let target = if case.falls { labels.get(number + 1) } else { None };
            self.block(&labels[number], &case.body, target.unwrap_or(&after));
        }
        self.leaves.pop();
        self.line(&format!("{after} = OpLabel"));
    }
}
