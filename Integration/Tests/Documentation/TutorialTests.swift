import Foundation
import TenonTestSupport
import Testing

/// The code of every step of a tutorial compiles, and every file is a step.
@Suite(.limited) struct TutorialTests {
  private static let folder = packageRoot.appending(path: "Documentation/Tenon.docc/Tutorials")
  static let steps = (try? Page.files(in: folder, named: ".swift").map(\.lastPathComponent)) ?? []

  /// The part of SwiftUI that the steps use, for systems without it.
  private static let standIn = """
    @MainActor @resultBuilder enum ViewBuilder {
      static func buildExpression(_ view: some View) -> AnyView { AnyView() }
      static func buildBlock(_ views: AnyView...) -> AnyView { AnyView() }
      static func buildOptional(_ view: AnyView?) -> AnyView { AnyView() }
    }
    @MainActor protocol View {
      associatedtype Body: View
      @ViewBuilder var body: Body { get }
    }
    struct AnyView: View { var body: AnyView { self } }
    struct Text: View {
      init(_ text: String) {}
      var body: AnyView { AnyView() }
    }
    struct Button: View {
      init(_ title: String, action: @escaping @MainActor () -> Void) {}
      var body: AnyView { AnyView() }
    }
    struct ForEach<Element: Identifiable, Content: View>: View {
      init(_ data: [Element], @ViewBuilder content: @escaping (Element) -> Content) {}
      var body: AnyView { AnyView() }
    }
    @propertyWrapper struct State<Value> { var wrappedValue: Value }

    """

  @Test(arguments: steps) func everyStepCompiles(step: String) async throws {
    var source = try String(contentsOf: Self.folder.appending(path: "Code/\(step)"), encoding: .utf8)
    #if !canImport(SwiftUI)
      if source.contains("import SwiftUI\n") {
        source = source.replacing("import SwiftUI\n", with: "\n") + Self.standIn
      }
    #endif
    let found = try await SwiftCompiler.diagnostics(of: source)
    #expect(found == [], "\(found.map(\.description).joined(separator: "\n"))")
  }

  @Test func everyFileIsAStep() throws {
    let tutorials = try Page.files(in: Self.folder, named: ".tutorial")
    #expect(tutorials.count == 4 && Self.steps.count >= 10)
    let texts = try tutorials.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    let shown = texts.matches(of: /file: "([^"]+)"/).map { String($0.1) }
    #expect(shown.sorted() == Self.steps.sorted())
  }
}
