//! Well-known facts of each generation, and rules that hold for all targets.

use warpsmith_target::{ConstantLayout, Feature, Grade, Isa, PtxVersion, Sm, evidence, render_table, render_target};

#[test]
fn turing() {
    let t = Sm::Sm75.info();
    assert_eq!(t.occupancy.max_warps_per_sm(), 32);
    assert_eq!(t.shared.max_per_cta, 64 * 1024);
    assert_eq!(t.constants.parameters, 0x160);
    assert_eq!(t.constants.stack_pointer, 0x28);
    assert_eq!(t.constants.memory_descriptor, None);
    assert_eq!(t.registers.uniform, 63);
    assert!(!Sm::Sm75.has(Feature::CpAsync) && Sm::Sm75.has(Feature::MmaInt8));
}

#[test]
fn ampere_and_ada() {
    assert_eq!(Sm::Sm80.info().shared.max_per_cta, 163 * 1024);
    assert_eq!(Sm::Sm86.info().shared.max_per_cta, 99 * 1024);
    assert_eq!(Sm::Sm86.info().occupancy.max_ctas_per_sm, 16);
    assert_eq!(Sm::Sm89.info().occupancy.max_ctas_per_sm, 24);
    assert!(Sm::Sm80.has(Feature::CpAsync) && !Sm::Sm80.has(Feature::MmaFp8));
    assert!(Sm::Sm89.has(Feature::MmaFp8) && !Sm::Sm89.has(Feature::Clusters));
}

#[test]
fn hopper() {
    let t = Sm::Sm90a.info();
    assert_eq!(t.min_ptx, PtxVersion { major: 8, minor: 0 });
    assert_eq!(t.occupancy.max_cluster_size, 16);
    assert_eq!(t.constants.parameters, 0x210);
    assert!(Sm::Sm90a.has(Feature::Wgmma) && !Sm::Sm90.has(Feature::Wgmma));
    assert!(Sm::Sm90.has(Feature::Tma) && Sm::Sm90.has(Feature::ConstantOperands));
}

#[test]
fn blackwell() {
    let t = Sm::Sm100a.info();
    assert_eq!(t.constants.parameters, 0x380);
    assert_eq!(t.constants.stack_pointer, 0x37c);
    assert_eq!((t.registers.uniform, t.registers.uniform_encodable), (80, 255));
    assert_eq!(t.memory.tensor_columns, 512);
    assert!(Sm::Sm100f.has(Feature::Tcgen05) && !Sm::Sm100.has(Feature::Tcgen05));
    assert!(!Sm::Sm100.has(Feature::Wgmma) && !Sm::Sm100.has(Feature::ConstantOperands));
    assert!(!Sm::Sm120a.has(Feature::Tcgen05) && Sm::Sm120a.has(Feature::MmaBlockScale));
    assert_eq!(Sm::Sm120.info().shared.max_per_cta, 99 * 1024);
    assert!(Sm::Sm121.has(Feature::UniformF32) && !Sm::Sm100a.has(Feature::UniformF32));
    assert!(Sm::Sm103a.has(Feature::CvtStochastic) && !Sm::Sm103f.has(Feature::CvtStochastic));
}

#[test]
fn encoding_generations() {
    let members = |isa: Isa| {
        let of = Sm::ALL.iter().filter(|sm| sm.isa() == isa);
        of.map(|sm| sm.name()).collect::<Vec<_>>().join(" ")
    };
    let names: Vec<_> = Isa::ALL.iter().map(|isa| isa.name()).collect();
    assert_eq!(names, ["75", "80", "86", "89", "90", "100", "103", "110", "120"]);
    assert_eq!(members(Isa::Sm86), "sm_86 sm_87 sm_88");
    assert_eq!(members(Isa::Sm90), "sm_90 sm_90a");
    assert_eq!(members(Isa::Sm120), "sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f");
}

#[test]
fn elf_flags_of_cubins() {
    assert_eq!(Sm::Sm75.info().elf_flags(), 0x0600_4b04);
    assert_eq!(Sm::Sm90a.info().elf_flags(), 0x0600_5a04);
    assert_eq!(Sm::Sm100f.info().elf_flags(), 0x0600_6402);
    assert_eq!(Sm::Sm121.info().elf_flags(), 0x0600_7902);
}

#[test]
fn limits_fit_each_other() {
    for sm in Sm::ALL {
        let t = sm.info();
        assert_eq!(t.sm, *sm);
        assert_eq!(t.occupancy.max_threads_per_sm % t.occupancy.warp_size, 0, "{sm}");
        assert!(t.shared.static_limit <= t.shared.max_per_cta, "{sm}");
        assert_eq!(
            t.shared.max_per_cta + t.shared.reserved_per_cta,
            t.shared.per_sm,
            "{sm}"
        );
        assert_eq!(t.shared.carveouts.last(), Some(&t.shared.per_sm), "{sm}");
        assert_eq!(sm.has(Feature::Clusters), t.occupancy.max_cluster_size > 1, "{sm}");
        assert_eq!(sm.has(Feature::Clusters), t.constants.cluster_count.is_some(), "{sm}");
        assert_eq!(t.constants.literal_bank.is_some(), t.number < 90, "{sm}");
    }
    assert_eq!((ConstantLayout::PARAMETER_BANK, ConstantLayout::ADDRESS_BANK), (0, 4));
}

/// `a` has all that `f` has, and `f` all that the plain target has.
#[test]
fn suffixes_only_add_features() {
    let has_all_of = |more: Sm, less: Sm| less.info().features.iter().all(|f| more.has(f));
    assert!(has_all_of(Sm::Sm90a, Sm::Sm90));
    for [plain, a, f] in [
        [Sm::Sm100, Sm::Sm100a, Sm::Sm100f],
        [Sm::Sm103, Sm::Sm103a, Sm::Sm103f],
        [Sm::Sm110, Sm::Sm110a, Sm::Sm110f],
        [Sm::Sm120, Sm::Sm120a, Sm::Sm120f],
        [Sm::Sm121, Sm::Sm121a, Sm::Sm121f],
    ] {
        assert!(has_all_of(f, plain) && has_all_of(a, f), "{plain}");
    }
}

#[test]
fn facts_name_their_evidence() {
    assert_eq!(evidence("shared.static_limit").map(|e| e.grade), Some(Grade::Observed));
    assert_eq!(evidence("elf.flags").map(|e| e.grade), Some(Grade::Observed));
    assert_eq!(evidence("shared.per_sm").map(|e| e.grade), Some(Grade::Documented));
    assert!(evidence("shared.colour").is_none());
    assert_eq!(Sm::Sm120.info().unverified, ["occupancy.max_cluster_size"]);
    assert_eq!(Feature::Elect.probe(), Some("elect.sync %r20|%p20,0xffffffff;"));
}

#[test]
fn table_view() {
    let table = render_table();
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 1 + Sm::ALL.len());
    assert_eq!(
        lines[..2],
        [
            "target   isa  ptx  warps  ctas  shared/cta  shared/sm  cluster  UR   params  products",
            "sm_75    75   6.3     32    16         64K        64K        1  63   0x0160  Turing: T4, GeForce RTX 20",
        ]
    );
    assert!(table.contains(
        "\nsm_100a  100  8.6     64    32        227K       228K       16  80   0x0380  Blackwell: B200, GB200\n"
    ));
}

#[test]
fn detailed_view() {
    let text = render_target(Sm::Sm120f);
    let has = |line: &str| text.lines().any(|l| l == line);
    assert!(text.starts_with("sm_120f: Blackwell: GeForce RTX 50, RTX PRO Blackwell\n"));
    assert!(has(
        "  cubin_runs_on                    120 121                  documented"
    ));
    assert!(has(
        "  shared.static_limit              48K                      observed"
    ));
    assert!(has(
        "  occupancy.max_cluster_size       8                        unverified"
    ));
    assert!(has(
        "  elf.flags                        0x06007802               observed"
    ));
    assert!(has("  stack_pointer                    0x37c"));
    assert!(!text.contains("shared_window"));
}
