/**
 * NVRs that are announced but not used yet. An announced NVR becomes one when the first camera is assigned to it; its
 * UUID stays.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import type { Nvr } from '../store/entities.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import type { DeviceService } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';

/** The name is the resource's; the Wi-Fi keys are its secret, a JSON list. */
export interface PendingRegistrationBody {
  readonly serialNumber: string;
  readonly locationUuid: Ruuid | null;
  readonly policyUuid: Ruuid | null;
  readonly wifiSsid: string | null;
}

export const PENDING_REGISTRATIONS: ResourceKind<PendingRegistrationBody> =
  resourceKind('pendingRegistration');
export type PendingRegistration = Resource<PendingRegistrationBody>;

export interface NewRegistration {
  readonly serialNumber: string;
  readonly locationUuid: Ruuid | null;
  readonly wifiSsid: string | null;
  readonly wifiPsk: readonly string[];
}

/** Absent: not changed. */
export interface RegistrationChanges {
  readonly name?: string | undefined;
  readonly locationUuid?: Ruuid | undefined;
  readonly policyUuid?: Ruuid | undefined;
}

export interface PendingRegistrationsOptions {
  readonly store: Pick<Store, 'nvrs' | 'resources'>;
  readonly devices: DeviceService;
  readonly clock: Clock;
}

const MAX_REGISTRATIONS_PER_ORG = LIMITS.pendingRegistrations.perOrganization;

export class PendingRegistrations {
  readonly #options: PendingRegistrationsOptions;
  readonly #repository: ResourceRepository<PendingRegistrationBody>;
  /** Changes of an announcement and its NVR take turns. */
  readonly #locks = new KeyedLock();

  constructor(options: PendingRegistrationsOptions) {
    this.#options = options;
    this.#repository = options.store.resources.of(PENDING_REGISTRATIONS);
  }

  /** In creation order. */
  list(orgUuid: Ruuid): Promise<PendingRegistration[]> {
    return this.#repository.list(orgUuid);
  }

  /**
   * Fails SERIAL_NUMBER_BLANK, LOCATION_NOT_FOUND, HARDWARE_REGISTERED if the serial number is known,
   * TOO_MANY_REGISTRATIONS.
   */
  async create(orgUuid: Ruuid, wanted: NewRegistration): Promise<PendingRegistration> {
    const { locationUuid, wifiSsid, wifiPsk } = wanted;
    const serialNumber = wanted.serialNumber.trim();
    if (serialNumber === '') throw new GatewayError(DEVICE_ERRORS.SERIAL_NUMBER_BLANK);
    const { devices, store, clock } = this.#options;
    if (locationUuid !== null) await devices.requireLocation(orgUuid, locationUuid);
    return this.#locks.run(orgUuid, async () => {
      const uuid = deriveRuuid('nvr registration', `${orgUuid}\0${serialNumber}`);
      const isRegistered = () => new GatewayError(DEVICE_ERRORS.HARDWARE_REGISTERED, { serialNumber });
      const nvrs = await store.nvrs.list(orgUuid);
      if (nvrs.some((nvr) => nvr.serialNumber === serialNumber)) throw isRegistered();
      const nowMs = clock.epochMs();
      const registration: PendingRegistration = {
        uuid,
        orgUuid,
        name: serialNumber,
        parentUuid: locationUuid,
        body: { serialNumber, locationUuid, policyUuid: null, wifiSsid },
        secret: wifiPsk.length === 0 ? null : new Secret(JSON.stringify(wifiPsk)),
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      };
      const decide = (known: PendingRegistration | null): PendingRegistration => {
        if (known !== null) throw isRegistered();
        return registration;
      };
      await this.#repository.change(orgUuid, uuid, decide, {
        atMost: MAX_REGISTRATIONS_PER_ORG,
        within: 'organization',
        full: () => new GatewayError(DEVICE_ERRORS.TOO_MANY_REGISTRATIONS),
      });
      return registration;
    });
  }

  /** Fails NVR_UNNAMED, HARDWARE_NOT_FOUND, LOCATION_NOT_FOUND. */
  async update(orgUuid: Ruuid, uuid: Ruuid, changes: RegistrationChanges): Promise<void> {
    const name = changes.name?.trim();
    if (name === '') throw new GatewayError(DEVICE_ERRORS.NVR_UNNAMED);
    if (changes.locationUuid !== undefined) {
      await this.#options.devices.requireLocation(orgUuid, changes.locationUuid);
    }
    await this.#locks.run(orgUuid, async () => {
      await this.#repository.change(orgUuid, uuid, (known) => {
        if (known === null) throw new GatewayError(DEVICE_ERRORS.HARDWARE_NOT_FOUND, { hardware: uuid });
        const locationUuid = changes.locationUuid ?? known.body.locationUuid;
        return {
          ...known,
          name: name ?? known.name,
          parentUuid: locationUuid,
          body: { ...known.body, locationUuid, policyUuid: changes.policyUuid ?? known.body.policyUuid },
          updatedAtMs: this.#options.clock.epochMs(),
        };
      });
    });
  }

  /** Fails HARDWARE_NOT_FOUND. */
  async remove(orgUuid: Ruuid, serialNumber: string): Promise<void> {
    await this.#locks.run(orgUuid, async () => {
      const uuid = deriveRuuid('nvr registration', `${orgUuid}\0${serialNumber}`);
      if (!(await this.#repository.remove(orgUuid, uuid))) {
        throw new GatewayError(DEVICE_ERRORS.HARDWARE_NOT_FOUND, { serialNumber });
      }
    });
  }

  /** The NVR that a camera is assigned to; an announced one becomes one. Fails NVR_NOT_FOUND. */
  async requireNvr(orgUuid: Ruuid, uuid: Ruuid): Promise<Nvr> {
    const nvr = (await this.#options.store.nvrs.find(orgUuid, uuid)) ?? (await this.#complete(orgUuid, uuid));
    if (nvr === null || nvr.mummified) throw new GatewayError(DEVICE_ERRORS.NVR_NOT_FOUND, { nvr: uuid });
    return nvr;
  }

  /** Creates the NVR of an announcement; null if there is none with this UUID. */
  async #complete(orgUuid: Ruuid, uuid: Ruuid): Promise<Nvr | null> {
    return this.#locks.run(orgUuid, async () => {
      const { store, devices } = this.#options;
      const known = await this.#repository.find(orgUuid, uuid);
      if (known === null) return null;
      const nvr = announcedNvr(known);
      await store.nvrs.save(nvr);
      const { policyUuid } = known.body;
      if (policyUuid !== null) await devices.updateNvr(orgUuid, uuid, { details: { policyUuid } });
      await this.#repository.remove(orgUuid, uuid);
      return nvr;
    });
  }
}

/** The NVR that an announcement will become. */
export function announcedNvr({ uuid, orgUuid, name, body, createdAtMs }: PendingRegistration): Nvr {
  const { serialNumber, locationUuid } = body;
  return {
    uuid,
    orgUuid,
    locationUuid,
    name,
    serialNumber,
    createdAtMs,
    mummified: false,
    fromConfig: false,
  };
}
