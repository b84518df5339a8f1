import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slabWatchers } from '../../cmaf/media-blocks.ts';
import { GatewayError } from '../../core/errors.ts';
import { eventually } from '../../core/eventually-fixture.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import type { SourcePulse } from '../../stream/packaging/packaging-host.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { ANYWHERE } from '../network/camera-address.ts';
import { CameraHostLink } from './camera-host-link.ts';
import { CAMERA_THREAD_ERRORS } from './errors.ts';
import type { CameraOrder, SlabNotice } from './host-messages.ts';
import { createRing, RingWriter } from './unit-ring.ts';

const SLAB_BYTES = 1_048_576;
const ORDER: CameraOrder = {
  url: 'rtsp://127.0.0.1/',
  transport: 'auto',
  tls: 'any',
  addressRule: ANYWHERE,
  timeouts: {},
  mayUseCameraTime: false,
  signingAnchors: null,
  isSilent: false,
  isAuto: false,
  hasSoundWorker: false,
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
let forgotten: number[];
const watch = (slabId: number): void => void forgotten.push(slabId);

beforeEach(() => {
  clock = new FakeClock();
  [notices, dropped, forgotten] = [[], 0, []];
  pictures = 0;
  const ring = createRing(65_536);
  writer = new RingWriter(ring);
  const nothing = () => undefined;
  const calls = {
    open: nothing,
    close: async () => undefined,
    package: nothing,
    unpackage: nothing,
    passUnits: nothing,
    release: nothing,
    stopPackaging: nothing,
    startPackaging: nothing,
    packagingOrdered: nothing,
  };
  link = new CameraHostLink({ ring, calls, clock, takeSlabNotice: () => notices.shift() });
  const consumer = {
    onTracks: nothing,
    onAccessUnit: nothing,
    onEnded: nothing,
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
  it('wakes its reader for each record, and then has nothing left', () => {
    for (let count = 1; count <= 3; count++) {
      expect(write(1)).toBe(true);
      expect(dropped).toBe(count);
    }
    expect(clock.pendingTimers).toBe(0);
  });

  it('wakes its reader once for what comes while that is awake', () => {
    writer.event(stream, { kind: 'dropped', frames: 1, code: 'TEST' });
    expect([writer.mustWakeReader(), write(1), write(1)]).toEqual([true, false, false]);
    link.wake();
    expect(dropped).toBe(3);
    expect(write(1)).toBe(true);
  });

  it('is read in several turns of the event loop when it has much', async () => {
    for (let count = 0; count < 250; count++) pulse(count % 2 === 0 ? stream : 99, false);
    link.wake();
    expect(pictures).toBe(100);
    await eventually('all are read', () => pictures === 125);
  });
});

describe('records of a stream', () => {
  it('come with their wake, although no one requests its parts', () => {
    const other = openStream();
    for (let count = 1; count <= 3; count++) {
      pulse(stream);
      pulse(other);
      expect(pictures).toBe(2 * count);
    }
  });

  it('that were not read are there when the thread ends', () => {
    pulse(stream, false);
    link.end(new GatewayError(CAMERA_THREAD_ERRORS.CAMERA_THREAD_FAILED));
    expect(pictures).toBe(1);
  });

  it('are passed over after its end', async () => {
    pulse(stream, false);
    await link.close(stream);
    link.wake();
    expect(pictures).toBe(0);
  });
});

function pulse(of = stream, isRead = true): void {
  const times = { lastUnitMonoMs: 1, videoMonoMs: 1, soundMonoMs: null, keyDistanceMs: null };
  writer.pulse(of, { pulse: { ...times, pictures: 1 }, clock: null, counts: [] });
  if (isRead && writer.mustWakeReader()) link.wake();
}

describe('slabs', () => {
  it('are given up when the other thread does so, although no part follows', () => {
    notices.push({ slabId: 7, memory: new SharedArrayBuffer(SLAB_BYTES) }, { slabId: 7, memory: null });
    link.readSlabNotices();
    expect([notices.length, forgotten.length]).toEqual([0, 1]);
  });
});
