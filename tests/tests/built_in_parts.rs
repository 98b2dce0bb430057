//! A unit gets those parts of the built-in declarations that have its names. What it becomes is what it becomes with all of them: a part that is missing could
//! otherwise leave a worse overload to be chosen, and say nothing.

use std::fs;
use std::path::Path;

use warpsmith_cuda::source::{Disk, Prelude};
use warpsmith_cuda::{Compilation, Options, compile};
use warpsmith_ir::Dialect;

/// A unit for a target with parts of the declarations, or with all.
fn compiled(source: &str, target: &str, prelude: Prelude) -> Compilation {
    let mut options = Options::for_target(target);
    options.source.prelude = prelude;
    compile(&Disk, source, &options)
}

/// The module of a unit as text.
fn text(compilation: &Compilation) -> Option<String> {
    let module = compilation.module.as_ref()?;
    Some(module.to_text(Dialect::Modern))
}

#[test]
fn the_kernels_become_the_same_with_parts_and_with_all() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let mut compared = 0;
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let source = entry.expect("the folder is readable").path().join("kernel.cu");
        if !source.exists() {
            continue;
        }
        let source = source.to_string_lossy();
        for target in ["sm_90a", "sm_100a"] {
            let parts = compiled(&source, target, Prelude::AsNeeded);
            let all = compiled(&source, target, Prelude::Whole);
            assert_eq!(text(&parts), text(&all), "{source} for {target}");
            assert!(
                parts.module.is_none() || parts.left_out,
                "{source} for {target} needed all"
            );
            compared += usize::from(parts.module.is_some());
        }
    }
    assert!(compared > 360, "{compared} units compared");
}
