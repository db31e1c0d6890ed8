//! Programs about the execution modes and decorations of SPIR-V.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::Operand;
use rspirv::grammar::{LogicalOperand, OperandKind};
use rspirv::spirv::{Decoration, ExecutionMode};
use spirv::word::{DecorationWords, Site, decoration_words, mode_words};

use super::spirv_base::Module;
use super::{Attribute, Expected, Language};

/// All programs.
pub fn all() -> Vec<Attribute> {
    let mut all = Vec::new();
    for module in Module::ALL {
        all.extend(modes().into_iter().filter_map(|mode| of_mode(module, mode)));
        for (site, target, place) in module.targets() {
            let decorations = decorations().into_iter();
            let here =
                decorations.filter_map(|one| of_decoration(module, one, *site, target, place));
            all.extend(here);
        }
    }
    all.extend(groups());
    all
}

/// All execution modes.
fn modes() -> BTreeSet<ExecutionMode> {
    mode_words().iter().flat_map(|row| row.modes.iter().copied()).collect()
}

/// All decorations.
fn decorations() -> BTreeSet<Decoration> {
    decoration_words().iter().flat_map(|row| row.decorations.iter().copied()).collect()
}

fn of_mode(module: Module, mode: ExecutionMode) -> Option<Attribute> {
    let (operands, form) =
        operands(&Operand::ExecutionMode(mode).additional_operands(), "2", "Position")?;
    let suffix = if form == "Id" { "Id" } else { "" };
    let line = format!("OpExecutionMode{suffix} %main {mode:?}{operands}");
    let row = mode_words().iter().find(|row| row.modes.contains(&mode))?;
    let expected = match row.stages.contains(&module.stage()) {
        true if mode == ExecutionMode::OriginLowerLeft => {
            Expected::NoEffect("it says what holds without it")
        }
        true => row.treatment.into(),
        false => Expected::Refused,
    };
    let kept: Vec<&str> = module.modes().iter().copied().filter(|known| *known != line).collect();
    // These exclude the module's own execution modes.
    let is_alone = matches!(
        mode,
        ExecutionMode::LocalSizeId | ExecutionMode::LocalSize | ExecutionMode::OriginUpperLeft
    );
    let kept: Vec<&str> = if is_alone { Vec::new() } else { kept };
    let word = format!("{mode:?}");
    Some(program(module, &word, "execution mode", expected, |line_here| {
        let lines = kept.join("\n");
        let own = if line_here { format!("{line}\n") } else { String::new() };
        format!("{lines}\n{own}{}\n", module.decorations().join("\n"))
    }))
}

fn of_decoration(
    module: Module,
    decoration: Decoration,
    site: Site,
    target: &str,
    place: &str,
) -> Option<Attribute> {
    let target = match (decoration, site, module) {
        // A vector of four begins at component 0.
        (Decoration::BuiltIn | Decoration::Component, Site::Output, Module::Fragment) => "%depth",
        (_, _, _) => target,
    };
    let is_member = target.contains(' ');
    let is_skipped = match (decoration, site) {
        // No built-in value of the fragment stage is one float in a block, or a constant.
        (Decoration::BuiltIn, Site::InterfaceMember | Site::Constant) => module == Module::Fragment,
        // The variable is of the storage class StorageBuffer. A composite has no number.
        (Decoration::BufferBlock, Site::Struct) => true,
        (Decoration::SpecId, Site::Constant) => module == Module::Compute,
        (_, _) => false,
    };
    if is_skipped {
        return None;
    }
    let number = match (decoration, site) {
        (Decoration::ArrayStride, _) => "256",
        (Decoration::MatrixStride, _) => "32",
        (Decoration::Offset, Site::Member) => "16",
        (Decoration::Offset, _) => "4",
        (_, _) => "1",
    };
    let kinds = Operand::Decoration(decoration).additional_operands();
    let builtin = match (site, module) {
        (Site::Constant, _) => "WorkgroupSize",
        (Site::Output, Module::Fragment) => "FragDepth",
        (Site::Output | Site::InterfaceMember, _) => "PointSize",
        (_, _) => "FragCoord",
    };
    let (operands, form) = operands(&kinds, number, builtin)?;
    // Members have no decorations with ids.
    if is_member && form == "Id" {
        return None;
    }
    let member = if is_member { "Member" } else { "" };
    let line = format!("Op{member}Decorate{form} {target} {decoration:?}{operands}");
    let kept = kept(module, decoration, target);
    let word = format!("{decoration:?}");
    let expected = expected(module, decoration, site);
    let depth = if target == "%depth" && decoration == Decoration::BuiltIn {
        "OpExecutionMode %main DepthReplacing\n"
    } else {
        ""
    };
    Some(program(module, &word, place, expected, |line_here| {
        let own = if line_here { format!("{line}\n") } else { String::new() };
        format!("{}\n{depth}{own}{}\n", module.modes().join("\n"), kept.join("\n"))
    }))
}

/// The decorations that a module keeps when this one is added.
fn kept(module: Module, decoration: Decoration, target: &str) -> Vec<&'static str> {
    let replaced: &[Decoration] = match decoration {
        Decoration::BuiltIn => &[Decoration::BuiltIn, Decoration::Location],
        Decoration::RowMajor => &[Decoration::RowMajor, Decoration::ColMajor],
        Decoration::Block | Decoration::BufferBlock => &[Decoration::Block],
        _ => &[decoration],
    };
    let is_replaced = |line: &str| {
        replaced.iter().any(|one| {
            let start = format!("Decorate {target} {one:?}");
            line.contains(&format!("{start} ")) || line.ends_with(&start)
        })
    };
    module.decorations().iter().copied().filter(|line| !is_replaced(line)).collect()
}

/// The expected treatment of a decoration.
fn expected(module: Module, decoration: Decoration, site: Site) -> Expected {
    let is_of_interface = matches!(site, Site::Output | Site::InterfaceMember);
    let is_captured =
        matches!(decoration, Decoration::XfbBuffer | Decoration::XfbStride | Decoration::Offset);
    if is_of_interface && is_captured && module == Module::Fragment {
        return Expected::NoEffect("nothing is captured without the execution mode Xfb");
    }
    if decoration == Decoration::Stream && is_of_interface {
        return Expected::Unsupported;
    }
    let is_interpolation = matches!(
        decoration,
        Decoration::Flat | Decoration::NoPerspective | Decoration::Centroid | Decoration::Sample
    );
    // The module's input has four components, so no component after the fourth exists.
    let is_behind_the_last = (decoration, site) == (Decoration::Component, Site::Input);
    if module == Module::Fragment && site == Site::Output && is_interpolation || is_behind_the_last
    {
        return Expected::Refused;
    }
    let mut rows = decoration_words().iter();
    let is_row =
        |row: &&DecorationWords| row.decorations.contains(&decoration) && row.sites.contains(&site);
    rows.find(is_row).map_or(Expected::Unsupported, |row| row.treatment.into())
}

/// Groups give their decorations to their members.
fn groups() -> Vec<Attribute> {
    let module = Module::Fragment;
    let lines = [
        (
            "GroupDecorate",
            "OpDecorate %group Flat\n%group = OpDecorationGroup\nOpGroupDecorate %group %in",
        ),
        (
            "GroupMemberDecorate",
            "OpDecorate %group Flat\n%group = OpDecorationGroup\nOpGroupMemberDecorate %group %ins 0",
        ),
    ];
    let made = lines.map(|(word, lines)| {
        program(module, word, "group", Expected::Carried, |line_here| {
            let own = if line_here { format!("{lines}\n") } else { String::new() };
            format!("{}\n{own}{}\n", module.modes().join("\n"), module.decorations().join("\n"))
        })
    });
    made.into()
}

fn program(
    module: Module,
    word: &str,
    place: &str,
    expected: Expected,
    annotations: impl Fn(bool) -> String,
) -> Attribute {
    let case = |has_word: bool| {
        let around = match module {
            Module::Fragment if word == "SpecId" && place == "constant" => {
                "[vertex shader passthrough]\n\n[fragment shader specializations]\nfloat 1 0.25\n\n"
            }
            Module::Fragment => "[vertex shader passthrough]\n\n",
            Module::Vertex | Module::Compute => "",
        };
        let after = match module {
            Module::Vertex => EMPTY_FRAGMENT,
            Module::Fragment | Module::Compute => "",
        };
        let text = format!("{}{}{}", module.head(), annotations(has_word), module.body());
        format!(
            "[require]\nGLSL >= 4.50\nGL_ARB_gl_spirv\n\n{around}[{}]\n{}\n{after}[test]\nlink success\n",
            module.section(),
            numbered(&text, module),
        )
    };
    Attribute {
        language: Language::Spirv,
        word: word.to_owned(),
        place: format!("{place} of the {:?} module", module.stage()),
        version: "1.3".to_owned(),
        expected,
        text: case(true),
        bare: case(false),
    }
}

/// A fragment stage that reads nothing.
const EMPTY_FRAGMENT: &str = "[fragment shader spirv]
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %1 \"main\"
OpExecutionMode %1 OriginLowerLeft
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%1 = OpFunction %2 None %3
%4 = OpLabel
OpReturn
OpFunctionEnd

";

/// The text with numbers for the ids that the module declares, so that an added line does not change those of others.
fn numbered(text: &str, module: Module) -> String {
    let results = module.body().lines().filter_map(|line| line.split_once(" = "));
    let numbers: BTreeMap<&str, usize> = results.map(|(id, _)| id).zip(1..).collect();
    let mut whole = String::new();
    for line in text.lines() {
        let words = line.split(' ').map(|word| {
            numbers.get(word).map_or_else(|| word.to_owned(), |number| format!("%{number}"))
        });
        whole.push_str(&words.collect::<Vec<_>>().join(" "));
        whole.push('\n');
    }
    whole
}

/// Operands of an enumerant, and the form of the instruction that takes them; none for operands of kernels.
fn operands(
    kinds: &[LogicalOperand],
    number: &str,
    builtin: &str,
) -> Option<(String, &'static str)> {
    let (mut text, mut form) = (String::new(), "");
    for operand in kinds {
        text.push(' ');
        text.push_str(match operand.kind {
            OperandKind::LiteralInteger => number,
            OperandKind::LiteralString => {
                form = "String";
                "\"text\""
            }
            OperandKind::IdRef | OperandKind::IdScope => {
                form = "Id";
                "%two"
            }
            OperandKind::BuiltIn => builtin,
            OperandKind::FPRoundingMode => "RTE",
            OperandKind::FPFastMathMode => "NotNaN",
            OperandKind::FunctionParameterAttribute => "Zext",
            _ => return None,
        });
    }
    Some((text, form))
}
