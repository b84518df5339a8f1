/**
 * The newest records of the log, in memory: what the process wrote, as it wrote it, so what the log redacts is redacted here
 * too. Bounded by number and by size.
 */

/** The thread that wrote a record. */
export type LogThread = 'gateway' | 'api';

export interface LogRecord {
  /** Ascending, without gaps, of both threads. */
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

export const MAX_LOG_RECORDS = 2_000;
/** A character counts as two bytes, which is the most that it takes. */
export const MAX_LOG_BYTES = 4 * 2 ** 20;
/** A longer record is stored without its fields. */
export const MAX_RECORD_CHARACTERS = 16_384;
/** The most records of one page: reading them takes well under a millisecond. */
export const MAX_PAGE_RECORDS = 250;

const BYTES_PER_CHARACTER = 2;
const MAX_CUT_MESSAGE_CHARACTERS = 1_000;

export class LogMemory {
  /** The record with the id n is at n modulo MAX_LOG_RECORDS. */
  readonly #records: (LogRecord | undefined)[] = [];
  #oldestId = 1;
  #nextId = 1;
  #bytes = 0;

  /** What the lines take, in bytes. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** `line`: as written to the log, with or without its line end. */
  add(thread: LogThread, line: string): void {
    const text = line.endsWith('\n') ? line.slice(0, -1) : line;
    const kept = text.length > MAX_RECORD_CHARACTERS ? withoutFields(text) : text;
    if (this.#nextId - this.#oldestId >= MAX_LOG_RECORDS) this.#dropOldest();
    this.#records[this.#nextId % MAX_LOG_RECORDS] = { id: this.#nextId, thread, line: kept };
    this.#nextId += 1;
    this.#bytes += kept.length * BYTES_PER_CHARACTER;
    while (this.#bytes > MAX_LOG_BYTES) this.#dropOldest();
  }

  /** At most MAX_PAGE_RECORDS records that are newer than `afterId`. */
  page(afterId: number): LogPage {
    const from = Math.max(afterId + 1, this.#oldestId);
    const to = Math.min(this.#nextId, from + MAX_PAGE_RECORDS);
    const records: LogRecord[] = [];
    for (let id = from; id < to; id++) records.push(this.#records[id % MAX_LOG_RECORDS]!);
    return { records, hasMore: to < this.#nextId };
  }

  #dropOldest(): void {
    const at = this.#oldestId % MAX_LOG_RECORDS;
    this.#bytes -= this.#records[at]!.line.length * BYTES_PER_CHARACTER;
    this.#records[at] = undefined;
    this.#oldestId += 1;
  }
}

/** Level, time and the beginning of the message. */
function withoutFields(line: string): string {
  let record: { level?: unknown; time?: unknown; msg?: unknown } = {};
  try {
    record = JSON.parse(line) as typeof record;
  } catch {
    // Not one of ours: nothing of it can be told apart.
  }
  const { level, time, msg } = record;
  const message = typeof msg === 'string' ? msg.slice(0, MAX_CUT_MESSAGE_CHARACTERS) : '';
  return JSON.stringify({ level, time, msg: message, omittedCharacters: line.length });
}
