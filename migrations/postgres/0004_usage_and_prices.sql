-- The same as migrations/sqlite/0004_usage_and_prices.sql, in Postgres' types.

-- Whether streams are asked for usage at their end.
ALTER TABLE providers ADD COLUMN include_usage BOOLEAN NOT NULL DEFAULT FALSE;

-- Of a million tokens, in millionths of whatever currency; the first two together or neither.
ALTER TABLE models ADD COLUMN price_input BIGINT;
ALTER TABLE models ADD COLUMN price_output BIGINT;
ALTER TABLE models ADD COLUMN price_cached BIGINT;
