//! Starts a program whose current folder can be asked for after its end.
//!
//! The kernel drops a process's folder before its parent hears of its end, whatever ended it. A program that was made
//! with `CLONE_FS` shares the folder (and the umask) with its parent instead, so that the parent still stands where it
//! ended.

use std::ffi::{CString, OsStr};
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use rustix::process::{Pid, WaitOptions};

/// Starts the program of `command` with its arguments and variables, in this process's folder, which it shares from
/// now on. It gets this name and these streams, and leads a process group of its own. Nothing else of `command` counts;
/// the variables must have been cleared.
///
/// # Errors
/// The system's error, also if the program cannot be executed.
pub fn start(command: &Command, name: &OsStr, streams: [BorrowedFd<'_>; 3]) -> io::Result<Pid> {
    let file = CString::new(command.get_program().as_bytes())?;
    let words = std::iter::once(name).chain(command.get_args());
    let words = words.map(|word| CString::new(word.as_bytes())).collect::<Result<Vec<_>, _>>()?;
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let variables = set.map(|(name, value)| CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()));
    let variables = variables.collect::<Result<Vec<_>, _>>()?;
    let image = Image { file: &file, words: &pointers(&words), variables: &pointers(&variables) };
    let (mut trouble, tell) = io::pipe()?;
    let tell = OwnedFd::from(tell);
    let child = clone()?;
    let Some(child) = Pid::from_raw(child) else { image.become_it(streams, &tell) };
    drop(tell);
    let mut number = [0; 4];
    match trouble.read_exact(&mut number) {
        // It has been executed, which closed the other end.
        Err(_ended) => Ok(child),
        Ok(()) => {
            // Somebody else may have heard of its end already.
            let _ = rustix::process::waitpid(Some(child), WaitOptions::empty());
            Err(io::Error::from_raw_os_error(i32::from_ne_bytes(number)))
        }
    }
}

/// Pointers to these texts, with a null at the end.
fn pointers(texts: &[CString]) -> Vec<*const libc::c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
}

/// A new process with a copy of the memory of this one; 0 in the new one. This thread waits until the new process
/// executes a program or ends.
#[expect(unsafe_code, reason = "no safe function shares the folder with a new process")]
fn clone() -> io::Result<i32> {
    let flags = libc::CLONE_FS | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: without CLONE_VM, this is fork(2). The new process has one thread, and until it executes a program or ends
    // it neither allocates nor takes a lock, which another thread could have held.
    let child = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    match i32::try_from(child) {
        Ok(child @ 0..) => Ok(child),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A program to execute, as the kernel takes it. Both lists end with a null.
struct Image<'a> {
    file: &'a CString,
    words: &'a [*const libc::c_char],
    variables: &'a [*const libc::c_char],
}

impl Image<'_> {
    /// Runs in the new process. It must not allocate.
    #[expect(
        unsafe_code,
        reason = "what the standard library does between fork and exec has no safe function"
    )]
    fn become_it(&self, [input, output, error]: [BorrowedFd<'_>; 3], tell: &OwnedFd) -> ! {
        let ready = rustix::process::setpgid(None, None)
            .and_then(|()| rustix::stdio::dup2_stdin(input))
            .and_then(|()| rustix::stdio::dup2_stdout(output))
            .and_then(|()| rustix::stdio::dup2_stderr(error));
        let number = match ready {
            Err(error) => error.raw_os_error(),
            Ok(()) => {
                // The runtime of Rust ignores it, which a program would inherit.
                // SAFETY: this installs no function.
                unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
                let (words, variables) = (self.words.as_ptr(), self.variables.as_ptr());
                // SAFETY: the file and everything in the two lists are texts with a NUL that outlive this call, and both
                // lists end with a null.
                unsafe { libc::execve(self.file.as_ptr(), words, variables) };
                io::Error::last_os_error().raw_os_error().unwrap_or(0)
            }
        };
        let _ = rustix::io::write(tell.as_fd(), &number.to_ne_bytes());
        // SAFETY: this ends the process at once.
        unsafe { libc::_exit(127) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests may fail loudly and start programs")]
mod tests {
    use super::*;
    use std::io::Write as _;

    /// Starts `sh -c LINE` in the root folder; its output and status, and this process's folder afterwards.
    fn run(file: &str, line: &str) -> io::Result<(String, Option<i32>, std::path::PathBuf)> {
        std::env::set_current_dir("/").unwrap();
        let mut command = Command::new(file);
        command.args(["-c", line]).env_clear().env("A", "b c");
        let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null").unwrap();
        let (mut out, into) = io::pipe().unwrap();
        let child = start(&command, OsStr::new("named"), [null.as_fd(), into.as_fd(), null.as_fd()])?;
        drop(into);
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        let (_, status) = rustix::process::waitpid(Some(child), WaitOptions::empty()).unwrap().unwrap();
        Ok((text, status.exit_status(), std::env::current_dir().unwrap()))
    }

    /// One test, because the folder belongs to the whole process.
    #[test]
    fn its_parent_stands_where_it_ended() {
        for (line, out, status, folder) in [
            ("cd /usr/bin; echo $0 $A", "named b c\n", Some(0), "/usr/bin"),
            ("cd /usr && exit 3", "", Some(3), "/usr"),
            ("(cd /usr); cd /tmp & wait", "", Some(0), "/"),
            ("cd /usr; kill -9 $$", "", None, "/usr"),
            ("cd /usr; exec true", "", Some(0), "/usr"),
            ("ps -o pgid= -p $$ | grep -qw $$", "", Some(0), "/"),
            ("cd /usr; kill -PIPE $$", "", None, "/usr"),
        ] {
            let ended = run("/bin/sh", line).unwrap();
            assert_eq!(ended, (out.to_owned(), status, folder.into()), "{line}");
        }
        assert_eq!(run("/bin/absent", "").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(run("/etc/passwd", "").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        io::stderr().flush().unwrap();
    }
}
