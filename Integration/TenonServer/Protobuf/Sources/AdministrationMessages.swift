extension ProtobufSchema {
  /// The messages of `google.firestore.admin.v1.FirestoreAdmin` and `google.longrunning.Operations` for
  /// databases, indexes, fields and operations, as Google's descriptors (googleapis,
  /// `google/firestore/admin/v1/*.proto`, `google/longrunning/operations.proto`) define them.
  package static let administration = ProtobufSchema(administrationText)

  /// As ``firestoreText``.
  static let administrationText = """
    CreateIndexRequest: 1 parent string, 2 index Index
    Index: 1 name string, 2 queryScope Index.QueryScope, 5 apiScope Index.ApiScope,
        3 fields *Index.IndexField, 4 state Index.State, 6 density Index.Density, 7 multikey bool,
        8 shardCount int32, 10 unique bool, 9 searchIndexOptions Index.SearchIndexOptions
    Index.IndexField: 1 fieldPath string, 2/a order Index.IndexField.Order,
        3/a arrayConfig Index.IndexField.ArrayConfig, 4/a vectorConfig Index.IndexField.VectorConfig,
        5/a searchConfig Index.IndexField.SearchConfig
    Index.IndexField.VectorConfig: 1 dimension int32, 2 flat Index.IndexField.VectorConfig.FlatIndex
    Index.IndexField.VectorConfig.FlatIndex:
    Index.IndexField.SearchConfig:
    Index.SearchIndexOptions: 1 textLanguage string, 2 textLanguageOverrideFieldPath string
    ListIndexesRequest: 1 parent string, 2 filter string, 3 pageSize int32, 4 pageToken string
    ListIndexesResponse: 1 indexes *Index, 2 nextPageToken string
    GetIndexRequest: 1 name string
    DeleteIndexRequest: 1 name string
    GetFieldRequest: 1 name string
    UpdateFieldRequest: 1 field Field, 2 updateMask FieldMask
    FieldMask: 1 paths *string
    Field: 1 name string, 2 indexConfig Field.IndexConfig, 3 ttlConfig Field.TtlConfig
    Field.IndexConfig: 1 indexes *Index, 2 usesAncestorConfig bool, 3 ancestorField string,
        4 reverting bool
    Field.TtlConfig: 1 state Field.TtlConfig.State, 3 expirationOffset Duration
    ListFieldsRequest: 1 parent string, 2 filter string, 3 pageSize int32, 4 pageToken string
    ListFieldsResponse: 1 fields *Field, 2 nextPageToken string
    GetDatabaseRequest: 1 name string
    ListDatabasesRequest: 1 parent string, 4 showDeleted bool
    ListDatabasesResponse: 1 databases *Database, 3 unreachable *string
    Database: 1 name string, 3 uid string, 5 createTime Timestamp, 6 updateTime Timestamp,
        9 locationId string, 10 type Database.DatabaseType,
        15 concurrencyMode Database.ConcurrencyMode,
        21 pointInTimeRecoveryEnablement Database.PointInTimeRecoveryEnablement,
        19 appEngineIntegrationMode Database.AppEngineIntegrationMode, 20 keyPrefix string,
        22 deleteProtectionState Database.DeleteProtectionState, 99 etag string,
        28 databaseEdition Database.DatabaseEdition
    IndexOperationMetadata: 1 startTime Timestamp, 2 endTime Timestamp, 3 index string,
        4 state OperationState
    FieldOperationMetadata: 1 startTime Timestamp, 2 endTime Timestamp, 3 field string,
        5 state OperationState
    ListOperationsRequest: 4 name string, 1 filter string, 2 pageSize int32, 3 pageToken string,
        5 returnPartialSuccess bool
    ListOperationsResponse: 1 operations *Operation, 2 nextPageToken string, 3 unreachable *string
    Operation: 1 name string, 2 metadata Any, 3 done bool, 4/a error Status, 5/a response Any
    Status: 1 code int32, 2 message string, 3 details *Any
    GetOperationRequest: 1 name string
    DeleteOperationRequest: 1 name string
    CancelOperationRequest: 1 name string
    WaitOperationRequest: 1 name string, 2 timeout Duration
    Empty:
    enum Index.QueryScope: 0 QUERY_SCOPE_UNSPECIFIED, 1 COLLECTION, 2 COLLECTION_GROUP,
        3 COLLECTION_RECURSIVE
    enum Index.ApiScope: 0 ANY_API, 1 DATASTORE_MODE_API, 2 MONGODB_COMPATIBLE_API
    enum Index.State: 0 STATE_UNSPECIFIED, 1 CREATING, 2 READY, 3 NEEDS_REPAIR
    enum Index.Density: 0 DENSITY_UNSPECIFIED, 1 SPARSE_ALL, 2 SPARSE_ANY, 3 DENSE
    enum Index.IndexField.Order: 0 ORDER_UNSPECIFIED, 1 ASCENDING, 2 DESCENDING
    enum Index.IndexField.ArrayConfig: 0 ARRAY_CONFIG_UNSPECIFIED, 1 CONTAINS
    enum Field.TtlConfig.State: 0 STATE_UNSPECIFIED, 1 CREATING, 2 ACTIVE, 3 NEEDS_REPAIR
    enum Database.DatabaseType: 0 DATABASE_TYPE_UNSPECIFIED, 1 FIRESTORE_NATIVE, 2 DATASTORE_MODE
    enum Database.ConcurrencyMode: 0 CONCURRENCY_MODE_UNSPECIFIED, 1 OPTIMISTIC, 2 PESSIMISTIC,
        3 OPTIMISTIC_WITH_ENTITY_GROUPS
    enum Database.PointInTimeRecoveryEnablement: 0 POINT_IN_TIME_RECOVERY_ENABLEMENT_UNSPECIFIED,
        1 POINT_IN_TIME_RECOVERY_ENABLED, 2 POINT_IN_TIME_RECOVERY_DISABLED
    enum Database.AppEngineIntegrationMode: 0 APP_ENGINE_INTEGRATION_MODE_UNSPECIFIED, 1 ENABLED,
        2 DISABLED
    enum Database.DeleteProtectionState: 0 DELETE_PROTECTION_STATE_UNSPECIFIED,
        1 DELETE_PROTECTION_DISABLED, 2 DELETE_PROTECTION_ENABLED
    enum Database.DatabaseEdition: 0 DATABASE_EDITION_UNSPECIFIED, 1 STANDARD, 2 ENTERPRISE
    enum OperationState: 0 OPERATION_STATE_UNSPECIFIED, 1 INITIALIZING, 2 PROCESSING, 3 CANCELLING,
        4 FINALIZING, 5 SUCCESSFUL, 6 FAILED, 7 CANCELLED
    """
}
