//! Points: numbers of Vulkan's resources.

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
