import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { createJail, type Jail } from './jail.ts';
import { shellJail } from './shell-jail-fixture.ts';
import { BODY_AT, INPUT_RECORDS, OUTPUT_RECORDS, recordOf, SoundRecordReader } from './sound-records.ts';
import {
  type EncodedStreamEvents,
  findSoundServer,
  MAX_SERVED_STREAMS,
  MAX_UNREAD_BYTES,
  SoundServer,
} from './sound-server.ts';
import { WorkerPool } from './worker-pool.ts';

const ONE_CAMERA = { cameras: 1, urgency: 'viewer' } as const;
const MONO = { codec: 'aac', sampleRateHz: 8_000, channelCount: 1 } as const;
const HELLO = 'printf "sluice-sound-server 2\\n"';
const SECOND = new Int16Array(8_000);
const PROTOCOL_EXIT = 118;

let serverPath: string;
let jail: Jail;
beforeAll(async () => {
  const found = await findSoundServer();
  if (found === null) throw new Error('run node native/build.mjs with libavcodec-dev and libswresample-dev');
  serverPath = found;
  jail = await createJail();
});

function until(isSo: () => boolean): Promise<unknown> {
  return vi.waitUntil(isSo, { timeout: 10_000, interval: 10 });
}

interface Heard extends EncodedStreamEvents {
  readonly frames: number[];
  readonly ends: string[];
}

function listener(): Heard {
  const [frames, ends]: [number[], string[]] = [[], []];
  return {
    frames,
    ends,
    onFrame: (frame) => frames.push(frame.length),
    onEnded: (reason) => ends.push(reason),
  };
}

describe('SoundServer', () => {
  const pools: WorkerPool[] = [];
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  async function start({ script = '', clock = new FakeClock(), maxCores = 8 } = {}) {
    const within = script === '' ? jail : shellJail;
    const pool = new WorkerPool({ maxWorkers: 2, maxCores, waitTimeoutMs: 1_000, jail: within, clock });
    pools.push(pool);
    const path = script === '' ? serverPath : script;
    return {
      pool,
      clock,
      server: await SoundServer.start({ path, pool, clock }, new AbortController().signal, () => ONE_CAMERA),
    };
  }

  it('encodes as many streams as it may have, and has room again when one is closed', async () => {
    const { server, pool } = await start();
    const heard = Array.from({ length: MAX_SERVED_STREAMS }, listener);
    const streams = heard.map((events) => server.open(MONO, events)!);
    expect([server.isFull, server.open(MONO, listener())]).toEqual([true, null]);
    for (const stream of streams) stream.write(SECOND, SECOND.length);
    await until(() => heard.every(({ frames }) => frames.length >= 44));
    expect(pool.sample.cores).toBeCloseTo(MAX_SERVED_STREAMS * 0.005);
    streams[0]!.close();
    streams[0]!.close();
    const next = listener();
    server.open(MONO, next)!.write(SECOND, SECOND.length);
    await until(() => next.frames.length >= 44);
    await server.close();
    expect([await server.ended, next.ends, pool.counts.running]).toEqual([null, [], 0]);
  });

  it('encodes Opus next to AAC, as soon as it has 20 ms', async () => {
    const { server } = await start();
    const [aac, opus] = [listener(), listener()];
    server.open(MONO, aac)!.write(SECOND, SECOND.length);
    server.open({ ...MONO, codec: 'opus' }, opus)!.write(SECOND, SECOND.length);
    await until(() => opus.frames.length >= 49 && aac.frames.length >= 44);
    expect([opus.frames.length, opus.ends]).toEqual([49, []]);
    await server.close();
  });

  it('counts music as more work than speech', async () => {
    const { server, pool } = await start();
    server.open({ codec: 'aac', sampleRateHz: 48_000, channelCount: 2 }, listener());
    server.open(MONO, listener());
    expect(pool.sample.cores).toBeCloseTo(0.04);
  });

  it.each([
    ['another program', 'echo ffmpeg version 5; cat > /dev/null', 'FFMPEG_BAD_OUTPUT'],
    ['noise', `${HELLO}; head -c 100000 /dev/urandom; cat > /dev/null`, 'FFMPEG_BAD_OUTPUT'],
    ['endless output', `${HELLO}; cat /dev/zero`, 'FFMPEG_BAD_OUTPUT'],
    [
      'a frame without samples',
      `${HELLO}; printf '\\1\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0A'; cat > /dev/null`,
      'FFMPEG_BAD_OUTPUT',
    ],
    [
      'a frame of a stream that never was',
      `${HELLO}; printf '\\7\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0A'; cat > /dev/null`,
      'FFMPEG_BAD_OUTPUT',
    ],
    ['no word at all', 'exit 3', 'FFMPEG_EXITED'],
  ])('ends with %s, and says so to its streams', async (_what, script, code) => {
    const { server, pool } = await start({ script });
    const heard = listener();
    server.open(MONO, heard);
    expect(await server.ended).toMatchObject({ code });
    expect([heard.ends, heard.frames, server.open(MONO, listener())]).toEqual([['server'], [], null]);
    expect(pool.counts.running).toBe(0);
  });

  it('ends if it does not read, with a bound on what waits for it', async () => {
    const { server } = await start({ script: `${HELLO}; exec sleep 1000` });
    const stream = server.open(MONO, listener())!;
    let written = 0;
    for (; written < 3 * MAX_UNREAD_BYTES; written += 2 * SECOND.length) stream.write(SECOND, SECOND.length);
    expect(await server.ended).toMatchObject({ code: 'FFMPEG_STALLED', context: { side: 'input' } });
  });

  it('ends if it reads and writes nothing', async () => {
    const { server, clock } = await start({ script: `${HELLO}; exec cat > /dev/null` });
    const stream = server.open(MONO, listener())!;
    stream.write(SECOND, SECOND.length);
    for (let sec = 0; sec < 12; sec++) clock.advance(1_000);
    expect(await server.ended).toMatchObject({ code: 'FFMPEG_STALLED', context: { side: 'output' } });
  });

  it('closes a stream that says nothing for long, and ends when there is none', async () => {
    const { server, clock } = await start();
    const heard = listener();
    const stream = server.open(MONO, heard)!;
    for (let sec = 0; sec < 31; sec++) clock.advance(1_000);
    expect(heard.ends).toEqual(['idle']);
    stream.write(SECOND, SECOND.length); // too late
    for (let sec = 0; sec < 31; sec++) clock.advance(1_000);
    expect([await server.ended, heard.ends, heard.frames]).toEqual([null, ['idle'], []]);
  });
});

/** The program itself, and records that the gateway never writes. */
describe('native/sound-server.c', () => {
  const open = (stream: number, rate: number, channels: number, codec = 1): Buffer => {
    const record = recordOf(stream, INPUT_RECORDS.open, 12);
    record.writeUInt32LE(rate, BODY_AT);
    record.writeUInt32LE(channels, BODY_AT + 4);
    record.writeUInt32LE(codec, BODY_AT + 8);
    return record;
  };
  const samples = (stream: number, bytes: number, value = 0): Buffer =>
    recordOf(stream, INPUT_RECORDS.samples, bytes).fill(value, BODY_AT);

  async function answers(input: readonly Buffer[]): Promise<{ code: number | null; records: string[] }> {
    const records: string[] = [];
    const reader = new SoundRecordReader((stream, kind) => records.push(`${stream} ${kind}`));
    const child: ChildProcessWithoutNullStreams = spawn(serverPath);
    child.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
    child.stdin.on('error', () => undefined); // it may end before it has read all
    for (const each of input) child.stdin.write(each);
    child.stdin.end();
    const [code] = await once(child, 'close');
    return { code, records };
  }

  it.each([
    ['a kind that it does not know', [recordOf(1, 9, 0)]],
    ['a body that is too long', [recordOf(1, INPUT_RECORDS.samples, 0).fill(0xff, 8)]],
    ['a stream that is opened twice', [open(1, 8_000, 1), open(1, 8_000, 1)]],
    ['an opening without its fields', [recordOf(1, INPUT_RECORDS.open, 0)]],
    ['a rate of 0', [open(1, 0, 1)]],
    ['a rate beyond all', [open(1, 0xff_ff_ff_ff, 1)]],
    ['no channel', [open(1, 8_000, 0)]],
    ['three channels', [open(1, 8_000, 3)]],
    ['no codec', [open(1, 8_000, 1, 0)]],
    ['a codec that it does not know', [open(1, 8_000, 1, 3)]],
    [
      'more streams than it may have',
      Array.from({ length: MAX_SERVED_STREAMS + 1 }, (_, i) => open(i, 8_000, 1)),
    ],
  ])('ends at %s', async (_what, input) => {
    expect((await answers(input)).code).toBe(PROTOCOL_EXIT);
  });

  it.each([
    ['at the end of its input', []],
    ['within a head', [open(1, 8_000, 1).subarray(0, 7)]],
    ['within a body', [open(1, 8_000, 1), samples(1, 640).subarray(0, 100)]],
  ])('ends %s', async (_what, input) => {
    expect(await answers(input)).toEqual({ code: 0, records: [] });
  });

  it('ends only the stream that gets half a sample', async () => {
    const { code, records } = await answers([
      open(1, 8_000, 2),
      open(2, 8_000, 1),
      samples(1, 6),
      samples(1, 640),
      samples(2, 640),
      recordOf(1, INPUT_RECORDS.close, 0),
      open(1, 8_000, 2), // the number is free again
      samples(1, 4_096, 0x7f),
      samples(2, 640),
    ]);
    expect(code).toBe(0);
    expect(records[0]).toBe(`1 ${OUTPUT_RECORDS.failed}`);
    expect(new Set(records.slice(1))).toEqual(
      new Set([`1 ${OUTPUT_RECORDS.frame}`, `2 ${OUTPUT_RECORDS.frame}`]),
    );
  });

  it('takes samples for streams that are not there, and none at all', async () => {
    const input = [samples(5, 640), recordOf(5, INPUT_RECORDS.close, 0), open(1, 8_000, 1), samples(1, 0)];
    expect(await answers(input)).toEqual({ code: 0, records: [] });
  });
});
