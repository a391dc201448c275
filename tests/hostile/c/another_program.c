/* 57: becoming another program, itself anew, to shed limits and time. */
#include "attacker.h"

int main(int argc, char **argv) {
    static char again[1 << 20];
    struct rlimit data, threads;
    if (argc == 1) {
        char *line = question();
        clock_t end = clock() + CLOCKS_PER_SEC / 10;
        while (clock() < end) continue;
        char *words[] = {argv[0], line, NULL}, *none[] = {NULL};
        execve("/bot/main", words, none);
        return 1;
    }
    getrlimit(RLIMIT_DATA, &data);
    getrlimit(RLIMIT_NPROC, &threads);
    tell_number("memory", data.rlim_cur);
    tell_number("threads", threads.rlim_cur);
    tell_number("pid", getpid());
    TRY("fork", syscall(SYS_fork));
    setvbuf(stdout, NULL, _IOLBF, 0);
    answer(strcpy(again, argv[1]));
    for (char *line; (line = question());) answer(line);
    return 0;
}
