//! Files that are no cubins, or broken ones: an error that says what and where, never a panic.

use warpsmith_cubin::{Cubin, CubinError};

const SAMPLE: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/cubins/call.sm_80.relocatable.cubin"
));

fn refusal(bytes: &[u8]) -> String {
    Cubin::read(bytes).unwrap_err().to_string()
}

/// The sample with `value` at `offset`.
fn patched(offset: usize, value: &[u8]) -> Vec<u8> {
    let mut bytes = SAMPLE.to_vec();
    bytes[offset..offset + value.len()].copy_from_slice(value);
    bytes
}

/// Offset of a field of a section header of the sample.
fn section_field(index: usize, field: usize) -> usize {
    let table = u64::from_le_bytes(SAMPLE[40..48].try_into().unwrap()) as usize;
    table + index * 64 + field
}

#[test]
fn other_files_are_named() {
    assert_eq!(refusal(b""), "offset 0x0: file: is empty");
    assert_eq!(
        refusal(b"hello"),
        "offset 0x0: file: does not begin with the ELF magic 7f 45 4c 46"
    );
    assert_eq!(
        refusal(b"//\n.version 8.0\n.target sm_75\n"),
        "offset 0x0: file: is PTX text, not a cubin: compile it first"
    );
    assert_eq!(
        refusal(&[0x50, 0xed, 0x55, 0xba, 1, 0, 0x10, 0]),
        "offset 0x0: file: is a fatbin (extract a cubin from it first), not a cubin"
    );
    assert_eq!(
        refusal(b"!<arch>\n"),
        "offset 0x0: file: is an archive (extract a member first), not a cubin"
    );
    assert_eq!(
        refusal(&patched(18, &62u16.to_le_bytes())),
        "offset 0x12: ELF header: machine 62 is not CUDA (190): a host object, which may carry cubins in its .nv_fatbin \
         section (extract one first)"
    );
    assert_eq!(
        refusal(&patched(4, &[1])),
        "offset 0x4: ELF header: class 1 is not ELFCLASS64 (2): only 64-bit cubins are supported"
    );
    assert_eq!(
        refusal(&patched(5, &[2])),
        "offset 0x5: ELF header: data encoding 2 is not little-endian (1)"
    );
}

#[test]
fn absurd_numbers_are_refused_before_memory_is_taken() {
    let end = SAMPLE.len();
    assert_eq!(
        refusal(&patched(60, &0xfe00u16.to_le_bytes())),
        format!(
            "offset {:#x}: section header table: 65024 entries of 64 bytes reach beyond the end of the file at {end:#x}",
            section_field(0, 0)
        )
    );
    // A section count of 0 means that the count is in the size of section 0.
    let mut bytes = patched(60, &[0, 0]);
    bytes[section_field(0, 32)..][..8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(
        Cubin::read(&bytes)
            .unwrap_err()
            .reason
            .contains("reach beyond the end of the file")
    );
    assert_eq!(
        refusal(&patched(section_field(4, 32), &u64::MAX.to_le_bytes())),
        format!("offset 0x358: section 4: 18446744073709551615 bytes reach beyond the end of the file at {end:#x}")
    );
}

#[test]
fn bad_names_and_overlaps_are_refused() {
    assert_eq!(
        refusal(&patched(section_field(4, 0), &0xffff_u32.to_le_bytes())),
        format!(
            "offset {:#x}: section header 4: name offset 0xffff is no UTF-8 string of the name table",
            section_field(4, 0)
        )
    );
    assert_eq!(
        refusal(&patched(section_field(5, 24), &0x300u64.to_le_bytes())),
        "offset 0x300: section 5 (.note.nv.tkinfo): begins before offset 0x3c8, where the structure before it ends"
    );
    assert_eq!(
        refusal(&patched(section_field(4, 48), &3u64.to_le_bytes())),
        format!(
            "offset {:#x}: section header 4: alignment 3 is no power of two",
            section_field(4, 48)
        )
    );
}

#[test]
fn many_views_of_one_range_take_no_memory() {
    // Sections 4 and 5 claim the symbol table's bytes and most of the file.
    let mut bytes = patched(section_field(4, 24), &0x40u64.to_le_bytes());
    bytes[section_field(4, 32)..][..8].copy_from_slice(&0xc00u64.to_le_bytes());
    assert_eq!(
        refusal(&bytes),
        "offset 0x40: section 4: the sections up to it have 3858 bytes, more than the file: they overlap"
    );
}

#[test]
fn every_truncation_is_refused() {
    for end in 0..SAMPLE.len() {
        let error: CubinError = Cubin::read(&SAMPLE[..end]).unwrap_err();
        assert!(!error.reason.is_empty());
    }
}

#[test]
fn damaged_files_are_refused_or_written_back_as_they_are() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let (mut refused, mut read) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = SAMPLE.to_vec();
        for _ in 0..=random() % 3 {
            let at = (random() % bytes.len() as u64) as usize;
            bytes[at] ^= 1 << (random() % 8);
        }
        match Cubin::read(&bytes) {
            Ok(cubin) => {
                assert_eq!(cubin.write(), bytes);
                for index in 0..cubin.sections.len() as u32 {
                    let _ = cubin.info_records(index);
                    let _ = cubin.relocations_for(index);
                    let _ = cubin.section(index).unwrap().kind();
                }
                let _ = cubin.target();
                read += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 1000 && read > 1000, "{refused} refused, {read} read");
}
