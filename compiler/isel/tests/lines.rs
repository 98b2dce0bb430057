//! Source locations.

use warpsmith_base::SourceText;
use warpsmith_ir::Module;
use warpsmith_isel::{Options, select};

const SOURCE: &str = "
define void @f(ptr %p, i32 %a) !dbg !4 {
  %b = mul i32 %a, %a, !dbg !7
  store i32 %b, ptr %p, !dbg !8
  ret void, !dbg !9
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: \"x\", isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: \"a.cu\", directory: \"/src\")
!2 = !{i32 2, !\"Dwarf Version\", i32 2}
!3 = !{i32 2, !\"Debug Info Version\", i32 3}
!4 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1, type: !5, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 2, column: 5, scope: !4)
!8 = !DILocation(line: 3, column: 7, scope: !4)
!9 = !DILocation(line: 4, column: 1, scope: !4)
";

#[test]
fn locations_are_written_when_asked_for() {
    let source = SourceText::new("a.ll", SOURCE.to_owned());
    let module = Module::from_text(&source).unwrap_or_else(|diagnostics| panic!("{diagnostics:?}"));
    let plain = Options::new("sm_90".parse().unwrap());
    let lines = |options: &Options| -> Vec<String> {
        let text = select(&module, options).unwrap().text;
        let wanted = text
            .lines()
            .filter(|line| line.contains(".loc") || line.contains(".file") || line.contains("mul"));
        wanted.map(|line| line.trim().to_owned()).collect()
    };
    assert_eq!(lines(&plain), ["mul.lo.s32 %r2, %r1, %r1;"]);
    assert_eq!(
        lines(&Options {
            line_info: true,
            ..plain
        }),
        [
            ".file 1 \"/src/a.cu\"",
            ".loc 1 2 5",
            "mul.lo.s32 %r2, %r1, %r1;",
            ".loc 1 3 7",
            ".loc 1 4 1",
        ]
    );
}
