/* What the program keeps from the process that starts it: limits, descriptors, user, capabilities. */
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const rlim_t MAX_DESCRIPTORS = 64, MAX_TASKS_OF_USER = 4096;
static const int WORKER_NICENESS = 5;         /* the gateway's own loop goes first */
static const char WORKER_OOM_SCORE[] = "500"; /* and a worker goes first when memory ends */

static void set_limit(int resource, rlim_t value)
{
	struct rlimit limit;
	if (getrlimit(resource, &limit) != 0)
		fail(EXIT_LIMITS, "getrlimit");
	/* Never above what we were given: raising a limit needs a privilege and protects nothing. */
	limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
	limit.rlim_max = limit.rlim_cur;
	if (setrlimit(resource, &limit) != 0)
		fail(EXIT_LIMITS, "setrlimit");
}

/* The program can end by itself at the first, and is ended at the second. */
static const rlim_t CPU_GRACE_SEC = 10;

static void set_cpu_limit(rlim_t seconds)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_CPU, &limit) != 0)
		fail(EXIT_LIMITS, "getrlimit");
	const rlim_t last = seconds + CPU_GRACE_SEC;
	if (last < limit.rlim_max)
		limit.rlim_max = last;
	limit.rlim_cur = seconds < limit.rlim_max ? seconds : limit.rlim_max;
	if (setrlimit(RLIMIT_CPU, &limit) != 0)
		fail(EXIT_LIMITS, "setrlimit");
}

/* CPU time is limited only on request: a live worker runs for months. */
void set_limits(const struct options *options)
{
	set_limit(RLIMIT_AS, options->memory_mib << 20);
	set_limit(RLIMIT_NOFILE, MAX_DESCRIPTORS);
	set_limit(RLIMIT_NPROC, MAX_TASKS_OF_USER); /* counts all tasks of the user, hence so high; seccomp forbids processes */
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_CORE, 0);
	if (options->cpu_sec != 0)
		set_cpu_limit(options->cpu_sec);
	/* A gateway that is nicer than that stays so: to become less nice needs a privilege. */
	if (getpriority(PRIO_PROCESS, 0) < WORKER_NICENESS && setpriority(PRIO_PROCESS, 0, WORKER_NICENESS) != 0)
		fail(EXIT_LIMITS, "setpriority");
	int oom_fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (oom_fd < 0)
		return; /* no /proc in this container: a preference, not a protection */
	if (write(oom_fd, WORKER_OOM_SCORE, sizeof WORKER_OOM_SCORE - 1) < 0)
		errno = 0; /* as above */
	close(oom_fd);
}

/* Newer than some libc headers; the same numbers on all architectures. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

void close_from_to(unsigned int first, unsigned int last)
{
	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	/* Before Linux 5.9. Slow where a billion descriptors are allowed, as in some containers. */
	long limit = sysconf(_SC_OPEN_MAX);
	for (unsigned int fd = first; fd <= last && fd < limit; fd++)
		close((int)fd);
}

void close_other_fds(const struct options *options, int program_fd)
{
	unsigned int first = STDERR_FILENO + 1;
	for (;;) {
		unsigned int kept = (unsigned int)program_fd >= first ? (unsigned int)program_fd : UINT_MAX;
		for (size_t i = 0; i < options->kept_fd_count; i++) {
			unsigned int fd = (unsigned int)options->kept_fds[i];
			if (fd >= first && fd < kept)
				kept = fd;
		}
		close_from_to(first, kept == UINT_MAX ? UINT_MAX : kept - 1);
		if (kept == UINT_MAX)
			return;
		first = kept + 1;
	}
}

/* Ends with the parent, or now if the parent ended before the signal was armed: prctl(2) PR_SET_PDEATHSIG. */
void tie_to_parent(const struct options *options)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		fail(EXIT_PARENT, "PR_SET_PDEATHSIG");
	errno = 0;
	if (options->parent != 0 && getppid() != options->parent)
		fail(EXIT_PARENT, "the parent is gone");
}

void drop_user(const struct options *options)
{
	if (options->uid < 0 || geteuid() != 0)
		return;
	gid_t gid = (gid_t)options->uid;
	uid_t uid = (uid_t)options->uid;
	if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0)
		fail(EXIT_USER, "setresgid");
	if (setresuid(uid, uid, uid) != 0)
		fail(EXIT_USER, "setresuid");
}

/*
 * Capabilities that came from the gateway (a service's ambient ones, all of root's) or with a user namespace. The
 * bounding set goes too, for a root that could not become another user; a process that is not allowed to change it
 * gains nothing from it.
 */
void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
	for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
		prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
		fail(EXIT_USER, "PR_CAP_AMBIENT_CLEAR_ALL");
	if (syscall(SYS_capset, &header, none) != 0)
		fail(EXIT_USER, "capset");
	errno = 0;
}

void forbid_new_privileges(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		fail(EXIT_SECCOMP, "PR_SET_NO_NEW_PRIVS");
}
