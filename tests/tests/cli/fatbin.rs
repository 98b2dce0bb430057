//! Fatbins: made by the compiler and by the face of fatbinary, read by that of cuobjdump.

use crate::support::Folder;

const KERNEL: &str = "extern \"C\" __global__ void twice(int *data) { data[threadIdx.x] *= 2; }\n";

/// Machine code for two targets, and PTX for those to come; what comes out again is what each target's own compile gives.
#[test]
fn a_kernel_for_several_targets() {
    let folder = Folder::new("fatbin-targets");
    folder.write("k.cu", KERNEL);
    folder
        .run("k.cu -fatbin -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=[sm_90a,compute_90a]")
        .success();
    assert_eq!(
        folder.run("--face cuobjdump -lelf -lptx k.fatbin").success(),
        "ELF file    1: k.1.sm_80.cubin\nELF file    2: k.2.sm_90a.cubin\nPTX file    1: k.1.sm_90a.ptx\n"
    );
    folder.run("--face cuobjdump -xelf sm_90a k.fatbin").success();
    folder.run("--face cuobjdump -xptx all k.fatbin").success();
    folder.run("k.cu -arch=sm_90a -o own.cubin").success();
    folder.run("k.cu -arch=sm_90a -ptx -o own.ptx").success();
    assert!(folder.read("k.2.sm_90a.cubin") == folder.read("own.cubin"));
    assert!(folder.read("k.1.sm_90a.ptx") == folder.read("own.ptx"));
    assert!(!folder.names().contains(&"k.1.sm_80.cubin".to_owned()), "not asked for");
}

/// `-arch` alone is the machine code and its PTX, as with nvcc.
#[test]
fn heads_of_the_images() {
    let folder = Folder::new("fatbin-heads");
    folder.write("k.cu", KERNEL);
    folder.run("k.cu -fatbin -arch=sm_90 -o k.fatbin").success();
    let text = folder.run("--face cuobjdump k.fatbin").success();
    let head = "\nFatbin elf code:\n================\narch = sm_90\ncode version = [1,8]\nhost = linux\ncompile_size = 64bit\n\
                \nFatbin ptx code:\n================\narch = sm_90\n";
    assert!(text.starts_with(head), "{text}");
    assert!(
        text.ends_with("host = linux\ncompile_size = 64bit\ncompressed\nptxasOptions = \n"),
        "{text}"
    );
}

#[test]
fn fatbinary_packs_and_embeds() {
    let folder = Folder::with("fatbin-pack", "scale.sm_75.cubin");
    folder.write("k.ptx", ".version 8.0\n.target sm_75\n.address_size 64\n");
    let images = "--image3=kind=elf,sm=75,file=k.cubin --image3=kind=ptx,sm=75,file=k.ptx";
    folder
        .run(&format!(
            "--face fatbinary -64 --create=all.fatbin --embedded-fatbin=all.c --cmdline=-O1 {images}"
        ))
        .success();
    assert_eq!(
        folder.run("--face cuobjdump -xptx all all.fatbin").success(),
        "Extracting PTX file and ptxas options    1: all.1.sm_75.ptx -arch=sm_75 -O1\n"
    );
    folder.run("--face cuobjdump -xelf all all.fatbin").success();
    assert!(folder.read("all.1.sm_75.cubin") == folder.read("k.cubin"));
    let source = String::from_utf8(folder.read("all.c")).unwrap();
    let words = folder.read("all.fatbin").len() / 8;
    assert!(source.contains("\".quad 0x00100001ba55ed50,"), "{source}");
    assert!(source.contains(&format!("fatbinData[{words}];")), "{source}");
    assert!(source.contains("{ 0x466243b1, 1, fatbinData, 0 };"), "{source}");
}

#[test]
fn functions_and_what_they_take() {
    let folder = Folder::with("fatbin-dump", "scale.sm_75.cubin");
    let code = folder.run("--face cuobjdump -sass k.cubin").success();
    assert!(code.starts_with("\n\tcode for sm_75\n\t.target\tsm_75\n\n\t\tFunction : scale\n\t.headerflags\t@\"EF_CUDA_SM75 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM75)\"\n        /*0000*/"), "{code}");
    let resources = folder.run("--face cuobjdump -res-usage k.cubin").success();
    assert_eq!(
        resources,
        "\nResource usage:\n Common:\n  GLOBAL:16 CONSTANT[3]:4 CONSTANT[4]:8\n Function scale:\n  \
         REG:8 STACK:0 SHARED:128 LOCAL:0 CONSTANT[0]:364 TEXTURE:0 SURFACE:0 SAMPLER:0\n"
    );
}

#[test]
fn what_is_wrong_is_named_and_nothing_is_written() {
    let folder = Folder::with("fatbin-wrong", "scale.sm_75.cubin");
    for (line, message) in [
        (
            "fatbinary --create=x --image3=kind=elf,sm=80,file=k.cubin",
            "fatbinary fatal   : fatbinary elf mismatch: elf arch does not match user-specified arch: 'k.cubin' is for sm_75, not sm_80\n",
        ),
        (
            "fatbinary --create=x --image3=kind=elf,file=k.cubin",
            "fatbinary fatal   : Missing sm in image3\n",
        ),
        (
            "fatbinary --create=x --image3=kind=obj,sm=80,file=k.cubin",
            "fatbinary fatal   : Missing or unknown kind in image3\n",
        ),
        (
            "fatbinary --create=x --image3=kind=elf,sm=80,file=none",
            "fatbinary fatal   : Could not open input file 'none'\n",
        ),
        (
            "fatbinary --create=x --image2=kind=obj,file=k.o",
            "fatbinary fatal   : '--image2' (host objects and libraries) is not supported yet\n",
        ),
        (
            "cuobjdump -sass none",
            "cuobjdump fatal   : Could not open input file 'none'\n",
        ),
        (
            "cuobjdump -elf k.cubin",
            "cuobjdump fatal   : '-elf' is not supported yet\n",
        ),
    ] {
        assert_eq!(folder.run(&format!("--face {line}")).refusal(), message);
    }
    assert_eq!(folder.names(), ["k.cubin"]);
}
