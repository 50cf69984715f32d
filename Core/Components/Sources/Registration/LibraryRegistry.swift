import Synchronization
import TenonBasics

/// The libraries that are linked into this process.
///
/// Libraries register themselves while their images are loaded: before `main`, or later on any thread that
/// calls `dlopen`. An app uses the libraries that are registered when it is configured.
public enum LibraryRegistry {
  // Initialized by the first registration, which may run before `main`.
  /// The registered libraries, sorted by name.
  private static let registered = Lock<[any Library.Type]>([])
  /// The number of registrations.
  private static let registrations = Atomic<Int>(0)
  /// The number of libraries that have registered. Read it before ``types``, which then contains at least
  /// that many, to find out later whether any were added.
  static var generation: Int { registrations.load(ordering: .acquiring) }

  /// Registers a library. Registering the same library again has no effect.
  ///
  /// - Parameter library: the library.
  public static func register(_ library: any Library.Type) {
    InspectionMode.keepLinked()
    if register(adding: library) { LibraryAdoption.adoptSoon() }
  }

  /// Registers a library without notifying apps, which adopt it when they next look for it.
  ///
  /// - Returns: whether the library is new.
  /// - Complexity: O(*n* log *n*) in the number of libraries.
  static func register(adding library: any Library.Type) -> Bool {
    let isNew = registered.withLock { libraries in
      guard !libraries.contains(where: { ObjectIdentifier($0) == ObjectIdentifier(library) }) else {
        return false
      }
      libraries = (libraries + [library]).ordered { $0.name < $1.name }
      return true
    }
    if isNew { registrations.wrappingAdd(1, ordering: .releasing) }
    return isNew
  }

  /// The libraries that have registered so far, sorted by name. Two libraries of equal name are both
  /// included; an app that would activate both can't be configured.
  public static var libraries: [RegisteredLibrary] { types.map { RegisteredLibrary($0) } }

  /// The types of ``libraries``, in the same order.
  static var types: [any Library.Type] { registered.withLock { $0 } }
}
