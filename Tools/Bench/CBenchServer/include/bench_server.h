// An HTTP server that takes little time itself, so that clients are what is measured: one thread, one wait for the events of all
// connections, bodies sent from the page cache and discarded without being copied.
#ifndef TENON_BENCH_SERVER_H
#define TENON_BENCH_SERVER_H

#include <stddef.h>

/// Opens a free port on 127.0.0.1, calls back with it, and serves until the process is ended.
///
/// It understands what the measured clients send: `GET /small` and `GET /large`, and other requests with `Content-Length`, whose
/// body it discards. A head must not exceed 16 KiB, and requests of one connection must not be pipelined.
///
/// - small_size, large_size: the sizes of the bodies of `/small` and `/large` in bytes.
/// Returns the number of an error of the system, if the server can't be started.
///
/// Below `/v0/b/`, it understands what a client of Cloud Storage for Firebase sends to transfer the objects that were added: uploads
/// in one request, as multipart and resumable, downloads, and requests for metadata. An upload is reported with the object's hashes
/// if it has the object's size; its content isn't looked at.
int bench_server_run(size_t small_size, size_t large_size, void (*listening)(int port));

/// Adds an object, before the server runs.
///
/// - name: its name, which needs no percent-encoding.
/// - path: the file with its content.
/// - md5, crc32c: the hashes of the content in base64.
/// Returns the number of an error of the system, if the file can't be opened.
int bench_server_add_object(const char *name, const char *path, const char *md5, const char *crc32c);

#endif
