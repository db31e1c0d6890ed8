//! Detects data races: an invocation loads or stores a word of a buffer, of the workgroup's memory or of an image that
//! another one stores, without a barrier in between. No specification determines the result of the load, or which store
//! remains.
//!
//! Runs with noise choose other outcomes than the run without, so results that depend on a race differ. In the first
//! run of a pair a racing word has the least of its possible values, in the second the largest; both are independent of
//! the order of invocations. Loads that precede the store that they race with are detected too late: the first run
//! remembers these stores for the second.
//!
//! Stores of the same word do not race, and atomic operations do not race with each other.

use std::collections::BTreeMap;

use crate::code::{Code, ImageOp, Op, Shared};
use crate::memory::{Bound, Environment};
use crate::noise::Noise;
use crate::noise::foresight::{Foresight, Place, Seen, Store};

/// The last access to a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Access {
    /// Number of the workgroup's turn, from 1; 0 if there was no access.
    turn: u32,
    lane: u32,
    /// Number of barriers before the access.
    epoch: u32,
}

/// Maximum places of a watched memory; a place occupies 32 bytes. The buffers of cases have at most half as many.
const MAX_PLACES: usize = 1 << 24;

/// Lane number that stands for several lanes.
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

/// The accesses to the places of a memory. Three words are an [`Access`].
#[derive(Clone, Debug)]
struct Traces {
    is_workgroup: bool,
    stores: Vec<[u32; 3]>,
    loads: Vec<[u32; 3]>,
    /// Least and largest possible value of each place.
    values: Vec<[u32; 2]>,
}

impl Traces {
    /// Allocates traces of `places` places. Zeros cost nothing until they are written.
    fn new(places: usize, is_workgroup: bool) -> Self {
        let accesses = || vec![[0; 3]; places];
        Self { is_workgroup, stores: accesses(), loads: accesses(), values: vec![[0; 2]; places] }
    }

    fn access(&self, all: &[[u32; 3]], at: usize, turn: u32) -> Access {
        let [own, lane, epoch] = all.get(at).copied().unwrap_or_default();
        // Each workgroup has separate memory.
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
    /// By resource, the index of its memory if the stage stores to it.
    of_resource: Vec<Option<usize>>,
    of_workgroup: Option<usize>,
    /// Number of the stage in its run.
    stage: usize,
    /// Findings of the first run of the pair.
    foreseen: Seen,
    /// Findings of this run, if it is the first.
    found: Seen,
    turn: u32,
    epoch: u32,
    /// Turns before this one are complete for all later accesses.
    fence: u32,
}

impl Races {
    /// Watches a stage with these bound resources. `None` without noise, and if it stores to no memory that invocations
    /// share.
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

    /// The index of a resource's memory, if it is watched.
    pub(crate) fn resource(&self, resource: usize) -> Option<usize> {
        self.of_resource.get(resource).copied().flatten()
    }

    /// Begins the turn of the next workgroup, or of other lanes.
    pub(crate) const fn begin_turn(&mut self) {
        self.turn += 1;
        (self.epoch, self.fence) = (0, 0);
    }

    /// Records a barrier of the workgroup. A memory barrier lets its invocations see data that others signal as ready
    /// by atomic operations, so no race is known from then on.
    pub(crate) const fn barrier(&mut self, is_of_memory: bool) {
        self.epoch += 1;
        if is_of_memory {
            self.fence = self.turn;
        }
    }

    /// Passes the findings to the second run of the pair.
    pub(crate) fn end_turn(&mut self, foresight: &mut Foresight) {
        foresight.add(self.stage, &mut self.found);
    }

    const fn now(&self, lane: u32) -> Access {
        Access { turn: self.turn, lane, epoch: self.epoch }
    }

    /// True if an access is complete for a lane.
    const fn is_ordered(&self, access: Access, lane: u32) -> bool {
        let is_own = access.turn == self.turn;
        let is_before = access.lane == lane || access.epoch < self.epoch;
        access.turn == 0 || access.turn < self.fence || is_own && is_before
    }

    /// Records a load by a lane. Returns another word if the load may see one.
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

    /// Records a store by a lane of `new` over `old`. Returns the word that remains.
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

    /// Selects which of two stores remains: if there is a choice, not the one that remained in the first run.
    fn remaining(&self, place: Place, words: [u32; 2]) -> u32 {
        let [least, most] = [words[0].min(words[1]), words[0].max(words[1])];
        match self.foreseen.last.get(&place) {
            Some(last) if *last == most => least,
            _ => self.one_of([least, most]),
        }
    }

    /// Selects one of two possible words.
    const fn one_of(&self, [least, most]: [u32; 2]) -> u32 {
        if self.noise.is_opposite() { most } else { least }
    }
}

impl Environment<'_> {
    /// The memory bound to a resource.
    fn memory(&self, resource: usize) -> Option<Memory> {
        match *self.bound.get(resource)? {
            Bound::Buffer(buffer) => Some(Memory::Buffer(buffer)),
            Bound::View(view) => self.textures.texture(view).map(Memory::Texture),
            Bound::Sampler(_) => None,
        }
    }

    /// Number of places of a memory: halves of words, or channels of texels.
    fn places(&self, memory: Memory, code: &Code) -> usize {
        let (items, each) = match memory {
            Memory::Workgroup => (code.shared_words, 2),
            Memory::Buffer(at) => (self.buffers.get(at).map_or(0, |all| all.words.len()), 2),
            Memory::Texture(texture) => (self.textures.texels(texture), 4),
        };
        items.saturating_mul(each)
    }
}

/// The memories to which a stage stores without atomic operations: resources, or `None` for the workgroup's memory.
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

/// True if words look like floats that are too close to count as undecided, and too far apart for rounding. Many loads
/// and stores in sequence may differ by more, so the result becomes unknown.
fn are_near(words: [u32; 2]) -> bool {
    let [a, b] = words.map(|bits| f64::from(f32::from_bits(bits)));
    let (largest, difference) = (a.abs().max(b.abs()), (a - b).abs());
    let are_floats = a.abs().min(b.abs()) > LEAST_FLOAT && largest < LARGEST_FLOAT;
    let is_rounding = difference <= largest / 1024.0;
    are_floats && !is_rounding && difference < (largest / 32.0).max(1.0 / 128.0)
}

/// Floats of other magnitudes count as integers.
const LEAST_FLOAT: f64 = 1e-20;
const LARGEST_FLOAT: f64 = 1e20;

#[cfg(test)]
mod tests;
