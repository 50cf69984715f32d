import Foundation

/// The pages of the public API, `api.txt` of each library, which `Tools/check-api` writes.
struct APIPages {
  /// A function or an initializer.
  struct Function: Equatable {
    /// A parameter.
    struct Parameter: Equatable {
      /// The label; `_` if there is none.
      let label: String
      /// Whether calls may leave it out.
      let isOptional: Bool
    }

    /// The name; `init` for initializers.
    let name: String
    let parameters: [Parameter]

    /// Returns whether a call with these labels compiles.
    func accepts(labels: [Substring]) -> Bool { Self.accepts(labels[...], parameters[...]) }

    private static func accepts(_ labels: ArraySlice<Substring>, _ parameters: ArraySlice<Parameter>) -> Bool
    {
      guard let parameter = parameters.first else { return labels.isEmpty }
      if let label = labels.first, label == parameter.label,
        accepts(labels.dropFirst(), parameters.dropFirst())
      {
        return true
      }
      return parameter.isOptional && accepts(labels, parameters.dropFirst())
    }
  }

  /// A type, with what extensions add to it.
  struct Declaration {
    var functions: [Function] = []
    /// The names of the protocols to which it conforms.
    var protocols: Set<String> = []
  }

  /// The types by their names, for example `CompositeIndex.Field`. Functions outside of types belong to the
  /// type ``module``.
  private(set) var types: [String: Declaration] = [:]
  /// The names of the types that the pages declare, without those that they only extend.
  private(set) var declaredTypes: Set<String> = []

  static let module = "module"

  /// Reads all pages of this package.
  init(root: URL) throws {
    for area in ["Core", "Interop", "Products"] {
      for file in try Page.files(in: root.appending(path: area), named: "/api.txt") {
        read(try String(contentsOf: file, encoding: .utf8))
      }
    }
  }

  /// Reads the text of one page.
  init(text: String) { read(text) }

  private mutating func read(_ page: String) {
    var type = Self.module
    for line in page.split(separator: "\n").dropFirst() {
      if line.hasPrefix("  ") {
        if let function = Function(declaration: line) {
          types[type, default: .init()].functions.append(function)
        }
      } else if line == Self.module {
        type = Self.module
      } else if let match = line.firstMatch(
        of: /(?:struct|enum|class|actor|protocol|extension) ([\w.]+)(?:<[^>]*>)?(?:: (.*?))?(?: where .*)?$/)
      {
        // An extension of another module's type is written with the module.
        type = String(match.1.trimmingPrefix(/Tenon\w+\.|Swift\.|FoundationEssentials\.|Testing\./))
        let protocols = match.2.map { $0.split(separator: ", ").map(String.init) } ?? []
        types[type, default: .init()].protocols.formUnion(protocols)
        if !line.hasPrefix("extension ") { declaredTypes.insert(type) }
      }
    }
  }

  /// Returns whether a call exists.
  ///
  /// - Parameters:
  ///   - name: the function or, for an initializer, the type.
  ///   - type: the type that has the function; `nil` for any.
  ///   - labels: the labels of the arguments; `_` where there is none.
  func haveCall(_ name: Substring, of type: Substring? = nil, labels: [Substring]) -> Bool {
    if let type {
      guard let declaration = types[String(type)] else { return false }
      if declaration.functions.contains(where: { $0.name == name && $0.accepts(labels: labels) }) {
        return true
      }
      return declaration.protocols.contains { $0 != type && haveCall(name, of: $0[...], labels: labels) }
    }
    if types[String(name)] != nil { return haveCall("init", of: name, labels: labels) }
    return types.values.contains { $0.functions.contains { $0.name == name && $0.accepts(labels: labels) } }
  }
}

extension APIPages.Function {
  /// Reads a line of a page; `nil` if it declares something else.
  init?(declaration: Substring) {
    guard let head = declaration.firstMatch(of: /\b(?:func `?(\w+)`?|(init)[?!]?)(?:<.*?>)?\(/) else {
      return nil
    }
    name = String(head.1 ?? head.2 ?? "")
    var (depth, text) = (1, "")
    var texts: [String] = []
    for letter in declaration[head.range.upperBound...] {
      if "([{".contains(letter) { depth += 1 }
      if ")]}".contains(letter) { depth -= 1 }
      if depth == 0 || (depth == 1 && letter == ",") {
        texts.append(text)
        text = ""
        if depth == 0 { break }
      } else {
        text.append(letter)
      }
    }
    // A comma between the arguments of a generic type isn't the end of a parameter, which has a colon.
    parameters = texts.filter { $0.contains(":") }.map { text in
      let words = text.split(separator: ":")[0].split(separator: " ").filter { !$0.hasPrefix("@") }
      return Parameter(
        label: words.first.map { $0.trimmingCharacters(in: ["`"]) } ?? "_",
        isOptional: text.contains(" = ") || text.hasSuffix("..."))
    }
  }
}
