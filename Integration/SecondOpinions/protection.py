"""Controls Google's google-cloud-storage: what keeps objects, and who may use them. Each call returns what the client saw."""

import datetime
import os

os.environ["STORAGE_EMULATOR_HOST"] = "http://" + os.environ["TENON_SERVER"]

from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

import peer

client = storage.Client(project=os.environ["GOOGLE_CLOUD_PROJECT"], credentials=AnonymousCredentials())


def status(call, *arguments, **options):
    """Returns the HTTP status of the error that a call raises; 200 if there is none."""
    try:
        call(*arguments, **options)
        return 200
    except exceptions.GoogleAPICallError as error:
        return error.code


def put(bucket, name, content=b"x"):
    blob = bucket.blob(name)
    blob.upload_from_string(content)
    return blob


def versions():
    bucket = client.bucket("versions")
    bucket.versioning_enabled = True
    bucket = client.create_bucket(bucket)
    first = put(bucket, "a", b"one").generation
    last = put(bucket, "a", b"two").generation
    listed = [blob.generation for blob in client.list_blobs(bucket, versions=True)]
    before = bucket.blob("a", generation=first).download_as_bytes()
    bucket.copy_blob(bucket.blob("a"), bucket, "a", source_generation=first)
    restored = bucket.blob("a").download_as_bytes()
    bucket.delete_blob("a", generation=first)
    return [
        listed == [first, last],
        before.decode(),
        restored.decode(),
        status(bucket.blob("a", generation=first).reload),
    ]


def conditions():
    bucket = client.create_bucket("conditions")
    bucket.labels = {"a": "1", "b": "2"}
    bucket.patch()
    labels = bucket.labels
    del labels["a"]
    bucket.labels = labels
    bucket.patch()
    bucket.reload()
    return [
        bucket.labels,
        status(bucket.patch, if_metageneration_match=99),
        status(bucket.delete, if_metageneration_match=99),
        bucket.exists(),
    ]


def holds():
    blob = put(client.create_bucket("holds"), "a")
    blob.temporary_hold = True
    blob.patch()
    refused = [status(blob.delete), status(blob.upload_from_string, b"y")]
    blob.temporary_hold = False
    blob.custom_time = datetime.datetime(2030, 1, 1, tzinfo=datetime.timezone.utc)
    blob.patch()
    blob.update_storage_class("NEARLINE")
    blob.compose([blob, blob])
    blob.reload()
    content = blob.download_as_bytes().decode()
    return refused + [blob.storage_class, content, blob.component_count, status(blob.delete)]


def retention():
    bucket = client.bucket("retained")
    bucket.retention_period = 3600
    bucket = client.create_bucket(bucket)
    blob = put(bucket, "a")
    refused = [status(blob.delete), status(blob.upload_from_string, b"y")]
    bucket.reload()
    bucket.lock_retention_policy()
    is_locked = bucket.retention_policy_locked
    bucket.retention_period = None
    return refused + [is_locked, status(bucket.patch)]


def object_retention():
    bucket = client.create_bucket("object-retention", enable_object_retention=True)
    blob = put(bucket, "a")
    blob.retention.mode = "Unlocked"
    blob.retention.retain_until_time = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    blob.patch()
    refused = status(blob.delete)
    blob.retention.mode = None
    blob.retention.retain_until_time = None
    blob.patch(override_unlocked_retention=True)
    return [refused, status(blob.delete)]


def soft_deletion():
    bucket = client.bucket("soft")
    bucket.soft_delete_policy.retention_duration_seconds = 10 * 86400
    bucket = client.create_bucket(bucket)
    blob = put(bucket, "a", b"soft")
    generation = blob.generation
    blob.delete()
    deleted = bucket.get_blob("a", generation=generation, soft_deleted=True)
    listed = [found.name for found in bucket.list_blobs(soft_deleted=True)]
    gone = bucket.get_blob("a") is None
    bucket.restore_blob("a", generation=generation)
    content = bucket.blob("a").download_as_bytes().decode()
    kept = deleted.hard_delete_time - deleted.soft_delete_time
    return [gone, listed, kept.days, content]


def names():
    bucket = client.create_bucket("names")
    for name in ["foo/bar", "foo/baz", "foo/foobar", "foobar"]:
        put(bucket, name)
    found = [blob.name for blob in bucket.list_blobs(match_glob="**/{foobar,baz}")]
    moved = bucket.move_blob(bucket.blob("foobar"), "moved")
    return [found, moved.name, bucket.get_blob("foobar") is None]


def access():
    bucket = client.create_bucket("access")
    blob = put(bucket, "a")
    bucket.acl.reload()
    bucket.acl.user("ann@example.com").grant_read()
    bucket.acl.save()
    blob.acl.all().grant_read()
    blob.acl.save()
    blob.acl.reload()
    policy = bucket.get_iam_policy(requested_policy_version=3)
    policy.version = 3
    policy.bindings.append({"role": "roles/storage.objectViewer", "members": {"user:ann@example.com"}})
    bucket.set_iam_policy(policy)
    return [
        {"entity": "user-ann@example.com", "role": "READER"} in list(bucket.acl),
        sorted(blob.acl.all().get_roles()),
        status(bucket.set_iam_policy, policy),
        any(binding["role"] == "roles/storage.objectViewer" for binding in bucket.get_iam_policy().bindings),
    ]


def refusals():
    """What the server doesn't do is refused instead of being accepted without effect."""
    bucket = client.create_bucket("refusals")
    bucket.add_lifecycle_delete_rule(age=1)
    lifecycle = status(bucket.patch)
    bucket.reload()
    return [
        lifecycle,
        status(bucket.blob("a", encryption_key=os.urandom(32)).upload_from_string, b"x"),
        status(bucket.blob("a", kms_key_name="projects/p").upload_from_string, b"x"),
        bucket.get_blob("a") is None,
    ]


peer.serve(
    {
        call.__name__: call
        for call in [
            versions,
            conditions,
            holds,
            retention,
            object_retention,
            soft_deletion,
            names,
            access,
            refusals,
        ]
    }
)
