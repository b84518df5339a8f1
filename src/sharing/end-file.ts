/**
 * Ends of access that the store does not have, in a file of the data folder, so that a restart forgets none: one line of JSON for each,
 * and one for each that the store has by now. An end is acknowledged when its line is on the disk; ends that arrive together share one
 * `fdatasync`. The file is emptied when the store has all of them.
 */

import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { syncFolder } from '../core/sync-folder.ts';
import type { AccessEnd } from '../store/access-end.ts';

const ONLY_OWNER = 0o600;
const { O_CREAT, O_RDWR, O_APPEND, O_TRUNC } = constants;
/** If the file has more dead lines than this, and more than it has ends, it is rewritten. */
export const MAX_DEAD_LINES = 10_000;

type Line = { readonly end: AccessEnd } | { readonly stored: Ruuid };

interface Waiting {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (thrown: unknown) => void;
}

export class EndFile {
  #handle: FileHandle;
  readonly #log: Log;
  /** The ends that the file has and the store does not. */
  readonly #open = new Map<Ruuid, AccessEnd>();
  #waiting: Waiting[] = [];
  readonly #path: string;
  /** In the file, those that count no more included. */
  #lines = 0;
  /** Those lines that the last attempt to shorten the file could not remove. */
  #keptLines = 0;
  /** The file may not end with a line. */
  #isTorn = true;
  #writing: Promise<void> | null = null;

  private constructor(handle: FileHandle, path: string, log: Log) {
    this.#handle = handle;
    this.#path = path;
    this.#log = log;
  }

  /** Creates the file if there is none. Rejects like node:fs. */
  static async open(path: string, log: Log): Promise<EndFile> {
    const handle = await open(path, O_CREAT | O_RDWR | O_APPEND, ONLY_OWNER);
    const file = new EndFile(handle, path, log);
    try {
      await file.#read();
      return file;
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
  }

  /** The ends that an earlier run left. */
  all(): AccessEnd[] {
    return [...this.#open.values()];
  }

  /** Resolves when it is on the disk. Rejects like node:fs. */
  async add(end: AccessEnd): Promise<void> {
    this.#open.set(end.endUuid, end);
    try {
      await this.#append({ end });
    } catch (thrown) {
      this.#open.delete(end.endUuid);
      throw thrown;
    }
  }

  /** The store has it. If this is lost, the next run stores it once more, which changes nothing. */
  remove(endUuid: Ruuid): void {
    if (!this.#open.delete(endUuid)) return;
    this.#append({ stored: endUuid }).catch((thrown: unknown) => {
      this.#log.warn({ err: toGatewayError(thrown) }, 'stored end of access not noted');
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#handle.close();
  }

  async #read(): Promise<void> {
    let damaged = 0;
    for (const text of (await this.#handle.readFile('utf8')).split('\n')) {
      if (text === '') continue;
      this.#lines++;
      const line = parsed(text);
      if (line === null) damaged++;
      else if ('end' in line) this.#open.set(line.end.endUuid, line.end);
      else this.#open.delete(line.stored);
    }
    // A kill in the middle of a line leaves part of an end that was never acknowledged.
    if (damaged > 0) this.#log.warn({ path: this.#path, lines: damaged }, 'damaged lines of ends left out');
    if (this.#open.size === 0) await this.#handle.truncate();
  }

  #append(line: Line): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ text: `${JSON.stringify(line)}\n`, resolve, reject });
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    return promise;
  }

  async #write(): Promise<void> {
    // Lines that arrive while a batch is written form the next batch.
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      try {
        // Behind a piece of a line, if the last write failed or was cut off.
        const before = this.#isTorn ? '\n' : '';
        this.#isTorn = true;
        await this.#handle.appendFile(before + batch.map(({ text }) => text).join(''));
        this.#isTorn = false;
        this.#lines += batch.length;
        if (this.#open.size === 0 && batch.every(({ text }) => text.startsWith('{"stored"'))) {
          await this.#handle.truncate();
          this.#lines = 0;
          this.#keptLines = 0;
        }
        await this.#handle.datasync();
        for (const { resolve } of batch) resolve();
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
      if (this.#lines - this.#keptLines > 2 * this.#open.size + MAX_DEAD_LINES) await this.#shorten();
    }
  }

  /** The file is as good as before if this fails. Then it grows by as much before the next attempt. */
  async #shorten(): Promise<void> {
    try {
      await this.#rewrite();
      this.#keptLines = 0;
    } catch (thrown) {
      this.#keptLines = this.#lines;
      this.#log.warn({ err: toGatewayError(thrown), path: this.#path }, 'file of ends not shortened');
    }
  }

  /** Without lines that count no more. A kill leaves the file as it was, or as it is then. */
  async #rewrite(): Promise<void> {
    const draft = `${this.#path}.new`;
    const ends = [...this.#open.values()];
    const handle = await open(draft, O_CREAT | O_RDWR | O_APPEND | O_TRUNC, ONLY_OWNER);
    try {
      await handle.appendFile(ends.map((end) => `${JSON.stringify({ end })}\n`).join(''));
      await handle.sync();
      await rename(draft, this.#path);
      await syncFolder(dirname(this.#path));
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
    await this.#handle.close();
    this.#handle = handle;
    this.#lines = ends.length;
  }

  #take(): Waiting[] {
    const batch = this.#waiting;
    this.#waiting = [];
    return batch;
  }
}

/** null: not a line that this file writes. */
function parsed(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Partial<{ end: AccessEnd; stored: Ruuid }>;
    if (typeof line.end?.endUuid === 'string') return { end: line.end };
    return typeof line.stored === 'string' ? { stored: line.stored } : null;
  } catch {
    return null;
  }
}
