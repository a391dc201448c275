/* No attack: how the others play. */
#include "attacker.h"

static void attack(void) {}

int main(void) { return play_after(attack); }
