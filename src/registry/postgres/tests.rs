use super::super::trial::{self, TestStore};
use super::super::{EndedRun, Registry, RegistryBackend, RowQuery, RunEnd, Store, Thresholds, evolve};
use super::*;
use guarda_core::policy::Hindrance;
use guarda_core::policy::history::{Override, OverrideKind};

#[path = "../../../tests/common/postgres.rs"]
#[expect(clippy::disallowed_methods, reason = "a test starts the real server")]
mod server;

/// A real server for this test.
struct Cluster(server::Postgres);

impl Cluster {
    fn start() -> Self {
        let cluster = Self(server::Postgres::start());
        cluster.wait();
        cluster
    }

    fn wait(&self) {
        let begun = Instant::now();
        let open = |options: PostgresOptions| {
            std::thread::spawn(move || Postgres::open(&options).err()).join().unwrap()
        };
        while let Some(error) = open(self.options()) {
            assert!(begun.elapsed() < Duration::from_secs(60), "the server does not answer: {error}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn options(&self) -> PostgresOptions {
        PostgresOptions::of(&self.0.url()).unwrap()
    }

    fn store(&self) -> Store {
        Store::new(Postgres::open(&self.options()).unwrap())
    }

    fn registry(&self) -> Registry {
        Registry::start(RegistryBackend::Postgres(self.options()), Thresholds::default(), true)
    }
}

#[test]
fn it_does_what_a_store_does() {
    let cluster = Cluster::start();
    trial::all(&mut || {
        let mut store = cluster.store();
        store.clear().unwrap();
        TestStore { store, keep: Box::new(()) }
    });
    // Everything that is printed for SQLite exists here as well, and a newer schema is left alone.
    let mut store = cluster.store();
    for number in 0..25 {
        let run = EndedRun { held_back: Some(Hindrance::Sends), ..trial::run("frob", number * 60_000) };
        store.note(&run, &Thresholds::default()).unwrap();
    }
    let mut driver = Postgres::open(&cluster.options()).unwrap();
    let rates = driver
        .rows("SELECT success_rate_pct::float8 FROM command_stats WHERE execution_count >= 25", &[])
        .unwrap();
    assert_eq!(rates, [serde_json::json!([100.0])]);
    let newer = "UPDATE schema_metadata SET value = '99' WHERE key = 'guarda'";
    assert_eq!(driver.run(newer, &[]).unwrap(), 1);
    assert!(matches!(
        Postgres::open(&cluster.options()),
        Err(StoreError::Newer { found: 99, known: VERSION })
    ));
}

#[test]
fn four_writers_lose_nothing() {
    const RUNS: i64 = 60;
    let cluster = Cluster::start();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let options = cluster.options();
            std::thread::spawn(move || {
                let mut store = RegistryBackend::Postgres(options).open().unwrap();
                for number in 0..RUNS {
                    let end = if number % 3 == 0 { RunEnd::Exit(1) } else { RunEnd::Exit(0) };
                    let run = EndedRun { end, ..trial::run("shared", number) };
                    store.note(&run, &Thresholds::default()).unwrap();
                    store
                        .note(&trial::run(&format!("own {writer}"), number), &Thresholds::default())
                        .unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let mut store = cluster.store();
    let rows = store.list(&RowQuery { which: super::super::Which::All, most: 0 }).unwrap();
    let counts: Vec<(u64, u64, u64)> =
        rows.iter().map(|row| (row.execution_count, row.success_count, row.failure_count)).collect();
    assert_eq!(counts, [(240, 160, 80), (60, 60, 0), (60, 60, 0), (60, 60, 0), (60, 60, 0)]);
    let codes: serde_json::Value = serde_json::from_str(&rows[0].typical_exit_codes).unwrap();
    assert_eq!(codes, serde_json::json!({"0": 160, "1": 80}));
    let stamps = evolve::stamps(rows[0].last_100_timestamps.as_deref().unwrap());
    assert_eq!(stamps.len(), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_away_asks_everything_and_comes_back() {
    let mut cluster = Cluster::start();
    let registry = cluster.registry();
    let word = Override { kind: OverrideKind::AlwaysAllow, reason: None, by: Some("ana".to_owned()) };
    registry.note(trial::run("frob", 0)).await.unwrap();
    registry.say(&trial::identity("frob"), Some(word), trial::at(0)).await.unwrap();
    let history = registry.recall(&trial::identity("frob"), trial::at(60_000)).await;
    assert_eq!((history.runs, history.lost.as_deref()), (1, None));
    assert!(history.user_override.is_some());

    cluster.0.go_away();
    for number in 1..4 {
        assert!(registry.note(trial::run("frob", number * 60_000)).await.is_err());
    }
    let history = registry.recall(&trial::identity("frob"), trial::at(240_000)).await;
    assert!(history.lost.is_some() && history.user_override.is_none(), "{history:?}");
    let status = registry.status();
    assert!(status.lost.is_some() && status.waiting == 3, "{status:?}");
    assert!(status.place.starts_with("PostgreSQL guarda@"), "{status:?}");

    cluster.0.go_on();
    cluster.wait();
    let begun = Instant::now();
    let history = loop {
        let history = registry.recall(&trial::identity("frob"), trial::at(240_000)).await;
        if history.lost.is_none() {
            break history;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{history:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(history.runs, 4);
    assert!(history.user_override.is_some());
    assert_eq!(registry.status().waiting, 0);
    tokio::task::spawn_blocking(|| registry.close()).await.unwrap();
}

#[test]
fn a_password_is_shown_nowhere() {
    let options = PostgresOptions::of("postgres://guarda:hush-hush@db.example:5433/guarda").unwrap();
    for shown in
        [options.place(), format!("{options:?}"), format!("{:?}", RegistryBackend::Postgres(options.clone()))]
    {
        assert!(!shown.contains("hush"), "{shown}");
    }
    assert_eq!(options.place(), "PostgreSQL guarda@db.example:5433/guarda");
    let wrong = PostgresOptions::of("hush@").map(|_| ()).unwrap_err().to_string();
    assert!(!wrong.contains("hush"), "{wrong}");
}
