/* What the hostile programs share: a plain way to play, and words for what an attack came to.
   A program tells what it managed in lines of JSON on standard error. Link statically. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline const char *outcome(long result) { return result < 0 ? strerrorname_np(errno) : "done"; }

/* One line: what was tried, and "done" or the name of the error. */
static inline void tell(const char *name, long result) {
    dprintf(2, "{\"%s\":\"%s\"}\n", name, outcome(result));
}

static inline void tell_number(const char *name, long number) { dprintf(2, "{\"%s\":%ld}\n", name, number); }

#define TRY(name, call) (errno = 0, tell(name, (long)(call)))

/* A question of the match, hello being answered already; NULL at the end. */
static inline char *question(void) {
    static char line[1 << 20];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"hello\"")) puts("{\"type\":\"ready\"}");
        if (strstr(line, "\"type\":\"act\"")) return line;
    }
    return NULL;
}

/* A plain answer: the same moves whatever an attack brought. */
static inline void answer(char *line) {
    int id = atoi(strstr(line, "\"id\":") + 5), seat = atoi(strstr(line, "\"seat\":") + 7), cell = 0;
    char *at = strstr(line, "\"grids\":[[") + 9;
    while (seat--) at = strchr(at + 1, '[');
    for (at++; strncmp(at, "null", 4); cell++) at = strchr(at, ',') + 1;
    if (strstr(line, "\"phase\":\"draw\"")) printf("{\"id\":%d,\"take\":\"draw\"}\n", id);
    else if (strstr(line, "\"phase\":\"place\"")) printf("{\"id\":%d,\"flip\":%d}\n", id, cell);
    else printf(cell ? "{\"id\":%d,\"cells\":[%d]}\n" : "{\"id\":%d,\"cells\":[0,1]}\n", id, cell);
}

/* Attacks at the first question of the process, and plays on as if nothing had been. */
static inline int play_after(void (*attack)(void)) {
    char *line = question();
    if (line) attack();
    for (; line; line = question()) answer(line);
    return 0;
}
