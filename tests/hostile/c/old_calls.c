/* 19: a call of 32-bit programs, past the filter for 64-bit ones. */
#include "attacker.h"

static void attack(void) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20));
}

int main(void) { return play_after(attack); }
