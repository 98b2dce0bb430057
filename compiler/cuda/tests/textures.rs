//! Textures and surfaces: the instructions that nvcc 13.0 gives for the functions of CUDA, of which the built-in headers declare all.

use warpsmith::{Emit, Options, Session, Sm, Source};

/// The instructions on textures and surfaces of a kernel's body, with registers as `_`.
fn instructions(body: &str) -> Vec<String> {
    let text = format!(
        "__global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *p, bool *q, char *c) {{ {body} }}\n"
    );
    let mut options = Options::new(Sm::Sm90);
    options.emit = Emit::Ptx;
    let compiled = Session::new(options).compile(&Source::cuda("test.cu", &text));
    let ptx = compiled
        .unwrap_or_else(|failure| panic!("{failure:?}"))
        .ptx
        .expect("PTX was asked for");
    let mut found = Vec::new();
    for statement in ptx.split([';', '\n']).map(str::trim) {
        if ["tex.", "tld4.", "suld.", "sust."]
            .iter()
            .any(|start| statement.starts_with(start))
        {
            let words = statement.split_inclusive([' ', ',', '{', '}', '|', '[', ']']);
            let spelled = words.map(|word| match word.strip_prefix('%') {
                Some(rest) => format!("_{}", rest.trim_start_matches(|c: char| c.is_alphanumeric())),
                None => word.to_string(),
            });
            found.push(spelled.collect());
        }
    }
    found
}

#[test]
fn sparse_textures_say_whether_their_memory_is_there() {
    let body = "p[0] = tex2D<float4>(t, 1, 2, q); p[1] = tex2DLod<float4>(t, 1, 2, 3, q);
        p[2] = tex2DGrad<float4>(t, 1, 2, float2{1, 2}, float2{3, 4}, q); p[3] = tex2Dgather<float4>(t, 1, 2, q, 1);
        tex2DLayered(p + 4, t, 1, 2, 3, q); p[5] = tex3D<float4>(t, 1, 2, 3, q);";
    assert_eq!(
        instructions(body),
        [
            "tex.2d.v4.f32.f32 {_, _, _, _}|_, [_, {_, _}]",
            "tex.level.2d.v4.f32.f32 {_, _, _, _}|_, [_, {_, _}], _",
            "tex.grad.2d.v4.f32.f32 {_, _, _, _}|_, [_, {_, _}], {_, _}, {_, _}",
            "tld4.g.2d.v4.f32.f32 {_, _, _, _}|_, [_, {_, _}]",
            "tex.a2d.v4.f32.f32 {_, _, _, _}|_, [_, {_, _, _, _}]",
            "tex.3d.v4.f32.f32 {_, _, _, _}|_, [_, {_, _, _, _}]",
        ]
    );
}

#[test]
fn gradients_of_layers_and_cubes() {
    let body = "float4 d{1, 2, 3}; float2 e{1, 2}; p[0] = tex1DLayeredGrad<float4>(t, 1, 2, 3, 4);
        p[1] = tex2DLayeredGrad<float4>(t, 1, 2, 3, e, e); p[2] = texCubemapGrad<float4>(t, 1, 2, 3, d, d);
        texCubemapLayeredGrad(p + 3, t, 1, 2, 3, 4, d, d);";
    assert_eq!(
        instructions(body),
        [
            "tex.grad.a1d.v4.f32.f32 {_, _, _, _}, [_, {_, _}], {_}, {_}",
            "tex.grad.a2d.v4.f32.f32 {_, _, _, _}, [_, {_, _, _, _}], {_, _}, {_, _}",
            "tex.grad.cube.v4.f32.f32 {_, _, _, _}, [_, {_, _, _, _}], {_, _, _, _}, {_, _, _, _}",
            "tex.grad.acube.v4.f32.f32 {_, _, _, _}, [_, {_, _, _, _}], {_, _, _, _}, {_, _, _, _}",
        ]
    );
}

#[test]
fn surfaces_of_layers_and_cubes() {
    let body = "p[0] = surf1DLayeredread<float4>(s, 16, 2); surf1DLayeredwrite(p[1], s, 16, 2, cudaBoundaryModeZero);
        surf2DLayeredread(p + 2, s, 16, 2, 3); p[3] = surfCubemapread<float4>(s, 16, 2, 3);
        surfCubemapwrite(p[4], s, 16, 2, 3, cudaBoundaryModeClamp); surfCubemapLayeredwrite(p[5], s, 16, 2, 3);
        c[0] = surf1Dread<char>(s, 1); surf3Dwrite(c[1], s, 1, 2, 3);";
    assert_eq!(
        instructions(body),
        [
            "suld.b.a1d.v4.b32.trap {_, _, _, _}, [_, {_, _}]",
            "sust.b.a1d.v4.b32.zero [_, {_, _}], {_, _, _, _}",
            "suld.b.a2d.v4.b32.trap {_, _, _, _}, [_, {_, _, _, _}]",
            "suld.b.a2d.v4.b32.trap {_, _, _, _}, [_, {_, _, _, _}]",
            "sust.b.a2d.v4.b32.clamp [_, {_, _, _, _}], {_, _, _, _}",
            "sust.b.a2d.v4.b32.trap [_, {_, _, _, _}], {_, _, _, _}",
            "suld.b.1d.b8.trap {_}, [_, {_}]",
            "sust.b.3d.b8.trap [_, {_, _, _, _}], {_}",
        ]
    );
}
