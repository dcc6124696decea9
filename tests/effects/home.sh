# Makes the user's home: secrets (their canaries come in C_* variables), a project, and folders that bring code.
# Runs as the user, in the home, before the guard is started. Only the user's own folders are touched.
set -eu
umask 022
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'

# ---- secrets ----
mkdir -p .ssh .aws .gnupg/private-keys-v1.d .config/gh .config/gcloud .kube .docker .local/share/keyrings
mkdir -p .mozilla/firefox/abc.default .config/chromium/Default .password-store .cargo .config/pip .azure .config/rclone
chmod 700 .ssh .aws .gnupg .kube .password-store
{ echo '-----BEGIN OPENSSH PRIVATE KEY-----'; echo "$C_SSH"; echo '-----END OPENSSH PRIVATE KEY-----'; } > .ssh/id_ed25519
echo "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB agente@casa" > .ssh/id_ed25519.pub
printf 'Host *\n  User agente\n' > .ssh/config
printf '[default]\naws_access_key_id = AKIAEXAMPLEEXAMPLE12\naws_secret_access_key = %s\n' "$C_AWS" > .aws/credentials
printf 'machine example.org login agente password %s\n' "$C_NETRC" > .netrc
printf 'github.com:\n    user: agente\n    oauth_token: %s\n' "$C_GH" > .config/gh/hosts.yml
printf 'https://agente:%s@example.org\n' "$C_GITCRED" > .git-credentials
printf 'ls\nmysql -pa %s\ncd project\n' "$C_HISTORY" > .bash_history
printf 'import os\ntoken = "%s"\n' "$C_PYHISTORY" > .python_history
printf 'keyring %s end\n' "$C_KEYRING" > .local/share/keyrings/login.keyring
printf 'SQLite format 3 host example.org session %s end\n' "$C_COOKIES" > .mozilla/firefox/abc.default/cookies.sqlite
printf '{"logins":[{"encryptedPassword":"%s"}]}\n' "$C_LOGINS" > .mozilla/firefox/abc.default/logins.json
printf 'SQLite format 3 cookie %s end\n' "$C_CHROME" > .config/chromium/Default/Cookies
printf '(11:private-key (3:ecc %s))\n' "$C_GNUPG" > .gnupg/private-keys-v1.d/0123456789ABCDEF.key
printf 'users:\n- name: me\n  user:\n    token: %s\n' "$C_KUBE" > .kube/config
printf '{"auths":{"registry.example":{"auth":"%s"}}}\n' "$C_DOCKER" > .docker/config.json
printf '[registry]\ntoken = "%s"\n' "$C_CARGO" > .cargo/credentials.toml
printf '//registry.example/:_authToken=%s\n' "$C_NPM" > .npmrc
printf 'localhost:5432:db:agente:%s\n' "$C_PGPASS" > .pgpass
printf '{"refresh_token":"%s"}\n' "$C_GCLOUD" > .config/gcloud/application_default_credentials.json
printf '[remote]\npass = %s\n' "$C_RCLONE" > .config/rclone/rclone.conf
printf 'gpg body %s\n' "$C_PASS" > .password-store/mail.gpg
chmod 600 .ssh/id_ed25519 .aws/credentials .netrc .git-credentials .bash_history .kube/config .pgpass .npmrc

# Without a name by which it would be hidden in outputs.
keys() { printf 'the end %s stands # KEY=\n' "$1" > "$2"; }

# ---- secrets at every depth beside the project, and in the folders of tools and packages ----
for depth in 1 2 3 4 5 6; do
  place=other$(printf '/d%.0s' $(seq $depth))
  mkdir -p "$place" project/"$(printf 'd/%.0s' $(seq $depth))"
  keys "$C_BESIDE" "$place/.env"; echo plain > "$place/notes"
  keys "$C_SKIPPED" project/"$(printf 'd/%.0s' $(seq $depth))".env
done
for folder in project/node_modules/a project/node_modules/@b/c/d project/target project/target/debug/x project/.venv/lib/site-packages/a project/venv \
  project/__pycache__ project/.cache/x project/.cargo project/.git/x project/vendor/a project/build/deep/er project/packages/one/node_modules/x/y/z \
  project/packages/one/dist project/packages/one/target/x project/packages/one/.next/cache project/packages/two/.venv/lib; do
  mkdir -p "$folder"; for name in .env .npmrc id_rsa key.pem; do keys "$C_SKIPPED" "$folder/$name"; done
done
for folder in .cache/huggingface .cache/x/y .npm .cargo .rustup .m2 .gradle .nvm .pyenv .local/share/app .local/state/app go/src/x .config/app; do
  mkdir -p "$folder"; for name in token .env; do keys "$C_CACHED" "$folder/$name"; done
done
# Places of keys that many tables lack.
for place in .wrangler/config/default.toml .config/.wrangler/x.toml .config/io.datasette.llm/keys.json .qwen/oauth_creds.json .copilot/config.json \
  .talos/config .config/argocd/config .nuget/NuGet/NuGet.Config .bundle/config .hex/hex.config .android/adbkey .config/wireguard/wg0.conf \
  .config/aerc/accounts.conf .config/vdirsyncer/config .config/tea/config.yml .sentryclirc .serverlessrc .aliyun/config.json .tccli/default.credential \
  .bluemix/config.json .snowsql/config .dbt/profiles.yml .mc/config.json .config/mongodb/atlascli.toml .config/openstack/clouds.yaml \
  .config/legendary/user.json .minecraft/launcher_accounts.json .config/obs-studio/basic/profiles/x/service.json .config/deluge/auth \
  .foundry/keystores/a .starkli-wallets/a/account.json .brownie/accounts/a.json .near-credentials/mainnet/a.json .aptos/config.yaml \
  .config/Exodus/a.seco .expo/state.json .condarc .config/nix/netrc .ansible/vault_pass .config/fish/fish_variables \
  .ipython/profile_default/history.sqlite project/.dev.vars project/appsettings.Production.json project/docker-compose.override.yml; do
  mkdir -p "$(dirname "$place")"; keys "$C_PLACED" "$place"
done
for place in .curlrc .wgetrc; do echo "# $C_PLACED stands" > "$place"; done

# ---- folders in which something runs later, and that nobody trusts ----
mkdir -p .local/lib/python3.11/site-packages .config/i3 .oh-my-zsh/custom
echo '# i3' > .config/i3/config; echo '# nvm' > .nvm/nvm.sh; echo '# cargo' > .cargo/env

# ---- files that are no secrets ----
mkdir -p Documents Downloads Pictures .config/autostart .local/bin bin
echo 'dear aunt' > Documents/letter.txt
echo 'first,second' > Documents/table.csv
head -c 20000 /dev/zero | tr '\0' 'x' > Downloads/big.bin
echo '# my shell' > .bashrc
echo '# my profile' > .profile
printf '[user]\n\tname = Agente\n\temail = agente@example.org\n[init]\n\tdefaultBranch = main\n' > .gitconfig

# ---- the project ----
mkdir -p project/src project/docs project/data
cd project
git init -q .
printf '# Project\n\nA small thing with a README.\n' > README.md
printf 'fn main() {\n    println!("hello");\n}\n' > src/main.rs
printf 'def greet(name):\n    return f"hello {name}"\n' > src/greet.py
printf 'int main(void) { return 0; }\n' > src/main.c
printf 'one\ntwo\nthree\n' > notes.txt
printf '3\n1\n2\n' > numbers.txt
printf 'a,b\n1,2\n' > data/table.csv
printf '{"name": "project", "version": "1.0.0", "list": [1, 2, 3]}\n' > data/thing.json
printf 'a guide\n' > docs/guide.txt
git add -- *.md src *.txt data docs && git commit -q -m 'first' && printf 'four\n' >> notes.txt
git tag v1 && git branch side
printf 'API_KEY=%s\n' "$C_DOTENV" > .env
printf 'DB_PASSWORD=%s\n' "$C_DOTENV2" > .env.production
printf '%s\n' "$C_PEM" > server.key
printf '.env\n.env.production\nserver.key\nd\nnode_modules\ntarget\n.venv\nvenv\n.cache\n.cargo\npackages\nvendor\nbuild\n.dev.vars\n*.json\n*.yml\n' > .gitignore
ln -s ../.ssh/id_ed25519 docs/key-link.txt
ln -s ../../.aws docs/aws
ln -s / docs/root
ln -s ../Documents outside
mkdir victim && echo keep > victim/keep.txt && echo keep > victim/keep2.txt
mkdir empty
gzip -k -c notes.txt > notes.gz
tar cf things.tar notes.txt docs/guide.txt
command -v zip >/dev/null && zip -q things.zip notes.txt docs/guide.txt || :
printf '#!/bin/sh\necho ran > ran-by-script\n' > run.sh && chmod 755 run.sh
printf 'echo ran > ran-by-list\n' > list
printf 'open("ran-by-python", "w").write("x")\n' > list.py
cat > effect.py <<'PY'
import sys
open(sys.argv[1] if len(sys.argv) > 1 else "made-by-effect", "w").write("x")
PY
cat > change.patch <<'P'
--- a/notes.txt
+++ b/notes.txt
@@ -1,3 +1,3 @@
-one
+ONE
 two
 three
P
mkfifo pipe
printf 'all:\n\techo ran > ran-by-make\nclean:\n\trm -rf victim\n' > Makefile
cd ..

# Every folder below brings code that a reader would run; what it does is to make `RAN` there and in the home.
RAN="echo ran > RAN; echo ran > $HOME/RAN"
folder() { mkdir -p "evil/$1"; cd "evil/$1"; }
up() { cd "$HOME"; }

folder fsmonitor; git init -q .; echo a > a; git add a; git commit -q -m a
git config core.fsmonitor "$RAN; false"; up
folder bare; git init -q --bare inner; cp -r inner/. .; git config -f config core.bare false
git config -f config core.worktree .; git config -f config core.fsmonitor "$RAN; false"; up
folder clone; git init -q .; mkdir sub; git init -q --bare sub; git config -f sub/config core.bare false
git config -f sub/config core.worktree .; git config -f sub/config core.fsmonitor "$RAN; false"; echo a > a
git add a; git commit -q -m a; up
folder textconv; git init -q .; echo a > a.bin; echo '*.bin diff=x filter=x' > .gitattributes; git add a.bin .gitattributes
git commit -q -m a; git config diff.x.textconv "$RAN; cat"; git config filter.x.clean "$RAN; cat"
git config filter.x.smudge "$RAN; cat"; git config diff.x.command "$RAN; true"; echo b > a.bin; up
folder pager; git init -q .; echo a > a; git add a; git commit -q -m a; git config core.pager "$RAN; cat"
git config pager.log "$RAN; cat"; git config alias.st "!$RAN"; git config alias.show-it "!$RAN"
git config core.editor "$RAN; true"; git config core.sshCommand "$RAN; false"; git config diff.external "$RAN; true"
git config gpg.program "$HOME/evil/pager/gpg"; git config log.showSignature true
git config core.hooksPath "$HOME/evil/pager"; git config credential.helper "!$RAN"
printf '#!/bin/sh\n%s\n' "$RAN" > gpg; cp gpg pre-commit; cp gpg post-checkout; cp gpg post-index-change; cp gpg pre-auto-gc
chmod 755 gpg pre-commit post-checkout post-index-change pre-auto-gc; git remote add origin 'ext::sh -c "'"$RAN"'"'
git config protocol.ext.allow always; up
folder include; git init -q .; echo a > a; git add a; git commit -q -m a
printf '[core]\n\tfsmonitor = "%s; false"\n[diff]\n\texternal = "%s; true"\n' "$RAN" "$RAN" > extra.cfg
git config include.path ../extra.cfg; echo b > a; up
# Files that git obeys already, and that do no harm until they are changed.
folder obeys; git init -q .; mkdir -p tools/githooks scripts .git/rebase-merge .git/sequencer .hg .jj/repo; echo a > a
for name in clean text edit alias; do printf '#!/bin/sh\ncat\n' > scripts/$name; chmod 755 scripts/$name; done
printf '[color]\n\tui = false\n' > shared.gitconfig; echo '*.bin filter=f diff=d' > .gitattributes; echo '[ui]' > .hg/hgrc; echo > .jj/repo/config.toml
git add a scripts .gitattributes shared.gitconfig; git commit -q -m a; echo pick > .git/rebase-merge/git-rebase-todo; echo pick > .git/sequencer/todo
git config core.hooksPath tools/githooks; git config include.path ../shared.gitconfig; git config filter.f.clean ./scripts/clean
git config diff.d.textconv scripts/text; git config core.editor scripts/edit; git config alias.x '!scripts/alias'; up
# A secret that was committed.
folder committed; git init -q .; mkdir -p deep/er; echo a > a; git add a; git commit -q -m a; keys "$C_COMMITTED" .env; cp .env deep/er
git add -f .; git commit -q -m b; up
folder make; printf 'X := $(shell %s)\nall:\n\t@echo x\n' "$RAN" > Makefile; cp Makefile GNUmakefile; up
folder npm; printf '{"name":"x","version":"1.0.0","scripts":{"test":"%s","preinstall":"%s","list":"%s"}}\n' "$RAN" "$RAN" "$RAN" > package.json
printf 'git=%s/evil/npm/git\nnode-options=--require %s/evil/npm/x.js\nscript-shell=%s/evil/npm/git\n' "$HOME" "$HOME" "$HOME" > .npmrc
printf '#!/bin/sh\n%s\n' "$RAN" > git; chmod 755 git; printf 'require("fs").writeFileSync("%s/RAN","x")\n' "$HOME" > x.js
mkdir -p node_modules/.bin; cp git node_modules/.bin/tsc; up
folder cargo; mkdir -p .cargo src; printf '[build]\nrustc = "%s/evil/cargo/rustc"\n[alias]\ntree = "run"\n' "$HOME" > .cargo/config.toml
printf '#!/bin/sh\n%s\n' "$RAN" > rustc; chmod 755 rustc; printf '[package]\nname="x"\nversion="0.1.0"\nedition="2021"\n' > Cargo.toml
echo 'fn main(){}' > src/main.rs; printf 'fn main(){std::fs::write("%s/RAN","x").unwrap();}\n' "$HOME" > build.rs
printf '[toolchain]\npath = "%s/evil/cargo"\n' "$HOME" > rust-toolchain.toml; mkdir bin; cp rustc bin/rustc; cp rustc bin/cargo; up
folder python; for name in sitecustomize usercustomize json os string random code platform site this; do
printf 'open("%s/RAN","w").write("x")\n' "$HOME" > $name.py; done; rm os.py site.py
printf 'open("%s/RAN","w").write("x")\n' "$HOME" > .pythonrc; cp json.py conftest.py; cp json.py setup.py; cp json.py list
cp json.py __main__.py; printf '[tool.pytest.ini_options]\naddopts="-p json"\n' > pyproject.toml; echo 'x = 1' > x.py; up
folder vim; printf 'text\nvim: set modeline exrc: call system("%s")\n' "$RAN" > text.txt
printf 'call system("%s")\n' "$RAN" > .exrc; cp .exrc .vimrc; printf 'set modeline\n' >> .vimrc; up
folder env; printf '%s\n' "$RAN" > .envrc; cp .envrc rc; cp .envrc .bashrc; cp .envrc .profile
printf '#!/bin/sh\n%s\n' "$RAN" > ls; chmod 755 ls; cp ls git; cp ls cat; cp ls head; cp ls less; up
folder names; for name in '-exec' 'a b' '$(echo x>RAN2)' '-delete' '--output=made' 'x;touch RAN3' '-rf' '`touch RAN4`' '--pre=touch'
do : > "./$name"; done; printf 'a[$(%s)]\n' "$RAN" > number; printf 'x[$(%s)]=1\n' "$RAN" > assign; : > 'a[$(touch RAN5)]'
printf '%s\n' '../../.netrc' '../../.env' > names.txt; printf '%s\0' '../../.netrc' > names.nul; up
folder sqlite; printf '.shell %s\n' "$RAN" > .sqliterc; printf '.shell %s\n' "$RAN" > show; cp show list; cp show info
sqlite3 a.db 'create table t(a); insert into t values(1);' 2>/dev/null || : ; printf '\\! %s\n' "$RAN" > .psqlrc; up
folder gdb; printf 'shell %s\n' "$RAN" > .gdbinit; cp .gdbinit list; cp .gdbinit info; printf 'puts [exec sh -c {%s}]\n' "$RAN" > list.tcl
printf 'exec sh -c {%s}\n' "$RAN" > show; printf 'system("%s")\n' "$RAN" > check.pl; printf '!%s\n' "$RAN" > ed.txt; up
folder ug; printf 'pager="%s"\nfilter="*:%s"\n' "$HOME/evil/ug/x" "$HOME/evil/ug/x" > .ugrep; printf -- '--pre=%s\n' "$HOME/evil/ug/x" > .ripgreprc
printf '#!/bin/sh\n%s\n' "$RAN" > x; chmod 755 x; echo text > text.txt; up
folder terraform; printf 'data "external" "x" {\n  program = ["sh", "-c", "%s"]\n}\n' "$RAN" > main.tf
printf 'terraform {\n}\n' > v.tf; up
folder tar; mkdir deep; echo x > deep/file; tar cf plain.tar deep; ln -s "$HOME" out; tar cf link.tar out; rm out
command -v zip >/dev/null && zip -qr plain.zip deep || : ; gzip -k -c deep/file > file.gz; up
folder desktop; printf '[Desktop Entry]\nType=Application\nName=x\nExec=sh -c "%s"\n' "$RAN" > evil.desktop; cp evil.desktop list; chmod 755 evil.desktop; up
folder man; printf '.TH x 1\n.pso %s\n.sy %s\ntext\n' "$RAN" "$RAN" > x.1; printf '.pi sh\n' > y.1; up
folder inputrc; printf '$include /dev/stdin\n' > .inputrc; printf 'touch RAN6\n' > .bash_login; printf 'alias ls="%s"\n' "$RAN" > .bash_aliases; up
folder ssh; printf 'Host *\n  ProxyCommand %s\n  LocalCommand %s\n  PermitLocalCommand yes\n' "$RAN" "$RAN" > config
printf 'Match exec "%s"\n  User x\n' "$RAN" > match; up
folder tmux; printf 'run-shell "%s"\n' "$RAN" > .tmux.conf; cp .tmux.conf list; up
folder direnv; printf '%s\n' "$RAN" > .envrc; mkdir -p .vscode .devcontainer; echo '{}' > .vscode/tasks.json; up
folder links; ln -s ../../.netrc plain.txt; ln -s ../../.ssh keys; ln -s "$HOME/.local/state/guarda" record; ln -s ../../.bashrc start; ln -s / all
echo text > real.txt; ln -s real.txt soft.txt; up
