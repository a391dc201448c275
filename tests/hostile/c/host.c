/* 8 to 13, 15, 25, 26, 35: files, sockets, environment and descriptors of the host. */
#include "attacker.h"
#include <sys/socket.h>
#include <sys/stat.h>

extern char **environ;

static void attack(void) {
    const char *read[] = {"/etc/passwd", "/proc/self/environ", "/proc/1/mem", "/sys/kernel", "/root", "/home", "/var",
                          "/usr/bin/python3", "/usr/bin/node", "/kit", "/dev/urandom", "/dev/shm", "/dev/tty"};
    const char *made[] = {"/bot/x", "/tmp/x", "/dev/x", "/x", "/usr/lib/x"};
    const int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, 38 /* ALG */, 40 /* VSOCK */, 44 /* XDP */};
    char name[64];
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        snprintf(name, sizeof name, "read %s", read[i]);
        TRY(name, open(read[i], O_RDONLY));
    }
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(name, sizeof name, "write %s", made[i]);
        TRY(name, open(made[i], O_CREAT | O_WRONLY, 0700));
    }
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        snprintf(name, sizeof name, "socket %d", families[i]);
        TRY(name, socket(families[i], SOCK_STREAM, 0));
    }
    TRY("open itself to write", open("/bot/main", O_WRONLY));
    TRY("a larger pipe", fcntl(1, F_SETPIPE_SZ, 1 << 20));
    TRY("typing", syscall(SYS_ioctl, 0, 0x5412 /* TIOCSTI */, "x"));
    int n_open = 0, n_set = 0;
    for (int i = 0; i < 64; i++) n_open += fcntl(i, F_GETFD) >= 0;
    for (char **at = environ; *at; at++) n_set++;
    tell_number("open", n_open);
    tell_number("set", n_set);
    tell_number("uid", getuid());
    tell_number("pid", getpid());
}

int main(void) { return play_after(attack); }
