#ifndef FANFARE_AMQP_SHIMS_H
#define FANFARE_AMQP_SHIMS_H

#include <amqp.h>
#include <amqp_framing.h>

/* The codec functions that AMQP uses (amqp_decode_method, amqp_encode_properties, ...) and the layout of the
   method structs are those of 0.11, the version of Debian 12; 1.0 would be another ABI. */
_Static_assert(AMQP_VERSION_MAJOR == 0 && AMQP_VERSION_MINOR >= 11, "librabbitmq 0.11 or later (0.x) is needed");

#endif
