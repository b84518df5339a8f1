/*
 * sluice-jail --spawner --parent PID: starts workers for a gateway that is too large to fork. To start a process, the kernel
 * copies the page tables of the one that asks, and everything in that one waits. This one is small and stays small.
 *
 * Standard input: requests. Each is the number of bytes that follow (32 bits, in this machine's order), then words, each
 * ended by a zero byte:
 *   start ID DESCRIPTORS ADDRESS TOKEN [options] -- /path/of/program [arguments]      options: those of sluice-jail.c
 *   kill ID SIGNAL        to the worker's process group; nothing happens if it ended
 * The worker gets a connection to the UNIX socket ADDRESS, an abstract name, for each of the first DESCRIPTORS descriptors.
 * Each connection begins with TOKEN and the descriptor's digit.
 *
 * Standard output: lines.
 *   started ID PID
 *   failed ID ERRNO       no process was started
 *   ended ID CODE SIGNAL  the rest of its group is killed; one of both is 0
 *
 * Ends with its input and with the gateway, and its workers end with it.
 */
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_REQUEST_BYTES = 128 * 1024, MAX_WORDS = 512, MAX_WORKERS = 512, MAX_STREAMS = 4 };
enum { START_ID = 1, START_COUNT, START_ADDRESS, START_TOKEN, START_OPTIONS };

static struct worker {
	long id;
	pid_t pid; /* 0: free */
} workers[MAX_WORKERS];
static char request[MAX_REQUEST_BYTES + 1];
static sigset_t inherited_signals;

static struct worker *worker_of(pid_t pid)
{
	for (size_t i = 0; i < MAX_WORKERS; i++)
		if (workers[i].pid == pid)
			return &workers[i];
	return NULL;
}

static int open_stream(const char *name, const char *token, size_t descriptor)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char head[64];
	size_t name_length = strlen(name);
	if (name_length + 1 > sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path + 1, name, name_length); /* the zero byte in front makes it abstract: unix(7) */
	socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + name_length);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	int head_length = snprintf(head, sizeof head, "%s%zu", token, descriptor);
	if (connect(fd, (struct sockaddr *)&address, length) != 0 || send(fd, head, (size_t)head_length, MSG_NOSIGNAL) != head_length) {
		int reason = errno;
		close(fd);
		errno = reason;
		return -1;
	}
	return fd;
}

static _Noreturn void become_worker(const int *streams, size_t count, pid_t spawner, char **arguments)
{
	static struct options options;
	/* Descriptor 3 is this process's own for signals, so no stream has a number that is still needed below. */
	for (size_t i = 0; i < count; i++)
		if (dup2(streams[i], (int)i) < 0)
			_exit(EXIT_LIMITS);
	setpgid(0, 0);
	sigprocmask(SIG_SETMASK, &inherited_signals, NULL);
	errno = 0;
	read_options(&options, arguments);
	options.parent = spawner;
	run_jailed(&options);
}

/* The process, or -1. */
static pid_t fork_worker(char **word, size_t count)
{
	int streams[MAX_STREAMS];
	size_t opened = 0;
	pid_t spawner = getpid(), pid = -1;
	while (opened < count && (streams[opened] = open_stream(word[START_ADDRESS], word[START_TOKEN], opened)) >= 0)
		opened++;
	if (opened == count)
		pid = fork();
	if (pid == 0)
		become_worker(streams, count, spawner, word + START_OPTIONS);
	int reason = errno;
	if (pid > 0)
		setpgid(pid, pid); /* on both sides: a signal may be next */
	while (opened > 0)
		close(streams[--opened]);
	errno = reason;
	return pid;
}

static void start(char **word, size_t words)
{
	struct worker *worker = worker_of(0);
	if (words < START_OPTIONS + 1)
		fail(EXIT_USAGE, "start");
	long id = atol(word[START_ID]), count = atol(word[START_COUNT]);
	if (count < 3 || count > MAX_STREAMS)
		fail(EXIT_USAGE, "descriptors");
	errno = EAGAIN;
	pid_t pid = worker == NULL ? -1 : fork_worker(word, (size_t)count);
	if (pid < 0) {
		dprintf(STDOUT_FILENO, "failed %ld %d\n", id, errno);
		return;
	}
	worker->id = id;
	worker->pid = pid;
	dprintf(STDOUT_FILENO, "started %ld %d\n", id, (int)pid);
}

static void signal_worker(char **word, size_t words)
{
	if (words != 3)
		fail(EXIT_USAGE, "kill");
	long id = atol(word[1]);
	for (size_t i = 0; i < MAX_WORKERS; i++)
		if (workers[i].pid != 0 && workers[i].id == id)
			kill(-workers[i].pid, atoi(word[2]));
}

/* Whether there was one. */
static bool read_bytes(void *target, size_t length)
{
	for (size_t got = 0; got < length;) {
		ssize_t count = read(STDIN_FILENO, (char *)target + got, length - got);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		got += (size_t)count;
	}
	return true;
}

static bool take_request(void)
{
	uint32_t length;
	char *word[MAX_WORDS + 1];
	size_t words = 0;
	if (!read_bytes(&length, sizeof length))
		return false;
	if (length == 0 || length > MAX_REQUEST_BYTES)
		fail(EXIT_USAGE, "too long a request");
	if (!read_bytes(request, length))
		return false;
	request[length] = 0;
	for (char *at = request; at < request + length; at += strlen(at) + 1) {
		if (words == MAX_WORDS)
			fail(EXIT_USAGE, "too many words");
		word[words++] = at;
	}
	word[words] = NULL;
	if (strcmp(word[0], "start") == 0)
		start(word, words);
	else if (strcmp(word[0], "kill") == 0)
		signal_worker(word, words);
	else
		fail(EXIT_USAGE, word[0]);
	return true;
}

/* A process that is still a zombie keeps its number, so the rest of its group can be killed without hitting another one. */
static void reap(void)
{
	for (;;) {
		siginfo_t info = { .si_pid = 0 };
		int status;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
			return;
		struct worker *worker = worker_of(info.si_pid);
		kill(-info.si_pid, SIGKILL);
		if (waitpid(info.si_pid, &status, 0) != info.si_pid || worker == NULL)
			continue;
		dprintf(STDOUT_FILENO, "ended %ld %d %d\n", worker->id, WIFEXITED(status) ? WEXITSTATUS(status) : 0,
		        WIFSIGNALED(status) ? WTERMSIG(status) : 0);
		worker->pid = 0;
	}
}

void run_spawner(const struct options *options)
{
	sigset_t ended;
	struct signalfd_siginfo info;
	close_from_to(STDERR_FILENO + 1, ~0U);
	tie_to_parent(options);
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, &inherited_signals);
	int signal_fd = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd != STDERR_FILENO + 1)
		fail(EXIT_LIMITS, "signalfd");
	struct pollfd waiting[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = signal_fd, .events = POLLIN } };
	for (;;) {
		if (poll(waiting, 2, -1) < 0 && errno != EINTR)
			fail(EXIT_LIMITS, "poll");
		if (waiting[1].revents != 0) {
			while (read(signal_fd, &info, sizeof info) > 0)
				;
			reap();
		}
		if (waiting[0].revents != 0 && !take_request())
			return;
	}
}
