import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slabWatchers } from '../../cmaf/media-blocks.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { SourceSink } from '../../stream/source-sink.ts';
import { CameraHostLink } from './camera-host-link.ts';
import type { CameraOrder, SlabNotice } from './host-messages.ts';
import { IDLE_LOOK_MS, RingLooks } from './ring-looks.ts';
import { createRing, RingWriter } from './unit-ring.ts';

const SLAB_BYTES = 1_048_576;
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
let forgotten: number[];
const watch = (slabId: number): void => void forgotten.push(slabId);

beforeEach(() => {
  clock = new FakeClock();
  [notices, dropped, forgotten] = [[], 0, []];
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
  };
  const host = {
    isMirror: false,
    package: () => ({ close: nothing }),
    passUnits: nothing,
    packagingSwitch: null,
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

describe('slabs', () => {
  it('are given up when the other thread does so, although no part follows', () => {
    notices.push({ slabId: 7, memory: new SharedArrayBuffer(SLAB_BYTES) }, { slabId: 7, memory: null });
    link.readSlabNotices();
    expect([notices.length, forgotten.length]).toEqual([0, 1]);
  });
});
