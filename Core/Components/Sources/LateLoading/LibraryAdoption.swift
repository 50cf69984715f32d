import Dispatch
import Synchronization
import TenonBasics
internal import TenonThreads

/// Lets a live app adopt libraries that were loaded after it was configured (R11). Thread-safe.
///
/// Libraries that are loaded together are adopted together, so that they may need each other. If that fails,
/// each is tried alone, so that one that can't be adopted doesn't prevent the adoption of the others.
/// Rejected libraries are tried again when more are loaded, which may provide what they lack, and when the
/// app is asked to adopt them.
///
/// Each adoption is an update of the app's container (R9). Only requests that find no provider, or that
/// collect contributions, wait for it. The container keeps this object. An app that was configured with a
/// list of libraries has none, and a child container uses that of its parent.
final class LibraryAdoption: Sendable {
  /// The state, guarded by `state`'s lock.
  private struct State {
    /// The registry's generation up to which registrations have been processed. It is read before the
    /// libraries, so a registration in between is processed twice rather than missed.
    var generation: Int
    /// The libraries that the app has.
    var adopted: Set<ObjectIdentifier>
    /// The problems of the libraries that couldn't be adopted.
    var refused: [ObjectIdentifier: [ConfigurationError.Problem]] = [:]
    /// Whether a library was rejected only because one of its components must be created on the main actor.
    var isMainActorWanted = false
  }

  /// The app's options, which may restrict the libraries.
  private let options: AppOptions
  /// What has been adopted and rejected.
  private let state: Lock<State>
  /// The types that were looked for in vain, and the modules that were suspected in the log.
  private let absences = Lock<(types: Set<ObjectIdentifier>, modules: Set<String>)>(([], []))
  /// The type that was last looked for in vain, so that asking for it again takes no lock; 0 for none.
  private let lastAbsence = Atomic<UInt>(0)
  /// One thread adopts at a time. A thread that looks for something missing waits for it, and then finds what
  /// was loaded.
  private let turn = UpdateTurn()

  /// Creates the state of an app.
  ///
  /// - Parameters:
  ///   - libraries: the libraries with which the app was configured.
  ///   - options: the app's options, which may restrict the libraries.
  ///   - generation: the registry's generation before `libraries` were read from it.
  init(_ libraries: [any Library.Type], _ options: AppOptions, generation: Int) {
    self.options = options
    state = Lock(State(generation: generation, adopted: Set(libraries.map { ObjectIdentifier($0) })))
  }

  /// Whether there may be something to adopt. Every request that finds no provider reads it, at the cost of
  /// an atomic load and a lock.
  var isDue: Bool {
    let generation = LibraryRegistry.generation
    return state.withLock {
      $0.generation != generation || ($0.isMainActorWanted && MainActor.isCurrent)
    }
  }

  /// Whether the options name the libraries, so that absence may be intended.
  var isRestricted: Bool { options.libraries != nil }

  /// Returns whether a type is looked for in vain for the first time.
  func isFirstAbsence(of key: ComponentKey) -> Bool {
    lastAbsence.store(UInt(bitPattern: key.type), ordering: .relaxed)
    return absences.withLock { $0.types.insert(key.type).inserted }
  }

  /// Returns whether it is known without a lock that a type isn't looked for in vain for the first time: no
  /// absence is reported, or this one was the last.
  func isKnownAbsence(of type: ObjectIdentifier) -> Bool {
    isRestricted || lastAbsence.load(ordering: .relaxed) == UInt(bitPattern: type)
  }

  /// Returns whether a module is suspected for the first time.
  func isFirstSuspicion(of module: String) -> Bool {
    absences.withLock { $0.modules.insert(module).inserted }
  }

  /// Whether another attempt on the main actor may succeed.
  private var isMainActorWanted: Bool { state.withLock { $0.isMainActorWanted } }

  /// Adopts new libraries, and tries rejected ones again.
  ///
  /// - Parameter container: the app's container.
  /// - Throws: ``ConfigurationError`` with the problems of every library that can't be adopted;
  ///   ``ComponentError`` if the container was deleted, or a creation calls this.
  func adopt(into container: ComponentContainer) throws {
    guard container.life.phase == .live else {
      throw ComponentError.deleted(container.life.owner, "can't adopt libraries")
    }
    _ = try turn.withLock { adoptAll(into: container) }
    container.deliverDeferred()
    let problems = state.withLock { $0.refused }
    let inOrder = LibraryRegistry.types.flatMap { problems[ObjectIdentifier($0)] ?? [] }
    guard inOrder.isEmpty else { throw ConfigurationError(inOrder) }
  }

  /// Adopts new libraries, and logs the problems of those that can't be adopted. Does nothing if there is
  /// nothing new, if the container was deleted, or during a creation. A problem is logged at most once, until
  /// its message changes. Waits while another thread is adopting.
  ///
  /// - Parameter container: the app's container.
  func adoptOrLog(into container: ComponentContainer) {
    guard isDue else { return }
    guard container.life.phase == .live else { return }
    // Throws during a creation, because the thread that adopts may wait for that creation.
    guard let problems = try? turn.withLock({ isDue ? adoptAll(into: container) : [] }) else { return }
    if !problems.isEmpty, container.life.phase == .live {
      AppLogger(source: "tenon-core").error(
        "A library that was loaded can't be adopted by \(container.life.owner): \(ConfigurationError(problems))"
      )
    }
    container.deliverDeferred()
  }

  /// Adopts as many libraries as possible: all together, otherwise one by one until no further one succeeds.
  /// A library whose name isn't allowed, or is that of another registered library, or that requires an option
  /// which the app doesn't have, is rejected without an attempt. The caller must hold `turn`.
  ///
  /// Complexity: O(*n*²) updates in the number of new libraries if they can't be adopted together, otherwise
  /// one.
  ///
  /// - Parameter container: the app's container.
  /// - Returns: the problems that weren't known before.
  private func adoptAll(into container: ComponentContainer) -> [ConfigurationError.Problem] {
    let generation = LibraryRegistry.generation
    let all = LibraryRegistry.types
    let adopted = state.withLock { $0.adopted }
    var waiting = all.filter {
      !adopted.contains(ObjectIdentifier($0)) && options.libraries?.contains($0.name) ?? true
    }
    var problems: [ObjectIdentifier: [ConfigurationError.Problem]] = [:]
    var errors: [ObjectIdentifier: any Error] = [:]
    waiting.removeAll { library in
      let namesakes = LibrarySelection(all.filter { $0.name == library.name }, options)
      let found = namesakes.nameProblems + LibrarySelection([library], options).missingOptions
      guard !found.isEmpty else { return false }
      problems[ObjectIdentifier(library)] = found
      return true
    }
    if waiting.count > 1, (try? container.install(waiting)) != nil {
      state.withLock { $0.adopted.formUnion(waiting.map { ObjectIdentifier($0) }) }
      waiting = []
    }
    var isGettingOn = true
    while isGettingOn {
      isGettingOn = false
      for library in waiting {
        do {
          try container.install([library])
          state.withLock { _ = $0.adopted.insert(ObjectIdentifier(library)) }
          waiting.removeAll { $0 == library }
          isGettingOn = true
        } catch {
          errors[ObjectIdentifier(library)] = error
        }
      }
    }
    var isMainActorWanted = false
    for library in waiting {
      switch errors[ObjectIdentifier(library)] {
      case let error as ConfigurationError:
        problems[ObjectIdentifier(library)] = error.problems
      case let error as ComponentError where error.code == .notOnMainActor && !MainActor.isCurrent:
        isMainActorWanted = true
      case let error?:
        let problem = ConfigurationError.Problem(
          .adoption, "The library \(library.name) can't be adopted: \(error)")
        problems[ObjectIdentifier(library)] = [problem]
      case nil: break
      }
    }
    return state.withLock { state in
      // The part of the graph that a problem includes may change without making it a different problem.
      let new = problems.filter { state.refused[$0.key]?.map(\.message) != $0.value.map(\.message) }
      state.refused = problems
      state.isMainActorWanted = isMainActorWanted
      state.generation = generation
      return all.flatMap { new[ObjectIdentifier($0)] ?? [] }
    }
  }

  /// Lets every live app adopt new libraries, on another thread than the one on which the loader runs this
  /// registration: the loader holds locks, and the image that it loads isn't ready. Returns immediately; does
  /// nothing if no app is configured. What must be created on the main actor is adopted in a second attempt,
  /// on the main queue.
  static func adoptSoon() {
    guard AppRegistry.hasApps else { return }
    DispatchQueue.global().async {
      tenon_await_loader()
      for app in App.all {
        app.container.adoptLoadedLibraries()
        guard app.container.adoption?.isMainActorWanted == true else { continue }
        DispatchQueue.main.async { app.container.adoptLoadedLibraries() }
      }
    }
  }
}

extension ComponentContainer {
  /// What adopts libraries for this container: its own, or that of an ancestor.
  var libraryAdoption: LibraryAdoption? { adoption ?? parent?.libraryAdoption }

  /// Whether there may be loaded libraries to adopt, in a child by its parent.
  var isAdoptionDue: Bool { adoption?.isDue ?? parent?.isAdoptionDue ?? false }

  /// Adopts loaded libraries, in a child through its parent. Waits for another thread that is adopting,
  /// except in a creation, which adopts nothing.
  ///
  /// - Returns: whether this container or one of its ancestors adopts libraries, so that repeating a lookup
  ///   that failed may succeed; not whether it has adopted any.
  @discardableResult
  func adoptLoadedLibraries() -> Bool {
    guard let adoption else { return parent?.adoptLoadedLibraries() ?? false }
    adoption.adoptOrLog(into: self)
    return true
  }
}

extension App {
  /// Adopts the libraries that were loaded since the app was configured (R11).
  ///
  /// Apps do this automatically, soon after a library is loaded and at the latest when a request finds no
  /// provider; errors are then logged. Call this to adopt them now and to receive the errors. Libraries that
  /// were rejected before are tried again.
  ///
  /// An app that was configured with a list of libraries doesn't adopt any; one whose options restrict its
  /// libraries adopts only those.
  ///
  /// - Throws: ``ConfigurationError`` with the problems of every library that can't be adopted, which affects
  ///   neither the app's existing libraries nor the others; ``ComponentError`` if the app was deleted, or a
  ///   creation calls this.
  public func adoptLoadedLibraries() throws { try container.adoption?.adopt(into: container) }

  /// Registers a library that is in use, and lets the app adopt it.
  ///
  /// - Parameters:
  ///   - library: the library.
  ///   - key: the key that was requested, for errors.
  /// - Returns: whether it was adopted; `false` if the app already had it.
  /// - Throws: ``ComponentError`` with the code ``ComponentError/Code/notRegistered`` and the reason why it
  ///   can't be adopted.
  func adopt(_ library: any Library.Type, for key: ComponentKey) throws -> Bool {
    guard !graph.libraries.contains(where: { $0.name == library.name }) else { return false }
    let typeName = ComponentKey(library).typeName
    guard let adoption = container.adoption else {
      throw ComponentError.notListed(key, library: library.name, typeName: typeName, app: name)
    }
    guard options.libraries?.contains(library.name) ?? true else {
      throw ComponentError.notActivated(key, library: library.name, app: name)
    }
    let wasDropped = LibraryRegistry.register(adding: library)
    let repairs = DroppedRegistration.repairs(list: "\(typeName).self")
    do {
      try adoption.adopt(into: container)
    } catch {
      // Other libraries may be at fault.
      guard !graph.libraries.contains(where: { $0.name == library.name }) else { return true }
      throw ComponentError.notRegistered(
        key, library: library.name, wasDropped: wasDropped, repairs: repairs, cause: error)
    }
    if wasDropped {
      LibraryAdoption.adoptSoon()
      let lines = [
        "The library \(library.name) is used, but isn't registered: it declares no registration, or the linker dropped it. "
          + "The app \"\(name)\" has it from now on; instances created before don't use it."
      ]
      AppLogger(source: "tenon-core").warning((lines + repairs.map { "  - \($0)" }).joined(separator: "\n"))
    }
    return true
  }
}

extension ComponentError {
  /// The error for a library that isn't in the list with which the app was configured.
  ///
  /// - Parameters:
  ///   - key: the key that was requested.
  ///   - library: the library's name.
  ///   - typeName: the library's type.
  ///   - app: the app's name.
  static func notListed(
    _ key: ComponentKey, library: String, typeName: String, app: String
  ) -> ComponentError {
    ComponentError(
      .notRegistered,
      key,
      "\(key) comes from the library \(library), which isn't among those that the app \"\(app)\" was configured with.",
      repairs: ["Add \(typeName).self to App.configure(libraries:)."]
    )
  }

  /// The error for a library that the app's options exclude.
  ///
  /// - Parameters:
  ///   - key: the key that was requested.
  ///   - library: the library's name.
  ///   - app: the app's name.
  static func notActivated(_ key: ComponentKey, library: String, app: String) -> ComponentError {
    ComponentError(
      .notRegistered,
      key,
      "\(key) comes from the library \(library), which the options of the app \"\(app)\" don't activate.",
      repairs: ["Add \"\(library)\" to AppOptions.libraries."]
    )
  }

  /// The error for a library that can't be adopted.
  ///
  /// - Parameters:
  ///   - key: the key that was requested.
  ///   - library: the library's name.
  ///   - wasDropped: whether the library hadn't registered itself.
  ///   - repairs: how to keep the registration.
  ///   - cause: why it can't be adopted.
  static func notRegistered(
    _ key: ComponentKey, library: String, wasDropped: Bool, repairs: [String], cause: any Error
  ) -> ComponentError {
    ComponentError(
      .notRegistered,
      key,
      "\(key) comes from the library \(library), "
        + (wasDropped
          ? "whose registration the linker dropped, and which can't be adopted now"
          : "which can't be adopted")
        + ": \(cause)",
      repairs: wasDropped ? repairs : [],
      underlying: cause
    )
  }
}
