/* Which instructions the processor has, so that the fastest build of the library can be loaded. */

#include "irenic.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <cpuid.h>

#define ALL(word, bits) (((word) & (bits)) == (bits))

static uint64_t enabled_state(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

/* Return the highest level of x86-64 (1 to 4) whose instructions processor and system support. */
EXPORT int64_t cpu_level(void) {
    uint32_t a, b, c, d, extended_b, extended_c;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 1;
    /* SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT */
    if (!ALL(c, 1u << 0 | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23)) return 1;
    /* FMA, MOVBE, OSXSAVE, AVX, F16C, and the system saves the registers of AVX */
    if (!ALL(c, 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29)) return 2;
    const uint64_t state = enabled_state();
    if (!ALL(state, 0x6)) return 2;
    if (!__get_cpuid_count(7, 0, &a, &extended_b, &extended_c, &d)) return 2;
    /* BMI1, AVX2, BMI2; LZCNT */
    if (!ALL(extended_b, 1u << 3 | 1u << 5 | 1u << 8)) return 2;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !ALL(c, 1u << 5)) return 2;
    /* AVX512 F, DQ, CD, BW, VL, and the system saves their registers */
    if (!ALL(extended_b, 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31)) return 3;
    return ALL(state, 0xe6) ? 4 : 3;
}
#else
EXPORT int64_t cpu_level(void) { return 0; }
#endif
