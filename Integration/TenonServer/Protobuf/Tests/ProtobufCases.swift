import FirestoreProtobuf
import Foundation

/// A message in both forms, as Google's libraries for Python write it.
struct Case: Sendable {
  /// The name of the message.
  let name: String
  let bytes: [UInt8]
  let json: String

  init(_ name: String, _ base64: String, _ json: String) {
    self.name = name
    self.json = json
    bytes = Array(Data(base64Encoded: base64) ?? Data())
  }

  static let all = [
    Case(
      "Document",
      "Ci5wcm9qZWN0cy9wL2RhdGFiYXNlcy8oZGVmYXVsdCkvZG9jdW1lbnRzL2Evw6kiEhoKAWESFUoTCgIQAQoNMgsKCQ"
        + "oBaxIEigEBdhIKCgFiEgWSAQIA/xIOCgFkEgkZAAAAAAAA+D8SBwoBZRICSgASBwoBZhICCAASGQoBZxIUQhIJAAAA"
        + "AAAA+L8RAAAAAABoZkASEAoDaW5mEgkZAAAAAAAA8P8SEAoBaRILEP///////////wESDgoBbRIJEIGAgICAgIAQEh"
        + "AKA25hbhIJGQAAAAAAAPh/EgoKBG51bGwSAlgAEhQKA29sZBINUgsIgJK4w5j+////ARIrCgFyEiYqJHByb2plY3Rz"
        + "L3AvZGF0YWJhc2VzL2QvZG9jdW1lbnRzL3gveRIICgFzEgOKAQASEwoCdHMSDVILCIDiz6oGEICU7zoSBwoBdBICCA"
        + "ESBgoAEgIyABoLCIDiz6oGEICU7zo=",
      #"{"createTime":"2023-11-14T22:13:20.123456Z","fields":{"":{"mapValue":{}},"a":{"arrayValu"#
        + #"e":{"values":[{"integerValue":"1"},{"mapValue":{"fields":{"k":{"stringValue":"v"}}}}]}},"#
        + #""b":{"bytesValue":"AP8="},"d":{"doubleValue":1.5},"e":{"arrayValue":{}},"f":{"booleanVal"#
        + #"ue":false},"g":{"geoPointValue":{"latitude":-1.5,"longitude":179.25}},"i":{"integerValue"#
        + #"":"-1"},"inf":{"doubleValue":"-Infinity"},"m":{"integerValue":"9007199254740993"},"nan":"#
        + #"{"doubleValue":"NaN"},"null":{"nullValue":null},"old":{"timestampValue":"0001-01-01T00:0"#
        + #"0:00Z"},"r":{"referenceValue":"projects/p/databases/d/documents/x/y"},"s":{"stringValue""#
        + #":""},"t":{"booleanValue":true},"ts":{"timestampValue":"2023-11-14T22:13:20.123456Z"}},"n"#
        + #"ame":"projects/p/databases/(default)/documents/a/é\""}"#),
    Case(
      "CommitRequest",
      "CgFkEhEKAwoBbhoGCgFhCgFiIgIIABIDEgF4EhUyEwoBeRIFCgF6EAESBwoBcRoCEAMaAwECAw==",
      #"{"database":"d","transaction":"AQID","writes":[{"currentDocument":{"exists":false},"upda"#
        + #"te":{"name":"n"},"updateMask":{"fieldPaths":["a","b"]}},{"delete":"x"},{"transform":{"do"#
        + #"cument":"y","fieldTransforms":[{"fieldPath":"z","setToServerValue":"REQUEST_TIME"},{"fie"#
        + #"ldPath":"q","increment":{"integerValue":"3"}}]}}]}"#),
    Case(
      "RunQueryRequest",
      "CgFwEkUSBRIBYxgBGh4KHAgCEg0SCwoDEgFhEAoaAhABEgkaBwgDEgMSAWIiBwoDEgFhEAIqADD7//////////8BOg"
        + "YKAhABEAEyAhIA",
      #"{"newTransaction":{"readOnly":{}},"parent":"p","structuredQuery":{"from":[{"allDescendan"#
        + #"ts":true,"collectionId":"c"}],"limit":0,"offset":-5,"orderBy":[{"direction":"DESCENDING""#
        + #","field":{"fieldPath":"a"}}],"startAt":{"before":true,"values":[{"integerValue":"1"}]},""#
        + #"where":{"compositeFilter":{"filters":[{"fieldFilter":{"field":{"fieldPath":"a"},"op":"NO"#
        + #"T_IN","value":{"integerValue":"1"}}},{"unaryFilter":{"field":{"fieldPath":"b"},"op":"IS_"#
        + #"NULL"}}],"op":"OR"}}}}"#),
    Case(
      "ListenRequest",
      "CgFkEhwaBhIBYRIBYiIDdG9rKPn//////////wFiAggMIhUKEGdvb2ctbGlzdGVuLXRhZ3MSAXg=",
      #"{"addTarget":{"documents":{"documents":["a","b"]},"expectedCount":12,"resumeToken":"dG9r"#
        + #"","targetId":-7},"database":"d","labels":{"goog-listen-tags":"x"}}"#),
    Case(
      "ListenResponse",
      "EigIAhINAf7//////////wGsAhoICAUSBGdvbmUyCwiA4s+qBhCAlO86",
      #"{"targetChange":{"cause":{"code":5,"message":"gone"},"readTime":"2023-11-14T22:13:20.123"#
        + #"456Z","targetChangeType":"REMOVE","targetIds":[1,-2,300]}}"#),
    Case(
      "ListenResponse",
      "EgA=",
      #"{"targetChange":{}}"#),
    Case(
      "ListenResponse",
      "Kg8IARACGgkKBQoB/hABEAc=",
      #"{"filter":{"count":2,"targetId":1,"unchangedNames":{"bits":{"bitmap":"/g==","padding":1}"#
        + #","hashCount":7}}}"#),
    Case(
      "RunAggregationQueryResponse",
      "CgkSBwoBbhICEAQaCwiA4s+qBhCAlO86",
      #"{"readTime":"2023-11-14T22:13:20.123456Z","result":{"aggregateFields":{"n":{"integerValu"#
        + #"e":"4"}}}}"#),
    Case(
      "BatchWriteResponse",
      "Cg0KCwiA4s+qBhCAlO86CgASABIGCAkSAm5v",
      #"{"status":[{},{"code":9,"message":"no"}],"writeResults":[{"updateTime":"2023-11-14T22:13"#
        + #":20.123456Z"},{}]}"#),
    Case(
      "RunAggregationQueryRequest",
      "CgFwEhcaCQoECgIIBToBYxoKEgUKAxIBeDoBcw==",
      #"{"parent":"p","structuredAggregationQuery":{"aggregations":[{"alias":"c","count":{"upTo""#
        + #":"5"}},{"alias":"s","sum":{"field":{"fieldPath":"x"}}}]}}"#),
  ]
}
