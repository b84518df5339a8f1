/**
 * The record of the gateway of `fickle`: failures in its log, the latest lines about each camera, and its memory and its
 * event loop's delays from `/metrics`.
 */

import { createInterface } from 'node:readline';
import type { TestGateway } from '../../../test/support/gateway.ts';
import { median } from '../../report.ts';
import { isFailure } from '../../support/logged-failure.ts';

/** One reading of the metrics; delays are the longest since the reading before. An idle loop's is 10 ms. */
export interface GatewaySample extends OtherDelays {
  /** Since the start of the run. */
  readonly atMs: number;
  /** By their short names in `MEASURES`. */
  readonly values: Readonly<Record<Measure, number>>;
}

const MIB = 1 / 1_048_576;

/** Delays of the processes around the gateway. */
export interface OtherDelays {
  readonly viewersDelayMs: number;
  readonly camerasDelayMs: number;
}

/** Each is the sum of one metric's series, times the factor. */
const MEASURES = {
  'RSS MiB': ['process_resident_memory_bytes', MIB],
  'heap MiB': ['nodejs_heap_size_used_bytes', MIB],
  'heap kept MiB': ['nodejs_heap_size_total_bytes', MIB],
  'external MiB': ['nodejs_external_memory_bytes', MIB],
  'windows MiB': ['sluice_stream_window_bytes', MIB],
  'overdue MiB': ['sluice_stream_overdue_bytes', MIB],
  'blocks used MiB': ['sluice_media_blocks_used_bytes', MIB],
  'blocks free MiB': ['sluice_media_blocks_free_bytes', MIB],
  descriptors: ['process_open_fds', 1],
  handles: ['nodejs_active_handles_total', 1],
  viewers: ['sluice_viewers', 1],
  live: ['sluice_stream_live', 1],
  'loop delay ms': ['nodejs_eventloop_lag_max_seconds', 1_000],
} as const;
export type Measure = keyof typeof MEASURES;
const MEASURE_NAMES = Object.keys(MEASURES) as Measure[];

interface CameraEvent {
  readonly atEpochMs: number;
  readonly text: string;
}

interface LogLine {
  readonly time?: number;
  readonly name?: string;
  readonly msg?: string;
  readonly err?: { readonly code?: string; readonly context?: Readonly<Record<string, unknown>> };
  readonly retryInMs?: number;
}

/** Per camera: some minutes of a camera that fails several times a second. */
const MAX_EVENTS = 200;

export class GatewayRecord {
  /** Grows. */
  readonly failures: string[];
  readonly samples: GatewaySample[] = [];
  readonly #metricsUrl: string;
  readonly #events = new Map<string, CameraEvent[]>();

  constructor({ child, apiUrl }: TestGateway) {
    this.#metricsUrl = `${apiUrl}/metrics`;
    this.failures = child.lines.filter(isFailure);
    for (const stream of [child.process.stdout!, child.process.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => this.#take(line));
    }
  }

  /** No sample: it does not answer. */
  async sample(atMs: number, delays: OtherDelays): Promise<void> {
    const response = await fetch(this.#metricsUrl).catch(() => null);
    if (response === null) return;
    const text = await response.text();
    const values = {} as Record<Measure, number>;
    for (const name of MEASURE_NAMES) {
      const [metric, factor] = MEASURES[name];
      values[name] = sumOf(text, metric) * factor;
    }
    this.samples.push({ atMs, values, ...delays });
  }

  /** Log lines about a camera since then, with times relative to `zeroEpochMs`. */
  eventsOf(name: string, fromEpochMs: number, zeroEpochMs: number): string[] {
    const events = this.#events.get(name) ?? [];
    return events
      .filter(({ atEpochMs }) => atEpochMs >= fromEpochMs)
      .map(({ atEpochMs, text }) => `${relative(atEpochMs - zeroEpochMs)} ${text}`);
  }

  /** Longest delays of the event loops of all processes, in the samples since then. */
  longestDelays(fromMs: number): string {
    const samples = this.samples.filter(({ atMs }) => atMs >= fromMs);
    const longestMs = (of: (sample: GatewaySample) => number) => Math.round(Math.max(0, ...samples.map(of)));
    const gatewayMs = longestMs(({ values }) => values['loop delay ms']);
    const viewersMs = longestMs(({ viewersDelayMs }) => viewersDelayMs);
    const camerasMs = longestMs(({ camerasDelayMs }) => camerasDelayMs);
    return `gateway ${gatewayMs} ms, viewers ${viewersMs} ms, cameras ${camerasMs} ms`;
  }

  /** Medians of all measures over equal stretches of the run, as lines of text. */
  table(lines: number): string[] {
    const stretch = Math.ceil(this.samples.length / lines);
    const rows = [['s', ...MEASURE_NAMES]];
    for (let at = 0; at < this.samples.length; at += stretch) {
      const samples = this.samples.slice(at, at + stretch);
      const medians = MEASURE_NAMES.map((name) =>
        median(samples.map(({ values }) => values[name])).toFixed(1),
      );
      rows.push([(samples[0]!.atMs / 1_000).toFixed(0), ...medians]);
    }
    return rows.map((row) => row.map((cell, at) => cell.padStart(rows[0]![at]!.length + 1)).join(' '));
  }

  #take(line: string): void {
    if (isFailure(line)) this.failures.push(line);
    const entry = parsed(line);
    if (entry?.name === undefined || entry.time === undefined) return;
    const events = this.#events.get(entry.name) ?? [];
    this.#events.set(entry.name, events);
    events.push({ atEpochMs: entry.time, text: textOf(entry) });
    if (events.length > MAX_EVENTS) events.shift();
  }
}

function parsed(line: string): LogLine | null {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return null;
  }
}

/** Formats a line, for example `camera offline DIRECT_UNREACHABLE ECONNREFUSED, next attempt after 310 ms`. */
function textOf({ msg = '', err, retryInMs }: LogLine): string {
  const { errno, reason, silentMs, stillMs, timeoutMs, method } = err?.context ?? {};
  const details = [err?.code, errno ?? reason, method, silentMs ?? stillMs ?? timeoutMs];
  const next = retryInMs === undefined ? '' : `, next attempt after ${retryInMs} ms`;
  return `${[msg, ...details].filter((detail) => detail !== undefined).join(' ')}${next}`;
}

function relative(ms: number): string {
  return `${ms < 0 ? '' : '+'}${Math.round(ms)} ms:`;
}

/** Sums all series of a metric in the text format of Prometheus; 0 without any. */
function sumOf(text: string, metric: string): number {
  let sum = 0;
  for (const line of text.split('\n')) {
    if (!line.startsWith(metric)) continue;
    const after = line[metric.length];
    if (after === ' ' || after === '{') sum += Number(line.slice(line.lastIndexOf(' ') + 1));
  }
  return sum;
}
