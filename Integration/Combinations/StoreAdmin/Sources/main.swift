// Store with Admin, on the embedded backend: a server reads and writes past the security rules.
import IntegrationReport
import StoreFeatures
import TenonAdmin
import TenonCore
import TenonEmbedded

try await Launch.withTemporaryDirectory { directory in
  let app = try Launch.app(
    AppOptions(projectID: "demo-store", backend: .embedded(directory: directory)))
  try Embedded.embedded().onDocumentAccess { $0.path != StoreFeatures.secret }
  try await StoreFeatures.tried(in: app).print()
  await app.delete()
}
