/*
 * Shared declarations of sluice-jail. Each protection is in its own file; sluice-jail.c puts them into effect, in order.
 */
#ifndef SLUICE_JAIL_H
#define SLUICE_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "camera-relay.h"

enum { EXIT_NETWORK = 119, EXIT_USAGE, EXIT_PARENT, EXIT_LIMITS, EXIT_USER, EXIT_LANDLOCK, EXIT_SECCOMP, EXIT_RUN, EXIT_NO_PROGRAM };
enum { MAX_KEPT_FDS = 8 };

struct options {
	pid_t parent;
	bool no_network;
	struct camera camera; /* length 0: none */
	bool udp;
	bool network_namespace;
	bool report;
	bool spawner;
	long uid; /* also of the group; -1: keep */
	rlim_t memory_mib;
	rlim_t cpu_sec; /* 0: as much as it takes */
	int kept_fds[MAX_KEPT_FDS];
	size_t kept_fd_count;
	int picture_server_fd; /* one of the kept ones: preloaded into the program, which may fork; -1: none */
	char **program; /* path and arguments */
};

/* Says on standard error what could not be done, and ends the process. */
_Noreturn void fail(int code, const char *what);

/* sluice-jail.c */
void read_options(struct options *options, char **argument);
_Noreturn void run_jailed(const struct options *options);

/* spawner.c. Returns when its input ends. */
void run_spawner(const struct options *options);

/* landlock.c. NO_PROGRAM: without a program, no file can be read at all. */
enum { NO_PROGRAM = -1 };
int landlock_abi(void);
int prepare_landlock(const struct options *options, int program_fd);
void enter_landlock(int ruleset_fd);

/* seccomp.c */
const char *random_empty_string(void);
void enter_seccomp(const struct options *options, const char *exec_key);
void enter_relay_seccomp(const struct options *options);

/* privileges.c */
void set_limits(const struct options *options);
void close_from_to(unsigned int first, unsigned int last);
void close_other_fds(const struct options *options, int program_fd);
void tie_to_parent(const struct options *options);
void drop_user(const struct options *options);
void drop_capabilities(void);
void forbid_new_privileges(void);

/* worker-network.c */
void enter_network_namespace(void);
void leave_network(const struct options *options);

#endif
