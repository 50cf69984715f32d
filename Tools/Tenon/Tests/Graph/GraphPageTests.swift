import Foundation
import TenonCore
import TenonProcesses
import TenonTestSupport
import Testing

@testable import tenon

@Suite(.limited) struct GraphPageTests {
  private static let hostile = "</script><img src=x onerror=document.title='owned'>\u{2028}\"'&"

  private func page(_ json: Data, title: String = "sample") throws -> String {
    try GraphFormat.html.render(GraphDocument(json: json, title: title))
  }

  private func hostilePage() throws -> String {
    let name = Self.hostile
    return try page(
      SampleGraph.json([(name, [("optional", name + "1", []), ("required", name, [name])])], library: name),
      title: name)
  }

  /// The JSON that the page's script reads.
  private func data(of page: String) throws -> Data {
    let start = try #require(page.range(of: "id=\"data\">"))
    let end = try #require(page[start.upperBound...].range(of: "</script>"))
    return Data(page[start.upperBound..<end.lowerBound].utf8)
  }

  @Test func containsEveryComponentAndNeed() throws {
    let html = try page(
      SampleGraph.json([
        ("Store", [("required", "Auth", ["Auth"]), ("optional", "any Haptics", [])]),
        ("Auth", [("required", "any Clock", [])]),
      ]))
    let content = try #require(try JSONSerialization.jsonObject(with: data(of: html)) as? [String: Any])
    let components = try #require(content["components"] as? [[String: Any]])
    #expect(components.compactMap { $0["name"] as? String } == ["Store", "Auth"])
    let needs = try #require(components[0]["needs"] as? [[String: Any]])
    #expect(needs.compactMap { $0["providers"] as? [Int] } == [[1], []])
    let missing = try #require(components[1]["needs"] as? [[String: Any]]).map { $0["isMissing"] as? Bool }
    #expect(needs.map { $0["isMissing"] as? Bool } == [false, false] && missing == [true])
    #expect(html.contains("<li>any Haptics, optional: absent</li>"))
    #expect(html.contains("<li>any Clock, required: missing</li>"))
    #expect(html.contains("<li>Auth, required: <a href=\"#c1\">Auth</a></li>"))
  }

  @Test func namesAreInert() throws {
    let html = try hostilePage()
    #expect(!html.contains("<img"))
    #expect(html.components(separatedBy: "</script>").count == 3)
    let text = String(decoding: try data(of: html), as: UTF8.self)
    #expect(!text.unicodeScalars.contains("\u{2028}"))
    let content = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(content["title"] as? String == Self.hostile)
  }

  @Test func refersToNothingElsewhere() throws {
    let html = try page(SampleGraph.json([("Auth", [])]))
    for reference in ["http:", "https:", "src=", "@import", "url(h"] { #expect(!html.contains(reference)) }
    #expect(html.contains("default-src 'none'"))
  }

  @Test func thePolicyAdmitsOnlyTheScriptAndTheStyleOfThePage() throws {
    let (first, second) = (try hostilePage(), try hostilePage())
    let nonce = try #require(first.firstMatch(of: /script-src 'nonce-([^']+)'/)).1
    #expect(first.contains("style-src 'nonce-\(nonce)'"))
    #expect(first.contains("<script nonce=\"\(nonce)\">") && first.contains("<style nonce=\"\(nonce)\">"))
    #expect(!second.contains(nonce))
  }

  @Test func anEmptyGraphHasASentenceInsteadOfAList() throws {
    let html = try GraphFormat.html.render(GraphDocument(title: "sample", graph: SampleGraph.graph([])))
    #expect(html.contains("<p class=\"panel\">The graph has no components.</p>"))
    #expect(!html.contains("<nav") && !html.contains("<script"))
  }

  @Test func aContainerHasNoLibrariesAndItsDrawingIsFirst() throws {
    let json = #"""
      {"libraries": [], "components": [{"name": "Cart", "provides": ["Cart"], "contributes": [], "needs": [],
       "scope": "shared", "timing": "lazy", "arguments": [], "isInherited": false}]}
      """#
    let html = try page(Data(json.utf8))
    let body = try #require(
      html.components(separatedBy: "</style>").last?.components(separatedBy: "<script").first)
    #expect(!body.contains("No library") && !body.contains("<dt>Libraries</dt>") && body.contains("Cart"))
    let drawing = try #require(body.firstRange(of: "id=\"drawing-area\""))
    let list = try #require(body.firstRange(of: "<nav"))
    #expect(drawing.upperBound < list.lowerBound)
  }

  @Test func aThousandComponentsStaySmall() throws {
    let graph = try SampleGraph.graph((0..<1000).map { $0 < 3 ? [] : [$0 - 1, $0 - 2, $0 / 2] })
    let size = try GraphFormat.html.render(GraphDocument(title: "large", graph: graph)).utf8.count
    #expect(size < 1_500_000)
  }

  @Test func problemsAreListed() throws {
    let json = #"{"number":"TENON-102","message":"<b> is missing.","repairs":["Link it."]}"#
    let problem = try JSONDecoder().decode(Inspection.Problem.self, from: Data(json.utf8))
    var document = GraphDocument(title: "sample", graph: try SampleGraph.graph([[]]))
    document.problems = [problem]
    #expect(try GraphFormat.html.render(document).contains("&lt;b&gt; is missing. [TENON-102]"))
    #expect(document.text.contains("<b> is missing. [TENON-102]\n    - Link it."))
  }

  // MARK: - In a browser

  private static let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(.requires("Chromium isn't installed; Tools/bootstrap --all installs it") { browser != nil })
  func aBrowserRunsTheScriptAndNoName() throws {
    let browser = try #require(Self.browser)
    let folder = FileManager.default.temporaryDirectory.appending(path: "tenon-graph-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "page.html")
    try Data(hostilePage().utf8).write(to: file)
    let process = Process()
    process.executableURL = URL(filePath: browser)
    process.arguments = [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--user-data-dir=\(folder.appending(path: "profile").path)", "--timeout=20000", "--dump-dom",
      file.absoluteString + "#c0",
    ]
    let pipe = Pipe.exclusive
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.start()
    let dom = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(dom.contains("data-ready=\"true\""))
    #expect(dom.contains("aria-label=\"Drawing of 2 boxes"))
    #expect(dom.contains("Why it is here"))
    #expect(!dom.contains("<img"))
    #expect(!dom.contains("<title>owned</title>"))
  }
}
