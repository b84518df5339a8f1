/*
 * The only way out of a network namespace that has no other: connections to the camera's address and port are
 * forwarded to the camera, byte by byte. Both ends are sockets that already exist or are created here; nothing is
 * parsed.
 */
#ifndef SLUICE_CAMERA_RELAY_H
#define SLUICE_CAMERA_RELAY_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

/* Where the camera is: `length` bytes of `v4` or `v6` are valid. */
struct camera {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	socklen_t length;
};

/* Parses a numeric address and a port from 1 to 65535; false if they are something else. */
bool read_camera(struct camera *camera, const char *address, const char *port);

/*
 * In a namespace of its own that we are allowed to configure: gives the loopback interface the camera's address,
 * and returns a socket that listens there on the camera's port. -1 and errno if the kernel refuses.
 */
int listen_as_camera(const struct camera *camera);

/*
 * Forwards every connection that `listen_fd` accepts to the camera, until the process behind `worker_fd`,
 * pidfd_open(2), ends. Says on standard error why the camera is unreachable.
 */
_Noreturn void relay_to_camera(int listen_fd, int worker_fd, const struct camera *camera);

#endif
