import TenonCore

/// Reads the options of the property list, and how much is logged.
func defaultOptions() {
  // expect: 'FirebaseOptions' has been renamed to 'AppOptions'
  // expect: 'defaultOptions()' is unavailable: App.configure() finds the options of GoogleService-Info.plist, tenon.json and the environment. To read them without an app, call try AppOptions.discovered().
  let options = FirebaseOptions.defaultOptions()
  // expect: 'bundleID' is unavailable: No product uses the bundle's ID. Read it from Bundle.main.bundleIdentifier.
  // expect: 'clientID' is unavailable: No product uses the client's ID. Pass it to the Google Sign-In SDK yourself.
  // expect: 'databaseURL' is unavailable: Tenon has no Realtime Database. Remove the line.
  print(options?.bundleID ?? "none", options?.clientID ?? "none", options?.databaseURL ?? "none")
  // expect: 'FirebaseConfiguration' is unavailable: Set the level of the log with the environment variable TENON_LOG, for example debug.
  FirebaseConfiguration.shared.setLoggerLevel(.debug)
  // expect: 'FirebaseApp' has been renamed to 'App'
  // expect: 'isDataCollectionDefaultEnabled' is unavailable: Tenon collects no data. Remove the line.
  FirebaseApp.app()?.isDataCollectionDefaultEnabled = false
}
