use std::os::unix::fs::PermissionsExt as _;

use super::*;

#[test]
fn neither_the_home_nor_where_programs_live_can_be_trusted() {
    let made = tempfile::tempdir().unwrap();
    let home = made.path().canonicalize().unwrap();
    for folder in ["app/src", ".config/app", "go/bin", "go/src/x", "team", "own-group"] {
        std::fs::create_dir_all(home.join(folder)).unwrap();
    }
    std::fs::write(home.join("file"), "").unwrap();
    std::os::unix::fs::symlink(home.join(".config"), home.join("link")).unwrap();
    let mode = |folder: &str, mode: u32| {
        std::fs::set_permissions(home.join(folder), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("team", 0o777);
    let programs = ["/usr/bin", "relative"].map(PathBuf::from).into_iter().chain([home.join("go/bin")]);
    let above = home.parent().unwrap().to_owned();
    for (folder, expected) in [
        (home.join("app"), None),
        (home.join("app/src"), None),
        (home.join("app/.."), Some(NotTrustable::Home)),
        (above, Some(NotTrustable::Home)),
        (PathBuf::from("/"), Some(NotTrustable::Home)),
        (home.join(".config"), Some(NotTrustable::Hidden)),
        (home.join(".config/app"), Some(NotTrustable::Hidden)),
        (home.join("link/app"), Some(NotTrustable::Hidden)),
        (home.join("go"), Some(NotTrustable::OnPath)),
        (home.join("go/bin"), Some(NotTrustable::OnPath)),
        (home.join("go/src/x"), None),
        (PathBuf::from("/usr/share"), Some(NotTrustable::Shared)),
        (PathBuf::from("/usr"), Some(NotTrustable::OnPath)),
        (home.join("team"), Some(NotTrustable::Shared)),
        (home.join("file"), Some(NotTrustable::Missing)),
        (home.join("none"), Some(NotTrustable::Missing)),
    ] {
        let checked = check(&home, programs.clone(), &folder);
        assert_eq!(checked.as_ref().err().copied(), expected, "{folder:?}");
        if let Ok(found) = checked {
            assert_eq!(Path::new(&found.path), folder);
        }
    }
}

#[test]
fn another_folder_in_its_place_is_not_trusted() {
    let made = tempfile::tempdir().unwrap();
    let home = made.path().canonicalize().unwrap();
    let app = home.join("app");
    std::fs::create_dir(&app).unwrap();
    let Trustable { digest, .. } = check(&home, std::iter::empty(), &app).unwrap();
    let trust = Trust::default();
    let folder = TrustedFolder { digest, since: jiff::Timestamp::UNIX_EPOCH, channel: None };
    trust.add(app.clone(), folder);
    let standing = || trust.standing(None);
    assert_eq!(standing(), std::slice::from_ref(&app));
    // What changes in it makes no other folder of it.
    std::fs::write(app.join("a"), "").unwrap();
    assert_eq!(standing(), std::slice::from_ref(&app));
    let aside = home.join("aside");
    std::fs::rename(&app, &aside).unwrap();
    assert_eq!(standing(), [] as [PathBuf; 0], "gone");
    std::fs::create_dir(&app).unwrap();
    assert_eq!(standing(), [] as [PathBuf; 0], "another one");
    std::fs::remove_dir(&app).unwrap();
    std::os::unix::fs::symlink(&aside, &app).unwrap();
    assert_eq!(standing(), [] as [PathBuf; 0], "a link to it");
    std::fs::remove_file(&app).unwrap();
    std::fs::rename(&aside, &app).unwrap();
    assert_eq!(standing(), std::slice::from_ref(&app), "it came back");
    assert!(trust.remove(&app).is_some());
    assert_eq!(standing(), [] as [PathBuf; 0]);
}

#[test]
fn trust_for_a_session_is_of_that_session_and_ends() {
    let made = tempfile::tempdir().unwrap();
    let app = made.path().canonicalize().unwrap().join("app");
    std::fs::create_dir(&app).unwrap();
    let Trustable { digest, .. } = check(made.path(), std::iter::empty(), &app).unwrap();
    let trust = Trust::default();
    let give = |since| {
        let folder = TrustedFolder { digest: digest.clone(), since, channel: None };
        trust.add_for(Some("one"), app.clone(), folder);
    };
    let stands = |session| trust.standing(session) == std::slice::from_ref(&app);
    give(jiff::Timestamp::now());
    for (session, expected) in
        [(Some("one"), true), (Some("two"), false), (None, false), (Some("../one"), false)]
    {
        assert_eq!(stands(session), expected, "{session:?}");
    }
    assert!(trust.list().is_empty(), "it is not one of those that last");
    trust.remove(&app);
    assert!(!stands(Some("one")), "taken back");
    give(jiff::Timestamp::now() - LONGEST_SESSION);
    assert!(!stands(Some("one")), "an old session that is named again");
}
