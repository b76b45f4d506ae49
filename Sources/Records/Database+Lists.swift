internal import Screening

/// Contacts, the block list and what was switched by hand.
extension Database {
    func contacts() throws(DatabaseError) -> [Contact] {
        let rows = try prepare(
            "SELECT name, handles, ringTone, autoAnswer, throughDoNotDisturb FROM contact ORDER BY name LIMIT ?1")
        try rows.bind([.integer(PhoneBook.maximumCount)])
        var contacts: [Contact] = []
        while try rows.step() {
            guard let name = rows.text(0), let handles = rows.text(1) else { continue }
            contacts.append(
                Contact(
                    name: name, handles: handles.split(separator: "\n").map(String.init), ringTone: rows.text(2) ?? "",
                    autoAnswer: rows.flag(3), throughDoNotDisturb: rows.flag(4)))
        }
        return contacts
    }

    /// Adds a contact, or takes the place of the one with that name. A handle has no line feed.
    func put(_ contact: Contact) throws(DatabaseError) {
        try run(
            """
            INSERT OR REPLACE INTO contact (name, handles, ringTone, autoAnswer, throughDoNotDisturb) \
            VALUES (?1, ?2, ?3, ?4, ?5)
            """,
            [
                .text(contact.name), .text(contact.handles.joined(separator: "\n")), .text(contact.ringTone),
                Value(contact.autoAnswer), Value(contact.throughDoNotDisturb),
            ])
    }

    func removeContact(_ name: String) throws(DatabaseError) {
        try run("DELETE FROM contact WHERE name = ?1", [.text(name)])
    }

    func blocked() throws(DatabaseError) -> [String] {
        let rows = try prepare("SELECT entry FROM blocked ORDER BY entry")
        var entries: [String] = []
        while try rows.step() {
            if let entry = rows.text(0) { entries.append(entry) }
        }
        return entries
    }

    func block(_ entry: String) throws(DatabaseError) {
        try run("INSERT OR IGNORE INTO blocked (entry) VALUES (?1)", [.text(entry)])
    }

    func unblock(_ entry: String) throws(DatabaseError) {
        try run("DELETE FROM blocked WHERE entry = ?1", [.text(entry)])
    }

    /// A do-not-disturb with what was switched by hand, and no schedule.
    func doNotDisturb() throws(DatabaseError) -> DoNotDisturb {
        let off = try integer("SELECT value FROM state WHERE name = 'doNotDisturbOffSince'")
        let on = try integer("SELECT value FROM state WHERE name = 'doNotDisturb'")
        return DoNotDisturb(isOn: on == 1, offSince: off)
    }

    func put(_ doNotDisturb: DoNotDisturb) throws(DatabaseError) {
        try transaction { database throws(DatabaseError) in
            try database.execute("DELETE FROM state WHERE name IN ('doNotDisturb', 'doNotDisturbOffSince')")
            let insert = "INSERT INTO state (name, value) VALUES (?1, ?2)"
            if doNotDisturb.isOn { try database.run(insert, [.text("doNotDisturb"), .integer(1)]) }
            if let off = doNotDisturb.offSince {
                try database.run(insert, [.text("doNotDisturbOffSince"), .integer(off)])
            }
        }
    }

    func isRingerSilent() throws(DatabaseError) -> Bool {
        try integer("SELECT value FROM state WHERE name = 'ringerSilent'") == 1
    }

    func put(isRingerSilent: Bool) throws(DatabaseError) {
        let insert = "INSERT OR REPLACE INTO state (name, value) VALUES (?1, ?2)"
        try run(insert, [.text("ringerSilent"), Value(isRingerSilent)])
    }
}
