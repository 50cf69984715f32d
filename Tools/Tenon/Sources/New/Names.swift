import TenonFoundation

/// The forms of a module's name in code.
enum Names {
  /// Throws an error for a name that can't be that of a new type.
  static func validate(_ name: String) throws {
    guard name.wholeMatch(of: /[A-Z][A-Za-z0-9]{0,63}/) != nil else {
      throw CommandError(
        "\"\(name)\" can't be a name. Write a capital letter first, then letters and digits, for example Weather."
      )
    }
    guard !taken.contains(name), !keywords.contains(member(name)) else {
      throw CommandError("\"\(name)\" means something else in Swift or in TenonCore. Choose another name.")
    }
    guard !name.hasSuffix("Interop"), !name.hasPrefix("Tenon") else {
      throw CommandError("Leave out Tenon and Interop in \"\(name)\"; they are added where they belong.")
    }
  }

  /// Returns the name of a member, for example `weather` for `Weather` and `urlTools` for `URLTools`.
  static func member(_ name: String) -> String {
    let capitals = name.prefix(while: \.isUppercase).count
    let isBeforeWord = name.dropFirst(capitals).first?.isLowercase == true
    let length = capitals > 1 && isBeforeWord ? capitals - 1 : capitals
    return name.prefix(length).lowercased() + name.dropFirst(length)
  }

  /// Returns the words of a name, in lower case, with hyphens: `app-check` for `AppCheck`.
  static func kebab(_ name: String) -> String {
    name.matches(of: /[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+/).map { $0.0.lowercased() }.joined(
      separator: "-")
  }

  /// Types of the standard library and of TenonCore that generated code uses, or that users would confuse
  /// with a product.
  private static let taken: Set = [
    "Any", "App", "AppContext", "AppData", "AppLogger", "AppOptions", "Array", "AnyComponent", "Bool",
    "Character", "Component",
    "ComponentBuilder", "ComponentContainer", "ComponentError", "ComponentSource", "Data", "Date",
    "Dictionary", "Double",
    "Error", "Float", "Int", "Library", "LibraryRegistry", "Lock", "Logger", "Never", "Optional", "Protocol",
    "Result",
    "Self", "SemanticVersion", "Sendable", "Set", "String", "Substring", "Swift", "Task", "Test", "Testing",
    "Type", "URL",
    "UUID", "Void",
  ]
  private static let keywords: Set = [
    "actor", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default",
    "defer", "deinit",
    "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
    "import", "in",
    "init", "inout", "instances", "internal", "is", "let", "name", "nil", "operator", "private", "protocol",
    "public",
    "repeat", "rethrows", "return", "self", "static", "status", "struct", "subscript", "super", "switch",
    "throw", "throws",
    "true", "try", "typealias", "uses", "var", "where", "while",
  ]
}
