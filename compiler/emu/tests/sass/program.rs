//! Running kernels that are written as text of machine instructions, with labels, on a buffer of words.

use std::collections::HashMap;

use warpsmith_cubin::{
    Content, Cubin, FileType, InfoRecord, InfoValue, Section, SectionFlags, SectionType, Symbol, SymbolBinding,
    SymbolOther, SymbolSection, SymbolType, eiattr::KernelParameter, info,
};
use warpsmith_emu::{Device, Fault, Launch, Options, Report, sass};
use warpsmith_sass::{FieldName, ParseContext, parse};
use warpsmith_target::{Isa, Sm};

/// The labels of a text, as addresses.
struct Labels<'t> {
    address: u64,
    labels: &'t HashMap<&'t str, u64>,
}

impl ParseContext for Labels<'_> {
    fn address(&self) -> u64 {
        self.address
    }

    fn resolve(&self, expression: &str, _field: FieldName) -> Option<i64> {
        self.labels.get(expression.trim()).map(|address| *address as i64)
    }
}

/// The words of a text: an instruction on each line, or a label with a colon.
pub(crate) fn assemble(isa: Isa, text: &str) -> Vec<u8> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (mut labels, mut code) = (HashMap::new(), Vec::new());
    for line in lines {
        match line.strip_suffix(':') {
            Some(label) => drop(labels.insert(label, 16 * code.len() as u64)),
            None => code.push(line),
        }
    }
    let word = |(index, line): (usize, &&str)| {
        let context = Labels {
            address: 16 * index as u64,
            labels: &labels,
        };
        let instruction = parse(isa, line, &context).unwrap_or_else(|error| panic!("{line}: {error}"));
        instruction.word().to_le_bytes()
    };
    code.iter().enumerate().flat_map(word).collect()
}

/// A cubin with the kernel `k(.u64 out)` of this text, which has so many bytes of shared memory.
pub(crate) fn cubin(sm: &str, text: &str, shared: u64) -> Cubin {
    let sm: Sm = sm.parse().unwrap_or_else(|_| panic!("{sm}"));
    let mut cubin = Cubin::new(sm, FileType::Executable);
    let mut code = Section::new(
        ".text.k",
        SectionType::PROGBITS,
        SectionFlags(SectionFlags::ALLOC.0 | SectionFlags::EXECINSTR.0),
    );
    code.content = Content::Bytes(assemble(sm.isa(), text));
    let code = cubin.add_section(code);
    let mut section = Section::new(
        ".nv.shared.k",
        SectionType::NOBITS,
        SectionFlags(SectionFlags::ALLOC.0 | SectionFlags::WRITE.0),
    );
    section.content = Content::NoBits(shared);
    cubin.add_section(section);
    let parameter = KernelParameter {
        index: 0,
        ordinal: 0,
        offset: 0,
        size: 8,
        pointee: 0,
    };
    let (attribute, payload) = parameter.to_record(8);
    let records = [InfoRecord::new(attribute, InfoValue::Sized(payload.to_vec()))];
    let mut section = Section::new(".nv.info.k", SectionType::CUDA_INFO, SectionFlags(0));
    section.content = Content::Bytes(info::to_bytes(&records).expect("records that fit"));
    cubin.add_section(section);
    cubin.add_symbol(Symbol {
        name: "k".to_string(),
        binding: SymbolBinding::GLOBAL,
        symbol_type: SymbolType::FUNC,
        other: SymbolOther(0x10),
        section: SymbolSection::Section(code),
        ..Symbol::null()
    });
    cubin
}

/// How a kernel is run.
pub(crate) struct Run<'r> {
    pub(crate) sm: &'r str,
    pub(crate) text: &'r str,
    /// What the buffer `out` holds at first.
    pub(crate) words: &'r [u32],
    pub(crate) grid: u32,
    pub(crate) block: u32,
    pub(crate) cluster: u32,
    pub(crate) shared: u64,
}

impl<'r> Run<'r> {
    /// One CTA of so many threads on zeros, one word for each.
    pub(crate) fn of(sm: &'r str, text: &'r str) -> Run<'r> {
        Run {
            sm,
            text,
            words: &[0; 32],
            grid: 1,
            block: 32,
            cluster: 1,
            shared: 2048,
        }
    }

    /// What the buffer holds at the end.
    pub(crate) fn go(&self) -> Result<(Vec<u32>, Report), Box<Fault>> {
        self.go_with(Options::default())
    }

    /// The same, where reads of memory that nobody wrote are faults.
    pub(crate) fn go_checked(&self) -> Result<(Vec<u32>, Report), Box<Fault>> {
        self.go_with(Options {
            check_uninitialised: true,
            ..Options::default()
        })
    }

    fn go_with(&self, options: Options) -> Result<(Vec<u32>, Report), Box<Fault>> {
        let mut device = Device::new();
        let loaded = sass::load(&mut device, &cubin(self.sm, self.text, self.shared))?;
        let bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let out = device.allocate(bytes.len() as u64, 256);
        device.write(out, &bytes)?;
        let launch = Launch {
            grid: [self.grid, 1, 1],
            block: [self.block, 1, 1],
            cluster: [self.cluster, 1, 1],
            arguments: vec![out.to_le_bytes().to_vec()],
            ..Launch::of("k")
        };
        let options = Options {
            step_budget: 1_000_000,
            ..options
        };
        let report = sass::run(&mut device, &loaded, &launch, &options).map_err(Fault::from)?;
        let bytes = device.read(out, bytes.len() as u64)?;
        let words = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        Ok((words.collect(), report))
    }

    /// What the buffer holds at the end of a run without fault.
    pub(crate) fn words(&self) -> Vec<u32> {
        self.go().unwrap_or_else(|fault| panic!("{fault}")).0
    }

    /// The message of the fault that must happen.
    pub(crate) fn fault(&self) -> String {
        match self.go() {
            Ok((words, _)) => panic!("no fault: {words:?}"),
            Err(fault) => {
                let standing = fault
                    .standing
                    .into_iter()
                    .map(|standing| format!("\n{}", standing.what));
                fault.message + &standing.collect::<String>()
            }
        }
    }
}

/// Text around a body of sm_75 that finds the thread's index in R0 and stores R2 to its word of the buffer.
pub(crate) fn each_thread(body: &str) -> String {
    format!(
        "S2R R0, SR_TID.X
        {body}
        DONE:
        MOV R4, c[0x0][0x160]
        MOV R5, c[0x0][0x164]
        IMAD.WIDE R4, R0, 0x4, R4
        STG.E.SYS [R4], R2
        EXIT"
    )
}
