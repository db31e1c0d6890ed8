//! Prints the link map and the linked stages of a case file, without a GPU: `cargo run --example link_map -- FILE`.

use std::io::Write as _;

use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::inspect;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: link_map FILE")?;
    let mut out = std::io::stdout();
    for parsed in parse(&path, &std::fs::read(&path)?, Dialect::Interstage) {
        let case = parsed.result.map_err(|error| format!("{error:?}"))?;
        // The verdict says what ended the flow before there was a program.
        let inspection = inspect(&case, None).map_err(|verdict| format!("{verdict:?}"))?;
        out.write_all(inspection.map.as_bytes())?;
        for (stage, wgsl) in inspection.stages {
            out.write_all(format!("\n// {stage}\n{wgsl}").as_bytes())?;
        }
    }
    Ok(())
}
