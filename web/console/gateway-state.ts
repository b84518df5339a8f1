/** The gateway itself, as the API has it: its state, counters, configuration and log. For administrators. */

import { type Answer, call } from './api.ts';

export type SystemFinding = SystemReport['findings'][number];

export type RunningWorker = SystemState['workers']['active'][number];

export type WaitingWorker = SystemState['workers']['line'][number];

export type ClusterNode = NonNullable<SystemState['cluster']>['nodes'][number];

export type SystemState = SystemReport['state'];

export type SystemReport = Answer<'console/getSystemState'>;

/** All arrays are as long as `timesMs`; null: not known at that time. */
export interface Counters {
  readonly timesMs: readonly number[];
  readonly counters: Readonly<Record<string, readonly (number | null)[]>>;
}

export type LogRecord = Answer<'console/getLogTail'>['records'][number];
export type LogLevel = LogRecord['level'];

export type Setting = Settings['settings'][number];

export type Settings = Answer<'console/getEffectiveConfig'>;

export type ConfigFindings = Answer<'console/validateConfig'>;

export type ReloadOutcome = Answer<'console/reloadConfig'>;

export function readSystem(signal: AbortSignal): Promise<SystemReport> {
  return call('console/getSystemState', {}, signal);
}

/** The last hour. `cameraUuid`: null for the gateway's own. */
export async function readCounters(cameraUuid: string | null, signal: AbortSignal): Promise<Counters> {
  return countersOf(await call('console/getCounters', cameraUuid === null ? {} : { cameraUuid }, signal));
}

/** The newest, oldest first. */
export async function readLog(
  level: LogLevel,
  text: string,
  signal: AbortSignal,
): Promise<readonly LogRecord[]> {
  const wanted = { level, limit: 200, ...(text === '' ? {} : { text }) };
  const { records } = await call('console/getLogTail', wanted, signal);
  return records;
}

export function readSettings(signal: AbortSignal): Promise<Settings> {
  return call('console/getEffectiveConfig', {}, signal);
}

/** Checks the configuration file as it is now. */
export function checkConfig(): Promise<ConfigFindings> {
  return call('console/validateConfig');
}

export function reloadConfig(): Promise<ReloadOutcome> {
  return call('console/reloadConfig');
}

export function makeSupportBundle(): Promise<Answer<'console/createSupportBundle'>> {
  return call('console/createSupportBundle');
}

/** The API leaves the type of the columns open, because no field of an answer is null. */
export function countersOf({
  timesMs,
  counters,
}: Pick<Answer<'console/getCounters'>, 'timesMs' | 'counters'>): Counters {
  const columns = Object.entries(counters).map(([name, column]) => {
    const values: readonly unknown[] = Array.isArray(column) ? column : [];
    return [name, values.map((value) => (typeof value === 'number' ? value : null))] as const;
  });
  return { timesMs, counters: Object.fromEntries(columns) };
}

/** As in "1.5 GiB". */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
