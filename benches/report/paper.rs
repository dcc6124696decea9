//! The report: JSON for programs, Markdown and plots for people.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// The figures of one run.
#[derive(Default)]
pub struct Paper {
    figures: Vec<(String, f64, String)>,
    plots: Vec<Plot>,
}

/// A cost against the quantity that it grows with.
pub struct Plot {
    pub name: &'static str,
    pub title: &'static str,
    pub x: &'static str,
    pub y: &'static str,
    pub points: Vec<(f64, f64)>,
}

/// The promises of the issue and the documents: the key, and the highest or lowest value.
const TARGETS: [(&str, &str, f64); 5] = [
    ("judge_p50_us", "≤", 5.0),
    ("judge_p99_us", "≤", 50.0),
    ("check_own_ratio", "≤", 2.0),
    ("registry_known_ratio", "≤", 1.2),
    ("registry_vain_ratio", "≤", 1.2),
];

impl Paper {
    pub fn figure(&mut self, key: &str, value: f64, meaning: &str) {
        println!("{value:>12.3}  {meaning}");
        self.figures.push((key.to_owned(), value, meaning.to_owned()));
    }

    pub fn plot(&mut self, plot: Plot) {
        println!("{:>12}  {}: {:.1?}", "", plot.title, plot.points);
        self.plots.push(plot);
    }

    /// Writes `target/bench/`.
    pub fn write(self) {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/target/bench"));
        std::fs::create_dir_all(&folder).unwrap();
        let facts = facts();
        let mut json: serde_json::Map<String, serde_json::Value> =
            facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into())).collect();
        json.extend(self.figures.iter().map(|(key, value, _)| (key.clone(), rounded(*value).into())));
        for plot in &self.plots {
            json.insert(
                format!("{}_{}", plot.name, plot.y.replace('µ', "u")),
                serde_json::json!(plot.points),
            );
            std::fs::write(folder.join(format!("{}.svg", plot.name)), plot.svg()).unwrap();
        }
        let text = serde_json::to_string_pretty(&json).unwrap();
        std::fs::write(folder.join("report.json"), text + "\n").unwrap();
        std::fs::write(folder.join("report.md"), self.page(&facts)).unwrap();
        println!("written: target/bench/report.md and report.json");
    }

    fn page(&self, facts: &[(&str, String)]) -> String {
        let mut page = "# What it costs\n\n".to_owned();
        for (name, value) in facts {
            let _ = writeln!(page, "- {name}: {value}");
        }
        page.push_str("\n| key | | value | target |\n|---|---|---:|---|\n");
        for (key, value, meaning) in &self.figures {
            let target = TARGETS.iter().find(|(name, ..)| name == key).map(|(_, sign, bound)| {
                let met = if *sign == "≤" { value <= bound } else { value >= bound };
                format!("{sign} {bound}: {}", if met { "met" } else { "**missed**" })
            });
            let _ = writeln!(
                page,
                "| `{key}` | {meaning} | {} | {} |",
                rounded(*value),
                target.unwrap_or_default()
            );
        }
        for plot in &self.plots {
            let points: Vec<String> =
                plot.points.iter().map(|(x, y)| format!("{x}: {}", rounded(*y))).collect();
            let (title, x, y) = (plot.title, plot.x, plot.y);
            let _ = writeln!(
                page,
                "\n## {title}\n![{title}]({}.svg)\n\n{y} by {x}: {}",
                plot.name,
                points.join(", ")
            );
        }
        page
    }
}

/// Three decimals, or three significant digits if it is small.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// The machine and the commit.
fn facts() -> Vec<(&'static str, String)> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let said = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
    };
    let cpu = read("/proc/cpuinfo");
    let model =
        cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    let count = std::thread::available_parallelism().map_or(0, usize::from);
    let changed =
        if said("git", &["status", "--porcelain", "-uno"]).is_empty() { "" } else { " and changes" };
    vec![
        ("commit", format!("{}{changed}", said("git", &["rev-parse", "--short", "HEAD"]))),
        ("machine", format!("{count} × {}", model.unwrap_or("unknown processor"))),
        ("kernel", read("/proc/sys/kernel/osrelease").trim().to_owned()),
        ("load before the service was measured", read("/proc/loadavg").trim().to_owned()),
        ("compiler", said("rustc", &["--version"])),
        ("profile", if cfg!(debug_assertions) { "debug" } else { "optimised" }.to_owned()),
    ]
}

impl Plot {
    /// Both axes are logarithmic, since both span several orders of magnitude.
    fn svg(&self) -> String {
        let log = |value: f64| value.max(1e-9).ln();
        let range = |values: Vec<f64>| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            (least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max).max(least + 0.1))
        };
        let (left, right) = range(self.points.iter().map(|(x, _)| log(*x)).collect());
        let (low, high) = range(self.points.iter().map(|(_, y)| log(*y)).collect());
        let place = |x: f64, y: f64| {
            (60.0 + 400.0 * (log(x) - left) / (right - left), 220.0 - 180.0 * (log(y) - low) / (high - low))
        };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 500 260\" font-family=\"sans-serif\" font-size=\"11\">\
             <rect width=\"500\" height=\"260\" fill=\"#fff\"/><text x=\"60\" y=\"18\">{} ({} by {})</text>",
            self.title, self.y, self.x
        );
        let line: Vec<String> = self
            .points
            .iter()
            .map(|(x, y)| {
                let (x, y) = place(*x, *y);
                format!("{x:.0},{y:.0}")
            })
            .collect();
        let _ = write!(
            svg,
            "<polyline fill=\"none\" stroke=\"#26c\" stroke-width=\"2\" points=\"{}\"/>",
            line.join(" ")
        );
        for (x, y) in &self.points {
            let (across, down) = place(*x, *y);
            let _ = write!(
                svg,
                "<circle cx=\"{across:.0}\" cy=\"{down:.0}\" r=\"3\" fill=\"#26c\"/>\
                 <text x=\"{across:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{y:.1}</text>\
                 <text x=\"{across:.0}\" y=\"240\" text-anchor=\"middle\">{x}</text>",
                down - 8.0
            );
        }
        svg + "</svg>\n"
    }
}
