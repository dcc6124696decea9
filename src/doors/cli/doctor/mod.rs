//! `guarda doctor`: what works, what does not, and how to mend it.

mod files;
mod parts;

use super::args::DoctorArgs;
use super::load::{self, Loaded};
use super::{End, Trouble, show};

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum How {
    /// As it should be.
    Good,
    /// The guard does its work without it.
    Wary,
    /// The guard does not work as it should.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
struct Check {
    name: String,
    how: How,
    detail: String,
    /// What to do about it; `None` where it is good.
    mend: Option<String>,
}

impl Check {
    fn good(name: &str, detail: impl ToString) -> Self {
        Self { name: name.to_owned(), how: How::Good, detail: detail.to_string(), mend: None }
    }

    fn wary(name: &str, detail: impl ToString, mend: &str) -> Self {
        Self { how: How::Wary, mend: Some(mend.to_owned()), ..Self::good(name, detail) }
    }

    fn bad(name: &str, detail: impl ToString, mend: &str) -> Self {
        Self { how: How::Bad, mend: Some(mend.to_owned()), ..Self::good(name, detail) }
    }

    fn of(name: &str, found: Result<String, String>, mend: &str) -> Self {
        match found {
            Ok(detail) => Self::good(name, detail),
            Err(why) => Self::bad(name, why, mend),
        }
    }
}

pub(super) fn doctor(args: &DoctorArgs) -> Result<End, Trouble> {
    let named = args.config.as_deref();
    let loaded = load::load(named).and_then(|loaded| {
        loaded.config.policy(&loaded.name()).map_err(Trouble::new)?;
        Ok(loaded)
    });
    let mut checks = vec![files::config(&loaded), files::user()];
    // What follows is looked at with the built-in configuration where the own one is broken.
    let loaded = loaded.unwrap_or_else(|_| Loaded { config: crate::config::Config::default(), file: None });
    let state = load::state()?;
    checks.extend(files::state(&state));
    let (service, status) = parts::service(&loaded);
    checks.push(service);
    checks.extend(parts::parts(&status));
    checks.push(files::record(&loaded, &state));
    checks.push(files::registry(&loaded, &state));
    checks.extend(files::plugins(&loaded));
    checks.extend(super::clients::checkup().into_iter().map(|(client, found)| match found {
        Ok(detail) => Check::good(&format!("hook {client}"), detail),
        Err(why) => {
            Check::wary(&format!("hook {client}"), why.to_string(), &format!("guarda hook install {client}"))
        }
    }));
    let well = checks.iter().all(|check| check.how != How::Bad);
    show::out(&if args.json {
        format!("{}\n", serde_json::json!({"well": well, "checks": checks}))
    } else {
        page(&checks, well)
    });
    Ok(if well { End::Good } else { End::Failed })
}

fn page(checks: &[Check], well: bool) -> String {
    let mut page = String::new();
    for Check { name, how, detail, mend } in checks {
        let (style, word) = match how {
            How::Good => (show::GOOD, "good"),
            How::Wary => (show::WARY, "wary"),
            How::Bad => (show::BAD, "bad"),
        };
        page.push_str(&format!("  {name:<22} {style}{word:<5}{style:#} {detail}\n"));
        if let Some(mend) = mend {
            page.push_str(&format!("  {:<22} {:<5} → {mend}\n", "", ""));
        }
    }
    let wary = checks.iter().filter(|check| check.how == How::Wary).count();
    page.push_str(&match (well, wary) {
        (true, 0) => format!("{}All is well.{:#}\n", show::GOOD, show::GOOD),
        (true, _) => format!(
            "{}It works;{:#} {wary} parts are missing, and what needs them is refused.\n",
            show::GOOD,
            show::GOOD
        ),
        (false, _) => format!("{}It does not work as it should.{:#}\n", show::BAD, show::BAD),
    });
    page
}
