/* 22, 54: signals to itself and to all, being deaf to them, and ways to continue where it was stopped. */
#include "attacker.h"

static void attack(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    timer_t timer;
    for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
    TRY("kill itself", kill(1, SIGKILL));
    TRY("stop itself", raise(SIGSTOP));
    TRY("kill all", kill(-1, SIGKILL));
    TRY("kill the group", kill(0, SIGKILL));
    TRY("continue by kill", kill(1, SIGCONT));
    TRY("continue by tgkill", syscall(SYS_tgkill, 1, 1, SIGCONT));
    TRY("continue by queue", syscall(SYS_rt_sigqueueinfo, 1, SIGCONT, 0));
    TRY("continue by timer", syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer));
}

int main(void) { return play_after(attack); }
