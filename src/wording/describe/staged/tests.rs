//! Sentences and lists of changes.

use std::path::PathBuf;

use super::{Sign, Staged};
use crate::wording::known::Known;
use crate::wording::words::words;
use guarda_core::action::Language;
use guarda_core::effects::NO_ROOM;
use guarda_core::effects::{ChangeKind, Effects};
use guarda_core::policy::effect_rules::example;

use Language::{English, French, Portuguese};

fn staged(effects: &Effects, undo_days: Option<u32>) -> Staged<'_> {
    Staged { effects, undo_days, home: "/home/ana", cwd: "/home/ana/project" }
}

#[test]
fn what_is_lost_is_named_aloud_or_must_be_read() {
    let long = format!("deleted {}", "n".repeat(121));
    for (changes, takes) in [
        ("created a; created b; created c; created d", Known::Begun),
        ("changed a; changed b; changed c; changed d; attributes e", Known::Begun),
        ("renamed b from a", Known::Begun),
        ("deleted a", Known::Sentence),
        ("deleted a; deleted b; deleted c; created d; created e; created f; created g", Known::Sentence),
        ("deleted build below 212", Known::Sentence),
        ("deleted a; deleted b; deleted c; deleted d", Known::Whole),
        // A cut name, a hidden character, and a path inside another path.
        (&long, Known::Whole),
        ("deleted a\u{202e}b", Known::Whole),
        ("deleted build below 2; deleted build/.env", Known::Whole),
    ] {
        let effects = example(changes).unwrap();
        assert_eq!(staged(&effects, Some(7)).takes(), takes, "{changes}");
    }
}

#[test]
fn the_sentence_says_what_and_whether_it_can_be_undone() {
    let few = "deleted ~/Downloads/a.zip size 4000000; deleted ~/Downloads/b.zip size 4000000; \
               deleted ~/Downloads/c.zip size 4200000";
    let many = "deleted ~/Downloads/a size 3000000; deleted ~/Downloads/b size 3000000; \
                deleted ~/Downloads/c size 3000000; deleted ~/Downloads/d size 3000000";
    for (changes, days, language, said) in [
        ("", Some(7), Portuguese, "Isto não muda nada."),
        (many, Some(7), Portuguese, "Isto apaga 4 arquivos de Downloads; dá para desfazer por 7 dias."),
        (many, Some(1), English, "This deletes 4 files from Downloads; it can be undone for 1 day."),
        (many, Some(7), French, "Ceci supprime 4 fichiers de Downloads ; on peut l'annuler pendant 7 jours."),
        (
            few,
            Some(7),
            Portuguese,
            "Isto apaga 3 arquivos de Downloads: a.zip, b.zip e c.zip; dá para desfazer por 7 dias.",
        ),
        ("deleted a size 1500", None, Portuguese, "Isto apaga a; não dá para desfazer."),
        ("deleted a size 1500 final", Some(7), English, "This deletes a; it cannot be undone."),
        (
            "deleted build below 212; created a size 0",
            Some(7),
            English,
            "This deletes the folder build with 212 files and creates a; it can be undone for 7 days.",
        ),
        (
            "renamed ~/b.txt from ~/a.txt",
            Some(7),
            Portuguese,
            "Isto renomeia a.txt para b.txt na sua pasta pessoal; dá para desfazer por 7 dias.",
        ),
        (
            "renamed ~/proj/c.zip from ~/Downloads/c.zip",
            Some(7),
            Portuguese,
            "Isto move c.zip para a pasta proj; dá para desfazer por 7 dias.",
        ),
        (
            "renamed ~/a from ~/Downloads/a; renamed ~/b from ~/Downloads/b",
            Some(7),
            French,
            "Ceci déplace a et b vers votre dossier personnel ; on peut l'annuler pendant 7 jours.",
        ),
        (
            "attributes a; attributes src/b",
            Some(7),
            French,
            "Ceci modifie les attributs de 2 fichiers : a et src/b ; on peut l'annuler pendant 7 jours.",
        ),
        (
            "attributes ~/x mode 600",
            Some(7),
            Portuguese,
            "Isto muda permissões de x na sua pasta pessoal; dá para desfazer por 7 dias.",
        ),
        ("created l link ../x", Some(7), Portuguese, "Isto cria o atalho l; dá para desfazer por 7 dias."),
        (
            "created a size 0; changed b size 10; deleted c size 10; renamed d; attributes e",
            Some(7),
            Portuguese,
            "Isto apaga c, sobrescreve b, e faz outras 3 mudanças; dá para desfazer por 7 dias.",
        ),
        (
            "deleted a size 10; changed b size 10; created c size 0",
            Some(7),
            English,
            "This deletes a, overwrites b, and makes one more change; it can be undone for 7 days.",
        ),
    ] {
        let effects = example(changes).unwrap();
        assert_eq!(staged(&effects, days).sentence(words(language)), said);
    }
}

#[test]
fn a_text_of_which_a_part_stays_is_changed_and_not_overwritten() {
    let mut effects = example("changed ~/.bashrc size 3500").unwrap();
    for (diff, said) in [
        ("@@ -1 +1,2 @@\n alias a=b\n+alias x=y\n", "This changes .bashrc in your home folder;"),
        ("@@ -1 +1 @@\n-alias a=b\n+alias x=y\n", "This overwrites .bashrc in your home folder;"),
    ] {
        effects.changes[0].diff = Some(diff.to_owned());
        let told = staged(&effects, Some(7)).sentence(words(English));
        assert!(told.starts_with(said), "{told}");
    }
}

#[test]
fn what_does_not_fit_is_told_with_its_size() {
    let mut effects = example("deleted a below 3; deleted b size 200000000").unwrap();
    effects.changes[0].was.as_mut().unwrap().below.bytes = 3_000_000_000;
    effects.final_because = Some(NO_ROOM.to_owned());
    let said = staged(&effects, Some(7)).sentence(words(Portuguese));
    assert!(said.ends_with("não dá para desfazer: 3,2 GB são demais para guardar."), "{said}");
}

#[test]
fn what_lies_in_a_new_folder_is_told_once_and_shown() {
    let effects = example("created new below 3; created new/.envrc").unwrap();
    let staged = staged(&effects, Some(7));
    let english = words(English);
    assert_eq!(
        staged.sentence(english),
        "This creates the folder new with 3 files; it can be undone for 7 days."
    );
    let paths: Vec<String> = staged.lines(english).into_iter().map(|line| line.path).collect();
    assert_eq!(paths, ["new", "new/.envrc"]);
}

#[test]
fn every_change_is_a_line_the_gravest_first() {
    let mut effects = example(
        "created z size 5; deleted ~/a size 1500; deleted old; renamed new from old; changed /etc/b mode 600; \
         attributes c mode 755; changed d parted; created e link ../x; created f mode 4755; deleted g below 2",
    )
    .unwrap();
    let changed = effects.changes.iter_mut().find(|change| change.path.ends_with("b")).unwrap();
    changed.diff = Some("--- a/b\n+++ b/b\n@@ -1,2 +1,2 @@\n same\n-old\n--- a\n+new\u{202e}\n".to_owned());
    let lines = staged(&effects, Some(7)).lines(words(English));
    let text: Vec<String> = lines.iter().flat_map(super::EffectLine::text).collect();
    assert_eq!(
        text,
        [
            "− ~/a — 1.5 kB",
            "− g — folder with 2 files, 2 B",
            "~ /etc/b — 1 B, +1 −2, permissions 644 → 600",
            "    @@ -1,2 +1,2 @@",
            "      same",
            "    − old",
            "    − -- a",
            "    + new⟨U+202E⟩",
            "~ d — 1 B, the file has other names, which keep the old content",
            "→ new — moved from old, 1 B",
            "+ e — link to ../x",
            "+ f — 1 B, permissions 4755",
            "+ z — 5 B",
            "* c — permissions 644 → 755",
        ]
    );
    assert_eq!(lines[2].mark, ChangeKind::Changed);
    assert_eq!(lines[2].diff[1].sign, Sign::Same);
}

#[test]
fn no_name_makes_a_line_of_its_own() {
    use std::os::unix::ffi::OsStringExt;

    let mut effects = example("deleted a; created b").unwrap();
    effects.changes[0].path = PathBuf::from("/home/ana/project/a\n+ /etc/\u{1b}[31mb");
    let raw = b"/home/ana/project/\xffx".to_vec();
    effects.changes[1].path = PathBuf::from(std::ffi::OsString::from_vec(raw));
    let lines = staged(&effects, Some(7)).lines(words(English));
    assert_eq!(lines[0].path, "a⏎ + /etc/⟨U+001B⟩[31mb");
    assert_eq!(lines[1].path, "⟨FF⟩x");
    let said = staged(&effects, Some(7)).sentence(words(English));
    assert!(!said.contains(['\n', '\u{1b}']), "{said}");
}

#[test]
fn a_question_about_changes_says_them_everywhere() {
    use crate::prompt::card::{Foot, card};
    use crate::prompt::question::Prompt;
    use crate::wording::describe::impact::Impact;

    let question = crate::prompt::tests::pending("rm a", 1).question();
    let effects = example("deleted a size 1500").unwrap();
    let impact = Impact {
        effects: Some(effects.into()),
        undo_days: Some(7),
        home: "/home/ana".to_owned(),
        cwd: "/home/ana/project".to_owned(),
        preview: crate::devices::filesystem::touch::Preview { open: true, ..Default::default() },
        ..Impact::default()
    };
    let prompt = Prompt::new(&question, English, None, "").with_impact(impact.into());
    let told = "This deletes a; it can be undone for 7 days.";
    assert_eq!(prompt.staged.as_deref(), Some(told));
    assert!(
        prompt
            .spoken
            .contains("This deletes a. It can be undone. In the terminal of guarda-costas, confirm with Y or cancel with N."),
        "{}",
        prompt.spoken
    );
    assert!(!prompt.spoken.contains("Do you want to"), "{}", prompt.spoken);
    assert!(prompt.touches.is_empty(), "nothing is guessed");
    let shown: String = card(&prompt, 80, 0, Foot::Commands { code: false })
        .into_iter()
        .map(|line| line.text + "\n")
        .collect();
    assert!(shown.contains(told) && shown.contains("What changes: − a — 1.5 kB"), "{shown}");
    let french = prompt.in_language(&question, French);
    assert!(french.spoken.contains("Ceci supprime a. On peut annuler."), "{}", french.spoken);
    let digit = Prompt::new(&question, Portuguese, Some('7'), "").with_impact(prompt.impact);
    assert!(
        digit.spoken.contains("Dá para desfazer. No terminal do guarda-costas, confirme com 7 ou"),
        "{}",
        digit.spoken
    );
}
