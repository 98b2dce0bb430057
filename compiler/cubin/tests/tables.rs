//! The tables of CUDA constants: ordered as lookups need them, and with unique names.

use std::collections::HashSet;

use warpsmith_cubin::compat::COMPAT_ATTRIBUTES;
use warpsmith_cubin::eiattr::EIATTRS;
use warpsmith_cubin::relocation::{RELOCATIONS, ValuePart};
use warpsmith_cubin::section_type::SECTION_TYPES;
use warpsmith_cubin::{Eiattr, RelocationType, SectionFlags, SectionType, SymbolOther};

fn assert_ascending(numbers: impl Iterator<Item = u32>) {
    let numbers: Vec<u32> = numbers.collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:x?}");
}

fn assert_unique<'a>(names: impl Iterator<Item = &'a str>) {
    let mut seen = HashSet::new();
    for name in names {
        assert!(seen.insert(name), "{name} is there twice");
    }
}

#[test]
fn rows_are_in_order_and_names_unique() {
    assert_ascending(EIATTRS.iter().map(|row| u32::from(row.code)));
    assert_ascending(RELOCATIONS.iter().map(|row| row.number));
    assert_ascending(SECTION_TYPES.iter().map(|row| row.number));
    assert_ascending(COMPAT_ATTRIBUTES.iter().map(|row| u32::from(row.code)));
    assert_unique(EIATTRS.iter().map(|row| row.name));
    assert_unique(RELOCATIONS.iter().map(|row| row.name));
    assert_unique(SECTION_TYPES.iter().map(|row| row.name));
}

#[test]
fn names_and_numbers_map_both_ways() {
    assert_eq!(Eiattr(0x2f).name(), Some("EIATTR_REGCOUNT"));
    assert_eq!(Eiattr::from_name("EIATTR_REGCOUNT"), Some(Eiattr::REGCOUNT));
    assert_eq!(RelocationType(57).name(), Some("R_CUDA_ABS32_HI_32"));
    assert_eq!(
        RelocationType::from_name("R_CUDA_ABS32_HI_32"),
        Some(RelocationType(57))
    );
    assert_eq!(RelocationType(116).name(), None);
    assert_eq!(SectionType(0x7000_0086).name(), Some("SHT_CUDA_COMPAT_INFO"));
    assert_eq!(SectionType::from_name("SHT_CUDA_INFO"), Some(SectionType::CUDA_INFO));
}

#[test]
fn names_that_listings_hide() {
    assert_eq!(Eiattr(0x5f).name(), Some("EIATTR_MERCURY_ISA_VERSION"));
    assert_eq!(Eiattr(0x5f).listing_name(), "EIATTR_UNKNOWN");
    assert_eq!(Eiattr(0x63).listing_name(), "EIATTR_UNKNOWN");
    assert_eq!(Eiattr(0x56).listing_name(), "<unknown>");
    assert_eq!(Eiattr(0xff).listing_name(), "<unknown>");
}

#[test]
fn relocation_fields_lie_in_an_instruction_and_do_not_overlap() {
    for row in RELOCATIONS {
        let mut used = 0u128;
        for &(first, width) in row.field {
            assert!(first + width <= 128, "{}", row.name);
            let mask = (u128::MAX >> (128 - width)) << first;
            assert_eq!(used & mask, 0, "{}", row.name);
            used |= mask;
        }
        if let ValuePart::Low32 | ValuePart::High32 = row.part {
            assert_eq!(used.count_ones(), 32, "{}", row.name);
        }
    }
}

#[test]
fn flags_and_symbol_bits_have_the_listing_s_names() {
    let text = SectionFlags::ALLOC | SectionFlags::EXECINSTR | SectionFlags(3 << 20);
    assert_eq!(text.letters(), "ax");
    assert_eq!(text.barriers(), 3);
    let names = |other| SymbolOther(other).names().collect::<Vec<_>>().join(" ");
    assert_eq!(names(0x10), "STO_CUDA_ENTRY STV_DEFAULT");
    assert_eq!(names(0x14), "STO_CUDA_ENTRY STV_DEFAULT STO_CUDA_UNIFIED_FUNC");
    assert_eq!(names(0x82), "STO_CUDA_CONSTANT STV_HIDDEN");
}
