//! Points: numbers that identify resources of Vulkan and WebGPU.

/// The point of push constants, which have neither a set nor a binding.
pub const PUSH_CONSTANT_POINT: u32 = u32::MAX;

/// The highest number of a set. Points end below [`ATOMIC_COUNTER_POINT`](crate::options::ATOMIC_COUNTER_POINT).
pub const MAX_SET: u32 = 0xff;

/// The highest number of a binding.
pub const MAX_BINDING: u32 = 0xfffe;

/// The point of the resource at `binding` of descriptor set `set`: in set 0 the binding itself. `set` and `binding` are
/// at most [`MAX_SET`] and [`MAX_BINDING`].
pub const fn point(set: u32, binding: u32) -> u32 {
    set << 16 | binding
}

/// Formats a point as cases write it: `3` in set 0, otherwise `2:3`.
pub fn shown(point: u32) -> String {
    match (point >> 16, point & 0xffff) {
        (0, binding) => binding.to_string(),
        (set, binding) => format!("{set}:{binding}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_the_notation_of_cases() {
        assert_eq!(shown(point(0, 3)), "3");
        assert_eq!(shown(point(2, 3)), "2:3");
        assert_eq!(shown(point(MAX_SET, MAX_BINDING)), "255:65534");
    }
}
