// sample: services, contexts, values, wrappers
import TenonCore

// sample: end
// sample: services
protocol Forecasting: Sendable { func forecast() -> String }
struct LiveForecasting: Forecasting { func forecast() -> String { "rain" } }

extension ComponentContainer {
  /// The container of the program, created when it is first used.
  static let station = Result {
    try ComponentContainer {
      Component((any Forecasting).self) { _ in LiveForecasting() }
      Component(Station.self, needs: .required((any Forecasting).self)) { _, service in
        Station(service: service)
      }
    }
  }
}

struct Station: Sendable {
  let service: any Forecasting
  func report() { print("It will \(service.forecast()).") }
}

// sample: end
func services() async throws {
  // sample: services
  try ComponentContainer.station.get().resolve(Station.self).report()
  // sample: end
}

func wrappers() async throws {
  // sample: wrappers
  final class Display {
    @Injected var title: String
    @Injected(named: "short") var name: String
    @Injected var number: Int?  // nil, because nothing provides it
  }

  let container = try ComponentContainer {
    Component(String.self) { _ in "Weather" }
    Component(String.self) { _ in "W" }.named("short")
  }
  let display = Display()
  ComponentContainer.withCurrent(container) { print(display.title, display.name, display.number ?? 0) }
  display.$title.reset()  // The next read fills it again.
  let other = try container.child { Component(String.self) { _ in "Tides" } }
  try other.inject(into: display)
  print(display.title)
  // sample: end
}

func contexts() async throws {
  // sample: contexts
  protocol Source: Sendable { var name: String { get } }
  struct Live: Source { let name = "live" }
  struct Recorded: Source { let name = "recorded" }

  @ComponentBuilder func components(arguments: [String], isPreview: Bool) -> [AnyComponent] {
    if arguments.contains("--recorded") || isPreview {
      Component((any Source).self) { _ in Recorded() }
    } else {
      #if targetEnvironment(simulator)
        Component((any Source).self) { _ in Recorded() }
      #else
        Component((any Source).self) { _ in Live() }
      #endif
    }
  }

  for arguments in [[], ["--recorded"]] {
    let container = try ComponentContainer { components(arguments: arguments, isPreview: false) }
    print(try container.resolve((any Source).self).name)
  }
  // sample: end
}

func values() async throws {
  // sample: values
  struct Now: Sendable { var hour: @Sendable () -> Int }

  struct Feature: Sendable {
    @Injected var now: Now
    func isOpen() -> Bool { (9..<17).contains(now.hour()) }
  }

  let live = try ComponentContainer {
    Component(Now.self) { _ in Now { 12 } }
    Component(String.self) { _ in "shared with the child" }
  }
  let night = try live.child { Component(Now.self) { _ in Now { 23 } } }

  await ComponentContainer.withCurrent(live) {
    print(Feature().isOpen())
    await ComponentContainer.withCurrent(night) {
      print(Feature().isOpen())
      let inATask = Task { Feature().isOpen() }  // inherits the container
      print(await inATask.value)
    }
  }
  // sample: end
}
