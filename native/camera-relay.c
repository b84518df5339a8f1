#define _GNU_SOURCE
#include "camera-relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* A worker has one connection, plus another while it retries. */
enum { MAX_BIND_ATTEMPTS = 500, MAX_RELAYED = 8, RELAY_BYTES = 64 * 1024 };

/* One direction of a connection. What has been read but not written is in bytes[begin, end). */
struct flow {
	int from, to;
	size_t begin, end;
	bool has_ended; /* `from` sends no more */
	bool is_closed; /* and `to` has been shut down, too */
	char bytes[RELAY_BYTES];
};

struct relayed {
	bool is_used;
	bool is_connecting;
	int worker_fd, camera_fd;
	struct flow to_camera, to_worker;
};

bool read_camera(struct camera *camera, const char *address, const char *port)
{
	char *end;
	long number = strtol(port, &end, 10);
	if (*port == 0 || *end != 0 || number < 1 || number > 65535)
		return false;
	memset(camera, 0, sizeof *camera);
	if (inet_pton(AF_INET, address, &camera->v4.sin_addr) == 1) {
		camera->v4.sin_family = AF_INET;
		camera->v4.sin_port = htons((uint16_t)number);
		camera->length = sizeof camera->v4;
		return true;
	}
	if (inet_pton(AF_INET6, address, &camera->v6.sin6_addr) != 1)
		return false;
	camera->v6.sin6_family = AF_INET6;
	camera->v6.sin6_port = htons((uint16_t)number);
	camera->length = sizeof camera->v6;
	return true;
}

/* netdevice(7). The address 127.0.0.1 comes with the interface; any other is added. */
static bool configure_loopback(const struct camera *camera)
{
	struct ifreq lo = { .ifr_name = "lo" };
	bool is_done = false;
	int v4 = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int v6 = camera->any.sa_family == AF_INET6 ? socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
	if (v4 < 0 || ioctl(v4, SIOCGIFFLAGS, &lo) != 0)
		goto done;
	lo.ifr_flags |= IFF_UP | IFF_RUNNING;
	if (ioctl(v4, SIOCSIFFLAGS, &lo) != 0)
		goto done;
	if (camera->any.sa_family == AF_INET) {
		struct ifreq alias = { .ifr_name = "lo:1" };
		memcpy(&alias.ifr_addr, &camera->v4, sizeof camera->v4);
		is_done = camera->v4.sin_addr.s_addr == htonl(INADDR_LOOPBACK) || ioctl(v4, SIOCSIFADDR, &alias) == 0;
	} else if (v6 >= 0 && ioctl(v4, SIOCGIFINDEX, &lo) == 0) {
		struct in6_ifreq address = { .ifr6_addr = camera->v6.sin6_addr, .ifr6_prefixlen = 128, .ifr6_ifindex = lo.ifr_ifindex };
		is_done = IN6_IS_ADDR_LOOPBACK(&camera->v6.sin6_addr) || ioctl(v6, SIOCSIFADDR, &address) == 0;
	}
done:;
	int error = errno;
	if (v4 >= 0)
		close(v4);
	if (v6 >= 0)
		close(v6);
	errno = error;
	return is_done;
}

/* An IPv6 address cannot be used until the kernel is done with it, which takes a moment even here: RFC 4862 §5.4. */
static bool bind_soon(int fd, const struct camera *camera)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	for (int attempt = 0; attempt < MAX_BIND_ATTEMPTS; attempt++) {
		if (bind(fd, &camera->any, camera->length) == 0)
			return true;
		if (errno != EADDRNOTAVAIL)
			return false;
		nanosleep(&moment, NULL);
	}
	return false;
}

int listen_as_camera(const struct camera *camera)
{
	if (!configure_loopback(camera))
		return -1;
	int fd = socket(camera->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && bind_soon(fd, camera) && listen(fd, MAX_RELAYED) == 0)
		return fd;
	int error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

static void end(struct relayed *relayed)
{
	close(relayed->worker_fd);
	close(relayed->camera_fd);
	relayed->is_used = false;
}

/* The worker sees only that its connection ended; its log says why. */
static void say(int error)
{
	char line[128];
	int length = snprintf(line, sizeof line, "sluice-jail: the camera: %s\n", strerror(error));
	if (length > 0 && write(STDERR_FILENO, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1) < 0)
		return; /* the log has no reader */
}

static void accept_into(struct relayed *relayed, int listen_fd, const struct camera *camera)
{
	int worker_fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (worker_fd < 0)
		return; /* it is gone again */
	int camera_fd = socket(camera->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (camera_fd < 0 || (connect(camera_fd, &camera->any, camera->length) != 0 && errno != EINPROGRESS)) {
		say(errno);
		if (camera_fd >= 0)
			close(camera_fd);
		close(worker_fd);
		return;
	}
	*relayed = (struct relayed){ .is_used = true, .is_connecting = true, .worker_fd = worker_fd, .camera_fd = camera_fd };
	relayed->to_camera.from = relayed->to_worker.to = worker_fd;
	relayed->to_camera.to = relayed->to_worker.from = camera_fd;
}

static bool is_connected(int fd)
{
	int error = 0;
	socklen_t length = sizeof error;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
		error = errno;
	if (error != 0)
		say(error);
	return error == 0;
}

/* Moves what can be moved now. False if the connection is broken. */
static bool move(struct flow *flow)
{
	if (flow->begin == flow->end && !flow->has_ended) {
		ssize_t count = read(flow->from, flow->bytes, sizeof flow->bytes);
		if (count < 0)
			return errno == EAGAIN || errno == EINTR;
		flow->begin = 0;
		flow->end = (size_t)count;
		flow->has_ended = count == 0;
	}
	while (flow->begin < flow->end) {
		ssize_t count = write(flow->to, flow->bytes + flow->begin, flow->end - flow->begin);
		if (count < 0)
			return errno == EAGAIN || errno == EINTR;
		flow->begin += (size_t)count;
	}
	if (flow->has_ended && !flow->is_closed) {
		flow->is_closed = true;
		shutdown(flow->to, SHUT_WR);
	}
	return true;
}

/* What `flow` waits for: bytes to read while its buffer is empty, room to write while it is not. */
static void await(const struct flow *flow, struct pollfd *from, struct pollfd *to)
{
	if (flow->begin < flow->end)
		to->events |= POLLOUT;
	else if (!flow->has_ended)
		from->events |= POLLIN;
}

static void serve(struct relayed *relayed, short camera_events)
{
	if (relayed->is_connecting) {
		if ((camera_events & (POLLOUT | POLLERR | POLLHUP)) == 0)
			return;
		if (!is_connected(relayed->camera_fd)) {
			end(relayed);
			return;
		}
		relayed->is_connecting = false;
	}
	if (!move(&relayed->to_camera) || !move(&relayed->to_worker) ||
	    (relayed->to_camera.is_closed && relayed->to_worker.is_closed))
		end(relayed);
}

_Noreturn void relay_to_camera(int listen_fd, int worker_fd, const struct camera *camera)
{
	static struct relayed all[MAX_RELAYED];
	signal(SIGPIPE, SIG_IGN); /* an end that is gone is an error of write(2) */
	for (;;) {
		struct pollfd polled[2 + 2 * MAX_RELAYED] = { { .fd = -1, .events = POLLIN }, { .fd = worker_fd, .events = POLLIN } };
		for (size_t i = 0; i < MAX_RELAYED; i++) {
			struct pollfd *worker = &polled[2 + 2 * i], *of_camera = &polled[3 + 2 * i];
			worker->fd = of_camera->fd = -1;
			if (!all[i].is_used) {
				polled[0].fd = listen_fd; /* there is room */
				continue;
			}
			if (all[i].is_connecting) {
				of_camera->events = POLLOUT;
			} else {
				await(&all[i].to_camera, worker, of_camera);
				await(&all[i].to_worker, of_camera, worker);
			}
			/* poll(2) also reports errors of a descriptor without awaited events: pass only those with some. */
			if (worker->events != 0)
				worker->fd = all[i].worker_fd;
			if (of_camera->events != 0)
				of_camera->fd = all[i].camera_fd;
		}
		if (poll(polled, sizeof polled / sizeof *polled, -1) < 0 && errno != EINTR)
			_exit(1);
		if (polled[1].revents != 0)
			_exit(0);
		for (size_t i = 0; i < MAX_RELAYED; i++)
			if (all[i].is_used && (polled[2 + 2 * i].revents != 0 || polled[3 + 2 * i].revents != 0))
				serve(&all[i], polled[3 + 2 * i].revents);
		if (polled[0].revents != 0)
			for (size_t i = 0; i < MAX_RELAYED; i++)
				if (!all[i].is_used) {
					accept_into(&all[i], listen_fd, camera);
					break;
				}
	}
}
