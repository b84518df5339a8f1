import { describe, expect, it, onTestFinished } from 'vitest';
import { clipFile, h264With } from '../../test/support/clip-files.ts';
import { dahuaFile } from '../../test/support/dahua-file.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { errorOfWire } from '../core/wire-error.ts';
import { findFfmpeg } from '../ffmpeg/find-ffmpeg.ts';
import { createJail } from '../ffmpeg/jail.ts';
import { WorkerPool } from '../ffmpeg/worker-pool.ts';
import { FragmentReader } from '../isobmff/fragment-reader.ts';
import { FileDisk } from '../recording/disk.ts';
import { testFolder } from '../recording/recording-fixture.ts';
import { CONVERSION_BOUNDS, type ConversionBounds } from './conversion-cost.ts';
import { FfmpegConverter } from './ffmpeg-converter.ts';
import type { ForeignClip, Spool } from './spool-protocol.ts';
import { SpoolSide } from './spool-side.ts';

const NOT_CARRIED = { kind: 'foreign', what: 'test', framePx: null, frames: null } as const;

async function setup({
  maxBytes = 1_000_000_000,
  minFreeBytes = 0,
  bounds = CONVERSION_BOUNDS,
  found = {},
}: {
  maxBytes?: number;
  minFreeBytes?: number;
  bounds?: ConversionBounds;
  found?: Partial<ForeignClip>;
} = {}) {
  const side = new SpoolSide(testFolder(), new FileDisk());
  const spool: Spool = {
    async call(call) {
      const response = await side.respond({ id: 0, call });
      if ('value' in response) return response.value as never;
      throw errorOfWire(response.failure);
    },
  };
  const pool = new WorkerPool({
    maxWorkers: 1,
    waitTimeoutMs: 10_000,
    jail: await createJail(),
    clock: systemClock,
  });
  onTestFinished(() => pool.close());
  const converter = new FfmpegConverter({
    spool,
    pool,
    binary: await findFfmpeg({}),
    maxBytes,
    minFreeBytes,
    bounds,
    log: silentLog,
  });
  const put = async (file: Buffer) => {
    await spool.call({ name: 'create', file: 'in' });
    await spool.call({ name: 'append', file: 'in', offset: 0, bytes: new Uint8Array(file) });
  };
  const stopping = new AbortController();
  const convert = (isIsoMedia: boolean) =>
    converter.convert('in', 'out', { ...NOT_CARRIED, isIsoMedia, ...found }, 'organization', stopping.signal);
  return { spool, pool, put, convert, stopping };
}

describe('a file that we do not carry', () => {
  it.each([
    ['Matroska with H.264: copied', { extension: 'mkv' }, false],
    ['MPEG-4 Visual in MP4, index last', { codecs: '-c:v mpeg4 -c:a mp3' }, true],
    ['a transport stream', { extension: 'ts' }, false],
    ['H.265, which not every player has', { codecs: '-c:v libx265 -x265-params log-level=none -an' }, true],
    [
      'a program stream, H.264',
      { extension: 'mpg', codecs: h264With('-bf 2', 'mp2'), muxer: '-f mpeg' },
      false,
    ],
    ['no sound', { extension: 'avi', codecs: '-c:v mjpeg -an' }, false],
  ] as const)('becomes one that we do: %s', async (_name, options, isIsoMedia) => {
    const { spool, put, convert } = await setup();
    await put(clipFile({ ...options, seconds: 3 }));
    expect(await spool.call({ name: 'inspect', file: 'in' })).toMatchObject({ kind: 'foreign', isIsoMedia });
    await convert(isIsoMedia);
    const clip = await spool.call({ name: 'inspect', file: 'out' });
    expect(clip.kind).toBe('carried');
    if (clip.kind === 'carried') expect(Math.abs(clip.durationMs - 3_000)).toBeLessThan(80);
  });

  it.each([
    ['AVI with B-frames', 'avi', Buffer.alloc(0)],
    ['a program stream with B-frames', 'mpg', Buffer.alloc(0)],
    [
      'a Hikvision export, which is one behind a header',
      'mpg',
      Buffer.concat([Buffer.from('IMKH'), Buffer.alloc(36)]),
    ],
  ] as const)('has each picture at its time: %s', async (_name, extension, head) => {
    const { spool, put, convert } = await setup();
    const muxer = extension === 'mpg' ? '-f mpeg' : '';
    await put(
      Buffer.concat([head, clipFile({ extension, codecs: h264With('-bf 2', null), muxer, seconds: 3 })]),
    );
    await convert(false);
    const clip = await spool.call({ name: 'inspect', file: 'out' });
    if (clip.kind !== 'carried') throw new Error(clip.what);
    const times: number[] = [];
    const reader = new FragmentReader({
      onTracks: () => undefined,
      onSample: (_index, _dts, pts) => times.push(pts / clip.timescaleHz),
    });
    reader.push(clip.init);
    for (;;) {
      const segment = await spool.call({ name: 'segment', file: 'out' });
      if (segment === null) break;
      reader.push(segment.bytes);
    }
    expect(times).toHaveLength(75);
    for (const [index, sec] of times.entries()) expect(sec - times[0]!).toBeCloseTo(index / 25, 3);
  });

  it.each([
    ['H.264', h264With('-x264-params repeat-headers=1', null)],
    ['H.265', '-c:v libx265 -x265-params log-level=none:repeat-headers=1 -an'],
  ] as const)(
    'is recovered without its index if its video is nothing but units: %s',
    async (_name, codecs) => {
      const { spool, put, convert } = await setup();
      const file = clipFile({ codecs, seconds: 3 });
      await put(file.subarray(0, file.lastIndexOf('moov') - 4 - 700));
      const received = await spool.call({ name: 'inspect', file: 'in' });
      expect(received).toMatchObject({ kind: 'foreign', isIsoMedia: true, isCut: true });
      await convert(true);
      const clip = await spool.call({ name: 'inspect', file: 'out' });
      if (clip.kind !== 'carried') throw new Error(clip.what);
      expect(clip.durationMs).toBeGreaterThan(2_700);
      expect(clip.durationMs).toBeLessThan(3_050);
    },
  );

  it.each([
    ['its parameter sets were in it', h264With('', null)],
    ['sound lies between its pictures', h264With('-x264-params repeat-headers=1')],
  ] as const)('is refused without its index, and says so, if %s', async (_name, codecs) => {
    const { spool, put } = await setup();
    const file = clipFile({ codecs, seconds: 3 });
    await put(file.subarray(0, file.lastIndexOf('moov') + 100));
    await expect(spool.call({ name: 'inspect', file: 'in' })).rejects.toMatchObject({
      code: 'UPLOAD_WITHOUT_INDEX',
    });
  });

  it.each([
    ['as a Dahua recorder exports it', (file: Buffer) => file],
    ['cut in a frame', (file: Buffer) => file.subarray(0, -2_000)],
    ['with something else behind it', (file: Buffer) => Buffer.concat([file, Buffer.alloc(5_000, 0x5a)])],
  ] as const)('of Dahua (.dav) becomes one that we do: %s', async (_name, change) => {
    const { spool, put, convert } = await setup();
    const source = clipFile({ codecs: h264With('-x264-params repeat-headers=1', null), seconds: 3 });
    await put(change(dahuaFile(source)));
    expect(await spool.call({ name: 'inspect', file: 'in' })).toMatchObject({
      kind: 'foreign',
      isIsoMedia: false,
    });
    await convert(false);
    const clip = await spool.call({ name: 'inspect', file: 'out' });
    if (clip.kind !== 'carried') throw new Error(clip.what);
    expect(clip.durationMs).toBeGreaterThan(2_800);
    expect(clip.durationMs).toBeLessThan(3_100);
  });

  it('is refused if it is encrypted, and says so', async () => {
    const { spool, put } = await setup();
    const muxer =
      '-encryption_scheme cenc-aes-ctr -encryption_key 76a6c65c5ea762046bd749a2e632ccbb -encryption_kid a7e61c373e219033c21091fa607bf3b8';
    await put(clipFile({ muxer }));
    await expect(spool.call({ name: 'inspect', file: 'in' })).rejects.toMatchObject({
      code: 'UPLOAD_ENCRYPTED',
    });
  });

  it('is refused if ffmpeg cannot read it either', async () => {
    const { put, convert } = await setup();
    await put(Buffer.from('#EXTM3U\nfile:///etc/passwd\n'.repeat(50)));
    await expect(convert(false)).rejects.toMatchObject({ code: 'UPLOAD_NOT_SUPPORTED' });
  });

  it('is refused if what becomes of it is too large', async () => {
    const { put, convert } = await setup({ maxBytes: 10_000 });
    await put(clipFile({ extension: 'mkv', seconds: 3 }));
    await expect(convert(false)).rejects.toMatchObject({ code: 'UPLOAD_NOT_SUPPORTED' });
  });

  it('is tried again later if the slot is needed, or the gateway stops', async () => {
    const { put, convert, pool, stopping } = await setup();
    await put(clipFile({ size: '1280x720', seconds: 20, codecs: '-c:v mpeg4 -an' }));
    const giving = convert(true);
    await expect.poll(() => pool.counts.running).toBe(1);
    stopping.abort();
    await expect(giving).rejects.toMatchObject({ kind: 'unavailable' });
    await expect.poll(() => pool.counts.running).toBe(0);
  });
});

describe('a conversion that costs too much', () => {
  /** 160 × 120 at 25 frames per second. */
  const FRAME_PX = 19_200;
  const tooCostly = (context: object) =>
    expect.objectContaining({ code: 'UPLOAD_TOO_COSTLY', context: expect.objectContaining(context) });
  const boundOf = (frames: number): ConversionBounds => ({ ...CONVERSION_BOUNDS, pixels: frames * FRAME_PX });

  it('is refused by what the tables of the file say, before anything runs', async () => {
    const { put, convert, spool, pool } = await setup({ found: { framePx: FRAME_PX, frames: 1e9 } });
    await put(clipFile({ codecs: '-c:v libx265 -x265-params log-level=none -an', seconds: 3 }));
    expect(await spool.call({ name: 'inspect', file: 'in' })).toMatchObject({
      framePx: FRAME_PX,
      frames: 75,
    });
    const pixels = FRAME_PX * 1e9;
    const context = { framePx: FRAME_PX, frames: 1e9, pixels, maxPixels: CONVERSION_BOUNDS.pixels };
    await expect(convert(true)).rejects.toEqual(tooCostly(context));
    expect(pool.sample.admitted).toBe(0);
  });

  it.each([
    ['tables, and a size that ffmpeg finds', { codecs: '-c:v mpeg4 -an' }, true, { frames: 75 }],
    ['a length and a rate', { extension: 'mkv', codecs: '-c:v mpeg4 -an' }, false, {}],
  ] as const)('is refused before it is decoded: %s', async (_name, options, isIsoMedia, found) => {
    const { put, convert, pool } = await setup({ bounds: boundOf(74), found });
    await put(clipFile({ ...options, seconds: 3 }));
    await expect(convert(isIsoMedia)).rejects.toEqual(tooCostly({ frames: 75, framePx: FRAME_PX }));
    expect(pool.sample.admitted).toBe(1);
  });

  it('ends when more was decoded than was declared', async () => {
    const { put, convert, pool } = await setup({ bounds: boundOf(2_000), found: { frames: 1 } });
    await put(clipFile({ extension: 'mkv', codecs: '-c:v mpeg4 -an', seconds: 120 }));
    await expect(convert(false)).rejects.toEqual(tooCostly({ framePx: FRAME_PX }));
    await expect.poll(() => pool.counts.running).toBe(0);
  });

  it('ends when its processor time is over', async () => {
    const { put, convert } = await setup({ bounds: { ...CONVERSION_BOUNDS, cpuSec: 1 } });
    await put(clipFile({ size: '1280x720', seconds: 20, codecs: '-c:v mpeg4 -an' }));
    await expect(convert(true)).rejects.toEqual(tooCostly({ spentSec: 1 }));
  });

  it('costs nothing if the video is only copied', async () => {
    const { put, convert } = await setup({ bounds: { ...CONVERSION_BOUNDS, pixels: 0 } });
    await put(clipFile({ extension: 'mkv', seconds: 3 }));
    await convert(false);
  });

  it('waits while there is no room for what becomes of it', async () => {
    const { put, convert } = await setup({ minFreeBytes: Number.MAX_SAFE_INTEGER });
    await put(clipFile({ extension: 'mkv', seconds: 3 }));
    await expect(convert(false)).rejects.toMatchObject({ code: 'UPLOAD_NO_ROOM' });
  });
});
