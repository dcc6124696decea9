//! Generates scripts from a grammar of bash, then mutates and splices them. Programs are sentinels that exist nowhere.

use super::chance::Chance;

/// Names that scripts start. None is a program of any system, and each look-up by bash is logged.
pub const PROGRAMS: [&str; 8] = ["qaa", "qbb", "qcc", "qdd", "qee", "qff", "qgg", "qhh"];

/// The kind of machine that a script needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// No program is found anywhere; bash reports each one it looks for.
    Nothing,
    /// The sentinels, and a few real programs that start others, are on the path.
    Programs,
}

pub struct Generator {
    chance: Chance,
    depth: usize,
    documents: Vec<String>,
    needs: Needs,
    /// Inside quotes of some kind newlines for here-documents cannot come.
    inside: usize,
}

/// The script with this number.
pub fn script(seed: u64) -> (String, Needs) {
    let mut generator = Generator {
        chance: Chance::new(seed),
        depth: 0,
        documents: Vec::new(),
        needs: Needs::Nothing,
        inside: 0,
    };
    let mut text = generator.program();
    match generator.chance.below(100) {
        0..40 => {}
        40..80 => text = generator.bend(text),
        _ => {
            let other = generator.program();
            text = generator.splice(&text, &other);
        }
    }
    (text, generator.needs)
}

impl Generator {
    fn program(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.chance.below(2) {
            let line = self.list(3);
            text.push_str(&line);
            if self.documents.is_empty() && self.chance.once_in(2) {
                text.push(';');
            } else {
                text.push('\n');
                text.push_str(&self.bodies());
            }
        }
        if self.chance.once_in(8) {
            text.push_str("# end ' \" ( qaa");
        }
        text
    }

    fn bodies(&mut self) -> String {
        std::mem::take(&mut self.documents).concat()
    }

    fn blank(&mut self) -> &'static str {
        self.chance.pick(&[" ", " ", " ", " ", " ", "  ", "\t", " \\\n", " \\\n "])
    }

    fn name(&mut self) -> &'static str {
        self.chance.pick(&PROGRAMS)
    }

    fn newline(&mut self) -> String {
        if self.documents.is_empty() && self.chance.once_in(3) {
            return self.chance.pick(&["\n", " # qaa ; ' \n", "\n\n"]).to_owned();
        }
        if !self.documents.is_empty() && self.inside == 0 {
            let bodies = self.bodies();
            return format!("\n{bodies}");
        }
        String::new()
    }

    fn list(&mut self, most: usize) -> String {
        let mut text = self.pipeline();
        for _ in 0..self.chance.below(most) {
            let link =
                self.chance.pick(&[";", "; ", " ;", " && ", "||", "&&", " & ", "&", ";\\\n", " && \\\n"]);
            text.push_str(link);
            if link.contains("&&") || link.contains("||") {
                let newline = self.newline();
                text.push_str(&newline);
            }
            let next = self.pipeline();
            text.push_str(&next);
        }
        text
    }

    fn pipeline(&mut self) -> String {
        let mut text = String::new();
        if self.chance.once_in(14) {
            text.push_str(self.chance.pick(&[
                "! ",
                "time ",
                "! ! ",
                "time -p ",
                "! time ",
                "time -p -- ",
                "time -- ",
            ]));
        }
        let first = self.command();
        text.push_str(&first);
        while self.chance.once_in(6) {
            text.push_str(self.chance.pick(&["|", " | ", " |& ", "|\\\n"]));
            let newline = self.newline();
            text.push_str(&newline);
            let next = self.command();
            text.push_str(&next);
        }
        text
    }

    fn command(&mut self) -> String {
        if self.depth > 3 {
            return self.name().to_owned();
        }
        self.depth += 1;
        let text = match self.chance.below(40) {
            0..22 => self.simple(),
            22..32 => self.compound(),
            32..35 => self.dynamic(),
            35 => self.shell_text(),
            36..38 => self.builtin(),
            _ => self.simple(),
        };
        self.depth -= 1;
        text
    }

    fn simple(&mut self) -> String {
        let mut text = String::new();
        while self.chance.once_in(6) {
            let part = if self.chance.once_in(2) { self.redirect() } else { self.assignment() };
            text.push_str(&part);
            text.push_str(self.blank());
        }
        let name = self.command_name();
        text.push_str(&name);
        for _ in 0..self.chance.below(4) {
            text.push_str(self.blank());
            let part = if self.chance.once_in(6) { self.redirect() } else { self.word() };
            text.push_str(&part);
        }
        text
    }

    fn command_name(&mut self) -> String {
        let name = self.name();
        let (first, rest) = name.split_at(1);
        match self.chance.below(40) {
            0 => format!("{first}''{rest}"),
            1 => format!("\\{name}"),
            2 => format!("\"{name}\""),
            3 => format!("$'{name}'"),
            4 => format!("$'\\x71{rest}'"),
            5 => format!("{first}\\\n{rest}"),
            6 => format!("$(echo {name})"),
            7 if self.chance.once_in(4) => format!("\"${{nothing:-{name}}}\""),
            8 if self.chance.once_in(4) => format!("{first}$nothing{rest}"),
            9 => format!("{first}\"\"{rest}"),
            10 => format!("{{{name},a}}"),
            11 => format!("`echo {name}`"),
            12 => format!("$\"{name}\""),
            _ => name.to_owned(),
        }
    }

    fn assignment(&mut self) -> String {
        let name = self.chance.pick(&["x", "y", "IFS", "x", "z"]);
        let value = if self.chance.once_in(3) { self.name().to_owned() } else { self.word() };
        match self.chance.below(12) {
            0 => format!("{name}+={value}"),
            1 => format!("x[1]={value}"),
            2 if self.inside == 0 => {
                let other = self.word();
                format!("z=({value} {other})")
            }
            _ => format!("{name}={value}"),
        }
    }

    fn word(&mut self) -> String {
        if self.depth > 5 {
            return self.chance.pick(&["a", "b", "-c", "1"]).to_owned();
        }
        self.depth += 1;
        let mut text = self.word_part();
        while self.chance.once_in(4) {
            let part = self.word_part();
            text.push_str(&part);
        }
        self.depth -= 1;
        text
    }

    fn word_part(&mut self) -> String {
        match self.chance.below(34) {
            0..8 => self.chance.pick(&["a", "b", "-c", "--d=e", "1", "x=y", "f.txt", "é"]).to_owned(),
            8 => self
                .chance
                .pick(&["'a b'", "'a b'", "'$(qaa)'", "'\"'", "'a\nb'", "';qcc;'", "''", "'q'"])
                .to_owned(),
            9..12 => self.quoted(),
            12 => self
                .chance
                .pick(&["$'a\\'b'", "$'\\t;qdd'", "$'\\u0041'", "$'a\\0b'", "$'\\cA'", "$'\\1234'"])
                .to_owned(),
            13 => self
                .chance
                .pick(&["\\ ", "\\;", "\\$", "\\'", "\\\"", "\\\\", "\\a", "\\#", "\\\n", "\\("])
                .to_owned(),
            14..16 => self.parameter(),
            16..19 => self.substitution(),
            19 => self.backquotes(),
            20 => self.arithmetic(),
            21 => self
                .chance
                .pick(&[
                    "{a,b}",
                    "{1..3}",
                    "{a..c}",
                    "{}",
                    "{a}",
                    "{a,{b,c}}",
                    "{a{b,c}}",
                    "{b,{A..c}}",
                    "{b,a$}x",
                    "{$x,b}",
                    "$x{a,b}",
                    "{{1..3},b}",
                    "a{,}",
                    "{a,b",
                    "}",
                    "{01..3}",
                ])
                .to_owned(),
            22 => self.chance.pick(&["*", "?", "[ab]", "[", "]", "*.c", "[!a]", "a*"]).to_owned(),
            23 => self.chance.pick(&["a#b", "#", "'#'", "x#", "~", "~+", "a~", "=", "a=~", ":"]).to_owned(),
            24 if self.inside == 0 => {
                let list = self.inner_list();
                format!("{}{list})", self.chance.pick(&["<(", ">("]))
            }
            25 => self
                .chance
                .pick(&["!", "if", "then", "fi", "done", "esac", "in", "do", "time", "function", "]]"])
                .to_owned(),
            26 => self.chance.pick(&["$\"a\"", "$", "$$", "$?", "$#", "$-", "$!", "$0", "$_"]).to_owned(),
            27 => self.chance.pick(&["\r", "\u{a0}", "\u{b}", "\u{2028}", "\u{feff}"]).to_owned(),
            _ => self.chance.pick(&["c", "d", "e", "2", "-v", "k"]).to_owned(),
        }
    }

    fn inner_list(&mut self) -> String {
        self.inside += 1;
        let documents = std::mem::take(&mut self.documents);
        let list = if self.depth > 4 { self.name().to_owned() } else { self.list(2) };
        let own = self.bodies();
        self.documents = documents;
        self.inside -= 1;
        if own.is_empty() { list } else { format!("{list}\n{own}") }
    }

    fn quoted(&mut self) -> String {
        let mut text = String::from("\"");
        for _ in 0..self.chance.below(4) {
            let part = match self.chance.below(9) {
                0 => self
                    .chance
                    .pick(&["a b", "'", ";", "#", "(", ")", "|", "&", "\n", "$", "é", "!", "{a,b}", "*"])
                    .to_owned(),
                1 => self.chance.pick(&["\\\"", "\\$", "\\\\", "\\`", "\\a", "\\\n", "\\'"]).to_owned(),
                2 => self.parameter(),
                3 | 4 => self.substitution(),
                5 => self.backquotes(),
                6 => self.arithmetic(),
                _ => self.chance.pick(&["a", "b c", "-x"]).to_owned(),
            };
            text.push_str(&part);
        }
        text.push('"');
        text
    }

    fn parameter(&mut self) -> String {
        if self.depth > 5 {
            return "$x".to_owned();
        }
        self.depth += 1;
        let word = self.word();
        self.depth -= 1;
        let name = self.chance.pick(&["x", "y", "nothing", "z", "1", "@", "*", "HOME", "IFS", "PWD"]);
        let op =
            self.chance.pick(&[":-", "-", ":+", "+", ":=", "#", "##", "%", "%%", "/", "//", "^", ",", ":?"]);
        match self.chance.below(18) {
            0..5 => format!("${name}"),
            5 => format!("${{{name}}}"),
            6 => format!("${{#{name}}}"),
            7 => self
                .chance
                .pick(&[
                    "${z[@]}", "${z[0]}", "${z[*]}", "${!x}", "${x:1:2}", "${x:0}", "${x: -1}", "${#z[@]}",
                    "${x@Q}", "${!x@}", "${z[1]}",
                ])
                .to_owned(),
            8 => {
                let list = self.inner_list();
                format!("${{z[$({list})]}}")
            }
            9 => {
                let list = self.inner_list();
                format!("${{{name}:-$({list})}}")
            }
            10 => {
                let list = self.inner_list();
                format!("${{{name}:-'$({list})'}}")
            }
            11 => {
                let list = self.inner_list();
                format!("${{{name}{op}\"$({list})\"}}")
            }
            12 => {
                let list = self.inner_list();
                format!("${{x:$({list}):1}}")
            }
            _ => format!("${{{name}{op}{word}}}"),
        }
    }

    fn substitution(&mut self) -> String {
        if self.depth > 4 {
            return format!("$({})", self.name());
        }
        self.depth += 1;
        let list = self.inner_list();
        self.depth -= 1;
        match self.chance.below(12) {
            0 => format!("$( {list} )"),
            1 => format!("$({list}\n)"),
            2 => format!("$({list};)"),
            3 => format!("$( # ' )\n{list})"),
            4 => format!("$(case a in a) {list};; esac)"),
            5 => format!("$(({list}) )"),
            6 => format!("$( ({list}) )"),
            _ => format!("$({list})"),
        }
    }

    fn backquotes(&mut self) -> String {
        if self.depth > 3 {
            return format!("`{}`", self.name());
        }
        self.depth += 1;
        let list = self.inner_list();
        self.depth -= 1;
        if list.contains(['`', '\\', '"', '$']) {
            let name = self.name();
            let other = self.name();
            return self
                .chance
                .pick(&[
                    "`A`",
                    "`A \\`B\\``",
                    "`A \\\\a \\$x`",
                    "`A \"b\"`",
                    "` A;B `",
                    "`A \\`B \\\\\\`A\\\\\\`\\``",
                ])
                .replace('A', name)
                .replace('B', other);
        }
        format!("`{list}`")
    }

    fn arithmetic(&mut self) -> String {
        let list = if self.depth > 4 { self.name().to_owned() } else { self.inner_list() };
        match self.chance.below(9) {
            0 => "$((1+2))".to_owned(),
            1 => format!("$(( $({list}) + 1 ))"),
            2 => "$((x))".to_owned(),
            3 => "$(( (1) + (2) ))".to_owned(),
            4 => format!("$(({list});{})", self.name()),
            5 => format!("$[1+$({list})]"),
            6 => "$((1<<2))".to_owned(),
            7 => format!("$(( '$({})' ))", self.name()),
            _ => format!("$((\"$({list})\"))"),
        }
    }

    fn redirect(&mut self) -> String {
        let word = if self.chance.once_in(3) && self.depth < 4 { self.word() } else { "o".to_owned() };
        match self.chance.below(24) {
            0..4 => format!(">{word}"),
            4 => format!(">>{word}"),
            5 => "2>&1".to_owned(),
            6 => ">&2".to_owned(),
            7 => format!("2>{word}"),
            8 => format!("<{}", self.chance.pick(&["o", "/dev/null", " o"])),
            9 => format!("&>{word}"),
            10 => format!(">|{word}"),
            11 => self.chance.pick(&[">&-", "<&-", "2>&-", ">& -", ">&-"]).to_owned(),
            12 => format!("{{fd}}>{word}"),
            13 => format!("<<<{word}"),
            14 => format!("<>{word}"),
            15 => format!("<<< {word}"),
            16 => format!("> {word}"),
            17 => format!("&>>{word}"),
            18 if self.inside == 0 => {
                let list = self.inner_list();
                format!("< <({list})")
            }
            _ => self.document(),
        }
    }

    fn document(&mut self) -> String {
        let (operator, delimiter, end, quoted) = match self.chance.below(12) {
            0 => ("<<", "'E'", "E", true),
            1 => ("<<", "\"E\"", "E", true),
            2 => ("<<", "\\E", "E", true),
            3 => ("<<-", "E", "\t\tE", false),
            4 => ("<<-", "'E'", "\tE", true),
            5 => ("<< ", "E", "E", false),
            6 => ("0<<", "E", "E", false),
            7 => ("<<", "E'F'", "EF", true),
            8 => ("<<", "E", "E\\\n", false),
            _ => ("<<", "E", "E", false),
        };
        let end = if end == "E\\\n" { "E" } else { end };
        let mut body = String::new();
        for _ in 0..self.chance.below(3) {
            let line = match self.chance.below(9) {
                0 => "$(qaa)".to_owned(),
                1 => "`qbb`".to_owned(),
                2 => "${x:-$(qcc)}".to_owned(),
                3 => self
                    .chance
                    .pick(&[
                        "'$(qdd)'",
                        "\\$(qee)",
                        "\\`qff\\`",
                        "\"$(qgg)\"",
                        "\\\\$(qaa)",
                        "${x:-'$(qhh)'}",
                    ])
                    .to_owned(),
                4 => self.chance.pick(&["E ", " E", "EE", "qaa E", "\tE x", "E;"]).to_owned(),
                5 => self.chance.pick(&["$((1+$(qaa)))", "a\\", "\\", "$", "`", "("]).to_owned(),
                _ => self.chance.pick(&["qaa b", "text 'and", "more \" text", "#", "))", "fi"]).to_owned(),
            };
            // An open backquote swallows what follows; only quoted documents have one.
            if line == "`" && !quoted {
                continue;
            }
            body.push_str(&line);
            body.push('\n');
        }
        self.documents.push(format!("{body}{end}\n"));
        format!("{operator}{delimiter}")
    }

    fn group(&mut self) -> String {
        let list = self.list(2);
        // A here-document's lines come at the next newline of the same text.
        let end = if self.documents.is_empty() {
            self.chance.pick(&[";", "\n", ";", " ;\n"]).to_owned()
        } else if self.inside == 0 || self.chance.once_in(2) {
            let bodies = self.bodies();
            format!("\n{bodies}")
        } else {
            ";".to_owned()
        };
        format!("{list}{end}")
    }

    fn compound(&mut self) -> String {
        let body = self.group();
        let text = match self.chance.below(19) {
            0 | 1 => format!("({body})"),
            2 | 3 => format!("{{ {body}}}"),
            4 => {
                let test = self.group();
                let other = self.group();
                format!("if {test}then {body}else {other}fi")
            }
            5 => format!("if true;then {body}elif false;then qaa;fi"),
            6 => {
                let word = self.word();
                format!("for x in a {word};do {body}done")
            }
            7 => format!("for x in a;{{ {body}}}"),
            8 => format!("while {body}false;do qbb;done"),
            9 => format!("until true;do {body}done"),
            10 => {
                let word = self.word();
                let pattern = self.chance.pick(&["a", "*", "a|b", "(a|*", "\"x\"", "$(qcc)", "[a-z]*"]);
                let end = self.chance.pick(&[";;", ";&", ";;&", ""]);
                format!("case {word} in {pattern}) {body}{end} esac")
                    .replace(";;;", ";;")
                    .replace(";;&&", ";;&")
            }
            11 => format!("((1));{body}qaa"),
            12 => {
                let word = self.word();
                let right = self.word();
                let operator = self.chance.pick(&["==", "=", "!=", "=~", "<", ">", "-eq", "-nt"]);
                let left = if self.chance.once_in(4) { "! -n a" } else { "-n b" };
                if self.chance.once_in(2) {
                    format!("[[ {left} || {word} {operator} {right} ]]")
                } else {
                    format!("[[ ( -z $x && {word} {operator} a ) ]]")
                }
            }
            13 => {
                let list = self.inner_list();
                format!("(( $({list}) ))")
            }
            14 => {
                let name = self.chance.pick(&["fa", "fb"]);
                let form = self.chance.pick(&[
                    "N() { B}",
                    "function N { B}",
                    "N ( ) { B}",
                    "function N () { B}",
                    "N() (B)",
                ]);
                format!("{};{name}", form.replace('N', name).replace('B', &body))
            }
            15 if self.chance.once_in(3) => format!("coproc {{ {body}}}"),
            16 => format!("for ((i=0;i<1;i++));do {body}done"),
            17 => format!("( ({body}) )"),
            _ => format!("(({body}))"),
        };
        let text =
            if self.documents.is_empty() && self.chance.once_in(6) { format!("{text} >o") } else { text };
        if self.chance.once_in(8) { format!("{text} 2>&1") } else { text }
    }

    /// Names that are known only at run time, and texts that shells read in the same process.
    fn dynamic(&mut self) -> String {
        let name = self.name();
        let list = if self.depth > 3 { name.to_owned() } else { self.inner_list() };
        let single = list.replace('\'', "'\\''");
        match self.chance.below(16) {
            0 => format!("x={name};$x a"),
            1 => format!("x='{name} b';$x c"),
            2 => format!("z=({name} b c);\"${{z[@]}}\""),
            3 => format!("eval '{single}'"),
            4 => format!("eval {name} a\\;{}", self.name()),
            5 => format!("trap '{single}' EXIT"),
            6 => format!("IFS=,;x={name},a;$x"),
            7 => format!("true && x={name};$x a"),
            8 => format!("if false;then x={name};fi;x=${{x:-qaa}};$x"),
            9 => format!("x={name};for i in 1;do $x $i;x=qbb;done;$x"),
            10 => format!("x={name};(x=qcc;$x);$x"),
            11 => format!("x={name};x+=x;${{x%x}} a"),
            12 => format!("set -- {name} a;\"$@\";$1"),
            13 => format!("x={name} eval '$x b'"),
            14 => format!("x=a{name};${{x#a}} ${{x:1}}"),
            _ => format!("x={name}|$x;x=qdd&$x"),
        }
    }

    fn builtin(&mut self) -> String {
        let name = self.name();
        let word = self.word();
        match self.chance.below(20) {
            0 => format!("command {name} {word}"),
            1 => format!("command -- {name}"),
            2 => format!("builtin eval {name} {word}"),
            3 => format!("command -p {name}"),
            4 => format!("command eval '{name} a'"),
            5 => format!("test -n {word}"),
            6 => format!("[ {word} = a ]"),
            7 => format!("echo {word}"),
            8 => format!("declare x={word}"),
            9 => format!("export x={name};$x"),
            10 => format!("let x=1+$({name})"),
            11 => format!("read x <<<{name};$x"),
            12 => format!("printf -v x %s {name};$x a"),
            13 => format!("unset x;{name} $x"),
            14 => format!("declare -a z=({name} a);${{z[0]}}"),
            15 => format!("cd .;{name} $PWD"),
            16 => format!("shift;{name} \"$@\""),
            17 => format!("type {name};{name}"),
            18 => format!("readonly y={name};$y"),
            _ => format!("command -v {name}"),
        }
    }

    /// Another shell, or a program that starts one.
    fn shell_text(&mut self) -> String {
        self.needs = Needs::Programs;
        let name = self.name();
        let list = if self.depth > 3 { name.to_owned() } else { self.inner_list() };
        let single = list.replace('\'', "'\\''");
        match self.chance.below(26) {
            0..3 => format!("bash -c '{single}'"),
            3..5 => format!("sh -c '{single}'"),
            5 => format!("bash <<<'{single}'"),
            6 => format!("echo '{name} a' | bash"),
            7 => format!("printf '{name} a\\n' | sh"),
            8 => format!("env {name} a"),
            9 => format!("env -i x=1 nice -n 1 {name}"),
            10 => format!("timeout 5 {name} b"),
            11 => format!("nohup {name} c"),
            12 => format!("echo a b | xargs {name}"),
            13 => format!("echo a | xargs -I{{}} {name} x{{}}"),
            14 => format!("find . -maxdepth 0 -exec {name} {{}} \\;"),
            15 => format!("exec {name} a"),
            16 => format!("(exec -a other {name})"),
            17 => format!("bash -c '$0 \"$@\"' {name} a b"),
            18 => format!("sh -c '\"$1\"' _ {name}"),
            19 => format!("env bash -c '{single}'"),
            20 => format!("bash -s <<<'{name} $1' a"),
            21 => format!("x={name} bash -c '$x'"),
            22 => format!("stdbuf -oL {name}"),
            23 => format!("sh -c \"{name} a;{}\"", self.name()),
            24 => format!("setsid -w {name} a"),
            _ => format!("xargs -n1 {name} <<<'a b'"),
        }
    }

    /// Changes a few characters.
    fn bend(&mut self, text: String) -> String {
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..1 + self.chance.below(3) {
            if letters.is_empty() {
                break;
            }
            let at = self.chance.below(letters.len());
            let new: Vec<char> = self
                .chance
                .pick(&[
                    "'", "\"", "`", "$", "(", ")", "{", "}", "[", "]", ";", "&", "|", "<", ">", "\\", "\n",
                    " ", "#", "=", "!", "*", "$(", "((", "))", "<<E\n", ">&-", "\\\n", "${", "2>", "&>",
                    "<(", "$((", "[[ ", " ]]", "'$(", "qaa", ";qbb;", "\t", "do", "\r", "-", "a", "~", "@",
                    "%", ",", "$'", "$\"", "^", "+", "?", ":", "E\n",
                ])
                .chars()
                .collect();
            match self.chance.below(5) {
                0 => {
                    let _ = letters.remove(at);
                }
                1 => {
                    let end = (at + 1 + self.chance.below(4)).min(letters.len());
                    let copy: Vec<char> = letters[at..end].to_vec();
                    letters.splice(at..at, copy);
                }
                2 => {
                    letters.splice(at..=at, new);
                }
                _ => {
                    letters.splice(at..at, new);
                }
            }
        }
        letters.into_iter().collect()
    }

    /// A part of one script in the middle of another.
    fn splice(&mut self, one: &str, other: &str) -> String {
        let cut = |chance: &mut Chance, text: &str| {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            places.get(chance.below(places.len())).copied().unwrap_or(0)
        };
        let (a, b, c) =
            (cut(&mut self.chance, one), cut(&mut self.chance, other), cut(&mut self.chance, other));
        format!("{}{}{}", &one[..a], &other[b.min(c)..b.max(c)], &one[a..])
    }
}
