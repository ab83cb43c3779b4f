// Reads of nghttp2's frame union, which Swift would copy, and the memory pool of a session.
#ifndef FANFARE_NGHTTP2_SHIMS_H
#define FANFARE_NGHTTP2_SHIMS_H

#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdint.h>

static inline int32_t c_nghttp2_stream_id(const nghttp2_frame *frame) {
    return frame->hd.stream_id;
}

static inline uint8_t c_nghttp2_type(const nghttp2_frame *frame) {
    return frame->hd.type;
}

static inline int c_nghttp2_ends_stream(const nghttp2_frame *frame) {
    return (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

static inline int c_nghttp2_is_request_headers(const nghttp2_frame *frame) {
    return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
}

static inline int c_nghttp2_is_reset(const nghttp2_frame *frame) {
    return frame->hd.type == NGHTTP2_RST_STREAM && frame->rst_stream.error_code != NGHTTP2_NO_ERROR;
}

static inline uint32_t c_nghttp2_reset_code(const nghttp2_frame *frame) {
    return frame->rst_stream.error_code;
}

// The memory of one session, kept for its next request. Confined to the session's thread; delete it after the session.
typedef struct c_nghttp2_pool c_nghttp2_pool;
c_nghttp2_pool *c_nghttp2_pool_new(void);
void c_nghttp2_pool_del(c_nghttp2_pool *pool);
nghttp2_mem c_nghttp2_pool_mem(c_nghttp2_pool *pool);
// The bytes that the session uses and those kept for it.
size_t c_nghttp2_pool_held(const c_nghttp2_pool *pool);
// Limits the bytes kept: memory returned beyond them is freed. Without this call everything is kept.
void c_nghttp2_pool_keep(c_nghttp2_pool *pool, size_t bytes);

#endif
