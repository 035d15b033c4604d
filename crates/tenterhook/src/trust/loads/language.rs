//! In which language is a script written, and what are that language's names for paths and for loading files? Data.

use std::path::Path;

/// A language of scripts whose loads are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::trust) enum Language {
    Shell,
    Python,
    Node,
    Ruby,
    Perl,
    /// A `package.json`, which names the file that a directory stands for.
    Package,
}

/// The endings of each language's files, and the names of its interpreters without version.
const LANGUAGES: &[(Language, &[&str], &[&str])] = &[
    (
        Language::Shell,
        &["sh", "bash", "zsh", "ksh", "dash"],
        &["sh", "bash", "dash", "zsh", "ksh", "ash"],
    ),
    (Language::Python, &["py", "pyw"], &["python", "pypy", "uv"]),
    (
        Language::Node,
        &["js", "cjs", "mjs", "ts", "cts", "mts", "jsx", "tsx"],
        &["node", "nodejs", "bun", "deno", "tsx", "ts-node"],
    ),
    (Language::Ruby, &["rb"], &["ruby", "jruby"]),
    (Language::Perl, &["pl", "pm"], &["perl"]),
];

impl Language {
    /// The language that a program runs, in whichever of its versions.
    pub(in crate::trust) fn interpreted_by(program: &str) -> Option<Self> {
        let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let row = LANGUAGES
            .iter()
            .find(|(_, _, names)| names.contains(&plain) || names.contains(&program));
        row.map(|(language, _, _)| *language)
    }

    /// The language of a file: by its first line, by its ending, or as shells start what has neither.
    pub(in crate::trust) fn of_file(path: &Path, bytes: &[u8]) -> Option<Self> {
        if path.file_name().is_some_and(|name| name == "package.json") {
            return Some(Self::Package);
        }
        if let Some(line) =
            bytes.strip_prefix(b"#!").and_then(|rest| rest.split(|byte| *byte == b'\n').next())
        {
            let line = String::from_utf8_lossy(line);
            let names = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
            return names.filter_map(Self::interpreted_by).next();
        }
        let ending = path.extension()?.to_str()?;
        LANGUAGES
            .iter()
            .find(|(_, endings, _)| endings.contains(&ending))
            .map(|(language, _, _)| *language)
    }

    /// What the reader of code knows of it.
    pub(super) fn vocabulary(self) -> Option<&'static Vocabulary> {
        match self {
            Self::Shell | Self::Package => None,
            Self::Python => Some(&PYTHON),
            Self::Node => Some(&NODE),
            Self::Ruby => Some(&RUBY),
            Self::Perl => Some(&PERL),
        }
    }
}

/// What a function makes of its arguments, or an attribute of what it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Makes {
    /// The same path.
    Same,
    /// The path behind links.
    Real,
    /// The directory that holds it.
    Parent,
    /// `parents[N]`: as many directories up.
    Parents,
    /// All arguments, one in the other.
    Join,
    /// The first argument, from the second one: `File.expand_path("x", directory)`.
    From,
    /// The first argument, beside the second one: `new URL("./x", file)`.
    Beside,
    /// The name at its end, which is no path.
    Name,
    /// A variable of the environment.
    Variable,
}

/// What a function does with the file that it is handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// Runs the file that is this argument.
    Runs(usize),
    /// Runs a program: any argument, and any entry of a list of them.
    Starts,
    /// Runs a line of a shell.
    Line,
    /// Loads a module by its name or path.
    Module,
    /// Adds directories in which modules are looked up.
    Searches,
    /// Runs a text as code.
    Evaluates,
}

/// The names of one language.
pub(super) struct Vocabulary {
    /// What begins a comment up to the end of the line.
    pub(super) comment: &'static str,
    /// Names of the script's own path.
    pub(super) file: &'static [&'static str],
    /// Names of the directory of the script.
    pub(super) directory: &'static [&'static str],
    /// Whether those two are the path behind links.
    pub(super) is_real: bool,
    /// Names of the working directory.
    pub(super) base: &'static [&'static str],
    pub(super) makes: &'static [(&'static str, Makes)],
    pub(super) does: &'static [(&'static str, Does)],
    /// Words after which an argument stands without brackets.
    pub(super) commands: &'static [&'static str],
    /// Texts that show that the script writes files.
    pub(super) writes: &'static [&'static str],
    /// What joins two texts.
    pub(super) joins: &'static [char],
}

const PYTHON: Vocabulary = Vocabulary {
    comment: "#",
    file: &["__file__", "sys.argv[0]"],
    directory: &["sys.path[0]"],
    is_real: false,
    base: &["os.getcwd()", "Path.cwd()", "pathlib.Path.cwd()", "os.curdir"],
    makes: &[
        ("Path", Makes::Join),
        ("PurePath", Makes::Join),
        ("joinpath", Makes::Join),
        ("join", Makes::Join),
        ("str", Makes::Same),
        ("fspath", Makes::Same),
        ("abspath", Makes::Same),
        ("normpath", Makes::Same),
        ("absolute", Makes::Same),
        ("as_posix", Makes::Same),
        ("expanduser", Makes::Same),
        ("fsdecode", Makes::Same),
        ("expandvars", Makes::Same),
        ("realpath", Makes::Real),
        ("resolve", Makes::Real),
        ("dirname", Makes::Parent),
        ("parent", Makes::Parent),
        ("parents", Makes::Parents),
        ("name", Makes::Name),
        ("stem", Makes::Name),
        ("basename", Makes::Name),
        ("with_name", Makes::Beside),
        ("getenv", Makes::Variable),
        ("environ", Makes::Variable),
        ("get", Makes::Variable),
    ],
    does: &[
        ("sys.path.insert", Does::Searches),
        ("sys.path.append", Does::Searches),
        ("sys.path.extend", Does::Searches),
        ("site.addsitedir", Does::Searches),
        ("run_path", Does::Runs(0)),
        ("execfile", Does::Runs(0)),
        ("spec_from_file_location", Does::Runs(1)),
        ("SourceFileLoader", Does::Runs(1)),
        ("load_source", Does::Runs(1)),
        ("import_module", Does::Module),
        ("__import__", Does::Module),
        ("run_module", Does::Module),
        ("subprocess.run", Does::Starts),
        ("subprocess.call", Does::Starts),
        ("subprocess.check_call", Does::Starts),
        ("subprocess.check_output", Does::Starts),
        ("subprocess.Popen", Does::Starts),
        ("Popen", Does::Starts),
        ("check_output", Does::Starts),
        ("os.execv", Does::Starts),
        ("os.execvp", Does::Starts),
        ("os.execl", Does::Starts),
        ("os.execlp", Does::Starts),
        ("os.execve", Does::Starts),
        ("os.execvpe", Does::Starts),
        ("os.spawnv", Does::Starts),
        ("os.system", Does::Line),
        ("os.popen", Does::Line),
        ("getoutput", Does::Line),
        ("exec", Does::Evaluates),
        ("eval", Does::Evaluates),
    ],
    commands: &[],
    writes: &[
        "'w'",
        "\"w\"",
        "'a'",
        "\"a\"",
        "'wb'",
        "\"wb\"",
        "'ab'",
        "\"ab\"",
        "'a+'",
        "\"a+\"",
        "'w+'",
        "\"w+\"",
        "write_text",
        "write_bytes",
        "mkdir",
        "makedirs",
        ".touch(",
        "unlink",
        "os.replace",
        "os.rename",
        "O_CREAT",
        "sqlite3.connect",
        "FileHandler",
    ],
    joins: &['+', '/'],
};

const NODE: Vocabulary = Vocabulary {
    comment: "//",
    file: &[
        "__filename",
        "import.meta.url",
        "import.meta.filename",
        "import.meta.path",
        "process.argv[1]",
        "require.main.filename",
        "module.filename",
    ],
    directory: &["__dirname", "import.meta.dirname", "import.meta.dir", "module.path"],
    is_real: true,
    base: &["process.cwd()"],
    makes: &[
        ("join", Makes::Join),
        ("resolve", Makes::Join),
        ("normalize", Makes::Same),
        ("dirname", Makes::Parent),
        ("fileURLToPath", Makes::Same),
        ("pathToFileURL", Makes::Same),
        ("URL", Makes::Beside),
        ("pathname", Makes::Same),
        ("href", Makes::Same),
        ("toString", Makes::Same),
        ("String", Makes::Same),
        ("realpathSync", Makes::Real),
        ("basename", Makes::Name),
        ("env", Makes::Variable),
    ],
    does: &[
        ("require", Does::Module),
        ("require.resolve", Does::Module),
        ("import", Does::Module),
        ("spawn", Does::Starts),
        ("spawnSync", Does::Starts),
        ("execFile", Does::Starts),
        ("execFileSync", Does::Starts),
        ("fork", Does::Starts),
        ("execa", Does::Starts),
        ("Bun.spawn", Does::Starts),
        ("Bun.spawnSync", Does::Starts),
        ("Worker", Does::Runs(0)),
        ("exec", Does::Line),
        ("execSync", Does::Line),
        ("eval", Does::Evaluates),
        ("vm.runInThisContext", Does::Evaluates),
        ("vm.runInNewContext", Does::Evaluates),
        ("Function", Does::Evaluates),
    ],
    commands: &[],
    writes: &[
        "writeFile",
        "appendFile",
        "createWriteStream",
        "mkdir",
        "unlink",
        "rename",
        "rmSync",
        "openSync",
        "copyFile",
    ],
    joins: &['+'],
};

const RUBY: Vocabulary = Vocabulary {
    comment: "#",
    file: &["__FILE__", "$0", "$PROGRAM_NAME"],
    directory: &["__dir__"],
    is_real: true,
    base: &["Dir.pwd", "Dir.getwd"],
    makes: &[
        ("expand_path", Makes::From),
        ("absolute_path", Makes::From),
        ("realpath", Makes::Real),
        ("dirname", Makes::Parent),
        ("parent", Makes::Parent),
        ("join", Makes::Join),
        ("Pathname", Makes::Same),
        ("Pathname.new", Makes::Same),
        ("to_s", Makes::Same),
        ("basename", Makes::Name),
        ("ENV", Makes::Variable),
        ("fetch", Makes::Variable),
    ],
    does: &[
        ("require_relative", Does::Runs(0)),
        ("require", Does::Module),
        ("load", Does::Runs(0)),
        ("autoload", Does::Runs(1)),
        ("$LOAD_PATH.unshift", Does::Searches),
        ("$:.unshift", Does::Searches),
        ("$LOAD_PATH.push", Does::Searches),
        ("$:.push", Does::Searches),
        ("$LOAD_PATH", Does::Searches),
        ("$:", Does::Searches),
        ("system", Does::Starts),
        ("spawn", Does::Starts),
        ("exec", Does::Starts),
        ("Open3.capture3", Does::Starts),
        ("Open3.capture2", Does::Starts),
        ("Open3.capture2e", Does::Starts),
        ("IO.popen", Does::Starts),
        ("eval", Does::Evaluates),
        ("instance_eval", Does::Evaluates),
        ("class_eval", Does::Evaluates),
    ],
    commands: &["require_relative", "require", "load", "system", "exec", "spawn", "eval"],
    writes: &["'w'", "\"w\"", "'a'", "\"a\"", "File.write", "mkdir", "FileUtils"],
    joins: &['+'],
};

const PERL: Vocabulary = Vocabulary {
    comment: "#",
    file: &["__FILE__", "$0", "$PROGRAM_NAME", "$FindBin::Script"],
    directory: &["$FindBin::Bin", "$Bin", "$FindBin::RealBin", "$RealBin", "$FindBin::Dir"],
    is_real: false,
    base: &["getcwd()", "cwd()", "getcwd"],
    makes: &[
        ("dirname", Makes::Parent),
        ("File::Basename::dirname", Makes::Parent),
        ("abs_path", Makes::Real),
        ("Cwd::abs_path", Makes::Real),
        ("realpath", Makes::Real),
        ("Cwd::realpath", Makes::Real),
        ("rel2abs", Makes::Same),
        ("File::Spec.rel2abs", Makes::Same),
        ("catfile", Makes::Join),
        ("catdir", Makes::Join),
        ("File::Spec.catfile", Makes::Join),
        ("File::Spec.catdir", Makes::Join),
        ("basename", Makes::Name),
        ("$ENV", Makes::Variable),
        ("parent", Makes::Parent),
        ("path", Makes::Same),
    ],
    does: &[
        ("require", Does::Module),
        ("do", Does::Runs(0)),
        ("system", Does::Starts),
        ("exec", Does::Starts),
        ("eval", Does::Evaluates),
    ],
    commands: &["require", "do", "system", "exec", "eval"],
    writes: &["'>'", "\">\"", "'>>'", "\">>\"", "mkdir", "unlink"],
    joins: &['.'],
};
