import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { signedIn } from '../console-fixture.ts';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const WINDOW = { path: 'hls.window', action: 'SET', value: '30s' };
const update = (revision: number, changes: readonly object[] = [WINDOW]) =>
  fixture.call('/api/console/updateSettings', { revision, changes });

it('saves what an administrator edits, and applies it', async () => {
  const { console: admin } = await signedIn(fixture, fixture.own, 'admin');
  expect(await admin.call('/api/console/updateSettings', { revision: 0, changes: [WINDOW] })).toMatchObject({
    error: false,
    revision: 1,
    applied: ['log.level'],
    needsRestart: ['hls.window'],
  });
  expect(fixture.systemCalls.checked).toEqual([{ 'hls.window': '30s' }]);
  expect(await fixture.call('/api/console/getEffectiveConfig')).toMatchObject({ revision: 1 });
  const { changes, revision } = await admin.call('/api/console/getSettingsChanges');
  expect(revision).toBe(1);
  expect(changes).toMatchObject([
    { revision: 1, settings: [{ path: 'hls.window', after: '30s', wasInConsole: false, isInConsole: true }] },
  ]);
});

it('names what is wrong, and saves nothing', async () => {
  fixture.systemCalls.found = {
    findings: [
      { path: 'hls.window', line: null, column: null, variable: null, sentence: 'hls.window: is too short.' },
    ],
    count: 1,
  };
  expect(await update(0)).toEqual({
    error: true,
    errorMsg: 'The settings would be invalid, so nothing was saved: hls.window: is too short.',
  });
  expect(await fixture.call('/api/console/validateSettings', { changes: [WINDOW] })).toMatchObject({
    isValid: false,
    findings: [{ path: 'hls.window', sentence: 'hls.window: is too short.' }],
  });
  expect(await fixture.call('/api/console/getSettingsChanges')).toMatchObject({ revision: 0, changes: [] });
});

it('knows no other setting', async () => {
  expect(await update(0, [{ path: 'nothing', action: 'SET', value: '1' }])).toMatchObject({
    errorMsg: 'nothing: there is no such setting.',
  });
});

it.each([
  ['environment', 'hls.window: the environment variable SLUICE_HLS_WINDOW sets it.'],
  [
    'start',
    'hls.window: the gateway needs it before it can read what the console saved. Change it in the file.',
  ],
  ['machine', 'hls.window: it names a program or a folder of the machine. Change it in the file.'],
] as const)('says why a setting cannot be edited: %s', async (lock, errorMsg) => {
  const { systemCalls } = fixture;
  const variable = { kind: 'environment', variable: 'SLUICE_HLS_WINDOW' } as const;
  systemCalls.setting = { ...systemCalls.setting, lock, source: variable };
  expect(await update(0)).toEqual({ error: true, errorMsg });
});

it('refuses the second of two edits, and undoes the first', async () => {
  await update(0);
  expect(await update(0, [{ path: 'hls.window', action: 'UNSET' }])).toMatchObject({
    error: true,
    errorMsg: expect.stringMatching(
      /^.+ changed hls\.window in the meantime, so nothing was saved\. Read the settings again\.$/,
    ),
  });
  const revert = (revision: number, changeRevision: number) =>
    fixture.call('/api/console/revertSettings', { revision, changeRevision });
  expect(await revert(0, 1)).toMatchObject({ error: true });
  expect(await revert(1, 1)).toMatchObject({ error: false, revision: 2 });
  expect(await revert(2, 7)).toMatchObject({ error: true });
  const { changes } = await fixture.call('/api/console/getSettingsChanges');
  expect(changes).toMatchObject([{ revision: 2, revertsRevision: 1 }, { revision: 1 }]);
});

it('writes the keys into the audit trail, and no value', async () => {
  await update(0);
  await fixture.call('/api/console/restartGateway');
  await fixture.audit.settled();
  const feed = await fixture.call('/api/report/getAuditFeed', {});
  expect(JSON.stringify(feed)).not.toContain('30s');
  const events = feed.auditEvents as { action: string; targetName: string }[];
  const named = events.map(({ action, targetName }) => `${action} ${targetName}`);
  expect(named).toContain('GATEWAY_SETTINGS_UPDATE hls.window');
  expect(named.some((row) => row.startsWith('GATEWAY_RESTART'))).toBe(true);
  expect(fixture.systemCalls.restarts).toBe(1);
});

it('is for administrators of the operator alone', async () => {
  const { console: stranger } = await signedIn(fixture, fixture.foreign, 'admin', { email: 'x@example.com' });
  const { console: viewer } = await signedIn(fixture, fixture.own, 'viewer', { email: 'v@example.com' });
  const { console: operator } = await signedIn(fixture, fixture.own, 'operator', { email: 'o@example.com' });
  const calls = {
    validateSettings: { changes: [WINDOW] },
    updateSettings: { revision: 0, changes: [WINDOW] },
    getSettingsChanges: {},
    revertSettings: { revision: 0, changeRevision: 1 },
    restartGateway: {},
    getMediaAddresses: {},
  };
  for (const [name, body] of Object.entries(calls)) {
    for (const person of [stranger, viewer, operator]) {
      const response = await person.post(`/api/console/${name}`, body);
      expect([name, response.json().error]).toEqual([name, true]);
    }
  }
  expect(fixture.systemCalls.checked).toEqual([]);
  expect(fixture.systemCalls.restarts).toBe(0);
});

it('lists the addresses of the machine', async () => {
  expect(await fixture.call('/api/console/getMediaAddresses')).toEqual({
    error: false,
    publicUrl: 'https://media.example/video',
    listensAt: '0.0.0.0',
    port: 8081,
    isLoopbackOnly: false,
    addresses: [
      {
        url: 'http://192.168.1.20:8081',
        address: '192.168.1.20',
        interfaceName: 'eth0',
        reach: 'own-network',
      },
    ],
  });
});
