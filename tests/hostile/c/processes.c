/* 1, 17, 21: processes by every call that makes one, with the flags that evade a filter for some. */
#include "attacker.h"
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>

static void attack(void) {
    char *none[] = {"main", NULL};
    pid_t pid;
    TRY("fork", syscall(SYS_fork));
    TRY("vfork", syscall(SYS_vfork));
    TRY("clone", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    TRY("clone that shares memory", syscall(SYS_clone, CLONE_VM | SIGCHLD, 0, 0, 0, 0));
    TRY("clone of a new user", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
    TRY("clone with high flags", syscall(SYS_clone, 1L << 33 | SIGCHLD, 0, 0, 0, 0));
    TRY("thread of a new user", syscall(SYS_clone, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_NEWUSER, 0, 0, 0, 0));
    TRY("clone3", syscall(SYS_clone3, 0, 0));
    errno = posix_spawn(&pid, "/bot/main", NULL, NULL, none, none);
    tell("posix_spawn", errno ? -1 : 0);
    TRY("execveat", syscall(SYS_execveat, AT_FDCWD, "/bot/main", none, none, 0));
    TRY("exec of what is not there", execv("/bin/sh", none));
    TRY("exec of memory", syscall(SYS_memfd_create, "program", 0));
}

int main(void) { return play_after(attack); }
