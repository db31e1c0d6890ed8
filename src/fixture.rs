//! Cases and programs made by hand, for tests of the rooms behind the linker.

use std::sync::Arc;

use crate::case::{
    Case, Dialect, Draw, DrawShape, Expectation, LinkSection, Number, Probe, Region, RenderTarget,
    Step,
};
use crate::format::Format;
use crate::link::map::LinkMap;
use crate::link::program::{LinkedProgram, LinkedStages};
use crate::source::{Source, Span, Spanned};

/// A case of 4 by 4 pixels in rgba8unorm that consists of `steps`, each on a line of its own: step n on line n + 1.
pub(crate) fn case(steps: Vec<Step>) -> Case {
    let lines: Vec<_> = (0..steps.len()).map(|idx| format!("step {idx}")).collect();
    let source = Source::new("cases/fixture.shader_test", lines.join("\n"));
    let spans = (0..steps.len()).map(|idx| source.line_span(idx));
    let steps = steps.into_iter().zip(spans).map(|(step, span)| Spanned::new(step, span)).collect();
    Case {
        name: "cases/fixture.shader_test".to_owned(),
        source: Arc::new(source.clone()),
        dialect: Dialect::Interstage,
        requirements: Vec::new(),
        shaders: Vec::new(),
        specializations: Vec::new(),
        includes: Vec::new(),
        include_folders: Vec::new(),
        varyings: Vec::new(),
        samples: 1,
        depth_format: None,
        render_targets: vec![target(0, "rgba8unorm")],
        size: [4, 4],
        link: LinkSection::default(),
        capture: None,
        vertex_data: None,
        indices: Vec::new(),
        steps,
        expected: Vec::new(),
        warnings: Vec::new(),
    }
}

/// A render target without a clear value.
pub(crate) fn target(index: u32, format: &str) -> RenderTarget {
    let format = Format::from_name(format).expect("the test names a format");
    RenderTarget { index, format, clear: None, span: Span::default() }
}

/// A program without any interface.
pub(crate) fn program(stages: LinkedStages) -> LinkedProgram {
    LinkedProgram {
        stages,
        map: LinkMap::default(),
        reflection: crate::link::reflect::Reflection::default(),
        vertex_reflection: None,
        attributes: Vec::new(),
        uniform_buffers: Vec::new(),
        storage_buffers: Vec::new(),
        opaques: Vec::new(),
        written_targets: vec![0],
        is_dual_source: false,
        points: None,
        cull: None,
        counts_first_instance: false,
        masks: crate::link::program::MaskRule::Always,
        needs_capabilities: true,
        feedback: None,
    }
}

/// A module of the WGSL text.
pub(crate) fn module(wgsl: &str) -> naga::Module {
    naga::front::wgsl::parse_str(wgsl).expect("the test's WGSL is right")
}

/// `draw rect -1 -1 2 2`.
pub(crate) fn draw_all() -> Step {
    draw(DrawShape::Rect([-1.0, -1.0, 2.0, 2.0]))
}

/// One instance of `shape`.
pub(crate) const fn draw(shape: DrawShape) -> Step {
    Step::Draw(Draw::once(shape))
}

/// `probe target TARGET REGION rgba EXPECTED`.
pub(crate) fn probe(target: u32, region: Region, expected: &[Number]) -> Step {
    Step::Expect(Expectation::Probe(Probe {
        target,
        sample: None,
        region,
        channels: u8::try_from(expected.len()).expect("at most four"),
        expected: expected.to_vec(),
        alternatives: Vec::new(),
        tolerance: None,
        is_exact_integer: false,
    }))
}
