import Foundation
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonEmbedded

/// Every service by every credential by every setting: the verdicts are those of the page `Access.md`, which
/// gives the reasons.
@Suite(.limited) struct AccessTableTests {
  /// A setting of the backend, by the title of its table.
  enum Setting: String, CaseIterable, Sendable {
    case open = "Open"
    case closures = "Closures"
    case app = "App Check"
    case signIn = "Signing in for objects"

    func apply(to embedded: Embedded) {
      switch self {
      case .open: break
      case .closures:
        embedded.onDocumentAccess { access in Self.belongs(access.path, to: access.auth) }
        embedded.onObjectAccess { access in Self.belongs(access.path, to: access.auth) }
      case .app: embedded.settings.appCheckRequired = [.auth, .functions, .storage, .firestore]
      case .signIn: embedded.settings.objectsRequireSignIn = true
      }
    }

    private static func belongs(_ path: String, to user: RequestAuth?) -> Bool {
      guard let user else { return false }
      return path == "users/\(user.uid)" || path.hasPrefix("users/\(user.uid)/")
    }
  }

  private static let table = Result { try AccessTable() }

  @Test(arguments: Setting.allCases, Credential.allCases)
  func everyRequestHasItsVerdict(setting: Setting, credential: Credential) async throws {
    let table = try Self.table.get()
    for request in AccessRequest.all {
      let backend = Backend()
      let scene = try await AccessScene(backend)
      setting.apply(to: backend.embedded)
      let status = try await request.send(scene, credential)
      let expected = table.verdict(setting.rawValue, request.name, credential.column)
      #expect(status == expected, "\(setting.rawValue): \(request.name), \(credential.rawValue)")
      await backend.embedded.close()
    }
  }

  /// Every row of the page is a request of the test, and every verdict has a reason.
  @Test func thePageIsComplete() throws {
    let table = try Self.table.get()
    let requests = Set(AccessRequest.all.map(\.name))
    #expect(requests.count == AccessRequest.all.count)
    #expect(Set(table.rows.keys) == Set(Setting.allCases.map(\.rawValue)))
    #expect(table.rows["Open"].map { rows in Set(rows.keys) } == requests)
    for (setting, rows) in table.rows {
      for (name, row) in rows {
        #expect(requests.contains(name), "\(setting): \(name)")
        #expect(!row.reason.isEmpty, "\(setting): \(name)")
        #expect(Set(row.verdicts.keys) == Set(Credential.allCases.map(\.column)), "\(setting): \(name)")
        if setting != "Open" {
          #expect(row.verdicts != table.rows["Open"]?[name]?.verdicts, "\(setting): \(name) doesn't differ")
        }
      }
    }
  }
}

/// The tables of the page `Access.md`.
struct AccessTable: Sendable {
  struct Row: Sendable {
    let verdicts: [String: Int]
    let reason: String
  }

  /// The rows by their names, by the titles of the tables.
  private(set) var rows: [String: [String: Row]] = [:]

  init() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/TenonEmbedded.docc/Access.md")
    var title = ""
    var columns: [String] = []
    for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("#") {
        title = String(line.drop { $0 == "#" || $0 == " " })
        columns = []
      }
      guard line.hasPrefix("|"), !line.hasPrefix("| ---") else { continue }
      let cells = line.split(separator: "|").map { cell in
        String(cell).trimmingCharacters(in: .whitespaces).replacing("`", with: "")
      }
      guard cells.first != "Request" else {
        columns = cells
        continue
      }
      guard columns.count == cells.count, let name = cells.first, let reason = cells.last else { continue }
      let pairs = zip(columns, cells).dropFirst().dropLast()
      let verdicts = pairs.reduce(into: [:]) { $0[$1.0] = Int($1.1) }
      #expect(rows[title]?[name] == nil, "\(title): \(name) occurs twice")
      rows[title, default: [:]][name] = Row(verdicts: verdicts, reason: reason)
    }
  }

  /// The verdict of a cell. A row that a setting doesn't change is only in the first table.
  func verdict(_ setting: String, _ request: String, _ credential: String) -> Int? {
    (rows[setting]?[request] ?? rows["Open"]?[request])?.verdicts[credential]
  }
}
