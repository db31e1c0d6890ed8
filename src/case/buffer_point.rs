//! Binding points: those of storage buffers, atomic counters and captures share one sequence of numbers.

/// Binding points from this one on are those of atomic counters: they are counted apart from storage buffers.
pub const ATOMIC_COUNTER_POINT: u32 = 1 << 16;

/// Binding points from this one on are the numbers of capture buffers.
pub const CAPTURE_POINT: u32 = 1 << 17;

/// The buffer at a binding point, in words.
pub fn buffer_name(binding: u32) -> String {
    if let Some(buffer) = binding.checked_sub(CAPTURE_POINT) {
        return format!("capture buffer {buffer}");
    }
    match binding.checked_sub(ATOMIC_COUNTER_POINT) {
        Some(counters) => format!("atomic counter buffer {counters}"),
        None => format!("storage buffer {binding}"),
    }
}
