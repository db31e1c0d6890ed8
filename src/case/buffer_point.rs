//! Buffer binding points: storage buffers, atomic counters and transform feedback share one sequence of numbers.

use ir::options::{ATOMIC_COUNTER_POINT, SCRIPT_POINT, XFB_POINT};
use ir::vulkan;

use crate::Case;

impl Case {
    /// Name of the buffer at a binding point, for messages; a case from a script uses the script's name.
    pub fn buffer_name(&self, binding: u32) -> String {
        let index = binding.checked_sub(SCRIPT_POINT).filter(|_| binding < XFB_POINT);
        let index = index.and_then(|index| usize::try_from(index).ok());
        match index.and_then(|index| self.script_buffers.get(index)) {
            Some(name) => format!("buffer `{name}`"),
            None => buffer_name(binding),
        }
    }
}

fn buffer_name(binding: u32) -> String {
    if let Some(buffer) = binding.checked_sub(XFB_POINT) {
        return format!("capture buffer {buffer}");
    }
    if let Some(buffer) = binding.checked_sub(SCRIPT_POINT) {
        return format!("buffer {buffer} of the script");
    }
    match binding.checked_sub(ATOMIC_COUNTER_POINT) {
        Some(counters) => format!("atomic counter buffer {counters}"),
        None => format!("storage buffer {}", vulkan::shown(binding)),
    }
}
