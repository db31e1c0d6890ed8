//! Executes operations on registers.

use naga::{DerivativeAxis, DerivativeControl};

use crate::noise::Neighbours;

use super::Lanes;
use crate::code::{Element, Op, Register};
use crate::errors::Stopped;
use crate::memory::Environment;
use crate::noise::Noise;
use crate::numbers::count;
use arithmetic::{Kind, Operand, PackFunction, Split};

impl Lanes<'_> {
    pub(super) fn operation(
        &mut self,
        op: &Op,
        environment: &mut Environment<'_>,
    ) -> Result<(), Stopped> {
        let width = self.width;
        match *op {
            Op::Zero { to, words } => self.file[to * width..][..words * width].fill(0),
            Op::Move { to, from, words } => {
                self.file.copy_within(from * width..(from + words) * width, to * width);
            }
            Op::Store { to, from, words } => self.store(to, from, words),
            // The compiler has checked that these functions exist.
            Op::Unary { function, kind, to, from, count } => {
                self.split(to).function(function, kind, [from, count]).unwrap_or_default();
            }
            Op::Convert { from_kind, to_kind, to, from, count } => {
                self.split(to).convert([from_kind, to_kind], from, count);
            }
            Op::Binary { function, kind, to, left, right, count } => {
                let operands = [left, right];
                self.split(to).function_of_two(function, kind, operands, count).unwrap_or_default();
            }
            Op::Fma { kind: Kind::F64, to, a, b, c, count } => {
                self.split(to).fma::<f64>([a, b, c], count);
            }
            Op::Fma { kind: Kind::F16, to, a, b, c, count } => {
                self.split(to).fma::<half::f16>([a, b, c], count);
            }
            Op::Fma { to, a, b, c, count, .. } => self.split(to).fma::<f32>([a, b, c], count),
            // Without noise, any of the permitted results is valid.
            Op::Clamped { .. } => {}
            Op::Select { to, condition, accept, reject, words, count } => {
                self.select(to, condition, [accept, reject], [words, count]);
            }
            Op::Pack { function, to, from } => self.pack(function, [to, from], environment.noise),
            Op::Index { to, element } => self.index(to, element),
            Op::LoadIndexed { to, from, index, words } => {
                self.load_indexed(to, from, [index, words]);
            }
            Op::StoreIndexed { to, index, from, words } => {
                self.store_indexed([to, index], from, words);
            }
            Op::Derivative { axis, control, to, from, count } => {
                let neighbours = match control {
                    DerivativeControl::Fine => Neighbours::Own,
                    DerivativeControl::Coarse | DerivativeControl::None => Neighbours::Of(0),
                };
                self.derivative(axis, neighbours, [to, from, count]);
            }
            Op::Load { .. }
            | Op::StoreShared { .. }
            | Op::Atomic { .. }
            | Op::Length { .. }
            | Op::Barrier { .. } => {
                return self.shared_operation(op, environment);
            }
            Op::Image(ref op) => return self.image_operation(op, environment),
            Op::Subgroup(ref op) => self.subgroup_operation(op),
            Op::Emission(ref op) => self.emission(op),
        }
        Ok(())
    }

    fn split(&mut self, to: Register) -> Split<'_> {
        Split::new(&mut self.file, self.width, to)
    }

    fn store(&mut self, to: Register, from: Register, words: usize) {
        let width = self.width;
        for word in 0..words {
            let (source, target) = ((from + word) * width, (to + word) * width);
            let (low, high) = self.file.split_at_mut(source.max(target));
            let (old, new) = if source < target {
                (&mut high[..width], &low[source..][..width])
            } else {
                (&mut low[target..][..width], &high[..width])
            };
            for ((old, new), active) in old.iter_mut().zip(new).zip(&self.active) {
                *old = *old & !active | new & active;
            }
        }
    }

    fn store_indexed(&mut self, [to, index]: [Register; 2], from: Register, words: usize) {
        let width = self.width;
        for lane in (0..width).filter(|lane| self.active[*lane] != 0) {
            let offset = self.file[index * width + lane] as usize;
            for word in 0..words {
                let value = self.file[(from + word) * width + lane];
                if let Some(place) = self.file.get_mut((to + offset + word) * width + lane) {
                    *place = value;
                }
            }
        }
    }

    fn load_indexed(&mut self, to: Register, from: Register, [index, words]: [usize; 2]) {
        let width = self.width;
        for lane in 0..width {
            let offset = self.file[index * width + lane] as usize;
            for word in 0..words {
                let at = (from + offset + word) * width + lane;
                self.file[(to + word) * width + lane] = self.file.get(at).copied().unwrap_or(0);
            }
        }
    }

    fn select(
        &mut self,
        to: Register,
        condition: Operand,
        [accept, reject]: [Register; 2],
        [words, count]: [usize; 2],
    ) {
        let width = self.width;
        let (low, high) = self.file.split_at_mut(to * width);
        for item in 0..count {
            let conditions = &low[(condition.at + item * condition.step) * width..][..width];
            for word in item * words..(item + 1) * words {
                let yes = &low[(accept + word) * width..][..width];
                let no = &low[(reject + word) * width..][..width];
                let target = &mut high[word * width..][..width];
                for lane in 0..width {
                    target[lane] = if conditions[lane] != 0 { yes[lane] } else { no[lane] };
                }
            }
        }
    }

    fn pack(&mut self, function: PackFunction, [to, from]: [Register; 2], noise: Option<Noise>) {
        let salt = self.salt(to);
        let [takes, gives] = function.words();
        for lane in 0..self.width {
            let mut source = [0; 4];
            for (word, value) in source.iter_mut().take(takes).enumerate() {
                *value = self.file[(from + word) * self.width + lane];
                if let Some(noise) = noise {
                    let salt = salt ^ count(word + 4 * lane);
                    *value = noise.part_to_pack(function, *value, salt);
                }
            }
            let mut target = [0; 4];
            function.apply(&source[..takes], &mut target[..gives]);
            for (word, value) in target.iter().take(gives).enumerate() {
                let salt = salt ^ count(word + 4 * lane);
                let value = noise.map_or(*value, |noise| noise.unpacked(function, *value, salt));
                self.file[(to + word) * self.width + lane] = value;
            }
        }
    }

    fn index(&mut self, to: Register, element: Element) {
        let width = self.width;
        for lane in 0..width {
            let word = |register: Register| self.file[register * width + lane];
            let index = word(element.index).min(element.length(word).saturating_sub(1));
            let offset = index.saturating_mul(element.stride);
            self.file[to * width + lane] = element.base.map_or(0, word).saturating_add(offset);
        }
    }

    /// Differences within the quad.
    pub(super) fn derivative(
        &mut self,
        axis: DerivativeAxis,
        neighbours: Neighbours,
        [to, from, count]: [usize; 3],
    ) {
        let width = self.width;
        for item in 0..count {
            for lane in 0..width {
                let value = |lane: usize| {
                    let at = (from + item) * width + lane;
                    self.file.get(at).map_or(0.0, |word| f32::from_bits(*word))
                };
                let at = match neighbours {
                    Neighbours::Own => lane,
                    Neighbours::Of(pixel) => lane & !3 | usize::from(pixel),
                };
                let x = value(at | 1) - value(at & !1);
                let y = value(at | 2) - value(at & !2);
                let difference = match axis {
                    DerivativeAxis::X => x,
                    DerivativeAxis::Y => y,
                    DerivativeAxis::Width => x.abs() + y.abs(),
                };
                self.file[(to + item) * width + lane] = difference.to_bits();
            }
        }
    }
}
