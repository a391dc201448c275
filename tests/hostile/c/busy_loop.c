/* 30: computing for ever. */
#include "attacker.h"

static void attack(void) {
    for (;;) __asm__ volatile("");
}

int main(void) { return play_after(attack); }
