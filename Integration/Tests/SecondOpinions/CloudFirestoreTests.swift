import Foundation
import TenonCore
import TenonDocuments
import TenonStore
import TenonStoreSync
import TenonTestSupport
import TenonTransport
import Testing

/// Google's google-cloud-firestore, which uses gRPC, and Store with StoreSync on the documents of Google's
/// emulator. Values are compared exactly, by the bits of their numbers and the bytes of their texts.
@Suite(
  .limited, .deep, .secondOpinions, .firestoreEmulator)
struct CloudFirestoreTests {
  /// Runs a closure with a Store and the Python client in a new project.
  private func withBoth(_ body: (Store, Peer) async throws -> Void) async throws {
    let port = try #require(try await FirestoreEmulator.shared().origin.port)
    let project = "python-\(UUID().uuidString.lowercased())"
    let app = try App.configure(
      name: project,
      options: AppOptions(
        projectID: project, backend: .emulator(EmulatorHosts(firestore: "127.0.0.1:\(port)")), data: .memory),
      libraries: [StoreLibrary.self, StoreSyncLibrary.self])
    let peer = try await Peer(
      .firestore,
      environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:\(port)", "GOOGLE_CLOUD_PROJECT": project])
    try await closing(peer) { peer in try await body(try Store.store(app: app), peer) }
    await app.delete()
  }

  /// Returns the fields of a document as the Python client reads them.
  private func read(_ path: String, by python: Peer) async throws -> Fields {
    try PeerValues.fields(try await python.call("get", ["path": .string(path)])["fields"])
  }

  /// Writes a document or changes its fields with the Python client.
  private func write(_ call: String, _ path: String, _ fields: JSON, by python: Peer) async throws {
    try await python.call(call, ["path": .string(path), "fields": fields])
  }

  /// Expects fields to be identical, and names those that aren't.
  private func expect(
    _ found: Fields?, _ expected: Fields, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      found?.entries.map { Array($0.name.utf8) } == expected.entries.map { Array($0.name.utf8) },
      sourceLocation: sourceLocation)
    for (found, expected) in zip(found?.entries ?? [], expected.entries) {
      #expect(found.value == expected.value, "\(expected.name)", sourceLocation: sourceLocation)
    }
  }

  // MARK: - Values

  private static let year1: Int64 = -62_135_596_800
  private static let year9999: Int64 = 253_402_300_799

  /// A value of every type at every limit, except for -0.0.
  private var values: Fields {
    func time(_ seconds: Int64, _ nanoseconds: Int32 = 0) -> Value {
      .timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }
    let scalars: [(String, [Value])] = [
      ("null", [.null]), ("boolean", [true, false]),
      ("integer", [0, -1, .integer(.min), .integer(.max), .integer(1 << 53 + 1)]),
      (
        "double",
        [
          0.0, 1.0, .double(0.1 + 0.2), .double(.nan), .double(.infinity), .double(-.infinity),
          .double(.leastNonzeroMagnitude), .double(-.leastNormalMagnitude.nextDown),
          .double(.leastNormalMagnitude), .double(.greatestFiniteMagnitude), .double(.pi.nextUp),
          .double(9_007_199_254_740_994), 1e21, 1e-7,
        ]
      ),
      (
        "string",
        [
          "", "plain", "caf\u{E9}", "cafe\u{301}", "\u{1F600}\u{1F1E9}\u{1F1EA}", "\u{FF41}",
          "\u{0}\u{1}\t\n\r\u{7F}\u{2028}\u{FEFF}\u{FFFF}\u{10FFFF}", #""\/<>&'`"#, "nan", "Infinity",
        ]
      ),
      (
        "bytes",
        [.bytes(Data()), .bytes(Data([0])), .bytes(Data(0...255)), .bytes(Data([0xFB, 0xFF, 0xFE]))]
      ),
      (
        "timestamp",
        [
          time(0), time(0, 1_000), time(-1, 999_999_000), time(1_700_000_000, 123_456_000),
          time(1_700_000_000, 120_000_000), time(Self.year1), time(Self.year1, 1_000),
          time(Self.year9999, 999_999_000),
        ]
      ),
      (
        "geoPoint",
        [
          (0, 0), (90, 180), (-90, -180), (48.398_4, 9.991_55),
          (.leastNonzeroMagnitude, -.leastNonzeroMagnitude),
        ].map {
          .geoPoint(GeoPoint(latitude: $0, longitude: $1))
        }
      ),
      (
        "reference",
        [["a", "b"], ["a", "b", "c", "d"], ["\u{FC}n\u{ED}", "\u{1F600} % +?#"]].map {
          .reference(ResourcePath(segments: $0))
        }
      ),
      (
        "vector",
        [.vector([1]), .vector([0, -1.5, 0.1, 1e300]), .vector(Array(repeating: 0.25, count: 2_048))]
      ),
    ]
    var entries = scalars.flatMap { name, values in
      values.enumerated().map { Fields.Entry(name: "\(name)\($0)", value: $1) }
    }
    let all = entries.filter { !$0.name.hasPrefix("vector") }
    entries += [
      Fields.Entry(name: "emptyArray", value: .array([])),
      Fields.Entry(name: "emptyMap", value: .map(Fields())),
      Fields.Entry(name: "array", value: .array(all.map(\.value))),
      Fields.Entry(name: "map", value: .map(Fields(unsorted: all))),
      Fields.Entry(
        name: "nested", value: ["list": [["deep": [["deeper": [.null, [:], ["x": 1]]]]]], "none": []]),
      Fields.Entry(
        name: "names",
        value: .map(
          Fields(
            unsorted: ["a.b", "a b", "`", "\\", "0", "caf\u{E9}", "cafe\u{301}", "\u{1F600}", "\u{FF41}"].map
            {
              Fields.Entry(name: $0, value: .string($0))
            }))),
    ]
    return Fields(unsorted: entries)
  }

  @Test func pythonReadsEveryValueThatSwiftWrites() async throws {
    try await withBoth { store, python in
      let document = store.document("values/swift")
      try await document.setData(values).confirmed()
      expect(try await read("values/swift", by: python), values)
      let found = try await document.getDocument(source: .server)
      expect(found.fields, values)
      let answer = try await python.call("get", ["path": "values/swift"])
      #expect(found.updateTime == (try PeerValues.timestamp(answer["updateTime"])))
    }
  }

  @Test func swiftReadsEveryValueThatPythonWrites() async throws {
    try await withBoth { store, python in
      try await write("set", "values/python", PeerValues.json(values), by: python)
      expect(try await read("values/python", by: python), values)
      let document = store.document("values/python")
      expect(try await document.getDocument(source: .server).fields, values)
      // A listener receives the values in another form of messages. The document isn't known before, so the
      // first snapshot with it is the listener's.
      try await write("set", "values/other", PeerValues.json(values), by: python)
      for try await snapshot in store.document("values/other").snapshots where snapshot.exists {
        expect(snapshot.fields, values)
        break
      }
    }
  }

  @Test func swiftReadsTheNegativeZeroThatPythonWrites() async throws {
    try await withBoth { store, python in
      let fields: Fields = ["n": -0.0]
      try await write("set", "values/python", PeerValues.json(fields), by: python)
      expect(try await read("values/python", by: python), fields)
      expect(try await store.document("values/python").getDocument(source: .server).fields, fields)
      try await store.document("values/swift").setData(fields).confirmed()
      // The emulator stores -0.0 that it receives as JSON as 0.0.
      expect(try await read("values/swift", by: python), ["n": 0.0])
    }
  }

  @Test func documentsWithUnusualNamesAreTheSame() async throws {
    try await withBoth { store, python in
      let ids = ["caf\u{E9}", "cafe\u{301}", "\u{1F600}", "a b%2F+&=?#", "`", "..."]
      for (index, id) in ids.enumerated() {
        let path = "un\u{FC}sual/\(id)"
        if index % 2 == 0 {
          try await store.document(path).setData(["n": Value(index)]).confirmed()
          expect(try await read(path, by: python), ["n": Value(index)])
        } else {
          try await write("set", path, PeerValues.json(["n": Value(index)]), by: python)
          let found = try await store.document(path).getDocument(source: .server)
          expect(found.fields, ["n": Value(index)])
        }
      }
      let found = try await store.collection("un\u{FC}sual").getDocuments(source: .server)
      let listed = try await python.call("query", ["collection": "un\u{FC}sual"]).array ?? []
      #expect(
        found.documents.map { Array($0.documentID.utf8) } == listed.map { Array(($0.string ?? "").utf8) })
      #expect(found.count == ids.count)
    }
  }

  // MARK: - Transforms

  private let before: Fields = [
    "integer": 1, "double": 0.5, "mixed": 1, "largest": .integer(.max - 1), "list": [1, "a", 2.5, ["k": 1]],
    "shorter": [1, "a", 1, 2.5], "more": 5, "less": 5, "same": 5, "gone": true,
  ]

  /// The result of the transforms below, without the time.
  private let after: Fields = [
    "integer": 3, "double": 0.75, "mixed": 1.25, "largest": .integer(.max), "new": 7,
    "list": [1, "a", 2.5, ["k": 1], "b", .bytes(Data([1]))], "shorter": ["a"], "more": 5.5, "less": -1,
    "same": 5, "fresh": ["x"],
  ]

  /// Expects the document to have the result of the transforms, and returns the server's time in it.
  private func time(in fields: Fields?) throws -> Timestamp {
    let fields = try #require(fields)
    guard case .timestamp(let time)? = fields["at"] else {
      Issue.record("There is no time in \(fields).")
      return Timestamp(seconds: 0)
    }
    expect(Fields(unsorted: fields.entries.filter { $0.name != "at" }), after)
    return time
  }

  @Test func transformsOfBothClientsHaveTheSameResult() async throws {
    try await withBoth { store, python in
      let mine = store.document("transforms/swift")
      try await mine.setData(before).confirmed()
      try await mine.updateData([
        "integer": .increment(2), "double": .increment(0.25), "mixed": .increment(0.25),
        "largest": .increment(5), "new": .increment(7), "list": .arrayUnion(["a", "b", Data([1])]),
        "shorter": .arrayRemove([1, 2.5]), "more": .maximum(5.5), "less": .minimum(-1),
        "same": .maximum(4), "fresh": .arrayUnion(["x"]), "gone": .delete(), "at": .serverTimestamp(),
      ]).confirmed()
      // The result that Store computes must be the server's.
      let local = try await mine.getDocument(source: .cache)
      let python1 = try await python.call("get", ["path": "transforms/swift"])
      let swiftTime = try time(in: try PeerValues.fields(python1["fields"]))
      #expect(try time(in: local.fields) == swiftTime)
      #expect(try time(in: try await mine.getDocument(source: .server).fields) == swiftTime)

      try await write("set", "transforms/python", PeerValues.json(before), by: python)
      func number(_ value: Value) -> JSON { PeerValues.json(value: value) }
      let changes: [(String, JSON)] = [
        ("integer", ["increment": number(2)]), ("double", ["increment": number(0.25)]),
        ("mixed", ["increment": number(0.25)]), ("largest", ["increment": number(5)]),
        ("new", ["increment": number(7)]),
        ("list", ["arrayUnion": number(["a", "b", .bytes(Data([1]))])]),
        ("shorter", ["arrayRemove": number([1, 2.5])]), ("more", ["maximum": number(5.5)]),
        ("less", ["minimum": number(-1)]), ("same", ["maximum": number(4)]),
        ("fresh", ["arrayUnion": number(["x"])]), ("gone", ["deletion": .null]),
        ("at", ["serverTimestamp": .null]),
      ]
      let pairs = JSON.array(changes.map { [.string($0.0), $0.1] })
      try await write("update", "transforms/python", pairs, by: python)
      let pythonTime = try time(in: try await read("transforms/python", by: python))
      let found = try await store.document("transforms/python").getDocument(source: .server)
      #expect(try time(in: found.fields) == pythonTime)
      #expect(pythonTime.compare(swiftTime) > 0)
    }
  }

  // MARK: - Listening

  /// Returns a change as the Python client reports it.
  private func change(_ type: String, _ id: String, _ fields: Fields) -> JSON {
    .array([[.string(type), .string(id), PeerValues.json(fields)]])
  }

  @Test func pythonSeesWhatSwiftWrites() async throws {
    try await withBoth { store, python in
      let tea = store.document("notes/tea")
      let notes: JSON = ["collection": "notes"]
      try await tea.setData(["n": 1]).confirmed()
      try await python.call("watch", notes)
      #expect(try await python.call("next_changes", notes) == change("ADDED", "tea", ["n": 1]))
      try await tea.updateData(["n": .increment(1), "s": "caf\u{E9}"]).confirmed()
      #expect(
        try await python.call("next_changes", notes)
          == change("MODIFIED", "tea", ["n": 2, "s": "caf\u{E9}"]))
      try await store.document("notes/all").setData(values).confirmed()
      let added = try await python.call("next_changes", notes).array ?? []
      #expect(added.count == 1 && added.first?.array?.first == "ADDED")
      expect(try PeerValues.fields(added.first?.array?.last), values)
      try await tea.delete().confirmed()
      #expect(
        try await python.call("next_changes", notes)
          == change("REMOVED", "tea", ["n": 2, "s": "caf\u{E9}"]))
      try await python.call("stop", notes)
    }
  }

  @Test func swiftSeesWhatPythonWrites() async throws {
    try await withBoth { store, python in
      let write = { @Sendable (call: String, fields: JSON) in
        _ = try await python.call(call, ["path": "notes/tea", "fields": fields])
      }
      let steps: [(write: @Sendable () async throws -> Void, type: DocumentChangeType, fields: Fields)] = [
        ({ [values] in try await write("set", PeerValues.json(values)) }, .added, values),
        ({ try await write("set", PeerValues.json(["n": 1])) }, .modified, ["n": 1]),
        ({ try await write("update", [["n", ["increment": ["integer": "1"]]]]) }, .modified, ["n": 2]),
        ({ try await python.call("delete", ["path": "notes/tea"]) }, .removed, ["n": 2]),
      ]
      // The first result has another document. Each of the later ones is the effect of one step.
      try await python.call("set", ["path": "notes/first", "fields": PeerValues.json(Fields())])
      var step = 0
      for try await snapshot in store.collection("notes").snapshots
      where !snapshot.metadata.isFromCache && !snapshot.isEmpty {
        if step > 0 {
          let changes = snapshot.documentChanges
          guard !changes.isEmpty else { continue }
          #expect(changes.map(\.type) == [steps[step - 1].type])
          #expect(changes.map(\.document.documentID) == ["tea"])
          expect(changes.first?.document.fields, steps[step - 1].fields)
        }
        guard step < steps.count else { break }
        try await steps[step].write()
        step += 1
      }
      #expect(step == steps.count)
    }
  }
}
