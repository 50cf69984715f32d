/// Where the clients of each emulator find the server.
struct ServedPlaces: Sendable {
  private let ports: [Emulator: UInt16]

  /// - Parameter ports: the ports; not empty.
  init(_ ports: [Emulator: UInt16]) { self.ports = ports }

  /// The emulators that have a port, in their order.
  var emulators: [Emulator] { Emulator.allCases.filter { ports[$0] != nil } }
  var hasOnePort: Bool { Set(ports.values).count == 1 }

  /// Returns the port of an emulator; 0 if it has none.
  func port(of emulator: Emulator) -> UInt16 { ports[emulator] ?? 0 }
  /// Returns the address of an emulator, as `host:port`.
  func address(of emulator: Emulator) -> String { "127.0.0.1:\(port(of: emulator))" }
}
