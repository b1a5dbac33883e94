-- The same as migrations/postgres/0003_requests.sql, in SQLite's types.

-- What records of requests repeat, each text once: names of routes, targets, instances, keys and paths.
-- They outlive what they name.
CREATE TABLE request_names (
    id   INTEGER NOT NULL PRIMARY KEY,
    kind INTEGER NOT NULL,
    -- Of a route or key; empty for all else.
    uid  TEXT    NOT NULL,
    name TEXT    NOT NULL,
    UNIQUE (kind, name, uid)
) STRICT;

-- One row a request, of what lists are filtered by; so narrow that a million are looked through in a
-- moment. Names by their id, 0 for none. Ids are in the order in which requests came in.
CREATE TABLE requests (
    id          BLOB    NOT NULL PRIMARY KEY,
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
) STRICT, WITHOUT ROWID;

-- The rest of it, packed: ranking, attempts and decision.
CREATE TABLE request_details (
    id     BLOB NOT NULL PRIMARY KEY,
    detail BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What requests came to, by hours since 1970.
CREATE TABLE usage_hours (
    hour      INTEGER NOT NULL,
    route     INTEGER NOT NULL,
    target    INTEGER NOT NULL,
    api_key   INTEGER NOT NULL,
    requests  INTEGER NOT NULL,
    errors    INTEGER NOT NULL,
    input     INTEGER NOT NULL,
    output    INTEGER NOT NULL,
    cached    INTEGER NOT NULL,
    reasoning INTEGER NOT NULL,
    uncounted INTEGER NOT NULL,
    -- In millionths.
    cost      INTEGER NOT NULL,
    PRIMARY KEY (hour, route, target, api_key)
) STRICT, WITHOUT ROWID;
