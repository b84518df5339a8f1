/** The gateway itself, as the API has it: its state, counters, configuration and log. For administrators. */

import { call } from './api.ts';

export interface SystemFinding {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly sentence: string;
  readonly whatToDo: string;
}

interface WorkerItem {
  readonly purpose: string;
  /** Absent: several cameras, or none. */
  readonly cameraUuid?: string;
  readonly cameraName?: string;
  readonly cores: number;
  readonly isYielding: boolean;
  readonly ageMs: number;
}

export interface RunningWorker extends WorkerItem {
  /** Absent: not known. */
  readonly memoryBytes?: number;
}

export interface WaitingWorker extends WorkerItem {
  readonly urgency: string;
  readonly ahead: number;
  readonly waitsFor: 'workers' | 'cores' | 'earlier';
}

export interface ClusterNode {
  readonly nodeId: string;
  readonly isSelf: boolean;
  readonly address: string;
  readonly version: string;
  readonly isDraining: boolean;
  /** From the node that answers. */
  readonly isReached: boolean;
  readonly ownedCameras: number;
  readonly openStreams: number;
  readonly viewers: number;
  readonly busyShare: number;
}

export interface SystemState {
  readonly nodeId: string;
  readonly version: string;
  readonly hostName: string;
  readonly nodeVersion: string;
  readonly platform: string;
  readonly startedAt: string;
  readonly memory: readonly { readonly part: string; readonly bytes: number }[];
  readonly cameras: Readonly<Record<string, number>>;
  readonly openStreams: number;
  readonly viewers: number;
  readonly workers: {
    readonly running: number;
    readonly maxWorkers: number;
    readonly cores: number;
    /** Absent: no limit. */
    readonly maxCores?: number;
    readonly refused: number;
    readonly active: readonly RunningWorker[];
    /** In the order in which they start. */
    readonly line: readonly WaitingWorker[];
  };
  /** Absent: this gateway is alone. */
  readonly cluster?: { readonly name: string; readonly size: number; readonly nodes: readonly ClusterNode[] };
  readonly redis?: { readonly isConnected: boolean; readonly since: string; readonly lastError?: string };
  readonly database: { readonly kind: string; readonly isReachable: boolean; readonly sizeBytes?: number };
  readonly disks: readonly {
    readonly use: string;
    readonly folder: string;
    readonly freeBytes?: number;
    readonly totalBytes?: number;
  }[];
}

export interface SystemReport {
  readonly state: SystemState;
  readonly findings: readonly SystemFinding[];
}

/** All arrays are as long as `timesMs`; null: not known at that time. */
export interface Counters {
  readonly timesMs: readonly number[];
  readonly counters: Readonly<Record<string, readonly (number | null)[]>>;
}

export interface LogRecord {
  readonly id: number;
  readonly thread: string;
  readonly level: string;
  readonly timestampMs: number;
  readonly message: string;
  readonly fieldsJson?: string;
}

export interface Setting {
  readonly path: string;
  /** Absent if it is not set, and for secrets. */
  readonly value?: string;
  readonly isSecret: boolean;
  readonly isSet: boolean;
  readonly expected: string;
  readonly source: 'default' | 'file' | 'environment';
  readonly file?: string;
  readonly line?: number;
  readonly variable?: string;
  readonly appliesOn: 'reload' | 'restart';
  readonly isPending: boolean;
}

export interface Settings {
  /** Absent: the gateway was started without one. */
  readonly file?: string;
  readonly settings: readonly Setting[];
}

export interface ConfigFindings {
  readonly isValid: boolean;
  readonly findings: readonly { readonly path: string; readonly line?: number; readonly sentence: string }[];
  readonly findingCount: number;
}

export interface ReloadOutcome {
  readonly cameras: {
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
    readonly removed: number;
  };
  readonly applied: readonly string[];
  readonly needsRestart: readonly string[];
}

export function readSystem(signal: AbortSignal): Promise<SystemReport> {
  return call<SystemReport>('console/getSystemState', {}, signal);
}

/** The last hour. `cameraUuid`: null for the gateway's own. */
export function readCounters(cameraUuid: string | null, signal: AbortSignal): Promise<Counters> {
  return call<Counters>('console/getCounters', cameraUuid === null ? {} : { cameraUuid }, signal);
}

/** The newest, oldest first. */
export async function readLog(
  level: string,
  text: string,
  signal: AbortSignal,
): Promise<readonly LogRecord[]> {
  const wanted = { level, limit: 200, ...(text === '' ? {} : { text }) };
  const { records } = await call<{ records: readonly LogRecord[] }>('console/getLogTail', wanted, signal);
  return records;
}

export function readSettings(signal: AbortSignal): Promise<Settings> {
  return call<Settings>('console/getEffectiveConfig', {}, signal);
}

/** Of the file as it is now. */
export function checkConfig(): Promise<ConfigFindings> {
  return call<ConfigFindings>('console/validateConfig');
}

export function reloadConfig(): Promise<ReloadOutcome> {
  return call<ReloadOutcome>('console/reloadConfig');
}

export function makeSupportBundle(): Promise<{ readonly fileName: string; readonly contentBase64: string }> {
  return call('console/createSupportBundle');
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
