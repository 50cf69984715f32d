import TenonAuth

/// The emulator, the language and the tenant.
func authEmulator() throws {
  // expect: 'useEmulator(withHost:port:)' is unavailable: The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, apiKey: "any", backend: .emulator(EmulatorHosts(auth: "127.0.0.1:9099")))).
  try Auth.auth().useEmulator(withHost: "127.0.0.1", port: 9099)
  // expect: 'useAppLanguage()' is unavailable: Set the language: auth.languageCode = Locale.current.language.languageCode?.identifier.
  try Auth.auth().useAppLanguage()
  try Auth.auth().languageCode = "sv"
  try Auth.auth().tenantID = "harbour"
  // expect: 'useUserAccessGroup' is unavailable: Sessions aren't shared by access groups. Provide a SessionStore as a component of the app.
  try? Auth.auth().useUserAccessGroup("TEAM.com.example.group")
}
