import TenonTransport

/// The members of a resource that the parameter `fields` selects, for example
/// `items(id,metadata/k),nextPageToken` (https://cloud.google.com/storage/docs/json_api#partial-response).
///
/// A selection of a member of an array applies to its elements, and an asterisk selects all members. A name
/// that a resource doesn't have selects nothing.
struct FieldSelection: Sendable, Hashable {
  /// Whether everything is selected.
  private(set) var isWhole = false
  /// The selections in members, by their names.
  private(set) var members: [String: FieldSelection] = [:]

  /// The greatest length of a selection, in bytes.
  private static let longest = 8_192
  /// The greatest depth.
  private static let deepest = 16

  private init() {}

  /// Parses a selection.
  ///
  /// - Throws: ``Refusal`` with status 400 if it is malformed, too long or too deep.
  init(_ text: String) throws {
    let invalid = Refusal(400, "Invalid field selection \(text.prefix(100))", reason: "invalidParameter")
    guard text.utf8.count <= Self.longest else { throw invalid }
    var rest = Substring(text)
    guard let list = Self.list(&rest, depth: 0), rest.isEmpty else { throw invalid }
    self = list
  }

  /// Takes selections that are separated by commas.
  ///
  /// - Returns: `nil` if there is none, or one is malformed.
  private static func list(_ rest: inout Substring, depth: Int) -> FieldSelection? {
    guard depth < deepest else { return nil }
    var selection = FieldSelection()
    while true {
      guard let path = path(&rest, depth: depth) else { return nil }
      selection.add(path)
      guard rest.first == "," else { return selection }
      rest.removeFirst()
    }
  }

  /// Takes a path, behind which there may be selections in parentheses.
  private static func path(_ rest: inout Substring, depth: Int) -> FieldSelection? {
    var names: [String] = []
    while true {
      let name = rest.prefix { !"(),/".contains($0) }.trimmingSpaces
      rest = rest.drop { !"(),/".contains($0) }
      guard !name.isEmpty, depth + names.count < deepest else { return nil }
      names.append(name)
      guard rest.first == "/" else { break }
      rest.removeFirst()
    }
    var selection = FieldSelection()
    selection.isWhole = true
    if rest.first == "(" {
      rest.removeFirst()
      guard let inner = list(&rest, depth: depth + names.count), rest.first == ")" else { return nil }
      rest.removeFirst()
      rest = rest.drop { $0 == " " }
      selection = inner
    }
    for name in names.reversed() {
      var outer = FieldSelection()
      outer.members[name] = selection
      selection = outer
    }
    return selection
  }

  /// Adds what another selection selects.
  private mutating func add(_ other: FieldSelection) {
    isWhole = isWhole || other.isWhole
    for (name, selection) in other.members { members[name, default: FieldSelection()].add(selection) }
  }

  /// Returns the part of a value that is selected.
  func selected(from value: JSON) -> JSON {
    guard !isWhole else { return value }
    switch value {
    case .array(let elements): return .array(elements.map(selected))
    case .object(let object):
      return .object(
        object.reduce(into: [:]) { result, member in
          guard let selection = selection(of: member.key) else { return }
          let value = selection.selected(from: member.value)
          // What has no members can't have the selected ones.
          if selection.isWhole || value.object?.isEmpty == false || value.array != nil {
            result[member.key] = value
          }
        })
    default: return value
    }
  }

  /// Returns the selection in a member, which its name or an asterisk selects; `nil` if it isn't selected.
  private func selection(of name: String) -> FieldSelection? {
    guard let any = members["*"] else { return members[name] }
    guard var selection = members[name] else { return any }
    selection.add(any)
    return selection
  }
}

extension Substring {
  /// The text without the spaces at its ends.
  fileprivate var trimmingSpaces: String { String(self).trimmed { $0 == " " } }
}
