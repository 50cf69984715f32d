"""Prints the CRC32C of a file, or of standard input for -, in base64, and the seconds that it took."""

import base64
import sys
import time

import google_crc32c

start = time.monotonic()
name = sys.argv[1]
checksum = google_crc32c.Checksum()
with sys.stdin.buffer if name == "-" else open(name, "rb") as file:
    while piece := file.read(1 << 20):
        checksum.update(piece)
print(base64.b64encode(checksum.digest()).decode(), time.monotonic() - start)
