import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { FakeMovieThread } from '../../playback/fake-movie-thread.ts';
import { MovieMaker } from '../../playback/movie-maker.ts';
import {
  frameHashes,
  makeRecording,
  probe,
  readerOf,
  type TestRecording,
} from '../../playback/range-mp4-fixture.ts';
import type { PastMedia } from '../../playback/recorded-media.ts';
import { FileStorage } from '../../recording/file-storage.ts';
import { testFolder } from '../../recording/recording-fixture.ts';
import { endEpochMs } from '../../recording/segment-index.ts';
import { FIXTURE_EPOCH_MS } from '../../sharing/sharing-fixture.ts';
import type { Share } from '../../store/entities.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import type { LoopbackClient } from '../loopback-client-fixture.ts';
import { downloadName } from '../response/download-name.ts';

const NAME = 'recording.mp4';
const NOW_SEC = FIXTURE_EPOCH_MS / 1_000;
/** Frames 37 to 111. */
const CLIP = `vod/${NOW_SEC + 1}.48/3/clip.mp4`;

let recording: TestRecording;
let door: FrontDoorFixture;
/** Injected requests have no connection that takes bytes. */
let client: LoopbackClient;
let maker: MovieMaker;
let thread: FakeMovieThread;
/** Reads of blocks wait for it. */
let gate: Promise<void>;
let blocks: number;
/** Blocks that were not given back. */
let loans: number;
/** In milliseconds from the start. */
let recordedMs: number;

beforeEach(async () => {
  recording ??= await makeRecording(NAME, { seconds: 6, epochMs: FIXTURE_EPOCH_MS, size: '640x360' });
  const folder = testFolder();
  writeFileSync(join(folder, NAME), recording.bytes);
  const read = readerOf(new Map([[NAME, recording.bytes]]));
  gate = Promise.resolve();
  blocks = 0;
  loans = 0;
  recordedMs = 60_000;
  const media: PastMedia = {
    segments: async (_stream, fromMs, toMs) => {
      const { found } = recording;
      const recorded = found.segments.filter((each) => endEpochMs(each) <= FIXTURE_EPOCH_MS + recordedMs);
      const segments = recorded.filter((each) => each.epochMs < toMs && endEpochMs(each) > fromMs);
      return segments.length === 0 ? [] : [{ ...found, segments }];
    },
    renditions: async () => ({ main: [], sub: [], areTwo: false }),
    pictures: async () => [],
    spans: async () => [],
    hours: async () => [],
    seek: async () => null,
    lend: async (name, offset, length) => {
      blocks++;
      await gate;
      const bytes = await read(name, offset, length);
      loans++;
      return { bytes, release: () => void loans-- };
    },
    read: () => Promise.reject(new Error('not asked for')),
    readStored: () => Promise.reject(new Error('not read here')),
    readTrack: () => Promise.reject(new Error('not asked for')),
  };
  thread = new FakeMovieThread(new FileStorage(folder));
  maker = new MovieMaker({ launch: thread.launch, clock: new FakeClock(), log: silentLog });
  door = await openFrontDoorFixture({ pastMedia: media, maker });
  client = await door.listen();
});
afterEach(async () => {
  await expect.poll(() => loans).toBe(0);
  maker.close();
  await door.close();
});

/** A share from before the recording, a minute after it. */
async function pastShare(fields: object = {}): Promise<{ share: Share; folder: string }> {
  const share = await door.share({ vodEnabled: true, ...fields });
  door.sharing.clock.advance(60_000);
  return { share, folder: await door.openShare(share) };
}

describe('an MP4 of a time', () => {
  it('has exactly its frames, and the audio of those who may hear', async () => {
    const mute = await door.share({ vodEnabled: true, includeAudio: false });
    const { folder } = await pastShare({ includeAudio: true });
    const response = await client.get(folder + CLIP);
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'video/mp4',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-length': `${response.body.length}`,
    });
    expect(frameHashes(response.body)).toEqual(frameHashes(recording.bytes).slice(37, 112));
    expect(probe(response.body).streams).toHaveLength(2);
    const silent = await client.get((await door.openShare(mute)) + CLIP);
    expect(probe(silent.body).streams.map(({ codec_type }) => codec_type)).toEqual(['video']);
  });

  it('is served in ranges that fit together, and made once', async () => {
    const { folder } = await pastShare();
    const whole = (await client.get(folder + CLIP)).body;
    const pieces: Buffer[] = [];
    const step = Math.ceil(whole.length / 7);
    for (let first = 0; first < whole.length; first += step) {
      const last = Math.min(whole.length, first + step) - 1;
      const part = await client.get(folder + CLIP, { range: `bytes=${first}-${last}` });
      expect(part.statusCode).toBe(206);
      expect(part.headers['content-range']).toBe(`bytes ${first}-${last}/${whole.length}`);
      pieces.push(part.body);
    }
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
    const end = await client.get(folder + CLIP, { range: 'bytes=-5' });
    expect(end.body).toEqual(whole.subarray(-5));
    const beyond = await client.get(folder + CLIP, { range: `bytes=${whole.length}-` });
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, `bytes */${whole.length}`]);
    expect(thread.messages).toHaveLength(1);
  });

  it('responds to conditions, HEAD, and requests to save it', async () => {
    const { folder } = await pastShare();
    const { headers, body } = await client.get(folder + CLIP);
    const etag = headers.etag as string;
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const statusWith = async (given: Record<string, string>) =>
      (await client.get(folder + CLIP, given)).statusCode;
    expect(await statusWith({ 'if-none-match': `"other", W/${etag}` })).toBe(304);
    expect(await statusWith({ 'if-none-match': '"other"' })).toBe(200);
    expect(await statusWith({ 'if-modified-since': headers['last-modified'] as string })).toBe(304);
    expect(await statusWith({ 'if-match': '"other"' })).toBe(412);
    expect(await statusWith({ 'if-match': `W/${etag}` })).toBe(412);
    expect(await statusWith({ 'if-match': etag })).toBe(200);
    expect(await statusWith({ range: 'bytes=0-9', 'if-range': etag })).toBe(206);
    expect(await statusWith({ range: 'bytes=0-9', 'if-range': '"other"' })).toBe(200);
    const head = await client.begin(folder + CLIP, { method: 'HEAD' }).answer;
    expect([head.statusCode, head.body.length, head.headers['content-length']]).toEqual([
      200,
      0,
      `${body.length}`,
    ]);
    expect(headers['content-disposition']).toBeUndefined();
    const saved = await client.get(`${folder}${CLIP}?download&tz=Asia/Kolkata`);
    const name = downloadName(
      { titles: ['Unnamed'], fromMs: FIXTURE_EPOCH_MS + 1_480, extension: 'mp4' },
      'Asia/Kolkata',
    );
    expect(name).toContain('UTC+5.30');
    expect(saved.headers['content-disposition']).toContain(`attachment; filename="${name}"; `);
  });

  it('that reaches into the present is one file for all requests of a player', async () => {
    const { folder } = await pastShare();
    const growing = `${folder}vod/${NOW_SEC + 1}/600/clip.mp4`;
    recordedMs = 4_100;
    const first = await client.get(`${growing}?a=b`, { range: 'bytes=0-' });
    expect(first.statusCode).toBe(307);
    expect(first.headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' });
    const followed = new URL(first.headers.location!, `http://gateway${growing}`);
    expect(followed.search).toBe('?a=b');
    const file = followed.pathname;
    const start = await client.get(file, { range: 'bytes=0-99' });
    expect(start.statusCode).toBe(206);
    recordedMs = 60_000;
    door.sharing.clock.advance(2_000);
    const rest = await client.get(file, { range: 'bytes=100-' });
    expect(rest.headers.etag).toBe(start.headers.etag);
    const [, total] = rest.headers['content-range']!.split('/');
    expect(start.headers['content-range']).toBe(`bytes 0-99/${total}`);
    // To the end of the last segment, but for what may belong to the next one.
    expect(frameHashes(Buffer.concat([start.body, rest.body]))).toEqual(
      frameHashes(recording.bytes).slice(25, 100),
    );
    // Without a range, there is one request: the file as it is now, and where it stays.
    const now = await client.get(growing);
    expect(now.statusCode).toBe(200);
    expect(frameHashes(now.body)).toEqual(frameHashes(recording.bytes).slice(25, 150));
    const stays = new URL(now.headers['content-location']!, `http://gateway${growing}`).pathname;
    expect((await client.get(stays)).headers.etag).toBe(now.headers.etag);
    expect(stays).not.toBe(file);
  });

  it('of a time that is over is served under its own URL, wherever the recording ends', async () => {
    const { folder } = await pastShare();
    recordedMs = 4_100;
    door.sharing.clock.advance(3_600_000);
    const over = await client.get(`${folder}vod/${NOW_SEC + 1}/600/clip.mp4`, { range: 'bytes=0-' });
    expect([over.statusCode, over.headers['content-location']]).toEqual([206, undefined]);
  });

  it('is not there for a time without a recording, or that is not one', async () => {
    const { folder } = await pastShare();
    const statusOf = async (range: string) => (await client.get(`${folder}vod/${range}/clip.mp4`)).statusCode;
    expect(await statusOf(`${NOW_SEC + 30}/5`)).toBe(404);
    for (const range of [
      `${NOW_SEC}/0`,
      `${NOW_SEC}/x`,
      `${NOW_SEC + 3_600}/5`,
      `${NOW_SEC}/21601`,
      '-1/5',
    ]) {
      expect([range, await statusOf(range)]).toEqual([range, 400]);
    }
  });
});

describe('access to an MP4 of a time', () => {
  it('needs a share that shows its past, and a time that it showed', async () => {
    const live = await pastShare({ vodEnabled: false });
    expect((await client.get(live.folder + CLIP)).statusCode).toBe(403);
    door.sharing.clock.advance(3_600_000);
    const late = await pastShare();
    expect((await client.get(late.folder + CLIP)).statusCode).toBe(403);
    expect((await client.get(`/live/${'x'.repeat(64)}/${CLIP}`)).statusCode).toBe(404);
    expect(blocks).toBe(0);
  });

  it('ends with the share in the middle of a download', async () => {
    const { folder, share } = await pastShare();
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const download = client.get(folder + CLIP).then(
      ({ statusCode, body }) => `${statusCode}, ${body.length} bytes`,
      () => 'broken off',
    );
    await expect.poll(() => blocks).toBeGreaterThan(0);
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    resolve();
    expect(await download).toBe('broken off');
    await expect.poll(() => door.app.mediaResponses.size).toBe(0);
  });
});
