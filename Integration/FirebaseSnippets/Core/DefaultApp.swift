import TenonCore

/// Configures once, wherever the program begins.
func configureOnce() {
  // expect: 'FirebaseApp' has been renamed to 'App'
  if FirebaseApp.app() == nil {
    // expect: 'FirebaseApp' has been renamed to 'App'
    // expect: call can throw, but it is not marked with 'try' and the error is not handled
    FirebaseApp.configure()
  }
  // expect: 'FirebaseApp' has been renamed to 'App'
  // expect: 'googleAppID' has been renamed to 'appID'
  // expect: 'allApps' is unavailable: The apps are a list: App.all. One by its name is App.app(name: …).
  print(FirebaseApp.app()?.options.googleAppID ?? "none", FirebaseApp.allApps?.count ?? 0)
}
