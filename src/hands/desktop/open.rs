//! OPEN_URL, OPEN_FOLDER and FILE_OPEN, with the application that the user has chosen.

use std::path::{Path, PathBuf};

use crate::devices::desktop::session::DesktopSession;
use crate::devices::desktop::user_dirs::user_dir;
use crate::devices::fault::DeviceFault;
use crate::devices::filesystem::paths::{self, Is, Walk};
use crate::devices::{desktop::apps, desktop::bus, desktop::handlers};
use guarda_core::output::{Ended, FailureKind, RawOutput};

use crate::hands::deeds::Deed;

/// OPEN_URL: an address that was normalised when it was parsed.
pub(in crate::hands) async fn address(deed: &Deed<'_>, url: &url::Url) -> RawOutput {
    let kind = format!("x-scheme-handler/{}", url.scheme());
    let hint =
        "no application opens web addresses; install a browser, or choose one in the desktop's settings";
    show(deed, url.as_str(), url.as_str(), &kind, hint).await
}

/// OPEN_FOLDER: a folder that exists, by its real path.
pub(in crate::hands) async fn folder(deed: &Deed<'_>, path: &str) -> RawOutput {
    let real = match real(deed, path) {
        Ok((real, Is::Folder)) => real,
        Ok((_, Is::Nothing)) => return deed.quiet(Ended::NotFound(path.to_owned())),
        Ok((_, Is::File { .. } | Is::Other)) => {
            return deed
                .quiet(Ended::Failed((FailureKind::NotFolder, format!("{path} is not a folder")).into()));
        }
        Err(ended) => return deed.quiet(ended),
    };
    let Some((written, uri)) = file_uri(&real) else {
        return deed.quiet(Ended::Failed(format!("{path} cannot be written as an address").into()));
    };
    let session = &deed.config.session;
    if handlers::chosen(session, &apps::installed(session), "inode/directory").is_none() {
        match by_file_manager(deed, &uri).await {
            Ok(()) => return deed.message(&written),
            Err(DeviceFault::Failed(why)) => return deed.quiet(Ended::Failed(why)),
            Err(DeviceFault::Absent(_)) => {}
        }
    }
    let hint = "no application shows folders; install a file manager";
    show(deed, &written, &uri, "inode/directory", hint).await
}

/// Opens a file in the application for its type.
pub(in crate::hands) async fn file(deed: &Deed<'_>, path: &str) -> RawOutput {
    let real = match real(deed, path) {
        Ok((_, Is::Nothing)) => return deed.quiet(Ended::NotFound(path.to_owned())),
        Ok((real, _)) => real,
        Err(ended) => return deed.quiet(ended),
    };
    let Some((written, uri)) = file_uri(&real) else {
        return deed.quiet(Ended::Failed(format!("{path} cannot be written as an address").into()));
    };
    let kind = handlers::kind(&deed.config.session, &real);
    let hint = format!("no application opens this type of file ({kind})");
    show(deed, &written, &uri, &kind, &hint).await
}

/// The real path, if it is still the one that was judged.
fn real(deed: &Deed<'_>, path: &str) -> Result<(PathBuf, Is), Ended> {
    let home = Path::new(&deed.situation.home);
    let written = meant(&deed.config.session, path, home);
    let target = Walk::default().follow(&written);
    if deed.judged(&written) != target.real {
        return Err(Ended::Changed(path.to_owned()));
    }
    Ok((target.real, target.is))
}

/// The path that a person means: "downloads" is the desktop's folder for downloads, unless the home folder has an entry
/// of this name.
pub(in crate::hands) fn meant(session: &DesktopSession, path: &str, home: &Path) -> PathBuf {
    let plain = paths::of_person(path, home, home);
    match crate::hands::desktop::names::folder(path) {
        Some(dir) if plain.symlink_metadata().is_err() => user_dir(session, dir).unwrap_or(plain),
        Some(_) | None => plain,
    }
}

/// A path as text and as a `file:` address.
fn file_uri(path: &Path) -> Option<(String, String)> {
    Some((path.to_str()?.to_owned(), url::Url::from_file_path(path).ok()?.to_string()))
}

/// Opens something with the chosen application, or the first other one that starts. Only the desktop's own lists count: a
/// launcher such as `xdg-open` may start something that nobody sees.
async fn show(deed: &Deed<'_>, target: &str, uri: &str, kind: &str, hint: &str) -> RawOutput {
    let session = &deed.config.session;
    let applications = apps::installed(session);
    let mut first = None;
    for application in handlers::all(session, &applications, kind)
        .into_iter()
        .take(crate::hands::desktop::apps::MOST_CANDIDATES)
    {
        // The bus takes addresses. Programs get a path if there is one, because all of them understand paths.
        let given = if application.by_bus() { uri } else { target };
        match crate::hands::desktop::apps::start(deed, application, &[given]).await {
            Ok(()) => return deed.message(target),
            Err(ended) => first = first.or(Some(ended)),
        }
    }
    // The user's choice comes first, so its failure is the one to tell.
    match first {
        Some(ended) => deed.quiet(ended),
        None => deed.quiet(Ended::Unavailable((FailureKind::NoApplication, hint).into())),
    }
}

/// The file managers' common interface (`ShowFolders` opens each folder given).
async fn by_file_manager(deed: &Deed<'_>, uri: &str) -> Result<(), DeviceFault> {
    const NAME: &str = "org.freedesktop.FileManager1";
    let connection = bus::of_session(&deed.config.session).await?;
    if !bus::serves(&connection, NAME).await? {
        return Err(DeviceFault::missing(FailureKind::NoService, "no file manager on the session bus"));
    }
    let manager = bus::object(&connection, NAME, "/org/freedesktop/FileManager1", NAME).await?;
    let shown = manager.call::<_, _, ()>("ShowFolders", &(vec![uri], "")).await;
    shown.map_err(|error| bus::fault(NAME, &error))
}
