extension ProductTemplates {
  private var accessor: String { Names.member(name) }

  /// The first line of a program.
  private func heading(_ combination: Combination) -> String {
    let others = combination.products.dropFirst()
    return others.isEmpty
      ? "// \(name) without the products that it can use."
      : "// \(name) with \(others.joined(separator: " and ")), found because \(others.count == 1 ? "it is" : "they are") linked."
  }

  /// A program of a package that depends on Tenon.
  func mainFile(_ combination: Combination) -> String {
    let linked = links(combination).map(\.module)
    let backend = linked.contains("TenonEmbedded") ? ", backend: .embedded(directory: nil)" : ""
    return """
      \(heading(combination))
      \((linked + [module, "TenonCore"]).sorted().map { "import \($0)" }.joined(separator: "\n"))

      let app = try App.configure(
        options: AppOptions(projectID: "demo-\(Names.kebab(name))"\(backend), data: .memory))
      let instance = try \(name).\(accessor)(app: app)
      print(app.graph)
      print("\(name) uses \\(instance.uses.isEmpty ? "nothing" : instance.uses.joined(separator: ", "))")
      await app.delete()

      """
  }

  /// A program of Tenon itself.
  func ownMainFile(_ combination: Combination) -> String {
    let products = links(combination).map(\.module).filter { $0 != "TenonEmbedded" }
    return """
      \(heading(combination))
      \((products + ["IntegrationReport", "TenonCore", "\(name)Features"]).sorted().map { "import \($0)" }.joined(separator: "\n"))

      let app = try Launch.app(
        AppOptions(projectID: "demo-\(Names.kebab(name))", backend: .embedded(directory: nil)))
      try await \(name)Features.tried(in: app).print()
      await app.delete()

      """
  }

  /// What the programs of Tenon itself try out.
  var featuresFile: String {
    """
    package import IntegrationReport
    package import TenonCore
    import \(module)

    /// What \(name) does on the embedded backend, tried out in the same way in every combination of products.
    package enum \(name)Features {
      /// Uses \(name) in an app, and returns what it did.
      package static func tried(in app: App) async throws -> IntegrationReport {
        let uses = try \(name).\(accessor)(app: app).uses
        return IntegrationReport(
          graph: app.graph,
          features: [.init("Interfaces in use", uses.isEmpty ? "none" : uses.joined(separator: ", "))])
      }
    }

    """
  }
}
