/**
 * Who watches an emergency: a row for each viewer and camera, written when the viewer comes and when it leaves. A player that comes back
 * within a minute continues its row. Runs where the sessions are (docs/design/emergency.md#views).
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { ShareDirectory } from '../sharing/share-directory.ts';
import type { ViewerSession } from '../sharing/viewer-session.ts';
import type { RoomForMore } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { isStoreAway } from '../store/store-away.ts';
import { EMERGENCY_VIEWS, type EmergencyView, MAX_VIEWS_PER_EMERGENCY } from './emergency-records.ts';
import { EMERGENCY_ERRORS } from './errors.ts';

export interface EmergencyViewsOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly directory: Pick<ShareDirectory, 'findEmergencyLink'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The size of the pool; default: as declared. */
  readonly maxViews?: number;
}

export const SAME_VIEW_MS = 60_000;
const RETRY_MS = 5_000;

const full = () => new GatewayError(EMERGENCY_ERRORS.EMERGENCY_VIEWS_FULL);
const ROOMS: readonly RoomForMore[] = [
  { atMost: MAX_VIEWS_PER_EMERGENCY, within: 'parent', full },
  { atMost: LIMITS.emergencyViewRows.perOrganization, within: 'organization', full },
];

interface Held {
  row: EmergencyView;
  sessions: number;
  endedMonoMs: number;
  readonly giveBack: () => void;
}

export class EmergencyViews {
  readonly #options: EmergencyViewsOptions;
  readonly #room: Pool<typeof LIMITS.emergencyViews>;
  /** By share of the camera and viewer. */
  readonly #held = new Map<string, Held>();
  readonly #unwritten = new Set<Held>();
  #writing: Promise<void> | null = null;
  #timer: TimerHandle | null = null;

  constructor(options: EmergencyViewsOptions) {
    this.#options = options;
    this.#room = new Pool(LIMITS.emergencyViews, options.maxViews);
  }

  /** As in ViewerObserver. */
  sessionBegan(session: ViewerSession): void {
    const { wallShareUuid, orgUuid, isProbe } = session;
    if (wallShareUuid === null || isProbe) return;
    const link = this.#options.directory.findEmergencyLink(wallShareUuid);
    if (link === undefined) return;
    const { clock } = this.#options;
    this.#forgetOld();
    const key = keyOf(session);
    const known = this.#held.get(key);
    if (known !== undefined) {
      known.sessions++;
      if (known.row.body.untilMs !== null) this.#set(known, null);
      return;
    }
    const place = this.#room.take({ organization: orgUuid });
    if (!place.isTaken) {
      this.#options.log.warn({ orgUuid, emergency: link.emergencyUuid }, 'view of an emergency not recorded');
      return;
    }
    const nowMs = clock.epochMs();
    const { start, deviceUuid } = session;
    const row: EmergencyView = {
      uuid: newRuuid(),
      orgUuid,
      name: '',
      parentUuid: link.emergencyUuid,
      secret: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      body: {
        recipientUuid: wallShareUuid,
        cameraUuid: deviceUuid,
        address: start.address,
        userAgent: start.userAgent,
        fromMs: start.atEpochMs,
        untilMs: null,
      },
    };
    const held = { row, sessions: 1, endedMonoMs: 0, giveBack: place.giveBack };
    this.#held.set(key, held);
    this.#wake(held);
  }

  /** As in ViewerObserver. Its link may be gone. */
  sessionEnded(session: ViewerSession): void {
    if (session.wallShareUuid === null) return;
    const known = this.#held.get(keyOf(session));
    if (known === undefined) return;
    known.sessions--;
    if (known.sessions > 0) return;
    known.endedMonoMs = this.#options.clock.monoMs();
    this.#set(known, Math.max(known.row.body.fromMs, this.#options.clock.epochMs()));
  }

  /** Resolves when everything so far is written, or the store did not take it. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  /** Those who watch are written as watching: their sessions end with the process. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    for (const known of this.#held.values()) {
      if (known.sessions > 0) this.#set(known, this.#options.clock.epochMs());
    }
    await this.settled();
    this.#timer?.cancel();
  }

  #set(known: Held, untilMs: number | null): void {
    known.row = {
      ...known.row,
      updatedAtMs: this.#options.clock.epochMs(),
      body: { ...known.row.body, untilMs },
    };
    this.#wake(known);
  }

  #wake(held?: Held): void {
    if (held !== undefined) this.#unwritten.add(held);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  async #write(): Promise<void> {
    const { store, clock, log } = this.#options;
    const rows = store.resources.of(EMERGENCY_VIEWS);
    for (const next of this.#unwritten) {
      this.#unwritten.delete(next);
      try {
        const { row } = next;
        await rows.change(row.orgUuid, row.uuid, () => row, ROOMS);
      } catch (thrown) {
        if (!isStoreAway(thrown)) {
          const facts = { err: toGatewayError(thrown), emergency: next.row.parentUuid };
          log.warn(facts, 'view of an emergency not recorded');
          continue;
        }
        this.#unwritten.add(next);
        log.warn({ err: toGatewayError(thrown) }, 'view of an emergency not stored, trying again');
        this.#timer?.cancel();
        this.#timer = clock.after(RETRY_MS, () => this.#wake());
        return;
      }
    }
  }

  /** They came back no more. */
  #forgetOld(): void {
    const nowMonoMs = this.#options.clock.monoMs();
    for (const [key, held] of this.#held) {
      if (held.sessions > 0 || this.#unwritten.has(held)) continue;
      if (nowMonoMs - held.endedMonoMs < SAME_VIEW_MS) continue;
      this.#held.delete(key);
      held.giveBack();
    }
  }
}

function keyOf({ audienceUuid, grant }: ViewerSession): string {
  return `${audienceUuid} ${grant.viewerId}`;
}
