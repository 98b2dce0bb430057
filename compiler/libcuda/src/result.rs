//! What calls give: numbers, names and words of results, and which of them the faults of kernels are.

use std::{ffi::CStr, fmt};

use warpsmith_emu::{Fault, FaultKind, MemorySpace};

/// `CUresult` and `cudaError`, of those that are given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Code {
    Success = 0,
    InvalidValue = 1,
    OutOfMemory = 2,
    NotInitialized = 3,
    InvalidConfiguration = 9,
    InvalidSymbol = 13,
    InvalidMemcpyDirection = 21,
    InvalidDeviceFunction = 98,
    InvalidDevice = 101,
    InvalidImage = 200,
    InvalidContext = 201,
    NoBinary = 209,
    InvalidPtx = 218,
    FileNotFound = 301,
    OperatingSystem = 304,
    InvalidHandle = 400,
    IllegalState = 401,
    NotFound = 500,
    IllegalAddress = 700,
    LaunchOutOfResources = 701,
    LaunchTimeout = 702,
    PeerAccessNotEnabled = 705,
    Assert = 710,
    HostMemoryAlreadyRegistered = 712,
    HostMemoryNotRegistered = 713,
    HardwareStackError = 714,
    IllegalInstruction = 715,
    MisalignedAddress = 716,
    InvalidAddressSpace = 717,
    InvalidPc = 718,
    LaunchFailed = 719,
    CooperativeLaunchTooLarge = 720,
    NotSupported = 801,
    StreamCaptureUnsupported = 900,
    StreamCaptureInvalidated = 901,
    StreamCaptureMerge = 902,
    StreamCaptureUnmatched = 903,
    StreamCaptureUnjoined = 904,
    GraphUpdateFailure = 910,
    Unknown = 999,
}

impl Code {
    /// What CUDA says of a kernel that did this. Deadlocks, which a GPU waits in for ever, end as what takes too long.
    pub(crate) fn of_fault(fault: &Fault) -> Code {
        match fault.kind {
            FaultKind::Launch => Code::InvalidValue,
            FaultKind::Load => Code::InvalidImage,
            FaultKind::OutOfBounds => match fault.space {
                // CUDA runtime API, cudaErrorLaunchFailure: "accessing out of bounds shared memory".
                Some(MemorySpace::Shared) => Code::LaunchFailed,
                Some(MemorySpace::Global | MemorySpace::Local) | None => Code::IllegalAddress,
            },
            FaultKind::Misaligned => Code::MisalignedAddress,
            FaultKind::AddressSpace => Code::InvalidAddressSpace,
            FaultKind::Unsupported | FaultKind::Operand => Code::IllegalInstruction,
            FaultKind::BarrierDivergence | FaultKind::Budget => Code::LaunchTimeout,
            FaultKind::Assert => Code::Assert,
            FaultKind::Stack => Code::HardwareStackError,
            FaultKind::Call => Code::InvalidPc,
            FaultKind::Trap | FaultKind::Uninitialised | FaultKind::Race | FaultKind::Hazard => Code::LaunchFailed,
        }
    }
}

/// Why a call fails, with words for standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) code: Code,
    pub(crate) reason: String,
}

impl Failed {
    pub(crate) fn new(code: Code, reason: impl fmt::Display) -> Failed {
        Failed {
            code,
            reason: reason.to_string(),
        }
    }

    /// What has been told already, or programs ask for without meaning harm.
    pub(crate) fn silent(code: Code) -> Failed {
        Failed::new(code, "")
    }
}

/// A row of `ir-defs/client/errors.tbl`.
#[derive(Debug)]
pub(crate) struct Named {
    number: i32,
    pub(crate) driver: Option<&'static CStr>,
    pub(crate) runtime: Option<&'static CStr>,
    pub(crate) words: &'static CStr,
}

include!(concat!(env!("OUT_DIR"), "/errors.rs"));

/// The row of a result.
pub(crate) fn named(number: i32) -> Option<&'static Named> {
    let index = RESULTS.binary_search_by_key(&number, |row| row.number).ok()?;
    RESULTS.get(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_names_and_words_of_cuda() {
        let row = named(Code::IllegalAddress as i32).expect("it is known");
        assert_eq!(row.driver, Some(c"CUDA_ERROR_ILLEGAL_ADDRESS"));
        assert_eq!(row.runtime, Some(c"cudaErrorIllegalAddress"));
        assert_eq!(row.words, c"an illegal memory access was encountered");
        let only = named(Code::InvalidConfiguration as i32).expect("it is known");
        assert_eq!(
            (only.driver, only.runtime),
            (None, Some(c"cudaErrorInvalidConfiguration"))
        );
        assert!(named(12_345).is_none());
    }

    #[test]
    fn faults_are_what_cuda_makes_of_them() {
        let code = |kind, space| {
            let fault = Fault {
                space,
                ..Fault::new(kind, "")
            };
            Code::of_fault(&fault) as i32
        };
        let expected = [
            (FaultKind::OutOfBounds, 700),
            (FaultKind::Misaligned, 716),
            (FaultKind::AddressSpace, 717),
            (FaultKind::Trap, 719),
            (FaultKind::Assert, 710),
            (FaultKind::Stack, 714),
            (FaultKind::Call, 718),
            (FaultKind::Unsupported, 715),
            (FaultKind::Budget, 702),
            (FaultKind::BarrierDivergence, 702),
        ];
        for (kind, number) in expected {
            assert_eq!(code(kind, None), number, "{kind:?}");
        }
        assert_eq!(code(FaultKind::OutOfBounds, Some(MemorySpace::Shared)), 719);
        assert_eq!(code(FaultKind::OutOfBounds, Some(MemorySpace::Global)), 700);
    }
}
