import Foundation
import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonHTTP
import TenonJSON
import TenonTelemetry
import TenonTransport
import TenonTransportInterop

let url = URL(string: "https://example.com")!
let serviceURL = url
let request = TransportRequest(.get, url)
let response = TransportResponse(status: 200)
let context = try! App.configure(options: AppOptions(projectID: "demo", apiKey: "key")).context
let transport = SystemTransport()
let token = "token"
let (auth, appCheck) = ((any AuthInterop)?.none, (any AppCheckInterop)?.none)
struct TokenResponse: Decodable { var idToken: String }
