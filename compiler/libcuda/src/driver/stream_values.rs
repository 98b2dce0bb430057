//! Streams that write values of memory and wait for values, and their attributes.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_int, c_uint, c_void};

use super::graph::on_stream;
use super::{call, known_stream};
use crate::exports::exports;
use crate::interface::{get, list, put, put_wanted, with};
use crate::result::{Code, Failed};
use crate::state::graph::{ValueStep, WaitFor, Work};

/// `CU_STREAM_WAIT_VALUE_FLUSH`: writes of other devices are seen, which all are.
const FLUSH: c_uint = 1 << 30;
/// `CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER`.
const NO_BARRIER: c_uint = 1;

fn invalid(reason: impl std::fmt::Display) -> Failed {
    Failed::new(Code::InvalidValue, reason)
}

fn write(address: u64, value: u64, bytes: usize, flags: c_uint) -> Result<ValueStep, Failed> {
    match flags {
        0 | NO_BARRIER => Ok(ValueStep::Write { address, value, bytes }),
        other => Err(invalid(format!("writes of values have no flags {other:#x}"))),
    }
}

fn wait(address: u64, value: u64, bytes: usize, flags: c_uint) -> Result<ValueStep, Failed> {
    let how = match flags & !FLUSH {
        0 => WaitFor::AtLeast,
        1 => WaitFor::Equal,
        2 => WaitFor::AnyBit,
        3 => WaitFor::AnyBitOfNeither,
        other => return Err(invalid(format!("waits for values have no flags {other:#x}"))),
    };
    Ok(ValueStep::Wait {
        address,
        value,
        bytes,
        how,
    })
}

/// Steps as `CUstreamBatchMemOpParams` gives them: the operation, an address, a value, flags.
pub(super) fn value_steps(from: *const [u64; 6], count: c_uint) -> Result<Vec<ValueStep>, Failed> {
    let step = |[operation, address, value, flags, ..]: [u64; 6]| {
        let flags = flags as c_uint;
        match operation as u32 {
            1 => wait(address, value & u64::from(u32::MAX), 4, flags),
            2 => write(address, value & u64::from(u32::MAX), 4, flags),
            3 | 6 => Ok(ValueStep::Barrier),
            4 => wait(address, value, 8, flags),
            5 => write(address, value, 8, flags),
            other => Err(invalid(format!("streams have no operation {other} of memory"))),
        }
    };
    list(from, count as usize)?.into_iter().map(step).collect()
}

fn do_on(stream: *mut c_void, steps: Vec<ValueStep>) -> Result<(), Failed> {
    known_stream(stream)?;
    on_stream(stream, Work::Values(steps))
}

/// `CU_LAUNCH_ATTRIBUTE_PRIORITY`, which streams have from the start.
const PRIORITY: c_uint = 8;

fn attribute(stream: *mut c_void, number: c_uint) -> Result<[u64; 8], Failed> {
    let known = known_stream(stream)?;
    let kept = with(|state| Ok(state.stream_attributes.get(&(stream.addr(), number)).copied()))?;
    let first = match number {
        PRIORITY => u64::from(known.map_or(0, |stream| stream.priority) as u32),
        _ => 0,
    };
    Ok(kept.unwrap_or([first, 0, 0, 0, 0, 0, 0, 0]))
}

/// Keeps an attribute: none changes what is done in a stream where each call is done when it returns.
fn set_attribute(stream: *mut c_void, number: c_uint, value: [u64; 8]) -> Result<(), Failed> {
    known_stream(stream)?;
    with(|state| {
        state.stream_attributes.insert((stream.addr(), number), value);
        Ok(())
    })
}

fn copy_attributes(to: *mut c_void, from: *mut c_void) -> Result<(), Failed> {
    known_stream(to)?;
    known_stream(from)?;
    with(|state| {
        let all = &mut state.stream_attributes;
        let own = all.range((from.addr(), 0)..=(from.addr(), c_uint::MAX));
        let own: Vec<_> = own.map(|((_, number), value)| ((to.addr(), *number), *value)).collect();
        all.extend(own);
        Ok(())
    })
}

exports! { call, address;
    [Context cuStreamWriteValue32_ptsz cuStreamWriteValue32_v2 cuStreamWriteValue32_v2_ptsz] fn cuStreamWriteValue32(stream: *mut c_void, address: u64, value: u32, flags: c_uint) {
        do_on(stream, vec![write(address, value.into(), 4, flags)?])
    }
    [Context cuStreamWriteValue64_ptsz cuStreamWriteValue64_v2 cuStreamWriteValue64_v2_ptsz] fn cuStreamWriteValue64(stream: *mut c_void, address: u64, value: u64, flags: c_uint) {
        do_on(stream, vec![write(address, value, 8, flags)?])
    }
    [Context cuStreamWaitValue32_ptsz cuStreamWaitValue32_v2 cuStreamWaitValue32_v2_ptsz] fn cuStreamWaitValue32(stream: *mut c_void, address: u64, value: u32, flags: c_uint) {
        do_on(stream, vec![wait(address, value.into(), 4, flags)?])
    }
    [Context cuStreamWaitValue64_ptsz cuStreamWaitValue64_v2 cuStreamWaitValue64_v2_ptsz] fn cuStreamWaitValue64(stream: *mut c_void, address: u64, value: u64, flags: c_uint) {
        do_on(stream, vec![wait(address, value, 8, flags)?])
    }
    [Context cuStreamBatchMemOp_ptsz cuStreamBatchMemOp_v2 cuStreamBatchMemOp_v2_ptsz] fn cuStreamBatchMemOp(stream: *mut c_void, count: c_uint, steps: *const [u64; 6], _flags: c_uint) {
        do_on(stream, value_steps(steps, count)?)
    }
    [Context cuStreamGetAttribute_ptsz] fn cuStreamGetAttribute(stream: *mut c_void, number: c_uint, value: *mut [u64; 8]) { put(value, attribute(stream, number)?) }
    [Context cuStreamSetAttribute_ptsz] fn cuStreamSetAttribute(stream: *mut c_void, number: c_uint, value: *const [u64; 8]) {
        set_attribute(stream, number, get(value)?)
    }
    [Context cuStreamCopyAttributes_ptsz] fn cuStreamCopyAttributes(to: *mut c_void, from: *mut c_void) { copy_attributes(to, from) }
    [Context] fn cuDeviceGetExecAffinitySupport(supported: *mut c_int, kind: c_int, device: c_int) {
        super::only(device)?;
        // CU_EXEC_AFFINITY_TYPE_SM_COUNT, of processes that share a device.
        match kind {
            0 => put_wanted(supported, 0),
            other => Err(invalid(format!("there is no affinity {other}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_as_in_c() {
        let given = [
            [2, 0x100, 7 << 32 | 5, 0, 0, 0],
            [4, 0x108, 9, 1, 0, 0],
            [6, 0, 0, 0, 0, 0],
        ];
        let how = WaitFor::Equal;
        let steps = [
            ValueStep::Write {
                address: 0x100,
                value: 5,
                bytes: 4,
            },
            ValueStep::Wait {
                address: 0x108,
                value: 9,
                bytes: 8,
                how,
            },
            ValueStep::Barrier,
        ];
        assert_eq!(value_steps(given.as_ptr(), 3), Ok(steps.to_vec()));
        assert!(value_steps([[7, 0, 0, 0, 0, 0]].as_ptr(), 1).is_err(), "no operation");
        assert!(wait(0, 0, 4, 4).is_err(), "no flags");
    }
}
