#define _GNU_SOURCE
// The replacement of its generator is deprecated and has no successor for a process without a provider of its own.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "simulated_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <openssl/rand.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
// A sanitizer has its own versions of these functions and calls them before dlsym works.
#define NOT_SIMULATED
#endif
#endif
#if !defined(__linux__)
#define NOT_SIMULATED
#endif

static int64_t monotonic_clock;
static int64_t wall_clock;
static bool is_simulated;
static uint64_t chance;

// Swift's hashing reads this when it starts and never again; the third field ends the seeding by addresses.
struct hashing_parameters {
    uint64_t seed0, seed1;
    bool is_deterministic;
};

// SplitMix64.
static uint64_t next_chance(void) {
    uint64_t mixed = chance += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

static void fill(unsigned char *bytes, size_t count) {
    for (size_t at = 0; at < count; at += 8) {
        uint64_t value = next_chance();
        for (size_t byte = at; byte < count && byte < at + 8; byte++) {
            bytes[byte] = (unsigned char)(value >> 8 * (byte - at));
        }
    }
}

static int fill_for_openssl(unsigned char *bytes, int count) {
    fill(bytes, (size_t)count);
    return 1;
}

static int is_always_seeded(void) { return 1; }

// OpenSSL's own generator mixes the process's id and the time into what the system gives it.
static const RAND_METHOD openssl_chance = {
    .bytes = fill_for_openssl,
    .pseudorand = fill_for_openssl,
    .status = is_always_seeded,
};

void simulated_process_begin(uint64_t seed) {
    struct hashing_parameters *hashing = dlsym(RTLD_DEFAULT, "_swift_stdlib_Hashing_parameters");
    if (hashing) {
        hashing->seed0 = seed;
        hashing->seed1 = ~seed;
        hashing->is_deterministic = true;
    }
    chance = seed;
    RAND_set_rand_method(&openssl_chance);
    is_simulated = true;
}

bool simulated_process_is_possible(void) {
#ifdef NOT_SIMULATED
    return false;
#else
    return true;
#endif
}

void simulated_clocks_set(int64_t monotonic, int64_t wall) {
    monotonic_clock = monotonic;
    wall_clock = wall;
}

void simulated_process_end(void) { is_simulated = false; }

pid_t simulated_process_fork(void) { return fork(); }

int simulated_process_wait(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

#ifndef NOT_SIMULATED

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!is_simulated) {
        if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
        return real(clock, time);
    }
    int64_t now = monotonic_clock;
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE: now = wall_clock; break;
    // Work costs no processor time here, so that no decision depends on how busy the machine is.
    case CLOCK_THREAD_CPUTIME_ID:
    case CLOCK_PROCESS_CPUTIME_ID: now = 0; break;
    default: break;
    }
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return 0;
}

ssize_t getrandom(void *buffer, size_t count, unsigned flags) { return syscall(SYS_getrandom, buffer, count, flags); }

int getentropy(void *buffer, size_t count) { return getrandom(buffer, count, 0) == (ssize_t)count ? 0 : -1; }

// Swift's standard library asks for chance through this.
long syscall(long number, ...) {
    static long (*real)(long, long, long, long, long, long, long);
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int at = 0; at < 6; at++) arguments[at] = va_arg(list, long);
    va_end(list);
    if (is_simulated && number == SYS_getrandom) {
        fill((unsigned char *)arguments[0], (size_t)arguments[1]);
        return arguments[1];
    }
    if (!real) real = (long (*)(long, long, long, long, long, long, long))dlsym(RTLD_NEXT, "syscall");
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

#endif
