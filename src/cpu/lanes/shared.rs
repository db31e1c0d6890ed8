//! Accesses buffers and the workgroup's memory.

use std::ops::Range;

use naga::AtomicFunction;

use super::Lanes;
use crate::code::{Address, HALF, Op, Register, Shared};
use crate::errors::Stopped;
use crate::memory::{Bound, Environment};
use crate::noise::foresight::Place;
use crate::numbers::count;
use arithmetic::Kind;

impl Lanes<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are about registers alone")]
    pub(super) fn shared_operation(
        &mut self,
        op: &Op,
        environment: &mut Environment<'_>,
    ) -> Result<(), Stopped> {
        match *op {
            Op::Load { to, address, ref offsets } => {
                let code = self.code;
                let width = self.width;
                let Self { file, shared, .. } = self;
                let memory = memory_of(address.memory, shared, environment)?;
                for (word, offset) in code.offsets[offsets.clone()].iter().enumerate() {
                    let read = |base| Spot::new(address, base, *offset).read(memory);
                    match address.index {
                        None => {
                            file[(to + word) * width..][..width].fill(read(address.offset));
                        }
                        Some(index) => {
                            for lane in 0..width {
                                let index = file[index * width + lane];
                                file[(to + word) * width + lane] =
                                    read(address.offset.saturating_add(index));
                            }
                        }
                    }
                }
                if !address.is_atomic {
                    self.race_loads(to, address, offsets.clone());
                }
            }
            Op::StoreShared { address, from, ref offsets } => {
                self.store_shared(address, from, offsets.clone(), environment)?;
            }
            Op::Barrier { is_of_memory } => {
                if let Some(races) = &mut self.races {
                    races.barrier(is_of_memory);
                }
            }
            Op::Atomic { .. } => self.atomic(op, environment)?,
            Op::Length { to, resource, offset, stride } => {
                let bytes = match environment.bound.get(resource) {
                    Some(Bound::Buffer(buffer)) => environment.buffers.get(*buffer),
                    _ => None,
                };
                let bytes = bytes.ok_or(Stopped::Unbound(resource))?.bytes;
                let left = u32::try_from(bytes).unwrap_or(u32::MAX).saturating_sub(offset);
                self.words_mut(to).fill(left.checked_div(stride).unwrap_or(0));
            }
            _ => {}
        }
        Ok(())
    }

    fn store_shared(
        &mut self,
        address: Address,
        from: Register,
        offsets: Range<usize>,
        environment: &mut Environment<'_>,
    ) -> Result<(), Stopped> {
        let watched = self.watched(address);
        let offsets = &self.code.offsets[offsets];
        let is_backwards = environment.noise.is_some_and(|noise| noise.is_backwards);
        for turn in 0..self.width {
            let lane = if is_backwards { self.width - 1 - turn } else { turn };
            if self.active[lane] & self.live[lane] == 0 {
                continue;
            }
            let base = self.address(address, lane);
            let Self { file, shared, width, races, .. } = self;
            let memory = memory_of(address.memory, shared, environment)?;
            for (word, offset) in offsets.iter().enumerate() {
                let mut value = file[(from + word) * *width + lane];
                let spot = Spot::new(address, base, *offset);
                if let (Some(races), Some(watched)) = (races.as_mut(), watched) {
                    let words = [spot.read(memory), value & spot.mask];
                    value =
                        races.store(Place { memory: watched, at: spot.half() }, count(lane), words);
                }
                spot.write(memory, value);
            }
        }
        Ok(())
    }

    /// Index of a memory that is watched for data races; `None` for atomic accesses.
    fn watched(&self, address: Address) -> Option<usize> {
        let races = self.races.as_ref().filter(|_| !address.is_atomic);
        races.and_then(|races| races.memory(address.memory))
    }

    /// Replaces loaded words by other possible values if the loads race.
    fn race_loads(&mut self, to: Register, address: Address, offsets: Range<usize>) {
        let Some(memory) = self.watched(address) else { return };
        let Some(mut races) = self.races.take() else { return };
        let offsets = &self.code.offsets[offsets];
        for lane in (0..self.width).filter(|lane| self.active[*lane] != 0) {
            let base = self.address(address, lane);
            let is_live = self.live[lane] != 0;
            for (word, offset) in offsets.iter().enumerate() {
                let at = Spot::new(address, base, *offset).half();
                if let Some(other) = races.load(Place { memory, at }, count(lane), is_live) {
                    self.file[(to + word) * self.width + lane] = other;
                }
            }
        }
        self.races = Some(races);
    }

    /// Offset of an address in one lane.
    fn address(&self, address: Address, lane: usize) -> u32 {
        let index = address.index.map_or(0, |index| self.words(index)[lane]);
        address.offset.saturating_add(index)
    }

    /// Executes an atomic operation lane by lane, in order.
    fn atomic(&mut self, op: &Op, environment: &mut Environment<'_>) -> Result<(), Stopped> {
        let Op::Atomic { address, function, kind, value, compare, result, tells_exchange } = *op
        else {
            return Ok(());
        };
        let words = kind.words();
        let is_backwards = environment.noise.is_some_and(|noise| noise.is_backwards);
        for turn in 0..self.width {
            let lane = if is_backwards { self.width - 1 - turn } else { turn };
            if self.active[lane] & self.live[lane] == 0 {
                continue;
            }
            let at = Spot::new(address, self.address(address, lane), 0).word;
            let operand = self.bits(value, words, lane);
            let expected = compare.map(|compare| self.bits(compare, words, lane));
            let memory = memory_of(address.memory, &mut self.shared, environment)?;
            let Some(place) = memory.get_mut(at..at + words) else { continue };
            let old = place.iter().rev().fold(0, |bits, word| bits << 32 | u64::from(*word));
            let is_exchanged = expected.is_none_or(|expected| expected == old);
            let new = if is_exchanged { combined(function, kind, old, operand) } else { old };
            place.iter_mut().zip(halves(new)).for_each(|(word, new)| *word = new);
            let Some(result) = result else { continue };
            let mut told: Vec<u32> = halves(old)[..words].to_vec();
            if tells_exchange {
                told.push(u32::from(is_exchanged));
            }
            for (word, value) in told.into_iter().enumerate() {
                self.file[(result + word) * self.width + lane] = value;
            }
        }
        Ok(())
    }

    /// Bits of a scalar.
    fn bits(&self, register: Register, words: usize, lane: usize) -> u64 {
        (0..words)
            .rev()
            .fold(0, |bits, word| bits << 32 | u64::from(self.words(register + word)[lane]))
    }
}

/// A word of memory, or half a word.
#[derive(Clone, Copy, Debug)]
struct Spot {
    word: usize,
    shift: u32,
    mask: u32,
}

impl Spot {
    /// The spot at an offset from a base.
    const fn new(address: Address, base: u32, offset: u32) -> Self {
        if !address.is_halves {
            let word = base.saturating_add(offset) as usize;
            return Self { word, shift: 0, mask: u32::MAX };
        }
        let at = base.saturating_add(offset & !HALF);
        let (shift, mask) = if offset & HALF == 0 { (0, u32::MAX) } else { (at % 2 * 16, 0xffff) };
        Self { word: at as usize / 2, shift, mask }
    }

    /// Index of the spot, in halves of words.
    const fn half(self) -> usize {
        self.word.saturating_mul(2) + (self.shift > 0) as usize
    }

    /// Reads the spot; 0 beyond the memory.
    fn read(self, memory: &[u32]) -> u32 {
        memory.get(self.word).map_or(0, |word| word >> self.shift & self.mask)
    }

    /// Writes the spot; no effect beyond the memory.
    fn write(self, memory: &mut [u32], value: u32) {
        if let Some(word) = memory.get_mut(self.word) {
            *word = *word & !(self.mask << self.shift) | (value & self.mask) << self.shift;
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low and the high word")]
const fn halves(bits: u64) -> [u32; 2] {
    [bits as u32, (bits >> 32) as u32]
}

/// Result of an atomic function on bits.
#[expect(clippy::cast_possible_truncation, reason = "32-bit values have 32 bits")]
fn combined(function: AtomicFunction, kind: Kind, old: u64, operand: u64) -> u64 {
    let narrow = |bits: u64| bits as u32;
    let float = |bits: u64| f32::from_bits(bits as u32);
    let signed = |bits: u64| match kind.words() {
        1 => i64::from(narrow(bits).cast_signed()),
        _ => bits.cast_signed(),
    };
    let is_less = if kind == Kind::F32 {
        float(old) < float(operand)
    } else if matches!(kind, Kind::I32 | Kind::I64) {
        signed(old) < signed(operand)
    } else {
        old < operand
    };
    let bits = match function {
        AtomicFunction::Add if kind == Kind::F32 => {
            u64::from((float(old) + float(operand)).to_bits())
        }
        AtomicFunction::Subtract if kind == Kind::F32 => {
            u64::from((float(old) - float(operand)).to_bits())
        }
        AtomicFunction::Add => old.wrapping_add(operand),
        AtomicFunction::Subtract => old.wrapping_sub(operand),
        AtomicFunction::And => old & operand,
        AtomicFunction::ExclusiveOr => old ^ operand,
        AtomicFunction::InclusiveOr => old | operand,
        AtomicFunction::Min => {
            if is_less {
                old
            } else {
                operand
            }
        }
        AtomicFunction::Max => {
            if is_less {
                operand
            } else {
                old
            }
        }
        AtomicFunction::Exchange { .. } => operand,
    };
    if kind.words() == 1 { u64::from(narrow(bits)) } else { bits }
}

fn memory_of<'a>(
    memory: Shared,
    workgroup: &'a mut [u32],
    environment: &'a mut Environment<'_>,
) -> Result<&'a mut [u32], Stopped> {
    match memory {
        Shared::Workgroup => Ok(workgroup),
        Shared::Buffer(resource) => match environment.bound.get(resource) {
            Some(Bound::Buffer(buffer)) => {
                let buffer = environment.buffers.get_mut(*buffer);
                Ok(&mut buffer.ok_or(Stopped::Unbound(resource))?.words)
            }
            _ => Err(Stopped::Unbound(resource)),
        },
    }
}
