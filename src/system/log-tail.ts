/** Reads the newest records of the log, filtered by level and text. Sliced: thousands of records do not delay other work. */

import { SlicedWork } from '../core/sliced-work.ts';
import type { LogPage, LogRecord, LogThread } from './log-memory.ts';

/** Levels from most to least severe, with the numbers that records carry. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type TailLevel = (typeof LOG_LEVELS)[number];
const LEVEL_NUMBERS: Readonly<Record<TailLevel, number>> = { error: 50, warn: 40, info: 30, debug: 20 };

export interface LogTailQuery {
  /** Only newer records, the oldest of them first; null: the newest ones. */
  readonly afterId: number | null;
  /** The least severe level. */
  readonly level: TailLevel;
  /** Text that the record must contain, in any case; '': anything. */
  readonly text: string;
  readonly limit: number;
}

export interface TailRecord {
  readonly id: number;
  readonly thread: LogThread;
  readonly level: TailLevel;
  readonly atMs: number | null;
  readonly message: string;
  /** The record's other fields, as JSON. */
  readonly fieldsJson: string;
}

export interface LogTail {
  /** Oldest first. */
  readonly records: readonly TailRecord[];
  /** Where to continue: the id of the newest record that was looked at; 0: there was none. */
  readonly lastId: number;
}

/** `pageAfter`: LogMemory.page, here or in another thread. */
export async function readLogTail(
  query: LogTailQuery,
  pageAfter: (afterId: number) => Promise<LogPage>,
): Promise<LogTail> {
  const wanted = query.text.toLowerCase();
  const records: TailRecord[] = [];
  const work = new SlicedWork();
  let lastId = query.afterId ?? 0;
  for (;;) {
    const page = await pageAfter(lastId);
    for (const each of page.records) {
      lastId = each.id;
      const record = matching(each, query.level, wanted);
      if (record !== null) records.push(record);
      // Going on from a record: those that follow are for the next call.
      if (query.afterId !== null && records.length === query.limit) return { records, lastId };
      if (records.length > query.limit) records.shift();
      if (work.step()) await work.pause();
    }
    if (!page.hasMore) return { records, lastId };
  }
}

/** null: it is not wanted. */
function matching({ id, thread, line }: LogRecord, level: TailLevel, wanted: string): TailRecord | null {
  if (wanted !== '' && !line.toLowerCase().includes(wanted)) return null;
  const { level: number, time, msg, ...fields } = parsed(line);
  const levelNumber = typeof number === 'number' ? number : LEVEL_NUMBERS.error;
  if (levelNumber < LEVEL_NUMBERS[level]) return null;
  return {
    id,
    thread,
    level: LOG_LEVELS.find((name) => levelNumber >= LEVEL_NUMBERS[name]) ?? 'debug',
    atMs: typeof time === 'number' ? time : null,
    message: typeof msg === 'string' ? msg : '',
    fieldsJson: JSON.stringify(fields),
  };
}

function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    // A library wrote it: the line is the message.
    return { msg: line };
  }
}
