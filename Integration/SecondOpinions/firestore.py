"""Controls Google's google-cloud-firestore, which uses the emulator named by FIRESTORE_EMULATOR_HOST.

Values are exchanged as objects with one member, which is named after the type. No content is rounded: integers are
text, doubles are the hexadecimal digits of their bits, and timestamps are seconds and nanoseconds.
"""

import base64
import datetime
import os
import queue
import struct

from google.cloud import firestore
from google.cloud.firestore_v1.document import DocumentReference
from google.cloud.firestore_v1.vector import Vector

import peer

client = firestore.Client(project=os.environ["GOOGLE_CLOUD_PROJECT"])
watches = {}

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def bits(number):
    return struct.pack(">d", number).hex()


def number(text):
    return struct.unpack(">d", bytes.fromhex(text))[0]


def time(value):
    """Returns the seconds since 1970 and the nanoseconds of a timestamp that the library has read."""
    # The times of snapshots are of proto-plus's class of the same name.
    assert type(value).__name__ == "DatetimeWithNanoseconds", type(value)
    # Not `timestamp_pb()`, which rounds the seconds of times before 1970 towards zero.
    elapsed = value - EPOCH
    return [str(elapsed.days * 86400 + elapsed.seconds), value.nanosecond or value.microsecond * 1000]


def encode(value):
    """Returns the form of a value that the library has read."""
    if value is None:
        return {"null": None}
    if isinstance(value, bool):
        return {"boolean": value}
    if isinstance(value, int):
        return {"integer": str(value)}
    if isinstance(value, float):
        return {"double": bits(value)}
    if isinstance(value, datetime.datetime):
        return {"timestamp": time(value)}
    if isinstance(value, str):
        return {"string": value}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, DocumentReference):
        assert value._client.project == client.project
        return {"reference": value.path}
    if isinstance(value, firestore.GeoPoint):
        return {"geoPoint": [bits(value.latitude), bits(value.longitude)]}
    if isinstance(value, Vector):
        assert all(isinstance(component, float) for component in value)
        return {"vector": [bits(component) for component in value]}
    if isinstance(value, list):
        return {"array": [encode(element) for element in value]}
    if isinstance(value, dict):
        return {"map": encode_fields(value)}
    raise TypeError(type(value).__name__)


def encode_fields(fields):
    """Returns fields as pairs in the order of the UTF-8 bytes of their names."""
    return [[name, encode(fields[name])] for name in sorted(fields, key=lambda name: name.encode())]


def decode(form):
    """Returns the library's value for a form; also transforms."""
    ((kind, content),) = form.items()
    if kind in ("null", "boolean", "string"):
        return content
    if kind == "integer":
        return int(content)
    if kind == "double":
        return number(content)
    if kind == "timestamp":
        return EPOCH + datetime.timedelta(seconds=int(content[0]), microseconds=content[1] // 1000)
    if kind == "bytes":
        return base64.b64decode(content)
    if kind == "reference":
        return client.document(content)
    if kind == "geoPoint":
        return firestore.GeoPoint(*map(number, content))
    if kind == "vector":
        return Vector([number(component) for component in content])
    if kind == "array":
        return [decode(element) for element in content]
    if kind == "map":
        return decode_fields(content)
    if kind == "serverTimestamp":
        return firestore.SERVER_TIMESTAMP
    if kind == "deletion":
        return firestore.DELETE_FIELD
    transforms = {
        "increment": firestore.Increment,
        "maximum": firestore.Maximum,
        "minimum": firestore.Minimum,
        "arrayUnion": firestore.ArrayUnion,
        "arrayRemove": firestore.ArrayRemove,
    }
    return transforms[kind](decode(content))


def decode_fields(pairs):
    return {name: decode(form) for name, form in pairs}


def get(path):
    document = client.document(path).get()
    if not document.exists:
        return None
    return {"fields": encode_fields(document.to_dict()), "updateTime": time(document.update_time)}


def update(path, fields):
    # The paths of the library's `update` are quoted where necessary by `FieldPath`.
    changes = {client.field_path(name): value for name, value in decode_fields(fields).items()}
    client.document(path).update(changes)


def watch(collection):
    """Begins to watch a collection."""
    snapshots = queue.Queue()
    registration = client.collection(collection).on_snapshot(
        lambda documents, changes, read_time: snapshots.put(
            [[change.type.name, change.document.id, encode_fields(change.document.to_dict())] for change in changes]
        )
    )
    watches[collection] = (registration, snapshots)


def next_changes(collection):
    """Returns the changes of the next snapshot that has any."""
    while True:
        changes = watches[collection][1].get(timeout=240)
        if changes:
            return changes


peer.serve(
    {
        "get": get,
        "set": lambda path, fields: client.document(path).set(decode_fields(fields)) and None,
        "update": update,
        "delete": lambda path: client.document(path).delete() and None,
        "query": lambda collection: [document.id for document in client.collection(collection).stream()],
        "watch": watch,
        "next_changes": next_changes,
        "stop": lambda collection: watches.pop(collection)[0].unsubscribe(),
    }
)
