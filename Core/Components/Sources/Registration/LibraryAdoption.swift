import Dispatch
internal import TenonThreads

/// Takes libraries over into a live app that were loaded after it was configured (R11).
///
/// Libraries that come together are taken over together, so that they may need each other. Where that fails, each that
/// can be taken over is: one that can't doesn't keep the others away. It is tried again when something more is loaded,
/// since that may bring what it lacks, and when the app is told to.
final class LibraryAdoption: Sendable {
  private struct State {
    /// The registrations that have been dealt with.
    var generation: Int
    var adopted: Set<ObjectIdentifier>
    /// What is wrong with those that couldn't be adopted.
    var refused: [ObjectIdentifier: [ConfigurationError.Problem]] = [:]
    /// Refused for no other reason than that it wasn't tried on the main actor.
    var isMainActorWanted = false
  }

  private let options: AppOptions
  private let state: Lock<State>
  /// One thread adopts at a time. Who finds something missing waits for it, and then has what was loaded.
  private let turn = UpdateTurn()

  /// - Parameters:
  ///   - libraries: those that the app was configured with.
  ///   - generation: the registry's generation before `libraries` were taken from it.
  init(_ libraries: [any Library.Type], _ options: AppOptions, generation: Int) {
    self.options = options
    state = Lock(State(generation: generation, adopted: Set(libraries.map { ObjectIdentifier($0) })))
  }

  /// Whether there may be something to adopt.
  private var isDue: Bool {
    let generation = LibraryRegistry.generation
    return state.withLock {
      $0.generation != generation || ($0.isMainActorWanted && MainActor.isCurrent)
    }
  }

  /// Whether it is worth another try on the main actor.
  private var isMainActorWanted: Bool { state.withLock { $0.isMainActorWanted } }

  /// Adopts what is new, and tries what was refused again.
  ///
  /// - Throws: ``ConfigurationError`` with the problems of all libraries that can't be adopted.
  ///   ``ComponentError`` when the container was deleted, or a creation asks.
  func adopt(into container: ComponentContainer) throws {
    guard container.life.phase == .live else {
      throw ComponentError.deleted(ComponentKey(ComponentUpdate.self), owner: container.life.owner)
    }
    _ = try turn.withLock { adoptAll(into: container) }
    container.deliverDeferred()
    let problems = state.withLock { $0.refused }
    let inOrder = LibraryRegistry.libraries.flatMap { problems[ObjectIdentifier($0)] ?? [] }
    guard inOrder.isEmpty else { throw ConfigurationError(inOrder) }
  }

  /// Adopts what is new, and logs what can't be.
  func adoptOrLog(into container: ComponentContainer) {
    guard isDue else { return }
    guard container.life.phase == .live else { return }
    // Refused where something is being created: the thread that adopts may wait for that.
    guard let problems = try? turn.withLock({ isDue ? adoptAll(into: container) : [] }) else { return }
    if !problems.isEmpty, container.life.phase == .live {
      Logger(source: "tenon-core").error(
        "A library that was loaded can't be adopted by \(container.life.owner): \(ConfigurationError(problems))"
      )
    }
    container.deliverDeferred()
  }

  /// - Returns: the problems that weren't known before.
  private func adoptAll(into container: ComponentContainer) -> [ConfigurationError.Problem] {
    let generation = LibraryRegistry.generation
    let all = LibraryRegistry.libraries
    let adopted = state.withLock { $0.adopted }
    var waiting = all.filter {
      !adopted.contains(ObjectIdentifier($0)) && options.libraries?.contains($0.name) ?? true
    }
    var problems: [ObjectIdentifier: [ConfigurationError.Problem]] = [:]
    var errors: [ObjectIdentifier: any Error] = [:]
    waiting.removeAll { library in
      let namesakes = LibrarySelection(all.filter { $0.name == library.name }, options)
      guard !namesakes.nameProblems.isEmpty else { return false }
      problems[ObjectIdentifier(library)] = namesakes.nameProblems
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
      // The part of the graph that a problem shows may change without making it another problem.
      let new = problems.filter { state.refused[$0.key]?.map(\.message) != $0.value.map(\.message) }
      state.refused = problems
      state.isMainActorWanted = isMainActorWanted
      state.generation = generation
      return all.flatMap { new[ObjectIdentifier($0)] ?? [] }
    }
  }

  /// Lets every live app adopt what is new, away from the loader that runs this registration: it holds locks, and the
  /// image that it loads isn't ready.
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
  /// Adopts libraries that were loaded since, and waits for another thread that does. In a child, for its parent.
  ///
  /// - Returns: whether the container adopts at all, so that what was missing is worth another look.
  @discardableResult
  func adoptLoadedLibraries() -> Bool {
    guard let adoption else { return parent?.adoptLoadedLibraries() ?? false }
    adoption.adoptOrLog(into: self)
    return true
  }
}
