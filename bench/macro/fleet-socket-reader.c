/*
 * The least that a program in user space can do with cameras: plays synthetic cameras on the ports of 127.0.0.1 that are
 * its arguments (RTSP over TCP, video and audio) and reads their data. The first argument decides what happens with the
 * data: "discard", or "keep" in memory that was never used before, as a live window that fills. Prints "ready" when all of
 * them play. Runs until it is killed.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES 65536
/* A minute of 100 cameras at 4 Mbit/s fits: 3 GB. */
#define KEPT_BYTES (4ull << 30)

static char buffer[READ_BYTES];

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/* Sends a request and reads the head of its response into the buffer. */
static void ask(int fd, const char *request, int length) {
  if (write(fd, request, length) != length) fail("write");
  size_t size = 0;
  do {
    ssize_t got = read(fd, buffer + size, sizeof buffer - 1 - size);
    if (got <= 0) fail("read");
    size += got;
    buffer[size] = 0;
  } while (strstr(buffer, "\r\n\r\n") == NULL);
  if (strncmp(buffer, "RTSP/1.0 200", 12) != 0) {
    fprintf(stderr, "%.80s\n", buffer);
    exit(1);
  }
}

static int play(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  char request[512], session[64] = "";
  for (int track = 0; track < 2; track++) {
    int length = snprintf(request, sizeof request,
      "SETUP rtsp://127.0.0.1:%d/stream/trackID=%d RTSP/1.0\r\nCSeq: %d\r\n%s%s%s"
      "Transport: RTP/AVP/TCP;unicast;interleaved=%d-%d\r\n\r\n",
      port, track, track + 1, track > 0 ? "Session: " : "", session, track > 0 ? "\r\n" : "",
      2 * track, 2 * track + 1);
    ask(fd, request, length);
    const char *header = strstr(buffer, "Session: ");
    if (header == NULL || sscanf(header, "Session: %63[^;\r]", session) != 1) exit(1);
  }
  int length = snprintf(request, sizeof request,
    "PLAY rtsp://127.0.0.1:%d/stream RTSP/1.0\r\nCSeq: 3\r\nSession: %s\r\n\r\n", port, session);
  ask(fd, request, length);
  return fd;
}

int main(int count, char **arguments) {
  int keeps = count > 1 && strcmp(arguments[1], "keep") == 0;
  char *kept = buffer;
  if (keeps) {
    kept = mmap(NULL, KEPT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept == MAP_FAILED) fail("mmap");
  }
  size_t used = 0;
  int poll = epoll_create1(0);
  if (poll < 0) fail("epoll_create1");
  for (int i = 2; i < count; i++) {
    struct epoll_event event = {.events = EPOLLIN};
    event.data.fd = play(atoi(arguments[i]));
    if (epoll_ctl(poll, EPOLL_CTL_ADD, event.data.fd, &event) < 0) fail("epoll_ctl");
  }
  puts("ready");
  fflush(stdout);
  for (;;) {
    struct epoll_event events[64];
    int ready = epoll_wait(poll, events, 64, -1);
    for (int i = 0; i < ready; i++) {
      ssize_t got = read(events[i].data.fd, kept + used, READ_BYTES);
      if (got <= 0) fail("a camera ended");
      if (keeps) used = used + got + READ_BYTES <= KEPT_BYTES ? used + got : 0;
    }
  }
}
