import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { type StreamGap, TakenCameras } from './taken-cameras.ts';

const camera = newRuuid();
const cut = (gapMs: StreamGap['gapMs'], by: StreamGap['by'] = 'clock'): StreamGap => ({
  by,
  gapMs,
  intervalMs: 40,
});

describe('a camera that was handed over', () => {
  let clock: FakeClock;
  let lines: unknown[];
  let taken: TakenCameras;

  beforeEach(() => {
    clock = new FakeClock();
    lines = [];
    const log: Log = {
      ...silentLog,
      info: (fields, message) => void lines.push([message, fields]),
      warn: (fields, message) => void lines.push([message, fields]),
    };
    taken = new TakenCameras(clock, log);
  });

  it('counts as without a gap if less than half a picture is missing', () => {
    taken.stream(camera, 'a', 'main', cut(0, 'frame'));
    taken.stream(camera, 'a', 'sub', cut(-19));
    expect(taken.counts.handovers).toBe(0);
    taken.taken(camera);
    expect(taken.counts).toEqual({ handovers: 1, gaps: 0, gapMs: 0 });
    expect(lines).toEqual([['camera taken over without a gap', { camera, from: 'a' }]]);
  });

  it('says how long each gap is, and counts the longest', () => {
    taken.stream(camera, 'a', 'main', cut(400));
    taken.stream(camera, 'a', 'sub', cut(81.4));
    taken.taken(camera);
    expect(taken.counts).toEqual({ handovers: 1, gaps: 1, gapMs: 400 });
    const fields = { camera, from: 'a', by: 'clock' };
    expect(lines).toEqual([
      ['camera taken over with a gap', { ...fields, profile: 'main', gapMs: 400, frames: 10 }],
      ['camera taken over with a gap', { ...fields, profile: 'sub', gapMs: 81, frames: 2 }],
    ]);
  });

  it('counts once it is known where this node begins', () => {
    taken.stream(camera, 'a', 'main', cut(undefined, 'limit'));
    taken.taken(camera);
    expect(lines).toEqual([]);
    taken.stream(camera, 'a', 'main', cut(1_200, 'limit'));
    expect(taken.counts).toEqual({ handovers: 1, gaps: 1, gapMs: 1_200 });
  });

  it('counts a gap whose length is unknown', () => {
    taken.stream(camera, 'a', 'main', cut(null, 'limit'));
    taken.taken(camera);
    expect(taken.counts).toEqual({ handovers: 1, gaps: 1, gapMs: 0 });
    expect(lines).toEqual([
      [
        'camera taken over with a gap',
        { camera, from: 'a', by: 'limit', profile: 'main', gapMs: null, frames: null },
      ],
    ]);
  });

  it('counts a stream that was not cut with its first picture here', () => {
    taken.uncut(camera, 'a', ['main']);
    clock.advance(2_400);
    taken.begun(camera, 'main');
    clock.advance(9_900);
    taken.begun(camera, 'main');
    expect(taken.counts).toEqual({ handovers: 1, gaps: 1, gapMs: 2_400 });
  });

  it('counts nothing if it stays where it was, if no picture comes, or if it was not handed over', () => {
    taken.stream(camera, 'a', 'main', cut(0));
    taken.forget(camera);
    taken.taken(camera);
    taken.begun(camera, 'main');
    taken.uncut(camera, 'a', ['main']);
    clock.advance(30_000);
    taken.begun(camera, 'main');
    expect([taken.counts.handovers, lines, clock.pendingTimers]).toEqual([0, [], 0]);
  });
});
