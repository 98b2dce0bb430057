//! Reading, changing and writing the sample cubins.

use warpsmith_cubin::info::{self, InfoValue};
use warpsmith_cubin::{Content, Cubin, Eiattr, FileType, InfoFormat, Placement, SectionKind, SectionType, note};

macro_rules! sample {
    ($name:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cubins/", $name)).as_slice()
    };
}

const SCALE_75: &[u8] = sample!("scale.sm_75.cubin");
const SCALE_90: &[u8] = sample!("scale.sm_90.lineinfo.cubin");
const SCALE_100A: &[u8] = sample!("scale.sm_100a.cubin");
const SCALE_120: &[u8] = sample!("scale.sm_120.debug.cubin");
const CALL_80: &[u8] = sample!("call.sm_80.relocatable.cubin");
const CALL_100: &[u8] = sample!("call.sm_100.relocatable.cubin");
const ALL: [&[u8]; 6] = [SCALE_75, SCALE_90, SCALE_100A, SCALE_120, CALL_80, CALL_100];

fn read(bytes: &[u8]) -> Cubin {
    Cubin::read(bytes).unwrap()
}

#[test]
fn writing_what_was_read_gives_the_same_bytes() {
    for bytes in ALL {
        assert_eq!(read(bytes).write(), bytes);
    }
}

#[test]
fn the_header_names_the_target() {
    let targets = ALL.map(|bytes| read(bytes).target().unwrap().name());
    assert_eq!(targets, ["sm_75", "sm_90", "sm_100a", "sm_120", "sm_80", "sm_100"]);
    assert_eq!(read(SCALE_75).header.file_type, FileType::Executable);
    assert_eq!(read(CALL_80).header.file_type, FileType::Relocatable);
    assert_eq!(read(SCALE_75).header.flags.0, 0x0900_4b04);
}

#[test]
fn derived_header_fields_are_those_of_the_tools() {
    for bytes in ALL {
        let cubin = read(bytes);
        let mut again = cubin.clone();
        again.finish();
        assert_eq!(again, cubin);
    }
}

#[test]
fn section_kinds_come_from_names() {
    let cubin = read(SCALE_75);
    let kind = |name: &str| cubin.section_by_name(name).unwrap().1.kind();
    assert_eq!(kind(".text.scale"), SectionKind::Text("scale"));
    assert_eq!(kind(".nv.info"), SectionKind::Info(None));
    assert_eq!(kind(".nv.info.scale"), SectionKind::Info(Some("scale")));
    assert_eq!(
        kind(".nv.constant3"),
        SectionKind::Constant {
            bank: 3,
            function: None
        }
    );
    assert_eq!(
        kind(".nv.constant0.scale"),
        SectionKind::Constant {
            bank: 0,
            function: Some("scale")
        }
    );
    assert_eq!(kind(".nv.global.init"), SectionKind::GlobalInit);
    assert_eq!(kind(".nv.rel.action"), SectionKind::RelocationAction);
    let (bank, _) = cubin.section_by_name(".nv.constant0.scale").unwrap();
    assert_eq!(cubin.constant_banks("scale"), [(0, bank)]);
}

#[test]
fn info_records_are_typed_and_written_back() {
    let cubin = read(SCALE_90);
    let (index, _) = cubin.section_by_name(".nv.info.scale").unwrap();
    let records = cubin.info_records(index).unwrap();
    assert_eq!(info::to_bytes(&records).unwrap(), cubin.section_bytes(index).unwrap());
    let shown: Vec<_> = records
        .iter()
        .map(|record| (record.attribute.listing_name(), record.value.format()))
        .collect();
    assert_eq!(
        shown,
        [
            ("EIATTR_CUDA_API_VERSION", InfoFormat::Sized),
            ("EIATTR_KPARAM_INFO", InfoFormat::Sized),
            ("EIATTR_KPARAM_INFO", InfoFormat::Sized),
            ("EIATTR_SPARSE_MMA_MASK", InfoFormat::Half),
            ("EIATTR_MAXREG_COUNT", InfoFormat::Half),
            ("EIATTR_NUM_BARRIERS", InfoFormat::Byte),
            ("EIATTR_UNKNOWN", InfoFormat::Half),
            ("EIATTR_EXIT_INSTR_OFFSETS", InfoFormat::Sized),
            ("EIATTR_CBANK_PARAM_SIZE", InfoFormat::Half),
            ("EIATTR_PARAM_CBANK", InfoFormat::Sized),
            ("EIATTR_UNKNOWN", InfoFormat::Sized),
        ]
    );
    let size = records
        .iter()
        .find(|record| record.attribute == Eiattr::from_name("EIATTR_CBANK_PARAM_SIZE").unwrap());
    assert_eq!(size.unwrap().value, InfoValue::Half(12));
}

#[test]
fn notes_are_typed_and_written_back() {
    let cubin = read(SCALE_100A);
    let bytes = cubin.section_by_name(".note.nv.cuinfo").unwrap().1.bytes().unwrap();
    let notes = note::parse(bytes).unwrap();
    let info = note::CudaInfo::from_descriptor(&notes[0].descriptor).unwrap();
    assert_eq!(
        info,
        note::CudaInfo {
            version: 2,
            virtual_sm: 75,
            toolkit: 130,
            reserved: 0
        }
    );
    assert_eq!(note::to_bytes(&[info.to_note()]), bytes);

    let bytes = cubin.section_by_name(".note.nv.tkinfo").unwrap().1.bytes().unwrap();
    let notes = note::parse(bytes).unwrap();
    let info = note::ToolkitInfo::from_descriptor(&notes[0].descriptor).unwrap();
    assert_eq!(info.tool_name, "ptxas");
    assert_eq!(info.arguments, "-arch sm_100a ");
    assert_eq!(note::to_bytes(&[info.to_note()]), bytes);
}

#[test]
fn relocations_of_a_section_come_by_offset() {
    let cubin = read(CALL_100);
    let (text, _) = cubin.section_by_name(".text.call").unwrap();
    let shown: Vec<_> = cubin
        .relocations_for(text)
        .into_iter()
        .map(|r| {
            (
                r.offset,
                r.relocation_type.name().unwrap(),
                cubin.symbol_name(r.symbol).unwrap(),
                r.addend,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (0x40, "R_CUDA_ABS32_LO_32", "call", 0x70),
            (0x50, "R_CUDA_ABS32_HI_32", "call", 0x70),
            (0x60, "R_CUDA_ABS55_16_34", "outside", 0),
        ]
    );
}

#[test]
fn mercury_sections_share_the_bytes_of_their_originals() {
    let cubin = read(SCALE_100A);
    let (original, _) = cubin.section_by_name(".nv.constant3").unwrap();
    let (mirror, section) = cubin.section_by_name(".nv.merc.nv.constant.user").unwrap();
    assert_eq!(section.content, Content::SharedWith(original));
    assert_eq!(cubin.section_bytes(mirror), cubin.section_bytes(original));
}

#[test]
fn a_changed_byte_changes_one_byte_of_the_file() {
    for bytes in ALL {
        let mut cubin = read(bytes);
        let (index, _) = cubin.section_by_name(".nv.info").unwrap();
        let Content::Bytes(content) = &mut cubin.section_mut(index).unwrap().content else {
            panic!()
        };
        content[8] ^= 0xff;
        let written = cubin.write();
        assert_eq!(written.len(), bytes.len());
        assert_eq!(written.iter().zip(bytes).filter(|(a, b)| a != b).count(), 1);
        assert_eq!(read(&written), cubin);
    }
}

#[test]
fn a_longer_section_moves_what_follows() {
    for bytes in ALL {
        let mut cubin = read(bytes);
        let (text, _) = cubin.functions().next().unwrap();
        let Content::Bytes(content) = &mut cubin.section_mut(text).unwrap().content else {
            panic!()
        };
        content.extend([0xa5; 0x1000]);
        let written = cubin.write();
        let again = read(&written);
        assert_eq!(again, cubin);
        assert!(written.len() >= bytes.len() + 0x1000);
    }
}

#[test]
fn a_new_name_grows_the_string_table() {
    let mut cubin = read(SCALE_75);
    let (index, _) = cubin.symbol_by_name("scale").unwrap();
    cubin.symbols_mut().unwrap()[index as usize].name = "renamed".into();
    let again = read(&cubin.write());
    assert_eq!(again.symbol(index).unwrap().name, "renamed");
    assert_eq!(
        again.section_by_name(".strtab").unwrap().1.size(),
        cubin.section_by_name(".strtab").unwrap().1.size() + 8
    );
}

#[test]
fn a_cubin_made_from_the_parts_of_another_is_identical() {
    for bytes in ALL {
        let original = read(bytes);
        let mut built = Cubin::new(original.target().unwrap(), original.header.file_type);
        built.sections.truncate(1);
        for section in original.sections.iter().skip(1) {
            built.add_section(section.clone());
        }
        built.finish();
        assert_eq!(built.write(), bytes);
    }
}

#[test]
fn only_string_tables_leave_gaps() {
    for bytes in ALL {
        for section in read(bytes).sections {
            match section.placement {
                Placement::Policy => {}
                Placement::After(gap) => {
                    assert!(matches!(
                        section.section_type,
                        SectionType::STRTAB | SectionType::SYMTAB
                    ));
                    assert!(gap.iter().all(|&byte| byte == 0));
                }
                Placement::At(offset) => panic!("{} at {offset:#x}", section.name),
            }
        }
    }
}
