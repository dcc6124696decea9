//! Runs lines through a door in batches, and names those that had an effect.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::door::{Fate, Reply};
use crate::lines::Line;
use crate::tally::Tally;
use crate::world::{Manner, World};

/// How many lines run before the world is examined.
const BATCH: usize = 50;
/// How many lines run at a time.
const AT_ONCE: usize = 12;

/// The secret that git's own objects hold.
const COMMITTED: &str = "COMMITTED";

/// The observations about one line.
#[derive(Debug)]
pub struct Seen {
    pub line: Line,
    pub fate: Fate,
    /// What it changed, reached or revealed; must be empty.
    pub effects: Vec<String>,
}

/// Runs every line, prints a tally, and fails if one had an effect.
pub fn of_all_lines(manner: &Manner) {
    let Some(mut world) = World::new(manner) else { return };
    let mut lines = crate::lines::of_part(manner.part);
    // The client waits until it gives up for a line that does not end by itself, so fewer of these run.
    if manner.through && manner.part.is_some() && std::env::var_os("GUARDA_EFFECTS").is_none() {
        lines = lines.into_iter().step_by(4).collect();
    }
    let mut seen = Vec::new();
    world.reset();
    for batch in lines.chunks(BATCH) {
        seen.extend(of_batch(&mut world, batch));
    }
    println!("{}", Tally::of(&seen).table(manner));
    let harmful: Vec<&Seen> = seen.iter().filter(|seen| !seen.effects.is_empty()).collect();
    let report: String = harmful.iter().map(|seen| described(seen)).collect();
    if let Ok(file) = std::env::var("GUARDA_EFFECTS_REPORT") {
        let name = format!("{file}-{}-{}.txt", manner.profile, manner.sandbox);
        let every = seen.iter().map(|seen| format!("{:?} {} {}\n", seen.fate, seen.line.id, seen.line.text));
        std::fs::write(name, format!("{report}\n{}", every.collect::<String>())).unwrap();
    }
    assert!(harmful.is_empty(), "{} lines had an effect that nobody said yes to:\n{report}", harmful.len());
}

fn described(seen: &Seen) -> String {
    let mut text = format!(
        "\n{} [{}, {:?}] in {}\n    {}\n",
        seen.line.id, seen.line.class, seen.fate, seen.line.folder, seen.line.text
    );
    for effect in seen.effects.iter().take(6) {
        text.push_str(&format!("      → {effect}\n"));
    }
    text
}

/// Runs these lines together and, if that left a trace, each one alone.
fn of_batch(world: &mut World, batch: &[Line]) -> Vec<Seen> {
    let replies = send_all(world, batch);
    // Before the home folder is rebuilt, together with the record.
    let betrayed = betrayals(world, &replies);
    let clean = world.effects_beyond(batch).is_empty();
    // Refused lines come last: they must have had no effect, but this has to be checked as well.
    let mut alone: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    if !clean {
        world.reset();
        let (ran, other): (Vec<usize>, Vec<usize>) =
            (0..batch.len()).partition(|index| matches!(replies[*index].fate, Fate::Ran | Fate::Absent));
        for index in ran {
            let effects = alone_in(world, &batch[index]);
            alone.insert(index, effects);
        }
        let rest: Vec<Line> = other.iter().map(|index| batch[*index].clone()).collect();
        send_all(world, &rest);
        if !world.effects_beyond(&rest).is_empty() {
            world.reset();
            for index in other {
                let effects = alone_in(world, &batch[index]);
                alone.insert(index, effects);
            }
        }
        if alone.values().all(Vec::is_empty) {
            let told = "the batch of this line left a trace that none of its lines leaves alone".to_owned();
            alone.insert(0, vec![told]);
        }
    }
    let each = batch.iter().zip(replies).zip(betrayed).enumerate();
    each.map(|(index, ((line, reply), mut effects))| {
        effects.extend(alone.remove(&index).unwrap_or_default());
        Seen { line: line.clone(), fate: reply.fate, effects }
    })
    .collect()
}

/// The effects of a line alone. The world is rebuilt after a line that left a trace.
fn alone_in(world: &mut World, line: &Line) -> Vec<String> {
    send_all(world, std::slice::from_ref(line));
    let effects = world.effects_beyond(std::slice::from_ref(line));
    if !effects.is_empty() {
        world.reset();
    }
    effects
}

/// Sends lines, several at a time; returns the replies in order.
pub fn send_all(world: &World, lines: &[Line]) -> Vec<Reply> {
    static SESSION: AtomicUsize = AtomicUsize::new(0);
    let (door, person) = (world.door(), world.http());
    let next = AtomicUsize::new(0);
    let replies: Mutex<BTreeMap<usize, Reply>> = Mutex::new(BTreeMap::new());
    let under_way: Vec<Arc<()>> = vec![Arc::default(); AT_ONCE.min(lines.len())];
    let last = under_way.first().map(Arc::downgrade).unwrap_or_default();
    std::thread::scope(|scope| {
        // The person says no at once, so that no question has to expire.
        scope.spawn(|| {
            while last.strong_count() > 0 {
                person.deny();
                crate::common::pause();
            }
        });
        let (next, replies, world, door) = (&next, &replies, &world, &door);
        for one in under_way {
            scope.spawn(move || {
                let _until_the_end = one;
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(line) = lines.get(index) else { break };
                    let folder = world.home().join(&line.folder);
                    let session = format!("effects-{}", SESSION.fetch_add(1, Ordering::Relaxed));
                    let reply = door.send(&world.filled(&line.text), folder.to_str().unwrap(), &session);
                    if crate::lines::chosen().is_some() {
                        println!("{}: {}\n{:?} {}\n", line.id, line.text, reply.fate, reply.text);
                    }
                    replies.lock().unwrap().insert(index, reply);
                }
            });
        }
    });
    replies.into_inner().unwrap().into_values().collect()
}

/// The secrets in each reply or in its record. Those in the log alone count for the first.
fn betrayals(world: &World, replies: &[Reply]) -> Vec<Vec<String>> {
    let finder = world.secrets().finder();
    let marked = world.marked();
    let each = replies.iter().map(|reply| {
        // What was committed can be shown, where the session is marked.
        let counts = |name: &String| name != COMMITTED || !marked.contains(&reply.session);
        let find = |text: &str| finder.find(text).into_iter().filter(counts).collect::<Vec<_>>();
        let (told, recorded) = (find(&reply.text), find(&world.record_of(&reply.session)));
        let kept = recorded.into_iter().filter(|name| !told.contains(name));
        let kept = kept.map(|name| format!("put the secret {name} into the record"));
        told.iter().map(|name| format!("told the secret {name}")).chain(kept).collect()
    });
    let mut found: Vec<Vec<String>> = each.collect();
    let logged = finder.find(&world.log());
    if let Some(first) = found.first_mut() {
        first.extend(
            logged.iter().map(|name| format!("a line of this batch put the secret {name} into the log")),
        );
    }
    found
}
