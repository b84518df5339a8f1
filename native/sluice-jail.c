/*
 * sluice-jail: runs one program, ffmpeg, so that a defect in a decoder stays inside it.
 *
 *   sluice-jail [options] -- /absolute/path/of/program [arguments]
 *   sluice-jail --report
 *
 * Options
 *   --parent PID       fail when PID is not our parent any more (the gateway died while we started)
 *   --no-network       no sockets at all
 *   --camera A P       TCP connections to port P, of which --network-namespace makes those to the address A; none may listen
 *   --udp              UDP as well, which has no port to restrict; excludes --network-namespace
 *   --network-namespace   no network but a relay to the camera, camera-relay.h
 *   --uid N            become this user and group; only when started as root
 *   --memory-mib N     address space (RLIMIT_AS)
 *   --keep-fd N        leave descriptor N open besides 0, 1 and 2; may be repeated
 *
 * What holds for the program, and for everything it could start if it could:
 *   - it is killed when the gateway's thread that started it ends, however it ends     prctl(2) PR_SET_PDEATHSIG
 *   - it gains no privileges                                                           prctl(2) PR_SET_NO_NEW_PRIVS
 *   - it writes no file and dumps no core; memory, descriptors and tasks are bounded   setrlimit(2)
 *   - it reads the system's libraries and certificates and nothing else                landlock(7)
 *   - it connects to the camera's port, and where that can be had to no other address  landlock(7), network_namespaces(7)
 *   - it has no capability, whoever started it                                         capabilities(7)
 *   - it makes only the system calls a media worker needs; no exec, no fork            seccomp(2), seccomp-syscalls.h
 *   - it sees no environment and no descriptor of the gateway                          environ(7), close_range(2)
 * Where the kernel has no Landlock the program can read what its user can read; --report says so. Every other
 * protection is a condition: if it cannot be had, the program does not run.
 *
 * Exit codes of its own (everything else is the program's):
 *   120 wrong usage     121 parent gone     122 limits     123 user or group
 *   124 Landlock        125 seccomp         126 cannot run the program      127 no such program
 *   119 network
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "camera-relay.h"
#include "seccomp-syscalls.h"

enum { EXIT_NETWORK = 119, EXIT_USAGE, EXIT_PARENT, EXIT_LIMITS, EXIT_USER, EXIT_LANDLOCK, EXIT_SECCOMP, EXIT_RUN, EXIT_NO_PROGRAM };
enum { MAX_KEPT_FDS = 8, MAX_FILTER = 512, NO_PROGRAM = -1 };

static const rlim_t DEFAULT_MEMORY_MIB = 3072, RELAY_MEMORY_MIB = 64, MAX_DESCRIPTORS = 64, MAX_TASKS_OF_USER = 4096;
static const int WORKER_NICENESS = 5;        /* the gateway's own loop goes first */
static const char WORKER_OOM_SCORE[] = "500"; /* and a worker goes first when memory ends */

struct options {
	pid_t parent;
	bool no_network;
	struct camera camera; /* length 0: none */
	bool udp;
	bool network_namespace;
	bool report;
	long uid; /* also of the group; -1: keep */
	rlim_t memory_mib;
	int kept_fds[MAX_KEPT_FDS];
	size_t kept_fd_count;
	char **program; /* path and arguments */
};

static _Noreturn void fail(int code, const char *what)
{
	dprintf(STDERR_FILENO, "sluice-jail: %s: %s\n", what, errno ? strerror(errno) : "refused");
	_exit(code);
}

/* ---- Landlock: landlock(7). Access rights and the network part are newer than some libc headers. ---- */

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#define ACCESS_NET_TCP_BIND_AND_CONNECT 3ULL
#define RULE_NET_PORT 2
#define SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS 3ULL

/* struct landlock_ruleset_attr as of ABI 6; older kernels are given its beginning. */
struct ruleset {
	uint64_t handled_access_fs, handled_access_net, scoped;
};

/* struct landlock_net_port_attr, ABI 4. */
struct port_rule {
	uint64_t allowed_access, port;
};
#define ACCESS_NET_TCP_CONNECT 2ULL

/* Libraries, and among them the dynamic loader, which the kernel executes on the program's behalf: ld.so(8). */
static const char *const LIBRARY_PATHS[] = { "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store", NULL };

static const char *const DATA_PATHS[] = {
	"/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo", "/sys/devices/system/cpu", "/sys/devices/system/node",
	/* certificates of authorities, and not the private keys beside them; names are resolved before we start */
	"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs",
	"/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust/extracted", "/etc/gnutls/config",
	"/usr/share/ca-certificates",
	"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", NULL,
};

/* Version of Landlock in this kernel, 0 without. */
static int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	return abi < 0 ? 0 : (int)abi;
}

static void allow_read(int ruleset_fd, int path_fd, bool may_execute)
{
	struct stat status;
	struct landlock_path_beneath_attr rule = { .parent_fd = path_fd, .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE };
	if (fstat(path_fd, &status) != 0)
		fail(EXIT_LANDLOCK, "fstat");
	if (S_ISDIR(status.st_mode))
		rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
	if (may_execute)
		rule.allowed_access |= LANDLOCK_ACCESS_FS_EXECUTE;
	if (syscall(SYS_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
		fail(EXIT_LANDLOCK, "landlock_add_rule");
}

/* `paths` ends with NULL. What is not on this system is skipped. */
static void allow_read_paths(int ruleset_fd, const char *const *paths, bool may_execute)
{
	for (; *paths != NULL; paths++) {
		int path_fd = open(*paths, O_PATH | O_CLOEXEC);
		if (path_fd < 0)
			continue;
		allow_read(ruleset_fd, path_fd, may_execute);
		close(path_fd);
	}
}

static void allow_connecting_to(int ruleset_fd, const struct camera *camera)
{
	/* The port lies at the same place in both kinds of address. */
	struct port_rule rule = { .allowed_access = ACCESS_NET_TCP_CONNECT, .port = ntohs(camera->v4.sin_port) };
	if (syscall(SYS_landlock_add_rule, ruleset_fd, RULE_NET_PORT, &rule, 0) != 0)
		fail(EXIT_LANDLOCK, "landlock_add_rule");
}

/*
 * Opens what the rules need while we still may, and returns the ruleset; -1 where the kernel has no Landlock. Without a
 * program no file may be read at all.
 */
static int prepare_landlock(const struct options *options, int program_fd)
{
	int abi = landlock_abi();
	if (abi == 0)
		return -1;
	struct ruleset ruleset = { .handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1 };
	size_t size = offsetof(struct ruleset, handled_access_net);
	if (abi >= 2)
		ruleset.handled_access_fs |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		ruleset.handled_access_fs |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (abi >= 4) {
		ruleset.handled_access_net = ACCESS_NET_TCP_BIND_AND_CONNECT;
		size = offsetof(struct ruleset, scoped);
	}
	if (abi >= 5)
		ruleset.handled_access_fs |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
	if (abi >= 6) {
		ruleset.scoped = SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS;
		size = sizeof ruleset;
	}
	int ruleset_fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
	if (ruleset_fd < 0)
		fail(EXIT_LANDLOCK, "landlock_create_ruleset");
	if (abi >= 4 && options->camera.length != 0)
		allow_connecting_to(ruleset_fd, &options->camera);
	if (program_fd == NO_PROGRAM)
		return ruleset_fd;
	allow_read(ruleset_fd, program_fd, true);
	allow_read_paths(ruleset_fd, LIBRARY_PATHS, true);
	allow_read_paths(ruleset_fd, DATA_PATHS, false);
	return ruleset_fd;
}

static void enter_landlock(int ruleset_fd)
{
	if (ruleset_fd < 0)
		return;
	if (syscall(SYS_landlock_restrict_self, ruleset_fd, 0) != 0)
		fail(EXIT_LANDLOCK, "landlock_restrict_self");
	close(ruleset_fd);
}

/* ---- seccomp(2): an allowlist. What is not on it does not exist (ENOSYS), so that libc falls back. ---- */

struct filter {
	struct sock_filter code[MAX_FILTER];
	unsigned short length;
};

static void emit(struct filter *filter, unsigned short code, uint32_t k, uint8_t if_true, uint8_t if_false)
{
	if (filter->length == MAX_FILTER)
		fail(EXIT_SECCOMP, "filter too long");
	filter->code[filter->length++] = (struct sock_filter){ code, if_true, if_false, k };
}

#define LOAD(filter, offset) emit(filter, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0)
#define RETURN(filter, action) emit(filter, BPF_RET | BPF_K, action, 0, 0)
#define SKIP_UNLESS_EQUAL(filter, value, count) emit(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define SKIP_IF_ANY_BIT(filter, bits, count) emit(filter, BPF_JMP | BPF_JSET | BPF_K, bits, count, 0)
#define SKIP_UNLESS_ANY_BIT(filter, bits, count) emit(filter, BPF_JMP | BPF_JSET | BPF_K, bits, 0, count)
#define REFUSE(error) (SECCOMP_RET_ERRNO | ((error) & SECCOMP_RET_DATA))

/* Offset of the low half of a system call argument; both architectures we know are little-endian. */
#define ARGUMENT(index) (offsetof(struct seccomp_data, args) + 8 * (index))
#define ARGUMENT_HIGH(index) (ARGUMENT(index) + 4)

static void allow_call(struct filter *filter, uint32_t call)
{
	SKIP_UNLESS_EQUAL(filter, call, 1);
	RETURN(filter, SECCOMP_RET_ALLOW);
}

/* Allows `call` when its argument is one of `values`, else refuses it with EPERM. */
static void allow_call_with(struct filter *filter, uint32_t call, int argument, const uint32_t *values, uint8_t count)
{
	SKIP_UNLESS_EQUAL(filter, call, (uint8_t)(2 + 2 * count));
	LOAD(filter, ARGUMENT(argument));
	for (uint8_t i = 0; i < count; i++)
		allow_call(filter, values[i]); /* the accumulator holds the argument now */
	RETURN(filter, REFUSE(EPERM));
}

/* Allows `call` when its argument has none of `forbidden`, else refuses it with `error`. */
static void allow_call_without(struct filter *filter, uint32_t call, int argument, uint32_t forbidden, int error)
{
	SKIP_UNLESS_EQUAL(filter, call, 4);
	LOAD(filter, ARGUMENT(argument));
	SKIP_IF_ANY_BIT(filter, forbidden, 1);
	RETURN(filter, SECCOMP_RET_ALLOW);
	RETURN(filter, REFUSE(error));
}

/*
 * Allows the one execveat(2) we are about to make and kills on any other: its path argument has to be the address
 * `key`, a random one that no longer exists once the program runs, because execve(2) replaces the address space.
 */
static void allow_our_exec(struct filter *filter, const char *key)
{
	uint64_t address = (uint64_t)(uintptr_t)key;
	SKIP_UNLESS_EQUAL(filter, SYS_execve, 1);
	RETURN(filter, SECCOMP_RET_KILL_PROCESS);
	SKIP_UNLESS_EQUAL(filter, SYS_execveat, 6);
	LOAD(filter, ARGUMENT(1));
	SKIP_UNLESS_EQUAL(filter, (uint32_t)address, 3);
	LOAD(filter, ARGUMENT_HIGH(1));
	SKIP_UNLESS_EQUAL(filter, (uint32_t)(address >> 32), 1);
	RETURN(filter, SECCOMP_RET_ALLOW);
	RETURN(filter, SECCOMP_RET_KILL_PROCESS);
}

/*
 * socket(2) of the camera's family, for TCP and where it is asked for UDP. Not AF_UNIX: a socket file may be a database
 * or a container engine. Netlink: getaddrinfo(3) asks for routes.
 */
static void allow_socket(struct filter *filter, const struct options *options)
{
	const uint32_t flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
	SKIP_UNLESS_EQUAL(filter, SYS_socket, 13);
	LOAD(filter, ARGUMENT(0));
	SKIP_UNLESS_EQUAL(filter, options->camera.any.sa_family, 6);
	LOAD(filter, ARGUMENT(1));
	emit(filter, BPF_ALU | BPF_AND | BPF_K, ~flags, 0, 0);
	emit(filter, BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 1, 0);
	SKIP_UNLESS_EQUAL(filter, options->udp ? SOCK_DGRAM : SOCK_STREAM, 1);
	RETURN(filter, SECCOMP_RET_ALLOW);
	RETURN(filter, REFUSE(EAFNOSUPPORT));
	SKIP_UNLESS_EQUAL(filter, AF_NETLINK, 3);
	LOAD(filter, ARGUMENT(2));
	SKIP_UNLESS_EQUAL(filter, NETLINK_ROUTE, 1);
	RETURN(filter, SECCOMP_RET_ALLOW);
	RETURN(filter, REFUSE(EAFNOSUPPORT));
}

static void allow_sockets(struct filter *filter, const struct options *options)
{
	for (size_t i = 0; i < sizeof SOCKET_CALLS / sizeof *SOCKET_CALLS; i++)
		allow_call(filter, SOCKET_CALLS[i]);
	allow_socket(filter, options);
}

static void allow_threads_but_no_processes(struct filter *filter)
{
	const uint32_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
				    CLONE_NEWPID | CLONE_NEWNET;
	SKIP_UNLESS_EQUAL(filter, SYS_clone, 5);
	LOAD(filter, ARGUMENT(0));
	SKIP_IF_ANY_BIT(filter, namespaces, 2);
	SKIP_UNLESS_ANY_BIT(filter, CLONE_THREAD, 1);
	RETURN(filter, SECCOMP_RET_ALLOW);
	RETURN(filter, REFUSE(EPERM));
	/* clone3(2) takes its flags behind a pointer, which a filter cannot read: refused by the default. */
}

/* Kills on calls of another architecture, and loads the number of the call. */
static void begin_filter(struct filter *filter)
{
	LOAD(filter, offsetof(struct seccomp_data, arch));
	SKIP_UNLESS_EQUAL(filter, SECCOMP_ARCHITECTURE, 1);
	emit(filter, BPF_JMP | BPF_JA, 1, 0, 0);
	RETURN(filter, SECCOMP_RET_KILL_PROCESS);
	LOAD(filter, offsetof(struct seccomp_data, nr));
}

static void build_filter(struct filter *filter, const struct options *options, const char *exec_key)
{
	const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
	const uint32_t self = (uint32_t)getpid();
	begin_filter(filter);
	for (size_t i = 0; i < sizeof PLAIN_CALLS / sizeof *PLAIN_CALLS; i++)
		allow_call(filter, PLAIN_CALLS[i]);
#ifdef SYS_open
	allow_call_without(filter, SYS_open, 1, writing, EROFS);
#endif
	allow_call_without(filter, SYS_openat, 2, writing, EROFS);
	allow_threads_but_no_processes(filter);
	allow_call_with(filter, SYS_kill, 0, &self, 1);
	allow_call_with(filter, SYS_tgkill, 0, &self, 1);
	allow_call_with(filter, SYS_prctl, 0, ALLOWED_PRCTLS, sizeof ALLOWED_PRCTLS / sizeof *ALLOWED_PRCTLS);
	allow_call_with(filter, SYS_ioctl, 1, ALLOWED_IOCTLS, sizeof ALLOWED_IOCTLS / sizeof *ALLOWED_IOCTLS);
	allow_call_with(filter, SYS_fcntl, 1, ALLOWED_FCNTLS, sizeof ALLOWED_FCNTLS / sizeof *ALLOWED_FCNTLS);
	/* prlimit64(2) may read limits: its pointer to new ones has to be NULL, in both halves. */
	SKIP_UNLESS_EQUAL(filter, SYS_prlimit64, 6);
	LOAD(filter, ARGUMENT(2));
	SKIP_UNLESS_EQUAL(filter, 0, 3);
	LOAD(filter, ARGUMENT_HIGH(2));
	SKIP_UNLESS_EQUAL(filter, 0, 1);
	RETURN(filter, SECCOMP_RET_ALLOW);
	RETURN(filter, REFUSE(EPERM));
	if (!options->no_network)
		allow_sockets(filter, options);
	allow_our_exec(filter, exec_key);
	RETURN(filter, REFUSE(ENOSYS));
}

/* An empty string at an address nobody can guess: 35 random bits of page and 12 of offset. */
static const char *random_empty_string(void)
{
	uint64_t random;
	long page = sysconf(_SC_PAGESIZE);
	for (int attempt = 0; attempt < 16; attempt++) {
		if (getentropy(&random, sizeof random) != 0)
			fail(EXIT_SECCOMP, "getentropy");
		uintptr_t address = (uintptr_t)(random % (1ULL << 46)) & ~((uintptr_t)page - 1);
		void *mapped = mmap((void *)address, (size_t)page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (mapped != MAP_FAILED)
			return (const char *)mapped + (random >> 48) % (uint64_t)page;
	}
	fail(EXIT_SECCOMP, "mmap");
}

static void install(const struct filter *filter)
{
	struct sock_fprog program = { .len = filter->length, .filter = (struct sock_filter *)filter->code };
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		fail(EXIT_SECCOMP, "seccomp");
}

static void enter_seccomp(const struct options *options, const char *exec_key)
{
	static struct filter filter;
	build_filter(&filter, options, exec_key);
	install(&filter);
}

/* Of the relay: it moves bytes between sockets and can do nothing else. */
static void enter_relay_seccomp(const struct options *options)
{
	static struct filter filter;
	begin_filter(&filter);
	for (size_t i = 0; i < sizeof RELAY_CALLS / sizeof *RELAY_CALLS; i++)
		allow_call(&filter, RELAY_CALLS[i]);
	allow_socket(&filter, options);
	RETURN(&filter, REFUSE(ENOSYS));
	install(&filter);
}

/* ---- the rest of the jail ---- */

static void set_limit(int resource, rlim_t value)
{
	struct rlimit limit;
	if (getrlimit(resource, &limit) != 0)
		fail(EXIT_LIMITS, "getrlimit");
	/* Never above what we were given: raising needs a privilege and is no protection. */
	limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
	limit.rlim_max = limit.rlim_cur;
	if (setrlimit(resource, &limit) != 0)
		fail(EXIT_LIMITS, "setrlimit");
}

/* No limit of CPU time: a live worker runs for months. */
static void set_limits(const struct options *options)
{
	set_limit(RLIMIT_AS, options->memory_mib << 20);
	set_limit(RLIMIT_NOFILE, MAX_DESCRIPTORS);
	set_limit(RLIMIT_NPROC, MAX_TASKS_OF_USER); /* counts all tasks of the user, hence so high; seccomp forbids processes */
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_CORE, 0);
	if (setpriority(PRIO_PROCESS, 0, WORKER_NICENESS) != 0)
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

static void close_from_to(unsigned int first, unsigned int last)
{
	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	/* Before Linux 5.9. Slow where a billion descriptors are allowed, as in some containers. */
	long limit = sysconf(_SC_OPEN_MAX);
	for (unsigned int fd = first; fd <= last && fd < limit; fd++)
		close((int)fd);
}

static void close_other_fds(const struct options *options, int program_fd)
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

/* Ends with the parent, and now when the parent ended before the signal was armed: prctl(2) PR_SET_PDEATHSIG. */
static void tie_to_parent(const struct options *options)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		fail(EXIT_PARENT, "PR_SET_PDEATHSIG");
	errno = 0;
	if (options->parent != 0 && getppid() != options->parent)
		fail(EXIT_PARENT, "the parent is gone");
}

static void drop_user(const struct options *options)
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
 * Capabilities that came from the gateway (ambient ones of a service, all of root's) or with a user namespace. The
 * bounding set goes too, for a root that could not become another user; who may not touch it gains nothing by it.
 */
static void drop_capabilities(void)
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

static void forbid_new_privileges(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		fail(EXIT_SECCOMP, "PR_SET_NO_NEW_PRIVS");
}

/* ---- the network of a worker that pulls ---- */

static void write_once(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail(EXIT_NETWORK, path);
	close(fd);
}

/* Root makes a network namespace; anyone else needs a user namespace around it, in which they stay who they are. */
static void enter_network_namespace(void)
{
	char map[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	if (unshare(uid == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) != 0)
		fail(EXIT_NETWORK, "unshare");
	if (uid == 0)
		return;
	write_once("/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "%u %u 1", uid, uid);
	write_once("/proc/self/uid_map", map);
	snprintf(map, sizeof map, "%u %u 1", gid, gid);
	write_once("/proc/self/gid_map", map);
}

/* One descriptor over a socket of the pair: unix(7), SCM_RIGHTS. */
union descriptor_message {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr aligned;
};

static void send_descriptor(int channel, int fd)
{
	char byte = 0;
	struct iovec data = { &byte, 1 };
	union descriptor_message control = { .bytes = { 0 } };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(header), &fd, sizeof fd);
	if (sendmsg(channel, &message, MSG_NOSIGNAL) != 1)
		fail(EXIT_NETWORK, "sendmsg");
}

/* -1 when the other side ended without. */
static int receive_descriptor(int channel)
{
	char byte;
	int fd = -1;
	struct iovec data = { &byte, 1 };
	union descriptor_message control = { .bytes = { 0 } };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes };
	if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (header != NULL && header->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(header), sizeof fd);
	return fd;
}

/*
 * In a child: outside of the worker's namespace, with a jail of its own. Ends when the worker ends, which it watches
 * itself: Landlock keeps the worker from sending signals, the one for its death among them.
 */
static _Noreturn void run_relay(const struct options *options, int channel, int worker_fd)
{
	const struct options own = { .camera = options->camera, .uid = options->uid, .memory_mib = RELAY_MEMORY_MIB };
	int listen_fd = receive_descriptor(channel);
	if (listen_fd < 0 || dup2(worker_fd, STDOUT_FILENO) < 0 || dup2(listen_fd, STDIN_FILENO) < 0)
		_exit(EXIT_NETWORK);
	close_from_to(STDERR_FILENO + 1, UINT_MAX); /* the worker's pipes too, but for standard error */
	int ruleset_fd = prepare_landlock(&own, NO_PROGRAM);
	set_limits(&own);
	drop_user(&own);
	drop_capabilities();
	forbid_new_privileges();
	enter_landlock(ruleset_fd);
	enter_relay_seccomp(&own);
	relay_to_camera(STDIN_FILENO, STDOUT_FILENO, &own.camera);
}

/* From here on there is no network but the camera's address, behind which the relay answers. */
static void leave_network(const struct options *options)
{
	int channel[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
		fail(EXIT_NETWORK, "socketpair");
	int worker_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (worker_fd < 0)
		fail(EXIT_NETWORK, "pidfd_open");
	pid_t relay = fork();
	if (relay == 0) {
		close(channel[0]);
		run_relay(options, channel[1], worker_fd);
	}
	if (relay < 0)
		fail(EXIT_NETWORK, "fork");
	close(channel[1]);
	close(worker_fd);
	enter_network_namespace();
	int listen_fd = listen_as_camera(&options->camera);
	if (listen_fd < 0)
		fail(EXIT_NETWORK, "the camera's address");
	send_descriptor(channel[0], listen_fd);
	close(listen_fd);
	close(channel[0]);
}

static _Noreturn void run(const struct options *options)
{
	/* By descriptor: the path may lie in a folder that the new user cannot enter. */
	int program_fd = open(options->program[0], O_PATH | O_CLOEXEC);
	if (program_fd < 0)
		fail(errno == ENOENT ? EXIT_NO_PROGRAM : EXIT_RUN, options->program[0]);
	close_other_fds(options, program_fd);
	if (setpgid(0, 0) != 0 && getpgrp() != getpid()) /* refused for a session leader, which leads its group already */
		fail(EXIT_LIMITS, "setpgid");
	if (options->network_namespace)
		leave_network(options);
	int ruleset_fd = prepare_landlock(options, program_fd);
	const char *exec_key = random_empty_string();
	if (chdir("/") != 0)
		fail(EXIT_USER, "chdir");
	set_limits(options);
	drop_user(options);
	tie_to_parent(options); /* after drop_user: a change of user clears the signal */
	drop_capabilities();
	forbid_new_privileges();
	enter_landlock(ruleset_fd);
	enter_seccomp(options, exec_key);
	/* Few arenas: each one reserves address space. */
	char *const environment[] = { "LANG=C", "MALLOC_ARENA_MAX=2", NULL };
	syscall(SYS_execveat, program_fd, exec_key, options->program, environment, AT_EMPTY_PATH);
	fail(EXIT_RUN, options->program[0]);
}

/* ---- --report: tries each protection in a child and prints what held ---- */

static void try_landlock(const struct options *options)
{
	int ruleset_fd = prepare_landlock(options, NO_PROGRAM);
	if (ruleset_fd < 0)
		_exit(EXIT_LANDLOCK);
	forbid_new_privileges();
	enter_landlock(ruleset_fd);
}

static void try_seccomp(const struct options *options)
{
	forbid_new_privileges();
	enter_seccomp(options, random_empty_string());
}

static void try_user(const struct options *options)
{
	drop_user(options);
	if (geteuid() == 0)
		_exit(EXIT_USER);
}

static void try_network_namespace(const struct options *options)
{
	struct camera camera;
	(void)options;
	enter_network_namespace();
	/* An address of nobody: 192.0.2.0/24 is for documentation, RFC 5737. */
	if (!read_camera(&camera, "192.0.2.1", "554") || listen_as_camera(&camera) < 0)
		_exit(EXIT_NETWORK);
}

static void try_capabilities(const struct options *options)
{
	drop_user(options);
	drop_capabilities();
}

static const char *holds(void (*protection)(const struct options *), const struct options *options)
{
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		/* What does not hold is in the answer; its message would repeat it. */
		close(STDERR_FILENO);
		protection(options);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? "true" : "false";
}

static void report(const struct options *options)
{
	printf("{\"landlockAbi\":%d,\"landlock\":%s,", landlock_abi(), holds(try_landlock, options));
	printf("\"seccomp\":%s,", holds(try_seccomp, options));
	printf("\"limits\":%s,", holds(set_limits, options));
	printf("\"parentDeath\":%s,", holds(tie_to_parent, options));
	printf("\"capabilities\":%s,", holds(try_capabilities, options));
	printf("\"networkNamespace\":%s,", holds(try_network_namespace, options));
	printf("\"unprivilegedUser\":%s}\n", holds(try_user, options));
}

/* ---- command line ---- */

static long number(const char *text)
{
	char *end;
	errno = 0;
	long value = text == NULL ? -1 : strtol(text, &end, 10);
	if (text == NULL || *text == 0 || *end != 0 || value < 0 || value > INT_MAX) {
		errno = EINVAL;
		fail(EXIT_USAGE, "not a number");
	}
	return value;
}

static void parse(struct options *options, char **argument)
{
	for (; *argument != NULL; argument++) {
		const char *name = *argument;
		if (strcmp(name, "--") == 0) {
			options->program = argument + 1;
			return;
		}
		if (strcmp(name, "--report") == 0)
			options->report = true;
		else if (strcmp(name, "--no-network") == 0)
			options->no_network = true;
		else if (strcmp(name, "--udp") == 0)
			options->udp = true;
		else if (strcmp(name, "--network-namespace") == 0)
			options->network_namespace = true;
		else if (argument[1] == NULL)
			fail(EXIT_USAGE, name);
		else if (strcmp(name, "--camera") == 0 && argument[2] != NULL && read_camera(&options->camera, argument[1], argument[2]))
			argument += 2;
		else if (strcmp(name, "--parent") == 0)
			options->parent = (pid_t)number(*++argument);
		else if (strcmp(name, "--uid") == 0)
			options->uid = number(*++argument);
		else if (strcmp(name, "--memory-mib") == 0)
			options->memory_mib = (rlim_t)number(*++argument);
		else if (strcmp(name, "--keep-fd") == 0 && options->kept_fd_count < MAX_KEPT_FDS)
			options->kept_fds[options->kept_fd_count++] = (int)number(*++argument);
		else
			fail(EXIT_USAGE, name);
	}
}

int main(int argc, char **argv)
{
	static struct options options = { .uid = -1 };
	options.memory_mib = DEFAULT_MEMORY_MIB;
	errno = 0;
	if (argc > 1)
		parse(&options, argv + 1);
	if (options.report) {
		report(&options);
		return 0;
	}
	const bool has_camera = options.camera.length != 0;
	if (options.program == NULL || options.program[0] == NULL || options.program[0][0] != '/' ||
	    options.no_network == has_camera || (options.network_namespace && (options.udp || !has_camera)))
		fail(EXIT_USAGE, "usage: sluice-jail {--no-network | --camera ADDRESS PORT} [options] -- /path/of/program [arguments]");
	run(&options);
}
