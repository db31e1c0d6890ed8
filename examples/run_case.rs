//! Runs one case from text on the machine's first adapter: `cargo run --example run_case`.

use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::check::Goldens;
use interstage::device::Devices;
use interstage::run_case;

const CASE: &str = "\
[require]
GLSL >= 4.50

[vertex shader]
in vec4 piglit_vertex;
out float f;
out vec3 v;
void main() { gl_Position = piglit_vertex; f = 0.25; v = vec3(0.5, 0.75, 1.0); }

[fragment shader]
in float f;
in vec3 v;
out vec4 color;
void main() { color = vec4(f, v); }

[link]
slots 1

[test]
draw rect -1 -1 2 2
probe all rgba 0.25 0.5 0.75 1.0
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let devices = Devices::all();
    let adapter = devices.infos().next().ok_or("there is no adapter")?;
    let device = devices.open(&format!("{}:{}", adapter.backend, adapter.index))?;
    // A file may hold several cases; this one holds one.
    for parsed in parse("example.shader_test", CASE.as_bytes(), Dialect::Interstage) {
        let case = parsed.result.map_err(|error| format!("{error:?}"))?;
        let report = run_case(&case, Some(&device), &Goldens::default());
        let slots = report.slots.join("\n");
        writeln(&format!("{} on {adapter}\n{slots}\n{:?}", parsed.name, report.verdict))?;
    }
    Ok(())
}

fn writeln(text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    std::io::stdout().write_all(text.as_bytes())?;
    std::io::stdout().write_all(b"\n")
}
