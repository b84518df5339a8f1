/**
 * The process's log: pino, one JSON object per line, or readable lines on a terminal. Credentials cannot get in:
 * the types that hold them print redacted (src/core/secret.ts), and errors are reduced to what their codes mean.
 */

import { createRequire } from 'node:module';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { PinoPretty } from 'pino-pretty';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type LogFormat = 'auto' | 'json' | 'pretty';

/** Longest chain of causes that is logged. */
const MAX_CAUSES = 4;

/** A log whose level, and with it that of all its children, can change while it is in use. */
export interface AdjustableLog extends Log {
  child(fields: object): AdjustableLog;
  setLevel(level: LogLevel): void;
}

/**
 * `auto` is readable on a terminal and JSON elsewhere. `destination` defaults to standard error. `onLine` gets each line that
 * is written, as JSON, with its line end; it must not throw.
 */
export function createLog(options: {
  level: LogLevel;
  format: LogFormat;
  destination?: DestinationStream;
  onLine?: (line: string) => void;
}): AdjustableLog {
  const isPretty = resolveFormat(options.format) === 'pretty';
  const destination =
    options.destination ??
    (isPretty
      ? loadPretty()({ destination: 2, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l', sync: true })
      : pino.destination({ dest: 2, sync: true }));
  const { onLine } = options;
  const told: DestinationStream =
    onLine === undefined
      ? destination
      : {
          write(line) {
            onLine(line);
            destination.write(line);
          },
        };
  const logger = pino(
    {
      // The level is checked before pino is called: its children would keep the level of their creation.
      level: 'debug',
      base: null,
      serializers: { err: describeError, error: describeError },
    },
    told,
  );
  return new LevelledLog(logger, { rank: RANKS[options.level] });
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 20, info: 30, warn: 40, error: 50, silent: 60 };

/** Passes on lines that are severe enough. All children share the threshold. */
class LevelledLog implements AdjustableLog {
  readonly #logger: Logger;
  readonly #threshold: { rank: number };

  constructor(logger: Logger, threshold: { rank: number }) {
    this.#logger = logger;
    this.#threshold = threshold;
  }

  debug(fields: object, message: string): void {
    if (this.#threshold.rank <= RANKS.debug) this.#logger.debug(fields, message);
  }

  info(fields: object, message: string): void {
    if (this.#threshold.rank <= RANKS.info) this.#logger.info(fields, message);
  }

  warn(fields: object, message: string): void {
    if (this.#threshold.rank <= RANKS.warn) this.#logger.warn(fields, message);
  }

  error(fields: object, message: string): void {
    if (this.#threshold.rank <= RANKS.error) this.#logger.error(fields, message);
  }

  child(fields: object): AdjustableLog {
    return new LevelledLog(this.#logger.child(fields), this.#threshold);
  }

  setLevel(level: LogLevel): void {
    this.#threshold.rank = RANKS[level];
  }
}

/** Only a terminal needs it. */
function loadPretty(): typeof PinoPretty {
  return createRequire(import.meta.url)('pino-pretty');
}

/** Resolves `auto`. Only the process's first thread can tell. */
export function resolveFormat(format: LogFormat): Exclude<LogFormat, 'auto'> {
  if (format !== 'auto') return format;
  return process.stderr.isTTY === true ? 'pretty' : 'json';
}

/**
 * An error as fields: code and context for ours, class and message for others, with the chain of causes. Stacks are for our
 * own bugs: for errors of a peer, the code is enough.
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
