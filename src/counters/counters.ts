/**
 * Counts of shares and viewers. Two implementations, Redis and in-memory, pass one contract suite.
 * Reads never fail: while Redis is unavailable, they are answered from the local twin, which every write reaches as
 * well.
 */

import type { Ruuid } from '../core/ruuid.ts';

/** A share with the devices and the time that it counts toward. */
export interface CountedShare {
  readonly uuid: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly nvrUuid: Ruuid | null;
  /** null: never expires. */
  readonly expiresAtSec: number | null;
}

/** How the connection to Redis is doing. */
export interface CountersConnection {
  readonly isConnected: boolean;
  /** When it was connected or lost. */
  readonly sinceEpochMs: number;
  /** Why it was last lost, or could not be made; null: never. It contains no credentials. */
  readonly lastError: string | null;
}

export interface Counters {
  /** Adds or replaces a share (its camera, NVR and expiration may have changed). Idempotent. */
  putShare(share: CountedShare): Promise<void>;
  removeShare(uuid: Ruuid): Promise<void>;
  /** Unexpired shares of each device (camera or NVR); 0 for unknown ones. Same order as requested. */
  shareCounts(deviceUuids: readonly Ruuid[]): Promise<number[]>;
  /**
   * The truth, from the store: afterwards the counts are exactly those of `shares`. Run at startup and after Redis
   * returns.
   */
  reconcile(shares: readonly CountedShare[]): Promise<void>;

  /** Synchronous and cheap (a map write): called on every media request. Sent to Redis in batches. */
  viewerSeen(shareUuid: Ruuid, viewerId: string): void;
  viewerLeft(shareUuid: Ruuid, viewerId: string): void;
  /** Viewers seen within the viewer timeout, on all nodes. Same order as requested. */
  viewerCounts(shareUuids: readonly Ruuid[]): Promise<number[]>;
  /** The same, from this process's knowledge alone, without waiting. */
  localViewerCount(shareUuid: Ruuid): number;

  /** The connection to Redis; null: there is none to make, all counts are in memory. */
  connection(): CountersConnection | null;
  /** 'up' | 'down' for readiness and metrics; the in-memory twin is always up. */
  status(): 'up' | 'down';
  close(): Promise<void>;
}
