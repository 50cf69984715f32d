extension ProductTemplates {
  /// The needs that the tests provide with a fake.
  private var faked: [ResolvedNeed] {
    needs.filter { need in if case .none = need.interop.fake { false } else { true } }
  }

  /// Whether the tests can create the product.
  private var isCreatable: Bool {
    needs.allSatisfy { need in
      need.isOptional || need.interop.isContributed || faked.contains { $0.parameter == need.parameter }
    }
  }

  var testsFile: String {
    let providing = isCreatable ? provides : nil
    let usesTesting = faked.contains { need in if case .testing = need.interop.fake { true } else { false } }
    let modules =
      ["TenonCore", "Testing"] + (isCreatable ? ["Foundation"] + faked.map(\.interop.module) : [])
      + (isCreatable && usesTesting ? ["TenonTesting"] : [])
      + [providing.map(self.modules.interop)].compactMap(\.self)
    let registration = """
        @Test func theLibraryIsRegistered() {
          #expect(LibraryRegistry.libraries.contains { $0.type == \(name)Library.self })
        }
      """
    let members =
      (isCreatable ? creation : []) + [registration] + (providing.map { [providingTest($0)] } ?? [])
    return """
      \(modules.sorted().map { "import \($0)" }.joined(separator: "\n"))

      @testable import \(module)

      struct \(name)Tests {
      \(members.joined(separator: "\n\n"))
      }
      \(templateFakes)
      """
  }

  private func component(_ need: ResolvedNeed) -> String {
    let value =
      if case .testing(let fake) = need.interop.fake { fake } else { "Fake\(need.interop.name)()" }
    return "Component((any \(need.interop.interface)).self) { _ in \(value) }"
      + (need.interop.isContributed ? ".contributing()" : "")
  }

  /// Whether the tests compare what is present and absent.
  private var hasOptionalFakes: Bool { faked.contains(where: \.isOptional) }

  /// The members that create the product with fakes of what it needs.
  private var creation: [String] {
    let required = faked.filter { !$0.isOptional }.map { "\n      \(component($0))" }.joined()
    let optional = faked.filter(\.isOptional).map { "\n        \(component($0))" }.joined()
    let condition = optional.isEmpty ? "" : "\n      if hasOptional {\(optional)\n      }"
    let property = hasOptionalFakes ? "\n    let hasOptional: Bool\n" : ""
    let fakes = """
        /// What other libraries would provide.
        private struct Fakes: ComponentSource {\(property)
          var components: [AnyComponent] {\(required)\(condition)
          }
        }
      """
    let argument = hasOptionalFakes ? "hasOptional: hasOptional" : ""
    let withApp = """
        private func withApp(\(hasOptionalFakes ? "hasOptional: Bool = true, " : "")_ body: (App) async throws -> Void) async throws {
          let app = try App.configure(
            name: "\(Names.kebab(name))-\\(UUID())", options: AppOptions(projectID: "demo", data: .memory),
            libraries: [\(name)Library.self]\(faked.isEmpty ? "" : ", sources: [Fakes(\(argument))]"))
          do { try await body(app) } catch {
            await app.delete()
            throw error
          }
          await app.delete()
        }
      """
    let instances = """
        @Test func anAppHasOneInstance() async throws {
          try await withApp { app in
            #expect(try \(name).\(accessor)(app: app) === \(name).\(accessor)(app: app))
          }
        }
      """
    return (faked.isEmpty ? [] : [fakes]) + [withApp, instances] + (hasOptionalFakes ? [usesTest] : [])
  }

  private var usesTest: String {
    let lines = faked.map { need in
      "      #expect(uses.contains(\"\(need.interop.interface)\")\(need.isOptional ? " == hasOptional" : ""))"
    }
    return """
        @Test(arguments: [true, false])
        func usesWhatIsPresent(hasOptional: Bool) async throws {
          try await withApp(hasOptional: hasOptional) { app in
            let uses = try \(name).\(accessor)(app: app).uses
      \(lines.joined(separator: "\n"))
          }
        }
      """
  }

  private var accessor: String { Names.member(name) }

  private func providingTest(_ interop: String) -> String {
    let uses = faked.map(\.interop.interface).joined(separator: ", ")
    return """
        @Test func otherProductsFindItByItsInterface() async throws {
          try await withApp { app in
            let found = try app.resolve((any \(modules.interface(interop))).self)
            #expect(try await found.status == "\(name) uses \(uses.isEmpty ? "nothing" : uses)")
          }
        }
      """
  }

  /// The fakes of interops that have the requirement of the template.
  private var templateFakes: String {
    guard isCreatable else { return "" }
    return faked.filter { need in if case .template = need.interop.fake { true } else { false } }.map {
      need in
      """

      private struct Fake\(need.interop.name): \(need.interop.interface) {
        var status: String { get async throws { "fake" } }
      }

      """
    }.joined()
  }
}
