//! What a program says on descriptor 3: with which code it will exit. Decides nothing about its run.

use std::os::fd::OwnedFd;

use rustix::event::epoll;
use rustix::io::Errno;

use super::post::Post;

/// Our end of descriptor 3.
pub(crate) struct Announcements {
    fd: Option<OwnedFd>,
    /// The line that is under way, as far as it can be one of ours.
    line: Vec<u8>,
}

/// The longest line that means anything: three digits.
const LONGEST: usize = 3;

impl Announcements {
    /// Takes a descriptor that is in the epoll set.
    pub(crate) const fn new(fd: Option<OwnedFd>) -> Self {
        Self { fd, line: Vec::new() }
    }

    /// Reads once, and returns the exit code as soon as it was announced. Later bytes are ignored.
    pub(crate) fn read_exit_code(&mut self, post: &Post, scratch: &mut [u8]) -> Option<u8> {
        let fd = self.fd.as_ref()?;
        match rustix::io::read(fd, &mut *scratch) {
            Err(Errno::AGAIN | Errno::INTR) => None,
            Ok(0) | Err(_) => {
                self.close(post);
                None
            }
            Ok(count) => {
                let code = self.take_exit_code(scratch.get(..count).unwrap_or_default());
                if code.is_some() {
                    self.close(post);
                }
                code
            }
        }
    }

    /// Returns the exit code of the first line that holds one.
    fn take_exit_code(&mut self, bytes: &[u8]) -> Option<u8> {
        for &byte in bytes {
            if byte != b'\n' {
                // One too many makes it a line that means nothing, however much longer it gets.
                if self.line.len() <= LONGEST {
                    self.line.push(byte);
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if let Some(code) = parse_exit_code(&line) {
                return Some(code);
            }
        }
        None
    }

    /// Stops listening.
    pub(crate) fn close(&mut self, post: &Post) {
        if let Some(fd) = self.fd.take() {
            // It fails only for a descriptor that is not in the set.
            let _ = epoll::delete(&post.epoll, &fd);
        }
    }
}

/// Parses a line as an exit code.
fn parse_exit_code(line: &[u8]) -> Option<u8> {
    let digits = line.len() <= LONGEST && line.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(line).ok().filter(|_| digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_is_an_exit_code_counts() {
        for (texts, expected) in [
            (&["0\n"][..], Some(0)),
            (&["2", "55", "\n"], Some(255)),
            (&["\n", "words\n7\n8\n"], Some(7)),
            (&["0001\n3\n"], Some(3)),
            (&["256\n"], None),
            (&["-1\n+1\n 1\n1 \n"], None),
            (&["1"], None),
            (&["1\r\n"], None),
            (&["\u{663}\n"], None),
        ] {
            let mut announcements = Announcements::new(None);
            let code = texts.iter().find_map(|text| announcements.take_exit_code(text.as_bytes()));
            assert_eq!(code, expected, "{texts:?}");
        }
    }

    #[test]
    fn a_flood_is_not_kept() {
        let mut announcements = Announcements::new(None);
        assert_eq!(announcements.take_exit_code(&[b'1'; 100_000]), None);
        assert!(announcements.line.len() <= LONGEST + 1);
    }
}
