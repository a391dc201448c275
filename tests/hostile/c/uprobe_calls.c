/* 18: calls that the kernel puts to no filter since Linux 6.13; they are for code of its own alone. */
#include "attacker.h"

static void attack(void) {
    TRY("uretprobe", syscall(335));
    TRY("uprobe", syscall(336));
}

int main(void) { return play_after(attack); }
