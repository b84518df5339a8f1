/**
 * The newest records of the log, in memory, exactly as the process wrote them, so everything that the log redacts is redacted here too.
 * Bounded by number and by size, and shared out: by organization where a record names it or its camera, otherwise by message. So a flood of
 * one kind, or of one organization, leaves the other records where they are.
 */

import { FairMap } from '../core/limits/fair-map.ts';
import { LIMITS } from '../core/limits/registry.ts';

/** The thread that wrote a record. */
export type LogThread = 'gateway' | 'api';

export interface LogRecord {
  /** Ascending, of both threads. Records that made room are missing. */
  readonly id: number;
  readonly thread: LogThread;
  /** A JSON object. */
  readonly line: string;
}

/** Records in a row, oldest first. */
export interface LogPage {
  readonly records: readonly LogRecord[];
  /** Whether newer ones follow. */
  readonly hasMore: boolean;
}

/** A longer record is stored without its fields. */
export const MAX_RECORD_CHARACTERS = 16_384;
/** The most records of one page: reading them takes well under a millisecond. */
export const MAX_PAGE_RECORDS = 250;

/** The most that one takes. */
const BYTES_PER_CHARACTER = 2;
const MAX_CUT_MESSAGE_CHARACTERS = 1_000;
const ORGANIZATION = /"org(?:Uuid)?":"([\w-]{22})"/;
const CAMERA = /"camera":"([\w-]{22})"/;
const MESSAGE = /"msg":"([^"\\]{1,200})/;

export class LogMemory {
  /** The organization whose camera a record names; null: unknown. */
  organizationOf: (cameraUuid: string) => string | null = () => null;
  /** Oldest first. */
  readonly #records = new FairMap<LogRecord, typeof LIMITS.logRecords>(LIMITS.logRecords);
  #nextId = 1;

  /** The size of the lines, in bytes. */
  get byteLength(): number {
    return this.#records.byteLength;
  }

  /** `line`: as written to the log, with or without its line end. */
  add(thread: LogThread, line: string): void {
    const text = line.endsWith('\n') ? line.slice(0, -1) : line;
    const kept = text.length > MAX_RECORD_CHARACTERS ? withoutFields(text) : text;
    const id = this.#nextId++;
    const record = { id, thread, line: kept };
    this.#records.set(
      String(id),
      { organization: this.#holderOf(kept) },
      record,
      kept.length * BYTES_PER_CHARACTER,
    );
  }

  /** At most MAX_PAGE_RECORDS records that are newer than `afterId`. */
  page(afterId: number): LogPage {
    const records: LogRecord[] = [];
    for (const [, record] of this.#records) {
      if (record.id <= afterId) continue;
      if (records.length === MAX_PAGE_RECORDS) return { records, hasMore: true };
      records.push(record);
    }
    return { records, hasMore: false };
  }

  /** The content of a record cannot pretend to be such a field: quotes within texts are escaped. */
  #holderOf(line: string): string {
    const organization = ORGANIZATION.exec(line)?.[1];
    if (organization !== undefined) return organization;
    const camera = CAMERA.exec(line)?.[1];
    return (camera === undefined ? null : this.organizationOf(camera)) ?? MESSAGE.exec(line)?.[1] ?? '';
  }
}

/** Level, time and the beginning of the message. */
function withoutFields(line: string): string {
  let record: { level?: unknown; time?: unknown; msg?: unknown } = {};
  try {
    record = JSON.parse(line) as typeof record;
  } catch {
    // The line is not one of ours, so its fields are unknown.
  }
  const { level, time, msg } = record;
  const message = typeof msg === 'string' ? msg.slice(0, MAX_CUT_MESSAGE_CHARACTERS) : '';
  return JSON.stringify({ level, time, msg: message, omittedCharacters: line.length });
}
