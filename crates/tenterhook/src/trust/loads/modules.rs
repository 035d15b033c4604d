//! Which files does a module's name stand for? The candidates of each language, from the directories in which it looks them up.

use std::path::{Path, PathBuf};

use super::code::Code;
use super::language::Language;
use super::value::{Rest, Value};
use super::{Note, Role};

/// Endings that Node and its kin add to a path.
const NODE_ENDINGS: &[&str] =
    &["js", "cjs", "mjs", "json", "node", "ts", "cts", "mts", "tsx", "jsx"];
/// Modules that Node brings, which no directory replaces.
const NODE_BUILTINS: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "bun",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

impl Code<'_> {
    /// Sets the module directories that hold before the first line.
    pub(super) fn set_module_directories(&mut self) {
        if self.scene.script.is_none() {
            self.search.push(Value::from_path(self.scene.base));
        } else if self.language == Language::Python && !self.scene.is_module {
            let directory = self.script_path().map(|own| self.real_script_path(&own).parent());
            self.search.extend(directory);
        }
        if self.script_path().is_some_and(|own| {
            self.real_script_path(&own) != self.scene.script_path().unwrap_or(own)
        }) {
            let note = self
                .build_note_at(0, "it is found by a link, and modules beside what that leads to");
            self.loads.add_copy_difference_note(note);
        }
        if self.language == Language::Node {
            self.add_package_json();
        }
    }

    /// Looks up modules, after all directories are known.
    pub(super) fn look_up_modules_at_end(&mut self) {
        for (module, note) in std::mem::take(&mut self.modules) {
            for directory in self.search.clone() {
                self.look_up_module(&directory, &module, &note);
            }
        }
        let resolved = self.search.iter().filter_map(|value| {
            Some((value.resolve_from(&Value::from_path(self.scene.base))?, value.is_own))
        });
        self.loads.search.extend(resolved);
        self.loads.writes |= self.names.writes.iter().any(|sign| self.text.contains(sign));
    }

    fn real_script_path(&self, own: &Value) -> Value {
        let real = self.scene.disk.real_path(Path::new(&own.text));
        Value { is_own: true, ..Value::from_path(&real) }
    }

    /// Adds the `package.json` above a `.js` file that decides which kind of module the file is,
    /// because a copy lacks it.
    fn add_package_json(&mut self) {
        let Some(script) = self
            .scene
            .script
            .filter(|path| path.extension().is_some_and(|ending| ending == "js" || ending == "ts"))
        else {
            return;
        };
        for directory in
            script.ancestors().skip(1).take_while(|directory| self.scene.is_in_project(directory))
        {
            let file = directory.join("package.json");
            let Some(text) = self.scene.disk.read_text(&file) else { continue };
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(&text);
            let is_module =
                parsed.is_ok_and(|fields| fields.get("type").is_some_and(|kind| kind == "module"));
            if is_module {
                self.loads.add_load(
                    &Value::from_script_path(&directory.join(".")),
                    &Value::from_path(self.scene.base),
                    Role::Around,
                    self.build_note_at(0, "`type` of `package.json`"),
                );
            }
            return;
        }
    }

    /// Adds a Python module by its dotted name.
    pub(super) fn add_python_module(&mut self, module: &str, note: &Note) {
        let name = module.trim_start_matches('.');
        let level = module.len() - name.len();
        if level == 0 {
            self.modules.push((name.replace('.', "/"), note.clone()));
            return;
        }
        let package = self.script_path().map(|own| (0..level).fold(own, |value, _| value.parent()));
        if let Some(package) = package {
            self.look_up_module(&package, &name.replace('.', "/"), note);
        }
    }

    /// Adds a module or file that is loaded by a value.
    pub(super) fn add_module(&mut self, value: &Value, by_name: bool, note: &Note) {
        let base = Value::from_path(self.scene.base);
        if !value.is_known() || value.text.is_empty() {
            if value.text.contains('/') {
                self.loads.add_load(value, &base, Role::Directory, note.clone());
            }
            self.loads.add_unresolved_note(note.clone());
            return;
        }
        let text = value.text.trim_start_matches("file://");
        let value = Value { text: text.to_owned(), ..value.clone() };
        let is_relative =
            text.starts_with("./") || text.starts_with("../") || text == "." || text == "..";
        let beside = self.script_path().map(Value::parent);
        match (self.language, by_name) {
            (Language::Python, true) => self.add_python_module(text, note),
            (Language::Node, true) if is_relative || text.starts_with('/') => {
                let from = beside.unwrap_or(base);
                self.add_files_node_may_load(&from.join_path(&value), note);
            }
            (Language::Node, true) => self.add_node_package(text, note),
            (Language::Ruby | Language::Perl, true) if text.starts_with('/') || is_relative => {
                self.add_path_or_with_extension(&base.join_path(&value), note)
            }
            (Language::Ruby, true) => self.modules.push((text.to_owned(), note.clone())),
            (Language::Perl, true) => {
                let is_file = text.contains(['/', '.']);
                let path = if is_file {
                    text.to_owned()
                } else {
                    format!("{}.pm", text.replace("::", "/"))
                };
                self.modules.push((path, note.clone()));
            }
            // `require_relative` is from the file's own directory, whatever the path looks like.
            (Language::Ruby, false)
                if !text.starts_with('/') && note.text.starts_with("require_relative") =>
            {
                self.add_path_or_with_extension(&beside.unwrap_or(base).join_path(&value), note);
            }
            _ => self.add_path_or_with_extension(&base.join_path(&value), note),
        }
    }

    /// Adds a path with or without the extension of the language.
    fn add_path_or_with_extension(&mut self, path: &Value, note: &Note) {
        let ending = match self.language {
            Language::Ruby => ".rb",
            _ => "",
        };
        let with = path.clone().append(&Value::from_text(ending));
        self.add_candidate_paths(&[path.clone(), with], note);
    }

    /// Adds the paths that exist as scripts and the others as probes. If none exists, the last one
    /// is added as read.
    fn add_candidate_paths(&mut self, paths: &[Value], note: &Note) {
        let base = Value::from_path(self.scene.base);
        let is_there = |value: &&Value| {
            value.resolve_from(&base).is_some_and(|path| self.scene.disk.is_file(&path))
        };
        let there: Vec<&Value> = paths.iter().filter(is_there).collect();
        for path in paths {
            let role =
                if there.contains(&path) { Role::Runs(Some(self.language)) } else { Role::Probes };
            let role =
                if there.is_empty() && Some(path) == paths.last() { Role::Reads } else { role };
            self.loads.add_load(path, &base, role, note.clone());
        }
    }

    /// Looks up a module in one directory.
    fn look_up_module(&mut self, directory: &Value, module: &str, note: &Note) {
        let base = Value::from_path(self.scene.base);
        let Some(root) =
            directory.resolve_from(&base).filter(|root| self.scene.is_in_project(root))
        else {
            return;
        };
        let parts: Vec<&str> = module.split('/').filter(|part| !part.is_empty()).collect();
        let mut candidates: Vec<PathBuf> = Vec::new();
        if self.language == Language::Python {
            let mut package = root;
            candidates.push(package.join("__init__.py"));
            for part in parts {
                self.add_compiled_files(directory, &package, part, note);
                candidates.push(package.join(format!("{part}.py")));
                package.push(part);
                candidates.push(package.join("__init__.py"));
                candidates.push(package.join("__main__.py"));
            }
        } else {
            // Perl loads a compiled module in place of its text.
            candidates
                .extend((self.language == Language::Perl).then(|| root.join(format!("{module}c"))));
            candidates.push(root.join(module));
            candidates.extend(
                (self.language == Language::Ruby).then(|| root.join(format!("{module}.rb"))),
            );
        }
        for (at, path) in candidates.iter().enumerate() {
            let value = Value { is_own: directory.is_own, ..Value::from_path(path) };
            if self.scene.disk.is_file(path) {
                self.loads.add_load(&value, &base, Role::Runs(Some(self.language)), note.clone());
            } else if at == 1 || at == 2 || self.language != Language::Python {
                // One that comes there later would be loaded in place of another.
                self.loads.add_load(&value, &base, Role::Probes, note.clone());
            }
        }
    }

    /// Adds the compiled files that Python loads in place of a module's text. If one appears later,
    /// this is a change.
    fn add_compiled_files(&mut self, directory: &Value, package: &Path, part: &str, note: &Note) {
        let base = Value::from_path(self.scene.base);
        for ending in ["*.so", "*.pyd", "pyc"] {
            let text = package.join(format!("{part}.{ending}")).to_string_lossy().into_owned();
            let rest = if ending == "pyc" { Rest::Nothing } else { Rest::Pattern };
            let value = Value { rest, is_own: directory.is_own, ..Value::from_text(text) };
            self.loads.add_load(&value, &base, Role::Compiled, note.clone());
        }
    }

    /// Adds the files that Node may load for a path.
    fn add_files_node_may_load(&mut self, path: &Value, note: &Note) {
        let base = Value::from_path(self.scene.base);
        let mut candidates = vec![path.clone()];
        let ended = |stem: &Value| {
            NODE_ENDINGS
                .iter()
                .map(|ending| stem.clone().append(&Value::from_text(format!(".{ending}"))))
                .collect::<Vec<_>>()
        };
        candidates.extend(ended(path));
        // TypeScript names the compiled file.
        if let Some(stem) = path.text.strip_suffix("js") {
            candidates.push(Value { text: format!("{stem}ts"), ..path.clone() });
        }
        if path.resolve_from(&base).is_some_and(|path| self.scene.disk.is_directory(&path)) {
            candidates.push(path.clone().join_path(&Value::from_text("package.json")));
            candidates.extend(ended(&path.clone().join_path(&Value::from_text("index"))));
        }
        let there = |value: &&Value| {
            value.resolve_from(&base).is_some_and(|path| self.scene.disk.is_file(&path))
        };
        let found: Vec<Value> = candidates.iter().filter(there).cloned().collect();
        // One that comes later and is tried before would be loaded in place of it.
        let first = found.first().and_then(|first| candidates.iter().position(|one| one == first));
        for value in candidates.iter().take(first.unwrap_or(0)) {
            self.loads.add_load(value, &base, Role::Probes, note.clone());
        }
        for value in &found {
            let is_package = value.text.ends_with("package.json");
            let language = if is_package { Language::Package } else { Language::Node };
            self.loads.add_load(value, &base, Role::Runs(Some(language)), note.clone());
        }
        if found.is_empty() {
            self.add_candidate_paths(
                &candidates.get(..2).map(<[Value]>::to_vec).unwrap_or_default(),
                note,
            );
        }
    }

    /// Adds a package, which Node searches in each directory above.
    fn add_node_package(&mut self, name: &str, note: &Note) {
        let first = name.split('/').next().unwrap_or_default();
        if name.contains(':') && !name.starts_with('@') || NODE_BUILTINS.contains(&first) {
            return;
        }
        if first.starts_with('#') || first == "@" || first == "~" {
            return self.loads.add_unresolved_note(note.clone());
        }
        let scope = name.split('/').nth(1).filter(|_| name.starts_with('@'));
        let package = scope.map_or_else(|| first.to_owned(), |scope| format!("{first}/{scope}"));
        let own =
            self.script_path().and_then(|own| own.resolve_from(&Value::from_path(self.scene.base)));
        let from = own.as_deref().and_then(Path::parent).unwrap_or(self.scene.base);
        for directory in
            from.ancestors().take_while(|directory| self.scene.is_in_project(directory))
        {
            let path = directory.join("node_modules").join(&package);
            if self.scene.disk.is_directory(&path) {
                let shown = Note { text: format!("the package `{package}`"), ..note.clone() };
                let inside = Value::from_script_path(&path.join("."));
                return self.loads.add_load(
                    &inside,
                    &Value::from_path(self.scene.base),
                    Role::Package,
                    shown,
                );
            }
            let value = Value::from_script_path(&path.join("package.json"));
            self.loads.add_load(
                &value,
                &Value::from_path(self.scene.base),
                Role::Probes,
                note.clone(),
            );
        }
    }
}
