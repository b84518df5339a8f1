import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { DROP_REASONS } from '../../cmaf/drop-counts.ts';
import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import type { AccessUnit } from '../../codec/track.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import type { HostedPulse } from './host-messages.ts';
import type { HostedPart } from './part-record.ts';
import { createRing, MAX_UNREAD_MEDIA_BYTES, RingReader, RingWriter } from './unit-ring.ts';

const RING_BYTES = 64 * 1_024;

const CLOCK: ClockReading = {
  driftPpm: -12.5,
  driftUncertaintyPpm: 3,
  uncertaintyMs: 0,
  jumps: 2,
  offsetMs: -40,
  soundDriftPpm: 20_408,
  verdict: 'sane',
  cameraTime: { mediaMs: 0, epochMs: 1_764_222_222_222.25 },
  reportedTime: null,
};
const UNKNOWN_CLOCK: ClockReading = {
  driftPpm: null,
  driftUncertaintyPpm: null,
  uncertaintyMs: null,
  jumps: 0,
  offsetMs: null,
  soundDriftPpm: null,
  verdict: 'jumpy',
  cameraTime: null,
  reportedTime: { mediaMs: 80.5, epochMs: 1_764_222_222_001 },
};

interface Seen {
  readonly stream: number;
  readonly value: unknown;
}

let writer: RingWriter;
let reader: RingReader;
let seen: Seen[];

beforeEach(() => {
  const memory = createRing(RING_BYTES);
  writer = new RingWriter(memory);
  reader = new RingReader(memory);
  seen = [];
});

const consumer = {
  onUnit: (stream: number, unit: AccessUnit) => void seen.push({ stream, value: comparable(unit) }),
  onPart: (stream: number, value: HostedPart) => void seen.push({ stream, value }),
  onPulse: (stream: number, value: HostedPulse) => void seen.push({ stream, value }),
  onEvent: (stream: number, value: unknown) => void seen.push({ stream, value }),
};

/** With so many bytes of media. */
function partOf(byteLength: number, { part = {}, ...fields }: DeepPartial = {}): HostedPart {
  return {
    rendition: 3,
    tracks: null,
    partTargetMs: 334,
    bytes: { hold: 2 ** 33, byteLength, places: [5, 8, 9] },
    ...fields,
    part: {
      timescaleHz: 90_000,
      startTicks: 2 ** 40 + 1,
      durationTicks: 30_030,
      sourceOffsetSec: -0.1,
      pictures: 8,
      epochMs: 1_764_222_222_222.25,
      isSegmentStart: false,
      isSegmentEnd: false,
      isIndependent: false,
      hasDiscontinuity: false,
      keySample: null,
      ...part,
    },
    progress: {
      endTicks: 2 ** 40 + 30_031,
      timescaleHz: 90_000,
      soundEndSec: 1.5,
      partTargetMs: 334,
      hasEndedSegment: false,
      hasSetsInBand: false,
      sequenceNumber: 2 ** 32 - 1,
      ...fields.progress,
    },
  };
}

interface DeepPartial extends Omit<Partial<HostedPart>, 'part'> {
  readonly part?: Partial<HostedPart['part']>;
}

function unitOf(bytes: number, fields: Partial<AccessUnit> = {}): AccessUnit {
  const times = { dtsTicks: 2 ** 40 + 0.5, ptsTicks: 2 ** 40 + 3_600, arrivalMonoMs: 1_234.567 };
  return { trackIndex: 1, isKey: false, ...times, data: Buffer.alloc(bytes, bytes % 251), ...fields };
}

/** The bytes as a string: to compare buffers in their thousands takes many seconds. A copy. */
function comparable(unit: AccessUnit): object {
  return { ...unit, data: Buffer.from(unit.data).toString('latin1') };
}

describe('a ring', () => {
  it('passes on units and events in order, byte by byte, around its end', () => {
    const unit = fc.record({
      kind: fc.constant('unit'),
      stream: fc.nat(4),
      bytes: fc.oneof(fc.nat(300), fc.nat(16_000)),
      isKey: fc.boolean(),
    });
    const event = fc.record({ kind: fc.constant('event'), stream: fc.nat(4), sps: fc.uint8Array() });
    const read = fc.record({ kind: fc.constant('read'), limit: fc.nat(20) });
    const steps = fc.array(fc.oneof({ weight: 4, arbitrary: unit }, event, read), { size: 'large' });
    fc.assert(
      fc.property(steps, (taken) => {
        const memory = createRing(RING_BYTES);
        [writer, reader, seen] = [new RingWriter(memory), new RingReader(memory), []];
        const written: Seen[] = [];
        for (const [index, step] of taken.entries()) {
          if ('limit' in step) reader.drain(step.limit, consumer);
          else if ('sps' in step) {
            const value = { sps: [Buffer.from(step.sps)], index };
            if (writer.event(step.stream, value)) written.push({ stream: step.stream, value });
          } else {
            const value = unitOf(step.bytes, { dtsTicks: index, isKey: step.isKey });
            if (writer.unit(step.stream, value))
              written.push({ stream: step.stream, value: comparable(value) });
          }
        }
        while (reader.drain(100, consumer));
        expect(seen).toEqual(written);
      }),
      randomRuns(60),
    );
  });

  it('takes no more units when it is full, but events, and units again when it was read', () => {
    let units = 0;
    while (writer.unit(0, unitOf(1_000))) units++;
    expect(units * 1_000).toBeGreaterThan(RING_BYTES * 0.8);
    expect(writer.event(0, { kind: 'dropped' })).toBe(true);
    let events = 1;
    while (writer.event(0, { kind: 'dropped' })) events++;
    expect(reader.drain(units + events, consumer)).toBe(false);
    expect(seen).toHaveLength(units + events);
    expect(writer.unit(0, unitOf(1_000))).toBe(true);
  });

  it('takes no unit that would fill a large part of it', () => {
    expect(writer.unit(0, unitOf(RING_BYTES / 4))).toBe(false);
    expect(writer.unit(0, unitOf(RING_BYTES / 4 - 48))).toBe(true);
  });

  it('is woken once by what is written while its reader sleeps', () => {
    expect(writer.mustWakeReader()).toBe(false);
    expect(reader.sleep()).toBe(true);
    writer.unit(0, unitOf(1));
    expect([writer.mustWakeReader(), writer.mustWakeReader()]).toEqual([true, false]);
    // There is something to read: it does not fall asleep.
    expect(reader.sleep()).toBe(false);
    expect(writer.mustWakeReader()).toBe(false);
    reader.drain(1, consumer);
    expect(reader.sleep()).toBe(true);
  });

  it('says whether there is more', () => {
    expect(reader.drain(1, consumer)).toBe(false);
    for (let count = 0; count < 3; count++) writer.unit(count, unitOf(0));
    expect(reader.drain(2, consumer)).toBe(true);
    expect(reader.drain(2, consumer)).toBe(false);
    expect(seen.map(({ stream }) => stream)).toEqual([0, 1, 2]);
  });

  it('passes on every number of parts and pulses, and tracks as bytes', () => {
    const keySample = { offsetBytes: 100, sizeBytes: 9_000, epochMs: 0.5 };
    // A Buffer becomes a Uint8Array when it crosses.
    const tracks = { init: new Uint8Array([1, 2]), continuity: 'c' } as unknown as PackagedTracks;
    const flags = ['isSegmentStart', 'isSegmentEnd', 'isIndependent', 'hasDiscontinuity'] as const;
    const parts = [
      ...flags.map((flag) => partOf(10, { part: { [flag]: true } })),
      partOf(20, { tracks, part: { keySample }, bytes: { hold: 1, byteLength: 20, places: [] } }),
      partOf(30, { progress: { ...partOf(0).progress, hasEndedSegment: true } }),
    ];
    const pulse = {
      lastUnitMonoMs: 5.5,
      pictures: 25,
      videoMonoMs: 5.5,
      soundMonoMs: null,
      keyDistanceMs: null,
    };
    const drops = DROP_REASONS.map((_, index) => index);
    const counts = [3, 4].map((id) => [id, { frames: 72, pictures: 25, drops }] as const);
    const pulses = [
      { pulse, clock: null, counts },
      {
        pulse: { ...pulse, videoMonoMs: null, soundMonoMs: 0, keyDistanceMs: 2_000 },
        clock: CLOCK,
        counts: [],
      },
      { pulse, clock: UNKNOWN_CLOCK, counts },
    ];
    for (const part of parts) expect(writer.part(1, part)).toBe(true);
    for (const one of pulses) expect(writer.pulse(2, one)).toBe(true);
    reader.drain(100, consumer);
    expect(seen.map(({ stream }) => stream)).toEqual([...parts.map(() => 1), 2, 2, 2]);
    expect(seen.map(({ value }) => value)).toEqual([...parts, ...pulses]);
  });

  it('holds parts with only so much media that is not read', () => {
    const half = MAX_UNREAD_MEDIA_BYTES / 2;
    expect([1, 2, 3].map((stream) => writer.part(stream, partOf(half)))).toEqual([true, true, false]);
    expect(writer.part(4, partOf(0))).toBe(true);
    reader.drain(1, consumer);
    expect(seen).toEqual([{ stream: 1, value: partOf(half) }]);
    expect(writer.part(5, partOf(half))).toBe(true);
    reader.drain(10, consumer);
    expect(seen.map(({ stream }) => stream)).toEqual([1, 2, 4, 5]);
  });

  it('keeps room for events when parts and pulses no longer fit', () => {
    const pulse = { lastUnitMonoMs: 1, pictures: 1, videoMonoMs: 1, soundMonoMs: 1, keyDistanceMs: 1 };
    let parts = 0;
    while (writer.part(1, partOf(0))) parts++;
    expect(parts).toBeGreaterThan((RING_BYTES / 210) * 0.8);
    while (writer.pulse(1, { pulse, clock: null, counts: [] }));
    expect(writer.event(1, { text: 'x'.repeat(1_000) })).toBe(true);
  });

  it('passes on records of all kinds in order, around its end, and gives all of it back', () => {
    const step = fc.oneof(
      fc.record({ write: fc.constantFrom('part', 'pulse', 'unit', 'event'), stream: fc.nat(4) }),
      fc.record({ limit: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { size: 'large' }), (steps) => {
        const memory = createRing(8_192);
        [writer, reader, seen] = [new RingWriter(memory), new RingReader(memory), []];
        const written: Seen[] = [];
        for (const [index, step] of steps.entries()) {
          if ('limit' in step) reader.drain(step.limit, consumer);
          else {
            const { stream } = step;
            const [isWritten, value] = write(step.write, stream, index);
            if (isWritten) written.push({ stream, value });
          }
        }
        while (reader.drain(100, consumer));
        expect(seen).toEqual(written);
        for (let count = 0; count < 4; count++) {
          expect(writer.event(0, Buffer.alloc(3_000))).toBe(true);
          reader.drain(1, consumer);
        }
      }),
      randomRuns(100),
    );
  });
});

/** Whether there was room, and the record. */
function write(kind: string, stream: number, index: number): [boolean, unknown] {
  const pulse = {
    pulse: { lastUnitMonoMs: index, pictures: 1, videoMonoMs: 1, soundMonoMs: 1, keyDistanceMs: 1 },
    clock: null,
    counts: [],
  };
  const [part, unit, event] = [partOf(index), unitOf(100, { dtsTicks: index }), { index }];
  switch (kind) {
    case 'part':
      return [writer.part(stream, part), part];
    case 'pulse':
      return [writer.pulse(stream, pulse), pulse];
    case 'unit':
      return [writer.unit(stream, unit), comparable(unit)];
    default:
      return [writer.event(stream, event), event];
  }
}
