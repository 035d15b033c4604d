//! Which services there are, which variables give access to them, and which one answers for a model's name. A table and the
//! choice from it (MO-20 to MO-22). Pure.

use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ModelSpec, ServiceTarget};

use super::MODEL;
use crate::executor::model::{FaultKind, ModelFault};

/// One service.
struct Service {
    name: &'static str,
    speaks: AdapterKind,
    /// The variables that may hold its key, best first; none: it wants none.
    keys: &'static [&'static str],
    /// The variable that may hold another address.
    base: &'static str,
    /// Where it is, up to the path of its version.
    address: &'static str,
    /// The path of its version, which an address without a path gets.
    version: &'static str,
    /// The model that is asked where nobody names one: small and fast, because somebody waits.
    model: Option<&'static str>,
    /// How the names of its models begin.
    prefixes: &'static [&'static str],
}

/// Every service, in the order in which they are tried where nobody names a model.
const SERVICES: &[Service] = &[
    Service {
        name: "anthropic",
        speaks: AdapterKind::Anthropic,
        keys: &["ANTHROPIC_API_KEY"],
        base: "ANTHROPIC_BASE_URL",
        address: "https://api.anthropic.com/",
        version: "v1/",
        model: Some("claude-haiku-4-5"),
        prefixes: &["claude"],
    },
    Service {
        name: "openai",
        speaks: AdapterKind::OpenAI,
        keys: &["OPENAI_API_KEY"],
        base: "OPENAI_BASE_URL",
        address: "https://api.openai.com/",
        version: "v1/",
        model: Some("gpt-5.4-mini"),
        prefixes: &["gpt", "chatgpt", "o1", "o3", "o4"],
    },
    Service {
        name: "gemini",
        speaks: AdapterKind::Gemini,
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        base: "GEMINI_BASE_URL",
        address: "https://generativelanguage.googleapis.com/",
        version: "v1beta/",
        model: Some("gemini-3.8-flash"),
        prefixes: &["gemini"],
    },
    Service {
        name: "deepseek",
        speaks: AdapterKind::DeepSeek,
        keys: &["DEEPSEEK_API_KEY"],
        base: "DEEPSEEK_BASE_URL",
        address: "https://api.deepseek.com/",
        version: "v1/",
        model: Some("deepseek-chat"),
        prefixes: &["deepseek"],
    },
    Service {
        name: "openrouter",
        speaks: AdapterKind::OpenAI,
        keys: &["OPENROUTER_API_KEY"],
        base: "OPENROUTER_BASE_URL",
        address: "https://openrouter.ai/api/v1/",
        version: "api/v1/",
        model: None,
        prefixes: &[],
    },
    Service {
        name: "mistral",
        speaks: AdapterKind::OpenAI,
        keys: &["MISTRAL_API_KEY"],
        base: "MISTRAL_BASE_URL",
        address: "https://api.mistral.ai/",
        version: "v1/",
        model: None,
        prefixes: &["mistral", "codestral", "ministral"],
    },
    Service {
        name: "groq",
        speaks: AdapterKind::OpenAI,
        keys: &["GROQ_API_KEY"],
        base: "GROQ_BASE_URL",
        address: "https://api.groq.com/openai/v1/",
        version: "openai/v1/",
        model: None,
        prefixes: &[],
    },
    Service {
        name: "xai",
        speaks: AdapterKind::OpenAI,
        keys: &["XAI_API_KEY"],
        base: "XAI_BASE_URL",
        address: "https://api.x.ai/",
        version: "v1/",
        model: None,
        prefixes: &["grok"],
    },
    Service {
        name: "ollama",
        speaks: AdapterKind::Ollama,
        keys: &[],
        base: "OLLAMA_HOST",
        address: "http://127.0.0.1:11434/",
        version: "",
        model: None,
        prefixes: &[],
    },
];

/// Short names that configs of Claude Code use.
const SHORT: &[(&str, &str)] =
    &[("haiku", "claude-haiku-4-5"), ("sonnet", "claude-sonnet-4-6"), ("opus", "claude-opus-5")];

/// The variables that hold a key or an address.
pub fn variables() -> impl Iterator<Item = &'static str> {
    SERVICES.iter().flat_map(|it| it.keys.iter().copied().chain([it.base]))
}

type Env<'a> = &'a [(String, String)];

fn value<'a>(env: Env<'a>, name: &str) -> Option<&'a str> {
    env.iter().find(|(it, _)| it == name).map(|(_, value)| value.trim())
}

/// Where a question goes.
pub(super) struct Target {
    /// The service and the model, for people.
    pub(super) name: String,
    /// Where the service is.
    pub(super) address: String,
    pub(super) key: Option<String>,
    speaks: AdapterKind,
    model: String,
}

impl Target {
    /// The same, complete: nothing of it is looked for in the environment.
    pub(super) fn spec(&self) -> ModelSpec {
        // Servers of one's own want no key, and the protocol has no way to send none.
        let key = self.key.clone().unwrap_or_else(|| "none".to_owned());
        ModelSpec::Target(ServiceTarget {
            endpoint: Endpoint::from_owned(self.address.as_str()),
            auth: AuthData::from_single(key),
            model: ModelIden::new(self.speaks, self.model.as_str()),
        })
    }
}

impl Service {
    fn key<'a>(&self, env: Env<'a>) -> Option<&'a str> {
        self.keys.iter().find_map(|name| value(env, name))
    }

    /// Whether there is access: a key, or an address of the host's own, whose server may want none.
    fn is_open(&self, env: Env<'_>) -> bool {
        self.key(env).is_some() || value(env, self.base).is_some()
    }

    fn target(&self, env: Env<'_>, model: &str) -> Target {
        let address = match value(env, self.base) {
            Some(base) => complete(base, self.version),
            None => complete(self.address, self.version),
        };
        Target {
            name: format!("{}::{model}", self.name),
            address,
            key: self.key(env).map(str::to_owned),
            speaks: self.speaks,
            model: model.to_owned(),
        }
    }

    /// What to set for access to it.
    fn wants(&self) -> String {
        let keys = self.keys.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(" or ");
        if keys.is_empty() { format!("`{}`", self.base) } else { keys }
    }

    fn closed(&self, model: &str) -> ModelFault {
        let message = format!(
            "the model `{model}` of {} needs {}, which is not set",
            self.name,
            self.wants()
        );
        ModelFault::new(FaultKind::NoCredentials, message)
    }
}

/// An address with a scheme, the path of a version where it has none, and a slash at its end.
fn complete(address: &str, version: &str) -> String {
    let address = address.trim_end_matches('/');
    let full =
        if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let has_path = full.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
    if has_path { format!("{full}/") } else { format!("{full}/{version}") }
}

/// The service and the model that answer for `wanted`.
pub(super) fn choose(env: Env<'_>, wanted: Option<&str>) -> Result<Target, ModelFault> {
    let open = || SERVICES.iter().filter(|it| it.is_open(env));
    let Some(wanted) = wanted.filter(|it| !it.is_empty()) else {
        let first = open().find_map(|it| Some(it.target(env, it.model?)));
        return first.ok_or_else(|| nobody(open().next()));
    };
    if let Some((name, model)) = wanted.split_once("::") {
        let service = SERVICES.iter().find(|it| it.name == name).ok_or_else(|| unknown(name))?;
        let access = service.is_open(env) || service.keys.is_empty();
        return if access { Ok(service.target(env, model)) } else { Err(service.closed(model)) };
    }
    let long = SHORT.iter().find(|(short, _)| *short == wanted).map_or(wanted, |(_, long)| long);
    let makes = |it: &&Service| it.prefixes.iter().any(|prefix| long.starts_with(prefix));
    let maker = SERVICES.iter().find(makes);
    if let Some(maker) = maker.filter(|it| it.is_open(env)) {
        return Ok(maker.target(env, long));
    }
    // A server of the host's own that speaks the common protocol may well serve the models of others.
    let gateway = open().find(|it| it.name == "openai" && value(env, it.base).is_some());
    match (gateway, maker) {
        (Some(gateway), _) => Ok(gateway.target(env, long)),
        (None, Some(maker)) => Err(maker.closed(long)),
        (None, None) => match open().next() {
            Some(first) => Ok(first.target(env, long)),
            None => Err(nobody(None)),
        },
    }
}

fn unknown(name: &str) -> ModelFault {
    let names: Vec<_> = SERVICES.iter().map(|it| format!("`{}`", it.name)).collect();
    let message = format!("no service is called `{name}`; there are {}", names.join(", "));
    ModelFault::new(FaultKind::NoCredentials, message)
}

/// Nobody can be asked; where there is access to a service that has no model of its own choice, the name is missing.
fn nobody(open: Option<&Service>) -> ModelFault {
    let message = match open {
        Some(service) => {
            format!(
                "nobody says which model of {} to ask: set `{MODEL}` to `{}::NAME`",
                service.name, service.name
            )
        }
        None => {
            let keys: Vec<_> = SERVICES.iter().map(Service::wants).collect();
            format!("there is no model to ask: none of {} is set", keys.join(", "))
        }
    };
    ModelFault::new(FaultKind::NoCredentials, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(env: &[(&str, &str)], wanted: Option<&str>) -> Result<(String, String), String> {
        let env: Vec<_> = env.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        match choose(&env, wanted) {
            Ok(target) => Ok((target.name, target.address)),
            Err(fault) => Err(fault.to_string()),
        }
    }

    /// MO-20, MO-21
    #[test]
    fn a_name_finds_its_service() {
        let anthropic = ("ANTHROPIC_API_KEY", "a");
        let openai = ("OPENAI_API_KEY", "o");
        let gateway = ("OPENAI_BASE_URL", "http://gateway:4000");
        for (env, wanted, name, address) in [
            (
                &[anthropic][..],
                None,
                "anthropic::claude-haiku-4-5",
                "https://api.anthropic.com/v1/",
            ),
            (
                &[openai, anthropic],
                None,
                "anthropic::claude-haiku-4-5",
                "https://api.anthropic.com/v1/",
            ),
            (&[openai, anthropic], Some("gpt-x"), "openai::gpt-x", "https://api.openai.com/v1/"),
            (
                &[anthropic],
                Some("sonnet"),
                "anthropic::claude-sonnet-4-6",
                "https://api.anthropic.com/v1/",
            ),
            (&[gateway], Some("claude-x"), "openai::claude-x", "http://gateway:4000/v1/"),
            (
                &[gateway, anthropic],
                Some("claude-x"),
                "anthropic::claude-x",
                "https://api.anthropic.com/v1/",
            ),
            (&[anthropic], Some("ollama::qwen3"), "ollama::qwen3", "http://127.0.0.1:11434/"),
            (&[("OLLAMA_HOST", "box:1")], Some("qwen3"), "ollama::qwen3", "http://box:1/"),
            (
                &[("GOOGLE_API_KEY", "g")],
                None,
                "gemini::gemini-3.8-flash",
                "https://generativelanguage.googleapis.com/v1beta/",
            ),
            (
                &[("DEEPSEEK_API_KEY", "d")],
                None,
                "deepseek::deepseek-chat",
                "https://api.deepseek.com/v1/",
            ),
            (
                &[("GROQ_API_KEY", "g")],
                Some("groq::x/y"),
                "groq::x/y",
                "https://api.groq.com/openai/v1/",
            ),
            (
                &[("OPENAI_BASE_URL", "https://a.example/b/c/")],
                Some("m"),
                "openai::m",
                "https://a.example/b/c/",
            ),
        ] {
            assert_eq!(
                chosen(env, wanted),
                Ok((name.into(), address.into())),
                "{env:?} {wanted:?}"
            );
        }
    }

    /// MO-22
    #[test]
    fn what_is_missing_is_said() {
        for (env, wanted, said) in [
            (
                &[][..],
                None,
                "none of `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `GEMINI_API_KEY` or `GOOGLE_API_KEY`",
            ),
            (&[], Some("claude-x"), "the model `claude-x` of anthropic needs `ANTHROPIC_API_KEY`"),
            (
                &[("ANTHROPIC_API_KEY", "a")],
                Some("gpt-x"),
                "the model `gpt-x` of openai needs `OPENAI_API_KEY`",
            ),
            (&[], Some("grok::x"), "no service is called `grok`; there are `anthropic`"),
            (&[("GROQ_API_KEY", "g")], None, "set `TENTERHOOK_MODEL` to `groq::NAME`"),
            (&[], Some("qwen3"), "there is no model to ask"),
        ] {
            let fault = chosen(env, wanted).unwrap_err();
            assert!(fault.contains(said), "{fault}");
        }
    }
}
