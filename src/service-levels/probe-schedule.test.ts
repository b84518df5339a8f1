/** When which share is played, and what happens to runs whose process ends. */

import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { LevelBooks, MAX_PROBED_SHARES } from './level-books.ts';
import { type KnownShare, stateOf } from './level-view.ts';
import { NOTHING_MEASURED } from './measurement.ts';
import type { ProbeChild } from './probe-process-link.ts';
import type { ProbeOrder, RunResult } from './probe-protocol.ts';
import { type ChosenShare, ProbeSchedule } from './probe-schedule.ts';

const EVERY_MS = 300_000;
const ORG_UUID = newRuuid();
const GOALS = {
  firstPictureWithinMs: 1_500,
  firstPicturePercent: 99,
  delayWithinMs: 3_000,
  delayPercent: 99,
  playedPercent: 99.9,
  answeredPercent: 99.9,
};
const NO_RESULT = { ...NOTHING_MEASURED, protocol: null };
const PLAYED: RunResult = {
  ...NOTHING_MEASURED,
  protocol: 'h2',
  outcome: 'played',
  reason: null,
  firstPictureMs: 700,
  playedMs: 30_000,
};
const HIDDEN: RunResult = { ...NO_RESULT, outcome: 'refused', reason: 'hidden-by-schedule' };

class FakeProcess extends EventEmitter {
  readonly pid: number | undefined = 4_711;
  readonly orders: ProbeOrder[] = [];
  isKilled = false;

  send(order: ProbeOrder): boolean {
    this.orders.push(order);
    return true;
  }

  kill(): boolean {
    this.isKilled = true;
    return true;
  }

  alive(): void {
    this.emit('message', { kind: 'alive' });
  }

  done(result: RunResult, { id } = this.orders.at(-1)!): void {
    this.emit('message', { kind: 'done', id, result });
  }
}

let clock: FakeClock;
let books: LevelBooks;
let schedule: ProbeSchedule;
let processes: FakeProcess[];
let launch: () => FakeProcess;
let warnings: object[];
const gone = new Set<Ruuid>();
beforeEach(() => {
  clock = new FakeClock();
  books = new LevelBooks(clock, GOALS);
  [processes, warnings] = [[], []];
  launch = () => new FakeProcess();
  gone.clear();
  schedule = new ProbeSchedule({
    clock,
    books,
    plan: { everyMs: EVERY_MS, playMs: 30_000 },
    log: { ...silentLog, warn: (fields, message) => void warnings.push({ ...fields, message }) },
    launch: () => {
      const child = launch();
      processes.push(child);
      return child as unknown as ProbeChild;
    },
    target: (shareUuid) =>
      gone.has(shareUuid)
        ? null
        : {
            pageUrl: 'http://a/share/b',
            playlistUrl: `http://a/live/${shareUuid}/index.m3u8`,
            isLocal: true,
            isCold: false,
          },
  });
});

const share = (): ChosenShare => ({ shareUuid: newRuuid(), orgUuid: ORG_UUID, name: 'Front desk' });
const newest = () => processes.at(-1)!;

describe('the schedule', () => {
  it('starts a process with the first share and ends it with the last', () => {
    schedule.choose([]);
    expect([processes.length, schedule.process.state]).toEqual([0, 'off']);
    schedule.choose([share()]);
    newest().alive();
    expect(schedule.process).toMatchObject({ state: 'running', starts: 1, pid: 4_711 });
    schedule.choose([]);
    expect([newest().isKilled, schedule.process.state]).toEqual([true, 'off']);
  });

  it('plays a share at once and then at its interval, one run at a time', () => {
    schedule.choose([share()]);
    newest().alive();
    expect(newest().orders).toHaveLength(1);
    newest().done(PLAYED);
    clock.advance(EVERY_MS - 1);
    newest().alive();
    expect(newest().orders).toHaveLength(1);
    clock.advance(1);
    expect(newest().orders).toHaveLength(2);
  });

  it('spreads shares, and plays no more than it may', () => {
    schedule.choose(Array.from({ length: MAX_PROBED_SHARES + 5 }, share));
    newest().alive();
    expect(newest().orders).toHaveLength(1);
    for (let ms = 0; ms < EVERY_MS; ms += 1_000) {
      clock.advance(1_000);
      for (const order of newest().orders) newest().done(PLAYED, order);
      newest().alive();
    }
    const played = new Set(newest().orders.map(({ playlistUrl }) => playlistUrl));
    expect(played.size).toBe(MAX_PROBED_SHARES);
  });

  it('counts what played, and not that a share is hidden', () => {
    const chosen = share();
    schedule.choose([chosen]);
    newest().alive();
    newest().done(HIDDEN);
    expect(books.of('probe', chosen.shareUuid)).toBeNull();
    clock.advance(EVERY_MS);
    newest().done(PLAYED);
    expect(books.of('probe', chosen.shareUuid)?.total.measurements).toBe(1);
    expect(schedule.shares()[0]).toMatchObject({ endings: { played: 1, refused: 1 }, isRunning: false });
    schedule.choose([]);
    expect(books.of('probe', chosen.shareUuid)).toBeNull();
  });

  it('waits for a share that is gone, without a run', () => {
    const chosen = share();
    gone.add(chosen.shareUuid);
    schedule.choose([chosen]);
    newest().alive();
    expect(newest().orders).toEqual([]);
    expect(schedule.shares()[0]?.isRunning).toBe(false);
  });
});

describe('the process', () => {
  it('is replaced when it ends, after pauses that grow, and the run is repeated', () => {
    schedule.choose([share()]);
    newest().alive();
    for (const pauseMs of [1_000, 2_000, 4_000]) {
      const before = processes.length;
      newest().emit('exit', 1, null);
      expect(schedule.process.state).toBe('waiting');
      clock.advance(pauseMs - 1);
      expect(processes).toHaveLength(before);
      clock.advance(1);
      expect(processes).toHaveLength(before + 1);
      newest().alive();
      expect(newest().orders).toHaveLength(1);
    }
    expect(schedule.shares()[0]?.endings.lost).toBe(3);
    expect(books.overall('probe').total.measurements).toBe(0);
  });

  it.each([
    [
      'cannot be spawned',
      (error: Error) => {
        const child: FakeProcess = Object.assign(new FakeProcess(), { pid: undefined });
        queueMicrotask(() => child.emit('error', error));
        return child;
      },
    ],
    [
      'cannot be launched',
      (error: Error) => {
        throw error;
      },
    ],
  ])('that %s is started again, after pauses that grow', async (_what, failing) => {
    const error = new Error('spawn EAGAIN');
    launch = () => failing(error);
    schedule.choose([share()]);
    for (const pauseMs of [1_000, 2_000]) {
      await Promise.resolve();
      expect(schedule.process.state).toBe('waiting');
      expect(warnings.at(-1)).toMatchObject({
        message: 'synthetic viewer failed to start',
        restartInMs: pauseMs,
        err: { cause: error },
      });
      clock.advance(pauseMs);
    }
    launch = () => new FakeProcess();
    await Promise.resolve();
    clock.advance(4_000);
    newest().alive();
    expect(schedule.process).toMatchObject({ state: 'running', starts: 4 });
    expect(newest().orders).toHaveLength(1);
  });

  it('is killed when it says nothing', () => {
    schedule.choose([share()]);
    newest().alive();
    clock.advance(29_999);
    expect(newest().isKilled).toBe(false);
    clock.advance(1);
    expect(newest().isKilled).toBe(true);
  });

  it('loses a run that does not come back, or breaks, and plays the share again at its time', () => {
    schedule.choose([share()]);
    newest().alive();
    const [first] = newest().orders;
    newest().emit('message', { kind: 'broken', id: first!.id, message: 'TypeError' });
    expect(schedule.shares()[0]).toMatchObject({ isRunning: false, endings: { lost: 1 } });
    expect(newest().orders).toHaveLength(1);
    newest().done(PLAYED, first);
    expect(schedule.shares()[0]?.endings.played).toBe(0);
  });
});

describe('the state of a share', () => {
  const known = (refusal: string | null): KnownShare => ({
    orgUuid: ORG_UUID,
    name: 'Front desk',
    cameraUuid: newRuuid(),
    refusal,
  });
  const seen = (...results: readonly RunResult[]) => ({
    runs: results.map((result) => ({ ...result, startedAtEpochMs: 0, isCold: false })),
  });

  it.each([
    ['revoked', seen(PLAYED), null],
    ['hidden', seen(PLAYED), known('hidden-by-schedule')],
    ['expired', seen(PLAYED), known('expired')],
    ['waiting', seen(), known(null)],
    ['waiting', seen(HIDDEN, PLAYED), known(null)],
    ['measured', seen(PLAYED, HIDDEN), known(null)],
    ['refused', seen({ ...HIDDEN, reason: 'viewer-ended' }), known(null)],
    ['camera-offline', seen({ ...NO_RESULT, outcome: 'camera-offline', reason: null }), known(null)],
    ['failing', seen({ ...NO_RESULT, outcome: 'failed', reason: 'connect' }), known(null)],
  ] as const)('is %s', (state, probed, view) => expect(stateOf(probed, view).state).toBe(state));
});
