import Foundation

/// Runs one of the samples of the documentation, each in a separate process, because a sample configures the
/// default app.
@main struct Samples {
  /// The samples that can be run, by the name that the documentation uses.
  static let all: [String: @Sendable () async throws -> Void] = [
    "Store.first": firstStore, "Presence.calls": presence, "Presence.graph": presenceGraph,
    "Presence.problems": problems, "OfflineFirst.write": writeOffline,
    "OfflineFirst.pending": pendingWrites, "OfflineFirst.rejected": rejectedWrites,
    "Databases.several": severalDatabases, "Databases.collections": localCollections,
    "WeatherApp.use": useWeather, "Containers.container": container, "Containers.scopes": scopes,
    "Security.locations": dataLocations, "Life.component": lifeOfAComponent, "Life.token": lifeOfAToken,
    "Life.write": lifeOfAWrite, "Performance.handle": borrow, "Performance.explain": explain,
    "Modules.storage": storeObjects,
    "Modules.appCheck": proveTheApp, "Servers.admit": admitUsers, "Servers.manage": manageUsers,
    "Servers.past": actAsAdministrator,
    "Modules.search": search,
    "Smallest.first": smallestProgram,
    "Smallest.app": smallestApp,
    "Orchestra.registration": registration, "Conductor.injection": injection,
    "Orchestra.assemblies": assemblies, "Orchestra.scopes": scopesAndResets, "Stations.services": services,
    "Stations.wrappers": wrappers, "Stations.contexts": contexts, "Stations.values": values,
    "Confinement.mainActor": mainActorComponents, "Confinement.actor": actorConfinement,
    "Confinement.globalActor": globalActorConfinement, "Views.environment": views,
    "Confirmations.confirm": confirm, "Deployment.terminate": endInOrder,
    "Observability.provide": observeCalls,
    "TestedApps.parallel": testInParallel,
  ]

  static func main() async throws {
    guard let name = CommandLine.arguments.dropFirst().first, let sample = all[name] else {
      guard CommandLine.arguments.count == 1 else { exit(64) }
      print("usage: doc-samples SAMPLE\n\(all.keys.sorted().joined(separator: "\n"))")
      return
    }
    try await sample()
  }
}
