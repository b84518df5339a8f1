/** The log of a simulated process: its warnings and the lines of its life are in the trace. */

import type { Log } from '../../src/core/log.ts';
import type { Trace } from './trace.ts';
import type { Host } from './world.ts';

export class TraceLog implements Log {
  readonly #trace: Trace;
  readonly #name: string;
  readonly #host: Host;
  readonly #fields: object;

  readonly #onLine: (fields: object, message: string) => void;

  /** `onLine` hears of lines of the life of the process. */
  constructor(
    trace: Trace,
    name: string,
    host: Host,
    onLine: (fields: object, message: string) => void,
    fields: object = {},
  ) {
    this.#onLine = onLine;
    this.#trace = trace;
    this.#name = name;
    this.#host = host;
    this.#fields = fields;
  }

  debug(): void {}

  info(fields: object, message: string): void {
    if (this.#host.isAlive) this.#onLine({ ...this.#fields, ...fields }, message);
    this.#write('', fields, message);
  }

  warn(fields: object, message: string): void {
    if (this.#host.isAlive) this.#onLine({ ...this.#fields, ...fields }, message);
    this.#write('warn ', fields, message);
  }

  error(fields: object, message: string): void {
    this.#write('error ', fields, message);
  }

  child(fields: object): Log {
    return new TraceLog(this.#trace, this.#name, this.#host, this.#onLine, { ...this.#fields, ...fields });
  }

  #write(level: string, fields: object, message: string): void {
    if (!this.#host.isAlive) return;
    const shown = Object.entries({ ...this.#fields, ...fields }).map(
      ([name, value]) => `${name}=${textOf(value)}`,
    );
    this.#trace.note(this.#name, `${level}${message} ${shown.join(' ')}`);
  }
}

function textOf(value: unknown): string {
  if (value instanceof Error) {
    const { code, message, cause } = value as Error & { code?: string };
    return `${code ?? ''} ${message}${cause === undefined ? '' : ` (${textOf(cause)})`}`;
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
