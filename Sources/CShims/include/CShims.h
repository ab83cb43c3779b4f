// Umbrella header of our own C code: shims for what Swift cannot import (function-like macros, variadics, unions in a
// hot path), and one vectorized loop, because Swift has no vectors of the processor's own width. No decision is made
// here.
#ifndef FANFARE_CSHIMS_H
#define FANFARE_CSHIMS_H

#include "clock_shims.h"
#include "hmac_shims.h"
#include "nghttp2_shims.h"
#include "p256_shims.h"
#include "tls_shims.h"

#if __has_include("amqp_shims.h")
#include "amqp_shims.h"
#endif

#endif
