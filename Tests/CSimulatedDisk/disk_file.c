#include "disk_file.h"

#include <stdlib.h>
#include <string.h>

static void *checked(void *memory) {
    if (!memory) abort();
    return memory;
}

struct disk_file *disk_file_named(struct disk_file **files, const char *name, bool creates) {
    for (struct disk_file *file = *files; name && file; file = file->next) {
        if (!file->is_removed && strcmp(file->name, name) == 0) return file;
    }
    if (!creates && name) return NULL;
    struct disk_file *file = checked(calloc(1, sizeof *file));
    file->name = checked(strdup(name ? name : ""));
    file->is_removed = !name;
    file->last = &file->unsynced;
    file->next = *files;
    return *files = file;
}

// The memory stays: a process may have the file open.
void disk_file_remove(struct disk_file **files, struct disk_file *file) {
    (void)files;
    file->is_removed = true;
}

// MARK: Content

static void reserve(unsigned char **bytes, size_t *room, size_t size) {
    if (size <= *room) return;
    size_t larger = *room * 2 > size ? *room * 2 : size;
    *bytes = checked(realloc(*bytes, larger));
    memset(*bytes + *room, 0, larger - *room);
    *room = larger;
}

bool disk_file_read(struct disk_file *file, void *buffer, size_t count, size_t offset) {
    size_t there = offset < file->size ? file->size - offset : 0;
    size_t read = there < count ? there : count;
    if (read > 0) memcpy(buffer, file->bytes + offset, read);
    memset((char *)buffer + read, 0, count - read);
    return read == count;
}

static void put(struct disk_file *file, const void *bytes, size_t count, size_t offset) {
    reserve(&file->bytes, &file->room, offset + count);
    memcpy(file->bytes + offset, bytes, count);
    if (offset + count > file->size) file->size = offset + count;
}

static void cut(struct disk_file *file, size_t size) {
    if (size >= file->size) return;
    memset(file->bytes + size, 0, file->size - size);
    file->size = size;
}

static void note(struct disk_file *file, bool is_truncation, const void *bytes, size_t count, size_t offset) {
    struct disk_write *write = checked(malloc(sizeof *write + (bytes ? count : 0)));
    *write = (struct disk_write){.is_truncation = is_truncation, .offset = offset, .count = count};
    if (bytes) memcpy(write->bytes, bytes, count);
    *file->last = write;
    file->last = &write->next;
}

void disk_file_write(struct disk_file *file, const void *bytes, size_t count, size_t offset) {
    put(file, bytes, count, offset);
    note(file, false, bytes, count, offset);
}

void disk_file_truncate(struct disk_file *file, size_t size) {
    cut(file, size);
    note(file, true, NULL, 0, size);
}

void disk_file_apply(struct disk_file *file, struct disk_write *write, size_t count) {
    if (write->is_truncation) return cut(file, write->offset);
    if (count > 0) put(file, write->bytes, count, write->offset);
}

void disk_file_settle(struct disk_file *file) {
    reserve(&file->synced, &file->synced_room, file->size);
    // Only what was written since: a sync must not cost the whole file.
    for (struct disk_write *write = file->unsynced, *next; write; write = next) {
        next = write->next;
        if (write->is_truncation && write->offset < file->synced_room) {
            memset(file->synced + write->offset, 0, file->synced_room - write->offset);
        }
        size_t end = write->offset + write->count;
        if (end > file->size) end = file->size;
        if (end > write->offset) memcpy(file->synced + write->offset, file->bytes + write->offset, end - write->offset);
        free(write);
    }
    file->synced_size = file->size;
    file->unsynced = NULL;
    file->last = &file->unsynced;
}

void disk_file_revert(struct disk_file *file) {
    reserve(&file->bytes, &file->room, file->synced_size);
    memcpy(file->bytes, file->synced, file->synced_size);
    if (file->size > file->synced_size) memset(file->bytes + file->synced_size, 0, file->size - file->synced_size);
    file->size = file->synced_size;
    for (int region = 0; region < shm_regions_max; region++) {
        free(file->shm[region]);
        file->shm[region] = NULL;
    }
}

// MARK: Locks

static bool others_hold(struct disk_handle *handle, int level, struct disk_handle *handles) {
    for (struct disk_handle *other = handles; other; other = other->next) {
        if (other != handle && other->file == handle->file && other->level >= level) return true;
    }
    return false;
}

bool disk_lock(struct disk_handle *handle, int level, struct disk_handle *handles) {
    if (handle->level >= level) return true;
    int conflict = SQLITE_LOCK_SHARED;
    if (level == SQLITE_LOCK_SHARED) conflict = SQLITE_LOCK_PENDING;
    if (level == SQLITE_LOCK_RESERVED) conflict = SQLITE_LOCK_RESERVED;
    if (others_hold(handle, conflict, handles)) return false;
    handle->level = level;
    return true;
}

void disk_unlock(struct disk_handle *handle, int level) {
    if (handle->level > level) handle->level = level;
}

bool disk_is_reserved(struct disk_file *file, struct disk_handle *handles) {
    for (struct disk_handle *other = handles; other; other = other->next) {
        if (other->file == file && other->level >= SQLITE_LOCK_RESERVED) return true;
    }
    return false;
}

void *disk_shm_region(struct disk_handle *handle, int region, size_t size, bool extends) {
    struct disk_file *file = handle->file;
    handle->has_shm = true;
    if (region >= shm_regions_max) abort();
    if (!file->shm[region] && extends) file->shm[region] = checked(calloc(1, size));
    return file->shm[region];
}

bool disk_shm_lock(struct disk_handle *handle, int first, int count, int flags, struct disk_handle *handles) {
    unsigned char mask = (unsigned char)(((1 << count) - 1) << first);
    if (flags & SQLITE_SHM_UNLOCK) {
        if (flags & SQLITE_SHM_SHARED) handle->shm_shared &= (unsigned char)~mask;
        if (flags & SQLITE_SHM_EXCLUSIVE) handle->shm_exclusive &= (unsigned char)~mask;
        return true;
    }
    for (struct disk_handle *other = handles; other; other = other->next) {
        if (other == handle || other->file != handle->file) continue;
        if (other->shm_exclusive & mask) return false;
        if (flags & SQLITE_SHM_EXCLUSIVE && other->shm_shared & mask) return false;
    }
    if (flags & SQLITE_SHM_SHARED) handle->shm_shared |= mask;
    if (flags & SQLITE_SHM_EXCLUSIVE) handle->shm_exclusive |= mask;
    return true;
}

// The last one takes the memory along: the next one to open the log recovers it.
void disk_shm_unmap(struct disk_handle *handle, struct disk_handle **handles) {
    if (!handle->has_shm) return;
    handle->has_shm = false;
    handle->shm_shared = handle->shm_exclusive = 0;
    for (struct disk_handle *other = *handles; other; other = other->next) {
        if (other->file == handle->file && other->has_shm) return;
    }
    for (int region = 0; region < shm_regions_max; region++) {
        free(handle->file->shm[region]);
        handle->file->shm[region] = NULL;
    }
}
