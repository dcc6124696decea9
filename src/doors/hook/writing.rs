//! The content that a tool will write, as far as its input tells. The content is unknown if a client leaves it to a
//! model or to its own program, as with sketches of edits and with notebooks.

use serde_json::{Map, Value};

use super::event::Files;
use super::fields::{only, text};
use super::known::{NEW, OLD, WHOLE};
use super::misread::Misread;
use crate::hands::announced::{Content, Edit, Planned};

/// Fields that request the replacement of every occurrence.
const ALL: &[&str] = &["replace_all", "replaceAll", "allow_multiple"];

/// The file's new content according to the tool.
///
/// # Errors
/// If a field has another type.
pub(super) fn content(input: &Map<String, Value>) -> Result<Content, Misread> {
    // Some clients have one tool whose `command` selects the operation. Views and insertions at a line are not edits.
    let command = text(input, "command")?;
    if command.as_deref().is_some_and(|command| !matches!(command, "create" | "str_replace")) {
        return Ok(Content::Unknown);
    }
    if let Some(whole) = only(input, WHOLE)? {
        return Ok(Content::Whole(whole));
    }
    let edits = match input.get("edits") {
        None | Some(Value::Null) => edit(input)?.map(|edit| vec![edit]),
        Some(Value::Array(list)) => list
            .iter()
            .map(|one| {
                let one = one.as_object().ok_or(Misread::NotObjects("edits"))?;
                let mut fields = one.iter().filter(|(_, value)| value.is_string());
                match fields
                    .find(|(field, _)| !OLD.contains(&field.as_str()) && !NEW.contains(&field.as_str()))
                {
                    Some((field, _)) => {
                        Err(Misread::Field { tool: "edits".to_owned(), field: field.clone() })
                    }
                    None => edit(one),
                }
            })
            .collect::<Result<_, Misread>>()?,
        Some(_) => return Err(Misread::NotAList("edits")),
    };
    Ok(edits.filter(|edits| !edits.is_empty()).map_or(Content::Unknown, Content::Edits))
}

/// A single replacement; `None` if there is none.
fn edit(input: &Map<String, Value>) -> Result<Option<Edit>, Misread> {
    let (Some(old), Some(new)) = (only(input, OLD)?, only(input, NEW)?) else { return Ok(None) };
    let wished = ALL.iter().any(|name| input.get(*name) == Some(&Value::Bool(true)));
    // Gemini sends the expected number of replacements.
    let many = input.get("expected_replacements").and_then(Value::as_u64).is_some_and(|count| count > 1);
    Ok(Some(Edit { old, new, all: wished || many }))
}

/// The files in a patch for `apply_patch`, each with its changes.
///
/// # Errors
/// If the patch names no file.
pub(super) fn patched(patch: &str) -> Result<Files, Misread> {
    let mut files = Files::default();
    let mut body: Vec<&str> = Vec::new();
    // Each part begins with a header line. Its content is complete when the next part begins.
    let mut part: Option<(Part, String, Option<String>)> = None;
    for line in patch.lines().chain(["*** End Patch"]) {
        let Some(head) = line.strip_prefix("*** ").filter(|head| *head != "End of File") else {
            body.push(line);
            continue;
        };
        if let (Some(to), Some((Part::Update, _, moved))) = (head.strip_prefix("Move to: "), &mut part) {
            *moved = Some(to.trim().to_owned());
            continue;
        }
        if let Some((part, path, moved)) = part.take() {
            part.enter(path, moved, &body, &mut files);
        }
        body.clear();
        let begun = |name: &str, part| Some((part, head.strip_prefix(name)?.trim().to_owned(), None));
        part = begun("Add File: ", Part::Add)
            .or_else(|| begun("Update File: ", Part::Update))
            .or_else(|| begun("Delete File: ", Part::Delete))
            // A target without a source is still written.
            .or_else(|| begun("Move to: ", Part::Stray));
    }
    if files == Files::default() {
        return Err(Misread::EmptyPatch);
    }
    Ok(files)
}

/// The kind of a part of a patch.
#[derive(Debug, Clone, Copy)]
enum Part {
    Add,
    Update,
    Delete,
    Stray,
}

impl Part {
    fn enter(self, path: String, moved: Option<String>, body: &[&str], files: &mut Files) {
        let hunks = || Content::Patch(body.iter().flat_map(|line| [line, "\n"]).collect());
        match (self, moved) {
            (Self::Delete, _) => {
                files.planned.push(Planned::new(path.clone(), Content::Gone));
                files.deleted.push(path);
            }
            (Self::Add, _) => {
                let lines: Option<Vec<&str>> = body.iter().map(|line| line.strip_prefix('+')).collect();
                let whole = lines.map(|lines| lines.iter().flat_map(|line| [line, "\n"]).collect());
                let content = whole.map_or(Content::Unknown, Content::Whole);
                files.planned.push(Planned::new(path.clone(), content));
                files.written.push(path);
            }
            (Self::Update, None) => {
                files.planned.push(Planned::new(path.clone(), hunks()));
                files.written.push(path);
            }
            (Self::Update, Some(to)) => {
                let planned = Planned::new(to.clone(), hunks());
                files.planned.push(Planned { from: Some(path.clone()), ..planned });
                files.written.push(to);
                files.deleted.push(path);
            }
            (Self::Stray, _) => {
                files.planned.push(Planned::new(path.clone(), Content::Unknown));
                files.written.push(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_formats_of_the_clients() {
        let edit = |all| Content::Edits(vec![Edit { old: "a".to_owned(), new: "b".to_owned(), all }]);
        for (input, content) in [
            // Claude Code: Write, Edit, MultiEdit, NotebookEdit.
            (json!({"file_path": "/f", "content": "x"}), Content::Whole("x".to_owned())),
            (json!({"file_path": "/f", "old_string": "a", "new_string": "b"}), edit(false)),
            (
                json!({"file_path": "/f", "old_string": "a", "new_string": "b", "replace_all": true}),
                edit(true),
            ),
            (json!({"file_path": "/f", "edits": [{"old_string": "a", "new_string": "b"}]}), edit(false)),
            (json!({"notebook_path": "/f", "new_source": "x", "cell_id": "1"}), Content::Unknown),
            // Gemini: replace.
            (
                json!({"file_path": "/f", "old_string": "a", "new_string": "b", "expected_replacements": 3}),
                edit(true),
            ),
            // Copilot, and the editor of several models: create, edit, str_replace_editor.
            (json!({"path": "/f", "file_text": "x"}), Content::Whole("x".to_owned())),
            (json!({"path": "/f", "old_str": "a", "new_str": "b"}), edit(false)),
            (json!({"command": "create", "path": "/f", "file_text": "x"}), Content::Whole("x".to_owned())),
            (json!({"command": "str_replace", "path": "/f", "old_str": "a", "new_str": "b"}), edit(false)),
            (json!({"command": "insert", "path": "/f", "new_str": "b", "insert_line": 1}), Content::Unknown),
            (json!({"command": "view", "path": "/f"}), Content::Unknown),
            // OpenCode: edit. Cursor: Write, a sketch.
            (json!({"filePath": "/f", "oldString": "a", "newString": "b", "replaceAll": true}), edit(true)),
            (json!({"path": "/f", "contents": "x"}), Content::Whole("x".to_owned())),
            (json!({"target_file": "/f", "code_edit": "// ... existing code ..."}), Content::Unknown),
            (json!({"file_path": "/f", "edits": []}), Content::Unknown),
            (json!({"file_path": "/f", "old_string": "a"}), Content::Unknown),
        ] {
            assert_eq!(super::content(input.as_object().unwrap()), Ok(content), "{input}");
        }
        for wrong in [
            json!({"content": 5}),
            json!({"edits": "x"}),
            json!({"edits": [5]}),
            json!({"edits": [{"old_string": 5, "new_string": "b"}]}),
        ] {
            assert!(super::content(wrong.as_object().unwrap()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_patch_says_what_it_does_to_each_file() {
        let patch = "*** Begin Patch\n*** Add File: n\n+one\n+\n*** Update File: u\n@@ def\n-a\n+b\n*** End of File\n\
                     *** Update File: from\n*** Move to: to\n@@\n-a\n+b\n*** Delete File: d\n*** End Patch\n";
        let files = patched(patch).unwrap();
        let one = |path: &str, content| Planned::new(path, content);
        assert_eq!(
            files.planned,
            [
                one("n", Content::Whole("one\n\n".to_owned())),
                one("u", Content::Patch("@@ def\n-a\n+b\n*** End of File\n".to_owned())),
                Planned {
                    from: Some("from".to_owned()),
                    ..one("to", Content::Patch("@@\n-a\n+b\n".to_owned()))
                },
                one("d", Content::Gone),
            ]
        );
        assert_eq!(files.written, ["n", "u", "to"]);
        assert_eq!(files.deleted, ["from", "d"]);
        assert!(patched("*** Begin Patch\n*** End Patch").is_err() && patched("rm x").is_err());
        let stray = patched("*** Move to: x\n").unwrap();
        assert_eq!(
            (stray.written.as_slice(), &stray.planned[0].content),
            (&["x".to_owned()][..], &Content::Unknown)
        );
    }
}
