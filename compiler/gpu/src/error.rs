//! What can go wrong.

use std::fmt;

/// Why something could not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The driver's library cannot be loaded.
    NoDriver {
        /// Its name.
        library: &'static str,
        /// The system's reason.
        reason: String,
    },
    /// The driver is too old.
    OldDriver {
        /// The function that it lacks.
        function: &'static str,
    },
    /// There is no device of this number.
    NoDevice {
        /// The number, counted from 0.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// Bytes that cannot be a module.
    Image {
        /// What is wrong with them.
        reason: String,
    },
    /// A name with a zero byte in it, which the driver cannot be asked for.
    Name {
        /// The name.
        name: String,
    },
    /// A tensor map whose lists do not have as many numbers as its rank wants.
    TensorMap,
    /// A copy of bytes that are not all there.
    OutOfBounds {
        /// Where it starts, in bytes.
        offset: usize,
        /// How many bytes.
        length: usize,
        /// How many there are.
        size: usize,
    },
    /// The driver refuses a call, or tells what a kernel did wrong.
    Call {
        /// The function of the driver API.
        function: &'static str,
        /// The driver's number of the error.
        code: i32,
        /// Its name, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
        name: String,
        /// The driver's text for it.
        text: String,
        /// What the driver's compiler says of PTX; mostly empty.
        log: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoDriver { library, reason } => {
                write!(f, "there is no CUDA driver: cannot load {library}: {reason}")
            }
            Error::OldDriver { function } => write!(
                f,
                "the CUDA driver has no `{function}`: one of CUDA 11.8 or newer is needed, for tensor maps 12.0"
            ),
            Error::NoDevice { index, count } => write!(f, "there is no device {index}; there are {count}"),
            Error::Image { reason } => write!(f, "the module cannot be given to the driver: {reason}"),
            Error::Name { name } => write!(f, "{name:?} cannot be a name"),
            Error::TensorMap => write!(
                f,
                "a tensor map has more or fewer strides, corners or box sizes than its rank wants"
            ),
            Error::OutOfBounds { offset, length, size } => {
                write!(f, "{length} bytes from byte {offset} on are not in {size} bytes")
            }
            Error::Call {
                function,
                code,
                name,
                text,
                log,
            } => {
                write!(f, "{function}: {name} ({code}): {text}")?;
                match log.trim() {
                    "" => Ok(()),
                    log => write!(f, ": {log}"),
                }
            }
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_in_words() {
        let error = |log: &str| Error::Call {
            function: "cuModuleLoadDataEx",
            code: 218,
            name: "CUDA_ERROR_INVALID_PTX".to_owned(),
            text: "a PTX JIT compilation failed".to_owned(),
            log: log.to_owned(),
        };
        let start = "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218): a PTX JIT compilation failed";
        assert_eq!(error("").to_string(), start);
        assert_eq!(error("line 1: no\n").to_string(), format!("{start}: line 1: no"));
        let error = Error::OutOfBounds {
            offset: 4,
            length: 8,
            size: 8,
        };
        assert_eq!(error.to_string(), "8 bytes from byte 4 on are not in 8 bytes");
    }
}
