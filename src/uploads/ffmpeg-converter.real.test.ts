import { describe, expect, it, onTestFinished } from 'vitest';
import { clipFile } from '../../test/support/clip-files.ts';
import { systemClock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import { findFfmpeg } from '../ffmpeg/find-ffmpeg.ts';
import { createJail } from '../ffmpeg/jail.ts';
import { WorkerPool } from '../ffmpeg/worker-pool.ts';
import { FileDisk } from '../recording/disk.ts';
import { testFolder } from '../recording/recording-fixture.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import { FfmpegConverter } from './ffmpeg-converter.ts';
import type { Spool } from './spool-protocol.ts';
import { SpoolSide } from './spool-side.ts';

async function setup(maxBytes = 1_000_000_000) {
  const side = new SpoolSide(testFolder(), new FileDisk());
  const spool: Spool = {
    async call(call) {
      const answer = await side.answer({ id: 0, call });
      if ('value' in answer) return answer.value as never;
      throw new GatewayError(UPLOAD_ERRORS.UPLOAD_IO, answer.failure.context);
    },
  };
  const pool = new WorkerPool({
    ...{ maxWorkers: 1, waitTimeoutMs: 10_000, jail: await createJail(), clock: systemClock },
  });
  onTestFinished(() => pool.close());
  const converter = new FfmpegConverter({
    ...{ spool, pool, binary: await findFfmpeg({}), maxBytes, log: silentLog },
  });
  const put = async (file: Buffer) => {
    await spool.call({ name: 'create', file: 'in' });
    await spool.call({ name: 'append', file: 'in', offset: 0, bytes: new Uint8Array(file) });
  };
  const stopping = new AbortController();
  const convert = (isIsoMedia: boolean) => converter.convert('in', 'out', isIsoMedia, stopping.signal);
  return { spool, pool, put, convert, stopping };
}

describe('a file that we do not carry', () => {
  it.each([
    ['Matroska with H.264: copied', { extension: 'mkv' }, false],
    ['MPEG-4 Visual in MP4, index last', { codecs: '-c:v mpeg4 -c:a mp3' }, true],
    ['a transport stream', { extension: 'ts' }, false],
    ['H.265, which not every player has', { codecs: '-c:v libx265 -x265-params log-level=none -an' }, true],
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

  it('is refused if ffmpeg cannot read it either', async () => {
    const { put, convert } = await setup();
    await put(Buffer.from('#EXTM3U\nfile:///etc/passwd\n'.repeat(50)));
    await expect(convert(false)).rejects.toMatchObject({ code: 'UPLOAD_NOT_SUPPORTED' });
  });

  it('is refused if what becomes of it is too large', async () => {
    const { put, convert } = await setup(10_000);
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
