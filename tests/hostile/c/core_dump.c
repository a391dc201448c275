/* 23: a crash that would leave a core file. */
#include "attacker.h"

static void attack(void) {
    *(volatile int *)8 = 1;
}

int main(void) { return play_after(attack); }
