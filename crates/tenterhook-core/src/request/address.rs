//! Where may a request go? Reads a URL as it is written and judges addresses; resolves and connects nothing.
//!
//! A URL is taken apart here and once more by the client that connects. What the two could read differently (spaces,
//! backslashes, names and passwords, numbers that are addresses in other notations) is refused (HT-10).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A URL to which an envelope may be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The host, in small letters; an IPv6 address without its brackets.
    pub host: String,
    /// Scheme, host and port, for messages: a path may hold a token.
    pub origin: String,
    /// Whether what is sent is encrypted.
    pub secure: bool,
    /// The port, said or not.
    pub port: u16,
    /// Path and query, as they are sent.
    pub path: String,
}

/// Why a URL cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadUrl {
    /// Neither `https://` nor `http://`.
    #[error("it does not begin with `https://`")]
    Scheme,
    /// Plain HTTP to another machine.
    #[error("`http://` goes to this machine alone, written as `localhost`, `127.0.0.1` or `[::1]`")]
    Plain,
    /// A character that clients read differently.
    #[error("it holds {0}")]
    Character(&'static str),
    /// `user:password@host`.
    #[error("it holds a name or a password before the host")]
    UserInfo,
    /// No host.
    #[error("it has no host")]
    NoHost,
    /// A host that is no name and no address.
    #[error("its host is neither a name nor an address")]
    Host,
    /// An address in a notation that not everybody reads alike.
    #[error("its host is an address in an unusual notation")]
    Notation,
    /// A URL that servers do not take.
    #[error("it is longer than {LENGTH} characters")]
    Long,
    /// An invalid port.
    #[error("its port is not a number from 1 to 65535")]
    Port,
    /// An address that is not public.
    #[error("its host is {0}")]
    Address(&'static str),
}

/// The hosts that mean this machine because somebody wrote them, not because a name leads there.
const THIS_MACHINE: &[&str] = &["localhost", "127.0.0.1", "::1"];

/// How long a URL may be: what RFC 9110 wants every server to take at least.
const LENGTH: usize = 8000;

/// Characters that no request line has, though people write them in URLs: each is percent-encoded, as in every client.
const ENCODED: &[char] = &['"', '<', '>', '^', '`', '{', '|', '}'];

/// Networks of IPv4 that no client reaches, or should not be made to reach, through a hook.
const V4: &[(Ipv4Addr, u8, &str)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, "an address of this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private address"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "an address of a carrier's own network"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "a loopback address"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "a link-local address"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private address"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "an address for documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a 6to4 relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private address"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "an address for measurements"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "an address for documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "an address for documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "a multicast address"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved address"),
];

/// The same of IPv6, narrow ones first. An address outside the global range at all is caught by its end.
const V6: &[(Ipv6Addr, u8, &str)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, "an address of this network"),
    (Ipv6Addr::LOCALHOST, 128, "a loopback address"),
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, "an IPv4 address in another form"),
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0, 0, 0), 96, "an IPv4 address in another form"),
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 32, "a NAT64 address"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "a private address"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "a link-local address"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "a multicast address"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "an address for documentation"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "a tunnel or a reserved address"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "a 6to4 address"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "an address for documentation"),
];

/// Where the addresses are of which the whole world means the same.
const GLOBAL_V6: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

impl Target {
    /// Reads `url` as it is written.
    ///
    /// # Errors
    ///
    /// When nothing may be sent there.
    pub fn parse_url(url: &str) -> Result<Self, BadUrl> {
        reject_unusual_characters(url)?;
        if url.len() > LENGTH {
            return Err(BadUrl::Long);
        }
        let (scheme, rest) = url.split_once("://").ok_or(BadUrl::Scheme)?;
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "https" && scheme != "http" {
            return Err(BadUrl::Scheme);
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end).ok_or(BadUrl::NoHost)?;
        if authority.contains('@') {
            return Err(BadUrl::UserInfo);
        }
        let (host, port) = split_host_and_port(authority)?;
        let secure = scheme == "https";
        let target = Self {
            host: parse_host(&host.to_ascii_lowercase())?,
            origin: format!("{scheme}://{authority}"),
            secure,
            port: port.unwrap_or(default_port(secure)),
            path: request_path_and_query(path),
        };
        target.check_is_permitted()
    }

    /// Returns host and port as the request sends them, without the default port.
    pub fn host_and_port(&self) -> String {
        let Self { host, port, secure, .. } = self;
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        if *port == default_port(*secure) { host } else { format!("{host}:{port}") }
    }

    /// Returns true if the URL names this machine literally.
    pub(crate) fn is_this_machine(&self) -> bool {
        host_is_this_machine(&self.host)
    }

    fn check_is_permitted(self) -> Result<Self, BadUrl> {
        if self.is_this_machine() {
            return Ok(self);
        }
        if let Some(why) = self.host.parse().ok().and_then(address_refusal_reason) {
            return Err(BadUrl::Address(why));
        }
        if self.secure { Ok(self) } else { Err(BadUrl::Plain) }
    }
}

/// Returns true if a host name, as written, means this machine (HT-11).
pub fn host_is_this_machine(host: &str) -> bool {
    THIS_MACHINE.contains(&host)
}

/// Returns why requests to `address` are refused; `None` if it is a public address.
pub fn address_refusal_reason(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => {
            let bits =
                |address: Ipv4Addr, length: u8| address.to_bits() >> (32 - u32::from(length));
            let same = |(net, length, _): &&(Ipv4Addr, u8, _)| {
                bits(address, *length) == bits(*net, *length)
            };
            V4.iter().find(same).map(|(_, _, why)| *why)
        }
        IpAddr::V6(address) => {
            let bits =
                |address: Ipv6Addr, length: u8| address.to_bits() >> (128 - u32::from(length));
            let within = |(net, length): (Ipv6Addr, u8)| bits(address, length) == bits(net, length);
            let found = V6.iter().find(|(net, length, _)| within((*net, *length)));
            let outside = (!within(GLOBAL_V6)).then_some("no public address");
            found.map(|(_, _, why)| *why).or(outside)
        }
    }
}

/// Rejects characters that clients strip, translate or stop at, each in its own way.
fn reject_unusual_characters(url: &str) -> Result<(), BadUrl> {
    let odd = |c: char| match c {
        '\\' => Some("a backslash"),
        c if c.is_control() => Some("a control character"),
        c if c.is_whitespace() => Some("a space"),
        c if !c.is_ascii() => {
            Some("a character outside ASCII (write the host as `xn--...`, the path with `%`)")
        }
        _ => None,
    };
    match url.chars().find_map(odd) {
        Some(what) => Err(BadUrl::Character(what)),
        None => Ok(()),
    }
}

const fn default_port(secure: bool) -> u16 {
    if secure { 443 } else { 80 }
}

/// Returns the path and query as the request line has them: with a leading slash, without a
/// fragment.
fn request_path_and_query(written: &str) -> String {
    let written = written.split('#').next().unwrap_or_default();
    let slash = if written.starts_with('/') { "" } else { "/" };
    let encoded = written.chars().map(|c| match ENCODED.contains(&c) {
        true => format!("%{:02X}", u32::from(c)),
        false => c.to_string(),
    });
    std::iter::once(slash.to_owned()).chain(encoded).collect()
}

/// Splits an authority into the host and the port, if there is one.
fn split_host_and_port(authority: &str) -> Result<(&str, Option<u16>), BadUrl> {
    let end = match authority.rfind(']') {
        Some(at) => at + 1,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (host, port) = authority.split_at_checked(end).ok_or(BadUrl::Host)?;
    if port.is_empty() {
        return Ok((host, None));
    }
    let digits = port.strip_prefix(':').ok_or(BadUrl::Host)?;
    let number =
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u16>().ok());
    match number.flatten() {
        None | Some(0) => Err(BadUrl::Port),
        port => Ok((host, port)),
    }
}

fn parse_host(host: &str) -> Result<String, BadUrl> {
    if host.is_empty() {
        return Err(BadUrl::NoHost);
    }
    if let Some(inner) = host.strip_prefix('[') {
        let address: Option<Ipv6Addr> = inner.strip_suffix(']').and_then(|rest| rest.parse().ok());
        return address.map(|address| address.to_string()).ok_or(BadUrl::Host);
    }
    // What ends in a number is an address to every client, in notations that differ from client to client.
    let labels = host.strip_suffix('.').unwrap_or(host);
    let last = labels.rsplit('.').next().unwrap_or_default();
    if last.starts_with(|c: char| c.is_ascii_digit()) && is_numeric_label(last) {
        let plain: Option<Ipv4Addr> = host.parse().ok();
        return plain.map(|address| address.to_string()).ok_or(BadUrl::Notation);
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_label = |label: &str| !label.is_empty() && label.len() <= 63 && label.bytes().all(fits);
    if labels.len() > 253 || !labels.split('.').all(is_label) {
        return Err(BadUrl::Host);
    }
    Ok(host.to_owned())
}

fn is_numeric_label(label: &str) -> bool {
    let hexadecimal =
        label.strip_prefix("0x").map(|rest| rest.bytes().all(|c| c.is_ascii_hexdigit()));
    hexadecimal.unwrap_or_else(|| label.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
