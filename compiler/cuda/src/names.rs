//! Expressions that name kernels and variables, after a unit: what the symbols are called, and which instances of templates there are to be.
//!
//! Each is the initialiser of a pointer that ends the main file, in lines of a file of its own as far as messages are concerned.

use std::fmt::Write as _;
use std::io;

use crate::source::FileSystem;

/// What the pointers are called, with a number behind.
pub(crate) const PREFIX: &str = "__warpsmith_name_";

/// The file that messages about the expressions name. Observed, NVRTC 13.0.
const FILE: &str = "__nv_name_map";

/// Files whose main file ends with the expressions.
pub(crate) struct WithNames<'a> {
    files: &'a dyn FileSystem,
    main: &'a str,
    declarations: String,
}

impl<'a> WithNames<'a> {
    pub(crate) fn new(files: &'a dyn FileSystem, main: &'a str, names: &[String]) -> WithNames<'a> {
        let mut declarations = String::new();
        for (index, name) in names.iter().enumerate() {
            // A line break would end the line that the message is about.
            let name = name.replace(['\n', '\r'], " ");
            // The expression is in line `index + 2`. A text takes whatever is written to it.
            let _ = write!(
                declarations,
                "\n#line {} \"{FILE}\"\n[[maybe_unused]] static auto *const {PREFIX}{index} = (\n{name}\n);",
                index + 1
            );
        }
        WithNames {
            files,
            main,
            declarations,
        }
    }
}

impl FileSystem for WithNames<'_> {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let mut bytes = self.files.read(path)?;
        if path == self.main {
            bytes.extend(self.declarations.bytes());
        }
        Ok(bytes)
    }

    fn identity(&self, path: &str) -> String {
        self.files.identity(path)
    }

    fn is_header(&self, name: &str) -> bool {
        self.files.is_header(name)
    }

    fn read_to_show(&self, path: &str) -> Option<Vec<u8>> {
        self.files.read_to_show(path)
    }
}
