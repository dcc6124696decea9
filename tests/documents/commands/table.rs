//! Commands that cannot be run as written, end with another status, or belong to another program; each with
//! its reason.

/// How the test handles a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It is run and exits with this status.
    Ends(i32),
    /// It is run until it is stopped.
    Lasts,
    /// It is not run.
    Untried(&'static str),
}

use How::{Ends, Lasts, Untried};

/// Commands by their beginnings; the first match counts. All others are run and exit with 0.
pub const TABLE: &[(&str, How)] = &[
    ("make", Untried("builds, installs or runs the tests; its name is looked up in the Makefile")),
    ("guarda prove", Untried("ends as the guards of this machine do; cli::prove tries it")),
    ("sudo", Untried("changes the machine; its words are parsed")),
    ("systemctl --user", Untried("starts what `make install` put in place")),
    ("llama-server", Untried("another program; a scripted model stands for it")),
    (
        "guarda setup keyboard",
        Untried("changes the machine, with the administrator's password; its words are parsed"),
    ),
    ("guarda serve", Untried("a second service; the first one is what all of this speaks to")),
    ("guarda demo", Untried("waits for a person; ready::the_demo_plays_the_main_job plays it")),
    ("guarda rules try new.toml", Untried("the file is not there; stage::replayed tries one that is")),
    ("guarda grants revoke ID", Untried("nothing was said beforehand; stage::granted ends what was")),
    ("guarda approve 5f0c", Untried("nothing waits under this number; journeys::codes answers what does")),
    ("guarda history --follow", Lasts),
    ("guarda undo --list", Ends(0)),
    ("guarda undo", Untried("ends as there is something to undo, or not; undo.rs tries both")),
    // Verdicts: a person would be asked.
    ("guarda check 'sudo rm -rf ~/old", Ends(4)),
    ("guarda check 'cd x && cargo publish'", Ends(4)),
    ("guarda plugin try 'ssh prod-db uptime'", Ends(4)),
    ("guarda advise 'tar cz", Ends(4)),
    // An event of no bytes is a no, and a client of MCP that goes away at once an error.
    ("guarda hook claude", Ends(2)),
    ("guarda-hook ", Ends(2)),
    ("guarda mcp", Ends(1)),
    // Behind the line that installs the hook it is well, elsewhere there is none.
    ("guarda hook doctor claude  ", Ends(0)),
    ("guarda hook doctor claude", Ends(1)),
    // The home of this test has no voice and no trusted keyboard, and says so; desk and `make test-vm` have them.
    ("guarda speak", Ends(1)),
    ("guarda keys status", Ends(1)),
    ("guarda keys test", Ends(1)),
];

/// Options in code font that are another program's.
pub const FOREIGN: &[&str] = &[
    "--features otlp",
    "--features postgres",
    "--bench reader",
    "--bench journal",
    "--bench sandbox",
    "--bench output",
    "--index-url",
    "--post-file",
    "--snapshot",
    "--unshare-all",
];
