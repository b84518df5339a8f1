/**
 * Cameras under maintenance: for a while, no one gets alerts about them. Their alerts are refused like those of a policy's pause, and their
 * connections are recorded, but in no mail, no webhook, and no finding. What is shown as their state stays true.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { CAMERA_PAUSES, type CameraPauseBody } from '../store/camera-pause.ts';
import type { StoredEvent } from '../store/event.ts';
import type { ResourceRepository } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { EVENT_ERRORS } from './errors.ts';
import type { DeviceHealthBody } from './unhealthy-device.ts';

/** A pause that someone forgets must not hide a camera for good. */
export const MAX_CAMERA_PAUSE_MS = 31 * 86_400_000;

export interface CameraPause extends CameraPauseBody {
  readonly cameraUuid: Ruuid;
}

export interface CameraPausesOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class CameraPauses {
  readonly #rows: ResourceRepository<CameraPauseBody>;
  readonly #clock: CameraPausesOptions['clock'];

  constructor({ store, clock }: CameraPausesOptions) {
    this.#rows = store.resources.of(CAMERA_PAUSES);
    this.#clock = clock;
  }

  /** Those that are in effect; the one that ends first comes first. */
  async list(orgUuid: Ruuid): Promise<CameraPause[]> {
    const nowMs = this.#clock.epochMs();
    return (await this.#rows.list(orgUuid))
      .filter(({ body }) => isPausedAt(body, nowMs))
      .map(({ uuid, body }) => ({ ...body, cameraUuid: uuid }))
      .sort((a, b) => a.untilMs - b.untilMs);
  }

  /**
   * From now on until `untilMs`; undefined: for `durationMs`. If the camera is paused already, the end moves, in either direction. The
   * camera must exist. Fails CAMERA_PAUSE_OVER, CAMERA_PAUSE_TOO_LONG.
   */
  async pause(
    { orgUuid, uuid, name }: { readonly orgUuid: Ruuid; readonly uuid: Ruuid; readonly name: string },
    end: { readonly untilMs: number | undefined; readonly durationMs: number },
    pausedBy: string,
  ): Promise<CameraPause> {
    const nowMs = this.#clock.epochMs();
    const untilMs = end.untilMs ?? nowMs + end.durationMs;
    if (untilMs <= nowMs) throw new GatewayError(EVENT_ERRORS.CAMERA_PAUSE_OVER);
    if (untilMs - nowMs > MAX_CAMERA_PAUSE_MS) throw new GatewayError(EVENT_ERRORS.CAMERA_PAUSE_TOO_LONG);
    const { after } = await this.#rows.change(orgUuid, uuid, (known) => {
      const fromMs = known !== null && isPausedAt(known.body, nowMs) ? known.body.fromMs : nowMs;
      return {
        uuid,
        orgUuid,
        name,
        parentUuid: uuid,
        secret: null,
        body: { fromMs, untilMs, pausedBy },
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    });
    return { ...after!.body, cameraUuid: uuid };
  }

  /** Ends it now, if it is in effect. */
  async end(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<void> {
    const nowMs = this.#clock.epochMs();
    await this.#rows.change(orgUuid, cameraUuid, (known) =>
      known === null || !isPausedAt(known.body, nowMs)
        ? 'unchanged'
        : { ...known, body: { ...known.body, untilMs: nowMs }, updatedAtMs: nowMs },
    );
  }
}

/** Whether the camera was paused at the time. */
export type IsCameraPaused = (cameraUuid: Ruuid, atMs: number) => boolean;

/** Pauses of the organization, as far as they are stored. */
export async function cameraPausesOf(
  store: Pick<Store, 'resources'>,
  orgUuid: Ruuid,
): Promise<IsCameraPaused> {
  const rows = await store.resources.of(CAMERA_PAUSES).list(orgUuid);
  const pauses = new Map(rows.map(({ uuid, body }) => [uuid, body]));
  return (cameraUuid, atMs) => {
    const pause = pauses.get(cameraUuid);
    return pause !== undefined && isPausedAt(pause, atMs);
  };
}

/** Cameras of all organizations that are paused at the time. */
export async function pausedCameras(
  store: Pick<Store, 'resources'>,
  atMs: number,
): Promise<ReadonlySet<Ruuid>> {
  const rows = await store.resources.of(CAMERA_PAUSES).listEverywhere();
  return new Set(rows.filter(({ body }) => isPausedAt(body, atMs)).map(({ uuid }) => uuid));
}

/** The events that others may be told of: all except the connections of cameras while these were paused. */
export async function toldEvents(
  store: Pick<Store, 'resources'>,
  events: readonly StoredEvent[],
): Promise<readonly StoredEvent[]> {
  const pausesByOrg = new Map<Ruuid, IsCameraPaused>();
  const told: StoredEvent[] = [];
  for (const event of events) {
    const { kind, orgUuid, deviceUuid, atMs, body } = event;
    if (kind === 'deviceHealth' && (body as DeviceHealthBody).isAfterPause !== true) {
      const isPaused = pausesByOrg.get(orgUuid) ?? (await cameraPausesOf(store, orgUuid));
      pausesByOrg.set(orgUuid, isPaused);
      if (isPaused(deviceUuid, atMs)) continue;
    }
    told.push(event);
  }
  return told;
}

function isPausedAt({ fromMs, untilMs }: CameraPauseBody, atMs: number): boolean {
  return atMs >= fromMs && atMs < untilMs;
}
