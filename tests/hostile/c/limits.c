/* 2, 4, 24: threads without end, kinds of memory that a limit might not count, higher limits. */
#include "attacker.h"
#include <pthread.h>
#include <sys/prctl.h>

static void *idle(void *unused) {
    pause();
    return unused;
}

static long map(int flags, size_t bytes) {
    return (long)mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
}

static void attack(void) {
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    pthread_attr_t small;
    pthread_t thread;
    int n_threads = 0, n_private = 0;
    TRY("shared memory", map(MAP_SHARED | MAP_ANONYMOUS, 4096));
    TRY("validated shared memory", map(3 | MAP_ANONYMOUS, 4096));
    TRY("a stack that grows", map(MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, 4096));
    TRY("locked memory", map(MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, 1 << 20));
    TRY("huge pages", map(MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, 2 << 20));
    TRY("more memory", setrlimit(RLIMIT_DATA, &all));
    TRY("more address space", setrlimit(RLIMIT_AS, &all));
    TRY("more threads", setrlimit(RLIMIT_NPROC, &all));
    TRY("larger files", setrlimit(RLIMIT_FSIZE, &all));
    TRY("a CPU limit", setrlimit(RLIMIT_CPU, &(struct rlimit){1, 1}));
    TRY("memory that merges", madvise((void *)((uintptr_t)&all & ~4095UL), 4096, MADV_MERGEABLE));
    while (map(MAP_PRIVATE | MAP_ANONYMOUS, 1 << 20) != -1) n_private++;
    tell_number("private", n_private);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    while (n_threads < 300 && !pthread_create(&thread, &small, idle, NULL)) n_threads++;
    tell_number("threads", n_threads);
}

int main(void) { return play_after(attack); }
