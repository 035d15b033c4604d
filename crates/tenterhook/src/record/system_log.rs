//! Sends records to the log of the system, syslog or the journal of systemd, through its local socket
//! (RE-50 to RE-52). Never waits: a record that the socket does not take at once is lost there. Writes
//! no file.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::entry::{Body, insert_field};
use tenterhook_core::source::{RecordTable, SystemLog};

/// The name of the program in the log.
const NAME: &str = "tenterhook";
/// Maximum length of a message: that of common syslog servers, less their own fields.
const MOST_SYSLOG: usize = 7 << 10;
/// Maximum length of a message to the journal.
const MOST_JOURNALD: usize = 32 << 10;
/// The facility `authpriv`, whose files only administrators read.
const FACILITY: u8 = 10;

/// The fields that a record leaves out if it is too long for a message.
const LEFT_OUT: &[&str] = &["content", "hooks", "reasons"];

/// The socket of a log, and its protocol.
#[derive(Clone, Debug)]
pub(super) struct LogSocket {
    pub(super) path: PathBuf,
    protocol: Protocol,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Syslog,
    Journald,
}

impl LogSocket {
    /// The socket that the settings name; `None` if they name no log.
    pub(super) fn from_settings(table: &RecordTable) -> Option<Self> {
        let (protocol, usual) = match table.system_log? {
            SystemLog::Off => return None,
            SystemLog::Syslog if cfg!(target_os = "macos") => (Protocol::Syslog, "/var/run/syslog"),
            SystemLog::Syslog => (Protocol::Syslog, "/dev/log"),
            SystemLog::Journald => (Protocol::Journald, "/run/systemd/journal/socket"),
        };
        let path = table.socket.clone().unwrap_or_else(|| usual.into());
        Some(Self { path, protocol })
    }

    /// Sends a record: its `line`, or if that is too long the record without its longest fields.
    ///
    /// # Errors
    ///
    /// Fails if the socket does not take it at once.
    pub(super) fn send(&self, body: &Body, line: &str) -> io::Result<()> {
        let severity = log_severity_of_record(body);
        let message = self.log_message_for_record(severity, line.trim_end());
        if message.len() <= self.max_message_bytes() {
            return send_datagram(&self.path, message.as_bytes());
        }
        let message = self.log_message_for_record(severity, &record_without_longest_fields(line)?);
        match message.len() <= self.max_message_bytes() {
            true => send_datagram(&self.path, message.as_bytes()),
            false => Err(io::ErrorKind::FileTooLarge.into()),
        }
    }

    const fn max_message_bytes(&self) -> usize {
        match self.protocol {
            Protocol::Syslog => MOST_SYSLOG,
            Protocol::Journald => MOST_JOURNALD,
        }
    }

    /// The message for a record, which is one line.
    fn log_message_for_record(&self, severity: u8, record: &str) -> String {
        match self.protocol {
            Protocol::Syslog => {
                format!("<{}>{NAME}[{}]: {record}", FACILITY * 8 + severity, std::process::id())
            }
            Protocol::Journald => format!(
                "MESSAGE={record}\nPRIORITY={severity}\nSYSLOG_FACILITY={FACILITY}\nSYSLOG_IDENTIFIER={NAME}\n"
            ),
        }
    }
}

/// Returns a record without its longest fields. It keeps the digest of the whole one, which the next
/// record names.
fn record_without_longest_fields(line: &str) -> io::Result<String> {
    let mut record: Body = serde_json::from_str(line)?;
    record.retain(|key, _| !LEFT_OUT.contains(&key.as_str()));
    insert_field(&mut record, "left_out", LEFT_OUT.to_vec());
    Ok(serde_json::to_string(&record)?)
}

/// Returns how severe a record is for the log: a warning for what was denied or lost.
fn log_severity_of_record(body: &Body) -> u8 {
    const WARNING: u8 = 4;
    const NOTICE: u8 = 5;
    const INFO: u8 = 6;
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    match (text("kind"), text("decision")) {
        (_, Some("deny" | "stop")) | (Some("recovered" | "unsent"), _) => WARNING,
        (Some("said"), _) => NOTICE,
        _ => INFO,
    }
}

#[cfg(unix)]
fn send_datagram(path: &Path, message: &[u8]) -> io::Result<()> {
    let socket = std::os::unix::net::UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    socket.send_to(message, path).map(drop)
}

#[cfg(not(unix))]
fn send_datagram(_path: &Path, _message: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
