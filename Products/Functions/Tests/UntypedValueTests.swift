import Foundation
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonFunctions

@Suite(.limited) struct UntypedValueTests {
  struct Order: Codable, Equatable {
    var item: String
    var due: Date
  }

  private enum Size: String, Codable { case large }

  private func functions(_ content: String = #"{"result": null}"#) throws -> (Functions, FakeTransport) {
    let transport = FakeTransport { _ in TransportResponse(status: 200, body: Data(content.utf8)) }
    let context = AppContext(name: "tests", options: AppOptions(projectID: "demo"), userAgent: "")
    let instances = try FunctionsInstances(app: context, auth: nil, appCheck: nil, transport: transport)
    return (try instances.functions(region: "us-central1"), transport)
  }

  private func body(_ data: Any?) async throws -> String {
    let (functions, transport) = try functions()
    try await functions.httpsCallable("f").call(data)
    guard case .data(let body) = transport.requests.first?.body else { return "" }
    return String(decoding: body, as: UTF8.self)
  }

  @Test func valuesOfEveryKindAreSent() async throws {
    let missing: String? = nil
    #expect(try await body(nil) == #"{"data":null}"#)
    #expect(try await body(missing) == #"{"data":null}"#)
    #expect(try await body(NSNull()) == #"{"data":null}"#)
    #expect(try await body("té") == #"{"data":"té"}"#)
    #expect(try await body(true) == #"{"data":true}"#)
    #expect(try await body(UInt8(7)) == #"{"data":7}"#)
    #expect(try await body(-2.5) == #"{"data":-2.5}"#)
    #expect(try await body(Float(0.5)) == #"{"data":0.5}"#)
    #expect(try await body(Size.large) == #"{"data":"large"}"#)
    #expect(try await body(Date(timeIntervalSince1970: 0.25)) == #"{"data":"1970-01-01T00:00:00.250Z"}"#)
    #expect(try await body([Int]()) == #"{"data":[]}"#)
    #expect(try await body([String: Int]()) == #"{"data":{}}"#)
    #expect(try await body([1, nil, 3] as [Int?]) == #"{"data":[1,null,3]}"#)
    #expect(try await body(NSNumber(value: 7)) == #"{"data":7}"#)
    #expect(try await body(NSNumber(value: 0.5)) == #"{"data":0.5}"#)
    let nested: [String: Any] = [
      "items": [["item": "tea", "count": 2], Order(item: "milk", due: Date(timeIntervalSince1970: 0))]
        as [Any],
      "note": Optional("x") as Any, "none": missing as Any,
    ]
    #expect(
      try await body(nested)
        == #"{"data":{"items":[{"count":2,"item":"tea"},{"due":"1970-01-01T00:00:00.000Z","item":"milk"}],"#
        + #""none":null,"note":"x"}}"#)
    let wrapped =
      #"{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":"-9223372036854775808"}"#
    #expect(try await body([Int64.min]) == #"{"data":[\#(wrapped)]}"#)
  }

  @Test func valueWithoutJSONFormIsAnErrorThatNamesItsPath() async throws {
    final class Opaque {}
    let (functions, transport) = try functions()
    for (data, path) in [
      (Opaque(), "data is of the type Opaque"),
      (["a": [1, Opaque()] as [Any]], "data.a[1] is of the type Opaque"),
      (["a": ["b": Double.nan]], "data.a.b: "),
      (["a": [Date(timeIntervalSince1970: 1e300)]], "data.a[0]: The date is outside"),
    ] as [(Any, String)] {
      let error = await #expect(throws: FunctionsError.self) {
        try await functions.httpsCallable("f").call(data)
      }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.contains(path) == true, "\(error?.message ?? "")")
    }
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [128, 129, 1_000])
  func p3NestedValuesAreSentUpToALimit(depth: Int) async throws {
    var value: Any = 1
    for _ in 0..<depth { value = [value] }
    let (functions, transport) = try functions()
    if depth <= 128 {
      try await functions.httpsCallable("f").call(value)
    } else {
      let error = await #expect(throws: FunctionsError.self) {
        try await functions.httpsCallable("f").call(value)
      }
      #expect(error?.code == .invalidArgument)
    }
    #expect(transport.requests.count == (depth <= 128 ? 1 : 0))
  }

  @Test func resultsOfEveryKindAreSwiftValues() async throws {
    let wrapped =
      #"{"@type": "type.googleapis.com/google.protobuf.UInt64Value", "value": "18446744073709551615"}"#
    let (functions, _) = try functions(
      #"{"result": {"s": "x", "b": true, "i": 3, "w": 2.0, "d": 2.5, "n": null, "a": [1, "y"], "u": \#(wrapped)}}"#
    )
    let result = try await functions.httpsCallable("f").call()
    let data = try #require(result.data as? [String: Any])
    #expect(data["s"] as? String == "x" && data["b"] as? Bool == true && data["i"] as? Int == 3)
    #expect(data["w"] as? Int == 2 && data["d"] as? Double == 2.5 && data["n"] is NSNull)
    #expect((data["a"] as? [Any])?.first as? Int == 1 && data["u"] as? UInt64 == .max)
    #expect(data.count == 8)
  }

  @Test func resultCanBeDecoded() async throws {
    let (functions, _) = try functions(#"{"result": {"item": "tea", "due": "1970-01-01T00:00:01Z"}}"#)
    let result = try await functions.httpsCallable("f").call()
    #expect(try result.data(as: Order.self) == Order(item: "tea", due: Date(timeIntervalSince1970: 1)))
    let error = #expect(throws: FunctionsError.self) { try result.data(as: [Int].self) }
    #expect(error?.code == .internal)
  }

  @Test(
    arguments: [
      "\"many\"", "\"\"", "\" 5\"", "\"+5\"", "\"0x10\"", "\"1e3\"", "\"1e300\"", "1e300", "\"1e-400\"",
      "0.5",
      "\"NaN\"", "\"18446744073709551616\"", "\"-9223372036854775809\"", "\"999999999999999999999\"", "null",
      "[1]",
    ], ["Int64Value", "UInt64Value"])
  func wrappedIntegerWithoutDigitsIsAnError(value: String, type: String) async throws {
    let (functions, _) = try functions(
      #"{"result": {"@type": "type.googleapis.com/google.protobuf.\#(type)", "value": \#(value)}}"#)
    let error = await #expect(throws: FunctionsError.self) { try await functions.httpsCallable("f").call() }
    #expect(error?.code == .internal)
  }
}
