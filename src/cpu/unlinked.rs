//! Programs that no linker has touched: varyings go by name and location, each in a place of its own.
//!
//! What this shares with the linker: the locations of attributes, the places of uniforms and resources, and the draw
//! buffers of outputs without a location. What it does by itself: matching varyings and passing them on, points, clip and
//! cull distances, the layout of captures, colours, and everything else around the user's code. The plan of the steps is
//! made for a program that it describes itself.

mod captures;
mod clip;
mod fragment;
mod interface;
mod outputs;
mod program;
mod sprites;
mod uniforms;
mod varyings;
mod vertex;
mod wires;

use std::borrow::Cow;

use case::{Case, draws};
use ir::options::ColorState;
use ir::stage_module::{Direction, StageModule, Stages};
use link::program::LinkedProgram;
use link::session::LinkedPrograms;
use naga::BuiltIn;
use plan::{ExecuteError, Programs};

use crate::compile::Wiring;
use crate::draw::RenderStages;
use crate::errors::lacking;
use crate::execute::{Executable, ProgramStages, planned};
use crate::vertex::RecordLayout;
use crate::vertex_compute::Captures;

/// The stages of a program as they were compiled.
#[derive(Clone, Copy, Debug)]
pub enum UnlinkedStages<'a> {
    /// Of draws.
    Render {
        /// The vertex stage.
        vertex: &'a StageModule,
        /// The geometry stage, if there is one.
        geometry: Option<&'a StageModule>,
        /// The fragment stage, if there is one.
        fragment: Option<&'a StageModule>,
    },
    /// Of dispatches.
    Compute(&'a StageModule),
}

impl<'a> From<&'a Stages> for UnlinkedStages<'a> {
    fn from(stages: &'a Stages) -> Self {
        match stages {
            Stages::Render { vertex, geometry, fragment } => {
                Self::Render { vertex, geometry: geometry.as_ref(), fragment: fragment.as_ref() }
            }
            Stages::Compute(stage) => Self::Compute(stage),
        }
    }
}

impl<'a> Executable<'a> {
    /// Compiles `case` with the stages of its programs as they were compiled. `linked` are the same programs linked, for
    /// the places of what only the outside sees.
    ///
    /// # Errors
    /// A step does not fit the program, or the executor lacks something that the programs need.
    pub fn unlinked(
        case: &'a Case,
        stages: &[UnlinkedStages<'_>],
        linked: &LinkedPrograms,
    ) -> Result<Self, ExecuteError> {
        let colors = draws::color_state(case).map_err(|unknown| lacking(unknown.0))?;
        let (mut programs, mut own) = (Vec::new(), Vec::new());
        for (stages, linked) in stages.iter().zip(&linked.programs) {
            let (program, stages) = match *stages {
                UnlinkedStages::Render { geometry: Some(_), .. } => {
                    return Err(lacking("geometry stages that are not linked".to_owned()));
                }
                UnlinkedStages::Render { vertex, fragment, .. } => {
                    render(case, colors, (vertex, fragment), linked)?
                }
                UnlinkedStages::Compute(stage) => compute(stage, linked)?,
            };
            programs.push(program);
            own.push(stages);
        }
        let all = Programs { all: &programs, uses: &linked.uses, pairs: &linked.pairs };
        let plan = planned(case, all)?;
        Ok(Self { case, programs: Cow::Owned(programs), plan, stages: own })
    }
}

/// A program of dispatches: its description for the plan, and its stage.
fn compute(
    stage: &StageModule,
    linked: &LinkedProgram,
) -> Result<(LinkedProgram, ProgramStages), ExecuteError> {
    let wiring = Wiring {
        inputs: wires::builtins(stage, Direction::Input)?,
        uniforms: uniforms::uniforms(stage, linked)?,
        ..Wiring::default()
    };
    let compute = Some(uniforms::compiled(stage, linked, &wiring)?);
    let stages = ProgramStages { compute, ..ProgramStages::default() };
    Ok((program::compute(linked, stage), stages))
}

/// A program that draws: its description for the plan, and its stages.
fn render(
    case: &Case,
    colors: ColorState,
    (vertex, fragment): (&StageModule, Option<&StageModule>),
    linked: &LinkedProgram,
) -> Result<(LinkedProgram, ProgramStages), ExecuteError> {
    program::check_exact(linked)?;
    let interface = interface::Interface::of(&case.link, vertex, fragment);
    let sprites = sprites::of(case, vertex, fragment);
    let varyings = varyings::of(&interface, colors, (vertex, fragment), sprites.as_ref())?;
    let outputs = match fragment {
        Some(fragment) => outputs::of(case, fragment, linked)?,
        None => outputs::Outputs::default(),
    };
    let layout = captures::layout(vertex, case.capture.as_ref())?;
    let wiring = vertex::wiring(vertex, linked, colors, varyings.outputs.clone())?;
    let stage = uniforms::compiled(vertex, linked, &wiring)?;
    let captures = layout.as_ref().map(|layout| {
        let stage = uniforms::compiled(vertex, linked, &layout.wiring(&wiring))?;
        let records = RecordLayout::of_all(&stage)?;
        Ok::<_, ExecuteError>(Captures::Own(stage, records))
    });
    let captures = captures.transpose()?;
    let wired = fragment.map(|fragment| {
        let wiring = fragment::wiring(case, fragment, linked, (&varyings, &outputs, colors))?;
        uniforms::compiled(fragment, linked, &wiring)
    });
    let fragment_stage = wired.transpose()?;
    // Without a position nothing can be drawn, but captured.
    let position = BuiltIn::Position { invariant: false };
    let render = wires::builtin(vertex, position, Direction::Output).map(|_| {
        let mut records = RecordLayout::new(&stage)?;
        let sprites = varyings.finish(&mut records, sprites);
        Ok::<_, ExecuteError>(RenderStages {
            vertex: stage,
            records,
            fragment: fragment_stage,
            sprites,
        })
    });
    let xfb = layout.map(|layout| layout.xfb);
    let program = program::render(linked, (vertex, fragment), outputs, xfb);
    let stages =
        ProgramStages { render: render.transpose()?, captures, ..ProgramStages::default() };
    Ok((program, stages))
}
