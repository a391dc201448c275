/* 3, 56: the same, by a second thread whose first has ended, so that the process looks empty. */
#include "attacker.h"
#include <pthread.h>

static void *hoard(void *unused) {
    for (;;) {
        char *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) pause();
        memset(block, 1, 1 << 20);
        mprotect(block, 1 << 20, PROT_READ);
    }
    return unused;
}

static void attack(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, hoard, NULL);
    syscall(SYS_exit, 0);
}

int main(void) { return play_after(attack); }
