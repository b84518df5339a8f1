/**
 * Data folders of earlier builds under today's gateway: cameras, links, passwords, schedules, and recordings are still there. The folders
 * come from scripts/release/snapshot-build.ts. And the way back: an older gateway refuses a newer database, and leaves it as it is.
 */

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { runCli } from '../support/cli.ts';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';
import { fetchPlaylist, openShare } from '../support/hls.ts';
import { probePackets } from '../support/media-check.ts';
import { startCamera } from '../support/synthetic.ts';

const BUILDS = resolve(import.meta.dirname, '../fixtures/earlier-builds');
const NEWEST = MIGRATIONS.at(-1)!.version;
const BY_KEY = { 'x-auth-apikey': API_KEY };

interface Facts {
  readonly schemaVersion: number;
  readonly cameraUuid: string;
  readonly password: string;
  /** Paths of playlists. */
  readonly links: Readonly<Record<'open' | 'password' | 'scheduled', string>>;
  readonly recordedSec: { readonly startSec: number; readonly durationSec: number } | null;
}

describe.each(readdirSync(BUILDS))('a data folder of %s', (name) => {
  const facts: Facts = JSON.parse(readFileSync(join(BUILDS, name, 'facts.json'), 'utf8'));
  let folder: string;
  let camera: SyntheticCamera;
  let gateway: TestGateway;
  const databaseFile = () => join(folder, 'data/sluice.db');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
    execFileSync('tar', ['-xzf', join(BUILDS, name, 'data.tar.gz'), '-C', folder]);
    expect(versionOf(databaseFile())).toBe(facts.schemaVersion);
    copyFileSync(databaseFile(), join(folder, 'backup.db'));
    camera = await startCamera();
    const isRecorded = facts.recordedSec !== null;
    gateway = await TestGateway.start({
      data: join(folder, 'data'),
      // The snapshot gets older.
      recording: { keep: '36500d' },
      locations: [{ name: 'HQ', tz: 'America/New_York' }],
      cameras: [
        { name: 'Lobby', location: 'HQ', rtsp: camera.url, ...(isRecorded && { recording: 'always' }) },
      ],
    });
  });
  afterAll(async () => {
    await gateway?.dispose();
    await camera?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is upgraded, and has its camera, key, and links', async () => {
    expect(await gateway.cameraUuid('Lobby')).toBe(facts.cameraUuid);
    const { sharedLiveVideoStreams } = await gateway.call('camera/findAllSharedLiveVideoStreams');
    const names = sharedLiveVideoStreams.map((share: Json) => share.name).sort();
    expect(names).toEqual(['Open', 'Scheduled', 'With a password']);
  });

  it.each(['open', 'scheduled'] as const)('plays live with the same link: %s', async (link) => {
    const playlist = await fetchPlaylist(await openShare(`${gateway.mediaUrl}${facts.links[link]}`));
    expect(playlist.segments.length).toBeGreaterThan(0);
  });

  it('still wants the same password', async () => {
    const url = `${gateway.mediaUrl}${facts.links.password}`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(`${url}?password=wrong`)).status).toBe(401);
    const right = await fetch(`${url}?password=${encodeURIComponent(facts.password)}`);
    expect([right.status, await right.text()]).toEqual([200, expect.stringContaining('#EXTM3U')]);
  });

  // The first build could not record.
  if (facts.recordedSec !== null) itPlays(facts.recordedSec);
  function itPlays({ startSec, durationSec }: NonNullable<Facts['recordedSec']>): void {
    it('plays what was recorded then', async () => {
      const past = `${gateway.mediaUrl}/media/${facts.cameraUuid}/local/vod/${startSec}/${durationSec}/clip.mp4`;
      const response = await fetch(past, { headers: BY_KEY });
      expect(response.status).toBe(200);
      const packets = await probePackets([Buffer.from(await response.arrayBuffer())], 'v');
      // 25 frames a second, and whole groups of pictures at both ends.
      expect(packets.length).toBeGreaterThanOrEqual(25 * (durationSec - 1));
    });
  }

  it('is refused by an older gateway in one line, and stays as it is', async () => {
    await gateway.end();
    expect(versionOf(databaseFile())).toBe(NEWEST);
    // To today's gateway, this is what today's folder is to an older one.
    withDatabase(databaseFile(), (db) => db.exec(`pragma user_version = ${NEWEST + 1}`));
    const before = readFileSync(databaseFile());
    const config = join(folder, 'older.yaml');
    writeFileSync(config, `data: ${join(folder, 'data')}\ndemo: false\n`);
    const { code, stderr } = await runCli('serve', '--config', config);
    const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect([code, lines]).toEqual([
      1,
      [expect.stringMatching(/^A newer version of Sluice wrote the database\. .*backup.*\(STORE_TOO_NEW;/)],
    ]);
    expect(lines[0]).toContain(`databaseVersion: ${NEWEST + 1}`);
    expect(readFileSync(databaseFile()).equals(before)).toBe(true);
  });

  it('works again with the backup from before the upgrade', async () => {
    copyFileSync(join(folder, 'backup.db'), databaseFile());
    for (const suffix of ['-wal', '-shm']) rmSync(`${databaseFile()}${suffix}`, { force: true });
    await gateway.run();
    expect(await gateway.cameraUuid('Lobby')).toBe(facts.cameraUuid);
    const playlist = await fetchPlaylist(await openShare(`${gateway.mediaUrl}${facts.links.open}`));
    expect(playlist.segments.length).toBeGreaterThan(0);
  });
});

it('there are two earlier builds', () => {
  expect(readdirSync(BUILDS).length).toBeGreaterThanOrEqual(2);
});

function versionOf(file: string): number {
  return withDatabase(file, (db) => Number(db.prepare('pragma user_version').get()!.user_version));
}

function withDatabase<T>(file: string, use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file);
  try {
    return use(db);
  } finally {
    db.close();
  }
}
