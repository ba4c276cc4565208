/* The permutation of an order of examples, by random words. */
#ifndef ROSENBLATT_PERMUTATION_H
#define ROSENBLATT_PERMUTATION_H

#include "rows.h"

/* The high half of a 64 × 64 bit product: maps a random word to 0 … below-1 (Lemire). */
LIKELY_UNUSED static int64_t scaled_down(uint64_t word, uint64_t below) {
#if defined(__SIZEOF_INT128__)
    return (int64_t)(((unsigned __int128)word * below) >> 64);
#else
    uint64_t low = (word & 0xffffffffu) * below, high = (word >> 32) * below;  /* below < 2^32 */
    return (int64_t)((high + (low >> 32)) >> 32);
#endif
}

/* Fisher-Yates from the last place downwards, one random word a place. The places to swap with are drawn some steps ahead,
   and fetched: of an order larger than the caches nearly each would be waited for. */
LIKELY_UNUSED static void permute(int32_t *order, int64_t n, uint64_t (*next)(void *), void *state) {
    enum { DRAWN_AHEAD = 32 };
    int64_t drawn[DRAWN_AHEAD];
    for (int64_t place = n - 1; place > n - 1 - DRAWN_AHEAD && place >= 0; place--)
        drawn[place % DRAWN_AHEAD] = scaled_down(next(state), (uint64_t)place + 1);
    for (int64_t place = n - 1; place >= 0; place--) {
        const int64_t j = drawn[place % DRAWN_AHEAD], later = place - DRAWN_AHEAD;
        const int32_t kept = order[place];
        if (later >= 0) {
            drawn[place % DRAWN_AHEAD] = scaled_down(next(state), (uint64_t)later + 1);
            PREFETCH(&order[drawn[place % DRAWN_AHEAD]], 3);
        }
        order[place] = order[j];
        order[j] = kept;
    }
}

#endif
