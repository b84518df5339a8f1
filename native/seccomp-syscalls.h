/*
 * The system calls that a media worker makes: seccomp(2). Calls that exist on only one architecture are guarded. The list
 * covers ffmpeg 4 to 7 with glibc 2.24 (static build) to 2.41; a call that is missing here fails with ENOSYS.
 */
#ifndef SLUICE_SECCOMP_SYSCALLS_H
#define SLUICE_SECCOMP_SYSCALLS_H

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define SECCOMP_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SECCOMP_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "sluice-jail knows the system calls of x86-64 and aarch64 only"
#endif

/* Newer than some libc headers: names threads' memory, used by glibc >= 2.37. */
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

/* Allowed regardless of their arguments. */
static const uint32_t PLAIN_CALLS[] = {
	/* the most frequent first */
	SYS_read, SYS_write, SYS_futex, SYS_readv, SYS_writev, SYS_ppoll, SYS_pselect6, SYS_clock_gettime, SYS_gettimeofday,
	SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk,
#ifdef SYS_poll
	SYS_poll, SYS_select, SYS_epoll_wait, SYS_epoll_create, SYS_pipe, SYS_dup2, SYS_time,
#endif
	SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_pipe2, SYS_dup, SYS_dup3, SYS_close,
	/* reading files; Landlock decides which */
	SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_lseek, SYS_pread64, SYS_preadv, SYS_faccessat,
	SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_fadvise64,
#ifdef SYS_stat
	SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents,
#endif
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
	/* threads, signals to itself, time */
	SYS_set_tid_address, SYS_set_robust_list, SYS_gettid, SYS_getpid, SYS_getppid, SYS_exit, SYS_exit_group,
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigtimedwait, SYS_sigaltstack, SYS_restart_syscall,
	SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getparam, SYS_sched_getscheduler,
	SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getpriority, SYS_membarrier, SYS_nanosleep,
	SYS_clock_nanosleep, SYS_clock_getres, SYS_getrusage, SYS_times, SYS_getrandom, SYS_get_mempolicy,
	SYS_mlock, SYS_munlock, /* libgcrypt complains without; bounded by RLIMIT_MEMLOCK */
#ifdef SYS_rseq
	SYS_rseq,
#endif
#ifdef SYS_arch_prctl
	SYS_arch_prctl,
#endif
#ifdef SYS_getrlimit
	SYS_getrlimit,
#endif
	/* identity and environment */
	SYS_uname, SYS_sysinfo, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_umask,
};

/* For workers that pull; socket(2) itself is allowed by family. No listen(2), no accept(2), no socketpair(2). */
static const uint32_t SOCKET_CALLS[] = {
	SYS_connect, SYS_bind, SYS_getsockname, SYS_getpeername, SYS_getsockopt, SYS_setsockopt, SYS_shutdown,
	SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg,
};

/* For the relay to the camera, camera-relay.c. */
static const uint32_t RELAY_CALLS[] = {
	SYS_read, SYS_write, SYS_ppoll, SYS_accept4, SYS_connect, SYS_getsockopt, SYS_shutdown, SYS_close, SYS_rt_sigaction,
	SYS_exit_group, SYS_restart_syscall,
#ifdef SYS_poll
	SYS_poll,
#endif
};

/* Not PR_SET_PDEATHSIG: the worker must not outlive the gateway. */
static const uint32_t ALLOWED_PRCTLS[] = { PR_SET_NAME, PR_GET_NAME, PR_SET_VMA, PR_GET_DUMPABLE, PR_CAPBSET_READ };

/* For the picture server, which ties the processes that it forks to itself and takes these calls from them. */
static const uint32_t PICTURE_SERVER_PRCTLS[] = { PR_SET_PDEATHSIG, PR_SET_NAME, PR_GET_NAME, PR_SET_VMA, PR_GET_DUMPABLE, PR_CAPBSET_READ };

static const uint32_t ALLOWED_IOCTLS[] = { FIONBIO, FIONREAD, TCGETS, TIOCGWINSZ };

/* Not F_SETOWN, which sends signals to others. */
static const uint32_t ALLOWED_FCNTLS[] = { F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL };

#endif
