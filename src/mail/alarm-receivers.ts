/** Alarm centers that get an organization's alerts by mail. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { type Resource, type ResourceRepository, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import type { AlarmFormat } from './alarm-formats.ts';
import { MAIL_ERRORS } from './errors.ts';
import { isMailAddress } from './mail-address.ts';

/** A camera at the alarm center. */
export interface AlarmInput {
  readonly deviceUuid: Ruuid;
  /** The address that the center gave this camera; null: the receiver's. */
  readonly address: string | null;
  readonly input: number;
}

export interface AlarmReceiverBody {
  readonly format: AlarmFormat;
  /** For cameras without an address of their own; null: others send nothing. */
  readonly address: string | null;
  /** Only alerts of these locations; empty: all. */
  readonly locationUuids: readonly Ruuid[];
  /** Only alerts of this level of AVS-01 or above; null: also those without. */
  readonly minValidation: number | null;
  readonly inputs: readonly AlarmInput[];
  readonly disabled: boolean;
}

export type AlarmReceiver = Resource<AlarmReceiverBody>;

export interface GivenReceiver extends AlarmReceiverBody {
  readonly name: string;
}

export class AlarmReceivers {
  readonly #store: Pick<Store, 'resources' | 'cameras' | 'locations'>;
  readonly #receivers: ResourceRepository<AlarmReceiverBody>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(store: Pick<Store, 'resources' | 'cameras' | 'locations'>, clock: Pick<Clock, 'epochMs'>) {
    this.#store = store;
    this.#receivers = store.resources.of(resourceKind<AlarmReceiverBody>('alarmReceiver'));
    this.#clock = clock;
  }

  list(orgUuid: Ruuid): Promise<AlarmReceiver[]> {
    return this.#receivers.list(orgUuid);
  }

  find(orgUuid: Ruuid, uuid: Ruuid): Promise<AlarmReceiver | null> {
    return this.#receivers.find(orgUuid, uuid);
  }

  /**
   * `uuid` null: a new one. Fails MAIL_ADDRESS_INVALID, ALARM_RECEIVER_NOT_FOUND, ALARM_INPUT_UNKNOWN, TOO_MANY_ALARM_RECEIVERS.
   */
  async set(orgUuid: Ruuid, uuid: Ruuid | null, { name, ...body }: GivenReceiver): Promise<Ruuid> {
    await this.#check(orgUuid, body);
    const nowMs = this.#clock.epochMs();
    const decide = (known: AlarmReceiver | null): AlarmReceiver => {
      if (uuid !== null && known === null) throw new GatewayError(MAIL_ERRORS.ALARM_RECEIVER_NOT_FOUND);
      return {
        uuid: known?.uuid ?? newRuuid(),
        orgUuid,
        name,
        parentUuid: null,
        body,
        secret: null,
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    };
    const made = uuid ?? newRuuid();
    const { after } = await this.#receivers.change(
      orgUuid,
      made,
      (known) => ({ ...decide(known), uuid: made }),
      {
        atMost: LIMITS.alarmReceivers.perOrganization,
        within: 'organization',
        full: () => new GatewayError(MAIL_ERRORS.TOO_MANY_ALARM_RECEIVERS),
      },
    );
    return after!.uuid;
  }

  /** Fails ALARM_RECEIVER_NOT_FOUND. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    if (!(await this.#receivers.remove(orgUuid, uuid))) {
      throw new GatewayError(MAIL_ERRORS.ALARM_RECEIVER_NOT_FOUND);
    }
  }

  async #check(orgUuid: Ruuid, { address, inputs, locationUuids }: AlarmReceiverBody): Promise<void> {
    const addresses = [address, ...inputs.map((input) => input.address)];
    if (addresses.some((each) => each !== null && !isMailAddress(each))) {
      throw new GatewayError(MAIL_ERRORS.MAIL_ADDRESS_INVALID, { field: 'Each address' });
    }
    for (const { deviceUuid } of inputs) {
      if ((await this.#store.cameras.find(orgUuid, deviceUuid)) === null) {
        throw new GatewayError(MAIL_ERRORS.ALARM_INPUT_UNKNOWN, { what: 'camera', uuid: deviceUuid });
      }
    }
    for (const uuid of locationUuids) {
      if ((await this.#store.locations.find(orgUuid, uuid)) === null) {
        throw new GatewayError(MAIL_ERRORS.ALARM_INPUT_UNKNOWN, { what: 'location', uuid });
      }
    }
  }
}

/** Where an alert of a camera goes; null: nowhere. */
export function alarmTarget(
  { body }: AlarmReceiver,
  deviceUuid: Ruuid,
): { readonly address: string; readonly input: number } | null {
  const known = body.inputs.find((input) => input.deviceUuid === deviceUuid);
  const address = known?.address ?? body.address;
  return address === null ? null : { address, input: known?.input ?? 1 };
}
