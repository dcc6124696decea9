-- What the guard adds: where a command runs and with which files, what a person said and who, how runs failed, and
-- what was earned since a promotion was lost last. The first index answers the look-up of a restriction by its words.
ALTER TABLE commands_registry ADD COLUMN argv_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE commands_registry ADD COLUMN folder TEXT NOT NULL DEFAULT '';
ALTER TABLE commands_registry ADD COLUMN profile TEXT NOT NULL DEFAULT '';
ALTER TABLE commands_registry ADD COLUMN program_digest TEXT NOT NULL DEFAULT '';
ALTER TABLE commands_registry ADD COLUMN user_override_by TEXT;
ALTER TABLE commands_registry ADD COLUMN last_executed_ms INTEGER;
ALTER TABLE commands_registry ADD COLUMN timeout_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE commands_registry ADD COLUMN signal_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE commands_registry ADD COLUMN earned_runs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE commands_registry ADD COLUMN earned_successes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE commands_registry ADD COLUMN held_back TEXT;

CREATE INDEX IF NOT EXISTS registry_words_said ON commands_registry (argv_hash) WHERE user_override IS NOT NULL;
CREATE INDEX IF NOT EXISTS registry_policy ON commands_registry (current_policy);
CREATE INDEX IF NOT EXISTS registry_risk ON commands_registry (risk_score);
CREATE INDEX IF NOT EXISTS registry_runs ON commands_registry (execution_count DESC);
CREATE INDEX IF NOT EXISTS registry_last ON commands_registry (last_executed DESC);
CREATE INDEX IF NOT EXISTS registry_said ON commands_registry (user_override) WHERE user_override IS NOT NULL;
CREATE INDEX IF NOT EXISTS registry_updated ON commands_registry (updated_at DESC);

DROP VIEW IF EXISTS command_stats;
CREATE VIEW command_stats AS
SELECT command_hash, command_text, folder, execution_count, success_count, failure_count,
       CASE WHEN execution_count > 0 THEN ROUND(100.0 * success_count / execution_count, 2) END AS success_rate_pct,
       avg_duration_ms, min_duration_ms, max_duration_ms,
       CASE WHEN execution_count > 1 THEN 1.0 * (last_executed - first_seen) / (execution_count - 1) END
           AS avg_interval_seconds,
       current_policy, user_override, risk_score, tags, first_seen, last_executed
FROM commands_registry;

DROP VIEW IF EXISTS high_risk_commands;
CREATE VIEW high_risk_commands AS
SELECT command_hash, command_text, folder, risk_score, tags, execution_count, current_policy, user_override,
       last_executed
FROM commands_registry
WHERE risk_score >= 0.7
ORDER BY risk_score DESC;

DROP VIEW IF EXISTS promotion_candidates;
CREATE VIEW promotion_candidates AS
SELECT command_hash, command_text, folder, execution_count, success_count,
       ROUND(100.0 * success_count / execution_count, 2) AS success_rate_pct, risk_score, last_executed, held_back
FROM commands_registry
WHERE current_policy = 'ask' AND execution_count >= 20 AND risk_score < 0.7
      AND 1.0 * success_count / execution_count >= 0.95
ORDER BY execution_count DESC;
