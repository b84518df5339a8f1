/*
 * Tries one forbidden thing and reports the result: the tests of sluice-jail run it inside and outside the jail.
 * Prints "ok", or the name of the error; with "wait" it prints its process ID and stays.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

static long count_environment(void)
{
	long count = 0;
	while (environ[count] != NULL)
		count++;
	return count;
}

static long listen_on_tcp(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof any) != 0)
		return -1;
	return listen(fd, 1);
}

/* Connects to `port` of `address`, sends a byte and waits for one. */
static long talk_to(const char *address, int port)
{
	char byte = 'x';
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
	int is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
	if (!is_v4 && inet_pton(AF_INET6, address, &v6.sin6_addr) != 1)
		return -1;
	int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, is_v4 ? (void *)&v4 : (void *)&v6, is_v4 ? sizeof v4 : sizeof v6) != 0)
		return -1;
	errno = ENODATA;
	return write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1 ? 0 : -1;
}

static long attempt(const char *what, const char *argument, const char *second)
{
	if (strcmp(what, "write") == 0)
		return open(argument, O_WRONLY | O_CREAT, 0600);
	if (strcmp(what, "read") == 0)
		return open(argument, O_RDONLY);
	if (strcmp(what, "mkdir") == 0)
		return mkdir(argument, 0700);
	if (strcmp(what, "unlink") == 0)
		return unlink(argument);
	if (strcmp(what, "inet") == 0)
		return socket(AF_INET, SOCK_STREAM, 0);
	if (strcmp(what, "datagram") == 0)
		return socket(AF_INET, SOCK_DGRAM, 0);
	if (strcmp(what, "unix") == 0)
		return socket(AF_UNIX, SOCK_STREAM, 0);
	if (strcmp(what, "packet") == 0)
		return socket(AF_PACKET, SOCK_RAW, 0);
	if (strcmp(what, "listen") == 0)
		return listen_on_tcp();
	if (strcmp(what, "talk") == 0)
		return talk_to(argument, atoi(second));
	if (strcmp(what, "ptrace") == 0)
		return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	if (strcmp(what, "unshare") == 0)
		return unshare(CLONE_NEWUSER);
	if (strcmp(what, "fork") == 0)
		return fork();
	if (strcmp(what, "exec") == 0)
		return execl("/bin/true", "true", NULL);
	if (strcmp(what, "execveat") == 0)
		return syscall(SYS_execveat, AT_FDCWD, "/bin/true", NULL, NULL, 0);
	if (strcmp(what, "signal") == 0)
		return kill(atoi(argument), 0);
	if (strcmp(what, "outlive") == 0)
		return prctl(PR_SET_PDEATHSIG, 0);
	if (strcmp(what, "memfd") == 0)
		return memfd_create("x", 0);
	if (strcmp(what, "fd") == 0)
		return fcntl(atoi(argument), F_GETFD);
	if (strcmp(what, "memory") == 0)
		return mmap(NULL, (size_t)atol(argument) << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
	if (strcmp(what, "uid") == 0)
		return printf("%d ", (int)getuid()), 0;
	if (strcmp(what, "niceness") == 0)
		return printf("%d ", getpriority(PRIO_PROCESS, 0)), 0;
	if (strcmp(what, "environment") == 0)
		return printf("%ld ", count_environment()), 0;
	errno = EINVAL;
	return -1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (strcmp(what, "wait") == 0) {
		printf("%d\n", (int)getpid());
		fflush(stdout);
		for (;;)
			pause();
	}
	errno = 0;
	if (attempt(what, argc > 2 ? argv[2] : "0", argc > 3 ? argv[3] : "0") < 0)
		puts(strerrorname_np(errno));
	else
		puts("ok");
	return 0;
}
