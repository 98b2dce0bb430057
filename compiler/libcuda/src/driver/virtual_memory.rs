//! Virtual memory that programs manage: `cuMemAddressReserve`, `cuMemCreate`, `cuMemMap` and their kin.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_int, c_void};
use std::ptr;

use super::{call, only};
use crate::exports::exports;
use crate::interface::{HandleKind, allocate_words, free_words, get, handle, number, put, refuse, with};
use crate::result::{Code, Failed};
use crate::state::virtual_memory::{GRANULARITY, check_size};

/// `CUmemLocation`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Location {
    kind: c_int,
    number: c_int,
}

/// `CUmemAllocationProp`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Properties {
    kind: c_int,
    shared_as: c_int,
    location: Location,
    of_windows: *mut c_void,
    flags: [u8; 8],
}

/// `CUmemAccessDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Access {
    location: Location,
    flags: c_int,
}

/// `CU_MEM_LOCATION_TYPE_DEVICE` and `CU_MEM_ALLOCATION_TYPE_PINNED`.
const DEVICE: c_int = 1;
const PINNED: c_int = 1;
/// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`.
const READ_AND_WRITE: c_int = 3;

impl Location {
    fn check(self) -> Result<(), Failed> {
        match self.kind {
            DEVICE => only(self.number),
            _ => Err(refuse("virtual memory of the host")),
        }
    }
}

impl Properties {
    fn check(&self) -> Result<(), Failed> {
        if self.kind != PINNED {
            return Err(Failed::new(Code::InvalidValue, "memory is pinned"));
        }
        if self.shared_as != 0 {
            return Err(refuse("virtual memory that processes share"));
        }
        self.location.check()
    }
}

fn physical(handle: u64) -> Result<usize, Failed> {
    number(HandleKind::Physical, ptr::without_provenance_mut(handle as usize))
}

fn create(to: *mut u64, bytes: u64, properties: *const Properties) -> Result<(), Failed> {
    get(properties)?.check()?;
    check_size(bytes)?;
    let refused = || Failed::new(Code::OutOfMemory, format!("{bytes} bytes cannot be allocated"));
    if bytes > crate::device::TOTAL_MEMORY {
        return Err(refused());
    }
    let (start, words) = allocate_words(bytes).ok_or_else(refused)?;
    let made = with(|state| Ok(state.virtual_memory.add(start, words, bytes)))?;
    put(to, handle(HandleKind::Physical, made).addr() as u64)
}

exports! { call, address;
    [Context] fn cuMemGetAllocationGranularity(granularity: *mut usize, properties: *const Properties, _which: c_int) {
        get(properties)?.location.check()?;
        put(granularity, GRANULARITY as usize)
    }
    [Context] fn cuMemAddressReserve(address: *mut u64, bytes: usize, alignment: usize, _wanted: u64, _flags: u64) {
        put(address, with(|state| state.virtual_memory.reserve(bytes as u64, alignment as u64))?)
    }
    [Context] fn cuMemAddressFree(address: u64, bytes: usize) { with(|state| state.virtual_memory.unreserve(address, bytes as u64)) }
    [Context] fn cuMemCreate(memory: *mut u64, bytes: usize, properties: *const Properties, _flags: u64) { create(memory, bytes as u64, properties) }
    [Context] fn cuMemRelease(memory: u64) {
        let memory = physical(memory)?;
        if let Some((start, bytes)) = with(|state| state.virtual_memory.release(memory))? {
            free_words(start, bytes);
        }
        Ok(())
    }
    [Context] fn cuMemRetainAllocationHandle(memory: *mut u64, address: *mut c_void) {
        let found = with(|state| state.virtual_memory.retain(address.addr() as u64))?;
        put(memory, handle(HandleKind::Physical, found).addr() as u64)
    }
    [Context] fn cuMemGetAllocationPropertiesFromHandle(properties: *mut Properties, memory: u64) {
        let memory = physical(memory)?;
        with(|state| state.virtual_memory.physical(memory).map(|_| ()))?;
        let location = Location { kind: DEVICE, number: 0 };
        put(properties, Properties { kind: PINNED, shared_as: 0, location, of_windows: ptr::null_mut(), flags: [0; 8] })
    }
    [Context] fn cuMemMap(address: u64, bytes: usize, offset: usize, memory: u64, _flags: u64) {
        let memory = physical(memory)?;
        if offset != 0 {
            return Err(Failed::new(Code::InvalidValue, "memory is mapped from its start"));
        }
        with(|state| state.virtual_memory.map(address, bytes as u64, memory))
    }
    [Context] fn cuMemUnmap(address: u64, bytes: usize) {
        for (start, bytes) in with(|state| state.unmap(address, bytes as u64))? {
            free_words(start, bytes);
        }
        Ok(())
    }
    [Context] fn cuMemSetAccess(address: u64, bytes: usize, access: *const Access, count: usize) {
        for index in 0..count {
            let wanted = get(access.wrapping_add(index))?;
            wanted.location.check()?;
            with(|state| state.set_access(address, bytes as u64, wanted.flags != 0))?;
        }
        Ok(())
    }
    [Context] fn cuMemGetAccess(flags: *mut u64, location: *const Location, address: u64) {
        get(location)?.check()?;
        let is_open = with(|state| state.has_access(address))?;
        put(flags, if is_open { READ_AND_WRITE as u64 } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes that the C structures have.
    #[test]
    fn structures_are_laid_out_as_in_c() {
        assert_eq!((size_of::<Properties>(), size_of::<Access>()), (32, 12));
    }
}
