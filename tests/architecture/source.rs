//! The sources as the compiler reads them: every path that the code names, without tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

/// A file of a crate, without its tests.
pub struct Source {
    pub file: PathBuf,
    /// The names of its module, from the top of the crate.
    pub module: Vec<String>,
    /// The paths that it names, with their lines. Paths in the same crate begin with `crate`.
    pub paths: Vec<(usize, Vec<String>)>,
    /// What it brings in with `use`.
    pub imports: Vec<Import>,
    /// The methods it calls.
    pub calls: Vec<(usize, String)>,
    /// The texts in it.
    pub strings: Vec<(usize, String)>,
    /// Errors of public items that are plain text: the line and the item's name.
    pub texts: Vec<(usize, String)>,
    /// The types that are visible to other modules.
    pub types: Vec<(usize, String)>,
    /// The lines of code: neither blank, nor comments, nor tests.
    pub code: BTreeSet<usize>,
    /// The functions and how many lines of code each has.
    pub functions: Vec<(String, usize)>,
}

/// A name that a file brings in.
pub struct Import {
    pub name: String,
    /// Its path's place in [`Source::paths`].
    pub path: usize,
    /// Others see it here: `pub use`.
    pub public: bool,
}

impl Source {
    /// The room that the file belongs to; empty for `lib.rs`.
    pub fn room(&self) -> &str {
        self.module.first().map_or("", String::as_str)
    }

    fn read(file: &Path, module: Vec<String>, tests: &mut Vec<PathBuf>) -> Self {
        let text = std::fs::read_to_string(file).unwrap();
        let mut source = Self {
            file: file.to_owned(),
            module: module.clone(),
            paths: Vec::new(),
            imports: Vec::new(),
            calls: Vec::new(),
            strings: Vec::new(),
            texts: Vec::new(),
            types: Vec::new(),
            code: BTreeSet::new(),
            functions: Vec::new(),
        };
        lines(text.parse().unwrap(), &mut source.code);
        let mut reader = Reader { source: &mut source, module, tests };
        reader.visit_file(
            &syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display())),
        );
        source
    }
}

/// Every file of a crate in `folder`, except tests.
pub fn sources(folder: &str) -> Vec<Source> {
    let (mut found, mut tests) = (Vec::new(), Vec::new());
    below(Path::new(folder), &mut Vec::new(), &mut found, &mut tests);
    found.retain(|source| !tests.iter().any(|test| source.file.starts_with(test)));
    found
}

fn below(folder: &Path, module: &mut Vec<String>, found: &mut Vec<Source>, tests: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            module.push(name);
            below(&path, module, found, tests);
            module.pop();
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let top = ["mod", "lib", "main"].contains(&name.as_str());
            let module = module.iter().cloned().chain((!top).then_some(name)).collect();
            found.push(Source::read(&path, module, tests));
        }
    }
}

struct Reader<'a> {
    source: &'a mut Source,
    /// The module around the item that is read.
    module: Vec<String>,
    /// Modules that are compiled only for tests.
    tests: &'a mut Vec<PathBuf>,
}

fn for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// The lines on which something other than a comment stands. The compiler reads `///` as an attribute `doc`.
fn lines(tokens: TokenStream, found: &mut BTreeSet<usize>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let doc = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.stream().into_iter().next().is_some_and(|first| first.to_string() == "doc"));
    let mut rest = tokens.as_slice();
    while let [first, after @ ..] = rest {
        let mark =
            |tree: &TokenTree, sign| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign);
        rest = match after {
            [attribute, after @ ..] if mark(first, '#') && doc(attribute) => after,
            [inner, attribute, after @ ..] if mark(first, '#') && mark(inner, '!') && doc(attribute) => after,
            _ => {
                match first {
                    TokenTree::Group(group) => {
                        found.insert(group.span_open().start().line);
                        lines(group.stream(), found);
                        found.insert(group.span_close().end().line);
                    }
                    one => found.extend(one.span().start().line..=one.span().end().line),
                }
                after
            }
        };
    }
}

/// True if a type contains `Result<_, String>`.
fn fails_with_text(visit: impl FnOnce(&mut Texts)) -> bool {
    let mut texts = Texts(false);
    visit(&mut texts);
    texts.0
}

struct Texts(bool);

impl<'ast> Visit<'ast> for Texts {
    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        if let (true, syn::PathArguments::AngleBracketed(given)) =
            (segment.ident == "Result", &segment.arguments)
        {
            let error = given.args.iter().nth(1);
            self.0 |= matches!(error, Some(syn::GenericArgument::Type(syn::Type::Path(path))) if path.path.is_ident("String"));
        }
        visit::visit_path_segment(self, segment);
    }
}

impl Reader<'_> {
    /// Notes a visible item whose error is plain text.
    fn public(&mut self, visible: &syn::Visibility, name: &syn::Ident, visit: impl FnOnce(&mut Texts)) {
        if !matches!(visible, syn::Visibility::Inherited) && fails_with_text(visit) {
            self.source.texts.push((name.span().start().line, name.to_string()));
        }
    }

    /// Notes a visible type.
    fn named_type(&mut self, item: &syn::Item) {
        let (visible, name) = match item {
            syn::Item::Enum(item) => (&item.vis, &item.ident),
            syn::Item::Struct(item) => (&item.vis, &item.ident),
            syn::Item::Trait(item) => (&item.vis, &item.ident),
            syn::Item::Type(item) => (&item.vis, &item.ident),
            _ => return,
        };
        if !matches!(visible, syn::Visibility::Inherited) {
            self.source.types.push((name.span().start().line, name.to_string()));
        }
    }

    fn leave_out(&mut self, tests: proc_macro2::Span) {
        self.source.code.retain(|line| !(tests.start().line..=tests.end().line).contains(line));
    }

    fn function(&mut self, signature: &syn::Signature, span: proc_macro2::Span) {
        let lines = self.source.code.range(signature.span().start().line..=span.end().line).count();
        self.source.functions.push((signature.ident.to_string(), lines));
    }

    fn note(&mut self, span: proc_macro2::Span, names: Vec<String>) {
        let module = || std::iter::once("crate".to_owned()).chain(self.module.iter().cloned());
        let climbs = names.iter().take_while(|name| *name == "super").count();
        let names = match names.first().map(String::as_str) {
            Some("self") => module().chain(names.into_iter().skip(1)).collect(),
            Some("super") => {
                let above = self.module.len().saturating_sub(climbs) + 1;
                module().take(above).chain(names.into_iter().skip(climbs)).collect()
            }
            _ => names,
        };
        self.source.paths.push((span.start().line, names));
    }

    fn tree(&mut self, tree: &syn::UseTree, before: &[String], public: bool) {
        let (ident, name) = match tree {
            syn::UseTree::Path(path) => {
                let before: Vec<String> = before.iter().cloned().chain([path.ident.to_string()]).collect();
                return self.tree(&path.tree, &before, public);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.tree(tree, before, public));
            }
            syn::UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            syn::UseTree::Rename(name) => (name.ident.to_string(), name.rename.to_string()),
            syn::UseTree::Glob(_) => ("*".to_owned(), "*".to_owned()),
        };
        let itself = ident == "self";
        let name = if name == "self" { before.last().cloned().unwrap_or_default() } else { name };
        self.source.imports.push(Import { name, path: self.source.paths.len(), public });
        self.note(tree.span(), before.iter().cloned().chain((!itself).then_some(ident)).collect());
    }

    /// The arguments of a macro count as code, whatever the macro does with them.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let dot = |at: usize, sign: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let syn::Lit::Str(text) = syn::Lit::new(literal.clone()) {
                        self.visit_lit_str(&text);
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
            let TokenTree::Ident(ident) = token else {
                at += 1;
                continue;
            };
            if at > 0 && dot(at - 1, '.') {
                self.source.calls.push((ident.span().start().line, ident.to_string()));
            }
            let mut names = vec![ident.to_string()];
            while let (true, true, Some(TokenTree::Ident(next))) =
                (dot(at + 1, ':'), dot(at + 2, ':'), tokens.get(at + 3))
            {
                names.push(next.to_string());
                at += 3;
            }
            if names.len() > 1 {
                self.note(ident.span(), names);
            }
            at += 1;
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Const(item) => &item.attrs,
            syn::Item::Enum(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Static(item) => &item.attrs,
            syn::Item::Struct(item) => &item.attrs,
            syn::Item::Trait(item) => &item.attrs,
            syn::Item::Type(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !for_tests(attributes) {
            self.named_type(item);
            return visit::visit_item(self, item);
        }
        self.leave_out(item.span());
        if let syn::Item::Mod(syn::ItemMod { ident, content: None, .. }) = item {
            let file = &self.source.file;
            let top = ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| file.ends_with(name));
            let folder = if top { file.parent().unwrap().to_owned() } else { file.with_extension("") };
            self.tests.extend([folder.join(format!("{ident}.rs")), folder.join(ident.to_string())]);
        }
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.source.strings.push((text.span().start().line, text.value()));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if for_tests(&item.attrs) {
            return self.leave_out(item.span());
        }
        self.function(&item.sig, item.span());
        self.public(&item.vis, &item.sig.ident, |texts| texts.visit_signature(&item.sig));
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, item.span());
        self.public(&item.vis, &item.sig.ident, |texts| texts.visit_signature(&item.sig));
        visit::visit_item_fn(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.public(&item.vis, &item.ident, |texts| texts.visit_type(&item.ty));
        visit::visit_item_type(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.public(&item.vis, &item.ident, |texts| {
            item.variants.iter().for_each(|variant| texts.visit_variant(variant));
        });
        visit::visit_item_enum(self, item);
    }

    /// `FromStr` and `TryFrom` name their error so.
    fn visit_impl_item_type(&mut self, item: &'ast syn::ImplItemType) {
        let text = matches!(&item.ty, syn::Type::Path(path) if path.path.is_ident("String"));
        if text && ["Err", "Error"].iter().any(|name| item.ident == name) {
            self.source.texts.push((item.ident.span().start().line, item.ident.to_string()));
        }
        visit::visit_impl_item_type(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.public(&item.vis, &item.ident, |texts| texts.visit_item_trait(item));
        visit::visit_item_trait(self, item);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(name) = &field.ident {
            self.public(&field.vis, name, |texts| texts.visit_type(&field.ty));
        }
        visit::visit_field(self, field);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&item.tree, &[], !matches!(item.vis, syn::Visibility::Inherited));
    }

    /// A visibility says who may use an item, and names nothing that the item uses.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    /// Attributes name no code.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.note(path.span(), path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.source.calls.push((call.method.span().start().line, call.method.to_string()));
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.visit_path(&called.path);
        self.tokens(called.tokens.clone());
    }
}

fn read(module: &[&str], text: &str) -> Source {
    let module: Vec<String> = module.iter().map(|&name| name.to_owned()).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.rs");
    std::fs::write(&file, text).unwrap();
    Source::read(&file, module, &mut Vec::new())
}

/// The items of a text with plain-text errors, for this reader's own tests.
pub fn texts(text: &str) -> Vec<String> {
    read(&[], text).texts.into_iter().map(|(_, name)| name).collect()
}

/// The visible types of a text, for this reader's own tests.
pub fn types(text: &str) -> Vec<String> {
    read(&[], text).types.into_iter().map(|(_, name)| name).collect()
}

/// The paths that a text names, for this reader's own tests.
pub fn named(module: &[&str], text: &str) -> Vec<String> {
    let source = read(module, text);
    let paths = source.paths.into_iter().map(|(_, names)| names.join("::"));
    paths.chain(source.calls.into_iter().map(|(_, name)| format!(".{name}"))).collect()
}

/// The lines of code of a text and its functions, for this reader's own tests.
pub fn counted(text: &str) -> (usize, Vec<(String, usize)>) {
    let source = read(&[], text);
    (source.code.len(), source.functions)
}
