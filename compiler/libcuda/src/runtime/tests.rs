use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpsmith_cubin::fatbin::{self, Image};
use warpsmith_target::Sm;

use super::{device::*, launch::*, memory::*, registry::*, stream::*, *};

/// Each thread multiplies its word by the factor that is a parameter and adds the variable.
const PTX: &str = ".version 8.0
.target sm_80
.address_size 64
.global .u32 more = 1;
.visible .entry scale(.param .u64 data, .param .u32 factor)
{
    .reg .b32 index, value, by, plus;
    .reg .b64 at, start;
    ld.param.u64 start, [data];
    ld.param.u32 by, [factor];
    ld.global.u32 plus, [more];
    mov.u32 index, %tid.x;
    mad.wide.u32 at, index, 4, start;
    ld.global.u32 value, [at];
    mad.lo.u32 value, value, by, plus;
    st.global.u32 [at], value;
    ret;
}
.visible .entry stop()
{
    trap;
    ret;
}
";

/// The process has one device: tests take turns.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(cudaDeviceReset(), 0);
    cudaGetLastError();
    turn
}

static SCALE: u8 = 0;
static STOP: u8 = 1;
static MORE: u8 = 2;

fn of(place: &'static u8) -> *const c_void {
    ptr::from_ref(place).cast()
}

/// Registers what is in [`PTX`] as the code of nvcc does.
fn registered() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let bytes = Vec::leak(fatbin::write(&[Image::ptx(Sm::Sm80, (8, 0), PTX.as_bytes().to_vec())]));
        let wrapper = Wrapper {
            magic: 0x4662_43b1,
            version: 1,
            fatbin: bytes.as_ptr().cast(),
        };
        let name = |text: &str| CString::new(text).expect("no zero byte");
        let none: *mut c_void = ptr::null_mut();
        let fatbin = __cudaRegisterFatBinary((&raw const wrapper).cast());
        for (function, text) in [(of(&SCALE), "scale"), (of(&STOP), "stop")] {
            let text = name(text);
            __cudaRegisterFunction(
                fatbin,
                function,
                none.cast(),
                text.as_ptr(),
                -1,
                none,
                none,
                none,
                none,
                none.cast(),
            );
        }
        let more = name("more");
        __cudaRegisterVar(fatbin, of(&MORE), none.cast(), more.as_ptr(), 0, 4, 0, 0);
        __cudaRegisterFatBinaryEnd(fatbin);
    });
}

fn one(x: u32) -> Dimensions {
    Dimensions { x, y: 1, z: 1 }
}

fn stop() -> c_int {
    cudaLaunchKernel(of(&STOP), one(1), one(1), ptr::null(), 0, ptr::null_mut())
}

/// What the code of nvcc does for `scale<<<1, 2>>>(data, 10)` with a variable.
#[test]
fn a_program_of_nvcc_runs() {
    let _turn = turn();
    registered();
    let none: *mut c_void = ptr::null_mut();
    let mut data = ptr::null_mut();
    let mut words = [3_u32, 4];
    let plus = 5_u32;
    assert_eq!(cudaMalloc(&raw mut data, 8), 0);
    assert_eq!(cudaMemcpy(data, words.as_ptr().cast(), 8, 1), 0);
    assert_eq!(cudaMemcpyToSymbol(of(&MORE), (&raw const plus).cast(), 4, 0, 1), 0);

    assert_eq!(__cudaPushCallConfiguration(one(1), one(2), 0, none), 0);
    let (mut grid, mut block, mut shared, mut stream) = (one(0), one(0), 1, none);
    let popped = __cudaPopCallConfiguration(&raw mut grid, &raw mut block, &raw mut shared, &raw mut stream);
    assert_eq!(
        (popped, grid.list(), block.list(), shared),
        (0, [1, 1, 1], [2, 1, 1], 0)
    );
    let factor = 10_u32;
    let arguments = [(&raw const data).cast(), (&raw const factor).cast()];
    assert_eq!(
        __cudaLaunchKernel(of(&SCALE), grid, block, arguments.as_ptr(), shared, stream),
        0
    );
    assert_eq!(cudaMemcpy(words.as_mut_ptr().cast(), data, 8, 4), 0);
    assert_eq!(words, [35, 45]);

    assert_eq!(
        cudaLaunchKernel(of(&MORE), grid, block, arguments.as_ptr(), 0, none),
        98
    );
    assert_eq!(cudaPeekAtLastError(), 98);
    assert_eq!(cudaGetLastError(), 98);
    assert_eq!(cudaGetLastError(), 0);
    // Past the end of the variable, and of the allocation.
    assert_eq!(cudaMemcpyToSymbol(of(&MORE), (&raw const plus).cast(), 4, 1, 1), 1);
    assert_eq!(cudaMemcpy(words.as_mut_ptr().cast(), data, 9, 2), 1);
    assert_eq!(
        cudaLaunchKernel(of(&SCALE), one(1), one(2048), arguments.as_ptr(), 0, none),
        9
    );
    assert_eq!(cudaFree(data), 0);
    assert_eq!(cudaFree(data), 1, "twice");
}

/// After a fault every call of the context gives it, and a reset ends it.
#[test]
fn faults_are_sticky() {
    let _turn = turn();
    registered();
    let (mut data, mut event, mut stream) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    let mut word = 0_u32;
    let word_at = (&raw mut word).cast::<c_void>();
    assert_eq!(cudaMalloc(&raw mut data, 4), 0);
    assert_eq!(cudaEventCreate(&raw mut event), 0);
    assert_eq!(cudaStreamCreate(&raw mut stream), 0);
    assert_eq!(stop(), 0);
    assert_eq!(cudaGetLastError(), 0, "no call has met it yet");
    assert_eq!(cudaDeviceSynchronize(), 719);
    let calls = [
        cudaDeviceSynchronize(),
        cudaMemcpy(word_at, data, 4, 2),
        cudaMemcpyAsync(word_at, data, 4, 2, stream),
        cudaMemset(data, 0, 4),
        cudaMalloc(&raw mut data, 4),
        cudaFree(data),
        cudaEventRecord(event, stream),
        cudaEventQuery(event),
        cudaEventSynchronize(event),
        cudaStreamQuery(stream),
        cudaStreamSynchronize(stream),
        cudaStreamSynchronize(ptr::null_mut()),
        cudaMallocHost(&raw mut data, 4),
        stop(),
        cudaPeekAtLastError(),
        cudaGetLastError(),
        cudaGetLastError(),
    ];
    assert_eq!(calls, [719; 17]);
    // What asks for no context goes on.
    let mut count = 0;
    assert_eq!((cudaGetDeviceCount(&raw mut count), count), (0, 1));
    assert_eq!(cudaDeviceReset(), 0);
    assert_eq!((cudaGetLastError(), cudaDeviceSynchronize()), (0, 0));
    assert_eq!(cudaStreamSynchronize(stream), 400, "the stream went with the context");
    assert_eq!(cudaMalloc(&raw mut data, 4), 0);
}

#[test]
fn sizes_and_devices_that_are_impossible_are_refused_and_nothing_is_done_with_no_bytes() {
    let _turn = turn();
    let mut data: *mut c_void = ptr::null_mut();
    assert_eq!(cudaMalloc(&raw mut data, 1024), 0);
    let end = data.wrapping_byte_add(1024);
    let mut bytes = [0_u8; 4];
    assert_eq!(cudaMemcpy(end, bytes.as_ptr().cast(), 0, 1), 0);
    assert_eq!(cudaMemcpy(bytes.as_mut_ptr().cast(), end, 0, 2), 0);
    assert_eq!((cudaMemset(end, 0, 0), cudaMemset(end, 0, 1)), (0, 1));
    let mut none = data;
    assert_eq!((cudaMalloc(&raw mut none, 0), none.is_null()), (0, true));
    assert_eq!(cudaMalloc(&raw mut none, 1 << 44), 2);
    assert_eq!(cudaGetLastError(), 2);
    assert_eq!((cudaSetDevice(5), cudaSetDevice(-1), cudaSetDevice(0)), (101, 101, 0));
    let (mut a, mut b) = (ptr::null_mut(), ptr::null_mut());
    assert_eq!((cudaStreamCreate(&raw mut a), cudaStreamCreate(&raw mut b)), (0, 0));
    assert!(a != b && a.addr() > 2 && b.addr() > 2);
    assert_eq!((cudaStreamDestroy(a), cudaStreamDestroy(a)), (0, 400));
    let mut value = -1;
    assert_eq!((cudaDeviceGetAttribute(&raw mut value, 20, 0), value), (0, 0));
    assert_eq!(cudaDeviceGetAttribute(&raw mut value, 1000, 0), 1);
    assert_eq!(cudaDeviceGetAttribute(&raw mut value, 20, 1), 101);
}

#[test]
fn memory_of_every_kind_is_copied_and_told_apart() {
    let _turn = turn();
    let (mut device, mut pinned, mut managed) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    let mut pitch = 0;
    assert_eq!(cudaMallocPitch(&raw mut device, &raw mut pitch, 5, 3), 0);
    assert_eq!(pitch, 512);
    assert_eq!(cudaHostAlloc(&raw mut pinned, 15, 2), 0);
    assert_eq!(cudaMallocManaged(&raw mut managed, 15, 1), 0);
    let text = *b"one..two..three";
    assert_eq!(cudaMemcpy(pinned, text.as_ptr().cast(), 15, 0), 0);
    assert_eq!(cudaMemcpy2D(device, pitch, pinned, 5, 5, 3, 1), 0);
    assert_eq!(cudaMemcpy2D(managed, 5, device, pitch, 5, 3, 4), 0);
    let mut back = [0_u8; 15];
    assert_eq!(cudaMemcpy(back.as_mut_ptr().cast(), managed, 15, 4), 0);
    assert_eq!(back, text);
    assert_eq!(cudaMemset2D(device, pitch, 0, 2, 2), 0);
    assert_eq!(cudaMemcpy2D(back.as_mut_ptr().cast(), 5, device, pitch, 5, 3, 2), 0);
    assert_eq!(&back, b"\0\0e..\0\0o..three");
    for (pointer, kind) in [(pinned, 1), (device, 2), (managed, 3), (back.as_mut_ptr().cast(), 0)] {
        let mut bytes = [0_u8; 88];
        assert_eq!(cudaPointerGetAttributes(bytes.as_mut_ptr(), pointer), 0);
        assert_eq!(bytes[0], kind);
    }
    assert_eq!(cudaFree(pinned), 1, "cudaFreeHost frees it");
    assert_eq!((cudaFreeHost(pinned), cudaFree(managed), cudaFree(device)), (0, 0, 0));
    assert_eq!(cudaHostUnregister(back.as_mut_ptr().cast()), 713);
    let size = back.len();
    assert_eq!(cudaHostRegister(back.as_mut_ptr().cast(), size, 0), 0);
    assert_eq!(cudaHostRegister(back.as_mut_ptr().cast(), size, 0), 712);
    assert_eq!(cudaHostUnregister(back.as_mut_ptr().cast()), 0);
    assert_eq!(
        cudaHostRegister(ptr::without_provenance_mut(0x1000), 4096, 0),
        1,
        "nothing is mapped there"
    );
}

#[test]
fn time_passes_between_events() {
    let _turn = turn();
    let (mut from, mut to) = (ptr::null_mut(), ptr::null_mut());
    assert_eq!(
        (cudaEventCreate(&raw mut from), cudaEventCreateWithFlags(&raw mut to, 0)),
        (0, 0)
    );
    let mut time = -1.0;
    assert_eq!(cudaEventElapsedTime(&raw mut time, from, to), 400, "not recorded");
    assert_eq!(cudaEventRecord(from, ptr::null_mut()), 0);
    std::thread::sleep(std::time::Duration::from_millis(2));
    assert_eq!(cudaEventRecord(to, ptr::null_mut()), 0);
    assert_eq!(cudaEventElapsedTime(&raw mut time, from, to), 0);
    assert!(time >= 2.0, "{time}");
    assert_eq!((cudaEventDestroy(from), cudaEventQuery(from)), (0, 400));
}
