import TenonBasics
import TenonJSONReader

/// A value in a file of options, in JSON or a property list.
///
/// A value of another kind is decoded as ``other`` instead of failing, because Firebase's files contain such
/// values in fields that no option has. Whether a field has the right kind is decided where it is read.
enum OptionValue: Decodable, Sendable {
  /// A string.
  case text(String)
  /// An array.
  case list([OptionValue])
  /// An object of JSON, or a dictionary of a property list.
  case object([String: OptionValue])
  /// A number, a Boolean, a date or `null`, which no option has.
  case other

  /// Creates a value from JSON. Complexity: O(*n*). Not inlined: the compiler would inline it in itself,
  /// again and again.
  @inline(never) init(_ json: JSON) {
    switch json {
    case .string(let text): self = .text(text)
    case .array(let elements): self = .list(elements.map(OptionValue.init))
    case .object(let members): self = .object(members.mapValues(OptionValue.init))
    case .null, .bool, .int, .unsigned, .double: self = .other
    }
  }

  /// Decodes a value of a property list, in which all options are text. Values that contain others become
  /// ``other``.
  init(from decoder: any Decoder) throws {
    let text = try? decoder.singleValueContainer().decode(String.self)
    self = text.map(OptionValue.text) ?? .other
  }
}

/// Reads the fields of an object, and collects their problems instead of throwing the first. Used on one
/// thread.
///
/// A missing field isn't a problem here: which options are required is a matter of their validation.
struct OptionReader {
  /// The source of the options, for messages.
  let source: OptionsSource
  /// The problems so far, in the order in which the fields were read.
  private(set) var problems: [ConfigurationError.Problem] = []

  /// Creates a reader without problems.
  ///
  /// - Parameter source: the source of the options, for messages.
  init(source: OptionsSource) { self.source = source }

  /// Returns the text at a path, or `nil` if there is none. Any other value is a problem.
  ///
  /// - Parameters:
  ///   - object: the outermost object.
  ///   - path: the names of the fields, from the outermost.
  /// - Returns: the text, which may be empty.
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
  /// - Returns: the texts in their order; elements of another kind are left out, and each of them is a
  ///   problem.
  mutating func texts(_ object: [String: OptionValue], _ name: String) -> [String]? {
    guard let value = object[name] else { return nil }
    guard case .list(let list) = value else {
      malformed(name, "Write it as a list of strings.")
      return nil
    }
    return list.compactMap { element in
      guard case .text(let text) = element else {
        malformed(name, "Write it as a list of strings.")
        return nil
      }
      return text
    }
  }

  /// Adds the problem of a field with an invalid value.
  ///
  /// - Parameters:
  ///   - name: the field, for example `backend.emulator.auth`.
  ///   - repair: how to correct it.
  mutating func malformed(_ name: String, _ repair: String) {
    problems.append(.init(.malformedOption, "\(name) in \(source) is malformed.", repairs: [repair]))
  }

  /// Adds a problem for each name that this kind of file doesn't define, with the allowed names and
  /// suggestions for misspelled ones.
  ///
  /// - Parameters:
  ///   - object: the outermost object.
  ///   - path: the names of the fields that lead to the object to check; none for the outermost one. Nothing
  ///     is checked if there is no object at this path.
  ///   - known: the allowed names.
  mutating func refuseUnknownNames(
    _ object: [String: OptionValue], at path: String..., known: Set<String>
  ) {
    var object = object
    for name in path {
      guard case .object(let inner) = object[name] else { return }
      object = inner
    }
    for name in object.keys.ordered() where !known.contains(name) {
      let near = NearMisses.names(near: name, among: known)
      problems.append(
        .init(
          .malformedOption,
          "\(source) has no option \"\((path + [name]).joined(separator: "."))\".",
          repairs: near.map { "Did you mean \"\($0)\"?" }
            + ["These are allowed here: \(known.ordered().joined(separator: ", ")).", "Remove it."]
        )
      )
    }
  }
}
