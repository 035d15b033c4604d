//! Whether a URL leads where its author can see that it leads (HT-10 to HT-13).

use super::*;

#[test]
fn a_url_is_read_as_it_is_written() {
    let target = |url: &str| Target::parse_url(url).unwrap();
    let usual = target("https://Hooks.Example.com:8443/a?token=b");
    assert_eq!(usual.host, "hooks.example.com");
    assert_eq!(usual.origin, "https://Hooks.Example.com:8443");
    assert!(usual.secure && !usual.is_this_machine());
    for url in
        ["http://localhost:80/x", "http://LOCALHOST", "http://127.0.0.1/", "http://[::1]:1?x"]
    {
        let target = target(url);
        assert!(target.is_this_machine() && !target.secure, "{url}");
    }
    assert!(target("https://8.8.8.8/").secure);
    let long = format!("https://a.example/{}", "x".repeat(8000));
    assert_eq!(Target::parse_url(&long), Err(BadUrl::Long));
    assert!(target("https://[2606:4700::1111]/").secure);
}

/// HT-2
#[test]
fn what_is_sent_of_a_url_is_what_was_written() {
    for (url, authority, path) in [
        ("https://A.example:443/x?y=z#w", "a.example", "/x?y=z"),
        ("https://a.example:8443?y", "a.example:8443", "/?y"),
        ("https://a.example#w", "a.example", "/"),
        ("http://[::1]:80/../x", "[::1]", "/../x"),
        ("http://localhost:443/%20{a|b}^`<\"'", "localhost:443", "/%20%7Ba%7Cb%7D%5E%60%3C%22'"),
    ] {
        let target = Target::parse_url(url).unwrap();
        assert_eq!(
            (target.host_and_port().as_str(), target.path.as_str()),
            (authority, path),
            "{url}"
        );
    }
}

#[test]
fn what_clients_read_differently_is_refused() {
    use BadUrl::{Character, Host, NoHost, Notation, Plain, Port, Scheme, UserInfo};
    let cases: &[(&str, BadUrl)] = &[
        ("ftp://example.com", Scheme),
        ("example.com", Scheme),
        ("https:example.com", Scheme),
        ("file:///etc/passwd", Scheme),
        ("http://example.com/", Plain),
        ("http://localhost.example.com/", Plain),
        ("http://localhost./", Plain),
        ("https://evil.example\0.good.example/", Character("a control character")),
        ("https://good.example\t/", Character("a control character")),
        ("https://good.example /", Character("a space")),
        (" https://good.example/", Character("a space")),
        ("https://good.example\\@evil.example/", Character("a backslash")),
        ("https://user:word@good.example/", UserInfo),
        ("https://good.example@evil.example/", UserInfo),
        ("https:///path", NoHost),
        ("https://:443/", NoHost),
        ("https://good.example:0/", Port),
        ("https://good.example:65536/", Port),
        ("https://good.example:/", Port),
        ("https://good.example:+80/", Port),
        ("https://a..b/", Host),
        ("https://a%00.b/", Host),
        ("https://$HOST/", Host),
        ("https://[::1/", Port),
        ("https://[fe80::1%eth0]/", Host),
        ("https://[::1]x/", Host),
        ("https://127.1/", Notation),
        ("https://2130706433/", Notation),
        ("https://0x7f000001/", Notation),
        ("https://0x7f.0.0.1/", Notation),
        ("https://0177.0.0.1/", Notation),
        ("https://127.0.0.1./", Notation),
        ("https://1.2.3.4.5/", Notation),
        ("https://a.0x/", Notation),
    ];
    for (url, why) in cases {
        assert_eq!(Target::parse_url(url).as_ref(), Err(why), "{url:?}");
    }
    let wide = Target::parse_url("https://\u{ff11}27.0.0.1/").unwrap_err();
    assert!(matches!(wide, Character(what) if what.contains("ASCII")), "{wide:?}");
}

#[test]
fn addresses_that_are_not_public_are_refused() {
    let inside = "0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.2 127.255.255.255 169.254.169.254 172.16.0.1 \
        172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 \
        224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::ffff:8.8.8.8 ::8.8.8.8 64:ff9b::808:808 \
        64:ff9b:1::1 100::1 fc00::1 fdff::1 fe80::1 fec0::1 ff02::1 2001::1 2001:db8::1 2001:20::1 2002:808:808::1 \
        3fff::1 5f00::1 4000::1";
    for address in inside.split_whitespace() {
        assert!(address_refusal_reason(address.parse().unwrap()).is_some(), "{address}");
    }
    let outside = "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 \
        192.0.1.1 198.17.255.255 198.20.0.0 223.255.255.255 2606:4700::1111 2a00::1 2001:4860::8888 2003::1";
    for address in outside.split_whitespace() {
        assert_eq!(address_refusal_reason(address.parse().unwrap()), None, "{address}");
    }
    let literal = |url: &str| Target::parse_url(url).unwrap_err();
    assert_eq!(literal("https://169.254.169.254/"), BadUrl::Address("a link-local address"));
    assert_eq!(literal("https://127.0.0.2/"), BadUrl::Address("a loopback address"));
    assert_eq!(
        literal("http://[::ffff:127.0.0.1]/"),
        BadUrl::Address("an IPv4 address in another form")
    );
}
