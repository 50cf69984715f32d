/// Creates components, keeps their instances and hands them out.
///
/// A container belongs to an ``App``, or stands alone as the container of a program:
///
/// ```swift
/// let container = try ComponentContainer {
///   Component((any Clock).self) { _ in SystemClock() }
///   Component(Greeter.self, needs: .required((any Clock).self)) { _, clock in Greeter(clock: clock) }
/// }
/// let greeter = try container.resolve(Greeter.self)
/// ```
public final class ComponentContainer: Sendable {
  let definitions: [OwnedDefinition]
  let slots: SlotTable
  let contributions: [ComponentKey: [any AnySlot]]
  let allSlots: [any AnySlot]
  let gate = ReaderGate()
  let state = Lock(CreationState())
  let owner: String
  private let deletion = Lock<Task<Void, Never>?>(nil)

  /// A container that stands alone. Its eager components are created before this returns.
  ///
  /// - Throws: ``ConfigurationError`` with every problem of the graph (R2); nothing has been created then.
  ///   ``ComponentError`` when an eager component can't be created.
  public convenience init(@ComponentBuilder _ components: () -> [AnyComponent]) throws {
    let definitions = components().map { OwnedDefinition(library: nil, definition: $0.definition) }
    try self.init(definitions, app: nil)
  }

  /// - Parameter app: the app that the container belongs to.
  init(_ definitions: [OwnedDefinition], app: AppContext?) throws {
    let problems = GraphValidation(definitions).problems
    guard problems.isEmpty else { throw ConfigurationError(problems) }
    self.definitions = definitions
    owner = app.map { "the app \"\($0.name)\"" } ?? "the container"
    var table: [ComponentKey: any AnySlot] = [:]
    var contributions: [ComponentKey: [any AnySlot]] = [:]
    var all: [any AnySlot] = []
    var sources: [any AnySlot] = []
    for (index, owned) in definitions.enumerated() {
      let definition = owned.definition
      let logger = Logger(source: owned.library?.name ?? "app")
      let made = definition.makeSlots(.init(index: index), app, logger)
      if definition.isServed { table[definition.key] = made.source }
      for (key, slot) in zip(definition.services, made.services) { table[key] = slot }
      for (key, slot) in zip(definition.contributions, made.contributions) {
        contributions[key, default: []].append(slot)
      }
      sources.append(made.source)
      all += [made.source] + made.services + made.contributions
    }
    slots = SlotTable(table)
    self.contributions = contributions
    allSlots = all
    try createEagerInstances(sources, isDefaultApp: app?.isDefault ?? true)
  }

  private func createEagerInstances(_ sources: [any AnySlot], isDefaultApp: Bool) throws {
    for (owned, source) in zip(definitions, sources) {
      let timing = owned.definition.timing
      guard timing == .eager || (timing == .eagerInDefaultApp && isDefaultApp) else { continue }
      do {
        try source.create(in: self)
      } catch {
        // What was created before must not outlive the failed configuration.
        Task { await delete() }
        throw error
      }
    }
  }

  /// Deletes the container (R8): waits for creations under way, runs the `onDelete` actions in reverse order of
  /// creation, and releases every instance. Every later `resolve` throws.
  ///
  /// Calling it again waits for the same deletion.
  public func delete() async {
    let task = deletion.withLock { deletion in
      let task = deletion ?? Task { await self.retireInstances() }
      deletion = task
      return task
    }
    await task.value
  }

  private func retireInstances() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.phase = .deleting
        if !state.resolutions.isEmpty { state.whenIdle.append(continuation) }
        return state.resolutions.isEmpty
      }
      if isIdle { continuation.resume() }
    }
    let order = state.withLock { state in
      Dictionary(uniqueKeysWithValues: state.created.enumerated().map { ($1.component, $0) })
    }
    var views: [RetiredInstance] = []
    var instances: [RetiredInstance] = []
    for slot in allSlots {
      guard let retired = slot.unpublish() else { continue }
      if slot.isSource { instances.append(retired) } else { views.append(retired) }
    }
    gate.drain()
    views.removeAll()
    instances.sort { order[$0.component, default: 0] < order[$1.component, default: 0] }
    while let instance = instances.popLast() { await instance.delete() }
    state.withLock { $0.phase = .deleted }
  }
}

/// A component definition and the library that it comes from.
struct OwnedDefinition: Sendable {
  let library: LibraryDescription?
  let definition: ComponentDefinition
}

/// A library's name and version.
struct LibraryDescription: Sendable, Hashable, Comparable {
  let name: String
  let version: String

  init(_ library: any Library.Type) {
    name = library.name
    version = library.version.description
  }

  static func < (left: LibraryDescription, right: LibraryDescription) -> Bool { left.name < right.name }
}
