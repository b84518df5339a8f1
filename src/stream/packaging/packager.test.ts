import { describe, expect, it } from 'vitest';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from '../../cmaf/fake-camera.ts';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { STREAM_ERRORS } from '../media/errors.ts';
import { playlistText } from '../media/playlist-fixture.ts';
import { DEFAULT_PACKAGER_LIMITS, Packager, type PackagerOptions } from './packager.ts';
import type { CreatePackager } from './packaging.ts';

const NEWEST = { msn: -1, part: -1, skip: false };
const FRAME_TICKS = 3_600;
const KEY_BYTES = 20_000;

class Bench {
  readonly clock = new FakeClock();
  readonly camera = new FakeCamera();
  readonly packager: Packager;
  playable = 0;

  constructor(options: Partial<PackagerOptions> = {}) {
    this.packager = new Packager({
      clock: this.clock,
      content: 'video-and-audio',
      numbering: { nextMediaSequenceNumber: 0, nextDiscontinuitySequence: 0, initFingerprint: null },
      isContinuation: false,
      onNumbering: () => undefined,
      onPlayable: () => this.playable++,
      ...options,
    });
    this.packager.setTracks([FAKE_VIDEO, FAKE_AUDIO]);
  }

  /** 25 Hz, a key frame every two seconds; each frame arrives when it was captured. */
  pictures(count: number): this {
    for (let i = 0; i < count; i++) {
      const isKey = i % 50 === 0;
      const data = new Uint8Array(isKey ? KEY_BYTES : 2_000).fill(i);
      const arrivalMonoMs = this.clock.monoMs();
      this.packager.push(this.camera.picture({ dtsTicks: i * FRAME_TICKS, isKey, data, arrivalMonoMs }));
      this.clock.advance(40);
    }
    return this;
  }

  text(): string {
    return playlistText(this.packager.published.window.playlist(NEWEST));
  }
}

describe('Packager', () => {
  it('drops, and gives back, parts with numbers that it may not publish anymore', () => {
    const before = mediaBlockBytes().used;
    let mayPublish = true;
    const bench = new Bench({ mayPublish: () => mayPublish });
    bench.pictures(101);
    const { publishedBytes, parts } = bench.packager.stats();
    const text = bench.text();
    mayPublish = false;
    bench.pictures(101);
    expect(bench.packager.stats()).toMatchObject({ publishedBytes, parts });
    expect(bench.text()).toBe(text);
    bench.packager.close();
    expect(mediaBlockBytes().used).toBe(before);
  });

  it('counts what it publishes', () => {
    const bench = new Bench();
    expect(bench.packager.stats()).toMatchObject({ publishedBytes: 0 });
    bench.pictures(50);
    const first = bench.packager.stats();
    expect(first.publishedBytes).toBeGreaterThan(KEY_BYTES);
    bench.pictures(101);
    expect(bench.packager.stats().publishedBytes).toBeGreaterThan(first.publishedBytes + KEY_BYTES);
    bench.packager.close();
  });

  it.each(['video-and-audio', 'video', 'audio'] as const)(
    'counts the frames of the video apart from those of the audio, in %s',
    (content) => {
      const bench = new Bench({ content }).pictures(50);
      for (let i = 0; i < 94; i++) bench.packager.push(bench.camera.audio(i * 1_024));
      expect(bench.packager.stats()).toMatchObject({ frames: 144, pictures: 50 });
    },
  );

  it('satisfies the hub’s interface', () => {
    const create: CreatePackager = (options) => new Packager({ ...options, clock: new FakeClock() });
    const { numbering } = {
      numbering: { nextMediaSequenceNumber: 3, nextDiscontinuitySequence: 1, initFingerprint: null },
    };
    const packager = create({
      cameraUuid: newRuuid(),
      rendition: 'main',
      content: 'video-and-audio',
      numbering,
      isContinuation: true,
      onNumbering: () => undefined,
      onPlayable: () => undefined,
      originMonoMs: 0,
    });
    expect([packager.published.properties(), packager.published.hasAudio()]).toEqual([null, null]);
    expect(packager.published.keyFrame()).toBeNull();
    expect(packager.stats()).toMatchObject({ frames: 0, droppedFrames: 0, segments: 0, windowBytes: 0 });
  });

  it('is playable with the first part, and reports it once', () => {
    const bench = new Bench().pictures(8);
    expect([bench.playable, bench.text()]).toEqual([0, 'wait']);
    bench.packager.discontinuity();
    bench.pictures(100);
    expect(bench.playable).toBe(1);
    expect(bench.text()).toContain('seg_0.0.m4v');
  });

  it('measures the values of the Multivariant Playlist', () => {
    const bench = new Bench().pictures(151);
    // The microphone is off: silent frames of 9 bytes take the audio's place, each with an entry of 16 bytes in the
    // fragment.
    const bytesPerSegment = KEY_BYTES + 49 * 2_000 + 94 * (9 + 16);
    expect(bench.packager.published.hasAudio()).toBe(true);
    const properties = bench.packager.published.properties()!;
    expect(properties).toMatchObject({ codecs: ['avc1.64001e', 'mp4a.40.2'], widthPx: 640, heightPx: 360 });
    expect(properties.frameRateHz).toBeCloseTo(25, 6);
    expect(properties.averageBitsPerSec).toBeGreaterThan(bytesPerSegment * 4);
    expect(properties.averageBitsPerSec).toBeLessThan(bytesPerSegment * 4 * 1.03);
    expect(properties.peakBitsPerSec).toBeGreaterThanOrEqual(properties.averageBitsPerSec);
  });

  it('leaves audio out of a silent rendition', () => {
    const bench = new Bench({ content: 'video' }).pictures(20);
    bench.packager.push(bench.camera.audio(1_000));
    expect(bench.packager.published.hasAudio()).toBe(false);
    expect(bench.packager.published.properties()!.codecs).toEqual(['avc1.64001e']);
    expect(bench.packager.stats().droppedFrames).toBe(0);
  });

  it('keeps the newest key frame with its bytes and time', () => {
    const bench = new Bench().pictures(60);
    const keyFrame = bench.packager.published.keyFrame()!;
    const [init, fragment, picture] = keyFrame.fmp4;
    expect(init).toEqual(bench.packager.published.window.init('seg_init.mp4'));
    expect(fragment!.subarray(4, 8).toString('latin1')).toBe('moof');
    expect(picture!.equals(Buffer.alloc(KEY_BYTES, 50))).toBe(true);
    expect(keyFrame.atEpochMs).toBe(Date.UTC(2026, 0, 1) + 2_000);
    expect(bench.packager.published.keyFrame()).toBe(keyFrame);
  });

  it('keeps a step of the wall clock out of a running stream', () => {
    const bench = new Bench().pictures(30);
    bench.clock.stepWallClock(3_600_000);
    for (let i = 30; i < 220; i++) {
      const arrivalMonoMs = bench.clock.monoMs();
      bench.packager.push(
        bench.camera.picture({ dtsTicks: i * FRAME_TICKS, isKey: i % 50 === 0, arrivalMonoMs }),
      );
      bench.clock.advance(40);
    }
    const times = [...bench.text().matchAll(/DATE-TIME:(.+)/g)].map(([, time]) => Date.parse(time!));
    expect(times.map((epochMs) => epochMs - times[0]!)).toEqual([0, 2_000, 4_000, 6_000, 8_000]);
    expect(times[0]).toBe(Date.UTC(2026, 0, 1));
  });

  it('ends every wait when the camera goes offline, and continues when it is back', () => {
    const bench = new Bench().pictures(20);
    const codes: string[] = [];
    bench.packager.published.window.awaitPart(0, 2, {
      onReady: () => codes.push('ready'),
      onGone: (error) => codes.push(error.code),
    });
    bench.packager.published.failWaiters(new GatewayError(STREAM_ERRORS.STREAM_OFFLINE));
    expect(codes).toEqual(['STREAM_OFFLINE']);
    bench.packager.discontinuity();
    bench.pictures(20);
    expect(bench.text()).toContain('#EXT-X-DISCONTINUITY\n');
  });

  it('counts what it received, published and dropped', () => {
    const bench = new Bench();
    bench.pictures(101);
    bench.packager.push(bench.camera.picture({ dtsTicks: 0 }));
    const { windowBytes, overdueBytes, ...counts } = bench.packager.stats();
    expect(counts).toMatchObject({ frames: 102, droppedFrames: 1, segments: 2, parts: 14 });
    expect(counts.droppedByReason['timestamp-back']).toBe(1);
    const segment = (msn: number) => bench.packager.published.window.segment(msn)!.bytes.length;
    expect([windowBytes, overdueBytes]).toEqual([segment(0) + segment(1), 0]);
  });

  it('accepts limits', () => {
    const limits = { ...DEFAULT_PACKAGER_LIMITS, targetSegmentMs: 4_000, wantedPartMs: 500 };
    const text = new Bench({ limits }).pictures(220).text();
    expect(text).toContain('#EXT-X-TARGETDURATION:4\n');
    expect(text).toContain('#EXTINF:4.000000,\n');
    expect(text).toContain('PART-TARGET=0.519\n');
  });

  it('gives back all its memory when it is closed', () => {
    const before = mediaBlockBytes().used;
    for (let opened = 0; opened < 3; opened++) {
      const bench = new Bench().pictures(170);
      expect(bench.packager.published.keyFrame()).not.toBeNull();
      expect(mediaBlockBytes().used).toBeGreaterThan(before);
      bench.packager.close();
    }
    expect(mediaBlockBytes().used).toBe(before);
  });
});
