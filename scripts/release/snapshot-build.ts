/**
 * Makes the data folder that a released version leaves behind, for test/e2e/upgrade.test.ts: runs a checkout of that version with a
 * camera, shares it, and records it if the version can. After a release, add its snapshot and remove the oldest:
 *
 *     git worktree add /tmp/released v1.2.0 && (cd /tmp/released && npm ci --omit=dev)
 *     node scripts/release/snapshot-build.ts /tmp/released test/fixtures/earlier-builds/1.2.0
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import { API_KEY, type Json } from '../../test/support/gateway.ts';
import { freePort } from '../../test/support/ports.ts';
import { makeClip, startCamera } from '../../test/support/synthetic.ts';

const [checkout, out] = process.argv.slice(2);
if (checkout === undefined || out === undefined) {
  throw new Error('node scripts/release/snapshot-build.ts CHECKOUT OUT');
}
const RECORDED_MS = 12_000;
const PASSWORD = 'correct horse';
/** What the next start makes again. */
const NOT_NEEDED = ['console-link.txt', 'first-keys.txt', 'reserve', 'compile-cache'];

const folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
const data = join(folder, 'data');
const ports = { api: await freePort(), media: await freePort() };
const apiUrl = `http://127.0.0.1:${ports.api}`;
const mediaUrl = `http://127.0.0.1:${ports.media}`;
const clip = await makeClip(160, 90, { bitrateBitsPerSec: 40_000, audio: false });
const camera = await startCamera(0, { clip });
const hasRecording = existsSync(join(checkout, 'src/recording/recorder.ts'));
writeFileSync(
  join(folder, 'sluice.yaml'),
  stringify({
    listen: { api: `127.0.0.1:${ports.api}`, media: `127.0.0.1:${ports.media}` },
    public: { apiUrl, mediaUrl },
    data,
    bootstrap: { apiKey: API_KEY },
    locations: [{ name: 'HQ', tz: 'America/New_York' }],
    cameras: [
      { name: 'Lobby', location: 'HQ', rtsp: camera.url, ...(hasRecording && { recording: 'always' }) },
    ],
  }),
);
const args = [join(checkout, 'src/app/main.ts'), 'serve', '--config', join(folder, 'sluice.yaml')];
const env = { ...process.env, SLUICE_LOG_FORMAT: 'json' };
const gateway = spawn(process.execPath, args, { cwd: checkout, env, stdio: ['ignore', 'ignore', 'pipe'] });
process.on('exit', () => gateway.kill('SIGKILL'));
const lines = createInterface({ input: gateway.stderr });
await new Promise<void>((resolve, reject) => {
  lines.on('line', (line) => {
    if (/"level":[56]0/.test(line)) process.stderr.write(`${line}\n`);
    if (line.includes('"msg":"ready"')) resolve();
  });
  gateway.on('exit', (code) => reject(new Error(`The gateway ended with ${code}`)));
});

const { cameraStates } = await call('camera/getMinimalCameraStateList');
const cameraUuid: string = cameraStates[0].uuid;
const { scheduleUuid } = await call('schedule/createAbsoluteSchedule', {
  schedule: { name: 'Always', intervalList: [{ b: 1_000_000_000, e: 4_102_444_800 }] },
});
const links = {
  open: await share({ name: 'Open' }),
  password: await share({ name: 'With a password', password: PASSWORD }),
  scheduled: await share({ name: 'Scheduled', scheduleUuid }),
};
const startMs = Date.now();
if (hasRecording) await pause(RECORDED_MS);
const ended = once(gateway, 'exit');
gateway.kill('SIGTERM');
await ended;
await camera.close();

const database = new DatabaseSync(join(data, 'sluice.db'));
const schemaVersion = database.prepare('pragma user_version').get()!.user_version;
database.exec('pragma wal_checkpoint(truncate); vacuum');
database.close();
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const name of NOT_NEEDED) rmSync(join(data, name), { recursive: true, force: true });
execFileSync('tar', ['-czf', join(out, 'data.tar.gz'), '--sort=name', '-C', folder, 'data']);
const recordedSec = hasRecording ? { startSec: Math.ceil(startMs / 1_000) + 2, durationSec: 4 } : null;
const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
const facts = { version, schemaVersion, cameraUuid, password: PASSWORD, links, recordedSec };
writeFileSync(join(out, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`);
rmSync(folder, { recursive: true });

async function call(path: string, body: Json = {}): Promise<Json> {
  const response = await fetch(`${apiUrl}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'api-token' },
    body: JSON.stringify(body),
  });
  const result = (await response.json()) as Json;
  if (result.error) throw new Error(`${path}: ${JSON.stringify(result)}`);
  return result;
}

/** The path of the playlist: other ports lead to it, too. */
async function share(fields: Json): Promise<string> {
  const response = await call('camera/createSharedLiveVideoStream', {
    cameraUuid,
    streamType: 'USER',
    vodEnabled: hasRecording,
    ...fields,
  });
  return new URL(response.sharedLiveM3U8StreamUrl).pathname;
}
