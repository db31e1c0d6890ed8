//! Points: numbers of Vulkan's resources.

/// The point of push constants, which have neither set nor binding.
pub const PUSH_CONSTANT_POINT: u32 = u32::MAX;

/// The point of the resource at `binding` of descriptor set `set`: the binding itself in set 0.
pub const fn point(set: u32, binding: u32) -> u32 {
    set << 16 | binding
}
