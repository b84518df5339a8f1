/**
 * A video recorder hands over clips with tus-js-client and with plain requests, through connections that break, kills of
 * the gateway and revoked keys. What was acknowledged is in the recordings, once and whole; nothing else is.
 *
 * Longer than 500 lines: its cases share one gateway.
 */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSecrets } from '../../src/app/config/secrets.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { FileStorage } from '../../src/recording/file-storage.ts';
import { RecordingCatalog } from '../../src/recording/recording-catalog.ts';
import { openStore } from '../../src/store/open-store.ts';
import { runCli } from '../support/cli.ts';
import { clipFile, codedPackets, h264With } from '../support/clip-files.ts';
import { CuttingNetwork } from '../support/cutting-network.ts';
import { API_KEY, TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { tusUpload } from '../support/tus-upload.ts';
import { until } from '../support/until.ts';

const CLIP_MS = 6_000;
const CLIPS_FROM_MS = Date.now() - 3_600_000;
const MAX_BYTES = 16 * 1_048_576;
/** A gateway starts again within this many attempts. */
const RETRIES_OVER_A_RESTART = 2_000;

let gateway: TestGateway;
let cameraUuid: string;
/** Some megabytes. */
let file: Buffer;
let small: Buffer;
/** Clips that were acknowledged, by their ids, and what they show. */
const acknowledged = new Map<string, { readonly startMs: number; readonly file: Buffer }>();
let clips = 0;

function metadataOf(clipId: string, startMs: number, more: Readonly<Record<string, string>> = {}) {
  return {
    clipId,
    cameraUuid,
    timestampMs: String(startMs),
    title: `Clip ${clipId}`,
    filetype: 'video/mp4',
    ...more,
  };
}

/** Each clip has its own time. */
function nextStartMs(): number {
  return CLIPS_FROM_MS + clips++ * 2 * CLIP_MS;
}

const endpoint = () => `${gateway.mediaUrl}/upload/clips`;

async function handOver(clipId: string, of: Buffer, options: Partial<Parameters<typeof tusUpload>[0]> = {}) {
  const startMs = nextStartMs();
  const metadata = metadataOf(clipId, startMs, options.metadata);
  const outcome = await tusUpload({ endpoint: endpoint(), key: API_KEY, file: of, ...options, metadata });
  if (outcome.status === 0) acknowledged.set(clipId, { startMs, file: of });
  return outcome;
}

interface ListedClip {
  readonly uuid: string;
  readonly timestampMs: number;
  readonly title: string;
  readonly durationSec: number;
  readonly status?: string;
  readonly byteCount?: number;
}

async function savedClips(): Promise<ListedClip[]> {
  return (await gateway.call('event/getSavedClipsV2', { limit: 1_000 })).savedClips;
}

const spooled = () => readdir(join(gateway.folder, 'data', 'recordings', 'uploads'));

beforeAll(async () => {
  file = clipFile({ size: '640x480', seconds: CLIP_MS / 1_000, codecs: h264With('-qp 4') });
  small = clipFile({ seconds: CLIP_MS / 1_000, codecs: h264With('-bf 2') });
  gateway = await TestGateway.start({
    recording: { minFree: '16MiB' },
    uploads: { maxSize: '16MiB' },
    cameras: [{ name: 'Gate', rtsp: 'rtsp://127.0.0.1:9/none' }],
  });
  cameraUuid = await gateway.cameraUuid('Gate');
});

afterAll(() => gateway?.dispose());

/** What is not taken as it is. */
const CONVERTED = [
  ['Matroska', { extension: 'mkv' }],
  ['a transport stream', { extension: 'ts' }],
  ['MPEG-4 Visual', { codecs: '-c:v mpeg4 -c:a aac' }],
  ['H.265', { codecs: '-c:v libx265 -tag:v hvc1 -x265-params log-level=none:pools=1 -c:a aac' }],
  ['Motion JPEG and PCM in AVI', { extension: 'avi', codecs: '-c:v mjpeg -c:a pcm_s16le' }],
] as const;

describe('a clip that is handed over', () => {
  it('arrives through connections that break at any byte', async () => {
    const plan = [
      1,
      500,
      1_000,
      65_536,
      65_537,
      ...Array.from({ length: 15 }, (_, i) => 90_000 + 12_345 * i),
    ];
    const network = await CuttingNetwork.to(gateway.mediaUrl, plan);
    const sha256 = createHash('sha256').update(file).digest('hex');
    const outcome = await handOver('cut', file, {
      endpoint: network.through(endpoint()),
      metadata: { sha256 },
    });
    expect(outcome).toMatchObject({ status: 0 });
    expect(network.cuts).toBe(plan.length);
    await network.close();
  });

  it('arrives in pieces', async () => {
    expect(await handOver('pieces', file, { chunkBytes: 300_001 })).toMatchObject({ status: 0 });
  });

  it('can be sent along with its announcement, also when half of it is there', async () => {
    const startMs = nextStartMs();
    const headers = {
      'upload-length': String(small.length),
      'upload-metadata': encoded(metadataOf('along', startMs)),
      'content-type': 'application/offset+octet-stream',
    };
    const half = Uint8Array.from(small.subarray(0, small.length >> 1));
    const first = await tus('POST', endpoint(), headers, half);
    expect([first.status, first.headers.get('upload-offset')]).toEqual([201, String(half.length)]);
    const again = await tus('POST', endpoint(), headers, half);
    expect([again.status, again.headers.get('upload-offset')]).toEqual([201, String(half.length)]);
    const url = new URL(again.headers.get('location')!, endpoint()).href;
    const rest = { 'upload-offset': String(half.length), 'content-type': 'application/offset+octet-stream' };
    expect((await tus('PATCH', url, rest, Uint8Array.from(small.subarray(half.length)))).status).toBe(204);
    acknowledged.set('along', { startMs, file: small });
  });

  it('is taken once, however often it is handed over', async () => {
    const first = await handOver('twice', small);
    const again = await tusUpload({
      endpoint: endpoint(),
      key: API_KEY,
      file: small,
      metadata: metadataOf('twice', acknowledged.get('twice')!.startMs),
    });
    expect(again).toEqual(first);
    expect((await savedClips()).filter(({ title }) => title === 'Clip twice')).toHaveLength(1);
  });

  it('is in the audit trail under the key that handed it over, and in the metrics', async () => {
    const clip = (await savedClips()).find(({ title }) => title === 'Clip twice')!;
    const { auditEvents } = await gateway.call('report/getAuditFeed', {
      timestampMsAfter: 0,
      timestampMsBefore: Date.now() + 1,
    });
    // What the gateway does with the clip afterwards is its own doing.
    const added = auditEvents.filter(
      ({ targetUuid, action }: { targetUuid: string; action: string }) =>
        targetUuid === clip.uuid && action === 'SAVED_CLIP_CREATE',
    );
    expect(added).toEqual([expect.objectContaining({ principalName: expect.stringMatching(/./) })]);
    expect(added[0].principalName).not.toBe('Sluice');
    const metrics = await (await fetch(`${gateway.apiUrl}/metrics`)).text();
    const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
    expect(figure('sluice_uploads_imported_total')).toBeGreaterThanOrEqual(acknowledged.size);
    expect(figure('sluice_upload_bytes_total')).toBeGreaterThan(file.length);
    expect(figure('sluice_uploads_running')).toBe(0);
  });

  it('is a saved clip with its time and length, and a file and an image that stay', async () => {
    const { startMs } = acknowledged.get('twice')!;
    const find = async () => (await savedClips()).find(({ title }) => title === 'Clip twice');
    await expect.poll(async () => (await find())?.status).toBe('COMPLETE');
    const clip = (await find())!;
    expect(clip).toMatchObject({
      timestampMs: startMs,
      durationSec: CLIP_MS / 1_000,
      deviceUuid: cameraUuid,
      thumbnailLocation: { region: 'local' },
    });
    const headers = { 'x-auth-scheme': 'api-token', 'x-auth-apikey': API_KEY };
    const folder = `${gateway.mediaUrl}/media/metadata/${cameraUuid}/local`;
    const movie = await fetch(`${folder}/${clip.uuid}.mp4`, { headers });
    expect([movie.status, (await movie.bytes()).length]).toEqual([200, clip.byteCount]);
    const image = await fetch(`${folder}/${clip.uuid}.jpeg`, { headers });
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  });

  it.each(CONVERTED)('can be %s: ffmpeg converts it', async (name, options) => {
    const converted = clipFile({ ...options, seconds: 3 });
    const startMs = nextStartMs();
    const outcome = await tusUpload({
      endpoint: endpoint(),
      key: API_KEY,
      file: converted,
      metadata: metadataOf(name, startMs),
    });
    expect(outcome).toMatchObject({ status: 0 });
    expect(await savedClips()).toContainEqual(
      expect.objectContaining({ timestampMs: startMs, durationSec: 3 }),
    );
  });
});

describe('what is refused', () => {
  it.each([
    ['cut off', () => small.subarray(0, small.length - 1_000), {}, 422, 'UPLOAD_WITHOUT_INDEX'],
    ['with a picture that is none', () => damaged(small), {}, 422, 'UPLOAD_DAMAGED'],
    ['that is no media', () => Buffer.from('a text'.repeat(1_000)), {}, 422, 'UPLOAD_NOT_SUPPORTED'],
    ['with only sound', () => clipFile({ codecs: '-vn -c:a aac' }), {}, 422, 'UPLOAD_WITHOUT_VIDEO'],
    ['with another checksum', () => small, { sha256: 'ab'.repeat(32) }, 460, 'UPLOAD_CHECKSUM'],
    [
      'from the future',
      () => small,
      { timestampMs: String(Date.now() + 3_600_000) },
      400,
      'UPLOAD_TIME_IMPOSSIBLE',
    ],
    ['of 1970', () => small, { timestampMs: '5000' }, 400, 'UPLOAD_TIME_IMPOSSIBLE'],
    [
      'of a camera that does not exist',
      () => small,
      { cameraUuid: newRuuid() },
      404,
      'UPLOAD_CAMERA_UNKNOWN',
    ],
    ['without a time', () => small, { timestampMs: 'yesterday' }, 400, 'UPLOAD_METADATA'],
    ['that is empty', () => Buffer.alloc(0), {}, 400, 'UPLOAD_EMPTY'],
    ['that is too large', () => Buffer.alloc(MAX_BYTES + 1), {}, 413, 'bad-request'],
  ] as const)('is a clip %s, with the reason', async (name, make, metadata, status, reason) => {
    const before = (await savedClips()).length;
    const options = { metadata, retries: 0 };
    const outcome = await handOver(`refused ${name}`, make(), options);
    expect({ status: outcome.status, reason: JSON.parse(outcome.body).reason }).toEqual({ status, reason });
    expect(await savedClips()).toHaveLength(before);
    expect(await spooled()).toEqual([]);
  });

  it('says why again when the same clip is asked for, and when it is announced again', async () => {
    const bad = small.subarray(0, small.length - 1_000);
    const metadata = metadataOf('asked again', nextStartMs());
    const options = { endpoint: endpoint(), key: API_KEY, metadata, retries: 0 };
    const { url } = await tusUpload({ ...options, file: bad });
    const head = await tus('HEAD', url!);
    expect(head.status).toBe(422);
    const again = await tusUpload({ ...options, file: bad });
    expect({ status: again.status, reason: JSON.parse(again.body).reason }).toEqual({
      status: 422,
      reason: 'UPLOAD_WITHOUT_INDEX',
    });
    // Another file under the same name is another attempt.
    expect(await tusUpload({ ...options, file: small })).toMatchObject({ status: 0 });
    acknowledged.set('asked again', { startMs: Number(metadata.timestampMs), file: small });
  });

  it('is everything without a key, and with a wrong one', async () => {
    const url = `${endpoint()}/${newRuuid()}`;
    for (const method of ['HEAD', 'PATCH', 'DELETE'] as const) {
      expect((await tus(method, url, { 'x-auth-apikey': '' })).status).toBe(401);
    }
    expect((await tus('POST', endpoint(), { 'x-auth-apikey': 'wrong' })).status).toBe(401);
  });
});

describe('the key of a device', () => {
  it('hands over clips, sees only its own, and ends what is running when it is revoked', async () => {
    const config = join(gateway.folder, 'sluice.yaml');
    const made = await runCli('keys', 'make', '--scheme', 'device', '--name', 'NVR', '--config', config);
    const key = made.stdout.trim();
    const keyUuid = /\(([\w-]{22})\)/.exec(made.stderr)![1]!;
    expect(await handOver('by the device', small, { key, scheme: 'device' })).toMatchObject({ status: 0 });
    const headers = { 'x-auth-apikey': key, 'x-auth-scheme': 'device' };
    const announced = await tus('POST', endpoint(), {
      ...headers,
      'upload-length': String(file.length),
      'upload-metadata': encoded(metadataOf('half', nextStartMs())),
    });
    expect(announced.status).toBe(201);
    const url = new URL(announced.headers.get('location')!, endpoint()).href;
    for (const method of ['HEAD', 'DELETE'] as const) expect((await tus(method, url)).status).toBe(404);
    const foreign = await tus('PATCH', url, {
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    });
    expect(foreign.status).toBe(404);
    const sending = request(url, {
      method: 'PATCH',
      headers: {
        ...headers,
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
        'content-length': file.length,
      },
    });
    const ended = new Promise<string>((resolve) => {
      sending.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
      sending.on('response', ({ statusCode }) => resolve(String(statusCode)));
    });
    sending.write(file.subarray(0, 200_000));
    await until('bytes of it are there', async () => (await spooled()).length === 1);
    await runCli('keys', 'revoke', '--config', config, '--', keyUuid);
    expect(await ended).toMatch(/^ECONNRESET$|^EPIPE$/);
    expect((await tus('HEAD', url, headers)).status).toBeOneOf([401, 403]);
  });
});

describe('sluice upload', () => {
  const run = async (of: Buffer, url: string, ...more: string[]) => {
    const [path, keyFile] = [join(gateway.folder, 'clip.mp4'), join(gateway.folder, 'key.txt')];
    await writeFile(path, of);
    await writeFile(keyFile, `${API_KEY}\n`);
    return runCli('upload', path, '--url', url, '--camera', cameraUuid, '--key-file', keyFile, ...more);
  };

  it('hands over a clip through connections that break, and at once the next time', async () => {
    const startMs = nextStartMs();
    const network = await CuttingNetwork.to(gateway.mediaUrl, [1_000_000, 1_000_000]);
    const options = ['--clip-id', 'cli', '--title', 'Clip cli', '--start', new Date(startMs).toISOString()];
    const first = await run(file, network.through(gateway.mediaUrl), ...options);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(cameraUuid) });
    expect(first.stderr).toContain('trying again');
    expect(first.stderr + first.stdout).not.toContain(API_KEY);
    expect(network.cuts).toBe(2);
    await network.close();
    acknowledged.set('cli', { startMs, file });
    const again = await run(file, gateway.mediaUrl, ...options);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('100%') });
  });

  it('says why a clip is refused, with an exit code of its own', async () => {
    const bad = small.subarray(0, small.length - 1_000);
    const refused = await run(
      bad,
      gateway.mediaUrl,
      '--clip-id',
      'cli bad',
      '--start',
      String(nextStartMs()),
    );
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('UPLOAD_WITHOUT_INDEX') });
  });

  it('gives up after the time that it was given', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const gone = await run(small, nowhere, '--start', String(nextStartMs()), '--retry-for', '1');
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') });
  });

  it.each(['http://other/upload/clips/1', 'http://other//other/upload/clips/1', '//other/upload/clips/1'])(
    'gives the key to no other host than the one it was told: Location %s',
    async (location) => {
      const requested: string[] = [];
      const server = createServer((got, response) => {
        requested.push(`${got.method} ${got.headers.host} ${got.headers['x-auth-apikey']}`);
        if (got.method === 'POST') response.writeHead(201, { location, 'upload-offset': '0' }).end();
        else response.writeHead(403).end();
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      await run(small, `http://${host}`, '--start', String(nextStartMs()));
      server.close();
      expect(requested).toEqual([`POST ${host} ${API_KEY}`, `PATCH ${host} ${API_KEY}`]);
    },
  );

  it('takes no key from the command line, and says what is missing', async () => {
    const path = join(gateway.folder, 'clip.mp4');
    const options = ['--url', gateway.mediaUrl, '--camera', cameraUuid, '--start', String(CLIPS_FROM_MS)];
    expect(await runCli('upload', path, ...options)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('SLUICE_UPLOAD_KEY'),
    });
    expect(await runCli('upload', path, ...options, '--key', 'slc_x')).toMatchObject({ code: 2 });
    expect(await runCli('upload', path, ...options.slice(0, 4), '--start', 'noon')).toMatchObject({
      code: 2,
    });
  });
});

describe('a gateway that is killed', { timeout: 180_000 }, () => {
  it('goes on with what it has when it is back', async () => {
    let isKilled = false;
    let back: Promise<void> | null = null;
    const network = await CuttingNetwork.to(gateway.mediaUrl, [1_000_000]);
    const outcome = await handOver('killed in the middle', file, {
      endpoint: network.through(endpoint()),
      retries: RETRIES_OVER_A_RESTART,
      onProgress: (sent) => {
        if (isKilled || sent < 500_000) return;
        isKilled = true;
        back = gateway.restart('SIGKILL');
      },
    });
    await back;
    await network.close();
    expect(outcome).toMatchObject({ status: 0 });
    expect(isKilled).toBe(true);
  });

  it.each([0, 10, 60])('has a clip once, %i ms after its last byte', async (delayMs) => {
    let back: Promise<void> | null = null;
    const outcome = await handOver(`killed at the end, ${delayMs}`, file, {
      retries: RETRIES_OVER_A_RESTART,
      onProgress: (sent) => {
        if (sent < file.length || back !== null) return;
        back = new Promise((resolve, reject) => {
          setTimeout(() => gateway.restart('SIGKILL').then(resolve, reject), delayMs);
        });
      },
    });
    await back;
    expect(outcome).toMatchObject({ status: 0 });
  });
});

describe('afterwards', () => {
  it('every acknowledged clip is in the recordings once, as it was sent, and nothing is left over', async () => {
    // What the revoked key had begun.
    const titles = (await savedClips()).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const clipId of acknowledged.keys()) expect(titles).toContain(`Clip ${clipId}`);
    await gateway.end();
    const files = await readBack();
    const pictures = (of: Buffer) => codedPackets(of, 'v').map(({ hash }) => hash);
    const sentPictures = new Map([file, small].map((of) => [of, pictures(of)]));
    for (const [clipId, { startMs, file: sent }] of acknowledged) {
      const found = files.filter((each) => Math.abs(each.startMs - startMs) < 1_000);
      expect(found, clipId).toHaveLength(1);
      expect(found[0]!.startMs).toBe(startMs);
      expect(pictures(found[0]!.bytes), clipId).toEqual(sentPictures.get(sent));
    }
    // The others were converted.
    expect(files).toHaveLength(acknowledged.size + CONVERTED.length);
    expect((await spooled()).length).toBeLessThanOrEqual(1);
  });
});

/** A slice whose NAL unit is longer than its sample. */
function damaged(of: Buffer): Buffer {
  const changed = Buffer.from(of);
  const media = changed.indexOf('mdat') + 4;
  changed.fill(0xff, media + 5_000, media + 9_000);
  return changed;
}

function encoded(metadata: Readonly<Record<string, string>>): string {
  return Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

function tus(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body: Uint8Array<ArrayBuffer> | null = null,
): Promise<Response> {
  const common = { 'tus-resumable': '1.0.0', 'x-auth-apikey': API_KEY, 'x-auth-scheme': 'api-token' };
  return fetch(url, { method, headers: { ...common, ...headers }, body });
}

interface ReadFile {
  readonly startMs: number;
  /** As one fragmented MP4. */
  readonly bytes: Buffer;
}

async function readBack(): Promise<ReadFile[]> {
  const data = join(gateway.folder, 'data');
  const { fieldKey } = loadSecrets(data, {});
  const store = await openStore({
    kind: 'sqlite',
    path: join(data, 'sluice.db'),
    fieldKey,
    clock: systemClock,
  });
  const catalog = new RecordingCatalog({
    recordings: store.recordings,
    clock: systemClock,
    log: silentLog,
    openFile: () => null,
  });
  const storage = new FileStorage(join(data, 'recordings'));
  const read: ReadFile[] = [];
  try {
    const stream = { cameraUuid: cameraUuid as Ruuid, rendition: 'uploaded' as const };
    for (const { name, segments } of await catalog.segments(stream, 0, Date.now() + 60_000)) {
      const reader = await storage.open(name);
      const [first] = segments;
      const pieces = [await reader.read(first!.init.offset, first!.init.byteLength)];
      for (const { offset, byteLength } of segments) pieces.push(await reader.read(offset, byteLength));
      await reader.close();
      read.push({ startMs: first!.epochMs, bytes: Buffer.concat(pieces) });
    }
  } finally {
    await store.close();
  }
  return read;
}
