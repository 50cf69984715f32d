// sample: mainActor, actor, globalActor
import TenonCore

// sample: end
// sample: mainActor
@MainActor final class Window {
  private(set) var lines: [String] = []
  func show(_ line: String) { lines.append(line) }
}

@MainActor final class Editor {
  let window: Window
  var theme: String?
  init(window: Window) { self.window = window }
}

// sample: end
func mainActorComponents() async throws {
  // sample: mainActor
  let container = try ComponentContainer {
    Component(String.self) { _ in "dark" }
    Component.onMainActor(Window.self) { _ in Window() }
    Component.onMainActor(Editor.self, needs: .required(Window.self)) { _, window in
      Editor(window: window)
    }
    .injectingOnMainActor(String.self) { editor, theme in editor.theme = theme }
  }
  let editor = try await container.resolveOnMainActor(Editor.self)
  await MainActor.run {
    editor.window.show("Opened.")
    print(editor.window.lines, editor.theme ?? "")
  }
  // sample: end
}

// sample: actor
/// Not Sendable: it must stay where it was created.
final class Parser {
  private var count = 0
  let separator: Character
  init(separator: Character) { self.separator = separator }
  func fields(of line: String) -> Int {
    count += line.split(separator: separator).count
    return count
  }
}

actor Importer {
  private let parser: Parser
  init(separator: Character) { parser = Parser(separator: separator) }
  func add(_ line: String) -> Int { parser.fields(of: line) }
}

// sample: end
func actorConfinement() async throws {
  // sample: actor
  let container = try ComponentContainer {
    Component(Character.self) { _ in ";" }
    Component(from: Importer.init(separator:))
  }
  let importer = try container.resolve(Importer.self)
  _ = await importer.add("a;b")
  print(await importer.add("c;d;e"))
  // sample: end
}

// sample: globalActor
@globalActor actor Importing {
  static let shared = Importing()
}

/// What creates an object that isn't Sendable, where it is needed.
struct MakeReader: Sendable {
  let make: @Sendable () -> Reader
}

final class Reader {
  var lines = 0
  func read(_ text: String) { lines += text.split(separator: "\n").count }
}

@Importing final class Archive {
  private let makeReader: MakeReader
  private lazy var reader = makeReader.make()
  nonisolated init(makeReader: MakeReader) { self.makeReader = makeReader }
  func add(_ text: String) -> Int {
    reader.read(text)
    return reader.lines
  }
}

// sample: end
func globalActorConfinement() async throws {
  // sample: globalActor
  let container = try ComponentContainer {
    Component(MakeReader.self) { _ in MakeReader { Reader() } }
    Component(from: Archive.init(makeReader:))
  }
  let archive = try container.resolve(Archive.self)
  print(await archive.add("one\ntwo"))
  // sample: end
}
