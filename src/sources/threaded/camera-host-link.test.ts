import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slabWatchers } from '../../cmaf/media-blocks.ts';
import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import { DEFAULT_SEGMENTER_LIMITS } from '../../cmaf/segmenter-limits.ts';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { ROUND_MS } from '../../core/shared-instants.ts';
import type { PartReceiver, RenditionOrder, SourcePulse } from '../../stream/packaging/packaging-host.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { ANYWHERE } from '../network/camera-address.ts';
import { CameraHostLink } from './camera-host-link.ts';
import { CAMERA_THREAD_ERRORS } from './errors.ts';
import type { CameraOrder, SlabNotice } from './host-messages.ts';
import type { HostedPart } from './part-record.ts';
import { IDLE_LOOK_MS, LOOK_MS, RingLooks } from './ring-looks.ts';
import { createRing, RingWriter } from './unit-ring.ts';

const SLAB_BYTES = 1_048_576;
const ORDERED: RenditionOrder = {
  ...{
    content: 'video',
    limits: DEFAULT_SEGMENTER_LIMITS,
    epochMinusMonoMs: 0,
    initFingerprint: null,
    progress: null,
  },
};
const RECEIVER: PartReceiver = {
  isAwaited: false,
  ...{ onPart: () => undefined, onWindow: () => undefined, onPeriods: () => undefined },
  ...{ onFailure: () => undefined, onCounts: () => undefined },
};
const FIRST_PART: Omit<HostedPart, 'rendition'> = {
  ...{ tracks: {} as PackagedTracks, partTargetMs: 300, bytes: { hold: 0, byteLength: 0, places: [] } },
  part: {
    ...{
      timescaleHz: 90_000,
      startTicks: 0,
      durationTicks: 27_000,
      sourceOffsetSec: 0,
      pictures: 8,
      epochMs: 0,
    },
    ...{
      isSegmentStart: true,
      isSegmentEnd: false,
      isIndependent: true,
      hasDiscontinuity: false,
      keySample: null,
    },
  },
  progress: {
    ...{ endTicks: 27_000, timescaleHz: 90_000, soundEndSec: 0, partTargetMs: 300 },
    ...{ hasEndedSegment: false, hasSetsInBand: false, sequenceNumber: 1 },
  },
};
const ORDER: CameraOrder = {
  ...{ url: 'rtsp://127.0.0.1/', transport: 'auto', tls: 'any', addressRule: ANYWHERE, timeouts: {} },
  ...{ mayUseCameraTime: false, isSilent: false, isAuto: false, hasSoundWorker: false },
};

let clock: FakeClock;
let writer: RingWriter;
let notices: SlabNotice[];
let link: CameraHostLink;
let stream: number;
let openStream: () => number;
let dropped: number;
/** Pictures of the pulses that were passed on. */
let pictures: number;
let isAwaited: boolean;
/** For so long, the thread did nothing. */
let heldMs: number;
let forgotten: number[];
const watch = (slabId: number): void => void forgotten.push(slabId);

beforeEach(() => {
  clock = new FakeClock();
  [notices, dropped, forgotten] = [[], 0, []];
  [pictures, isAwaited, heldMs] = [0, false, 0];
  const ring = createRing(65_536);
  writer = new RingWriter(ring);
  const nothing = () => undefined;
  const calls = {
    ...{ open: nothing, close: async () => undefined, package: nothing, unpackage: nothing },
    ...{
      passUnits: nothing,
      release: nothing,
      stopPackaging: nothing,
      startPackaging: nothing,
      packagingOrdered: nothing,
    },
  };
  const held = {
    ...{ monoMs: () => clock.monoMs() + heldMs, epochMs: () => clock.epochMs() },
    after: (delayMs: number, fn: () => void) => clock.after(delayMs, fn),
  };
  const looks = new RingLooks(held);
  link = new CameraHostLink({ ring, calls, clock: held, looks, takeSlabNotice: () => notices.shift() });
  const consumer = {
    ...{ onTracks: nothing, onAccessUnit: nothing, onEnded: nothing },
    onDropped: (frames: number) => {
      dropped += frames;
    },
    onPulse: (pulse: SourcePulse) => {
      pictures += pulse.pictures;
    },
  };
  const host = {
    isMirror: false,
    package: () => ({ close: nothing }),
    passUnits: nothing,
    packagingSwitch: null,
    catchUp: nothing,
  };
  openStream = () => link.open(ORDER, { sink: new SourceSink(consumer), host, onEvent: nothing });
  stream = openStream();
  slabWatchers.add(watch);
});
afterEach(() => {
  slabWatchers.delete(watch);
});

/** A record arrives, and wakes the gateway's thread if that sleeps. */
function write(frames: number): boolean {
  writer.event(stream, { kind: 'dropped', frames, code: 'TEST' });
  const isWoken = writer.mustWakeReader();
  if (isWoken) link.wake();
  return isWoken;
}

describe('a ring', () => {
  it('wakes its reader for each record, while they are apart', () => {
    for (let count = 1; count <= 3; count++) {
      expect(write(1)).toBe(true);
      expect(dropped).toBe(count);
      clock.advance(2 * IDLE_LOOK_MS);
    }
  });

  it('is looked into while records come closely, and wakes its reader again after a pause', () => {
    expect([write(1), write(1)]).toEqual([true, true]);
    expect([write(1), write(1), write(1)]).toEqual([false, false, false]);
    expect(dropped).toBe(2);
    clock.advance(IDLE_LOOK_MS);
    expect(dropped).toBe(5);
    expect(write(1)).toBe(false);
    clock.advance(IDLE_LOOK_MS);
    expect(dropped).toBe(6);
    clock.advance(IDLE_LOOK_MS);
    expect(write(1)).toBe(true);
    expect(dropped).toBe(7);
  });
});

/** What waits unless someone asks for it. */
function pulse(of = stream): void {
  const times = { lastUnitMonoMs: 1, videoMonoMs: 1, soundMonoMs: null, keyDistanceMs: null };
  writer.pulse(of, { pulse: { ...times, pictures: 1 }, clock: null, counts: [] });
  if (writer.mustWakeReader()) link.wake();
}

describe('records of a stream', () => {
  beforeEach(() => {
    // They come closely.
    clock.advance(IDLE_LOOK_MS);
    write(1);
    write(1);
    clock.advance(1);
  });

  it('come once a second while no one asks, each stream when it is its turn', () => {
    const other = openStream();
    const counts = Array.from({ length: 9 }, () => {
      pulse(stream);
      pulse(other);
      clock.advance(IDLE_LOOK_MS);
      return pictures;
    });
    // At 1,000 and 2,000 ms those of one, up to 1,250 and 2,250 ms those of the other.
    expect(counts).toEqual([0, 0, 3, 7, 7, 7, 11, 15, 15]);
  });

  it('of all come with the next look when the thread was busy and has missed turns', () => {
    pulse();
    pulse(openStream());
    heldMs = 10 * IDLE_LOOK_MS + 1;
    clock.advance(IDLE_LOOK_MS);
    expect(pictures).toBe(2);
  });

  it('are there at once for someone who asks, and for a while then come at the next look', () => {
    pulse();
    link.catchUp(stream);
    expect(pictures).toBe(1);
    for (let count = 2; count <= 3; count++) {
      pulse();
      clock.advance(LOOK_MS);
      expect(pictures).toBe(count);
    }
    pulse();
    clock.advance(LOOK_MS);
    expect(pictures).toBe(3);
    clock.advance(ROUND_MS);
    expect(pictures).toBe(4);
  });

  it('do not wait as long as someone waits for a part, however long', () => {
    link.package(stream, ORDERED, {
      ...RECEIVER,
      get isAwaited() {
        return isAwaited;
      },
    });
    isAwaited = true;
    for (let count = 1; count <= 5; count++) {
      pulse();
      clock.advance(LOOK_MS);
      expect(pictures).toBe(count);
    }
  });

  it('do not wait before the first part, for which a viewer may wait, up to thirty seconds', () => {
    const rendition = link.package(stream, ORDERED, RECEIVER);
    for (let count = 1; count <= 30; count++) {
      pulse();
      clock.advance(LOOK_MS);
      expect(pictures).toBe(count);
    }
    pulse();
    clock.advance(LOOK_MS);
    expect(pictures).toBe(30);
    link.unpackage(stream, rendition);
  });

  it('wait soon after the first part', () => {
    const rendition = link.package(stream, ORDERED, RECEIVER);
    writer.part(stream, { ...FIRST_PART, rendition });
    for (let count = 0; count < 3; count++) pulse();
    clock.advance(LOOK_MS);
    expect(pictures).toBe(3);
    pulse();
    clock.advance(LOOK_MS);
    expect(pictures).toBe(3);
  });

  it('come at the next look to someone who begins to read access units', () => {
    link.passUnits(stream, true);
    write(7);
    clock.advance(LOOK_MS);
    expect(dropped).toBe(9);
  });

  it('that wait are there when the thread ends', () => {
    pulse();
    link.end(new GatewayError(CAMERA_THREAD_ERRORS.CAMERA_THREAD_FAILED));
    expect(pictures).toBe(1);
  });
});

describe('slabs', () => {
  it('are given up when the other thread does so, although no part follows', () => {
    notices.push({ slabId: 7, memory: new SharedArrayBuffer(SLAB_BYTES) }, { slabId: 7, memory: null });
    link.readSlabNotices();
    expect([notices.length, forgotten.length]).toEqual([0, 1]);
  });
});
