// libcurl (https://curl.se/libcurl/c/), declared here and loaded at the first request.
//
// A program that links libcurl pays 7 ms for it at every start, whether it sends a request or not: libcurl depends on some thirty
// libraries. Loading it later avoids that, and also the need for its header files. The declarations are those of
// `libcurl.so.4`, whose binary interface hasn't changed since 2006: numbers of options and codes are never reused, and newer
// ones are refused by an older library with `TENON_CURL_UNKNOWN_OPTION`.
//
// Only `tenon_curl_load` and `tenon_curl_wake` may be called from any thread. A multi handle and its easy handles belong to
// one thread.
#ifndef TENON_CURL_H
#define TENON_CURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads libcurl and initializes it. Later calls return the result of the first. Thread-safe.
///
/// Returns null if libcurl can be used; otherwise the reason why it can't, in words.
const char *tenon_curl_load(void);

/// Prepares the calling thread for running libcurl: names it, and keeps it from receiving signals, in particular `SIGPIPE`,
/// with which a TLS library that writes to a closed connection would end the process.
///
/// From then on, the end of the process (`exit`) waits until the thread waits for events or has ended, at most a second. The
/// thread is then stopped.
///
/// - name: the name for debuggers, at most 15 bytes.
void tenon_curl_prepare_thread(const char *name);

// MARK: - Options

enum {
  TENON_CURL_OPT_WRITEDATA = 10001,
  TENON_CURL_OPT_URL = 10002,
  TENON_CURL_OPT_PROXY = 10004,
  TENON_CURL_OPT_READDATA = 10009,
  TENON_CURL_OPT_ERRORBUFFER = 10010,
  TENON_CURL_OPT_HTTPHEADER = 10023,
  TENON_CURL_OPT_HEADERDATA = 10029,
  TENON_CURL_OPT_CUSTOMREQUEST = 10036,
  TENON_CURL_OPT_CAINFO = 10065,
  TENON_CURL_OPT_PRIVATE = 10103,
  TENON_CURL_OPT_COPYPOSTFIELDS = 10165,
  TENON_CURL_OPT_SEEKDATA = 10168,
  TENON_CURL_OPT_NOPROXY = 10177,
  TENON_CURL_OPT_UNIX_SOCKET_PATH = 10231,
  TENON_CURL_OPT_PREREQDATA = 10313,
  TENON_CURL_OPT_PROTOCOLS_STR = 10318,

  TENON_CURL_OPT_WRITEFUNCTION = 20011,
  TENON_CURL_OPT_READFUNCTION = 20012,
  TENON_CURL_OPT_HEADERFUNCTION = 20079,
  TENON_CURL_OPT_SEEKFUNCTION = 20167,
  TENON_CURL_OPT_PREREQFUNCTION = 20312,

  TENON_CURL_OPT_INFILESIZE_LARGE = 30115,
  TENON_CURL_OPT_POSTFIELDSIZE_LARGE = 30120,

  TENON_CURL_OPT_NOBODY = 44,
  TENON_CURL_OPT_UPLOAD = 46,
  TENON_CURL_OPT_POST = 47,
  TENON_CURL_OPT_NETRC = 51,
  TENON_CURL_OPT_FOLLOWLOCATION = 52,
  TENON_CURL_OPT_FRESH_CONNECT = 74,
  TENON_CURL_OPT_FORBID_REUSE = 75,
  TENON_CURL_OPT_HTTPGET = 80,
  TENON_CURL_OPT_HTTP_VERSION = 84,
  TENON_CURL_OPT_BUFFERSIZE = 98,
  TENON_CURL_OPT_NOSIGNAL = 99,
  TENON_CURL_OPT_CONNECTTIMEOUT_MS = 156,
  TENON_CURL_OPT_HTTP_CONTENT_DECODING = 158,
  TENON_CURL_OPT_PROTOCOLS = 181,
  TENON_CURL_OPT_PATH_AS_IS = 234,
  TENON_CURL_OPT_PIPEWAIT = 237,
  TENON_CURL_OPT_SUPPRESS_CONNECT_HEADERS = 265,
  TENON_CURL_OPT_UPLOAD_BUFFERSIZE = 280,
  TENON_CURL_OPT_HTTP09_ALLOWED = 285,
  TENON_CURL_OPT_QUICK_EXIT = 322,
};

enum {
  TENON_CURL_MULTI_PIPELINING = 3,
  TENON_CURL_MULTI_MAXCONNECTS = 6,
  TENON_CURL_MULTI_MAX_HOST_CONNECTIONS = 7,
};

/// Values of options.
enum {
  TENON_CURL_PIPE_MULTIPLEX = 2,
  TENON_CURL_HTTP_VERSION_1_1 = 2,
  TENON_CURL_HTTP_VERSION_2TLS = 4,
  TENON_CURL_PROTOCOL_HTTP_AND_HTTPS = 3,
  /// The size of the buffer at `TENON_CURL_OPT_ERRORBUFFER`.
  TENON_CURL_ERROR_SIZE = 256,
};

// MARK: - Results of callbacks

enum {
  TENON_CURL_WRITE_PAUSE = 0x10000001,
  TENON_CURL_READ_ABORT = 0x10000000,
  TENON_CURL_READ_PAUSE = 0x10000001,
  TENON_CURL_SEEK_OK = 0,
  TENON_CURL_SEEK_FAIL = 1,
  TENON_CURL_PREREQ_OK = 0,
  TENON_CURL_PREREQ_ABORT = 1,
  /// The bits of `tenon_curl_pause`.
  TENON_CURL_PAUSE_RECEIVING = 1,
  TENON_CURL_PAUSE_SENDING = 4,
};

// MARK: - Codes of failed transfers

enum {
  TENON_CURL_OK = 0,
  TENON_CURL_UNSUPPORTED_PROTOCOL = 1,
  TENON_CURL_URL_MALFORMAT = 3,
  TENON_CURL_COULDNT_RESOLVE_PROXY = 5,
  TENON_CURL_COULDNT_RESOLVE_HOST = 6,
  TENON_CURL_COULDNT_CONNECT = 7,
  TENON_CURL_WEIRD_SERVER_REPLY = 8,
  TENON_CURL_HTTP2 = 16,
  TENON_CURL_READ_ERROR = 26,
  TENON_CURL_OUT_OF_MEMORY = 27,
  TENON_CURL_OPERATION_TIMEDOUT = 28,
  TENON_CURL_SSL_CONNECT_ERROR = 35,
  TENON_CURL_BAD_FUNCTION_ARGUMENT = 43,
  TENON_CURL_UNKNOWN_OPTION = 48,
  TENON_CURL_SSL_CERTPROBLEM = 58,
  TENON_CURL_SSL_CIPHER = 59,
  TENON_CURL_PEER_FAILED_VERIFICATION = 60,
  TENON_CURL_BAD_CONTENT_ENCODING = 61,
  TENON_CURL_USE_SSL_FAILED = 64,
  TENON_CURL_SSL_CACERT_BADFILE = 77,
  TENON_CURL_SSL_ISSUER_ERROR = 83,
  TENON_CURL_SSL_PINNEDPUBKEYNOTMATCH = 90,
  TENON_CURL_SSL_INVALIDCERTSTATUS = 91,
  TENON_CURL_PROXY = 97,
  TENON_CURL_SSL_CLIENTCERT = 98,
};

// MARK: - Easy handles: one transfer each

/// Returns a new easy handle; null if there is no memory.
void *tenon_curl_easy_new(void);
/// Frees a handle.
void tenon_curl_easy_free(void *easy);

/// Sets an option to a number. Returns a code.
int tenon_curl_set_number(void *easy, int option, long value);
/// Sets an option of 64 bits, one whose number is above 30000. Returns a code.
int tenon_curl_set_size(void *easy, int option, int64_t value);
/// Sets an option to a pointer or a string, which libcurl copies. Returns a code.
int tenon_curl_set_pointer(void *easy, int option, const void *value);

/// A callback that takes or provides up to `size * count` bytes and returns their number. See `CURLOPT_WRITEFUNCTION`,
/// `CURLOPT_HEADERFUNCTION` and `CURLOPT_READFUNCTION`.
typedef size_t (*tenon_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
/// A callback that moves to another position of the request's body. See `CURLOPT_SEEKFUNCTION`.
typedef int (*tenon_curl_seek_callback)(void *context, int64_t offset, int origin);
/// A callback before a request is sent on an open connection. See `CURLOPT_PREREQFUNCTION`.
typedef int (*tenon_curl_prereq_callback)(
  void *context, char *remote_address, char *local_address, int remote_port, int local_port);

int tenon_curl_set_data_callback(void *easy, int option, tenon_curl_data_callback callback);
int tenon_curl_set_seek_callback(void *easy, tenon_curl_seek_callback callback);
int tenon_curl_set_prereq_callback(void *easy, tenon_curl_prereq_callback callback);

/// Returns the pointer that was set with `TENON_CURL_OPT_PRIVATE`.
void *tenon_curl_context(void *easy);
/// Watches the TLS session of a transfer, whose connection must not be used for another one afterwards, for the alert
/// `close_notify`, by which the server ends the connection. libcurl 7.88 doesn't distinguish that from a connection that was cut.
///
/// - has_ended: set when the alert is received. It must be valid until the transfer is removed.
/// Returns whether the session is watched; it can't be with another TLS library than OpenSSL.
bool tenon_curl_watch_end(void *easy, bool *has_ended);
/// Returns how long it took until the connection was ready for the request, in microseconds; 0 before.
int64_t tenon_curl_pretransfer_time(void *easy);
/// Pauses directions of a transfer, and continues those whose bit isn't set. Callbacks may be called.
void tenon_curl_pause(void *easy, int directions);
/// Returns the description of a code.
const char *tenon_curl_description(int code);

/// Returns a list with one more line, which is copied; null if there is no memory.
void *tenon_curl_list_append(void *list, const char *line);
void tenon_curl_list_free(void *list);

// MARK: - Multi handles: concurrent transfers on one thread

void *tenon_curl_multi_new(void);
void tenon_curl_multi_free(void *multi);
int tenon_curl_multi_set_number(void *multi, int option, long value);
/// Adds a transfer. Returns 0, or a code of `curl_multi_add_handle`.
int tenon_curl_multi_add(void *multi, void *easy);
/// Removes a transfer. Closes its connection if it hasn't ended.
void tenon_curl_multi_remove(void *multi, void *easy);
/// Sends and receives without blocking. Calls the callbacks of the transfers.
void tenon_curl_multi_perform(void *multi);
/// Blocks until something happens on a connection, a timer of libcurl is due, `tenon_curl_wake` is called, or a number of
/// milliseconds has passed.
void tenon_curl_multi_poll(void *multi, int milliseconds);
/// Ends a call of `tenon_curl_multi_poll` in progress, or the next one. Thread-safe.
void tenon_curl_wake(void *multi);
/// Returns a transfer that has ended, and its code; null if there is none.
void *tenon_curl_multi_next_ended(void *multi, int *code);

/// Starts a detached thread.
///
/// - run: the thread's function, called with `argument`.
/// Returns 0, or the error number of `pthread_create(3)`.
int tenon_start_thread(void (*run)(void *argument), void *argument);

#endif
