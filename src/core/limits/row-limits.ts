/** Bounds on what an organization stores, part of the registry (registry.ts). */

import type { RowLimit } from './shared-limit.ts';

const MIB = 1_048_576;

/** The text for history, which an organization loses in the end anyway. */
const OLDEST_OF_CREDENTIAL =
  'The organization’s own oldest ones go, first those of the credential that has reported most of them.';
const OLDEST_OF_DEVICE =
  'The organization’s own oldest ones go, first those of the device that has most of them.';
const ROW_REFUSED = 'Rows that would add one are refused in `rejected`.';

export const ROW_LIMITS = {
  events: {
    kind: 'rows',
    what: 'policy alerts, door events, health reports and point-of-sale rows',
    perOrganization: 1_000_000,
    bytesPerOrganization: 1_024 * MIB,
    atLimit: OLDEST_OF_CREDENTIAL,
  },
  crossings: {
    kind: 'rows',
    what: 'threshold crossings',
    perOrganization: 10_000_000,
    bytesPerOrganization: 2_560 * MIB,
    atLimit: OLDEST_OF_DEVICE,
  },
  occupancyCounts: {
    kind: 'rows',
    what: 'occupancy counts',
    perOrganization: 5_000_000,
    bytesPerOrganization: 1_280 * MIB,
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
    perOrganization: 10_000,
    bytesPerOrganization: 64 * MIB,
    atLimit: ROW_REFUSED,
  },
  elevatorLandings: {
    kind: 'rows',
    what: 'elevator landings',
    perOrganization: 10_000,
    bytesPerOrganization: 64 * MIB,
    atLimit: ROW_REFUSED,
  },
  credentials: {
    kind: 'rows',
    what: 'access control credentials',
    perOrganization: 100_000,
    bytesPerOrganization: 128 * MIB,
    atLimit: ROW_REFUSED,
  },
  accessRevocations: {
    kind: 'rows',
    what: 'access revocations',
    perOrganization: 100_000,
    bytesPerOrganization: 128 * MIB,
    atLimit: ROW_REFUSED,
  },
  proximityTags: {
    kind: 'rows',
    what: 'proximity tags',
    perOrganization: 10_000,
    bytesPerOrganization: 64 * MIB,
    atLimit: ROW_REFUSED,
  },
  deviceReports: {
    kind: 'rows',
    what: 'last reports of cameras and NVRs about themselves',
    perOrganization: 20_000,
    bytesPerOrganization: 128 * MIB,
    atLimit: ROW_REFUSED,
  },
  licenses: {
    kind: 'rows',
    what: 'licenses',
    perOrganization: 20_000,
    bytesPerOrganization: 64 * MIB,
    atLimit: ROW_REFUSED,
  },
  savedClips: {
    kind: 'rows',
    what: 'saved clips',
    perOrganization: 20_000,
    bytesPerOrganization: 256 * MIB,
    atLimit: 'Saving one more fails with `SAVED_CLIPS_FULL`; reported ones are refused in `rejected`.',
  },
  unfinishedAlertClips: {
    kind: 'rows',
    what: 'clips of alerts that are being made, or failed',
    perOrganization: 100,
    atLimit: 'Further alerts get no clip until one is made.',
  },
  unfinishedClipOrders: {
    kind: 'rows',
    what: 'ordered clips and timelapses that are being made, or failed',
    perOrganization: 50,
    atLimit: 'An order fails with `CLIP_JOBS_FULL`.',
  },
  uploadedClipJobs: {
    kind: 'rows',
    what: 'clips that were handed over and are being listed',
    perOrganization: 500,
    atLimit: 'The clip is in the recordings, and is not listed.',
  },
  timelapses: {
    kind: 'rows',
    what: 'timelapses',
    perOrganization: 1_000,
    atLimit: 'An order fails with `TIMELAPSES_FULL`.',
  },
  alertPauses: {
    kind: 'rows',
    what: 'pauses of alerts that have not ended',
    perOrganization: 1_000,
    atLimit: 'Creating one more fails with `TOO_MANY_ALERT_PAUSES`.',
  },
  endedAlertPauses: {
    kind: 'rows',
    what: 'pauses of alerts that have ended',
    perOrganization: 1_000,
    atLimit: 'The oldest ones are removed.',
  },
  climatePolicies: {
    kind: 'rows',
    what: 'climate policies',
    perOrganization: 10_000,
    atLimit: 'Creating one more fails.',
  },
  openWebhookDeliveries: {
    kind: 'rows',
    what: 'webhook deliveries that have not succeeded or failed yet',
    perOrganization: 1_000,
    atLimit: 'Further deliveries are logged as failed.',
  },
  loggedWebhookDeliveries: {
    kind: 'rows',
    what: 'webhook deliveries in the log',
    perOrganization: 2_000,
    atLimit: 'The oldest ones are removed.',
  },
  openMails: {
    kind: 'rows',
    what: 'mails that have not been accepted or refused yet',
    perOrganization: 1_000,
    atLimit: 'Further mails are logged as failed with `MAIL_QUEUE_FULL`.',
  },
  loggedMails: {
    kind: 'rows',
    what: 'mails in the log',
    perOrganization: 2_000,
    atLimit: 'The oldest ones are removed.',
  },
  refusedMailAddresses: {
    kind: 'rows',
    what: 'addresses that a mail server refused for good',
    perOrganization: 1_000,
    atLimit: 'The oldest ones are tried again.',
  },
  webhooks: {
    kind: 'rows',
    what: 'webhook addresses',
    perOrganization: 500,
    atLimit: 'Creating one more fails.',
  },
  oauthApplications: {
    kind: 'rows',
    what: 'OAuth applications',
    perOrganization: 100,
    atLimit: 'Creating one more fails.',
  },
  oauthGrants: {
    kind: 'rows',
    what: 'OAuth grants',
    perOrganization: 1_000,
    atLimit: 'Granting one more fails.',
  },
  people: {
    kind: 'rows',
    what: 'people',
    perOrganization: 500,
    atLimit: 'Adding one more fails.',
  },
  notificationSettings: {
    kind: 'rows',
    what: 'users with notification settings',
    perOrganization: 5_000,
    atLimit: 'Storing those of one more user fails.',
  },
  idempotencyKeys: {
    kind: 'rows',
    what: 'responses that are kept for `Idempotency-Key`, of one key or person',
    perOrganization: 10_000,
    atLimit: 'Requests with a new key fail until one expires.',
  },
  federatedSessions: {
    kind: 'rows',
    what: 'federated sessions',
    perOrganization: 1_000,
    atLimit: 'Creating one more fails.',
  },
  apiTokens: {
    kind: 'rows',
    what: 'API keys',
    perOrganization: 1_000,
    atLimit: 'Creating one more fails.',
  },
  revokedApiTokens: {
    kind: 'rows',
    what: 'revoked API keys',
    perOrganization: 1_000,
    atLimit: 'The first to be revoked are removed when the organization creates a key.',
  },
  invitations: {
    kind: 'rows',
    what: 'open invitations',
    perOrganization: 500,
    atLimit: 'Inviting one more fails.',
  },
  cameras: {
    kind: 'rows',
    what: 'cameras',
    perOrganization: 10_000,
    atLimit: 'Adding one more fails with `TOO_MANY_CAMERAS`.',
  },
  manualRecordings: {
    kind: 'rows',
    what: 'cameras that are recorded because a person started it',
    perOrganization: 100,
    atLimit: 'Starting one more fails with `TOO_MANY_MANUAL_RECORDINGS`.',
  },
  pendingRegistrations: {
    kind: 'rows',
    what: 'announced video recorders',
    perOrganization: 10_000,
    atLimit: 'Announcing one more fails.',
  },
  nvrs: {
    kind: 'rows',
    what: 'video recorders',
    perOrganization: 10_000,
    atLimit: 'Creating one more fails with `TOO_MANY_NVRS`.',
  },
  rtspCredentials: {
    kind: 'rows',
    what: 'stored logins of cameras',
    perOrganization: 100,
    atLimit: 'Storing one more fails.',
  },
  rtspEndpoints: {
    kind: 'rows',
    what: 'RTSP endpoints',
    perOrganization: 10_000,
    atLimit: 'Adding one more fails.',
  },
  locations: {
    kind: 'rows',
    what: 'locations',
    perOrganization: 10_000,
    atLimit: 'Creating one more fails with `TOO_MANY_LOCATIONS`.',
  },
  videoWalls: {
    kind: 'rows',
    what: 'video walls',
    perOrganization: 500,
    atLimit: 'Creating one more fails.',
  },
  sharedGroups: {
    kind: 'rows',
    what: 'shared groups of clips, and as many of timelapses',
    perOrganization: 1_000,
    atLimit: 'Sharing one more fails.',
  },
  wallShares: {
    kind: 'rows',
    what: 'links to video walls',
    perOrganization: 1_000,
    atLimit: 'Sharing one more fails.',
  },
  pushSubscriptions: {
    kind: 'rows',
    what: 'browsers that get notifications by Web Push; of one person 10',
    perOrganization: 2_000,
    atLimit: 'Adding one more fails with `TOO_MANY_PUSH_SUBSCRIPTIONS`.',
  },
  consoleSessions: {
    kind: 'rows',
    what: 'people who are signed in to the console',
    perOrganization: 10_000,
    atLimit: 'Signing in fails.',
  },
  passkeys: {
    kind: 'rows',
    what: 'passkeys',
    perOrganization: 5_000,
    atLimit: 'Adding one more fails.',
  },
  lockdownRules: {
    kind: 'rows',
    what: 'lockdown rules',
    perOrganization: 10_000,
    atLimit: 'Creating one more fails.',
  },
  floorPlans: {
    kind: 'rows',
    what: 'floor plans, images of at most 700,000 bytes',
    perOrganization: 100,
    atLimit: 'Setting one more fails with `TOO_MANY_FLOOR_PLANS`.',
  },
  planPlaces: {
    kind: 'rows',
    what: 'places of cameras on floor plans',
    perOrganization: 10_000,
    atLimit: 'Placing one more fails with `TOO_MANY_PLAN_PLACES`.',
  },
  seekPoints: {
    kind: 'rows',
    what: 'custom seek points',
    perOrganization: 100_000,
    atLimit: 'Creating one more fails.',
  },
  shares: {
    kind: 'rows',
    what: 'share links',
    perOrganization: 20_000,
    atLimit: 'Creating one more fails with `TOO_MANY_SHARES`.',
  },
  schedules: {
    kind: 'rows',
    what: 'schedules',
    perOrganization: 2_000,
    atLimit: 'Creating one more fails with `TOO_MANY_SCHEDULES`.',
  },
} as const satisfies Readonly<Record<string, RowLimit>>;
