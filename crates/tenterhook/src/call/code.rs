//! Would the line run code that nobody has read: downloaded, decoded, or hidden from the eye?

use super::Found;
use super::hosts::{self, DOWNLOADERS};
use super::literals;
use super::view::View;
use crate::shell::{Context, Line, Target, Via, Word, WordKind};

/// Programs that run what they read on their input when they are handed no script.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "pwsh", "powershell", "tcsh", "csh"];
/// The same for programs of other languages.
const LANGUAGES: &[&str] = &["python", "node", "perl", "ruby", "php", "deno", "bun", "lua", "osascript"];
/// Programs that run their operands as code of this shell.
const EVALUATORS: &[&str] = &["eval", "source", "."];

/// What makes a program decode what it is handed.
const DECODERS: &[(&str, &[&str])] = &[
    ("base64", &["-d", "-D", "--decode", "-di", "-id"]), ("gbase64", &["-d", "--decode"]), ("base32", &["-d", "--decode"]),
    ("basenc", &["-d", "--decode"]), ("openssl", &["-d"]), ("xxd", &["-r", "-rp"]), ("uudecode", &[]), ("rev", &[]), ("tr", &[]),
    ("gunzip", &[]), ("zcat", &[]), ("gzip", &["-d", "-dc", "-cd"]), ("bzcat", &[]), ("xzcat", &[]), ("unxz", &[]), ("rot13", &[]),
    ("gpg", &["-d", "--decrypt"]),
];
/// What code of another language decodes with.
const DECODING: &[&str] = &[
    "b64decode", "b32decode", "b16decode", "fromhex", "unhexlify", "a2b_", "codecs.decode", "zlib.decompress",
    "marshal.loads", "'base64'", "\"base64\"", "'hex'", "\"hex\"", "atob(", "decode_base64", "MIME::Base64", "pack(\"H*\"",
    "pack('H*'", "pack \"H*\"", "unpack", "Base64.decode", "base64_decode", "hex2bin", "gzinflate", "str_rot13", "fromCharCode",
    "\\x",
];
/// What such code runs the result with.
const RUNNING: &[&str] = &["exec(", "eval(", "eval ", "exec ", "system(", "system ", "popen", "spawn", "subprocess", "Function("];

pub(super) fn look(line: &Line, views: &[View<'_>], text: &str, found: &mut Found) {
    let mut kinds = Kinds::default();
    kinds.pipes(views);
    kinds.words(views);
    kinds.files(views);
    kinds.languages(views);
    if line.commands.iter().any(hides) || views.iter().any(|it| encoded_powershell(it)) {
        kinds.add("hidden");
    }
    if is_fork_bomb(line, text) {
        kinds.add("fork bomb");
    }
    found.code.extend(kinds.0);
}

/// The kinds of unread code of one line.
#[derive(Default)]
struct Kinds(Vec<String>);

impl Kinds {
    fn add(&mut self, kind: &str) {
        self.0.push(kind.to_owned());
    }

    /// `curl ... | sh`: something that fetches or decodes stands before something that runs its input.
    fn pipes(&mut self, views: &[View<'_>]) {
        let mut before: Vec<&str> = Vec::new();
        for view in views {
            if !before.is_empty() && runs_input(view) {
                before.drain(..).for_each(|kind| self.add(kind));
            }
            before.extend(brings(view).filter(|_| view.feeds()));
        }
    }

    /// `eval "$(curl ...)"`, `bash -c "$(...)"`, `bash <(curl ...)`, `sh <<< "$(...)"`.
    fn words(&mut self, views: &[View<'_>]) {
        for view in views.iter().filter(|it| takes_code(it)) {
            let words = view.command.words.iter().skip(1);
            let targets = view.command.redirects.iter().filter_map(|it| match &it.target {
                Target::Word(word) => Some(word),
                Target::HereDocument { .. } | Target::Closed => None,
            });
            for word in words.chain(targets).filter(|it| it.kind == WordKind::Expansion) {
                inside(word).into_iter().for_each(|kind| self.add(kind));
            }
        }
    }

    /// `curl -o x ... && sh x`.
    fn files(&mut self, views: &[View<'_>]) {
        let mut fetched: Vec<String> = Vec::new();
        for view in views {
            let runs = |file: &String| {
                let name = file_name(file);
                let by_name = view.command.via.iter().any(|via| {
                    matches!(via, Via::Path(path) if file_name(path.trim_matches(['"', '\''])) == name)
                });
                let operand = view.operands(&["-c"]).first().is_some_and(|it| file_name(it) == name);
                by_name || (operand && takes_code(view)) || (operand && is_language(&view.name))
            };
            if fetched.iter().any(runs) {
                self.add("downloaded");
            }
            if DOWNLOADERS.contains(&view.name.as_str()) && !hosts::of(view).is_empty() {
                fetched.extend(hosts::saved(view));
                let to = view.command.redirects.iter().filter(|it| it.operator.starts_with('>'));
                fetched.extend(to.filter_map(|it| match &it.target {
                    Target::Word(word) => Some(word.text.clone()),
                    Target::HereDocument { .. } | Target::Closed => None,
                }));
            }
        }
    }

    /// `python -c 'exec(base64.b64decode(...))'`
    fn languages(&mut self, views: &[View<'_>]) {
        for code in views.iter().flat_map(literals::code) {
            let says = |words: &[&str]| words.iter().any(|word| code.contains(word));
            if says(RUNNING) && says(DECODING) {
                self.add("decoded");
            }
            if says(RUNNING) && ["urlopen", "requests.get", "urllib", "http.get", "fetch("].iter().any(|it| code.contains(it)) {
                self.add("downloaded");
            }
        }
    }
}

/// What kind of code a command would bring, were its output run.
fn brings(view: &View<'_>) -> Option<&'static str> {
    let name = view.name.as_str();
    if DOWNLOADERS.contains(&name) && !hosts::of(view).is_empty() {
        return Some("downloaded");
    }
    let decodes = DECODERS.iter().any(|(known, options)| {
        *known == name && (options.is_empty() || view.args.iter().any(|it| options.contains(&it.as_str())))
    });
    let escapes = matches!(name, "printf" | "echo") && view.args.iter().any(|it| is_escaped(it));
    let prints = literals::interpreter(name).is_some()
        && literals::code(view).iter().any(|code| DECODING.iter().any(|it| code.contains(it)));
    (decodes || escapes || prints).then_some("decoded")
}

/// Whether a text spells characters by their numbers.
fn is_escaped(text: &str) -> bool {
    let hex = text.matches("\\x").count();
    let octal = text.split('\\').skip(1).filter(|it| it.starts_with(|c: char| ('0'..='7').contains(&c))).count();
    hex >= 2 || octal >= 2
}

fn is_language(name: &str) -> bool {
    LANGUAGES.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Whether a command runs what it finds on its input.
fn runs_input(view: &View<'_>) -> bool {
    let name = view.name.as_str();
    let operands = view.operands(&[]);
    if SHELLS.contains(&name) {
        let from_input = matches!(operands.first(), None | Some(&"-" | &"/dev/stdin"));
        return (from_input || view.has('s', "")) && !view.has('c', "command") && !view.has('n', "version")
            || behind_xargs(view);
    }
    if is_language(name) {
        return view.args.iter().all(|it| it == "-" || it == "/dev/stdin" || it == "-u");
    }
    if name == "eval" {
        return view.command.words.iter().any(|it| it.kind == WordKind::Expansion);
    }
    EVALUATORS.contains(&name) && operands.contains(&"/dev/stdin")
}

/// `... | xargs -I{} sh -c '{}'`
fn behind_xargs(view: &View<'_>) -> bool {
    let xargs = view.command.via.last() == Some(&Via::Wrapper("xargs"));
    xargs && view.has('c', "command") && view.command.words.iter().any(|it| it.kind == WordKind::Expansion)
}

/// Whether words or redirections of a command are code.
fn takes_code(view: &View<'_>) -> bool {
    EVALUATORS.contains(&view.name.as_str()) || SHELLS.contains(&view.name.as_str())
}

/// What the substitutions of a word bring.
fn inside(word: &Word) -> Vec<&'static str> {
    let inner = crate::shell::read(&format!(": {}", word.source));
    let paths = super::path::Paths::default();
    let views = super::view::views(&inner, &paths);
    views.iter().filter_map(brings).collect()
}

/// Whether the name of a program is put together so that nobody can read it.
fn hides(command: &crate::shell::SimpleCommand) -> bool {
    let Some(program) = command.words.first() else { return false };
    let source = program.source.as_str();
    // `$'\x72\x6d'`, `\162\155`
    if source.contains("$'") && source.contains('\\') {
        return true;
    }
    // `r''m`, `c"u"rl`: quotes around a part of a plain name. Around the whole of it they are nothing to hide.
    let plain = !program.text.contains(['/', ' ', '.', '=']) && program.kind == WordKind::Literal;
    let inner = source.get(1..source.len().saturating_sub(1)).unwrap_or_default();
    let split = inner.contains("''") || inner.contains("\"\"") || source.starts_with("''") || source.starts_with("\"\"");
    if plain && split && command.via.is_empty() {
        return true;
    }
    match program.kind {
        WordKind::Literal => false,
        // `/bin/r?`, `{rm,-rf,/}`
        WordKind::Pattern => source.contains(['?', '*', '[']) || source.starts_with('{'),
        WordKind::Expansion => {
            let named = program.is_named();
            let computed = source.contains("$(") || source.contains('`');
            let cut = source.contains("${!") || (source.contains("${") && source.contains(':') && !source.contains(":-"));
            source.contains("IFS") || cut || (computed && !named)
        }
    }
}

fn encoded_powershell(view: &View<'_>) -> bool {
    let shell = matches!(view.name.as_str(), "powershell" | "pwsh" | "powershell.exe" | "pwsh.exe");
    shell && view.args.iter().any(|it| {
        let option = it.to_ascii_lowercase();
        option.len() > 1 && "-encodedcommand".starts_with(&option) && option.starts_with("-e")
    })
}

/// `:(){ :|:& };:`: a function that pipes itself into itself.
fn is_fork_bomb(line: &Line, text: &str) -> bool {
    let names = line.commands.windows(2).filter_map(|pair| match pair {
        [one, two] if one.context == Context::Pipeline && two.context == Context::Pipeline => {
            one.program().filter(|it| one.words.len() == 1 && two.words.len() == 1 && two.program() == Some(it))
        }
        _ => None,
    });
    let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    names.into_iter().any(|name| squeezed.contains(&format!("{name}(){{")) || squeezed.contains(&format!("function{name}")))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
