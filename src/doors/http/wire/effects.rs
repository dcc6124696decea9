//! The JSON of a staged run's changes, for a question.

use serde::Serialize;
use utoipa::ToSchema;

use crate::wording::describe::staged::EffectLine;

/// The held-back changes of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct Effects {
    /// All changes in one sentence, in the question's language.
    #[schema(example = "This deletes a.zip from Downloads; it can be undone for 7 days.")]
    text: String,
    /// For how many days a yes could be undone; null if it could not.
    undo_days: Option<u32>,
    /// Why it could not be undone, in English.
    final_because: Option<String>,
    /// The number of processes that were still running after the run; they were ended.
    strays: u32,
    /// What the run tried to reach and could not.
    tried: EffectTried,
    /// One sentence each about processes that were left behind and about hosts that were tried, in the question's
    /// language.
    #[schema(example = json!(["It tried once to reach another machine, and could not: registry.npmjs.org"]))]
    notes: Vec<String>,
    /// Every change: deletions first, then replacements, changes, renames, new files, and attributes.
    changes: Vec<EffectLine>,
    /// True if more is lost than `text` names. A yes must then include `digest` as `shown`.
    list: bool,
    /// The digest of the changes: SHA-256 in hexadecimal.
    digest: String,
}

/// What a run tried to reach. The guard cannot see refused files or sockets of other programs.
#[derive(Debug, Serialize, ToSchema)]
pub struct EffectTried {
    /// How often it tried to reach another machine or looked up a name.
    machines: u64,
    /// How often it tried to reach a port of this machine.
    ports: u64,
    /// What it tried to reach, at most 32 entries: names that it looked up, and addresses with their ports.
    #[schema(example = json!(["registry.npmjs.org", "192.0.2.1:443", "127.0.0.1:5432"]))]
    sought: Vec<String>,
}

impl Effects {
    /// The changes in the words of a prompt; `None` if nothing has run yet.
    pub(in crate::doors::http) fn of(prompt: &crate::prompt::question::Prompt) -> Option<Self> {
        let effects = prompt.impact.effects.as_ref()?;
        Some(Self {
            text: prompt.staged.clone()?,
            undo_days: prompt.impact.undo_days.filter(|_| effects.final_because.is_none()),
            final_because: effects.final_because.as_deref().map(crate::wording::plain::visible),
            strays: effects.strays,
            tried: EffectTried {
                machines: effects.tried.machines,
                ports: effects.tried.ports,
                sought: effects.tried.sought.iter().map(ToString::to_string).collect(),
            },
            notes: crate::wording::describe::staged::notes(crate::wording::words(prompt.language), effects),
            changes: prompt.changes.clone(),
            list: prompt.takes == crate::wording::Known::Whole,
            digest: guarda_journal::chain::hex(&effects.digest()),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::prompt::question::Prompt;
    use crate::wording::describe::impact::Impact;
    use guarda_core::policy::effect_rules::example;

    /// The effects that tests/http/console/journey.py expects in the console.
    const SHOWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/http/console/effects.json");

    #[test]
    fn what_was_changed_is_sent_as_the_console_is_tested_with() {
        let question = crate::prompt::tests::pending("sh tidy.sh", 1).question();
        let mut effects = example(
            "deleted ~/Downloads/a.zip size 4100000; deleted <b>.txt size 12; changed notes.txt; \
             created new below 3; renamed b.txt from a.txt; attributes run.sh mode 755",
        )
        .unwrap();
        let notes = effects.changes.iter_mut().find(|change| change.path.ends_with("notes.txt")).unwrap();
        notes.diff = Some("@@ -1,2 +1,2 @@\n one\n-two\n+<img src=x onerror=alert(3)>\u{202e}\n".to_owned());
        effects.strays = 1;
        effects.tried.machines = 2;
        let host = guarda_core::network::Host::parse("registry.npmjs.org").unwrap();
        effects.tried.sought = vec![guarda_core::effects::Sought { host, port: None }];
        let impact = Impact {
            effects: Some(effects.into()),
            undo_days: Some(7),
            home: "/home/ana".to_owned(),
            cwd: "/home/ana/project".to_owned(),
            ..Impact::default()
        };
        let english = guarda_core::action::Language::English;
        let prompt = Prompt::new(&question, english, None, "").with_impact(impact.into());
        let sent = serde_json::to_string_pretty(&super::Effects::of(&prompt)).unwrap() + "\n";
        if std::env::var_os("GUARDA_WRITE_DOCS").is_some() {
            std::fs::write(SHOWN, &sent).unwrap();
        }
        assert_eq!(std::fs::read_to_string(SHOWN).unwrap_or_default(), sent);
        let touches = serde_json::to_value(super::super::Touches::of(&prompt)).unwrap();
        assert_eq!(touches["groups"], serde_json::json!([]), "nothing is guessed where it is known");
        let unknown = Prompt::new(&question, english, None, "");
        assert!(super::Effects::of(&unknown).is_none());
    }

    #[test]
    fn what_cannot_be_undone_promises_nothing() {
        let question = crate::prompt::tests::pending("rm a", 1).question();
        let effects = example("deleted a final").unwrap();
        let impact = Impact { effects: Some(effects.into()), undo_days: Some(7), ..Impact::default() };
        let prompt = Prompt::new(&question, guarda_core::action::Language::French, None, "")
            .with_impact(impact.into());
        let sent = serde_json::to_value(super::Effects::of(&prompt)).unwrap();
        assert_eq!(sent["undo_days"], serde_json::Value::Null);
        assert_eq!(sent["final_because"], "there is no room to keep it");
        assert!(sent["text"].as_str().unwrap().ends_with("on ne peut pas l'annuler."), "{sent:#}");
    }
}
