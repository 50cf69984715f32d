#if defined(__linux__)

#define _GNU_SOURCE
#include "bench_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { max_head = 16 << 10, max_reply = 2 << 10, content_size = 16 << 20, max_uploads = 256 };

struct connection {
  int descriptor;
  /// The number of bytes of the request's body that haven't been received.
  size_t to_receive;
  /// The number of bytes of a large body that haven't been sent.
  size_t to_send;
  /// The file whose content is sent again and again as a large body, and its size.
  int source;
  size_t source_size;
  /// The response when the request's body has been received; an empty one with status 200 if there is none.
  size_t reply_size;
  char reply[max_reply];
  /// The part of a head that has been received.
  size_t head_size;
  char head[max_head + 1];
};

static int events;
/// A file in memory, whose content is sent again and again as a large body.
static int content;
static size_t large_body;
static char *small_response, large_head[128];
static size_t small_response_size;
static int port;

/// An object of Cloud Storage.
struct object {
  char *name, *md5, *crc32c;
  int file;
  size_t size;
  struct object *next;
};
static struct object *objects;

/// A resumable upload. The last ones are known.
struct upload {
  struct object *object;
  size_t received;
  bool is_complete;
};
static struct upload uploads[max_uploads];
static size_t upload_count;

int bench_server_add_object(const char *name, const char *path, const char *md5, const char *crc32c) {
  struct object *object = calloc(1, sizeof *object);
  if (!object) return ENOMEM;
  struct stat status;
  object->file = open(path, O_RDONLY | O_CLOEXEC);
  if (object->file < 0 || fstat(object->file, &status)) return errno;
  object->size = (size_t)status.st_size;
  object->name = strdup(name);
  object->md5 = strdup(md5);
  object->crc32c = strdup(crc32c);
  object->next = objects;
  objects = object;
  return 0;
}

static void watch(struct connection *connection, uint32_t kind, int operation) {
  struct epoll_event event = {.events = kind, .data.ptr = connection};
  epoll_ctl(events, operation, connection->descriptor, &event);
}

static bool send_text(struct connection *connection, const char *text, size_t size) {
  return send(connection->descriptor, text, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/// Sends the response to a request whose body has been received.
static bool send_reply(struct connection *connection) {
  const char *empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  size_t size = connection->reply_size;
  connection->reply_size = 0;
  return size ? send_text(connection, connection->reply, size) : send_text(connection, empty, strlen(empty));
}

/// Begins to send a large body after its head.
static bool send_large(struct connection *connection, const char *head, int source, size_t source_size, size_t size) {
  connection->to_send = size;
  connection->source = source;
  connection->source_size = source_size;
  watch(connection, EPOLLOUT, EPOLL_CTL_MOD);
  return send_text(connection, head, strlen(head));
}

/// Prepares the response to a request: its status, its header fields, each with a line break, and its body.
static void prepare(struct connection *connection, const char *status, const char *fields, const char *format, ...) {
  char body[max_reply / 2];
  va_list values;
  va_start(values, format);
  vsnprintf(body, sizeof body, format, values);
  va_end(values);
  int size = snprintf(
    connection->reply, max_reply, "HTTP/1.1 %s\r\n%sContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
    status, fields, strlen(body), body);
  connection->reply_size = size < max_reply ? (size_t)size : max_reply - 1;
}

/// Prepares the metadata of an object as the response. The hashes are those of the object's known content, so an upload must have
/// its size.
static void prepare_metadata(struct connection *connection, const char *fields, struct object *object, size_t size) {
  if (size != object->size)
    return prepare(connection, "400 Bad Request", fields, "{\"error\":{\"code\":400,\"message\":\"Another size.\"}}");
  prepare(
    connection, "200 OK", fields,
    "{\"name\":\"%s\",\"bucket\":\"bench\",\"generation\":\"1\",\"metageneration\":\"1\",\"size\":\"%zu\","
    "\"contentType\":\"application/octet-stream\",\"timeCreated\":\"2026-01-01T00:00:00.000Z\","
    "\"updated\":\"2026-01-01T00:00:00.000Z\",\"md5Hash\":\"%s\",\"crc32c\":\"%s\",\"downloadTokens\":\"bench\"}",
    object->name, size, object->md5, object->crc32c);
}

/// Returns the object whose name follows a mark in a request; NULL if there is none.
static struct object *named(const char *request, const char *mark) {
  const char *name = strstr(request, mark);
  if (!name) return NULL;
  name += strlen(mark);
  size_t size = strcspn(name, " ?&");
  struct object *object = objects;
  while (object && (strlen(object->name) != size || strncmp(object->name, name, size))) object = object->next;
  return object;
}

/// Returns whether a header field of a request has a value that begins with a text.
static bool has_field(const char *head, const char *name, const char *value) {
  const char *field = strcasestr(head, name);
  if (!field) return false;
  field += strlen(name);
  return !strncasecmp(field + strspn(field, " "), value, strlen(value));
}

/// Prepares the response to a command of a resumable upload (X-Goog-Upload-Protocol).
static void continue_upload(struct connection *connection, const char *number, size_t size) {
  struct upload *upload = &uploads[strtoul(number, NULL, 10) % max_uploads];
  char *head = connection->head, fields[160];
  if (!upload->object) return prepare(connection, "404 Not Found", "", "{}");
  if (has_field(head, "\nx-goog-upload-command:", "upload")) upload->received += size;
  if (strcasestr(head, "finalize\r")) upload->is_complete = true;
  bool is_query = has_field(head, "\nx-goog-upload-command:", "query");
  snprintf(
    fields, sizeof fields, "X-Goog-Upload-Status: %s\r\nX-Goog-Upload-Size-Received: %zu\r\n",
    upload->is_complete ? "final" : "active", upload->received);
  if (upload->is_complete && !is_query) return prepare_metadata(connection, fields, upload->object, upload->received);
  prepare(connection, "200 OK", fields, "");
}

/// Responds to a request of the protocol of Cloud Storage for Firebase, or prepares the response for the time when the body of the
/// request, of `size` bytes, has been received. Returns whether the connection remains open.
static bool respond_storage(struct connection *connection, size_t size, bool *has_responded) {
  char *head = connection->head, text[512];
  if (strncmp(head, "POST ", 5)) {
    struct object *object = named(head, "/o/");
    if (!object) {
      prepare(connection, "404 Not Found", "", "{\"error\":{\"code\":404,\"message\":\"Not Found.\"}}");
      return true;
    }
    const char *end = strstr(head, "\r\n");
    const char *media = strstr(head, "alt=media");
    if (strncmp(head, "GET ", 4) || !media || media > end) {
      prepare_metadata(connection, "", object, object->size);
      return true;
    }
    snprintf(
      text, sizeof text,
      "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nETag: \"1\"\r\nX-Goog-Generation: 1\r\n"
      "X-Goog-Stored-Content-Length: %zu\r\nX-Goog-Hash: crc32c=%s,md5=%s\r\nContent-Length: %zu\r\n\r\n",
      object->size, object->crc32c, object->md5, object->size);
    *has_responded = true;
    return send_large(connection, text, object->file, object->size, object->size);
  }
  char *number = strstr(head, "upload_id=");
  if (number && number < strstr(head, "\r\n")) {
    continue_upload(connection, number + strlen("upload_id="), size);
    return true;
  }
  struct object *object = named(head, "name=");
  if (!object) {
    prepare(connection, "400 Bad Request", "", "{\"error\":{\"code\":400,\"message\":\"Unknown object.\"}}");
  } else if (has_field(head, "\nx-goog-upload-command:", "start")) {
    size_t index = upload_count++ % max_uploads;
    uploads[index] = (struct upload){.object = object};
    snprintf(
      text, sizeof text,
      "X-Goog-Upload-URL: http://127.0.0.1:%d/v0/b/bench/o?name=%s&upload_id=%zu&upload_protocol=resumable\r\n"
      "X-Goog-Upload-Status: active\r\nX-Goog-Upload-Chunk-Granularity: 262144\r\n",
      port, object->name, index);
    prepare(connection, "200 OK", text, "");
  } else {
    // The size of the content isn't known without the boundaries of multipart/related, which take less than 2 KiB.
    bool is_multipart = has_field(head, "\nx-goog-upload-protocol:", "multipart");
    bool is_whole = is_multipart && size > object->size && size < object->size + (2 << 10);
    prepare_metadata(connection, "", object, is_whole ? object->size : size);
  }
  return true;
}

/// Responds to a request whose head has been received, or begins to receive its body.
static bool respond(struct connection *connection, char *end) {
  size_t rest = (size_t)(connection->head + connection->head_size - end);
  connection->head_size = 0;
  if (!strncmp(connection->head, "GET /small", 10)) return send_text(connection, small_response, small_response_size);
  if (!strncmp(connection->head, "GET /large", 10))
    return send_large(connection, large_head, content, content_size, large_body);
  char *length = strcasestr(connection->head, "\ncontent-length:");
  size_t size = length ? strtoul(length + strlen("\ncontent-length:"), NULL, 10) : 0;
  char *path = strchr(connection->head, ' ');
  if (path && !strncmp(path, " /v0/b/", 7)) {
    bool has_responded = false;
    if (!respond_storage(connection, size, &has_responded)) return false;
    if (has_responded) return true;
  }
  connection->to_receive = size > rest ? size - rest : 0;
  if (strcasestr(connection->head, "\nexpect: 100-continue")) {
    const char *text = "HTTP/1.1 100 Continue\r\n\r\n";
    if (!send_text(connection, text, strlen(text))) return false;
  }
  return connection->to_receive || send_reply(connection);
}

/// Receives what is available. Returns whether the connection remains open.
static bool receive(struct connection *connection) {
  if (connection->to_receive) {
    size_t most = 4 << 20;
    // Linux discards the bytes without copying them.
    ssize_t count = recv(
      connection->descriptor, NULL, connection->to_receive < most ? connection->to_receive : most, MSG_TRUNC);
    if (count <= 0) return count < 0 && errno == EAGAIN;
    connection->to_receive -= (size_t)count;
    return connection->to_receive || send_reply(connection);
  }
  ssize_t count =
    recv(connection->descriptor, connection->head + connection->head_size, max_head - connection->head_size, 0);
  if (count <= 0) return count < 0 && errno == EAGAIN;
  connection->head_size += (size_t)count;
  connection->head[connection->head_size] = 0;
  char *end = strstr(connection->head, "\r\n\r\n");
  return end ? respond(connection, end + 4) : connection->head_size < max_head;
}

/// Sends as much of a large body as the socket takes.
static bool send_content(struct connection *connection) {
  if (!connection->to_send) {
    watch(connection, EPOLLIN, EPOLL_CTL_MOD);
    return true;
  }
  // Every body ends with the end of its file.
  size_t left = connection->to_send % connection->source_size;
  size_t most = left ? left : connection->source_size;
  off_t offset = (off_t)(connection->source_size - most);
  ssize_t count = sendfile(connection->descriptor, connection->source, &offset, most);
  if (count <= 0) return count < 0 && errno == EAGAIN;
  connection->to_send -= (size_t)count;
  return true;
}

int bench_server_run(size_t small_size, size_t large_size, void (*listening)(int port)) {
  large_body = large_size;
  snprintf(large_head, sizeof large_head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", large_size);
  small_response = malloc(small_size + 128);
  if (!small_response) return ENOMEM;
  size_t head = (size_t)sprintf(small_response, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", small_size);
  memset(small_response + head, 'x', small_size);
  small_response_size = head + small_size;
  content = memfd_create("tenon-bench", MFD_CLOEXEC);
  if (content < 0 || posix_fallocate(content, 0, content_size)) return errno;

  struct connection listener = {.descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (
    bind(listener.descriptor, (struct sockaddr *)&address, size) || listen(listener.descriptor, 1024)
    || getsockname(listener.descriptor, (struct sockaddr *)&address, &size))
    return errno;
  events = epoll_create1(EPOLL_CLOEXEC);
  if (events < 0) return errno;
  watch(&listener, EPOLLIN, EPOLL_CTL_ADD);
  signal(SIGPIPE, SIG_IGN);
  port = ntohs(address.sin_port);
  listening(port);

  struct epoll_event ready[256];
  while (true) {
    int count = epoll_wait(events, ready, 256, -1);
    for (int index = 0; index < count; index++) {
      struct connection *connection = ready[index].data.ptr;
      if (connection == &listener) {
        struct connection *new = calloc(1, sizeof *new);
        if (!new) return ENOMEM;
        new->descriptor = accept4(listener.descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        int on = 1;
        setsockopt(new->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        watch(new, EPOLLIN, EPOLL_CTL_ADD);
      } else if (!(ready[index].events & EPOLLOUT ? send_content(connection) : receive(connection))) {
        close(connection->descriptor);
        free(connection);
      }
    }
  }
}

#endif
