"""objects.py FOLDER COUNT WIDTH: uploads and downloads COUNT objects of 1 KiB with google-cloud-storage, WIDTH at a time.

Uses the server at STORAGE_EMULATOR_HOST. Prints {"up": ..., "down": ...}, the times in nanoseconds, or {"absent": ...}.
"""

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

folder, count, width = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

try:
    from google.api_core.exceptions import GoogleAPICallError
    from google.auth.credentials import AnonymousCredentials
    from google.cloud import storage
except ImportError as error:
    print(json.dumps({"absent": f"{sys.executable}: {error}. Run Integration/SecondOpinions/prepare."}))
    sys.exit()
import requests.adapters

client = storage.Client(project="demo-bench", credentials=AnonymousCredentials())
# Otherwise, only 10 connections would be kept open.
client._http.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=width))
bucket = client.bucket("bench")
content = os.urandom(1024)


def upload(name):
    bucket.blob(f"{folder}/{name}").upload_from_string(content, content_type="application/octet-stream")


def download(name):
    if bucket.blob(f"{folder}/{name}").download_as_bytes() != content:
        raise SystemExit(f"{folder}/{name} has another content than was uploaded.")


def measure(operation):
    start = time.monotonic_ns()
    if width == 1:
        for name in range(count):
            operation(name)
    else:
        for _ in pool.map(operation, range(count)):
            pass
    return time.monotonic_ns() - start


with ThreadPoolExecutor(width) as pool:
    try:
        # The connections exist before the measurement.
        list(pool.map(upload, ["first"] * width))
    except GoogleAPICallError as error:
        print(json.dumps({"absent": f"the server refuses its requests: {error}"}))
        sys.exit()
    print(json.dumps({"up": measure(upload), "down": measure(download)}))
