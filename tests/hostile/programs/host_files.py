"""Attacks 8 to 10: reads and lists what the host has: accounts, homes, other bots, the kernel's own files."""

import os

from attacker import outcome, play_after

READ = (
    "/etc/passwd",
    "/etc/shadow",
    "/etc/hostname",
    "/etc/ld.so.cache",
    "/root",
    "/home",
    "/srv",
    "/opt",
    "/var",
    "/run",
    "/sys",
    "/proc",
    "/proc/self/maps",
    "/proc/self/fd/0",
    "/proc/1/root/etc/passwd",
    "/proc/1/environ",
    "/proc/1/mem",
    "/proc/self/mountinfo",
    "/proc/kallsyms",
    "/proc/loadavg",
    "/proc/sys/kernel/random/boot_id",
    "/dev/stdin",
    "/dev/urandom",
    "../../etc/passwd",
    "/bot/../../../etc/passwd",
    "/usr/../etc/passwd",
    "/usr/bin/../../root",
    "/usr/bin/bash",
    "/usr/share",
    "/usr/local",
    "/usr/lib/python3/dist-packages",
)


def attack():
    return {
        "read": {path: outcome(os.open, path, os.O_RDONLY) for path in READ},
        "core_pattern": outcome(lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)),
        "root": sorted(os.listdir("/")),
        "programs": sorted(os.listdir("/usr/bin")),
        "up": sorted(os.listdir("/..")),
        "bot": sorted(os.listdir("/bot")),
    }


play_after(attack)
