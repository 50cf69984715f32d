// sample: registration, assemblies, scopes
import TenonCore

// sample: end
func registration() async throws {
  // sample: registration
  protocol Instrument: Sendable { var sound: String { get } }
  struct Violin: Instrument { let sound = "violin" }
  struct Drum: Instrument { let sound: String }

  struct Musician: Sendable {
    let name: String
    let instrument: any Instrument
    func play() { print("\(name) plays the \(instrument.sound).") }
  }

  let container = try ComponentContainer {
    Component((any Instrument).self) { _ in Violin() }
    Component((any Instrument).self) { _ in Drum(sound: "timpani") }.named("loud")
    Component(
      Musician.self, needs: .required((any Instrument).self, named: "loud"), arguments: String.self
    ) { _, name, instrument in Musician(name: name, instrument: instrument) }
  }
  print(try container.resolve((any Instrument).self).sound)
  try container.resolve(Musician.self, arguments: "Ada").play()
  // sample: end
}

func assemblies() async throws {
  // sample: assemblies
  protocol Player: Sendable { var part: String { get } }
  struct Flute: Player { let part = "melody" }
  struct Cello: Player { let part = "bass" }
  struct Concert: Sendable { let parts: [String], title: String }

  struct Winds: ComponentSource {
    var components: [AnyComponent] {
      Component(Flute.self) { _ in Flute() }.contributing(to: (any Player).self) { $0 }
    }
  }

  struct Strings: ComponentSource {
    var components: [AnyComponent] {
      Component(Cello.self) { _ in Cello() }.contributing(to: (any Player).self) { $0 }
    }
  }

  let container = try ComponentContainer {
    Winds().components
    Strings().components
    Component(String.self) { _ in "Rehearsal" }
    Component(Concert.self, needs: .all((any Player).self), .required(String.self)) { _, players, title in
      Concert(parts: players.map(\.part), title: title)
    }
  }
  let gala = try container.child { Component(String.self) { _ in "Gala" } }
  print(try gala.resolve(Concert.self).title, try container.resolve(Concert.self).title)
  print(try container.resolve(Concert.self).parts)
  // sample: end
}

func scopesAndResets() async throws {
  // sample: scopes
  final class Score: Sendable {}
  final class Login: Sendable {}

  let container = try ComponentContainer {
    Component(Score.self) { _ in Score() }.scope(.weak)
    Component(Login.self) { _ in Login() }.scope(.pool("session"))
      .onDelete { _ in print("Signed out.") }
  }
  let login = try container.resolve(Login.self)
  let score = try container.resolve(Score.self)
  print(try container.resolve(Score.self) === score)
  await container.reset(.pool("session"))
  print(try container.resolve(Login.self) === login)
  // sample: end
}
