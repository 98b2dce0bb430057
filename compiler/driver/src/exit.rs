//! The exit statuses of every face, in one table: what scripts and build systems go by.
//!
//! Those of NVIDIA's tools are observed (13.0.88, each outcome tried). A fault of Warpsmith itself ends a face as its other failures do, as the tools' own
//! faults end them; Warpsmith's commands have a status of their own for it.

/// What a face ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExitCodes {
    /// The face, or `warpsmith` for its own commands.
    pub name: &'static str,
    /// What its gravest messages begin with.
    pub prefix: &'static str,
    /// The command line is wrong.
    pub usage: u8,
    /// The input is wrong, or asks for what is not supported.
    pub input: u8,
    /// An input cannot be read, or an output not be written.
    pub file: u8,
    /// Warpsmith itself is at fault.
    pub internal: u8,
}

/// Warpsmith's own commands.
pub(crate) const WARPSMITH: ExitCodes = ExitCodes {
    name: "warpsmith",
    prefix: "error: ",
    usage: 2,
    input: 1,
    file: 1,
    internal: 3,
};
/// nvcc.
pub(crate) const NVCC: ExitCodes = ExitCodes {
    name: "nvcc",
    prefix: "error: ",
    usage: 1,
    input: 1,
    file: 1,
    internal: 1,
};
/// ptxas.
pub(crate) const PTXAS: ExitCodes = ExitCodes {
    name: "ptxas",
    prefix: "ptxas fatal   : ",
    usage: 255,
    input: 255,
    file: 255,
    internal: 255,
};
/// nvdisasm.
pub(crate) const NVDISASM: ExitCodes = ExitCodes {
    name: "nvdisasm",
    prefix: "nvdisasm fatal   : ",
    usage: 1,
    input: 1,
    file: 1,
    internal: 1,
};
/// cuobjdump. What is no container of code at all is told with 255, like an empty one.
pub(crate) const CUOBJDUMP: ExitCodes = ExitCodes {
    name: "cuobjdump",
    prefix: "cuobjdump fatal   : ",
    usage: 1,
    input: 1,
    file: 1,
    internal: 1,
};
/// fatbinary.
pub(crate) const FATBINARY: ExitCodes = ExitCodes {
    name: "fatbinary",
    prefix: "fatbinary fatal   : ",
    usage: 1,
    input: 1,
    file: 1,
    internal: 1,
};

/// cuobjdump's for a file without device code.
pub(crate) const CUOBJDUMP_NO_CODE: u8 = 255;

/// Every face that runs.
const ALL: [ExitCodes; 6] = [WARPSMITH, NVCC, PTXAS, NVDISASM, CUOBJDUMP, FATBINARY];

/// Those of a face; Warpsmith's own for what is none.
pub(crate) fn of(name: &str) -> ExitCodes {
    ALL.into_iter().find(|codes| codes.name == name).unwrap_or(WARPSMITH)
}
