/* 14, 17, 18, 24, 48, 51: calls behind which the kernel had holes, without a library in between. */
#include "attacker.h"

static const struct {
    const char *name;
    long call, arguments[6];
} CALLS[] = {
    {"ptrace", SYS_ptrace, {16, 999999}},
    {"process_vm_readv", SYS_process_vm_readv, {1}},
    {"process_vm_writev", SYS_process_vm_writev, {1}},
    {"pidfd_open", SYS_pidfd_open, {1}},
    {"pidfd_getfd", SYS_pidfd_getfd, {0}},
    {"unshare", SYS_unshare, {0x10000000}},
    {"setns", SYS_setns, {0}},
    {"mount", SYS_mount, {0}},
    {"fsopen", SYS_fsopen, {0}},
    {"open_tree", SYS_open_tree, {0}},
    {"pivot_root", SYS_pivot_root, {0}},
    {"chroot", SYS_chroot, {0}},
    {"open_by_handle_at", SYS_open_by_handle_at, {0}},
    {"bpf", SYS_bpf, {0}},
    {"keyctl", SYS_keyctl, {0}},
    {"add_key", SYS_add_key, {0}},
    {"userfaultfd", SYS_userfaultfd, {0}},
    {"perf_event_open", SYS_perf_event_open, {0}},
    {"memfd_secret", 447, {0}},
    {"shmget", SYS_shmget, {0, 4096, 01600}},
    {"msgget", SYS_msgget, {0, 01600}},
    {"mq_open", SYS_mq_open, {0}},
    {"inotify_init1", SYS_inotify_init1, {0}},
    {"fanotify_init", SYS_fanotify_init, {0}},
    {"personality", SYS_personality, {0x0040000}},
    {"seccomp", SYS_seccomp, {0}},
    {"landlock_create_ruleset", 444, {0}},
    {"modify_ldt", SYS_modify_ldt, {0}},
    {"iopl", SYS_iopl, {3}},
    {"ioperm", SYS_ioperm, {0, 1, 1}},
    {"kexec_load", SYS_kexec_load, {0}},
    {"init_module", SYS_init_module, {0}},
    {"quotactl", SYS_quotactl, {0}},
    {"setuid", SYS_setuid, {0}},
    {"capset", SYS_capset, {0}},
    {"settimeofday", SYS_settimeofday, {0}},
    {"clock_settime", SYS_clock_settime, {0}},
    {"sched_setaffinity", SYS_sched_setaffinity, {0}},
    {"sched_setattr", SYS_sched_setattr, {0}},
    {"splice", SYS_splice, {0}},
    {"vmsplice", SYS_vmsplice, {0}},
    {"flock", SYS_flock, {0, 1}},
    {"mlock", SYS_mlock, {0, 4096}},
    {"remap_file_pages", SYS_remap_file_pages, {0}},
    {"process_madvise", SYS_process_madvise, {0}},
    {"set_mempolicy", SYS_set_mempolicy, {0}},
    {"migrate_pages", SYS_migrate_pages, {0}},
    {"io_uring_setup", SYS_io_uring_setup, {1}},
    {"io_uring_enter", SYS_io_uring_enter, {0}},
    {"io_uring_register", SYS_io_uring_register, {0}},
    {"a call of no number", 400, {0}},
    {"a call of the future", 600, {0}},
};

static void attack(void) {
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        const long *a = CALLS[i].arguments;
        TRY(CALLS[i].name, syscall(CALLS[i].call, a[0], a[1], a[2], a[3], a[4], a[5]));
    }
    TRY("prctl", syscall(SYS_prctl, 4 /* PR_SET_DUMPABLE */, 1));
    TRY("a filter of its own", syscall(SYS_prctl, 22 /* PR_SET_SECCOMP */, 1));
}

int main(void) { return play_after(attack); }
