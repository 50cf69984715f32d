import Foundation
import TenonCore
import TenonTestSupport
import Testing

@testable import tenon

/// The graph of a configured app, which also has what has been created.
@Suite(.limited) struct RunningAppGraphTests {
  struct Engine: Sendable {}
  struct Car: Sendable {}
  struct Garage: Sendable {}

  enum Cars: Library {
    static let name = "cars"
    static let version = SemanticVersion(1, 2, 3)
    static var components: [AnyComponent] {
      Component(Engine.self) { _ in Engine() }
      Component(Car.self, needs: .required(Engine.self)) { _, _ in Car() }
      Component(Garage.self) { _ in Garage() }
    }
  }

  @Test func orderAndTimesOfCreationAreShown() async throws {
    let app = try App.configure(
      name: "tenon-graph", options: AppOptions(projectID: "p"), libraries: [Cars.self])
    _ = try app.resolve(Car.self)
    let graph = app.graph
    await app.delete()
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-graph-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(graph.json.utf8).write(to: file)

    let document = try GraphCommand.read(file.path)
    #expect(document.graph == graph)
    #expect(document.title == file.lastPathComponent)
    #expect(document.text.contains("Engine (shared, lazy, created as number 1)"))
    #expect(document.text.contains("Car (shared, lazy, created as number 2)"))
    #expect(document.text.contains("Garage (shared, lazy)\n"))

    let html = try GraphFormat.html.render(document)
    #expect(html.contains("<dt>Created</dt><dd>2</dd>"))
    let seconds = try #require(graph.components.first { $0.name == "Car" }?.creationSeconds)
    let time = String(format: "%.3f ms", seconds * 1000)
    #expect(html.contains(">Car</a></td><td class=\"number\">\(time)</td>"))
    #expect(html.contains("shared, lazy, created as number 2 in \(time), needed by 0</p>"))
    #expect(html.contains("\"order\":2") && html.contains("\"hasTimes\":true"))
  }
}
