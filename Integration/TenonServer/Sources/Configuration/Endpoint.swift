/// A port to listen on, and the emulators that are announced with it.
struct Endpoint: Sendable, Hashable {
  let emulators: [Emulator]
  /// The port; 0 for any free one.
  let port: UInt16
  /// What to do if it can't be listened on.
  let advice: String

  /// Returns one port for everything.
  static func one(_ port: UInt16) -> [Endpoint] {
    [
      Endpoint(
        emulators: Emulator.allCases, port: port,
        advice: "End the program that uses it, or choose another port with --port; 0 selects a free one.")
    ]
  }

  /// Returns the ports on which Firebase's clients look for emulators.
  static var google: [Endpoint] {
    Emulator.allCases.map {
      Endpoint(
        emulators: [$0], port: $0.defaultPort,
        advice: "End the program that uses it, or serve everything on one port with --ports one.")
    }
  }

  /// Returns the ports that a file names, each once.
  static func configured(_ ports: [Emulator: UInt16], in file: String) -> [Endpoint] {
    let free = ports.filter { $0.value == 0 }.map { (emulators: [$0.key], port: UInt16(0)) }
    let named = Dictionary(grouping: ports.filter { $0.value != 0 }, by: \.value).map {
      (emulators: $0.value.map(\.key).sorted { $0.order < $1.order }, port: $0.key)
    }
    return (free + named).sorted { $0.emulators[0].order < $1.emulators[0].order }.map {
      let member = "emulators.\($0.emulators[0].rawValue).port"
      return Endpoint(
        emulators: $0.emulators, port: $0.port,
        advice: "End the program that uses it, or change \(member) in \(file).")
    }
  }
}
