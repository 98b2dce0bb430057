//! Where files come from: memory, and behind it the disk.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use warpsmith::{Disk, FileSystem};

/// The source and the headers that Python gave as text, and what lies on the disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files(Arc<HashMap<String, Vec<u8>>>);

impl Files {
    pub(crate) fn new(texts: HashMap<String, Vec<u8>>) -> Files {
        Files(Arc::new(texts))
    }
}

impl FileSystem for Files {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.0.get(path).cloned().map_or_else(|| Disk.read(path), Ok)
    }

    fn identity(&self, path: &str) -> String {
        match self.0.contains_key(path) {
            true => path.to_owned(),
            false => Disk.identity(path),
        }
    }

    fn read_to_show(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).cloned().or_else(|| Disk.read_to_show(path))
    }
}
