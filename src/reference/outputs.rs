//! Maps fragment outputs to draw buffers.

use case::{Case, draws};
use cpu::wired::{ColorWire, lacking};
use ir::format::FormatClass;
use ir::interface::{Place, ScalarKind, Variable};
use ir::semantic::SemanticName;
use ir::stage_module::StageModule;
use link::place::fragment_output::OutputRow;
use link::program::LinkedProgram;
use plan::ExecuteError;

use super::wires::{location, naga_scalar, part};

/// The outputs of a fragment stage.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    /// A colour for every source of every draw buffer.
    pub(super) wires: Vec<ColorWire>,
    /// Rows for the plan: the same outputs with their kinds.
    pub(super) rows: Vec<OutputRow>,
    /// Draw buffers that are written.
    pub(super) written: Vec<u32>,
    /// True if draw buffer 0 has two sources.
    pub(super) is_dual_source: bool,
}

/// The outputs of `stage` that have a target, with their declared types.
pub(super) fn of(
    case: &Case,
    stage: &StageModule,
    linked: &LinkedProgram,
) -> Result<Outputs, ExecuteError> {
    let classes = draws::draw_buffer_classes(case).map_err(|unknown| lacking(unknown.0))?;
    let used = || stage.outputs.iter().filter(|output| output.is_used);
    let is_dual_source = used().any(|output| output.index.is_some_and(|index| index > 0));
    let mut all = Outputs { is_dual_source, ..Outputs::default() };
    for output in used() {
        let Some(place) = &output.place else { continue };
        if output.name == "gl_FragColor" {
            for buffer in 0..count(classes.len()) {
                all.leaves(output, place, buffer, &classes)?;
            }
        } else {
            let Some(first) = first_buffer(case, output, linked)? else { continue };
            all.leaves(output, place, first, &classes)?;
        }
    }
    let has_target = |class: Option<&Option<FormatClass>>| class.copied().flatten();
    if let (true, Some(class)) = (is_dual_source, has_target(classes.first())) {
        // WebGPU requires both sources. GL leaves an unwritten one undefined.
        for source in [0, 1] {
            all.wire(0, source, scalar_of(class), "")?;
        }
    }
    all.is_dual_source &= !all.written.is_empty();
    Ok(all)
}

impl Outputs {
    /// The scalars and vectors of an output whose first one goes to draw buffer `first`.
    fn leaves(
        &mut self,
        output: &Variable,
        place: &Place,
        first: u32,
        classes: &[Option<FormatClass>],
    ) -> Result<(), ExecuteError> {
        let (mut word, start) = (0, output.component.unwrap_or(0) as usize);
        for (leaf, buffer) in output.ty.leaves().iter().zip(first..) {
            let size = usize::from(leaf.size);
            let class = usize::try_from(buffer).ok().and_then(|idx| classes.get(idx));
            if let Some(class) = class.copied().flatten() {
                let source = output.index.unwrap_or(0);
                let wire = self.wire(buffer, source, scalar_of(class), &output.name)?;
                let channels = wire.channels.iter_mut().skip(start).take(size);
                for (channel, word) in channels.zip(word..) {
                    *channel = Some(part(place, word));
                }
            }
            word += size;
        }
        Ok(())
    }

    /// The colour for a source of a draw buffer.
    fn wire(
        &mut self,
        buffer: u32,
        source: u32,
        scalar: ScalarKind,
        name: &str,
    ) -> Result<&mut ColorWire, ExecuteError> {
        let binding = location(buffer, self.is_dual_source.then_some(source));
        let known = self.wires.iter().position(|wire| wire.binding == binding);
        let at = known.unwrap_or(self.wires.len());
        if known.is_none() {
            let (kind, channels) = (naga_scalar(scalar)?, [const { None }; 4]);
            self.wires.push(ColorWire { binding, scalar: kind, channels });
            let (is_second, name) = (source == 1, name.to_owned());
            self.rows.push(OutputRow { buffer, is_second, scalar, name, raw: None });
            if !self.written.contains(&buffer) {
                self.written.push(buffer);
            }
        }
        self.wires.get_mut(at).ok_or_else(|| lacking("such outputs"))
    }
}

/// The first draw buffer of an output: that of the semantic that the case assigns, or otherwise its location, or the
/// linker's choice. `None` if it has none.
fn first_buffer(
    case: &Case,
    output: &Variable,
    linked: &LinkedProgram,
) -> Result<Option<u32>, ExecuteError> {
    let lines = case.link.semantics.iter().map(|line| &line.value);
    let given = lines.rev().find(|(name, _)| *name == output.name);
    let given = given.filter(|(_, semantic)| semantic.name == SemanticName::Color);
    if let Some(at) = given.map(|(_, semantic)| semantic.index).or(output.location) {
        return Ok(Some(at));
    }
    // Element n is draw buffer n (GLSL 1.30, 7.2).
    if output.name == "gl_FragData" {
        return Ok(Some(0));
    }
    let rows = || linked.map.outputs.iter().filter(|row| row.name == output.name);
    if rows().next().is_none() {
        return Ok(None);
    }
    let is_whole = rows().count() == output.ty.leaves().len();
    let first = rows().map(|row| row.buffer).min().filter(|_| is_whole);
    let part = || lacking(format!("draw buffer of a part of `{}` without a linker", output.name));
    first.map(Some).ok_or_else(part)
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

const fn scalar_of(class: FormatClass) -> ScalarKind {
    match class {
        FormatClass::Float => ScalarKind::F32,
        FormatClass::Sint => ScalarKind::I32,
        FormatClass::Uint => ScalarKind::U32,
    }
}
