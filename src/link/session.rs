//! Links many pairs of stages, one after the other, and keeps what later pairs can use again.
//!
//! Only where slots are labels ([`LabelOptions::are_used`](crate::LabelOptions::are_used)) is anything relocated or kept.

use std::borrow::Cow;

use crate::chain::ChainStages;
use crate::labelling::Labelling;
use crate::lowered::UnloweredStages;
use crate::program::LinkedProgram;
use crate::stages::RenderStages;
use crate::{LinkError, LinkOptions, limit, link_stages};
use ir::diagnostic::Unsupported;
use ir::stage_module::StageModule;

/// Programs of one case, and the order of their use.
#[derive(Clone, Debug, Default)]
pub struct LinkedPrograms {
    /// Every pair that is used. The link map of the first one has the counters of all pairs.
    pub programs: Vec<LinkedProgram>,
    /// Index of the program for every use, in order.
    pub uses: Vec<usize>,
    /// Indices of the vertex and the fragment stage of every program.
    pub pairs: Vec<(usize, usize)>,
}

/// Links every pair of `uses`, which are indices into the stages, in that order.
///
/// # Errors
/// A pair does not link; the first such pair's error is returned.
pub fn link_all(
    vertex: &[StageModule],
    fragment: &[StageModule],
    uses: &[(usize, usize)],
    options: &LinkOptions,
) -> Result<LinkedPrograms, LinkError> {
    limit::check(vertex.iter().chain(fragment), options)?;
    let (mut vertex, mut fragment) = (vertex.to_vec(), fragment.to_vec());
    let mut labelling = Labelling::new(&mut vertex, &mut fragment, &options.labels)?;
    let mut linked = LinkedPrograms::default();
    for pair in uses {
        let (Some(producer), Some(consumer)) = (vertex.get(pair.0), fragment.get(pair.1)) else {
            continue;
        };
        if let Some(known) = linked.pairs.iter().position(|known| known == pair) {
            let placement = &linked.programs[known].map.placement;
            if let (Some(labelling), Some(placement)) = (&mut labelling, placement) {
                labelling.relocator.return_to(placement);
            }
            linked.uses.push(known);
            continue;
        }
        let (vertex, fragment) = (Cow::Borrowed(producer), Some(Cow::Borrowed(consumer)));
        let stages = UnloweredStages::Render(RenderStages { vertex, fragment });
        let labelled = labelling.as_mut().map(|labelling| labelling.pair(pair.0, pair.1));
        linked.uses.push(linked.programs.len());
        linked.programs.push(link_stages(stages, options, labelled)?);
        linked.pairs.push(*pair);
    }
    if let (Some(first), Some(labelling)) = (linked.programs.first_mut(), labelling) {
        first.map.counters = labelling.relocator.counters;
    }
    Ok(linked)
}

/// Links a program with tessellation or geometry stages, where what crosses to the fragment stage has labels.
///
/// # Errors
/// See [`LinkError`].
pub(crate) fn link_chain(
    front: &[&StageModule],
    fragment: &StageModule,
    options: &LinkOptions,
) -> Result<LinkedProgram, LinkError> {
    let [before @ .., last] = front else {
        return Err(Unsupported("a program without a vertex stage".to_owned()).into());
    };
    let (mut last, mut fragment) = ([(*last).clone()], [fragment.clone()]);
    let mut labelling = Labelling::new(&mut last, &mut fragment, &options.labels)?;
    let labelled = labelling.as_mut().map(|labelling| labelling.pair(0, 0));
    let ([last], [fragment]) = (last, fragment);
    let before = before.iter().map(|stage| Cow::Borrowed(*stage));
    let front = before.chain([Cow::Owned(last)]).collect();
    let stages =
        UnloweredStages::Chain(ChainStages { front, fragment: Some(Cow::Owned(fragment)) });
    let mut program = link_stages(stages, options, labelled)?;
    if let Some(labelling) = labelling {
        program.map.counters = labelling.relocator.counters;
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use crate::LabelOptions;
    use crate::testing::stage;
    use ir::options::Optimise;
    use ir::profile::Profile;
    use ir::stage::ShaderStage;

    use super::*;

    /// One vertex stage, and fragment stages that read all, some and none of its outputs.
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

    /// All results of a link, except counters that include earlier links.
    fn shown(program: &LinkedProgram) -> String {
        let map = program.map.clone().without_history();
        format!("{:#?}", LinkedProgram { map, ..program.clone() })
    }

    /// Each program of a session equals that of a separate session, byte for byte, whatever was linked before it.
    #[track_caller]
    fn check_fresh(options: &LinkOptions, location: &dyn Fn(u32) -> String) {
        let (vertex, fragments) = stages(location);
        let vertex = [vertex];
        for (first, second) in [(0, 1), (1, 0), (0, 2), (2, 0), (2, 1)] {
            // Separate sessions first, so that not even state that outlives a session can make both alike.
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
}
