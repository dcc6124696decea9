//! An ordinary day beside a plain run: real projects in a home like a person's, and the lines of `lines.txt`, each run plainly
//! and through the guard, and compared: output, exit status, tree, and the folder in which the shell stands afterwards.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod agents;
mod counted;
mod guarded;
mod lines;
mod shell;
mod tree;

use guarded::{Door, Guarded};
use lines::{Expected, Line};
use shell::{Plain, Ran};
use tree::Tree;

/// What became of a line through the guard.
#[derive(Debug, Default)]
struct Compared {
    asked: Vec<String>,
    /// How it differs from the plain run.
    differs: Vec<String>,
}

/// Both homes, and the folders in which their shells stand.
struct Day {
    plain: Plain,
    guarded: Guarded,
    lines: usize,
    /// Trees before the latest changes that can be undone, with the ids of these changes.
    steps: Vec<(String, Tree)>,
}

impl Day {
    fn new() -> Self {
        let guarded = Guarded::start();
        let plain = Plain::beside(guarded.home());
        Self { plain, guarded, lines: 0, steps: Vec::new() }
    }

    /// Makes both homes alike again.
    fn level(&mut self) {
        self.guarded.become_like(&self.plain);
        self.steps.clear();
    }

    fn compare(&mut self, line: &Line) -> Compared {
        let mut compared = Compared::default();
        let before = self.guarded.tree();
        let plain = self.plain.run(&line.text);
        let expected = self.plain.tree();
        let stands = self.guarded.stands.clone();
        self.check("hook", line, Door::Hook, &plain, &expected, &mut compared);
        if self.guarded.stands != self.plain.stands {
            let (at, wanted) = (&self.guarded.stands, &self.plain.stands);
            compared.differs.push(format!("the shell stands in {at:?} instead of {wanted:?}"));
            self.guarded.stands.clone_from(&self.plain.stands);
        }
        let deed = self.guarded.new_deed();
        if let Some(deed) = &deed {
            self.steps.push((deed.clone(), before.clone()));
        }
        self.lines += 1;
        // Every other line goes through another door too, after an undo.
        if self.lines.is_multiple_of(2) && compared.differs.is_empty() && compared.asked.is_empty() {
            if let Some(deed) = &deed {
                let undone = self.guarded.undo(deed);
                let now = self.guarded.tree();
                if !undone || now != before {
                    compared.differs.push(format!("undo once: {}", before.difference(&now)));
                    return compared;
                }
                self.steps.pop();
            } else if expected != before {
                return compared;
            }
            let (name, door) =
                if self.lines.is_multiple_of(4) { ("guarda act", Door::Act) } else { ("MCP", Door::Mcp) };
            let after = std::mem::replace(&mut self.guarded.stands, stands);
            self.check(name, line, door, &plain, &expected, &mut compared);
            self.guarded.stands = after;
            if let Some(deed) = self.guarded.new_deed() {
                self.steps.push((deed, before));
            }
        }
        compared
    }

    fn check(
        &mut self,
        name: &str,
        line: &Line,
        door: Door,
        plain: &Ran,
        expected: &Tree,
        compared: &mut Compared,
    ) {
        let (ran, asked) = self.guarded.run(&line.text, door);
        // The same line twice within ten seconds is a question of its own, which is no matter of an ordinary day.
        if door == Door::Hook {
            compared.asked.extend(asked);
        }
        if let Some(difference) = plain.difference(&ran, door != Door::Hook) {
            compared.differs.push(format!("{name}: {difference}"));
        }
        let tree = self.guarded.tree();
        if tree != *expected {
            compared.differs.push(format!("{name}: {}", expected.difference(&tree)));
        }
    }

    /// Undoes the two latest changes step by step, and brings them back.
    fn undo_twice_and_back(&mut self) -> Vec<String> {
        let mut differs = Vec::new();
        let last = self.guarded.tree();
        let steps = self.steps.split_off(self.steps.len().saturating_sub(2));
        let mut back = Vec::new();
        for (deed, before) in steps.iter().rev() {
            let there = self.guarded.tree();
            let undone = self.guarded.undo(deed);
            let now = self.guarded.tree();
            if !undone || now != *before {
                differs.push(format!("undo step by step: {}", before.difference(&now)));
                return differs;
            }
            back.push((self.guarded.new_deed(), there));
        }
        for (deed, there) in back.into_iter().rev() {
            let undone = deed.is_some_and(|deed| self.guarded.undo(&deed));
            let now = self.guarded.tree();
            if !undone || now != there {
                differs.push(format!("undo, and back: {}", there.difference(&now)));
                return differs;
            }
        }
        if self.guarded.tree() != last {
            differs.push("not back where it was".to_owned());
        }
        differs
    }
}

#[test]
fn an_ordinary_day_is_as_without_the_guard() {
    let mut day = Day::new();
    let only = std::env::var("GUARDA_DAY").unwrap_or_default();
    let (mut same, mut asked, mut said, mut known) = (0, 0, 0, 0);
    let mut faults = Vec::new();
    let parts = lines::parts();
    for part in parts.iter().filter(|part| part.name.contains(&only)) {
        if let Some(tool) = shell::out_of_reach(&part.name) {
            println!(
                "{}: absent, {tool} lies in this account's own home, and the day has another",
                part.name
            );
            continue;
        }
        let begun = std::time::Instant::now();
        day.plain.enter(&part.folder);
        day.guarded.session = part.name.replace(' ', "-");
        for line in part.prepare.iter() {
            let ran = day.plain.run(line);
            if ran.status != 0 {
                faults.push(format!("{} · {line} fails plainly: {ran:?}", part.name));
            }
        }
        day.level();
        for line in &part.lines {
            let compared = day.compare(line);
            let told = format!("{} · {}", part.name, line.text);
            let differs = compared.differs.join("\n      ");
            match &line.expected {
                Expected::Known(point) if compared.differs.is_empty() && compared.asked.is_empty() => {
                    println!("no longer differs, take the mark [{point}] away: {told}");
                    same += 1;
                }
                Expected::Known(point) => {
                    println!("known [{point}] {told}\n      {differs} {:?}", compared.asked);
                    known += 1;
                }
                Expected::Told(_) if compared.differs.is_empty() => {
                    faults.push(format!("{told}\n      no difference"))
                }
                Expected::Told(_) => said += 1,
                _ if !compared.differs.is_empty() => faults.push(format!("{told}\n      {differs}")),
                Expected::Asked(_) if compared.asked.is_empty() => {
                    faults.push(format!("{told}\n      not asked"))
                }
                Expected::Asked(_) => asked += 1,
                Expected::Same if compared.asked.is_empty() => same += 1,
                Expected::Same => faults.push(format!("{told}\n      asked: {:?}", compared.asked)),
            }
            if !compared.differs.is_empty() {
                day.level();
            }
        }
        let stepwise = day.undo_twice_and_back();
        if let Some(point) = part.undo_known.as_ref().filter(|_| !stepwise.is_empty()) {
            println!("known [{point}] {} · undo: {stepwise:?}", part.name);
        } else if !stepwise.is_empty() {
            faults.push(format!("{} · {}", part.name, stepwise.join("\n      ")));
        }
        println!("{}: {} lines in {:.1} s", part.name, part.lines.len(), begun.elapsed().as_secs_f32());
    }
    let different = faults.len();
    println!("same {same}, asked {asked}, told {said}, known {known}, different {different}");
    assert!(faults.is_empty(), "{different} lines differ:\n{}", faults.join("\n"));
}
