//! Standing for other tools.

use crate::support::{Folder, binary};

#[test]
fn help_names_commands_and_faces() {
    let folder = Folder::new("face-help");
    let help = folder.run("--help").success();
    for part in [
        "disasm         Disassemble a cubin",
        "asm            Assemble a listing",
        "targets        Show the targets",
        "  nvdisasm   disassembles cubins\n",
        "ptx            Check, format, print and count PTX",
        "  ptxas      assembles PTX to a cubin\n",
        "  nvcc       compiles CUDA C++\n",
        "  nvlink     links relocatable cubins (not supported yet)\n",
    ] {
        assert!(help.contains(part), "{part} in:\n{help}");
    }
}

#[test]
fn planned_faces_are_refused_whatever_they_are_asked() {
    let folder = Folder::new("face-planned");
    for (line, refusal) in [
        (
            "--face cicc --version",
            "error: the face 'cicc' (compiles CUDA C++ or NVVM IR to PTX) is not supported yet; supported: cuobjdump, fatbinary, nvcc, nvdisasm, ptxas\n",
        ),
        (
            "--face=nvlink a.o b.o -o c.cubin",
            "error: the face 'nvlink' (links relocatable cubins) is not supported yet; supported: cuobjdump, fatbinary, nvcc, nvdisasm, ptxas\n",
        ),
        (
            "--face gcc",
            "error: there is no face 'gcc'; there are cicc, cudafe++, cuobjdump, fatbinary, nvcc, nvdisasm, nvlink, nvprune, ptxas\n",
        ),
    ] {
        assert_eq!(folder.run(line).refusal(), refusal);
    }
    let nameless = folder.run("--face");
    assert_eq!((nameless.status, nameless.out.as_str()), (2, ""));
}

#[cfg(unix)]
#[test]
fn links_decide() {
    let folder = Folder::with("face-links", "scale.sm_75.cubin");
    for tool in ["nvdisasm", "ptxas", "cicc", "other"] {
        std::os::unix::fs::symlink(binary(), folder.path(tool)).unwrap();
    }
    let run = |tool: &str, arguments: &str| folder.run_program(&folder.path(tool), arguments);
    assert_eq!(
        run("nvdisasm", "-c k.cubin").success(),
        folder.run("--face nvdisasm -c k.cubin").success()
    );
    assert!(run("ptxas", "--version").success().starts_with("ptxas: Warpsmith "));
    assert_eq!(
        run("cicc", "-h").refusal(),
        "error: the face 'cicc' (compiles CUDA C++ or NVVM IR to PTX) is not supported yet; supported: cuobjdump, fatbinary, nvcc, nvdisasm, ptxas\n"
    );
    // Any other name is Warpsmith itself.
    assert!(run("other", "--version").success().starts_with("warpsmith "));
}
