//! Which code do PowerShell, cmd and other programs of Windows run that they are handed? Walks words, reads no code.

use super::super::word::{Word, WordKind};
use super::super::wrapper::Behind;
use super::Language;
use super::argument::Argument;

/// Where a program is handed a command line.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum CmdCode {
    /// All words behind one of these, joined.
    Rest(&'static [&'static str]),
    /// The word behind one of these.
    Word(&'static [&'static str]),
    /// The first word that is no option.
    Operand,
}

/// Parameters of PowerShell itself, in the order in which a shortened one is looked up; with their other names.
const PARAMETERS: &[(&str, &[&str], Takes)] = &[
    ("Command", &["c"], Takes::Code),
    ("EncodedCommand", &["e", "ec"], Takes::Encoded),
    ("ExecutionPolicy", &["ex", "ep"], Takes::Value),
    ("File", &["f"], Takes::File),
    ("NoProfile", &["nop"], Takes::Nothing),
    ("NonInteractive", &["noni"], Takes::Nothing),
    ("NoExit", &["noe"], Takes::Nothing),
    ("NoLogo", &["nol"], Takes::Nothing),
    ("WindowStyle", &["w"], Takes::Value),
    ("WorkingDirectory", &["wd", "wo"], Takes::Value),
    ("Version", &["v"], Takes::Value),
    ("InputFormat", &["in", "if"], Takes::Value),
    ("OutputFormat", &["o", "of"], Takes::Value),
    ("ConfigurationName", &["config"], Takes::Value),
    ("ConfigurationFile", &[], Takes::Value),
    ("CommandWithArgs", &["cwa"], Takes::Code),
    ("CustomPipeName", &["cus"], Takes::Value),
    ("EncodedArguments", &["ea"], Takes::Value),
    ("SettingsFile", &["settings"], Takes::Value),
    ("PSConsoleFile", &["psc"], Takes::Value),
    ("Login", &["l"], Takes::Nothing),
    ("Interactive", &["i"], Takes::Nothing),
    ("STA", &[], Takes::Nothing),
    ("MTA", &[], Takes::Nothing),
];

/// What follows a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    Code,
    Encoded,
    File,
}

/// Returns whether a program is PowerShell or cmd.
pub(super) fn is_windows_shell(name: &str) -> bool {
    matches!(name, "powershell" | "pwsh" | "cmd")
}

fn find_powershell_parameter(text: &str) -> Option<(&'static str, Takes)> {
    let name = text.strip_prefix("--").or_else(|| text.strip_prefix(['-', '/', '–', '—', '―']))?;
    let name = name.to_ascii_lowercase();
    let exact = |row: &&(&str, &[&str], Takes)| row.1.contains(&name.as_str());
    let starts = |row: &&(&str, &[&str], Takes)| row.0.to_ascii_lowercase().starts_with(&name);
    let found = PARAMETERS.iter().find(exact).or_else(|| PARAMETERS.iter().find(starts));
    found.filter(|_| !name.is_empty()).map(|(name, _, takes)| (*name, *takes))
}

/// Completes abbreviated options of the `powershell` program.
pub(super) fn complete_powershell_options(words: &mut [Argument]) {
    if !words.first().is_some_and(|word| matches!(word.value_text(), "powershell" | "pwsh")) {
        return;
    }
    let mut is_value = false;
    for word in words.iter_mut().skip(1) {
        if std::mem::take(&mut is_value) {
            continue;
        }
        let Some((name, takes)) =
            find_powershell_parameter(word.value_text()).filter(|_| word.is_value_known())
        else {
            return;
        };
        word.word.text = format!("-{name}");
        match takes {
            Takes::Nothing => {}
            Takes::Value => is_value = true,
            Takes::Code | Takes::Encoded | Takes::File => return,
        }
    }
}

/// Returns what `powershell` runs; `words` are those after its name.
pub(in super::super) fn code_run_by_powershell(words: &[Word]) -> Vec<Behind> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let Some((_, takes)) = find_powershell_parameter(&word.text) else {
            let is_script = word.text.to_ascii_lowercase().ends_with(".ps1");
            let code = join_as_code(words.get(at - 1..).unwrap_or_default(), Language::PowerShell);
            return vec![if is_script { Behind::Script } else { code }];
        };
        let rest = words.get(at..).unwrap_or_default();
        match takes {
            Takes::Nothing => {}
            Takes::Value => at += 1,
            Takes::Code if rest.len() == 1 && rest.first().is_some_and(|word| word.text == "-") => {
                return vec![Behind::Foreign(Language::PowerShell, None)];
            }
            Takes::Code => return vec![join_as_code(rest, Language::PowerShell)],
            Takes::Encoded => {
                let code = rest.first().filter(|word| word.kind == WordKind::Literal);
                let code = code.and_then(|word| decode_encoded_command(&word.text));
                return vec![code.map_or(Behind::Unknown, |code| {
                    Behind::Foreign(Language::PowerShell, Some(code))
                })];
            }
            Takes::File => {
                let is_input = rest.first().is_some_and(|word| word.text == "-");
                return vec![match rest.first() {
                    Some(_) if is_input => Behind::Foreign(Language::PowerShell, None),
                    Some(file) if file.kind == WordKind::Literal => Behind::Script,
                    _ => Behind::Unknown,
                }];
            }
        }
    }
    Vec::new()
}

fn join_as_code(words: &[Word], language: Language) -> Behind {
    // The reader of cmd knows its variables.
    let is_open = |word: &Word| {
        let is_cmd = language == Language::Cmd && !word.text.contains(['$', '`']);
        word.kind == WordKind::Expansion && !is_cmd
    };
    if words.is_empty() || words.iter().any(is_open) {
        return Behind::Unknown;
    }
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    Behind::Foreign(language, Some(text))
}

impl CmdCode {
    /// Returns the command line after a program's name.
    pub(in super::super) fn command_line_after_name(self, words: &[Word]) -> Vec<Behind> {
        let is_one = |word: &Word, options: &[&str]| {
            let text = word.text.replace("//", "/");
            options.iter().any(|option| text.eq_ignore_ascii_case(option))
        };
        let behind = |options: &[&str]| {
            let at = words.iter().position(|word| is_one(word, options))?;
            words.get(at + 1..)
        };
        let code = match self {
            Self::Rest(options) => behind(options)
                .filter(|rest| !rest.is_empty())
                .or_else(|| empty_rest_if_code_attached(words)),
            Self::Word(options) => behind(options).and_then(|rest| rest.get(..1)),
            Self::Operand => {
                let is_option = |word: &Word| word.text.starts_with(['/', '-']);
                let at = words.iter().position(|word| !is_option(word));
                at.and_then(|at| words.get(at..=at))
            }
        };
        code.map(|code| join_as_code(code, Language::Cmd)).into_iter().collect()
    }
}

/// Returns an empty rest, hence unknown code, if code is attached to its option: `cmd /cdel` is not
/// followed.
fn empty_rest_if_code_attached(words: &[Word]) -> Option<&[Word]> {
    let starts = |word: &Word| {
        let small = word.text.to_ascii_lowercase();
        small.len() > 2 && (small.starts_with("/c") || small.starts_with("/k"))
    };
    words.iter().any(starts).then_some(&[])
}

/// Decodes the text of `-EncodedCommand`: UTF-16 in base 64.
fn decode_encoded_command(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0_u32);
    for letter in text.trim().trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = (held << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((held >> bits) & 0xff).ok()?);
        }
    }
    let units =
        bytes.chunks_exact(2).filter_map(|pair| pair.try_into().ok().map(u16::from_le_bytes));
    char::decode_utf16(units).collect::<Result<String, _>>().ok().filter(|text| !text.is_empty())
}
