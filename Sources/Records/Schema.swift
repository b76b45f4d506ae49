/// The tables, and how those of earlier versions become them.
enum Schema {
    /// Identifies the file as ours (`PRAGMA application_id`): "hset".
    static let applicationID = 0x6873_6574

    /// Step n takes a database of version n to version n + 1. What has been released is never changed, only added to.
    static let steps = [
        """
        CREATE TABLE call (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            direction TEXT NOT NULL,
            handleType TEXT NOT NULL,
            handle TEXT NOT NULL,
            displayName TEXT,
            account TEXT,
            codec TEXT,
            security TEXT,
            started REAL,
            connected REAL,
            ended REAL,
            endReason TEXT,
            endStatus INTEGER,
            endText TEXT,
            missed INTEGER NOT NULL DEFAULT 0,
            seen INTEGER NOT NULL DEFAULT 0,
            packetsSent INTEGER,
            packetsReceived INTEGER,
            lost INTEGER,
            late INTEGER,
            concealedMs REAL,
            jitterMs REAL,
            roundTripMs REAL
        ) STRICT;
        CREATE INDEX callsNotSeen ON call (number) WHERE missed = 1 AND seen = 0;
        CREATE INDEX callsOpen ON call (number) WHERE endReason IS NULL;
        CREATE TABLE contact (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            handles TEXT NOT NULL,
            ringTone TEXT NOT NULL,
            autoAnswer INTEGER NOT NULL,
            throughDoNotDisturb INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE blocked (entry TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        """,
        // When the daemon was last known to run, of a call that goes on.
        """
        ALTER TABLE call ADD COLUMN alive REAL;
        """,
        "ALTER TABLE call ADD COLUMN mos REAL",
        "ALTER TABLE call ADD COLUMN recording TEXT",
    ]

    /// Brings the tables to the present version, as a whole or not at all. A file of a later version, or of another
    /// program, is left as it is: throws `newer` or `damaged`.
    static func migrate(_ database: borrowing Database) throws(DatabaseError) {
        let version = try database.integer("PRAGMA user_version") ?? 0
        let application = try database.integer("PRAGMA application_id") ?? 0
        guard version <= steps.count else {
            let message =
                "a later version of handsetd has written it (schema \(version), this one knows \(steps.count))"
            throw DatabaseError(.newer(version: version), operation: "migrate", message: message)
        }
        if application != applicationID {
            let tables = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            guard version == 0, tables == 0 else {
                throw DatabaseError(.damaged, operation: "migrate", message: "it is a database of another program")
            }
        }
        guard version < steps.count else { return }
        try database.transaction { database throws(DatabaseError) in
            for step in steps[version...] { try database.execute(step) }
            try database.execute("PRAGMA application_id = \(applicationID)")
            try database.execute("PRAGMA user_version = \(steps.count)")
        }
    }
}
