/* A wall clock that is wrong: what a program reads of CLOCK_REALTIME is moved by an offset in
 * nanoseconds, which stands in the first eight bytes of the file that FENCEPOST_CLOCK names and may
 * change at any time. The monotonic clock is left alone. To be preloaded (LD_PRELOAD). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;

/* It may be asked for the time before constructors have run: so the file is mapped at the first question. A
 * program that cannot have its clock moved must not run as if it could. */
static int64_t ahead(void) {
	if (!offset) {
		const char *name = getenv("FENCEPOST_CLOCK");
		int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
		void *at = file < 0 ? MAP_FAILED : mmap(0, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
		if (at == MAP_FAILED)
			abort();
		close(file);
		offset = at;
	}
	return *offset;
}

static void move(struct timespec *t) {
	const int64_t second = 1000000000;
	int64_t all = (int64_t)t->tv_sec * second + t->tv_nsec + ahead();
	t->tv_sec = all / second;
	t->tv_nsec = all % second;
}

int clock_gettime(clockid_t clock, struct timespec *t) {
	int failed = syscall(SYS_clock_gettime, clock, t);
	if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		move(t);
	return failed;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
	struct timespec now;
	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}
