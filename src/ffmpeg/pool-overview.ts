/** A worker pool's report about itself, for metrics and for people who ask why something does not play. */

import type { Ruuid } from '../core/ruuid.ts';
import type { Urgency } from '../stream/media/urgency.ts';
import type { WorkerPurpose } from './start-request.ts';

/** A worker that runs, or a start that waits. */
export interface WorkerEntry {
  readonly purpose: WorkerPurpose;
  /** The camera; null: several, or none. */
  readonly cameraUuid: Ruuid | null;
  /** Expected use of processor time. */
  readonly cores: number;
  /** Audio or a conversion, which gives way to other work. */
  readonly isYielding: boolean;
  /** Time since it started to run, or to wait. */
  readonly ageMs: number;
}

export interface WaitingEntry extends WorkerEntry {
  readonly urgency: Urgency;
  /** Starts that are admitted earlier. */
  readonly ahead: number;
  /** The obstacle: all workers are in use, or all cores, or only earlier starts. */
  readonly waitsFor: 'workers' | 'cores' | 'earlier';
}

/** Shown to people who ask why something does not play. */
export interface PoolOverview {
  readonly maxCores: number | null;
  /** The oldest first. */
  readonly running: readonly (WorkerEntry & { readonly pid: number | null })[];
  /** In the order in which they are admitted, as far as it is known. */
  readonly waiting: readonly WaitingEntry[];
}

export interface PoolSample {
  readonly running: number;
  readonly maxWorkers: number;
  /** Expected use of the running ones. */
  readonly cores: number;
  readonly waiting: Readonly<Record<Urgency | 'yielding', number>>;
  /** Started workers and refused starts so far. */
  readonly admitted: number;
  readonly refused: number;
  /** Workers that ended because another organization had less than an equal part. */
  readonly taken: number;
  /** Time that started workers waited, in all. */
  readonly waitedMs: number;
}
