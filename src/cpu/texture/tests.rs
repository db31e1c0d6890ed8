//! Tests with values computed by hand from Vulkan's chapter "Texture Operations".

use case::depth_stencil::CompareFunction;
use case::texture::{Filter, Wrap};
use ir::format::Format;
use plan::{PlannedTexture, TexelFormat, TextureShape};

use super::*;

const LINEAR: SamplerState =
    SamplerState { magnify: Filter::Linear, minify: Filter::Linear, ..SamplerState::NEAREST };

fn texture(format: &str, size: [u32; 3], shape: TextureShape, levels: &[&[u8]]) -> PlannedTexture {
    let format = match format {
        "depth" => TexelFormat::Depth,
        name => TexelFormat::Color(Format::from_name(name).expect("the test names a format")),
    };
    let levels = levels.iter().map(|level| level.to_vec()).collect();
    PlannedTexture { size, shape, format, levels, is_image: true, is_target: false }
}

/// One texture with one view of all its levels.
fn textures(planned: PlannedTexture, dimension: TextureDimension, state: SamplerState) -> Textures {
    let level_count = u32::try_from(planned.levels.len()).expect("few levels");
    let view = PlannedView { texture: 0, dimension, base_level: 0, level_count };
    let plan = Plan {
        textures: vec![planned],
        views: vec![view],
        samplers: vec![state],
        ..Plan::default()
    };
    Textures::new(&plan)
}

/// A 2D texture of one level.
fn flat(format: &str, size: [u32; 2], bytes: &[u8], state: SamplerState) -> Textures {
    let size = [size[0], size[1], 1];
    let planned = texture(format, size, TextureShape::Flat, &[bytes]);
    textures(planned, TextureDimension::D2, state)
}

fn at(s: f32, t: f32, r: f32) -> Lookup {
    Lookup {
        coordinate: [s, t, r],
        layer: 0,
        offset: [0; 3],
        level: Level::Exact(0.0),
        reference: None,
        gather: None,
    }
}

fn floats(words: [u32; 4]) -> [f32; 4] {
    words.map(f32::from_bits)
}

#[track_caller]
fn check(textures: &Textures, lookup: Lookup, expected: [f32; 4]) {
    assert_eq!(floats(textures.sample(0, 0, &lookup)), expected, "{lookup:?}");
}

#[track_caller]
fn check_red(textures: &Textures, lookup: Lookup, expected: f32) {
    assert_eq!(floats(textures.sample(0, 0, &lookup))[0], expected, "{lookup:?}");
}

fn singles(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A texture of texels 0, 1, 2, 3 and, in the second row, 4, 5, 6, 7.
fn counting(state: SamplerState) -> Textures {
    let bytes = singles(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    flat("r32float", [4, 2], &bytes, state)
}

#[test]
fn the_nearest_texel_is_the_one_around_the_coordinate() {
    let all = counting(SamplerState::NEAREST);
    check(&all, at(0.49, 0.49, 0.0), [1.0, 0.0, 0.0, 1.0]);
    check_red(&all, at(0.5, 0.5, 0.0), 6.0);
    check_red(&all, at(7.0, -7.0, 0.0), 3.0);
    check_red(&all, at(f32::NAN, f32::INFINITY, 0.0), 4.0);
}

#[test]
fn linear_filters_mix_four_texels() {
    let all = counting(LINEAR);
    // At 1.75 texels, a quarter is texel 2. The position is in the middle between the rows.
    check_red(&all, at(1.75 / 4.0, 0.5, 0.0), 1.25 + 2.0);
    check_red(&all, at(0.0, 0.0, 0.0), 0.0);
    let all = counting(SamplerState { wrap: [Wrap::Repeat; 3], ..LINEAR });
    // Half is texel 3 and half texel 0; half is the other row.
    check_red(&all, at(0.0, 0.0, 0.0), 1.5 + 2.0);
    let wrap = [Wrap::ClampToBorder, Wrap::ClampToEdge, Wrap::ClampToEdge];
    let border = SamplerState { wrap, border: [9.0, 8.0, 7.0, 6.0], ..LINEAR };
    // Half is the border; channels of the border that the format lacks read like those of texels.
    check(&counting(border), at(0.0, 0.25, 0.0), [4.5, 0.0, 0.0, 1.0]);
}

#[test]
fn a_texel_without_weight_does_not_count() {
    let bytes = singles(&[f32::INFINITY, 1.0, f32::NAN]);
    let all = flat("r32float", [3, 1], &bytes, LINEAR);
    check_red(&all, at(0.5, 0.5, 0.0), 1.0);
}

#[test]
fn offsets_are_added_before_wrapping() {
    let mirrored = SamplerState { wrap: [Wrap::MirroredRepeat; 3], ..SamplerState::NEAREST };
    let all = counting(mirrored);
    check_red(&all, Lookup { offset: [-2, 0, 0], ..at(0.0, 0.0, 0.0) }, 1.0);
    check_red(&all, Lookup { offset: [1, 1, 9], ..at(0.9, 0.0, 0.0) }, 7.0);
    check_red(&all, Lookup { offset: [i32::MIN, i32::MAX, 0], ..at(0.0, 0.0, 0.0) }, 0.0);
}

#[test]
fn srgb_is_decoded_before_it_is_filtered() {
    let bytes = [0, 0, 0, 0, 255, 255, 255, 255];
    let all = flat("rgba8unorm-srgb", [2, 1], &bytes, LINEAR);
    check(&all, at(0.5, 0.5, 0.0), [0.5; 4]);
}

#[test]
fn integers_are_not_filtered() {
    let all = flat("r8sint", [2, 1], &[0xff, 7], LINEAR);
    assert_eq!(all.sample(0, 0, &at(0.4, 0.5, 0.0)), [u32::MAX, 0, 0, 1]);
    let gather = Lookup { gather: Some(0), ..at(0.5, 0.5, 0.0) };
    assert_eq!(all.sample(0, 0, &gather), [u32::MAX, 7, 7, u32::MAX]);
}

#[test]
fn gathered_texels_begin_at_the_next_row_and_run_against_the_clock() {
    let all = counting(SamplerState::NEAREST);
    let gather = |component| Lookup { gather: Some(component), ..at(0.5, 0.5, 0.0) };
    check(&all, gather(0), [5.0, 6.0, 2.0, 1.0]);
    check(&all, gather(1), [0.0; 4]);
    check(&all, gather(3), [1.0; 4]);
    check(&all, gather(99), [1.0; 4]);
    check(&all, Lookup { offset: [1, 0, 0], ..gather(0) }, [6.0, 7.0, 3.0, 2.0]);
}

#[test]
fn texels_are_compared_before_they_are_filtered() {
    let depths = singles(&[0.0, 0.25, 0.5, 1.0]);
    let state = |compare| SamplerState { compare: Some(compare), ..LINEAR };
    let shadow = |reference, s| Lookup { reference: Some(reference), ..at(s, 0.5, 0.0) };
    let all = flat("depth", [4, 1], &depths, state(CompareFunction::Greater));
    // Between texels 1 and 2, 0.4 is greater than one of them.
    check_red(&all, shadow(0.4, 0.5), 0.5);
    check_red(&all, shadow(0.4, 0.4375), 0.75);
    // The reference is clamped to 1, which is not greater than 1.
    check_red(&all, shadow(5.0, 1.0), 0.0);
    let gathered = Lookup { gather: Some(0), ..shadow(0.4, 0.5) };
    check(&all, gathered, [1.0, 0.0, 0.0, 1.0]);
    let all = flat("depth", [4, 1], &depths, state(CompareFunction::LessOrEqual));
    check_red(&all, shadow(5.0, 1.0), 1.0);
    check_red(&all, shadow(f32::NAN, 0.5), 0.0);
    check(&all, at(1.0, 0.5, 0.0), [1.0, 0.0, 0.0, 1.0]);
}

/// Levels of 4, 2 and 1 texels with the values 0, 10 and 20.
fn levels(state: SamplerState) -> Textures {
    let levels =
        [(16, 0.0), (4, 10.0), (1, 20.0)].map(|(count, value)| singles(&vec![value; count]));
    let levels: Vec<_> = levels.iter().map(Vec::as_slice).collect();
    let planned = texture("r32float", [4, 4, 1], TextureShape::Flat, &levels);
    textures(planned, TextureDimension::D2, state)
}

#[test]
fn gradients_choose_the_level() {
    let state = |between| SamplerState { between: Some(between), ..LINEAR };
    let steps = |x: [f32; 3], y: [f32; 3], bias| Lookup {
        level: Level::Gradients { x, y, bias },
        ..at(0.5, 0.5, 0.0)
    };
    let all = levels(state(Filter::Linear));
    // The step is two of four texels to the right, and fewer down: log2(2).
    check_red(&all, steps([0.5, 0.0, 0.0], [0.0, 0.25, 0.0], 0.0), 10.0);
    check_red(&all, steps([0.5, 0.0, 0.0], [0.0, 0.25, 0.0], 0.5), 15.0);
    check_red(&all, steps([0.0, 0.125, 0.0], [0.0; 3], 0.0), 0.0);
    // The step is 36 texels: a level of detail of 1.67.
    let detail = texels::single(10.0 * (36_f64.log2() - 3.5));
    check_red(&all, steps([9.0, 0.0, 0.0], [0.0; 3], -3.5), detail);
    check_red(&all, steps([f32::MAX; 3], [0.0; 3], 0.0), 20.0);
    check_red(&all, steps([f32::NAN; 3], [0.0; 3], 0.0), 0.0);
    let all = levels(state(Filter::Nearest));
    check_red(&all, Lookup { level: Level::Exact(0.5), ..at(0.5, 0.5, 0.0) }, 0.0);
    check_red(&all, Lookup { level: Level::Exact(0.75), ..at(0.5, 0.5, 0.0) }, 10.0);
    check_red(&all, Lookup { level: Level::Exact(99.0), ..at(0.5, 0.5, 0.0) }, 20.0);
}

#[test]
fn without_a_filter_between_levels_the_first_is_minified() {
    let state = SamplerState { minify: Filter::Linear, ..SamplerState::NEAREST };
    let all = counting(state);
    let edge = at(0.5, 0.25, 0.0);
    check_red(&all, edge, 2.0);
    check_red(&all, Lookup { level: Level::Exact(3.0), ..edge }, 1.5);
    check_red(&levels(state), Lookup { level: Level::Exact(3.0), ..edge }, 0.0);
}

#[test]
fn views_begin_at_their_first_level() {
    let mut all = levels(SamplerState { between: Some(Filter::Nearest), ..SamplerState::NEAREST });
    all.views[0] = PlannedView { base_level: 1, level_count: 1, ..all.views[0] };
    check_red(&all, Lookup { level: Level::Exact(5.0), ..at(0.5, 0.5, 0.0) }, 10.0);
    assert_eq!((all.size(0, 0), all.size(0, 1)), ([2, 2, 1], [0; 3]));
    assert_eq!(all.counts(0), [1, 1, 1]);
    let texel = |level| Texel { at: [1, 1, 0], layer: 0, level, sample: 0 };
    assert_eq!(floats(all.load(0, texel(0)))[0], 10.0);
    assert_eq!(floats(all.load(0, texel(1))), [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn layers_are_clamped_and_not_filtered() {
    let bytes = singles(&[1.0, 2.0, 3.0]);
    let planned = texture("r32float", [1, 1, 3], TextureShape::Layered, &[&bytes]);
    let all = textures(planned, TextureDimension::D2Array, LINEAR);
    for (layer, value) in [(-1, 1.0), (1, 2.0), (2, 3.0), (i32::MAX, 3.0)] {
        check_red(&all, Lookup { layer, ..at(0.1, 0.1, 0.0) }, value);
    }
    assert_eq!((all.size(0, 0), all.counts(0)), ([1, 1, 1], [1, 3, 1]));
}

#[test]
fn slices_are_filtered() {
    let bytes = singles(&[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 5.0]);
    let planned = texture("r32float", [2, 2, 2], TextureShape::Volume, &[&bytes]);
    let all = textures(planned, TextureDimension::D3, LINEAR);
    check_red(&all, at(0.25, 0.25, 0.5), 0.5);
    check_red(&all, at(0.5, 0.5, 1.0), 2.0);
    assert_eq!(all.size(0, 0), [2, 2, 2]);
}

/// A cube whose faces have 2 by 2 texels with the number of the face.
fn cube(dimension: TextureDimension, cubes: u32) -> Textures {
    let faces: Vec<f32> = (0..6 * cubes)
        .flat_map(|face| [f32::from(u8::try_from(face).expect("few faces")); 4])
        .collect();
    let planned =
        texture("r32float", [2, 2, 6 * cubes], TextureShape::Layered, &[&singles(&faces)]);
    textures(planned, dimension, LINEAR)
}

#[test]
fn cubes_are_filtered_across_their_edges() {
    let all = cube(TextureDimension::Cube, 1);
    check_red(&all, at(0.0, 0.0, -3.0), 5.0);
    // On the edge of +z and +x.
    check_red(&all, at(1.0, 0.0, 1.0), f32::midpoint(4.0, 0.0));
    // On the corner of +x, +y and +z: the texels of the three faces, and their mean for the missing fourth.
    check_red(&all, at(1.0, 1.0, 1.0), 2.0);
    // Half a texel from the edge, the neighbour has no weight.
    check_red(&all, at(0.5, 0.0, 1.0), 4.0);
    // A zero vector is mapped to the middle of +z.
    check_red(&all, at(0.0, 0.0, 0.0), 4.0);
    assert_eq!((all.size(0, 0), all.counts(0)), ([2, 2, 1], [1, 1, 1]));
}

#[test]
fn cube_arrays_have_six_layers_per_cube() {
    let all = cube(TextureDimension::CubeArray, 2);
    check_red(&all, Lookup { layer: 1, ..at(-1.0, 0.0, 0.0) }, 7.0);
    check_red(&all, Lookup { layer: 9, ..at(1.0, 0.0, 1.0) }, 8.0);
    assert_eq!(all.counts(0), [1, 2, 1]);
}

#[test]
fn stores_and_atomics_stay_inside() {
    let mut all = flat("r32sint", [2, 1], &[0; 8], SamplerState::NEAREST);
    let texel = |x| Texel { at: [x, 0, 0], layer: 0, level: 0, sample: 0 };
    let minus = |value: i32| (-value).cast_unsigned();
    for x in [-1, 2, i32::MAX, i32::MIN] {
        all.store(0, texel(x), [1; 4]);
        assert_eq!(all.atomic(0, texel(x), TexelAtomic::Add, 1), 0);
    }
    all.store(0, Texel { sample: 1, ..texel(0) }, [1; 4]);
    all.store(0, Texel { level: 1, ..texel(0) }, [1; 4]);
    all.store(7, texel(0), [1; 4]);
    assert_eq!(all.bytes(0), [0; 8]);
    all.store(0, texel(1), [minus(5), 1, 1, 1]);
    let steps = [
        (TexelAtomic::Max, minus(7), minus(5)),
        (TexelAtomic::Min, minus(7), minus(5)),
        (TexelAtomic::Add, 10, minus(7)),
        (TexelAtomic::CompareExchange(4), 9, 3),
        (TexelAtomic::CompareExchange(3), 12, 3),
        (TexelAtomic::And, 6, 12),
        (TexelAtomic::Exchange, 1, 4),
    ];
    for (operation, value, old) in steps {
        assert_eq!(all.atomic(0, texel(1), operation, value), old, "{operation:?}");
    }
    assert_eq!(all.bytes(0), [0, 0, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn indices_without_object_are_harmless() {
    let mut all = Textures::default();
    assert_eq!(all.sample(0, 0, &at(0.0, 0.0, 0.0)), [0; 4]);
    assert_eq!((all.size(3, 0), all.counts(3)), ([0; 3], [1; 3]));
    assert!(all.bytes(0).is_empty() && all.layer_mut(0, 0).is_empty());
    let planned = texture("rgba8unorm", [0, 0, 0], TextureShape::Flat, &[]);
    let all = textures(planned, TextureDimension::Cube, LINEAR);
    assert_eq!(all.sample(0, 0, &at(1.0, 2.0, 3.0)), [0; 4]);
}
