//! Links several programs of stage objects in turn, and caches data that later programs can reuse.
//!
//! Modules are relocated and cached only if slots are labels
//! ([`LabelOptions::are_used`](crate::LabelOptions::are_used)).

use std::borrow::Cow;

use crate::labelling::{LabelledObjects, LabelledPair, Labelling};
use crate::program::LinkedProgram;
use crate::reflect::limit;
pub use crate::stages::{ObjectNumbers, StageObjects};
use crate::{LinkError, LinkOptions, link_stages};
use ir::diagnostic::Unsupported;
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

/// The programs of one case, and the order of their use.
#[derive(Clone, Debug, Default)]
pub struct LinkedPrograms {
    /// Every program that is used. The link map of the first program has the counters of all programs.
    pub programs: Vec<LinkedProgram>,
    /// Index of the program for every use, in order.
    pub uses: Vec<usize>,
    /// The stage objects of every program.
    pub objects: Vec<ObjectNumbers>,
}

/// Links every pair of a vertex and a fragment stage in `uses`, as [`link_objects`] does.
///
/// # Errors
/// The same as for [`link_objects`].
pub fn link_all(
    vertex: &[StageModule],
    fragment: &[StageModule],
    uses: &[(usize, usize)],
    options: &LinkOptions,
) -> Result<LinkedPrograms, LinkError> {
    let pair = |(vertex, fragment): &(usize, usize)| {
        [(ShaderStage::Vertex, Some(*vertex)), (ShaderStage::Fragment, Some(*fragment))]
            .into_iter()
            .collect()
    };
    let uses: Vec<ObjectNumbers> = uses.iter().map(pair).collect();
    let objects = [(ShaderStage::Vertex, vertex), (ShaderStage::Fragment, fragment)];
    link_objects(objects.into_iter().collect(), &uses, options)
}

/// Links every program of `uses` in order. `uses` contains indices into the stages.
///
/// # Errors
/// A program does not link. The error of the first program that does not link is returned.
pub fn link_objects(
    objects: StageObjects<'_>,
    uses: &[ObjectNumbers],
    options: &LinkOptions,
) -> Result<LinkedPrograms, LinkError> {
    limit::check(objects.values().copied().flatten(), options)?;
    let has_labels = |stage, idx| has_labels(uses, options, stage, idx);
    let mut labelled = LabelledObjects::of(objects, has_labels);
    let mut labelling = Labelling::new(&mut labelled, &options.labels)?;
    let mut linked = LinkedPrograms::default();
    for numbers in uses {
        let Some(stages) = labelled.stages(objects, *numbers, options) else {
            return Err(Unsupported("a program without a vertex stage".to_owned()).into());
        };
        if let Some(known) = linked.objects.iter().position(|known| known == numbers) {
            let placement = &linked.programs[known].map.placement;
            if let (Some(labelling), Some(placement)) = (&mut labelling, placement) {
                labelling.relocator.return_to(placement);
            }
            linked.uses.push(known);
            continue;
        }
        let labelled = labelling.as_mut().map(|it| LabelledPair::new(it, *numbers));
        linked.uses.push(linked.programs.len());
        linked.programs.push(link_stages(stages, options, labelled)?);
        linked.objects.push(*numbers);
    }
    if let (Some(first), Some(labelling)) = (linked.programs.first_mut(), labelling) {
        first.map.counters = labelling.relocator.counters;
    }
    Ok(linked)
}

/// Links one program of all objects, which contain at most one stage of each kind.
///
/// # Errors
/// The same as for [`link_objects`].
pub(crate) fn link_one(
    objects: StageObjects<'_>,
    options: &LinkOptions,
) -> Result<LinkedProgram, LinkError> {
    let numbers = objects.map(|stages| (!stages.is_empty()).then_some(0));
    let linked = link_objects(objects, &[numbers], options)?;
    Ok(linked.programs.into_iter().next().expect("one use is one program"))
}

/// True if the outputs of a stage object have labels, or the inputs of a fragment stage.
///
/// Slots between the stages before the last one of a program are not labels, unless each stage is a separate program. A
/// geometry stage is always the last one.
fn has_labels(
    uses: &[ObjectNumbers],
    options: &LinkOptions,
    stage: ShaderStage,
    idx: usize,
) -> bool {
    let is_last = |numbers: &ObjectNumbers| {
        let last = numbers.present().rfind(|(stage, _)| *stage < ShaderStage::Fragment);
        last == Some((stage, &idx))
    };
    options.labels.is_separable || stage >= ShaderStage::Geometry || uses.iter().any(is_last)
}

impl LabelledObjects {
    /// The stages of a program, in the order of the pipeline; `None` if an index has no object. `given` are the objects
    /// without semantics.
    fn stages<'a>(
        &'a self,
        given: StageObjects<'a>,
        numbers: ObjectNumbers,
        options: &LinkOptions,
    ) -> Option<Vec<Cow<'a, StageModule>>> {
        numbers[ShaderStage::Vertex]?;
        let stages = numbers.present().map(|(stage, idx)| {
            let has_labels = has_labels(&[numbers], options, stage, *idx);
            let labelled = || self.0[stage].get(*idx)?.as_ref();
            let own = if has_labels { labelled() } else { given[stage].get(*idx) };
            own.map(Cow::Borrowed)
        });
        stages.collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::LabelOptions;
    use crate::testing::stage;
    use ir::options::Optimise;
    use ir::profile::Profile;
    use ir::stage::PerStage;

    use super::*;

    /// A vertex stage, and fragment stages that read all, some and none of its outputs.
    fn stages(location: &dyn Fn(u32) -> String) -> (StageModule, Vec<StageModule>) {
        let [a, b, c] = [3, 1, 8].map(location);
        let text = format!(
            "#version 450\nuniform float u;\n{a} out vec2 a;\n{b} out vec3 b;\n{c} flat out int c;\n\
             void main() {{ gl_Position = vec4(0.0); a = vec2(u, 0.5); b = vec3(u, 1.0, u + u); c = 7; }}"
        );
        let vertex = stage(ShaderStage::Vertex, &text);
        let reader = |inputs: &str, value: &str| {
            let text = format!(
                "#version 450\n{inputs}\nout vec4 color;\nvoid main() {{ color = vec4({value}); }}"
            );
            stage(ShaderStage::Fragment, &text)
        };
        let fragments = vec![
            reader(
                &format!("{a} in vec2 a;\n{b} in vec3 b;\n{c} flat in int c;"),
                "a.x + a.y + b.x + b.y + b.z + float(c)",
            ),
            reader(&format!("{c} flat in int c;\n{b} noperspective in vec3 b;"), "float(c) + b.z"),
            reader("", "1.0"),
        ];
        (vertex, fragments)
    }

    fn of_draws<T: Default>(values: [T; 5]) -> PerStage<T> {
        ShaderStage::OF_DRAWS.iter().copied().zip(values).collect()
    }

    /// All results of a link, except counters that include earlier links.
    fn shown(program: &LinkedProgram) -> String {
        let map = program.map.clone().without_history();
        format!("{:#?}", LinkedProgram { map, ..program.clone() })
    }

    /// Checks that each program of a session equals the same program in a separate session byte for byte, whatever was
    /// linked before it.
    #[track_caller]
    fn check_fresh(options: &LinkOptions, location: &dyn Fn(u32) -> String) {
        let (vertex, fragments) = stages(location);
        let vertex = [vertex];
        for (first, second) in [(0, 1), (1, 0), (0, 2), (2, 0), (2, 1)] {
            // The separate sessions run first, so that even state that outlives a session cannot make both equal.
            let alone = |fragment: usize| {
                let fragment = std::slice::from_ref(&fragments[fragment]);
                let linked = link_all(&vertex, fragment, &[(0, 0)], options).expect("it links");
                shown(&linked.programs[0])
            };
            let fresh = [alone(second), alone(first)];
            let uses = [(0, first), (0, second), (0, first)];
            let kept = link_all(&vertex, &fragments, &uses, options).expect("they link");
            assert_eq!(kept.uses, [0, 1, 0]);
            for (program, fresh) in kept.programs.iter().zip(fresh.iter().rev()) {
                assert!(shown(program) == *fresh, "{uses:?}");
            }
        }
    }

    #[test]
    fn nothing_of_an_earlier_link_is_left_in_a_later_one() {
        let plain = LinkOptions::default();
        let none = |_: u32| String::new();
        let located = |location: u32| format!("layout(location = {location})");
        check_fresh(&plain, &none);
        check_fresh(&plain, &located);
        let mut tight = LinkOptions::default();
        tight.packing.optimise = Optimise {
            dead: true,
            constants: true,
            uniforms: true,
            duplicates: true,
            convergent: true,
        };
        check_fresh(&tight, &none);
        for (_, profile) in Profile::ALL.into_iter().filter(|(name, _)| *name != "i915") {
            check_fresh(
                &LinkOptions {
                    labels: LabelOptions { profile, ..LabelOptions::default() },
                    ..LinkOptions::default()
                },
                &none,
            );
            let separable = LinkOptions {
                labels: LabelOptions { profile, is_separable: true, ..LabelOptions::default() },
                ..LinkOptions::default()
            };
            check_fresh(&separable, &located);
        }
    }

    /// A geometry stage that is used in several programs, with and without a fragment stage, is linked as if each
    /// program were linked alone.
    #[test]
    fn nothing_is_left_in_a_geometry_stage() {
        let writer = |outputs: &str, values: &str| {
            let text = format!(
                "#version 450\n{outputs}\nvoid main() {{ gl_Position = vec4(0.0); {values} }}"
            );
            stage(ShaderStage::Vertex, &text)
        };
        let reader = |input: &str| {
            let text = format!(
                "#version 450\nin float {input}; out vec4 c; void main() {{ c = vec4({input}); }}"
            );
            stage(ShaderStage::Fragment, &text)
        };
        let vertex =
            [writer("out float a, b;", "a = b = 1.0;"), writer("out float b, a;", "a = b = 2.0;")];
        let geometry = [stage(
            ShaderStage::Geometry,
            "#version 450\nlayout(points) in; layout(points, max_vertices = 1) out;\n\
             in float a[], b[]; out float x, y; void main() { x = a[0]; y = b[0]; EmitVertex(); }",
        )];
        let fragment = [reader("x"), reader("y")];
        let objects = of_draws([&vertex[..], &[], &[], &geometry, &fragment]);
        let program =
            |vertex, geometry, fragment| of_draws([Some(vertex), None, None, geometry, fragment]);
        let triple = |vertex, fragment| program(vertex, Some(0), Some(fragment));
        let front = program(1, Some(0), None);
        let alone = program(0, None, None);
        for (profile, is_separable) in
            [(Profile::Webgpu, false), (Profile::Nv30, false), (Profile::Nv30, true)]
        {
            let labels = LabelOptions { profile, is_separable, ..LabelOptions::default() };
            let options = LinkOptions { labels, ..LinkOptions::default() };
            let link = |uses: &[ObjectNumbers]| link_objects(objects, uses, &options);
            let uses =
                [triple(0, 0), front, triple(1, 1), alone, triple(0, 0), triple(1, 0), front];
            let kept = link(&uses).expect("they link");
            assert_eq!(kept.uses, [0, 1, 2, 3, 0, 4, 1]);
            for (program, numbers) in kept.programs.iter().zip(&kept.objects) {
                let fresh = link(&[*numbers]).expect("it links");
                assert!(shown(program) == shown(&fresh.programs[0]), "{numbers:?}");
            }
        }
    }

    /// Tessellation stages that are used in several programs are linked as if each program were linked alone.
    #[test]
    fn nothing_is_left_in_tessellation_stages() {
        let writer = |text: &str| {
            let text = format!(
                "#version 450\nout float a, b;\nvoid main() {{ gl_Position = vec4(0.0); {text} }}"
            );
            stage(ShaderStage::Vertex, &text)
        };
        let reader = |input: &str| {
            let text = format!(
                "#version 450\nin float {input}; out vec4 c; void main() {{ c = vec4({input}); }}"
            );
            stage(ShaderStage::Fragment, &text)
        };
        let vertex = [writer("a = b = 1.0;"), writer("b = a = 2.0;")];
        let control = [stage(
            ShaderStage::TessellationControl,
            "#version 450\nlayout(vertices = 3) out;\nin float a[], b[]; out float c[]; patch out float d;\n\
             void main() { c[gl_InvocationID] = a[0]; d = b[0]; }",
        )];
        let evaluation = [
            stage(
                ShaderStage::TessellationEvaluation,
                "#version 450\nlayout(triangles) in;\nin float c[]; patch in float d; out float x, y;\n\
                 void main() { gl_Position = vec4(0.0); x = c[1]; y = d; }",
            ),
            stage(
                ShaderStage::TessellationEvaluation,
                "#version 450\nlayout(triangles) in;\nin float b[]; out float x;\n\
                 void main() { gl_Position = vec4(0.0); x = b[1]; }",
            ),
        ];
        let fragment = [reader("x"), reader("y")];
        let objects = of_draws([&vertex[..], &control, &evaluation, &[], &fragment]);
        let program = |vertex, fragment| of_draws([Some(vertex), Some(0), Some(0), None, fragment]);
        let plain = of_draws([Some(1), None, Some(1), None, Some(0)]);
        let uses = [program(0, Some(0)), plain, program(1, Some(1)), program(0, None), plain];
        for (profile, is_separable) in
            [(Profile::Webgpu, false), (Profile::Nv30, false), (Profile::Nv30, true)]
        {
            let labels = LabelOptions { profile, is_separable, ..LabelOptions::default() };
            let options = LinkOptions { labels, ..LinkOptions::default() };
            let link = |uses: &[ObjectNumbers]| link_objects(objects, uses, &options);
            let kept = link(&uses).expect("they link");
            assert_eq!(kept.uses, [0, 1, 2, 3, 1]);
            for (program, numbers) in kept.programs.iter().zip(&kept.objects) {
                let fresh = link(&[*numbers]).expect("it links");
                assert!(shown(program) == shown(&fresh.programs[0]), "{numbers:?}");
            }
        }
    }
}
