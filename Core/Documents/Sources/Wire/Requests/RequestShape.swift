/// What the member of a request holds, as far as the form of its JSON depends on it.
indirect enum RequestShape: Sendable {
  /// A scalar, or anything else in which there are no names.
  case plain
  /// A scalar that is the name or the number of one of these values, in the order of their numbers.
  case choice([String])
  /// A message.
  case message(RequestMessage)
  /// A list.
  case list(RequestShape)
  /// Fields of a document by their names, which are the app's.
  case fields
}

/// A message of `google.firestore.v1` that occurs in requests.
///
/// Clients write the names of members in lower camel case or as in the protocol's definition
/// (`collection_id`), and the values of enumerations by name or number; servers refuse members that they don't
/// know (https://protobuf.dev/programming-guides/json/). The table says which members there are, so that
/// requests are brought into one form before they are decoded. Responses, of later servers as well, are decoded
/// without it.
package enum RequestMessage: String, Sendable {
  case commit, write, precondition, documentMask, document, documentTransform, fieldTransform, value, array
  case map, geoPoint, batchGet, transactionOptions, readOnly, readWrite, beginTransaction, rollback
  case runQuery, runAggregation, structuredAggregation, aggregation, count, fieldAggregation, explain
  case structuredQuery, projection, collectionSelector, filter, compositeFilter, fieldFilter, unaryFilter
  case fieldReference, order, cursor, findNearest, partitionQuery, listCollectionIDs, batchWrite
  case listen, target, queryTarget, documentsTarget, writeStream

  /// The members of the message by their names in lower camel case.
  var members: [String: RequestShape] { Self.tables[self] ?? [:] }

  private static let tables: [RequestMessage: [String: RequestShape]] = [
    .commit: ["database": .plain, "writes": .list(.message(.write)), "transaction": .plain],
    .write: [
      "update": .message(.document), "delete": .plain, "verify": .plain,
      "transform": .message(.documentTransform), "updateMask": .message(.documentMask),
      "updateTransforms": .list(.message(.fieldTransform)), "currentDocument": .message(.precondition),
    ],
    .precondition: ["exists": .plain, "updateTime": .plain],
    .documentMask: ["fieldPaths": .list(.plain)],
    .document: ["name": .plain, "fields": .fields, "createTime": .plain, "updateTime": .plain],
    .documentTransform: ["document": .plain, "fieldTransforms": .list(.message(.fieldTransform))],
    .fieldTransform: [
      "fieldPath": .plain, "setToServerValue": .choice(["SERVER_VALUE_UNSPECIFIED", "REQUEST_TIME"]),
      "increment": .message(.value), "maximum": .message(.value), "minimum": .message(.value),
      "appendMissingElements": .message(.array), "removeAllFromArray": .message(.array),
    ],
    .value: [
      "nullValue": .plain, "booleanValue": .plain, "integerValue": .plain, "doubleValue": .plain,
      "timestampValue": .plain, "stringValue": .plain, "bytesValue": .plain, "referenceValue": .plain,
      "geoPointValue": .message(.geoPoint), "arrayValue": .message(.array), "mapValue": .message(.map),
    ],
    .array: ["values": .list(.message(.value))],
    .map: ["fields": .fields],
    .geoPoint: ["latitude": .plain, "longitude": .plain],
    .batchGet: reading([
      "database": .plain, "documents": .list(.plain), "mask": .message(.documentMask),
    ]),
    .transactionOptions: ["readOnly": .message(.readOnly), "readWrite": .message(.readWrite)],
    .readOnly: ["readTime": .plain],
    .readWrite: ["retryTransaction": .plain],
    .beginTransaction: ["database": .plain, "options": .message(.transactionOptions)],
    .rollback: ["database": .plain, "transaction": .plain],
    .runQuery: reading([
      "parent": .plain, "structuredQuery": .message(.structuredQuery), "explainOptions": .message(.explain),
    ]),
    .runAggregation: reading([
      "parent": .plain, "structuredAggregationQuery": .message(.structuredAggregation),
      "explainOptions": .message(.explain),
    ]),
    .structuredAggregation: [
      "structuredQuery": .message(.structuredQuery), "aggregations": .list(.message(.aggregation)),
    ],
    .aggregation: [
      "alias": .plain, "count": .message(.count), "sum": .message(.fieldAggregation),
      "avg": .message(.fieldAggregation),
    ],
    .count: ["upTo": .plain],
    .fieldAggregation: ["field": .message(.fieldReference)],
    .explain: ["analyze": .plain],
    .structuredQuery: [
      "select": .message(.projection), "from": .list(.message(.collectionSelector)),
      "where": .message(.filter), "orderBy": .list(.message(.order)), "startAt": .message(.cursor),
      "endAt": .message(.cursor), "offset": .plain, "limit": .plain, "findNearest": .message(.findNearest),
    ],
    .projection: ["fields": .list(.message(.fieldReference))],
    .collectionSelector: ["collectionId": .plain, "allDescendants": .plain],
    .filter: [
      "compositeFilter": .message(.compositeFilter), "fieldFilter": .message(.fieldFilter),
      "unaryFilter": .message(.unaryFilter),
    ],
    .compositeFilter: [
      "op": .choice(["OPERATOR_UNSPECIFIED", "AND", "OR"]), "filters": .list(.message(.filter)),
    ],
    .fieldFilter: [
      "field": .message(.fieldReference),
      "op": .choice([
        "OPERATOR_UNSPECIFIED", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL",
        "EQUAL", "NOT_EQUAL", "ARRAY_CONTAINS", "IN", "ARRAY_CONTAINS_ANY", "NOT_IN",
      ]), "value": .message(.value),
    ],
    .unaryFilter: [
      "field": .message(.fieldReference),
      "op": .choice(["OPERATOR_UNSPECIFIED", "", "IS_NAN", "IS_NULL", "IS_NOT_NAN", "IS_NOT_NULL"]),
    ],
    .fieldReference: ["fieldPath": .plain],
    .order: [
      "field": .message(.fieldReference),
      "direction": .choice(["DIRECTION_UNSPECIFIED", "ASCENDING", "DESCENDING"]),
    ],
    .cursor: ["values": .list(.message(.value)), "before": .plain],
    .findNearest: [
      "vectorField": .message(.fieldReference), "queryVector": .message(.value),
      "distanceMeasure": .choice(["DISTANCE_MEASURE_UNSPECIFIED", "EUCLIDEAN", "COSINE", "DOT_PRODUCT"]),
      "limit": .plain, "distanceResultField": .plain, "distanceThreshold": .plain,
    ],
    .partitionQuery: [
      "parent": .plain, "structuredQuery": .message(.structuredQuery), "partitionCount": .plain,
      "pageToken": .plain, "pageSize": .plain, "readTime": .plain,
    ],
    .listCollectionIDs: ["parent": .plain, "pageSize": .plain, "pageToken": .plain, "readTime": .plain],
    .batchWrite: ["database": .plain, "writes": .list(.message(.write)), "labels": .plain],
    .listen: ["database": .plain, "addTarget": .message(.target), "removeTarget": .plain, "labels": .plain],
    .target: [
      "query": .message(.queryTarget), "documents": .message(.documentsTarget), "resumeToken": .plain,
      "readTime": .plain, "targetId": .plain, "once": .plain, "expectedCount": .plain,
    ],
    .queryTarget: ["parent": .plain, "structuredQuery": .message(.structuredQuery)],
    .documentsTarget: ["documents": .list(.plain)],
    .writeStream: [
      "database": .plain, "streamId": .plain, "writes": .list(.message(.write)), "streamToken": .plain,
      "labels": .plain,
    ],
  ]

  /// Returns the members of a request that reads, with those that choose the state.
  private static func reading(_ members: [String: RequestShape]) -> [String: RequestShape] {
    let selectors: [String: RequestShape] = [
      "transaction": .plain, "newTransaction": .message(.transactionOptions), "readTime": .plain,
    ]
    return members.merging(selectors) { own, _ in own }
  }
}
