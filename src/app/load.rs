//! The configuration of this process: the file, with overrides from the environment.

use std::path::{Path, PathBuf};

use crate::config::place::{self, ConfigPlace};
use crate::config::{Config, ConfigError};
use crate::devices::filesystem::own::FileError;
use crate::wording::Words;
use crate::wording::fault::misconfigured;

use guarda_core::action::Language;
use guarda_core::policy::{Policy, PolicyError, Profile};

/// A configuration and its source.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    pub(crate) config: Config,
    /// The file; `None` if there is none and the defaults apply.
    pub(crate) file: Option<PathBuf>,
}

impl Loaded {
    /// The name for messages.
    pub(crate) fn name(&self) -> String {
        self.file
            .as_ref()
            .map_or_else(|| "the built-in configuration".to_owned(), |path| path.display().to_string())
    }

    /// The same name in the person's language.
    pub(crate) fn told(&self) -> String {
        self.file.as_ref().map_or_else(|| say("doctor-built-in", &[]), |path| path.display().to_string())
    }

    /// The policy of this configuration.
    pub(crate) fn policy(&self) -> Result<Policy, LoadError> {
        self.policy_for(self.config.security.profile)
    }

    /// The policy for the hooks of agents.
    pub(crate) fn hook_policy(&self) -> Result<Policy, LoadError> {
        self.policy_for(self.config.hooks.profile(self.config.security.profile))
    }

    /// The same with another profile.
    pub(crate) fn policy_for(&self, profile: Profile) -> Result<Policy, LoadError> {
        self.config.policy_for(profile, &self.name()).map_err(LoadError::Policy)
    }

    /// The parts of the file that have no effect, each in one sentence.
    pub(crate) fn notices(&self) -> Vec<String> {
        self.config.notices.iter().map(|notice| misconfigured::notice(self.words(), notice)).collect()
    }

    /// The words of the configured language, or else the session's.
    pub(crate) fn words(&self) -> &'static Words {
        crate::wording::words(self.config.language.default.unwrap_or(Language::English))
    }
}

/// A variable of this process's environment. An empty variable counts as unset.
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The current folder, if its name is UTF-8.
pub(crate) fn current_folder() -> Option<String> {
    std::env::current_dir().ok()?.into_os_string().into_string().ok()
}

/// The language of questions and answers: the configured one, or else the session's. An invalid configuration is
/// reported elsewhere.
pub(crate) fn language() -> Language {
    load(None).map_or_else(|_| Language::default(), |loaded| loaded.config.language.chosen())
}

/// The words for this process's output.
pub(crate) fn words() -> &'static crate::wording::Words {
    crate::wording::words(page_language())
}

/// A message in the language of the pages.
pub(crate) fn say(id: &str, arguments: &[(&'static str, String)]) -> String {
    let arguments: Vec<_> = arguments.iter().map(|(name, value)| (*name, value.clone().into())).collect();
    words().say(id, &arguments)
}

/// The language of this process's help and output: as [`language`], except English in the C locale, which programs
/// use.
pub(crate) fn page_language() -> Language {
    let configured = read(None).ok().and_then(|loaded| loaded.config.language.default);
    configured.or_else(|| of_session(&environment)).unwrap_or(Language::English)
}

/// The language of the session, from the first locale variable that is set (POSIX, 8.2). English for a locale without
/// a translation; `None` for the C locale, or if no variable is set.
fn of_session(environment: &dyn Fn(&str) -> Option<String>) -> Option<Language> {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(environment)?;
    match locale.split(['.', '@']).next() {
        None | Some("C" | "POSIX") => None,
        Some(name) => Some(name.parse().unwrap_or(Language::English)),
    }
}

/// Why there is no usable configuration.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is no home folder, and no other place is named.
    #[error("there is no home folder")]
    NoHome,
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The named file does not exist.
    #[error("{}: there is no such file", .0.display())]
    NoFile(PathBuf),
    /// The file's content cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The rules or lists in it cannot be used.
    #[error(transparent)]
    Policy(#[from] PolicyError),
}

impl LoadError {
    /// The cause in one language.
    pub(crate) fn told(&self, words: &Words) -> String {
        match self {
            Self::NoHome => words.say("load-no-home", &[]),
            Self::File(error) => crate::wording::fault::file::told(words, error),
            Self::NoFile(path) => words.say("load-no-file", &[("path", path.display().to_string().into())]),
            Self::Config(error) => misconfigured::config_error(words, error),
            Self::Policy(error) => misconfigured::policy_error(words, error),
        }
    }
}

/// Reads the configuration. If it names no language, the session's language applies.
pub(crate) fn load(named: Option<&Path>) -> Result<Loaded, LoadError> {
    let mut loaded = read(named)?;
    loaded.config.language.default = loaded.config.language.default.or_else(|| of_session(&environment));
    Ok(loaded)
}

fn read(named: Option<&Path>) -> Result<Loaded, LoadError> {
    let (path, must_be) = match place::config(named.map(Path::to_owned), &environment) {
        ConfigPlace::Named(path) => (path, true),
        ConfigPlace::Usual(path) => (path, false),
        ConfigPlace::Nowhere => return Ok(Loaded { config: Config::default(), file: None }),
    };
    match crate::devices::filesystem::own::read_config(&path)? {
        Some(text) => {
            let config = Config::parse(&text, &path.display().to_string())?;
            Ok(Loaded { config, file: Some(path) })
        }
        None if must_be => Err(LoadError::NoFile(path)),
        None => Ok(Loaded { config: Config::default(), file: None }),
    }
}

/// Every fault of the file that is in force, or of the named one.
pub(crate) fn faults(named: Option<&Path>) -> Vec<ConfigError> {
    let path = match place::config(named.map(Path::to_owned), &environment) {
        ConfigPlace::Named(path) | ConfigPlace::Usual(path) => path,
        ConfigPlace::Nowhere => return Vec::new(),
    };
    let text = crate::devices::filesystem::own::read_config(&path).ok().flatten();
    text.map_or_else(Vec::new, |text| Config::faults(&text, &path.display().to_string()))
}

/// Applies `--listen`, or else `GUARDA_LISTEN`.
pub(crate) fn listen(config: &mut Config, option: Option<&str>) -> Result<(), LoadError> {
    let (text, source) = match (option.map(str::to_owned), environment("GUARDA_LISTEN")) {
        (Some(text), _) => (text, "--listen"),
        (None, Some(text)) => (text, "GUARDA_LISTEN"),
        (None, None) => return Ok(()),
    };
    let wrong = |fault| ConfigError { file: source.to_owned(), line: 0, fault };
    config.server.listen = place::address(&text).map_err(wrong)?;
    Ok(config.check(source)?)
}

/// The folder for what can be made again.
pub(crate) fn cache() -> Result<PathBuf, LoadError> {
    place::cache(&environment).ok_or(LoadError::NoHome)
}

/// The state folder.
pub(crate) fn state() -> Result<PathBuf, LoadError> {
    place::state(&environment).ok_or(LoadError::NoHome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_the_session() {
        for (variables, language) in [
            (&[][..], None),
            (&[("LANG", "C.UTF-8")], None),
            (&[("LANG", "fr_CA.UTF-8")], Some(Language::French)),
            (&[("LANG", "fr_FR.UTF-8"), ("LC_MESSAGES", "en_GB.UTF-8")], Some(Language::English)),
            (&[("LC_MESSAGES", "en_GB"), ("LC_ALL", "pt_BR.UTF-8")], Some(Language::Portuguese)),
            (&[("LANG", "de_DE@euro")], Some(Language::English)),
        ] {
            let environment = |name: &str| {
                variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(of_session(&environment), language, "{variables:?}");
        }
    }
}
