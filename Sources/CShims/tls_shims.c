#include "tls_shims.h"

#include <openssl/crypto.h>
#include <string.h>

static int pipe_read(BIO *bio, char *into, size_t count, size_t *done) {
    c_tls_pipe *pipe = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (pipe->in_count == 0) {
        *done = 0;
        BIO_set_retry_read(bio);
        return 0;
    }
    size_t n = count < pipe->in_count ? count : pipe->in_count;
    memcpy(into, pipe->in, n);
    pipe->in += n;
    pipe->in_count -= n;
    *done = n;
    return 1;
}

static int spill(c_tls_pipe *pipe, const char *from, size_t count) {
    size_t needed = pipe->spill_start + pipe->spill_count + count;
    if (needed > pipe->spill_capacity) {
        size_t capacity = pipe->spill_capacity == 0 ? 32768 : pipe->spill_capacity;
        while (capacity < needed) {
            capacity *= 2;
        }
        uint8_t *grown = OPENSSL_realloc(pipe->spill, capacity);
        if (grown == NULL) {
            return 0;
        }
        pipe->spill = grown;
        pipe->spill_capacity = capacity;
    }
    memcpy(pipe->spill + pipe->spill_start + pipe->spill_count, from, count);
    pipe->spill_count += count;
    return 1;
}

static int pipe_write(BIO *bio, const char *from, size_t count, size_t *done) {
    c_tls_pipe *pipe = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (pipe->spill_count == 0 && count <= pipe->out_capacity - pipe->out_count) {
        memcpy(pipe->out + pipe->out_count, from, count);
        pipe->out_count += count;
    } else if (!spill(pipe, from, count)) {
        *done = 0;
        return 0;
    }
    *done = count;
    return 1;
}

static long pipe_ctrl(BIO *bio, int command, long number, void *pointer) {
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

static int pipe_create(BIO *bio) {
    c_tls_pipe *pipe = OPENSSL_zalloc(sizeof(c_tls_pipe));
    if (pipe == NULL) {
        return 0;
    }
    BIO_set_data(bio, pipe);
    BIO_set_init(bio, 1);
    return 1;
}

static int pipe_destroy(BIO *bio) {
    c_tls_pipe *pipe = BIO_get_data(bio);
    if (pipe != NULL) {
        OPENSSL_free(pipe->spill);
        OPENSSL_free(pipe);
        BIO_set_data(bio, NULL);
    }
    return 1;
}

static CRYPTO_ONCE method_once = CRYPTO_ONCE_STATIC_INIT;
static BIO_METHOD *method = NULL;

static void make_method(void) {
    BIO_METHOD *made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "lent memory");
    if (made == NULL) {
        return;
    }
    BIO_meth_set_read_ex(made, pipe_read);
    BIO_meth_set_write_ex(made, pipe_write);
    BIO_meth_set_ctrl(made, pipe_ctrl);
    BIO_meth_set_create(made, pipe_create);
    BIO_meth_set_destroy(made, pipe_destroy);
    method = made;
}

c_tls_pipe *c_tls_pipe_attach(SSL *ssl) {
    if (!CRYPTO_THREAD_run_once(&method_once, make_method) || method == NULL) {
        return NULL;
    }
    BIO *bio = BIO_new(method);
    if (bio == NULL) {
        return NULL;
    }
    // Both directions use this BIO with one reference; SSL_set_bio takes exactly that reference.
    SSL_set_bio(ssl, bio, bio);
    return BIO_get_data(bio);
}

static int select_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_count, const unsigned char *in,
                       unsigned int in_count, void *user_data) {
    (void)ssl;
    const c_tls_alpn *alpn = user_data;
    unsigned char *chosen = NULL;
    int result = SSL_select_next_proto(&chosen, out_count, alpn->protocols, alpn->count, in, in_count);
    *out = chosen;
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

void c_tls_ctx_select_alpn(SSL_CTX *context, c_tls_alpn *alpn) {
    SSL_CTX_set_alpn_select_cb(context, select_alpn, alpn);
}

int c_tls_no_passphrase(char *buffer, int size, int rwflag, void *user_data) {
    (void)buffer;
    (void)size;
    (void)rwflag;
    (void)user_data;
    return -1;
}
