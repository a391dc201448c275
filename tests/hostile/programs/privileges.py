"""Attack 16: device files, another root, other owners, set-user-id bits."""

import os
import stat

from attacker import outcomes, play_after, system_call


def attack():
    return outcomes(
        {
            "mknod": lambda: os.mknod("/tmp/disk", stat.S_IFBLK | 0o600, os.makedev(8, 0)),
            "mkfifo": lambda: os.mkfifo("/tmp/pipe"),
            "chroot": lambda: os.chroot("/bot"),
            "chown": lambda: os.chown("/bot/main.py", 0, 0),
            "set-user-id": lambda: os.chmod("/usr/bin/python3", 0o4755),
            "setuid": lambda: os.setuid(0),
            "setgid": lambda: os.setgid(0),
            "setgroups": lambda: os.setgroups([0]),
            "setfsuid": lambda: system_call(122, 0),
            "capset": lambda: system_call(126, 0, 0),
            "ambient capability": lambda: system_call(157, 47, 2, 0, 0, 0),
            "keep capabilities": lambda: system_call(157, 8, 1, 0, 0, 0),
            "setxattr": lambda: os.setxattr("/bot/main.py", "user.mine", b"x"),
            "utime": lambda: os.utime("/dev/null"),
            "chmod /dev/null": lambda: os.chmod("/dev/null", 0o600),
            "mount": lambda: system_call(165, 0, 0, 0, 0, 0),
            "umount": lambda: system_call(166, b"/usr/lib", 2),
            "pivot_root": lambda: system_call(155, b"/", b"/"),
            "sethostname": lambda: system_call(170, b"mine", 4),
            "reboot": lambda: system_call(169, 0, 0, 0, 0),
            "swapon": lambda: system_call(167, b"/dev/null", 0),
            "acct": lambda: system_call(163, b"/dev/null"),
        }
    )


play_after(attack)
