#ifndef TENON_LIBCRYPTO_H
#define TENON_LIBCRYPTO_H

#include <stddef.h>

// OpenSSL's libcrypto of a Linux system, version 3 or 1.1. It is opened when it is first needed, so that programs
// run without it as long as they need none of it. On another platform, it can't be opened.

// A function of the library.
typedef struct {
  // Where its address is stored.
  void **function;
  // Its name in OpenSSL 3, and that in 1.1 if it is another one; otherwise null.
  const char *name, *older;
} TenonLibcryptoSymbol;

// Opens and initializes the library, and looks up functions. Returns 1 on success; otherwise 0, and writes into
// `failure`, a text of `size` bytes, why. May be called on any thread.
int tenon_libcrypto_load(const TenonLibcryptoSymbol *symbols, size_t count, char *failure, size_t size);

// Surround every use of the library's functions, on any thread. The exit handler of libcrypto frees what its
// threads share, and a thread that used it at that time would crash the process: from then on, `enter` doesn't
// return.
void tenon_libcrypto_enter(void);
void tenon_libcrypto_leave(void);

// Overwrites bytes, also if they aren't read any more.
void tenon_libcrypto_erase(void *bytes, size_t size);

#endif
