//! The depth and stencil buffer, and its two tests.

use case::Case;
use case::depth_stencil::{CompareFunction, DepthFormat, DepthTest, StencilOperation, StencilTest};
use plan::{DrawSetup, ExecuteError, INITIAL_DEPTH};

use crate::noise::Noise;
use crate::noise::allowance::DEPTH_ERROR;
use crate::numbers::narrow;
use crate::target::surface::{sample_count, take};

/// A depth and stencil buffer. Aspects that its format lacks are allocated but never read.
#[derive(Debug)]
pub(crate) struct DepthBuffer {
    format: DepthFormat,
    /// Rounding errors of stored depths.
    noise: Option<Noise>,
    /// Samples per pixel.
    pub(crate) samples: u32,
    /// Depth of each sample of each pixel.
    pub(crate) depths: Vec<f32>,
    /// Stencil value of each sample of each pixel.
    pub(crate) stencils: Vec<u8>,
}

/// The tests of a draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tests {
    depth: Option<DepthTest>,
    stencil: Option<StencilTest>,
}

impl DepthBuffer {
    /// Makes a buffer with its initial values.
    pub(crate) fn new(
        case: &Case,
        format: DepthFormat,
        noise: Option<Noise>,
        left: &mut usize,
    ) -> Result<Self, ExecuteError> {
        let count = sample_count(case);
        take(left, count, 5)?;
        let count = count.unwrap_or(0);
        let (depths, stencils) = (vec![INITIAL_DEPTH; count], vec![0; count]);
        Ok(Self { format, noise, samples: case.samples, depths, stencils })
    }

    /// Clears the aspects that have a value.
    pub(crate) fn clear(&mut self, depth: Option<f32>, stencil: Option<u8>) {
        if let Some(depth) = depth {
            let depth = stored(self.format, depth, self.noise);
            self.depths.fill(depth);
        }
        if let Some(stencil) = stencil {
            self.stencils.fill(stencil);
        }
    }

    /// The depth and stencil tests of a draw.
    pub(crate) fn tests(&self, setup: &DrawSetup) -> Tests {
        Tests {
            depth: setup.depth.filter(|_| self.format.has_depth()),
            stencil: setup.stencil.filter(|_| self.format.has_stencil()),
        }
    }

    /// Tests a fragment at sample `place`, and applies the tests' writes. True if the fragment passes.
    pub(crate) fn test(&mut self, tests: Tests, place: usize, depth: f32) -> bool {
        let (Some(old_depth), Some(old_stencil)) =
            (self.depths.get_mut(place), self.stencils.get_mut(place))
        else {
            return false;
        };
        let depth = stored(self.format, depth, self.noise);
        let is_in_stencil = tests.stencil.is_none_or(|test| {
            let [reference, old] = [test.reference, *old_stencil].map(|value| value & test.mask);
            compares(test.function, &reference, &old)
        });
        let is_near = |test: DepthTest| compares(test.function, &depth, old_depth);
        let is_in_depth = tests.depth.is_none_or(is_near);
        if let Some(test) = tests.stencil {
            let [failed, behind, passed] = test.operations;
            let operation = match (is_in_stencil, is_in_depth) {
                (false, _) => failed,
                (true, false) => behind,
                (true, true) => passed,
            };
            let new = changed(operation, *old_stencil, test.reference);
            *old_stencil = *old_stencil & !test.write_mask | new & test.write_mask;
        }
        let is_passed = is_in_stencil && is_in_depth;
        if is_passed && tests.depth.is_some_and(|test| test.is_written) {
            *old_depth = depth;
        }
        is_passed
    }
}

impl Tests {
    /// True if the tests neither reject a fragment nor write anything.
    pub(crate) const fn are_idle(self) -> bool {
        self.depth.is_none() && self.stencil.is_none()
    }
}

/// A depth as the format stores it. With noise all depths are rounded alike, so equal depths stay equal; `depth24plus`
/// may have any representation with as many bits (WebGPU, 26.1.3).
fn stored(format: DepthFormat, depth: f32, noise: Option<Noise>) -> f32 {
    let error = noise.map_or(0.0, |noise| noise.sign(0));
    match format {
        DepthFormat::Depth16Unorm => {
            let steps = f64::from(u16::MAX);
            let step = (f64::from(depth).clamp(0.0, 1.0) * steps) + 0.49 * error;
            narrow(step.round() / steps)
        }
        DepthFormat::Depth24Plus | DepthFormat::Depth24PlusStencil8
            if depth > 0.0 && depth < 1.0 =>
        {
            narrow(DEPTH_ERROR.mul_add(error, f64::from(depth)))
        }
        DepthFormat::Depth24Plus
        | DepthFormat::Depth24PlusStencil8
        | DepthFormat::Depth32Float
        | DepthFormat::Depth32FloatStencil8
        | DepthFormat::Stencil8 => depth,
    }
}

fn compares<T: PartialOrd>(function: CompareFunction, new: &T, old: &T) -> bool {
    match function {
        CompareFunction::Never => false,
        CompareFunction::Less => new < old,
        CompareFunction::Equal => new == old,
        CompareFunction::LessOrEqual => new <= old,
        CompareFunction::Greater => new > old,
        CompareFunction::NotEqual => new != old,
        CompareFunction::GreaterOrEqual => new >= old,
        CompareFunction::Always => true,
    }
}

const fn changed(operation: StencilOperation, old: u8, reference: u8) -> u8 {
    match operation {
        StencilOperation::Keep => old,
        StencilOperation::Zero => 0,
        StencilOperation::Replace => reference,
        StencilOperation::Invert => !old,
        StencilOperation::Increment => old.saturating_add(1),
        StencilOperation::Decrement => old.saturating_sub(1),
        StencilOperation::IncrementWrap => old.wrapping_add(1),
        StencilOperation::DecrementWrap => old.wrapping_sub(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(format: DepthFormat, depth: f32, stencil: u8) -> DepthBuffer {
        DepthBuffer {
            format,
            noise: None,
            samples: 1,
            depths: vec![depth],
            stencils: vec![stencil],
        }
    }

    const LESS: DepthTest = DepthTest { function: CompareFunction::Less, is_written: true };

    const OPERATIONS: [StencilOperation; 3] =
        [StencilOperation::Zero, StencilOperation::Invert, StencilOperation::IncrementWrap];

    /// Checks whether a fragment of depth 0.5 passes, and the values stored afterwards.
    #[track_caller]
    fn check(depth: f32, stencil: u8, expected: (bool, f32, u8)) {
        let test = StencilTest {
            function: CompareFunction::Equal,
            reference: 0x1f,
            mask: 0x0f,
            write_mask: 0xfe,
            operations: OPERATIONS,
        };
        let tests = Tests { depth: Some(LESS), stencil: Some(test) };
        let mut buffer = buffer(DepthFormat::Depth32FloatStencil8, depth, stencil);
        let is_passed = buffer.test(tests, 0, 0.5);
        assert_eq!((is_passed, buffer.depths[0], buffer.stencils[0]), expected);
    }

    #[test]
    fn the_stencil_test_comes_first_and_writes_in_every_case() {
        // Bits 0 to 3 are compared; bit 0 is not written.
        check(1.0, 0x2e, (false, 1.0, 0));
        check(0.5, 0x2f, (false, 0.5, 0xd1));
        check(1.0, 0x2f, (true, 0.5, 0x31));
        check(1.0, 0xff, (true, 0.5, 0x01));
    }

    #[test]
    fn without_a_test_nothing_is_written() {
        let mut buffer = buffer(DepthFormat::Depth32Float, 1.0, 3);
        let tests = Tests { depth: None, stencil: None };
        assert!(tests.are_idle() && buffer.test(tests, 0, 0.25));
        assert_eq!((buffer.depths[0], buffer.stencils[0]), (1.0, 3));
        assert!(!buffer.test(tests, 1, 0.25), "there is no such sample");
    }

    #[test]
    fn depths_are_compared_as_they_are_stored() {
        let tests = Tests { depth: Some(LESS), stencil: None };
        let mut buffer = buffer(DepthFormat::Depth16Unorm, 1.0, 0);
        buffer.clear(Some(0.5), None);
        // Half of 65535 is 32767.5, which rounds up.
        assert_eq!(buffer.depths[0].to_bits(), narrow(32_768.0 / 65_535.0).to_bits());
        assert!(!buffer.test(tests, 0, 0.500_001), "the same step");
        assert!(buffer.test(tests, 0, 0.499_98), "another step");
    }
}
