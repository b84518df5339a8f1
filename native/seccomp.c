/*
 * Which system calls the program can make: seccomp(2). An allowlist; what is not on it does not exist (ENOSYS), so
 * that libc falls back.
 */
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "seccomp-syscalls.h"

enum { MAX_FILTER = 512 };

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

/* Offset of the low half of a system call argument; both architectures that we support are little-endian. */
#define ARGUMENT(index) (offsetof(struct seccomp_data, args) + 8 * (index))
#define ARGUMENT_HIGH(index) (ARGUMENT(index) + 4)

static void allow_call(struct filter *filter, uint32_t call)
{
	SKIP_UNLESS_EQUAL(filter, call, 1);
	RETURN(filter, SECCOMP_RET_ALLOW);
}

/* Allows `call` if its argument is one of `values`; otherwise refuses it with EPERM. */
static void allow_call_with(struct filter *filter, uint32_t call, int argument, const uint32_t *values, uint8_t count)
{
	SKIP_UNLESS_EQUAL(filter, call, (uint8_t)(2 + 2 * count));
	LOAD(filter, ARGUMENT(argument));
	for (uint8_t i = 0; i < count; i++)
		allow_call(filter, values[i]); /* the accumulator holds the argument now */
	RETURN(filter, REFUSE(EPERM));
}

/* Allows `call` if its argument has none of `forbidden`; otherwise refuses it with `error`. */
static void allow_call_without(struct filter *filter, uint32_t call, int argument, uint32_t forbidden, int error)
{
	SKIP_UNLESS_EQUAL(filter, call, 4);
	LOAD(filter, ARGUMENT(argument));
	SKIP_IF_ANY_BIT(filter, forbidden, 1);
	RETURN(filter, SECCOMP_RET_ALLOW);
	RETURN(filter, REFUSE(error));
}

/*
 * Allows the one execveat(2) that we are about to make and kills on any other: its path argument must be the
 * address `key`, a random one that no longer exists once the program runs, because execve(2) replaces the address
 * space.
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
 * socket(2) of the camera's family, for TCP and, if requested, UDP. Not AF_UNIX: a socket file may be a database or
 * a container engine. Netlink: getaddrinfo(3) asks for routes.
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

/* picture-server.c: one process per picture, which it waits for and which limits itself further. */
static void allow_forks(struct filter *filter)
{
	const uint32_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
				    CLONE_NEWPID | CLONE_NEWNET;
	const uint32_t filter_mode = SECCOMP_SET_MODE_FILTER;
	allow_call_without(filter, SYS_clone, 0, namespaces, EPERM);
	allow_call(filter, SYS_wait4);
	allow_call_with(filter, SYS_seccomp, 0, &filter_mode, 1);
	allow_call_with(filter, SYS_prctl, 0, PICTURE_SERVER_PRCTLS, sizeof PICTURE_SERVER_PRCTLS / sizeof *PICTURE_SERVER_PRCTLS);
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
	if (options->picture_server_fd >= 0)
		allow_forks(filter); /* first: the first rule for a call decides */
	allow_threads_but_no_processes(filter);
	allow_call_with(filter, SYS_kill, 0, &self, 1);
	allow_call_with(filter, SYS_tgkill, 0, &self, 1);
	allow_call_with(filter, SYS_prctl, 0, ALLOWED_PRCTLS, sizeof ALLOWED_PRCTLS / sizeof *ALLOWED_PRCTLS);
	allow_call_with(filter, SYS_ioctl, 1, ALLOWED_IOCTLS, sizeof ALLOWED_IOCTLS / sizeof *ALLOWED_IOCTLS);
	allow_call_with(filter, SYS_fcntl, 1, ALLOWED_FCNTLS, sizeof ALLOWED_FCNTLS / sizeof *ALLOWED_FCNTLS);
	/* prlimit64(2) can read limits: its pointer to new ones must be NULL, in both halves. */
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

/* An empty string at an address that cannot be guessed: 35 random bits of page and 12 of offset. */
const char *random_empty_string(void)
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

void enter_seccomp(const struct options *options, const char *exec_key)
{
	static struct filter filter;
	build_filter(&filter, options, exec_key);
	install(&filter);
}

/* For the relay: it moves bytes between sockets and can do nothing else. */
void enter_relay_seccomp(const struct options *options)
{
	static struct filter filter;
	begin_filter(&filter);
	for (size_t i = 0; i < sizeof RELAY_CALLS / sizeof *RELAY_CALLS; i++)
		allow_call(&filter, RELAY_CALLS[i]);
	allow_socket(&filter, options);
	RETURN(&filter, REFUSE(ENOSYS));
	install(&filter);
}
