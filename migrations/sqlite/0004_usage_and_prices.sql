-- The same as migrations/postgres/0004_usage_and_prices.sql, in SQLite's types.

-- Whether streams are asked for usage at their end.
ALTER TABLE providers ADD COLUMN include_usage INTEGER NOT NULL DEFAULT 0;

-- Of a million tokens, in millionths of whatever currency; the first two together or neither.
ALTER TABLE models ADD COLUMN price_input INTEGER;
ALTER TABLE models ADD COLUMN price_output INTEGER;
ALTER TABLE models ADD COLUMN price_cached INTEGER;
