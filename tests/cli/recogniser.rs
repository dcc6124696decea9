//! A recogniser of GBNF, as far as this project's grammars use it: it tells whether a text is in the
//! language.

use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum Node {
    Text(Vec<char>),
    Set { negated: bool, ranges: Vec<(char, char)> },
    Rule(String),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat(Box<Node>, usize, Option<usize>),
}

/// A grammar that was read.
#[derive(Debug)]
pub struct Grammar {
    rules: BTreeMap<String, Node>,
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn blank(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn take(&mut self, text: &str) -> bool {
        let after = self.rest.strip_prefix(text);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn next(&mut self) -> char {
        let c = self.rest.chars().next().expect("the grammar ends early");
        self.rest = &self.rest[c.len_utf8()..];
        c
    }

    fn character(&mut self) -> char {
        match self.next() {
            '\\' => match self.next() {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'x' => {
                    let code: String = [self.next(), self.next()].iter().collect();
                    char::from(u8::from_str_radix(&code, 16).unwrap())
                }
                c @ ('\\' | '"' | '[' | ']' | '-' | '/') => c,
                c => panic!("escape \\{c}"),
            },
            c => c,
        }
    }

    fn choice(&mut self) -> Node {
        let mut branches = vec![self.sequence()];
        loop {
            self.blank();
            if !self.take("|") {
                return Node::Choice(branches);
            }
            branches.push(self.sequence());
        }
    }

    fn sequence(&mut self) -> Node {
        let mut items = Vec::new();
        loop {
            self.blank();
            let node = if self.take("\"") {
                let mut text = Vec::new();
                while !self.rest.starts_with('"') {
                    text.push(self.character());
                }
                self.next();
                Node::Text(text)
            } else if self.take("[") {
                self.set()
            } else if self.take("(") {
                let inner = self.choice();
                self.blank();
                assert!(self.take(")"), "no ) before {:?}", self.rest);
                inner
            } else {
                let end =
                    self.rest.find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-');
                let name = self.rest[..end.unwrap_or(self.rest.len())].to_owned();
                if name.is_empty() {
                    return Node::Sequence(items);
                }
                self.rest = &self.rest[name.len()..];
                Node::Rule(name)
            };
            items.push(self.repeated(node));
        }
    }

    fn repeated(&mut self, node: Node) -> Node {
        let node = Box::new(node);
        if self.take("?") {
            Node::Repeat(node, 0, Some(1))
        } else if self.take("+") {
            Node::Repeat(node, 1, None)
        } else if self.take("*") {
            Node::Repeat(node, 0, None)
        } else {
            *node
        }
    }

    fn set(&mut self) -> Node {
        let negated = self.take("^");
        let mut ranges = Vec::new();
        while !self.take("]") {
            let from = self.character();
            let to = if self.take("-") { self.character() } else { from };
            ranges.push((from, to));
        }
        Node::Set { negated, ranges }
    }
}

impl Grammar {
    /// Reads a grammar. Panics if it is invalid or names a missing rule.
    pub fn read(text: &str) -> Self {
        let mut rules = BTreeMap::new();
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let (name, body) = line.split_once(" ::= ").unwrap_or_else(|| panic!("no rule: {line}"));
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name}");
            let mut reader = Reader { rest: body };
            let node = reader.choice();
            reader.blank();
            assert!(reader.rest.is_empty(), "left over in {name}: {:?}", reader.rest);
            assert!(rules.insert(name.to_owned(), node).is_none(), "{name} stands there twice");
        }
        let grammar = Self { rules };
        for node in grammar.rules.values() {
            grammar.check(node);
        }
        assert!(grammar.rules.contains_key("root"));
        grammar
    }

    fn check(&self, node: &Node) {
        match node {
            Node::Rule(name) => assert!(self.rules.contains_key(name), "no rule {name}"),
            Node::Sequence(nodes) | Node::Choice(nodes) => nodes.iter().for_each(|node| self.check(node)),
            Node::Repeat(node, _, _) => self.check(node),
            Node::Text(_) | Node::Set { .. } => {}
        }
    }

    /// True if the whole text is in the language.
    pub fn accepts(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.ends(&Node::Rule("root".to_owned()), &text, 0).contains(&text.len())
    }

    /// Every position where a match from here can end.
    fn ends(&self, node: &Node, text: &[char], at: usize) -> Vec<usize> {
        match node {
            Node::Text(wanted) => {
                if text[at..].starts_with(wanted) {
                    vec![at + wanted.len()]
                } else {
                    vec![]
                }
            }
            Node::Set { negated, ranges } => match text.get(at) {
                Some(c) if ranges.iter().any(|(from, to)| (from..=to).contains(&c)) != *negated => {
                    vec![at + 1]
                }
                _ => vec![],
            },
            Node::Rule(name) => self.ends(&self.rules[name], text, at),
            Node::Choice(nodes) => sorted(nodes.iter().flat_map(|node| self.ends(node, text, at)).collect()),
            Node::Sequence(nodes) => nodes.iter().fold(vec![at], |places, node| {
                sorted(places.into_iter().flat_map(|place| self.ends(node, text, place)).collect())
            }),
            Node::Repeat(node, least, most) => {
                let mut found = if *least == 0 { vec![at] } else { vec![] };
                let (mut places, mut count) = (vec![at], 0);
                while !places.is_empty() && most.is_none_or(|most| count < most) {
                    places = sorted(places.iter().flat_map(|place| self.ends(node, text, *place)).collect());
                    count += 1;
                    places.retain(|place| !found.contains(place));
                    if count >= *least {
                        found.extend(&places);
                    }
                }
                sorted(found)
            }
        }
    }
}

fn sorted(mut places: Vec<usize>) -> Vec<usize> {
    places.sort_unstable();
    places.dedup();
    places
}
