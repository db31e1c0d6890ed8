//! The statements that naga's reader makes from the blocks of a function.

use std::collections::BTreeMap;

use rspirv::dr::{Block, Function, Operand};
use rspirv::spirv::Op;

use crate::rewrite::block::label;
use crate::specialize::ids;

/// Maximum nesting of statements: later passes recurse.
const MAX_DEPTH: usize = 200;

/// The meaning of a branch to a label.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// Falling off the end of the selection.
    Selection,
    Switch,
    Loop,
    Continue,
}

/// A part of a body, in naga's order.
enum Part {
    Block(usize),
    If { accept: usize, reject: usize },
    Loop { body: usize, continuing: usize },
    Switch { cases: Vec<(Operand, usize)>, default: usize },
    Break,
    Continue,
}

#[derive(Default)]
struct Body {
    parent: usize,
    depth: usize,
    parts: Vec<Part>,
    /// For the body of a continuing statement, the value of the last condition that ends the loop.
    breaks_if: Option<bool>,
}

/// The labels of the blocks where control goes from the end of a body; `None` if naga does not allow this exit.
#[derive(Clone, Copy, Default)]
struct Ends {
    follow: Option<u32>,
    out: Option<u32>,
    next_turn: Option<u32>,
    /// In a continuing statement, the label of the block after the loop.
    behind: Option<u32>,
}

pub(super) struct Construction<'a> {
    blocks: &'a [Block],
    bodies: Vec<Body>,
    /// The body that a block belongs to.
    homes: BTreeMap<u32, usize>,
    exits: BTreeMap<u32, Exit>,
}

impl<'a> Construction<'a> {
    /// True if naga's statements have the same control flow as the branches of the function.
    pub(super) fn is_true_to(function: &'a Function) -> bool {
        let mut all = Self {
            blocks: &function.blocks,
            bodies: vec![Body::default()],
            homes: BTreeMap::new(),
            exits: BTreeMap::new(),
        };
        (0..all.blocks.len()).all(|at| all.read(at).is_some())
            && all.bodies.iter().all(|body| body.depth <= MAX_DEPTH)
            && all.follow(0, Ends::default()).is_some()
    }

    fn body(&mut self, parent: usize) -> usize {
        let depth = self.bodies[parent].depth + 1;
        self.bodies.push(Body { parent, depth, ..Body::default() });
        self.bodies.len() - 1
    }

    /// Reads a block as naga does. Returns `None` if naga's result for it is not defined.
    fn read(&mut self, at: usize) -> Option<()> {
        let block = &self.blocks[at];
        let own = label(block);
        let mut home = *self.homes.entry(own).or_insert(0);
        let mut merge = None;
        let (last, before) = block.instructions.split_last()?;
        for one in before {
            let named: Vec<u32> = ids(one).collect();
            match (one.class.opcode, named.as_slice()) {
                (Op::SelectionMerge, [end]) => {
                    self.homes.entry(*end).or_insert(home);
                    self.exits.insert(*end, Exit::Selection);
                    merge = Some(*end);
                }
                (Op::LoopMerge, [end, next_turn, ..]) => {
                    self.homes.entry(*end).or_insert(home);
                    self.exits.insert(*end, Exit::Loop);
                    let body = self.body(home);
                    let continuing = self.body(body);
                    self.homes.entry(*next_turn).or_insert(continuing);
                    self.exits.insert(*next_turn, Exit::Continue);
                    self.homes.insert(own, body);
                    self.bodies[home].parts.push(Part::Loop { body, continuing });
                    home = body;
                }
                _ => {}
            }
        }
        let named: Vec<u32> = ids(last).collect();
        match (last.class.opcode, named.as_slice()) {
            (Op::Branch, [target]) => self.branch(at, home, *target),
            (Op::BranchConditional, [_, yes, no]) => self.condition(at, home, [*yes, *no])?,
            (Op::Switch, [_, default, ..]) => {
                self.exits.insert(merge?, Exit::Switch);
                self.switch(at, home, *default, &last.operands)?;
            }
            (Op::Return | Op::ReturnValue | Op::Kill, _) => {
                self.bodies[home].parts.push(Part::Block(at));
            }
            _ => return None,
        }
        Some(())
    }

    /// Adds block `at` and the branch at its end to the body `home`.
    fn branch(&mut self, at: usize, home: usize, target: u32) {
        self.bodies[home].parts.push(Part::Block(at));
        match self.exits.get(&target).copied() {
            Some(exit) => self.leave(home, exit),
            None => drop(self.homes.entry(target).or_insert(home)),
        }
    }

    fn leave(&mut self, body: usize, exit: Exit) {
        let parts = &mut self.bodies[body].parts;
        match exit {
            Exit::Selection => {}
            Exit::Switch | Exit::Loop => parts.push(Part::Break),
            Exit::Continue => parts.push(Part::Continue),
        }
    }

    fn condition(&mut self, at: usize, home: usize, ways: [u32; 2]) -> Option<()> {
        if let Some(breaks_if) = self.last_condition(home, ways) {
            self.bodies[home].breaks_if = Some(breaks_if);
            self.bodies[home].parts.push(Part::Block(at));
            return Some(());
        }
        self.bodies[home].parts.push(Part::Block(at));
        let exits = ways.map(|way| self.exits.get(&way).copied());
        if ways[0] == ways[1] {
            match exits[0] {
                Some(exit) => self.leave(home, exit),
                None => is_new(self.homes.insert(ways[0], home))?,
            }
            return Some(());
        }
        let bodies = [(); 2].map(|()| self.body(home));
        for ((way, exit), body) in ways.into_iter().zip(exits).zip(bodies) {
            match exit {
                Some(exit) => self.leave(body, exit),
                None => is_new(self.homes.insert(way, body))?,
            }
        }
        let [accept, reject] = bodies;
        self.bodies[home].parts.push(Part::If { accept, reject });
        Some(())
    }

    /// The value of a condition that ends the loop, if the condition is at the end of the loop's continuing statement
    /// and chooses between leaving the loop and its next iteration.
    fn last_condition(&self, home: usize, ways: [u32; 2]) -> Option<bool> {
        let around = self.bodies[self.bodies[home].parent].parent;
        let Some(Part::Loop { body, continuing }) = self.bodies[around].parts.last() else {
            return None;
        };
        if *continuing != home || self.bodies[home].breaks_if.is_some() {
            return None;
        }
        [true, false].into_iter().find(|breaks_if| {
            let [out, next] = if *breaks_if { ways } else { [ways[1], ways[0]] };
            self.exits.get(&out) == Some(&Exit::Loop)
                && !self.exits.contains_key(&next)
                && self.homes.get(&next) == Some(body)
        })
    }

    fn switch(
        &mut self,
        at: usize,
        home: usize,
        otherwise: u32,
        operands: &[Operand],
    ) -> Option<()> {
        let default = self.body(home);
        self.homes.entry(otherwise).or_insert(default);
        let mut targets: Vec<(u32, usize, Vec<Operand>)> = Vec::new();
        for pair in operands.get(2..)?.chunks_exact(2) {
            let [literal @ Operand::LiteralBit32(_), Operand::IdRef(target)] = pair else {
                return None;
            };
            if let Some((_, _, literals)) = targets.iter_mut().find(|known| known.0 == *target) {
                literals.push(literal.clone());
                continue;
            }
            let body = self.body(home);
            if let Some(exit) = self.exits.get(target).copied() {
                self.leave(body, exit);
            }
            self.homes.entry(*target).or_insert(body);
            targets.push((*target, body, vec![literal.clone()]));
        }
        let mut cases = Vec::new();
        for (_, body, literals) in targets {
            for literal in &literals[1..] {
                cases.push((literal.clone(), self.body(home)));
            }
            cases.push((literals[0].clone(), body));
        }
        self.bodies[home].parts.extend([Part::Block(at), Part::Switch { cases, default }]);
        Some(())
    }

    /// The block that is executed first when control reaches part `at` of a body.
    fn start(&self, body: usize, at: usize, ends: Ends) -> Option<u32> {
        match self.bodies[body].parts.get(at) {
            None => ends.follow,
            Some(Part::Block(block)) => Some(label(&self.blocks[*block])),
            Some(Part::Loop { body, .. }) => match self.bodies[*body].parts.first() {
                Some(Part::Block(block)) => Some(label(&self.blocks[*block])),
                _ => None,
            },
            Some(Part::Break) => ends.out,
            Some(Part::Continue) => ends.next_turn,
            // An `If` or `Switch` follows its own block, so nothing else leads to it.
            Some(Part::If { .. } | Part::Switch { .. }) => None,
        }
    }

    /// Follows all branches of a body's blocks. Returns `None` if one has another target than in the module.
    fn follow(&self, body: usize, ends: Ends) -> Option<()> {
        for (at, part) in self.bodies[body].parts.iter().enumerate() {
            let rest = self.start(body, at + 1, ends);
            let inner = Ends { follow: rest, behind: None, ..ends };
            match part {
                Part::Block(block) => self.follow_block(&self.blocks[*block], body, at, ends)?,
                Part::If { accept, reject } => {
                    self.follow(*accept, inner)?;
                    self.follow(*reject, inner)?;
                }
                Part::Loop { body: turn, continuing } => {
                    let header = self.start(body, at, ends)?;
                    let last =
                        Ends { follow: Some(header), behind: rest, out: None, next_turn: None };
                    let next_turn = self.start(*continuing, 0, last);
                    let inside = Ends { follow: next_turn, out: rest, next_turn, behind: None };
                    self.follow(*turn, inside)?;
                    self.follow(*continuing, last)?;
                }
                Part::Switch { .. } => {
                    for (case, ends) in self.cases(part, Ends { out: rest, ..inner }) {
                        self.follow(case, ends)?;
                    }
                }
                Part::Break | Part::Continue => {}
            }
        }
        Some(())
    }

    /// The bodies of a switch, the default last, with their ends. Each body continues in the next one.
    fn cases(&self, switch: &Part, ends: Ends) -> Vec<(usize, Ends)> {
        let Part::Switch { cases, default } = switch else { return Vec::new() };
        let mut found = vec![(*default, ends)];
        let mut follow = self.start(*default, 0, ends);
        for (_, case) in cases.iter().rev() {
            let ends = Ends { follow, ..ends };
            found.push((*case, ends));
            follow = self.start(*case, 0, ends);
        }
        found.reverse();
        found
    }

    fn follow_block(&self, block: &Block, body: usize, at: usize, ends: Ends) -> Option<()> {
        let last = block.instructions.last()?;
        let named: Vec<u32> = ids(last).collect();
        let rest = self.start(body, at + 2, ends);
        let inner = Ends { follow: rest, behind: None, ..ends };
        let next = self.bodies[body].parts.get(at + 1);
        let is_true = match (last.class.opcode, named.as_slice(), next) {
            (Op::Branch, [target], _) => self.start(body, at + 1, ends) == Some(*target),
            (Op::BranchConditional, [_, yes, no], Some(Part::If { accept, reject })) => {
                self.start(*accept, 0, inner) == Some(*yes)
                    && self.start(*reject, 0, inner) == Some(*no)
            }
            (Op::BranchConditional, [_, yes, no], None)
                if let Some(breaks_if) = self.bodies[body].breaks_if =>
            {
                let [out, turn] = if breaks_if { [yes, no] } else { [no, yes] };
                ends.behind == Some(*out) && ends.follow == Some(*turn)
            }
            (Op::BranchConditional, [_, yes, no], _) => {
                yes == no && self.start(body, at + 1, ends) == Some(*yes)
            }
            (Op::Switch, [_, default, targets @ ..], Some(part @ Part::Switch { cases, .. })) => {
                let bodies = self.cases(part, Ends { out: rest, ..inner });
                let starts: Vec<_> =
                    bodies.iter().map(|(case, ends)| self.start(*case, 0, *ends)).collect();
                let literals = last.operands.iter().skip(2).step_by(2);
                let mut wanted = literals.zip(targets);
                starts.last() == Some(&Some(*default))
                    && wanted.all(|(literal, target)| {
                        let case = cases.iter().position(|(known, _)| known == literal);
                        case.and_then(|case| starts[case]) == Some(*target)
                    })
            }
            (Op::Return | Op::ReturnValue | Op::Kill, _, _) => true,
            _ => false,
        };
        is_true.then_some(())
    }
}

/// Returns `None` if the label already had a body, which naga would lose.
fn is_new(before: Option<usize>) -> Option<()> {
    before.is_none().then_some(())
}
