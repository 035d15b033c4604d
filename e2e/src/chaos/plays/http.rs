//! Servers that misbehave towards hooks that are requests, and the secrets that they must not receive.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use tenterhook_testkit::server::{Manner, Reply, Server};

use super::super::judge::{self, Seen};
use super::super::row::{LIMITS, Required};
use super::super::scene::{ALLOW, DENY, Ended, Scene};
use super::stream;

/// A frame of HTTP/2 that says goodbye, to a client that speaks HTTP/1.1.
const GOAWAY: &str = "\0\0\u{8}\u{7}\0\0\0\0\0\0\0\0\0\0\0\0\0";

fn failed(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// What each server replies. What it would consent to must not pass.
fn script(name: &str, elsewhere: &str) -> Option<Reply> {
    let allow = || Reply::json(ALLOW);
    let plain = |status: u16| Reply { status, ..allow() };
    Some(match name {
        "http_301_to_the_metadata" => plain(301).header("location", "http://169.254.169.254/"),
        "http_307_to_another_server" => plain(307).header("location", elsewhere),
        "http_slow_headers" => allow().manner(Manner::DripHead),
        "http_slow_body" => allow().manner(Manner::DripBody),
        "http_gzip_bomb" => allow().header("content-encoding", "gzip"),
        "http_body_of_10_GB" => allow().header("content-length", "10737418240"),
        "http_body_without_end" => allow().manner(Manner::Endless),
        "http_chunks_without_end" => Reply::json("{\"decision\":").manner(Manner::Unended),
        "http_interim_replies_without_end" => allow().manner(Manner::Interim),
        "http_200_and_html" => Reply { body: "<html>allow</html>".to_owned(), ..Reply::default() }
            .header("content-type", "text/html"),
        "http_204_with_a_body" => plain(204).header("content-length", "20"),
        "http_429" => plain(429).header("retry-after", "31536000"),
        "http_reset" => allow().manner(Manner::Reset),
        "http_closed" => allow().manner(Manner::Closed),
        "http_mute" => allow().manner(Manner::Mute),
        "http_torn_body" => allow().manner(Manner::Torn),
        "http2_goaway" => Reply { body: GOAWAY.to_owned(), ..allow() }.manner(Manner::Raw),
        _ => return None,
    })
}

/// Faults by which each must be denied.
const CODES: &[(&str, &[&str])] = &[
    ("http_301_to_the_metadata", &["http-redirect"]),
    ("http_307_to_another_server", &["http-redirect"]),
    ("http_slow_headers", &["timed-out", "http-too-large"]),
    ("http_slow_body", &["timed-out"]),
    ("http_gzip_bomb", &["http-encoding"]),
    ("http_body_of_10_GB", &["http-too-large"]),
    ("http_body_without_end", &["http-too-large", "http-not-json"]),
    ("http_chunks_without_end", &["timed-out"]),
    ("http_interim_replies_without_end", &["http-too-large", "timed-out"]),
    ("http_200_and_html", &["http-not-json"]),
    ("http_204_with_a_body", &["http-not-json", "http-broken"]),
    ("http_429", &["http-limited"]),
    ("http_reset", &["http-broken"]),
    ("http_closed", &["http-broken"]),
    ("http_mute", &["timed-out"]),
    ("http_torn_body", &["http-broken"]),
    ("http2_goaway", &["http-broken"]),
];

fn configure(scene: &Scene, url: &str) -> Result<(), String> {
    let text = format!(
        "[hook.row]\non = \"PreToolUse\"\nhttp = {{ url = {url:?}, headers = {{ Authorization = \"Bearer $CHAOS_SECRET\" }} }}\n\
         pass = [\"CHAOS_SECRET\"]\ntimeout = \"4s\"\n"
    );
    scene.write("tenterhook.toml", text).map(drop).map_err(failed)
}

/// One server, one event: denied, in time, and no other server receives anything.
pub(in crate::chaos) fn misbehaves(scene: &Scene) -> Result<Seen, String> {
    let name = scene.row.name;
    let second = Server::start(Reply::json(ALLOW)).map_err(failed)?;
    let reply = script(name, &second.url()).ok_or("there is no such server")?;
    let codes =
        CODES.iter().find(|code| code.0 == name).map(|code| code.1).ok_or("nothing is required")?;
    let server = Server::start(reply).map_err(failed)?;
    configure(scene, &format!("{}/", server.url()))?;
    let ended = scene.fire()?;
    let got = judge::answered(&ended, Required::Policy(codes))?;
    if let Some(late) = late(&ended) {
        return Ok(late);
    }
    judge::recorded(scene)?;
    if second.connections() > 0 {
        return Err("another server was spoken to".to_owned());
    }
    if server.requests().len() > 1 {
        return Err(format!("asked {} times", server.requests().len()));
    }
    unsaid(scene, &ended)?;
    Ok(Seen::Holds(got))
}

/// Whether it took more than the hook's time and what a busy machine takes beside it.
fn late(ended: &Ended) -> Option<Seen> {
    let most = Duration::from_millis(4_000 + 250 + 5_000);
    (ended.took > most).then(|| Seen::Late(format!("settled after {} ms", ended.took.as_millis())))
}

/// HT-23: what was sent in a header stands nowhere.
fn unsaid(scene: &Scene, ended: &Ended) -> Result<(), String> {
    let log = scene.tenterhook("log --format json")?;
    let said = [&ended.stdout, ended.stderr.as_bytes(), &log.stdout].map(String::from_utf8_lossy);
    if said.iter().any(|text| text.contains("swordfish")) {
        return Err("the secret is sent".to_owned());
    }
    Ok(())
}

/// An empty reply says nothing, by rule; if an answer is required, it is a failure.
pub(in crate::chaos) fn empty(scene: &Scene) -> Result<Seen, String> {
    let server = Server::start(Reply::status(204)).map_err(failed)?;
    configure(scene, &format!("{}/", server.url()))?;
    let plain = judge::answered(&scene.fire()?, Required::Passes)?;
    let config = fs::read_to_string(scene.path("tenterhook.toml")).map_err(failed)?;
    scene.write("tenterhook.toml", config + "answer = \"required\"\n").map_err(failed)?;
    let required = judge::answered(&scene.fire()?, Required::Policy(&["no-answer"]))?;
    Ok(Seen::Documented(format!(
        "{plain} (HT-50: empty is silence); `answer = \"required\"`: {required}"
    )))
}

/// No server listens.
pub(in crate::chaos) fn refused(scene: &Scene) -> Result<Seen, String> {
    let server = Server::start(Reply::json(ALLOW)).map_err(failed)?;
    let url = server.url();
    drop(server);
    configure(scene, &url)?;
    judge::answered(&scene.fire()?, Required::Policy(&["http-connect"])).map(Seen::Holds)
}

/// A reply that is followed by an unrequested one, which must not answer the next event.
pub(in crate::chaos) fn poisons(scene: &Scene) -> Result<Seen, String> {
    let first = Reply::json(ALLOW).manner(Manner::Twice);
    let script = Reply { then: vec![first, Reply::json(DENY)], ..Reply::default() };
    let server = Server::start(script).map_err(failed)?;
    configure(scene, &server.url())?;
    let outcomes = stream::in_turn(scene, &["ls".to_owned(), "ls".to_owned()])?;
    let text = outcomes.iter().map(judge::in_short).collect::<Vec<_>>().join("; ");
    match server.requests().len() == 2 && text.starts_with("allow; deny") {
        true => Ok(Seen::Holds(text)),
        false => Err(text),
    }
}

/// A name that leads to this machine, in a file of names that only this firing sees.
pub(in crate::chaos) fn rebinds(scene: &Scene) -> Result<Seen, String> {
    let server = Server::start(Reply::json(ALLOW)).map_err(failed)?;
    let port = server.address().port();
    let names =
        scene.write("hosts", "127.0.0.1 rebound.test\n::1 rebound.test\n").map_err(failed)?;
    configure(scene, &format!("https://rebound.test:{port}/"))?;
    let line = format!(
        "exec unshare -Urm bash -c 'mount --bind {} /etc/hosts && exec {}'",
        names.display(),
        scene.fire_line()
    );
    let ended = scene.run(&line, "/dev/null", LIMITS)?;
    if ended.outcome().is_none() && !works(scene, "unshare -Urm true") {
        return Ok(Seen::NotHere(
            "no user namespaces, in which to give a name to an address".to_owned(),
        ));
    }
    let got = judge::answered(&ended, Required::Policy(&["http-address"]))?;
    if server.connections() > 0 {
        return Err("it was connected to".to_owned());
    }
    Ok(Seen::Holds(got))
}

pub(super) fn works(scene: &Scene, line: &str) -> bool {
    scene.run(line, "/dev/null", LIMITS).is_ok_and(|run| run.code() == Some(0))
}

/// An authority, and what it vouches for: one that is right, one that is over, one for another host.
const CERTIFICATES: &str = r#"
set -e
cd "$1"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem
openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout leaf.key -out leaf.csr
issue() { printf "subjectAltName=DNS:$2\n" >"$1.ext"; openssl x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile "$1.ext" $3 -out "$1.pem"; }
issue right localhost '-days 2'
issue other elsewhere.test '-days 2'
issue over localhost '-days -1'
"#;

const SERVER: &str = r#"
import http.server, os, ssl, sys
class Consents(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        body = b'{deny}' if sys.argv[1] == "right" else b'{allow}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = http.server.HTTPServer(("127.0.0.1", 0), Consents)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1] + ".pem", "leaf.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
with open("port.new", "w") as file:
    file.write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
"#;

/// A server that cannot show who it is, beside one that can: what is refused is refused for its certificate.
pub(in crate::chaos) fn certificates(scene: &Scene) -> Result<Seen, String> {
    let which = if scene.row.name == "http_expired_tls" { "over" } else { "other" };
    scene.program("tls/make.sh", CERTIFICATES).map_err(failed)?;
    scene.program("tls/server.py", SERVER).map_err(failed)?;
    let made =
        scene.run(&scene.fill("exec bash {scene}tls/make.sh {scene}tls"), "/dev/null", LIMITS)?;
    if made.code() != Some(0) {
        let has = Command::new("openssl").arg("version").output().is_ok();
        let why = judge::shortened(&made.stderr, 200);
        return if has { Err(why) } else { Ok(Seen::NotHere("there is no `openssl`".to_owned())) };
    }
    let right = behind(scene, "right")?;
    judge::answered(&right, Required::Deny)
        .map_err(|error| format!("a right certificate: {error}"))?;
    let wrong = behind(scene, which)?;
    judge::answered(&wrong, Required::Policy(&["http-tls"])).map(Seen::Holds)
}

fn behind(scene: &Scene, certificate: &str) -> Result<Ended, String> {
    let port = scene.path("tls/port");
    let _ = fs::remove_file(&port);
    let line = scene.fill("cd {scene}tls; exec /usr/bin/python3 server.py ") + certificate;
    let (mut server, ..) = scene.start(&line, std::process::Stdio::null(), LIMITS)?;
    let until = Instant::now() + Duration::from_secs(20);
    while !port.exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    let number = fs::read_to_string(&port).unwrap_or_default();
    let fired = configure(scene, &format!("https://localhost:{number}/")).and_then(|()| {
        let roots = scene.fill("export SSL_CERT_FILE={scene}tls/ca.pem; exec ");
        scene.run(&(roots + &scene.fire_line()), "/dev/null", LIMITS)
    });
    let _ = (server.kill(), server.wait());
    fired
}
