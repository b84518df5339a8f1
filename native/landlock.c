/*
 * Which files the program can read, and which ports it can connect to: landlock(7). Access rights and the network
 * part are newer than some libc headers.
 */
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#define ACCESS_NET_TCP_BIND_AND_CONNECT 3ULL
#define RULE_NET_PORT 2
#define SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS 3ULL

/* struct landlock_ruleset_attr as of ABI 6; older kernels get its beginning. */
struct ruleset {
	uint64_t handled_access_fs, handled_access_net, scoped;
};

/* struct landlock_net_port_attr, ABI 4. */
struct port_rule {
	uint64_t allowed_access, port;
};
#define ACCESS_NET_TCP_CONNECT 2ULL

/* Libraries, including the dynamic loader, which the kernel executes on the program's behalf: ld.so(8). */
static const char *const LIBRARY_PATHS[] = { "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store", NULL };

static const char *const DATA_PATHS[] = {
	"/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo", "/sys/devices/system/cpu", "/sys/devices/system/node",
	/* certificates of authorities, but not the private keys next to them; names are resolved before we start */
	"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs",
	"/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust/extracted", "/etc/gnutls/config",
	"/usr/share/ca-certificates",
	"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", NULL,
};

/* Version of Landlock in this kernel, 0 if there is none. */
int landlock_abi(void)
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

/* `paths` ends with NULL. Paths that do not exist on this system are skipped. */
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
	/* The port is at the same offset in both kinds of address. */
	struct port_rule rule = { .allowed_access = ACCESS_NET_TCP_CONNECT, .port = ntohs(camera->v4.sin_port) };
	if (syscall(SYS_landlock_add_rule, ruleset_fd, RULE_NET_PORT, &rule, 0) != 0)
		fail(EXIT_LANDLOCK, "landlock_add_rule");
}

/*
 * Opens what the rules need while we still can, and returns the ruleset; -1 if the kernel has no Landlock. Without
 * a program, no file can be read at all.
 */
int prepare_landlock(const struct options *options, int program_fd)
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
	if (options->picture_server_fd >= 0)
		allow_read(ruleset_fd, options->picture_server_fd, true);
	allow_read_paths(ruleset_fd, LIBRARY_PATHS, true);
	allow_read_paths(ruleset_fd, DATA_PATHS, false);
	return ruleset_fd;
}

void enter_landlock(int ruleset_fd)
{
	if (ruleset_fd < 0)
		return;
	if (syscall(SYS_landlock_restrict_self, ruleset_fd, 0) != 0)
		fail(EXIT_LANDLOCK, "landlock_restrict_self");
	close(ruleset_fd);
}
