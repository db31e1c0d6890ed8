//! Checks of the whole case: unused sections, draws beyond the vertex data, probes outside the target, cases without
//! expectations.

mod buffers;
mod objects;
mod patches;
#[cfg(test)]
mod rule_tests;

use std::collections::BTreeSet;

use crate::read::reader::Reader;
use crate::read::section::targets::scalar_of;
use crate::read::section::{Section, SectionKind};
use crate::state::depth_stencil::{DepthAspect, DepthFormat};
use crate::state::{Capability, RasterChange, StateChange};
use crate::vacuous::{self, Sections as Read};
use crate::{
    Action, Case, Dialect, DrawShape, Language, LinkExpectation, LinkSection, Probe, ProfileChoice,
    RESTART_INDEX, ReadExpectation, ReadSource, Region, RenderTarget, Step,
};
use ir::diagnostic::{Diagnostic, counted};
use ir::interface::ScalarKind;
use ir::profile::Profile;
use ir::scalar::Number;
use ir::source::{Source, Span, Spanned};
use ir::stage::ShaderStage;

/// Checks a case after its sections are read. Errors that result from an error in a section are not reported.
pub(super) fn check(reader: &mut Reader<'_>, sections: &[Section], case: &Case) {
    let is_intact = |kind: &SectionKind| {
        let mut same = sections.iter().filter(|section| section.kind == *kind);
        same.all(|section| reader.is_intact(section.header.to(section.body)))
    };
    let (is_test_intact, is_data_intact) =
        (is_intact(&SectionKind::Test), is_intact(&SectionKind::VertexData));
    let is_link_intact = is_intact(&SectionKind::Link);
    let is_require_intact = is_intact(&SectionKind::Require);
    let is_target_intact = is_intact(&SectionKind::RenderTargets);
    let is_expect_intact = is_intact(&SectionKind::Expect);
    if is_test_intact && is_data_intact && is_intact(&SectionKind::IndexData) {
        check_draws(reader, case);
    }
    if is_test_intact {
        patches::check(reader, case);
    }
    if !reader.is_strict() {
        return;
    }
    if reader.dialect != Dialect::ShaderLibrary {
        check_stages(reader, case);
    }
    if is_test_intact {
        check_kinds(reader, case);
        objects::check(reader, case);
    }
    if is_test_intact && is_link_intact {
        check_use(reader, sections, case);
    }
    if is_test_intact && is_require_intact {
        check_depth(reader, case);
    }
    if is_target_intact {
        check_probes(reader, case);
    }
    if is_test_intact {
        buffers::check(reader, case);
    }
    let are_intact = |sections: Read| match sections {
        Read::Steps => is_test_intact,
        Read::StepsAndTargets => is_test_intact && is_target_intact,
        Read::StepsAndLink => is_test_intact && is_link_intact,
        Read::Expect => is_expect_intact,
    };
    let found = vacuous::of_case(case, are_intact, &|setting| reader.place_of("[link]", setting));
    for error in found {
        reader.report(error);
    }
}

/// Checks that every drawn row exists.
fn check_draws(reader: &mut Reader<'_>, case: &Case) {
    let rows = case.vertex_data.as_ref().map(|data| data.row_count);
    let indices = u32::try_from(case.indices.len()).unwrap_or(u32::MAX);
    for Spanned { value: draw, span } in case.draws() {
        let problem = match (&draw.shape, rows) {
            // A vertex stage may compute positions from the vertex index alone.
            (
                DrawShape::Rect(_)
                | DrawShape::RectOrtho(_)
                | DrawShape::RectTextured { .. }
                | DrawShape::Captured { .. },
                _,
            )
            | (DrawShape::Arrays { .. }, None) => None,
            (DrawShape::Arrays { .. }, _) if !draw.sources.is_empty() => None,
            (DrawShape::Arrays { first, count, .. }, Some(rows)) => {
                let is_beyond = first.checked_add(*count).is_none_or(|end| end > rows);
                is_beyond.then(|| format!("`[vertex data]` has only {rows} rows"))
            }
            (DrawShape::Indexed { first, count, .. }, _) => {
                let is_beyond = first.checked_add(*count).is_none_or(|end| end > indices);
                is_beyond.then(|| format!("`[index data]` has only {indices} indices"))
            }
        };
        if let Some(message) = problem {
            reader.report(Diagnostic::error(span, message));
        }
    }
    let mut indices = case.indices.iter().filter(|index| **index != RESTART_INDEX);
    let beyond = indices.find(|index| rows.is_some_and(|rows| **index >= rows));
    let indexed = case.draws().find(|Spanned { value: draw, .. }| {
        // With a base vertex, or with rows from elsewhere, the executor checks.
        let is_indexed = matches!(draw.shape, DrawShape::Indexed { .. });
        is_indexed && draw.base_vertex == 0 && draw.sources.is_empty()
    });
    if let (Some(index), Some(draw), Some(rows)) = (beyond, indexed, rows) {
        let message = format!("index {index} is beyond the {rows} rows of `[vertex data]`");
        reader.report(Diagnostic::error(draw.span, message));
    }
}

/// The aspect of the depth buffer that a step concerns.
fn depth_aspect(step: &Step) -> Option<DepthAspect> {
    if let Some(ReadSource::Depth(aspect)) = step.reading().map(ReadExpectation::source) {
        return Some(aspect);
    }
    match step.state() {
        Some(
            StateChange::Switch { capability: Capability::DepthTest, .. }
            | StateChange::Raster(RasterChange::DepthFunction(_) | RasterChange::ClearDepth(_)),
        ) => Some(DepthAspect::Depth),
        Some(
            StateChange::Switch { capability: Capability::StencilTest, .. }
            | StateChange::Raster(RasterChange::Stencil(_)),
        ) => Some(DepthAspect::Stencil),
        Some(_) | None => None,
    }
}

/// Checks that depth state is accompanied by a depth buffer.
fn check_depth(reader: &mut Reader<'_>, case: &Case) {
    let format = case.depth_buffer();
    let first = |aspect: DepthAspect| {
        case.steps.iter().find(|step| depth_aspect(&step.value) == Some(aspect))
    };
    let depth = first(DepthAspect::Depth);
    if let Some(step) = depth.filter(|_| !format.is_some_and(DepthFormat::has_depth)) {
        let error = Diagnostic::error(step.span, "there is no depth buffer");
        reader.report(error.with_help("`depthbuffer` in `[require]` adds one"));
    }
    let stencil = first(DepthAspect::Stencil);
    if let Some(step) = stencil.filter(|_| !format.is_some_and(DepthFormat::has_stencil)) {
        let error = Diagnostic::error(step.span, "there is no stencil buffer");
        let help = "`depth depth24plus-stencil8` in `[render targets]` adds one";
        reader.report(error.with_help(help));
    }
}

/// Checks that no stage is given twice, and that a compute stage is the only stage.
fn check_stages(reader: &mut Reader<'_>, case: &Case) {
    let mut seen = BTreeSet::new();
    for shader in &case.shaders {
        if !seen.insert((shader.stage, &shader.name)) {
            let message = "this stage is given twice";
            let error = Diagnostic::error(shader.header, message);
            reader.report(
                error.with_help("an additional stage needs a name: `[vertex shader NAME]`"),
            );
        }
    }
    let compute = case.shaders.iter().find(|shader| shader.stage == ShaderStage::Compute);
    if let (Some(compute), true) =
        (compute, seen.iter().any(|(stage, _)| *stage != ShaderStage::Compute))
    {
        let message = "a compute stage cannot be in one program with other stages";
        reader.report(Diagnostic::error(compute.header, message));
    }
}

/// Checks that lines about a kind of draw have draws of that kind.
fn check_kinds(reader: &mut Reader<'_>, case: &Case) {
    let counts =
        |line: &&Spanned<LinkExpectation>| matches!(line.value, LinkExpectation::Pipelines(_));
    let has_draw = case.rasterised_draws().next().is_some();
    if let Some(line) = case.link.expectations.iter().find(counts).filter(|_| !has_draw) {
        reader.report(Diagnostic::error(line.span, "nothing is drawn, so there are no pipelines"));
    }
    // A stage that makes primitives may make points from any primitive.
    let has_points = case.draws().any(|draw| draw.value.shape.is_of_points())
        || case.shaders.iter().any(|shader| shader.stage.properties().makes_primitives);
    if let Some(label) = case.link.sprite.labels.first().filter(|_| !has_points) {
        reader.report(Diagnostic::error(
            label.span,
            "nothing draws points, and only points are sprites",
        ));
    }
}

/// Reason why an empty `[link]` is an error.
const IDLE_LINK: &str = "it changes and expects nothing";

/// Reason why a `[link]` that only repeats the defaults is an error.
const DEFAULT_LINK: &str = "it repeats the defaults, such as `pack on`, and expects nothing";

fn is_idle(link: &LinkSection) -> bool {
    let is_webgpu = link.profile == Some(ProfileChoice::One(Profile::Webgpu));
    let profile = if is_webgpu { link.profile } else { None };
    *link == LinkSection { header: link.header, profile, ..LinkSection::default() }
}

/// True if the stage may be SPIR-V. Always true for piglit's files, which may contain SPIR-V that is not selected.
fn has_constants(case: &Case, stage: ShaderStage) -> bool {
    let has_them = |language: Language| match language {
        Language::SpirvAssembly | Language::Wgsl => true,
        Language::Glsl | Language::Passthrough => false,
    };
    let mut own = case.shaders.iter().filter(|shader| shader.stage == stage);
    case.dialect == Dialect::Piglit || own.any(|shader| has_them(shader.language))
}

fn computes(case: &Case) -> bool {
    case.steps.iter().any(|step| matches!(step.value, Step::Run(Action::Compute(_))))
}

/// Checks that every section and declaration is used.
fn check_use(reader: &mut Reader<'_>, sections: &[Section], case: &Case) {
    let uses_rows = case.draws().any(|Spanned { value: draw, .. }| {
        let is_of_rows = matches!(draw.shape, DrawShape::Arrays { .. } | DrawShape::Indexed { .. });
        is_of_rows && draw.sources.is_empty()
    });
    let is_indexed = |shape: &DrawShape| matches!(shape, DrawShape::Indexed { .. });
    let uses_indices = case.draws().any(|draw| is_indexed(&draw.value.shape));
    let needs_declarations = case.shaders.iter().any(|shader| shader.language == Language::Wgsl);
    let includes =
        case.shaders.iter().any(|shader| case.source.slice(shader.text).contains("#include"));
    let expects_link =
        !case.link.expectations.is_empty() || case.program_expectations().next().is_some();
    for section in sections {
        let unused = match &section.kind {
            SectionKind::VertexData if !uses_rows => {
                Some("no `draw arrays` or `draw indexed` uses it")
            }
            SectionKind::IndexData if !uses_indices => Some("no `draw indexed` uses it"),
            SectionKind::Include | SectionKind::IncludePaths if !includes => {
                Some("no GLSL section has an `#include`")
            }
            SectionKind::Specializations(stage) if !has_constants(case, *stage) => {
                Some("its stage is neither in SPIR-V nor in WGSL")
            }
            SectionKind::Varyings if !needs_declarations => {
                Some("GLSL and SPIR-V stages declare their own varyings")
            }
            SectionKind::Shader { stage: ShaderStage::Compute, .. } if !expects_link => {
                (!computes(case)).then_some("no `compute` runs it")
            }
            SectionKind::Shader { .. } if !expects_link => case
                .draws()
                .next()
                .is_none()
                .then_some("no draw runs it; `draw rect -1 -1 2 2` covers the target"),
            SectionKind::Capture if !captures(case) && !expects_link => Some("nothing is captured"),
            SectionKind::Link if is_idle(&case.link) => {
                let is_empty = reader.source.slice(section.body).trim().is_empty();
                Some(if is_empty { IDLE_LINK } else { DEFAULT_LINK })
            }
            SectionKind::VertexData
            | SectionKind::IndexData
            | SectionKind::Include
            | SectionKind::IncludePaths
            | SectionKind::Varyings
            | SectionKind::Shader { .. }
            | SectionKind::Specializations(_)
            | SectionKind::Require
            | SectionKind::Parameters
            | SectionKind::RenderTargets
            | SectionKind::Link
            | SectionKind::Capture
            | SectionKind::Test
            | SectionKind::Expect => None,
        };
        if let Some(why) = unused {
            let message = format!("`{}` is never used", reader.source.slice(section.header));
            reader.report(vacuous::UNUSED.error(section.header, message).with_help(why));
        }
    }
    check_expectations(reader, sections, case);
}

fn captures(case: &Case) -> bool {
    case.steps.iter().any(|step| matches!(step.value, Step::Run(Action::Xfb(_))))
}

/// The position of the steps, or of missing ones: the header of `[test]`, of the last section, or the first line.
pub(super) fn place_of_steps(source: &Source, sections: &[Section]) -> Span {
    let test = sections.iter().find(|section| section.kind == SectionKind::Test);
    test.or(sections.last()).map_or_else(|| source.line_span(0), |section| section.header)
}

/// Checks that the case can fail: it must have an expectation.
fn check_expectations(reader: &mut Reader<'_>, sections: &[Section], case: &Case) {
    if case.expectations().next().is_some() || !case.link.expectations.is_empty() {
        return;
    }
    let span = place_of_steps(reader.source, sections);
    let error = vacuous::EXPECTS_NOTHING.error(span, "the case expects nothing, so it cannot fail");
    reader.report(error.with_help(
        "add a `probe`, a `golden`, `link success`, `link error` or a line of `[link]`",
    ));
}

/// Checks that probed pixels exist, and that integer targets are probed with integers.
fn check_probes(reader: &mut Reader<'_>, case: &Case) {
    for step in &case.steps {
        // Sizes and formats of textures are known only when the case is planned.
        if matches!(&step.value, Step::Set(setting) if setting.is_framebuffer()) {
            return;
        }
        let Some(expectation) = step.value.reading() else { continue };
        let ReadSource::Target { target, sample } = expectation.source() else { continue };
        let Some(declared) = case.render_targets.iter().find(|known| known.index == target) else {
            let message = format!("there is no render target {target}");
            let error = Diagnostic::error(step.span, message);
            reader.report(error.with_help("declare it in `[render targets]`"));
            continue;
        };
        let mut mistake = place_mistake(expectation.region(), sample, case);
        if let (None, ReadExpectation::Probe(probe)) = (&mistake, expectation) {
            mistake = number_mistake(probe, declared);
        }
        if let Some(message) = mistake {
            reader.report(Diagnostic::error(step.span, message));
        }
    }
}

/// Message about pixels or a sample that the render targets of the case lack.
fn place_mistake(region: Option<Region>, sample: Option<u32>, case: &Case) -> Option<String> {
    let ([width, height], samples) = (case.size, case.samples);
    let is_beyond = |region| match region {
        Region::Pixel([x, y]) => x >= width || y >= height,
        Region::Rect([x, y, w, h]) => x.saturating_add(w) > width || y.saturating_add(h) > height,
        Region::RelativePixel(_) | Region::RelativeRect(_) | Region::All => false,
    };
    if region.is_some_and(is_beyond) {
        return Some(format!("the render target has only {width} by {height} pixels"));
    }
    sample
        .is_some_and(|sample| sample >= samples)
        .then(|| format!("the render target has only {}", counted(samples, "sample")))
}

/// Message about a fraction that is expected of an integer target.
fn number_mistake(probe: &Probe, target: &RenderTarget) -> Option<String> {
    let is_integer_target = scalar_of(target.format.class()) != ScalarKind::F32;
    let mut numbers =
        probe.expected.iter().chain(probe.alternatives.iter().map(|(_, numbers)| numbers));
    let has_fraction = numbers.any(|number| matches!(number, Number::Real(value) if *value != 0.0));
    (is_integer_target && has_fraction)
        .then(|| format!("`{}` holds integers; expect integers", target.format.name()))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::Dialect;
    use crate::read::parse::tests::messages;

    #[track_caller]
    fn check_error(text: &str, expect: &Expect) {
        expect.assert_eq(&messages(text, Dialect::Interstage).expect_err("is wrong"));
    }

    #[test]
    fn a_section_that_nothing_uses_is_an_error() {
        check_error(
            "[vertex shader]\n[varyings]\nvec2 a\n[vertex data]\na/float/1\n1\n[index data]\n0\n[link]\n[test]\nprobe all rgb 0 0 0\n",
            &expect![[r#"
                1:1: `[vertex shader]` is never used (help: no draw runs it; `draw rect -1 -1 2 2` covers the target)
                2:1: `[varyings]` is never used (help: GLSL and SPIR-V stages declare their own varyings)
                4:1: `[vertex data]` is never used (help: no `draw arrays` or `draw indexed` uses it)
                7:1: `[index data]` is never used (help: no `draw indexed` uses it)
                9:1: `[link]` is never used (help: it changes and expects nothing)
                11:1: nothing has drawn or cleared these pixels yet (help: put it behind a draw, a dispatch or a clear)"#]],
        );
        check_error(
            "[fragment shader]\n[link]\npack on\nprofile webgpu\n[test]\ndraw rect -1 -1 2 2\nprobe all rgb 0 0 0\n",
            &expect![
                "2:1: `[link]` is never used (help: it repeats the defaults, such as `pack on`, and expects nothing)"
            ],
        );
    }

    #[test]
    fn depth_state_needs_a_depth_buffer() {
        check_error(
            "[vertex shader]\n[test]\nenable GL_DEPTH_TEST\ndraw rect 0 0 1 1\nprobe all rgb 0 0 0\n",
            &expect![[r"
            3:1: there is no depth buffer (help: `depthbuffer` in `[require]` adds one)"]],
        );
    }

    #[test]
    fn a_case_that_expects_nothing_is_an_error() {
        check_error(
            "[vertex shader]\n[test]\ndraw rect 0 0 1 1\n",
            &expect![[r"
            2:1: the case expects nothing, so it cannot fail (help: add a `probe`, a `golden`, `link success`, `link error` or a line of `[link]`)"]],
        );
    }

    #[test]
    fn a_stage_given_twice_is_an_error() {
        check_error(
            "[vertex shader]\n[vertex shader wgsl]\n[vertex shader a]\n[compute shader]\n[test]\nlink success\n",
            &expect![[r#"
                2:1: this stage is given twice (help: an additional stage needs a name: `[vertex shader NAME]`)
                2:1: `[vertex shader wgsl]` is never used (help: without `use` the first stage of each kind is linked)
                3:1: `[vertex shader a]` is never used (help: without `use` the first stage of each kind is linked)
                4:1: a compute stage cannot be in one program with other stages"#]],
        );
    }

    #[test]
    fn draws_probes_and_buffers_stay_inside() {
        check_error(
            "[require]\nsize 8 8\n[vertex shader]\n[vertex data]\na/float/1\n1\n1\n[index data]\n0 2\n[test]\n\
            draw arrays points 1 2\ndraw indexed points 1 2\nprobe rgb 7 8 0 0 0\nprobe rect rgb 4 4 5 4 0 0 0\n\
            probe target 1 all rgb 0 0 0\nssbo 1 8\nprobe buffer 1 float 4 == 1 2\nprobe buffer 2 int 0 == 1\n",
            &expect![[r#"
                11:1: `[vertex data]` has only 2 rows
                12:1: `[index data]` has only 2 indices
                12:1: index 2 is beyond the 2 rows of `[vertex data]`
                13:1: the render target has only 8 by 8 pixels
                14:1: the render target has only 8 by 8 pixels
                15:1: there is no render target 1 (help: declare it in `[render targets]`)
                17:1: storage buffer 1 has only 8 bytes (help: make it with `ssbo 1 SIZE`, at most 16777216 bytes)
                17:1: nothing that could write storage buffer 1 has run yet (help: put it behind a draw or a dispatch)
                18:1: there is no storage buffer 2 yet (help: make it with `ssbo 2 SIZE`, at most 16777216 bytes)"#]],
        );
    }

    #[test]
    fn what_follows_from_another_error_is_not_reported() {
        check_error(
            "[vertex shader]\n[vertex data]\na/float/1\n1\n[test]\ndrw arrays points 0 1\nprobe al\n",
            &expect![[r#"
                6:1: unknown command `drw` (help: did you mean `draw arrays`?)
                7:7: expected `r`, `rg`, `rgb` or `rgba`, found `al` (help: did you mean `all`?)"#]],
        );
    }
}
