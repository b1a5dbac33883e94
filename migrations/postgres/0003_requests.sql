-- The same as migrations/sqlite/0003_requests.sql, in Postgres' types.

-- What records of requests repeat, each text once: names of routes, targets, instances, keys and paths.
-- They outlive what they name.
CREATE TABLE request_names (
    id   INTEGER NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind INTEGER NOT NULL,
    -- Of a route or key; empty for all else.
    uid  TEXT    NOT NULL,
    name TEXT    NOT NULL,
    UNIQUE (kind, name, uid)
);

-- One row a request, of what lists are filtered by; so narrow that a million are looked through in a
-- moment. Names by their id, 0 for none. Ids are in the order in which requests came in.
CREATE TABLE requests (
    id          UUID    NOT NULL PRIMARY KEY,
    route       INTEGER NOT NULL,
    target      INTEGER NOT NULL,
    api_key     INTEGER NOT NULL,
    path        INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    decided_by  INTEGER NOT NULL,
    flags       INTEGER NOT NULL,
    ttfb_ms     INTEGER,
    duration_ms INTEGER NOT NULL,
    input       INTEGER,
    output      INTEGER
);

-- The rest of it, packed: ranking, attempts and decision.
CREATE TABLE request_details (
    id     UUID  NOT NULL PRIMARY KEY,
    detail BYTEA NOT NULL
);

-- What requests came to, by hours since 1970.
CREATE TABLE usage_hours (
    hour      INTEGER NOT NULL,
    route     INTEGER NOT NULL,
    target    INTEGER NOT NULL,
    api_key   INTEGER NOT NULL,
    requests  BIGINT  NOT NULL,
    errors    BIGINT  NOT NULL,
    input     BIGINT  NOT NULL,
    output    BIGINT  NOT NULL,
    cached    BIGINT  NOT NULL,
    reasoning BIGINT  NOT NULL,
    uncounted BIGINT  NOT NULL,
    -- In millionths.
    cost      BIGINT  NOT NULL,
    PRIMARY KEY (hour, route, target, api_key)
);
