//! Which packages are well known, and which names only look like theirs? Tables of names and one measure.
//!
//! A name one slip away from a well-known one is suspect unless it is well known itself. Names under five letters are
//! left alone: too many honest ones are near each other.

/// Where a package comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registry {
    Npm,
    PyPi,
    Crates,
    Gems,
}

/// Shortest name that is measured.
const SHORTEST: usize = 5;

/// Names that were taken to be mistaken for others, and the ones meant.
const SQUATS: &[(Registry, &str, &str)] = &[
    (Registry::Npm, "crossenv", "cross-env"), (Registry::Npm, "cross-env.js", "cross-env"), (Registry::Npm, "babelcli", "babel-cli"),
    (Registry::Npm, "jquery.js", "jquery"), (Registry::Npm, "nodemailer-js", "nodemailer"), (Registry::Npm, "mongose", "mongoose"),
    (Registry::Npm, "discordjs", "discord.js"), (Registry::Npm, "discord-js", "discord.js"), (Registry::Npm, "node-fetch-js", "node-fetch"),
    (Registry::Npm, "reactjs", "react"), (Registry::Npm, "vuejs", "vue"), (Registry::Npm, "socketio", "socket.io"),
    (Registry::Npm, "nextjs", "next"), (Registry::Npm, "lodahs", "lodash"), (Registry::Npm, "twilio-npm", "twilio"),
    (Registry::PyPi, "python-sqlite", "sqlite3"), (Registry::PyPi, "python3-dateutil", "python-dateutil"),
    (Registry::PyPi, "python-dateutils", "python-dateutil"), (Registry::PyPi, "jeilyfish", "jellyfish"),
    (Registry::PyPi, "request", "requests"), (Registry::PyPi, "urlib3", "urllib3"), (Registry::PyPi, "urllib", "urllib3"),
    (Registry::PyPi, "bs4.py", "beautifulsoup4"), (Registry::PyPi, "opencv", "opencv-python"),
    (Registry::PyPi, "sklearn", "scikit-learn"), (Registry::PyPi, "pytorch", "torch"), (Registry::PyPi, "tensorflw", "tensorflow"),
    (Registry::PyPi, "djanga", "django"), (Registry::PyPi, "python-openssl", "pyopenssl"), (Registry::PyPi, "crypt", "cryptography"),
    (Registry::PyPi, "ctx", "contextlib"), (Registry::PyPi, "dotenv", "python-dotenv"), (Registry::PyPi, "yaml", "pyyaml"),
    (Registry::Crates, "rustdecimal", "rust_decimal"), (Registry::Crates, "faster_log", "fast_log"), (Registry::Crates, "async_println", "async_print"),
    (Registry::Crates, "serde-json", "serde_json"), (Registry::Crates, "tokyo", "tokio"),
    (Registry::Gems, "atlas-client", "atlas_client"), (Registry::Gems, "rest_client", "rest-client"), (Registry::Gems, "bundlerr", "bundler"),
];

const NPM: &[&str] = &[
    "react", "preact", "reactive", "react-dom", "react-router", "react-router-dom", "react-redux", "redux", "next", "vue", "vuex",
    "vue-router", "nuxt", "svelte", "angular", "express", "koa", "fastify", "nestjs", "hono", "lodash", "underscore", "moment",
    "dayjs", "axios", "request", "node-fetch", "got", "ky", "chalk", "commander", "yargs", "inquirer", "debug", "dotenv",
    "cross-env", "nodemon", "typescript", "ts-node", "tsx", "eslint", "tslint", "prettier", "jest", "mocha", "chai", "vitest", "webpack",
    "rollup", "esbuild", "vite", "parcel", "babel", "gulp", "grunt", "uuid", "nanoid", "mongoose", "mongodb", "sequelize",
    "prisma", "typeorm", "knex", "mysql", "mysql2", "redis", "ioredis", "socket.io", "passport", "bcrypt", "bcryptjs",
    "jsonwebtoken", "cors", "helmet", "body-parser", "cookie-parser", "morgan", "winston", "pino", "nodemailer", "puppeteer",
    "playwright", "cheerio", "jquery", "bootstrap", "tailwindcss", "postcss", "autoprefixer", "sass", "styled-components", "graphql",
    "apollo-server", "discord.js", "electron", "electron-builder", "web3", "ethers", "zod", "yup", "joi", "rimraf", "glob", "minimist",
    "semver", "async", "bluebird", "rxjs", "immer", "zustand", "three", "colors", "shelljs", "husky", "lint-staged", "turbo", "knip",
    "create-react-app", "create-next-app", "create-vite", "npm-check-updates", "http-server", "serve", "concurrently", "pm2", "tsup",
    "storybook", "degit", "shadcn", "wrangler", "vercel", "netlify-cli", "firebase-tools", "depcheck", "madge", "jscodeshift", "swr",
    "create-turbo", "prettier-plugin-tailwindcss", "tsc", "drizzle-kit", "sharp", "canvas", "formik", "recoil", "jotai", "mobx",
    "yarn", "pnpm", "lerna", "ava", "sinon", "nock", "msw", "cypress", "karma", "standard", "np", "ncu", "json-server", "localtunnel",
    "create-expo-app", "expo", "react-native", "license-checker", "cspell", "markdownlint-cli", "ts-jest", "nx", "create-nx-workspace",
    "create-astro", "astro", "sv", "cowsay", "envinfo", "source-map-explorer", "browserslist", "publint", "attw", "typedoc", "quicktype",
    "jsdoc", "swagger-cli", "newman", "artillery", "autocannon", "clinic", "0x", "serverless", "cdk", "aws-cdk", "eas-cli", "changeset",
    "mermaid", "mmdc", "sql-formatter", "stylelint", "htmlhint", "ajv", "ajv-cli", "tree-sitter-cli", "node-gyp", "prebuildify", "patch-package",
];

const PYPI: &[&str] = &[
    "requests", "httpx", "aiohttp", "urllib3", "flask", "django", "fastapi", "starlette", "uvicorn", "gunicorn", "numpy", "pandas",
    "scipy", "matplotlib", "seaborn", "scikit-learn", "scikit-image", "tensorflow", "torch", "torchvision", "torchaudio", "transformers",
    "tokenizers", "datasets", "keras", "xgboost", "lightgbm", "pillow", "opencv-python", "opencv-python-headless", "beautifulsoup4", "lxml",
    "html5lib", "selenium", "scrapy", "playwright", "pytest", "pytest-cov", "pytest-xdist", "pytest-asyncio", "pytest-mock", "tox", "nox",
    "black", "ruff", "flake8", "pylint", "mypy", "isort", "bandit", "pre-commit", "poetry", "pipenv", "pdm", "hatch", "hatchling",
    "setuptools", "wheel", "twine", "build", "cookiecutter", "pydantic", "attrs", "marshmallow", "sqlalchemy", "alembic", "psycopg",
    "psycopg2", "psycopg2-binary", "pymongo", "pymysql", "redis", "celery", "rq", "boto3", "botocore", "awscli", "azure-identity",
    "google-cloud-storage", "paramiko", "fabric", "ansible", "cryptography", "pyopenssl", "pyjwt", "bcrypt", "passlib", "pyyaml", "toml",
    "tomli", "python-dotenv", "python-dateutil", "pytz", "arrow", "pendulum", "click", "typer", "rich", "tqdm", "colorama", "loguru",
    "structlog", "jinja2", "markupsafe", "markdown", "mkdocs", "sphinx", "jupyter", "jupyterlab", "notebook", "ipython", "ipykernel",
    "streamlit", "gradio", "plotly", "bokeh", "dash", "altair", "networkx", "sympy", "nltk", "spacy", "gensim", "openai", "anthropic",
    "langchain", "llama-index", "tiktoken", "websockets", "websocket-client", "grpcio", "protobuf", "simplejson", "orjson", "ujson",
    "jellyfish", "discord.py", "telethon", "pyautogui", "psutil", "docker", "kubernetes", "pip-tools", "uv", "pipx", "virtualenv",
    "faker", "hypothesis", "coverage", "moto", "responses", "freezegun", "polars", "pyarrow", "dask", "numba", "cython", "pybind11",
    "openpyxl", "xlrd", "xlsxwriter", "reportlab", "pypdf", "pdfplumber", "maturin", "httpie", "yt-dlp", "gallery-dl", "pgcli", "mycli",
    "mcp", "mcp-server-fetch", "mcp-server-git", "mcp-server-time", "aider-chat", "sqlfluff", "djlint", "vulture", "radon", "pyright",
    "pyinstaller", "nuitka", "locust", "pytest-django", "django-rest-framework", "djangorestframework", "celery-redbeat", "dotenv-linter",
];

const CRATES: &[&str] = &[
    "serde", "serde_json", "serde_yaml", "serde_derive", "tokio", "tokio-util", "tokio-stream", "async-std", "futures", "reqwest", "hyper",
    "axum", "actix-web", "rocket", "warp", "tower", "clap", "structopt", "anyhow", "thiserror", "eyre", "color-eyre", "tracing",
    "tracing-subscriber", "env_logger", "rand", "regex", "chrono", "itertools", "rayon", "crossbeam", "parking_lot", "once_cell",
    "lazy_static", "bytes", "uuid", "base64", "sha2", "ring", "rustls", "openssl", "diesel", "sqlx", "rusqlite", "redis", "mongodb",
    "prost", "tonic", "syn", "quote", "proc-macro2", "libc", "nix", "rustix", "bitflags", "indexmap", "hashbrown", "smallvec",
    "ripgrep", "fd-find", "bat", "exa", "eza", "cargo-edit", "cargo-watch", "cargo-nextest", "cargo-deny", "cargo-audit", "cargo-expand",
    "cargo-llvm-cov", "cargo-insta", "cargo-binstall", "cargo-udeps", "cargo-machete", "just", "mdbook", "wasm-pack", "wasm-bindgen",
    "wasm-bindgen-cli", "trunk", "sqlx-cli", "diesel_cli", "insta", "proptest", "criterion", "rust_decimal", "fast_log", "hyperfine", "tokei",
    "starship", "zoxide", "sccache", "cross", "flamegraph", "cargo-fuzz", "bindgen", "cbindgen", "cargo-outdated", "cargo-release", "typos-cli",
];

const GEMS: &[&str] = &[
    "rails", "rake", "bundler", "rspec", "rubocop", "puma", "sidekiq", "devise", "nokogiri", "faraday", "httparty", "sinatra", "jekyll",
    "cocoapods", "fastlane", "rest-client", "activerecord", "activesupport", "capistrano", "pry", "byebug", "simplecov", "minitest", "mysql2",
];

/// Scopes whose packages are the well-known tools of their owners.
const SCOPES: &[&str] = &[
    "@angular", "@babel", "@types", "@vue", "@nestjs", "@biomejs", "@redocly", "@changesets", "@playwright", "@modelcontextprotocol",
    "@anthropic-ai", "@openai", "@google", "@storybook", "@sveltejs", "@astrojs", "@tailwindcss", "@vitest", "@typescript-eslint", "@aws-sdk",
    "@azure", "@microsoft", "@github", "@nx", "@expo", "@react-native-community", "@prisma", "@svgr", "@openapitools", "@apollo", "@graphql-codegen",
    "@commitlint", "@sentry", "@vercel", "@cloudflare", "@remix-run", "@tanstack", "@swc", "@eslint", "@upstash", "@playcanvas", "@shopify", "@stoplight",
];

const fn known(registry: Registry) -> &'static [&'static str] {
    match registry {
        Registry::Npm => NPM,
        Registry::PyPi => PYPI,
        Registry::Crates => CRATES,
        Registry::Gems => GEMS,
    }
}

/// Whether everybody knows the package.
pub(super) fn is_known(registry: Registry, name: &str) -> bool {
    let name = plain(registry, name);
    let scope = name.split_once('/').map(|(scope, _)| scope);
    known(registry).contains(&name.as_str())
        || (registry == Registry::Npm
            && (scope.is_some_and(|it| SCOPES.contains(&it)) || (name.starts_with("create-") && is_known(registry, name.trim_start_matches("create-")))))
}

/// The well-known package that `name` looks like, if it is not one itself.
pub(super) fn looks_like(registry: Registry, name: &str) -> Option<&'static str> {
    let name = plain(registry, name);
    if is_known(registry, &name) || name.contains('/') {
        return None;
    }
    let squat = SQUATS.iter().find(|(of, squat, _)| *of == registry && *squat == name);
    if let Some((_, _, meant)) = squat {
        return Some(meant);
    }
    if name.len() < SHORTEST {
        return None;
    }
    known(registry).iter().find(|it| it.len() >= SHORTEST && is_one_slip(&name, it)).copied()
}

/// On PyPI `_`, `.` and `-` are one, and case is none.
fn plain(registry: Registry, name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    if registry == Registry::PyPi { lower.replace('_', "-") } else { lower }
}

/// Whether one letter more, less, other, or two that are swapped lead from one name to the other.
fn is_one_slip(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (Some(a), Some(b)) = (one.get(same..), other.get(same..)) else { return false };
    match (a, b) {
        ([], []) => false,
        ([x, rest_a @ ..], [y, rest_b @ ..]) => {
            let swapped = matches!((rest_a, rest_b), ([x2, ra @ ..], [y2, rb @ ..]) if x == y2 && y == x2 && ra == rb);
            rest_a == rest_b || swapped || rest_a == b || a == rest_b
        }
        ([_], []) | ([], [_]) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_one_slip_away() {
        for (registry, name, meant) in [
            (Registry::PyPi, "reqeusts", Some("requests")),
            (Registry::PyPi, "request", Some("requests")),
            (Registry::PyPi, "Djnago", Some("django")),
            (Registry::PyPi, "requests", None),
            (Registry::Npm, "preact", None),
            (Registry::Npm, "loadsh", Some("lodash")),
            (Registry::Npm, "expresss", Some("express")),
            (Registry::Npm, "exprss", Some("express")),
            (Registry::Npm, "@acme/react", None),
            (Registry::Npm, "my-own-thing", None),
            (Registry::Crates, "rustdecimal", Some("rust_decimal")),
            (Registry::Gems, "rspecc", Some("rspec")),
        ] {
            assert_eq!(looks_like(registry, name), meant, "{name}");
        }
        assert!(is_known(Registry::Npm, "create-vite") && !is_known(Registry::Npm, "left-padder"));
    }
}
