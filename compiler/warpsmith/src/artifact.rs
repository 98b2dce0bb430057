//! What comes of a compile.

use warpsmith_ori::Resources;

use crate::Message;

/// What comes of a compile, in buffers of its own. What [`Options::emit`](crate::Options::emit) does not ask for is `None`.
#[derive(Clone, Debug, Default)]
pub struct Artifact {
    /// SSA IR after optimisation, as text.
    pub ir: Option<String>,
    /// SSA IR after optimisation, as LLVM's bitcode.
    pub bitcode: Option<Vec<u8>>,
    /// PTX; of a source in PTX, its text.
    pub ptx: Option<String>,
    /// The bytes of a cubin.
    pub cubin: Option<Vec<u8>>,
    /// What each kernel and each function that is not inlined takes, in the order of the PTX.
    pub resources: Vec<Resources>,
    /// Warnings, in the order of the source.
    pub diagnostics: Vec<Message>,
    /// What the authors of kernels should know of the code: what made it slower than it could be.
    pub remarks: Vec<Message>,
    /// The files that were read, the source first; built-in headers are not among them. (For a build system.)
    pub dependencies: Vec<String>,
    /// The symbols of what [`FrontEnd::names`](crate::FrontEnd::names) name, in their order.
    pub names: Vec<String>,
}

impl Artifact {
    /// What a kernel takes, by its name in the PTX.
    pub fn kernel(&self, name: &str) -> Option<&Resources> {
        self.resources.iter().find(|one| one.kernel && one.name == name)
    }
}
