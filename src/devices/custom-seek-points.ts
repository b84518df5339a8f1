/**
 * Custom seek points: moments of a camera's footage that someone named, with a color and a description. Each is a
 * resource whose parent is the camera; its name is the resource's.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import {
  type ResourceKind,
  type ResourceRepository,
  type RoomForMore,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { DEVICE_ERRORS } from './errors.ts';

export const SEEK_POINT_COLORS = ['BLUE', 'RED', 'PURPLE', 'TAN', 'ORANGE', 'TEAL', 'GRAY', 'BLACK'] as const;
export type SeekPointColor = (typeof SEEK_POINT_COLORS)[number];

/** Per camera: each listing reads all of a camera's. */
export const MAX_SEEK_POINTS_PER_CAMERA = 1_000;
/** In one response. */
export const MAX_FOUND_SEEK_POINTS = 20_000;

export interface SeekPointBody {
  /** Epoch milliseconds. */
  readonly timestampMs: number;
  readonly description: string;
  /** null: not chosen. */
  readonly color: SeekPointColor | null;
  /** Whether players should show it over the video. */
  readonly displayOverlay: boolean;
}

export interface CustomSeekPoint extends SeekPointBody {
  readonly name: string;
}

export interface FoundSeekPoint extends CustomSeekPoint {
  readonly uuid: Ruuid;
  readonly cameraUuid: Ruuid;
  /** The camera's location. */
  readonly locationUuid: Ruuid | null;
}

/** Which points of a camera are meant. */
export interface SeekPointFilter {
  /** Half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  /** By their names and descriptions; absent: all. */
  readonly isWanted?: (point: CustomSeekPoint) => boolean;
}

export interface SeekPointQuery extends SeekPointFilter {
  /** Empty: all cameras; those that do not exist have no points. */
  readonly cameraUuids: readonly Ruuid[];
  /** Empty: wherever they are. */
  readonly locationUuids: readonly Ruuid[];
}

export const CUSTOM_SEEK_POINTS: ResourceKind<SeekPointBody> = resourceKind('seekPoint');

const ROOMS: readonly RoomForMore[] = [
  { atMost: MAX_SEEK_POINTS_PER_CAMERA, within: 'parent', full },
  { atMost: LIMITS.seekPoints.perOrganization, within: 'organization', full },
];

export interface CustomSeekPointsOptions {
  readonly store: Pick<Store, 'cameras' | 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class CustomSeekPoints {
  readonly #store: CustomSeekPointsOptions['store'];
  readonly #points: ResourceRepository<SeekPointBody>;
  readonly #clock: CustomSeekPointsOptions['clock'];

  constructor({ store, clock }: CustomSeekPointsOptions) {
    this.#store = store;
    this.#points = store.resources.of(CUSTOM_SEEK_POINTS);
    this.#clock = clock;
  }

  /**
   * A point with the time and the name of a known one replaces it. All or none, unless others are added at the same
   * time. The camera must exist. Fails SEEK_POINTS_FULL.
   */
  async add(orgUuid: Ruuid, cameraUuid: Ruuid, points: readonly CustomSeekPoint[]): Promise<void> {
    const known = await this.#points.listByParent(orgUuid, cameraUuid);
    const all = new Set(known.map(({ uuid }) => uuid));
    for (const point of points) all.add(seekPointUuid(cameraUuid, point));
    if (all.size > MAX_SEEK_POINTS_PER_CAMERA) throw full();
    const ofOrg = (await this.#points.count(orgUuid)) + all.size - known.length;
    if (all.size > known.length && ofOrg > LIMITS.seekPoints.perOrganization) throw full();
    for (const point of points) await this.#put(orgUuid, cameraUuid, point);
    // The camera may have been deleted with its points in the meantime.
    if ((await this.#store.cameras.find(orgUuid, cameraUuid)) !== null) return;
    for (const { uuid } of await this.#points.listByParent(orgUuid, cameraUuid)) {
      await this.#points.remove(orgUuid, uuid);
    }
    throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND, { camera: cameraUuid });
  }

  /** In the order of their times. */
  async ofCamera(orgUuid: Ruuid, cameraUuid: Ruuid, filter: SeekPointFilter): Promise<CustomSeekPoint[]> {
    return (await this.#matching(orgUuid, cameraUuid, filter))
      .map(({ name, body }) => ({ ...body, name }))
      .sort(byTime);
  }

  /** In the order of their times. Fails SEEK_POINTS_TOO_MANY. */
  async find(orgUuid: Ruuid, query: SeekPointQuery): Promise<FoundSeekPoint[]> {
    const { cameraUuids, locationUuids } = query;
    const requested = new Set(cameraUuids);
    const places = new Set<Ruuid | null>(locationUuids);
    const found: FoundSeekPoint[] = [];
    for (const { uuid, locationUuid, mummified } of await this.#store.cameras.listRecords(orgUuid)) {
      if (mummified || (requested.size > 0 && !requested.has(uuid))) continue;
      if (places.size > 0 && !places.has(locationUuid)) continue;
      for (const point of await this.ofCamera(orgUuid, uuid, query)) {
        found.push({ ...point, uuid: seekPointUuid(uuid, point), cameraUuid: uuid, locationUuid });
      }
      if (found.length > MAX_FOUND_SEEK_POINTS) throw new GatewayError(DEVICE_ERRORS.SEEK_POINTS_TOO_MANY);
    }
    return found.sort(byTime);
  }

  /** Resolves with how many there were. */
  async remove(orgUuid: Ruuid, cameraUuid: Ruuid, filter: SeekPointFilter): Promise<number> {
    const points = await this.#matching(orgUuid, cameraUuid, filter);
    for (const { uuid } of points) await this.#points.remove(orgUuid, uuid);
    return points.length;
  }

  async #matching(
    orgUuid: Ruuid,
    cameraUuid: Ruuid,
    { fromMs, toMs, isWanted = () => true }: SeekPointFilter,
  ) {
    return (await this.#points.listByParent(orgUuid, cameraUuid)).filter(
      ({ name, body }) =>
        body.timestampMs >= fromMs && body.timestampMs < toMs && isWanted({ ...body, name }),
    );
  }

  async #put(orgUuid: Ruuid, cameraUuid: Ruuid, { name, ...body }: CustomSeekPoint): Promise<void> {
    const uuid = seekPointUuid(cameraUuid, { name, ...body });
    const nowMs = this.#clock.epochMs();
    await this.#points.change(
      orgUuid,
      uuid,
      (known) =>
        known !== null && isSame(known.body, body)
          ? 'unchanged'
          : {
              uuid,
              orgUuid,
              name,
              parentUuid: cameraUuid,
              body,
              secret: null,
              createdAtMs: known?.createdAtMs ?? nowMs,
              updatedAtMs: nowMs,
            },
      ROOMS,
    );
  }
}

function full(): GatewayError {
  return new GatewayError(DEVICE_ERRORS.SEEK_POINTS_FULL);
}

function seekPointUuid(cameraUuid: Ruuid, { timestampMs, name }: CustomSeekPoint): Ruuid {
  return deriveRuuid('seek point', `${cameraUuid} ${timestampMs} ${name}`);
}

function isSame(one: SeekPointBody, other: SeekPointBody): boolean {
  const { description, color, displayOverlay } = one;
  return (
    description === other.description && color === other.color && displayOverlay === other.displayOverlay
  );
}

function byTime(one: CustomSeekPoint, other: CustomSeekPoint): number {
  return one.timestampMs - other.timestampMs || (one.name < other.name ? -1 : 1);
}
