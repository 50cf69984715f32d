import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// The page of the data browser, in Chromium.
@Suite(
  .limited(of: .processes),
  .requires("Chromium isn't installed; Tools/bootstrap --all installs it") { HeadlessBrowser.path != nil }
) struct DataBrowserPageTests {
  private static let documents = "/v1/projects/\(ServedBackend.project)/databases/(default)/documents"
  private static let owner = ["Authorization": "Bearer owner"]

  private func withPage(
    _ address: String, _ body: (ServedBackend, HeadlessBrowser) async throws -> Void,
    preparing prepare: (ServedBackend) async throws -> Void
  ) async throws {
    try await withServedBackend { server in
      try await prepare(server)
      let browser = try await HeadlessBrowser()
      do {
        try await browser.open("\(server.page)\(address)")
        try await body(server, browser)
      } catch {
        await browser.close()
        throw error
      }
      await browser.close()
    }
  }

  private func set(_ server: ServedBackend, _ path: String, _ fields: JSON) async throws {
    let answer = try await server.send(
      .patch, "\(Self.documents)/\(path)", ["fields": fields], headers: Self.owner)
    #expect(answer.status == 200)
  }

  private func fields(_ server: ServedBackend, _ path: String) async throws -> JSON? {
    let answer = try await server.send(.get, "\(Self.documents)/\(path)", headers: Self.owner)
    return answer.status == 200 ? try JSON(parsing: answer.body)["fields"] : nil
  }

  @Test func aDocumentIsSeenEditedAndDeletedAndChangesElsewhereAppear() async throws {
    try await withPage("#/documents") { server, page in
      // The way to the document, with the keyboard only.
      try await page.wait(
        until: "document.querySelector('[role=treeitem]')?.ariaLabel === 'notes, collection'")
      try await page.value("document.querySelector('[role=treeitem]').focus()")
      try await page.press("ArrowRight", code: 39)
      try await page.wait(until: "document.querySelector('[aria-expanded=true]') !== null")
      try await page.press("ArrowDown", code: 40)
      try await page.press("Enter", code: 13)
      try await page.wait(until: "document.querySelector('h1')?.textContent === 'tea'")
      try await page.wait(until: "document.querySelector('#panel-fields')?.innerText.includes('Green')")

      try await page.click("button", "Edit title")
      try await page.value("document.querySelector('.editor textarea').select()")
      try await page.type("Black")
      try await page.click(".editor button", "Save")
      try await page.wait(until: "document.querySelector('#panel-fields').innerText.includes('Black')")
      let expected: JSON = ["title": ["stringValue": "Black"], "cups": ["integerValue": "1"]]
      #expect(try await fields(server, "notes/tea") == expected)

      try await page.wait(until: "document.querySelector('#live').dataset.state === 'live'")
      try await set(server, "notes/tea", ["title": ["stringValue": "Black"], "cups": ["integerValue": "42"]])
      try await page.wait(until: "document.querySelector('#panel-fields').innerText.includes('42')")

      try await page.click("button", "Delete document")
      try await page.click("dialog button", "Delete")
      try await page.wait(until: "location.hash === '#/documents/notes'")
      #expect(try await fields(server, "notes/tea") == nil)
    } preparing: { server in
      try await set(
        server, "notes/tea", ["title": ["stringValue": "Green"], "cups": ["integerValue": "1"]])
      try await set(server, "notes/water", [:])
    }
  }

  @Test func aDocumentThatIsAddedElsewhereAppearsInItsCollection() async throws {
    try await withPage("#/documents/notes") { server, page in
      try await page.wait(until: "document.querySelector('#live').dataset.state === 'live'")
      try await page.wait(until: "document.querySelectorAll('tbody tr').length === 1")
      try await set(server, "notes/water", [:])
      try await page.wait(until: "document.querySelectorAll('tbody tr').length === 2")
    } preparing: { server in
      try await set(server, "notes/tea", [:])
    }
  }

  /// The form that is open keeps what was typed, and says what has happened.
  @Test func aChangeElsewhereIsToldWhileAFieldIsEdited() async throws {
    try await withPage("#/documents/notes/tea") { server, page in
      try await page.wait(until: "document.querySelector('#live').dataset.state === 'live'")
      try await page.click("button", "Edit title")
      try await page.type("Mine ")
      try await set(server, "notes/tea", ["title": ["stringValue": "Theirs"]])
      try await page.wait(until: "document.querySelector('.editor .problem').innerText.includes('Theirs')")
      #expect(
        try await page.value("document.querySelector('.editor textarea').value.includes('Mine')") == true)
    } preparing: { server in
      try await set(server, "notes/tea", ["title": ["stringValue": "Green"]])
    }
  }

  @Test func documentsAreImportedFilteredAndDeletedWithTheirCollection() async throws {
    let form = "document.querySelector('dialog form')"
    try await withPage("#/documents") { server, page in
      try await page.click("button", "Import")
      let documents =
        #"{"cups/a": {"n": 1}, "cups/b": {"n": 2, "at": {"$timestamp": "2026-01-01T00:00:00Z"}}, "cups/a/sub/c": {}}"#
      let text = HeadlessBrowser.quoted(documents)
      try await page.value(
        "document.querySelector('dialog textarea').value = \(text); \(form).requestSubmit()")
      try await page.wait(until: "document.querySelector('dialog') === null")
      try await page.wait(until: "document.querySelector('.tree').innerText.includes('cups')")
      let expected: JSON = ["n": ["integerValue": "2"], "at": ["timestampValue": "2026-01-01T00:00:00Z"]]
      #expect(try await fields(server, "cups/b") == expected)

      try await page.value("location.hash = '#/documents/cups'")
      try await page.wait(until: "document.querySelectorAll('tbody tr').length === 2")
      try await page.value("document.querySelector('.filter').open = true")
      let condition = "document.querySelector('.condition')"
      try await page.value(
        "\(condition).querySelector('[name=field]').value = 'n'; \(condition).querySelector('[name=type]').value = 'integer'"
      )
      try await page.value("\(condition).querySelector('[name=value]').value = 'two'")
      try await page.value("document.querySelector('.filter form').requestSubmit()")
      try await page.wait(
        until: "document.querySelector('.filter .problem').innerText.includes('two isn’t an integer')")
      try await page.value("\(condition).querySelector('[name=value]').value = '2'")
      try await page.value("document.querySelector('.filter form').requestSubmit()")
      try await page.wait(until: "document.querySelector('tbody').innerText.startsWith('b')")
      #expect(try await page.value("document.querySelectorAll('tbody tr').length") == 1)

      try await page.click("button", "Delete collection")
      try await page.click("dialog button", "Delete")
      try await page.wait(until: "location.hash === '#/documents'")
      for path in ["cups/a", "cups/b", "cups/a/sub/c"] { #expect(try await fields(server, path) == nil) }
      #expect(try await fields(server, "cupsx/a") != nil)
    } preparing: { server in
      try await set(server, "cupsx/a", ["n": ["integerValue": "1"]])
    }
  }

  @Test func aDamagedImportSaysWhyAndImportsNothing() async throws {
    try await withPage("#/documents") { server, page in
      try await page.click("button", "Import")
      let texts = [
        ("{\"cups/a\": }", "isn’t JSON"), ("{\"cups\": {}}", "isn’t the path of a document"),
        ("[]", "isn’t an object"),
        ("{\"cups/a\": {\"n\": {\"$timestamp\": \"soon\"}}}", "cups/a: soon isn’t a time"),
        ("", "Choose a file"),
        ("{\"cups/a\": {}, \"cups/__b__\": {}}", "reserved"),
      ]
      for (text, reason) in texts {
        try await page.value(
          "document.querySelector('dialog textarea').value = \(HeadlessBrowser.quoted(text))")
        try await page.value("document.querySelector('dialog form').requestSubmit()")
        try await page.wait(
          until: "document.querySelector('dialog .problem').innerText.includes('\(reason)')")
      }
      #expect(try await fields(server, "cups/a") == nil)
    } preparing: { _ in
    }
  }

  @Test func usersThatAreAddedOrChangedElsewhereAppear() async throws {
    let users = "/identitytoolkit.googleapis.com/v1/projects/\(ServedBackend.project)/accounts"
    func send(_ server: ServedBackend, _ path: String, _ body: JSON) async throws {
      #expect(try await server.send(.post, "\(users)\(path)", body, headers: Self.owner).status == 200)
    }
    try await withPage("#/users") { server, page in
      try await page.wait(until: "document.querySelectorAll('tbody tr').length === 1")
      try await page.value("document.querySelector('tbody a').focus()")
      try await send(server, "", ["localId": "ben", "email": "ben@example.com"])
      try await page.wait(until: "document.querySelectorAll('tbody tr').length === 2")
      // What had the focus still has it.
      #expect(try await page.value("document.activeElement.hash") == "#/users/ann")

      try await page.value("location.hash = '#/users/ann'")
      try await page.wait(until: "document.querySelector('h1')?.textContent === 'ann@example.com'")
      try await send(server, ":update", ["localId": "ann", "displayName": "Ann"])
      let name = "document.querySelector('form input')"
      try await page.wait(until: "\(name).value === 'Ann'")
      // A form that is being edited keeps what was typed.
      try await page.value("\(name).focus()")
      try await page.type("Mary ")
      try await send(server, ":update", ["localId": "ann", "displayName": "Anna"])
      try await page.wait(
        until: "document.querySelector('form .problem')?.innerText.includes('changed elsewhere')")
      #expect(try await page.value("\(name).value.includes('Mary')") == true)
    } preparing: { server in
      try await send(server, "", ["localId": "ann", "email": "ann@example.com"])
    }
  }

  @Test func objectsAreUploadedAndThoseOfOthersAppear() async throws {
    let bucket = "\(ServedBackend.project).appspot.com"
    let objects = "/storage/v1/b/\(bucket)/o"
    func upload(_ server: ServedBackend, _ name: String) async throws {
      let answer = try await server.send(
        .post, "/upload\(objects)?uploadType=media&name=\(name)", "text",
        headers: Self.owner.merging(["Content-Type": "text/plain"]) { $1 })
      #expect(answer.status == 200)
    }
    try await withPage("#/objects/\(bucket)/teas%2F") { server, page in
      try await page.wait(until: "document.querySelector('main').innerText.includes('There is nothing here')")
      try await page.click("button", "Upload")
      try await page.value(
        """
        (() => {
          const files = new DataTransfer();
          files.items.add(new File(['Green tea'], 'green.txt', { type: 'text/plain' }));
          const input = document.querySelector('dialog input[type=file]');
          input.files = files.files;
          input.dispatchEvent(new Event('change'));
        })()
        """)
      #expect(
        try await page.value("document.querySelector('dialog input[type=text]').value") == "teas/green.txt")
      try await page.click("dialog button", "Upload")
      try await page.wait(until: "document.querySelector('.preview pre')?.innerText === 'Green tea'")
      let content = try await server.send(.get, "\(objects)/teas%2Fgreen.txt?alt=media", headers: Self.owner)
      #expect(String(decoding: content.body, as: UTF8.self) == "Green tea")
      #expect(content.headers["Content-Type"]?.hasPrefix("text/plain") == true)

      try await page.value("location.hash = '#/objects/\(bucket)/teas%2F'")
      try await page.wait(until: "document.querySelectorAll('tbody tr').length === 1")
      try await upload(server, "teas%2Fblack.txt")
      try await page.wait(until: "document.querySelectorAll('tbody tr').length === 2")

      try await page.value("location.hash = '#/objects/\(bucket)/teas%2Fblack.txt'")
      try await page.wait(until: "document.querySelector('.preview pre')?.innerText.includes('text')")
      let deletion = try await server.send(.delete, "\(objects)/teas%2Fblack.txt", headers: Self.owner)
      #expect(deletion.status == 204)
      try await page.wait(
        until: "document.querySelector('main').innerText.includes('The object was deleted')")
    } preparing: { _ in
    }
  }

  @Test func nothingFromTheDataRunsAsAScript() async throws {
    let markup = "\"><img src=x onerror=\"window.owned=1\"><script>window.owned=1</script>"
    let name = "x\"><img src=x onerror=window.owned=1>"
    let encoded = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let bucket = "\(ServedBackend.project).appspot.com"
    let field = "`<img src=x onerror=window.owned=1>`"
    try await withPage("#/documents/odd") { server, page in
      let pages = [
        ("#/documents/odd", "tbody tr", "onerror"), ("#/documents/odd/\(encoded)", ".field-row", "onerror"),
        ("#/objects/\(bucket)", "tbody tr", "onerror"),
        ("#/objects/\(bucket)/\(encoded)", ".preview pre", "onerror"),
        ("#/users", "tbody tr", "onerror"), ("#/functions", ".card", "echo"),
      ]
      for (address, selector, text) in pages {
        try await page.value("location.hash = \(HeadlessBrowser.quoted(address))")
        try await page.wait(until: "document.querySelector('main').innerText.includes('\(text)')")
        try await page.wait(until: "document.querySelector('\(selector)') !== null")
        let images = "[...document.images].filter(image => !image.src.startsWith('blob:')).length"
        #expect(try await page.value(images) == 0, "\(address)")
        #expect(try await page.value("window.owned ?? 0") == 0, "\(address)")
      }
      // A mistake in a script of the page couldn't add markup or a script either.
      for mistake in [
        "document.body.innerHTML = '<b>'",
        "document.createElement('script').textContent = 'window.owned = 1'",
      ] {
        let outcome = try await page.value("try { \(mistake); 'done' } catch (error) { error.name }")
        #expect(outcome == "TypeError", "\(mistake)")
      }
    } preparing: { server in
      try await set(
        server, "odd/\(encoded)",
        [
          "text": .string(markup).typed, "map": ["mapValue": ["fields": ["<b>": .string(markup).typed]]],
          String(field.dropFirst().dropLast()): .string(markup).typed,
        ])
      let upload = "/upload/storage/v1/b/\(bucket)/o?uploadType=media&name=\(encoded)"
      let stored = try await server.send(
        .post, upload, .string(markup), headers: Self.owner.merging(["Content-Type": "text/html"]) { $1 })
      #expect(stored.status == 200)
      let users = "/identitytoolkit.googleapis.com/v1/projects/\(ServedBackend.project)/accounts"
      let user = try await server.send(
        .post, users, ["displayName": .string(markup)], headers: Self.owner)
      #expect(user.status == 200)
    }
  }

  @Test func withoutTheTokenThePageSaysHowToGetTheLink() async throws {
    try await withServedBackend { server in
      let browser = try await HeadlessBrowser()
      try await browser.open("http://\(server.address)/")
      try await browser.wait(until: "document.querySelector('h1')?.textContent === 'The link is needed'")
      await browser.close()
    }
  }
}

extension JSON {
  /// A string as a value of Firestore.
  fileprivate var typed: JSON { ["stringValue": self] }
}
