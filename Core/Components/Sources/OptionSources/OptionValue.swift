import TenonJSON

/// A value in a file of options, in JSON or a property list.
enum OptionValue: Decodable, Sendable {
  case text(String)
  case list([OptionValue])
  case object([String: OptionValue])
  /// A number, a Boolean, a date or `null`, which no option has.
  case other

  /// Creates a value from JSON. Complexity: O(*n*).
  init(_ json: JSON) {
    switch json {
    case .string(let text): self = .text(text)
    case .array(let elements): self = .list(elements.map(OptionValue.init))
    case .object(let members): self = .object(members.mapValues(OptionValue.init))
    case .null, .bool, .int, .unsigned, .double: self = .other
    }
  }

  /// Decodes a value of a property list, in which all options are text. Values that contain others become ``other``.
  init(from decoder: any Decoder) throws {
    let text = try? decoder.singleValueContainer().decode(String.self)
    self = text.map(OptionValue.text) ?? .other
  }
}

/// Reads the fields of an object, and collects their problems instead of throwing the first.
struct OptionReader {
  let source: OptionsSource
  private(set) var problems: [ConfigurationError.Problem] = []

  init(source: OptionsSource) { self.source = source }

  /// Returns the text at a path, or `nil` if there is none. Any other value is a problem.
  ///
  /// - Parameters:
  ///   - object: the outermost object.
  ///   - path: the names of the fields, from the outermost.
  mutating func text(_ object: [String: OptionValue], _ path: String...) -> String? {
    var object = object
    for (depth, name) in path.enumerated() {
      guard let value = object[name] else { return nil }
      let title = path[...depth].joined(separator: ".")
      switch value {
      case .text(let text) where depth == path.count - 1: return text
      case .object(let inner) where depth < path.count - 1: object = inner
      default:
        malformed(title, depth == path.count - 1 ? "Write it as text." : "Write it as an object.")
        return nil
      }
    }
    return nil
  }

  /// Returns the list of texts under a name, or `nil` if there is none. Any other value is a problem.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - name: the name of the field.
  mutating func texts(_ object: [String: OptionValue], _ name: String) -> [String]? {
    guard let value = object[name] else { return nil }
    guard case .list(let list) = value else {
      malformed(name, "Write it as a list of texts.")
      return nil
    }
    return list.compactMap { element in
      guard case .text(let text) = element else {
        malformed(name, "Write it as a list of texts.")
        return nil
      }
      return text
    }
  }

  /// Adds the problem of a field with an invalid value.
  ///
  /// - Parameters:
  ///   - name: the field.
  ///   - repair: how to correct it.
  mutating func malformed(_ name: String, _ repair: String) {
    problems.append(.init(.malformedOption, "\(name) in \(source) is malformed.", repairs: [repair]))
  }

  /// Adds a problem for each name that this kind of file doesn't define, with suggestions for misspelled ones.
  mutating func refuseUnknownNames(_ object: [String: OptionValue], known: Set<String>) {
    for name in object.keys.sorted() where !known.contains(name) {
      let near = Features.names(near: name, among: known)
      problems.append(
        .init(
          .malformedOption,
          "\(source) has no option \"\(name)\".",
          repairs: near.map { "Did you mean \"\($0)\"?" } + ["Remove it."]
        )
      )
    }
  }
}
