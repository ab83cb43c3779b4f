#include "nghttp2_shims.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// nghttp2 allocates about ten small pieces of memory for a request and frees them with the answer, often a thousand
// streams later. One free list per size serves this without a lock or a search.

enum { granularity = 64, classes = 32 };

// The header of every piece; keeps malloc's alignment.
typedef union piece {
    struct {
        union piece *next;
        size_t class;
    } header;
    max_align_t alignment;
} piece;

struct c_nghttp2_pool {
    piece *spare[classes];
    // The bytes obtained from malloc, the bytes in the free lists, and the limit for the latter.
    size_t held;
    size_t kept;
    size_t keep;
};

static size_t class_of(size_t size) {
    return size == 0 ? 0 : (size - 1) / granularity;
}

static size_t room_of(size_t class) {
    return (class + 1) * granularity;
}

static size_t cost_of(size_t class) {
    return sizeof(piece) + room_of(class);
}

static void *pool_malloc(size_t size, void *user_data) {
    c_nghttp2_pool *pool = user_data;
    size_t class = class_of(size);
    piece *taken;
    if (class < classes && pool->spare[class] != NULL) {
        taken = pool->spare[class];
        pool->spare[class] = taken->header.next;
        pool->kept -= cost_of(class);
        return taken + 1;
    }
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    taken = malloc(cost_of(class));
    if (taken == NULL) {
        return NULL;
    }
    pool->held += cost_of(class);
    taken->header.class = class;
    return taken + 1;
}

static void pool_free(void *pointer, void *user_data) {
    c_nghttp2_pool *pool = user_data;
    if (pointer == NULL) {
        return;
    }
    piece *given = (piece *)pointer - 1;
    size_t class = given->header.class;
    if (class >= classes || pool->kept + cost_of(class) > pool->keep) {
        pool->held -= cost_of(class);
        free(given);
        return;
    }
    pool->kept += cost_of(class);
    given->header.next = pool->spare[class];
    pool->spare[class] = given;
}

static void *pool_calloc(size_t count, size_t size, void *user_data) {
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    void *made = pool_malloc(count * size, user_data);
    if (made != NULL) {
        memset(made, 0, count * size);
    }
    return made;
}

static void *pool_realloc(void *pointer, size_t size, void *user_data) {
    if (pointer == NULL) {
        return pool_malloc(size, user_data);
    }
    size_t room = room_of(((piece *)pointer - 1)->header.class);
    if (size <= room) {
        return pointer;
    }
    void *made = pool_malloc(size, user_data);
    if (made != NULL) {
        memcpy(made, pointer, room);
        pool_free(pointer, user_data);
    }
    return made;
}

c_nghttp2_pool *c_nghttp2_pool_new(void) {
    c_nghttp2_pool *pool = calloc(1, sizeof(c_nghttp2_pool));
    if (pool != NULL) {
        pool->keep = SIZE_MAX;
    }
    return pool;
}

size_t c_nghttp2_pool_held(const c_nghttp2_pool *pool) {
    return pool->held;
}

void c_nghttp2_pool_keep(c_nghttp2_pool *pool, size_t bytes) {
    pool->keep = bytes;
}

void c_nghttp2_pool_del(c_nghttp2_pool *pool) {
    for (size_t class = 0; class < classes; class++) {
        while (pool->spare[class] != NULL) {
            piece *next = pool->spare[class]->header.next;
            free(pool->spare[class]);
            pool->spare[class] = next;
        }
    }
    free(pool);
}

nghttp2_mem c_nghttp2_pool_mem(c_nghttp2_pool *pool) {
    nghttp2_mem mem = {
        .mem_user_data = pool,
        .malloc = pool_malloc,
        .free = pool_free,
        .calloc = pool_calloc,
        .realloc = pool_realloc,
    };
    return mem;
}
