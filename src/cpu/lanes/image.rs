//! Executes lookups, loads and stores of texels.

use super::Lanes;
use crate::code::{ImageOp, Register, SampleLevel, TexelRegisters};
use crate::errors::Stopped;
use crate::memory::{Bound, Environment};
use crate::noise::foresight::Place;
use crate::numbers::count;
use crate::texture::{Level, Lookup, Texel};
use arithmetic::Kind;

impl Lanes<'_> {
    pub(super) fn image_operation(
        &mut self,
        op: &ImageOp,
        environment: &mut Environment<'_>,
    ) -> Result<(), Stopped> {
        match *op {
            ImageOp::Sample { to, words, view, sampler, .. } => {
                self.sample(op, [to, words], [view, sampler], environment)?;
            }
            ImageOp::Load { .. } => self.load_texels(op, environment)?,
            ImageOp::Store { .. } => self.store_texels(op, environment)?,
            ImageOp::Atomic { view, ref texel, operation, value } => {
                let view = view_of(environment, view)?;
                for lane in 0..self.width {
                    if self.active[lane] & self.live[lane] != 0 {
                        let (texel, value) = (self.texel(texel, lane), self.words(value)[lane]);
                        environment.textures.atomic(view, texel, operation, value);
                    }
                }
            }
            ImageOp::Size { to, words, view, level } => {
                let view = view_of(environment, view)?;
                for lane in 0..self.width {
                    let level = level.map_or(0, |level| self.integer(level, lane));
                    let size = environment.textures.size(view, level);
                    self.put(to, lane, &size[..words.min(3)]);
                }
            }
            ImageOp::Count { to, view, which } => {
                let view = view_of(environment, view)?;
                let count = environment.textures.counts(view)[which];
                self.words_mut(to).fill(count);
            }
        }
        Ok(())
    }

    fn sample(
        &mut self,
        op: &ImageOp,
        [to, words]: [usize; 2],
        [view, sampler]: [usize; 2],
        environment: &Environment<'_>,
    ) -> Result<(), Stopped> {
        let view = view_of(environment, view)?;
        let sampler = match environment.bound.get(sampler) {
            Some(Bound::Sampler(sampler)) => *sampler,
            _ => return Err(Stopped::Unbound(sampler)),
        };
        let textures = &environment.textures;
        for lane in 0..self.width {
            let mut lookup = self.lookup(op, lane);
            if matches!(op, ImageOp::Sample { is_clamped: true, .. }) {
                lookup.coordinate = textures.clamped(view, lookup.coordinate);
            }
            let salt = self.salt(to) ^ count(lane) << 2;
            let lookup = environment
                .noise
                .map_or(lookup, |noise| textures.disturbed_lookup(view, &lookup, noise, salt));
            let mut texel = textures.sample(view, sampler, &lookup);
            if let Some(noise) = environment.noise {
                for (word, salt) in texel.iter_mut().zip(salt..) {
                    *word = textures.disturbed_texel(view, *word, noise, salt);
                }
            }
            self.put(to, lane, &texel[..words.min(4)]);
        }
        Ok(())
    }

    fn load_texels(&mut self, op: &ImageOp, environment: &Environment<'_>) -> Result<(), Stopped> {
        let ImageOp::Load { to, words, view: resource, ref texel } = *op else { return Ok(()) };
        let view = view_of(environment, resource)?;
        let watched = self.watched_resource(resource);
        for lane in 0..self.width {
            let texel = self.texel(texel, lane);
            let mut loaded = environment.textures.load(view, texel);
            if let Some(noise) = environment.noise {
                let salt = self.salt(to) ^ count(lane) << 2;
                for (word, salt) in loaded.iter_mut().zip(salt..) {
                    *word = environment.textures.disturbed_texel(view, *word, noise, salt);
                }
            }
            if let Some(memory) = watched.filter(|_| self.active[lane] != 0)
                && let Some(number) = environment.textures.number(view, texel)
            {
                self.race_load(first_channel(memory, number), lane, &mut loaded);
            }
            self.put(to, lane, &loaded[..words.min(4)]);
        }
        Ok(())
    }

    fn store_texels(
        &mut self,
        op: &ImageOp,
        environment: &mut Environment<'_>,
    ) -> Result<(), Stopped> {
        let ImageOp::Store { view: resource, ref texel, from, words } = *op else { return Ok(()) };
        let view = view_of(environment, resource)?;
        let watched = self.watched_resource(resource);
        for lane in 0..self.width {
            if self.active[lane] & self.live[lane] == 0 {
                continue;
            }
            let mut value = [0; 4];
            for (word, value) in value.iter_mut().take(words).enumerate() {
                *value = self.words(from + word)[lane];
            }
            let texel = self.texel(texel, lane);
            let old = watched.map(|memory| (memory, environment.textures.load(view, texel)));
            environment.textures.store(view, texel, value);
            if let Some((memory, old)) = old
                && let Some(number) = environment.textures.number(view, texel)
            {
                // The value as the format stores it.
                let new = environment.textures.load(view, texel);
                let remaining = self.race_store(first_channel(memory, number), lane, [old, new]);
                if remaining != new {
                    environment.textures.store(view, texel, remaining);
                }
            }
        }
        Ok(())
    }

    /// Index of a resource that is watched for data races.
    fn watched_resource(&self, resource: usize) -> Option<usize> {
        self.races.as_ref().and_then(|races| races.resource(resource))
    }

    /// Replaces a loaded texel by another possible value if the load races.
    fn race_load(&mut self, first: Place, lane: usize, words: &mut [u32; 4]) {
        let Some(races) = &mut self.races else { return };
        let is_live = self.live[lane] != 0;
        for (word, at) in words.iter_mut().zip(first.at..) {
            *word = races.load(Place { at, ..first }, count(lane), is_live).unwrap_or(*word);
        }
    }

    /// The words of a texel that remain after a store.
    fn race_store(&mut self, first: Place, lane: usize, [old, mut new]: [[u32; 4]; 2]) -> [u32; 4] {
        let Some(races) = &mut self.races else { return new };
        for ((word, old), at) in new.iter_mut().zip(old).zip(first.at..) {
            *word = races.store(Place { at, ..first }, count(lane), [old, *word]);
        }
        new
    }

    fn put(&mut self, to: Register, lane: usize, words: &[u32]) {
        for (word, value) in words.iter().enumerate() {
            self.words_mut(to + word)[lane] = *value;
        }
    }

    fn real(&self, register: Register, lane: usize) -> f32 {
        f32::from_bits(self.words(register)[lane])
    }

    fn integer(&self, register: Register, lane: usize) -> i32 {
        self.words(register)[lane].cast_signed()
    }

    fn reals(&self, register: Register, count: usize, lane: usize) -> [f32; 3] {
        let mut all = [0.0; 3];
        for (index, value) in all.iter_mut().take(count).enumerate() {
            *value = self.real(register + index, lane);
        }
        all
    }

    fn texel(&self, texel: &TexelRegisters, lane: usize) -> Texel {
        let mut at = [0; 3];
        for (index, value) in at.iter_mut().take(texel.dimensions).enumerate() {
            *value = self.integer(texel.at + index, lane);
        }
        let optional = |register: Option<Register>| {
            register.map_or(0, |register| self.integer(register, lane))
        };
        let (layer, level, sample) =
            (optional(texel.layer), optional(texel.level), optional(texel.sample));
        Texel { at, layer, level, sample }
    }

    fn lookup(&self, op: &ImageOp, lane: usize) -> Lookup {
        let ImageOp::Sample {
            coordinate, dimensions, layer, offset, level, reference, gather, ..
        } = *op
        else {
            let level = Level::Exact(0.0);
            let (coordinate, layer, offset) = ([0.0; 3], 0, [0; 3]);
            return Lookup { coordinate, layer, offset, level, reference: None, gather: None };
        };
        let layer = layer.map_or(0, |(register, kind)| match kind {
            // The layer is rounded to the nearest.
            #[expect(clippy::cast_possible_truncation, reason = "saturating is right")]
            Kind::F32 => libm::rintf(self.real(register, lane)) as i32,
            Kind::U32 => i32::try_from(self.words(register)[lane]).unwrap_or(i32::MAX),
            Kind::Bool
            | Kind::I16
            | Kind::U16
            | Kind::F16
            | Kind::I32
            | Kind::I64
            | Kind::U64
            | Kind::F64 => self.integer(register, lane),
        });
        let mut offsets = [0; 3];
        if let Some(offset) = offset {
            for (index, value) in offsets.iter_mut().take(dimensions).enumerate() {
                *value = self.integer(offset + index, lane);
            }
        }
        let difference = |towards: usize| {
            let (here, there) = (
                self.reals(coordinate, dimensions, (lane & !towards).min(self.width - 1)),
                self.reals(coordinate, dimensions, (lane | towards).min(self.width - 1)),
            );
            [0, 1, 2].map(|axis| there[axis] - here[axis])
        };
        let implicit = |bias| Level::Gradients { x: difference(1), y: difference(2), bias };
        let level = match level {
            SampleLevel::Auto => implicit(0.0),
            SampleLevel::Bias(bias) => implicit(self.real(bias, lane)),
            SampleLevel::Zero => Level::Exact(0.0),
            SampleLevel::Exact(level) => Level::Exact(self.real(level, lane)),
            // Levels beyond any texture's lose nothing as floats.
            #[expect(clippy::cast_precision_loss, reason = "levels are small")]
            SampleLevel::Whole(level, kind) => Level::Exact(if kind == Kind::U32 {
                self.words(level)[lane] as f32
            } else {
                self.integer(level, lane) as f32
            }),
            SampleLevel::Gradients { x, y } => Level::Gradients {
                x: self.reals(x, dimensions, lane),
                y: self.reals(y, dimensions, lane),
                bias: 0.0,
            },
        };
        Lookup {
            coordinate: self.reals(coordinate, dimensions, lane),
            layer,
            offset: offsets,
            level,
            reference: reference.map(|reference| self.real(reference, lane)),
            gather,
        }
    }
}

/// The first channel of a texel.
const fn first_channel(memory: usize, number: usize) -> Place {
    Place { memory, at: number.saturating_mul(4) }
}

fn view_of(environment: &Environment<'_>, resource: usize) -> Result<usize, Stopped> {
    match environment.bound.get(resource) {
        Some(Bound::View(view)) => Ok(*view),
        _ => Err(Stopped::Unbound(resource)),
    }
}
