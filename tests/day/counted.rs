//! A developer's day of 81 commands behind a client's hook, with what an agent really asks for: a remote, a server of its own, hosts,
//! processes. Counts the questions of one who says yes each time, and of one who takes the answer that ends the matter.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::common::{free_port, guarda};
use crate::guarded::{Door, Guarded, TOLD};
use crate::shell::Plain;

/// A project, and the repository that it is pushed to (`PORT` of a git daemon).
const PROJECT: &[&str] = &[
    "git init -q --bare ../origin.git && git -C ../origin.git symbolic-ref HEAD refs/heads/main",
    "git init -q . && git checkout -qb main && git remote add origin git://127.0.0.1:GIT/origin.git",
    "mkdir -p src tests docs && printf 'def add(a, b):\\n    return a + b\\n' > src/calc.py",
    "printf 'import sys\\nsys.path.insert(0, \"src\")\\nfrom calc import add\\nassert add(1, 2) == 3\\n' > tests/test_calc.py",
    "printf 'test:\\n\\tpython3 tests/test_calc.py\\nbuild:\\n\\tmkdir -p out && cp src/*.py out/\\n' > Makefile",
    "echo 'KEY=1' > .env && printf '.env\\nout/\\n' > .gitignore && git add -A && git commit -qm first",
    "git push -q ../origin.git main && git update-ref refs/remotes/origin/main main",
];

/// The day. `WEB`: the port of a server that somebody else has running.
const DAY: &str = "\
git status
git pull --rebase origin main
git log --oneline -5
ls -la
cat Makefile
cat src/calc.py
make test
grep -rn add src tests
git checkout -b feature/sub
printf 'def sub(a, b):\\n    return a - b\\n' >> src/calc.py
python3 -m py_compile src/calc.py
make test
sed -i 's/import add/import add, sub/' tests/test_calc.py
echo 'assert sub(3, 2) == 1' >> tests/test_calc.py
make test
git diff
git add -A
git commit -m 'calc: sub'
git push -u origin feature/sub
curl -s http://127.0.0.1:WEB/
curl -s http://127.0.0.1:WEB/docs/
curl -s 'http://127.0.0.1:WEB/?page=2'
curl -sI http://127.0.0.1:WEB/
git fetch origin
git log --oneline origin/main..HEAD
make build
ls out
wc -l src/*.py
find . -name '*.py' -not -path './out/*'
mkdir -p docs/api && echo '# API' > docs/api/index.md
mv docs/api/index.md docs/api/README.md
git mv docs/api docs/reference 2>/dev/null || mv docs/api docs/reference
git add -A && git commit -qm 'docs: reference'
git push
curl -s http://127.0.0.1:WEB/docs/ | head -3
time make test
make test 2>&1 | tail -3
ps aux | grep -c python
df -h . | tail -1
du -sh .
env | grep -c PATH
which python3 git make
python3 -c 'import sys; print(sys.version_info[0])'
python3 -m venv --without-pip .venv
.venv/bin/python -c 'print(1)'
echo .venv/ >> .gitignore
git status --short
git stash
git stash pop
git add .gitignore && git commit -qm 'ignore venv'
git push
git fetch --all
git rebase origin/main
git checkout main
git pull --rebase origin main
git merge --no-ff feature/sub -m 'merge sub'
make test
git push origin main
curl -s http://127.0.0.1:WEB/ > page.html; wc -c page.html; rm page.html
curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:WEB/
for f in src/*.py; do head -1 $f; done
tar czf /tmp/guarda-day-out.tgz out && tar tzf /tmp/guarda-day-out.tgz
cp -r src out/src && rm -rf out
git tag v0.1.0
git push origin v0.1.0
git branch -d feature/sub
git log --graph --oneline -8
sort docs/reference/README.md | uniq -c
awk '/def/ {print $2}' src/calc.py
echo 'print(2)' > scratch.py && python3 scratch.py && rm scratch.py
timeout 10 curl -s http://127.0.0.1:WEB/docs/
cat .gitignore
diff src/calc.py <(git show HEAD~1:src/calc.py)
xargs -a .gitignore -n1 echo
date -u +%Y > /tmp/guarda-day-year && cat /tmp/guarda-day-year
sed -n 1,3p Makefile
touch src/__init__.py && git add -A && git commit -qm 'package'
git push
git status
git rev-parse --short HEAD
history | tail -1; echo done";

/// A program of the test's own, ended with it.
struct Served(Child);

impl Served {
    fn start(program: &str, words: &[&str], folder: &std::path::Path) -> Self {
        let child = Command::new(program)
            .args(words)
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // `git daemon` is served by a child of its own.
            .process_group(0)
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process_group(rustix::process::Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

/// The lines that a question was put about, if every question gets this answer, or a plain yes where that is not offered.
fn asked(answer: &str) -> Vec<String> {
    asked_in("dia", PROJECT, &DAY.lines().collect::<Vec<_>>(), answer)
}

/// The same for these lines in a project that is made like this.
fn asked_in(name: &str, project: &[&str], lines: &[&str], answer: &str) -> Vec<String> {
    let mut guarded = Guarded::start();
    let mut plain = Plain::beside(guarded.home());
    plain.enter(&format!("projetos/{name}"));
    let (git, web) = (free_port().to_string(), free_port().to_string());
    for line in project {
        let ran = plain.run(&line.replace("GIT", &git));
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
    }
    guarded.become_like(&plain);
    guarded.session = name.to_owned();
    let base = guarded.stands.parent().unwrap().to_owned();
    let base = base.to_str().unwrap();
    let daemon = ["daemon", "--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1"];
    let (port, path) = (format!("--port={git}"), format!("--base-path={base}"));
    let _git = Served::start("git", &[&daemon[..], &[&port, &path, base]].concat(), &guarded.stands);
    let _web = Served::start("python3", &["-m", "http.server", "--bind", "127.0.0.1", &web], &guarded.stands);
    let up = |port: &str| std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_ok();
    crate::common::until("both servers", || up(&git) && up(&web));
    let lines = lines.iter().map(|line| line.replace("WEB", &web));
    let mut asked = Vec::new();
    for line in lines {
        let (ran, questions) = guarded.run_answering(&line, Door::Hook, answer);
        if ran.status == 126 {
            println!("refused: {line}: {ran:?}");
        }
        assert!(!ran.err.contains("guarda: blocked"), "{line}: {ran:?}");
        for question in questions {
            println!("[{answer}] {line}\n    {question:.160}");
            asked.push(line.clone());
        }
    }
    asked
}

/// The project of each conversation, and its lines. A line that opens a here-document goes on to its end.
fn sessions() -> Vec<(&'static str, Vec<&'static str>, Vec<&'static str>)> {
    let text = include_str!("sessions.txt");
    let mut sessions = Vec::new();
    for part in text.split("\n## ").skip(1) {
        let (name, rest) = part.split_once('\n').unwrap();
        let (mut project, mut lines) = (Vec::new(), Vec::new());
        let mut left = rest.trim_end();
        while !left.is_empty() {
            let end = left.find('\n').unwrap_or(left.len());
            let whole = if left[..end].ends_with("<<'end'") { left.find("\nend").unwrap() + 4 } else { end };
            match left[..whole].strip_prefix("+ ") {
                Some(made) => project.push(made),
                None => lines.push(&left[..whole]),
            }
            left = left[whole..].trim_start_matches('\n');
        }
        sessions.push((name, project, lines));
    }
    sessions
}

#[test]
fn six_conversations_with_agents_are_asked_about_once_for_each_kind() {
    let made = [
        "git init -q --bare ../origin.git && git -C ../origin.git symbolic-ref HEAD refs/heads/main",
        "git init -q . && git checkout -qb main && git remote add origin git://127.0.0.1:GIT/origin.git",
    ];
    let first = [
        "git add -A && git commit -qm first",
        "git push -q ../origin.git main && git update-ref refs/remotes/origin/main main",
    ];
    let sessions = sessions();
    assert_eq!(sessions.len(), 6);
    let mut counts = Vec::new();
    for (name, project, lines) in &sessions {
        assert!((40..=60).contains(&lines.len()), "{name}: {}", lines.len());
        let project = [&made[..], project, &first[..]].concat();
        let lasting = asked_in(name, &project, lines, "session");
        // For a comparison: what one is asked who never takes it.
        let each =
            std::env::var_os("GUARDA_COUNT_EACH").map(|_| asked_in(name, &project, lines, "yes").len());
        println!(
            "{name}: {} lines, yes each time: {each:?}, for the session: {}",
            lines.len(),
            lasting.len()
        );
        let mut once = lasting.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), lasting.len(), "{name}: {lasting:#?}");
        counts.push((*name, lasting.len()));
    }
    println!("{counts:?}");
    let all = counts.iter().map(|(_, lasting)| lasting).sum::<usize>();
    assert!(counts.iter().all(|(_, lasting)| *lasting <= 5) && all <= 15, "{counts:?}");
}

#[test]
fn a_developers_day_is_asked_about_once_for_each_kind() {
    assert_eq!(DAY.lines().count(), 81);
    let (each, lasting) = (asked("yes"), asked("session"));
    println!("yes each time: {} questions; the answer that ends the matter: {}", each.len(), lasting.len());
    let mut once = lasting.clone();
    once.dedup();
    assert_eq!(once.len(), lasting.len(), "{lasting:#?}");
    assert!(lasting.len() <= 3, "{lasting:#?}");
}

/// What a person allowed in a client is shown with its breadth, and what they take of it is asked about no more.
#[test]
fn what_a_client_allows_is_granted_where_a_person_takes_it() {
    let mut guarded = Guarded::start();
    let mut plain = Plain::beside(guarded.home());
    plain.enter("projetos/regras");
    let web = free_port().to_string();
    let line = format!("curl -s http://127.0.0.1:{web}/");
    let rules = format!(
        r#"{{"permissions": {{"allow": ["Bash({line})", "Bash(curl -s:*)", "Bash(ls:*)", "Bash", "Read(x)"], "deny": ["Bash(rm:*)"]}}}}"#
    );
    for line in
        ["git init -q .".to_owned(), format!("mkdir .claude && echo '{rules}' > .claude/settings.json")]
    {
        assert_eq!(plain.run(&line).status, 0);
    }
    guarded.become_like(&plain);
    guarded.session = "rules".to_owned();
    let _web = Served::start("python3", &["-m", "http.server", "--bind", "127.0.0.1", &web], &guarded.stands);
    crate::common::until("a server", || std::net::TcpStream::connect(format!("127.0.0.1:{web}")).is_ok());
    let other = format!("curl -s http://127.0.0.1:{web}/src/");
    assert_eq!(guarded.run_answering(&other, Door::Hook, "yes").1.len(), 1, "it is asked about");

    let mut import = guarda(guarded.home());
    import.args(["grants", "import", "--json", "--home"]).arg(guarded.home()).current_dir(&guarded.stands);
    let output = import.output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows: Vec<_> = told["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| {
            let commands = rule["commands"].as_array().unwrap().iter();
            let commands = commands
                .map(|row| (row["shape"].as_str().unwrap_or_default(), row["state"].as_str().unwrap()))
                .collect();
            (rule["rule"].as_str().unwrap(), rule["breadth"]["is"].as_str().unwrap(), commands)
        })
        .collect();
    let shape = format!("curl http://127.0.0.1:{web}/…");
    let grantable = vec![(shape.as_str(), "grantable")];
    let named = format!("Bash({line})");
    assert_eq!(
        rows,
        [
            (named.as_str(), "exact", grantable.clone()),
            ("Bash(curl -s:*)", "prefix", grantable),
            ("Bash(ls:*)", "prefix", vec![]),
            ("Bash", "every", vec![]),
            ("Read(x)", "other", vec![]),
            ("Bash(rm:*)", "prefix", vec![]),
        ],
        "{told:#}"
    );
    let service = guarded.service();
    let body = serde_json::json!({ "command": line, "folder": guarded.stands, "client": "claude" });
    let given = service.post("/v1/grants", body.to_string()).token(&service.approve).send();
    assert_eq!((given.status, given.json()["granted"].as_str()), (200, Some(shape.as_str())), "{given:?}");
    let refused = serde_json::json!({ "command": "rm -rf ~", "folder": guarded.stands, "client": "claude" });
    let refused = service.post("/v1/grants", refused.to_string()).token(&service.approve).send();
    assert_eq!(refused.status, 422, "{refused:?}");
    guarded.session = "another".to_owned();
    let (ran, asked) = guarded.run_answering(&line, Door::Hook, "no");
    assert_eq!((ran.status, asked.len()), (0, 0), "{ran:?} {asked:?}");
}

/// What a cell refused is told to the agent, with the reason; a person is asked once it insists, and by nobody else's insisting.
#[test]
fn an_agent_is_told_first_of_what_a_cell_refused() {
    let mut guarded = Guarded::start();
    let mut plain = Plain::beside(guarded.home());
    plain.enter("projetos/aviso");
    for line in ["git init -q .", "echo KEY=1 > .env"] {
        assert_eq!(plain.run(line).status, 0);
    }
    guarded.become_like(&plain);
    let line = "python3 -c 'print(open(\".env\").read())' > out";
    guarded.session = "one".to_owned();
    let (ran, asked) = guarded.run_once(line, Door::Hook, "yes", false);
    assert_eq!((ran.status, asked.len()), (126, 0), "{ran:?} {asked:?}");
    assert!(ran.err.contains(".env") && ran.err.contains(TOLD), "{ran:?}");
    guarded.session = "two".to_owned();
    let (ran, asked) = guarded.run_once(line, Door::Hook, "yes", false);
    assert_eq!((ran.status, asked.len()), (126, 0), "another session: {ran:?} {asked:?}");
    guarded.session = "one".to_owned();
    let (ran, asked) = guarded.run_once(line, Door::Hook, "yes", false);
    assert_eq!((ran.status, asked.len()), (0, 1), "{ran:?} {asked:?}");
}
