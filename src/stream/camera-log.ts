/** The log of one camera: every line carries its uuid and its name, including lines of child loggers. */

import type { Log } from '../core/log.ts';

/** An object whose log may be replaced by one with other fields. */
interface LogHolder {
  readonly current: Log;
}

/** A log with additional fields, made again when its parent is replaced. */
class DerivedLog implements Log, LogHolder {
  readonly #parent: LogHolder;
  readonly #fields: object;
  #madeOf: Log | null = null;
  #made: Log | null = null;

  constructor(parent: LogHolder, fields: object) {
    this.#parent = parent;
    this.#fields = fields;
  }

  get current(): Log {
    const parent = this.#parent.current;
    if (this.#made === null || this.#madeOf !== parent) {
      this.#madeOf = parent;
      this.#made = parent.child(this.#fields);
    }
    return this.#made;
  }

  debug(fields: object, message: string): void {
    this.current.debug(fields, message);
  }

  info(fields: object, message: string): void {
    this.current.info(fields, message);
  }

  warn(fields: object, message: string): void {
    this.current.warn(fields, message);
  }

  error(fields: object, message: string): void {
    this.current.error(fields, message);
  }

  child(fields: object): Log {
    return new DerivedLog(this, fields);
  }
}

/** A camera may be renamed while it is open: its lines carry the new name from then on. */
export class CameraLog extends DerivedLog {
  readonly #holder: { current: Log };
  readonly #base: Log;
  readonly #camera: string;
  #name: string;

  constructor(base: Log, camera: string, name: string) {
    const holder = { current: base.child({ camera, name }) };
    super(holder, {});
    this.#holder = holder;
    this.#base = base;
    this.#camera = camera;
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }

  rename(name: string): void {
    if (name === this.#name) return;
    this.#name = name;
    this.#holder.current = this.#base.child({ camera: this.#camera, name });
  }
}
