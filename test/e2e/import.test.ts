/** `sluice import` alongside a running gateway. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import { runCli } from '../support/cli.ts';
import { TestGateway } from '../support/gateway.ts';

const run = promisify(execFile);
const MAIN = resolve(import.meta.dirname, '../../src/app/main.ts');
const TIME_MS = 1_767_225_600_000;
const ROWS = 2_500;

let gateway: TestGateway;
let folder: string;
let deviceUuid: string;
let configFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-import-'));
  gateway = await TestGateway.start({
    // One test changes doors as long as an import lasts.
    cameras: [{ name: 'Lobby', rtsp: 'rtsp://127.0.0.1:1/stream' }],
  });
  configFile = join(gateway.folder, 'sluice.yaml');
  deviceUuid = await gateway.cameraUuid('Lobby');
});
afterAll(async () => {
  await gateway?.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function fileOf(lines: readonly string[]): Promise<string> {
  const file = join(folder, 'reports.jsonl');
  await writeFile(file, lines.join('\n'));
  return file;
}

const crossing = (index: number) =>
  JSON.stringify({
    kind: 'thresholdCrossings',
    id: `c${index}`,
    deviceUuid,
    timestampMs: TIME_MS + index,
    crossingObject: 'HUMAN',
    objectId: index,
    direction: 'INGRESS',
  });
const importFile = (file: string) => runCli('import', file, '--config', configFile);
const counted = async () => {
  const range = { startTimeMs: TIME_MS, endTimeMs: TIME_MS + 3_600_000 };
  const { crossingCounts } = await gateway.call('report/getThresholdCrossingCountReportForOrg', range);
  return crossingCounts[0].ingressCount;
};

it('stores what is right, names the lines that are wrong, and goes on where it was interrupted', async () => {
  const lines = Array.from({ length: ROWS }, (_, index) => crossing(index));
  // What was stored before an import was interrupted.
  const first = await importFile(await fileOf(lines.slice(0, 1_200)));
  expect(first).toMatchObject({ code: 0, stdout: '1,200 lines: 1,200 stored, 0 already known, 0 refused\n' });
  expect(await counted()).toBe(1_200);
  const file = await fileOf([...lines, '{"kind":"thresholdCrossings"}', 'nonsense', '{"kind":"songs"}']);
  const whole = await importFile(file);
  expect(whole).toMatchObject({
    code: 1,
    stdout: '2,503 lines: 1,300 stored, 1,200 already known, 3 refused\n',
  });
  expect(whole.stderr.trimEnd().split('\n').sort()).toEqual([
    `${file}:2501: id is required.`,
    `${file}:2502: The line is not valid JSON.`,
    expect.stringContaining(`${file}:2503: kind must be one of doors, `),
  ]);
  expect(await counted()).toBe(ROWS);
});

it('loses no change that the API makes meanwhile, and nothing of its own', async () => {
  const doors = Array.from({ length: 10 }, () => newRuuid());
  const report = (uuid: string, lockVendorDoorId: string) =>
    JSON.stringify({ kind: 'doors', uuid, ownerDeviceUuid: deviceUuid, lockVendorDoorId });
  expect(await importFile(await fileOf(doors.map((uuid) => report(uuid, 'first'))))).toMatchObject({
    code: 0,
  });
  const lines = Array.from({ length: 25_000 }, (_, index) => report(doors[index % 10]!, `line ${index}`));
  let isImported = false;
  const imported = importFile(await fileOf([...lines, ...doors.map((uuid) => report(uuid, 'last'))])).finally(
    () => {
      isImported = true;
    },
  );
  const update = async (accessControlledDoorUuid: string, settings: object) => {
    const response = await gateway.call('component/updateAccessControlledDoor', {
      accessControlledDoorUuid,
      ...settings,
    });
    expect(response).toMatchObject({ error: false });
    return response.accessControlledDoor;
  };
  const sawImport = new Set<string>();
  let seconds = 0;
  while (!isImported) {
    seconds += 1;
    const uuid = doors[seconds % 10]!;
    await update(uuid, { unlockTimeSec: seconds });
    const door = await update(uuid, { unlockTimeSecRex: seconds });
    expect(door).toMatchObject({ unlockTimeSec: seconds, unlockTimeSecRex: seconds });
    sawImport.add(door.lockVendorDoorId);
  }
  expect(await imported).toMatchObject({
    code: 0,
    stdout: '25,010 lines: 0 stored, 25,010 already known, 25,010 changed what was stored, 0 refused\n',
  });
  expect(sawImport.size).toBeGreaterThan(3);
  for (const uuid of doors) expect(await update(uuid, {})).toMatchObject({ lockVendorDoorId: 'last' });
});

it('shows its progress on a terminal', async () => {
  const file = await fileOf([crossing(0)]);
  const command = [process.execPath, MAIN, 'import', file, '--config', configFile].join(' ');
  const { stdout } = await run('script', ['--quiet', '--return', '--command', command, '/dev/null']);
  expect(stdout).toContain('100%  1 line: 0 stored, 1 already known, 0 refused');
});

it('says what is wrong with the file or the organization', async () => {
  const missing = await importFile(join(folder, 'missing.jsonl'));
  expect(missing.code).not.toBe(0);
  expect(missing.stderr).toContain('missing.jsonl');
  const file = await fileOf([crossing(0)]);
  const foreign = await runCli('import', file, '--config', configFile, '--org', 'AAAAAAAAAAAAAAAAAAAAAA');
  expect(foreign.code).not.toBe(0);
  expect(foreign.stderr).toContain('--org');
});
