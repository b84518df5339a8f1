import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from '../../cmaf/fake-camera.ts';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import type { PackagedContent } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import { Segmenter } from '../../cmaf/segmenter.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import { GatewayError } from '../../core/errors.ts';
import { playlistText } from '../../stream/media/playlist-fixture.ts';
import { Packager } from '../../stream/packaging/packager.ts';
import type { PackagingHost } from '../../stream/packaging/packaging-host.ts';
import type { SourceInstance } from '../../stream/source/source.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { CAMERA_THREAD_ERRORS } from './errors.ts';
import { PackagingThread, TURN_MS } from './packaging-fixture.ts';
import { MAX_UNREAD_MEDIA_BYTES } from './unit-ring.ts';

const MEGABYTE = 1_048_576;
const NEWEST = { msn: -1, part: -1, skip: false };
const OTHER_VIDEO = {
  ...FAKE_VIDEO,
  sps: [Buffer.from('6764001eacd940a02ff9610000030001000003003c8f162d97', 'hex')],
};
const FRAME_TICKS = 3_600;
const FRAME_MS = 40;
const SOUND_TICKS = 1_024;
const failed = () => new GatewayError(CAMERA_THREAD_ERRORS.CAMERA_THREAD_FAILED);

/** The same camera, packaged by this thread and by another one. */
class Twins {
  readonly thread = new PackagingThread();
  readonly local: Packager;
  readonly hosted: Packager;
  readonly crossed: AccessUnit[] = [];
  readonly lost: [frames: number, code: string][] = [];
  readonly errors: string[] = [];
  /** Frames in parts that were published of what the thread packaged. */
  published = 0;
  host: PackagingHost | null = null;
  /** The gateway's thread takes nothing. */
  isBusy = false;
  readonly #camera = new FakeCamera();
  #instance: SourceInstance | null = null;
  #pictures = 0;
  #sent = 0;
  #sounds = 0;

  constructor(content: PackagedContent = 'video-and-audio') {
    this.local = this.#packager(content);
    this.hosted = this.#packager(content, ({ pictures }) => {
      this.published += pictures;
    });
    // Everything until the first part is an earlier opening.
    this.thread.clock.advance(5_000);
  }

  open(tracks: readonly Track[]): void {
    const { local, hosted } = this;
    this.#instance = this.thread.source().open(
      new SourceSink({
        onHost: (host) => {
          this.host = host;
          hosted.setHost(host);
          host?.passUnits(false);
        },
        onTracks: (announced, host = null) => {
          expect(host).toBe(this.host);
          hosted.setTracks(announced);
        },
        onAccessUnit: (unit) => void this.crossed.push({ ...unit, data: Buffer.from(unit.data) }),
        onDropped: (frames, code) => void this.lost.push([frames, code]),
        onEnded: (error) => {
          this.errors.push(error.code);
          hosted.setHost(null);
        },
      }),
    );
    local.discontinuity();
    this.tracks(tracks);
  }

  tracks(tracks: readonly Track[]): void {
    this.local.setTracks(tracks);
    this.thread.sink.onTracks(tracks);
  }

  /** The camera ends the connection. */
  end(): void {
    this.thread.sink.onEnded(failed());
    this.thread.turn();
  }

  async close(): Promise<void> {
    await this.#instance?.close();
  }

  /** Frames of video that the camera has sent. */
  get sent(): number {
    return this.#sent;
  }

  picture(isKey: boolean, skippedFrames = 0, bytes = isKey ? 9_000 : 700): void {
    this.#pictures += 1 + skippedFrames;
    this.#sent++;
    const data = new Uint8Array(bytes).fill(this.#pictures);
    this.#push(
      this.#camera.picture({
        dtsTicks: this.#pictures * FRAME_TICKS,
        isKey,
        data,
        arrivalMonoMs: this.thread.clock.monoMs(),
      }),
    );
    this.thread.clock.advance(FRAME_MS * (1 + skippedFrames) - TURN_MS);
    if (!this.isBusy) this.thread.turn();
  }

  /** Those of the pictures so far. */
  sound(): void {
    const untilTicks = (this.#pictures * FRAME_TICKS * 48) / 90;
    while (this.#sounds * SOUND_TICKS < untilTicks) {
      const data = new Uint8Array(150).fill(this.#sounds);
      const arrivalMonoMs = this.thread.clock.monoMs();
      this.#push(this.#camera.audio(this.#sounds++ * SOUND_TICKS, { data, arrivalMonoMs }));
    }
    this.thread.turn();
  }

  group(pictures: number, hasSound = true): void {
    for (let i = 0; i < pictures; i++) {
      this.picture(i === 0);
      if (hasSound) this.sound();
    }
  }

  expectSame(): void {
    this.thread.read();
    expect(shown(this.hosted)).toEqual(shown(this.local));
    expect(this.hosted.published.properties()).toEqual(this.local.published.properties());
    expect(this.crossed).toEqual([]);
  }

  #push(unit: AccessUnit): void {
    this.local.push(unit);
    this.thread.sink.onAccessUnit(unit);
  }

  #packager(content: PackagedContent, onPart: (part: CmafPart) => void = () => undefined): Packager {
    return new Packager({
      clock: this.thread.clock,
      content,
      isContinuation: false,
      originMonoMs: 0,
      numbering: { nextMediaSequenceNumber: 1, nextDiscontinuitySequence: 0, initFingerprint: null },
      onNumbering: () => undefined,
      onPlayable: () => undefined,
      onPart,
    });
  }
}

/** The text of its playlist, and the bytes of its segments. */
function shown({ published: { window: rendition } }: Packager): unknown {
  const text = playlistText(rendition.playlist(NEWEST));
  const parts = rendition.listedSegments().flatMap(({ msn, partCount }) =>
    Array.from({ length: partCount }, (_, part) => {
      const lent = rendition.part(msn, part);
      if (typeof lent === 'string') return lent;
      const hex = lent.bytes.toString('hex');
      lent.release();
      return hex;
    }),
  );
  return { text, parts };
}

afterEach(() => void vi.restoreAllMocks());

const OPERATIONS = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('group' as const), count: fc.nat(60) }) },
    fc.record({ kind: fc.constantFrom('mute', 'hole', 'jump' as const), count: fc.nat(20) }),
    fc.record({ kind: fc.constantFrom('reconnect', 'tracks', 'other tracks' as const), count: fc.nat(0) }),
  ),
  { minLength: 1, maxLength: 12 },
);

describe.each(['video-and-audio', 'video', 'audio'] as const)('%s that a thread packages', (content) => {
  it('is the same, text and bytes, as if it were packaged here', async () => {
    const before = mediaBlockBytes().used;
    await fc.assert(
      fc.asyncProperty(OPERATIONS, async (operations) => {
        const twins = new Twins(content);
        let tracks: readonly Track[] = [FAKE_VIDEO, FAKE_AUDIO];
        twins.open(tracks);
        twins.group(30);
        for (const { kind, count } of operations) {
          if (kind === 'group') twins.group(count + 1);
          else if (kind === 'mute') twins.group(count + 1, false);
          else if (kind === 'hole') twins.picture(false, count);
          else if (kind === 'jump') twins.picture(true, 25 * count);
          else if (kind === 'reconnect') {
            twins.end();
            await twins.close();
            twins.open(tracks);
          } else {
            tracks = [kind === 'tracks' ? FAKE_VIDEO : OTHER_VIDEO, FAKE_AUDIO];
            twins.tracks(tracks);
          }
          twins.expectSame();
        }
        twins.end();
        await twins.close();
        for (const packager of [twins.local, twins.hosted]) packager.close();
        twins.thread.clock.advance(1_000);
        expect(twins.thread.host.holds).toBe(0);
      }),
      randomRuns(15),
    );
    expect(mediaBlockBytes().used).toBe(before);
  });
});

describe('a thread whose parts nobody takes', () => {
  it('loses them, says how many frames they had, and goes on with a key frame', async () => {
    const twins = new Twins('video');
    twins.open([FAKE_VIDEO]);
    twins.group(60, false);
    twins.isBusy = true;
    twins.thread.isPaused = true;
    const megabytes = 2 * (MAX_UNREAD_MEDIA_BYTES / MEGABYTE);
    for (let i = 0; i < megabytes; i++) twins.picture(i % 25 === 0, 0, MEGABYTE);
    const { windowBytes } = twins.hosted.stats();
    twins.thread.isPaused = false;
    twins.isBusy = false;
    twins.group(100, false);
    twins.group(1, false);
    expect(twins.hosted.stats().windowBytes).toBeLessThan(
      windowBytes + MAX_UNREAD_MEDIA_BYTES + 2 * MEGABYTE,
    );
    expect(twins.lost.map(([, code]) => code)).toContain('CAMERA_THREAD_BEHIND');
    const text = playlistText(twins.hosted.published.window.playlist(NEWEST));
    expect(text).toContain('#EXT-X-DISCONTINUITY\n');
    expect(twins.errors).toEqual([]);
    twins.end();
    // Each frame is in a part, or was counted: those after a lost part, up to the next key frame, by the packager.
    const lost = twins.lost.reduce((sum, [frames]) => sum + frames, 0);
    const { droppedFrames } = twins.hosted.stats();
    expect(lost + droppedFrames).toBeGreaterThan(megabytes / 3);
    expect(twins.published + lost + droppedFrames).toBe(twins.sent);
    await twins.close();
    for (const packager of [twins.local, twins.hosted]) packager.close();
    twins.thread.clock.advance(1_000);
    expect(twins.thread.host.holds).toBe(0);
  });
});

describe('a stream whose segmenter fails when the camera ends the connection', () => {
  it('ends alone: the thread has other cameras', async () => {
    const twins = new Twins('video');
    twins.open([FAKE_VIDEO]);
    twins.group(60, false);
    vi.spyOn(Segmenter.prototype, 'discontinuity').mockImplementationOnce(() => {
      throw new Error('defect');
    });
    twins.end();
    expect(twins.errors).toEqual(['CAMERA_THREAD_FAILED']);
    await twins.close();
    for (const packager of [twins.local, twins.hosted]) packager.close();
    twins.thread.clock.advance(1_000);
    expect(twins.thread.host.holds).toBe(0);
  });
});
