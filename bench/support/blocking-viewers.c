/*
 * Blocking viewers of one low-latency stream, at as little cost as a program in user space can have. Each viewer has two
 * connections. One waits with a blocking playlist request (RFC 8216bis, 6.2.5.2), the other with a request for the part that
 * the preload hint names. When it has both responses, the viewer thinks for a while. Then it requests the part that follows
 * its own, even if that was published long ago: a late viewer skips nothing. Only one whose part is not listed anymore begins
 * again with the newest part, and counts as an error.
 *
 * Arguments: port, shortest and longest thinking in milliseconds. Standard input: one line per viewer with the folder of its
 * media playlist, then an empty line. Prints "ready" when all viewers have requested a part, and for each further line,
 * "responses COUNT" with those that came so far. At the end of its input, the viewers continue until all of them have the
 * newest part that one of them requested, for at most DRAIN_MS. Then it prints one line per part
 *
 *   part MSN PART   COUNT FIRST MEDIAN LAST   COUNT FIRST MEDIAN LAST
 *
 * with the number of viewers that got the playlist that lists it, and the part, and when, in milliseconds of CLOCK_MONOTONIC.
 * Lines "error COUNT REASON" and "end MS" follow.
 *
 * The program sleeps between ticks and reads what came in between. The kernel notes when the last byte of a response
 * arrived (SO_TIMESTAMPNS), so it does not matter when the program reads it. Bodies of parts are dropped in the kernel.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 4
/* The gateway goes first, but other programs cannot keep the viewers from a core: they get a quarter of it. */
#define NICE 5
/* More than the longest thinking takes. */
#define WHEEL_TICKS 256
#define DRAIN_MS 30000
/* A part with a key frame fits, so that sending it does not depend on when it is read. */
#define RECEIVE_BYTES (1 << 20)
#define HEAD_BYTES 2048
#define BUFFER_BYTES (256 << 10)
#define MAX_PARTS 4096
#define MAX_REASONS 16
/* Viewers that begin in each millisecond: the listener's backlog has room for them. */
#define STARTS_PER_MS 4

enum kind { PLAYLIST, PART };

struct viewer;

struct connection {
  struct viewer *viewer;
  enum kind kind;
  int fd;
  bool is_waiting;
  /* The beginning of a playlist that comes in pieces. */
  char *held;
  size_t held_bytes;
  /* Bytes that a part's body still lacks. */
  size_t left;
};

struct number {
  long msn, part;
};

struct viewer {
  struct connection connections[2];
  char *folder;
  struct number asked, next;
  int open;
  bool is_started, is_out;
  struct viewer *next_due;
};

/* When the viewers got it. */
struct part {
  struct number number;
  int count[2];
  double *at_ms[2];
};

static char buffer[BUFFER_BYTES + 1];
static char host_line[64];
static long response_count;
static int viewer_count, started_count, out_count, done_count;
static struct viewer *viewers, *wheel[WHEEL_TICKS];
static struct part parts[MAX_PARTS];
static int part_count;
static struct number newest = {-1, -1}, last = {-1, -1};
static struct { char text[80]; int count; } reasons[MAX_REASONS];
static int think_min_ms, think_max_ms, poll_fd;
static int64_t tick, realtime_minus_monotonic_ns;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static bool is_before(struct number a, struct number b) {
  return a.msn != b.msn ? a.msn < b.msn : a.part < b.part;
}

static void count_error(const char *reason) {
  int i = 0;
  while (i < MAX_REASONS - 1 && reasons[i].count > 0 && strcmp(reasons[i].text, reason) != 0) i++;
  snprintf(reasons[i].text, sizeof reasons[i].text, "%s", reason);
  reasons[i].count++;
}

/* The viewer is out: what follows would measure its retries. */
static void give_up(struct viewer *viewer, const char *reason) {
  if (viewer->is_out) return;
  viewer->is_out = true;
  out_count++;
  for (int kind = 0; kind < 2; kind++) close(viewer->connections[kind].fd);
  count_error(reason);
}

static struct part *part_of(struct number number) {
  for (int i = part_count - 1; i >= 0; i--) {
    if (parts[i].number.msn == number.msn && parts[i].number.part == number.part) return &parts[i];
  }
  if (part_count == MAX_PARTS) {
    fprintf(stderr, "more than %d parts\n", MAX_PARTS);
    exit(1);
  }
  struct part *part = &parts[part_count++];
  part->number = number;
  for (int kind = 0; kind < 2; kind++) part->at_ms[kind] = malloc(viewer_count * sizeof(double));
  return part;
}

static void request(struct connection *connection, const char *name) {
  struct viewer *viewer = connection->viewer;
  char text[1024];
  int length = snprintf(text, sizeof text, "GET %s%s HTTP/1.1\r\n%s\r\n\r\n", viewer->folder, name, host_line);
  connection->is_waiting = true;
  if (send(connection->fd, text, length, MSG_NOSIGNAL) != length) give_up(viewer, "request not sent");
}

static void ask(struct viewer *viewer) {
  struct number number = viewer->next;
  if (last.msn >= 0 && is_before(last, number)) {
    done_count++;
    return;
  }
  if (!viewer->is_started) started_count++;
  viewer->is_started = true;
  viewer->asked = number;
  viewer->open = 2;
  if (is_before(newest, number)) newest = number;
  char name[96];
  snprintf(name, sizeof name, "file.m3u8?_HLS_msn=%ld&_HLS_part=%ld", number.msn, number.part);
  request(&viewer->connections[PLAYLIST], name);
  snprintf(name, sizeof name, "seg_%ld.%ld.m4v", number.msn, number.part);
  if (!viewer->is_out) request(&viewer->connections[PART], name);
}

/* The next request follows after the thinking: a round trip of the network, and the player's own work. */
static void ask_later(struct viewer *viewer, double served_ms) {
  double think_ms = think_min_ms + drand48() * (think_max_ms - think_min_ms);
  int64_t due = (int64_t)((served_ms + think_ms) / TICK_MS) + 1;
  if (due <= tick) due = tick + 1;
  if (due >= tick + WHEEL_TICKS) due = tick + WHEEL_TICKS - 1;
  struct viewer **slot = &wheel[due % WHEEL_TICKS];
  viewer->next_due = *slot;
  *slot = viewer;
}

static void served(struct connection *connection, double at_ms) {
  struct viewer *viewer = connection->viewer;
  connection->is_waiting = false;
  response_count++;
  if (viewer->is_started) {
    struct part *part = part_of(viewer->asked);
    part->at_ms[connection->kind][part->count[connection->kind]++] = at_ms;
  }
  if (--viewer->open <= 0) ask_later(viewer, at_ms);
}

/* The length of a response's head; 0 if it is incomplete or the viewer gave up. `text` ends with a 0. */
static size_t read_head(struct viewer *viewer, const char *text, size_t *body_bytes) {
  const char *end = strstr(text, "\r\n\r\n");
  if (end == NULL) return 0;
  const char *length = strcasestr(text, "\r\ncontent-length:");
  if (strncmp(text, "HTTP/1.1 200 ", 13) != 0) {
    char reason[64];
    snprintf(reason, sizeof reason, "status %.3s", text + 9);
    give_up(viewer, reason);
  } else if (length == NULL || length > end) give_up(viewer, "no Content-Length");
  if (viewer->is_out) return 0;
  *body_bytes = strtoul(length + 17, NULL, 10);
  return end + 4 - text;
}

/* The part behind `text`: the next one listed, or the one that the preload hint names. */
static bool find_part(const char *text, struct number *number) {
  while ((text = strstr(text, "URI=\"seg_")) != NULL) {
    text += 9;
    if (sscanf(text, "%ld.%ld.m4v\"", &number->msn, &number->part) == 2) return true;
  }
  return false;
}

static void read_list(struct connection *connection, const char *text, double at_ms) {
  struct viewer *viewer = connection->viewer;
  const char *from = NULL;
  if (viewer->is_started) {
    char own[64];
    snprintf(own, sizeof own, "URI=\"seg_%ld.%ld.m4v\"", viewer->asked.msn, viewer->asked.part);
    from = strstr(text, own);
    if (from == NULL) count_error("part not listed anymore");
    else from += strlen(own);
  }
  /* A viewer that begins, or is so far behind that it has to begin again. */
  if (from == NULL) from = strstr(text, "#EXT-X-PRELOAD-HINT");
  if (from == NULL || !find_part(from, &viewer->next)) give_up(viewer, "playlist without a next part");
  else served(connection, at_ms);
}

/*
 * Reads up to `size` bytes that have arrived, or drops them if `into` is NULL; 0 if there are none. `at_ms` is when the last of
 * them arrived.
 */
static size_t receive(struct connection *connection, char *into, size_t size, double *at_ms) {
  char control[64];
  struct iovec bytes = {.iov_base = into, .iov_len = size};
  struct msghdr message = {
    .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t got = recvmsg(connection->fd, &message, MSG_DONTWAIT | (into == NULL ? MSG_TRUNC : 0));
  if (got < 0 && errno == EAGAIN) return 0;
  if (got <= 0) {
    give_up(connection->viewer, got == 0 ? "closed" : strerror(errno));
    return 0;
  }
  struct cmsghdr *noted = CMSG_FIRSTHDR(&message);
  if (noted == NULL || noted->cmsg_type != SO_TIMESTAMPNS) {
    /* It begins a moment after the first socket asks for it. */
    if (connection->viewer->is_started) {
      fprintf(stderr, "the kernel notes no times of arrival\n");
      exit(1);
    }
    *at_ms = now_ns(CLOCK_MONOTONIC) / 1e6;
    return got;
  }
  struct timespec at;
  memcpy(&at, CMSG_DATA(noted), sizeof at);
  *at_ms = (at.tv_sec * 1000000000LL + at.tv_nsec - realtime_minus_monotonic_ns) / 1e6;
  return got;
}

/* Returns false if there is nothing more to read now. */
static bool read_playlist(struct connection *connection) {
  double at_ms;
  memcpy(buffer, connection->held, connection->held_bytes);
  size_t before = connection->held_bytes;
  size_t got = receive(connection, buffer + before, BUFFER_BYTES - before, &at_ms);
  if (got == 0) return false;
  size_t bytes = before + got, body_bytes = 0;
  buffer[bytes] = 0;
  size_t head_bytes = read_head(connection->viewer, buffer, &body_bytes);
  if (connection->viewer->is_out) return false;
  if (head_bytes > 0 && bytes >= head_bytes + body_bytes) {
    connection->held_bytes = 0;
    if (bytes > head_bytes + body_bytes) give_up(connection->viewer, "more than one response");
    else read_list(connection, buffer + head_bytes, at_ms);
    return false;
  }
  connection->held = realloc(connection->held, bytes);
  memcpy(connection->held, buffer, bytes);
  connection->held_bytes = bytes;
  if (bytes == BUFFER_BYTES) give_up(connection->viewer, "an endless playlist");
  return bytes < BUFFER_BYTES;
}

/* As read_playlist. The head comes in one piece, with the beginning of the body; the rest of the body is dropped. */
static bool read_part(struct connection *connection) {
  double at_ms;
  if (connection->left == 0) {
    size_t got = receive(connection, buffer, HEAD_BYTES, &at_ms), body_bytes = 0;
    if (got == 0) return false;
    buffer[got] = 0;
    size_t head_bytes = read_head(connection->viewer, buffer, &body_bytes);
    if (connection->viewer->is_out) return false;
    if (head_bytes == 0 || head_bytes + body_bytes <= got) {
      give_up(connection->viewer, "a part that is not media");
      return false;
    }
    connection->left = head_bytes + body_bytes - got;
  } else {
    size_t got = receive(connection, NULL, connection->left, &at_ms);
    if (got == 0) return false;
    connection->left -= got;
    if (connection->left == 0) {
      served(connection, at_ms);
      return false;
    }
  }
  return true;
}

static void read_responses(void) {
  struct epoll_event events[512];
  int ready;
  do {
    ready = epoll_wait(poll_fd, events, 512, 0);
    for (int i = 0; i < ready; i++) {
      struct connection *connection = events[i].data.ptr;
      if (connection->viewer->is_out) continue;
      if (!connection->is_waiting) give_up(connection->viewer, "closed");
      else if (connection->kind == PLAYLIST) while (read_playlist(connection));
      else while (read_part(connection));
    }
  } while (ready == 512);
}

/* Sleeps until the next tick, then handles what came and what is due. */
static void turn(void) {
  struct timespec due = {.tv_sec = (tick + 1) * TICK_MS / 1000, .tv_nsec = (tick + 1) * TICK_MS % 1000 * 1000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR);
  int64_t monotonic_ns = now_ns(CLOCK_MONOTONIC);
  realtime_minus_monotonic_ns = now_ns(CLOCK_REALTIME) - monotonic_ns;
  int64_t now = monotonic_ns / (TICK_MS * 1000000LL);
  read_responses();
  while (tick < now) {
    struct viewer **slot = &wheel[++tick % WHEEL_TICKS], *viewer = *slot;
    *slot = NULL;
    while (viewer != NULL) {
      struct viewer *following = viewer->next_due;
      if (!viewer->is_out) ask(viewer);
      viewer = following;
    }
  }
}

static void open_connection(struct connection *connection, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int on = 1, bytes = RECEIVE_BYTES, fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) fail("socket");
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) < 0) fail("SO_RCVBUF");
  if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0) fail("SO_TIMESTAMPNS");
  if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0) fail("TCP_NODELAY");
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0) fail("O_NONBLOCK");
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = connection};
  if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl");
  connection->fd = fd;
}

static void read_folders(void) {
  char line[1024];
  int capacity = 0;
  while (fgets(line, sizeof line, stdin) != NULL && line[0] != '\n') {
    if (viewer_count == capacity) viewers = realloc(viewers, (capacity = 2 * capacity + 64) * sizeof *viewers);
    viewers[viewer_count++] = (struct viewer){.folder = strndup(line, strcspn(line, "\n"))};
  }
}

static void start(int port) {
  for (int i = 0; i < viewer_count; i++) {
    struct viewer *viewer = &viewers[i];
    for (int kind = 0; kind < 2; kind++) {
      viewer->connections[kind] = (struct connection){.viewer = viewer, .kind = kind};
      open_connection(&viewer->connections[kind], port);
    }
    viewer->open = 1;
    request(&viewer->connections[PLAYLIST], "file.m3u8");
    if (i % STARTS_PER_MS == 0) usleep(1000);
    if (i % (STARTS_PER_MS * TICK_MS) == 0) turn();
  }
  while (started_count + out_count < viewer_count) turn();
}

static int ascending(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void report(void) {
  for (int i = 0; i < part_count; i++) {
    struct part *part = &parts[i];
    printf("part %ld %ld", part->number.msn, part->number.part);
    for (int kind = 0; kind < 2; kind++) {
      int count = part->count[kind];
      double *at_ms = part->at_ms[kind];
      qsort(at_ms, count, sizeof *at_ms, ascending);
      if (count == 0) printf(" 0 0 0 0");
      else printf(" %d %.3f %.3f %.3f", count, at_ms[0], at_ms[count / 2], at_ms[count - 1]);
    }
    puts("");
  }
  for (int i = 0; i < MAX_REASONS && reasons[i].count > 0; i++) printf("error %d %s\n", reasons[i].count, reasons[i].text);
  printf("end %.3f\n", now_ns(CLOCK_MONOTONIC) / 1e6);
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  think_min_ms = atoi(arguments[2]);
  think_max_ms = atoi(arguments[3]);
  snprintf(host_line, sizeof host_line, "Host: 127.0.0.1:%s", arguments[1]);
  if (setpriority(PRIO_PROCESS, 0, NICE) < 0) fail("setpriority");
  if ((poll_fd = epoll_create1(0)) < 0) fail("epoll_create1");
  read_folders();
  tick = now_ns(CLOCK_MONOTONIC) / (TICK_MS * 1000000LL);
  start(atoi(arguments[1]));
  puts("ready");
  fflush(stdout);
  if (fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) < 0) fail("O_NONBLOCK");
  char byte;
  ssize_t got;
  while ((got = read(STDIN_FILENO, &byte, 1)) != 0) {
    if (got > 0) {
      printf("responses %ld\n", response_count);
      fflush(stdout);
    }
    turn();
  }
  last = newest;
  int64_t end_ns = now_ns(CLOCK_MONOTONIC) + DRAIN_MS * 1000000LL;
  while (done_count + out_count < viewer_count && now_ns(CLOCK_MONOTONIC) < end_ns) turn();
  report();
  return 0;
}
