//! Data races: an invocation loads or stores a word of a buffer, of the workgroup's memory or of an image that another one
//! stores, and no barrier stands between them. What such a load gives, and which of such stores remains, no specification says.
//!
//! Runs with noise take other outcomes than the run without, so that results that depend on a race differ. In the first run
//! of a pair the least of the words that may be there is there, in the second the largest; both do not depend on the order of
//! invocations. Loads that come before the store that they race with are known only when they are over: the first run
//! remembers these stores for the second.
//!
//! Stores of the same word do not race, and atomic operations do not race with each other.

use std::collections::BTreeMap;

use crate::code::{Code, ImageOp, Op, Shared};
use crate::foresight::{Foresight, Place, Seen, Store};
use crate::memory::{Bound, Environment};
use crate::noise::Noise;

/// Who loaded or stored a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Access {
    /// Number of the workgroup's turn, from 1; 0 for nobody.
    turn: u32,
    lane: u32,
    /// Number of barriers before it.
    epoch: u32,
}

/// Maximum places of a memory that is watched; a place takes 32 bytes. The buffers of cases have at most half of it.
const MAX_PLACES: usize = 1 << 24;

/// The lane of several.
const SEVERAL: u32 = u32::MAX;

/// Memory that invocations share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Memory {
    Workgroup,
    /// Index of a buffer.
    Buffer(usize),
    /// Index of a texture.
    Texture(usize),
}

/// What happened to the places of a memory. Three words are an [`Access`].
#[derive(Clone, Debug)]
struct Traces {
    is_workgroup: bool,
    stores: Vec<[u32; 3]>,
    loads: Vec<[u32; 3]>,
    /// Least and largest of what may be there.
    values: Vec<[u32; 2]>,
}

impl Traces {
    /// Of so many places. Zeros cost nothing until they are written.
    fn new(places: usize, is_workgroup: bool) -> Self {
        let accesses = || vec![[0; 3]; places];
        Self { is_workgroup, stores: accesses(), loads: accesses(), values: vec![[0; 2]; places] }
    }

    fn access(&self, all: &[[u32; 3]], at: usize, turn: u32) -> Access {
        let [own, lane, epoch] = all.get(at).copied().unwrap_or_default();
        // Each workgroup has memory of its own.
        if self.is_workgroup && own != turn {
            return Access::default();
        }
        Access { turn: own, lane, epoch }
    }
}

/// Watches the invocations of a stage for races.
#[derive(Clone, Debug)]
pub(crate) struct Races {
    noise: Noise,
    memories: Vec<Traces>,
    /// By resource: index of its memory, if the stage stores to it.
    of_resource: Vec<Option<usize>>,
    of_workgroup: Option<usize>,
    /// Number of the stage in its run.
    stage: usize,
    /// What the first run of the pair found.
    foreseen: Seen,
    /// What this run finds, if it is the first.
    found: Seen,
    turn: u32,
    epoch: u32,
    /// Turns before this one are over for all that follows.
    fence: u32,
}

impl Races {
    /// Watches a stage for which this is bound. `None` without noise, and if it stores to nothing that invocations share.
    pub(crate) fn new(code: &Code, environment: &Environment<'_>) -> Option<Self> {
        let noise = environment.noise?;
        let (stage, foreseen) = environment.work.foresight.borrow_mut().next_stage(noise);
        let mut races = Self {
            noise,
            memories: Vec::new(),
            of_resource: Vec::new(),
            of_workgroup: None,
            stage,
            foreseen,
            found: Seen::default(),
            turn: 0,
            epoch: 0,
            fence: 0,
        };
        let mut known = BTreeMap::new();
        for stored in stored(code) {
            let memory = stored.map_or(Some(Memory::Workgroup), |at| environment.memory(at));
            let Some(memory) = memory.filter(|memory| !known.contains_key(memory)) else {
                continue;
            };
            let places = environment.places(memory, code);
            if places <= MAX_PLACES {
                known.insert(memory, races.memories.len());
                races.memories.push(Traces::new(places, memory == Memory::Workgroup));
            }
        }
        races.of_workgroup = known.get(&Memory::Workgroup).copied();
        let resources = 0..environment.bound.len();
        races.of_resource =
            resources.map(|resource| known.get(&environment.memory(resource)?).copied()).collect();
        (!races.memories.is_empty()).then_some(races)
    }

    /// The index of a memory, if it is watched.
    pub(crate) fn memory(&self, memory: Shared) -> Option<usize> {
        match memory {
            Shared::Workgroup => self.of_workgroup,
            Shared::Buffer(resource) => self.resource(resource),
        }
    }

    /// The same of a resource's.
    pub(crate) fn resource(&self, resource: usize) -> Option<usize> {
        self.of_resource.get(resource).copied().flatten()
    }

    /// The next workgroup, or other lanes, have their turn.
    pub(crate) const fn begin_turn(&mut self) {
        self.turn += 1;
        (self.epoch, self.fence) = (0, 0);
    }

    /// A barrier of the workgroup. One of memory alone lets its invocations see what others say is ready, by atomic
    /// operations, so that nothing is known of a race from then on.
    pub(crate) const fn barrier(&mut self, is_of_memory: bool) {
        self.epoch += 1;
        if is_of_memory {
            self.fence = self.turn;
        }
    }

    /// Leaves what was found for the second run of the pair.
    pub(crate) fn end_turn(&mut self, foresight: &mut Foresight) {
        foresight.add(self.stage, &mut self.found);
    }

    const fn now(&self, lane: u32) -> Access {
        Access { turn: self.turn, lane, epoch: self.epoch }
    }

    /// True if all that an access did is done for a lane.
    const fn is_ordered(&self, access: Access, lane: u32) -> bool {
        let is_own = access.turn == self.turn;
        let is_before = access.lane == lane || access.epoch < self.epoch;
        access.turn == 0 || access.turn < self.fence || is_own && is_before
    }

    /// A lane loads. Gives another word if that may be there.
    pub(crate) fn load(&mut self, place: Place, lane: u32, is_live: bool) -> Option<u32> {
        let Place { memory, at } = place;
        let traces = self.memories.get(memory)?;
        let store = traces.access(&traces.stores, at, self.turn);
        let values = traces.values.get(at).copied()?;
        let load = traces.access(&traces.loads, at, self.turn);
        let lane_or_several = if self.is_ordered(load, lane) { lane } else { SEVERAL };
        let load = self.now(lane_or_several);
        if let Some(traces) = self.memories.get_mut(memory).filter(|_| is_live) {
            traces.loads[at] = [load.turn, load.lane, load.epoch];
        }
        if store.turn == 0 {
            let later = self.foreseen.later.get(&place).filter(|later| later.lane != lane);
            return later.map(|later| later.value);
        }
        let is_decided = self.is_ordered(store, lane) || values[0] == values[1];
        if is_decided {
            return None;
        }
        let is_vague = self.noise.is_opposite() && are_near(values);
        Some(if is_vague { f32::NAN.to_bits() } else { self.one_of(values) })
    }

    /// A lane stores `new` where `old` is. Gives what remains.
    pub(crate) fn store(&mut self, place: Place, lane: u32, [old, new]: [u32; 2]) -> u32 {
        let Place { memory, at } = place;
        let Some(traces) = self.memories.get(memory).filter(|all| at < all.values.len()) else {
            return new;
        };
        let store = traces.access(&traces.stores, at, self.turn);
        let load = traces.access(&traces.loads, at, self.turn);
        let is_ordered = self.is_ordered(store, lane);
        let is_first = !self.noise.is_opposite();
        if new != old && is_first && !self.is_ordered(load, lane) {
            self.found.later.entry(place).or_insert(Store { lane, value: new });
        }
        let value = if is_ordered { new } else { self.remaining(place, [old, new]) };
        if !is_ordered && is_first {
            self.found.last.insert(place, value);
        }
        let now = self.now(lane);
        if let Some(traces) = self.memories.get_mut(memory) {
            let known = if is_ordered && store != now { [old; 2] } else { traces.values[at] };
            traces.values[at] = [known[0].min(new), known[1].max(new)];
            traces.stores[at] = [now.turn, now.lane, now.epoch];
        }
        value
    }

    /// Which of two stores remains. Not what the first run left, if there is a choice.
    fn remaining(&self, place: Place, words: [u32; 2]) -> u32 {
        let [least, most] = [words[0].min(words[1]), words[0].max(words[1])];
        match self.foreseen.last.get(&place) {
            Some(last) if *last == most => least,
            _ => self.one_of([least, most]),
        }
    }

    /// One of two words that may be there.
    const fn one_of(&self, [least, most]: [u32; 2]) -> u32 {
        if self.noise.is_opposite() { most } else { least }
    }
}

impl Environment<'_> {
    /// What is bound to a resource.
    fn memory(&self, resource: usize) -> Option<Memory> {
        match *self.bound.get(resource)? {
            Bound::Buffer(buffer) => Some(Memory::Buffer(buffer)),
            Bound::View(view) => self.textures.texture(view).map(Memory::Texture),
            Bound::Sampler(_) => None,
        }
    }

    /// Places of a memory: halves of words, or channels of texels.
    fn places(&self, memory: Memory, code: &Code) -> usize {
        let (items, each) = match memory {
            Memory::Workgroup => (code.shared_words, 2),
            Memory::Buffer(at) => (self.buffers.get(at).map_or(0, |all| all.words.len()), 2),
            Memory::Texture(texture) => (self.textures.texels(texture), 4),
        };
        items.saturating_mul(each)
    }
}

/// Where a stage stores without atomic operations: to resources, or, without a number, to the workgroup's memory.
fn stored(code: &Code) -> impl Iterator<Item = Option<usize>> {
    code.ops.iter().filter_map(|op| {
        if let Op::StoreShared { address, .. } = op {
            return (!address.is_atomic).then_some(match address.memory {
                Shared::Workgroup => None,
                Shared::Buffer(resource) => Some(resource),
            });
        }
        let Op::Image(image) = op else { return None };
        let ImageOp::Store { view, .. } = **image else { return None };
        Some(Some(view))
    })
}

/// True if words look like floats that are too near each other to count as not decided, and too far for rounding. Many loads
/// and stores in turn may go further than these, so that nothing is known.
fn are_near(words: [u32; 2]) -> bool {
    let [a, b] = words.map(|bits| f64::from(f32::from_bits(bits)));
    let (largest, difference) = (a.abs().max(b.abs()), (a - b).abs());
    let are_floats = a.abs().min(b.abs()) > LEAST_FLOAT && largest < LARGEST_FLOAT;
    let is_rounding = difference <= largest / 1024.0;
    are_floats && !is_rounding && difference < (largest / 32.0).max(1.0 / 128.0)
}

/// Floats of other sizes are taken for integers.
const LEAST_FLOAT: f64 = 1e-20;
const LARGEST_FLOAT: f64 = 1e20;

#[cfg(test)]
mod tests;
