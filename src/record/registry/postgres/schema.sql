-- The table of feature B1 with the columns that the guard adds, for a server that several hosts share.
CREATE TABLE IF NOT EXISTS commands_registry (
    command_hash            TEXT COLLATE "C" PRIMARY KEY,
    command_text            TEXT NOT NULL,
    first_seen              BIGINT NOT NULL,
    last_executed           BIGINT,
    execution_count         BIGINT NOT NULL DEFAULT 0,
    success_count           BIGINT NOT NULL DEFAULT 0,
    failure_count           BIGINT NOT NULL DEFAULT 0,
    avg_duration_ms         DOUBLE PRECISION NOT NULL DEFAULT 0,
    min_duration_ms         BIGINT,
    max_duration_ms         BIGINT,
    total_duration_ms       BIGINT NOT NULL DEFAULT 0,
    current_policy          TEXT NOT NULL DEFAULT 'ask'
                            CHECK (current_policy IN ('auto_approve', 'ask', 'ask_warning')),
    policy_reason           TEXT,
    policy_last_updated     BIGINT,
    promoted_at             BIGINT,
    user_override           TEXT
                            CHECK (user_override IS NULL OR user_override IN ('always_allow', 'always_ask', 'never')),
    user_override_reason    TEXT,
    user_override_at        BIGINT,
    duplicate_threshold_ms  BIGINT NOT NULL DEFAULT 10000,
    duplicate_check_enabled BIGINT NOT NULL DEFAULT 1,
    tags                    TEXT NOT NULL DEFAULT '[]',
    risk_score              DOUBLE PRECISION NOT NULL DEFAULT 0.5 CHECK (risk_score BETWEEN 0.0 AND 1.0),
    last_100_timestamps     TEXT,
    typical_exit_codes      TEXT NOT NULL DEFAULT '{}',
    common_errors           TEXT NOT NULL DEFAULT '[]',
    created_at              BIGINT NOT NULL,
    updated_at              BIGINT NOT NULL,
    argv_hash               TEXT NOT NULL DEFAULT '',
    folder                  TEXT NOT NULL DEFAULT '',
    profile                 TEXT NOT NULL DEFAULT '',
    program_digest          TEXT NOT NULL DEFAULT '',
    user_override_by        TEXT,
    last_executed_ms        BIGINT,
    timeout_count           BIGINT NOT NULL DEFAULT 0,
    signal_count            BIGINT NOT NULL DEFAULT 0,
    earned_runs             BIGINT NOT NULL DEFAULT 0,
    earned_successes        BIGINT NOT NULL DEFAULT 0,
    held_back               TEXT
);
CREATE TABLE IF NOT EXISTS schema_metadata (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
INSERT INTO schema_metadata (key, value) VALUES ('version', '1.0.0') ON CONFLICT (key) DO NOTHING;

CREATE INDEX IF NOT EXISTS registry_words_said ON commands_registry (argv_hash) WHERE user_override IS NOT NULL;
CREATE INDEX IF NOT EXISTS registry_policy ON commands_registry (current_policy);
CREATE INDEX IF NOT EXISTS registry_risk ON commands_registry (risk_score);
CREATE INDEX IF NOT EXISTS registry_runs ON commands_registry (execution_count DESC);
CREATE INDEX IF NOT EXISTS registry_last ON commands_registry (last_executed DESC);
CREATE INDEX IF NOT EXISTS registry_said ON commands_registry (user_override) WHERE user_override IS NOT NULL;
CREATE INDEX IF NOT EXISTS registry_updated ON commands_registry (updated_at DESC);

CREATE OR REPLACE VIEW command_stats AS
SELECT command_hash, command_text, folder, execution_count, success_count, failure_count,
       CASE WHEN execution_count > 0 THEN ROUND(100.0 * success_count / execution_count, 2) END AS success_rate_pct,
       avg_duration_ms, min_duration_ms, max_duration_ms,
       CASE WHEN execution_count > 1 THEN 1.0 * (last_executed - first_seen) / (execution_count - 1) END
           AS avg_interval_seconds,
       current_policy, user_override, risk_score, tags, first_seen, last_executed
FROM commands_registry;

CREATE OR REPLACE VIEW high_risk_commands AS
SELECT command_hash, command_text, folder, risk_score, tags, execution_count, current_policy, user_override,
       last_executed
FROM commands_registry
WHERE risk_score >= 0.7
ORDER BY risk_score DESC;

CREATE OR REPLACE VIEW promotion_candidates AS
SELECT command_hash, command_text, folder, execution_count, success_count,
       ROUND(100.0 * success_count / execution_count, 2) AS success_rate_pct, risk_score, last_executed, held_back
FROM commands_registry
WHERE current_policy = 'ask' AND execution_count >= 20 AND risk_score < 0.7
      AND 1.0 * success_count / execution_count >= 0.95
ORDER BY execution_count DESC;

CREATE TABLE IF NOT EXISTS force_tokens (
    token_hash   TEXT PRIMARY KEY,
    command_hash TEXT NOT NULL,
    issued_by    TEXT NOT NULL,
    issued_ms    BIGINT NOT NULL,
    expires_ms   BIGINT NOT NULL,
    spent_ms     BIGINT
);
CREATE INDEX IF NOT EXISTS force_tokens_expiry ON force_tokens (expires_ms);
