"""Calls methods of gRPC with messages, metadata and deadlines that Google's client doesn't send.

TENON_SERVER names the server. Each call returns the name of the status, and where it matters its text.
"""

import os
import threading

import grpc
from google.cloud.firestore_v1.types import document, firestore, write

import peer

ADDRESS = os.environ["TENON_SERVER"]
DATABASE = f"projects/{os.environ['GOOGLE_CLOUD_PROJECT']}/databases/(default)"
SERVICE = "google.firestore.v1.Firestore"
OWNER = [("authorization", "Bearer owner")]

options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
channel = grpc.insecure_channel(ADDRESS, options=options)


def unary(method, message, metadata=OWNER, timeout=50, service=SERVICE, **options):
    """Returns the status of a call and its text or its response."""
    call = channel.unary_unary(f"/{service}/{method}")
    try:
        return ["OK", len(call(message, metadata=metadata, timeout=timeout, **options))]
    except grpc.RpcError as error:
        return [error.code().name, error.details()]


def commit(path, metadata=OWNER, text=""):
    update = document.Document(
        name=f"{DATABASE}/documents/{path}", fields={"x": document.Value(string_value=text)}
    )
    request = firestore.CommitRequest(database=DATABASE, writes=[write.Write(update=update)])
    return unary("Commit", firestore.CommitRequest.serialize(request), metadata)


def get(path, metadata=OWNER):
    request = firestore.GetDocumentRequest(name=f"{DATABASE}/documents/{path}")
    return unary("GetDocument", firestore.GetDocumentRequest.serialize(request), metadata)


def listen_request(collection):
    query = firestore.Target.QueryTarget(
        parent=f"{DATABASE}/documents", structured_query={"from_": [{"collection_id": collection}]}
    )
    return firestore.ListenRequest.serialize(
        firestore.ListenRequest(database=DATABASE, add_target=firestore.Target(query=query, target_id=2))
    )


def listen(messages, metadata=OWNER, timeout=None):
    return channel.stream_stream(f"/{SERVICE}/Listen")(messages, metadata=metadata, timeout=timeout)


def refusals():
    pipeline = firestore.ExecutePipelineRequest.serialize(firestore.ExecutePipelineRequest(database=DATABASE))
    return {
        "method": unary("Nothing", b""),
        "service": unary("Get", b"", service="example.Service"),
        "pipeline": unary("ExecutePipeline", pipeline),
        "damaged": unary("Commit", b"\x0a\xff\xff"),
        "unnamed": unary("Commit", b""),
        "gzip": unary("Commit", b"\x0a\x01a" * 500, compression=grpc.Compression.Gzip),
        "large": unary("Commit", b"\x0a\x01a" * 4_000_000),
        "credentials": get("a/b", [("authorization", "Bearer x")]),
        "missing": get("a/é%"),
    }


def details():
    """The status of failing calls, and whether it has details (grpc-status-details-bin)."""
    missing = f"{DATABASE}/documents/missing/document"
    update = document.Document(name=missing)
    calls = {
        "missing": ["GetDocument", firestore.GetDocumentRequest(name=missing)],
        "precondition": ["Commit", commit_of(update, {"exists": True})],
        "time": ["Commit", commit_of(update, {"update_time": {"seconds": 5}})],
        "name": ["Commit", commit_of(document.Document(name="nothing"), None)],
        "reserved": ["Commit", commit_of(document.Document(name=f"{DATABASE}/documents/__a__/b"), None)],
        "transaction": ["Commit", firestore.CommitRequest(database=DATABASE, transaction=b"garbage")],
        "unknown": ["Nothing", firestore.CommitRequest(database=DATABASE)],
    }
    found = {}
    for name, (method, message) in calls.items():
        try:
            channel.unary_unary(f"/{SERVICE}/{method}")(
                type(message).serialize(message), metadata=OWNER, timeout=50
            )
            found[name] = ["OK", False]
        except grpc.RpcError as error:
            keys = [key for key, _ in error.trailing_metadata() or []]
            found[name] = [error.code().name, "grpc-status-details-bin" in keys]
    return found


def commit_of(update, condition):
    return firestore.CommitRequest(
        database=DATABASE, writes=[write.Write(update=update, current_document=condition)]
    )


def fields(method, message, response):
    """Returns the status of a call, and the names of the fields of the documents in its response by their paths."""
    try:
        answer = channel.unary_unary(f"/{SERVICE}/{method}")(
            type(message).serialize(message), metadata=OWNER, timeout=50
        )
    except grpc.RpcError as error:
        return [error.code().name, {}]
    answer = response.deserialize(answer)
    documents = [answer] if response is document.Document else answer.documents
    return ["OK", {found.name.split("/documents/")[1]: sorted(found.fields) for found in documents}]


def shapes():
    """Masks without paths, lists without a collection, and names of another kind of resource than the method's."""
    root = f"{DATABASE}/documents"
    for path in ("shapes/a", "shapes/a/inner/b", "shapes/a/other/c"):
        commit(path)
    name, change = f"{root}/shapes/a", {"y": document.Value(integer_value=1)}
    update = lambda mask, answer: firestore.UpdateDocumentRequest(
        document=document.Document(name=name, fields=change), update_mask=mask, mask=answer
    )
    get = lambda name, mask=None: firestore.GetDocumentRequest(name=name, mask=mask)
    list = lambda parent, **more: firestore.ListDocumentsRequest(parent=parent, **more)
    one, page = document.Document, firestore.ListDocumentsResponse
    return {
        "update of nothing": fields("UpdateDocument", update({"field_paths": []}, None), one),
        "update of a field": fields("UpdateDocument", update({"field_paths": ["y"]}, None), one),
        "update answered without fields": fields("UpdateDocument", update({"field_paths": []}, {}), one),
        "get without fields": fields("GetDocument", get(name, {"field_paths": []}), one),
        "get of a field": fields("GetDocument", get(name, {"field_paths": ["y"]}), one),
        "get of a collection": fields("GetDocument", get(f"{root}/shapes"), one),
        "get of the root": fields("GetDocument", get(root), one),
        "delete of a collection": fields("DeleteDocument", firestore.DeleteDocumentRequest(name=f"{root}/shapes"), one),
        "list below a collection": fields("ListDocuments", list(f"{root}/shapes", collection_id="a"), page),
        "list of all collections": fields("ListDocuments", list(name), page),
        "page of all collections": fields("ListDocuments", list(name, page_size=1), page),
        "list with missing documents of all collections": fields("ListDocuments", list(name, show_missing=True), page),
        "list of a path": fields("ListDocuments", list(root, collection_id="shapes/a"), page),
        "create without a collection": fields(
            "CreateDocument", firestore.CreateDocumentRequest(parent=root, document_id="d", document=one()), one
        ),
        "create below a collection": fields(
            "CreateDocument",
            firestore.CreateDocumentRequest(parent=f"{root}/shapes", collection_id="c", document_id="d", document=one()),
            one,
        ),
        **{
            f"order {order}": fields("ListDocuments", list(root, collection_id="shapes", order_by=order), page)[0]
            for order in ("x DESC", "x asc, y", "x\tdesc", " x", "x ", "x,", "x up", "x desc desc")
        },
    }


def sizes():
    """A document of almost 1 MiB is written and read."""
    return [commit("sizes/large", text="a" * 1_000_000), get("sizes/large")[1] > 1_000_000]


class Requests:
    """Requests of a stream that stays open."""

    def __init__(self, *messages):
        self.messages = list(messages)
        self.closed = threading.Event()

    def __iter__(self):
        return self

    def __next__(self):
        if self.messages:
            return self.messages.pop(0)
        self.closed.wait()
        raise StopIteration


def open_deadline():
    requests = Requests(listen_request("none"))
    try:
        for _ in listen(requests, timeout=1):
            pass
        return "ended"
    except grpc.RpcError as error:
        return error.code().name
    finally:
        requests.closed.set()


def cancel(count):
    """Opens and cancels many streams on one connection; later calls work."""
    for _ in range(count):
        requests = Requests(listen_request("cancelled"))
        call = listen(requests)
        next(call)
        call.cancel()
        requests.closed.set()
    return commit("cancelled/a")[0]


def stalled():
    """A listener that doesn't read holds up neither other calls on its connection nor other listeners."""
    requests = Requests(listen_request("stalled"))
    idle = listen(requests)
    next(idle)
    written = [commit(f"stalled/d{index % 4}", text="a" * 500_000)[0] for index in range(40)]
    other = Requests(listen_request("stalled"))
    reader = listen(other)
    kinds = set()
    for message in reader:
        change = firestore.ListenResponse.deserialize(message)
        if "document_change" in change:
            kinds.add(change.document_change.document.name.rsplit("/", 1)[1])
        if len(kinds) == 4:
            break
    reader.cancel()
    idle.cancel()
    requests.closed.set()
    other.closed.set()
    return [sorted(set(written)), sorted(kinds)]


def damaged_stream():
    requests = Requests(listen_request("none"), b"\x0a\xff\xff")
    try:
        for _ in listen(requests):
            pass
        return "ended"
    except grpc.RpcError as error:
        return error.code().name
    finally:
        requests.closed.set()


peer.serve(
    {
        call.__name__: call
        for call in (refusals, details, shapes, sizes, open_deadline, cancel, stalled, damaged_stream, commit, get)
    }
)
