# Makes a home folder like a person's: bash home.sh FOLDER. Everything in it is made up.
# scripts/as-user makes the home of the suite's account with it, tests/common/home.rs the homes of services.
set -eu
umask 022
mkdir -p "$1"
cd "$1"
export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'

# ---- what is nobody else's business ----
mkdir -p -m 700 .ssh .gnupg .aws .kube .docker .config .local/share/keyrings .mozilla/firefox/abc.default
mkdir -p .config/gh .config/git .local/state .gnupg/private-keys-v1.d
printf -- '-----BEGIN OPENSSH PRIVATE KEY-----\nbWFkZSB1cCwgb3BlbnMgbm90aGluZw==\n-----END OPENSSH PRIVATE KEY-----\n' > .ssh/id_ed25519
echo 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBmadeup ana@casa' > .ssh/id_ed25519.pub
printf 'Host casa\n  User ana\n' > .ssh/config
echo 'github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMadeUp' > .ssh/known_hosts
echo '(11:private-key (3:ecc made-up))' > .gnupg/private-keys-v1.d/0123456789ABCDEF.key
printf '[default]\naws_access_key_id = AKIAEXAMPLEEXAMPLE12\naws_secret_access_key = made-up/of/forty/characters/in/a/row/00\n' > .aws/credentials
echo 'machine example.org login ana password made-up' > .netrc
printf 'github.com:\n    user: ana\n    oauth_token: gho_madeupmadeupmadeupmadeupmadeupmadeup\n' > .config/gh/hosts.yml
echo '//registry.npmjs.org/:_authToken=made-up' > .npmrc
echo '{"auths":{"registry.example":{"auth":"bWFkZTp1cA=="}}}' > .docker/config.json
printf 'users:\n- name: ana\n  user:\n    token: made-up\n' > .kube/config
echo 'keyring' > .local/share/keyrings/login.keyring
echo 'SQLite format 3' > .mozilla/firefox/abc.default/cookies.sqlite
printf 'ls\ncd projetos/loja\nnpm test\n' > .bash_history
chmod 600 .ssh/id_ed25519 .aws/credentials .netrc .npmrc .kube/config .bash_history .config/gh/hosts.yml

# ---- what every home has ----
echo 'alias ll="ls -l"' > .bashrc
echo '. ~/.bashrc' > .profile
printf '[user]\n\tname = Ana\n\temail = ana@example.org\n[init]\n\tdefaultBranch = main\n[alias]\n\tst = status\n' > .gitconfig
echo '*.swp' > .config/git/ignore
mkdir -p Documentos Downloads Imagens '.local/share/Trash/files' .local/bin
printf 'XDG_DOCUMENTS_DIR="$HOME/Documentos"\nXDG_DOWNLOAD_DIR="$HOME/Downloads"\nXDG_PICTURES_DIR="$HOME/Imagens"\n' > .config/user-dirs.dirs
printf 'Querida tia,\num abraço\n' > 'Documentos/carta à tia.txt'
printf 'mês,valor\njaneiro,10\n' > Documentos/contas.csv
head -c 200000 /dev/zero > Downloads/filme.iso
for cache in .cache/pip/http .cache/fontconfig .npm/_cacache/content-v2 .npm/_logs .cargo/registry/cache .cargo/registry/index; do
  mkdir -p "$cache"
  for n in 1 2 3 4 5; do echo "$n" > "$cache/$n"; done
done

# ---- projects ----
mkdir -p projetos/loja/pacotes/api/src projetos/loja/pacotes/web projetos/antigo/a/b/c
for place in projetos/loja projetos/loja/pacotes/api projetos/loja/pacotes/web projetos/antigo/a/b/c; do
  echo 'API_KEY=made-up' > "$place/.env"
  echo "# $place" > "$place/README.md"
done
echo '{"name": "loja", "version": "1.0.0", "private": true, "workspaces": ["pacotes/*"]}' > projetos/loja/package.json
# Packages bring files that mean something elsewhere.
for ((p = 0; p < ${PACKAGES:-100}; p++)); do
  package=projetos/loja/node_modules/pacote-$p
  mkdir -p "$package/lib"
  for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do echo "module.exports = $n" > "$package/lib/$n.js"; done
  echo "{\"name\": \"pacote-$p\", \"version\": \"1.0.$p\"}" > "$package/package.json"
  echo 'script: npm test' > "$package/.travis.yml"
  echo 'made-up' > "$package/.env"
done

# A repository with a hook, a submodule and a linked worktree.
git init -q -b main projetos/biblioteca
(cd projetos/biblioteca && echo 'x = 1' > lib.py && git add . && git commit -q -m 'a library')
git init -q -b main projetos/site
(
  cd projetos/site
  printf 'node_modules/\n.env\n' > .gitignore
  echo '<h1>Site</h1>' > index.html
  git add . && git commit -q -m 'a page'
  git -c protocol.file.allow=always submodule --quiet add ../biblioteca vendor/biblioteca
  git commit -q -m 'a library'
  printf '#!/bin/sh\nexit 0\n' > .git/hooks/pre-commit && chmod 755 .git/hooks/pre-commit
  git worktree add -q -b conserto ../site-conserto
  echo 'API_KEY=made-up' > .env
)
