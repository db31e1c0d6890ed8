//! Points: numbers of Vulkan's and WebGPU's resources.

/// The point of push constants, which have neither set nor binding.
pub const PUSH_CONSTANT_POINT: u32 = u32::MAX;

/// The greatest set. Points end below [`ATOMIC_COUNTER_POINT`](crate::options::ATOMIC_COUNTER_POINT).
pub const MAX_SET: u32 = 0xff;

/// The greatest binding.
pub const MAX_BINDING: u32 = 0xfffe;

/// The point of the resource at `binding` of descriptor set `set`: the binding itself in set 0. They are at most [`MAX_SET`] and
/// [`MAX_BINDING`].
pub const fn point(set: u32, binding: u32) -> u32 {
    set << 16 | binding
}

/// A point as cases write it: `3` in set 0, else `2:3`.
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
