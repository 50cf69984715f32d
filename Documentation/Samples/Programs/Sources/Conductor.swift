// sample: injection
import Synchronization
import TenonCore

// sample: end
func injection() async throws {
  // sample: injection
  final class Conductor: Sendable {
    let orchestra: Orchestra
    init(orchestra: Orchestra) { self.orchestra = orchestra }
  }

  final class Orchestra: Sendable {
    private let state = Mutex<(conductor: Conductor?, hall: String)>((nil, "nowhere"))
    var conductor: Conductor? {
      get { state.withLock { $0.conductor } }
      set { state.withLock { $0.conductor = newValue } }
    }
    var hall: String { state.withLock { $0.hall } }
    func move(to hall: String) { state.withLock { $0.hall = hall } }
  }

  let container = try ComponentContainer {
    Component(String.self) { _ in "the old hall" }
    Component(from: Conductor.init(orchestra:))  // an initializer
    Component(Orchestra.self) { _ in Orchestra() }
      .injecting(\.conductor)  // a property, which closes a circle
      .injecting(String.self) { orchestra, hall in orchestra.move(to: hall) }  // a method
      .onCreate { orchestra, _ in print("Ready in \(orchestra.hall).") }
  }
  let conductor = try container.resolve(Conductor.self)
  print(conductor.orchestra.conductor === conductor)

  let guests = Orchestra()  // an object that exists
  try container.inject(into: guests, as: Orchestra.self)
  print(guests.hall)
  // sample: end
}
