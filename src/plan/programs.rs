//! The programs of a case.

use link::program::LinkedProgram;
use link::session::{LinkedPrograms, ObjectNumbers};

/// The programs of a case.
#[derive(Clone, Copy, Debug)]
pub struct Programs<'a> {
    /// All programs.
    pub all: &'a [LinkedProgram],
    /// Index of the program of each `use` step.
    pub uses: &'a [usize],
    /// The stage objects of each program.
    pub objects: &'a [ObjectNumbers],
}

impl<'a> From<&'a LinkedProgram> for Programs<'a> {
    fn from(program: &'a LinkedProgram) -> Self {
        Self { all: std::slice::from_ref(program), uses: &[], objects: &[] }
    }
}

impl<'a> From<&'a LinkedPrograms> for Programs<'a> {
    fn from(programs: &'a LinkedPrograms) -> Self {
        Self { all: &programs.programs, uses: &programs.uses, objects: &programs.objects }
    }
}

impl<'a> Programs<'a> {
    /// Index of the initial program: the one that is used first.
    pub(crate) fn first_index(self) -> usize {
        self.uses.first().copied().unwrap_or(0)
    }

    pub(crate) fn first(self) -> Option<&'a LinkedProgram> {
        self.all.get(self.first_index())
    }
}
