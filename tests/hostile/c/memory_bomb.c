/* 3: memory without end. */
#include "attacker.h"

static void attack(void) {
    for (char *block; (block = malloc(1 << 20));) memset(block, 1, 1 << 20);
    perror("malloc");
    exit(1);
}

int main(void) { return play_after(attack); }
