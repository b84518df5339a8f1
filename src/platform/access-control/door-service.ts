/** Doors: reported by the devices that operate them, configured by callers, overridden by rules. */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { firstDifference } from '../../core/first-difference.ts';
import { parseDeviceFacetUuid, type Ruuid } from '../../core/ruuid.ts';
import { type ReportOutcome, reportRecords, type TakenReport } from '../../store/report-records.ts';
import type { ResourcePageQuery, ResourceRepository } from '../../store/resource.ts';
import { type ResourcePage, resourcePage } from '../../store/resource-page.ts';
import type { Store } from '../../store/store.ts';
import {
  ACCESS_STATES,
  type AccessState,
  type AccessStateOverride,
  type Originator,
} from './access-state.ts';
import { DOORS, type Door, type DoorBody, type DoorReport, type DoorSettings, reportOfDoor } from './door.ts';
import { ACCESS_CONTROL_ERRORS } from './errors.ts';

/** A door, as reported by its owner device. Settings count only for a door that was not known before. */
export interface ReportedDoor extends DoorSettings, DoorReport {
  readonly uuid: Ruuid;
  readonly ownerDeviceUuid: Ruuid;
  readonly locationUuid?: Ruuid;
}

/** Absent: not changed. Null, where allowed: cleared. */
export type DoorChanges = Omit<DoorSettings, 'subLocationsHierarchyKey'> & {
  readonly subLocationsHierarchyKey?: string | null;
};

type CameraList = 'associatedCameras' | 'associatedFaceDetectionCameras';

export interface DoorServiceOptions {
  readonly store: Pick<Store, 'resources' | 'cameras' | 'nvrs' | 'schedules'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class DoorService {
  readonly #store: DoorServiceOptions['store'];
  readonly #doors: ResourceRepository<DoorBody>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor({ store, clock }: DoorServiceOptions) {
    this.#store = store;
    this.#doors = store.resources.of(DOORS);
    this.#clock = clock;
  }

  /**
   * Stores at most 1,000 doors. A known door keeps its settings and takes its owner and what only its device knows.
   * Resolves with one outcome per report.
   */
  report(orgUuid: Ruuid, reported: readonly ReportedDoor[]): Promise<ReportOutcome[]> {
    return reportRecords(
      this.#doors,
      orgUuid,
      reported,
      ({ uuid }) => uuid,
      (known, row) => this.#reportedDoor(orgUuid, known, row),
    );
  }

  list(orgUuid: Ruuid): Promise<Door[]> {
    return this.#doors.list(orgUuid);
  }

  /** In the order in which they were first reported. */
  page(orgUuid: Ruuid, query: ResourcePageQuery): Promise<ResourcePage<DoorBody>> {
    return resourcePage(this.#doors, orgUuid, query);
  }

  /** Fails DOOR_OWNER_NOT_FOUND for a device that operates no door and is not known in another way. */
  async findByOwnerDevice(orgUuid: Ruuid, ownerDeviceUuid: Ruuid): Promise<Door[]> {
    const doors = await this.#doors.listByParent(orgUuid, ownerDeviceUuid);
    const isKnown =
      doors.length > 0 ||
      (await this.#store.cameras.find(orgUuid, ownerDeviceUuid)) !== null ||
      (await this.#store.nvrs.find(orgUuid, ownerDeviceUuid)) !== null;
    if (!isKnown)
      throw new GatewayError(ACCESS_CONTROL_ERRORS.DOOR_OWNER_NOT_FOUND, { device: ownerDeviceUuid });
    return doors;
  }

  /** Whether a device operates a door. */
  async isOwner(orgUuid: Ruuid, deviceUuid: Ruuid): Promise<boolean> {
    return (await this.#doors.listByParent(orgUuid, deviceUuid)).length > 0;
  }

  async has(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    return (await this.#doors.find(orgUuid, uuid)) !== null;
  }

  /** null: the door does not exist, or its location is not known. */
  async locationOf(orgUuid: Ruuid, uuid: Ruuid): Promise<Ruuid | null> {
    return (await this.#doors.find(orgUuid, uuid))?.body.locationUuid ?? null;
  }

  /** Fails DOOR_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<Door> {
    const door = await this.#doors.find(orgUuid, uuid);
    if (door === null) throw doorNotFound(uuid);
    return door;
  }

  /**
   * A default state is stored with `originator`, who requests it, and the time. Fails DOOR_NOT_FOUND, DOOR_UNNAMED,
   * DOOR_STATE_UNKNOWN, DOOR_HOLD_TIMES_REVERSED; DOOR_CAMERA_NOT_FOUND and DOOR_SCHEDULE_NOT_FOUND if the organization
   * does not have them.
   */
  async update(orgUuid: Ruuid, uuid: Ruuid, changes: DoorChanges, originator: Originator): Promise<Door> {
    return this.#change(orgUuid, uuid, async (door) => {
      await this.#check(orgUuid, changes);
      const { name, subLocationsHierarchyKey, ...settings } = changes;
      const { subLocationsHierarchyKey: before, ...body } = {
        ...door.body,
        ...settings,
        ...(settings.defaultState !== undefined && {
          defaultAccessStateOriginator: originator,
          defaultAccessStateRequestedAtMillis: this.#clock.epochMs(),
        }),
      };
      checkHoldTimes(body);
      const place = subLocationsHierarchyKey === undefined ? before : subLocationsHierarchyKey;
      return {
        ...door,
        name: name === undefined ? door.name : name.trim(),
        body: { ...body, ...(place == null ? {} : { subLocationsHierarchyKey: place }) },
      };
    });
  }

  /** Overrides the schedule of a door with a state. Fails DOOR_NOT_FOUND. */
  async override(orgUuid: Ruuid, uuid: Ruuid, doorStateOverride: AccessStateOverride): Promise<Door> {
    return this.#change(orgUuid, uuid, async (door) => ({
      ...door,
      body: { ...door.body, doorStateOverride },
    }));
  }

  async #change(orgUuid: Ruuid, uuid: Ruuid, change: (door: Door) => Promise<Door>): Promise<Door> {
    const { after } = await this.#doors.change(orgUuid, uuid, async (door) => {
      if (door === null) throw doorNotFound(uuid);
      return { ...(await change(door)), updatedAtMs: this.#clock.epochMs() };
    });
    if (after === null) throw doorNotFound(uuid);
    return after;
  }

  #reportedDoor(orgUuid: Ruuid, known: Door | null, row: ReportedDoor): TakenReport<DoorBody> {
    const { uuid, ownerDeviceUuid, locationUuid, name, ...given } = row;
    const nowMs = this.#clock.epochMs();
    const base = { uuid, orgUuid, parentUuid: ownerDeviceUuid, secret: null, updatedAtMs: nowMs };
    if (known === null) {
      const body = { ...given, locationUuid: locationUuid ?? null };
      const record = { ...base, name: name ?? '', body, createdAtMs: nowMs };
      return { record, isAccepted: true, kept: null, changed: null };
    }
    const { name: nameBefore, parentUuid: ownerBefore } = known;
    const taken = { ...reportOfDoor(given), ...(locationUuid === undefined ? {} : { locationUuid }) };
    const body = { ...known.body, ...taken };
    return {
      record: { ...base, name: nameBefore, body, createdAtMs: known.createdAtMs },
      isAccepted: false,
      // Accepted values no longer differ from `body`.
      kept: firstDifference({ name, ...given }, { ...body, name: nameBefore }),
      changed: firstDifference(
        { ownerDeviceUuid, ...taken },
        { ...known.body, ownerDeviceUuid: ownerBefore },
      ),
    };
  }

  async #check(orgUuid: Ruuid, changes: DoorChanges): Promise<void> {
    if (changes.name?.trim() === '') throw new GatewayError(ACCESS_CONTROL_ERRORS.DOOR_UNNAMED);
    await this.#checkCameras(orgUuid, 'associatedCameras', changes.associatedCameras);
    await this.#checkCameras(
      orgUuid,
      'associatedFaceDetectionCameras',
      changes.associatedFaceDetectionCameras,
    );
    for (const [state, scheduleUuid] of Object.entries(changes.doorStateToScheduleUuidMap ?? {})) {
      if (!ACCESS_STATES.includes(state as AccessState)) {
        throw new GatewayError(ACCESS_CONTROL_ERRORS.DOOR_STATE_UNKNOWN, { state });
      }
      if ((await this.#store.schedules.find(orgUuid, scheduleUuid)) === null) {
        throw new GatewayError(ACCESS_CONTROL_ERRORS.DOOR_SCHEDULE_NOT_FOUND, { state });
      }
    }
  }

  async #checkCameras(orgUuid: Ruuid, list: CameraList, cameras: readonly string[] = []): Promise<void> {
    if (cameras.length === 0) return;
    const known = new Set((await this.#store.cameras.listRecords(orgUuid)).map(({ uuid }) => uuid));
    for (const [index, camera] of cameras.entries()) {
      const device = parseDeviceFacetUuid(camera);
      if (device === null || !known.has(device.uuid)) {
        throw new GatewayError(ACCESS_CONTROL_ERRORS.DOOR_CAMERA_NOT_FOUND, { list, index });
      }
    }
  }
}

function doorNotFound(uuid: Ruuid): GatewayError {
  return new GatewayError(ACCESS_CONTROL_ERRORS.DOOR_NOT_FOUND, { door: uuid });
}

function checkHoldTimes({
  proximityUnlockSettings: settings,
}: Pick<DoorBody, 'proximityUnlockSettings'>): void {
  const { minHoldUnlockedTimeSec: min, maxHoldUnlockedTimeSec: max } = settings ?? {};
  if (min !== undefined && max !== undefined && min > max) {
    throw new GatewayError(ACCESS_CONTROL_ERRORS.DOOR_HOLD_TIMES_REVERSED);
  }
}
