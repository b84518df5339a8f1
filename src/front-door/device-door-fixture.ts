/** A front door with an API key and federated sessions, for tests of access without a share. */

import { createAccountServices } from '../accounts/account-services.ts';
import { callerOf } from '../accounts/caller.ts';
import { FederatedSessions } from '../accounts/federated-sessions.ts';
import { codeChallengeOf } from '../accounts/oauth-secret.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { ApiKey } from '../store/entities.ts';
import { sampleApiKey } from '../store/sample-entities-fixture.ts';
import {
  type FrontDoorFixture,
  type FrontDoorFixtureOptions,
  openFrontDoorFixture,
} from './front-door-fixture.ts';
import type { DeviceOpening, ShareViewer } from './session/front-door-parts.ts';

const KEY_TEXT = 'slc_key-of-the-harbour';

export interface DeviceDoor {
  readonly door: FrontDoorFixture;
  readonly key: ApiKey;
  /** The headers of a caller with the key. */
  readonly byKey: Readonly<Record<string, string>>;
  /** Devices that were opened, in order. */
  readonly openings: readonly (DeviceOpening & ShareViewer)[];
  /** Where the device's media are, without a trailing slash. */
  readonly folder: string;
  sessionToken(wanted?: SessionRequest): Promise<string>;
  /** An access token of an application that the key authorized. */
  accessToken(): Promise<{ readonly accessToken: string; revoke(): Promise<void> }>;
}

export interface SessionRequest {
  readonly deviceUuid?: Ruuid;
  readonly domain?: string;
  readonly durationSec?: number;
}

export async function openDeviceDoor(options: FrontDoorFixtureOptions = {}): Promise<DeviceDoor> {
  const openings: (DeviceOpening & ShareViewer)[] = [];
  const door = await openFrontDoorFixture({
    ...options,
    onDeviceOpened: (opening, viewer) => void openings.push({ ...opening, ...viewer }),
  });
  const { store, clock, orgUuid, camera } = door.sharing;
  const key = sampleApiKey(orgUuid, { keyHash: hashApiKey(KEY_TEXT) });
  await store.apiKeys.save(key);
  return {
    door,
    key,
    openings,
    byKey: { 'x-auth-scheme': 'api-token', 'x-auth-apikey': KEY_TEXT },
    folder: `/media/${camera.uuid}/local`,
    sessionToken({ deviceUuid, domain, durationSec = 3_600 } = {}) {
      const caller = callerOf({ kind: 'key', key }, { orgUuid });
      const wanted = { domain: domain ?? null, deviceUuid: deviceUuid ?? null, durationSec };
      return new FederatedSessions({ store, clock }).create(caller, wanted);
    },
    async accessToken() {
      const credentialRules = door.sharing.devices;
      const accounts = createAccountServices({ store, clock, credentialRules, requestsPerSec: 50 });
      const details = { name: 'Desk', redirectUri: 'https://desk.example/back' };
      const { application } = await accounts.oauthApplications.submit(orgUuid, undefined, details);
      const caller = callerOf({ kind: 'key', key }, { orgUuid });
      const [codeVerifier, redirectUri] = ['v'.repeat(43), null];
      const request = { codeChallenge: codeChallengeOf(codeVerifier), redirectUri };
      const code = await accounts.oauthGrants.begin(caller, application, request);
      const presented = { code, codeVerifier, redirectUri };
      const { accessToken } = await accounts.oauthGrants.exchangeCode(application, presented);
      return { accessToken, revoke: () => accounts.oauthGrants.revokeToken(application, accessToken) };
    },
  };
}

/** The headers of a caller with a federated session. */
export const bySession = (token: string) => ({ 'x-auth-scheme': 'federated-token', 'x-auth-ft': token });

/** The same as a query. */
export const queryOf = (token: string) => `x-auth-scheme=federated-token&x-auth-ft=${token}`;

export function revokeKey({ door, key }: DeviceDoor): void {
  door.sharing.devices.applied({
    kind: 'key',
    uuid: key.uuid,
    record: { ...key, revokedAtMs: door.sharing.clock.epochMs() },
  });
}

/** Every way to name the caller, as the rest of a path and headers. */
export async function allCredentials(
  { sessionToken, byKey }: DeviceDoor,
  name: string,
): Promise<[string, Record<string, string>][]> {
  const token = await sessionToken();
  return [
    [`/${name}`, byKey],
    [`/${name}`, bySession(token)],
    [`/${name}?${queryOf(token)}`, {}],
    [`/${name}`, { cookie: `RSESSIONID=RFT:${token}` }],
    [`/ft/${token}/${name}`, {}],
  ];
}
