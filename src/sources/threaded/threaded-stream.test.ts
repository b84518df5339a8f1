/** A camera's stream over a source that packages in another thread, with the real packagers, windows and supervisor. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from '../../cmaf/fake-camera.ts';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { LivePicture } from '../../stream/media/live-media.ts';
import { playlistText } from '../../stream/media/playlist-fixture.ts';
import type { Numbering } from '../../stream/numbering/numbering.ts';
import { Packager } from '../../stream/packaging/packager.ts';
import { ProfileStream } from '../../stream/profile-stream.ts';
import type { Source } from '../../stream/source/source.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import { CAMERA_THREAD_ERRORS } from './errors.ts';
import { PackagingThread, TURN_MS } from './packaging-fixture.ts';

const NEWEST = { msn: -1, part: -1, skip: false };
const GROUP = 25;
const FRAME_MS = 40;
const SOUND_FRAME_MS = 1_024 / 48;

let blocksBefore: number;
let clock: FakeClock;
let thread: PackagingThread;
let stream: ProfileStream;
let camera: FakeCamera;
let errors: string[];
let numbers: Numbering[];
let localSinks: SourceSink[];
/** The camera is read by this thread. */
let isLocal: boolean;
let pictures: number;
let sounds: number;

const local: Source = {
  engine: 'local',
  open(sink) {
    localSinks.push(sink);
    return { close: async () => sink.close() };
  },
};

beforeEach(() => {
  blocksBefore = mediaBlockBytes().used;
  clock = new FakeClock();
  thread = new PackagingThread(clock);
  camera = new FakeCamera();
  [errors, numbers, localSinks, isLocal, pictures, sounds] = [[], [], [], false, 0, 0];
  stream = new ProfileStream({
    cameraUuid: newRuuid(),
    profile: 'main',
    clock,
    source: { engine: 'direct', open: (sink) => (isLocal ? local : thread.source()).open(sink) },
    log: { ...silentLog, warn: (fields) => void errors.push((fields as { code?: string }).code ?? '') },
    limits: { backoffMinMs: 100, backoffMaxMs: 100, startMs: 20_000, silenceMs: 10_000 },
    numberingStore: { find: async () => null, save: async () => undefined },
    createPackager: (options) =>
      new Packager({
        ...options,
        clock,
        onNumbering: (numbering) => {
          numbers.push(numbering);
          options.onNumbering(numbering);
        },
      }),
    onStateChange: () => undefined,
    onPublished: () => undefined,
    other: () => null,
    urgency: () => 'viewer',
    epochMinusMonoMs: () => 0,
    openedMonoMs: () => 0,
  });
});
afterEach(async () => {
  await stream.close();
  clock.advance(1_000);
  expect([thread.host.size, thread.host.holds, mediaBlockBytes().used]).toEqual([0, 0, blocksBefore]);
});

async function open(): Promise<void> {
  stream.want('sound');
  await new Promise(setImmediate);
  sink().onTracks([FAKE_VIDEO, FAKE_AUDIO]);
}

function sink(): SourceSink {
  return isLocal ? localSinks.at(-1)! : thread.sink;
}

/** Video with audio, `count` frames of it. */
function play(count: number, hasPicture = true): void {
  for (let i = 0; i < count; i++) {
    const arrivalMonoMs = clock.monoMs();
    const dtsTicks = arrivalMonoMs * 90;
    const isKey = pictures++ % GROUP === 0;
    if (hasPicture) sink().onAccessUnit(camera.picture({ dtsTicks, isKey, arrivalMonoMs }));
    for (; sounds * SOUND_FRAME_MS < arrivalMonoMs; sounds++) {
      sink().onAccessUnit(camera.audio(sounds * 1_024, { arrivalMonoMs }));
    }
    for (let ms = 0; ms < FRAME_MS; ms += TURN_MS) thread.turn();
  }
}

function text(): string {
  return playlistText(stream.renditions.rendition('sound')!.playlist(NEWEST));
}

/** How many parts its window has, without asking for it. */
function windowParts(): number {
  const [packager] = [...stream.renditions.named()].map((open) => open.packager as Packager);
  return packager!.published.window.listedSegments().reduce((sum, { partCount }) => sum + partCount, 0);
}

/** The playlist's lines, without the segments' dates. */
function lines(): string[] {
  return text()
    .split('\n')
    .filter((line) => /^(?:#EXTINF|#EXT-X-DISCONTINUITY$|seg_)/.test(line));
}

/** Access units that reached this thread since. */
function countUnits(): () => number {
  const { link } = thread;
  const onUnit = link.onUnit.bind(link);
  let count = 0;
  link.onUnit = (id, unit) => {
    count++;
    onUnit(id, unit);
  };
  return () => count;
}

/** The thread ends, and another one takes its place. */
function replaceThread(): PackagingThread {
  const ended = thread;
  thread = new PackagingThread(clock);
  ended.link.end(new GatewayError(CAMERA_THREAD_ERRORS.CAMERA_THREAD_FAILED));
  return ended;
}

describe('a stream that a thread packages', () => {
  it('is live, with audio, key frames and counts, and no access unit crosses', async () => {
    await open();
    const units = countUnits();
    play(3 * GROUP);
    expect(stream.state()).toEqual({ state: 'live' });
    expect(stream.sound.state).toBe('live');
    expect(stream.keys.distanceMs).toBe(1_000);
    expect(stream.keyFrame()).toMatchObject({ widthPx: 640, atEpochMs: 2_000 });
    play(GROUP);
    const [stats] = [...stream.renditions.named()].map(({ packager }) => packager.stats());
    expect(stats!.pictures).toBeGreaterThanOrEqual(3 * GROUP);
    expect(stats!.frames).toBeGreaterThan(stats!.pictures * 2);
    expect(stats!.droppedFrames).toBe(0);
    expect(units()).toBe(0);
    expect(lines()).toEqual(['#EXTINF:1.000000,', 'seg_1.m4v', '#EXTINF:2.000000,', 'seg_2.m4v']);
  });

  it('shows all that came, although no one requests it', async () => {
    await open();
    play(GROUP);
    for (let frames = 0; frames < 6 * GROUP; frames++) {
      play(1);
      expect(windowParts()).toBe(thread.host.holds);
    }
  });

  it('has the newest reading of the clocks with a pulse, which costs no event', async () => {
    await open();
    play(GROUP);
    const { link } = thread;
    const events = vi.spyOn(link, 'onEvent');
    const unknown = { driftPpm: null, driftUncertaintyPpm: null, uncertaintyMs: null, soundDriftPpm: null };
    const reading = {
      ...unknown,
      jumps: 0,
      offsetMs: 7,
      verdict: 'sane',
      cameraTime: null,
      reportedTime: null,
    } as const;
    sink().onClock({ ...reading, offsetMs: 6 });
    sink().onClock(reading);
    play(2 * GROUP);
    expect(stream.clockReading).toEqual(reading);
    expect(events).not.toHaveBeenCalled();
  });

  it('has what the signatures of the camera say', async () => {
    await open();
    play(GROUP);
    const news = { verdict: 'none', reason: null, atEpochMs: 5, trust: 'unknown', signer: null } as const;
    sink().onSigning({ ...news, vendor: null });
    play(GROUP);
    expect(stream.signing).toMatchObject({ state: 'none', sinceEpochMs: 5 });
  });

  it('is silent when its audio stops', async () => {
    await open();
    play(2 * GROUP);
    sounds = Number.MAX_SAFE_INTEGER;
    play(5 * GROUP);
    expect(stream.sound.state).toBe('silent');
    expect(stream.state()).toEqual({ state: 'live' });
  });

  it('is frozen when only audio arrives, and silent when nothing does', async () => {
    await open();
    play(2 * GROUP);
    for (let sec = 0; sec < 13 && stream.state().state === 'live'; sec++) play(GROUP, false);
    expect(stream.state()).toMatchObject({ state: 'offline', error: { code: 'STREAM_FROZEN' } });
    clock.advance(200);
    sink().onTracks([FAKE_VIDEO, FAKE_AUDIO]);
    pictures = 0;
    play(2 * GROUP);
    expect(stream.state()).toEqual({ state: 'live' });
    clock.advance(11_000);
    expect(stream.state()).toMatchObject({ state: 'offline', error: { code: 'STREAM_SILENT' } });
  });
});

describe('the window of a thread that ends', () => {
  it('keeps its media, and goes on behind a discontinuity with the next number', async () => {
    await open();
    play(3 * GROUP + 20);
    const rendition = stream.renditions.rendition('sound')!;
    const before = lines();
    const msn = numbers.at(-1)!.nextMediaSequenceNumber - 1;
    const part = rendition.part(msn, 0);
    const ended = replaceThread();
    expect(stream.state()).toMatchObject({ state: 'offline', error: { code: 'CAMERA_THREAD_FAILED' } });
    expect(lines()).toEqual(before);
    clock.advance(200);
    sink().onTracks([FAKE_VIDEO, FAKE_AUDIO]);
    pictures = 0;
    play(2 * GROUP);
    expect(stream.state()).toEqual({ state: 'live' });
    expect(numbers.map(({ nextMediaSequenceNumber }) => nextMediaSequenceNumber)).toEqual(
      numbers.map((_, index) => index + 2),
    );
    const after = lines();
    expect(after.slice(0, before.length)).toEqual(before);
    // The segment that was cut short, and the first one of the other thread.
    expect(after[before.length + 1]).toBe(`seg_${msn}.m4v`);
    expect(after[before.length + 2]).toBe('#EXT-X-DISCONTINUITY');
    const whole = rendition.segment(msn)!;
    if (typeof part === 'string') throw new Error(part);
    expect(whole.bytes.subarray(0, part.bytes.length).equals(part.bytes)).toBe(true);
    for (const lent of [whole, part]) lent.release();
    expect(ended.host.holds).toBeGreaterThan(0);
    await ended.host.closeAll();
    ended.host.release(Array.from({ length: 100 }, (_, hold) => hold));
  });

  it('has every part that the thread had packaged, and the numbers go on', async () => {
    await open();
    play(2 * GROUP);
    const rendition = stream.renditions.rendition('sound')!;
    const { msn } = rendition.edge()!;
    thread.isPaused = true;
    play(3 * GROUP);
    expect(rendition.edge()!.msn).toBe(msn);
    const ended = replaceThread();
    expect(stream.state()).toMatchObject({ state: 'offline', error: { code: 'CAMERA_THREAD_FAILED' } });
    expect(rendition.edge()!.msn).toBeGreaterThan(msn);
    const newest = rendition.part(rendition.edge()!.msn, 0);
    if (typeof newest === 'string') throw new Error(newest);
    expect(newest.bytes.includes('moof')).toBe(true);
    newest.release();
    await ended.host.closeAll();
    ended.host.release(Array.from({ length: 100 }, (_, hold) => hold));
  });

  it('goes on in this thread, and in another one again', async () => {
    await open();
    play(2 * GROUP);
    for (const isNextLocal of [true, false, true]) {
      const previous = sink();
      isLocal = isNextLocal;
      previous.onEnded(new GatewayError(CAMERA_THREAD_ERRORS.CAMERA_THREAD_FAILED));
      for (let turns = 0; turns < 3; turns++) thread.turn();
      clock.advance(200);
      sink().onTracks([FAKE_VIDEO, FAKE_AUDIO]);
      pictures = 0;
      play(2 * GROUP);
      expect(stream.state()).toEqual({ state: 'live' });
    }
    expect(lines().filter((line) => line === '#EXT-X-DISCONTINUITY')).toHaveLength(3);
    expect(numbers.map(({ nextMediaSequenceNumber }) => nextMediaSequenceNumber)).toEqual(
      numbers.map((_, index) => index + 2),
    );
  });
});

describe('access units', () => {
  it('cross while someone reads them, from the newest group of pictures on', async () => {
    await open();
    play(GROUP + 10);
    const units = countUnits();
    const read: LivePicture[] = [];
    const reader = { onPicture: (picture: LivePicture) => void read.push(picture), onGone: () => undefined };
    stream.pictures.attach(reader);
    thread.turn();
    thread.turn();
    expect(read.map(({ isKey }) => isKey)).toEqual(Array.from({ length: 10 }, (_, index) => index === 0));
    play(5);
    expect(read).toHaveLength(15);
    const parts = stream.renditions.rendition('sound')!.edge();
    stream.pictures.detach(reader);
    play(2);
    const crossed = units();
    play(GROUP);
    expect(units()).toBe(crossed);
    expect(stream.renditions.rendition('sound')!.edge()).not.toEqual(parts);
    stream.pictures.attach(reader);
    read.length = 0;
    thread.turn();
    thread.turn();
    expect(read[0]).toMatchObject({ isKey: true });
    stream.pictures.detach(reader);
  });

  it('cross for a transcoder that reads them', async () => {
    await open();
    const got: boolean[] = [];
    const reader = {
      onTracks: () => undefined,
      onGone: () => undefined,
      onAccessUnit: ({ trackIndex }: { trackIndex: number }) => void got.push(trackIndex === 0),
    };
    stream.attach(reader);
    play(GROUP);
    expect(got.filter((isVideo) => isVideo)).toHaveLength(GROUP);
    expect(got.filter((isVideo) => !isVideo).length).toBeGreaterThan(GROUP);
    stream.detach(reader);
  });
});
