/**
 * Floor plans of locations, and where cameras are on them. A plan is one image. Each camera has its own record, so two
 * people who move two cameras do not undo each other's move.
 */

import { cleanJpeg } from '../codec/jpeg/clean-jpeg.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  type RoomForMore,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { DEVICE_ERRORS } from './errors.ts';

/** As base64, with the rest of a call, below the largest body. */
export const MAX_PLAN_BYTES = 700_000;
export const MAX_PLAN_SIDE_PX = 4_096;

/** Where a camera is, and what it sees. */
export interface PlanPlace {
  /** Share of the plan's width from the left, 0 to 1. */
  readonly x: number;
  /** Share of its height from the top. */
  readonly y: number;
  /** Where it looks, clockwise from the top of the plan. */
  readonly directionDeg: number;
  /** How wide it sees. */
  readonly angleDeg: number;
  /** How far it sees, as a share of the plan's width. */
  readonly reach: number;
}

export interface PlacedCamera extends PlanPlace {
  readonly cameraUuid: Ruuid;
}

export interface FloorPlan {
  /** A JPEG; null: none was set. */
  readonly image: PlanImage | null;
  readonly cameras: readonly PlacedCamera[];
}

export interface PlanImage {
  readonly jpegBase64: string;
  readonly widthPx: number;
  readonly heightPx: number;
}

interface PlaceBody extends PlanPlace {
  readonly locationUuid: Ruuid;
}

/** Removed with their location, in the same transaction. */
const PLANS: ResourceKind<PlanImage> = resourceKind('floorPlan');
/** Removed with their camera. */
export const PLAN_PLACES: ResourceKind<PlaceBody> = resourceKind('planPlace');

const ROOM_FOR_PLANS: RoomForMore = {
  atMost: LIMITS.floorPlans.perOrganization,
  within: 'organization',
  full: () => new GatewayError(DEVICE_ERRORS.TOO_MANY_FLOOR_PLANS),
};
/** One for each camera is enough; removed cameras keep none. */
const ROOM_FOR_PLACES: RoomForMore = {
  atMost: LIMITS.planPlaces.perOrganization,
  within: 'organization',
  full: () => new GatewayError(DEVICE_ERRORS.TOO_MANY_PLAN_PLACES),
};

export interface FloorPlansOptions {
  readonly store: Pick<Store, 'cameras' | 'locations' | 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class FloorPlans {
  readonly #store: FloorPlansOptions['store'];
  readonly #plans: ResourceRepository<PlanImage>;
  readonly #places: ResourceRepository<PlaceBody>;
  readonly #clock: FloorPlansOptions['clock'];

  constructor({ store, clock }: FloorPlansOptions) {
    this.#store = store;
    this.#plans = store.resources.of(PLANS);
    this.#places = store.resources.of(PLAN_PLACES);
    this.#clock = clock;
  }

  /** With the cameras that were placed there. Fails LOCATION_NOT_FOUND. */
  async find(orgUuid: Ruuid, locationUuid: Ruuid): Promise<FloorPlan> {
    await this.#expectLocation(orgUuid, locationUuid);
    const [plan, places] = await Promise.all([
      this.#plans.find(orgUuid, planUuid(locationUuid)),
      this.#places.list(orgUuid),
    ]);
    const cameras = places
      .filter(({ body }) => body.locationUuid === locationUuid)
      .map(({ parentUuid, body: { locationUuid: _, ...place } }) => ({ ...place, cameraUuid: parentUuid! }));
    return { image: plan?.body ?? null, cameras };
  }

  /** `image`: of someone else. Fails LOCATION_NOT_FOUND, PLAN_IMAGE_INVALID, PLAN_IMAGE_TOO_LARGE, TOO_MANY_FLOOR_PLANS. */
  async setImage(orgUuid: Ruuid, locationUuid: Ruuid, image: Buffer): Promise<void> {
    await this.#expectLocation(orgUuid, locationUuid);
    const body = checkedImage(image);
    const record = { uuid: planUuid(locationUuid), orgUuid, parentUuid: locationUuid, body };
    await this.#put(this.#plans, record, ROOM_FOR_PLANS);
    // The location may have been deleted in the meantime.
    if ((await this.#store.locations.find(orgUuid, locationUuid)) === null) {
      await this.#plans.remove(orgUuid, planUuid(locationUuid));
      throw locationNotFound(locationUuid);
    }
  }

  /** The places of cameras stay, for another image. Does nothing if there is none. */
  async removeImage(orgUuid: Ruuid, locationUuid: Ruuid): Promise<void> {
    await this.#expectLocation(orgUuid, locationUuid);
    await this.#plans.remove(orgUuid, planUuid(locationUuid));
  }

  /**
   * The places of cameras on the plan of a location that was deleted. A place that a failure leaves here is on no plan, and is replaced
   * when its camera is placed again.
   */
  async removePlaces(orgUuid: Ruuid, locationUuid: Ruuid): Promise<void> {
    for (const { uuid, body } of await this.#places.list(orgUuid)) {
      if (body.locationUuid === locationUuid) await this.#places.remove(orgUuid, uuid);
    }
  }

  /** A camera is on one plan at most: it leaves that of another location. Fails LOCATION_NOT_FOUND, CAMERA_NOT_FOUND. */
  async place(orgUuid: Ruuid, locationUuid: Ruuid, cameraUuid: Ruuid, place: PlanPlace): Promise<void> {
    await this.#expectLocation(orgUuid, locationUuid);
    await this.#expectCamera(orgUuid, cameraUuid);
    const uuid = placeUuid(cameraUuid);
    const record = { uuid, orgUuid, parentUuid: cameraUuid, body: { ...place, locationUuid } };
    await this.#put(this.#places, record, ROOM_FOR_PLACES);
    // The camera may have been deleted with its place in the meantime.
    if (await this.#hasCamera(orgUuid, cameraUuid)) return;
    await this.#places.remove(orgUuid, uuid);
    throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND, { camera: cameraUuid });
  }

  /** Does nothing if it is on no plan. Fails CAMERA_NOT_FOUND. */
  async unplace(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<void> {
    await this.#expectCamera(orgUuid, cameraUuid);
    await this.#places.remove(orgUuid, placeUuid(cameraUuid));
  }

  /** Creates the record, or replaces what it says. */
  async #put<Body extends object>(
    repository: ResourceRepository<Body>,
    record: Pick<Resource<Body>, 'uuid' | 'orgUuid' | 'parentUuid' | 'body'>,
    room: RoomForMore,
  ): Promise<void> {
    const nowMs = this.#clock.epochMs();
    const made = { ...record, name: '', secret: null, updatedAtMs: nowMs };
    await repository.change(
      record.orgUuid,
      record.uuid,
      (known) => ({ ...made, createdAtMs: known?.createdAtMs ?? nowMs }),
      room,
    );
  }

  async #expectLocation(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    if ((await this.#store.locations.find(orgUuid, uuid)) === null) throw locationNotFound(uuid);
  }

  async #expectCamera(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<void> {
    if (!(await this.#hasCamera(orgUuid, cameraUuid))) {
      throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND, { camera: cameraUuid });
    }
  }

  async #hasCamera(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<boolean> {
    const camera = await this.#store.cameras.find(orgUuid, cameraUuid);
    return camera !== null && !camera.mummified;
  }
}

function checkedImage(image: Buffer): PlanImage {
  if (image.length > MAX_PLAN_BYTES) throw new GatewayError(DEVICE_ERRORS.PLAN_IMAGE_TOO_LARGE);
  const clean = cleanJpeg(image);
  if (clean === null) throw new GatewayError(DEVICE_ERRORS.PLAN_IMAGE_INVALID);
  const { bytes, widthPx, heightPx } = clean;
  if (Math.max(widthPx, heightPx) > MAX_PLAN_SIDE_PX) {
    throw new GatewayError(DEVICE_ERRORS.PLAN_IMAGE_TOO_LARGE);
  }
  return { jpegBase64: bytes.toString('base64'), widthPx, heightPx };
}

function locationNotFound(location: Ruuid): GatewayError {
  return new GatewayError(DEVICE_ERRORS.LOCATION_NOT_FOUND, { location });
}

function planUuid(locationUuid: Ruuid): Ruuid {
  return deriveRuuid('floor plan', locationUuid);
}

function placeUuid(cameraUuid: Ruuid): Ruuid {
  return deriveRuuid('plan place', cameraUuid);
}
