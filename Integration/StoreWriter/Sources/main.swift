// Works on a database that other processes may have open too, and prints what has been acknowledged. The
// tests kill it, limit its resources and compare the results. The last folder of the path names the app.
//
//   store-writer write DIRECTORY RUN SEED    writes without end; prints a line before and after each write
//   store-writer count DIRECTORY TIMES       increments two counters, with increments and with transactions
//   store-writer fill DIRECTORY [BYTES]      writes until a write is rejected, then frees space and writes
//   again
//   store-writer cram DIRECTORY [remote]     writes until the disk is full, fills what is left of it, deletes
//                                            two documents, and ends without closing the database
//   store-writer clear DIRECTORY [remote]    fills the disk again, deletes the collection, and writes
//   store-writer make DIRECTORY [open]       writes three documents, and closes the database or doesn't
//   store-writer look DIRECTORY [remote]     reads a database that can't be written, and tries to write to it
//   store-writer list DIRECTORY              prints every document
//   store-writer rotate DIRECTORY            replaces the key without end; prints a line after each time
//   store-writer drop-fill DIRECTORY COUNT   fills a large collection
//   store-writer drop DIRECTORY RUN          drops it, and writes without end while its rows are deleted
//   store-writer drop-inspect DIRECTORY      prints what the indexes find once they are deleted
//   store-writer watch DIRECTORY             prints what a listener sees, until it sees the document `end`
//   store-writer send DIRECTORY RUN TIMES JOURNAL
//                                            writes to a remote that several processes share; see
//                                            JournalRemote
//   store-writer transact HOST:PORT PROJECT TIMES
//                                            increments a counter of Google's emulator with transactions,
//                                            once its input ends
//
// With TENON_STORE_ENCRYPTION=1 in the environment, the database is encrypted.
import Foundation
import TenonCore
import TenonStore

/// Writes a line immediately, so that it isn't lost when the process is killed.
func say(_ line: String) throws { try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8)) }

/// The encryption that the environment demands.
func environmentEncryption() -> StoreSettings.Encryption? {
  let isOn = ProcessInfo.processInfo.environment["TENON_STORE_ENCRYPTION"] == "1"
  return isOn ? .key { try EncryptionKey(100..<132) } : nil
}

func openStore(
  _ path: String, hasRemote: Bool, seed: UInt64 = 0, indexes: [CompositeIndex] = [],
  encryption: StoreSettings.Encryption? = environmentEncryption()
) throws -> Store {
  let directory = URL(filePath: path)
  let app = try App.configure(
    name: directory.lastPathComponent,
    options: AppOptions(
      projectID: "demo-writer", data: .directory(directory.deletingLastPathComponent().path)),
    libraries: [StoreLibrary.self, JournalLibrary.self])
  // A file is written with all choices of indexing in turn.
  let overrides = [
    FieldOverride("kept", "rank"), FieldOverride("kept", "tags", .elements),
    FieldOverride("accounts", "amount"),
  ]
  return try Store.store(
    app: app,
    settings: StoreSettings(
      indexes: indexes, fieldIndexing: FieldIndexing.allCases[Int(clamping: seed % 3)],
      fieldOverrides: overrides,
      textIndexes: [TextIndex("kept", "tags", "group")], isLocalOnly: !hasRemote,
      encryption: encryption))
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else {
  let usage = "store-writer: see the beginning of its main.swift\n"
  try FileHandle.standardError.write(contentsOf: Data(usage.utf8))
  exit(2)
}
do {
  if arguments[0] == "transact", arguments.count == 4 {
    try await transact(Int(arguments[3]) ?? 0, project: arguments[2], on: arguments[1])
    exit(0)
  }
  if arguments[0] == "rotate" { try await rotate(arguments[1]) }
  let seed = arguments[0] == "write" ? arguments.last.flatMap { UInt64($0) } : nil
  let store = try openStore(
    arguments[1], hasRemote: arguments[0] == "send" || arguments.last == "remote", seed: seed ?? 0,
    indexes: arguments[0].hasPrefix("drop") ? Dropping.indexes : [])
  switch (arguments[0], arguments.dropFirst(2).map { $0 }) {
  case ("write", let rest) where rest.count == 2:
    var writer = RandomWriter(store: store, run: rest[0], seed: UInt64(rest[1]) ?? 0)
    try say("ready")
    while true { try await writer.write() }
  case ("count", let rest) where rest.count == 1:
    try await count(Int(rest[0]) ?? 0, in: store)
  case ("fill", let rest):
    try await Filling(store: store, limit: rest.first.flatMap { UInt64($0) }).run()
  case ("cram", _):
    try await Cramming(store: store).cram()
  case ("clear", _):
    try await Cramming(store: store).clear()
  case ("make", let rest):
    for number in 1...3 { try await store.document("kept/\(number)").setData(["n": number]) }
    if rest.isEmpty { await store.terminate() }
  case ("look", _):
    try await look(at: store)
  case ("list", _):
    for line in try await listing(of: store) { try say(line) }
  case ("drop-fill", let rest) where rest.count == 1:
    try await Dropping(store: store).fill(Int(rest[0]) ?? 0)
  case ("drop", let rest) where rest.count == 1:
    try await Dropping(store: store).run(rest[0])
  case ("drop-inspect", _):
    try await Dropping(store: store).inspect()
  case ("watch", _):
    try await watch(store)
  case ("send", let rest) where rest.count == 3:
    try await send(Int(rest[1]) ?? 0, as: rest[0], in: store)
  default:
    exit(2)
  }
} catch {
  try FileHandle.standardError.write(contentsOf: Data("store-writer: \(error)\n".utf8))
  exit(1)
}
