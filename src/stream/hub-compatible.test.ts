import { describe, expect, it } from 'vitest';
import type { AccessUnit, Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import type { CompatibleEncoder } from './compatible-variant.ts';
import type { TimedRendition } from './dash/dash-periods.ts';
import { ERRORS, FakeSource, IDLE_STOP_MS, settle, setup, TRACKS, unitAt, waiter } from './hub-fixture.ts';
import type { VideoRequest } from './media/live-media.ts';
import type { TimedSegment } from './media/timed-segment.ts';
import type { UnitFeed, UnitReader } from './source/unit-feed.ts';

const H265_TRACKS = [{ kind: 'video', codec: 'h265' } as unknown as Track];
const H264_TRACKS = [{ kind: 'video', codec: 'h264' } as unknown as Track];
const H265_CODECS = ['hvc1.1.6.L93.B0', 'mp4a.40.2'];

/** Attaches to the main stream while it is open, like the transcoder, and notes what it gets. */
class FakeEncoder extends FakeSource implements CompatibleEncoder, UnitReader {
  feed: UnitFeed | null = null;
  readonly seen: string[] = [];

  source(main: UnitFeed): FakeSource {
    this.feed = main;
    return this;
  }

  override open(events: Parameters<FakeSource['open']>[0]) {
    this.feed?.attach(this);
    const instance = super.open(events);
    return {
      close: async () => {
        this.feed?.detach(this);
        await instance.close();
      },
    };
  }

  propertiesOf() {
    const size = { widthPx: 320, heightPx: 180, frameRateHz: 25 };
    return { peakBitsPerSec: 4_000, averageBitsPerSec: 2_000, codecs: ['avc1.4d402a', 'mp4a.40.2'], ...size };
  }

  onTracks(): void {
    this.seen.push('tracks');
  }

  onAccessUnit(_unit: AccessUnit): void {
    this.seen.push('unit');
  }

  onGone(error: GatewayError): void {
    this.seen.push(error.code);
  }
}

/** One complete segment of two seconds, of video or of audio. */
function timedRendition(kind: 'video' | 'audio', epochMs: number): TimedRendition {
  const timescaleHz = kind === 'video' ? 90_000 : 48_000;
  const stretch = { startTicks: 0, timescaleHz, startEpochMs: epochMs, sourceOffsetSec: 0 };
  const video = { codecString: 'avc1.4d402a', widthPx: 320, heightPx: 180, nominalFrameRateHz: 25 };
  const audio = { codecString: 'mp4a.40.2', samplesPerFrame: 1_024, sampleRateHz: 48_000, channelCount: 1 };
  const segment = {
    msn: 7,
    initName: 'seg_init.mp4',
    stretch,
    epochMs,
    isComplete: true,
    startTicks: 0,
    durationTicks: 2 * timescaleHz,
    tracks: kind === 'video' ? { video, audio: null } : { video: null, audio },
  } as unknown as TimedSegment;
  const revisions = { isFed: true, isFollowing: false, partRevision: 1, segmentRevision: 1 };
  const own = { decidedPeriods: () => null, properties: () => null };
  return { ...revisions, ...own, manifestSegments: () => [segment] };
}

async function openCamera({ hasSub = false, subCodecs = H265_CODECS } = {}) {
  const encoder = new FakeEncoder();
  const all = setup(hasSub, encoder);
  const { stream, main, packagers } = all;
  stream.touch('sound');
  await settle();
  main.current.onTracks(H265_TRACKS);
  for (const packager of packagers) {
    packager.codecs = packager.options.rendition === 'main' ? H265_CODECS : subCodecs;
    packager.options.onPlayable();
  }
  const variants = (video?: VideoRequest) =>
    stream.multivariantPlaylist('', 'sound', 'stream.m3u8', video)?.match(/^[^#].*$/gm) ?? null;
  return { ...all, encoder, variants };
}

describe('a main stream in H.265', () => {
  it('is offered in H.264 too, and nothing is transcoded before someone wants it', async () => {
    const { encoder, variants, stream } = await openCamera();
    expect(variants()).toEqual(['stream.m3u8', 'h264/stream.m3u8']);
    expect(variants('h264')).toEqual(['h264/stream.m3u8']);
    expect([variants('main'), variants('sub')]).toEqual([['stream.m3u8'], ['stream.m3u8']]);
    expect(stream.multivariantPlaylist('', 'sound', 'stream.m3u8')).toContain(
      'CODECS="avc1.4d402a,mp4a.40.2",RESOLUTION=320x180',
    );
    expect(stream.hasCompatibleStream()).toBe(true);
    expect(encoder.opened).toEqual([]);
  });

  it('is not transcoded if the substream is H.264', async () => {
    const { variants } = await openCamera({ hasSub: true, subCodecs: ['avc1.42c01e'] });
    expect(variants()).toEqual(['stream.m3u8', 'sub/stream.m3u8']);
    expect(variants('h264')).toEqual(['sub/stream.m3u8']);
    expect([variants('main'), variants('sub')]).toEqual([['stream.m3u8'], ['sub/stream.m3u8']]);
  });

  it('is transcoded from the connection that the camera has, until no one watches that', async () => {
    const { encoder, stream, main, clock } = await openCamera();
    stream.touch('h264');
    await settle();
    expect([main.openNow, encoder.openNow, encoder.seen]).toEqual([1, 1, ['tracks']]);
    main.current.onAccessUnit(unitAt(clock.monoMs()));
    expect(encoder.seen).toEqual(['tracks', 'unit']);
    for (let waitedMs = 0; waitedMs < IDLE_STOP_MS; waitedMs += 5_000) {
      expect(encoder.openNow).toBe(1);
      clock.advance(5_000);
      stream.touch('sound');
      main.current.onAccessUnit(unitAt(clock.monoMs()));
      if (waitedMs === 0) encoder.current.onTracks(TRACKS);
      encoder.current.onAccessUnit(unitAt(clock.monoMs()));
    }
    await settle();
    const seen = encoder.seen.length;
    main.current.onAccessUnit(unitAt(clock.monoMs()));
    expect([main.openNow, encoder.openNow, encoder.seen.length]).toEqual([1, 0, seen]);
  });

  it('opens the camera for those who watch only the transcoded stream', async () => {
    const encoder = new FakeEncoder();
    const { stream, main, packagers, clock } = setup(false, encoder);
    const viewer = waiter();
    stream.touch('h264');
    stream.awaitCompatible('sound', viewer);
    await settle();
    expect([main.openNow, encoder.openNow]).toEqual([1, 1]);
    main.current.onTracks(H265_TRACKS);
    encoder.current.onTracks(TRACKS);
    expect(stream.status().state).toBe('starting');
    expect(packagers.map(({ options }) => options.rendition)).toEqual(['h264']);
    packagers[0]!.options.onPlayable();
    expect([viewer.outcome, stream.status().state]).toEqual([['ready'], 'live']);
    expect(stream.rendition('h264')).toBe(packagers[0]!.window);
    clock.advance(IDLE_STOP_MS);
    await settle();
    expect([main.openNow, encoder.openNow, clock.pendingTimers]).toEqual([0, 0, 0]);
  });

  it('tells those who wait that it cannot be transcoded, and goes on for all others', async () => {
    const { encoder, stream } = await openCamera();
    const viewer = waiter();
    stream.touch('h264');
    stream.awaitCompatible('sound', viewer);
    await settle();
    encoder.current.onEnded(new GatewayError(ERRORS.REFUSED));
    expect([viewer.outcome, stream.status().state]).toEqual([['STREAM_OFFLINE'], 'live']);
    const late = waiter();
    stream.awaitCompatible('sound', late);
    expect(late.outcome).toEqual(['STREAM_OFFLINE']);
  });

  it('ends its transcoder when the camera goes offline', async () => {
    const { encoder, stream, main } = await openCamera();
    stream.touch('h264-silent');
    await settle();
    main.current.onEnded(new GatewayError(ERRORS.REFUSED));
    expect(encoder.seen).toEqual(['tracks', 'STREAM_OFFLINE']);
  });
});

describe('the manifest of a main stream in H.265 for players of H.264', () => {
  async function openManifest(audience: 'sound' | 'silent') {
    const encoder = new FakeEncoder();
    const all = setup(false, encoder);
    const { stream, main, packagers, clock } = all;
    const viewer = waiter();
    stream.touch('h264-silent');
    if (audience === 'sound') stream.touch('audio');
    stream.awaitManifest(audience, viewer, 'transcoded');
    await settle();
    main.current.onTracks(H265_TRACKS);
    encoder.current.onTracks(TRACKS);
    const publish = () => {
      for (const packager of packagers) {
        const kind = packager.options.rendition === 'main-audio' ? 'audio' : 'video';
        packager.timing = timedRendition(kind, clock.epochMs());
        packager.options.onPlayable();
        packager.options.onPublished?.();
      }
    };
    const text = () => stream.manifest(audience, 'normal', 'transcoded')?.text ?? null;
    return { ...all, encoder, viewer, publish, text };
  }

  it.each([
    ['sound', ['h264-silent', 'main-audio'], ['h264', 'audio']],
    ['silent', ['h264-silent'], ['h264']],
  ] as const)('for an audience with %s is made of %j', async (audience, packaged, listed) => {
    const { packagers, encoder, viewer, publish, text, stream } = await openManifest(audience);
    expect([encoder.openNow, viewer.outcome, text()]).toEqual([1, [], null]);
    expect(packagers.map(({ options }) => options.rendition)).toEqual(packaged);
    publish();
    expect(viewer.outcome).toEqual(['ready']);
    const ids = [...text()!.matchAll(/<Representation id="(\w+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(listed);
    expect(text()).toContain('initialization="h264/video/seg_init.mp4"');
    expect(text()).toContain('media="h264/video/seg_$Number$.m4v"');
    // The rendition that other viewers get is not packaged.
    expect(stream.manifest(audience, 'normal')).toBeNull();
  });

  it('is not transcoded any longer once no one plays it', async () => {
    const { encoder, clock, publish, main } = await openManifest('sound');
    publish();
    clock.advance(IDLE_STOP_MS);
    await settle();
    expect([main.openNow, encoder.openNow, clock.pendingTimers]).toEqual([0, 0, 0]);
  });

  it('does not come without a transcoder', async () => {
    const { encoder, viewer, main, stream } = await openManifest('sound');
    encoder.current.onEnded(new GatewayError(ERRORS.REFUSED));
    expect([viewer.outcome, main.openNow]).toEqual([['STREAM_OFFLINE'], 1]);
    const late = waiter();
    stream.awaitManifest('sound', late, 'transcoded');
    expect(late.outcome).toEqual(['STREAM_OFFLINE']);
  });
});

describe('H.264 of a camera comes', () => {
  it('from the transcoder, if neither stream is H.264', async () => {
    const { stream, sub } = await openCamera({ hasSub: true });
    sub!.current.onTracks(H265_TRACKS);
    expect(stream.h264From()).toBe('transcoder');
  });

  it('from the substream, and from the transcoder while the substream is offline', async () => {
    const { stream, sub } = await openCamera({ hasSub: true, subCodecs: ['avc1.42c01e'] });
    sub!.current.onTracks(H264_TRACKS);
    expect(stream.h264From()).toBe('camera');
    sub!.current.onEnded(new GatewayError(ERRORS.REFUSED));
    expect(stream.h264From()).toBe('transcoder');
  });

  it('from the camera, if it is H.264, and no one knows before it was open', async () => {
    const { stream, main } = setup(false, new FakeEncoder());
    expect(stream.h264From()).toBeNull();
    stream.touch('sound');
    await settle();
    main.current.onTracks(H264_TRACKS);
    expect(stream.h264From()).toBe('camera');
  });

  it('from nowhere without an encoder, and without video', async () => {
    const { stream, main } = setup(false, null);
    stream.touch('sound');
    await settle();
    main.current.onTracks(H265_TRACKS);
    expect(stream.h264From()).toBe('nowhere');
    main.current.onTracks([{ kind: 'audio' } as unknown as Track]);
    expect(stream.h264From()).toBe('nowhere');
  });
});

describe('a main stream in H.264', () => {
  it('has no other form', async () => {
    const { stream, main, packagers } = setup(false, new FakeEncoder());
    expect(stream.hasCompatibleStream()).toBeNull();
    stream.touch('sound');
    await settle();
    main.current.onTracks(H264_TRACKS);
    packagers[0]!.options.onPlayable();
    expect(stream.hasCompatibleStream()).toBe(false);
    const playlist = stream.multivariantPlaylist('', 'sound', 'stream.m3u8', 'h264');
    expect(playlist?.match(/^[^#].*$/gm)).toEqual(['stream.m3u8']);
  });
});

describe('a main stream in H.265 without an encoder', () => {
  it('is offered as it is, even to those who asked for H.264', async () => {
    const { stream, main, packagers } = setup(false, null);
    stream.touch('sound');
    await settle();
    main.current.onTracks(H265_TRACKS);
    packagers[0]!.codecs = H265_CODECS;
    packagers[0]!.options.onPlayable();
    expect(stream.hasCompatibleStream()).toBe(false);
    const playlist = stream.multivariantPlaylist('', 'sound', 'stream.m3u8', 'h264');
    expect(playlist?.match(/^[^#].*$/gm)).toEqual(['stream.m3u8']);
  });
});
