//! Descriptions of commands.

use crate::wording::words::words;
use guarda_core::action::Language;
use guarda_shell::script::Dialect;

fn said(language: Language, line: &str) -> String {
    let script = guarda_shell::read(line, Dialect::Bash);
    let action = guarda_core::action::Action::RunCommand { text: line.to_owned(), script };
    crate::wording::describe::effect::effect(words(language), &action)
}

#[test]
fn commands_are_told_by_what_they_do() {
    for (line, told) in [
        ("rm ~/Downloads/a ~/Downloads/b ~/Downloads/c", "apagar a, b e c de Downloads"),
        ("rm ~/Downloads/relatório.pdf", "apagar relatório.pdf de Downloads"),
        ("rm notas.txt", "apagar notas.txt"),
        ("rm -f a /tmp/b", "apagar a e /tmp/b"),
        ("rm a b c d", "apagar 4 arquivos"),
        ("rmdir ~/vazia", "apagar a pasta vazia vazia da sua pasta pessoal"),
        ("trash-put a", "mover a para a lixeira"),
        ("rm -rf ~/Downloads", "apagar Downloads da sua pasta pessoal com tudo dentro"),
        ("rm -r a b", "apagar a e b com tudo dentro"),
        ("rm ~/Downloads/*.log", "apagar tudo o que corresponde a *.log de Downloads"),
        ("rm -- -x", "apagar -x"),
        ("rm \"$ALVO\"", "apagar algo que só se conhece na hora"),
        ("mv a ~/Documentos", "mover a para Documentos"),
        ("cp a b c ~/x/", "copiar a, b e c para x"),
        ("chmod 600 ~/.ssh/id_rsa", "mudar permissões de id_rsa de .ssh"),
        ("chmod -x a", "mudar permissões de a"),
        ("chown ana a b", "mudar o dono de a e b"),
        ("kill -9 4242", "encerrar o processo 4242"),
        ("kill 1 2 3", "encerrar 3 processos"),
        ("kill -9 -1", "executar kill -9 -1"),
        ("pkill firefox", "encerrar todos os processos chamados firefox"),
        ("sudo rm /etc/x", "apagar x de /etc, como administrador"),
        ("sudo apt install -y mpv", "instalar mpv, como administrador"),
        ("pip uninstall requests", "desinstalar requests"),
        ("systemctl restart nginx", "reiniciar o serviço nginx"),
        ("shutdown -r now", "reiniciar o computador"),
        ("poweroff", "desligar o computador"),
        ("git push", "enviar commits do git para o servidor"),
        ("git -C x push --force origin main", "sobrescrever o histórico do git em origin"),
        ("git push origin +main", "sobrescrever o histórico do git em origin"),
        ("git reset --hard HEAD~3", "reescrever ou descartar trabalho com git reset"),
        ("git commit -m push", "executar git commit"),
        ("curl -O https://example.org/a.tgz", "acessar example.org pela rede"),
        ("dd if=a of=/dev/sdb", "escrever diretamente em /dev/sdb"),
        ("python3 -c 'print(1)'", "executar um trecho de código Python"),
        ("date > ~/agora.txt", "executar date e gravar o arquivo agora.txt na sua pasta pessoal"),
        ("rm a; git push", "apagar a e enviar commits do git para o servidor"),
        ("rm a && mv b c && make && ls", "apagar a e mover b para c e executar mais 2 comandos"),
        ("cd x && sleep 1 && rm a", "apagar a"),
        ("mvn test", "executar mvn test"),
        ("cat psudo.md", "executar cat psudo.md"),
        ("echo oi > ~/notas.txt", "gravar o arquivo notas.txt na sua pasta pessoal"),
        ("echo oi >> ~/.bashrc", "modificar o arquivo .bashrc da sua pasta pessoal"),
        ("mkdir ~/novo", "criar a pasta novo"),
        ("make clean", "executar make clean"),
        ("env -i timeout 5 rm a", "apagar a"),
        ("bash -c 'rm a'", "apagar a"),
        ("ssh host rm a", "executar ssh host rm a"),
        ("if then", "executar if then"),
        ("rm 'a\u{202e}b'", "apagar a b"),
    ] {
        assert_eq!(said(Language::Portuguese, line), told, "{line}");
    }
}

/// A harmless effect does not stand before, or in place of, a grave one.
#[test]
fn the_gravest_effect_of_a_line_is_named_first() {
    for (line, told) in [
        (
            "mkdir -p empty && rsync -a --delete empty/ ~/Documents/",
            "delete everything from Documents that the source does not have and create the folder empty",
        ),
        ("mkdir d && rm -r old", "delete old with everything in it and create the folder d"),
        ("touch a; mv b c; rm d", "delete d and move b to c, and run 1 more command"),
        ("cp a b && git push --force", "overwrite the git history on the server and copy a to b"),
        ("npm run dev > dev.log 2>&1 &", "run npm run dev and write the file dev.log"),
        ("mkdir -p d && make", "run make and create the folder d"),
        ("rm a && make", "delete a, and run 1 more command"),
        ("rm -rf './~'", "delete ./~ with everything in it"),
        ("rm -rf '~'", "delete ./~ with everything in it"),
        ("rm -rf ~", "delete your home folder with everything in it"),
    ] {
        assert_eq!(said(Language::English, line), told, "{line}");
    }
}

#[test]
fn plurals_and_places_are_right_in_every_language() {
    for (line, english, french) in [
        ("rm ~/a/x", "delete x from a", "supprimer x de a"),
        ("rm ~/a/x ~/a/y", "delete x and y from a", "supprimer x et y de a"),
        ("rm ~/x", "delete x from your home folder", "supprimer x de votre dossier personnel"),
        ("kill 7", "end the process 7", "arrêter le processus 7"),
        ("kill 7 8", "end 2 processes", "arrêter 2 processus"),
        ("rm -r a", "delete a with everything in it", "supprimer a et tout son contenu"),
        ("rm -r a b", "delete a and b with everything in them", "supprimer a et b et tout leur contenu"),
        ("rm a; make", "delete a, and run 1 more command", "supprimer a, puis exécuter 1 autre commande"),
    ] {
        assert_eq!(said(Language::English, line), english, "{line}");
        assert_eq!(said(Language::French, line), french, "{line}");
    }
}

#[test]
fn a_long_command_is_told_by_its_length() {
    let line = format!("make {}", "x".repeat(500));
    let told = said(Language::English, &line);
    assert!(told.starts_with("run a command of 505 characters, that begins"), "{told}");
    let line = format!("rm {}", "x".repeat(500));
    assert!(said(Language::English, &line).chars().count() < 250);
}

proptest::proptest! {
    #[test]
    fn no_line_breaks_it(line in "[ -~é\u{202e}]{0,60}") {
        for language in Language::ALL {
            let told = said(language, &line);
            proptest::prop_assert!(!told.is_empty());
            let hidden = '\u{202e}';
            proptest::prop_assert!(!told.contains(hidden));
        }
    }
}
