/** Another node shows the same as the owner, whenever it begins, and leaves nothing behind. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { FAKE_VIDEO } from '../../cmaf/fake-camera.ts';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import type { Track } from '../../codec/track.ts';
import { GatewayError } from '../../core/errors.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import type { CameraStream } from '../../stream/camera-stream.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import type {
  Interest,
  LiveBody,
  LiveState,
  PlaylistQuery,
  Unready,
  Waiter,
} from '../../stream/media/live-media.ts';
import { DEFAULT_PACKAGER_LIMITS, Packager } from '../../stream/packaging/packager.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import {
  LiveWindowBench,
  NEWEST,
  OTHER_TRACKS,
  TRACKS,
  UNUSED,
} from '../../stream/window/live-window-fixture.ts';
import { FRAME_LIMITS } from '../links/frame-header.ts';
import type { RunBeat } from '../nodes/camera-leases.ts';
import type { PlaceableNode } from '../nodes/placement.ts';
import type { Beat } from '../nodes/store-reliance.ts';
import { fakeLinkPair } from './fake-link-pair.ts';
import { MirrorClient } from './mirror-client.ts';
import { TO_MIRROR } from './mirror-messages.ts';
import { MirroredStream } from './mirrored-stream.ts';
import { OwnerDesk } from './owner-desk.ts';

const CAMERA = newRuuid();
const LIMITS = { windowMs: 6_000, maxWindowBytes: 3_000 };
const QUERIES: readonly Partial<PlaylistQuery>[] = [
  {},
  { skip: true },
  { extension: 'mp4' },
  { isSwitch: true },
];

const MIRROR: PlaceableNode = {
  nodeId: 'mirror',
  runId: 'mirror',
  isDraining: false,
  load: { ownedCameras: 0, openStreams: 0, viewers: 0, busyShare: 0 },
};
const NO_MANIFESTS = { follow: () => () => undefined, tell: () => undefined };

/** A camera that one node owns, and its main stream as another one mirrors it. */
class Bench {
  readonly window: LiveWindowBench;
  readonly pair = fakeLinkPair();
  isPlayable = false;
  state: LiveState = { state: 'live' };
  readonly touched: Interest[] = [];
  readonly ended: GatewayError[] = [];
  readonly lost: GatewayError[] = [];
  readonly heirs: (string | null)[] = [];
  readonly logged: string[] = [];
  tracks: readonly Track[] = [];
  readonly packager: Packager;
  /** The owner's beat. */
  beat: Beat | null = null;
  readonly beats: RunBeat[] = [];
  readonly desk: OwnerDesk;
  readonly stream: MirroredStream;

  constructor(limits = LIMITS) {
    this.window = new LiveWindowBench(limits, UNUSED, true);
    const { clock } = this.window;
    const profile = {
      name: 'main',
      tracks: [FAKE_VIDEO],
      keys: { distanceMs: 2_000 },
      sound: { state: 'none', encoding: null, isAlone: false },
      state: () => this.state,
    };
    const camera = {
      uuid: CAMERA,
      profiles: () => [profile],
      published: (name: string) => (name === 'main' && this.isPlayable ? this.window : null),
      touch: (interest: Interest) => void this.touched.push(interest),
      manifests: NO_MANIFESTS,
    };
    const owned = async () => camera as unknown as CameraStream;
    this.desk = new OwnerDesk({
      links: this.pair.owner.links,
      owned,
      nodes: () => [MIRROR],
      beat: () => this.beat,
      clock,
      log: { ...silentLog, error: (_fields, message) => this.logged.push(message) },
    });
    const client = new MirrorClient(this.pair.mirror.links, clock, 5_000, (run) => void this.beats.push(run));
    this.packager = new Packager({
      clock,
      limits: { ...DEFAULT_PACKAGER_LIMITS, ...limits },
      content: 'video-and-audio',
      numbering: null,
      isContinuation: true,
      onNumbering: () => undefined,
      onPlayable: () => undefined,
    });
    const sink = new SourceSink({
      onTracks: (tracks) => {
        this.tracks = tracks;
      },
      onHost: (host) => this.packager.setHost(host),
      onAccessUnit: () => undefined,
      onDropped: () => undefined,
      onEnded: (error) => this.ended.push(error),
    });
    this.stream = MirroredStream.open({
      client,
      link: this.pair.mirror.link,
      cameraUuid: CAMERA,
      profile: 'main',
      sink,
      clock,
      onLost: (error) => this.lost.push(error),
      onHeir: (runId) => this.heirs.push(runId),
    });
  }

  async opened(): Promise<this> {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    return this;
  }

  play(): void {
    this.isPlayable = true;
    this.desk.changed(CAMERA);
  }

  expectSame(): void {
    const [mirror, window] = [this.packager.published.window, this.window.window];
    for (const query of QUERIES) {
      const whole = { ...NEWEST, ...query };
      expect(shown(mirror.playlist(whole))).toBe(shown(window.playlist(whole)));
    }
    expect(mirror.edge()).toEqual(window.edge());
    const newest = this.window.numbering.nextMediaSequenceNumber;
    for (let msn = Math.max(0, newest - 12); msn <= newest + 2; msn++) {
      expect(shown(mirror.segment(msn))).toBe(shown(window.segment(msn)));
      for (const part of [0, 1, 5, 6])
        expect(shown(mirror.part(msn, part))).toBe(shown(window.part(msn, part)));
    }
  }

  async close(): Promise<void> {
    await this.stream.close();
    this.packager.close();
    this.window.close();
    this.desk.close();
  }
}

function shown(body: LiveBody | Unready | null): string {
  if (body === null || typeof body === 'string') return String(body);
  if ('text' in body) return body.text;
  const hex = body.bytes.toString('hex');
  body.release();
  return hex;
}

class Answer implements Waiter {
  text = 'wait';

  onReady(body: LiveBody): void {
    this.text = shown(body);
  }

  onGone(error: GatewayError): void {
    this.text = error.code;
  }
}

/** The result of a wait. `gone`: returned if there is nothing to wait for. */
function toldOf(body: LiveBody | Unready | null, gone: string): string {
  return body === null || body === 'unknown' || body === 'rejected' ? gone : shown(body);
}

const OPERATIONS = fc.array(
  fc.constantFrom('segment', 'segment', 'part', 'cut short', 'break', 'tracks', 'view'),
  {
    minLength: 1,
    maxLength: 20,
  },
);

describe('a stream that another node owns', () => {
  it('has the text and the bytes of the owner, from whenever on', async () => {
    const before = mediaBlockBytes().used;
    await fc.assert(
      fc.asyncProperty(OPERATIONS, OPERATIONS, async (earlier, later) => {
        const bench = await new Bench().opened();
        let isOpen = false;
        let isOther = false;
        const act = (operation: string): void => {
          const { window } = bench;
          if (operation === 'view')
            shown(bench.window.window.part(bench.window.numbering.nextMediaSequenceNumber - 1, 0));
          else if (operation === 'part') {
            window.part({ isSegmentStart: !isOpen, tracks: isOther ? OTHER_TRACKS : TRACKS });
            isOpen = true;
          } else if (operation === 'cut short') isOpen = false;
          else if (!isOpen) {
            if (operation === 'tracks') isOther = !isOther;
            window.segment(6, {
              hasDiscontinuity: operation !== 'segment',
              tracks: isOther ? OTHER_TRACKS : TRACKS,
            });
          }
        };
        bench.window.segment();
        for (const operation of earlier) act(operation);
        bench.play();
        for (const operation of later) {
          act(operation);
          bench.expectSame();
        }
        await bench.close();
      }),
      randomRuns(40),
    );
    expect(mediaBlockBytes().used).toBe(before);
  });

  it('lets everyone wait until its window comes, and then answers as the owner would', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 5 }),
        async (segments, parts) => {
          const bench = await new Bench().opened();
          bench.window.segments(segments);
          for (let i = 0; i < parts; i++) bench.window.part({ isSegmentStart: i === 0 });
          const mirror = bench.packager.published.window;
          expect(mirror.edge()).toBeNull();
          const parted = Array.from({ length: 48 }, (_, at) => ({ msn: Math.floor(at / 6), part: at % 6 }));
          const whole = parted.filter(({ part }) => part === 0).map(({ msn }) => ({ msn, part: -1 }));
          const requested = [...parted, ...whole].map(({ msn, part }) => {
            expect(part < 0 ? mirror.isSegmentComing(msn) : mirror.part(msn, part)).toBe(
              part < 0 ? true : 'wait',
            );
            expect(mirror.playlist({ ...NEWEST, msn, part })).toBe('wait');
            const [media, playlist] = [new Answer(), new Answer()];
            mirror.awaitPart(msn, part, media);
            mirror.awaitPlaylist({ ...NEWEST, msn, part }, playlist);
            return { msn, part, media, playlist };
          });
          bench.play();
          const { window } = bench.window;
          for (const { msn, part, media, playlist } of requested) {
            const whole = part < 0 ? window.segment(msn) : window.part(msn, part);
            const isAhead = msn >= segments;
            const gone = isAhead ? 'STREAM_BEHIND' : 'LIVE_PART_GONE';
            // A segment that is coming is waited for at a mirror alone.
            const isComing = part < 0 && whole === null && mirror.isSegmentComing(msn);
            expect(media.text).toBe(isComing ? 'wait' : toldOf(whole, gone));
            expect(playlist.text).toBe(toldOf(window.playlist({ ...NEWEST, msn, part }), gone));
          }
          bench.packager.published.failWaiters(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
          await bench.close();
        },
      ),
      randomRuns(20),
    );
  });

  it('asks for what is wanted here, and says so again as long as it is', async () => {
    const bench = await new Bench().opened();
    expect(bench.touched).toEqual(['sound']);
    bench.window.clock.advance(5_000);
    expect(bench.touched).toEqual(['sound', 'sound']);
    await bench.close();
    bench.window.clock.advance(20_000);
    expect(bench.touched).toEqual(['sound', 'sound']);
    expect(bench.desk.subscriptions).toBe(0);
    expect(bench.pair.mirror.link.holds).toBe(0);
  });

  it('hears which node should have the camera after its owner', async () => {
    const bench = await new Bench().opened();
    bench.window.clock.advance(1_000);
    bench.window.segment();
    bench.play();
    bench.window.clock.advance(1_000);
    expect(bench.heirs).toEqual([null, 'mirror']);
    await bench.close();
  });

  it('hears the beats of an owner that relies on the store', async () => {
    const bench = await new Bench().opened();
    bench.window.segment();
    bench.play();
    bench.window.clock.advance(1_000);
    bench.beat = { beat: 7, aliveMs: 9_000 };
    bench.window.clock.advance(1_000);
    expect(bench.beats).toEqual([{ runId: bench.pair.mirror.link.peer.runId, beat: 7, aliveMs: 9_000 }]);
    await bench.close();
  });

  it('ends with the error of the camera when that goes offline', async () => {
    const bench = await new Bench().opened();
    const error = new GatewayError(STREAM_ERRORS.STREAM_SILENT, { silentMs: 10 });
    bench.state = { state: 'offline', error, retryAtEpochMs: 0 };
    bench.desk.changed(CAMERA);
    expect(bench.ended.map(({ code }) => code)).toEqual(['STREAM_SILENT']);
    expect(bench.lost).toEqual([]);
    await bench.close();
  });

  it('says that the owner is gone when its link ends, or it owns the camera no longer', async () => {
    for (const end of [
      (bench: Bench) => bench.pair.owner.link.close(),
      (bench: Bench) => bench.desk.ended(CAMERA),
    ]) {
      const bench = await new Bench().opened();
      bench.window.segment();
      bench.play();
      end(bench);
      expect(bench.lost).toHaveLength(1);
      expect(bench.ended).toEqual([]);
      // Viewers keep what there is.
      expect(shown(bench.packager.published.window.playlist(NEWEST))).toContain('#EXTINF');
      await bench.close();
    }
  });

  it('gets the window again when the owner opens it again', async () => {
    const bench = await new Bench().opened();
    bench.window.segment();
    bench.play();
    bench.isPlayable = false;
    bench.window.close();
    expect(shown(bench.packager.published.window.playlist(NEWEST))).toContain('#EXTINF');
    bench.window.segment(6, { hasDiscontinuity: true });
    bench.play();
    bench.expectSame();
    await bench.close();
  });
});

describe('a window that changes hands', () => {
  it('comes with what its owner had before the numbers jumped', async () => {
    const bench = await new Bench().opened();
    bench.window.segments(2);
    bench.window.window.restart({ ...bench.window.numbering, nextMediaSequenceNumber: 1_000 });
    bench.window.segment();
    bench.play();
    bench.expectSame();
    for (const msn of [0, 1]) {
      expect(shown(bench.packager.published.window.segment(msn))).toBe(
        shown(bench.window.window.segment(msn)),
      );
      expect(bench.packager.published.window.isBehind(msn)).toBe(false);
    }
    await bench.close();
  });

  it('comes with the newest key frame, for still images before there is another one', async () => {
    const bench = await new Bench().opened();
    bench.window.segments(2);
    const fmp4 = [Buffer.from('init'), Buffer.from('moof'), Buffer.from('mdat')];
    bench.window.key = { fmp4, widthPx: 640, heightPx: 360, atEpochMs: 7 };
    expect(bench.packager.published.keyFrame()).toBeNull();
    bench.play();
    expect(bench.packager.published.keyFrame()).toEqual(bench.window.key);
    await bench.close();
  });

  it('goes on with the next number behind a discontinuity when the numbers are exact', async () => {
    const bench = await new Bench().opened();
    bench.window.segment();
    bench.play();
    const { packager } = bench;
    const before = shown(packager.published.window.playlist(NEWEST));
    packager.own(bench.window.numbering);
    packager.setHost(null);
    expect(shown(packager.published.window.playlist(NEWEST))).toBe(before);
    await bench.close();
  });

  it('lists nothing, has higher numbers, and keeps what viewers know, when the owner before it was killed', async () => {
    const bench = await new Bench().opened();
    bench.window.segment();
    bench.play();
    const known = shown(bench.packager.published.window.segment(0));
    expect(known).not.toBe('null');
    bench.packager.own({ ...bench.window.numbering, nextMediaSequenceNumber: 1_001 });
    expect(bench.packager.published.window.playlist(NEWEST)).toBe('wait');
    expect(bench.packager.published.window.part(1_001, 0)).toBe('wait');
    expect(shown(bench.packager.published.window.segment(0))).toBe(known);
    await bench.close();
  });
});

describe('a window that is large', () => {
  it('comes whole, with more parts than a frame has attachments', async () => {
    const before = mediaBlockBytes().used;
    const bench = await new Bench({ windowMs: 240_000, maxWindowBytes: 4_194_304 }).opened();
    for (let segments = 0; segments < (2 * FRAME_LIMITS.attachments) / 20; segments++) {
      bench.window.segment(20, { durationTicks: 9_000 });
    }
    bench.window.part({ isSegmentStart: true });
    bench.play();
    bench.expectSame();
    bench.window.part();
    bench.expectSame();
    await bench.close();
    expect(mediaBlockBytes().used).toBe(before);
  });

  it('leaves nothing behind when the link ends with it', async () => {
    const bench = await new Bench().opened();
    bench.window.segment();
    const { link } = bench.pair.owner;
    const send = link.send.bind(link);
    link.send = (message, released) => {
      if (message.kind === TO_MIRROR.window) link.close();
      return send(message, released);
    };
    bench.play();
    expect(bench.lost).toHaveLength(1);
    expect([bench.window.followers, bench.desk.subscriptions]).toEqual([0, 0]);
    await bench.close();
  });

  /** With a key frame larger than a frame of a link. */
  async function openedTooLarge(): Promise<Bench> {
    const bench = await new Bench().opened();
    bench.window.segment();
    const fmp4 = [Buffer.alloc(FRAME_LIMITS.frameBytes)];
    bench.window.key = { fmp4, widthPx: 640, heightPx: 360, atEpochMs: 7 };
    return bench;
  }

  async function expectGivenUp(bench: Bench): Promise<void> {
    expect(bench.ended.map(({ code }) => code)).toEqual(['LINK_FRAME_LIMIT']);
    expect(bench.logged).toEqual(['stream not mirrored']);
    expect([bench.window.followers, bench.desk.subscriptions]).toEqual([0, 0]);
    await bench.close();
  }

  it('ends the mirror with the reason when it cannot be sent, and nothing follows it', async () => {
    const bench = await openedTooLarge();
    bench.play();
    bench.desk.changed(CAMERA);
    await expectGivenUp(bench);
  });

  it('ends nothing else when it cannot be sent later, because the link was busy', async () => {
    const bench = await openedTooLarge();
    bench.pair.owner.link.waitingBytes = FRAME_LIMITS.frameBytes;
    bench.play();
    expect(bench.ended).toEqual([]);
    bench.pair.owner.link.waitingBytes = 0;
    bench.window.clock.advance(1_000);
    await expectGivenUp(bench);
  });

  it('ends nothing else when it cannot be sent again, after the rendition was closed', async () => {
    const bench = await openedTooLarge();
    const { key } = bench.window;
    bench.window.key = null;
    bench.play();
    bench.window.key = key;
    bench.window.close();
    await bench.opened();
    await expectGivenUp(bench);
  });
});
