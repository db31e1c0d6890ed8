//! Computes the attachments of the passes of a plan, without an adapter.

use wgpu_types::TextureFormat;

use crate::blending::blend_state;
use crate::format::texture_format;
use case::output::BufferState;
use ir::format::Format;
use plan::{
    Attachments, DrawSetup, Operation, PlannedTexture, RenderTo, TexelFormat, TextureShape,
};

use super::Subject;

/// One colour attachment of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attached {
    /// No attachment.
    Nothing,
    /// A filler for a hole, used on GL; nothing writes it.
    Filler,
    /// A render target of this format.
    Target(Format),
}

/// Blend state and write mask of a colour attachment; `None` if nothing writes it.
type Way = Option<(Option<wgpu_types::BlendState>, [bool; 4])>;

/// Setups of all draws in the plan.
pub(super) fn setups<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a DrawSetup> + use<'a> {
    let operations = subject.plan.into_iter().flat_map(|plan| &plan.operations);
    operations.filter_map(Operation::setup)
}

/// The colour attachments of every distinct pass, those that fill textures included.
pub(super) fn passes(subject: &Subject<'_>) -> Vec<Vec<Attached>> {
    let Some(plan) = subject.plan else { return Vec::new() };
    let mut passes: Vec<_> = plan.operations.iter().filter_map(Operation::pass).collect();
    passes.sort_unstable();
    passes.dedup();
    let map = |idx: usize| plan.attachments.get(idx).copied().unwrap_or_default();
    let own = passes.into_iter().map(|(to, idx)| attached(subject, to, map(idx)));
    own.chain(plan.textures.iter().filter_map(filling)).collect()
}

/// The colour attachments of the passes that fill a multisampled texture, which bytes cannot be copied to.
fn filling(texture: &PlannedTexture) -> Option<Vec<Attached>> {
    match texture.format {
        TexelFormat::Color(format) if texture.shape == TextureShape::Multisampled => {
            Some(vec![Attached::Target(format)])
        }
        TexelFormat::Color(_) | TexelFormat::Depth => None,
    }
}

/// The colour attachments of a pass, up to the last one that is used.
fn attached(subject: &Subject<'_>, to: RenderTo, map: Attachments) -> Vec<Attached> {
    let target = |index: Option<u32>| match to {
        RenderTo::Window => {
            let mut targets = subject.case.render_targets.iter();
            targets.find(|target| Some(target.index) == index).map(|target| target.format)
        }
        RenderTo::Textures { framebuffer, .. } => {
            let plan = subject.plan?;
            let idx = usize::try_from(index?).ok()?;
            let target = plan.framebuffers.get(framebuffer)?.get(idx)?;
            match plan.textures.get(target.texture)?.format {
                TexelFormat::Color(format) => Some(format),
                TexelFormat::Depth => None,
            }
        }
    };
    let all = map.targets.map(target);
    let count = all.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let hole =
        if subject.is_gl && to == RenderTo::Window { Attached::Filler } else { Attached::Nothing };
    all.into_iter().take(count).map(|target| target.map_or(hole, Attached::Target)).collect()
}

/// The attachments of a draw, each with its blend state and write mask.
fn ways(subject: &Subject<'_>, setup: &DrawSetup) -> Vec<(Attached, Way)> {
    let Some(plan) = subject.plan else { return Vec::new() };
    let map = plan.attachments.get(setup.attachments).copied().unwrap_or_default();
    let states = plan.outputs.get(setup.outputs).copied().unwrap_or_default();
    let program = subject.programs.get(setup.program);
    let written = program.map_or(&[][..], |program| &program.draw.written_targets);
    let way = |((attached, buffer), state): ((Attached, u32), BufferState)| {
        let Attached::Target(format) = attached else { return (attached, None) };
        let is_written = written.contains(&buffer);
        (attached, is_written.then(|| (blend_state(format, &state), state.channels)))
    };
    attached(subject, setup.to, map).into_iter().zip(map.buffers).zip(states).map(way).collect()
}

/// Formats of attachments that are blended.
pub(super) fn blended(subject: &Subject<'_>) -> Vec<TextureFormat> {
    let ways = setups(subject).flat_map(|setup| ways(subject, setup));
    let blended = ways.filter_map(|(attached, way)| match (attached, way) {
        (Attached::Target(format), Some((Some(_), _))) => texture_format(format),
        (Attached::Target(_) | Attached::Filler | Attached::Nothing, _) => None,
    });
    blended.collect()
}

/// True if some draw's attachments differ in blend state or write mask.
pub(super) fn blends_apart(subject: &Subject<'_>) -> bool {
    setups(subject).any(|setup| {
        let mut ways = ways(subject, setup)
            .into_iter()
            .filter(|(attached, _)| *attached != Attached::Nothing)
            .map(|(_, way)| way);
        let first = ways.next();
        ways.any(|way| Some(way) != first)
    })
}
