import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { openStore } from './open-store.ts';
import { type Resource, resourceKind } from './resource.ts';
import { sampleCamera, sampleOrganization, sampleShare } from './sample-entities-fixture.ts';
import { describeStoreContract } from './store-contract.ts';
import { openTestStore } from './test-store-fixture.ts';

const FIELD_KEY = Buffer.alloc(32, 7);

const folder = mkdtempSync(join(tmpdir(), 'sluice-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

let fileNumber = 0;
function freshPath(): string {
  return join(folder, `store-${fileNumber++}.db`);
}

function open(path: string, fieldKey = FIELD_KEY) {
  return openStore({ kind: 'sqlite', path, fieldKey, clock: new FakeClock(), busyTimeoutMs: 20 });
}

interface WebhookLike {
  readonly url: string;
  readonly isUsedByRules: boolean;
}

const WEBHOOKS = resourceKind<WebhookLike>('webhook');

function sampleWebhook(orgUuid: Ruuid, key: string): Resource<WebhookLike> {
  return {
    uuid: newRuuid(),
    orgUuid,
    name: '',
    parentUuid: null,
    secret: null,
    body: { url: `https://hooks.example/${key}?key=${key}`, isUsedByRules: true },
    createdAtMs: key === 'earlier-key' ? 1 : 2,
    updatedAtMs: 2,
  };
}

/** As earlier versions wrote it. */
function insertPlain(path: string, { uuid, orgUuid, body }: Resource<WebhookLike>): void {
  withDatabase(
    path,
    `insert into resources (kind, uuid, org_uuid, name, body_json, created_at_ms, updated_at_ms)
      values ('webhook', '${uuid}', '${orgUuid}', '', '${JSON.stringify(body)}', 1, 2)`,
  );
}

describeStoreContract('SQLite in memory', () => openTestStore(new FakeClock()));

describe('SQLite file', () => {
  it('is there again after closing, readable only by its owner', async () => {
    const path = freshPath();
    const org = sampleOrganization();
    const camera = sampleCamera(org.uuid);
    const store = await open(path);
    await store.organizations.save(org);
    await store.cameras.save(camera);
    await store.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = await open(path);
    expect(await again.cameras.list(org.uuid)).toEqual([camera]);
    await again.close();
  });

  it('contains no camera credential in plain text', async () => {
    const path = freshPath();
    const org = sampleOrganization();
    const store = await open(path);
    await store.organizations.save(org);
    await store.cameras.save(sampleCamera(org.uuid));
    await store.close();
    const bytes = readFileSync(path);
    expect(bytes.includes(org.uuid)).toBe(true);
    for (const secret of ['s3cret', 'camera.example']) expect(bytes.includes(secret)).toBe(false);
  });

  it('contains no address of a webhook in plain text, neither a new one nor one from before', async () => {
    const path = freshPath();
    const org = sampleOrganization();
    const store = await open(path);
    await store.organizations.save(org);
    const [earlier, later] = [sampleWebhook(org.uuid, 'earlier-key'), sampleWebhook(org.uuid, 'later-key')];
    await store.resources.of(WEBHOOKS).save(later);
    await store.close();
    insertPlain(path, earlier);
    expect(readFileSync(path).includes('earlier-key')).toBe(true);
    const again = await open(path);
    const webhooks = again.resources.of(WEBHOOKS);
    expect((await webhooks.list(org.uuid)).map(({ body }) => body)).toEqual([earlier.body, later.body]);
    await webhooks.change(org.uuid, earlier.uuid, (known) => ({ ...known!, updatedAtMs: 3_000 }));
    await again.close();
    const bytes = readFileSync(path);
    expect(bytes.includes(earlier.uuid)).toBe(true);
    for (const secret of ['earlier-key', 'later-key', 'hooks.example']) {
      expect([secret, bytes.includes(secret)]).toEqual([secret, false]);
    }
  });

  it('refuses an encrypted URL that was moved to another row', async () => {
    const path = freshPath();
    const org = sampleOrganization();
    const cameras = [sampleCamera(org.uuid), sampleCamera(org.uuid)] as const;
    const store = await open(path);
    await store.organizations.save(org);
    for (const camera of cameras) await store.cameras.save(camera);
    const db = new DatabaseSync(path);
    db.exec(`update cameras set rtsp_url_encrypted =
      (select rtsp_url_encrypted from cameras where uuid = '${cameras[0].uuid}')`);
    db.close();
    expect(await store.cameras.find(org.uuid, cameras[0].uuid)).toEqual(cameras[0]);
    await expect(store.cameras.find(org.uuid, cameras[1].uuid)).rejects.toMatchObject({
      code: 'STORE_FIELD_DAMAGED',
      context: { uuid: cameras[1].uuid, column: 'rtsp_url_encrypted' },
    });
    await store.close();
  });

  it('refuses another secret key, and leaves the file unchanged', async () => {
    const path = freshPath();
    await (await open(path)).close();
    await expect(open(path, Buffer.alloc(32, 8))).rejects.toMatchObject({
      code: 'STORE_WRONG_KEY',
      context: { path },
    });
    await (await open(path)).close();
  });

  it('says so if another process holds the lock', async () => {
    const path = freshPath();
    const store = await open(path);
    const holder = new DatabaseSync(path);
    holder.exec('begin immediate');
    await expect(store.organizations.save(sampleOrganization())).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'STORE_LOCKED',
      context: { path },
    });
    await expect(store.organizations.list()).resolves.toEqual([]);
    holder.exec('rollback');
    holder.close();
    await store.organizations.save(sampleOrganization());
    await store.close();
  });
});

describe('a file that is not a store', () => {
  const cases: [name: string, code: string, make: (path: string) => void][] = [
    ['garbage', 'STORE_CORRUPT', (path) => writeFileSync(path, Buffer.alloc(8_192, 'garbage '))],
    [
      "another application's database",
      'STORE_NOT_OURS',
      (path) => withDatabase(path, 'create table bookmarks (url text)'),
    ],
    [
      'a database of a newer version',
      'STORE_TOO_NEW',
      (path) => withDatabase(path, 'pragma application_id = 0x534c5549; pragma user_version = 9999'),
    ],
  ];

  it.each(cases)('%s is refused with %s, naming the path', async (_name, code, make) => {
    const path = freshPath();
    make(path);
    await expect(open(path)).rejects.toMatchObject({ code, context: { path } });
  });

  it('a folder is refused with STORE_CANNOT_OPEN', async () => {
    await expect(open(folder)).rejects.toMatchObject({
      code: 'STORE_CANNOT_OPEN',
      context: { path: folder },
    });
  });

  it('a missing folder is refused with STORE_CANNOT_OPEN', async () => {
    const path = join(folder, 'missing', 'store.db');
    await expect(open(path)).rejects.toMatchObject({
      code: 'STORE_CANNOT_OPEN',
      context: { path, systemError: 'ENOENT' },
    });
  });

  it('damaged pages are found when the file is opened', async () => {
    const path = freshPath();
    const org = sampleOrganization();
    const store = await open(path);
    await store.organizations.save(org);
    for (let i = 0; i < 200; i++) await store.shares.save(sampleShare(org.uuid));
    await store.close();
    const file = openSync(path, 'r+');
    for (let page = 4; page < 40; page++) writeSync(file, Buffer.alloc(512, 0xa5), 0, 512, page * 4_096);
    closeSync(file);
    await expect(open(path)).rejects.toMatchObject({ code: 'STORE_CORRUPT', context: { path } });
  });

  it('damaged pages of the index of recordings keep nothing else from working', async () => {
    const path = freshPath();
    const org = sampleOrganization();
    const cameraUuid = newRuuid();
    const store = await open(path);
    await store.organizations.save(org);
    const marker = 'segments of a recording ';
    for (let number = 0; number < 50; number++) {
      const times = { startMs: number * 1_000, endMs: (number + 1) * 1_000, byteLength: 1 };
      const segments = marker.repeat(100);
      await store.recordings.save({ cameraUuid, rendition: 'main', number, ...times, segments });
    }
    await store.close();
    const content = readFileSync(path);
    for (let at = 0; at < content.length; at += 4_096) {
      // Not the pages of the list of tables and of other tables.
      if (content.includes(marker.repeat(2), at) && content.indexOf(marker.repeat(2), at) < at + 4_096) {
        content.fill(0xa5, at, at + 512);
      }
    }
    writeFileSync(path, content);
    const reopened = await open(path);
    expect(await reopened.organizations.find(org.uuid)).toEqual(org);
    const stream = { cameraUuid, rendition: 'main' } as const;
    await expect(reopened.recordings.list(stream, 0, 50_000)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
    });
    await reopened.close();
  });
});

function withDatabase(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}
