//! Detects probes of memory that nothing has written yet: they read initial values, whatever the program does.

use std::collections::BTreeSet;

use super::Subject;
use crate::draw::xfb::XfbStep;
use crate::{
    Action, Case, Dialect, Draw, DrawShape, Expectation, ReadExpectation, ReadSource, Setting, Step,
};
use ir::diagnostic::Diagnostic;
use ir::options::XFB_POINT;

/// Reports probes of initial values. A script that runs nothing is exempt: it tests how buffers are compared. A script
/// may also probe the initial data of its buffers, but not only those.
pub(super) fn search(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let case = subject.case;
    let is_script = case.dialect == Dialect::Vulkan;
    if is_script && !case.steps.iter().any(|step| matches!(step.value, Step::Run(_))) {
        return Vec::new();
    }
    let mut written = Written::default();
    let (mut found, mut of_data) = (Vec::new(), Vec::new());
    let mut sees_results = false;
    for step in &case.steps {
        match &step.value {
            Step::Set(setting) => written.set(setting),
            Step::Run(action) => written.run(action),
            Step::Expect(Expectation::Program(_)) => sees_results = true,
            Step::Expect(Expectation::Read(ReadExpectation::Kept(_))) => {}
            Step::Expect(Expectation::Read(expectation)) => {
                match written.mistake(case, expectation) {
                    Some((message, help)) => {
                        let error = Diagnostic::error(step.span, message).with_help(help);
                        let is_of_data = is_script && has_initial_data(expectation);
                        if is_of_data { &mut of_data } else { &mut found }.push(error);
                    }
                    None => sees_results = true,
                }
            }
        }
    }
    if !sees_results {
        found.append(&mut of_data);
    }
    found
}

/// True if the expectation concerns buffers, to which a script gives data.
const fn has_initial_data(expectation: &ReadExpectation) -> bool {
    matches!(expectation.source(), ReadSource::Buffer(_))
        || matches!(expectation, ReadExpectation::Alike(_))
}

/// The memory that steps have written so far.
#[derive(Default)]
struct Written {
    /// True if something was drawn, cleared or dispatched.
    has_pixels: bool,
    /// True if something ran that may write buffers.
    has_run: bool,
    /// Buffers that exist; probes of others are reported elsewhere.
    made: BTreeSet<u32>,
    /// Storage buffers created after the last step that may write buffers.
    new: BTreeSet<u32>,
    /// Capture buffers created after the last captured draw.
    uncaptured: BTreeSet<u32>,
    /// True if something was drawn while captures were on or paused.
    has_counted: bool,
    capturing: Capturing,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Capturing {
    #[default]
    Off,
    On,
    Paused,
}

impl Written {
    fn set(&mut self, setting: &Setting) {
        if let Setting::Ssbo { binding, .. } = setting {
            self.made.insert(*binding);
            self.new.insert(*binding);
        }
    }

    fn run(&mut self, action: &Action) {
        match action {
            Action::Clear | Action::ClearBuffer { .. } => self.has_pixels = true,
            Action::Draw(draw) if is_empty(draw) => {}
            Action::Draw(_) => {
                self.has_pixels = true;
                self.ran();
                self.has_counted |= self.capturing != Capturing::Off;
                if self.capturing == Capturing::On {
                    self.captured();
                }
            }
            Action::Compute(groups) if groups.contains(&0) => {}
            Action::Compute(_) => {
                self.has_pixels = true;
                self.ran();
            }
            Action::Xfb(step) => self.capture(step),
        }
    }

    fn capture(&mut self, step: &XfbStep) {
        match step {
            XfbStep::Buffer { buffer, .. } => {
                self.made.insert(XFB_POINT + *buffer);
                self.uncaptured.insert(*buffer);
            }
            XfbStep::Range { .. } => {}
            XfbStep::Draw(draw) if is_empty(draw) => {}
            XfbStep::Draw(_) => {
                self.ran();
                self.has_counted = true;
                self.captured();
            }
            XfbStep::Begin | XfbStep::Resume => self.capturing = Capturing::On,
            XfbStep::Pause => self.capturing = Capturing::Paused,
            XfbStep::End => self.capturing = Capturing::Off,
        }
    }

    fn ran(&mut self) {
        self.has_run = true;
        self.new.clear();
    }

    fn captured(&mut self) {
        self.uncaptured.clear();
    }

    /// Message and advice about an expectation that reads only initial values.
    fn mistake(
        &self,
        case: &Case,
        expectation: &ReadExpectation,
    ) -> Option<(String, &'static str)> {
        let has_run = self.has_pixels || self.has_run;
        let mistake_of_any = || {
            let help = "put it behind a draw, a dispatch or a clear";
            (!has_run).then(|| ("nothing has run yet".to_owned(), help))
        };
        // The other content may be what something has written.
        if matches!(expectation, ReadExpectation::Alike(_)) {
            return mistake_of_any();
        }
        match expectation.source() {
            ReadSource::Target { .. } | ReadSource::Depth(_) => (!self.has_pixels).then(|| {
                let help = "put it behind a draw, a dispatch or a clear";
                ("nothing has drawn or cleared these pixels yet".to_owned(), help)
            }),
            ReadSource::Buffer(binding) => self.mistake_of_buffer(case, binding),
            ReadSource::Texture(_) => mistake_of_any(),
            ReadSource::Count(_) => (!self.has_counted).then(|| {
                let help = "put it behind a captured draw";
                ("nothing was drawn while captures were on".to_owned(), help)
            }),
        }
    }

    fn mistake_of_buffer(&self, case: &Case, binding: u32) -> Option<(String, &'static str)> {
        if !self.made.contains(&binding) {
            return None;
        }
        let name = case.buffer_name(binding);
        if let Some(buffer) = binding.checked_sub(XFB_POINT) {
            return self.uncaptured.contains(&buffer).then(|| {
                (format!("nothing was captured into {name} yet"), "put it behind a captured draw")
            });
        }
        self.new.contains(&binding).then(|| {
            let help = "put it behind a draw or a dispatch";
            (format!("nothing that could write {name} has run yet"), help)
        })
    }
}

/// True for a draw without any vertex, or without any instance.
fn is_empty(draw: &Draw) -> bool {
    draw.instances == 0
        || match draw.shape {
            DrawShape::Arrays { count, .. } | DrawShape::Indexed { count, .. } => count == 0,
            DrawShape::Rect(_)
            | DrawShape::RectOrtho(_)
            | DrawShape::RectTextured { .. }
            | DrawShape::Captured { .. } => false,
        }
}
