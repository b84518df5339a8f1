/*
 * sluice-jail: runs one program, ffmpeg, so that a bug in a decoder stays inside it.
 *
 *   sluice-jail [options] -- /absolute/path/of/program [arguments]
 *   sluice-jail --report
 *   sluice-jail --spawner --parent PID     starts others, spawner.c
 *
 * Options
 *   --parent PID       fail if our parent has another PID (the gateway died while we started)
 *   --no-network       no sockets at all
 *   --camera A P       TCP connections to port P, limited to the address A by --network-namespace; no listening
 *   --udp              UDP as well, which has no port restriction; excludes --network-namespace
 *   --network-namespace   no network except a relay to the camera, camera-relay.h
 *   --uid N            become this user and group; only when started as root
 *   --memory-mib N     address space (RLIMIT_AS)
 *   --cpu-sec N        processor time (RLIMIT_CPU): SIGXCPU, and SIGKILL soon after
 *   --keep-fd N        keep descriptor N open in addition to 0, 1 and 2; can be repeated
 *   --picture-server P preload the library P, picture-server.c, which may fork; excludes --camera
 *
 * These hold for the program, and for anything it could start:
 *   - it is killed when the gateway's thread that started it ends, however it ends     prctl(2) PR_SET_PDEATHSIG
 *   - it gains no privileges                                                           prctl(2) PR_SET_NO_NEW_PRIVS
 *   - it writes no file and dumps no core; memory, descriptors and tasks are limited   setrlimit(2)
 *   - it reads the system's libraries and certificates and nothing else                landlock(7)
 *   - it connects to the camera's port and, where possible, to no other address        landlock(7), network_namespaces(7)
 *   - it has no capabilities, no matter who started it                                 capabilities(7)
 *   - it makes only the system calls a media worker needs; no exec, no fork            seccomp(2), seccomp-syscalls.h
 *   - it sees no environment and no descriptor of the gateway                          environ(7), close_range(2)
 * If the kernel has no Landlock, the program can read what its user can read; --report says so. Every other
 * protection is mandatory: if it is not available, the program does not run.
 *
 * Exit codes of its own (everything else is the program's):
 *   120 wrong usage     121 parent gone     122 limits     123 user or group
 *   124 Landlock        125 seccomp         126 cannot run the program      127 no such program
 *   119 network
 */
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const rlim_t DEFAULT_MEMORY_MIB = 3072;

_Noreturn void fail(int code, const char *what)
{
	dprintf(STDERR_FILENO, "sluice-jail: %s: %s\n", what, errno ? strerror(errno) : "refused");
	_exit(code);
}

static bool is_complete(const struct options *options);

_Noreturn void run_jailed(const struct options *options)
{
	if (!is_complete(options))
		fail(EXIT_USAGE, "usage: sluice-jail {--no-network | --camera ADDRESS PORT} [options] -- /path/of/program [arguments]");
	/* By descriptor: the path may be in a folder that the new user cannot enter. */
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
	char *environment[] = { "LANG=C", "MALLOC_ARENA_MAX=2", NULL, NULL, NULL };
	static char preload[64];
	if (options->picture_server_fd >= 0) {
		/* By descriptor, like the program. Bound now, once, instead of in each process that it forks. */
		snprintf(preload, sizeof preload, "LD_PRELOAD=/proc/self/fd/%d", options->picture_server_fd);
		environment[2] = preload;
		environment[3] = "LD_BIND_NOW=1";
	}
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
	/* An address without an owner: 192.0.2.0/24 is for documentation, RFC 5737. */
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
		/* The result says what does not hold; its message would repeat it. */
		close(STDERR_FILENO);
		protection(options);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? "true" : "false";
}

static void report(const struct options *options)
{
	/* Where root cannot become another user, in a container that maps one user only or without capabilities, the worker
	 * stays what it is: the capabilities go all the same. */
	const char *unprivileged_user = holds(try_user, options);
	struct options stayed = *options;
	if (strcmp(unprivileged_user, "true") != 0)
		stayed.uid = -1;
	printf("{\"spawner\":true,\"cpuLimit\":true,\"landlockAbi\":%d,\"landlock\":%s,", landlock_abi(), holds(try_landlock, options));
	printf("\"seccomp\":%s,", holds(try_seccomp, options));
	printf("\"limits\":%s,", holds(set_limits, options));
	printf("\"parentDeath\":%s,", holds(tie_to_parent, options));
	printf("\"capabilities\":%s,", holds(try_capabilities, &stayed));
	printf("\"networkNamespace\":%s,", holds(try_network_namespace, options));
	printf("\"unprivilegedUser\":%s}\n", unprivileged_user);
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

static void keep_fd(struct options *options, int fd)
{
	if (options->kept_fd_count == MAX_KEPT_FDS)
		fail(EXIT_USAGE, "too many descriptors");
	options->kept_fds[options->kept_fd_count++] = fd;
}

static int open_picture_server(const char *path)
{
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		fail(EXIT_NO_PROGRAM, path);
	return fd;
}

void read_options(struct options *options, char **argument)
{
	options->uid = -1;
	options->picture_server_fd = -1;
	options->memory_mib = DEFAULT_MEMORY_MIB;
	for (; *argument != NULL; argument++) {
		const char *name = *argument;
		if (strcmp(name, "--") == 0) {
			options->program = argument + 1;
			return;
		}
		if (strcmp(name, "--report") == 0)
			options->report = true;
		else if (strcmp(name, "--spawner") == 0)
			options->spawner = true;
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
		else if (strcmp(name, "--cpu-sec") == 0)
			options->cpu_sec = (rlim_t)number(*++argument);
		else if (strcmp(name, "--keep-fd") == 0)
			keep_fd(options, (int)number(*++argument));
		else if (strcmp(name, "--picture-server") == 0 && options->picture_server_fd < 0)
			keep_fd(options, options->picture_server_fd = open_picture_server(*++argument));
		else
			fail(EXIT_USAGE, name);
	}
}

/* Whether they name a program, and what it can reach. */
static bool is_complete(const struct options *options)
{
	const bool has_camera = options->camera.length != 0;
	return options->program != NULL && options->program[0] != NULL && options->program[0][0] == '/' &&
	       options->no_network != has_camera && !(has_camera && options->picture_server_fd >= 0) &&
	       !(options->network_namespace && (options->udp || !has_camera));
}

int main(int argc, char **argv)
{
	static struct options options;
	errno = 0;
	read_options(&options, argv + (argc > 0));
	if (options.report)
		report(&options);
	else if (options.spawner)
		run_spawner(&options);
	else
		run_jailed(&options);
	return 0;
}
