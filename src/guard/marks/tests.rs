//! Sessions and their marks against a simple oracle: whose a session is, and what its own callers marked.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use guarda_core::policy::MarkCause;

/// Callers, each with its place and the number of its owner: those with the token at the API, two other doors, and three containers.
const CALLERS: [(&str, Option<&str>, usize); 7] = [
    ("http", None, 0),
    (HOOK_DOOR, None, 1),
    (MCP_DOOR, None, 2),
    ("container", Some("a"), 3),
    (HOOK_DOOR, Some("a"), 3),
    ("container", Some("hook"), 4),
    (HOOK_DOOR, Some("token"), 5),
];
/// Session names that callers give. Some of them are the full names of other callers' sessions.
const NAMES: [&str; 9] =
    ["x", "desk", "a", "desk@a", "x@door.hook", "desk.a", "x@a@hook", "x@token", "token"];

fn caller(number: usize) -> Caller {
    let (door, container, _) = CALLERS[number];
    Caller { door: door.to_owned(), container: container.map(str::to_owned), ..Caller::default() }
}

#[derive(Debug, Clone)]
enum Step {
    /// A request of this caller with this name.
    Ask(usize, Option<usize>),
    /// It marks the session that it names.
    Mark(usize, usize, Taint),
    /// A person clears the marks of a session.
    Clear(usize),
    /// The guard is started again.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let taint = (any::<bool>(), any::<bool>()).prop_map(|(corruption, secret)| Taint { corruption, secret });
    prop_oneof![
        4 => (0..CALLERS.len(), prop::option::of(0..NAMES.len())).prop_map(|(who, name)| Step::Ask(who, name)),
        4 => (0..CALLERS.len(), 0..NAMES.len(), taint).prop_map(|(who, name, taint)| Step::Mark(who, name, taint)),
        1 => (0..NAMES.len()).prop_map(Step::Clear),
        1 => Just(Step::Restart),
    ]
}

/// What is known of a session: whose it is, and its marks.
#[derive(Default)]
struct Oracle(BTreeMap<String, (usize, Taint)>);

impl Oracle {
    /// The session that a caller means; `None` if it is another one's.
    fn own(&mut self, who: usize, name: &str) -> Option<String> {
        let (_, container, owner) = CALLERS[who];
        let session = match (container, owner) {
            (Some(container), _) => format!("{name}@{container}"),
            (None, 0) => name.to_owned(),
            (None, _) => format!("{name}@door.{}", CALLERS[who].0),
        };
        if name.contains('@') {
            return None;
        }
        let known = self.0.entry(session.clone()).or_insert((owner, Taint::NONE)).0;
        assert_eq!(known, owner, "{session} is two owners'");
        Some(session)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn nobody_names_or_marks_the_session_of_another_owner(steps in prop::collection::vec(step(), 1..60)) {
        let folder = tempfile::tempdir().unwrap();
        let open = || Marks::new(SessionStore::open(folder.path(), Vec::new), false);
        let (mut marks, mut oracle) = (open(), Oracle::default());
        for step in steps {
            match step {
                Step::Ask(who, None) => {
                    // Without a name, those with the token share the day's session, and a container has one of its own.
                    let meant = marks.own(&caller(who), None);
                    let expected = CALLERS[who].1.map(|_| oracle.own(who, "desk"));
                    prop_assert_eq!(meant.ok().flatten(), expected.flatten());
                }
                Step::Ask(who, Some(name)) => {
                    let meant = marks.own(&caller(who), Some(NAMES[name]));
                    prop_assert_eq!(meant.ok().flatten(), oracle.own(who, NAMES[name]));
                }
                Step::Mark(who, name, taint) => {
                    let meant = marks.own(&caller(who), Some(NAMES[name]));
                    let expected = oracle.own(who, NAMES[name]);
                    let meant = meant.ok().flatten();
                    prop_assert_eq!(&meant, &expected);
                    if let Some(session) = meant {
                        marks.sessions.raise(&session, taint, &MarkCause::Lost);
                        let known = &mut oracle.0.get_mut(&session).unwrap().1;
                        *known = known.joined(taint);
                    }
                }
                Step::Clear(name) => {
                    marks.sessions.clear(NAMES[name]);
                    if let Some((_, taint)) = oracle.0.get_mut(NAMES[name]) {
                        *taint = Taint::NONE;
                    }
                }
                Step::Restart => {
                    drop(std::mem::replace(&mut marks, open()));
                    marks = open();
                }
            }
            for (session, (_, taint)) in &oracle.0 {
                let known = marks.sessions.find(session).map_or(Taint::NONE, |known| known.taint());
                prop_assert_eq!(known, *taint, "{}", session);
            }
        }
    }

    #[test]
    fn no_name_makes_another_caller_of_a_container_or_of_those_with_the_token(
        who in 0..CALLERS.len(),
        other in 0..CALLERS.len(),
        names in (prop::option::of("[a-z. ]{1,9}"), prop::option::of("[a-z. ]{1,9}")),
    ) {
        let keys = (counted(&caller(who), names.0.as_deref()), counted(&caller(other), names.1.as_deref()));
        let ((door, container, owner), (_, _, others)) = (CALLERS[who], CALLERS[other]);
        if owner != others {
            prop_assert_ne!(&keys.0, &keys.1);
        }
        // The client of an agent names its conversation. What comes from a container does not.
        if container.is_some() || door != HOOK_DOOR {
            prop_assert_eq!(&keys.0, &counted(&caller(who), names.1.as_deref()));
        }
    }
}
