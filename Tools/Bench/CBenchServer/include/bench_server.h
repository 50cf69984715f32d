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
int bench_server_run(size_t small_size, size_t large_size, void (*listening)(int port));

#endif
