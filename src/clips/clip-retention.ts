/**
 * How long clips are kept, and how much of them: their own limits, whatever happens to recordings. Of several gateways on one
 * database, one sweeps at a time: two that count the same clips as too many would delete others than those.
 */

import { CautiousClock } from '../core/cautious-clock.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { eachAlone } from '../core/each-alone.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { SAVED_CLIPS } from '../events/saved-clips.ts';
import { HeldLease } from '../store/held-lease.ts';
import type { LeaseRepository } from '../store/lease.ts';
import { HOLDS, type HoldBody, heldClips } from '../store/recording-hold.ts';
import type { Resource, ResourceStore } from '../store/resource.ts';
import { CLIP_FILES, type ClipFile } from './clip-records.ts';

export interface ClipLimits {
  /** Time since the clip was made. */
  readonly keepMs: number;
  /** Bytes of all clips; null: no limit. */
  readonly maxBytes: number | null;
}

export interface ClipRetentionOptions {
  readonly resources: ResourceStore;
  readonly leases: LeaseRepository;
  readonly limits: ClipLimits;
  /** Limits for clips of alerts that were not saved. */
  readonly alertLimits: ClipLimits;
  readonly clock: Clock;
  readonly log: Log;
  /** Deletes a saved clip, or what an alert has; its files follow. Rejects like the store. */
  readonly remove: (clip: KeptClip) => Promise<void>;
  /** Tries again to delete files of clips that are gone. Default: none is left. Never rejects. */
  readonly deleteAgain?: () => Promise<void>;
}

export const SWEEP_INTERVAL_MS = 3_600_000;
/** Delay after clips that no caller ordered: between two sweeps, they cannot fill the disk. */
export const SWEEP_SOON_MS = 60_000;
const LEASE_NAME = 'clips/retention';
/** As many as the store reads in one call. */
const CHUNK_CLIPS = 1_000;

export interface KeptClip {
  readonly orgUuid: Ruuid;
  readonly clipUuid: Ruuid;
  readonly madeAtMs: number;
  readonly byteLength: number;
  /** The alert that lists it; null: it was ordered or handed over. */
  readonly alertUuid: Ruuid | null;
}

export class ClipRetention {
  readonly #owner = newRuuid();
  readonly #options: ClipRetentionOptions;
  readonly #wallClock: CautiousClock;
  #timer: TimerHandle | null = null;
  #soon: TimerHandle | null = null;
  #sweeping: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: ClipRetentionOptions) {
    this.#options = options;
    this.#wallClock = new CautiousClock(options.clock);
  }

  /** Looks now, and every hour. */
  begin(): void {
    this.#sweeping = this.#sweepInTurn()
      .catch((thrown) => this.#options.log.error({ err: toGatewayError(thrown) }, 'clips not looked through'))
      .finally(() => {
        if (this.#isClosed) return;
        this.#timer?.cancel();
        this.#timer = this.#options.clock.after(SWEEP_INTERVAL_MS, () => this.begin());
      });
  }

  /** A clip was made that no caller ordered: sweeps within a minute. */
  beginSoon(): void {
    if (this.#isClosed || this.#soon !== null) return;
    this.#soon = this.#options.clock.after(SWEEP_SOON_MS, () => {
      this.#soon = null;
      this.#sweeping = this.#sweeping.then(() => this.begin());
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#soon?.cancel();
    await this.#sweeping;
  }

  async #sweepInTurn(): Promise<void> {
    const { leases, clock } = this.#options;
    const lease = await HeldLease.take(leases, LEASE_NAME, this.#owner, clock);
    // The other one may not see a clip that was made a moment ago.
    if (lease === null) {
      this.beginSoon();
      return;
    }
    try {
      await this.sweep(lease);
    } finally {
      await lease.release();
    }
  }

  /** Ends when the lease is lost. Rejects like the store. A clip that cannot be deleted is left for the next sweep. */
  async sweep({ lost }: Pick<HeldLease, 'lost'>): Promise<void> {
    const { resources, limits, alertLimits, log, remove, deleteAgain } = this.#options;
    const held = heldOf(await resources.of(HOLDS).listEverywhere());
    const all = clipsOf(await resources.of(CLIP_FILES).listEverywhere());
    const clips = all.filter(({ clipUuid }) => !held.has(clipUuid));
    const saved = await this.#savedOf(clips.filter(({ alertUuid }) => alertUuid !== null));
    const { ofAlerts = [], wanted = [] } = Object.groupBy(clips, ({ alertUuid, clipUuid }) =>
      alertUuid === null || saved.has(clipUuid) ? 'wanted' : 'ofAlerts',
    );
    const nowMs = this.#wallClock.epochMs();
    const gone = [...clipsToDelete(ofAlerts, alertLimits, nowMs), ...clipsToDelete(wanted, limits, nowMs)];
    const removed = async (clip: KeptClip): Promise<void> => {
      if (this.#isClosed || lost.aborted) return;
      await remove(clip);
      log.info({ clip: clip.clipUuid, alert: clip.alertUuid }, 'clip deleted by its age or size');
    };
    await eachAlone(gone, removed, ({ clipUuid }, thrown) => {
      log.error({ clip: clipUuid, err: toGatewayError(thrown) }, 'clip not deleted, trying again');
    });
    await deleteAgain?.();
  }

  /** Deletes the oldest clips of an organization, until about `byteLength` is free. Rejects like the store. */
  async makeRoom(orgUuid: Ruuid, byteLength: number): Promise<void> {
    const { resources, log, remove } = this.#options;
    const held = await heldClips(resources, orgUuid);
    const oldestFirst = clipsOf(await resources.of(CLIP_FILES).list(orgUuid)).sort(
      (a, b) => a.madeAtMs - b.madeAtMs,
    );
    let left = byteLength;
    for (const clip of oldestFirst) {
      if (left <= 0 || this.#isClosed) return;
      if (held.has(clip.clipUuid)) continue;
      await remove(clip);
      left -= clip.byteLength;
      log.info({ clip: clip.clipUuid, alert: clip.alertUuid }, 'clip deleted, disk nearly full');
    }
  }

  /** Those that someone saved: clips of alerts have their alert's, until then. */
  async #savedOf(clips: readonly KeptClip[]): Promise<ReadonlySet<Ruuid>> {
    const saved = new Set<Ruuid>();
    for (const [orgUuid, ofOrg] of Map.groupBy(clips, (clip) => clip.orgUuid)) {
      for (let start = 0; start < ofOrg.length; start += CHUNK_CLIPS) {
        const uuids = ofOrg.slice(start, start + CHUNK_CLIPS).map(({ clipUuid }) => clipUuid);
        const found = await this.#options.resources
          .of(SAVED_CLIPS)
          .changeAll(orgUuid, uuids, () => 'unchanged');
        for (const { before } of found) if (before !== null) saved.add(before.uuid);
      }
    }
    return saved;
  }
}

function heldOf(holds: readonly Resource<HoldBody>[]): ReadonlySet<Ruuid> {
  return new Set(holds.flatMap(({ body }) => body.clipUuid ?? []));
}

/** A clip is as old as its newest file. */
function clipsOf(files: readonly ClipFile[]): KeptClip[] {
  const clips = new Map<Ruuid, KeptClip>();
  for (const { orgUuid, parentUuid: clipUuid, createdAtMs, body } of files) {
    if (clipUuid === null) continue;
    const known = clips.get(clipUuid);
    clips.set(clipUuid, {
      orgUuid,
      clipUuid,
      madeAtMs: Math.max(createdAtMs, known?.madeAtMs ?? 0),
      byteLength: body.byteLength + (body.image?.byteLength ?? 0) + (known?.byteLength ?? 0),
      alertUuid: body.alertUuid ?? null,
    });
  }
  return [...clips.values()];
}

/**
 * Clips that are too old, the oldest first, and then as many as exceed the limit: each time the oldest of the organization that
 * has most, so that an organization does not lose clips because another one makes more.
 */
export function clipsToDelete(
  clips: readonly KeptClip[],
  { keepMs, maxBytes }: ClipLimits,
  nowMs: number,
): KeptClip[] {
  const oldestFirst = clips.toSorted((a, b) => a.madeAtMs - b.madeAtMs);
  const { gone = [], kept = [] } = Object.groupBy(oldestFirst, ({ madeAtMs }) =>
    nowMs - madeAtMs > keepMs ? 'gone' : 'kept',
  );
  return maxBytes === null ? gone : [...gone, ...excessOf(kept, maxBytes)];
}

function excessOf(oldestFirst: readonly KeptClip[], maxBytes: number): KeptClip[] {
  const queues = [...Map.groupBy(oldestFirst, ({ orgUuid }) => orgUuid).values()].map((own) => ({
    left: own.values(),
    bytes: bytesOf(own),
  }));
  let bytes = bytesOf(oldestFirst);
  const gone: KeptClip[] = [];
  while (bytes > maxBytes) {
    const largest = queues.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    const oldest = largest.left.next().value;
    if (oldest === undefined) break;
    gone.push(oldest);
    largest.bytes -= oldest.byteLength;
    bytes -= oldest.byteLength;
  }
  return gone;
}

function bytesOf(clips: readonly KeptClip[]): number {
  return clips.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
