//! Compiled stages.

use naga::{Binding, GlobalVariable, Handle, Scalar};

/// First of the registers of a value. A register holds one 32-bit word per lane; 64-bit scalars take two registers, low
/// word first. Composite values take consecutive registers without gaps, a boolean is 0 or 1.
pub type Register = usize;

/// A compiled entry point, or a function with its private globals.
#[derive(Debug)]
pub struct Code {
    /// Number of registers.
    pub registers: usize,
    /// Values of registers that never change.
    pub constants: Vec<(Register, u32)>,
    /// Scalars and vectors that are set before each run: one for each input of the entry point.
    pub inputs: Vec<Port>,
    /// Scalars and vectors that can be read after each run: one for each output of the entry point.
    pub outputs: Vec<Port>,
    /// First register of each private global.
    pub globals: Vec<(Handle<GlobalVariable>, Register)>,
    /// The resources, in the order in which [`crate::memory::Environment::bound`] lists what is bound.
    pub resources: Vec<naga::ResourceBinding>,
    /// Size of the workgroup's shared memory, in words.
    pub shared_words: usize,
    /// Workgroup size of a compute stage, otherwise `[1, 1, 1]`.
    pub workgroup_size: [u32; 3],
}

/// An input or output of an entry point.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its binding.
    pub binding: Binding,
    /// Its first register.
    pub register: Register,
    /// Type of each component.
    pub scalar: Scalar,
    /// Number of components.
    pub components: usize,
}
