"""Attacks 18 and 48: calls behind which the kernel had holes, by their numbers, past Python and the C library."""

from attacker import outcome, play_after, system_call

CALLS = {
    "shmget": 29, "semget": 64, "msgget": 68, "mincore": 27, "madvise on others": 440, "ustat": 136,
    "sysfs": 139, "personality": 135, "modify_ldt": 154, "mount": 165, "iopl": 172, "ioperm": 173,
    "init_module": 175, "quotactl": 179, "readahead": 187, "io_setup": 206, "lookup_dcookie": 212,
    "remap_file_pages": 216, "mbind": 237, "mq_open": 240, "kexec_load": 246, "add_key": 248,
    "request_key": 249, "keyctl": 250, "inotify_init": 253, "splice": 275, "tee": 276, "sync_file_range": 277,
    "vmsplice": 278, "move_pages": 279, "utimensat": 280, "signalfd": 282, "inotify_init1": 294,
    "rt_tgsigqueueinfo": 297, "perf_event_open": 298, "recvmmsg": 299, "fanotify_init": 300,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "clock_adjtime": 305, "syncfs": 306, "sendmmsg": 307,
    "finit_module": 313, "sched_setattr": 314, "seccomp": 317, "memfd_create": 319, "kexec_file_load": 320,
    "bpf": 321, "execveat": 322, "userfaultfd": 323, "preadv2": 327, "pidfd_send_signal": 424,
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsmount": 432, "pidfd_open": 434, "landlock_create_ruleset": 444,
    "memfd_secret": 447, "cachestat": 451, "unknown": 999, "fork": 57, "sysinfo": 99,
    "sched_setaffinity": 203, "sched_setscheduler": 144, "setpriority": 141, "ioprio_set": 251,
    "fadvise64": 221, "vhangup": 153, "syslog": 103, "timer_create": 222, "sendmsg": 46, "socket": 41,
    "setrlimit": 160,
}  # fmt: skip


def attack():
    return {"calls": {name: outcome(system_call, number, *[0] * 6) for name, number in CALLS.items()}}


play_after(attack)
