#define _GNU_SOURCE
#include "TenonThreads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif

// In a program that is inspected, an action must run when all images have run their initializers, and before `main`. The loader
// runs those of the executable last, in the order of its array, and reads each entry when it gets there. So the last entry is
// replaced by a function that calls the original and then the action. This holds for every initializer in which it is done: one of
// the executable, or one of a shared library that the executable needs.

#if defined(__linux__) && defined(__ELF__)
#define TENON_INSPECTS 1
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

typedef void (*initializer)(int, char **, char **);

// Of a static executable, which has no dynamic section. In other images, they are null or unused.
extern initializer __init_array_start[] __attribute__((weak, visibility("hidden")));
extern initializer __init_array_end[] __attribute__((weak, visibility("hidden")));

struct initializers {
  initializer *first;
  size_t count;
};

static int visit(struct dl_phdr_info *image, size_t size, void *context) {
  // The kernel's address of the executable's program headers, which libraries don't have.
  if ((uintptr_t)image->dlpi_phdr != getauxval(AT_PHDR)) return 0;
  struct initializers *found = context;
  for (size_t index = 0; index < image->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &image->dlpi_phdr[index];
    if (segment->p_type != PT_DYNAMIC) continue;
    const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(image->dlpi_addr + segment->p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++) {
      if (entry->d_tag == DT_INIT_ARRAY) found->first = (initializer *)(image->dlpi_addr + entry->d_un.d_ptr);
      if (entry->d_tag == DT_INIT_ARRAYSZ) found->count = entry->d_un.d_val / sizeof(initializer);
    }
    return 1;
  }
  if (__init_array_start) {
    found->first = __init_array_start;
    found->count = (size_t)(__init_array_end - __init_array_start);
  }
  return 1;
}

static initializer last;
static void (*wanted)(void);

static void run_last(int argc, char **argv, char **environment) {
  last(argc, argv, environment);
  wanted();
}
#endif

#if TENON_INSPECTS
// The records of the protocol conformances of this image: relative references to their descriptors. The linker defines the bounds
// of the section.
extern const int32_t conformances_begin[] __asm__("__start_swift5_protocol_conformances")
  __attribute__((weak, visibility("hidden")));
extern const int32_t conformances_end[] __asm__("__stop_swift5_protocol_conformances")
  __attribute__((weak, visibility("hidden")));
// The descriptor of the protocol `TenonCore.Library`.
extern const int32_t library_protocol[] __asm__("$s9TenonCore7LibraryMp") __attribute__((weak));

// Follows a relative reference, whose lowest bit says whether it leads to a pointer to the object instead of the object.
static const int32_t *followed(const int32_t *reference) {
  const char *target = (const char *)reference + (*reference & ~(int32_t)1);
  return *reference & 1 ? *(const int32_t *const *)target : (const int32_t *)target;
}

// Returns the descriptor of a type that conforms to `Library`, if it is neither nested nor generic; null otherwise.
static const int32_t *library(const int32_t *conformance) {
  enum { protocol, type, table, flags };
  // Bits 3 to 5 of the flags say how the type is referenced: 0 is its descriptor, 1 a pointer to that.
  int form = conformance[flags] >> 3 & 7;
  if (followed(&conformance[protocol]) != library_protocol || form > 1) return 0;
  const char *target = (const char *)&conformance[type] + conformance[type];
  const int32_t *found = form ? *(const int32_t *const *)target : (const int32_t *)target;
  // Of a context, bits 0 to 4 of the flags are its kind, of which 0 is a module, and bit 7 says whether it is generic.
  if (!found || found[0] & 0x80 || !found[1]) return 0;
  return (followed(&found[1])[0] & 0x1F) == 0 ? found : 0;
}

// The name of a type or of a module.
static const char *name(const int32_t *context) { return (const char *)&context[2] + context[2]; }
#endif

TENON_OWN_SYMBOLS_BEGIN

static const char *setting(const char *name) {
#if defined(__wasi__)
  return 0;
#else
#if defined(__GLIBC__)
  const char *value = secure_getenv(name);
#else
  const char *value = getenv(name);
#endif
  return value && value[0] ? value : 0;
#endif
}

const char *tenon_inspection_file(void) { return setting("TENON_INSPECT"); }

const char *tenon_inspected_libraries(void) { return setting("TENON_INSPECT_LIBRARIES"); }

int tenon_is_inspected_at_configure(void) {
  const char *place = tenon_inspection_file() ? setting("TENON_INSPECT_AT") : 0;
  return place && strcmp(place, "configure") == 0;
}

char *tenon_linked_libraries(void) {
#if TENON_INSPECTS
  if (!library_protocol) return 0;
  char *names = 0;
  size_t size = 0;
  FILE *file = open_memstream(&names, &size);
  if (!file) return 0;
  for (const int32_t *record = conformances_begin; record < conformances_end; record++) {
    const int32_t *found = library(followed(record));
    if (found) fprintf(file, "%s.%s\n", name(followed(&found[1])), name(found));
  }
  if (fclose(file) == 0) return names;
  free(names);
#endif
  return 0;
}

void tenon_free_linked_libraries(char *names) { free(names); }

int tenon_run_before_main(void (*caller)(void), void (*action)(void)) {
#if TENON_INSPECTS
  struct initializers all = {0, 0};
  dl_iterate_phdr(visit, &all);
  if (!all.first || all.count == 0) return 0;
  initializer *place = &all.first[all.count - 1];
  if ((void *)*place == (void *)caller) {
    action();
    return 1;
  }
  // The loader has made the array read-only.
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  void *start = (void *)((uintptr_t)place & ~(page - 1));
  if (mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return 0;
  last = *place;
  wanted = action;
  *place = run_last;
  return 1;
#else
  return 0;
#endif
}

_Noreturn static void fail(const char *reason) {
  fprintf(stderr, "This program was started with TENON_INSPECT, but %s.\n", reason);
  // Not `exit`, which would run what others have registered to run at the end. 70 is EX_SOFTWARE.
  _exit(70);
}

void tenon_end_inspection(const char *text, size_t size, int status) {
  const char *path = tenon_inspection_file();
  FILE *file = path ? fopen(path, "wb") : 0;
  if (!file) fail("its file can't be created");
  size_t written = fwrite(text, 1, size, file);
  if (fclose(file) != 0 || written != size) fail("its file can't be written");
  _exit(status);
}

void tenon_refuse_inspection(void) {
#if TENON_INSPECTS
  fail("this system doesn't let anything run before main");
#else
  fail("programs can be inspected before main on Linux only");
#endif
}

TENON_OWN_SYMBOLS_END
