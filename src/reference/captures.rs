//! Transform feedback: the captured outputs, and the places of their words, by OpenGL 4.6 core, 11.1.2.1 and GLSL 4.60,
//! 4.4.2.
//!
//! A record holds the captured words of a vertex, which are consecutive in the order of the buffers.

mod names;

use cpu::wired::{Wire, Wiring, lacking};
use std::collections::BTreeSet;

use ir::options::{CaptureItem, CaptureMode, CaptureSection};
use ir::stage_module::StageModule;
use link::compute::xfb::{Buffer, Run, TimesW, Xfb};
use link::table::binding::BindingPoint;
use link::table::pass::{Pass, Role};
use naga::Module;
use plan::ExecuteError;

use super::wires::{crossing, location, part};
use names::{Found, all, pieces};

/// The outputs that the last stage captures.
#[derive(Debug)]
pub(super) struct Layout {
    /// Description of the captures for the plan.
    pub(super) xfb: Xfb,
    /// Outputs of the stage for a record.
    pub(super) outputs: Vec<Wire>,
}

/// A captured output at its place: number of the buffer and first word.
struct Placed {
    found: Found,
    buffer: u32,
    word: u32,
}

/// The captures of `vertex`: those that it declares, or otherwise those that the case lists.
pub(super) fn layout(
    vertex: &StageModule,
    section: Option<&CaptureSection>,
) -> Result<Option<Layout>, ExecuteError> {
    let (items, strides) = match section {
        _ if vertex.xfb.is_declared() => declared(vertex),
        Some(section) => listed(vertex, section)?,
        None => return Ok(None),
    };
    let end = |item: &Placed| item.word + item.found.ty.component_count();
    let ends = |number: u32| items.iter().filter(move |item| item.buffer == number).map(end).max();
    let buffer = |number: u32| {
        let given = strides.iter().find(|(buffer, _)| *buffer == number).map(|(_, words)| *words);
        let stride = given.or_else(|| ends(number))?;
        let stream = items.iter().find(|item| item.buffer == number);
        let stream = stream.map_or(0, |item| item.found.stream);
        Some(Buffer { number, stride, is_active: ends(number).is_some(), stream })
    };
    let buffers = (0..4).filter_map(buffer).collect();
    let (mut runs, mut outputs, mut count) = (Vec::new(), Vec::new(), 0);
    for item in &items {
        // An output that nothing writes leaves its words unchanged.
        let Some(place) = &item.found.place else { continue };
        let words = item.found.ty.component_count();
        runs.push(Run {
            name: item.found.name.clone(),
            record_word: count,
            buffer: item.buffer,
            word: item.word,
            count: words,
        });
        count += words;
        let mut word = 0;
        for leaf in item.found.ty.leaves() {
            let (scalar, components) = crossing(&leaf)?;
            outputs.push(Wire {
                binding: location(u32::try_from(outputs.len()).unwrap_or(u32::MAX), None),
                scalar,
                components,
                part: part(place, word),
            });
            word += components;
        }
    }
    let xfb = Xfb { buffers, runs, times_w: TimesW::default(), stride: count };
    Ok(Some(Layout { xfb, outputs }))
}

/// The passes of captures as far as the plan reads them.
pub(super) fn described(captured: Option<&Xfb>) -> Vec<Pass> {
    let at = BindingPoint { group: 0, binding: 0 };
    let pass = |role, stride| Pass { module: Module::default(), at, stride, role };
    let both =
        |xfb: &Xfb| [Role::FunctionCapture, Role::SlotCapture].map(|role| pass(role, xfb.stride));
    captured.map_or_else(Vec::new, |xfb| both(xfb).into())
}

impl Layout {
    /// Number of vertex streams up to the last one that is captured.
    pub(super) fn streams(&self) -> u32 {
        self.xfb.buffers.iter().map(|buffer| buffer.stream + 1).max().unwrap_or(1)
    }

    /// The wiring of a vertex stage that only writes records.
    pub(super) fn wiring(&self, drawing: &Wiring) -> Wiring {
        let (outputs, clip) = (self.outputs.clone(), None);
        Wiring { outputs, clip, ..drawing.clone() }
    }
}

/// Words from one vertex to the next, by buffer.
type Strides = Vec<(u32, u32)>;

/// Captures declared by `xfb_buffer`, `xfb_offset` and `xfb_stride`.
fn declared(vertex: &StageModule) -> (Vec<Placed>, Strides) {
    let known = all(vertex);
    let mut items = Vec::new();
    for output in &vertex.xfb.outputs {
        let Some(found) = known.iter().find(|known| known.variable == output.name) else {
            continue;
        };
        let (buffer, mut word) = (output.buffer, output.offset / 4);
        for found in pieces(found) {
            if found.ty.has_64_bit() {
                word = word.next_multiple_of(2);
            }
            let next = word + found.ty.component_count();
            items.push(Placed { found, buffer, word });
            word = next;
        }
    }
    let strides = vertex.xfb.strides.iter().map(|stride| (stride.buffer, stride.stride / 4));
    let mut strides: Strides = strides.collect();
    // Without a declared stride, the stride of a buffer with a 64-bit output is a multiple of eight bytes.
    let wide: BTreeSet<u32> =
        items.iter().filter(|item| item.found.ty.has_64_bit()).map(|item| item.buffer).collect();
    for buffer in wide {
        let own = items.iter().filter(|item| item.buffer == buffer);
        let end = own.map(|item| item.word + item.found.ty.component_count()).max().unwrap_or(0);
        if strides.iter().all(|(known, _)| *known != buffer) {
            strides.push((buffer, end.next_multiple_of(2)));
        }
    }
    (items, strides)
}

/// Captures listed in `[capture]`: consecutive, or each in its own buffer.
fn listed(
    vertex: &StageModule,
    section: &CaptureSection,
) -> Result<(Vec<Placed>, Strides), ExecuteError> {
    let known = all(vertex);
    let (mut items, mut strides): (Vec<Placed>, Strides) = (Vec::new(), Vec::new());
    let (mut buffer, mut word) = (0, 0);
    for item in &section.items {
        match &item.value {
            CaptureItem::Output(name) => {
                if section.mode == CaptureMode::Separate && !items.is_empty() {
                    (buffer, word) = (buffer + 1, 0);
                }
                let found = names::find(&known, name);
                let found = found.ok_or_else(|| lacking(format!("output `{name}` to capture")))?;
                let next = word + found.ty.component_count();
                items.push(Placed { found, buffer, word });
                word = next;
            }
            CaptureItem::Skip(words) => word += words,
            CaptureItem::NextBuffer => (buffer, word) = (buffer + 1, 0),
        }
        strides.retain(|(known, _)| *known != buffer);
        if word > 0 {
            strides.push((buffer, word));
        }
    }
    Ok((items, strides))
}
