/* The rules of each instance, kept current as rules come and go: the associative array of the
 * paper. */

#include "irenic.h"

/* Ids of the rules that cover each instance, in ascending order. The list of an instance has room
 * for more ids; the parts that full lists have left are not used again. */
typedef struct {
    Ints ids;   /* [any] */
    Ints begin; /* where the list of an instance begins in ids [n] */
    Ints count; /* ids in the list [n] */
    Ints room;  /* ids that it can have where it is [n] */
} Lists;

static inline int64_t doubled(int64_t room) { return max64(2 * room, 4); }

/* Add a rule to the lists of the instances that are inside. Lists that are full move behind all
 * others, with twice the room. Return where the lists end then. If this is beyond the ids, nothing
 * has changed. */
EXPORT int64_t list_rule(const uint8_t *restrict inside, int64_t id, const Lists *lists,
                         int64_t end) {
    int64_t *ids = lists->ids.at, *begin = lists->begin.at;
    int64_t *count = lists->count.at, *room = lists->room.at;
    const int64_t n = lists->begin.rows;
    int64_t needed = end;
    for (int64_t k = 0; k < n; k++)
        if (inside[k] && count[k] == room[k]) needed += doubled(room[k]);
    if (needed > lists->ids.rows) return needed;
    for (int64_t k = 0; k < n; k++) {
        if (!inside[k]) continue;
        if (count[k] == room[k]) {
            memcpy(ids + end, ids + begin[k], (size_t)count[k] * sizeof *ids);
            begin[k] = end;
            room[k] = doubled(room[k]);
            end += room[k];
        }
        int64_t *list = ids + begin[k];
        int64_t i = count[k]++;
        for (; i > 0 && list[i - 1] > id; i--) list[i] = list[i - 1];
        list[i] = id;
    }
    return end;
}

/* Remove a rule from the lists of the instances that are inside; all of them have it. */
EXPORT void unlist_rule(const uint8_t *restrict inside, int64_t id, const Lists *lists) {
    const int64_t n = lists->begin.rows;
    for (int64_t k = 0; k < n; k++) {
        if (!inside[k]) continue;
        int64_t *list = lists->ids.at + lists->begin.at[k];
        int64_t i = --lists->count.at[k];
        for (int64_t last = list[i]; last != id;) { /* move later ids one place to the front */
            const int64_t earlier = list[--i];
            list[i] = last;
            last = earlier;
        }
    }
}
