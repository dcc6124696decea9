-- Sets a person's override for a command (?1), or removes it where it is NULL (?2).
UPDATE commands_registry SET
    user_override = ?2,
    user_override_reason = ?3,
    user_override_by = ?4,
    user_override_at = CASE WHEN ?2 IS NULL THEN NULL ELSE ?5 END,
    updated_at = ?5
WHERE command_hash = ?1
