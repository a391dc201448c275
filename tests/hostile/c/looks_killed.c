/* 55: an end that looks like a kill from outside. */
#include "attacker.h"

static void attack(void) {
    syscall(SYS_exit_group, 137);
}

int main(void) { return play_after(attack); }
