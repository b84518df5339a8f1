/** Previews: short grants for keys. They continue while they are extended, and end with the credential that they rest on. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAccountServices } from '../accounts/account-services.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { ApiKey } from '../store/entities.ts';
import { sampleApiKey, sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import { PREVIEW_MS } from './device-gate.ts';
import { GrantExtensions } from './grant-extensions.ts';
import type { PreviewRequest } from './preview-request.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';

let fixture: SharingFixture;
let key: ApiKey;

beforeEach(async () => {
  fixture = await openSharingFixture({ opensPerMinute: 5 });
  key = await addKey();
});
afterEach(() => fixture.close());

async function addKey(): Promise<ApiKey> {
  const added = sampleApiKey(fixture.orgUuid);
  await fixture.store.apiKeys.save(added);
  return added;
}

function by(caller: ApiKey): Pick<PreviewRequest, 'principal' | 'actor'> {
  return { principal: { kind: 'key', uuid: caller.uuid }, actor: caller };
}

function preview(of: Partial<PreviewRequest> = {}) {
  return fixture.deviceGate.preview({
    orgUuid: fixture.orgUuid,
    cameraUuid: fixture.camera.uuid,
    ...by(key),
    grantText: null,
    address: '192.0.2.1',
    userAgent: null,
    ...of,
  });
}

async function granted(of: Partial<PreviewRequest> = {}) {
  const response = await preview(of);
  if (!response.allowed) throw new Error(`refused: ${response.reason}`);
  return response;
}

const viewReason = (grantText: string) => {
  const access = fixture.sessions.access(grantText);
  return access.allowed ? null : access.reason;
};

describe('a preview', () => {
  it('ends after ten minutes', async () => {
    const { grantText, endsAtEpochMs } = await granted();
    const leftMs = endsAtEpochMs - fixture.clock.epochMs();
    expect([leftMs >= PREVIEW_MS, leftMs < PREVIEW_MS + 1_000]).toEqual([true, true]);
    expect(viewReason(grantText)).toBeNull();
    fixture.clock.advance(leftMs - 1);
    expect(viewReason(grantText)).toBeNull();
    fixture.clock.advance(1);
    expect(viewReason(grantText)).toBe('grant-expired');
  });

  it('goes on under the same grant when it is extended, as often as that happens', async () => {
    const { grantText } = await granted();
    const refusals: string[] = [];
    const view = fixture.sessions.access(grantText);
    if (view.allowed) view.waiting.add({ onCutOff: ({ reason }) => void refusals.push(reason) });
    for (let i = 0; i < 3; i++) {
      fixture.clock.advance(PREVIEW_MS - 60_000);
      expect((await granted({ grantText })).grantText).toBe(grantText);
      expect(fixture.sessions.access(grantText)).toBe(view);
      expect(refusals).toEqual([]);
    }
    fixture.clock.advance(PREVIEW_MS + 1_000);
    expect(refusals).toEqual(['grant-expired']);
  });

  it('that ended is replaced by another one', async () => {
    const { grantText } = await granted();
    fixture.clock.advance(PREVIEW_MS + 1_000);
    const next = await granted({ grantText });
    expect(next.grantText).not.toBe(grantText);
    expect([viewReason(grantText), viewReason(next.grantText)]).toEqual(['grant-expired', null]);
  });

  it('is extended by its own key, for its own camera alone', async () => {
    const camera = sampleCamera(fixture.orgUuid);
    await fixture.store.cameras.save(camera);
    const { grantText } = await granted();
    const other = await addKey();
    for (const requested of [by(other), { cameraUuid: camera.uuid }]) {
      expect((await granted({ ...requested, grantText })).grantText).not.toBe(grantText);
    }
    fixture.clock.advance(PREVIEW_MS + 1_000);
    expect(viewReason(grantText)).toBe('grant-expired');
  });

  it.each(['x', '', 'A'.repeat(82)])('is not extended by %j', async (grantText) => {
    expect((await granted({ grantText })).grantText).not.toBe(grantText);
  });

  it('ends with its key, extended or not', async () => {
    const { grantText } = await granted();
    await granted({ grantText });
    expect(viewReason(grantText)).toBeNull();
    const { store, clock, devices: credentialRules } = fixture;
    const accounts = createAccountServices({ store, clock, credentialRules, requestsPerSec: 50 });
    await accounts.apiTokens.revoke(fixture.orgUuid, key.uuid);
    expect(viewReason(grantText)).toBe('credential-ended');
    expect(await preview({ grantText })).toMatchObject({ allowed: false, reason: 'credential-ended' });
  });

  it('ends with its camera', async () => {
    const { grantText } = await granted();
    await granted({ grantText });
    fixture.devices.applied({ kind: 'camera', uuid: fixture.camera.uuid, record: null });
    expect(viewReason(grantText)).toBe('device-removed');
  });

  it('shows a camera of which no event has come yet, and none of another organization', async () => {
    const camera = sampleCamera(fixture.orgUuid);
    await fixture.store.cameras.save(camera);
    fixture.devices.applied({ kind: 'camera', uuid: camera.uuid, record: null });
    expect(await preview({ cameraUuid: camera.uuid })).toMatchObject({ allowed: true });
    const elsewhere = sampleOrganization();
    await fixture.store.organizations.save(elsewhere);
    const foreign = sampleCamera(elsewhere.uuid);
    await fixture.store.cameras.save(foreign);
    expect(await preview({ cameraUuid: foreign.uuid })).toMatchObject({ allowed: false, reason: 'unknown' });
  });

  it('is created a limited number of times; extending it costs nothing', async () => {
    const { grantText } = await granted();
    for (let i = 1; i < 10; i++) await granted();
    expect(await preview()).toMatchObject({ allowed: false, reason: 'too-many-opens' });
    expect((await granted({ grantText })).grantText).toBe(grantText);
  });
});

const { total: MAX_EXTENDED_GRANTS } = LIMITS.extendedGrants;

it('extensions are bounded: the one that was extended longest ago goes first', () => {
  const clock = new FakeClock();
  const extensions = new GrantExtensions(clock);
  const endsAtSec = clock.epochMs() / 1_000 + 600;
  const principal = { kind: 'session', uuid: newRuuid() } as const;
  const grantOf = (i: number) => ({ viewerId: `v${i}`, expiresAtSec: 1, principal });
  for (let i = 0; i <= MAX_EXTENDED_GRANTS; i++) extensions.extend(grantOf(i), endsAtSec, 'a');
  expect(extensions.endOf(grantOf(0))).toBe(1);
  expect(extensions.endOf(grantOf(1))).toBe(endsAtSec);
  expect(extensions.endOf(grantOf(MAX_EXTENDED_GRANTS))).toBe(endsAtSec);
  clock.advance(601_000);
  extensions.extend(grantOf(-1), endsAtSec + 1_000, 'a');
  expect(extensions.endOf(grantOf(1))).toBe(1);
});

it('an organization keeps its extensions, however many another one has', () => {
  const clock = new FakeClock();
  const extensions = new GrantExtensions(clock);
  const endsAtSec = clock.epochMs() / 1_000 + 600;
  const principal = { kind: 'session', uuid: newRuuid() } as const;
  const grantOf = (viewerId: string) => ({ viewerId, expiresAtSec: 1, principal });
  extensions.extend(grantOf('own'), endsAtSec, 'a');
  for (let i = 0; i < MAX_EXTENDED_GRANTS; i++) extensions.extend(grantOf(`v${i}`), endsAtSec, 'b');
  expect(extensions.endOf(grantOf('own'))).toBe(endsAtSec);
});
