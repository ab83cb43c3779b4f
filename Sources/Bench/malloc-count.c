// Counts allocations of a process and its threads in a file of eight bytes, mapped so that another process can read it
// meanwhile. `fanfare bench allocations` builds and preloads it; Tests/CAllocations includes it and counts each thread
// separately.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

#ifdef MALLOC_COUNT_OF_THREAD
static _Thread_local unsigned long long of_thread;

static void note(void) {
    of_thread++;
}
#else
// Used until the file is mapped, and in processes without one.
static atomic_ullong own;
static atomic_ullong *counter = &own;

__attribute__((constructor)) static void map_file(void) {
    const char *path = getenv("MALLOC_COUNT_FILE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof(atomic_ullong), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) counter = mapped;
}

static void note(void) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}
#endif

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note();
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    note();
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    note();
    void *made = __libc_memalign(alignment, size);
    if (!made) return ENOMEM;
    *memory = made;
    return 0;
}
