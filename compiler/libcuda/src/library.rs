//! Libraries: images that are in no context until a kernel or variable of them is asked for in one.

use warpsmith_cubin::Cubin;

use crate::result::{Code, Failed};
use crate::state::{ContextId, State};

/// An image, and the modules that it is in contexts.
#[derive(Debug)]
struct Library {
    cubin: Cubin,
    /// Those of contexts that have ended are none any more.
    modules: Vec<usize>,
}

/// What programs have loaded.
#[derive(Debug, Default)]
pub(crate) struct Libraries {
    /// Those that were unloaded are none.
    all: Vec<Option<Library>>,
    /// The kernels that programs have asked for: library and name.
    kernels: Vec<(usize, String)>,
}

impl State {
    /// Takes an image; its number.
    pub(crate) fn add_library(&mut self, cubin: Cubin) -> usize {
        let modules = Vec::new();
        self.libraries.all.push(Some(Library { cubin, modules }));
        self.libraries.all.len() - 1
    }

    fn library(&self, library: usize) -> Result<&Library, Failed> {
        let found = self.libraries.all.get(library).and_then(Option::as_ref);
        found.ok_or_else(|| Failed::new(Code::InvalidHandle, "there is no such library"))
    }

    /// The image of a library.
    pub(crate) fn library_image(&self, library: usize) -> Result<&Cubin, Failed> {
        self.library(library).map(|library| &library.cubin)
    }

    /// The module that a library is in a context, if it is there already.
    pub(crate) fn library_module(&self, library: usize, context: ContextId) -> Result<Option<usize>, Failed> {
        let mut modules = self.library(library)?.modules.iter().copied();
        Ok(modules.find(|module| self.is_loaded(*module, context)))
    }

    /// Says which module a library is in a context.
    pub(crate) fn note_module(&mut self, library: usize, module: usize) {
        if let Some(Some(library)) = self.libraries.all.get_mut(library) {
            library.modules.push(module);
        }
    }

    /// Ends a library, and what it is in contexts.
    pub(crate) fn unload_library(&mut self, library: usize) -> Result<(), Failed> {
        self.library(library)?;
        if let Some(ended) = self.libraries.all.get_mut(library).and_then(Option::take) {
            for module in ended.modules {
                // A context that has ended has taken its module with it.
                let _ = self.unload(module);
            }
        }
        Ok(())
    }

    /// A kernel of a library by its name, which the library has; its number.
    pub(crate) fn add_library_kernel(&mut self, library: usize, name: &str) -> usize {
        let kernels = &mut self.libraries.kernels;
        let known = kernels.iter().position(|(of, own)| *of == library && own == name);
        known.unwrap_or_else(|| {
            kernels.push((library, name.to_owned()));
            kernels.len() - 1
        })
    }

    /// Library and name of a kernel.
    pub(crate) fn library_kernel(&self, kernel: usize) -> Result<(usize, &str), Failed> {
        let found = self.libraries.kernels.get(kernel);
        let (library, name) = found.ok_or_else(|| Failed::new(Code::InvalidHandle, "there is no such kernel"))?;
        self.library(*library).map(|_| (*library, name.as_str()))
    }
}
