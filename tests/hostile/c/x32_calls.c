/* 19: a call of the x32 programs. */
#include "attacker.h"

static void attack(void) {
    syscall(0x40000000 + SYS_getpid);
}

int main(void) { return play_after(attack); }
