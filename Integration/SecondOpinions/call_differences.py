"""Sends the same generated calls of gRPC to Google's Firestore emulator and to tenon-server, and compares the answers.

The requests are those of REST (differences.py) as far as messages can express them, and mistakes that only messages have.
Answers are compared by status, text and messages, in which times, generated IDs and page tokens are replaced by their kinds.
"""

import json
import os

import grpc
from google.cloud.firestore_v1.types import document, firestore, write
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError

from differences import BATCH, DATABASE, PROJECT, Generator, Server, normalised, rows

SERVICE = "google.firestore.v1.Firestore"
OWNER = [("authorization", "Bearer owner")]

# The methods with the types of their requests and responses, and whether the response is a stream.
METHODS = {
    "GetDocument": (firestore.GetDocumentRequest, document.Document, False),
    "ListDocuments": (firestore.ListDocumentsRequest, firestore.ListDocumentsResponse, False),
    "CreateDocument": (firestore.CreateDocumentRequest, document.Document, False),
    "UpdateDocument": (firestore.UpdateDocumentRequest, document.Document, False),
    "DeleteDocument": (firestore.DeleteDocumentRequest, None, False),
    "BatchGetDocuments": (firestore.BatchGetDocumentsRequest, firestore.BatchGetDocumentsResponse, True),
    "BeginTransaction": (firestore.BeginTransactionRequest, firestore.BeginTransactionResponse, False),
    "Commit": (firestore.CommitRequest, firestore.CommitResponse, False),
    "Rollback": (firestore.RollbackRequest, None, False),
    "RunQuery": (firestore.RunQueryRequest, firestore.RunQueryResponse, True),
    "RunAggregationQuery": (firestore.RunAggregationQueryRequest, firestore.RunAggregationQueryResponse, True),
    "PartitionQuery": (firestore.PartitionQueryRequest, firestore.PartitionQueryResponse, False),
    "ListCollectionIds": (firestore.ListCollectionIdsRequest, firestore.ListCollectionIdsResponse, False),
    "BatchWrite": (firestore.BatchWriteRequest, firestore.BatchWriteResponse, False),
}


class CallServer(Server):
    """A server that is called over gRPC, and emptied over REST."""

    def __init__(self, address):
        super().__init__(address)
        self.channel = grpc.insecure_channel(address)

    def call(self, method, message):
        """Returns the status, its text, and the messages of the response."""
        _, response, is_stream = METHODS.get(method, (None, None, False))
        path = method if "/" in method else f"/{SERVICE}/{method}"
        make = self.channel.unary_stream if is_stream else self.channel.unary_unary
        try:
            answer = make(path)(message, metadata=OWNER, timeout=15)
            received = list(answer) if is_stream else [answer]
        except grpc.RpcError as error:
            return error.code().name, error.details(), []
        return "OK", "", [as_json(response, bytes) for bytes in received]


def as_json(kind, content):
    if kind is None:
        return content.hex()
    return normalised(MessageToDict(kind.pb(kind.deserialize(content))))


class CallGenerator(Generator):
    """Generates calls: the name of the method, the bytes of the message, and a description."""

    def call(self):
        while True:
            method, body, verifications = self.choice()
            if isinstance(body, bytes):
                return method, body, f"{method} {body.hex()}"
            try:
                message = ParseDict(body, METHODS[method][0].pb()())
            except (ParseError, ValueError, TypeError, AttributeError):
                # JSON that no message expresses.
                continue
            for index, path in verifications:
                # Google's descriptors for Python lack the field `verify`.
                message.writes[index].MergeFromString(b"\x2a" + bytes([len(path) & 127 | 128, len(path) >> 7]) + path)
            return method, message.SerializeToString(), f"{method} {json.dumps(body)}"

    def choice(self):
        kinds = (
            [self.update_call] * 4 + [self.commit_call] * 4 + [self.run_call] * 5 + [self.get_call] * 2
            + [self.list_call] * 2 + [self.batch_get_call] * 2 + [self.aggregate_call] * 2
            + [self.create_call, self.delete_call, self.batch_write_call, self.collections_call, self.transaction_call, self.odd_call])
        choice = self.pick(*kinds)()
        return choice if len(choice) == 3 else (*choice, [])

    def database(self):
        if not self.chance(25): return DATABASE
        return self.pick("", "x", f"projects/{PROJECT}", f"{DATABASE}/documents", f"projects/{PROJECT}/databases/", "projects//databases/(default)", f"{DATABASE}/")

    def root(self):
        if not self.chance(25): return f"{DATABASE}/documents"
        return self.pick("", "documents", DATABASE, f"{DATABASE}/documents/", f"{DATABASE}/x", f"projects/{PROJECT}")

    def message_condition(self):
        return {"currentDocument": self.precondition()} if self.chance(4) else {}

    def message_mask(self, name="mask"):
        return {name: self.mask()} if self.chance(3) else {}

    def consistency(self, *more):
        if not self.chance(10): return {}
        return self.pick({"transaction": "AQI="}, {"readTime": "2000-01-01T00:00:00Z"}, {"readTime": "2999-01-01T00:00:00Z"}, *more)

    def get_call(self):
        return "GetDocument", {"name": self.name(), **self.message_mask(), **self.consistency()}

    def list_call(self):
        body = {"parent": self.root() + self.parent(), "collectionId": self.pick("a", "c", "e", "x", "a", "", "a/b", "__a__"), **self.message_mask()}
        if self.chance(3): body["pageSize"] = self.pick(1, 2, 0, -1)
        if self.chance(4): body["orderBy"] = self.pick("n", "n desc", "a b c", "n,s desc", "__name__", "`n`", "n,", " n")
        if self.chance(4): body["showMissing"] = self.pick(True, False)
        if self.chance(12): body["pageToken"] = self.pick("x", "AQI=", "")
        return "ListDocuments", {**body, **self.consistency()}

    def create_call(self):
        id = self.pick("new", "b", "c", "__x__", "a/b", ".", "n1", "n2", "", "x" * 1501)
        path = {"name": self.name()} if self.chance(8) else {}
        return "CreateDocument", {"parent": self.root() + self.parent(), "collectionId": self.pick("a", "a", "c", "", "__a__", "a/b"), "documentId": id, "document": {**path, "fields": self.fields()}, **self.message_mask()}

    def update_call(self):
        body = {"document": {"name": self.name(), "fields": self.fields()}}
        if self.chance(30): body = self.pick({}, {"document": {}})
        return "UpdateDocument", {**body, **self.message_mask("updateMask"), **self.message_mask(), **self.message_condition()}

    def delete_call(self):
        return "DeleteDocument", {"name": self.name(), **self.message_condition()}

    def writes(self):
        """Returns writes, and the paths of those that are verifications."""
        writes, verifications = [], []
        for index in range(self.random.randrange(4)):
            write = self.write()
            if isinstance(write, dict) and "verify" in write:
                write = {**write}
                verifications.append((index, write.pop("verify").encode()))
            writes.append(write)
        return writes, verifications

    def commit_call(self):
        writes, verifications = self.writes()
        body = {"database": self.database(), "writes": writes}
        if self.chance(30): body["transaction"] = "AQI="
        return "Commit", body, verifications

    def batch_write_call(self):
        writes, verifications = self.writes()
        return "BatchWrite", {"database": self.database(), "writes": writes, **({"labels": {"a": "b"}} if self.chance(6) else {})}, verifications

    def batch_get_call(self):
        body = {"database": self.database(), "documents": [self.name() for _ in range(self.random.randrange(4))], **self.message_mask()}
        return "BatchGetDocuments", {**body, **self.consistency({"newTransaction": {"readOnly": {}}})}

    def collections_call(self):
        return "ListCollectionIds", {"parent": self.root() + self.pick("", "/c/d", "/a/b", "/a"), **self.pick({}, {"pageSize": 1}, {"pageSize": -1}, {"pageToken": "x"}), **self.consistency()}

    def transaction_call(self):
        return self.pick(
            ("BeginTransaction", {"database": self.database(), **self.pick({}, {"options": {"readOnly": {}}}, {"options": {"readWrite": {"retryTransaction": "AQI="}}}, {"options": {}}, {"options": {"readOnly": {"readTime": "2000-01-01T00:00:00Z"}}})}),
            ("Rollback", {"database": self.database(), **self.pick({}, {"transaction": "AQI="})}))

    def run_call(self):
        body = {"parent": self.root() + self.parent(), "structuredQuery": self.query()}
        if self.chance(40): del body["structuredQuery"]
        return "RunQuery", {**body, **self.consistency({"explainOptions": {}}, {"newTransaction": {"readOnly": {}}})}

    def aggregate_call(self):
        _, _, body = self.aggregate()
        body = {"parent": self.root() + self.parent(), **body}
        if self.chance(40): del body["structuredAggregationQuery"]
        return "RunAggregationQuery", {**body, **self.consistency({"newTransaction": {"readOnly": {}}})}

    def odd_call(self):
        """What only the bytes of a message can express, and methods that don't exist."""
        value = lambda content: write.Write.serialize(write.Write(update={"name": f"{DATABASE}/documents/a/b", "fields": {"n": content}}))
        commit = lambda *writes: b"\x0a" + bytes([len(DATABASE)]) + DATABASE.encode() + b"".join(
            b"\x12" + bytes([len(item) & 127 | 128, len(item) >> 7]) + item for item in writes)
        time = lambda seconds, nanos: value(document.Value.deserialize(b"\x52\x16\x08" + varint(seconds) + b"\x10" + varint(nanos)))
        return self.pick(
            ("Nothing", b""), ("ExecutePipeline", b""), ("/example.Service/Get", b""), ("/google.firestore.v1.Firestore/", b""),
            (self.pick("Commit", "GetDocument", "RunQuery"), self.pick(b"\x0a\xff\xff", b"\x0a\x01\xff", b"\xff", b"\x0b", b"\x00\x00", b"\x0d\x00", b"\xfa\x01\x00")),
            (self.pick(*METHODS), b""),
            # An enumeration's number that has no name, in a filter, an order and a transform.
            ("RunQuery", firestore.RunQueryRequest.serialize(firestore.RunQueryRequest(parent=f"{DATABASE}/documents", structured_query={
                "from_": [{"collection_id": "a"}], "where": {"field_filter": {"field": {"field_path": "n"}, "op": 77, "value": {"integer_value": 1}}}}))),
            ("RunQuery", firestore.RunQueryRequest.serialize(firestore.RunQueryRequest(parent=f"{DATABASE}/documents", structured_query={
                "from_": [{"collection_id": "a"}], "order_by": [{"field": {"field_path": "n"}, "direction": 9}]}))),
            ("Commit", commit(value({"null_value": 5}))), ("Commit", commit(value({"boolean_value": False}))),
            # Unknown fields of the message and of a value are ignored, or leave a value without a type.
            ("Commit", commit(value({"integer_value": 1})) + b"\xfa\x3f\x01a"), ("Commit", commit(value({}))))


def varint(number):
    number &= (1 << 64) - 1
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes(encoded + bytes([number]))


def kind(ours, theirs):
    """Returns how answers differ; None if they don't."""
    if ours == theirs:
        return None
    if (ours[0] == "OK") != (theirs[0] == "OK"):
        return "status"
    if ours[0] != theirs[0]:
        return "code"
    return "body" if ours[0] == "OK" else "text"


def described(answer):
    return f"OK {json.dumps(answer[2])}" if answer[0] == "OK" else f"{answer[0]} {answer[1]}"


def call_differences(seed, count, table):
    """Returns the number of calls, the number of differences by their row, and those that no row explains."""
    ours, theirs = CallServer(os.environ["TENON_SERVER"]), CallServer(os.environ["FIRESTORE_EMULATOR"])
    known, unknown, counts, methods = rows(table, "gRPC"), [], {}, {}
    for number in range(count):
        if number % BATCH == 0:
            ours.reset()
            theirs.reset()
            generator = CallGenerator(seed * 1_000_003 + number // BATCH)
        method, message, request = generator.call()
        methods[method] = methods.get(method, 0) + 1
        request = request.replace(f"{DATABASE}/documents", "").replace(DATABASE, "DATABASE")
        first, second = ours.call(method, message), theirs.call(method, message)
        how = kind(first, second)
        if method == "CreateDocument" and '"documentId": ""' in request:
            # The generated IDs of the servers have different places in the order of the documents.
            ours.reset()
            theirs.reset()
        if not how:
            continue
        row = next((row for row in known if row.explains(how, request, described(second))), None)
        if row:
            counts[row.name] = counts.get(row.name, 0) + 1
        else:
            unknown.append(f"{number} {how}: {request[:600]}\n ours {described(first)[:300]}\n theirs {described(second)[:300]}")
        # What the servers have written may differ from here on.
        if how == "status" or not row:
            ours.reset()
            theirs.reset()
    return {"count": count, "known": counts, "unknown": unknown, "methods": methods}
