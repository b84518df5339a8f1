/** The reason for an ffmpeg worker's end, from its exit and its output: one code for each thing someone can act on. */

import { type ErrorDefinition, GatewayError } from '../core/errors.ts';
import { FFMPEG_ERRORS } from './errors.ts';

/** How a worker ended. `code` is null if a signal ended it. */
export interface WorkerExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Last lines of standard error, oldest first, without credentials. */
  readonly stderr: readonly string[];
  /** Why the pool ended it; absent: it did not. */
  readonly gaveWay?: GatewayError;
}

/** Exit codes of the launcher itself: native/sluice-jail.c. */
const JAIL_EXIT_FIRST = 119;
const JAIL_EXIT_LAST = 127;
const JAIL_LINE = /^sluice-jail: /;

/** Reasons by the signal that ended it, if its output does not give one. */
const REASON_BY_SIGNAL: Readonly<Record<string, ErrorDefinition>> = {
  SIGSYS: FFMPEG_ERRORS.FFMPEG_SYSCALL_REFUSED,
  SIGSEGV: FFMPEG_ERRORS.FFMPEG_CRASHED,
  SIGBUS: FFMPEG_ERRORS.FFMPEG_CRASHED,
  SIGILL: FFMPEG_ERRORS.FFMPEG_CRASHED,
  SIGFPE: FFMPEG_ERRORS.FFMPEG_CRASHED,
  SIGABRT: FFMPEG_ERRORS.FFMPEG_CRASHED,
  SIGKILL: FFMPEG_ERRORS.FFMPEG_KILLED,
};

/**
 * The first match wins. The texts are those of ffmpeg 4 to 7; provoked-reasons.real.test.ts provokes them with the system's
 * ffmpeg and with the one of 2018 that npm installs.
 */
const REASONS: readonly (readonly [RegExp, ErrorDefinition])[] = [
  [/\b401\b|Unauthorized|\b403\b|Forbidden/, FFMPEG_ERRORS.FFMPEG_CAMERA_AUTH],
  // Not every "Not Found": 454 is "Session Not Found".
  [/\b404\b/, FFMPEG_ERRORS.FFMPEG_CAMERA_NOT_FOUND],
  [/\b453\b|Not Enough Bandwidth|\b503\b|Service Unavailable/, FFMPEG_ERRORS.FFMPEG_CAMERA_BUSY],
  [/\b461\b|Unsupported [Tt]ransport|Nonmatching transport/, FFMPEG_ERRORS.FFMPEG_CAMERA_TRANSPORT],
  [/Server returned [45]\d\d|method \w+ failed: [345]\d\d/, FFMPEG_ERRORS.FFMPEG_CAMERA_REFUSED],
  [/Connection timed out|Operation timed out/, FFMPEG_ERRORS.FFMPEG_CAMERA_TIMEOUT],
  [
    /Connection refused|No route to host|Network is unreachable|Failed to resolve hostname/,
    FFMPEG_ERRORS.FFMPEG_CAMERA_UNREACHABLE,
  ],
  [/^\[tls @ |TLS|SSL|certificate/, FFMPEG_ERRORS.FFMPEG_CAMERA_TLS],
  [/Redirecting to|not on whitelist|Protocol not found/, FFMPEG_ERRORS.FFMPEG_CAMERA_REDIRECTED],
  [
    /Cannot allocate memory|Resource temporarily unavailable|failed to map segment|malloc .*failed/,
    FFMPEG_ERRORS.FFMPEG_OUT_OF_MEMORY,
  ],
  [/Unknown encoder|Encoder .*not found|Encoder not found/, FFMPEG_ERRORS.FFMPEG_NO_ENCODER],
  [
    /Stream map '0:v:0' matches no streams|Output file.*does not contain any stream|Decoder .*not found|Unknown decoder/,
    FFMPEG_ERRORS.FFMPEG_NO_VIDEO,
  ],
];

/**
 * ffmpeg's closing sentences that give no cause (`pipe:0` is the script that names the input); the relevant line
 * comes before them.
 */
const EMPTY_LINE = /^(?:Conversion failed!|pipe:0: Operation not permitted|Exiting\b|.*received signal \d+)/;

/**
 * The error of a worker that ended by itself; its context has the exit and the most telling line. FFMPEG_POOL_FULL if it gave its
 * place to another one.
 */
export function exitReason(exit: WorkerExit): GatewayError {
  if (exit.gaveWay !== undefined) return exit.gaveWay;
  const context = { exitCode: exit.code, signal: exit.signal };
  const jailLine = exit.stderr.find((line) => JAIL_LINE.test(line));
  if (jailLine !== undefined && exit.code !== null && isJailExit(exit.code)) {
    return new GatewayError(FFMPEG_ERRORS.FFMPEG_JAIL_FAILED, { ...context, stderr: jailLine });
  }
  for (const [pattern, reason] of REASONS) {
    const line = exit.stderr.findLast((candidate) => pattern.test(candidate));
    if (line !== undefined)
      return new GatewayError(reason, { ...context, stderr: line, errno: errnoOf(line) });
  }
  const bySignal = exit.signal === null ? undefined : REASON_BY_SIGNAL[exit.signal];
  // Only of a camera: other input has no address that is opened. What follows is the same whatever the camera did.
  const opening = exit.stderr.find((line) => line.includes('Impossible to open'));
  const definition = bySignal ?? (opening === undefined ? undefined : FFMPEG_ERRORS.FFMPEG_CAMERA_PROTOCOL);
  const last = exit.stderr.findLast((line) => !EMPTY_LINE.test(line)) ?? exit.stderr.at(-1) ?? '';
  return new GatewayError(definition ?? FFMPEG_ERRORS.FFMPEG_EXITED, { ...context, stderr: last });
}

/** ffmpeg writes the system's sentences; logs and operators want the name. */
const ERRNO_BY_SENTENCE: readonly (readonly [string, string])[] = [
  ['Connection refused', 'ECONNREFUSED'],
  ['No route to host', 'EHOSTUNREACH'],
  ['Network is unreachable', 'ENETUNREACH'],
  ['Connection timed out', 'ETIMEDOUT'],
  ['Failed to resolve hostname', 'ENOTFOUND'],
];

function errnoOf(line: string): string | undefined {
  return ERRNO_BY_SENTENCE.find(([sentence]) => line.includes(sentence))?.[1];
}

function isJailExit(code: number): boolean {
  return code >= JAIL_EXIT_FIRST && code <= JAIL_EXIT_LAST;
}
