import { describe, expect, it } from 'vitest';
import type { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { CredentialUrl } from '../core/secret.ts';
import { liveCommand } from '../ffmpeg/command.ts';
import { FakeProcessStarter, noJail } from '../ffmpeg/fake-process-starter.ts';
import type { FfmpegBinary } from '../ffmpeg/find-ffmpeg.ts';
import { WorkerPool } from '../ffmpeg/worker-pool.ts';
import { SourceSink } from '../stream/source/source-sink.ts';
import { isWorkerUrl, urlWorkerSource } from './url-worker.ts';

const WITHOUT_SRT: FfmpegBinary = {
  path: 'ffmpeg',
  version: 'without-srt',
  major: 5,
  origin: 'system',
  isOutdated: false,
  hasX264: true,
  hasAac: true,
  hasJpeg: true,
  protocols: new Set(['rtmp', 'tcp']),
};
const COPY = { video: 'copy', audio: 'copy' } as const;

describe('a camera at an RTMP or SRT URL', () => {
  it.each([
    ['rtmp://h/live/a', true],
    ['rtmps://h/live/a', true],
    ['srt://h:9000', true],
    ['rtsp://h/a', false],
    ['http://h/a', false],
    ['file:///etc/passwd', false],
  ])('%s is for a worker: %s', (url, expected) => {
    expect(isWorkerUrl(new URL(url).protocol)).toBe(expected);
  });

  it('says that this ffmpeg lacks the protocol', async () => {
    const clock = new FakeClock();
    const starter = new FakeProcessStarter();
    const pool = new WorkerPool({ maxWorkers: 1, waitTimeoutMs: 1, jail: noJail, starter, clock });
    const url = new CredentialUrl('srt://192.0.2.1:9000');
    const source = urlWorkerSource(url, { binary: WITHOUT_SRT, pool, clock, log: silentLog });
    const { promise, resolve } = Promise.withResolvers<GatewayError>();
    const nothing = (): void => undefined;
    const events = { onTracks: nothing, onAccessUnit: nothing, onDropped: nothing, onEnded: resolve };
    source.open(new SourceSink(events));
    expect(await promise).toMatchObject({
      code: 'PULL_PROTOCOL_UNAVAILABLE',
      context: { protocol: 'srt', ffmpeg: 'without-srt' },
    });
    await pool.close();
  });

  it('is opened with its own protocols only, and its URL is no argument', () => {
    const url = new CredentialUrl('rtmp://user:hush@192.0.2.1/live/a');
    const { args, stdin } = liveCommand({ kind: 'url', url, protocols: ['rtmp', 'tcp'] }, COPY, 5);
    expect(args[args.indexOf('-protocol_whitelist') + 1]).toBe('pipe,rtmp,tcp');
    expect(args.join(' ')).not.toContain('hush');
    expect(stdin).toContain("file 'rtmp://user:hush@192.0.2.1/live/a'");
  });
});

it.each(['mpegts', 'mp4', 'mpjpeg'] as const)(
  'a worker that is fed %s can open nothing but its pipes',
  (format) => {
    const { args, stdin } = liveCommand({ kind: 'fed', format }, COPY, 5);
    expect(args[args.indexOf('-protocol_whitelist') + 1]).toBe('pipe');
    expect(args.filter((arg) => arg === '-i')).toHaveLength(1);
    expect(args[args.indexOf('-i') + 1]).toBe('pipe:0');
    expect(stdin).toBeNull();
  },
);
