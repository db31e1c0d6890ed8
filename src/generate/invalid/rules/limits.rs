//! Implementation limits, exceeded so far that no implementation can allow it.

use crate::invalid::rule::{Rule, Where, link, one, pair, valid};

use Where::{Either, Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    link("too_many_varyings", "7.3").lenient("how many there are is the adapter's to say, and nothing is drawn").everywhere().used().by(&[
        pair(["$out vec4 $n[400];", "$n[399] = acc;"], ["$in vec4 $n[400];", "acc += $n[0] + $n[399];"]),
        pair(["$out mat4 $n[100];", "$n[99][0] = acc;"], ["$in mat4 $n[100];", "acc += $n[1][0] + $n[99][0];"]),
    ]),
    link("too_many_attributes", "7.3").lenient("how many there are is the adapter's to say, and nothing is drawn").everywhere().used().by(&[
        one(
            Vertex,
            "$attribute mat4 $na; $attribute mat4 $nb; $attribute mat4 $nc; $attribute mat4 $nd; $attribute vec4 $ne;",
            "acc += $na[0] + $nb[0] + $nc[0] + $nd[0] + $ne;",
        ),
    ]),
    link("too_many_samplers", "7.3").lenient("how many there are is the adapter's to say, and nothing is drawn").everywhere().reached().by(&[
        one(Fragment, "uniform sampler2D $n[200];", "acc += $tex($n[0], acc.xy) + $tex($n[199], acc.xy);"),
    ]),
    link("too_many_uniform_components", "7.3").everywhere().reached().by(&[
        one(Either, "uniform vec4 $n[100000];", "acc += $n[0] + $n[99999];"),
    ]),
    link("too_many_uniform_blocks", "7.3").lenient("how many there are is the adapter's to say, and nothing is drawn").since(140, 300).reached().by(&[
        one(Either, "uniform $n { float a; } $m[99];", "acc += $m[0].a + $m[98].a;"),
    ]),
    valid("as_many_attributes_as_fit", "7.3").everywhere().by(&[
        one(Vertex, "$attribute mat4 $na; $attribute mat2 $nb;", "acc += $na[0]; acc.xy += $nb[0];"),
    ]),
];
