//! GNU `parallel`.

use crate::meaning::evaluator::Evaluator;
use crate::meaning::wrappers::Call;
use crate::meaning::wrappers::options::{self, NONE, Options};
use crate::meaning::wrappers::searches::{items, replaced};
use crate::script::UnknownCause;
use crate::syntax::scan::Stop;

const PARALLEL: Options = Options {
    flags: "0kmqtuvXxzh",
    valued: "jPnNLlaICdEsSJ",
    attached: "i",
    long: &[
        "dry-run",
        "keep-order",
        "bar",
        "progress",
        "eta",
        "null",
        "group",
        "ungroup",
        "line-buffer",
        "lb",
        "xargs",
        "verbose",
        "quote",
        "citation",
        "will-cite",
        "no-run-if-empty",
        "pipe",
        "pipepart",
        "linebuffer",
        "tag",
        "link",
        "shuf",
        "resume",
        "resume-failed",
        "no-notice",
        "plain",
        "trim-all",
        "files",
        "header-only",
        "semaphore",
    ],
    long_valued: &[
        "jobs",
        "max-args",
        "arg-file",
        "colsep",
        "delay",
        "timeout",
        "retries",
        "halt",
        "joblog",
        "results",
        "load",
        "memfree",
        "nice",
        "sshlogin",
        "workdir",
        "env",
        "block",
        "recstart",
        "recend",
        "max-replace-args",
        "header",
        "tmpdir",
        "tempdir",
        "basefile",
        "return",
        "delimiter",
        "max-lines",
        "rpl",
        "shell",
        "max-procs",
    ],
    ..NONE
};

impl Evaluator<'_> {
    /// GNU `parallel`, which joins its words and gives them to a shell.
    pub(crate) fn parallel(&mut self, call: &Call<'_>) -> Result<(), Stop> {
        let scan = options::scan(call.fields, 1, &PARALLEL);
        self.work.spend(scan.next)?;
        self.note_options(call, &scan);
        let rest = call.rest(scan.next);
        let sources = [":::", "::::", ":::+", "::::+"];
        let end = rest.iter().position(|field| field.literal().is_some_and(|text| sources.contains(&text)));
        let command = rest.get(..end.unwrap_or(rest.len())).unwrap_or(&[]);
        let given = end.map_or(&[][..], |end| rest.get(end..).unwrap_or(&[]));
        if command.is_empty() {
            // Each item is a command line.
            if given.is_empty() || given.iter().any(|field| field.literal() == Some("::::")) {
                let span = call.fields.first().map(|field| field.word.span).unwrap_or_default();
                self.doubt(UnknownCause::Items, span);
            }
            for field in
                given.iter().filter(|field| field.literal().is_none_or(|text| !sources.contains(&text)))
            {
                self.shell_text(call, std::slice::from_ref(field), "bash")?;
            }
            return Ok(());
        }
        let marks = ["{}", "{.}", "{/}", "{//}", "{/.}", "{#}", "{%}", "{1}", "{2}", "{3}"];
        let mut any = false;
        let mut words = Vec::new();
        for field in command {
            let (field, found) = replaced(field, &marks);
            any |= found;
            words.push(field);
        }
        if !any && let Some(last) = words.last() {
            let last = items(last);
            words.push(last);
        }
        self.work.spend(words.len())?;
        self.shell_text(call, &words, "bash")
    }
}
