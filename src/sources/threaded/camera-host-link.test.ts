import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slabWatchers } from '../../cmaf/media-blocks.ts';
import { DEFAULT_SEGMENTER_LIMITS } from '../../cmaf/segmenter-limits.ts';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import type { PartReceiver, RenditionOrder, SourcePulse } from '../../stream/packaging-host.ts';
import { SourceSink } from '../../stream/source-sink.ts';
import { CameraHostLink } from './camera-host-link.ts';
import { CAMERA_THREAD_ERRORS } from './errors.ts';
import type { CameraOrder, SlabNotice } from './host-messages.ts';
import { IDLE_LOOK_MS, LOOK_MS, RingLooks } from './ring-looks.ts';
import { createRing, RingWriter } from './unit-ring.ts';

const SLAB_BYTES = 1_048_576;
const ORDERED: RenditionOrder = {
  ...{ content: 'video', limits: DEFAULT_SEGMENTER_LIMITS, epochMinusMonoMs: 0, progress: null },
};
const RECEIVER: PartReceiver = {
  isAwaited: false,
  ...{ onHostedPart: () => undefined, onHostedWindow: () => undefined, onHostedPeriods: () => undefined },
  ...{ onHostedFailure: () => undefined, onHostedCounts: () => undefined },
};
const ORDER: CameraOrder = {
  ...{ url: 'rtsp://127.0.0.1/', transport: 'auto', tls: 'any', addressRule: 'anywhere', timeouts: {} },
  ...{ mayUseCameraTime: false, isSilent: false, isAuto: false, hasSoundWorker: false },
};

let clock: FakeClock;
let writer: RingWriter;
let notices: SlabNotice[];
let link: CameraHostLink;
let stream: number;
let dropped: number;
/** Pictures of the pulses that were passed on. */
let pictures: number;
let isAwaited: boolean;
let forgotten: number[];
const watch = (slabId: number): void => void forgotten.push(slabId);

beforeEach(() => {
  clock = new FakeClock();
  [notices, dropped, forgotten] = [[], 0, []];
  [pictures, isAwaited] = [0, false];
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
  const looks = new RingLooks(clock);
  link = new CameraHostLink({ ring, calls, clock, looks, takeSlabNotice: () => notices.shift() });
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
  stream = link.open(ORDER, { sink: new SourceSink(consumer), host, onEvent: nothing });
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
function pulse(): void {
  const times = { lastUnitMonoMs: 1, videoMonoMs: 1, soundMonoMs: null, keyDistanceMs: null };
  writer.pulse(stream, { pulse: { ...times, pictures: 1 }, clock: null, counts: [] });
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

  it('come at the next shared instant, while no one asks', () => {
    pulse();
    clock.advance(IDLE_LOOK_MS - 2);
    expect(pictures).toBe(0);
    clock.advance(1);
    expect(pictures).toBe(1);
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
    clock.advance(IDLE_LOOK_MS);
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
