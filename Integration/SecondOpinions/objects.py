"""Controls Google's google-cloud-storage, which uses the server through STORAGE_EMULATOR_HOST."""

import base64
import datetime
import hashlib
import io
import os
import socket
from urllib.parse import urlsplit

os.environ["STORAGE_EMULATOR_HOST"] = "http://" + os.environ["TENON_SERVER"]

import google_crc32c
import requests
from google.api_core import exceptions
from google.auth import credentials
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from google.cloud.storage import _signing
from google.resumable_media.requests import ResumableUpload

import peer

client = storage.Client(project=os.environ["GOOGLE_CLOUD_PROJECT"], credentials=AnonymousCredentials())


def pattern(size):
    """Returns the content that the tests expect for a size."""
    whole = bytes(range(251)) * (size // 251 + 1)
    return whole[:size]


def hashes(content):
    checksum = google_crc32c.Checksum(content)
    return {
        "size": len(content),
        "md5": base64.b64encode(hashlib.md5(content).digest()).decode(),
        "crc32c": base64.b64encode(checksum.digest()).decode(),
    }


def described(blob):
    return {
        "name": blob.name,
        "size": blob.size,
        "md5": blob.md5_hash,
        "crc32c": blob.crc32c,
        "contentType": blob.content_type,
        "metadata": blob.metadata,
        "generation": str(blob.generation),
        "metageneration": blob.metageneration,
    }


def put(bucket, name, size, checksum="crc32c", chunk_size=None, content_type="application/x-pattern", metadata=None, **conditions):
    """Uploads a pattern: in one request, or in chunks."""
    blob = client.bucket(bucket).blob(name, chunk_size=chunk_size)
    blob.metadata = metadata
    blob.upload_from_file(
        io.BytesIO(pattern(size)), size=size, checksum=checksum, content_type=content_type, **conditions
    )
    return described(blob)


def write(bucket, name, size, chunk_size):
    """Uploads a pattern through a file-like object, which doesn't know its end in advance."""
    content = pattern(size)
    with client.bucket(bucket).blob(name).open("wb", chunk_size=chunk_size) as stream:
        for start in range(0, size, 100_000):
            stream.write(content[start : start + 100_000])
    return described(client.bucket(bucket).get_blob(name))


def get(bucket, name):
    """Downloads an object with each kind of verification, and in chunks."""
    blob = client.bucket(bucket).blob(name)
    content = blob.download_as_bytes(checksum="md5")
    assert content == blob.download_as_bytes(checksum="crc32c")
    parts = io.BytesIO()
    client.bucket(bucket).blob(name, chunk_size=262_144).download_to_file(parts)
    assert parts.getvalue() == content
    return hashes(content)


def get_text(bucket, name):
    return client.bucket(bucket).blob(name).download_as_text()


def get_range(bucket, name, start, end):
    return hashes(client.bucket(bucket).blob(name).download_as_bytes(start=start, end=end))


class CutConnection:
    """A transport that sends half of a request's body and then closes the connection, once."""

    def __init__(self):
        self.session = requests.Session()
        self.is_due = False

    def request(self, method, url, data=None, headers=None, **options):
        if not self.is_due:
            return self.session.request(method, url, data=data, headers=headers, **options)
        self.is_due = False
        parts = urlsplit(url)
        lines = [f"{method} {parts.path}?{parts.query} HTTP/1.1", f"Host: {parts.netloc}", f"Content-Length: {len(data)}"]
        lines += [f"{key}: {value}" for key, value in headers.items() if isinstance(value, str)]
        with socket.create_connection((parts.hostname, parts.port)) as connection:
            connection.sendall("\r\n".join(lines + ["", ""]).encode() + data[: len(data) // 2])
        raise requests.exceptions.ConnectionError("cut by the test")


def put_with_cut(bucket, name, size, chunk_size):
    """Uploads a pattern in chunks, of which the second is cut, and resumes as the server reports."""
    host = os.environ["STORAGE_EMULATOR_HOST"]
    transport = CutConnection()
    upload = ResumableUpload(f"{host}/upload/storage/v1/b/{bucket}/o?uploadType=resumable", chunk_size, checksum="md5")
    upload._retry_strategy.max_retries = 0
    upload._retry_strategy.max_cumulative_retry = None
    upload.initiate(transport, io.BytesIO(pattern(size)), {"name": name}, "application/x-pattern")
    upload.transmit_next_chunk(transport)
    transport.is_due = True
    try:
        upload.transmit_next_chunk(transport)
        raise AssertionError("the connection wasn't cut")
    except requests.exceptions.ConnectionError:
        pass
    upload.recover(transport)
    resumed_at = upload.bytes_uploaded
    while not upload.finished:
        answer = upload.transmit_next_chunk(transport)
    return {"resumedAt": resumed_at, "md5": answer.json()["md5Hash"], "size": int(answer.json()["size"])}


sessions = {}


def begin(bucket, name, size, chunk_size):
    """Begins an upload and sends its first chunk."""
    host = os.environ["STORAGE_EMULATOR_HOST"]
    upload = ResumableUpload(f"{host}/upload/storage/v1/b/{bucket}/o?uploadType=resumable", chunk_size)
    transport = requests.Session()
    upload.initiate(transport, io.BytesIO(pattern(size)), {"name": name}, "application/x-pattern")
    upload.transmit_next_chunk(transport)
    sessions[name] = (upload, transport)
    return upload.bytes_uploaded


def resume(name):
    """Continues an upload after asking the server where."""
    upload, transport = sessions.pop(name)
    upload.recover(transport)
    resumed_at = upload.bytes_uploaded
    while not upload.finished:
        upload.transmit_next_chunk(transport)
    return resumed_at


def listed(bucket, page_size=None, **options):
    """Returns the names and the prefixes of each page."""
    iterator = client.list_blobs(bucket, page_size=page_size, **options)
    pages = [[blob.name for blob in page] for page in iterator.pages]
    return {"pages": pages, "prefixes": sorted(iterator.prefixes)}


def metadata(bucket, name):
    blob = client.bucket(bucket).get_blob(name)
    return described(blob) if blob else None


def patch(bucket, name, content_type=None, metadata=None, **conditions):
    blob = client.bucket(bucket).get_blob(name)
    blob.content_type = content_type
    blob.metadata = metadata
    blob.patch(**conditions)
    return described(blob)


def update(bucket, name, cache_control):
    blob = client.bucket(bucket).get_blob(name)
    blob.cache_control = cache_control
    blob.update()
    return described(blob)


def rewrite(bucket, name, target):
    blob = client.bucket(bucket).blob(target)
    token, written, total = blob.rewrite(client.bucket(bucket).blob(name))
    assert token is None and written == total
    return described(blob)


def copy(bucket, name, other_bucket, target):
    source = client.bucket(bucket)
    return described(source.copy_blob(source.blob(name), client.bucket(other_bucket), target))


def compose(bucket, names, target):
    blob = client.bucket(bucket).blob(target)
    blob.content_type = "text/plain"
    blob.compose([client.bucket(bucket).blob(name) for name in names])
    return described(blob)


def delete(bucket, name):
    client.bucket(bucket).blob(name).delete()


def delete_together(bucket, names):
    """Deletes objects in one batch."""
    with client.batch():
        for name in names:
            client.bucket(bucket).blob(name).delete()


def status(call, **arguments):
    """Returns the HTTP status of the error that a call raises; 200 if there is none."""
    try:
        CALLS[call](**arguments)
        return 200
    except exceptions.GoogleAPICallError as error:
        return error.code


def create_bucket(name):
    return client.create_bucket(name).name


def delete_bucket(name):
    client.bucket(name).delete()


class EmulatorsSigner(credentials.Credentials, credentials.Signing):
    """Signs as TenonStorage does for emulators: with the checksum of the text."""

    signer = None
    signer_email = "firebase-storage-emulator@example.com"

    def refresh(self, request):
        pass

    def sign_bytes(self, message):
        return hashlib.sha256(message).digest()


def signed_url(bucket, name, time, seconds, **options):
    """Returns a URL that is signed at a time."""
    _signing._NOW = lambda *_: datetime.datetime.strptime(time, "%Y%m%dT%H%M%SZ")
    return client.bucket(bucket).blob(name).generate_signed_url(
        version="v4",
        expiration=seconds,
        credentials=EmulatorsSigner(),
        api_access_endpoint=os.environ["STORAGE_EMULATOR_HOST"],
        **options,
    )


CALLS = {
    "put": put,
    "write": write,
    "get": get,
    "get_text": get_text,
    "get_range": get_range,
    "put_with_cut": put_with_cut,
    "begin": begin,
    "resume": resume,
    "list": listed,
    "metadata": metadata,
    "patch": patch,
    "update": update,
    "rewrite": rewrite,
    "copy": copy,
    "compose": compose,
    "delete": delete,
    "delete_together": delete_together,
    "create_bucket": create_bucket,
    "delete_bucket": delete_bucket,
    "exists": lambda bucket: client.bucket(bucket).exists(),
    "buckets": lambda: [bucket.name for bucket in client.list_buckets()],
    "signed_url": signed_url,
    "status": status,
}
peer.serve(CALLS)
