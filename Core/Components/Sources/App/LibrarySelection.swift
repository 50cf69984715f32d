import TenonBasics

/// The libraries that an app activates, and their problems. A selection doesn't change when more libraries
/// register.
struct LibrarySelection {
  /// The libraries to activate, sorted by name. Several can have the same name, which is one of the
  /// ``problems``.
  let libraries: [any Library.Type]
  /// The options, of which the list of libraries and the backend are used.
  private let options: AppOptions
  /// The available libraries, without duplicates, sorted by name.
  private let candidates: [any Library.Type]

  /// Selects the libraries that the options activate.
  ///
  /// - Parameters:
  ///   - candidates: the available libraries, in any order. A type that is listed twice counts once.
  ///   - options: the app's options. If their list of libraries is `nil`, every candidate is activated.
  /// - Complexity: O(*n* log *n*) in the number of candidates.
  init(_ candidates: [any Library.Type], _ options: AppOptions) {
    var seen: Set<ObjectIdentifier> = []
    self.candidates = candidates.filter { seen.insert(ObjectIdentifier($0)).inserted }.ordered {
      $0.name < $1.name
    }
    self.options = options
    libraries = self.candidates.filter { options.libraries?.contains($0.name) ?? true }
  }

  /// The names and versions of the libraries to activate, in the same order.
  var descriptions: [LibraryDescription] { libraries.map(LibraryDescription.init) }

  /// The components of the libraries to activate, ordered by library and then by declaration. Each access
  /// evaluates the libraries' `components` again.
  var nodes: [GraphNode] {
    libraries.flatMap { library in
      let description = LibraryDescription(library)
      return library.components.map { GraphNode($0, of: description) }
    }
  }

  /// Everything that is wrong with the selection: bad or ambiguous names of libraries, and libraries and
  /// backends that the options demand and that aren't available. Empty if the selection is valid.
  var problems: [ConfigurationError.Problem] { nameProblems + unknownNames + missingBackend }

  /// A problem (``ConfigurationError/Code/missingOption``) for each option that libraries require and the
  /// options don't set (R14). It names all of these libraries. An option that is set to an empty text is a
  /// problem of the options themselves.
  var missingOptions: [ConfigurationError.Problem] {
    var libraries: [(option: AppOption, names: [String])] = []
    for library in self.libraries {
      for option in library.requiredOptions(with: options) where options[option] == nil {
        if let index = libraries.firstIndex(where: { $0.option == option }) {
          libraries[index].names.append(library.name)
        } else {
          libraries.append((option, [library.name]))
        }
      }
    }
    return libraries.map { option, names in Self.missing(option, requiredBy: names) }
  }

  /// Returns the problem of an option that isn't set.
  ///
  /// - Parameters:
  ///   - option: the option.
  ///   - names: the names of the libraries that require it; at least one.
  private static func missing(_ option: AppOption, requiredBy names: [String]) -> ConfigurationError.Problem {
    let name = option.rawValue
    let all =
      names.count == 1
      ? names[0] : "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])"
    let variable = option.variable.map { ", \($0) in the environment" } ?? ""
    return .init(
      .missingOption,
      "\(all) \(names.count == 1 ? "requires" : "require") the option \(name), which isn't set.",
      repairs: [
        "Set it: AppOptions(\(name): \"…\")\(variable), or \"\(name)\" in tenon.json.",
        "If the app can do without \(names.count == 1 ? "the library" : "these libraries"), list the others in "
          + "AppOptions.libraries.",
      ]
    )
  }

  /// The problems of the libraries' names alone, for a graph that is examined without the options of an app.
  var nameProblems: [ConfigurationError.Problem] { badNames + duplicates }

  /// A problem (``ConfigurationError/Code/badName``) for each library whose name has characters that aren't
  /// allowed; see ``GraphValidation/isName(_:)``.
  private var badNames: [ConfigurationError.Problem] {
    libraries.filter { !GraphValidation.isName($0.name) }.map {
      .init(
        .badName,
        "The library \($0) has the invalid name \"\($0.name)\".",
        repairs: ["Use letters, digits, \".\", \"-\" and \"_\"."]
      )
    }
  }

  /// A problem (``ConfigurationError/Code/duplicateLibrary``) for each name that several of the libraries
  /// have, however many there are, sorted by name. It lists their types and versions.
  private var duplicates: [ConfigurationError.Problem] {
    var problems: [ConfigurationError.Problem] = []
    var rest = libraries[...]
    while let name = rest.first?.name {
      let all = rest.prefix { $0.name == name }
      rest = rest.dropFirst(all.count)
      guard all.count > 1 else { continue }
      let types = all.map { "\(String(reflecting: $0)) \($0.version)" }.ordered()
      problems.append(
        .init(
          .duplicateLibrary,
          "The library \(name) is linked \(all.count) times: \(types.joined(separator: ", ")).",
          repairs: ["Link one of them.", "Give one another name."]
        ))
    }
    return problems
  }

  /// A problem (``ConfigurationError/Code/unknownLibrary``) for each name in the options that no candidate
  /// has, with similar names as repairs.
  private var unknownNames: [ConfigurationError.Problem] {
    let known = Set(candidates.map { $0.name })
    return (options.libraries ?? []).filter { !known.contains($0) }.map { name in
      let near = NearMisses.names(near: name, among: known)
      return .init(
        .unknownLibrary,
        "The options activate the library \"\(name)\", which isn't linked.",
        repairs: near.map { "Did you mean \"\($0)\"?" } + ["Link it, or remove it from the options."]
      )
    }
  }

  /// The problem (``ConfigurationError/Code/missingBackend``) of the embedded backend if no activated library
  /// implements it. Production and emulators need no separate library.
  private var missingBackend: [ConfigurationError.Problem] {
    let kind = options.backend.kind
    guard kind == .embedded, !libraries.contains(where: { $0.backends.contains(kind) }) else { return [] }
    return [
      .init(
        .missingBackend,
        "The options ask for the embedded backend, but no linked library serves it.",
        repairs: ["Link the library TenonEmbedded.", "Choose .production or .emulator(…) as the backend."]
          + DroppedRegistration.repairs(list: "EmbeddedLibrary.self").map {
            "If it is linked from a static archive: \($0)"
          }
      )
    ]
  }
}
