#define _GNU_SOURCE
#include "TenonThreads.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Every copy of Core puts a mark into the image that contains it, where the loader makes it visible to other images: a note
// on ELF, a section on Mach-O. So the copies can be counted at any time without state that they would have to share, and an
// image that is unloaded is no longer counted.

#if defined(__ELF__) && !defined(__wasi__)
#define TENON_FINDS_IMAGES 1
#include <dlfcn.h>
#include <link.h>

#define NOTE_NAME "Tenon"
#define NOTE_TYPE 1

// Linkers keep notes even where they drop unreferenced sections.
__attribute__((section(".note.tenon"), used, aligned(4))) static const struct {
  uint32_t name_size, content_size, type;
  char name[8];
} mark = {sizeof(NOTE_NAME), 0, NOTE_TYPE, NOTE_NAME};

static int is_mark(const char *note, const char *end) {
  return end - note >= (ptrdiff_t)sizeof(mark) && memcmp(note, &mark, sizeof(mark)) == 0;
}

static size_t padded(size_t size, size_t alignment) { return (size + alignment - 1) & ~(alignment - 1); }

static int holds_core(const struct dl_phdr_info *image) {
  for (size_t index = 0; index < image->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &image->dlpi_phdr[index];
    if (segment->p_type != PT_NOTE) continue;
    size_t alignment = segment->p_align == 8 ? 8 : 4;
    const char *note = (const char *)(image->dlpi_addr + segment->p_vaddr);
    const char *end = note + segment->p_memsz;
    while (end - note >= 12) {
      if (is_mark(note, end)) return 1;
      uint32_t sizes[2];
      memcpy(sizes, note, sizeof(sizes));
      size_t size = padded(padded(12 + (size_t)sizes[0], alignment) + sizes[1], alignment);
      if (size > (size_t)(end - note)) break;
      note += size;
    }
  }
  return 0;
}

static int holds_address(const struct dl_phdr_info *image, const void *address) {
  for (size_t index = 0; index < image->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &image->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD) continue;
    uintptr_t offset = (uintptr_t)address - (image->dlpi_addr + segment->p_vaddr);
    if (offset < segment->p_memsz) return 1;
  }
  return 0;
}
#elif defined(__APPLE__)
#define TENON_FINDS_IMAGES 1
#include <dlfcn.h>
#include <mach-o/dyld.h>
#include <mach-o/getsect.h>

__attribute__((section("__DATA,__tenon_core"), used)) static const char mark = 1;
#endif

TENON_OWN_SYMBOLS_BEGIN

#if TENON_FINDS_IMAGES
struct search {
  int count, own, are_paths_wanted;
  char **paths;
};

static void add(struct search *search, const char *path, int is_own) {
  if (is_own) search->own = search->count;
  if (search->are_paths_wanted) {
    char **paths = realloc(search->paths, sizeof(char *) * (size_t)(search->count + 2));
    if (!paths) return;
    char *full = realpath(path, 0);
    paths[search->count] = full ? full : strdup(path);
    paths[search->count + 1] = 0;
    search->paths = paths;
  }
  search->count++;
}
#endif

#if defined(__ELF__) && !defined(__wasi__)
static int visit(struct dl_phdr_info *image, size_t size, void *context) {
  if (!holds_core(image)) return 0;
  // The executable has no name.
  int is_executable = !image->dlpi_name || !image->dlpi_name[0];
  add(context, is_executable ? "/proc/self/exe" : image->dlpi_name, holds_address(image, &mark));
  return 0;
}

static void find(struct search *search) { dl_iterate_phdr(visit, search); }
#elif defined(__APPLE__)
static void find(struct search *search) {
  for (uint32_t index = 0; index < _dyld_image_count(); index++) {
    const struct mach_header_64 *header = (const struct mach_header_64 *)_dyld_get_image_header(index);
    const char *path = _dyld_get_image_name(index);
    unsigned long size = 0;
    if (!header || !path) continue;
    const char *marks = (const char *)getsectiondata(header, "__DATA", "__tenon_core", &size);
    if (marks) add(search, path, &mark >= marks && &mark < marks + size);
  }
}
#endif

int tenon_count_core_images(void) {
#if TENON_FINDS_IMAGES
  struct search search = {0, -1, 0, 0};
  find(&search);
  return search.count;
#else
  return 1;
#endif
}

int tenon_is_first_core_image(void) {
#if TENON_FINDS_IMAGES
  struct search search = {0, -1, 0, 0};
  find(&search);
  return search.own <= 0;
#else
  return 1;
#endif
}

char **tenon_find_core_images(int *own) {
  *own = -1;
#if TENON_FINDS_IMAGES
  struct search search = {0, -1, 1, 0};
  find(&search);
  *own = search.own;
  return search.paths;
#else
  return 0;
#endif
}

void tenon_await_loader(void) {
#if TENON_FINDS_IMAGES
  // The loader holds its lock until the initializers of the library that it loads have run, and opening the executable
  // acquires the lock.
  void *executable = dlopen(0, RTLD_LAZY);
  if (executable) dlclose(executable);
#endif
}

TENON_OWN_SYMBOLS_END
