import Foundation
import TenonTestSupport
import Testing

@testable import TenonCore

@Suite(.limited) struct DescriptionTests {
  private static let options = AppOptions(
    projectID: "demo-project", apiKey: "AIzaSyExample", storageBucket: "demo.appspot.com", data: .memory)

  private func dumped(_ value: some Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  @Test func p6TheAPIKeyIsInNoDescriptionOfOptions() {
    for text in [
      "\(Self.options)", String(reflecting: Self.options), dumped(Self.options), dumped([Self.options]),
    ] {
      #expect(!text.contains("AIza"), "\(text)")
      #expect(text.contains("demo-project") && text.contains("(hidden)"), "\(text)")
    }
    #expect(
      "\(AppOptions(projectID: "demo-project"))".hasPrefix("AppOptions(projectID: demo-project, backend: "))
  }

  @Test func p6TheAPIKeyIsInNoDescriptionOfAnApp() async throws {
    let app = try App.configure(name: "described", options: Self.options, libraries: []) {
      Component(AppOptions.self) { try $0.app.options }
    }
    _ = try app.resolve(AppOptions.self)
    for text in ["\(app)", String(reflecting: app), dumped(app), dumped(app.context)] {
      #expect(!text.contains("AIza"), "\(text)")
      #expect(text.contains("demo-project"), "\(text)")
    }
    await app.delete()
  }
}
