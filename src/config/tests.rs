use super::{Config, ConfigNotice, place};

fn fault(text: &str) -> String {
    Config::parse(text, "config.toml").expect_err(text).to_string()
}

#[test]
fn nothing_written_means_the_defaults() {
    assert_eq!(Config::parse("", "x").unwrap(), Config::default());
}

#[test]
fn the_documented_file_holds_the_defaults() {
    let text = include_str!("../../config.toml");
    assert_eq!(Config::parse(text, "config.toml").unwrap(), Config::default());
    // Every key is documented: the line before it begins with '#'.
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2) {
        if pair[1].contains(" = ") && !pair[1].starts_with('#') {
            assert!(pair[0].starts_with('#'), "{:?} is not explained", pair[1]);
        }
    }
}

/// Every commented-out example is valid, either as a single setting or together with its table.
#[test]
fn every_example_of_the_documented_file_is_good() {
    fn example(line: &str) -> Option<&str> {
        let words = line.strip_prefix("# ").or(line.strip_prefix('#'))?;
        let setting = words.split_once('=').is_some_and(|(name, _)| {
            let name = name.trim();
            !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
        });
        (setting || words.starts_with('[')).then_some(words)
    }
    let text = include_str!("../../config.toml");
    let lines: Vec<&str> = text.lines().collect();
    let mut tried = 0;
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| example(line).is_some()) {
        // A table with everything that follows it; a single setting is uncommented within the file.
        let block: Vec<&str> = lines[number..].iter().map_while(|line| example(line)).collect();
        let begins = number == 0 || example(lines[number - 1]).is_none();
        let whole = match block[0].starts_with('[') {
            true => format!("{text}\n{}\n", block.join("\n")),
            false if begins => {
                let mut lines = lines.clone();
                lines[number] = block[0];
                lines.join("\n")
            }
            false => continue,
        };
        let config = Config::parse(&whole, "config.toml").unwrap_or_else(|error| panic!("{line}: {error}"));
        config.policy("config.toml").unwrap_or_else(|error| panic!("{line}: {error}"));
        tried += 1;
    }
    assert!(tried > 8, "{tried}");
}

#[test]
fn the_documented_file_leaves_no_key_out() {
    let table: toml::Table = include_str!("../../config.toml").parse().unwrap();
    let missing = |section: &str, keys: &[&str]| {
        let there = table[section].as_table().unwrap();
        assert_eq!(there.keys().map(String::as_str).collect::<std::collections::BTreeSet<_>>(), {
            keys.iter().copied().collect()
        });
    };
    missing(
        "security",
        &[
            "require_confirmation",
            "blocked_commands",
            "blacklist_commands",
            "protected_paths",
            "confirmation_timeout_seconds",
            "log_all_commands",
            "advanced_mode",
            "refusals_per_minute",
            "no_human",
            "shared_marks",
            "profile",
        ],
    );
    missing("plugins", &["enabled", "timeout_ms"]);
    missing("bash", &["allowed_dirs", "denied_commands", "bans"]);
    missing(
        "server",
        &[
            "listen",
            "allow_remote",
            "names",
            "socket",
            "answer_over_http",
            "answer_code",
            "spoken_answers",
            "body_limit",
            "waiting_limit",
            "connection_limit",
            "header_timeout_seconds",
            "body_timeout_seconds",
            "shutdown_timeout_seconds",
        ],
    );
    missing("speech", &["enabled", "rate", "volume", "sound", "quiet_hours"]);
    missing("password", &["way", "double_verification"]);
    missing(
        "keys",
        &[
            "enabled",
            "yes",
            "no",
            "arming_delay_ms",
            "digit_from_risk",
            "trusted",
            "trusted_user",
            "trusted_socket",
        ],
    );
    missing("git", &["denied"]);
    missing("channels", &["notification", "mcp", "password", "approve_below"]);
    missing("endpoint", &["address", "allow_remote"]);
    missing(
        "advice",
        &[
            "enabled",
            "model",
            "careful_model",
            "format",
            "checks",
            "consult",
            "settle",
            "timeout_seconds",
            "longest",
            "failures",
            "pause_seconds",
        ],
    );
    missing("ask", &["model", "constrain", "timeout_seconds"]);
    missing(
        "hooks",
        &["ask", "first", "run", "unknown_tools", "denied_tools", "passed_tools", "without_service"],
    );
    missing(
        "registry",
        &[
            "enabled",
            "promote_runs",
            "promote_success_rate",
            "promote_risk",
            "unused_days",
            "warning_risk",
            "warning_runs",
            "warning_success_rate",
            "monitoring_runs",
            "monitoring_interval_seconds",
            "rare_interval_seconds",
            "duplicate_threshold_ms",
            "rare_duplicate_threshold_ms",
            "token_seconds",
        ],
    );
    missing("run", &["timeout_seconds", "desktop_timeout_seconds", "path", "output_limit", "hide_network"]);
}

#[test]
fn errors_say_file_line_fault_and_what_is_allowed() {
    let cases: &[(&str, usize, &[&str])] = &[
        ("\n[securty]\n", 2, &["unknown key \"securty\"; did you mean \"security\"?"]),
        ("[security]\nlog_al = true\n", 2, &["unknown key \"log_al\"; allowed here: ", "log_all_commands"]),
        (
            "[security]\n\nconfirmation_timeout_seconds = \"30\"\n",
            3,
            &["must be a whole number, not the string \"30\""],
        ),
        ("[security]\nconfirmation_timeout_seconds = 0\n", 2, &["0 is out of range", "from 1 to 3600"]),
        ("[security]\nconfirmation_timeout_seconds = -1\n", 2, &["-1 is out of range"]),
        ("[security]\nprofile = \"home\"\n", 2, &["\"home\" is not a value here", "desktop, workspace"]),
        ("[security]\nrequire_confirmation = 3\n", 2, &["a list of program names, or true or false"]),
        ("[security]\nrequire_confirmation = [\"rm\", 3]\n", 2, &["must be a string, not 3"]),
        ("[server]\nlisten = \"elsewhere\"\n", 2, &["\"elsewhere\" is not an address"]),
        ("[registry]\npromote_risk = 70.0\n", 2, &["70 is out of range", "from 0 to 1"]),
        ("[registry]\nurl = \"mysql://u:secret@h/d\"\n", 2, &["write postgres://user@host/database"]),
        ("[server]\nnames = [\"http://x\"]\n", 2, &["is not a host name"]),
        ("[language]\ndefault = \"de\"\n", 2, &["\"de\" is not a value here", "pt-BR, en, fr"]),
        ("[run]\npath = \"/bin:.\"\n", 2, &["not a search path", "absolute"]),
        ("[run]\npath = \"\"\n", 2, &["not a search path"]),
        ("[speech]\nrate = 101\n", 2, &["from -100 to 100"]),
        ("[speech]\nquiet_hours = \"at night\"\n", 2, &["not a time range", "22:00-07:00"]),
        (
            "[speech]\nsound = \"loud\"\n",
            2,
            &["\"loud\" is not a value here; allowed here: never, slow, always"],
        ),
        ("[password]\nway = \"su\"\n", 2, &["su", "pinentry"]),
        ("[channels]\npassword = [\"mail\"]\n", 2, &["\"mail\" is not a value here", "keyboard"]),
        ("[keys]\ndigit_from_risk = -0.1\n", 2, &["from 0 to 1"]),
        ("[keys]\ndigit_from_risk = nan\n", 2, &["from 0 to 1"]),
        ("[channels]\napprove_below = { http = 3 }\n", 2, &["from 0 to 1"]),
        ("[channels]\napprove_below = { mcp = 1 }\n", 2, &["from 0 to 0.9", "never approved"]),
        ("[channels]\npassword = [\"mcp\"]\n", 2, &["\"mcp\" is not a value here"]),
        ("[channels]\napprove_below = { pedal = 1 }\n", 2, &["unknown key \"pedal\""]),
        ("[channels]\npassword = [\"pedal\"]\n", 2, &["\"pedal\" is not a value here", "keys, terminal"]),
        ("[bash]\nallowed_dirs = \"/tmp\"\n", 2, &["must be a list, not the string \"/tmp\""]),
        ("[security]\nprofile = \"desktop\"\nprofile = \"container\"\n", 3, &["duplicate key"]),
        ("a = = 1\n", 1, &["one = too many"]),
        ("[run]\noutput_limit = 99999999999999999999\n", 2, &["99999999999999999999 is out of range"]),
        ("[sandbox]\nprofile = \"isolate\"\n", 2, &["did you mean \"isolated\"?"]),
        ("[speech]\nsound = 3\n", 2, &["must be a string"]),
        ("[git]\ndenied = [\"push\", \"merge\"]\n", 2, &["\"merge\" is not a value here", "push, pull"]),
        ("[network]\nallow = [\"git\"]\n", 2, &["\"git\" is not a value here", "pypi"]),
        ("[network]\ndeny = [\"a b\"]\n", 2, &["\"a b\" is not a host"]),
        (
            "[network]\nhosts = [\n\"a.example\", \"b.example:0\"]\n",
            3,
            &["\"b.example:0\" is not a host: not a valid port"],
        ),
        ("[network]\nhosts = [7]\n", 2, &["must be a host, or a table with a host, not 7"]),
        ("[network]\nhosts = [{ port = 1 }]\n", 2, &["unknown key \"port\"", "ports"]),
        ("[network]\nhosts = [{ ports = [1] }]\n", 2, &["the key \"host\" is missing"]),
        ("[network]\nhosts = [{ host = \"a.example\", ports = [70000] }]\n", 2, &["70000 is out of range"]),
        ("[services.a]\npublic_sink = \"maybe\"\n", 2, &["true, false or \"forbidden\""]),
        ("[telemetry]\nendpoint = \"https://x\"\n", 2, &["\"https://x\" is not the address of a collector"]),
        ("[security]\nprofile = desktop\n", 2, &["a string needs quotation marks"]),
        ("[security]\nprofile = \"desktop\n", 2, &["does not end"]),
        ("[security\n", 1, &["not closed"]),
        ("[security]\nprofile\n", 2, &["needs = and a value"]),
        ("[keys]\narming_delay_ms = 1\n", 2, &["from 100 to 10000"]),
        ("[audi]\n", 1, &["unknown key \"audi\""]),
    ];
    for (text, line, words) in cases {
        let said = fault(text);
        assert!(said.starts_with(&format!("config.toml, line {line}: ")), "{text:?} gives {said:?}");
        for word in *words {
            assert!(said.contains(word), "{text:?} gives {said:?} without {word:?}");
        }
        assert!(!said.contains('\n'), "{said:?}");
    }
}

#[test]
fn every_published_spelling_is_read() {
    let seed = Config::parse(
        "[security]\nrequire_confirmation = [\"rm\", \"sudo\"]\nblocked_commands = [\"mkfs\"]\n\
         confirmation_timeout_seconds = 30\nlog_all_commands = true\n",
        "x",
    )
    .unwrap();
    assert_eq!(seed.lists().require_confirmation, ["rm", "sudo"]);
    assert_eq!(seed.lists().blocked_commands, ["mkfs"]);
    let example = Config::parse(
        "[security]\nrequire_confirmation = true\nblacklist_commands = [\"mkfs\", \"dd if=\"]\n\
         blocked_commands = [\"mkfs\"]\nprotected_paths = [\"/etc\"]\n",
        "x",
    )
    .unwrap();
    assert_eq!(example.lists().blocked_commands, ["mkfs", "dd if="]);
    assert_eq!(example.lists().protected_paths, ["/etc"]);
    assert!(example.notices.contains(&ConfigNotice::ConfirmationSwitch(true)));
}

#[test]
fn a_file_of_the_assistant_is_a_good_file() {
    let text = "[general]\ndebug = false\n[audio]\nsample_rate = 16000\n[audio.stt]\nmodel = \"x\"\n[llm]\nn_ctx = 4096\n\
                [rag]\ntop_k = 3\n[paths]\ncache_dir = \"c\"\n[mascate]\na = 1\n[models]\nb = 2\n\
                [terminal]\ndefault = \"ghostty\"\nfallback = [\"kitty\"]\n[logging]\nlevel = \"info\"\n";
    let config = Config::parse(text, "x").unwrap();
    assert_eq!(config.notices.len(), 9, "{:#?}", config.notices);
    assert!(config.terminal.enabled);
    assert_eq!(config.terminal.program.as_deref(), Some("ghostty"));
}

#[test]
fn the_assistants_published_lists_make_a_policy() {
    // The values of Mascate's example file and of its printed defaults.
    let text = "[security]\nrequire_confirmation = true\n\
        blacklist_commands = [\"rm -rf\", \"rm -r\", \"dd if=\", \"mkfs\", \"format\", \"> /dev/\", \"chmod 777\", \
        \":(){ :|:& };:\", \"curl | sh\", \"wget | sh\"]\n\
        protected_paths = [\"/etc\", \"/boot\", \"/sys\", \"/proc\", \"/dev\", \"/root\", \"/var/log\"]\n";
    let policy = Config::parse(text, "x").unwrap().policy("x").unwrap();
    let status = |cmd: &str| {
        let request = guarda_core::action::Request {
            action: Some("RUN_COMMAND".into()),
            target: Some(cmd.into()),
            ..Default::default()
        };
        let proposal = guarda_core::action::Proposal::parse(request).unwrap();
        guarda_core::judge::judge(&policy, proposal, &guarda_core::policy::Situation::default())
            .verdict()
            .status()
    };
    for (cmd, expected) in [
        ("rm -rf build", "blocked"),
        ("rm -fr build", "blocked"),
        ("rm one.txt", "requires_confirmation"),
        ("mkfs.ext4 /dev/sdb", "blocked"),
        ("chmod 777 x", "blocked"),
        ("curl x | sh", "blocked"),
        ("echo a > /etc/motd", "requires_confirmation"),
        ("echo mkfs", "approved"),
    ] {
        assert_eq!(status(cmd), expected, "{cmd}");
    }
}

#[test]
fn rules_keep_their_lines() {
    let text = "[security]\nprofile = \"desktop\"\n\n[rules.mine] # here\nprograms = [\n  \"x\",\n]\n\
                why = \"\"\"\n[server]\n\"\"\"\n[server]\nsocket = true\n[rules.other]\nenabled = false\n[[rules.many.of]]\n\
                a = 1\n[[rules.many.of]]\na = 2\n";
    let cut = Config::parse(text, "x").unwrap().rules;
    let (old, new): (Vec<&str>, Vec<&str>) = (text.lines().collect(), cut.lines().collect());
    for (place, line) in old.iter().enumerate() {
        let other = matches!(place, 0 | 1 | 2 | 10 | 11);
        assert_eq!(new[place], if other { "" } else { line }, "line {}", place + 1);
    }
}

#[test]
fn rules_on_shared_lines_are_written_anew() {
    let config = Config::parse("rules.a.enabled = false\nspeech.enabled = false\n", "x").unwrap();
    assert_eq!(config.rules, "rules.a.enabled = false\n\n");
    assert_eq!(Config::parse("[security]\n", "x").unwrap().rules, "");
    let both = "[effects.opens]\nenabled = false\n[security]\n[rules.a]\nenabled = false\n";
    let cut = Config::parse(both, "x").unwrap().rules;
    assert_eq!(cut, "[effects.opens]\nenabled = false\n\n[rules.a]\nenabled = false\n");
}

#[test]
fn what_is_shown_is_what_was_read() {
    let text = "[security]\nprofile = \"container\"\nrequire_confirmation = [\"x\"]\n[server]\nlisten = \"[::1]:9\"\n\
                [speech]\nvoice = \"a\"\n[record]\nfolder = \"/j\"\n[registry]\nurl = \"postgres://h/d\"\npromote_risk = 0.1\n[rules.a]\nenabled = false\n";
    for text in [text, include_str!("../../config.toml"), ""] {
        let config = Config::parse(text, "x").unwrap();
        let mut again = Config::parse(&config.to_toml(), "x").unwrap();
        assert_eq!(again.rules.trim(), config.rules.trim());
        again.rules.clone_from(&config.rules);
        assert_eq!(again, config);
    }
}

#[test]
fn a_reachable_address_must_be_meant() {
    let open = "[server]\nlisten = \"0.0.0.0:4827\"\n";
    assert!(fault(open).contains("allow_remote"));
    assert!(Config::parse(&format!("{open}allow_remote = true\n"), "x").is_ok());
    assert!(Config::parse("[server]\nlisten = \"[::1]:0\"\n", "x").is_ok());
    assert!(Config::parse("[server]\nlisten = \"localhost:80\"\n", "x").is_ok());
}

#[test]
fn places_follow_the_environment() {
    let environment = |pairs: &'static [(&str, &str)]| {
        move |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    };
    let usual = |path: &str| place::ConfigPlace::Usual(path.into());
    let home = environment(&[("HOME", "/h")]);
    assert_eq!(place::config(None, &home), usual("/h/.config/guarda/config.toml"));
    assert_eq!(place::state(&home), Some("/h/.local/state/guarda".into()));
    let relative = environment(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "c"), ("XDG_STATE_HOME", "/s")]);
    assert_eq!(place::config(None, &relative), usual("/h/.config/guarda/config.toml"));
    assert_eq!(place::state(&relative), Some("/s/guarda".into()));
    let named = environment(&[("GUARDA_CONFIG", "a.toml"), ("GUARDA_STATE_DIR", "/st")]);
    assert_eq!(place::config(None, &named), place::ConfigPlace::Named("a.toml".into()));
    assert_eq!(place::config(Some("b".into()), &named), place::ConfigPlace::Named("b".into()));
    assert_eq!(place::state(&named), Some("/st".into()));
    assert_eq!(place::config(None, &environment(&[])), place::ConfigPlace::Nowhere);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = Config::parse(&text, "x");
    }

    #[test]
    fn any_toml_like_text_is_read_or_refused(
        lines in proptest::collection::vec("(\\[{1,2}[a-z.]{1,12}\\]{1,2}|[a-z.]{1,9} = ([0-9]{1,9}|\"[a-z]{0,9}\"|\\[\\]|true))", 0..12)
    ) {
        let _ = Config::parse(&lines.join("\n"), "x");
    }
}

#[test]
fn where_models_answer_is_this_machine_unless_that_is_meant() {
    for (text, words) in [
        ("[endpoint]\naddress = \"http://192.168.1.9:11434/v1\"", "allow_remote"),
        ("[endpoint]\naddress = \"http://localhost.evil.example/v1\"", "allow_remote"),
        ("[endpoint]\naddress = \"https://api.example.com/v1\"", "not by https"),
        ("[endpoint]\naddress = \"http://me:key@127.0.0.1/v1\"", "key_file"),
        ("[endpoint]\naddress = \"http://127.0.0.1/v1?key=x\"", "key_file"),
        ("[endpoint]\naddress = \"ftp://127.0.0.1\"", "not an http address"),
        ("[endpoint]\naddress = \"127.0.0.1:11434\"", "address"),
        ("[advice]\nenabled = true", "advice.model"),
        ("[advice]\nchecks = []", "at least one"),
        ("[advice]\nchecks = [\"network\", \"network\"]", "each once"),
        ("[advice]\nformat = \"yaml\"", "guardian"),
        ("[advice]\nlongest = 10", "from 200"),
        ("[ask]\nconstrain = \"hope\"", "grammar"),
    ] {
        assert!(fault(text).contains(words), "{text}: {}", fault(text));
    }
    for text in [
        "[endpoint]\naddress = \"http://[::1]:8080/v1/\"",
        "[endpoint]\naddress = \"http://127.8.9.1:8080\"",
        "[endpoint]\naddress = \"http://LOCALHOST:8080\"",
        "[endpoint]\naddress = \"http://10.0.0.2/v1\"\nallow_remote = true",
        "[advice]\nenabled = true\nmodel = \"granite\"",
    ] {
        Config::parse(text, "x").expect(text);
    }
}

#[test]
fn every_fault_of_a_file_is_found() {
    let lines = |text: &str| Config::faults(text, "x").iter().map(|fault| fault.line).collect::<Vec<_>>();
    for (text, wrong) in [
        ("[security]\nprofile = \"desktop\"\n", &[][..]),
        ("[security]\nprofile = \"no\"\n[foo]\nx = 1\n[run]\ntimeout_seconds = \"a\"\n", &[2, 3, 6]),
        ("[security]\nprofil = 1\nprofile = 2\n", &[2, 3]),
        ("[security\n[run]\ntimeout_seconds = \"a\"\n", &[1, 3]),
        ("[server]\nlisten = \"0.0.0.0:1\"\n[run]\nx = 1\n", &[0, 4]),
        ("x = 1\n", &[1]),
        ("= = =\n\n[", &[1, 3]),
    ] {
        assert_eq!(lines(text), wrong, "{text}");
    }
}

proptest::proptest! {
    /// The search ends, whatever the file holds.
    #[test]
    fn the_faults_of_any_file_are_bounded(text in "(\\[[a-z]{0,8}\\]?|[a-z]{1,8} ?=? ?[0-9\"\\[\\]{}]{0,4}|\\PC{0,6}|\n){0,24}") {
        let count = Config::faults(&text, "x").len();
        proptest::prop_assert!(count <= text.lines().count() + 1);
    }
}
