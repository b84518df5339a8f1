/* The network of a worker that pulls: a namespace without any network, and a relay outside it. network_namespaces(7) */
#define _GNU_SOURCE
#include "jail.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const rlim_t RELAY_MEMORY_MIB = 64;

static void write_once(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail(EXIT_NETWORK, path);
	close(fd);
}

/*
 * Root can create a network namespace; anyone else needs a user namespace around it, in which they keep their
 * identity.
 */
void enter_network_namespace(void)
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

/* -1 if the other side ended without sending one. */
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
 * In a child: outside the worker's namespace, with its own jail. Ends when the worker ends, which it watches
 * itself: Landlock keeps the worker from sending signals, including the one for its death.
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

/* From here on, there is no network but the camera's address, where the relay answers. */
void leave_network(const struct options *options)
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
