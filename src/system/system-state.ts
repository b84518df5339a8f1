/** The state of the gateway: plain values, so that threads can pass them on. */

import type { ClusterState } from '../cluster/cluster-state.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { TotalForecast } from '../recording/retention-forecast.ts';
import type { Urgency } from '../stream/media/urgency.ts';
import type { IgnoredSettings } from './console-settings.ts';

export interface ThreadState {
  readonly name: string;
  /** `idle`: it starts when there is work. */
  readonly state: 'running' | 'idle' | 'restarting';
  /** How often it was started; null: not counted. */
  readonly starts: number | null;
  /** Time for which its event loop was busy; null: not known. */
  readonly busySec: number | null;
  /** The size of its JavaScript objects; null: unknown. */
  readonly heapBytes: number | null;
}

/** Memory of one part, in bytes. Parts can contain each other: they do not add up to the whole. */
export interface MemoryPart {
  readonly part: string;
  readonly bytes: number;
}

export interface RedisState {
  readonly isConnected: boolean;
  /** The time since when it has been connected, or unavailable. */
  readonly sinceEpochMs: number;
  /** Why the connection was last lost; null: never. */
  readonly lastError: string | null;
}

export interface DiskState {
  /** The purpose of the folder. */
  readonly use: 'data' | 'recordings';
  readonly folder: string;
  /** null: the folder cannot be read. */
  readonly freeBytes: number | null;
  readonly totalBytes: number | null;
}

/** The certificate of a listener. */
export interface CertificateState {
  readonly listener: string;
  readonly validToEpochMs: number;
  readonly lifetimeMs: number;
  /** Why the newest files are not in use; null: they are. */
  readonly failure: string | null;
  /** null: it comes from files. */
  readonly acme: {
    /** Until the first one is issued, no client trusts the certificate. */
    readonly isSelfSigned: boolean;
    /** How many of the configured domains it is not for. */
    readonly missingDomains: number;
    /** Why the last attempt to get or renew it failed; null: it did not. */
    readonly failure: string | null;
  } | null;
}

/** An ffmpeg process, and its task. */
export interface RunningWorker {
  readonly purpose: WorkerPurpose;
  /** null: several cameras, or none. */
  readonly cameraUuid: Ruuid | null;
  readonly cameraName: string | null;
  /** Cores that it is expected to use. */
  readonly cores: number;
  readonly isYielding: boolean;
  readonly ageMs: number;
  /** null: not known. */
  readonly memoryBytes: number | null;
}

/** A start that waits for room. */
export interface WaitingWorker extends Omit<RunningWorker, 'memoryBytes'> {
  readonly urgency: Urgency;
  readonly ahead: number;
  readonly waitsFor: 'workers' | 'cores' | 'earlier';
}

export type WorkerPurpose = 'camera' | 'h264' | 'mask' | 'past' | 'sound' | 'picture' | 'clip' | 'other';

export interface GatewayState {
  readonly version: string;
  /** In a cluster, `cluster.nodeId`; otherwise another one for each start. */
  readonly nodeId: string;
  readonly hostName: string;
  readonly nodeVersion: string;
  readonly platform: string;
  readonly startedAtEpochMs: number;
  readonly uptimeMs: number;
  /** By how much the wall clock was set since the start, against the monotonic clock. */
  readonly wallClockStepMs: number;
  readonly threads: readonly ThreadState[];
  readonly memory: readonly MemoryPart[];
  /** By connection state of the main stream. */
  readonly cameras: Readonly<Record<string, number>>;
  /** Cameras among the offline ones whose alerts are paused for maintenance. */
  readonly pausedOffline: number;
  /** Cameras whose video was not as they signed it, lately, and those that signed and do not anymore. */
  readonly signatures: { readonly changed: number; readonly stopped: number };
  /** Streams that are open, and have video. */
  readonly openStreams: number;
  readonly liveStreams: number;
  readonly viewers: number;
  readonly workers: {
    readonly running: number;
    readonly maxWorkers: number;
    /** Cores that the running ones are expected to use. */
    readonly cores: number;
    /** Starts that wait, by what for. */
    readonly waiting: Readonly<Record<string, number>>;
    readonly refused: number;
    /** null: no limit. */
    readonly maxCores: number | null;
    readonly active: readonly RunningWorker[];
    /** In the order in which they start, as far as it is known. */
    readonly line: readonly WaitingWorker[];
  };
  /** null: none is configured. */
  readonly redis: RedisState | null;
  /** null: this gateway does not belong to a cluster. */
  readonly cluster: ClusterState | null;
  readonly database: {
    readonly kind: 'sqlite' | 'postgres';
    /** `ok`, or the code of the error. */
    readonly state: string;
    /** null: it cannot be read now. */
    readonly sizeBytes: number | null;
  };
  readonly disks: readonly DiskState[];
  /** Certificates of the listeners with TLS. */
  readonly certificates: readonly CertificateState[];
  /** Why the settings of the console are not in effect; null: they are. */
  readonly ignoredSettings: IgnoredSettings | null;
  readonly recorder: {
    readonly activeStreams: number;
    readonly failedStreams: number;
    /** Files that cannot be listed. */
    readonly unreadableFiles: number;
    readonly waitingBytes: number;
    readonly isUploadFailing: boolean;
    readonly isClipUploadFailing: boolean;
    /** H.264 of recordings cannot be kept on the disk. */
    readonly isH264CacheFailing: boolean;
    /** Bytes that wait for S3. */
    readonly spoolBytes: number;
    readonly spoolAgeSec: number;
    /** Room that recordings leave on the disk. */
    readonly minFreeBytes: number;
    /** On the disk; null: they are in S3, or it cannot be read now. */
    readonly use: {
      readonly recordedBytes: number;
      /** Of these, what legal holds keep. */
      readonly heldBytes: number;
    } | null;
    /** null: nothing was recorded lately, or the store does not respond. */
    readonly forecast: TotalForecast | null;
  };
}

/** A stream of a camera, for the support bundle: without a name or an address. */
export interface BundledStream {
  readonly cameraUuid: Ruuid;
  readonly profile: string;
  readonly state: string;
  readonly sinceEpochMs: number | null;
  readonly reason: string | null;
  readonly code: string | null;
  readonly retryAtEpochMs: number | null;
}

/** `error`: someone must act now. `warning`: something works less well. */
export type FindingSeverity = 'error' | 'warning';

/** Something that is not as it should be, and what to do about it. */
export interface SystemFinding {
  readonly code: string;
  readonly severity: FindingSeverity;
  readonly sentence: string;
  readonly whatToDo: string;
}
