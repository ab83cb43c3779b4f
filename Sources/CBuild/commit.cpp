#include "CBuild.h"

// Git's log of HEAD is read while this file is compiled: its last line tells which commit is checked out. Clang notes
// the log as something that this file depends on, so another commit compiles it anew. Nothing but the commit gets into
// the program. BUILD_COMMIT takes its place where there is no such log, as in the image.
#pragma clang diagnostic ignored "-Wc23-extensions"

namespace {

constexpr unsigned char logOfHead[] = {
#if __has_embed("../../.git/logs/HEAD")
#embed "../../.git/logs/HEAD" suffix(, )
#endif
    0};

constexpr int digits = 40;

struct Commit {
    char text[digits + 1] = {};
};

constexpr bool isDigit(unsigned char byte) { return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f'); }

/// Returns the commit of the last line, `OLD NEW NAME <MAIL> TIME ZONE<TAB>WORDS`; empty for anything else.
template <typename Byte, unsigned long size> constexpr Commit last(const Byte (&log)[size]) {
    unsigned long end = size - 1;
    if (end > 0 && log[end - 1] == '\n') end -= 1;
    unsigned long start = end;
    while (start > 0 && log[start - 1] != '\n') start -= 1;
    unsigned long from = start + digits + 1;
    if (end < from + digits + 1 || log[from - 1] != ' ' || log[from + digits] != ' ') return {};
    Commit commit;
    for (int index = 0; index < digits; index++) {
        if (!isDigit(log[from + index])) return {};
        commit.text[index] = static_cast<char>(log[from + index]);
    }
    return commit;
}

#define A40 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B40 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
static_assert(last(A40 " " B40 " Ada <a@b.c> 1 +0000\tcommit: one\n").text[39] == 'b');
static_assert(last(A40 " " A40 " Ada <a@b.c> 1 +0000\tone\n" A40 " " B40 " Ada <a@b.c> 2 +0000\ttwo\n").text[0] == 'b');
static_assert(last("").text[0] == 0 && last("\n").text[0] == 0 && last(A40 " " A40).text[0] == 0);
static_assert(last(A40 " " A40 "a <a@b.c> 1 +0000\tone\n").text[0] == 0);
static_assert(last(A40 " Ada Lovelace <ada@lovelace.example> 1 +0000\tcommit: one\n").text[0] == 0);

constexpr Commit commit = last(logOfHead);

}  // namespace

extern "C" const char *fanfare_build_commit(void) {
#ifdef BUILD_COMMIT
    return BUILD_COMMIT;
#else
    return commit.text;
#endif
}
