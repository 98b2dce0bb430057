//! An interpreter of PTX.
//!
//! Memory first, then the module, then launches:
//!
//! ```
//! use warpsmith_emu::ptx::{Device, Launch, Options, load, run};
//!
//! let text = "
//!     .version 8.0 .target sm_80 .address_size 64
//!     .visible .entry twice(.param .u64 data) {
//!         .reg .b64 %rd<3>; .reg .b32 %r<3>;
//!         ld.param.u64 %rd0, [data];
//!         mov.u32 %r0, %tid.x;
//!         mul.wide.u32 %rd1, %r0, 4;
//!         add.u64 %rd2, %rd0, %rd1;
//!         ld.global.u32 %r1, [%rd2];
//!         shl.b32 %r2, %r1, 1;
//!         st.global.u32 [%rd2], %r2;
//!         ret;
//!     }";
//! let parsed = warpsmith_ptx::parse(text.as_bytes());
//! let mut device = Device::new();
//! let data = device.allocate(8, 4);
//! device.write(data, &[1, 0, 0, 0, 2, 0, 0, 0])?;
//! let loaded = load(&mut device, &parsed.module)?;
//! let launch = Launch {
//!     block: [2, 1, 1],
//!     arguments: vec![data.to_le_bytes().to_vec()],
//!     ..Launch::of("twice")
//! };
//! let report = run(&mut device, &loaded, &launch, &Options::default())?;
//! assert_eq!(device.read(data, 8)?, [2, 0, 0, 0, 4, 0, 0, 0]);
//! assert_eq!(report.instructions, 8);
//! # Ok::<(), warpsmith_emu::ptx::Fault>(())
//! ```

mod access;
mod arithmetic;
mod barrier;
mod bulk;
mod call;
mod code;
mod collective;
mod decode;
mod grid;
mod launch;
mod launch_control;
mod layout;
mod machine;
mod matrix;
mod multimem;
mod places;
mod race;
mod system;
mod tensor;
mod tensor_memory;
mod texture;
mod transfer;
mod warp;
mod watch;

pub use crate::{
    Accessed, Device, Failure, Fault, FaultKind, Launch, MemoryStatistics, Options, Place, Report, Swizzle, TensorBox,
    TensorElement, TensorMap,
};
pub use launch::{Loaded, load, run};
