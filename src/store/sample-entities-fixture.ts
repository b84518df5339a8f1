/** Entities with every field set, for tests of the store and of the code that is built on it. */

import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { CredentialUrl } from '../core/secret.ts';
import type {
  AbsoluteSchedule,
  ApiKey,
  Camera,
  Location,
  Nvr,
  Organization,
  Share,
  VideoWall,
  WallShare,
  WeeklySchedule,
} from './entities.ts';
import type { StoredEvent } from './event.ts';
import type { Passkey } from './passkey.ts';
import type { ConsoleSession, Person } from './person.ts';

const CREATED_AT_MS = Date.UTC(2026, 0, 1);

export function sampleOrganization(overrides: Partial<Organization> = {}): Organization {
  return {
    uuid: newRuuid(),
    name: 'Harbour',
    partnerUuid: null,
    createdAtMs: CREATED_AT_MS,
    cameraNetworks: [],
    ...overrides,
  };
}

export function sampleApiKey(orgUuid: Ruuid, overrides: Partial<ApiKey> = {}): ApiKey {
  return {
    uuid: newRuuid(),
    orgUuid,
    name: 'integration',
    scheme: 'api',
    role: 'admin',
    scope: null,
    keyHash: Buffer.from(newRuuid()).toString('hex'),
    createdAtMs: CREATED_AT_MS,
    createdByUuid: null,
    revokedAtMs: null,
    expiresAtMs: null,
    ...overrides,
  };
}

export function samplePerson(orgUuid: Ruuid, overrides: Partial<Person> = {}): Person {
  return {
    uuid: newRuuid(),
    orgUuid,
    name: 'Ada',
    email: `ada.${newRuuid()}@example.com`,
    role: 'operator',
    scope: null,
    passwordHash: '$scrypt$ln=4,r=1,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaA',
    disabled: false,
    createdAtMs: CREATED_AT_MS,
    lastSignInAtMs: null,
    ...overrides,
  };
}

export function sampleConsoleSession(
  { orgUuid, uuid: personUuid }: Pick<Person, 'orgUuid' | 'uuid'>,
  overrides: Partial<ConsoleSession> = {},
): ConsoleSession {
  return {
    uuid: newRuuid(),
    orgUuid,
    personUuid,
    tokenHash: Buffer.from(newRuuid()).toString('hex'),
    method: 'password',
    address: '192.0.2.7',
    userAgent: 'Mozilla/5.0',
    createdAtMs: CREATED_AT_MS,
    confirmedAtMs: CREATED_AT_MS,
    lastSeenAtMs: CREATED_AT_MS,
    provider: null,
    ...overrides,
  };
}

export function samplePasskey(
  { orgUuid, uuid: personUuid }: Pick<Person, 'orgUuid' | 'uuid'>,
  overrides: Partial<Passkey> = {},
): Passkey {
  return {
    uuid: newRuuid(),
    orgUuid,
    personUuid,
    name: 'Desk',
    rpId: 'api.example',
    credentialId: newRuuid(),
    publicKey: 'pQECAyYgASFYIA',
    counter: 0,
    transports: ['internal', 'hybrid'],
    isSynced: true,
    isBackedUp: true,
    createdAtMs: CREATED_AT_MS,
    lastUsedAtMs: null,
    ...overrides,
  };
}

export function sampleLocation(orgUuid: Ruuid, overrides: Partial<Location> = {}): Location {
  return {
    uuid: newRuuid(),
    orgUuid,
    name: 'Headquarters',
    tz: 'America/New_York',
    latitude: 40.7128,
    longitude: -74,
    address1: '1 Pier Road',
    address2: null,
    postalCode: '10001',
    countryCode: 'US',
    parentUuid: null,
    policyUuid: null,
    labels: [],
    createdAtMs: CREATED_AT_MS,
    fromConfig: false,
    ...overrides,
  };
}

export function sampleNvr(orgUuid: Ruuid, overrides: Partial<Nvr> = {}): Nvr {
  return {
    uuid: newRuuid(),
    orgUuid,
    locationUuid: null,
    name: 'Core',
    serialNumber: 'SN-1',
    createdAtMs: CREATED_AT_MS,
    mummified: false,
    fromConfig: false,
    ...overrides,
  };
}

export function sampleCamera(orgUuid: Ruuid, overrides: Partial<Camera> = {}): Camera {
  return {
    uuid: newRuuid(),
    orgUuid,
    locationUuid: null,
    nvrUuid: null,
    kind: 'camera',
    name: 'Lobby',
    rtspUrl: new CredentialUrl('rtsp://viewer:s3cret@camera.example/main'),
    substreamUrl: new CredentialUrl('rtsp://viewer:s3cret@camera.example/sub'),
    onvifUrl: new CredentialUrl('http://viewer:s3cret@camera.example/onvif/device_service'),
    engine: 'auto',
    transport: 'tcp',
    audio: 'aac',
    tls: 'any',
    masks: [],
    masksForViewers: false,
    clock: 'camera',
    createdAtMs: CREATED_AT_MS,
    mummified: false,
    fromConfig: true,
    ...overrides,
  };
}

export function sampleShare(orgUuid: Ruuid, overrides: Partial<Share> = {}): Share {
  return {
    uuid: newRuuid(),
    orgUuid,
    cameraUuid: newRuuid(),
    cameraFacet: 'v0',
    name: 'Unnamed',
    streamType: 'USER',
    vodEnabled: false,
    vodPastSec: null,
    vodExpiresAtSec: null,
    showsUnmasked: false,
    includeAudio: true,
    talk: false,
    audioGatewayUuid: null,
    ssoProtected: false,
    cdn: null,
    expiresAtSec: 1_800_000_000,
    scheduleUuid: null,
    invertSchedule: false,
    passwordHash: '$scrypt$ln=15,r=8,p=1$c2FsdA$aGFzaA',
    accessEpoch: 1,
    createdAtMs: CREATED_AT_MS,
    updatedAtMs: CREATED_AT_MS,
    ...overrides,
  };
}

export function sampleVideoWall(orgUuid: Ruuid, overrides: Partial<VideoWall> = {}): VideoWall {
  const cameras = overrides.cameras ?? [
    { cameraUuid: newRuuid(), facet: 'v0', addedAtMs: CREATED_AT_MS },
    { cameraUuid: newRuuid(), facet: '', addedAtMs: CREATED_AT_MS + 1 },
  ];
  const cells = cameras
    .slice(0, 1)
    .map(({ cameraUuid }) => ({ cameraUuid, x: 1, y: 2, width: 3, height: 4 }));
  return {
    uuid: newRuuid(),
    orgUuid,
    name: 'Control room',
    cameras,
    layout: { kind: 'FREE', cells, tourSec: 20 },
    ownerUserUuid: newRuuid(),
    othersCanEdit: true,
    isShared: true,
    settings: { layout: { columns: 2, labels: ['a', 'ü', '"'] } },
    createdAtMs: CREATED_AT_MS,
    updatedAtMs: CREATED_AT_MS,
    ...overrides,
  };
}

export function sampleWallShare(
  orgUuid: Ruuid,
  wallUuid: Ruuid,
  overrides: Partial<WallShare> = {},
): WallShare {
  return {
    uuid: newRuuid(),
    orgUuid,
    wallUuid,
    vodEnabled: false,
    vodPastSec: null,
    vodExpiresAtSec: null,
    showsUnmasked: false,
    expiresAtSec: 1_800_000_000,
    scheduleUuid: newRuuid(),
    invertSchedule: false,
    unscheduledMessage: 'Back at eight.',
    deviceSchedules: {
      [newRuuid()]: { scheduleUuid: newRuuid(), invertSchedule: true, unscheduledMessage: null },
    },
    passwordHash: '$scrypt$ln=15,r=8,p=1$c2FsdA$aGFzaA',
    accessEpoch: 1,
    createdAtMs: CREATED_AT_MS,
    updatedAtMs: CREATED_AT_MS,
    ...overrides,
  };
}

export function sampleWeeklySchedule(
  orgUuid: Ruuid,
  overrides: Partial<WeeklySchedule> = {},
): WeeklySchedule {
  return {
    uuid: newRuuid(),
    orgUuid,
    name: 'Office hours',
    mutable: true,
    oneTimeUse: false,
    createdAtMs: CREATED_AT_MS,
    updatedAtMs: CREATED_AT_MS,
    strategy: 'WEEKLY_REPEATING_MINUTES',
    intervals: [{ minuteOfWeekStart: 480, minuteOfWeekStop: 1080 }],
    ...overrides,
  };
}

export function sampleAbsoluteSchedule(
  orgUuid: Ruuid,
  overrides: Partial<AbsoluteSchedule> = {},
): AbsoluteSchedule {
  return {
    uuid: newRuuid(),
    orgUuid,
    name: 'Inauguration',
    mutable: false,
    oneTimeUse: true,
    createdAtMs: CREATED_AT_MS,
    updatedAtMs: CREATED_AT_MS,
    strategy: 'ABSOLUTE_SECONDS',
    intervals: [{ startSec: 1_770_000_000, stopSec: 1_770_003_600 }],
    ...overrides,
  };
}

export function sampleEvent(orgUuid: Ruuid, overrides: Partial<StoredEvent> = {}): StoredEvent {
  return {
    orgUuid,
    kind: 'posEvent',
    id: newRuuid(),
    deviceUuid: newRuuid(),
    atMs: 1_000,
    body: { total: 12.5 },
    ...overrides,
  };
}
