//! Which services there are, which variables give access to them, and which one answers for a model's name. A table and the
//! choice from it; asks nobody.

use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ModelSpec, ServiceTarget};

/// The variable that names the model, where the command line does not.
pub(crate) const MODEL: &str = "TENTERHOOK_MODEL";

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
    /// The model that is asked where nobody names one.
    model: Option<&'static str>,
    /// How the names of its models begin.
    prefixes: &'static [&'static str],
}

/// A service that speaks the protocol that most speak, has no model of its own choice, and serves models of many makers.
const PLAIN: Service = Service {
    name: "",
    speaks: AdapterKind::OpenAI,
    keys: &[],
    base: "",
    address: "",
    version: "v1/",
    model: None,
    prefixes: &[],
};

/// Every service, in the order in which they are tried where nobody names a model.
const SERVICES: &[Service] = &[
    Service {
        name: "anthropic",
        speaks: AdapterKind::Anthropic,
        keys: &["ANTHROPIC_API_KEY"],
        base: "ANTHROPIC_BASE_URL",
        address: "https://api.anthropic.com/",
        model: Some("claude-sonnet-4-6"),
        prefixes: &["claude"],
        ..PLAIN
    },
    Service {
        name: "openai",
        keys: &["OPENAI_API_KEY"],
        base: "OPENAI_BASE_URL",
        address: "https://api.openai.com/",
        model: Some("gpt-5.4-mini"),
        prefixes: &["gpt", "chatgpt", "o1", "o3", "o4"],
        ..PLAIN
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
        model: Some("deepseek-chat"),
        prefixes: &["deepseek"],
        ..PLAIN
    },
    Service {
        name: "openrouter",
        keys: &["OPENROUTER_API_KEY"],
        base: "OPENROUTER_BASE_URL",
        address: "https://openrouter.ai/",
        version: "api/v1/",
        ..PLAIN
    },
    Service {
        name: "mistral",
        keys: &["MISTRAL_API_KEY"],
        base: "MISTRAL_BASE_URL",
        address: "https://api.mistral.ai/",
        prefixes: &["mistral", "codestral", "ministral"],
        ..PLAIN
    },
    Service {
        name: "groq",
        keys: &["GROQ_API_KEY"],
        base: "GROQ_BASE_URL",
        address: "https://api.groq.com/",
        version: "openai/v1/",
        ..PLAIN
    },
    Service {
        name: "xai",
        keys: &["XAI_API_KEY"],
        base: "XAI_BASE_URL",
        address: "https://api.x.ai/",
        prefixes: &["grok"],
        ..PLAIN
    },
    Service {
        name: "ollama",
        speaks: AdapterKind::Ollama,
        base: "OLLAMA_HOST",
        address: "http://127.0.0.1:11434/",
        version: "",
        ..PLAIN
    },
];

/// Short names that people use.
const SHORT: &[(&str, &str)] =
    &[("haiku", "claude-haiku-4-5"), ("sonnet", "claude-sonnet-4-6"), ("opus", "claude-opus-5")];

type Env<'a> = &'a [(String, String)];

/// What a variable holds; nothing where it is empty.
pub(crate) fn value<'a>(env: Env<'a>, name: &str) -> Option<&'a str> {
    let found = env.iter().find(|(it, _)| it == name).map(|(_, value)| value.trim());
    found.filter(|it| !it.is_empty())
}

/// Where a request goes.
pub(super) struct Target {
    /// The service and the model: `openai::gpt-5`.
    pub(super) name: String,
    /// Where the service is.
    pub(super) address: String,
    /// The credentials.
    pub(super) key: Option<String>,
    /// The variables that could hold them, for people.
    pub(super) wants: String,
    /// Its protocol.
    pub(super) speaks: AdapterKind,
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

    /// Whether there is access: a key, or an address of the person's own, whose server may want none.
    fn is_open(&self, env: Env<'_>) -> bool {
        self.key(env).is_some() || value(env, self.base).is_some()
    }

    fn target(&self, env: Env<'_>, model: &str) -> Target {
        Target {
            name: format!("{}::{model}", self.name),
            address: complete(value(env, self.base).unwrap_or(self.address), self.version),
            key: self.key(env).map(str::to_owned),
            wants: self.wants(),
            speaks: self.speaks,
            model: model.to_owned(),
        }
    }

    /// What to set for access to it.
    fn wants(&self) -> String {
        let keys = self.keys.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(" or ");
        if keys.is_empty() { format!("`{}`", self.base) } else { keys }
    }

    fn closed(&self, model: &str) -> String {
        format!(
            "the model `{model}` of {} needs {}, which is not set: set it, or say `--model scripted:FILE` to play from a file",
            self.name,
            self.wants()
        )
    }
}

/// An address with a scheme, the path of a version where it has none, and a slash at its end.
fn complete(address: &str, version: &str) -> String {
    let address = address.trim_end_matches('/');
    let full =
        if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let has_path = full.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
    if has_path || version.is_empty() { format!("{full}/") } else { format!("{full}/{version}") }
}

/// The service and the model that answer for `wanted`; without a name, for the first key that there is.
pub(super) fn choose(env: Env<'_>, wanted: Option<&str>) -> Result<Target, String> {
    let open = || SERVICES.iter().filter(|it| it.is_open(env));
    let Some(wanted) = wanted else {
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
    // A server of one's own that speaks the common protocol may well serve the models of others.
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

fn unknown(name: &str) -> String {
    let names: Vec<_> = SERVICES.iter().map(|it| format!("`{}`", it.name)).collect();
    format!("no service is called `{name}`; there are {}", names.join(", "))
}

/// Nobody can be asked; where there is access to a service that has no model of its own choice, the name is missing.
fn nobody(open: Option<&Service>) -> String {
    match open {
        Some(service) => format!(
            "nobody says which model of {} to ask: say `--model {}::NAME`, or set `{MODEL}`",
            service.name, service.name
        ),
        None => {
            let keys: Vec<_> = SERVICES.iter().map(Service::wants).collect();
            format!(
                "there is no model to ask: none of {} is set; `--model scripted:FILE` plays from a file",
                keys.join(", ")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(env: &[(&str, &str)], wanted: Option<&str>) -> Result<(String, String), String> {
        let env: Vec<_> = env.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        choose(&env, wanted).map(|target| (target.name, target.address))
    }

    #[test]
    fn a_name_finds_its_service() {
        let (anthropic, openai) = (("ANTHROPIC_API_KEY", "a"), ("OPENAI_API_KEY", "o"));
        let gateway = ("OPENAI_BASE_URL", "http://gateway:4000");
        let at_anthropic = "https://api.anthropic.com/v1/";
        for (env, wanted, name, address) in [
            (&[openai, anthropic][..], None, "anthropic::claude-sonnet-4-6", at_anthropic),
            (&[openai, anthropic], Some("gpt-x"), "openai::gpt-x", "https://api.openai.com/v1/"),
            (&[anthropic], Some("opus"), "anthropic::claude-opus-5", at_anthropic),
            (&[gateway], Some("claude-x"), "openai::claude-x", "http://gateway:4000/v1/"),
            (&[gateway, anthropic], Some("claude-x"), "anthropic::claude-x", at_anthropic),
            (&[], Some("ollama::qwen3"), "ollama::qwen3", "http://127.0.0.1:11434/"),
            (&[("OLLAMA_HOST", "box:1")], Some("qwen3"), "ollama::qwen3", "http://box:1/"),
            (
                &[("GROQ_API_KEY", "g")],
                Some("groq::x"),
                "groq::x",
                "https://api.groq.com/openai/v1/",
            ),
            (
                &[("OPENAI_BASE_URL", "https://a.example/b/")],
                Some("m"),
                "openai::m",
                "https://a.example/b/",
            ),
        ] {
            let said = chosen(env, wanted);
            assert_eq!(said, Ok((name.into(), address.into())), "{env:?} {wanted:?}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        for (env, wanted, said) in [
            (&[][..], None, "none of `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `GEMINI_API_KEY` or"),
            (&[("OPENAI_API_KEY", " ")], None, "there is no model to ask"),
            (&[], Some("claude-x"), "the model `claude-x` of anthropic needs `ANTHROPIC_API_KEY`"),
            (&[("ANTHROPIC_API_KEY", "a")], Some("gpt-x"), "of openai needs `OPENAI_API_KEY`"),
            (&[], Some("grok::x"), "no service is called `grok`; there are `anthropic`"),
            (&[("GROQ_API_KEY", "g")], None, "say `--model groq::NAME`"),
        ] {
            let fault = chosen(env, wanted).unwrap_err();
            assert!(fault.contains(said), "{fault}");
        }
    }
}
