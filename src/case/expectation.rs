//! Expectations: the assertions of a case's `[test]` section.

pub(crate) mod expected;
pub mod query;
pub(crate) mod reach;
pub mod tolerance;

use crate::state::depth_stencil::DepthAspect;
use ir::format::Format;
use ir::interface::Type;
use ir::readback::Area;
use ir::scalar::Number;

use super::draw::xfb;
use reach::{Mistake, Wide};
use tolerance::{Form, Tolerance};

/// An assertion.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// An expectation about compiling and linking.
    Program(ProgramExpectation),
    /// An expectation about a result of the GPU.
    Read(ReadExpectation),
}

/// An expectation about compiling and linking the program.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgramExpectation {
    /// `link success`.
    LinkSuccess,
    /// `link error "text"`: linking fails with a message containing the text; in foreign files with any message.
    LinkError(Option<String>),
    /// All stages compile; whether they link is not examined. Only foreign files expect this.
    CompileSuccess,
    /// `compile error "text"`: some stage does not compile, with a message containing the text; in foreign files with
    /// any message.
    CompileError(Option<String>),
    /// `compile or link error`: some stage does not compile, or linking fails, with any message. Only foreign files have
    /// it.
    CompileOrLinkError,
    /// `verify program_query GL_TRANSFORM_FEEDBACK_VARYINGS N`: number of captured outputs.
    XfbVaryings(u32),
    /// `active uniform …` or `verify …`.
    Query(query::Query),
}

/// An expectation about a result of the GPU that is read back.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadExpectation {
    /// `verify query_object …`: number of primitives since transform feedback began.
    XfbCount(CountProbe),
    /// A probe of pixels.
    Probe(Probe),
    /// `probe ssbo …`, `probe buffer …` or `probe capture …`.
    Buffer(BufferProbe),
    /// `probe depth x y z`.
    Depth(DepthProbe),
    /// `golden target N NAME …`.
    Golden(Golden),
    /// `compare oracle …`.
    Oracle(OracleSource),
    /// Content that is read back for a later [`Self::Alike`]. This expectation always holds.
    Kept(Content),
    /// Content that resembles the content kept by an earlier step.
    Alike(ContentComparison),
}

impl ProgramExpectation {
    /// True for `link error`, `compile error` and `compile or link error`.
    pub const fn is_error(&self) -> bool {
        matches!(self, Self::LinkError(_) | Self::CompileError(_) | Self::CompileOrLinkError)
    }

    /// True if the expectation is met, or not, before anything is linked.
    pub const fn is_of_compiling(&self) -> bool {
        matches!(self, Self::CompileSuccess | Self::CompileError(_))
    }

    /// True if a compile error fulfils the expectation.
    pub const fn permits_compile_error(&self) -> bool {
        matches!(self, Self::CompileError(_) | Self::CompileOrLinkError)
    }
}

impl ReadExpectation {
    /// The source that the expectation reads.
    pub const fn source(&self) -> ReadSource {
        match self {
            Self::XfbCount(probe) => ReadSource::Count(probe.query),
            Self::Probe(Probe { target, sample, .. }) => {
                ReadSource::Target { target: *target, sample: *sample }
            }
            Self::Buffer(BufferProbe { binding, .. })
            | Self::Kept(Content::Buffer(binding))
            | Self::Alike(ContentComparison { content: Content::Buffer(binding), .. })
            | Self::Oracle(OracleSource::Buffer(binding)) => ReadSource::Buffer(*binding),
            Self::Depth(DepthProbe { aspect, .. }) | Self::Oracle(OracleSource::Depth(aspect)) => {
                ReadSource::Depth(*aspect)
            }
            Self::Oracle(OracleSource::Texture(point)) => ReadSource::Texture(*point),
            Self::Golden(Golden { target, .. })
            | Self::Kept(Content::Target(target))
            | Self::Alike(ContentComparison { content: Content::Target(target), .. })
            | Self::Oracle(OracleSource::Target(target)) => {
                ReadSource::Target { target: *target, sample: None }
            }
        }
    }

    /// The pixels that the expectation reads; `None` for the whole source.
    pub const fn region(&self) -> Option<Region> {
        match self {
            Self::Probe(probe) => Some(probe.region),
            Self::Depth(probe) => Some(Region::Pixel(probe.at)),
            Self::XfbCount(_)
            | Self::Buffer(_)
            | Self::Golden(_)
            | Self::Oracle(_)
            | Self::Kept(_)
            | Self::Alike(_) => None,
        }
    }

    /// The colour target that the expectation reads.
    pub const fn target(&self) -> Option<u32> {
        if let ReadSource::Target { target, .. } = self.source() { Some(target) } else { None }
    }

    /// True if a `tolerance` line above the expectation applies to it.
    pub const fn uses_tolerance(&self) -> bool {
        match self {
            Self::Probe(_) | Self::Depth(_) | Self::Buffer(_) | Self::Oracle(_) => true,
            Self::XfbCount(_) | Self::Golden(_) | Self::Kept(_) | Self::Alike(_) => false,
        }
    }

    /// The mistake of an expectation that holds always or never, whatever the program does. `format` returns the format
    /// of a render target, if it is known. `None` for an expectation without numbers that could be such a mistake.
    pub(crate) fn mistake(
        &self,
        tolerance: Tolerance,
        wide: Wide,
        format: impl Fn(u32) -> Option<Format>,
    ) -> Option<Mistake> {
        match self {
            Self::Probe(probe) => {
                reach::mistake_of_probe(probe, format(probe.target)?, tolerance, wide)
            }
            Self::Golden(golden) => reach::mistake_of_golden(golden.rule, format(golden.target)?),
            Self::Depth(probe) => match probe.aspect {
                DepthAspect::Depth => reach::mistake_of_depth(probe.expected, tolerance),
                DepthAspect::Stencil => reach::mistake_of_stencil(probe.expected),
            },
            Self::Buffer(probe) => reach::mistake_of_buffer(probe, tolerance, wide),
            Self::XfbCount(_) | Self::Oracle(_) | Self::Kept(_) | Self::Alike(_) => None,
        }
    }
}

/// The source that an expectation about a result of the GPU reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadSource {
    /// A render target.
    Target {
        /// Index of the target.
        target: u32,
        /// Sample index within the pixels; `None` for the resolved target.
        sample: Option<u32>,
    },
    /// An aspect of the depth buffer.
    Depth(DepthAspect),
    /// The buffer at a binding point; transform feedback buffers start at [`ir::options::XFB_POINT`].
    Buffer(u32),
    /// All layers of the first level of the texture on a unit, or at a binding of WGSL.
    Texture(u32),
    /// The number of primitives of a query.
    Count(xfb::XfbQuery),
}

impl From<ProgramExpectation> for Expectation {
    fn from(expectation: ProgramExpectation) -> Self {
        Self::Program(expectation)
    }
}

impl From<ReadExpectation> for Expectation {
    fn from(expectation: ReadExpectation) -> Self {
        Self::Read(expectation)
    }
}

/// `verify query_object …`: a probe of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountProbe {
    /// The query.
    pub query: xfb::XfbQuery,
    /// Expected number.
    pub expected: u32,
}

/// A probe of a pixel or region of a render target. (0, 0) is the lower left pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Render target, 0 when not given.
    pub target: u32,
    /// Sample index within the pixels; `None` for the resolved target.
    pub sample: Option<u32>,
    /// Probed pixels.
    pub region: Region,
    /// Number of compared channels: 3 for `rgb`, 4 for `rgba`.
    pub channels: u8,
    /// Expected value, one number per compared channel.
    pub expected: Vec<Number>,
    /// Alternative values, where a specification leaves a choice (`65504|inf`): channel index, 0 for red, and number.
    pub alternatives: Vec<(usize, Number)>,
    /// `ulp N` at the end of the line; `None` for the tolerance in force.
    pub tolerance: Option<Tolerance>,
    /// True if the values were given as `int` (piglit's `rgba int`), which are compared exactly.
    pub is_exact_integer: bool,
}

impl Probe {
    /// The form of its comparison.
    pub const fn form(&self) -> Form {
        match (self.region, self.tolerance) {
            (_, Some(Tolerance::Absolute(_))) => Form::Script,
            (Region::Rect(_) | Region::RelativeRect(_) | Region::All, _) => Form::Area,
            (Region::Pixel(_) | Region::RelativePixel(_), _) => Form::Pixel,
        }
    }
}

/// Region of a probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// One pixel; compared as floats.
    Pixel([u32; 2]),
    /// One pixel at fractions of the target's size: truncated, and clamped to the last pixel.
    RelativePixel([f64; 2]),
    /// x, y, width, height; compared as bytes on targets of at most 8 bits.
    Rect([u32; 4]),
    /// Fractions of the target; truncated.
    RelativeRect([f64; 4]),
    /// Every pixel; compared like [`Region::Rect`].
    All,
}

impl Region {
    /// x, y, width and height in pixels of a target of `size`. The result may be empty or outside the target.
    pub fn pixels(&self, size: [u32; 2]) -> [i64; 4] {
        match *self {
            Self::Pixel([x, y]) => [x, y, 1, 1].map(i64::from),
            Self::RelativePixel(at) => {
                let [x, y] = truncated(at, size);
                let last = size.map(|side| i64::from(side) - 1);
                [x.min(last[0]), y.min(last[1]), 1, 1]
            }
            Self::Rect(rect) => rect.map(i64::from),
            Self::RelativeRect([x, y, width, height]) => {
                let [x, y] = truncated([x, y], size);
                let [width, height] = truncated([width, height], size);
                [x, y, width, height]
            }
            Self::All => [0, 0, i64::from(size[0]), i64::from(size[1])],
        }
    }

    /// The region in pixels, or `None` if it is empty or not inside the target.
    pub fn area(&self, size: [u32; 2]) -> Option<Area> {
        let [x, y, width, height] = self.pixels(size).map(|edge| u32::try_from(edge).ok());
        let area = Area { x: x?, y: y?, width: width?, height: height? };
        let is_empty = area.width == 0 || area.height == 0;
        (!is_empty && Area::whole(size[0], size[1]).contains(area)).then_some(area)
    }
}

/// Converts fractions of the target to pixels, in single precision like piglit.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "truncation is the rule, and a cast from float saturates"
)]
fn truncated(fractions: [f64; 2], size: [u32; 2]) -> [i64; 2] {
    let [x, y] = fractions.map(|fraction| fraction as f32);
    [(x * size[0] as f32) as i64, (y * size[1] as f32) as i64]
}

/// A probe of one pixel of the depth buffer. A depth is compared as a float, a stencil value as an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthProbe {
    /// Depth or stencil.
    pub aspect: DepthAspect,
    /// The pixel; (0, 0) is the lower left one.
    pub at: [u32; 2],
    /// The depth, from 0 to 1, or the stencil value.
    pub expected: Number,
}

/// A probe of a storage buffer or a transform feedback buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferProbe {
    /// Binding point.
    pub binding: u32,
    /// Byte offset.
    pub offset: u32,
    /// Type of each value.
    pub ty: Type,
    /// Comparison `observed OPERATOR expected`.
    pub comparison: Comparison,
    /// Expected values, one per scalar.
    pub expected: Vec<Number>,
}

/// Comparison of an observed number with the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`: equal; floats within 2.2e-16, NaN never (`0x…` compares bits).
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `~=`: within the tolerance in force.
    Near,
}

impl Comparison {
    /// The operators, as cases and `VkScript` write them.
    pub const OPERATORS: [(&'static str, Self); 7] = [
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<", Self::Less),
        ("<=", Self::LessOrEqual),
        (">", Self::Greater),
        (">=", Self::GreaterOrEqual),
        ("~=", Self::Near),
    ];

    /// The operator of the comparison.
    pub fn operator(self) -> &'static str {
        let own = Self::OPERATORS.into_iter().find(|(_, comparison)| *comparison == self);
        own.map_or("", |(operator, _)| operator)
    }
}

/// `golden target N NAME [exact | tolerance n | flip t]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Golden {
    /// Render target.
    pub target: u32,
    /// File name without extension, below the case's folder in `golden/`.
    pub name: String,
    /// Comparison rule.
    pub rule: GoldenRule,
}

/// The source that `compare oracle` compares as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OracleSource {
    /// A render target.
    Target(u32),
    /// An aspect of the depth buffer.
    Depth(DepthAspect),
    /// The buffer at a binding point; transform feedback buffers start at [`ir::options::XFB_POINT`].
    Buffer(u32),
    /// The first level of the texture on a unit, or at a binding of WGSL, with all layers.
    Texture(u32),
}

/// The whole of a render target or buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A render target.
    Target(u32),
    /// The buffer at a binding point.
    Buffer(u32),
}

/// Comparison of the contents of two targets or buffers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContentComparison {
    /// The content.
    pub content: Content,
    /// Index of the step that [kept](ReadExpectation::Kept) the other content.
    pub kept: usize,
    /// Rule of the comparison.
    pub rule: ContentRule,
}

/// Rule for comparing two contents, as Amber defines them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContentRule {
    /// Byte for byte.
    Equal,
    /// The root mean square error of all components is at most this. Components of a buffer are 32-bit floats.
    RootMeanSquare(f64),
    /// The earth mover's distance of the histograms of each channel is at most this.
    HistogramDistance(f64),
}

/// Rule for comparing an image with its golden.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GoldenRule {
    /// Byte for byte.
    Exact,
    /// Every channel within n of the format's smallest steps.
    Tolerance(u32),
    /// Mean FLIP error at most this (8-bit colour targets only).
    Flip(f32),
}
