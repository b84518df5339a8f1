import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { FakeClock } from '../core/fake-clock.ts';
import type { ActivityChange, ActivityKind } from '../onvif/activity.ts';
import { type ActivitySpan, CameraActivity } from './camera-activity.ts';

let clock: FakeClock;
let told: [string, ActivityKind, number, number][];
let activity: CameraActivity;
const startMs = Date.UTC(2026, 0, 1);

beforeEach(() => {
  clock = new FakeClock(startMs);
  told = [];
  const tell = (what: string) => (span: ActivitySpan) =>
    told.push([what, span.kind, span.fromMs - startMs, span.toMs - startMs]);
  activity = new CameraActivity({ clock, onBegin: tell('begin'), onOngoing: tell('on'), onEnd: tell('end') });
});

const change = (isActive: boolean, more: Partial<ActivityChange> = {}): ActivityChange => ({
  kind: 'motion',
  source: 'a',
  isActive,
  isInitial: false,
  ...more,
});

describe('CameraActivity', () => {
  it('tells the beginning at once, that it goes on, and the end with its length', () => {
    activity.changed(change(true));
    expect(told).toEqual([['begin', 'motion', 0, 0]]);
    clock.advance(11_000);
    activity.changed(change(false));
    clock.advance(20_000);
    expect(told.slice(1)).toEqual([
      ['on', 'motion', 0, 5_000],
      ['on', 'motion', 0, 10_000],
      ['end', 'motion', 0, 11_000],
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is one activity while a camera flaps, and while any of its rules notices it', () => {
    for (let second = 0; second < 30; second += 1) {
      activity.changed(change(second % 2 === 0, { source: second % 3 === 0 ? 'a' : 'b' }));
      clock.advance(1_000);
    }
    activity.changed(change(false));
    activity.changed(change(false, { source: 'b' }));
    clock.advance(30_000);
    expect(told.filter(([what]) => what !== 'on')).toEqual([
      ['begin', 'motion', 0, 0],
      ['end', 'motion', 0, 29_000],
    ]);
  });

  it('tells kinds apart', () => {
    activity.changed(change(true));
    activity.changed(change(true, { kind: 'person' }));
    activity.close();
    expect(told.map(([what, kind]) => `${what} ${kind}`)).toEqual([
      'begin motion',
      'begin person',
      'end motion',
      'end person',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not begin with what a subscription finds, unless it was idle before', () => {
    activity.changed(change(true, { isInitial: true }));
    expect(told).toEqual([]);
    activity.changed(change(false, { isInitial: true }));
    activity.changed(change(true, { isInitial: true }));
    expect(told).toHaveLength(1);
  });

  it('ends what a camera forgets to end, and what the connection cuts off', () => {
    activity.changed(change(true));
    clock.advance(600_000);
    expect(told.at(-1)).toEqual(['end', 'motion', 0, 0]);
    activity.changed(change(true));
    clock.advance(3_000);
    activity.lost();
    clock.advance(30_000);
    expect(told.at(-1)).toEqual(['end', 'motion', 600_000, 603_000]);
  });

  it('begins and ends alternate, whatever a camera reports', () => {
    const kinds = fc.constantFrom<ActivityKind>('motion', 'person', 'tamper');
    const step = fc.record({
      kind: kinds,
      source: fc.string(),
      isActive: fc.boolean(),
      isInitial: fc.boolean(),
    });
    const waits = fc.integer({ min: 0, max: 400_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(step, waits, fc.boolean())), (steps) => {
        const ownClock = new FakeClock(startMs);
        const open = new Set<ActivityKind>();
        const own = new CameraActivity({
          clock: ownClock,
          onBegin: ({ kind }) => {
            expect(open.has(kind)).toBe(false);
            open.add(kind);
          },
          onOngoing: ({ kind }) => expect(open.has(kind)).toBe(true),
          onEnd: ({ kind, fromMs, toMs }) => {
            expect(open.delete(kind)).toBe(true);
            expect(toMs).toBeGreaterThanOrEqual(fromMs);
          },
        });
        for (const [reported, waitMs, isLost] of steps) {
          own.changed(reported);
          ownClock.advance(waitMs);
          if (isLost) own.lost();
        }
        own.close();
        expect([open.size, ownClock.pendingTimers]).toEqual([0, 0]);
      }),
      randomRuns(200),
    );
  });
});
