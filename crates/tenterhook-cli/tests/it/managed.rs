//! The organisation's files as the program reads them: in a separate root, whose `/etc` belongs to root there.

use std::process::Command;

use crate::fixture::{CliOutput, Fixture};

/// Makes a root of the system's directories with another `/etc`, and runs a script in it. `/` and `/etc` belong to the root user there.
const WITHIN: &str = r#"
PATH="$PATH:/usr/sbin:/sbin"
mkdir root; mount -t tmpfs -o mode=0755 none root
for name in /bin /lib /lib64 /sbin /usr /dev /proc "$PWD"; do
    [ -d "$name" ] || continue
    mkdir -p "root$name"; mount --rbind "$name" "root$name"
done
# A copy of the program belongs to root there.
mkdir -p root/opt; cp "$(command -v tenterhook)" root/opt/; chmod 755 root root/opt root/opt/tenterhook; PATH="/opt:$PATH"
mkdir -p root/etc/tenterhook root/etc/codex; cp "$HOME/managed.toml" root/etc/tenterhook/tenterhook.toml
exec chroot root sh -c 'cd "$1/project" && . "$HOME/script"' - "$PWD"
"#;

pub(crate) const GUARD: &str = "[hook.no-force]\non = 'PreToolUse'\nif = 'Bash(git push -f*)'\nshell = 'echo no force >&2; exit 2'\n";

/// What a script says in a machine whose organisation says `managed` and whose user says `user`; `None` where no such machine can be made.
pub(crate) fn play(managed: &str, user: &str, script: &str) -> Option<CliOutput> {
    let can = Command::new("unshare").args(["-rm", "true"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let fixture = Fixture::new();
    fixture.write("home/managed.toml", managed);
    if !user.is_empty() {
        fixture.write("home/.config/tenterhook/tenterhook.toml", user);
    }
    fixture.write("home/within", WITHIN);
    fixture.write("home/script", script);
    let said = fixture.shell("cd ..; unshare -rm sh -e $HOME/within");
    // Some systems let a namespace be made and nothing be mounted in it.
    let is_made = !said.stderr.contains("mount:");
    is_made.then_some(said)
}

/// C-89: the file is held from when everybody may write it until only root may, with a message from each command.
#[test]
fn a_managed_file_that_others_may_write_is_held_until_it_is_mended() {
    let script = "F=/etc/tenterhook/tenterhook.toml; chmod 0666 $F; echo > $F; \
        tenterhook check || echo check $?; tenterhook check $F || echo named $?; \
        tenterhook fire Bash ls || echo fire $?; tenterhook doctor --no-fire || echo doctor $?; \
        tenterhook list; chmod 0644 $F; tenterhook fire Bash ls && echo mended";
    let Some(output) = play(GUARD, "", script) else { return };
    let all = output.all();
    let flat = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let flat_errors = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in ["check 1", "named 1", "fire 2", "doctor 1", "mended"] {
        assert!(output.stdout.contains(word), "{word}: {all}");
    }
    let both = format!("{flat} {flat_errors}");
    for text in [
        "managed-file-exposed",
        "everybody may write `/etc/tenterhook/tenterhook.toml`",
        "run `chmod o-w /etc/tenterhook/tenterhook.toml`",
        "are held until only root may write",
    ] {
        assert!(both.contains(text), "{text}: {all}");
    }
}

/// C-77, C-90: what the organisation requires is on record, where it would be without the user's word.
#[test]
fn a_user_neither_switches_off_nor_moves_a_required_record() {
    let managed = format!("{GUARD}[record]\nrequired = true\n");
    let user = "[record]\nenabled = false\ndir = \"~/elsewhere\"\n";
    let script = "tenterhook fire Bash ls; tenterhook log | grep -c PreToolUse; ls ~/elsewhere || echo none; tenterhook check";
    let Some(output) = play(&managed, user, script) else { return };
    assert!(output.stdout.contains("\n1\n") && output.stdout.contains("none"), "{}", output.all());
    assert_eq!(output.stdout.matches("warning[record-not-heard]").count(), 2, "{}", output.all());
}

/// RE-50, RE-51, C-77: a user neither switches off nor redirects the records that the organisation
/// collects, and a log that takes none is reported.
#[test]
fn user_cannot_keep_records_from_the_managed_system_log() {
    let managed =
        format!("{GUARD}[record]\nsystem_log = \"syslog\"\nsocket = \"/etc/tenterhook/log\"\n");
    let user = "[record]\nenabled = false\nsystem_log = \"off\"\nsocket = \"~/log\"\n";
    let script = "tenterhook fire Bash ls; tenterhook log verify; tenterhook check; echo then; tenterhook status; tenterhook log; \
        tenterhook status --format json | grep -o '\"unsent_records\": 2'";
    let Some(output) = play(&managed, user, script) else { return };
    let lost = "records did not reach the log of the system";
    assert!(output.stdout.contains(lost) && output.stdout.contains("whole:"), "{}", output.all());
    let (_, status) = output.stdout.split_once("then\n").unwrap();
    assert!(status.contains(&format!("not sent      the last 2 {lost}")), "{}", output.all());
    assert!(status.contains("\"unsent_records\": 2"), "{}", output.all());
    assert!(output.stderr.contains("warning: the last 2 records"), "{}", output.all());
    assert_eq!(output.stdout.matches("warning[record-not-heard]").count(), 3, "{}", output.all());
}

/// C-91: the file of the machine that `install codex --scope managed` writes is no user's to switch off, and a managed file that is
/// named is read as one.
#[test]
fn a_user_switches_off_no_file_of_the_machine() {
    let user = "[source.\"/etc/codex/hooks.json\"]\nenabled = false\n";
    let script = r#"printf %s '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 2"}]}]}}' > /etc/codex/hooks.json;
        tenterhook list; tenterhook fire Bash ls || echo fire $?; tenterhook check; tenterhook check /etc/tenterhook/tenterhook.toml"#;
    let managed = format!(
        "{GUARD}[record]\nrequired = true\n[shadow]\nallowed = false\n[trust]\nunapproved = \"hold\"\n"
    );
    let Some(output) = play(&managed, user, script) else { return };
    let all = output.all();
    assert!(output.stdout.contains("/etc/codex/hooks.json (codex, managed)"), "{all}");
    assert!(
        output.stdout.contains("fire 2") && output.stdout.contains("switch-not-heard"),
        "{all}"
    );
    assert!(output.stdout.contains("only a managed file changes this"), "{all}");
    assert!(!output.stdout.contains("managed-key-ignored"), "{all}");
    assert!(output.stdout.contains("no findings in 1 file"), "{all}");
}

/// BR-162: managed entries start only a program that users can start and cannot change, by the file, a link or a directory above it.
#[test]
fn managed_entries_start_only_a_program_that_users_cannot_change() {
    let script = r#"mkdir -p /srv/in ~/.claude; cp /opt/tenterhook /srv/in/; ln -s /srv/in /opt/link; P=/srv/in/tenterhook
        S=$(sha256sum /etc/tenterhook/tenterhook.toml | cut -d' ' -f1)
        put() { echo "$1"; tenterhook install claude --scope managed --program "${2:-$P}" || echo "$1 $?"; }
        seen() { tenterhook status --expect $S; echo "$1 $?"; }
        chmod 777 $P; put file; chmod 755 $P; chmod 777 /srv/in; put above; put linked /opt/link/tenterhook; chmod 755 /srv/in
        chmod 750 $P; put unread; chmod 755 $P; chmod 700 /srv; put closed; chmod 755 /srv
        ls /etc/claude-code || echo nothing; put fine; seen good; chmod 777 /srv/in; seen exposed
        tenterhook status | grep 'everybody may write `/srv/in`'; tenterhook status --format json >~/json || echo json $?
        chmod 755 /srv/in; seen mended; sed -i 's|/srv/in/tenterhook|tenterhook|' /etc/claude-code/*; seen bare
        grep -o '"program-exposed"' ~/json; chmod 777 $P; tenterhook install claude --program $P; echo own $?"#;
    let Some(output) = play(GUARD, "", script) else { return };
    let all = output.all();
    for line in [
        "file 1",
        "above 1",
        "linked 1",
        "unread 1",
        "closed 1",
        "nothing",
        "good 0",
        "exposed 5",
        "json 5",
        "mended 0",
        "bare 5",
        "\"program-exposed\"",
        "own 0",
    ] {
        assert!(output.stdout.contains(&format!("{line}\n")), "{line}: {all}");
    }
    let flat = all.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "everybody may write `/srv/in/tenterhook`: other users could change the program",
        "other users cannot pass `/srv`",
        "run `sudo install -m 755 /srv/in/tenterhook /usr/local/bin/`",
        "everybody may write `/srv/in`: users can change the program of these entries",
        "each user's `PATH` decides which program `tenterhook` is",
    ] {
        assert!(flat.contains(text), "{text}: {all}");
    }
}
