#define _GNU_SOURCE
#include "TenonSignatures.h"

void tenon_erase(uint8_t *bytes, size_t size) {
  volatile uint8_t *next = bytes;
  while (size--) *next++ = 0;
}

#if defined(__linux__) && !defined(__ANDROID__)

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// The functions of libcrypto.
static struct {
  void *(*read_public)(void **key, const unsigned char **bytes, long size);
  void *(*read_private)(void **key, const unsigned char **bytes, long size);
  void (*key_free)(void *key);
  int (*key_type)(const void *key);
  int (*key_bits)(const void *key);
  void *(*ctx_new)(void);
  void (*ctx_free)(void *ctx);
  const void *(*sha256)(void);
  int (*verify_init)(void *ctx, void **key_ctx, const void *digest, void *engine, void *key);
  int (*verify)(
    void *ctx, const unsigned char *signature, size_t signature_size, const unsigned char *message,
    size_t message_size
  );
  int (*sign_init)(void *ctx, void **key_ctx, const void *digest, void *engine, void *key);
  int (*sign)(
    void *ctx, unsigned char *signature, size_t *signature_size, const unsigned char *message,
    size_t message_size
  );
  void (*clear_errors)(void);
} crypto;

// The type of RSA keys (NID_rsaEncryption of <openssl/obj_mac.h>).
enum { TYPE_RSA = 6 };

static char failure[256];

// Held for reading while a thread uses libcrypto; held for writing, for good, once the process ends. The exit
// handler of libcrypto frees what its threads share, and a thread that used it at that time would crash the
// process.
static pthread_rwlock_t usage = PTHREAD_RWLOCK_INITIALIZER;

// Runs before the exit handler of libcrypto, because it is registered after it.
static void stop_threads(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec++;
  pthread_rwlock_timedwrlock(&usage, &deadline);
}

static void *open_library(void) {
  static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    void *library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    const char *reason = dlerror();
    if (index == 0) snprintf(failure, sizeof failure, "%s", reason ? reason : names[index]);
  }
  return NULL;
}

// Returns a function by the name of OpenSSL 3 or, if it has another one there, of 1.1.
static void *function(void *library, const char *name, const char *older) {
  void *found = dlsym(library, name);
  return found || !older ? found : dlsym(library, older);
}

static void load(void) {
  void *library = open_library();
  if (!library) return;
  failure[0] = 0;
  const struct {
    void **function;
    const char *name, *older;
  } symbols[] = {
    {(void **)&crypto.read_public, "d2i_PUBKEY", NULL},
    {(void **)&crypto.read_private, "d2i_AutoPrivateKey", NULL},
    {(void **)&crypto.key_free, "EVP_PKEY_free", NULL},
    {(void **)&crypto.key_type, "EVP_PKEY_get_base_id", "EVP_PKEY_base_id"},
    {(void **)&crypto.key_bits, "EVP_PKEY_get_bits", "EVP_PKEY_bits"},
    {(void **)&crypto.ctx_new, "EVP_MD_CTX_new", NULL},
    {(void **)&crypto.ctx_free, "EVP_MD_CTX_free", NULL},
    {(void **)&crypto.sha256, "EVP_sha256", NULL},
    {(void **)&crypto.verify_init, "EVP_DigestVerifyInit", NULL},
    {(void **)&crypto.verify, "EVP_DigestVerify", NULL},
    {(void **)&crypto.sign_init, "EVP_DigestSignInit", NULL},
    {(void **)&crypto.sign, "EVP_DigestSign", NULL},
    {(void **)&crypto.clear_errors, "ERR_clear_error", NULL},
  };
  for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
    *symbols[index].function = function(library, symbols[index].name, symbols[index].older);
    if (!*symbols[index].function) {
      snprintf(failure, sizeof failure, "it lacks %s", symbols[index].name);
      return;
    }
  }
  // Initializes libcrypto, which registers its exit handler.
  void *ctx = crypto.ctx_new();
  if (!ctx || !crypto.sha256()) snprintf(failure, sizeof failure, "it can't be initialized");
  if (ctx) crypto.ctx_free(ctx);
  atexit(stop_threads);
}

const char *tenon_signatures_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}

static uintptr_t read_key(
  void *(*read)(void **key, const unsigned char **bytes, long size), const uint8_t *bytes, size_t size
) {
  if (size > LONG_MAX) return 0;
  const unsigned char *next = bytes;
  pthread_rwlock_rdlock(&usage);
  void *key = read(NULL, &next, (long)size);
  // Nothing may follow the key.
  if (key && (next != bytes + size || crypto.key_type(key) != TYPE_RSA)) {
    crypto.key_free(key);
    key = NULL;
  }
  crypto.clear_errors();
  pthread_rwlock_unlock(&usage);
  return (uintptr_t)key;
}

uintptr_t tenon_public_key(const uint8_t *bytes, size_t size) {
  return read_key(crypto.read_public, bytes, size);
}

uintptr_t tenon_private_key(const uint8_t *bytes, size_t size) {
  return read_key(crypto.read_private, bytes, size);
}

void tenon_key_free(uintptr_t key) {
  if (!key) return;
  pthread_rwlock_rdlock(&usage);
  crypto.key_free((void *)key);
  pthread_rwlock_unlock(&usage);
}

int tenon_key_bits(uintptr_t key) {
  pthread_rwlock_rdlock(&usage);
  int bits = key ? crypto.key_bits((void *)key) : 0;
  pthread_rwlock_unlock(&usage);
  return bits;
}

int tenon_verify(
  uintptr_t key, const uint8_t *message, size_t message_size, const uint8_t *signature, size_t signature_size
) {
  if (!key) return 0;
  pthread_rwlock_rdlock(&usage);
  void *ctx = crypto.ctx_new();
  int is_valid = ctx && crypto.verify_init(ctx, NULL, crypto.sha256(), NULL, (void *)key) == 1
    && crypto.verify(ctx, signature, signature_size, message, message_size) == 1;
  if (ctx) crypto.ctx_free(ctx);
  // Errors of one thread stay in its queue otherwise.
  if (!is_valid) crypto.clear_errors();
  pthread_rwlock_unlock(&usage);
  return is_valid;
}

int tenon_sign(uintptr_t key, const uint8_t *message, size_t message_size, uint8_t *signature, size_t *size) {
  if (!key) return 0;
  pthread_rwlock_rdlock(&usage);
  void *ctx = crypto.ctx_new();
  int is_done = ctx && crypto.sign_init(ctx, NULL, crypto.sha256(), NULL, (void *)key) == 1
    && crypto.sign(ctx, signature, size, message, message_size) == 1;
  if (ctx) crypto.ctx_free(ctx);
  if (!is_done) crypto.clear_errors();
  pthread_rwlock_unlock(&usage);
  return is_done;
}

#else

const char *tenon_signatures_load(void) { return "there is none on this platform"; }

// Never called, because the library can't be loaded.
uintptr_t tenon_public_key(const uint8_t *bytes, size_t size) { return 0; }
uintptr_t tenon_private_key(const uint8_t *bytes, size_t size) { return 0; }
void tenon_key_free(uintptr_t key) {}
int tenon_key_bits(uintptr_t key) { return 0; }
int tenon_verify(
  uintptr_t key, const uint8_t *message, size_t message_size, const uint8_t *signature, size_t signature_size
) {
  return 0;
}
int tenon_sign(uintptr_t key, const uint8_t *message, size_t message_size, uint8_t *signature, size_t *size) {
  return 0;
}

#endif
