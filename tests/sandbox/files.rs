//! Files: what can be read, changed, and reached by detours.

use guarda_sandbox::SandboxLevel;

use crate::jail::{Jail, none, profiles, text};

#[test]
fn the_working_folder_and_the_temporary_one_are_written_to() {
    for profile in profiles() {
        let jail = Jail::new();
        let done = jail.run(
            &jail.spec(profile),
            "set -e; echo new > new; mkdir -p a/b; mv new a/b/; ln -s a link; rm file; \
             echo x > \"$TMPDIR/x\"; cat \"$TMPDIR/x\" > from-tmp; mktemp; echo $TMPDIR",
        );
        done.succeeds();
        assert_eq!(text(&jail.at("work/a/b/new")), "new\n");
        assert_eq!(text(&jail.at("work/from-tmp")), "x\n");
        let temporary = done.out.lines().last().unwrap();
        assert!(temporary.contains("guarda-"), "{temporary}");
        assert!(!std::path::Path::new(temporary).exists(), "{temporary} is left");
    }
}

#[test]
fn nothing_else_is_written_to() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        for attempt in [
            "echo x > $outside/new",
            "echo x >> $outside/file",
            "truncate -s 0 $outside/file",
            ": > $home/.bashrc",
            "echo x > $home/new",
            "echo x > $home/Documents/letter.txt",
            "rm $home/Documents/letter.txt",
            "mv $home/Documents/letter.txt .",
            "mv file $outside/",
            "mv file $home/Documents/",
            "mkdir $home/.config/autostart",
            "rmdir $home/.gnupg",
            "ln -s x $home/link",
            "ln file $home/hard",
            "echo x > /etc/guarda-test",
            "echo x > /usr/local/bin/guarda-test",
            "echo x > /var/tmp/guarda-test",
        ] {
            jail.run(&spec, attempt).fails();
        }
        assert_eq!(text(&jail.outside("file")), "SECRET OUTSIDE");
        assert_eq!(text(&jail.at(".bashrc")), "alias");
        assert_eq!(text(&jail.at("Documents/letter.txt")), "dear");
        assert!(!jail.at("new").exists() && !jail.at("link").exists() && !jail.at("hard").exists());
    }
}

#[test]
fn secrets_of_the_home_folder_are_not_read_and_the_rest_is() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        for secret in [".ssh/id_ed25519", ".config/gh/hosts.yml", ".bash_history", ".netrc"] {
            let attempt = format!("cat $home/{secret}");
            jail.run(&none(&spec), &attempt).succeeds();
            let done = jail.run(&spec, &attempt);
            assert!(!done.out.contains("SECRET"), "{profile:?} {secret}: {done:?}");
        }
        jail.run(&spec, "ls $home/.ssh/id_ed25519 && cat $home/.ssh/*").fails();
        for open in ["Documents/letter.txt", ".config/foot/foot.ini", ".bashrc"] {
            jail.run(&spec, &format!("cat $home/{open}")).succeeds();
        }
    }
}

#[test]
fn the_guards_own_files_are_out_of_reach_even_in_the_working_folder() {
    for profile in profiles() {
        let jail = Jail::new();
        let mut spec = jail.spec(profile);
        spec.writable.push(jail.at("guard"));
        spec.writable.push(jail.at(""));
        spec.readable.push(jail.at("guard/token"));
        for attempt in [
            "cat $home/guard/token",
            "cat $home/guard/journal.jsonl",
            "cd $home/guard && cat token",
            "cat /proc/self/cwd/../guard/token",
        ] {
            jail.run(&none(&spec), attempt).succeeds();
            let done = jail.run(&spec, attempt);
            assert!(!done.out.contains("SECRET"), "{profile:?}: {done:?}");
        }
        for attempt in [
            "echo x >> $home/guard/journal.jsonl",
            "rm $home/guard/token",
            "mv $home/guard $home/work/",
            "mv $home/guard/token $home/work/",
            "ln $home/guard/token $home/work/token && cat $home/work/token",
        ] {
            jail.run(&spec, attempt).fails();
        }
        assert_eq!(text(&jail.at("guard/token")), "SECRET TOKEN");
        assert_eq!(text(&jail.at("guard/journal.jsonl")), "SECRET LINE");
    }
}

#[test]
fn links_lead_nowhere() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        std::os::unix::fs::symlink(jail.outside("file"), jail.at("work/there")).unwrap();
        std::os::unix::fs::symlink(jail.at(".ssh"), jail.at("work/keys")).unwrap();
        std::os::unix::fs::symlink(jail.at(".ssh"), jail.at("Documents/keys")).unwrap();
        for attempt in [
            "cat there",
            "echo x > there",
            "cat keys/id_ed25519",
            "cat $home/Documents/keys/id_ed25519",
            "ln -s / root && cat root$outside/file",
            "ln $outside/file mine && cat mine",
            "ln $home/.ssh/id_ed25519 mine && cat mine",
            "mv $home/.ssh .",
            "cat /proc/self/root$outside/file",
        ] {
            let done = jail.run(&spec, attempt);
            done.fails();
            assert!(!done.out.contains("SECRET"), "{profile:?} {attempt}: {done:?}");
        }
        assert_eq!(text(&jail.outside("file")), "SECRET OUTSIDE");
    }
}

#[test]
fn a_working_folder_that_is_a_link_to_a_secret_opens_nothing() {
    for profile in profiles() {
        let jail = Jail::new();
        let mut spec = jail.spec(profile);
        std::os::unix::fs::symlink(jail.at(".ssh"), jail.at("innocent")).unwrap();
        spec.writable = vec![jail.at("innocent")];
        let done = jail.run(&spec, "cat $home/innocent/id_ed25519; echo x > $home/innocent/authorized_keys");
        assert!(!done.out.contains("SECRET"), "{done:?}");
        assert!(!jail.at(".ssh/authorized_keys").exists());
        assert!(done.protection.notes.iter().any(|note| note.contains("stays closed")), "{done:?}");
    }
}

#[test]
fn in_a_home_folder_start_up_files_are_not_changed() {
    for profile in profiles() {
        let jail = Jail::new();
        let mut spec = jail.spec(profile);
        spec.writable = vec![jail.at("")];
        jail.run(&spec, "echo x >> $home/.bashrc").fails();
        jail.run(&spec, "echo x > $home/.ssh/authorized_keys").fails();
        jail.run(&spec, "ls $home && echo changed > $home/Documents/letter.txt").succeeds();
        assert_eq!(text(&jail.at(".bashrc")), "alias");
        assert_eq!(text(&jail.at("Documents/letter.txt")), "changed\n");
    }
}

#[test]
fn what_the_action_names_is_opened() {
    for profile in profiles() {
        let jail = Jail::new();
        let mut spec = jail.spec(profile);
        spec.readable.push(jail.outside("file"));
        spec.writable.push(jail.at("Documents"));
        let done = jail.run(&spec, "cat $outside/file && cp file $home/Documents/copy");
        assert_eq!(done.succeeds().out, "SECRET OUTSIDE");
        assert_eq!(text(&jail.at("Documents/copy")), "mine");
        jail.run(&spec, "echo x > $outside/file").fails();
    }
}

#[test]
fn system_folders_stay_as_they_are_even_as_a_working_folder() {
    for profile in profiles() {
        let jail = Jail::new();
        for folder in ["/", "/etc", "/usr/local", "/tmp"] {
            let mut spec = jail.spec(profile);
            spec.writable = vec![folder.into()];
            let done = jail.run(
                &spec,
                &format!("echo x > {folder}/guarda-test && test -e /proc/1/root{folder}/guarda-test"),
            );
            done.fails();
            assert!(done.protection.notes.iter().any(|note| note.contains("not made writable")), "{done:?}");
            assert!(!std::path::Path::new(folder).join("guarda-test").exists());
        }
    }
}

#[test]
fn what_only_root_reads_is_not_read_by_a_sandboxed_root() {
    for profile in profiles() {
        let jail = Jail::new();
        for secret in
            ["/etc/shadow", "/etc/gshadow", "/root/.bashrc", "/proc/1/environ", "/dev/mem", "/dev/kmsg"]
        {
            let done = jail.run(&jail.spec(profile), &format!("head -c 1 {secret}"));
            done.fails();
            assert_eq!(done.out, "", "{secret}");
        }
    }
}

#[test]
fn no_file_is_made_that_runs_as_its_owner() {
    for profile in profiles() {
        let jail = Jail::new();
        let spec = jail.spec(profile);
        for attempt in ["chmod u+s file", "chmod 2755 file", "chmod 4755 file", "install -m 4755 file new"] {
            jail.run(&none(&spec), attempt).succeeds();
            jail.run(&none(&spec), "chmod 755 file").succeeds();
            jail.run(&spec, attempt).fails();
        }
        jail.run(&spec, "chmod +x file && chmod 600 file").succeeds();
        let made = "import os; os.close(os.open('made', os.O_CREAT | os.O_WRONLY, 0o4755))";
        jail.python(&spec, made, &[]).fails();
        jail.python(&none(&spec), made, &[]).succeeds();
    }
}

#[test]
fn isolated_also_keeps_modes_as_they_are() {
    if !profiles().contains(&SandboxLevel::Isolated) {
        return;
    }
    let jail = Jail::new();
    jail.run(&jail.spec(SandboxLevel::Isolated), "chmod 777 $home/Documents").fails();
    jail.run(&jail.spec(SandboxLevel::Isolated), "chmod 777 $home/.ssh && test -e $home/.ssh/id_ed25519")
        .fails();
    jail.run(&jail.spec(SandboxLevel::Isolated), "touch -d 2001-01-01 $home/Documents/letter.txt").fails();
}
