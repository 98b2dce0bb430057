//! Cubins on a GPU, in a process of their own: a kernel that faults or never ends takes that process down and nothing else.
//!
//! **What enters**: a [`Job`], which is a cubin, a launch and its arguments. **What leaves**: what the kernel left in its buffers, or why it did
//! not end, in words. Each thread that calls [`run`] has a process to itself: the program that called, with the argument [`SERVER`] alone, which
//! must make it call [`serve`]. Requests come on its standard input and answers leave on its standard error, for the driver writes what kernels
//! print to standard output.

use std::{
    cell::RefCell,
    io::{self, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::Duration,
};

use warpsmith_gpu::{Buffer, Context, Driver, Error, Extents, Image, Module};

/// The argument that makes a program serve.
pub const SERVER: &str = "gpu-server";
/// After this time a kernel counts as endless.
const LIMIT: Duration = Duration::from_secs(10);

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The module.
    pub cubin: &'a [u8],
    /// The kernel.
    pub kernel: &'a str,
    /// How wide.
    pub extents: Extents,
    /// The arguments, each aligned to its size.
    pub arguments: Vec<Argument>,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The address of a buffer with this content, which is read back.
    Buffer(Vec<u8>),
    /// A number, little-endian.
    Value(Vec<u8>),
}

/// A process that serves.
struct Server {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<io::Result<Result<Vec<Vec<u8>>, String>>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may hang in a kernel.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

thread_local! {
    static SERVING: RefCell<Option<Server>> = const { RefCell::new(None) };
}

/// Runs a job; the content of its buffers, in the order of the arguments.
///
/// # Errors
/// What the driver says, or that the kernel does not end.
pub fn run(job: &Job) -> Result<Vec<Vec<u8>>, String> {
    SERVING.with_borrow_mut(|serving| {
        let mut server = match serving.take() {
            Some(server) => server,
            None => Server::start().map_err(|error| format!("no process for the GPU: {error}"))?,
        };
        let sent = send(&mut server.requests, job);
        let answer = match sent {
            Ok(()) => server.answers.recv_timeout(LIMIT),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        };
        match answer {
            Ok(Ok(Ok(buffers))) => {
                *serving = Some(server);
                Ok(buffers)
            }
            // After a fault the process is of no further use.
            Ok(Ok(Err(message))) => Err(message),
            Ok(Err(error)) => Err(format!("the process for the GPU ended: {error}")),
            Err(RecvTimeoutError::Timeout) => Err(format!("the kernel did not end within {} s", LIMIT.as_secs())),
            Err(RecvTimeoutError::Disconnected) => Err("the process for the GPU ended".to_owned()),
        }
    })
}

impl Server {
    fn start() -> io::Result<Server> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(SERVER)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let missing = || io::Error::other("no pipe");
        let requests = child.stdin.take().ok_or_else(missing)?;
        let mut replies = child.stderr.take().ok_or_else(missing)?;
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            loop {
                let answer = receive_answer(&mut replies);
                let last = answer.is_err();
                if sender.send(answer).is_err() || last {
                    return;
                }
            }
        });
        Ok(Server {
            child,
            requests,
            answers,
        })
    }
}

/// Answers requests until there are no more.
///
/// # Errors
/// Where a pipe breaks.
pub fn serve() -> io::Result<()> {
    let (mut requests, mut answers) = (io::stdin().lock(), io::stderr().lock());
    let context = Driver::load().and_then(|driver| Context::new(driver, 0));
    let mut loaded: Option<(Vec<u8>, Module)> = None;
    while let Some(job) = receive(&mut requests)? {
        let result = match &context {
            Ok(context) => launched(context, &mut loaded, &job),
            Err(error) => Err(error.clone()),
        };
        match result {
            Ok(buffers) => {
                send_number(&mut answers, 0)?;
                send_number(&mut answers, buffers.len() as u64)?;
                for buffer in &buffers {
                    send_bytes(&mut answers, buffer)?;
                }
            }
            Err(error) => {
                send_number(&mut answers, 1)?;
                send_bytes(&mut answers, error.to_string().as_bytes())?;
            }
        }
        answers.flush()?;
    }
    Ok(())
}

/// A job as it was received.
struct Received {
    cubin: Vec<u8>,
    kernel: String,
    extents: Extents,
    arguments: Vec<Argument>,
}

fn launched(context: &Context, loaded: &mut Option<(Vec<u8>, Module)>, job: &Received) -> Result<Vec<Vec<u8>>, Error> {
    if loaded.as_ref().is_none_or(|(cubin, _)| *cubin != job.cubin) {
        // The old one is gone before the new one comes.
        *loaded = None;
        *loaded = Some((job.cubin.clone(), Module::load(context, &Image::new(&job.cubin)?)?));
    }
    let Some((_, module)) = loaded else {
        return Ok(Vec::new());
    };
    let (mut buffers, mut parameters) = (Vec::new(), Vec::new());
    for argument in &job.arguments {
        let bytes = match argument {
            Argument::Buffer(content) => {
                let buffer = Buffer::new(context, content.len().max(16))?;
                buffer.write(0, content)?;
                let address = buffer.address().to_le_bytes().to_vec();
                buffers.push((buffer, content.len()));
                address
            }
            Argument::Value(bytes) => bytes.clone(),
        };
        parameters.resize(parameters.len().next_multiple_of(bytes.len().max(1)), 0);
        parameters.extend(bytes);
    }
    module.function(&job.kernel)?.launch(job.extents, &parameters)?;
    context.synchronise()?;
    let read = |(buffer, size): &(Buffer, usize)| {
        let mut bytes = vec![0; *size];
        buffer.read(0, &mut bytes).map(|()| bytes)
    };
    buffers.iter().map(read).collect()
}

fn send(to: &mut impl Write, job: &Job) -> io::Result<()> {
    let Job {
        cubin,
        kernel,
        extents,
        arguments,
    } = job;
    send_bytes(to, cubin)?;
    send_bytes(to, kernel.as_bytes())?;
    for number in [extents.grid, extents.block, extents.cluster].as_flattened() {
        send_number(to, u64::from(*number))?;
    }
    send_number(to, u64::from(extents.shared))?;
    send_number(to, arguments.len() as u64)?;
    for argument in arguments {
        let (kind, bytes) = match argument {
            Argument::Buffer(bytes) => (0, bytes),
            Argument::Value(bytes) => (1, bytes),
        };
        send_number(to, kind)?;
        send_bytes(to, bytes)?;
    }
    to.flush()
}

/// The next request; none at the end of the pipe.
fn receive(from: &mut impl Read) -> io::Result<Option<Received>> {
    let cubin = match receive_bytes(from) {
        Ok(cubin) => cubin,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    };
    let kernel = String::from_utf8_lossy(&receive_bytes(from)?).into_owned();
    let mut sizes = [0; 10];
    for size in &mut sizes {
        *size = receive_number(from)? as u32;
    }
    let extents = Extents {
        grid: [sizes[0], sizes[1], sizes[2]],
        block: [sizes[3], sizes[4], sizes[5]],
        cluster: [sizes[6], sizes[7], sizes[8]],
        shared: sizes[9],
    };
    let mut arguments = Vec::new();
    for _ in 0..receive_number(from)? {
        arguments.push(match receive_number(from)? {
            0 => Argument::Buffer(receive_bytes(from)?),
            _ => Argument::Value(receive_bytes(from)?),
        });
    }
    Ok(Some(Received {
        cubin,
        kernel,
        extents,
        arguments,
    }))
}

fn receive_answer(from: &mut impl Read) -> io::Result<Result<Vec<Vec<u8>>, String>> {
    if receive_number(from)? != 0 {
        return Ok(Err(String::from_utf8_lossy(&receive_bytes(from)?).into_owned()));
    }
    let buffers = (0..receive_number(from)?).map(|_| receive_bytes(from));
    Ok(Ok(buffers.collect::<io::Result<_>>()?))
}

fn send_number(to: &mut impl Write, number: u64) -> io::Result<()> {
    to.write_all(&number.to_le_bytes())
}

fn send_bytes(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    send_number(to, bytes.len() as u64)?;
    to.write_all(bytes)
}

fn receive_number(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn receive_bytes(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let length = receive_number(from)?;
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == length {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_arrive_as_they_were_sent() {
        let arguments = vec![Argument::Buffer(vec![1, 2, 3]), Argument::Value(vec![4])];
        let extents = Extents {
            grid: [1, 2, 3],
            block: [4, 5, 6],
            cluster: [1; 3],
            shared: 7,
        };
        let job = Job {
            cubin: b"code",
            kernel: "k",
            extents,
            arguments: arguments.clone(),
        };
        let mut bytes = Vec::new();
        send(&mut bytes, &job).expect("memory takes everything");
        let mut pipe = bytes.as_slice();
        let received = receive(&mut pipe).expect("it is whole").expect("there is one");
        assert_eq!(
            (received.cubin.as_slice(), received.kernel.as_str()),
            (b"code".as_slice(), "k")
        );
        assert_eq!((received.extents, received.arguments), (extents, arguments));
        assert!(receive(&mut pipe).expect("the end is no error").is_none());
    }
}
