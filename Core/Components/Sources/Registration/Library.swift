/// A linked library that provides components.
///
/// A library is an enum with its name, its version and its components. It registers itself when its image is
/// loaded, by one declaration in a file named `Registration.swift`:
///
/// ```swift
/// extension GreetingLibrary {
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
/// Whoever links the library has its components; nobody needs to import it for that.
public protocol Library: SendableMetatype {
  /// The library's name, unique in a process, for example `tenon-functions`.
  static var name: String { get }

  /// The library's version, shown in the user agent and in the graph.
  static var version: SemanticVersion { get }

  /// What the library provides.
  @ComponentBuilder static var components: [AnyComponent] { get }

  /// The kinds of backend that this library serves itself. None by default.
  ///
  /// An app whose options ask for ``AppBackend/Kind/embedded`` can't be configured unless a linked library says
  /// here that it serves it.
  static var backends: [AppBackend.Kind] { get }
}

extension Library {
  /// No backend.
  public static var backends: [AppBackend.Kind] { [] }
}
