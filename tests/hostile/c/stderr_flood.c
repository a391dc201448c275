/* 6: standard error without end. */
#include "attacker.h"

static void attack(void) {
    for (;;) write(2, "xxxxxxxxxxxxxxxx", 16);
}

int main(void) { return play_after(attack); }
