#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer's entry point, in the compiler's runtime.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
