import { describe, expect, it } from 'vitest';
import { FAKE_AUDIO, FAKE_VIDEO } from '../cmaf/fake-camera.ts';
import type { H264Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { fixtureSegment } from '../isobmff/fragment-fixture.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import type { PastCamera } from './past-timeline.ts';
import { readPastTracks } from './past-tracks.ts';
import { type CacheDisk, RecodedFiles } from './recoded-files.ts';
import {
  type EncodingOrder,
  type PictureEncoder,
  RecodedPast,
  type SegmentToRecode,
} from './recoded-past.ts';

const HZ = 1_000;
const CAMERA = newRuuid();
const RECORDED: H264Track = { ...FAKE_VIDEO, timescaleHz: HZ };
/** The fake encoder's parameter sets. */
const MADE: H264Track = { ...FAKE_VIDEO, timescaleHz: 90_000, widthPx: 320 };
const TRACKS = readPastTracks(writeInitSegment([RECORDED, FAKE_AUDIO]));

const unmasked = (uuid: Ruuid): PastCamera => ({ uuid, recordedUuid: uuid, masks: null });

function segmentOf(number: number, camera = unmasked(CAMERA)): SegmentToRecode {
  const startTicks = number * 1_000;
  const media = {
    offset: 10_000 * (number + 1),
    byteLength: 9_000,
    startTicks,
    durationTicks: 1_000,
    timescaleHz: HZ,
    epochMs: startTicks,
    isDiscontinuity: false,
    init: { offset: 0, byteLength: 900 },
  };
  return { camera, file: `${camera.recordedUuid}/main/0.mp4`, media, tracks: TRACKS };
}

/** `pictureBytes`: of each segment that is made. */
function open({ pictureBytes = 10, hasEncoder = true, files = null as RecodedFiles | null } = {}) {
  const made: EncodingOrder[] = [];
  const state = { failure: null as Error | null, gate: Promise.resolve(), isDeleted: false };
  const encoder: PictureEncoder = {
    async encode(_fmp4, order) {
      made.push(order);
      await state.gate;
      if (state.failure !== null) throw state.failure;
      return { track: MADE, pictures: [{ ptsTicks: 0, isKey: true, data: Buffer.alloc(pictureBytes) }] };
    },
    propertiesOf: ({ heightPx }) => ({ codecString: 'avc1', widthPx: 320, heightPx, peakBitsPerSec: 1 }),
  };
  const past = new RecodedPast({
    media: {
      async read(name) {
        if (state.isDeleted) throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, { name });
        return Buffer.alloc(8);
      },
      readTrack: async (_name, offset) =>
        fixtureSegment([[{ trackId: 1, startTicks: (offset / 10_000 - 1) * 1_000 }]]),
    },
    encoder: hasEncoder ? encoder : null,
    files,
    organizationOf: (cameraUuid) => organizations.get(cameraUuid) ?? null,
  });
  const organizations = new Map<Ruuid, string>();
  return { past, made, state, organizations };
}

describe('a recorded segment in H.264', () => {
  it('is made once for all who wait for it or request it later', async () => {
    const { past, made } = open();
    const [first, second] = await Promise.all([past.segment(segmentOf(0)), past.segment(segmentOf(0))]);
    expect(second).toBe(first);
    expect(await past.segment(segmentOf(0))).toBe(first);
    expect(made).toHaveLength(1);
    await past.segment(segmentOf(1));
    expect(made).toHaveLength(2);
  });

  it('is gone when its recording is deleted, although it was made', async () => {
    const { past, state } = open();
    await past.segment(segmentOf(0));
    state.isDeleted = true;
    await expect(past.segment(segmentOf(0))).rejects.toMatchObject({ code: 'RECORDING_NOT_FOUND' });
  });

  it('is tried again after a failure', async () => {
    const { past, state } = open();
    state.failure = new Error('no worker');
    await expect(past.segment(segmentOf(0))).rejects.toThrow('no worker');
    state.failure = null;
    expect((await past.segment(segmentOf(0))).length).toBeGreaterThan(10);
  });

  it('that was prepared becomes urgent when someone requests it', async () => {
    const { past, made, state } = open();
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    past.prepare(segmentOf(0));
    past.prepare(segmentOf(0));
    await eventuallyEqual(() => made.length, 1);
    expect(made[0]!.isAwaited()).toBe(false);
    const requested = past.segment(segmentOf(0));
    expect(made[0]!.isAwaited()).toBe(true);
    gate.resolve();
    await requested;
    expect(made).toHaveLength(1);
  });

  it('needs an encoder', async () => {
    const { past } = open({ hasEncoder: false });
    expect(past.propertiesOf(unmasked(CAMERA), { ...TRACKS, video: null })).toBeNull();
    await expect(past.segment(segmentOf(0))).rejects.toMatchObject({ code: 'PLAYBACK_NO_ENCODER' });
  });
});

describe('the init segment', () => {
  it('has the parameter sets of the encoder, in the ticks of the recording, with the audio or without', async () => {
    const { past, made } = open();
    const track = { ...MADE, timescaleHz: HZ };
    expect(await past.init(segmentOf(0), true)).toEqual(writeInitSegment([track, FAKE_AUDIO]));
    expect(await past.init(segmentOf(0), false)).toEqual(writeInitSegment([track]));
    expect(made).toHaveLength(1);
  });

  it('needs no work once a segment was made', async () => {
    const { past, made } = open();
    await past.segment(segmentOf(3));
    await past.init(segmentOf(0), true);
    expect(made).toHaveLength(1);
  });
});

describe('with masks', () => {
  const MASKS = [{ name: '', points: [] }];
  const masked: PastCamera = { uuid: newRuuid(), recordedUuid: CAMERA, masks: MASKS };

  it('H.264 is made again, with them, and only that is shown', async () => {
    const { past, made } = open();
    expect([past.isFor(unmasked(CAMERA), TRACKS), past.isFor(masked, TRACKS)]).toEqual([false, true]);
    await past.segment(segmentOf(0, masked));
    await past.segment(segmentOf(0));
    await past.segment(segmentOf(0, masked));
    const orders = made.map(({ cameraUuid, masks }) => [cameraUuid, masks]);
    expect(orders).toEqual([
      [CAMERA, MASKS],
      [CAMERA, []],
    ]);
  });

  it('that are others, what was made goes, and what is being made ends', async () => {
    const { past, made, state } = open();
    await past.segment(segmentOf(0, masked));
    await past.segment(segmentOf(0));
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    const refused = expect(past.segment(segmentOf(1, masked))).rejects.toMatchObject({
      code: 'PLAYBACK_MASKS_CHANGED',
    });
    await eventuallyEqual(() => made.length, 3);
    past.forget(masked.uuid);
    expect(made[2]!.ending.aborted).toBe(true);
    gate.resolve();
    await refused;
    await past.segment(segmentOf(0, masked));
    expect(made[3]).toMatchObject({ masks: MASKS, ending: { aborted: false } });
    await past.segment(segmentOf(0));
    expect(made).toHaveLength(4);
  });

  it('nothing is shown without an encoder', async () => {
    const { past } = open({ hasEncoder: false });
    expect(() => past.propertiesOf(masked, TRACKS)).toThrow(/no ffmpeg/);
    expect(past.propertiesOf(unmasked(CAMERA), TRACKS)).toBeNull();
  });
});

it('one organization’s segments do not displace those of another', async () => {
  const pictureBytes = LIMITS.recodedSegments.bytes / 4 + 1;
  const { past, made, organizations } = open({ pictureBytes });
  const [own, other] = [newRuuid(), newRuuid()];
  organizations.set(own, 'own').set(other, 'other');
  await past.segment(segmentOf(0, unmasked(own)));
  for (let number = 0; number < 6; number++) await past.segment(segmentOf(number, unmasked(other)));
  expect(past.byteLength).toBeLessThanOrEqual(LIMITS.recodedSegments.bytes);
  expect(made).toHaveLength(7);
  await past.segment(segmentOf(0, unmasked(own)));
  await past.segment(segmentOf(5, unmasked(other)));
  expect(made).toHaveLength(7);
  await past.segment(segmentOf(0, unmasked(other)));
  expect(made).toHaveLength(8);
});

describe('on the disk', () => {
  /** More than the memory holds. */
  const pictureBytes = LIMITS.recodedSegments.bytes / 2 + 1;
  const masked: PastCamera = { uuid: newRuuid(), recordedUuid: CAMERA, masks: [{ name: '', points: [] }] };

  function openOnDisk() {
    const stored = new Map<string, Uint8Array>();
    const disk: CacheDisk = {
      empty: async () => stored.clear(),
      freeBytes: async () => Number.POSITIVE_INFINITY,
      write: async (name, bytes) => void stored.set(name, bytes),
      read: async (name) => Buffer.from(stored.get(name)!),
      remove: async (name) => void stored.delete(name),
    };
    const of = { maxBytes: 2 ** 30, minFreeBytes: 0, clock: new FakeClock(), log: silentLog };
    const files = new RecodedFiles({ disk, ...of });
    return { ...open({ pictureBytes, files }), files, stored };
  }

  it('a segment is read when the memory no longer has it', async () => {
    const { past, made, stored, state } = openOnDisk();
    const first = await past.segment(segmentOf(0));
    await eventuallyEqual(() => stored.size, 1);
    await past.segment(segmentOf(1));
    await eventuallyEqual(() => stored.size, 2);
    expect((await past.segment(segmentOf(0))).equals(first)).toBe(true);
    expect(made).toHaveLength(2);
    state.isDeleted = true;
    await expect(past.segment(segmentOf(1))).rejects.toMatchObject({ code: 'RECORDING_NOT_FOUND' });
  });

  it('a segment goes with its recording file', async () => {
    const { past, made, stored } = openOnDisk();
    const { file } = segmentOf(0);
    await past.segment(segmentOf(0));
    await eventuallyEqual(() => stored.size, 1);
    past.deleted(`${file}.other`);
    expect(stored.size).toBe(1);
    past.deleted(file);
    expect(stored.size).toBe(0);
    await past.segment(segmentOf(0));
    expect(made).toHaveLength(2);
  });

  it('a segment whose recording is deleted while it is made is not kept', async () => {
    const { past, made, files, state } = openOnDisk();
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    const requested = past.segment(segmentOf(0));
    await eventuallyEqual(() => made.length, 1);
    past.deleted(segmentOf(0).file);
    gate.resolve();
    await requested;
    expect([past.byteLength, files.byteLength]).toEqual([0, 0]);
  });

  it('a segment goes with the masks that it was made with', async () => {
    const { past, stored } = openOnDisk();
    await past.segment(segmentOf(0, masked));
    await past.segment(segmentOf(0));
    await eventuallyEqual(() => stored.size, 2);
    past.forget(masked.uuid);
    expect(stored.size).toBe(1);
  });
});
