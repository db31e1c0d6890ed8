// Copies the index lists of a draw, one for each instance, and makes the primitives that are culled degenerate: all
// their vertices become the first one.
//
// The distances are looked at as bits, because compilers take liberties with comparisons of what is not a number, which
// counts as outside.

struct Draw {
    first_index: u32,
    // Indices of one instance, a multiple of `vertices`.
    count: u32,
    // Of a primitive.
    vertices: u32,
    // Distances of a vertex.
    planes: u32,
    first_kept: u32,
}

@group(0) @binding(0) var<storage, read> distances: array<u32>;
@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read_write> kept: array<u32>;
@group(0) @binding(3) var<uniform> draw: Draw;

fn is_outside(bits: u32) -> bool {
    let magnitude = bits & 0x7fffffffu;
    let is_not_a_number = magnitude > 0x7f800000u;
    let is_below_zero = bits != magnitude && magnitude != 0u;
    return is_not_a_number || is_below_zero;
}

fn is_culled(first_vertex: u32) -> bool {
    for (var plane = 0u; plane < draw.planes; plane++) {
        var outside = 0u;
        for (var vertex = 0u; vertex < draw.vertices; vertex++) {
            if is_outside(distances[(first_vertex + vertex) * draw.planes + plane]) {
                outside++;
            }
        }
        if outside == draw.vertices {
            return true;
        }
    }
    return false;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let first = id.x * draw.vertices;
    if first >= draw.count {
        return;
    }
    let first_vertex = id.y * draw.count + first;
    let step = select(1u, 0u, is_culled(first_vertex));
    for (var vertex = 0u; vertex < draw.vertices; vertex++) {
        kept[draw.first_kept + first_vertex + vertex] = indices[draw.first_index + first + vertex * step];
    }
}
