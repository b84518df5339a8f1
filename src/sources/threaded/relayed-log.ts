/** The log of a thread that reads cameras. */

import type { Log } from '../../core/log.ts';
import type { HostEvent, LogCall } from './host-messages.ts';

/** Its lines are written by the gateway's thread, which knows the camera's name. */
export class RelayedLog implements Log {
  readonly #tell: (event: HostEvent) => void;
  readonly #fields: object;

  constructor(tell: (event: HostEvent) => void, fields: object = {}) {
    this.#tell = tell;
    this.#fields = fields;
  }

  debug(fields: object, message: string): void {
    this.#write('debug', fields, message);
  }

  info(fields: object, message: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#write('error', fields, message);
  }

  child(fields: object): Log {
    return new RelayedLog(this.#tell, { ...this.#fields, ...fields });
  }

  /** As JSON, in which URLs have no passwords. */
  #write(level: LogCall, fields: object, message: string): void {
    const shown = JSON.parse(JSON.stringify({ ...this.#fields, ...fields })) as object;
    this.#tell({ kind: 'log', level, fields: shown, message });
  }
}
