//! Tests how the two stages of a program agree, and what nothing reads.

use super::map_of_case;

/// Without a fragment stage, every written output is reported as unread; outputs that no code names are not.
#[test]
fn a_vertex_stage_alone_has_unread_outputs() {
    let text = "[require]\nGLSL >= 4.50\n[vertex shader]\nout vec4 a;\nout vec4 b;\n\
         void main() { gl_Position = vec4(1.0); b = gl_Position; }\n[test]\nlink success\n";
    let map = map_of_case(text);
    assert!(map.contains("unread, removed: b\n"), "{map}");
}

/// A uniform of both stages has the same location in both, if they declare one.
#[test]
fn stages_agree_in_where_a_uniform_is() {
    let map = |second: u32| {
        map_of_case(&format!(
            "[require]\nGLSL >= 4.50\n[vertex shader]\nlayout(location = 1) uniform float f;\n\
             void main() {{ gl_Position = vec4(f); }}\n\
             [fragment shader]\nlayout(location = {second}) uniform float f;\nout vec4 color;\n\
             void main() {{ color = vec4(f); }}\n[test]\nlink success\n"
        ))
    };
    let message = "uniform `f` is at location 2 here but 1 in an earlier stage";
    assert!(map(2).contains(message), "{}", map(2));
    assert!(!map(1).contains("location"), "{}", map(1));
}

/// A block of both stages has the same binding point in both, if they declare one.
#[test]
fn stages_agree_in_where_a_block_is() {
    let map = |second: u32| {
        map_of_case(&format!(
            "[require]\nGLSL >= 4.50\n[vertex shader]\nlayout(std140, binding = 1) uniform B {{ vec4 f; }};\n\
             void main() {{ gl_Position = f; }}\n\
             [fragment shader]\nlayout(std140, binding = {second}) uniform B {{ vec4 f; }};\nout vec4 color;\n\
             void main() {{ color = f; }}\n[test]\nlink success\n"
        ))
    };
    let message = "block `B` has binding 2 here but 1 in an earlier stage";
    assert!(map(2).contains(message), "{}", map(2));
    assert!(!map(1).contains("binding"), "{}", map(1));
}
