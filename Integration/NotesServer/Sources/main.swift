// An example: notes over HTTP for signed-in users, with administrator's rights on Store and Storage.
//
//   TENON_PROJECT_ID=demo-notes TENON_STORAGE_BUCKET=notes TENON_BACKEND=embedded:/tmp/notes \
//     TENON_ADAPTERS=1 swift run notes-server
//
// sample: server
import Configuration
import Hummingbird
import Logging
import ServerAdapters
import TenonCore
import TenonObservabilityInterop

let config = ConfigReader(provider: EnvironmentVariablesProvider())
let logger = Logger(label: "notes-server")
let app = try App.configure(options: AppOptions(config)) {
  Component((any ObservabilityInterop).self) { _ in
    LoggingObservability(logger, next: MetricsObservability(next: TracingObservability()))
  }
}
let host = config.string(forKey: "host", default: "127.0.0.1")
let address = BindAddress.hostname(host, port: config.int(forKey: "port", default: 8080))
let server = try notesServer(app, address: address, logger: logger)
try await server.runService()
// sample: end
