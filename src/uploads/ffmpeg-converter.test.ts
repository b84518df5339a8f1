import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../core/log.ts';
import type { WorkerExit } from '../ffmpeg/exit-reason.ts';
import type { FfmpegBinary } from '../ffmpeg/find-ffmpeg.ts';
import type { StartRequest } from '../ffmpeg/start-request.ts';
import type { Worker, WorkerSpec } from '../ffmpeg/worker.ts';
import { CONVERSION_BOUNDS, costSentence, MAX_CONVERSION_PIXELS } from './conversion-cost.ts';
import { UPLOAD_ERRORS } from './errors.ts';
import { FfmpegConverter } from './ffmpeg-converter.ts';
import type { Spool, SpoolCall } from './spool-protocol.ts';

const FOUND = { kind: 'foreign', what: 'test', isIsoMedia: false, framePx: null, frames: null } as const;
const PROBED = [
  'Duration: 00:01:00.00, start: 0.000000, bitrate: 9 kb/s',
  'Stream #0:0: Video: hevc (Main), yuv420p(tv), 3840x2160, 25 fps, 25 tbr, 1k tbn',
];
const CLEAN: WorkerExit = { code: 0, signal: null, stderr: [] };

/** The behavior of one ffmpeg. */
interface Run {
  readonly says?: readonly string[];
  readonly progress?: readonly string[];
  readonly exit: WorkerExit;
}

/** A converter whose workers do this, one after the other. */
function converterOf(runs: readonly Run[], bounds = CONVERSION_BOUNDS) {
  const started: WorkerSpec[] = [];
  const results: Partial<Record<SpoolCall['name'], unknown>> = { pieces: [], freeBytes: 1e12 };
  const spool = { call: async ({ name }: SpoolCall) => results[name] ?? null } as unknown as Spool;
  const startYielding = async (
    spec: WorkerSpec,
    _signal: AbortSignal,
    wanted: StartRequest = {},
  ): Promise<Worker> => {
    expect(wanted).toMatchObject({ purpose: 'clip', organization: 'organization' });
    const { says = [], progress = [], exit } = runs[started.length]!;
    started.push(spec);
    for (const line of says) spec.onStderrLine?.(line);
    const worker = {
      isEnding: false,
      exited: Promise.resolve(exit),
      stdout: Readable.from([]),
      stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
      extra: Readable.from(progress.map((line) => `${line}\n`)),
      kill: async () => undefined,
    };
    return worker as unknown as Worker;
  };
  const converter = new FfmpegConverter({
    spool,
    pool: { startYielding },
    binary: { path: '/ffmpeg', major: 5 } as FfmpegBinary,
    maxBytes: 1e9,
    minFreeBytes: 0,
    bounds,
    log: silentLog,
  });
  const convert = (found = {}) =>
    converter.convert('in', 'out', { ...FOUND, ...found }, 'organization', new AbortController().signal);
  return { convert, started };
}

describe('a conversion', () => {
  it('has a bound on processor time, which is that of its part', async () => {
    const { convert, started } = converterOf([{ says: PROBED, exit: CLEAN }, { exit: CLEAN }]);
    await convert();
    expect(started.map(({ cpuSec }) => cpuSec)).toEqual([120, 3_600]);
  });

  it.each([
    ['a segmentation fault', { code: null, signal: 'SIGSEGV', stderr: [] }, 'UPLOAD_NOT_SUPPORTED'],
    ['a forbidden system call', { code: null, signal: 'SIGSYS', stderr: [] }, 'UPLOAD_NOT_SUPPORTED'],
    ['its processor time', { code: null, signal: 'SIGXCPU', stderr: [] }, 'UPLOAD_TOO_COSTLY'],
    [
      'its processor time, after its last words',
      { code: 255, signal: null, stderr: ['Exiting normally, received signal 24.'] },
      'UPLOAD_TOO_COSTLY',
    ],
    ['someone else', { code: null, signal: 'SIGKILL', stderr: [] }, 'UPLOAD_INTERRUPTED'],
  ] as const)('that is ended by %s is refused, or tried again', async (_name, exit, code) => {
    await expect(converterOf([{ says: PROBED, exit: CLEAN }, { exit }]).convert()).rejects.toMatchObject({
      code,
    });
    const probing = converterOf([{ exit }]).convert();
    await expect(probing).rejects.toMatchObject({ code });
  });

  it('is refused by the length and rate of its file, and by frames that were not declared', async () => {
    const framePx = 3_840 * 2_160;
    const declared = converterOf([{ says: PROBED, exit: CLEAN }], {
      pixels: framePx * 1_499,
      cpuSec: 1,
    });
    await expect(declared.convert()).rejects.toMatchObject({ context: { frames: 1_500, framePx } });
    const decoded = converterOf(
      [
        { says: PROBED, exit: CLEAN },
        { progress: ['frame=1500', 'fps=1', 'frame=1501'], exit: CLEAN },
      ],
      { pixels: framePx * 1_500, cpuSec: 1 },
    );
    await expect(decoded.convert()).rejects.toMatchObject({ context: { frames: 1_501, framePx } });
  });

  it('of more than a clip can be is refused before it begins', async () => {
    const says = ['Duration: 01:31:00.00, start: 0.000000', PROBED[1]!];
    const { convert } = converterOf([{ says, exit: CLEAN }]);
    await expect(convert()).rejects.toMatchObject({ code: 'UPLOAD_TOO_LONG' });
  });

  it('that costs too much says what the bound is, and what the clip has', async () => {
    // 83 minutes of black, 81 MB.
    const { convert, started } = converterOf([]);
    const error = await convert({ framePx: 3_840 * 2_160, frames: 124_500 }).catch((thrown) => thrown);
    expect(started).toEqual([]);
    expect(error.code).toBe('UPLOAD_TOO_COSTLY');
    expect(costSentence(error.context)).toBe(
      'The clip has 1,033 billion: 124,500 frames of 8,294,400 pixels.',
    );
    const { message } = UPLOAD_ERRORS.UPLOAD_TOO_COSTLY;
    expect(message).toContain(`${Math.round(MAX_CONVERSION_PIXELS / 1e9)} billion pixels`);
    expect(costSentence({ spentSec: 3_600, frames: 10 })).toBe('After 3,600 s, 10 frames were converted.');
    expect(costSentence({})).toBe('');
  });
});
