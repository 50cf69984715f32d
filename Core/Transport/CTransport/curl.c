#if defined(__linux__)

#define _GNU_SOURCE
#include "tenon_curl.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/// `struct CURLMsg`.
struct message {
  /// 1 for `CURLMSG_DONE`.
  int kind;
  void *easy;
  union {
    void *whatever;
    int code;
  } data;
};

/// The functions of libcurl. Those with an ellipsis take one argument, whose type depends on the option.
static struct {
  int (*global_init)(long flags);
  const char *(*easy_strerror)(int code);
  void *(*easy_init)(void);
  void (*easy_cleanup)(void *easy);
  int (*easy_setopt)(void *easy, int option, ...);
  int (*easy_getinfo)(void *easy, int info, ...);
  int (*easy_pause)(void *easy, int directions);
  void *(*slist_append)(void *list, const char *line);
  void (*slist_free_all)(void *list);
  void *(*multi_init)(void);
  int (*multi_cleanup)(void *multi);
  int (*multi_setopt)(void *multi, int option, ...);
  int (*multi_add_handle)(void *multi, void *easy);
  int (*multi_remove_handle)(void *multi, void *easy);
  int (*multi_perform)(void *multi, int *running);
  int (*multi_poll)(void *multi, void *extra, unsigned int extra_count, int milliseconds, int *count);
  int (*multi_wakeup)(void *multi);
  struct message *(*multi_info_read)(void *multi, int *left);
} curl;

/// Functions of OpenSSL, if it is a library of libcurl; otherwise null.
static struct {
  void (*set_info_callback)(void *session, void (*callback)(const void *session, int event, int value));
  int (*set_ex_data)(void *session, int index, void *data);
  void *(*get_ex_data)(const void *session, int index);
} openssl;

static char failure[512];

/// Held for reading by each thread that uses libcurl, except while it waits for events; held for writing, for good, once the
/// process ends. The exit handlers of the libraries on which libcurl depends, OpenSSL's for example, free what they share, and
/// a thread that used it at that time would crash the process.
#if defined(PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP)
static pthread_rwlock_t usage = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t usage = PTHREAD_RWLOCK_INITIALIZER;
#endif

/// The key whose destructor ends a thread's use of libcurl.
static pthread_key_t usage_key;

/// Waits until no thread uses libcurl, and lets none begin again. Runs before the exit handlers of libcurl's libraries, because
/// it is registered after them. It doesn't wait long for a thread that is in a callback, which may be the one that ends the
/// process.
static void stop_threads(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec++;
  pthread_rwlock_timedwrlock(&usage, &deadline);
}

/// Ends a thread's use of libcurl after the destructors of libcurl's libraries: the system calls destructors in an unspecified
/// order, and then again those whose thread has a value again.
static void end_usage(void *pass) {
  static char second;
  if (pass == &second) {
    pthread_rwlock_unlock(&usage);
  } else {
    pthread_setspecific(usage_key, &second);
  }
}

/// Loads the first library of a list that exists. The variants differ in their TLS library.
static void *open_library(void) {
  static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"};
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    void *library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    const char *reason = dlerror();
    if (index == 0) snprintf(failure, sizeof failure, "%s", reason ? reason : names[index]);
  }
  return NULL;
}

static void load(void) {
  void *library = open_library();
  if (!library) return;
  const struct {
    void **function;
    const char *name;
  } symbols[] = {
    {(void **)&curl.global_init, "curl_global_init"},
    {(void **)&curl.easy_strerror, "curl_easy_strerror"},
    {(void **)&curl.easy_init, "curl_easy_init"},
    {(void **)&curl.easy_cleanup, "curl_easy_cleanup"},
    {(void **)&curl.easy_setopt, "curl_easy_setopt"},
    {(void **)&curl.easy_getinfo, "curl_easy_getinfo"},
    {(void **)&curl.easy_pause, "curl_easy_pause"},
    {(void **)&curl.slist_append, "curl_slist_append"},
    {(void **)&curl.slist_free_all, "curl_slist_free_all"},
    {(void **)&curl.multi_init, "curl_multi_init"},
    {(void **)&curl.multi_cleanup, "curl_multi_cleanup"},
    {(void **)&curl.multi_setopt, "curl_multi_setopt"},
    {(void **)&curl.multi_add_handle, "curl_multi_add_handle"},
    {(void **)&curl.multi_remove_handle, "curl_multi_remove_handle"},
    {(void **)&curl.multi_perform, "curl_multi_perform"},
    {(void **)&curl.multi_poll, "curl_multi_poll"},
    {(void **)&curl.multi_wakeup, "curl_multi_wakeup"},
    {(void **)&curl.multi_info_read, "curl_multi_info_read"},
  };
  for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
    *symbols[index].function = dlsym(library, symbols[index].name);
    if (!*symbols[index].function) {
      snprintf(failure, sizeof failure, "it lacks %s; version 7.68 or newer is required", symbols[index].name);
      return;
    }
  }
  *(void **)&openssl.set_info_callback = dlsym(library, "SSL_set_info_callback");
  *(void **)&openssl.set_ex_data = dlsym(library, "SSL_set_ex_data");
  *(void **)&openssl.get_ex_data = dlsym(library, "SSL_get_ex_data");
  const long everything = 3;
  int code = curl.global_init(everything);
  if (code) snprintf(failure, sizeof failure, "it can't be initialized: %s", curl.easy_strerror(code));
  atexit(stop_threads);
}

const char *tenon_curl_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}

static void make_usage_key(void) { pthread_key_create(&usage_key, end_usage); }

void tenon_curl_prepare_thread(const char *name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static char first;
  pthread_once(&once, make_usage_key);
  pthread_setspecific(usage_key, &first);
  pthread_rwlock_rdlock(&usage);
  pthread_setname_np(pthread_self(), name);
  sigset_t signals;
  sigfillset(&signals);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

void *tenon_curl_easy_new(void) { return curl.easy_init(); }
void tenon_curl_easy_free(void *easy) { curl.easy_cleanup(easy); }

int tenon_curl_set_number(void *easy, int option, long value) { return curl.easy_setopt(easy, option, value); }
int tenon_curl_set_size(void *easy, int option, int64_t value) { return curl.easy_setopt(easy, option, value); }
int tenon_curl_set_pointer(void *easy, int option, const void *value) {
  return curl.easy_setopt(easy, option, value);
}
int tenon_curl_set_data_callback(void *easy, int option, tenon_curl_data_callback callback) {
  return curl.easy_setopt(easy, option, callback);
}
int tenon_curl_set_seek_callback(void *easy, tenon_curl_seek_callback callback) {
  return curl.easy_setopt(easy, TENON_CURL_OPT_SEEKFUNCTION, callback);
}
int tenon_curl_set_prereq_callback(void *easy, tenon_curl_prereq_callback callback) {
  return curl.easy_setopt(easy, TENON_CURL_OPT_PREREQFUNCTION, callback);
}

enum { info_string = 0x100000, info_size = 0x600000 };

void *tenon_curl_context(void *easy) {
  char *context = NULL;
  curl.easy_getinfo(easy, info_string + 21, &context);
  return context;
}

/// OpenSSL's index of an application's own data of a session, which libcurl doesn't use.
enum { application_data = 0 };

/// An information callback of OpenSSL, which is called for each alert that has been received.
static void received_alert(const void *session, int event, int value) {
  const int read_alert = 0x4004, close_notify = 0;
  if (event != read_alert || (value & 0xFF) != close_notify) return;
  bool *has_ended = openssl.get_ex_data(session, application_data);
  if (has_ended) *has_ended = true;
}

bool tenon_curl_watch_end(void *easy, bool *has_ended) {
  // `CURLINFO_TLS_SSL_PTR` and `struct curl_tlssessioninfo`.
  const int tls_session = 0x40002D, openssl_backend = 1;
  struct {
    int backend;
    void *session;
  } *info = NULL;
  if (!openssl.set_info_callback || !openssl.set_ex_data || !openssl.get_ex_data) return false;
  if (curl.easy_getinfo(easy, tls_session, &info) || !info) return false;
  if (info->backend != openssl_backend || !info->session) return false;
  if (!openssl.set_ex_data(info->session, application_data, has_ended)) return false;
  openssl.set_info_callback(info->session, received_alert);
  return true;
}

int64_t tenon_curl_pretransfer_time(void *easy) {
  int64_t time = 0;
  curl.easy_getinfo(easy, info_size + 53, &time);
  return time;
}

void tenon_curl_pause(void *easy, int directions) { curl.easy_pause(easy, directions); }
const char *tenon_curl_description(int code) { return curl.easy_strerror(code); }

void *tenon_curl_list_append(void *list, const char *line) { return curl.slist_append(list, line); }
void tenon_curl_list_free(void *list) { curl.slist_free_all(list); }

void *tenon_curl_multi_new(void) { return curl.multi_init(); }
void tenon_curl_multi_free(void *multi) { curl.multi_cleanup(multi); }
int tenon_curl_multi_set_number(void *multi, int option, long value) {
  return curl.multi_setopt(multi, option, value);
}
int tenon_curl_multi_add(void *multi, void *easy) { return curl.multi_add_handle(multi, easy); }
void tenon_curl_multi_remove(void *multi, void *easy) { curl.multi_remove_handle(multi, easy); }
void tenon_curl_multi_perform(void *multi) {
  int running;
  curl.multi_perform(multi, &running);
}
void tenon_curl_multi_poll(void *multi, int milliseconds) {
  pthread_rwlock_unlock(&usage);
  curl.multi_poll(multi, NULL, 0, milliseconds, NULL);
  pthread_rwlock_rdlock(&usage);
}
void tenon_curl_wake(void *multi) { curl.multi_wakeup(multi); }

void *tenon_curl_multi_next_ended(void *multi, int *code) {
  int left;
  struct message *message;
  while ((message = curl.multi_info_read(multi, &left))) {
    if (message->kind != 1) continue;
    *code = message->data.code;
    return message->easy;
  }
  return NULL;
}

// MARK: - Threads

struct start {
  void (*run)(void *);
  void *argument;
};

static void *run(void *pointer) {
  struct start start = *(struct start *)pointer;
  free(pointer);
  start.run(start.argument);
  return NULL;
}

int tenon_start_thread(void (*function)(void *), void *argument) {
  struct start *start = malloc(sizeof *start);
  if (!start) return ENOMEM;
  *start = (struct start){function, argument};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int code = pthread_create(&thread, &attributes, run, start);
  pthread_attr_destroy(&attributes);
  if (code) free(start);
  return code;
}

#endif
