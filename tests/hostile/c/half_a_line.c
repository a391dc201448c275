/* 59: leaving in the middle of a line. */
#include "attacker.h"

static void attack(void) {
    dprintf(1, "{\"id\":1");
    _exit(0);
}

int main(void) { return play_after(attack); }
