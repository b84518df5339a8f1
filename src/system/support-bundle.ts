/**
 * An operator's file for support: one JSON object, compressed. It has no secrets, no names of cameras, and no addresses except those in the
 * log. Everything in it comes from sources that redact; nothing is filtered here.
 */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { GatewayError } from '../core/errors.ts';
import { mapInSlices } from '../core/sliced-work.ts';
import type { EffectiveConfig } from './config-view.ts';
import type { CounterColumns } from './counter-history.ts';
import { SYSTEM_ERRORS } from './errors.ts';
import type { LogPage, LogRecord } from './log-memory.ts';
import { systemFindings } from './system-findings.ts';
import type { BundledStream, GatewayState } from './system-state.ts';

/** Compressed. Mail servers accept this, also as base64. */
export const MAX_BUNDLE_BYTES = 8 * 2 ** 20;
/** Limit on camera streams in a bundle; those that are offline come first. */
export const MAX_BUNDLED_STREAMS = 4_000;
const BUNDLE_FORMAT = 'sluice-support-bundle/1';

const compress = promisify(gzip);

export interface BundleParts {
  readonly createdAtEpochMs: number;
  readonly state: GatewayState;
  /** Settings outside lists. */
  readonly configuration: EffectiveConfig;
  readonly counters: CounterColumns;
  readonly streams: readonly BundledStream[];
  /** Oldest first. */
  readonly log: readonly LogRecord[];
}

/** Gzip of the JSON text. Fails SUPPORT_BUNDLE_TOO_LARGE. */
export async function supportBundle(parts: BundleParts): Promise<Buffer> {
  const bytes = await compress(await bundleText(parts));
  if (bytes.length <= MAX_BUNDLE_BYTES) return bytes;
  throw new GatewayError(SYSTEM_ERRORS.SUPPORT_BUNDLE_TOO_LARGE, { bytes: bytes.length });
}

/** Every record of the log that is in memory. `pageAfter`: LogMemory.page, here or in another thread. */
export async function wholeLog(pageAfter: (afterId: number) => Promise<LogPage>): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (;;) {
    const { records: some, hasMore } = await pageAfter(records.at(-1)?.id ?? 0);
    for (const record of some) records.push(record);
    if (!hasMore) return records;
  }
}

/** Columns of numbers for JSON: null where a value is unknown. Rounded to the precision of the samples. */
export function jsonColumns({ columns }: CounterColumns): Record<string, (number | null)[]> {
  const rounded: Record<string, (number | null)[]> = {};
  for (const [name, values] of Object.entries(columns)) {
    rounded[name] = Array.from(values, (value) =>
      Number.isNaN(value) ? null : Math.round(value * 100) / 100,
    );
  }
  return rounded;
}

async function bundleText(parts: BundleParts): Promise<string> {
  const { createdAtEpochMs, state, configuration, counters } = parts;
  const { firstEpochMs, intervalMs } = counters;
  const streams = [...parts.streams]
    .sort((a, b) => Number(b.state === 'offline') - Number(a.state === 'offline'))
    .slice(0, MAX_BUNDLED_STREAMS);
  const head = {
    format: BUNDLE_FORMAT,
    createdAt: new Date(createdAtEpochMs).toISOString(),
    state,
    findings: systemFindings(state),
    configuration,
    counters: { firstEpochMs, intervalMs, columns: jsonColumns(counters) },
    streamCount: parts.streams.length,
  };
  const streamTexts = await mapInSlices(streams, (stream) => JSON.stringify(stream));
  const logTexts = await mapInSlices(parts.log, ({ id, thread, line }) =>
    JSON.stringify({ id, thread, record: recordOf(line) }),
  );
  const lists = `"streams":[\n${streamTexts.join(',\n')}\n],\n"log":[\n${logTexts.join(',\n')}\n]`;
  return `${JSON.stringify(head, null, 1).slice(0, -2)},\n${lists}\n}\n`;
}

function recordOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // A library wrote it.
    return line;
  }
}
