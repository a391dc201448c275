/* 23: an instruction that there is not. */
#include "attacker.h"

static void attack(void) {
    __builtin_trap();
}

int main(void) { return play_after(attack); }
