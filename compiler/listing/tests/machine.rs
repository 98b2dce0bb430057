//! Code that ptxas wrote passes what the assembler checks: registers, alignments, branches, stall counts, scoreboards and convergence barriers.

use std::{fs, path::Path};

use warpsmith_cubin::Cubin;
use warpsmith_listing::{assemble_to_run, native};

#[test]
fn every_sample_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cubins");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("the folder is readable").path();
        if path.extension().is_none_or(|extension| extension != "cubin") {
            continue;
        }
        let bytes = fs::read(&path).expect("the file is readable");
        let cubin = Cubin::read(&bytes).expect("a cubin");
        let mut listing = Vec::new();
        native::disassemble(&cubin, &warpsmith_listing::ListingOptions::default(), &mut listing).expect("a listing");
        let listing = String::from_utf8(listing).expect("text");
        let made = assemble_to_run(&listing, "k.sass", true)
            .unwrap_or_else(|errors| panic!("{}: {}", path.display(), errors[0]));
        assert!(made.cubin == bytes && made.warnings.is_empty(), "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 6);
}
