/* 31: sleeping for ever. */
#include "attacker.h"

static void attack(void) {
    for (;;) pause();
}

int main(void) { return play_after(attack); }
