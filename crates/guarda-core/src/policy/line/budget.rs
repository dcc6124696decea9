//! The limit on the work of judging one line. Most of it is linear in the line, but comparisons between its commands
//! could be quadratic, and a caller chooses the line. When the budget is spent, every check returns its cautious
//! answer, and the line is refused.

use std::cell::Cell;

/// The remaining budget, in steps of some nanoseconds.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Cell<usize>,
}

impl Budget {
    /// The budget for a line of this length in bytes: far more than a line written by a person needs.
    pub(crate) fn for_line(length: usize) -> Self {
        Self { left: Cell::new(length.saturating_mul(256).saturating_add(400_000)) }
    }

    /// Takes steps from the budget; false once it is exhausted.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        left.is_some_and(|left| left > 0)
    }

    /// True once it is exhausted.
    pub(crate) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// The remaining steps.
    #[cfg(test)]
    pub(crate) fn left(&self) -> usize {
        self.left.get()
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;
    use crate::policy::{Policy, Profile, Verdict, corpus};
    use guarda_shell::script::Dialect;

    /// Lines in which every command makes the judge look at all the others, or at one that is as long as the line.
    const ENTANGLED: &[&str] = &[
        "find . -name $x -exec cat {} \\; ",
        "find / -exec rm {} \\; ",
        "a=1; f() { $a; }; ",
        "alias a=b; a; ",
        "a=$(ls); cat $a; ",
        "read x; cat $x; ",
        "for i in $x; do cat $i; done; ",
        "$(ls) ",
        "f(){ ",
        "cd /tmp; ls a; ",
        "mv -t a ",
        ">(bash) ",
        "echo a | xargs cat; ",
        "x=rm; $x a; ",
        "sudo env nice ",
        "[ -f # ] && a=#; rm $a; ",
    ];

    /// A text this many times, with its number for each `#`.
    fn numbered(unit: &str, times: usize) -> String {
        (0..times).map(|at| unit.replace('#', &at.to_string())).collect()
    }

    /// The steps to judge a line of this shape, whether the budget is spent, and the joint verdict.
    fn judged(policy: &Policy, unit: &str, length: usize) -> (usize, bool, Verdict) {
        let line = numbered(unit, length / unit.len());
        let script = guarda_shell::read(&line, Dialect::Bash);
        let budget = Budget::for_line(line.len());
        let full = budget.left();
        let findings = policy.judge_within(&script, &corpus::situation(&script), &budget);
        let joint = findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Block);
        (full - budget.left(), budget.is_spent(), joint)
    }

    #[test]
    fn what_is_entangled_costs_no_more_than_its_length_allows_and_is_refused() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        let mut spent_some = false;
        for unit in ENTANGLED {
            let (_, spent, verdict) = judged(&policy, unit, 24 * 1024);
            spent_some |= spent;
            assert!(!spent || verdict == Verdict::Block, "{unit:?} is {verdict:?}");
        }
        assert!(spent_some, "none of these comes to the bound, so that nothing is tried here");
    }

    #[test]
    fn a_line_is_never_milder_for_being_longer() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        for forbidden in ["rm -rf /", "bash -c 'rm -rf /'", "dd if=/dev/zero of=/dev/sda", ":(){ :|:& };:"] {
            for padding in [
                "find / -exec rm {} \\; ; ".repeat(400),
                "echo a; ".repeat(300),
                "echo a; ".repeat(3_000),
                "echo a; ".repeat(30_000),
                format!("echo {}; ", "a".repeat(100_000)),
                "echo $(".repeat(100),
                "( ".repeat(100),
                "bash -c '".to_owned(),
            ] {
                for line in [format!("{padding}{forbidden}"), format!("{forbidden}; {padding}")] {
                    let (_, _, verdict) = judged(&policy, &line, line.len());
                    assert_eq!(verdict, Verdict::Block, "{forbidden} with {} bytes more", padding.len());
                }
            }
        }
    }

    /// Lines that the floor forbids, as what comes before, what is repeated with a number for `#`, and what comes after.
    const PADDED: &[(&str, &str, &str)] = &[
        ("for a in ", "x# ", "/; do rm -rf $a; done"),
        ("select a in ", "x# ", "/; do rm -rf $a; done"),
        ("for p in ", "x# ", "mkfs.ext4; do $p /dev/sda1; done"),
        ("", "a=x#; ", "[ -f y ] && a=/; rm -rf $a"),
        ("", "if x#; then a=x#; fi; ", "if y; then a=/dev; fi; dd if=/dev/zero of=$a/sda"),
        ("for a in ", "x# ", "sda; do dd if=/dev/zero of=/dev/$a; done"),
        ("for a in ", "x# ", "/dev; do for b in x sda; do dd if=/dev/zero of=$a/$b; done; done"),
        ("for a in ", "x# ", "/dev/sda; do echo > $a; done"),
        ("case $1 in ", "#) a=x#;; ", "y) a=/;; esac; rm -rf $a"),
        ("", "read a <<< x#; ", "read a <<< /; rm -rf $a"),
        ("mapfile -t a < <(printf '%s\\n' ", "x# ", "/); rm -rf ${a[@]}"),
        ("set -- ", "x# ", "/; rm -rf $1"),
        ("f() { rm -rf $1; }; ", "f x#; ", "f /"),
        ("f() { rm -rf \"$@\"; }; ", "f x#; ", "f /"),
        ("echo 'rm -rf /' | ", "cat | ", "sh"),
        ("{ ", "echo ZWNobyAx | base64 -d; ", "echo cm0gLXJmIC8= | base64 -d; } | sh"),
        ("awk 'BEGIN{", "system(\"echo #\");", "system(\"rm -rf /\")}'"),
        ("perl -e '", "system(\"echo #\");", "system(\"rm -rf /\")'"),
        ("php -r '", "exec(\"echo #\");", "exec(\"rm -rf /\");'"),
        ("python3 -c 'import os; ", "os.system(\"echo #\");", "os.system(\"rm -rf /\")'"),
        (
            "python3 -c 'import subprocess as s; ",
            "s.run([\"echo\",\"#\"]);",
            "s.run([\"rm\",\"-rf\",\"/\"])'",
        ),
        (
            "node -e '",
            "require(\"child_process\").execSync(\"echo #\");",
            "require(\"child_process\").execSync(\"rm -rf /\")'",
        ),
        ("ruby -e '", "`echo #`;", "`rm -rf /`'"),
        ("python3 -c 'import shutil; ", "shutil.rmtree(\"x#\");", "shutil.rmtree(\"/\")'"),
        ("sed ", "-e '#e echo #' ", "-e '1e rm -rf /' f"),
        ("sed '", "#e echo #;", "1e rm -rf /' f"),
        ("foo ", "rm ", "-- rm -rf /"),
        ("foo -o ", "a#=1,", "pager=rm -rf /"),
        ("foo -o '", "a#=1,", "b=c;rm -rf /'"),
        ("foo -c ':!", "a#=1\n", "p=rm\n$p -rf /'"),
        ("foo '", "a#: b\n", "x: |\n  p=rm\n$p -rf /'"),
        ("xargs rm -rf <<< '", "x# ", "/'"),
        ("rm ", "x# ", "/home/ana/.config/guarda/config.toml"),
        ("find ", "x# ", "/home/ana/.config/guarda | xargs rm"),
        ("rm -rf {{1..600},", "x#,", "/}"),
        ("rm -rf ", "{,x#}", "{/,x}"),
        ("{rm,-rf,", "{x#,y},", "/}"),
        ("sh -c 'rm -rf {", "x#,", "/,y}'"),
        ("rm -rf {", "x#,", "$y,/}"),
        ("tool --files=", "x#:", "/home/ana/.config/guarda/config.toml"),
    ];

    #[test]
    fn a_floor_stays_the_floor_behind_any_number_of_harmless_things() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        for (before, repeated, after) in PADDED {
            for times in [0, 1, 4, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 200] {
                let line = format!("{before}{}{after}", numbered(repeated, times));
                let (_, _, verdict) = judged(&policy, &line, line.len());
                assert_eq!(verdict, Verdict::Block, "{times} times {repeated:?} before {after:?}");
            }
        }
    }

    #[test]
    fn a_floor_is_reached_through_any_number_of_functions() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        for calls in [0, 1, 8, 31, 33, 65, 129] {
            let through: String = (0..calls).map(|at| format!("f{at}() {{ f{} $1; }}; ", at + 1)).collect();
            for line in [
                format!("{through}f{calls}() {{ rm -rf $1; }}; f0 /"),
                format!("f{calls}() {{ rm -rf $1; }}; {through}f0 /"),
            ] {
                let (_, _, verdict) = judged(&policy, &line, line.len());
                assert_eq!(verdict, Verdict::Block, "{calls} functions");
            }
        }
    }

    #[test]
    fn many_folders_at_once_are_no_limit() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        for line in ["mkdir -p data/{2010..2024}/{01..12}/{01..31}", "touch {a..z}{a..z}{1..100}.{txt,log}"] {
            let (_, _, verdict) = judged(&policy, line, line.len());
            assert!(verdict < Verdict::Block, "{line:?} is {verdict:?}");
        }
    }

    /// Commands that have nothing to do with each other, and one with many words that starts many.
    const REPEATED: &[&str] = &[
        "while read -r line; do echo \"$line\"; done < notes; ",
        "read x < <(ls); cat notes; ",
        "read -u 3 x; cat notes <<< a; ",
        "for i in a b; do rm -r $i; done; ",
        "find . -name '*.o' -exec rm {} ; ",
        "$(which ls) -l; ",
        "x=$(ls); cat notes; ",
        "x=$x$x; ",
        "a=1; echo $a; ",
    ];

    #[test]
    fn what_is_repeated_costs_as_often_as_it_stands_there() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        for unit in REPEATED {
            let (some, _, _) = judged(&policy, unit, 8 * 1024);
            let (more, spent, _) = judged(&policy, unit, 32 * 1024);
            assert!(
                !spent && more <= some * 9 / 2,
                "{unit:?} takes {some}, and {more} of four times as many"
            );
        }
    }

    /// Lines of ordinary programs, by the interpreter that reads them from a here-document.
    const PROGRAMS: &[(&str, &[&str])] = &[
        (
            "bash -s",
            &[
                "name#=$(basename \"$1\" .txt); count#=0",
                "for file in \"$folder\"/*.log; do echo \"$file: $count#\"; done | sort > \"$out#\"",
                "if [ -f \"$name#\" ]; then cp \"$name#\" \"$target/$name#.old\" && rm -f \"$name#\"; fi",
                "perl -ne 'print if /^a#/' < \"$name#\" | sed -e 's/a/b/' | while read -r line; do echo \"$line\"; done",
            ],
        ),
        (
            "python3 -",
            &[
                "values# = {key: open(path#, 'w') for key, path# in pairs if key not in (a, b)}",
                "subprocess.run([\"make\", \"part#\"], check=True, env={\"A\": \"b=#\"})",
                "remove#(\"format of #\"); rest[#:] = find(rest, lambda x: x | {#})",
            ],
        ),
        (
            "node -",
            &[
                "const f#=(a,b)=>{let c=open(a),d={x:b|c,y:[#,a=b ]};return (c=find(d),{c}) };spawn(\"make\",[f#]);",
            ],
        ),
    ];

    #[test]
    fn programs_in_here_documents_stay_within_the_bound() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        for (interpreter, lines) in PROGRAMS {
            let all: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
            let line = format!("{interpreter} <<'END'\n{}END\n", numbered(&all, 3_600 / all.len()));
            let (taken, spent, verdict) = judged(&policy, &line, line.len());
            assert!(!spent && verdict < Verdict::Block, "{interpreter} takes {taken}: {verdict:?}");
        }
    }

    #[test]
    fn what_people_write_is_far_from_the_bound() {
        let policy = Policy::builtin(Profile::Desktop).unwrap();
        for line in
            include_str!("../../../../../benches/lines.txt").lines().filter(|line| !line.starts_with('#'))
        {
            let (taken, _, _) = judged(&policy, line, line.len());
            assert!(taken * 10 < Budget::for_line(0).left(), "{line:?} takes {taken}");
        }
    }
}
