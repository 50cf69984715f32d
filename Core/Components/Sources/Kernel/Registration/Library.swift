/// A linked library that provides components.
///
/// A library is an enum with its name, its version and its components. It registers itself when its image is
/// loaded, by one declaration in the file of the enum, by custom `Registration.swift`:
///
/// ```swift
/// public enum GreetingLibrary: Library {
///   public static let name = "greeting"
///   public static let version = SemanticVersion(1, 0, 0)
///
///   #if objectFormat(ELF) || objectFormat(Wasm)
///     @section(".init_array")
///   #elseif objectFormat(MachO)
///     @section("__DATA,__mod_init_func")
///   #elseif objectFormat(COFF)
///     @section(".CRT$XCU")
///   #endif
///   @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(GreetingLibrary.self) }
/// }
/// ```
///
/// Whoever links the library has its components; nobody needs to import it for that. The components may be in an
/// extension, in another file.
///
/// From a static archive, linkers take only the objects that something refers to. So that the registration comes with what
/// the program uses, it is in the file of the enum, and the entry point of the library names the enum:
/// ``App/resolve(_:named:from:)``.
public protocol Library: SendableMetatype {
  /// The library's name, unique in a process, for example `tenon-functions`: letters, digits, `.`, `-` and
  /// `_`.
  static var name: String { get }

  /// The library's version, which appears in the user agent and in the graph.
  static var version: SemanticVersion { get }

  /// The components that the library provides. Read once per container.
  @ComponentBuilder static var components: [AnyComponent] { get }

  /// The kinds of backend that this library serves itself. None by default.
  ///
  /// An app whose options select ``AppBackend/Kind/embedded`` can't be configured unless a linked library
  /// lists that kind here.
  static var backends: [AppBackend.Kind] { get }
}

extension Library {
  /// No backend.
  public static var backends: [AppBackend.Kind] { [] }
}
