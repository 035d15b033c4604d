//! The services, the variables that give access to them, and the choice of one for a model's name
//! (MO-20 to MO-22). Pure: a host with its own client can choose here, too, and nothing is sent.

use std::fmt;

/// The variable that names the model, if neither the hook nor the host does.
pub const MODEL: &str = "TENTERHOOK_MODEL";

/// The protocol of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// The chat completions of OpenAI, which most services support.
    OpenAi,
    /// The messages of Anthropic.
    Anthropic,
    /// The contents of Gemini.
    Gemini,
    /// OpenAI's, with reasoning that must be sent back.
    DeepSeek,
    /// The chat of Ollama.
    Ollama,
}

/// The class of the default model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelTier {
    /// A small and fast one, because a user waits.
    Quick,
    /// One that can work alone for long.
    Able,
}

/// One service.
#[derive(Debug)]
struct Service {
    name: &'static str,
    speaks: Protocol,
    /// The variables that may hold its key, best first; empty if it needs none.
    keys: &'static [&'static str],
    /// The variable that may hold a different address.
    base: &'static str,
    /// Its address, up to the path of its version.
    address: &'static str,
    /// The path of its version, which is added to an address without a path.
    version: &'static str,
    /// Its default models: a quick one and an able one.
    models: Option<(&'static str, &'static str)>,
    /// The prefixes of its models' names.
    prefixes: &'static [&'static str],
}

/// Every service, in the order in which they are tried if no model is named.
const SERVICES: &[Service] = &[
    Service {
        name: "anthropic",
        speaks: Protocol::Anthropic,
        keys: &["ANTHROPIC_API_KEY"],
        base: "ANTHROPIC_BASE_URL",
        address: "https://api.anthropic.com/",
        version: "v1/",
        models: Some(("claude-haiku-4-5", "claude-sonnet-4-6")),
        prefixes: &["claude"],
    },
    Service {
        name: "openai",
        speaks: Protocol::OpenAi,
        keys: &["OPENAI_API_KEY"],
        base: "OPENAI_BASE_URL",
        address: "https://api.openai.com/",
        version: "v1/",
        models: Some(("gpt-5.4-mini", "gpt-5.4-mini")),
        prefixes: &["gpt", "chatgpt", "o1", "o3", "o4"],
    },
    Service {
        name: "gemini",
        speaks: Protocol::Gemini,
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        base: "GEMINI_BASE_URL",
        address: "https://generativelanguage.googleapis.com/",
        version: "v1beta/",
        models: Some(("gemini-3.8-flash", "gemini-3.8-flash")),
        prefixes: &["gemini"],
    },
    Service {
        name: "deepseek",
        speaks: Protocol::DeepSeek,
        keys: &["DEEPSEEK_API_KEY"],
        base: "DEEPSEEK_BASE_URL",
        address: "https://api.deepseek.com/",
        version: "v1/",
        models: Some(("deepseek-chat", "deepseek-chat")),
        prefixes: &["deepseek"],
    },
    Service {
        name: "openrouter",
        speaks: Protocol::OpenAi,
        keys: &["OPENROUTER_API_KEY"],
        base: "OPENROUTER_BASE_URL",
        address: "https://openrouter.ai/",
        version: "api/v1/",
        models: None,
        prefixes: &[],
    },
    Service {
        name: "mistral",
        speaks: Protocol::OpenAi,
        keys: &["MISTRAL_API_KEY"],
        base: "MISTRAL_BASE_URL",
        address: "https://api.mistral.ai/",
        version: "v1/",
        models: None,
        prefixes: &["mistral", "codestral", "ministral"],
    },
    Service {
        name: "groq",
        speaks: Protocol::OpenAi,
        keys: &["GROQ_API_KEY"],
        base: "GROQ_BASE_URL",
        address: "https://api.groq.com/",
        version: "openai/v1/",
        models: None,
        prefixes: &[],
    },
    Service {
        name: "xai",
        speaks: Protocol::OpenAi,
        keys: &["XAI_API_KEY"],
        base: "XAI_BASE_URL",
        address: "https://api.x.ai/",
        version: "v1/",
        models: None,
        prefixes: &["grok"],
    },
    Service {
        name: "ollama",
        speaks: Protocol::Ollama,
        keys: &[],
        base: "OLLAMA_HOST",
        address: "http://127.0.0.1:11434/",
        version: "",
        models: None,
        prefixes: &[],
    },
];

/// Short names that config files of Claude Code use.
const SHORT: &[(&str, &str)] =
    &[("haiku", "claude-haiku-4-5"), ("sonnet", "claude-sonnet-4-6"), ("opus", "claude-opus-5")];

/// The variables that hold a key or an address.
pub fn env_variables() -> impl Iterator<Item = &'static str> {
    SERVICES.iter().flat_map(|service| service.keys.iter().copied().chain([service.base]))
}

/// The names of all services.
pub fn service_names() -> impl Iterator<Item = &'static str> {
    SERVICES.iter().map(|service| service.name)
}

type Env<'a> = &'a [(String, String)];

/// Returns the value of an environment variable; `None` if it is unset or empty.
#[must_use]
pub fn env_value<'a>(env: Env<'a>, name: &str) -> Option<&'a str> {
    let found = env.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim());
    found.filter(|text| !text.is_empty())
}

/// The service and model for a question.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Target {
    /// The service and the model, for people: `openai::gpt-5`.
    pub name: String,
    /// Where the service is.
    pub address: String,
    /// The credentials; `None` if a user's own server needs none.
    pub key: Option<String>,
    /// The variables that could hold them, for people.
    pub wants: String,
    /// The protocol of the service.
    pub speaks: Protocol,
    /// The model, as its service calls it.
    pub model: String,
}

impl fmt::Debug for Target {
    /// Hides the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, address, .. } = self;
        f.debug_struct("Target")
            .field("name", name)
            .field("address", address)
            .finish_non_exhaustive()
    }
}

/// Why no model can be asked (MO-22).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreachable {
    /// There is no service of that name.
    #[error("no service is called `{name}`; there are {}", quoted_service_names())]
    Unknown {
        /// The name.
        name: String,
    },
    /// No variable gives access to the service of a model.
    #[error("the model `{model}` of {service} needs {wants}, which is not set")]
    Closed {
        /// The model.
        model: String,
        /// Its service.
        service: &'static str,
        /// The variables that could give access.
        wants: String,
    },
    /// A service is named without a model, and has no default model.
    #[error("no model of {0} is named: name it, or set `{MODEL}` to `{0}::NAME`")]
    Unnamed(&'static str),
    /// There is access to no service.
    #[error("there is no model to ask: none of {} is set", variables_of_all_services())]
    NoService,
}

fn quoted_service_names() -> String {
    service_names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn variables_of_all_services() -> String {
    SERVICES.iter().map(Service::required_variables).collect::<Vec<_>>().join(", ")
}

impl Service {
    fn api_key<'a>(&self, env: Env<'a>) -> Option<&'a str> {
        self.keys.iter().find_map(|name| env_value(env, name))
    }

    /// Whether there is access to the service: a key, or an address that the host set, whose server
    /// may need no key.
    fn env_gives_access(&self, env: Env<'_>) -> bool {
        self.api_key(env).is_some() || env_value(env, self.base).is_some()
    }

    fn target_for_model(&self, env: Env<'_>, model: &str) -> Target {
        Target {
            name: format!("{}::{model}", self.name),
            address: normalize_base_url(
                env_value(env, self.base).unwrap_or(self.address),
                self.version,
            ),
            key: self.api_key(env).map(str::to_owned),
            wants: self.required_variables(),
            speaks: self.speaks,
            model: model.to_owned(),
        }
    }

    /// Names the variables to set for access to the service.
    fn required_variables(&self) -> String {
        let keys = self.keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ");
        if keys.is_empty() { format!("`{}`", self.base) } else { keys }
    }

    fn no_access_error(&self, model: &str) -> Unreachable {
        let (model, service) = (model.to_owned(), self.name);
        Unreachable::Closed { model, service, wants: self.required_variables() }
    }
}

/// Returns an address with a scheme, with the path of the version if it has no path, and with a
/// slash at its end.
fn normalize_base_url(address: &str, version: &str) -> String {
    let address = address.trim_end_matches('/');
    let full =
        if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let has_path = full.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
    if has_path || version.is_empty() { format!("{full}/") } else { format!("{full}/{version}") }
}

/// The service and the model for `wanted`; without a name, those of the first service that the
/// variables of `env` give access to (MO-20, MO-21).
///
/// # Errors
///
/// Why no model can be asked.
pub fn choose_target(
    env: Env<'_>,
    wanted: Option<&str>,
    tier: ModelTier,
) -> Result<Target, Unreachable> {
    let open = || SERVICES.iter().filter(|service| service.env_gives_access(env));
    let Some(wanted) = wanted.filter(|text| !text.is_empty()) else {
        let own = |service: &Service| {
            let (quick, able) = service.models?;
            Some(service.target_for_model(env, if tier == ModelTier::Quick { quick } else { able }))
        };
        return open().find_map(own).ok_or_else(|| no_model_error(open().next()));
    };
    if let Some((name, model)) = wanted.split_once("::") {
        let service = SERVICES
            .iter()
            .find(|service| service.name == name)
            .ok_or_else(|| Unreachable::Unknown { name: name.to_owned() })?;
        if model.is_empty() {
            return Err(Unreachable::Unnamed(service.name));
        }
        let access = service.env_gives_access(env) || service.keys.is_empty();
        return if access {
            Ok(service.target_for_model(env, model))
        } else {
            Err(service.no_access_error(model))
        };
    }
    let long = SHORT.iter().find(|(short, _)| *short == wanted).map_or(wanted, |(_, long)| long);
    let makes = |service: &&Service| service.prefixes.iter().any(|prefix| long.starts_with(prefix));
    let maker = SERVICES.iter().find(makes);
    if let Some(maker) = maker.filter(|service| service.env_gives_access(env)) {
        return Ok(maker.target_for_model(env, long));
    }
    // A host's own server with the common protocol may well serve the models of other services.
    let gateway =
        open().find(|service| service.name == "openai" && env_value(env, service.base).is_some());
    match (gateway, maker) {
        (Some(gateway), _) => Ok(gateway.target_for_model(env, long)),
        (None, Some(maker)) => Err(maker.no_access_error(long)),
        (None, None) => match open().next() {
            Some(first) => Ok(first.target_for_model(env, long)),
            None => Err(no_model_error(None)),
        },
    }
}

/// The error that no model is named. If there is access to a service without a default model, only
/// the name is missing.
fn no_model_error(open: Option<&Service>) -> Unreachable {
    open.map_or(Unreachable::NoService, |service| Unreachable::Unnamed(service.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(env: &[(&str, &str)], wanted: Option<&str>) -> Result<(String, String), String> {
        let env: Vec<_> = env.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let chosen = choose_target(&env, wanted, ModelTier::Quick);
        chosen.map(|target| (target.name, target.address)).map_err(|why| why.to_string())
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
        for (env, wanted, text) in [
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
            (&[], Some("groq::"), "no model of groq is named: name it"),
            (&[("GROQ_API_KEY", "g")], None, "set `TENTERHOOK_MODEL` to `groq::NAME`"),
            (&[("OPENAI_API_KEY", " ")], None, "there is no model to ask"),
            (&[], Some("qwen3"), "there is no model to ask"),
        ] {
            let fault = chosen(env, wanted).unwrap_err();
            assert!(fault.contains(text), "{fault}");
        }
    }

    #[test]
    fn agent_hook_gets_a_more_able_model_than_prompt_hook() {
        let env = [("ANTHROPIC_API_KEY".to_owned(), "a".to_owned())];
        let name = |tier| choose_target(&env, None, tier).unwrap().name;
        assert_eq!(name(ModelTier::Quick), "anthropic::claude-haiku-4-5");
        assert_eq!(name(ModelTier::Able), "anthropic::claude-sonnet-4-6");
        let target = choose_target(&env, Some("opus"), ModelTier::Able).unwrap();
        assert_eq!(target.name, "anthropic::claude-opus-5");
        assert!(!format!("{target:?}").contains("\"a\""), "a key is not shown");
    }
}
