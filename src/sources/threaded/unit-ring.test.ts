import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import type { AccessUnit } from '../../codec/track.ts';
import { createRing, MAX_UNREAD_MEDIA_BYTES, RingReader, RingWriter } from './unit-ring.ts';

const RING_BYTES = 64 * 1_024;

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
  onUnit: (stream: number, unit: AccessUnit) =>
    void seen.push({ stream, value: { ...unit, data: Buffer.from(unit.data) } }),
  onEvent: (stream: number, value: unknown) => void seen.push({ stream, value }),
};

function unitOf(bytes: number, fields: Partial<AccessUnit> = {}): AccessUnit {
  const times = { dtsTicks: 2 ** 40 + 0.5, ptsTicks: 2 ** 40 + 3_600, arrivalMonoMs: 1_234.567 };
  return { trackIndex: 1, isKey: false, ...times, data: Buffer.alloc(bytes, bytes % 251), ...fields };
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
            if (writer.unit(step.stream, value)) written.push({ stream: step.stream, value });
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

  it('holds parts with only so much media that is not read', () => {
    const half = MAX_UNREAD_MEDIA_BYTES / 2;
    expect([1, 2, 3].map((part) => writer.part(part, { part }, half))).toEqual([true, true, false]);
    expect(writer.part(4, { part: 4 }, 0)).toBe(true);
    reader.drain(1, consumer);
    expect(seen).toEqual([{ stream: 1, value: { part: 1 } }]);
    expect(writer.part(5, { part: 5 }, half)).toBe(true);
    reader.drain(10, consumer);
    expect(seen.map(({ stream }) => stream)).toEqual([1, 2, 4, 5]);
  });

  it('keeps room for events when parts no longer fit', () => {
    const part = { text: 'x'.repeat(1_000) };
    let parts = 0;
    while (writer.part(1, part, 0)) parts++;
    expect(parts).toBeGreaterThan((RING_BYTES / 1_100) * 0.8);
    expect(writer.event(1, part)).toBe(true);
  });
});
