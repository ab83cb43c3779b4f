#include <amqp.h>
#include <amqp_framing.h>
