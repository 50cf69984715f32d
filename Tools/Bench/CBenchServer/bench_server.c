#if defined(__linux__)

#define _GNU_SOURCE
#include "bench_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

enum { max_head = 16 << 10, content_size = 16 << 20 };

struct connection {
  int descriptor;
  /// The number of bytes of the request's body that haven't been received.
  size_t to_receive;
  /// The number of bytes of a large body that haven't been sent.
  size_t to_send;
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

static void watch(struct connection *connection, uint32_t kind, int operation) {
  struct epoll_event event = {.events = kind, .data.ptr = connection};
  epoll_ctl(events, operation, connection->descriptor, &event);
}

static bool send_text(struct connection *connection, const char *text, size_t size) {
  return send(connection->descriptor, text, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool send_empty(struct connection *connection) {
  const char *text = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  return send_text(connection, text, strlen(text));
}

/// Responds to a request whose head has been received, or begins to receive its body.
static bool respond(struct connection *connection, char *end) {
  size_t rest = (size_t)(connection->head + connection->head_size - end);
  connection->head_size = 0;
  if (!strncmp(connection->head, "GET /small", 10)) return send_text(connection, small_response, small_response_size);
  if (!strncmp(connection->head, "GET /large", 10)) {
    connection->to_send = large_body;
    watch(connection, EPOLLOUT, EPOLL_CTL_MOD);
    return send_text(connection, large_head, strlen(large_head));
  }
  char *length = strcasestr(connection->head, "\ncontent-length:");
  size_t size = length ? strtoul(length + strlen("\ncontent-length:"), NULL, 10) : 0;
  connection->to_receive = size > rest ? size - rest : 0;
  if (strcasestr(connection->head, "\nexpect: 100-continue")) {
    const char *text = "HTTP/1.1 100 Continue\r\n\r\n";
    if (!send_text(connection, text, strlen(text))) return false;
  }
  return connection->to_receive || send_empty(connection);
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
    return connection->to_receive || send_empty(connection);
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
  off_t offset = (off_t)((large_body - connection->to_send) % content_size);
  size_t most = (size_t)(content_size - offset);
  ssize_t count =
    sendfile(connection->descriptor, content, &offset, connection->to_send < most ? connection->to_send : most);
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
  listening(ntohs(address.sin_port));

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
