import TenonFoundation
import TenonJSON

/// What the server uses of `firebase.json`: ports, rules, and whether there are several projects.
struct FirebaseConfiguration {
  /// The ports of the emulators; `nil` if the file names none.
  let ports: [Emulator: UInt16]?
  /// Whether clients use several projects: `emulators.singleProjectMode` is `false`.
  let hasSeveralProjects: Bool
  /// Messages about what the file asks for and the server doesn't support.
  let notes: [String]
  let file: ConfigurationFile

  /// - Throws: ``ConfigurationProblem``.
  init(_ file: ConfigurationFile) throws(ConfigurationProblem) {
    self.file = file
    var notes: [String] = []
    ports = try Self.ports(file, &notes)
    hasSeveralProjects = try Self.hasSeveralProjects(file)
    if file.content["functions"] != nil {
      notes.append(
        "\(file.path): The source code of functions isn't run; the server has functions of its own for trials."
      )
    }
    self.notes = notes
    // Queries need no indexes.
    for product in ["firestore", "storage"] { try check(product) }
  }

  // MARK: - Ports

  private static func ports(
    _ file: ConfigurationFile, _ notes: inout [String]
  ) throws(ConfigurationProblem) -> [Emulator: UInt16]? {
    guard let value = file.content["emulators"], value != .null else { return nil }
    guard let members = value.object else {
      throw file.problem("emulators", #"isn't an object. Write {"firestore": {"port": 8080}}."#)
    }
    var ports: [Emulator: UInt16] = [:]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      if let emulator = Emulator(rawValue: name) {
        ports[emulator] = try port(of: emulator, value, file)
      } else if name != "singleProjectMode", value["enabled"] != false {
        notes.append("\(file.path): emulators.\(name) isn't served.")
      }
    }
    guard !ports.isEmpty else { return nil }
    if ports[.hub] == nil { ports[.hub] = Emulator.hub.defaultPort }
    return ports
  }

  private static func hasSeveralProjects(_ file: ConfigurationFile) throws(ConfigurationProblem) -> Bool {
    switch file.content["emulators"]?["singleProjectMode"] {
    case nil, .null, .bool(true): return false
    case .bool(false): return true
    default: throw file.problem("emulators.singleProjectMode", "isn't a boolean. Write true or false.")
    }
  }

  private static func port(
    of emulator: Emulator, _ value: JSON, _ file: ConfigurationFile
  ) throws(ConfigurationProblem) -> UInt16 {
    let member = "emulators.\(emulator.rawValue)"
    guard value.object != nil else {
      throw file.problem(member, #"isn't an object. Write {"port": \#(emulator.defaultPort)}."#)
    }
    let host = try file.text(value["host"], "\(member).host", "127.0.0.1, or remove the member")
    guard ["127.0.0.1", "localhost", nil].contains(host) else {
      throw file.problem(
        "\(member).host",
        "is \(host ?? ""), but the server gives every client full access, so it listens on 127.0.0.1 only. Remove the member."
      )
    }
    switch value["port"] {
    case nil, .null: return emulator.defaultPort
    case .int(let number):
      if let port = UInt16(exactly: number) { return port }
      fallthrough
    default:
      throw file.problem(
        "\(member).port", "isn't a port. Write a number from 0 to 65535; 0 selects a free one.")
    }
  }

  // MARK: - Rules

  /// Returns the path of the rules of documents; `nil` if the file names none.
  ///
  /// - Throws: ``ConfigurationProblem``.
  func documentRules() throws(ConfigurationProblem) -> String? {
    try rules(of: "firestore", "databases", option: "--rules")
  }

  /// Returns the path of the rules of objects; `nil` if the file names none.
  ///
  /// - Throws: ``ConfigurationProblem``.
  func objectRules() throws(ConfigurationProblem) -> String? {
    try rules(of: "storage", "buckets", option: "--storage-rules")
  }

  /// Returns the objects of a product, of which there may be one or an array, with how they are reached.
  private func parts(of product: String) throws(ConfigurationProblem) -> [(member: String, value: JSON)] {
    guard let value = file.content[product], value != .null else { return [] }
    let parts =
      value.array.map { $0.enumerated().map { ("\(product)[\($0)]", $1) } } ?? [(product, value)]
    for (member, value) in parts where value.object == nil {
      throw file.problem(member, #"isn't an object. Write {"rules": "\#(product).rules"}."#)
    }
    return parts
  }

  /// - Throws: ``ConfigurationProblem`` if a member of a product has the wrong type.
  private func check(_ product: String) throws(ConfigurationProblem) {
    for (member, value) in try parts(of: product) {
      _ = try file.text(value["rules"], "\(member).rules", "the name of a file")
      _ = try file.text(value["indexes"], "\(member).indexes", "the name of a file")
    }
  }

  private func rules(
    of product: String, _ scopes: String, option: String
  ) throws(ConfigurationProblem) -> String? {
    let parts = try parts(of: product)
    let names = Set(parts.map { $0.value["rules"]?.string })
    guard names.count <= 1 else {
      throw file.problem(
        product,
        "has different rules for several \(scopes), but the server has one file of rules for all of them. Name it with \(option)."
      )
    }
    guard let part = parts.first, let name = names.first ?? nil else { return nil }
    let path = URL(filePath: name, relativeTo: file.folder).absoluteURL.path
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw file.problem(
        "\(part.member).rules", "names \(path), which can't be read. Create it, or remove the member.")
    }
    return path
  }
}

extension ConfigurationFile {
  /// The folder to which the paths in the file refer.
  var folder: URL { URL(filePath: path).absoluteURL.deletingLastPathComponent() }
}
