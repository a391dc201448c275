/* 5: standard output without a line. */
#include "attacker.h"

static void attack(void) {
    for (;;) write(1, "xxxxxxxxxxxxxxxx", 16);
}

int main(void) { return play_after(attack); }
