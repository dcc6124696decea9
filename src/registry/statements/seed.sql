-- The table of feature B1, column by column.
CREATE TABLE IF NOT EXISTS commands_registry (
    command_hash            TEXT PRIMARY KEY,
    command_text            TEXT NOT NULL,
    first_seen              INTEGER NOT NULL,
    last_executed           INTEGER,
    execution_count         INTEGER NOT NULL DEFAULT 0,
    success_count           INTEGER NOT NULL DEFAULT 0,
    failure_count           INTEGER NOT NULL DEFAULT 0,
    avg_duration_ms         REAL NOT NULL DEFAULT 0,
    min_duration_ms         INTEGER,
    max_duration_ms         INTEGER,
    total_duration_ms       INTEGER NOT NULL DEFAULT 0,
    current_policy          TEXT NOT NULL DEFAULT 'ask'
                            CHECK (current_policy IN ('auto_approve', 'ask', 'ask_warning')),
    policy_reason           TEXT,
    policy_last_updated     INTEGER,
    promoted_at             INTEGER,
    user_override           TEXT
                            CHECK (user_override IS NULL OR user_override IN ('always_allow', 'always_ask', 'never')),
    user_override_reason    TEXT,
    user_override_at        INTEGER,
    duplicate_threshold_ms  INTEGER NOT NULL DEFAULT 10000,
    duplicate_check_enabled INTEGER NOT NULL DEFAULT 1,
    tags                    TEXT NOT NULL DEFAULT '[]',
    risk_score              REAL NOT NULL DEFAULT 0.5 CHECK (risk_score BETWEEN 0.0 AND 1.0),
    last_100_timestamps     TEXT,
    typical_exit_codes      TEXT NOT NULL DEFAULT '{}',
    common_errors           TEXT NOT NULL DEFAULT '[]',
    created_at              INTEGER NOT NULL,
    updated_at              INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS schema_metadata (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
INSERT INTO schema_metadata (key, value) VALUES ('version', '1.0.0') ON CONFLICT (key) DO NOTHING;
