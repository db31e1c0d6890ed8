//! Parses the messages that wgpu logs.

use ir::backend::Backend;
use log::Level;

/// Origin of an objection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The Khronos validation layer.
    Vulkan,
    /// A GL driver.
    Gl,
    /// Direct3D's debug layer.
    Dx12,
}

/// An objection: a message about a broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Objection {
    pub(super) source: Source,
    /// Name of the rule: `VUID-vkCmdDrawIndexed-None-02699`, or GL's type.
    pub(super) id: String,
    /// The text of the message, without the handles of this run.
    pub(super) text: String,
    /// The draw and the named objects that the message is about.
    pub(super) scope: Vec<String>,
}

/// The meaning of a message in wgpu's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// The loader has no validation layer.
    NoLayer,
    /// A GL driver has debug output.
    DebugOutput,
    /// The Vulkan instance cannot be made, for this reason.
    NoInstance(String),
    /// A rule was broken.
    Objection(Objection),
    /// The objects and scopes that the previous message was about.
    Scope(String),
    /// Any other message, which is ignored.
    Nothing,
}

impl Source {
    /// The backend whose adapters this source validates.
    pub const fn backend(self) -> Backend {
        match self {
            Self::Vulkan => Backend::Vulkan,
            Self::Gl => Backend::Gl,
            Self::Dx12 => Backend::Dx12,
        }
    }
}

/// The modules of wgpu whose messages are parsed.
const VULKAN: &str = "wgpu_hal::vulkan";
const GL: &str = "wgpu_hal::gles";
const DX12: &str = "wgpu_hal::auxil::dxgi";
const INSTANCE: &str = "wgpu_core::instance";

/// True if messages of `target` can be objections.
pub(super) fn is_heard(target: &str) -> bool {
    [VULKAN, GL, DX12, INSTANCE].iter().any(|module| target.starts_with(module))
}

/// Parses a logged message.
pub(super) fn read(level: Level, target: &str, text: &str) -> Heard {
    let is_serious = level <= Level::Warn;
    if target.starts_with(VULKAN) {
        return read_vulkan(is_serious, text);
    }
    if target.starts_with(GL) && text == "Enabling GLES debug output" {
        return Heard::DebugOutput;
    }
    if let Some(reason) = text.strip_prefix("Instance::new: failed to create Vulkan backend: ") {
        return Heard::NoInstance(reason.to_owned());
    }
    let objection = if !is_serious {
        None
    } else if target.starts_with(GL) {
        gl_objection(text)
    } else if target.starts_with(DX12) {
        Some(Objection::new(Source::Dx12, "D3D12", text))
    } else {
        None
    };
    objection.map_or(Heard::Nothing, Heard::Objection)
}

fn read_vulkan(is_serious: bool, text: &str) -> Heard {
    if text.starts_with("InstanceFlags::VALIDATION requested, but unable to find layer") {
        return Heard::NoLayer;
    }
    if !is_serious {
        return Heard::Nothing;
    }
    if let Some(scope) = text.strip_prefix('\t') {
        return scope_of(scope).map_or(Heard::Nothing, Heard::Scope);
    }
    let objection = vulkan_objection(text);
    objection.map_or(Heard::Nothing, Heard::Objection)
}

/// Parses `GENERAL | VALIDATION [VUID-… (0x6bbb14)]⏎⇥Validation Error: [ VUID-… ] Object 0: … | MessageID = 0x… |
/// text`.
fn vulkan_objection(text: &str) -> Option<Objection> {
    let (kinds, rest) = text.split_once(" [")?;
    if !kinds.split(" | ").any(|kind| kind == "VALIDATION") {
        return None;
    }
    let (id, rest) = rest.split_once(" (0x")?;
    let (_, message) = rest.split_once(")]\n\t")?;
    // The text before `MessageID` repeats the name and the scope.
    let said = message.rsplit_once("MessageID = 0x").map_or(message, |(_, said)| {
        said.split_once([' ', '\n']).map_or(said, |(_, said)| said.trim_start_matches(['|', ' ']))
    });
    let said = said.split("The Vulkan spec states:").next().unwrap_or(said);
    Some(Objection::new(Source::Vulkan, id, said))
}

/// Parses `GLES: [API/Error] ID 1 : text`.
fn gl_objection(text: &str) -> Option<Objection> {
    let (origin, rest) = text.strip_prefix("GLES: [")?.split_once("] ID ")?;
    let (_, kind) = origin.split_once('/')?;
    let is_rule = matches!(kind, "Error" | "Undefined Behavior");
    let (_, said) = rest.split_once(" : ")?;
    let id = format!("GL {}", kind.to_lowercase());
    is_rule.then(|| Objection::new(Source::Gl, &id, said))
}

/// Parses the scope of a message: the names of draws, or the objects in `objects: (type: SHADER_MODULE, hndl: 0x7f,
/// name: vertex)`. Only objects with user-given names are returned.
fn scope_of(text: &str) -> Option<String> {
    if let Some(scopes) = text.strip_prefix("command buffers: ") {
        // Validation layers of 2023 repeat the scope.
        let twice = |one: &&str| scopes.strip_prefix(one) == Some(&format!(", {one}"));
        let half = scopes.get(..scopes.len().saturating_sub(2) / 2).filter(twice);
        let scope = half.unwrap_or(scopes);
        return (!scope.is_empty()).then(|| format!("at {scope}"));
    }
    let objects = text.strip_prefix("objects: ")?;
    let named = objects.split("(type: ").filter_map(|object| {
        let (ty, rest) = object.split_once(", hndl: ")?;
        let (_, name) = rest.split_once("name: ")?;
        let name = name.trim_end_matches(", ").trim_end_matches(')');
        let is_named = !name.is_empty() && name != "?";
        is_named.then(|| format!("{} `{name}`", ty.to_lowercase().replace('_', " ")))
    });
    let named: Vec<_> = named.collect();
    (!named.is_empty()).then(|| format!("of {}", named.join(", ")))
}

/// The text as one line, with handles replaced by `0x…`, because they differ in every run.
fn plain(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let Some((before, rest)) = word.split_once("0x") else { return word.to_owned() };
        let after = rest.trim_start_matches(|char: char| char.is_ascii_hexdigit());
        let is_handle = rest.len().saturating_sub(after.len()) > 4;
        if is_handle { format!("{before}0x…{after}") } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

impl Objection {
    fn new(source: Source, id: &str, text: &str) -> Self {
        Self { source, id: id.to_owned(), text: plain(text), scope: Vec::new() }
    }
}

impl std::fmt::Display for Objection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.id, self.text)?;
        self.scope.iter().try_for_each(|scope| write!(f, "\n  {scope}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objection(level: Level, target: &str, text: &str) -> Option<String> {
        match read(level, target, text) {
            Heard::Objection(objection) => Some(objection.to_string()),
            Heard::NoLayer
            | Heard::DebugOutput
            | Heard::NoInstance(_)
            | Heard::Scope(_)
            | Heard::Nothing => None,
        }
    }

    #[test]
    fn layers_of_2023_and_of_2026_are_understood() {
        let check = |text: &str, expected: &str| {
            let found = objection(Level::Error, "wgpu_hal::vulkan::instance", text);
            assert_eq!(found.as_deref(), Some(expected));
        };
        check(
            "VALIDATION [VUID-vkCmdDrawIndexed-commandBuffer-02701 (0xa87d398e)]\n\tValidation Error: [ \
             VUID-vkCmdDrawIndexed-commandBuffer-02701 ] Object 0: handle = 0x55c0ffee1234, type = \
             VK_OBJECT_TYPE_COMMAND_BUFFER; | MessageID = 0xa87d398e | vkCmdDrawIndexed: state of \
             VkPipeline 0x5600000012[a] not set. The Vulkan spec states: if it is bound (https://x)",
            "VUID-vkCmdDrawIndexed-commandBuffer-02701: vkCmdDrawIndexed: state of VkPipeline 0x…[a] not set.",
        );
        check(
            "VALIDATION [VUID-vkCmdDrawIndexed-None-07839 (0x8fd7d70a)]\n\tvkCmdDrawIndexed(): the state is dynamic\n\
             and was never set.\nThe Vulkan spec states: something (https://x)\n",
            "VUID-vkCmdDrawIndexed-None-07839: vkCmdDrawIndexed(): the state is dynamic and was never set.",
        );
        check(
            "GENERAL | VALIDATION [SYNC-HAZARD-WRITE-AFTER-WRITE (0x1)]\n\tvkQueueSubmit(): twice at 0x10",
            "SYNC-HAZARD-WRITE-AFTER-WRITE: vkQueueSubmit(): twice at 0x10",
        );
    }

    #[test]
    fn only_rules_count_and_only_where_they_are_serious() {
        let vulkan = "wgpu_hal::vulkan::instance";
        let text = "VALIDATION [VUID-a (0x1)]\n\tb";
        assert!(objection(Level::Warn, vulkan, text).is_some());
        assert_eq!(objection(Level::Debug, vulkan, text), None);
        for kind in ["PERFORMANCE", "GENERAL"] {
            assert_eq!(objection(Level::Warn, vulkan, &text.replace("VALIDATION", kind)), None);
        }
        let gl = "wgpu_hal::gles";
        for (kind, is_rule) in [
            ("API/Error", true),
            ("API/Undefined Behavior", true),
            ("API/Performance", false),
            ("API/Portability", false),
            ("API/Deprecated Behavior", false),
            ("ShaderCompiler/Other", false),
        ] {
            let text = format!("GLES: [{kind}] ID 3 : glDraw(a)");
            assert_eq!(objection(Level::Error, gl, &text).is_some(), is_rule, "{kind}");
        }
        let text = "GLES: [API/Error] ID 3 : GL_INVALID_OPERATION in glDraw(a : b)";
        let expected = "GL error: GL_INVALID_OPERATION in glDraw(a : b)";
        assert_eq!(objection(Level::Error, gl, text).as_deref(), Some(expected));
        assert_eq!(objection(Level::Debug, gl, text), None);
        let is_said = objection(Level::Error, "wgpu_hal::auxil::dxgi::exception", "STATE: bad");
        assert_eq!(is_said.as_deref(), Some("D3D12: STATE: bad"));
        assert_eq!(objection(Level::Error, "wgpu_hal::gles::device", "\tLink: bad"), None);
    }

    #[test]
    fn draws_and_named_objects_are_told() {
        let check = |text: &str, expected: Option<&str>| {
            let found = match read(Level::Error, "wgpu_hal::vulkan::instance", text) {
                Heard::Scope(scope) => Some(scope),
                _other @ (Heard::NoLayer
                | Heard::DebugOutput
                | Heard::NoInstance(_)
                | Heard::Objection(_)
                | Heard::Nothing) => None,
            };
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        let draw = "at line 4: draw rect 0, 1";
        check("\tcommand buffers: line 4: draw rect 0, 1", Some(draw));
        check("\tcommand buffers: line 4: draw rect 0, 1, line 4: draw rect 0, 1", Some(draw));
        let objects = "\tobjects: (type: SHADER_MODULE, hndl: 0x1, name: vertex), \
            (type: DEVICE, hndl: 0x2, name: ?)";
        check(objects, Some("of shader module `vertex`"));
        check("\tobjects: (type: DEVICE, hndl: 0x2, name: ?)", None);
    }

    #[test]
    fn what_there_is_to_validate_with_is_heard() {
        let missing = "InstanceFlags::VALIDATION requested, but unable to find layer: VK_LAYER_a";
        assert_eq!(read(Level::Debug, "wgpu_hal::vulkan::instance", missing), Heard::NoLayer);
        let output = read(Level::Debug, "wgpu_hal::gles::egl", "Enabling GLES debug output");
        assert_eq!(output, Heard::DebugOutput);
        let failed = "Instance::new: failed to create Vulkan backend: no";
        let expected = Heard::NoInstance("no".to_owned());
        assert_eq!(read(Level::Debug, "wgpu_core::instance", failed), expected);
    }
}
