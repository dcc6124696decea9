//! The file as a whole: our sections, the rules, and Mascate's sections, which the guard does not use.

use serde::Deserialize;

use super::field::Anything;
use super::{
    AdviceSection, AskSection, BashSection, ChannelsSection, Config, ConfigNotice, EndpointSection,
    GitSection, HooksSection, KeysSection, LanguageSection, NetworkSection, PasswordSection, PluginsSection,
    RecordSection, RegistrySection, RunSection, SandboxSection, SecuritySection, ServerSection,
    ServicesSection, SpeechSection, TelemetrySection, TerminalSection, UndoSection,
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
pub(super) fn read(text: &str) -> Result<(Config, bool), toml::de::Error> {
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
