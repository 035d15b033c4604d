//! Which other machines does a command speak with?

mod variables;

use super::view::View;

/// Programs that fetch what an address names.
pub(super) const DOWNLOADERS: &[&str] =
    &["curl", "wget", "fetch", "aria2c", "http", "https", "xh", "lynx", "axel"];
/// Programs that carry what they are handed to another machine.
const CARRIERS: &[&str] = &[
    "nc", "ncat", "netcat", "telnet", "socat", "openssl", "ftp", "lftp", "tftp", "sftp", "scp",
    "rsync", "rclone", "ssh", "aws", "gsutil", "gcloud", "az", "azcopy", "s3cmd", "s5cmd", "mc",
    "b2", "gh", "glab", "mail", "mailx", "mutt", "sendmail", "swaks", "msmtp", "croc", "wormhole",
    "wscat", "websocat",
];
/// Programs that ask for a name, which is a way to say something.
pub(super) const RESOLVERS: &[&str] =
    &["dig", "nslookup", "host", "ping", "ping6", "drill", "kdig", "traceroute", "getent"];

/// Places that serve nothing but catching what is sent: a bare visit is a message.
const CATCHERS: &[&str] = &[
    "webhook.site",
    "requestbin.com",
    "requestbin.net",
    "pipedream.net",
    "requestcatcher.com",
    "beeceptor.com",
    "hookbin.com",
    "interact.sh",
    "interactsh.com",
    "oast.pro",
    "oast.live",
    "oast.site",
    "oast.online",
    "oast.fun",
    "oast.me",
    "burpcollaborator.net",
    "oastify.com",
    "dnslog.cn",
    "ceye.io",
    "canarytokens.com",
    "webhook.cool",
    "typedwebhook.tools",
    "httpdump.app",
];

/// Places where what is put can be picked up by anybody who has the address.
const PASTES: &[&str] = &[
    "transfer.sh",
    "file.io",
    "0x0.st",
    "termbin.com",
    "paste.rs",
    "ix.io",
    "sprunge.us",
    "pastebin.com",
    "hastebin.com",
    "dpaste.com",
    "dpaste.org",
    "paste.ee",
    "bashupload.com",
    "temp.sh",
    "gofile.io",
    "anonfiles.com",
    "catbox.moe",
    "uguu.se",
    "tmpfiles.org",
    "oshi.at",
    "ttm.sh",
    "clbin.com",
    "rentry.co",
    "ghostbin.com",
    "privatebin.net",
    "controlc.com",
    "justpaste.it",
    "envs.sh",
    "keep.sh",
    "api.telegram.org",
    "discord.com/api/webhooks",
    "discordapp.com/api/webhooks",
];

/// Whether anybody can fetch what is uploaded to `host`.
#[must_use]
pub(super) fn is_public_upload_host(host: &str) -> bool {
    CATCHERS.iter().chain(PASTES).any(|drop| is_domain_or_subdomain(host, drop))
}

/// Whether `host` only records requests, so that a mere request to it sends data.
#[must_use]
pub(super) fn is_request_catcher(host: &str) -> bool {
    CATCHERS.iter().any(|drop| is_domain_or_subdomain(host, drop))
}

/// Whether `host` is the domain `drop` or a subdomain of it.
fn is_domain_or_subdomain(host: &str, drop: &str) -> bool {
    host.strip_suffix(drop).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Whether the host is this machine.
pub(super) fn is_local_host(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    matches!(host, "localhost" | "::1" | "0.0.0.0" | "host.docker.internal")
        || host.starts_with("127.")
        || host.ends_with(".localhost")
}

/// Returns `true` if a text is one address with a scheme, and nothing else.
pub(super) fn is_url(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        !scheme.is_empty()
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    text.trim()
        .split_once("://")
        .is_some_and(|(scheme, rest)| is_scheme(scheme) && !rest.contains(char::is_whitespace))
}

/// Returns the host of an address, with the part that distinguishes two webhooks on one host.
pub(super) fn host_of_url(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    if scheme.is_empty() || scheme.ends_with("file") {
        return None;
    }
    let end = rest.find(['/', '\\', '?', '#', ' ', '"', '\'']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end)?;
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let host = canonical_host(host);
    let hook = path.starts_with("/api/webhooks");
    Some(if hook { format!("{host}/api/webhooks") } else { host }).filter(|text| !text.is_empty())
}

/// Returns the usual form of a host: `2852039166`, `0xa9.0xfe.0xa9.0xfe` and
/// `[::ffff:169.254.169.254]` are one machine.
pub(super) fn canonical_host(host: &str) -> String {
    let lower = host.trim_end_matches('.').to_ascii_lowercase();
    let plain = lower.strip_prefix("::ffff:").unwrap_or(&lower);
    let number = |part: &str| {
        if let Some(hex) = part.strip_prefix("0x") {
            return u64::from_str_radix(hex, 16).ok();
        }
        let octal = part.len() > 1 && part.starts_with('0');
        if octal { u64::from_str_radix(part, 8).ok() } else { part.parse().ok() }
    };
    let Some(parts) = plain.split('.').map(number).collect::<Option<Vec<u64>>>() else {
        return lower;
    };
    let Some((last, first)) = parts.split_last().filter(|(_, first)| first.len() < 4) else {
        return lower;
    };
    // The last part fills the bytes that are left.
    let bits = 8 * (4 - first.len());
    let mut address = *last;
    for (at, part) in first.iter().enumerate() {
        address |= part << (24 - 8 * at);
    }
    let fits = *last < (1 << bits) && first.iter().all(|n| *n < 256);
    match u32::try_from(address) {
        Ok(address) if fits => std::net::Ipv4Addr::from(address).to_string(),
        _ => lower,
    }
}

/// Returns the host in `/dev/tcp/HOST/PORT`, unless it is this machine.
pub(super) fn host_of_socket_path(file: &str) -> Option<String> {
    let rest = file.strip_prefix("/dev/tcp/").or_else(|| file.strip_prefix("/dev/udp/"))?;
    let host = canonical_host(rest.split('/').next().unwrap_or_default());
    (!is_local_host(&host)).then_some(host)
}

/// Returns the files that a command uploads to another machine, for commands whose arguments are
/// not a plain list of them.
pub(super) fn uploaded_files<'a>(view: &'a View<'_>) -> Vec<&'a str> {
    let operands = || {
        view.operands(&[
            "--region",
            "--profile",
            "--acl",
            "-d",
            "--desc",
            "-R",
            "--repo",
            "-t",
            "--title",
        ])
    };
    let mut found =
        view.option_values(&["--body-file", "--notes-file", "--input", "--file", "--source"]);
    if matches!(view.name.as_str(), "gh" | "glab") {
        found.extend(
            view.option_values(&["-F", "--field"])
                .into_iter()
                .map(|text| text.split_once("=@").map_or(text, |(_, file)| file)),
        );
    }
    let words = operands();
    let behind = |group: &str, verb: &str| match words.as_slice() {
        [first, second, rest @ ..] if *first == group && *second == verb => rest.to_vec(),
        _ => Vec::new(),
    };
    match view.name.as_str() {
        "aws" | "gcloud" => found.extend(words.iter().skip(2).filter(|word| !word.contains("://"))),
        "az" => {}
        _ => {
            found.extend(behind("gist", "create"));
            found.extend(behind("snippet", "create"));
            found.extend(behind("release", "upload").into_iter().skip(1));
            found.extend(behind("release", "create").into_iter().skip(1));
        }
    }
    found
}

/// Options of programs that speak with machines which take the next word as their value.
const VALUED: &[&str] = &[
    "-H",
    "--header",
    "-X",
    "--request",
    "-o",
    "--output",
    "-d",
    "--data",
    "-u",
    "-A",
    "-e",
    "-F",
    "-p",
    "-P",
    "-i",
    "-l",
    "-T",
    "-w",
    "-O",
    "-U",
    "-m",
    "-c",
    "--max-time",
];

/// Returns the hosts that a command connects to, without this machine.
pub(super) fn contacted_hosts(view: &View<'_>) -> Vec<String> {
    let name = view.name.as_str();
    let operands = || view.operands(VALUED);
    let addresses =
        view.args.iter().filter_map(|arg| host_of_url(arg.trim_start_matches("--url=")));
    let mut hosts: Vec<String> = addresses.collect();
    if DOWNLOADERS.contains(&name) {
        // `curl example.com/x` needs no scheme.
        let bare = operands().into_iter().filter(|operand| {
            !operand.contains("://") && operand.contains('.') && !operand.contains(' ')
        });
        hosts.extend(bare.filter_map(|text| host_of_url(&format!("http://{text}"))));
    }
    hosts.extend(hosts_in_special_arguments(view));
    hosts.extend(view.redirects.iter().filter_map(|(_, file)| host_of_socket_path(file)));
    hosts.extend(variables::hosts_in_variables(view));
    let mut hosts: Vec<String> = hosts.iter().map(|host| canonical_host(host)).collect();
    hosts.retain(|host| !is_local_host(host) && !host.is_empty());
    hosts
}

/// Words of `aws` that send content.
const AWS_SENDS: &[&str] = &["put-object", "put-secret-value", "publish", "send-message"];

/// Returns the hosts that a program names in its own way, such as `scp` and `nc`.
fn hosts_in_special_arguments(view: &View<'_>) -> Vec<String> {
    let name = view.name.as_str();
    let operands = || view.operands(VALUED);
    let mut hosts = Vec::new();
    match name {
        "nc" | "ncat" | "netcat" | "telnet" | "ftp" | "tftp" if !view.has_option('l', "listen") => {
            hosts.extend(operands().first().map(|operand| (*operand).to_owned()));
        }
        "scp" | "rsync" | "sftp" | "ssh" => {
            let remote =
                operands().into_iter().filter(|operand| !operand.starts_with(['/', '.', '~']));
            let ssh = matches!(name, "ssh" | "sftp");
            hosts.extend(
                remote.filter(|text| ssh || text.contains(':')).take(if ssh { 1 } else { 8 }).map(
                    |text| {
                        let host = text.split(':').next().unwrap_or_default();
                        host.rsplit('@').next().unwrap_or_default().to_owned()
                    },
                ),
            );
        }
        "socat" => hosts.extend(view.args.iter().filter_map(|arg| {
            let (kind, rest) = arg.split_once(':')?;
            let lower = kind.to_ascii_lowercase();
            let remote = lower.contains("connect")
                || matches!(lower.as_str(), "tcp" | "udp" | "tcp4" | "tcp6" | "ssl" | "openssl");
            rest.split(':').next().filter(|_| remote).map(str::to_owned)
        })),
        "gh" | "glab"
            if view.has_argument(&["gist", "release", "issue", "pr", "mr", "api", "snippet"]) =>
        {
            hosts.push(if name == "gh" { "github.com" } else { "gitlab.com" }.to_owned());
        }
        "az" | "azcopy" if view.has_argument(&["upload", "upload-batch", "copy", "cp"]) => {
            hosts.push("blob.core.windows.net".to_owned());
        }
        "aws" if view.has_argument(AWS_SENDS) => {
            hosts.push("amazonaws.com".to_owned());
        }
        "croc" | "wormhole" if view.has_argument(&["send"]) => hosts.push(name.to_owned()),
        "mail" | "mailx" | "mutt" | "sendmail" | "swaks" | "msmtp" => {
            let to = view.args.iter().filter_map(|arg| arg.rsplit_once('@'));
            hosts.extend(to.map(|(_, host)| host.to_owned()));
        }
        "openssl" => hosts.extend(
            view.option_values(&["-connect"])
                .iter()
                .filter_map(|text| text.split(':').next().map(str::to_owned)),
        ),
        "rclone" => hosts.extend(
            operands().into_iter().filter(|operand| operand.contains(':')).map(str::to_owned),
        ),
        _ => {}
    }
    hosts
}

/// Whether a command is able to send data to another machine; it may not do so.
pub(super) fn can_send_data(view: &View<'_>) -> bool {
    let name = view.name.as_str();
    let speaks = || {
        super::literals::inline_code(view)
            .iter()
            .any(|code| NETWORK.iter().any(|text| code.contains(text)))
    };
    DOWNLOADERS.contains(&name)
        || CARRIERS.contains(&name)
        || view.redirects.iter().any(|(_, file)| host_of_socket_path(file).is_some())
        || speaks()
}

/// What code of other languages speaks with other machines by.
const NETWORK: &[&str] = &[
    "requests.",
    "urllib",
    "urlopen",
    "http.",
    "https.",
    "httpx",
    "aiohttp",
    "fetch(",
    "axios",
    "socket",
    "Net::HTTP",
    "LWP",
    "curl",
    "WebSocket",
    "smtplib",
];

/// Whether a downloader names a host other than this machine, including a host without a dot in its
/// name.
pub(super) fn names_remote_host(view: &View<'_>) -> bool {
    let is_far = |operand: &&str| {
        let address = if operand.contains("://") {
            (*operand).to_owned()
        } else {
            format!("http://{operand}")
        };
        host_of_url(&address).is_some_and(|host| !is_local_host(&host))
    };
    DOWNLOADERS.contains(&view.name.as_str()) && view.operands(VALUED).iter().any(is_far)
}

/// Returns the files in which curl and wget save what they download.
pub(super) fn downloaded_files(view: &View<'_>) -> Vec<String> {
    let curl = view.name == "curl";
    let options: &[&str] = if curl { &["-o", "--output"] } else { &["-O", "--output-document"] };
    // `-sSLo x`: in a cluster the value is the next word.
    let cluster = view.args.windows(2).filter_map(|pair| match pair {
        [option, value] if curl => {
            let short = option.starts_with('-') && !option.starts_with("--") && option.len() > 2;
            (short && option.ends_with('o')).then(|| value.clone())
        }
        [option, value] => {
            let short = option.starts_with('-') && !option.starts_with("--") && option.len() > 2;
            (short && option.ends_with('O')).then(|| value.clone())
        }
        _ => None,
    });
    let mut files: Vec<String> = cluster.collect();
    files.extend(view.option_values(options).into_iter().map(str::to_owned));
    let by_address = if curl { view.has_option('O', "remote-name") } else { files.is_empty() };
    if by_address {
        // `-O` takes a value of wget, and none of curl: an address is known by its scheme in any place.
        let addresses = view.args.iter().map(String::as_str).filter(|arg| arg.contains("://"));
        let bare = view.operands(VALUED).into_iter().filter(|operand| !operand.contains("://"));
        let names = addresses
            .chain(bare)
            .filter_map(|address| address.split(['?', '#']).next()?.rsplit('/').next());
        files.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
    }
    files.retain(|file| file != "-" && file != "/dev/stdout");
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_an_address() {
        for (address, host) in [
            ("https://a.example/x?y", Some("a.example")),
            ("http://u:p@B.example:80", Some("b.example")),
            ("http://[::1]:3/x", Some("::1")),
            ("https://discord.com/api/webhooks/1/x", Some("discord.com/api/webhooks")),
            ("https://good.example@evil.example/x", Some("evil.example")),
            ("https://evil.example\\@good.example/", Some("evil.example")),
            ("http://2852039166/", Some("169.254.169.254")),
            ("http://0xA9.0xfe.0251.254/", Some("169.254.169.254")),
            ("http://169.254.43518/", Some("169.254.169.254")),
            ("http://[::ffff:169.254.169.254]:80/", Some("169.254.169.254")),
            ("http://metadata.google.internal./", Some("metadata.google.internal")),
            ("http://1.2.3.4.5/", Some("1.2.3.4.5")),
            ("http://999.1.1.1/", Some("999.1.1.1")),
            ("file:///etc/passwd", None),
            ("a.example", None),
        ] {
            assert_eq!(host_of_url(address).as_deref(), host, "{address}");
        }
        assert!(
            is_public_upload_host("x.oast.fun")
                && is_public_upload_host("webhook.site")
                && !is_public_upload_host("notwebhook.site.example")
        );
        assert!(is_request_catcher("abc.canarytokens.com") && !is_request_catcher("pastebin.com"));
    }
}
