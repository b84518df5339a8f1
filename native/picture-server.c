/*
 * picture-server: keeps ffmpeg loaded, so that a still image costs no start of a program. sluice-jail preloads it into
 * ffmpeg (ld.so(8), LD_PRELOAD) and it takes the place of main():
 *
 *   server                 loads and binds the libraries once, then only copies bytes; it never looks into them
 *     └─ fork() per picture    runs ffmpeg's own main() for one picture, and ends
 *
 * The guarantee: no process that has read a byte of one camera's frame ever reads a byte of another's. So neither the
 * decoder's state (reference frames, parameter sets, recycled buffers) nor a decoder that a frame took over can reach the
 * next camera's picture. The server's memory holds no frame when it forks.
 *
 * Standard input, once per picture; numbers are 32 bits, little-endian:
 *   length of the arguments, length of the frame, arguments (each ends with NUL), frame, mark (16 bytes)
 * Standard output: HELLO once; then for each picture what ffmpeg writes, the same mark, and its status as of wait(2).
 * The mark is random, and the server reads it when the picture's process is gone: no frame can make its process forge it.
 * End of input ends the server.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_function(int, char **, char **);

enum { MAX_ARGUMENT_BYTES = 4096, MAX_ARGUMENTS = 96, MAX_FRAME_BYTES = 32 << 20, MARK_BYTES = 16, CHUNK_BYTES = 65536 };
enum { EXIT_PROTOCOL = 118 };
/* A 4K picture decoded, its reference frames and the scaled picture. Only what is touched takes memory. */
enum { HEAP_BYTES = 64 << 20, HUGE_PAGE_BYTES = 2 << 20, HEADER_ROOM_BYTES = 256, NEVER = 1 << 30 };
static const char HELLO[] = "sluice-picture-server 1\n";

static main_function *program_main;

/* Whether all of it was read; ends the server if the input ended within a picture. */
static bool read_all(void *bytes, size_t length)
{
	size_t done = 0;
	while (done < length) {
		ssize_t count = read(STDIN_FILENO, (char *)bytes + done, length - done);
		if (count > 0)
			done += (size_t)count;
		else if (count == 0 && done == 0)
			return false;
		else if (count == 0 || errno != EINTR)
			_exit(EXIT_PROTOCOL);
	}
	return true;
}

static bool write_all(int fd, const void *bytes, size_t length)
{
	while (length > 0) {
		ssize_t count = write(fd, bytes, length);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		bytes = (const char *)bytes + count;
		length -= (size_t)count;
	}
	return true;
}

/* From here on, this process and its threads can start no process, send no signal, and outlive no server. */
static void forbid_processes(void)
{
#define ARGUMENT_0 offsetof(struct seccomp_data, args)
#define REFUSED BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define REFUSE_CALL(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), REFUSED
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE_CALL(SYS_wait4),
		REFUSE_CALL(SYS_seccomp),
		REFUSE_CALL(SYS_kill),
		REFUSE_CALL(SYS_tgkill),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT_0),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		REFUSED,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT_0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PDEATHSIG, 0, 1),
		REFUSED,
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof code / sizeof *code, .filter = code };
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		_exit(EXIT_PROTOCOL);
}

/* In the process of one picture: ffmpeg, as if it had been started with these arguments. */
static _Noreturn void become_program(pid_t server, int frame_fd, char *arguments, size_t length, char **environment)
{
	char *vector[MAX_ARGUMENTS + 1];
	int count = 0;
	for (size_t at = 0; at < length; at += strlen(arguments + at) + 1) {
		if (count == MAX_ARGUMENTS)
			_exit(EXIT_PROTOCOL);
		vector[count++] = arguments + at;
	}
	vector[count] = NULL;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != server)
		_exit(EXIT_PROTOCOL);
	/* Its input is its own frame; the server's, with the mark and later frames, is out of reach. */
	if (dup2(frame_fd, STDIN_FILENO) < 0)
		_exit(EXIT_PROTOCOL);
	close(frame_fd);
	signal(SIGPIPE, SIG_DFL);
	forbid_processes();
	exit(program_main(count, vector, environment));
}

/*
 * ffmpeg calls this one instead of the C library's. Without it, the end of each picture runs the destructors of more than a
 * hundred libraries, and copies the pages that they write, just before the kernel frees all of them. The server itself
 * returns from its main(), which does not come here.
 */
_Noreturn void exit(int status)
{
	fflush(NULL);
	_exit(status);
}

/* Copies the frame to its process. What a process that ended early did not read is read and forgotten. */
static void pass_frame(int frame_fd, size_t length)
{
	static char chunk[CHUNK_BYTES];
	bool is_read = true;
	while (length > 0) {
		size_t count = length < sizeof chunk ? length : sizeof chunk;
		if (!read_all(chunk, count))
			_exit(EXIT_PROTOCOL);
		is_read = is_read && write_all(frame_fd, chunk, count);
		length -= count;
	}
	/* The next picture's process begins with a copy of this memory. */
	explicit_bzero(chunk, sizeof chunk);
}

/*
 * A picture's process allocates from one range that the kernel may back with huge pages (madvise(2)): a few page faults
 * instead of one for each 4 KiB of each frame, which take a third of the system time of a 1080p picture. The range is empty
 * here, so there is nothing to copy. Without huge pages, or with another C library, it changes nothing.
 */
static void reserve_heap(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, NEVER);
	mallopt(M_TRIM_THRESHOLD, NEVER);
#endif
	char *block = malloc(HEAP_BYTES);
	if (block == NULL)
		return;
	const uintptr_t size = HUGE_PAGE_BYTES;
	const uintptr_t first = ((uintptr_t)block + size - 1) & ~(size - 1);
	const uintptr_t end = ((uintptr_t)block + HEAP_BYTES) & ~(size - 1);
	(void)madvise((void *)first, end - first, MADV_HUGEPAGE);
	free(block);
	/*
	 * Never freed: what lies before the first huge page is not for pictures, which would take it in small ones. The heap's own
	 * next header stays before that page, too. A huge page that the server has touched is copied in small ones.
	 */
	static void *volatile before_huge_pages;
	if (first - (uintptr_t)block > HEADER_ROOM_BYTES)
		before_huge_pages = malloc(first - (uintptr_t)block - HEADER_ROOM_BYTES);
	(void)before_huge_pages;
}

static int serve(int argc, char **argv, char **environment)
{
	static char arguments[MAX_ARGUMENT_BYTES];
	(void)argc;
	(void)argv;
	const pid_t server = getpid();
	signal(SIGPIPE, SIG_IGN);
	reserve_heap();
	if (!write_all(STDOUT_FILENO, HELLO, sizeof HELLO - 1))
		return EXIT_PROTOCOL;
	for (;;) {
		uint32_t lengths[2];
		char mark[MARK_BYTES];
		int32_t status = -1;
		int frame_pipe[2];
		if (!read_all(lengths, sizeof lengths))
			return 0;
		if (lengths[0] == 0 || lengths[0] > MAX_ARGUMENT_BYTES || lengths[1] > MAX_FRAME_BYTES)
			return EXIT_PROTOCOL;
		if (!read_all(arguments, lengths[0]) || arguments[lengths[0] - 1] != 0 || pipe(frame_pipe) != 0)
			return EXIT_PROTOCOL;
		const pid_t child = fork();
		if (child == 0) {
			close(frame_pipe[1]);
			become_program(server, frame_pipe[0], arguments, lengths[0], environment);
		}
		close(frame_pipe[0]);
		pass_frame(frame_pipe[1], lengths[1]);
		close(frame_pipe[1]);
		if (child > 0)
			while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
			}
		if (!read_all(mark, sizeof mark) || !write_all(STDOUT_FILENO, mark, sizeof mark) ||
		    !write_all(STDOUT_FILENO, &status, sizeof status))
			return EXIT_PROTOCOL;
	}
}

/* glibc and musl start every program here. The libraries are loaded, bound and initialized. */
int __libc_start_main(main_function *main_of_program, int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end)
{
	typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
	start_function *start;
	*(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
	if (start == NULL)
		_exit(EXIT_PROTOCOL);
	program_main = main_of_program;
	return start(serve, argc, argv, init, fini, rtld_fini, stack_end);
}
