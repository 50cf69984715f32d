extension ProtobufSchema {
  /// The messages of `google.firestore.v1.Firestore`, as Google's descriptors (googleapis,
  /// `google/firestore/v1/*.proto`) define them, with `verify` of writes, which only some of its clients have.
  /// The options of requests, which are tags for metrics, are left out.
  package static let firestore = ProtobufSchema(firestoreText)

  /// A message is its name and its fields, each with its number, its name in JSON and its type; `*` is
  /// repeated, `map` has strings as keys, and the fields with the same letter behind the number exclude each
  /// other.
  static let firestoreText = """
    GetDocumentRequest: 1 name string, 2 mask DocumentMask, 3/a transaction bytes,
        5/a readTime Timestamp, 10 requestOptions RequestOptions
    DocumentMask: 1 fieldPaths *string
    ListDocumentsRequest: 1 parent string, 2 collectionId string, 3 pageSize int32, 4 pageToken string,
        6 orderBy string, 7 mask DocumentMask, 8/a transaction bytes, 10/a readTime Timestamp,
        12 showMissing bool, 13 requestOptions RequestOptions
    ListDocumentsResponse: 1 documents *Document, 2 nextPageToken string
    Document: 1 name string, 2 fields map Value, 3 createTime Timestamp, 4 updateTime Timestamp
    Value: 11/a nullValue NullValue, 1/a booleanValue bool, 2/a integerValue int64,
        3/a doubleValue double, 10/a timestampValue Timestamp, 17/a stringValue string,
        18/a bytesValue bytes, 5/a referenceValue string, 8/a geoPointValue LatLng,
        9/a arrayValue ArrayValue, 6/a mapValue MapValue, 19/a fieldReferenceValue string,
        22/a variableReferenceValue string, 20/a functionValue Function, 21/a pipelineValue Pipeline
    LatLng: 1 latitude double, 2 longitude double
    ArrayValue: 1 values *Value
    MapValue: 1 fields map Value
    Function: 1 name string, 2 args *Value, 3 options map Value
    Pipeline: 1 stages *Pipeline.Stage
    Pipeline.Stage: 1 name string, 2 args *Value, 3 options map Value
    CreateDocumentRequest: 1 parent string, 2 collectionId string, 3 documentId string,
        4 document Document, 5 mask DocumentMask, 6 requestOptions RequestOptions
    UpdateDocumentRequest: 1 document Document, 2 updateMask DocumentMask, 3 mask DocumentMask,
        4 currentDocument Precondition, 5 requestOptions RequestOptions
    Precondition: 1/a exists bool, 2/a updateTime Timestamp
    DeleteDocumentRequest: 1 name string, 2 currentDocument Precondition,
        3 requestOptions RequestOptions
    BatchGetDocumentsRequest: 1 database string, 2 documents *string, 3 mask DocumentMask,
        4/a transaction bytes, 5/a newTransaction TransactionOptions, 7/a readTime Timestamp,
        8 requestOptions RequestOptions
    TransactionOptions: 2/a readOnly TransactionOptions.ReadOnly,
        3/a readWrite TransactionOptions.ReadWrite
    TransactionOptions.ReadOnly: 2/a readTime Timestamp
    TransactionOptions.ReadWrite: 1 retryTransaction bytes,
        2 concurrencyMode TransactionOptions.ConcurrencyMode
    BatchGetDocumentsResponse: 1/a found Document, 2/a missing string, 3 transaction bytes,
        4 readTime Timestamp
    BeginTransactionRequest: 1 database string, 2 options TransactionOptions,
        3 requestOptions RequestOptions
    BeginTransactionResponse: 1 transaction bytes
    CommitRequest: 1 database string, 2 writes *Write, 3 transaction bytes,
        4 requestOptions RequestOptions
    Write: 1/a update Document, 2/a delete string, 5/a verify string, 6/a transform DocumentTransform,
        3 updateMask DocumentMask, 7 updateTransforms *DocumentTransform.FieldTransform,
        4 currentDocument Precondition
    DocumentTransform: 1 document string, 2 fieldTransforms *DocumentTransform.FieldTransform
    DocumentTransform.FieldTransform: 1 fieldPath string,
        2/a setToServerValue DocumentTransform.FieldTransform.ServerValue, 3/a increment Value,
        4/a maximum Value, 5/a minimum Value, 6/a appendMissingElements ArrayValue,
        7/a removeAllFromArray ArrayValue
    CommitResponse: 1 writeResults *WriteResult, 2 commitTime Timestamp
    WriteResult: 1 updateTime Timestamp, 2 transformResults *Value
    RollbackRequest: 1 database string, 2 transaction bytes, 3 requestOptions RequestOptions
    RunQueryRequest: 1 parent string, 2/a structuredQuery StructuredQuery, 5/b transaction bytes,
        6/b newTransaction TransactionOptions, 7/b readTime Timestamp, 10 explainOptions ExplainOptions,
        11 requestOptions RequestOptions
    StructuredQuery: 1 select StructuredQuery.Projection, 2 from *StructuredQuery.CollectionSelector,
        3 where StructuredQuery.Filter, 4 orderBy *StructuredQuery.Order, 7 startAt Cursor,
        8 endAt Cursor, 6 offset int32, 5 limit Int32Value, 9 findNearest StructuredQuery.FindNearest
    StructuredQuery.Projection: 2 fields *StructuredQuery.FieldReference
    StructuredQuery.FieldReference: 2 fieldPath string
    StructuredQuery.CollectionSelector: 2 collectionId string, 3 allDescendants bool
    StructuredQuery.Filter: 1/a compositeFilter StructuredQuery.CompositeFilter,
        2/a fieldFilter StructuredQuery.FieldFilter, 3/a unaryFilter StructuredQuery.UnaryFilter
    StructuredQuery.CompositeFilter: 1 op StructuredQuery.CompositeFilter.Operator,
        2 filters *StructuredQuery.Filter
    StructuredQuery.FieldFilter: 1 field StructuredQuery.FieldReference,
        2 op StructuredQuery.FieldFilter.Operator, 3 value Value
    StructuredQuery.UnaryFilter: 1 op StructuredQuery.UnaryFilter.Operator,
        2/a field StructuredQuery.FieldReference
    StructuredQuery.Order: 1 field StructuredQuery.FieldReference, 2 direction StructuredQuery.Direction
    Cursor: 1 values *Value, 2 before bool
    StructuredQuery.FindNearest: 1 vectorField StructuredQuery.FieldReference, 2 queryVector Value,
        3 distanceMeasure StructuredQuery.FindNearest.DistanceMeasure, 4 limit Int32Value,
        5 distanceResultField string, 6 distanceThreshold DoubleValue
    ExplainOptions: 1 analyze bool
    RunQueryResponse: 2 transaction bytes, 1 document Document, 3 readTime Timestamp,
        4 skippedResults int32, 6/a done bool, 11 explainMetrics ExplainMetrics
    ExplainMetrics: 1 planSummary PlanSummary, 2 executionStats ExecutionStats
    PlanSummary: 1 indexesUsed *Struct
    ExecutionStats: 1 resultsReturned int64, 3 executionDuration Duration, 4 readOperations int64,
        5 debugStats Struct
    ExecutePipelineRequest: 1 database string, 2/a structuredPipeline StructuredPipeline,
        5/b transaction bytes, 6/b newTransaction TransactionOptions, 7/b readTime Timestamp,
        9 autoCommitTransaction bool, 10 requestOptions RequestOptions
    StructuredPipeline: 1 pipeline Pipeline, 2 options map Value
    ExecutePipelineResponse: 1 transaction bytes, 2 results *Document, 3 executionTime Timestamp,
        4 explainStats ExplainStats
    ExplainStats: 1 data Any
    RunAggregationQueryRequest: 1 parent string,
        2/a structuredAggregationQuery StructuredAggregationQuery, 4/b transaction bytes,
        5/b newTransaction TransactionOptions, 6/b readTime Timestamp, 8 explainOptions ExplainOptions,
        9 requestOptions RequestOptions
    StructuredAggregationQuery: 1/a structuredQuery StructuredQuery,
        3 aggregations *StructuredAggregationQuery.Aggregation
    StructuredAggregationQuery.Aggregation: 1/a count StructuredAggregationQuery.Aggregation.Count,
        2/a sum StructuredAggregationQuery.Aggregation.Sum,
        3/a avg StructuredAggregationQuery.Aggregation.Avg, 7 alias string
    StructuredAggregationQuery.Aggregation.Count: 1 upTo Int64Value
    StructuredAggregationQuery.Aggregation.Sum: 1 field StructuredQuery.FieldReference
    StructuredAggregationQuery.Aggregation.Avg: 1 field StructuredQuery.FieldReference
    RunAggregationQueryResponse: 1 result AggregationResult, 2 transaction bytes, 3 readTime Timestamp,
        10 explainMetrics ExplainMetrics
    AggregationResult: 2 aggregateFields map Value
    PartitionQueryRequest: 1 parent string, 2/a structuredQuery StructuredQuery, 3 partitionCount int64,
        4 pageToken string, 5 pageSize int32, 6/b readTime Timestamp, 7 requestOptions RequestOptions
    PartitionQueryResponse: 1 partitions *Cursor, 2 nextPageToken string
    WriteRequest: 1 database string, 2 streamId string, 3 writes *Write, 4 streamToken bytes,
        5 labels map string, 6 requestOptions RequestOptions
    WriteResponse: 1 streamId string, 2 streamToken bytes, 3 writeResults *WriteResult,
        4 commitTime Timestamp
    ListenRequest: 1 database string, 2/a addTarget Target, 3/a removeTarget int32, 4 labels map string,
        5 requestOptions RequestOptions
    Target: 2/a query Target.QueryTarget, 3/a documents Target.DocumentsTarget, 4/b resumeToken bytes,
        11/b readTime Timestamp, 5 targetId int32, 6 once bool, 12 expectedCount Int32Value
    Target.QueryTarget: 1 parent string, 2/a structuredQuery StructuredQuery
    Target.DocumentsTarget: 2 documents *string
    ListenResponse: 2/a targetChange TargetChange, 3/a documentChange DocumentChange,
        4/a documentDelete DocumentDelete, 6/a documentRemove DocumentRemove, 5/a filter ExistenceFilter
    TargetChange: 1 targetChangeType TargetChange.TargetChangeType, 2 targetIds *int32, 3 cause Status,
        4 resumeToken bytes, 6 readTime Timestamp
    Status: 1 code int32, 2 message string, 3 details *Any
    DocumentChange: 1 document Document, 5 targetIds *int32, 6 removedTargetIds *int32
    DocumentDelete: 1 document string, 6 removedTargetIds *int32, 4 readTime Timestamp
    DocumentRemove: 1 document string, 2 removedTargetIds *int32, 4 readTime Timestamp
    ExistenceFilter: 1 targetId int32, 2 count int32, 3 unchangedNames BloomFilter
    BloomFilter: 1 bits BitSequence, 2 hashCount int32
    BitSequence: 1 bitmap bytes, 2 padding int32
    ListCollectionIdsRequest: 1 parent string, 2 pageSize int32, 3 pageToken string,
        4/a readTime Timestamp, 5 requestOptions RequestOptions
    ListCollectionIdsResponse: 1 collectionIds *string, 2 nextPageToken string
    BatchWriteRequest: 1 database string, 2 writes *Write, 3 labels map string,
        4 requestOptions RequestOptions
    BatchWriteResponse: 1 writeResults *WriteResult, 2 status *Status
    Empty:
    enum TransactionOptions.ConcurrencyMode: 0 CONCURRENCY_MODE_UNSPECIFIED, 1 OPTIMISTIC, 2 PESSIMISTIC
    enum DocumentTransform.FieldTransform.ServerValue: 0 SERVER_VALUE_UNSPECIFIED, 1 REQUEST_TIME
    enum StructuredQuery.CompositeFilter.Operator: 0 OPERATOR_UNSPECIFIED, 1 AND, 2 OR
    enum StructuredQuery.FieldFilter.Operator: 0 OPERATOR_UNSPECIFIED, 1 LESS_THAN,
        2 LESS_THAN_OR_EQUAL, 3 GREATER_THAN, 4 GREATER_THAN_OR_EQUAL, 5 EQUAL, 6 NOT_EQUAL,
        7 ARRAY_CONTAINS, 8 IN, 9 ARRAY_CONTAINS_ANY, 10 NOT_IN
    enum StructuredQuery.UnaryFilter.Operator: 0 OPERATOR_UNSPECIFIED, 2 IS_NAN, 3 IS_NULL,
        4 IS_NOT_NAN, 5 IS_NOT_NULL
    enum StructuredQuery.Direction: 0 DIRECTION_UNSPECIFIED, 1 ASCENDING, 2 DESCENDING
    enum StructuredQuery.FindNearest.DistanceMeasure: 0 DISTANCE_MEASURE_UNSPECIFIED, 1 EUCLIDEAN,
        2 COSINE, 3 DOT_PRODUCT
    enum TargetChange.TargetChangeType: 0 NO_CHANGE, 1 ADD, 2 REMOVE, 3 CURRENT, 4 RESET
    """
}
