-- The totals, in the order of their type.
SELECT COUNT(*),
       CAST(COALESCE(SUM(execution_count), 0) AS BIGINT),
       CAST(COALESCE(SUM(success_count), 0) AS BIGINT),
       COUNT(CASE WHEN current_policy = 'auto_approve' THEN 1 END),
       COUNT(CASE WHEN current_policy = 'ask' THEN 1 END),
       COUNT(CASE WHEN current_policy = 'ask_warning' THEN 1 END),
       COUNT(CASE WHEN user_override = 'always_allow' THEN 1 END),
       COUNT(CASE WHEN user_override = 'always_ask' THEN 1 END),
       COUNT(CASE WHEN user_override = 'never' THEN 1 END),
       COUNT(CASE WHEN risk_score >= 0.7 THEN 1 END)
FROM commands_registry
