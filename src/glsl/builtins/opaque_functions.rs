//! Prototypes of the functions whose first parameter is a sampler, a texture or an image (GLSL 4.60 sections 8.9 and
//! 8.12, GLSL ES 3.20 sections 8.9 and 8.12, GLSL 1.20 section 8.7, and the extensions that a row names).
//!
//! A prototype is the list of its parameters' types, with brackets around those that may be left out. `g` stands for
//! nothing, `i` or `u` throughout a prototype: `gsampler2D` is `sampler2D`, `isampler2D` or `usampler2D`, and `gvec4` is
//! the vector of that kind. Result types follow from the texture and are not listed.

/// Functions with the same prototypes.
type Row = (&'static [&'static str], &'static [&'static str]);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (&["texture"], &[
        "gsampler1D float [float]", "gsampler2D vec2 [float]", "gsampler3D vec3 [float]", "gsamplerCube vec3 [float]",
        "sampler1DShadow vec3 [float]", "sampler2DShadow vec3 [float]", "samplerCubeShadow vec4 [float]",
        "gsampler2DArray vec3 [float]", "gsamplerCubeArray vec4 [float]", "gsampler1DArray vec2 [float]",
        "sampler1DArrayShadow vec3 [float]", "sampler2DArrayShadow vec4", "samplerCubeArrayShadow vec4 float",
        "gsampler2DRect vec2", "sampler2DRectShadow vec3", "samplerExternalOES vec2 [float]"]),
    (&["textureProj"], &[
        "gsampler1D vec2 [float]", "gsampler1D vec4 [float]", "gsampler2D vec3 [float]", "gsampler2D vec4 [float]",
        "gsampler3D vec4 [float]", "sampler1DShadow vec4 [float]", "sampler2DShadow vec4 [float]",
        "gsampler2DRect vec3", "gsampler2DRect vec4", "sampler2DRectShadow vec4",
        "samplerExternalOES vec3 [float]", "samplerExternalOES vec4 [float]"]),
    (&["textureLod"], &[
        "gsampler1D float float", "gsampler2D vec2 float", "gsampler3D vec3 float", "gsamplerCube vec3 float",
        "sampler1DShadow vec3 float", "sampler2DShadow vec3 float", "gsampler1DArray vec2 float",
        "sampler1DArrayShadow vec3 float", "gsampler2DArray vec3 float", "gsamplerCubeArray vec4 float"]),
    (&["textureOffset"], &[
        "gsampler1D float int [float]", "gsampler2D vec2 ivec2 [float]", "gsampler3D vec3 ivec3 [float]",
        "sampler1DShadow vec3 int [float]", "sampler2DShadow vec3 ivec2 [float]", "gsampler2DRect vec2 ivec2",
        "sampler2DRectShadow vec3 ivec2", "gsampler1DArray vec2 int [float]", "gsampler2DArray vec3 ivec2 [float]",
        "sampler1DArrayShadow vec3 int [float]", "sampler2DArrayShadow vec4 ivec2"]),
    (&["texelFetch"], &[
        "gsampler1D int int", "gsampler2D ivec2 int", "gsampler3D ivec3 int", "gsampler2DRect ivec2",
        "gsampler1DArray ivec2 int", "gsampler2DArray ivec3 int", "gsamplerBuffer int", "gsampler2DMS ivec2 int",
        "gsampler2DMSArray ivec3 int", "gtexture1D int int", "gtexture2D ivec2 int", "gtexture3D ivec3 int",
        "gtexture1DArray ivec2 int", "gtexture2DArray ivec3 int", "samplerExternalOES ivec2 int"]),
    (&["texelFetchOffset"], &[
        "gsampler1D int int int", "gsampler2D ivec2 int ivec2", "gsampler3D ivec3 int ivec3",
        "gsampler2DRect ivec2 ivec2", "gsampler1DArray ivec2 int int", "gsampler2DArray ivec3 int ivec2",
        "gtexture1D int int int", "gtexture2D ivec2 int ivec2", "gtexture3D ivec3 int ivec3",
        "gtexture1DArray ivec2 int int", "gtexture2DArray ivec3 int ivec2"]),
    (&["textureProjOffset"], &[
        "gsampler1D vec2 int [float]", "gsampler1D vec4 int [float]", "gsampler2D vec3 ivec2 [float]",
        "gsampler2D vec4 ivec2 [float]", "gsampler3D vec4 ivec3 [float]", "sampler1DShadow vec4 int [float]",
        "sampler2DShadow vec4 ivec2 [float]", "gsampler2DRect vec3 ivec2", "gsampler2DRect vec4 ivec2",
        "sampler2DRectShadow vec4 ivec2"]),
    (&["textureLodOffset"], &[
        "gsampler1D float float int", "gsampler2D vec2 float ivec2", "gsampler3D vec3 float ivec3",
        "sampler1DShadow vec3 float int", "sampler2DShadow vec3 float ivec2", "gsampler1DArray vec2 float int",
        "gsampler2DArray vec3 float ivec2", "sampler1DArrayShadow vec3 float int"]),
    (&["textureProjLod"], &[
        "gsampler1D vec2 float", "gsampler1D vec4 float", "gsampler2D vec3 float", "gsampler2D vec4 float",
        "gsampler3D vec4 float", "sampler1DShadow vec4 float", "sampler2DShadow vec4 float"]),
    (&["textureProjLodOffset"], &[
        "gsampler1D vec2 float int", "gsampler1D vec4 float int", "gsampler2D vec3 float ivec2",
        "gsampler2D vec4 float ivec2", "gsampler3D vec4 float ivec3", "sampler1DShadow vec4 float int",
        "sampler2DShadow vec4 float ivec2"]),
    (&["textureGrad"], &[
        "gsampler1D float float float", "gsampler2D vec2 vec2 vec2", "gsampler3D vec3 vec3 vec3",
        "gsamplerCube vec3 vec3 vec3", "gsampler2DRect vec2 vec2 vec2", "sampler2DRectShadow vec3 vec2 vec2",
        "sampler1DShadow vec3 float float", "sampler2DShadow vec3 vec2 vec2", "samplerCubeShadow vec4 vec3 vec3",
        "gsampler1DArray vec2 float float", "gsampler2DArray vec3 vec2 vec2", "sampler1DArrayShadow vec3 float float",
        "sampler2DArrayShadow vec4 vec2 vec2", "gsamplerCubeArray vec4 vec3 vec3"]),
    (&["textureGradOffset"], &[
        "gsampler1D float float float int", "gsampler2D vec2 vec2 vec2 ivec2", "gsampler3D vec3 vec3 vec3 ivec3",
        "gsampler2DRect vec2 vec2 vec2 ivec2", "sampler2DRectShadow vec3 vec2 vec2 ivec2",
        "sampler1DShadow vec3 float float int", "sampler2DShadow vec3 vec2 vec2 ivec2",
        "gsampler1DArray vec2 float float int", "gsampler2DArray vec3 vec2 vec2 ivec2",
        "sampler1DArrayShadow vec3 float float int", "sampler2DArrayShadow vec4 vec2 vec2 ivec2"]),
    (&["textureProjGrad"], &[
        "gsampler1D vec2 float float", "gsampler1D vec4 float float", "gsampler2D vec3 vec2 vec2",
        "gsampler2D vec4 vec2 vec2", "gsampler3D vec4 vec3 vec3", "gsampler2DRect vec3 vec2 vec2",
        "gsampler2DRect vec4 vec2 vec2", "sampler2DRectShadow vec4 vec2 vec2", "sampler1DShadow vec4 float float",
        "sampler2DShadow vec4 vec2 vec2"]),
    (&["textureProjGradOffset"], &[
        "gsampler1D vec2 float float int", "gsampler1D vec4 float float int", "gsampler2D vec3 vec2 vec2 ivec2",
        "gsampler2D vec4 vec2 vec2 ivec2", "gsampler3D vec4 vec3 vec3 ivec3", "gsampler2DRect vec3 vec2 vec2 ivec2",
        "gsampler2DRect vec4 vec2 vec2 ivec2", "sampler2DRectShadow vec4 vec2 vec2 ivec2",
        "sampler1DShadow vec4 float float int", "sampler2DShadow vec4 vec2 vec2 ivec2"]),
    (&["textureGather"], &[
        "gsampler2D vec2 [int]", "gsampler2DArray vec3 [int]", "gsamplerCube vec3 [int]",
        "gsamplerCubeArray vec4 [int]", "gsampler2DRect vec2 [int]", "sampler2DShadow vec2 float",
        "sampler2DArrayShadow vec3 float", "samplerCubeShadow vec3 float", "samplerCubeArrayShadow vec4 float",
        "sampler2DRectShadow vec2 float"]),
    (&["textureGatherOffset"], &[
        "gsampler2D vec2 ivec2 [int]", "gsampler2DArray vec3 ivec2 [int]", "gsampler2DRect vec2 ivec2 [int]",
        "sampler2DShadow vec2 float ivec2", "sampler2DArrayShadow vec3 float ivec2",
        "sampler2DRectShadow vec2 float ivec2"]),
    (&["textureGatherOffsets"], &[
        "gsampler2D vec2 ivec2[4] [int]", "gsampler2DArray vec3 ivec2[4] [int]", "gsampler2DRect vec2 ivec2[4] [int]",
        "sampler2DShadow vec2 float ivec2[4]", "sampler2DArrayShadow vec3 float ivec2[4]",
        "sampler2DRectShadow vec2 float ivec2[4]"]),
    (&["textureSize"], &[
        "gsampler1D int", "gsampler2D int", "gsampler3D int", "gsamplerCube int", "sampler1DShadow int",
        "sampler2DShadow int", "samplerCubeShadow int", "gsamplerCubeArray int", "samplerCubeArrayShadow int",
        "gsampler2DRect", "sampler2DRectShadow", "gsampler1DArray int", "gsampler2DArray int",
        "sampler1DArrayShadow int", "sampler2DArrayShadow int", "gsamplerBuffer", "gsampler2DMS", "gsampler2DMSArray",
        "gtexture1D int", "gtexture2D int", "gtexture3D int", "gtextureCube int", "gtexture1DArray int",
        "gtexture2DArray int", "gtextureCubeArray int", "samplerExternalOES int"]),
    (&["textureQueryLod", "textureQueryLOD"], &[
        "gsampler1D float", "gsampler2D vec2", "gsampler3D vec3", "gsamplerCube vec3", "gsampler1DArray float",
        "gsampler2DArray vec2", "gsamplerCubeArray vec3", "sampler1DShadow float", "sampler2DShadow vec2",
        "samplerCubeShadow vec3", "sampler1DArrayShadow float", "sampler2DArrayShadow vec2",
        "samplerCubeArrayShadow vec3"]),
    (&["textureQueryLevels"], &[
        "gsampler1D", "gsampler2D", "gsampler3D", "gsamplerCube", "gsampler1DArray", "gsampler2DArray",
        "gsamplerCubeArray", "sampler1DShadow", "sampler2DShadow", "samplerCubeShadow", "sampler1DArrayShadow",
        "sampler2DArrayShadow", "samplerCubeArrayShadow", "gtexture1D", "gtexture2D", "gtexture3D", "gtextureCube",
        "gtexture1DArray", "gtexture2DArray", "gtextureCubeArray"]),
    (&["textureSamples"], &["gsampler2DMS", "gsampler2DMSArray"]),
    (&["textureSamplesIdenticalEXT"], &["gsampler2DMS ivec2", "gsampler2DMSArray ivec3"]),

    // Functions with the shape in their name.
    (&["texture1D"], &["gsampler1D float [float]"]),
    (&["texture1DProj"], &["gsampler1D vec2 [float]", "gsampler1D vec4 [float]"]),
    (&["texture1DLod"], &["gsampler1D float float"]),
    (&["texture1DProjLod"], &["gsampler1D vec2 float", "gsampler1D vec4 float"]),
    (&["texture2D"], &["gsampler2D vec2 [float]", "samplerExternalOES vec2"]),
    (&["texture2DProj"], &[
        "gsampler2D vec3 [float]", "gsampler2D vec4 [float]", "samplerExternalOES vec3", "samplerExternalOES vec4"]),
    (&["texture2DLod", "texture2DLodEXT"], &["gsampler2D vec2 float"]),
    (&["texture2DProjLod", "texture2DProjLodEXT"], &["gsampler2D vec3 float", "gsampler2D vec4 float"]),
    (&["texture3D"], &["gsampler3D vec3 [float]"]),
    (&["texture3DProj"], &["gsampler3D vec4 [float]"]),
    (&["texture3DLod"], &["gsampler3D vec3 float"]),
    (&["texture3DProjLod"], &["gsampler3D vec4 float"]),
    (&["textureCube"], &["gsamplerCube vec3 [float]"]),
    (&["textureCubeLod", "textureCubeLodEXT"], &["gsamplerCube vec3 float"]),
    (&["texture2DRect"], &["gsampler2DRect vec2"]),
    (&["texture2DRectProj"], &["gsampler2DRect vec3", "gsampler2DRect vec4"]),
    (&["shadow1D"], &["sampler1DShadow vec3 [float]"]),
    (&["shadow1DProj"], &["sampler1DShadow vec4 [float]"]),
    (&["shadow1DLod"], &["sampler1DShadow vec3 float"]),
    (&["shadow1DProjLod"], &["sampler1DShadow vec4 float"]),
    (&["shadow2D"], &["sampler2DShadow vec3 [float]"]),
    (&["shadow2DProj"], &["sampler2DShadow vec4 [float]"]),
    (&["shadow2DLod"], &["sampler2DShadow vec3 float"]),
    (&["shadow2DProjLod"], &["sampler2DShadow vec4 float"]),
    (&["shadow2DRect"], &["sampler2DRectShadow vec3"]),
    (&["shadow2DRectProj"], &["sampler2DRectShadow vec4"]),
    (&["shadow2DEXT"], &["sampler2DShadow vec3"]),
    (&["shadow2DProjEXT"], &["sampler2DShadow vec4"]),

    // Functions of GL_ARB_shader_texture_lod, GL_EXT_shader_texture_lod and GL_EXT_gpu_shader4.
    (&["texture1DGrad", "texture1DGradARB"], &["gsampler1D float float float"]),
    (&["texture1DProjGrad", "texture1DProjGradARB"], &["gsampler1D vec2 float float", "gsampler1D vec4 float float"]),
    (&["texture2DGrad", "texture2DGradARB", "texture2DGradEXT"], &["gsampler2D vec2 vec2 vec2"]),
    (&["texture2DProjGrad", "texture2DProjGradARB", "texture2DProjGradEXT"], &[
        "gsampler2D vec3 vec2 vec2", "gsampler2D vec4 vec2 vec2"]),
    (&["texture3DGrad", "texture3DGradARB"], &["gsampler3D vec3 vec3 vec3"]),
    (&["texture3DProjGrad", "texture3DProjGradARB"], &["gsampler3D vec4 vec3 vec3"]),
    (&["textureCubeGrad", "textureCubeGradARB", "textureCubeGradEXT"], &[
        "gsamplerCube vec3 vec3 vec3", "samplerCubeShadow vec4 vec3 vec3"]),
    (&["texture2DRectGrad", "texture2DRectGradARB"], &["gsampler2DRect vec2 vec2 vec2"]),
    (&["texture2DRectProjGrad", "texture2DRectProjGradARB"], &[
        "gsampler2DRect vec3 vec2 vec2", "gsampler2DRect vec4 vec2 vec2"]),
    (&["shadow1DGrad", "shadow1DGradARB"], &["sampler1DShadow vec3 float float"]),
    (&["shadow1DProjGrad", "shadow1DProjGradARB"], &["sampler1DShadow vec4 float float"]),
    (&["shadow2DGrad", "shadow2DGradARB"], &["sampler2DShadow vec3 vec2 vec2"]),
    (&["shadow2DProjGrad", "shadow2DProjGradARB"], &["sampler2DShadow vec4 vec2 vec2"]),
    (&["shadow2DRectGrad", "shadow2DRectGradARB"], &["sampler2DRectShadow vec3 vec2 vec2"]),
    (&["shadow2DRectProjGrad", "shadow2DRectProjGradARB"], &["sampler2DRectShadow vec4 vec2 vec2"]),
    (&["texture1DArray"], &["gsampler1DArray vec2 [float]"]),
    (&["texture2DArray"], &["gsampler2DArray vec3 [float]"]),
    (&["texture1DArrayLod"], &["gsampler1DArray vec2 float"]),
    (&["texture2DArrayLod"], &["gsampler2DArray vec3 float"]),
    (&["texture1DArrayGrad"], &["gsampler1DArray vec2 float float"]),
    (&["texture2DArrayGrad"], &["gsampler2DArray vec3 vec2 vec2"]),
    (&["shadow1DArray"], &["sampler1DArrayShadow vec3 [float]"]),
    (&["shadow2DArray"], &["sampler2DArrayShadow vec4"]),
    (&["shadow1DArrayLod"], &["sampler1DArrayShadow vec3 float"]),
    (&["shadow1DArrayGrad"], &["sampler1DArrayShadow vec3 float float"]),
    (&["shadow2DArrayGrad"], &["sampler2DArrayShadow vec4 vec2 vec2"]),
    (&["shadowCube"], &["samplerCubeShadow vec4"]),
    (&["shadowCubeGrad"], &["samplerCubeShadow vec4 vec3 vec3"]),
    (&["texture1DOffset"], &["gsampler1D float int [float]"]),
    (&["texture1DProjOffset"], &["gsampler1D vec2 int [float]", "gsampler1D vec4 int [float]"]),
    (&["texture1DLodOffset"], &["gsampler1D float float int"]),
    (&["texture1DProjLodOffset"], &["gsampler1D vec2 float int", "gsampler1D vec4 float int"]),
    (&["texture1DGradOffset"], &["gsampler1D float float float int"]),
    (&["texture1DProjGradOffset"], &["gsampler1D vec2 float float int", "gsampler1D vec4 float float int"]),
    (&["texture2DOffset"], &["gsampler2D vec2 ivec2 [float]"]),
    (&["texture2DProjOffset"], &["gsampler2D vec3 ivec2 [float]", "gsampler2D vec4 ivec2 [float]"]),
    (&["texture2DLodOffset"], &["gsampler2D vec2 float ivec2"]),
    (&["texture2DProjLodOffset"], &["gsampler2D vec3 float ivec2", "gsampler2D vec4 float ivec2"]),
    (&["texture2DGradOffset"], &["gsampler2D vec2 vec2 vec2 ivec2"]),
    (&["texture2DProjGradOffset"], &["gsampler2D vec3 vec2 vec2 ivec2", "gsampler2D vec4 vec2 vec2 ivec2"]),
    (&["texture3DOffset"], &["gsampler3D vec3 ivec3 [float]"]),
    (&["texture3DProjOffset"], &["gsampler3D vec4 ivec3 [float]"]),
    (&["texture3DLodOffset"], &["gsampler3D vec3 float ivec3"]),
    (&["texture3DProjLodOffset"], &["gsampler3D vec4 float ivec3"]),
    (&["texture3DGradOffset"], &["gsampler3D vec3 vec3 vec3 ivec3"]),
    (&["texture3DProjGradOffset"], &["gsampler3D vec4 vec3 vec3 ivec3"]),
    (&["texture1DArrayOffset"], &["gsampler1DArray vec2 int [float]"]),
    (&["texture2DArrayOffset"], &["gsampler2DArray vec3 ivec2 [float]"]),
    (&["texture1DArrayLodOffset"], &["gsampler1DArray vec2 float int"]),
    (&["texture2DArrayLodOffset"], &["gsampler2DArray vec3 float ivec2"]),
    (&["texture1DArrayGradOffset"], &["gsampler1DArray vec2 float float int"]),
    (&["texture2DArrayGradOffset"], &["gsampler2DArray vec3 vec2 vec2 ivec2"]),
    (&["texture2DRectOffset"], &["gsampler2DRect vec2 ivec2"]),
    (&["texture2DRectProjOffset"], &["gsampler2DRect vec3 ivec2", "gsampler2DRect vec4 ivec2"]),
    (&["texture2DRectGradOffset"], &["gsampler2DRect vec2 vec2 vec2 ivec2"]),
    (&["texture2DRectProjGradOffset"], &[
        "gsampler2DRect vec3 vec2 vec2 ivec2", "gsampler2DRect vec4 vec2 vec2 ivec2"]),
    (&["shadow1DOffset"], &["sampler1DShadow vec3 int [float]"]),
    (&["shadow1DProjOffset"], &["sampler1DShadow vec4 int [float]"]),
    (&["shadow1DLodOffset"], &["sampler1DShadow vec3 float int"]),
    (&["shadow1DProjLodOffset"], &["sampler1DShadow vec4 float int"]),
    (&["shadow1DGradOffset"], &["sampler1DShadow vec3 float float int"]),
    (&["shadow1DProjGradOffset"], &["sampler1DShadow vec4 float float int"]),
    (&["shadow2DOffset"], &["sampler2DShadow vec3 ivec2 [float]"]),
    (&["shadow2DProjOffset"], &["sampler2DShadow vec4 ivec2 [float]"]),
    (&["shadow2DLodOffset"], &["sampler2DShadow vec3 float ivec2"]),
    (&["shadow2DProjLodOffset"], &["sampler2DShadow vec4 float ivec2"]),
    (&["shadow2DGradOffset"], &["sampler2DShadow vec3 vec2 vec2 ivec2"]),
    (&["shadow2DProjGradOffset"], &["sampler2DShadow vec4 vec2 vec2 ivec2"]),
    (&["shadow2DRectOffset"], &["sampler2DRectShadow vec3 ivec2"]),
    (&["shadow2DRectProjOffset"], &["sampler2DRectShadow vec4 ivec2"]),
    (&["shadow2DRectGradOffset"], &["sampler2DRectShadow vec3 vec2 vec2 ivec2"]),
    (&["shadow2DRectProjGradOffset"], &["sampler2DRectShadow vec4 vec2 vec2 ivec2"]),
    (&["shadow1DArrayOffset"], &["sampler1DArrayShadow vec3 int [float]"]),
    (&["shadow1DArrayLodOffset"], &["sampler1DArrayShadow vec3 float int"]),
    (&["shadow1DArrayGradOffset"], &["sampler1DArrayShadow vec3 float float int"]),
    (&["shadow2DArrayOffset"], &["sampler2DArrayShadow vec4 ivec2"]),
    (&["shadow2DArrayGradOffset"], &["sampler2DArrayShadow vec4 vec2 vec2 ivec2"]),
    (&["texelFetch1D"], &["gsampler1D int int"]),
    (&["texelFetch2D"], &["gsampler2D ivec2 int"]),
    (&["texelFetch3D"], &["gsampler3D ivec3 int"]),
    (&["texelFetch2DRect"], &["gsampler2DRect ivec2"]),
    (&["texelFetch1DArray"], &["gsampler1DArray ivec2 int"]),
    (&["texelFetch2DArray"], &["gsampler2DArray ivec3 int"]),
    (&["texelFetchBuffer"], &["gsamplerBuffer int"]),
    (&["texelFetch1DOffset"], &["gsampler1D int int int"]),
    (&["texelFetch2DOffset"], &["gsampler2D ivec2 int ivec2"]),
    (&["texelFetch3DOffset"], &["gsampler3D ivec3 int ivec3"]),
    (&["texelFetch2DRectOffset"], &["gsampler2DRect ivec2 ivec2"]),
    (&["texelFetch1DArrayOffset"], &["gsampler1DArray ivec2 int int"]),
    (&["texelFetch2DArrayOffset"], &["gsampler2DArray ivec3 int ivec2"]),
    (&["textureSize1D"], &["gsampler1D int", "sampler1DShadow int"]),
    (&["textureSize2D"], &["gsampler2D int", "sampler2DShadow int"]),
    (&["textureSize3D"], &["gsampler3D int"]),
    (&["textureSizeCube"], &["gsamplerCube int", "samplerCubeShadow int"]),
    (&["textureSize2DRect"], &["gsampler2DRect", "sampler2DRectShadow"]),
    (&["textureSize1DArray"], &["gsampler1DArray int", "sampler1DArrayShadow int"]),
    (&["textureSize2DArray"], &["gsampler2DArray int", "sampler2DArrayShadow int"]),
    (&["textureSizeBuffer"], &["gsamplerBuffer"]),

    (&["imageSize"], &[
        "gimage1D", "gimage2D", "gimage3D", "gimageCube", "gimageCubeArray", "gimage2DArray", "gimage1DArray",
        "gimage2DRect", "gimage2DMS", "gimage2DMSArray", "gimageBuffer"]),
    (&["imageSamples"], &["gimage2DMS", "gimage2DMSArray"]),
];

/// Types of the texel's place in an image: those of `IMAGE_PARAMS` in the specification.
#[rustfmt::skip]
const IMAGES: [(&str, &str); 11] = [
    ("gimage1D", "int"), ("gimage2D", "ivec2"), ("gimage3D", "ivec3"), ("gimage2DRect", "ivec2"),
    ("gimageCube", "ivec3"), ("gimageBuffer", "int"), ("gimage1DArray", "ivec2"), ("gimage2DArray", "ivec3"),
    ("gimageCubeArray", "ivec3"), ("gimage2DMS", "ivec2 int"), ("gimage2DMSArray", "ivec3 int"),
];

/// Functions of all images: what comes after the place, and the kinds of images, by the first letter of their types.
#[rustfmt::skip]
const IMAGE_FUNCTIONS: [(&str, &str, &str); 10] = [
    ("imageLoad", "", "fiu"),
    ("imageStore", "gvec4", "fiu"),
    ("imageAtomicAdd", "g", "iu"),
    ("imageAtomicMin", "g", "iu"),
    ("imageAtomicMax", "g", "iu"),
    ("imageAtomicAnd", "g", "iu"),
    ("imageAtomicOr", "g", "iu"),
    ("imageAtomicXor", "g", "iu"),
    ("imageAtomicExchange", "g", "fiu"),
    ("imageAtomicCompSwap", "g g", "iu"),
];

/// Functions of atomic counters: the types behind the counter. Those of `GL_ARB_shader_atomic_counter_ops` also have
/// names that end in `ARB`.
const COUNTER_FUNCTIONS: [(&str, &str); 12] = [
    ("atomicCounter", ""),
    ("atomicCounterIncrement", ""),
    ("atomicCounterDecrement", ""),
    ("atomicCounterAdd", "uint"),
    ("atomicCounterSubtract", "uint"),
    ("atomicCounterMin", "uint"),
    ("atomicCounterMax", "uint"),
    ("atomicCounterAnd", "uint"),
    ("atomicCounterOr", "uint"),
    ("atomicCounterXor", "uint"),
    ("atomicCounterExchange", "uint"),
    ("atomicCounterCompSwap", "uint uint"),
];

/// The parameters of one overload for a certain opaque type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prototype {
    /// The opaque type in the notation of the tables; overloads may differ in availability.
    pub(crate) opaque: String,
    /// Types of the parameters behind the opaque one. `ivec2[4]` is the only array.
    pub(crate) parameters: Vec<String>,
    /// Number of parameters that cannot be left out.
    pub(crate) required: usize,
}

impl Prototype {
    /// Reads a row of the tables for an argument of the type `keyword`; `None` if the row is for another type.
    fn of(row: &str, keyword: &str) -> Option<Self> {
        let mut words = row.split_whitespace();
        let opaque = words.next()?;
        let (prefix, plain) = match keyword.as_bytes().first() {
            Some(b'i') if !keyword.starts_with("image") => ("i", &keyword[1..]),
            Some(b'u') => ("u", &keyword[1..]),
            _ => ("", keyword),
        };
        let is_it = opaque.strip_prefix('g').map_or(opaque == keyword, |any| any == plain);
        if !is_it {
            return None;
        }
        let scalar = match prefix {
            "i" => "int",
            "u" => "uint",
            _ => "float",
        };
        let (mut parameters, mut required) = (Vec::new(), 0);
        for word in words {
            let inner = word.strip_prefix('[').and_then(|word| word.strip_suffix(']'));
            required += usize::from(inner.is_none());
            let word = inner.unwrap_or(word);
            parameters.push(match word.strip_prefix('g') {
                Some("") => scalar.to_owned(),
                Some(vector) => format!("{prefix}{vector}"),
                None => word.to_owned(),
            });
        }
        Some(Self { opaque: opaque.to_owned(), parameters, required })
    }
}

/// True if the specifications or extensions have a function of this name with an opaque first parameter.
pub(crate) fn is_opaque_function(name: &str) -> bool {
    let is = |known: &str| known == name;
    ROWS.iter().any(|(names, _)| names.contains(&name))
        || IMAGE_FUNCTIONS.iter().any(|(known, ..)| is(known))
        || counter_parameters(name).is_some()
}

/// The prototypes of the function `name` for a first argument of the type `keyword`.
pub(crate) fn opaque_prototypes(name: &str, keyword: &str) -> Vec<Prototype> {
    let listed = ROWS.iter().filter(|(names, _)| names.contains(&name));
    let listed = listed.flat_map(|(_, prototypes)| prototypes.iter().map(|row| (*row).to_owned()));
    let image = IMAGE_FUNCTIONS.iter().find(|(known, ..)| *known == name);
    let kind = match keyword.as_bytes().first() {
        Some(b'u') => 'u',
        Some(b'i') if !keyword.starts_with("image") => 'i',
        _ => 'f',
    };
    let images = image.filter(|(.., kinds)| kinds.contains(kind)).into_iter();
    let images = images.flat_map(|(_, rest, _)| {
        IMAGES.iter().map(move |(image, place)| format!("{image} {place} {rest}"))
    });
    let counters = counter_parameters(name).map(|parameters| format!("atomic_uint {parameters}"));
    let rows = listed.chain(images).chain(counters);
    rows.filter_map(|row| Prototype::of(&row, keyword)).collect()
}

/// The types behind the counter of a function of atomic counters.
fn counter_parameters(name: &str) -> Option<&'static str> {
    let find = |name: &str| COUNTER_FUNCTIONS.iter().find(|(known, _)| *known == name);
    let (_, parameters) = match name.strip_suffix("ARB") {
        // The functions of the base extension have no other names.
        Some(plain) => find(plain).filter(|(_, parameters)| !parameters.is_empty()),
        None => find(name),
    }?;
    Some(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, keyword: &str, expected: &[(&[&str], usize)]) {
        let found = opaque_prototypes(name, keyword);
        let found: Vec<_> = found
            .iter()
            .map(|one| {
                (one.parameters.iter().map(String::as_str).collect::<Vec<_>>(), one.required)
            })
            .collect();
        let expected: Vec<_> =
            expected.iter().map(|(types, required)| (types.to_vec(), *required)).collect();
        assert_eq!(found, expected, "{name} {keyword}");
    }

    #[test]
    fn kinds_follow_from_the_texture() {
        check("texture", "usampler2D", &[(&["vec2", "float"], 1)]);
        check("texture", "sampler3DShadow", &[]);
        check("textureProj", "sampler2D", &[(&["vec3", "float"], 1), (&["vec4", "float"], 1)]);
        check("textureProj", "samplerCube", &[]);
        check("imageStore", "iimage1D", &[(&["int", "ivec4"], 2)]);
        check("imageStore", "image2DMS", &[(&["ivec2", "int", "vec4"], 3)]);
        check("imageAtomicAdd", "image2D", &[]);
        check("imageAtomicExchange", "image2D", &[(&["ivec2", "float"], 2)]);
        check("imageAtomicCompSwap", "uimageBuffer", &[(&["int", "uint", "uint"], 3)]);
        check("atomicCounterAddARB", "atomic_uint", &[(&["uint"], 1)]);
        check("atomicCounterIncrementARB", "atomic_uint", &[]);
        check("textureGatherOffsets", "sampler2D", &[(&["vec2", "ivec2[4]", "int"], 2)]);
    }

    #[test]
    fn a_name_stands_in_one_row() {
        let mut names: Vec<_> = ROWS.iter().flat_map(|(names, _)| names.iter()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
