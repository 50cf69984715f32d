import Foundation
import TenonFoundation
import TenonProcesses
import TenonTestSupport
import TenonTransport
import Testing

/// Chromium without a window, which a test controls over pipes
/// (https://chromedevtools.github.io/devtools-protocol/). It ends with ``close()`` and with this process.
final class HeadlessBrowser: Sendable {
  static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private let process: RunningExecutable
  private let input = Pipe.exclusive
  private let profile = FileManager.default.temporaryDirectory.appending(path: "tenon-browser-\(UUID())")
  private let lastID = Lock(0)
  private let session = Lock("")

  /// A failed command of the DevTools protocol.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  init() async throws {
    let path = try #require(Self.path)
    // Chromium reads commands from descriptor 3 and writes answers to 4, each followed by a zero.
    let arguments = [
      "-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null", path, "--headless", "--no-sandbox",
      "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
      "--user-data-dir=\(profile.path)", "about:blank",
    ]
    process = try Executable(path: "/bin/sh").start(arguments, input: input)
    let target = try await command("Target.createTarget", ["url": "about:blank"])["targetId"] ?? .null
    let attached = try await command("Target.attachToTarget", ["targetId": target, "flatten": true])
    session.withLock { $0 = attached["sessionId"]?.string ?? "" }
  }

  /// Sends a command, and returns its result.
  @discardableResult
  func command(_ method: String, _ parameters: JSON = [:]) async throws -> JSON {
    let id = lastID.withLock { last in
      last += 1
      return last
    }
    var command: [String: JSON] = [
      "id": .int(Int64(id)), "method": .string(method), "params": parameters,
    ]
    let session = session.withLock { $0 }
    if !session.isEmpty { command["sessionId"] = .string(session) }
    try input.fileHandleForWriting.write(contentsOf: try JSON.object(command).serialized + Data([0]))
    let mark = "{\"id\":\(id),"
    let output = await process.output { text in
      text.split(separator: "\0", omittingEmptySubsequences: false).dropLast().contains { $0.hasPrefix(mark) }
    }
    let answer = output?.split(separator: "\0").last { $0.hasPrefix(mark) }
    guard let answer else { throw Problem(description: "The browser has ended. \(method)") }
    let json = try JSON(parsing: Data(answer.utf8))
    guard let result = json["result"] else { throw Problem(description: "\(method): \(json)") }
    return result
  }

  func open(_ address: String) async throws { try await command("Page.navigate", ["url": .string(address)]) }

  /// Returns the value of an expression of JavaScript, after waiting for a promise.
  @discardableResult
  func value(_ expression: String) async throws -> JSON {
    let result = try await command(
      "Runtime.evaluate",
      ["expression": .string(expression), "awaitPromise": true, "returnByValue": true])
    guard result["exceptionDetails"] == nil else { throw Problem(description: "\(expression): \(result)") }
    return result["result"]?["value"] ?? .null
  }

  /// Waits until an expression of JavaScript is true in the page.
  func wait(until expression: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let wait = """
      new Promise((done, failed) => {
        const end = Date.now() + 30000;
        const step = () => {
          try { if (\(expression)) return done(true); } catch {}
          if (Date.now() > end) return failed(new Error('in vain'));
          setTimeout(step, 20);
        };
        step();
      })
      """
    do { try await value(wait) } catch {
      let text = try await value("document.body.innerText").string ?? ""
      Issue.record("In vain: \(expression)\n\(text.prefix(2_000))", sourceLocation: sourceLocation)
      throw error
    }
  }

  /// Clicks on the only element of a kind with a label or a text.
  func click(_ selector: String, _ label: String) async throws {
    try await wait(until: "\(Self.found(selector, label)).length === 1")
    try await value("\(Self.found(selector, label))[0].click()")
  }

  /// Types into the focused element.
  func type(_ text: String) async throws { try await command("Input.insertText", ["text": .string(text)]) }

  /// Presses a key.
  func press(_ key: String, code: Int64) async throws {
    for kind in ["keyDown", "keyUp"] {
      try await command(
        "Input.dispatchKeyEvent",
        [
          "type": .string(kind), "key": .string(key), "code": .string(key),
          "windowsVirtualKeyCode": .int(code),
        ])
    }
  }

  static func found(_ selector: String, _ label: String) -> String {
    "[...document.querySelectorAll(\(quoted(selector)))].filter(each => "
      + "(each.getAttribute('aria-label') ?? each.textContent.trim()) === \(quoted(label)))"
  }

  /// Returns text as a literal of JavaScript.
  static func quoted(_ text: String) -> String {
    (try? JSON.string(text).serialized).map { String(decoding: $0, as: UTF8.self) } ?? "''"
  }

  func close() async {
    _ = try? await command("Browser.close")
    try? input.fileHandleForWriting.close()
    _ = await process.result()
    try? FileManager.default.removeItem(at: profile)
  }
}
