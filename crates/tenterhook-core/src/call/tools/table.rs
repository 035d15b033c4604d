//! What do names of tools and of their fields say? Names only.
//!
//! Names of fields stand here without their capitals, dashes and underscores.

/// Fields that name files.
pub(in crate::call) const PATHS: &[&str] = &[
    "absolutepath",
    "destination",
    "dest",
    "dst",
    "file",
    "filename",
    "filepath",
    "files",
    "from",
    "newpath",
    "notebookpath",
    "oldpath",
    "path",
    "paths",
    "source",
    "src",
    "target",
    "targetfile",
    "to",
    "uri",
];

/// Last words of fields that name files: `outputFile`, `dest_dir`.
pub(in crate::call) const PATH_ENDS: &[&str] =
    &["directory", "dir", "file", "filename", "folder", "path", "paths", "uri"];

/// Fields that hold statements for a database.
pub(in crate::call) const STATEMENTS: &[&str] =
    &["sql", "query", "statement", "command", "pipeline"];

/// What a statement writes a file with, in small letters.
pub(in crate::call) const EXPORTS: &[&str] = &[
    " to '",
    "outfile",
    "dumpfile",
    "attach ",
    "vacuum into",
    "writefile",
    "lo_export",
    ".output",
    ".once",
];

/// Fields that hold a line for a shell, whatever the tool is called.
pub(in crate::call) const LINES: &[&str] = &[
    "cmd",
    "cmdline",
    "command",
    "commandline",
    "commands",
    "exec",
    "job",
    "run",
    "shell",
    "shellcommand",
];

/// Fields that say of what kind a step is, the kinds that are a line for a shell, and the fields that hold it then.
pub(in crate::call) const KINDS: &[&str] = &["kind", "type", "uses"];
pub(in crate::call) const SHELLS: &[&str] =
    &["bash", "cmd", "command", "exec", "powershell", "run", "sh", "shell", "terminal", "zsh"];
pub(in crate::call) const STEPS: &[&str] = &["body", "content", "payload", "text", "value"];

/// Fields that hold variables for what a call starts.
pub(in crate::call) const VARIABLES: &[&str] =
    &["env", "environ", "environment", "environmentvariables", "envs", "envvars", "variables"];

/// Fields that hold code: of a shell where the tool is one, else of whatever language the tool runs.
pub(in crate::call) const CODE: &[&str] = &[
    "cellcode",
    "cellsource",
    "code",
    "expression",
    "function",
    "javascript",
    "js",
    "program",
    "python",
    "script",
    "scripts",
    "snippet",
    "source",
];

/// Fields that hold what is typed into a program that runs: a line where the tool deals with terminals.
pub(in crate::call) const TYPED: &[&str] = &[
    "bytesbase64",
    "chars",
    "data",
    "input",
    "inputtext",
    "keys",
    "line",
    "lines",
    "literal",
    "stdin",
    "text",
];

/// Fields that name the program of a list of arguments.
pub(in crate::call) const PROGRAMS: &[&str] = &[
    "bin",
    "binary",
    "cmd",
    "command",
    "exe",
    "executable",
    "file",
    "program",
    "script",
    "shellcommand",
];

/// Fields that hold the arguments of a program.
pub(in crate::call) const ARGUMENTS: &[&str] =
    &["args", "arguments", "argv", "parameters", "params"];

/// Fields that name the directory in which a command runs, the surest first.
pub(in crate::call) const DIRECTORIES: &[&str] = &[
    "cwd",
    "workdir",
    "workingdirectory",
    "workingdir",
    "currentdirectory",
    "dirpath",
    "directory",
    "dir",
];

/// Fields that name a directory, and those that name a file in it.
pub(in crate::call) const BASES: &[&str] = &[
    "base",
    "basedir",
    "basepath",
    "dir",
    "directory",
    "dirpath",
    "folder",
    "folderpath",
    "parent",
    "parentpath",
    "root",
    "rootpath",
    "workspace",
];
pub(in crate::call) const NAMES: &[&str] = &[
    "basename",
    "file",
    "filename",
    "name",
    "path",
    "pathinproject",
    "relative",
    "relativepath",
    "saveas",
    "title",
];

/// Fields whose text may be an object that is written as JSON.
pub(in crate::call) const ENCODED: &[&str] = &[
    "args",
    "arguments",
    "input",
    "json",
    "kwargs",
    "parameters",
    "params",
    "payload",
    "request",
    "toolinput",
];

/// Fields that hold texts for people, and those that say what is left out: no file is written because it is named there.
pub(in crate::call) const TEXTS: &[&str] = &[
    "activeform",
    "body",
    "codeedit",
    "comment",
    "content",
    "contents",
    "data",
    "description",
    "except",
    "exclude",
    "excludes",
    "explanation",
    "find",
    "html",
    "ignore",
    "instruction",
    "instructions",
    "label",
    "markdown",
    "message",
    "messages",
    "newstr",
    "newstring",
    "newtext",
    "note",
    "notes",
    "oldstr",
    "oldstring",
    "oldtext",
    "prompt",
    "q",
    "query",
    "question",
    "reason",
    "regex",
    "repl",
    "replace",
    "replacement",
    "search",
    "step",
    "subject",
    "summary",
    "text",
    "value",
];

/// Fields of copying tools that name what is read.
pub(in crate::call) const SOURCES: &[&str] = &[
    "files",
    "from",
    "frompath",
    "input",
    "inputfile",
    "items",
    "original",
    "paths",
    "source",
    "sourcefile",
    "sourcepath",
    "src",
    "srcpath",
    "template",
];

/// Fields that name where something is put, which loses nothing there.
pub(in crate::call) const DESTINATIONS: &[&str] = &[
    "dest",
    "destination",
    "destinationpath",
    "destpath",
    "dst",
    "into",
    "newpath",
    "newuri",
    "output",
    "outputdir",
    "target",
    "targetdir",
    "targetpath",
    "to",
    "topath",
];

/// Fields that name a file which is written, whatever the tool is called.
pub(in crate::call) const OUTPUTS: &[&str] =
    &["downloadpath", "outputfile", "outputpath", "saveasfilename", "savepath"];

/// Fields that say what a tool of many actions does.
pub(in crate::call) const ACTIONS: &[&str] =
    &["action", "command", "method", "name", "op", "operation", "tool", "toolname"];
