/** Settings of the console in a process of its own: restarts, a start that they would prevent, and the option that ignores them. */

import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Json, TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway?.dispose());

const settings = (): Promise<Json> => gateway.call('console/getEffectiveConfig');
const settingAt = async (path: string) =>
  (await settings()).settings.find((setting: Json) => setting.path === path);
const startedAt = async (): Promise<string> => (await gateway.call('console/getSystemState')).state.startedAt;

/** Restarts the gateway as the console does, and waits until another start of it responds. */
async function restart(): Promise<void> {
  const before = await startedAt();
  expect(await gateway.call('console/restartGateway')).toMatchObject({ error: false });
  const isAnother = async () => (await startedAt().catch(() => before)) !== before;
  await expect.poll(isAnother, { timeout: 90_000 }).toBe(true);
}

const save = async (changes: readonly Json[]): Promise<Json> =>
  gateway.call('console/updateSettings', { revision: (await settings()).revision, changes });

test('a restart applies them in the same process, and it ends like any other', async () => {
  gateway = await TestGateway.start();
  const { process: child } = gateway.child;
  expect(await save([{ path: 'hls.window', action: 'SET', value: '30s' }])).toMatchObject({
    needsRestart: ['hls.window'],
  });
  await restart();
  expect(await settingAt('hls.window')).toMatchObject({ value: '30s', source: 'console', isPending: false });
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  // An invalid file keeps the gateway that runs.
  await gateway.configure({ demo: 'perhaps' });
  const before = await startedAt();
  expect(await gateway.call('console/restartGateway')).toMatchObject({
    error: true,
    errorMsg: expect.stringContaining('demo: expected true or false'),
  });
  expect(await startedAt()).toBe(before);
  await gateway.end();
  expect(child.exitCode).toBe(0);
});

test('a start that they would prevent uses the file alone, and the option does so on purpose', async () => {
  gateway = await TestGateway.start({}, { serveArgs: ['--ignore-console-settings'] });
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  await save([{ path: 'listen.media', action: 'SET', value: `127.0.0.1:${port}` }]);
  // A restart is meant to try them, whatever the command line says.
  await restart();
  expect(await settings()).toMatchObject({ ignoredBecause: 'start' });
  const { findings } = await gateway.call('console/getSystemState');
  expect(findings).toMatchObject([{ code: 'CONSOLE_SETTINGS_IGNORED' }]);
  await gateway.restart();
  expect(await settings()).toMatchObject({ ignoredBecause: 'option' });
  await gateway.call('console/revertSettings', { revision: 1, changeRevision: 1 });
  await restart();
  expect((await settings()).ignoredBecause).toBeUndefined();
  other.close();
});
