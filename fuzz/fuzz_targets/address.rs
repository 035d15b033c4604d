//! Any text is a URL to which nothing is sent, or one that another reader takes apart in the same way; no header holds the end of a line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenterhook::internal::fuzzed;
use url::{Host, Url};

fuzz_target!(|text: &str| {
    if let Some((host, port, is_plain)) = fuzzed::parse_allowed_url(text) {
        let other = Url::parse(text).expect("a URL for others, too");
        let said = match other.host() {
            Some(Host::Domain(domain)) => domain.to_owned(),
            Some(Host::Ipv4(ipv4)) => ipv4.to_string(),
            Some(Host::Ipv6(ipv6)) => ipv6.to_string(),
            None => String::new(),
        };
        let same = match (host.parse::<std::net::IpAddr>(), said.parse::<std::net::IpAddr>()) {
            (Ok(one), Ok(other)) => one == other,
            _ => host == said,
        };
        assert!(same, "`{host}` and `{said}`");
        assert_eq!(other.port_or_known_default(), Some(port));
        assert_eq!(other.scheme() == "http", is_plain);
    }
    let (name, value) = text.split_once(':').unwrap_or(("X-Key", text));
    let listed = ["KEY".to_owned()];
    for held in ["secret", text] {
        if let Some(sent) = fuzzed::expand_header_value(name, value, &listed, held) {
            assert!(!sent.contains(['\r', '\n', '\0']), "{sent:?}");
        }
    }
});
