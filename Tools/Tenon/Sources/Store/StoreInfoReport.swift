import Foundation
import TenonFoundation
import TenonStoreEngine
import TenonStoreInspection
import TenonValues

/// The output of `tenon store info`.
struct StoreInfoReport: Encodable {
  struct Collection: Encodable {
    let path: String
    let documents: Int
    let documentBytes: Int
    let indexBytes: Int
  }
  struct Index: Encodable {
    let kind: String
    let name: String
    let isComplete: Bool
    /// The numbers of documents that were indexed, and that there were when the index was registered.
    let indexed: Int64
    let total: Int64
  }
  struct Queue: Encodable {
    let user: String?
    let pending: Int64
    let oldest: String?
    let rejected: Int64
  }

  let file: String
  let format: Int
  let hasChecksums: Bool
  let fileBytes: Int64
  let logBytes: Int64
  /// `local`, `shared` or `awaits-remote`.
  let sharing: String
  let user: String?
  /// The processes that have it open; `nil` if the system doesn't tell.
  let processes: [OpenProcess]?
  let collections: [Collection]
  let indexes: [Index]
  let queues: [Queue]
  let pins: [String]
  let localCollections: [String]

  init(_ summary: StoreSummary, path: String) {
    file = path
    (format, hasChecksums) = (summary.version, summary.hasChecksums)
    (fileBytes, logBytes) = (summary.fileBytes, summary.logBytes)
    sharing =
      switch summary.sharing {
      case .localOnly: "local"
      case .remote: "shared"
      case .awaitsRemote: "awaits-remote"
      }
    user = summary.user
    processes = OpenProcesses.using(path)
    collections = summary.collections.map {
      Collection(
        path: $0.path, documents: $0.documents, documentBytes: $0.documentBytes, indexBytes: $0.indexBytes)
    }
    indexes = Self.indexes(summary)
    queues = summary.queues.map {
      Queue(user: $0.user, pending: $0.pending, oldest: $0.oldest?.description, rejected: $0.rejected)
    }
    (pins, localCollections) = (summary.pins, summary.localCollections)
  }

  private static func indexes(_ summary: StoreSummary) -> [Index] {
    var indexes: [Index] = []
    if summary.indexesEveryField {
      indexes.append(Index(kind: "field", name: "every field", isComplete: true, indexed: 0, total: 0))
    } else if let progress = summary.everyFieldProgress {
      indexes.append(Index("field", "every field", isComplete: false, progress))
    }
    indexes += summary.fieldIndexes.map {
      Index("field", $0.index.name, isComplete: $0.isComplete, $0.progress)
    }
    indexes += summary.indexes.map {
      Index("composite", $0.index.name, isComplete: $0.isComplete, $0.progress)
    }
    indexes += summary.textIndexes.map {
      let fields = $0.index.fields.map(\.description).joined(separator: ", ")
      let name = "\($0.index.collectionID)(\($0.index.tokenizer.rawValue) of \(fields))"
      return Index("text", name, isComplete: $0.isComplete, $0.progress)
    }
    return indexes
  }

  /// The report as text for a terminal.
  var text: String {
    var lines = [file]
    let sharing =
      switch self.sharing {
      case "local": "only on this device"
      case "shared": "shared with a remote"
      default: "waiting for a remote, which no program has linked so far"
      }
    lines += [
      Self.line("format", "\(format), \(hasChecksums ? "with" : "without") checksums"),
      Self.line("file", "\(StoreText.bytes(fileBytes)), log \(StoreText.bytes(logBytes))"),
      Self.line("documents", sharing),
    ]
    // A database that is only on this device has no users.
    if self.sharing != "local" { lines.append(Self.line("user", user ?? "signed out")) }
    lines.append(Self.line("open in", openIn))
    lines += section(
      "COLLECTIONS",
      [["path", "documents", "bytes", "index bytes"]]
        + collections.map {
          [
            $0.path, StoreText.number($0.documents), StoreText.bytes($0.documentBytes),
            StoreText.bytes($0.indexBytes),
          ]
        }, isEmpty: collections.isEmpty)
    lines += section(
      "INDEXES", indexes.map { [$0.kind + " " + $0.name, $0.state] }, isEmpty: indexes.isEmpty)
    lines += section(
      "QUEUES",
      queues.map { queue in
        [
          StoreText.user(queue.user), "\(StoreText.count(queue.pending, "batch", "batches")) pending",
          queue.oldest.map { "since \($0)" } ?? "", "\(StoreText.number(queue.rejected)) rejected",
        ]
      }, isEmpty: queues.isEmpty)
    lines += section("PINS", pins.map { [$0] }, isEmpty: pins.isEmpty)
    lines += section(
      "COLLECTIONS ON THIS DEVICE ONLY", localCollections.map { [$0] }, isEmpty: localCollections.isEmpty)
    return lines.joined(separator: "\n")
  }

  private static func line(_ name: String, _ text: String) -> String {
    "  \(name)\(String(repeating: " ", count: max(1, 12 - name.count)))\(text)"
  }

  private var openIn: String {
    guard let processes else { return "not known on this system" }
    guard !processes.isEmpty else { return "no process that this user can see" }
    return processes.map { "\($0.name) (\($0.pid)\($0.sends ? ", which sends writes" : ""))" }
      .joined(separator: ", ")
  }

  /// Returns the lines of a section; none if it is empty.
  private func section(_ title: String, _ rows: [[String]], isEmpty: Bool) -> [String] {
    isEmpty ? [] : ["", title] + StoreText.table(rows).map { "  " + $0 }
  }
}

extension StoreInfoReport.Index {
  init(_ kind: String, _ name: String, isComplete: Bool, _ progress: OperationProgress) {
    self.init(
      kind: kind, name: name, isComplete: isComplete, indexed: progress.completedUnitCount,
      total: progress.totalUnitCount ?? 0)
  }

  /// Whether queries use the index.
  fileprivate var state: String {
    isComplete
      ? "complete" : "being built: \(StoreText.number(indexed)) of \(StoreText.count(total, "document"))"
  }
}
