//! Executes control flow, which decides which lanes are active.

use super::{Lanes, MAX_STEPS, Mask, word};
use crate::code::{Case, Node, Register};
use crate::errors::Stopped;
use crate::memory::Environment;

/// Number of iterations of a loop after which lanes with discarded fragments leave it. In GLSL these lanes end where
/// they discard (4.60, section 6.4); here they continue for the derivatives of their neighbours, which might be an
/// endless loop.
const MAX_DISCARDED_TURNS: u32 = 4096;

impl Lanes<'_> {
    pub(super) fn nodes(
        &mut self,
        nodes: &[Node],
        environment: &mut Environment<'_>,
    ) -> Result<(), Stopped> {
        for node in nodes {
            if !is_any(&self.active) {
                return Ok(());
            }
            self.node(node, environment)?;
        }
        Ok(())
    }

    fn node(&mut self, node: &Node, environment: &mut Environment<'_>) -> Result<(), Stopped> {
        environment.work.spend(self.width)?;
        match node {
            Node::Ops(range) => {
                let code = self.code;
                code.ops[range.clone()].iter().try_for_each(|op| self.step(op, environment))
            }
            Node::If { condition, accept, reject } => {
                let (yes, no) = self.parted(*condition);
                self.active = yes;
                self.nodes(accept, environment)?;
                let accepted = std::mem::replace(&mut self.active, no);
                self.nodes(reject, environment)?;
                join(&mut self.active, &accepted);
                Ok(())
            }
            Node::Switch { selector, cases } => self.switch(*selector, cases, environment),
            Node::Loop { body, continuing, break_if } => {
                self.repeat(body, continuing, *break_if, environment)
            }
            Node::Call(body) => {
                let outer = std::mem::replace(&mut self.returned, vec![0; self.width]);
                self.nodes(body, environment)?;
                let returned = std::mem::replace(&mut self.returned, outer);
                join(&mut self.active, &returned);
                Ok(())
            }
            Node::Break => {
                join(&mut self.broken, &self.active);
                self.active.fill(0);
                Ok(())
            }
            Node::Continue => {
                join(&mut self.continued, &self.active);
                self.active.fill(0);
                Ok(())
            }
            Node::Return => {
                join(&mut self.returned, &self.active);
                self.active.fill(0);
                Ok(())
            }
            Node::Kill => {
                join(&mut self.discarded, &self.active);
                for (live, active) in self.live.iter_mut().zip(&self.active) {
                    *live &= !active;
                }
                Ok(())
            }
        }
    }

    /// True if all active lanes have discarded their fragments.
    fn are_all_discarded(&self) -> bool {
        self.active.iter().zip(&self.discarded).all(|(active, discarded)| active & !discarded == 0)
    }

    /// Splits the active lanes into those where a boolean is true, and those where it is false.
    fn parted(&self, condition: Register) -> (Mask, Mask) {
        let (mut yes, mut no) = (self.active.clone(), self.active.clone());
        for ((yes, no), is_true) in yes.iter_mut().zip(&mut no).zip(self.words(condition)) {
            let is_true = word(*is_true != 0);
            *yes &= is_true;
            *no &= !is_true;
        }
        (yes, no)
    }

    fn repeat(
        &mut self,
        body: &[Node],
        continuing: &[Node],
        break_if: Option<Register>,
        environment: &mut Environment<'_>,
    ) -> Result<(), Stopped> {
        let none = || vec![0; self.width];
        let (broken, continued) = (none(), none());
        let outer_broken = std::mem::replace(&mut self.broken, broken);
        let outer_continued = std::mem::replace(&mut self.continued, continued);
        for turn in 0_u32.. {
            if turn >= MAX_DISCARDED_TURNS && self.are_all_discarded() {
                self.active.fill(0);
            }
            if !is_any(&self.active) {
                break;
            }
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(Stopped::TooLong(MAX_STEPS));
            }
            environment.work.spend(self.width)?;
            self.nodes(body, environment)?;
            join(&mut self.active, &self.continued);
            self.continued.fill(0);
            self.nodes(continuing, environment)?;
            if let Some(condition) = break_if {
                let (ended, others) = self.parted(condition);
                join(&mut self.broken, &ended);
                self.active = others;
            }
        }
        self.active = std::mem::replace(&mut self.broken, outer_broken);
        self.continued = outer_continued;
        Ok(())
    }

    fn switch(
        &mut self,
        selector: Register,
        cases: &[Case],
        environment: &mut Environment<'_>,
    ) -> Result<(), Stopped> {
        let entered = std::mem::replace(&mut self.active, vec![0; self.width]);
        let outer_broken = std::mem::replace(&mut self.broken, vec![0; self.width]);
        // Without a default, lanes that no case selects continue after the `switch`.
        let mut others = vec![0; self.width];
        let mut starts = Vec::new();
        let mut last = None;
        for (lane, (active, value)) in entered.iter().zip(self.words(selector)).enumerate() {
            if *active == 0 {
                continue;
            }
            // Lanes mostly have the same value.
            let (_, taken) = last
                .filter(|(known, _)| known == value)
                .unwrap_or_else(|| (*value, taken(cases, *value)));
            last = Some((*value, taken));
            match taken {
                Some(case) => starts.push((case, lane)),
                None => others[lane] = u32::MAX,
            }
        }
        starts.sort_unstable();
        let mut starts = starts.into_iter().peekable();
        let mut falls_through = false;
        for (idx, case) in cases.iter().enumerate() {
            let mut is_entered = falls_through;
            while let Some((_, lane)) = starts.next_if(|(own, _)| *own == idx) {
                self.active[lane] = u32::MAX;
                is_entered = true;
            }
            falls_through = is_entered && case.falls_through;
            if !is_entered {
                continue;
            }
            self.nodes(&case.body, environment)?;
            if !falls_through {
                join(&mut self.broken, &self.active);
                self.active.fill(0);
            }
        }
        join(&mut self.active, &self.broken);
        join(&mut self.active, &others);
        self.broken = outer_broken;
        Ok(())
    }
}

/// The case for a value: the one that lists it, otherwise the default.
fn taken(cases: &[Case], value: u32) -> Option<usize> {
    let named = cases.iter().position(|case| case.values.contains(&value));
    named.or_else(|| cases.iter().position(|case| case.is_default))
}

fn is_any(mask: &Mask) -> bool {
    mask.iter().any(|word| *word != 0)
}

fn join(mask: &mut Mask, other: &Mask) {
    mask.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}
