//! The file as a whole: our sections, the rules, and Mascate's sections, which the guard does not use.

use serde::Deserialize;

use super::field::Anything;
use super::rules;
use super::{
    AdviceSection, AskSection, BashSection, ChannelsSection, Config, ConfigError, ConfigFault, ConfigNotice,
    EndpointSection, GitSection, HooksSection, KeysSection, LanguageSection, NetworkSection, PasswordSection,
    PluginsSection, RecordSection, RegistrySection, RunSection, SandboxSection, SecuritySection,
    ServerSection, ServicesSection, SpeechSection, TelemetrySection, TerminalSection, UndoSection,
    WyomingSection,
};

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct File {
    security: SecuritySection,
    bash: BashSection,
    rules: Option<toml::Table>,
    effects: Option<toml::Table>,
    server: ServerSection,
    speech: SpeechSection,
    keys: KeysSection,
    channels: ChannelsSection,
    password: PasswordSection,
    terminal: TerminalSection,
    language: LanguageSection,
    run: RunSection,
    sandbox: SandboxSection,
    network: NetworkSection,
    undo: UndoSection,
    record: RecordSection,
    registry: RegistrySection,
    hooks: HooksSection,
    services: ServicesSection,
    plugins: PluginsSection,
    telemetry: TelemetrySection,
    wyoming: WyomingSection,
    git: GitSection,
    endpoint: EndpointSection,
    advice: AdviceSection,
    ask: AskSection,
    // Mascate's own sections: a configuration file of Mascate is valid here.
    general: Option<Anything>,
    audio: Option<Anything>,
    llm: Option<Anything>,
    rag: Option<Anything>,
    paths: Option<Anything>,
    mascate: Option<Anything>,
    models: Option<Anything>,
    logging: Option<Anything>,
}

/// Parses the file; also returns whether it contains rules.
fn read(text: &str) -> Result<(Config, bool), toml::de::Error> {
    let file: File = toml::from_str(text)?;
    let notices = notices(&file, text);
    let config = Config {
        security: file.security,
        bash: file.bash,
        rules: String::new(),
        server: file.server,
        speech: file.speech,
        keys: file.keys,
        channels: file.channels,
        password: file.password,
        terminal: TerminalSection { fallback: None, ..file.terminal },
        language: file.language,
        run: file.run,
        sandbox: file.sandbox,
        network: file.network,
        undo: file.undo,
        record: file.record,
        registry: file.registry,
        hooks: file.hooks,
        services: file.services,
        plugins: file.plugins,
        telemetry: file.telemetry,
        wyoming: file.wyoming,
        git: file.git,
        endpoint: file.endpoint,
        advice: file.advice,
        ask: file.ask,
        notices,
    };
    let given = |table: Option<toml::Table>| table.is_some_and(|rules| !rules.is_empty());
    Ok((config, given(file.rules) || given(file.effects)))
}

fn notices(file: &File, text: &str) -> Vec<ConfigNotice> {
    let mascate = [
        ("general", file.general),
        ("audio", file.audio),
        ("llm", file.llm),
        ("rag", file.rag),
        ("paths", file.paths),
        ("mascate", file.mascate),
        ("models", file.models),
        ("logging", file.logging),
    ];
    let mut notices: Vec<ConfigNotice> = mascate
        .into_iter()
        .filter(|(_, section)| section.is_some())
        .map(|(name, _)| ConfigNotice::Section(name))
        .collect();
    if file.terminal.fallback.is_some() {
        notices.push(ConfigNotice::Key("terminal.fallback"));
    }
    if file.sandbox.network.is_some() {
        notices.push(ConfigNotice::SandboxNetwork);
    }
    if let Some(asks) = switch(text) {
        notices.push(ConfigNotice::ConfirmationSwitch(asks));
    }
    notices
}

/// The value of `require_confirmation`, if it is `true` or `false`.
fn switch(text: &str) -> Option<bool> {
    text.parse::<toml::Table>().ok()?.get("security")?.get("require_confirmation")?.as_bool()
}

impl Config {
    /// Parses a configuration. `file` is the name for messages.
    ///
    /// # Errors
    /// [`ConfigError`] with the line number, if the TOML is invalid or has an unknown key, a wrong type or a value
    /// out of range.
    pub fn parse(text: &str, file: &str) -> Result<Self, ConfigError> {
        let wrong = |error: toml::de::Error| ConfigError {
            file: file.to_owned(),
            line: error.span().map_or(0, |span| line_of(text, span.start)),
            fault: ConfigFault::read(error.message()),
        };
        let (mut config, has_rules) = read(text).map_err(wrong)?;
        if has_rules {
            config.rules = rules::cut_out(text).map_err(wrong)?;
        }
        config.check(file)?;
        Ok(config)
    }

    /// Every fault of a text that cannot be used, in the order of its lines. Each one is left out before the rest is read again:
    /// a line, or a section with its keys. A fault without a line ends the search.
    #[must_use]
    pub fn faults(text: &str, file: &str) -> Vec<ConfigError> {
        let mut lines: Vec<&str> = text.lines().collect();
        let mut faults: Vec<ConfigError> = Vec::new();
        while let Err(fault) = Self::parse(&lines.join("\n"), file) {
            let at = fault.line;
            let heads = |line: &str| line.trim_start().starts_with('[');
            let left = at.checked_sub(1).and_then(|at| lines.get_mut(at..));
            faults.push(fault);
            let Some([first, rest @ ..]) = left else { break };
            if first.is_empty() {
                break;
            }
            let section = heads(first);
            *first = "";
            rest.iter_mut().take_while(|line| section && !heads(line)).for_each(|line| *line = "");
        }
        faults.sort_by_key(|fault| fault.line);
        faults
    }
}

/// The line of a byte offset, from 1.
fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}
