//! The functions of the driver and of NVRTC for programs that call them by name and are linked with the archive: `-lcuda` and `-lnvrtc`.
//!
//! A program that was linked with the libraries themselves would not start without them. Each entry here jumps to where its slot says, with the arguments as
//! they are; an empty slot is filled first, from the driver that the runtime works with ([`crate::driver`]), or from the compiler's own library
//! ([`crate::nvrtc`]). The names are hidden: they are the program's own, and
//! libraries that it loads have those of the driver.

use std::arch::global_asm;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::{code, driver, nvrtc};

include!(concat!(env!("OUT_DIR"), "/entries.rs"));

/// Where each function is, once it was called.
#[unsafe(no_mangle)]
static warpsmith_driver_slots: [AtomicPtr<c_void>; NAMES.len()] =
    [const { AtomicPtr::new(ptr::null_mut()) }; NAMES.len()];

/// `CUDA_ERROR_STUB_LIBRARY`: there is no driver.
const NO_DRIVER: c_int = 34;

// The function of the number in r11 is looked for; registers that have arguments are kept. At the entry the stack is 8 bytes from a multiple of 16.
global_asm!(
    ".hidden warpsmith_driver_slots",
    ".type warpsmith_driver_find, @function",
    "warpsmith_driver_find:",
    ".cfi_startproc",
    "    push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "    mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "    push rdi",
    "    push rsi",
    "    push rdx",
    "    push rcx",
    "    push r8",
    "    push r9",
    "    sub rsp, 128",
    "    movups [rsp], xmm0",
    "    movups [rsp + 16], xmm1",
    "    movups [rsp + 32], xmm2",
    "    movups [rsp + 48], xmm3",
    "    movups [rsp + 64], xmm4",
    "    movups [rsp + 80], xmm5",
    "    movups [rsp + 96], xmm6",
    "    movups [rsp + 112], xmm7",
    "    mov edi, r11d",
    "    call {find}",
    "    mov r11, rax",
    "    movups xmm0, [rsp]",
    "    movups xmm1, [rsp + 16]",
    "    movups xmm2, [rsp + 32]",
    "    movups xmm3, [rsp + 48]",
    "    movups xmm4, [rsp + 64]",
    "    movups xmm5, [rsp + 80]",
    "    movups xmm6, [rsp + 96]",
    "    movups xmm7, [rsp + 112]",
    "    add rsp, 128",
    "    pop r9",
    "    pop r8",
    "    pop rcx",
    "    pop rdx",
    "    pop rsi",
    "    pop rdi",
    "    pop rbp",
    ".cfi_def_cfa rsp, 8",
    "    jmp r11",
    ".cfi_endproc",
    ".size warpsmith_driver_find, . - warpsmith_driver_find",
    entries!(),
    find = sym found,
);

/// Where the function of a number is: that of its library, or one that gives the reason why there is none.
extern "C" fn found(number: c_uint) -> *const c_void {
    let at = number as usize;
    let (Some(name), Some(slot)) = (NAMES.get(at), warpsmith_driver_slots.get(at)) else {
        return missing as *const c_void;
    };
    let address = match name.starts_with("nvrtc") {
        true => nvrtc::find(name),
        false => match driver::find(name) {
            Ok(address) => address,
            Err(code::INSUFFICIENT_DRIVER) => missing as *const c_void,
            Err(_) => unknown as *const c_void,
        },
    };
    slot.store(address.cast_mut(), Ordering::Release);
    address
}

/// In the place of every function, without a driver.
extern "C" fn missing() -> c_int {
    NO_DRIVER
}

/// In the place of a function that the driver does not have.
extern "C" fn unknown() -> c_int {
    code::NEWER_DRIVER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_the_slots_of_their_names() {
        assert!(NAMES.contains(&"cuInit") && NAMES.contains(&"cuLaunchKernel_ptsz"));
        assert!(NAMES.contains(&"nvrtcGetErrorString") && NAMES.contains(&"nvrtcCompileProgram"));
        assert!(!NAMES.contains(&"nvrtcProgram"));
        let number = NAMES.iter().position(|name| *name == "cuProfilerStop").expect("a name");
        let address = found(number as c_uint);
        assert_eq!(
            warpsmith_driver_slots[number].load(Ordering::Acquire).cast_const(),
            address
        );
        // A function may have several addresses, one in each codegen unit: what it gives is told, not where it is.
        // SAFETY: behind the last number there is `missing`, a function without parameters.
        let behind: extern "C" fn() -> c_int = unsafe { std::mem::transmute(found(c_uint::MAX)) };
        assert_eq!(behind(), NO_DRIVER);
    }
}
