import TenonCore
import TenonStore

/// A second project, with the types' names already changed.
func secondAppRenamed(options: AppOptions) throws {
  // expect: call can throw but is not marked with 'try'
  App.configure(name: "archive", options: options)
  guard let archive = App.app(name: "archive") else {
    return
  }
  let db = try Store.store(app: archive)
  print(archive.name, archive.options.projectID ?? "none", db)
}
