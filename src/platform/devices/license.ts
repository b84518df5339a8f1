/** Licenses as reported and stored, and how their state follows from the time. */

import type { Clock } from '../../core/clock.ts';
import { firstDifference } from '../../core/first-difference.ts';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { DEVICE_TYPES } from '../../devices/device-types.ts';
import { type ReportOutcome, reportRecords, type TakenReport } from '../../store/report-records.ts';
import { type Resource, resourceKind } from '../../store/resource.ts';
import type { Store } from '../../store/store.ts';

export const ADD_ON_LICENSES = [
  'CLOUD_ARCHIVING',
  'PERCEPTION',
  'POSE',
  'BEHAVIOR',
  'VEHICLE',
  'PEOPLE',
  'PPE',
  'PEOPLE_ANALYTICS',
  'UNKNOWN',
] as const;

export const LICENSE_FAMILIES = [
  'CAMERA',
  'CAMERA_MS',
  'VIDEO_INTERCOM',
  'AUDIO_GATEWAY',
  'ENVIRONMENTAL_SENSOR',
  'ENVIRONMENTAL_GATEWAY',
] as const;

export const PERCEPTION_TYPES = [
  'PEOPLE_COUNTING',
  'FACE_COUNTING_UNIQUE',
  'FACE_COUNTING_NONUNIQUE',
  'ENGAGMENT_COUNTING',
  'FACE_RECOGNITION',
  'LICENSEPLATE_RECOGNITION',
  'VEHICLE_COUNTING',
  'OCCUPANCY_COUNTING',
  'UNKNOWN',
] as const;

export const PRODUCT_TYPES = [
  'DEVICE',
  'ALERT_MONITORING',
  'ACCESS_CONTROL',
  'LICENSE_USAGE',
  'UNKNOWN',
] as const;

export const UNASSIGN_EMAIL_STATES = [
  'INITIAL_EMAIL_SUCCEEDED',
  'INITIAL_EMAIL_FAILED',
  'FIFTEEN_DAY_WARNING_EMAIL_SUCCEEDED',
  'FIFTEEN_DAY_WARNING_EMAIL_FAILED',
  'FOURTY_EIGHT_HOUR_WARNING_EMAIL_SUCCEEDED',
  'FOURTY_EIGHT_HOUR_WARNING_EMAIL_FAILED',
  'UNKNOWN',
] as const;

/** As reported; absent if not known. Times are epoch milliseconds. */
export interface LicenseBody {
  readonly productCode?: string;
  readonly productType?: (typeof PRODUCT_TYPES)[number];
  readonly license?: (typeof ADD_ON_LICENSES)[number];
  readonly addOnLicenseType?: (typeof ADD_ON_LICENSES)[number];
  readonly licenseFamily?: (typeof LICENSE_FAMILIES)[number];
  readonly licenseToUnassignEmailState?: (typeof UNASSIGN_EMAIL_STATES)[number];
  readonly deviceType?: (typeof DEVICE_TYPES)[number];
  readonly claimKeyUuid?: string;
  readonly priorClaimKeyUuid?: string;
  readonly cloudArchiveDays?: number;
  readonly trial?: boolean;
  readonly additionalPerceptionFeatures?: readonly (typeof PERCEPTION_TYPES)[number][];
  readonly perceptionTypes?: readonly (typeof PERCEPTION_TYPES)[number][];
  readonly firstAssignedAtMs?: number;
  readonly expiresAtMs?: number;
  readonly maxDeleteAtMs?: number;
  readonly returnRequested?: boolean;
  readonly renewalDeclined?: boolean;
}

/** `parentUuid` is the device that the license is assigned to. */
export type License = Resource<LicenseBody>;

export const LICENSES = resourceKind<LicenseBody>('license');

export const LICENSE_STATES = [
  'CLAIMED',
  'RENEWED',
  'PENDING_RETURN',
  'NOT_RENEWED',
  'EXPIRED',
  'PERMANENTLY_EXPIRED',
] as const;
export type LicenseState = (typeof LICENSE_STATES)[number];

/** The state of a license at a given time: expiration comes before what its owner decided. */
export function licenseStateAt(body: LicenseBody, nowMs: number): LicenseState {
  if (body.maxDeleteAtMs !== undefined && nowMs >= body.maxDeleteAtMs) return 'PERMANENTLY_EXPIRED';
  if (body.expiresAtMs !== undefined && nowMs >= body.expiresAtMs) return 'EXPIRED';
  if (body.returnRequested === true) return 'PENDING_RETURN';
  if (body.renewalDeclined === true) return 'NOT_RENEWED';
  return body.priorClaimKeyUuid === undefined ? 'CLAIMED' : 'RENEWED';
}

export class Licenses {
  readonly #store: Pick<Store, 'resources'>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor(parts: { readonly store: Pick<Store, 'resources'>; readonly clock: Pick<Clock, 'epochMs'> }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
  }

  /** In the order in which they were first reported, with their current states. */
  async list(orgUuid: Ruuid): Promise<LongList<{ readonly license: License; readonly state: LicenseState }>> {
    const nowMs = this.#clock.epochMs();
    const licenses = await this.#store.resources.of(LICENSES).list(orgUuid);
    return LongList.of(licenses).map((license) => ({ license, state: licenseStateAt(license.body, nowMs) }));
  }
}

export interface ReportedLicense extends LicenseBody {
  /** Unique among the organization's licenses. */
  readonly id: string;
  /** The device that it is assigned to. */
  readonly deviceUuid?: Ruuid;
}

/** The record of a license, by the id under which it is reported. */
export function licenseUuid(orgUuid: Ruuid, id: string): Ruuid {
  return deriveRuuid(`license ${orgUuid}`, id);
}

/** A known license is replaced as a whole. Resolves with one outcome per report; a report that changes something counts. */
export function reportLicenses(
  { resources }: Pick<Store, 'resources'>,
  orgUuid: Ruuid,
  nowMs: number,
  reported: readonly ReportedLicense[],
): Promise<ReportOutcome[]> {
  const uuidOf = ({ id }: ReportedLicense) => licenseUuid(orgUuid, id);
  const take = (known: License | null, row: ReportedLicense): TakenReport<LicenseBody> => {
    const { id, deviceUuid, ...body } = row;
    const changed = known === null ? null : firstChanged(known, row);
    if (known !== null && changed === null) {
      return { record: known, isAccepted: false, kept: null, changed };
    }
    const record = {
      uuid: uuidOf(row),
      orgUuid,
      name: id,
      parentUuid: deviceUuid ?? null,
      body,
      secret: null,
      createdAtMs: known?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
    return { record, isAccepted: true, kept: null, changed };
  };
  return reportRecords(resources.of(LICENSES), orgUuid, reported, uuidOf, take);
}

/** A field that the report leaves out is cleared, so that counts as a change, too. */
function firstChanged({ name, parentUuid, body }: License, row: ReportedLicense): string | null {
  const stored = { ...body, id: name, ...(parentUuid === null ? {} : { deviceUuid: parentUuid }) };
  return firstDifference(row, stored) ?? firstDifference(stored, row);
}
