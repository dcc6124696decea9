use std::collections::BTreeSet;

use strum::{IntoEnumIterator as _, VariantNames as _};

use super::*;
use crate::config::Config;
use crate::config::fault::{ExpectedType, SyntaxFault};
use guarda_core::action::Language;
use guarda_core::network::BadHost;

/// One fault of each kind, of each type and of each kind of syntax.
fn faults() -> Vec<ConfigFault> {
    let text = || "abc".to_owned();
    let misspelt = |allowed: &[&str]| Misspelt {
        given: text(),
        allowed: allowed.iter().map(|name| (*name).to_owned()).collect(),
    };
    let mut faults = vec![
        ConfigFault::UnknownKey(misspelt(&["xy", "z"])),
        ConfigFault::UnknownKey(misspelt(&["xy", "abd"])),
        ConfigFault::UnknownValue(misspelt(&[])),
        ConfigFault::MissingKey(text()),
        ConfigFault::DuplicateKey,
        ConfigFault::WholeNumber { given: 70_000, low: -100, high: 65_535 },
        ConfigFault::Number("-1".to_owned()),
        ConfigFault::Share("1.5".to_owned()),
        ConfigFault::Risk("3".to_owned()),
        ConfigFault::LowRisk("1".to_owned()),
        ConfigFault::Address(text()),
        ConfigFault::SearchPath(text()),
        ConfigFault::Hours(text()),
        ConfigFault::Chord(text()),
        ConfigFault::SameChord("super+y".to_owned()),
        ConfigFault::Postgres,
        ConfigFault::Collector(text()),
        ConfigFault::ToolName(text()),
        ConfigFault::HostName(text()),
        ConfigFault::Host { given: text(), cause: BadHost::Port },
        ConfigFault::Endpoint(text()),
        ConfigFault::EndpointHttps,
        ConfigFault::EndpointKey,
        ConfigFault::Checks,
        ConfigFault::Property,
        ConfigFault::Reachable("0.0.0.0:1".to_owned()),
        ConfigFault::RemoteEndpoint(text()),
        ConfigFault::NoModel,
        ConfigFault::Other(text()),
    ];
    for expected in ExpectedType::iter() {
        for given in [
            GivenValue::Text(text()),
            GivenValue::Plain("3".to_owned()),
            GivenValue::List,
            GivenValue::Table,
            GivenValue::Unnamed,
        ] {
            faults.push(ConfigFault::Type { given, expected });
        }
    }
    faults.extend(SyntaxFault::iter().map(|kind| ConfigFault::Syntax { kind, detail: text() }));
    faults
}

/// One fault of each kind of rules.
fn policy_faults() -> Vec<PolicyFault> {
    let text = || "abc".to_owned();
    let (rule, line) = (text(), "ls x".to_owned());
    let rules = [
        RuleError::NoList(text()),
        RuleError::Circular(text()),
        RuleError::NoClass(text()),
        RuleError::NoFact(text()),
        RuleError::NoChange(text()),
        RuleError::NoKind(text()),
        RuleError::NoCheck(text()),
        RuleError::Flag(text()),
        RuleError::Verdict(text()),
        RuleError::NoVerdict,
        RuleError::EffectVerdict,
        RuleError::Risk(1.5),
        RuleError::TooMany("rules"),
        RuleError::Packing(text()),
        RuleError::Example { rule: rule.clone(), matches: true, line: line.clone() },
        RuleError::Example { rule: rule.clone(), matches: false, line: line.clone() },
        RuleError::Unreadable { rule: rule.clone(), line, why: "quote".to_owned() },
        RuleError::Within(rule, Box::new(RuleError::NoVerdict)),
    ];
    let mut faults = vec![
        PolicyFault::Table(TableFault::Toml("unknown field `ab`, expected `why` or `abc`".to_owned())),
        PolicyFault::Table(TableFault::Mixed(text())),
        PolicyFault::Locks(text()),
        PolicyFault::Locked(text()),
        PolicyFault::NoCommand { text: text(), why: "quote".to_owned() },
    ];
    faults.extend(rules.map(PolicyFault::Rule));
    faults
}

/// Three different texts, none of them empty, and the English one is the error's own.
fn are_own(told: [String; 3], error: &str) {
    let [portuguese, english, french] = &told;
    assert_eq!(english, error);
    assert!(!portuguese.is_empty() && !french.is_empty(), "{error}");
    assert!(portuguese != english && french != english && portuguese != french, "{error}");
}

#[test]
fn every_fault_has_words_in_every_language() {
    let all = faults();
    let names: BTreeSet<&str> = all.iter().map(<&'static str>::from).collect();
    assert_eq!(names, ConfigFault::VARIANTS.iter().copied().collect());
    for fault in all {
        let told = Language::ALL.map(|language| config_fault(crate::wording::words(language), &fault));
        let error = match fault {
            // The network names its causes in other words.
            ConfigFault::Host { .. } => {
                "\"abc\" is not a host: a port is a number from 1 to 65535".to_owned()
            }
            other => other.to_string(),
        };
        are_own(told, &error);
    }
    for fault in policy_faults() {
        let told = Language::ALL.map(|language| policy_fault(crate::wording::words(language), &fault));
        let error = match fault {
            PolicyFault::Table(TableFault::Toml(_)) => "unknown key \"ab\"; did you mean \"abc\"?".to_owned(),
            PolicyFault::Rule(RuleError::Packing(_)) => "the built-in rules cannot be read (abc)".to_owned(),
            PolicyFault::Rule(RuleError::Unreadable { .. }) => {
                "rule \"abc\": the example `ls x` cannot be read (quote)".to_owned()
            }
            other => other.to_string(),
        };
        are_own(told, &error);
    }
    for notice in [
        ConfigNotice::Section("audio"),
        ConfigNotice::Key("terminal.fallback"),
        ConfigNotice::SandboxNetwork,
        ConfigNotice::ConfirmationSwitch(true),
    ] {
        let told = Language::ALL.map(|language| super::notice(crate::wording::words(language), &notice));
        are_own(told, &notice.to_string());
    }
}

/// What a person reads if the configuration cannot be used, and what no text in another language contains.
#[test]
fn an_error_is_placed_and_told_in_the_persons_language() {
    for (text, portuguese, french) in [
        (
            "[security]\nlog_all_comands = true\n",
            "c.toml, linha 2: a chave “log_all_comands” não existe; você quis dizer “log_all_commands”?",
            "c.toml, ligne 2 : la clé « log_all_comands » n'existe pas ; vouliez-vous dire « log_all_commands » ?",
        ),
        (
            "[security]\nconfirmation_timeout_seconds = \"30\"\n",
            "c.toml, linha 2: isto deve ser um número inteiro, e não o texto “30”",
            "c.toml, ligne 2 : ceci doit être un nombre entier, et non le texte « 30 »",
        ),
        (
            "[security]\nprofile = \"home\"\n",
            "c.toml, linha 2: “home” não é um valor aceito aqui; aqui valem: desktop, workspace, forensics, container",
            "c.toml, ligne 2 : « home » n'est pas une valeur admise ici ; admis ici : desktop, workspace, \
             forensics, container",
        ),
        (
            "[server]\nlisten = \"0.0.0.0:1\"\n",
            "c.toml: server.listen é 0.0.0.0:1, que outros computadores alcançam: use 127.0.0.1 ou [::1], ou ponha \
             server.allow_remote = true se é o que você quer",
            "c.toml : server.listen vaut 0.0.0.0:1, que d'autres ordinateurs peuvent joindre : utilisez 127.0.0.1 ou \
             [::1], ou écrivez server.allow_remote = true si c'est voulu",
        ),
        (
            "[rules.a]\nmore-than = -1\n",
            "c.toml, linha 2: -1 está fora dos limites",
            "c.toml, ligne 2 : -1 est hors limites",
        ),
        (
            "[keys]\nenabled = = true\n",
            "c.toml, linha 2: há um = a mais (",
            "c.toml, ligne 2 : il y a un = de trop (",
        ),
        (
            "[keys\n",
            "c.toml, linha 1: falta fechar um colchete ou uma chave (unclosed table, expected `]`)",
            "c.toml, ligne 1 : un crochet ou une accolade n'est pas fermé (unclosed table, expected `]`)",
        ),
        (
            "[rules.a]\nprogram = \"x\"\n",
            "c.toml, linha 2: a chave “program” não existe; você quis dizer “programs”?",
            "c.toml, ligne 2 : la clé « program » n'existe pas ; vouliez-vous dire « programs » ?",
        ),
        (
            "\n[rules.a]\nprograms = \"x\"\nverdict = \"block\"\nmatches = [\"ls\"]\n",
            "c.toml, linha 2: a regra “a” deveria valer para `ls` e não vale",
            "c.toml, ligne 2 : la règle « a » devrait s'appliquer à `ls`, et elle ne s'y applique pas",
        ),
        (
            "[bash]\ndenied_commands = [\"ls (\"]\n",
            "[bash] denied_commands: “ls (” não é um comando: ",
            "[bash] denied_commands : « ls ( » n'est pas une commande : ",
        ),
    ] {
        let told = |language| {
            let words = crate::wording::words(language);
            match Config::parse(text, "c.toml") {
                Err(error) => config_error(words, &error),
                Ok(config) => policy_error(words, &config.policy("c.toml").expect_err(text)),
            }
        };
        let said = told(Language::Portuguese);
        assert!(said.starts_with(portuguese), "{said}");
        // French sets no-break spaces.
        let dit = told(Language::French).replace('\u{a0}', " ");
        assert!(dit.starts_with(french), "{dit}");
    }
}

proptest::proptest! {
    /// Whatever stands in a value, its fault comes back as it was.
    #[test]
    fn a_fault_gets_through_the_parser(given in "\\PC{0,20}") {
        let text = format!("[security]\nprofile = {}\n", toml::Value::String(format!("{given}x")));
        let fault = Config::parse(&text, "x").unwrap_err().fault;
        let ConfigFault::UnknownValue(name) = fault else { panic!("{fault:?}") };
        proptest::prop_assert_eq!(name.given, format!("{given}x"));
    }
}
