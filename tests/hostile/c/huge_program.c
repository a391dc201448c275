/* 3: a program that needs more memory than it may have before its first instruction. */
#include "attacker.h"

char room[400 << 20];

int main(void) {
    room[1] = 1;
    return play_after((void (*)(void))abort);
}
