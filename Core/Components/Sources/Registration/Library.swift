/// A linked library that provides components.
///
/// A library is an enum with its name, its version and its components. It registers itself when its image is
/// loaded, through one declaration. By convention, the file has the name of the enum:
/// `GreetingLibrary.swift`.
///
/// ```swift
/// public enum GreetingLibrary: Library {
///   public static let name = "greeting"
///   public static let version = SemanticVersion(1, 0, 0)
///   @ComponentBuilder public static var components: [AnyComponent] {
///     Component((any Greeter).self, needs: .required((any Clock).self)) { _, clock in
///       PoliteGreeter(clock: clock)
///     }
///   }
///
///   #if objectFormat(ELF) || objectFormat(Wasm)
///     @section(".init_array")
///   #elseif objectFormat(MachO)
///     @section("__DATA,__mod_init_func")
///   #elseif objectFormat(COFF)
///     @section(".CRT$XCU")
///   #endif
///   @used static let register: @convention(c) () -> Void = {
///     LibraryRegistry.register(GreetingLibrary.self)
///   }
/// }
/// ```
///
/// Every program that links the library has its components; no import is necessary. The components may be
/// declared in an extension, in another file.
///
/// From a static archive, linkers include only objects that something refers to. To have the registration
/// included with what the program uses, declare it in the file of the enum, and name the enum in the entry
/// point of the library: ``App/resolve(_:named:from:)``.
public protocol Library: SendableMetatype {
  /// The library's name, unique in a process, for example `tenon-functions`: letters, digits, `.`, `-` and
  /// `_`.
  static var name: String { get }

  /// The library's version, which appears in the user agent and in the graph.
  static var version: SemanticVersion { get }

  /// The components that the library provides. Read once per container.
  @ComponentBuilder static var components: [AnyComponent] { get }

  /// The kinds of backend that this library implements. None by default.
  ///
  /// An app whose options select ``AppBackend/Kind/embedded`` can't be configured unless a linked library
  /// lists that kind here.
  static var backends: [AppBackend.Kind] { get }

  /// Returns the options without which the library can do nothing in an app. None by default.
  ///
  /// An app whose options lack one of them can't be configured with the library
  /// (``ConfigurationError/Code/missingOption``), and a live app doesn't adopt it (R14). Libraries that
  /// don't require the option aren't affected.
  ///
  /// ```swift
  /// extension ShopLibrary {
  ///   static func requiredOptions(with options: AppOptions) -> [AppOption] {
  ///     options.backend.kind == .embedded ? [] : [.apiKey]
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter options: the other options of the app, such as its backend.
  static func requiredOptions(with options: AppOptions) -> [AppOption]
}

extension Library {
  /// No backend.
  public static var backends: [AppBackend.Kind] { [] }

  /// No options.
  public static func requiredOptions(with options: AppOptions) -> [AppOption] { [] }
}
