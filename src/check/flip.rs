//! FLIP, NVIDIA's measure of the difference that a person sees when two images alternate (Andersson et al., "FLIP: A
//! Difference Evaluator for Alternating Images", 2020; here its variant for images without high dynamic range, with the
//! constants of NVIDIA's implementation).
//!
//! For each texel it combines two measures: how different the colours are after the blur that the eye adds at a
//! distance, and how different edges and points are. A *plane* is one number per texel, row by row.

use std::f32::consts::PI;

/// Texels per degree of the visual field: a display of 3840 texels and 0.7 m width, seen from 0.7 m.
const TEXELS_PER_DEGREE: f32 = 67.0;
/// Width of the filter that detects edges and points, in degrees.
const FEATURE_WIDTH: f32 = 0.082;
/// Exponents of the differences of colours and (`FEATURE_EXPONENT`) of features.
const COLOR_EXPONENT: f32 = 0.7;
const FEATURE_EXPONENT: f32 = 0.5;
/// Colour differences up to this fraction of the maximum use this fraction of the scale.
const COMMON_PART: f32 = 0.4;
const COMMON_SCALE: f32 = 0.95;
/// The white point D65 in XYZ.
const WHITE: Color = [0.950_428_55, 1.0, 1.088_900_4];

/// Three numbers in some colour space.
type Color = [f32; 3];

/// Mean FLIP error of two images of the same size, from 0 to 1. `width` is the length of a row in texels.
pub(super) fn mean(width: usize, reference: &[[u8; 3]], test: &[[u8; 3]]) -> f32 {
    if reference == test {
        return 0.0;
    }
    let [reference, test] = [reference, test].map(|texels| Seen::of(width, texels));
    let greatest = color_distance(hunt_lab([0.0, 1.0, 0.0]), hunt_lab([0.0, 0.0, 1.0]));
    let mut sum = 0.0;
    let mut count = 0.0;
    for (one, other) in reference.texels().zip(test.texels()) {
        let color = scaled(color_distance(one.color, other.color), greatest);
        let feature = (one.edge - other.edge).abs().max((one.point - other.point).abs());
        let feature = (feature / 2.0_f32.sqrt()).powf(FEATURE_EXPONENT);
        sum += f64::from(color.powf(1.0 - feature));
        count += 1.0;
    }
    narrow(sum / count)
}

/// Converts a number of at most 1 to `f32`.
#[expect(clippy::cast_possible_truncation, reason = "means are compared with limits of f32")]
const fn narrow(value: f64) -> f32 {
    value as f32
}

/// An image as the eye sees it.
struct Seen {
    colors: Vec<Color>,
    edges: Vec<f32>,
    points: Vec<f32>,
}

/// One texel of an image as the eye sees it.
struct SeenTexel {
    /// Lightness, and two chromaticities that are weighted less where it is dark.
    color: Color,
    edge: f32,
    point: f32,
}

impl Seen {
    fn of(width: usize, texels: &[[u8; 3]]) -> Self {
        let opponent: Vec<_> = texels.iter().map(|texel| opponent(texel.map(linear))).collect();
        let plane = |idx: usize| opponent.iter().map(|color| color[idx]).collect::<Vec<_>>();
        let grey: Vec<_> = opponent.iter().map(|color| (color[0] + 16.0) / 116.0).collect();
        let [gauss, first, second] = feature_kernels();
        let slope =
            |across, down| convolve_down(width, &convolve_across(width, &grey, across), down);
        Self {
            colors: blurred(width, [plane(0), plane(1), plane(2)]),
            edges: lengths(&slope(&first, &gauss), &slope(&gauss, &first)),
            points: lengths(&slope(&second, &gauss), &slope(&gauss, &second)),
        }
    }

    fn texels(&self) -> impl Iterator<Item = SeenTexel> {
        let features = self.edges.iter().zip(&self.points);
        let all = self.colors.iter().zip(features);
        all.map(|(&color, (&edge, &point))| SeenTexel { color, edge, point })
    }
}

/// Blurs opponent colours as the eye does at a distance. The third channel's filter is a sum of two Gaussians.
fn blurred(width: usize, [lightness, red_green, blue_yellow]: [Vec<f32>; 3]) -> Vec<Color> {
    let blur = |plane: &[f32], kernel: &[f32]| {
        convolve_down(width, &convolve_across(width, plane, kernel), kernel)
    };
    let lightness = blur(&lightness, &normal(&eye_kernel(0.0047), 1.0));
    let red_green = blur(&red_green, &normal(&eye_kernel(0.0053), 1.0));
    // A two-dimensional filter is a one-dimensional one applied twice: the amplitude of each pass is the root.
    let kernels = [(34.1, 0.04), (13.5, 0.025)].map(|(amplitude, spread): (f32, f32)| {
        let root = (amplitude * (PI / spread).sqrt()).sqrt();
        eye_kernel(spread).iter().map(|weight| weight * root).collect::<Vec<_>>()
    });
    let sums = [0, 1].map(|idx| kernels[idx].iter().sum::<f32>());
    let length = sums[0].hypot(sums[1]);
    let [one, other] =
        [0, 1].map(|idx| blur(&blue_yellow, &normal(&kernels[idx], sums[idx] / length)));
    let texels = lightness.iter().zip(&red_green).zip(one.iter().zip(&other));
    texels.map(|((y, x), (one, other))| hunt_lab(rgb_of_opponent([*y, *x, one + other]))).collect()
}

/// Gaussian of the eye's sensitivity, 1 at its centre, sampled at texels.
fn eye_kernel(spread: f32) -> Vec<f32> {
    // Three standard deviations of the widest Gaussian, whose spread is 0.04.
    let radius = (3.0 * (0.04 / (2.0 * PI * PI)).sqrt() * TEXELS_PER_DEGREE).ceil();
    let at = |x: f32| {
        let degrees = x / TEXELS_PER_DEGREE;
        (-PI * PI * degrees * degrees / spread).exp()
    };
    samples(radius).map(at).collect()
}

/// A Gaussian, and its first and second derivatives. The positive values of each sum up to 1, the negative ones to -1.
fn feature_kernels() -> [Vec<f32>; 3] {
    let deviation = 0.5 * FEATURE_WIDTH * TEXELS_PER_DEGREE;
    let gauss = |x: f32| (-x * x / (2.0 * deviation * deviation)).exp();
    let first = |x: f32| -x * gauss(x);
    let second = |x: f32| (x * x / (deviation * deviation) - 1.0) * gauss(x);
    let derivatives: [&dyn Fn(f32) -> f32; 3] = [&gauss, &first, &second];
    derivatives.map(|derivative| {
        let kernel: Vec<_> = samples((3.0 * deviation).ceil()).map(derivative).collect();
        let sum = |is_positive: bool| {
            kernel.iter().filter(|it| (**it > 0.0) == is_positive).sum::<f32>().abs()
        };
        let [positive, negative] = [sum(true), sum(false)];
        kernel
            .iter()
            .map(|it| it / if *it > 0.0 { positive } else { negative.max(f32::MIN_POSITIVE) })
            .collect()
    })
}

/// The integers from -radius to radius.
fn samples(radius: f32) -> impl Iterator<Item = f32> {
    std::iter::successors(Some(-radius), move |x| (*x < radius).then_some(x + 1.0))
}

/// Scales a kernel to this sum.
fn normal(kernel: &[f32], sum: f32) -> Vec<f32> {
    let factor = sum / kernel.iter().sum::<f32>();
    kernel.iter().map(|weight| weight * factor).collect()
}

/// Convolves the rows of a plane. Border texels repeat outside.
fn convolve_across(width: usize, plane: &[f32], kernel: &[f32]) -> Vec<f32> {
    let radius = kernel.len() / 2;
    let convolve_row = |row: &[f32]| {
        let before = std::iter::repeat_n(row[0], radius);
        let behind = std::iter::repeat_n(row[row.len() - 1], radius);
        let padded: Vec<_> = before.chain(row.iter().copied()).chain(behind).collect();
        let sum = |window: &[f32]| window.iter().zip(kernel).map(|(it, weight)| it * weight).sum();
        padded.windows(kernel.len()).map(sum).collect::<Vec<f32>>()
    };
    plane.chunks_exact(width).flat_map(convolve_row).collect()
}

/// Convolves the columns of a plane. Border texels repeat outside.
fn convolve_down(width: usize, plane: &[f32], kernel: &[f32]) -> Vec<f32> {
    let height = plane.len() / width;
    let turned = transposed(plane, width);
    transposed(&convolve_across(height, &turned, kernel), height)
}

fn transposed(plane: &[f32], width: usize) -> Vec<f32> {
    (0..width).flat_map(|x| plane.iter().skip(x).step_by(width).copied()).collect()
}

fn lengths(x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| x.hypot(*y)).collect()
}

/// Maps a colour difference to the range from 0 to 1.
fn scaled(distance: f32, greatest: f32) -> f32 {
    let (distance, greatest) = (distance.powf(COLOR_EXPONENT), greatest.powf(COLOR_EXPONENT));
    let common = COMMON_PART * greatest;
    if distance < common {
        return distance * COMMON_SCALE / common;
    }
    COMMON_SCALE + (distance - common) / (greatest - common) * (1.0 - COMMON_SCALE)
}

/// `HyAB` distance of two colours: lightness is a separate term.
fn color_distance(one: Color, other: Color) -> f32 {
    (one[0] - other[0]).abs() + (one[1] - other[1]).hypot(one[2] - other[2])
}

/// CIELAB of a linear colour, its chromaticities weighted by the lightness (the Hunt effect).
fn hunt_lab(rgb: Color) -> Color {
    let root = |value: f32| {
        let delta = 6.0_f32 / 29.0;
        let is_bright = value > delta * delta * delta;
        if is_bright { value.powf(1.0 / 3.0) } else { value / (3.0 * delta * delta) + 4.0 / 29.0 }
    };
    let [l, a, b] = differences(relative(rgb).map(root));
    [l, 0.01 * l * a, 0.01 * l * b]
}

/// Converts a linear colour to opponent colours: `YCxCz`, CIELAB without its roots.
fn opponent(rgb: Color) -> Color {
    differences(relative(rgb))
}

/// Converts opponent colours to a linear colour, clamped to what displays can show.
fn rgb_of_opponent([y, cx, cz]: Color) -> Color {
    const ROWS: [Color; 3] = [
        [3.241_003_3, -1.537_399, -0.498_615_86],
        [-0.969_224_33, 1.875_930_1, 0.041_554_224],
        [0.055_639_42, -0.204_011_2, 1.057_148_9],
    ];
    let y = (y + 16.0) / 116.0;
    let xyz = [(y + cx / 500.0) * WHITE[0], y * WHITE[1], (y - cz / 200.0) * WHITE[2]];
    ROWS.map(|row| dot(row, xyz).clamp(0.0, 1.0))
}

fn differences([x, y, z]: Color) -> Color {
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// XYZ of a linear colour, relative to white.
fn relative(rgb: Color) -> Color {
    const ROWS: [(Color, f32); 3] = [
        ([10_135_552.0, 8_788_810.0, 4_435_075.0], 24_577_794.0),
        ([2_613_072.0, 8_788_810.0, 887_015.0], 12_288_897.0),
        ([1_425_312.0, 8_788_810.0, 70_074_185.0], 73_733_382.0),
    ];
    [0, 1, 2].map(|idx| dot(ROWS[idx].0, rgb) / ROWS[idx].1 / WHITE[idx])
}

fn dot(one: Color, other: Color) -> f32 {
    one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
}

/// Converts an sRGB channel to linear intensity.
fn linear(byte: u8) -> f32 {
    let value = f32::from(byte) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the mean error. `theirs` is the result of NVIDIA's C++ (`nv-flip` 0.1.2) for the same images.
    #[track_caller]
    fn check(width: usize, reference: &[[u8; 3]], test: &[[u8; 3]], theirs: f32) {
        let ours = mean(width, reference, test);
        assert!((ours - theirs).abs() < 1e-5, "{ours} instead of {theirs}");
        let [swapped, equal] = [mean(width, test, reference), mean(width, test, test)];
        assert!((swapped - theirs).abs() < 1e-5 && equal == 0.0, "{swapped}, {equal}");
    }

    #[test]
    fn errors_are_those_of_the_reference() {
        check(1, &[[0; 3]], &[[255; 3]], 0.967_391_85);
        check(1, &[[0, 255, 0]], &[[0, 0, 255]], 1.0);
        check(8, &steps(8, 8, 8), &steps(8, 8, 7), 0.549_092_77);
        check(32, &steps(32, 24, 8), &steps(32, 24, 9), 0.656_352_34);
        check(32, &edge(32, 24, 16), &edge(32, 24, 17), 0.055_460_85);
        check(32, &edge(32, 24, 16), &edge(32, 24, 20), 0.149_201_26);
        check(40, &[[128, 64, 32]; 1600], &[[130, 64, 32]; 1600], 0.048_003_957);
    }

    /// An image whose channels count the texels in steps.
    fn steps(width: usize, height: usize, step: usize) -> Vec<[u8; 3]> {
        let channel = |it: usize| u8::try_from(it % 256).expect("the remainder fits");
        let texel = |idx: usize| [idx * step, idx / width * step * 5, idx * idx].map(channel);
        (0..width * height).map(texel).collect()
    }

    /// An image that is red to the left of a column, and grey from there on.
    fn edge(width: usize, height: usize, column: usize) -> Vec<[u8; 3]> {
        let texel = |idx: usize| if idx % width < column { [200, 30, 30] } else { [90; 3] };
        (0..width * height).map(texel).collect()
    }
}
