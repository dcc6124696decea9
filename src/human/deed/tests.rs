//! What is said of commands.

use crate::human::words::words;
use guarda_core::action::Language;
use guarda_shell::script::Dialect;

fn said(language: Language, line: &str) -> String {
    let script = guarda_shell::read(line, Dialect::Bash);
    let action = guarda_core::action::Action::RunCommand { text: line.to_owned(), script };
    crate::human::effect::effect(words(language), &action)
}

#[test]
fn commands_are_told_by_what_they_do() {
    for (line, told) in [
        ("rm ~/Downloads/a ~/Downloads/b ~/Downloads/c", "apagar 3 arquivos em Downloads"),
        ("rm ~/Downloads/relatório.pdf", "apagar relatório.pdf em Downloads"),
        ("rm notas.txt", "apagar notas.txt"),
        ("rm -f a /tmp/b", "apagar 2 arquivos"),
        ("rm -rf ~/Downloads", "apagar Downloads em sua pasta pessoal, com tudo o que houver dentro"),
        ("rm -r a b", "apagar 2 itens, com tudo o que houver dentro"),
        ("rm ~/Downloads/*.log", "apagar tudo o que corresponde a *.log em Downloads"),
        ("rm -- -x", "apagar -x"),
        ("rm \"$ALVO\"", "apagar algo que só se conhece na hora"),
        ("mv a ~/Documentos", "mover a para Documentos"),
        ("cp a b c ~/x/", "copiar 3 itens para x"),
        ("chmod 600 ~/.ssh/id_rsa", "mudar as permissões de id_rsa em .ssh"),
        ("chmod -x a", "mudar as permissões de a"),
        ("chown ana a b", "mudar o dono de 2 itens"),
        ("kill -9 4242", "encerrar o processo 4242"),
        ("kill 1 2 3", "encerrar 3 processos"),
        ("kill -9 -1", "executar o comando kill -9 -1"),
        ("pkill firefox", "encerrar todos os processos chamados firefox"),
        ("sudo rm /etc/x", "apagar x em /etc, como administrador"),
        ("sudo apt install -y mpv", "instalar mpv, como administrador"),
        ("pip uninstall requests", "desinstalar requests"),
        ("systemctl restart nginx", "executar restart no serviço nginx"),
        ("shutdown -r now", "reiniciar o computador"),
        ("poweroff", "desligar o computador"),
        ("git push", "enviar commits do git para o servidor"),
        ("git -C x push --force origin main", "sobrescrever o histórico do git em origin"),
        ("git push origin +main", "sobrescrever o histórico do git em origin"),
        ("git reset --hard HEAD~3", "reescrever ou descartar trabalho com git reset"),
        ("git commit -m push", "executar git commit"),
        ("curl -O https://example.org/a.tgz", "acessar example.org pela rede"),
        ("dd if=a of=/dev/sdb", "escrever diretamente em /dev/sdb"),
        ("python3 -c 'print(1)'", "executar um programa escrito na própria linha, em python3"),
        ("date > ~/agora.txt", "escrever em agora.txt em sua pasta pessoal"),
        ("rm a; git push", "apagar a e enviar commits do git para o servidor"),
        ("rm a && mv b c && make && ls", "apagar a e mover b para c e mais 2 comandos"),
        ("cd x && sleep 1 && rm a", "apagar a"),
        ("mvn test", "executar o comando mvn test"),
        ("cat psudo.md", "executar o comando cat psudo.md"),
        ("echo oi > ~/notas.txt", "escrever em notas.txt em sua pasta pessoal"),
        ("mkdir ~/novo", "criar a pasta novo"),
        ("make clean", "executar o comando make clean"),
        ("env -i timeout 5 rm a", "apagar a"),
        ("bash -c 'rm a'", "apagar a"),
        ("ssh host rm a", "executar o comando ssh host rm a"),
        ("if then", "executar o comando if then"),
        ("rm 'a\u{202e}b'", "apagar a b"),
    ] {
        assert_eq!(said(Language::Portuguese, line), told, "{line}");
    }
}

#[test]
fn plurals_and_places_are_right_in_every_language() {
    for (line, english, french) in [
        ("rm ~/a/x", "delete x in a", "supprimer x dans a"),
        ("rm ~/a/x ~/a/y", "delete 2 files in a", "supprimer 2 fichiers dans a"),
        ("rm ~/x", "delete x in your home folder", "supprimer x dans votre dossier personnel"),
        ("kill 7", "end the process 7", "arrêter le processus 7"),
        ("kill 7 8", "end 2 processes", "arrêter 2 processus"),
        ("rm -r a", "delete a, with everything in it", "supprimer a, avec tout son contenu"),
        (
            "rm -r a b",
            "delete 2 items, with everything in them",
            "supprimer 2 éléments, avec tout leur contenu",
        ),
        ("rm a; make", "delete a and 1 more command", "supprimer a et 1 autre commande"),
    ] {
        assert_eq!(said(Language::English, line), english, "{line}");
        assert_eq!(said(Language::French, line), french, "{line}");
    }
}

#[test]
fn a_long_command_is_told_by_its_length() {
    let line = format!("make {}", "x".repeat(500));
    let told = said(Language::English, &line);
    assert!(told.starts_with("run a command of 505 characters, shown on the screen"), "{told}");
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
