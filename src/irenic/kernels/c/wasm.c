/* Memory for the kernels on the report page, which scripts/wasm compiles to WebAssembly.
 *
 * All memory is one stack. The page puts rules and instances there to stay, and before each call of
 * a kernel it remembers the top, to which it returns afterwards: so nothing has to be freed.
 */

#include "irenic.h"

#if !__STDC_HOSTED__

/* The page writes a struct as 8-byte cells: an array is three, a number is one. */
_Static_assert(sizeof(Floats) == 24 && offsetof(Floats, rows) == 8, "an array has three cells");
_Static_assert(offsetof(RuleColumns, n) == 15 * 8 && sizeof(RuleColumns) == 25 * 8,
               "RuleColumns has 25 cells");
_Static_assert(sizeof(Points) == 6 * 8, "Points has 6 cells");

/* A page of WebAssembly's memory, in bytes. */
#define PAGE 65536

extern uint8_t __heap_base; /* where the linker's own data ends */
static size_t used;         /* bytes above it */

/* Return the bytes in use. */
EXPORT size_t top(void) { return used; }

/* Drop everything that was allocated since top() returned this number of bytes. */
EXPORT void drop(size_t before) { used = before; }

/* Return memory that begins at a multiple of 8 bytes, NULL if there is not enough. */
EXPORT void *malloc(size_t size) {
    const size_t start = ((size_t)&__heap_base + 7) & ~(size_t)7;
    if (size > SIZE_MAX - PAGE - start - used - 7) return NULL;
    const size_t at = start + used, end = at + ((size + 7) & ~(size_t)7);
    const size_t pages = __builtin_wasm_memory_size(0), needed = (end + PAGE - 1) / PAGE;
    if (needed > pages && __builtin_wasm_memory_grow(0, needed - pages) == SIZE_MAX) return NULL;
    used = end - start;
    return (void *)at;
}

void free(void *memory) { (void)memory; }

void *memchr(const void *memory, int byte, size_t n) {
    const uint8_t *at = memory;
    for (size_t i = 0; i < n; i++)
        if (at[i] == (uint8_t)byte) return (void *)(at + i);
    return NULL;
}

#endif
