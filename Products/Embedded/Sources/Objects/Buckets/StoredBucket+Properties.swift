import TenonFoundation
import TenonJSON
import TenonValues

/// What the properties of a bucket mean for its objects.
extension StoredBucket {
  /// The range of a retention period, in seconds: up to a hundred years.
  static let retentionPeriods: ClosedRange<Int64> = 1...3_155_760_000
  /// The range of a soft delete policy's duration, in seconds: 7 to 90 days.
  static let softDeletePeriods: ClosedRange<Int64> = 604_800...7_776_000

  /// Whether replaced and deleted objects become noncurrent.
  var keepsVersions: Bool { properties["versioning"]?["enabled"] == true }

  /// The time after the creation for which objects can be neither deleted nor replaced, in seconds; `nil` without
  /// a retention policy.
  var retentionPeriod: Int64? {
    Self.period(properties["retentionPolicy"]?["retentionPeriod"], in: Self.retentionPeriods)
  }

  /// Whether the retention policy can only be extended.
  var isRetentionLocked: Bool { properties["retentionPolicy"]?["isLocked"] == true }

  /// The time for which deleted objects can be restored, in seconds; `nil` without a soft delete policy.
  var softDeletePeriod: Int64? {
    Self.period(properties["softDeletePolicy"]?["retentionDurationSeconds"], in: Self.softDeletePeriods)
  }

  /// Whether new objects have an event-based hold.
  var holdsNewObjects: Bool { properties["defaultEventBasedHold"] == true }

  /// The storage class of new objects that state none; `nil` for the default one.
  var storageClass: String? { properties["storageClass"]?.string }

  /// Whether objects can have their own retention.
  var allowsObjectRetention: Bool { properties["objectRetention"]?["mode"] == "Enabled" }

  /// Returns a number of seconds; `nil` if there is none, or if it isn't allowed.
  static func period(_ value: JSON?, in range: ClosedRange<Int64>) -> Int64? {
    guard let text = value?.text, let number = Int64(decimal: text), range.contains(number) else {
      return nil
    }
    return number
  }
}
