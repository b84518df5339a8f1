/**
 * The process's log: pino, one JSON object per line, or readable lines on a terminal. Credentials cannot get in:
 * the types that hold them print redacted (src/core/secret.ts), and errors are reduced to what their codes mean.
 */

import { createRequire } from 'node:module';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { PinoPretty } from 'pino-pretty';
import { GatewayError } from '../core/errors.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type LogFormat = 'auto' | 'json' | 'pretty';

/** Longest chain of causes that is logged. */
const MAX_CAUSES = 4;

/** `auto` is readable on a terminal and JSON elsewhere. `destination` defaults to standard error. */
export function createLog(options: {
  level: LogLevel;
  format: LogFormat;
  destination?: DestinationStream;
}): Logger {
  const isPretty = resolveFormat(options.format) === 'pretty';
  const destination =
    options.destination ??
    (isPretty
      ? loadPretty()({ destination: 2, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l', sync: true })
      : pino.destination({ dest: 2, sync: true }));
  return pino(
    {
      level: options.level,
      base: null,
      serializers: { err: describeError, error: describeError },
    },
    destination,
  );
}

/** Only a terminal needs it. */
function loadPretty(): typeof PinoPretty {
  return createRequire(import.meta.url)('pino-pretty');
}

/** What `auto` means here. Only the process's first thread can tell. */
export function resolveFormat(format: LogFormat): Exclude<LogFormat, 'auto'> {
  if (format !== 'auto') return format;
  return process.stderr.isTTY === true ? 'pretty' : 'json';
}

/**
 * An error as fields: code and context for ours, class and message for others, with the chain of causes. Stacks are
 * for our own bugs: for what a peer did, the code is enough.
 */
export function describeError(thrown: unknown): unknown {
  return describe(thrown, 0, true);
}

function describe(thrown: unknown, depth: number, isDefect: boolean): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const withStack = isDefect && (!(thrown instanceof GatewayError) || thrown.kind === 'internal');
  const hasCause = thrown.cause !== undefined && depth < MAX_CAUSES;
  const rest = {
    cause: hasCause ? describe(thrown.cause, depth + 1, withStack) : undefined,
    stack: withStack ? thrown.stack : undefined,
  };
  if (!(thrown instanceof GatewayError)) return { type: thrown.name, message: thrown.message, ...rest };
  return { code: thrown.code, kind: thrown.kind, message: thrown.message, ...thrown.context, ...rest };
}
