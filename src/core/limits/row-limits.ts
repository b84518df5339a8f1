/** Bounds on what an organization stores, part of the registry (registry.ts). */

import type { RowLimit } from './shared-limit.ts';

const MIB = 1_048_576;

/** Of history, which an organization loses in the end anyway. */
const OLDEST_OF_CREDENTIAL =
  'The organization’s own oldest ones go, first those of the credential that has reported most of them.';
const OLDEST_OF_DEVICE =
  'The organization’s own oldest ones go, first those of the device that has most of them.';
const ROW_REFUSED = 'Rows that would add one are refused in `rejected`.';

export const ROW_LIMITS = {
  events: {
    kind: 'rows',
    what: 'policy alerts, door events, health reports and point-of-sale rows',
    ...{ perOrganization: 1_000_000, bytesPerOrganization: 1_024 * MIB },
    atLimit: OLDEST_OF_CREDENTIAL,
  },
  crossings: {
    kind: 'rows',
    what: 'threshold crossings',
    ...{ perOrganization: 10_000_000, bytesPerOrganization: 2_560 * MIB },
    atLimit: OLDEST_OF_DEVICE,
  },
  occupancyCounts: {
    kind: 'rows',
    what: 'occupancy counts',
    ...{ perOrganization: 5_000_000, bytesPerOrganization: 1_280 * MIB },
    atLimit: OLDEST_OF_DEVICE,
  },
  reportingDevices: {
    kind: 'rows',
    what: 'devices and facets that have reported crossings or occupancy',
    perOrganization: 10_000,
    atLimit: 'A batch of others is refused with `TOO_MANY_REPORTING_DEVICES`.',
  },
  doors: {
    kind: 'rows',
    what: 'access controlled doors',
    ...{ perOrganization: 10_000, bytesPerOrganization: 64 * MIB },
    atLimit: ROW_REFUSED,
  },
  elevatorLandings: {
    kind: 'rows',
    what: 'elevator landings',
    ...{ perOrganization: 10_000, bytesPerOrganization: 64 * MIB },
    atLimit: ROW_REFUSED,
  },
  credentials: {
    kind: 'rows',
    what: 'access control credentials',
    ...{ perOrganization: 100_000, bytesPerOrganization: 128 * MIB },
    atLimit: ROW_REFUSED,
  },
  accessRevocations: {
    kind: 'rows',
    what: 'access revocations',
    ...{ perOrganization: 100_000, bytesPerOrganization: 128 * MIB },
    atLimit: ROW_REFUSED,
  },
  proximityTags: {
    kind: 'rows',
    what: 'proximity tags',
    ...{ perOrganization: 10_000, bytesPerOrganization: 64 * MIB },
    atLimit: ROW_REFUSED,
  },
  deviceReports: {
    kind: 'rows',
    what: 'last reports of cameras and NVRs about themselves',
    ...{ perOrganization: 20_000, bytesPerOrganization: 128 * MIB },
    atLimit: ROW_REFUSED,
  },
  licenses: {
    kind: 'rows',
    what: 'licenses',
    ...{ perOrganization: 20_000, bytesPerOrganization: 64 * MIB },
    atLimit: ROW_REFUSED,
  },
  savedClips: {
    kind: 'rows',
    what: 'saved clips',
    ...{ perOrganization: 20_000, bytesPerOrganization: 256 * MIB },
    atLimit: 'Saving one more fails with `SAVED_CLIPS_FULL`; reported ones are refused in `rejected`.',
  },
} as const satisfies Readonly<Record<string, RowLimit>>;
