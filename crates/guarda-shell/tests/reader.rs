//! The shell reader's results: a table of lines, properties that hold for every text, and its limits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs,
    dead_code,
    reason = "tests start real programs, may fail loudly, and use their part of what they share"
)]

#[path = "oracle/compare.rs"]
mod compare;
#[path = "oracle/chance.rs"]
mod chance;
#[path = "oracle/generator.rs"]
mod generator;
#[path = "reader/shown.rs"]
mod shown;
#[path = "reader/table.rs"]
mod table;

use std::path::PathBuf;

use guarda_shell::script::{Dialect, Script, Unsure};
use proptest::prelude::{ProptestConfig, prop, prop_assert, prop_assert_eq, proptest};

fn read(text: &str) -> Result<Script, Unsure> {
    guarda_shell::read(text, Dialect::Bash)
}

#[test]
fn lines_are_read_as_the_table_says() {
    let mut faults = Vec::new();
    let cases = table::cases(include_str!("reader/lines.txt"));
    assert!(cases.len() > 400, "the table is read");
    for case in cases {
        let shown = shown::shown(&case.script);
        if shown != case.expected {
            faults.push(format!(
                "lines.txt:{} ({}) {:?}\n  expected {:?}\n  shown    {:?}",
                case.line, case.category, case.script, case.expected, shown
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn plans_are_for_scripts_that_need_no_shell() {
    for (line, planned) in [
        ("ls -la", true),
        ("ls -la | grep x && echo 'a b' > out || true", true),
        ("A=1 B='x y' make -j4 2>&1", true),
        ("! grep -q x f; cat <<'E'\ntext $x\nE", true),
        ("cat ~/x \"$HOME/y\" $PWD/z", true),
        ("sort <in >>out 2>/dev/null", true),
        ("test -f a && printf '%s\\n' a", true),
        ("sudo rm x", true),
        ("x=ls; $x -l", false),
        ("ls *.rs", true),
        ("ls $x", false),
        ("ls $(pwd)", false),
        ("cd /tmp && ls", true),
        ("cd -", false),
        ("ls [a-c]", false),
        ("*/x y", false),
        ("export A=1", false),
        ("ls &", false),
        ("(ls)", false),
        ("if ls; then ls; fi", false),
        ("f() { ls; }; f", false),
        ("ls > $x", false),
        ("A=1", false),
        ("> out", false),
        ("time ls", false),
        ("eval ls", false),
        ("ls >&$x", false),
        ("ls {fd}>x", false),
        ("cat <(ls)", false),
        ("read x", false),
    ] {
        let script = read(line).unwrap_or_else(|unsure| panic!("{line}: {unsure}"));
        assert_eq!(script.plan().is_some(), planned, "{line}");
    }
}

#[test]
fn spans_point_at_the_source() {
    let line = "echo é; sudo bash -c 'rm \"a b\" c' > \"$HOME/f\"";
    let script = read(line).expect("readable");
    let text = |span: guarda_shell::script::Span| line.get(span.start..span.end).unwrap_or("?");
    let runs: Vec<&str> = script.runs().iter().map(|run| text(run.span)).collect();
    let whole = "sudo bash -c 'rm \"a b\" c' > \"$HOME/f\"";
    assert_eq!(runs, ["echo é", whole, "bash -c 'rm \"a b\" c'", "rm \"a b\" c"]);
    let last = script.runs().last().expect("a run");
    assert_eq!(last.words.iter().map(|word| text(word.span)).collect::<Vec<_>>(), ["rm", "\"a b\"", "c"]);
    let unsure = read("echo é; (ls").expect_err("not closed");
    assert!(unsure.span.end <= "echo é; (ls".len());
}

#[test]
fn dash_and_bash_are_told_apart() {
    for line in [
        "ls &>f",
        "echo $'a'",
        "a=(b)",
        "[[ a ]]",
        "((1))",
        "ls <(a)",
        "cat <<<a",
        "function f { a; }",
        "${x/a/b}",
    ] {
        assert!(guarda_shell::read(line, Dialect::Sh).is_err(), "{line}");
    }
    for line in [
        "ls -l | grep x",
        "if a; then b; fi",
        "x=$(ls); echo \"$x\"",
        "cat <<E\n$x\nE",
        "ls >f 2>&1",
        "! a && b",
    ] {
        assert!(guarda_shell::read(line, Dialect::Sh).is_ok(), "{line}");
    }
}

#[test]
fn depth_and_length_are_refused_and_not_suffered() {
    let openers = [
        "(",
        "$(",
        "((",
        "$((",
        "${x:-",
        "\"${x:-",
        "{ ",
        "`",
        "<(",
        "if ",
        "case x in a) ",
        "f(){ ",
        "[[ ( ",
        "$((a[",
        "a[[",
        "! ",
        "time ",
        "eval ",
        "sudo ",
        "\"$(",
        "{a,b}",
        "<<E;",
        "cat <<E|",
        "a|",
        "a&&",
        "x=1;",
        "'",
        "$(cat <<E\n",
        "coproc ",
        "exec ",
        "sh -c ",
        "{",
        "a=(",
        "for i in x;do ",
        "(( $(",
        "x='a';",
        "read x;y=1;",
        ">f ",
        "{a,",
        "~:~",
        "*",
        "[",
        "[a]",
        "function f ",
        "a&",
        "$x",
        "${x}",
        "\\\n",
        "echo $x$(a)|b;",
        "while a;do x=1;",
        "x=$x$x;",
        "find -exec ",
        "env -S ",
        "xargs ",
        "trap 'a' EXIT;",
        "a=(b);a+=(c);",
        "{1..9}",
        "<<<a ",
        "((a=1));",
        "f(){ a;};f;",
        "x+=aaaaaaaa;",
        "for i in a b c;do $i;done;",
        "${x:=a}",
        "parallel ",
        "timeout 1 ",
        "\"\"",
        "$''",
    ];
    for opener in openers {
        for times in [50, 100_000] {
            let text = opener.repeat(times);
            let _ = read(&text);
            let end = (0..=guarda_shell::LONGEST.min(text.len()))
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            let _ = read(&text[..end]);
        }
    }
    assert!(read(&"a ".repeat(40_000)).is_err(), "longer than 64 KiB");
    assert!(read(&format!("echo {}", "a".repeat(60_000))).is_ok(), "long, but not too long");
    assert!(read("ls\0").is_err());
    assert!(read("-c ls").is_err());
}

#[test]
fn everyday_lines_are_read_without_doubt() {
    for line in [
        "git commit -m \"Fix the parser (again); closes #12\"",
        "git commit -F - <<'EOF'\nMend $(things) and `others`\n\nrm -rf / is only text here\nEOF",
        "cd /tmp && ls -la | head -20",
        "for f in *.txt; do echo \"$f\"; done",
        "grep -rn 'TODO' src --include='*.rs' | wc -l",
        "find . -name '*.o' -type f -exec rm -f {} +",
        "cat file | sort | uniq -c | sort -rn | head",
        "awk '{print $1}' access.log | sort -u",
        "sed -n '1,10p' file.txt",
        "curl -s https://example.org/api | jq '.items[] | select(.x > 1)'",
        "docker run --rm -it -v \"$PWD:/src\" rust:1 cargo test",
        "if [ -f x ]; then echo yes; else echo no; fi",
        "while read -r line; do echo \"$line\"; done < file",
        "tar czf backup.tgz --exclude='*.log' dir/",
        "ps aux | grep '[f]irefox' | awk '{print $2}'",
        "echo \"$(date +%F) done\" >> log",
        "x=$(git rev-parse HEAD); echo ${x:0:7}",
        "test -d build || mkdir build",
        "[[ $x == a* ]] && echo yes",
        "ls -l $(which bash)",
        "python3 - <<'E'\nprint('x')\nE",
        "echo $((1 + 2))",
        "ls | xargs -I{} cp {} /tmp",
        "sudo apt-get update && sudo apt-get install -y curl",
    ] {
        match read(line) {
            Ok(script) => assert!(script.doubts().is_empty(), "{line}: {:?}", script.doubts()),
            Err(unsure) => panic!("{line}: {unsure}"),
        }
    }
}

/// Compares with a recording of what bash ran for adversarial lines. The file is not part of the project.
#[test]
fn recorded_lines_hide_nothing() {
    let folder = std::env::var_os("GUARDA_CORPORA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora"),
        PathBuf::from,
    );
    let Ok(rows) = std::fs::read_to_string(folder.join("adversarial.dev.jsonl")) else {
        println!("skipped: set GUARDA_CORPORA to a folder with adversarial.dev.jsonl");
        return;
    };
    let mut faults = Vec::new();
    for row in rows.lines() {
        // A few rows contain bytes that are not UTF-8, which the reader does not accept.
        let Ok(row) = serde_json::from_str::<serde_json::Value>(row) else { continue };
        let line = row["cmd"].as_str().unwrap_or("");
        let ran: Vec<Vec<String>> = row["ran"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|argv| {
                argv.as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|word| word.as_str().map(str::to_owned))
                    .collect()
            })
            .map(|mut argv: Vec<String>| {
                // `exec -l` puts a dash before the name that the program sees, not before the one that is started.
                if line.starts_with("exec -l")
                    && let Some(name) = argv.first_mut()
                {
                    *name = name.trim_start_matches('-').to_owned();
                }
                argv
            })
            .collect();
        let (_, hidden) = compare::hidden(line, || ran);
        // Rules about a program handle programs that its own language starts (`s///e` of sed).
        if !hidden.is_empty() && !line.contains("sed ") {
            faults.push(format!("{line:?} ran {hidden:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        let _ = read(&text);
        let _ = guarda_shell::read(&text, Dialect::Sh);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(prop::num::u8::ANY, 0..300)) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = read(&text);
    }

    #[test]
    fn no_soup_of_tokens_panics(tokens in prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..60)) {
        let text = tokens.concat();
        for dialect in [Dialect::Bash, Dialect::Sh] {
            if let Ok(script) = guarda_shell::read(&text, dialect) {
                for run in script.runs() {
                    prop_assert!(run.span.start <= run.span.end && run.span.end <= text.len());
                    prop_assert!(run.parent.is_none_or(|parent| parent < script.runs().len()));
                    for word in &run.words {
                        prop_assert!(text.get(word.span.start..word.span.end).is_some());
                    }
                }
            }
        }
    }

    #[test]
    fn one_more_command_hides_none(seed in 0_u64..1_000_000) {
        let (script, _) = generator::script(seed);
        if let (Ok(one), Ok(two)) = (read(&script), read(&format!("qzz first\n{script}"))) {
            let words = |script: &Script, skip: usize| -> Vec<Vec<guarda_shell::script::Piece>> {
                script.runs().iter().skip(skip).map(|run| run.words.iter().flat_map(|word| word.pieces.clone()).collect()).collect()
            };
            prop_assert_eq!(words(&one, 0), words(&two, 1));
            prop_assert_eq!(one.doubts().len(), two.doubts().len());
        }
    }
}

const TOKENS: [&str; 74] = [
    " ",
    " ",
    " ",
    "\n",
    ";",
    "&",
    "|",
    "||",
    "&&",
    "(",
    ")",
    "{ ",
    "; }",
    "'",
    "\"",
    "`",
    "$",
    "$(",
    "${",
    "}",
    "$((",
    "))",
    "((",
    "[[ ",
    " ]]",
    "<",
    ">",
    ">>",
    "<<E\n",
    "\nE\n",
    "<<-'E'\n",
    "<<<",
    ">&-",
    "2>&1",
    "&>",
    "<(",
    "\\",
    "\\\n",
    "#",
    "!",
    "*",
    "?",
    "[",
    "]",
    "~",
    "=",
    "a=",
    "a=(",
    "x",
    "qaa",
    "a[",
    "if ",
    "then ",
    "fi",
    "for i in ",
    "do ",
    "done",
    "case a in ",
    "esac",
    ";;",
    "f()",
    "function ",
    "eval ",
    "trap ",
    "sudo ",
    "sh -c ",
    "xargs ",
    "${x:-",
    "$'",
    "$\"",
    "{a,b}",
    "é",
    "@(",
    ":",
];
