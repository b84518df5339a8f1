import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LEAVE_MS, leaveCluster, NOTICE_MS, STOP_DRAIN_MS } from './leave-cluster.ts';

/** A node that hands its cameras over when a test says so. It records its actions with their times. */
class Bench {
  readonly clock = new FakeClock();
  readonly steps: [what: string, atMs: number][] = [];
  readonly #drained = Promise.withResolvers<void>();
  hasHeirs = true;

  begin(): void {
    const { clock } = this;
    const cluster = {
      drain: (limitMs: number) => {
        this.#note('drain');
        clock.after(limitMs, () => this.#drained.resolve());
        return this.#drained.promise;
      },
      get hasHeirs() {
        return bench.hasHeirs;
      },
    };
    const leaveConnections = (): void => this.#note('connections');
    void leaveCluster({ cluster, clock, leaveConnections }).then(() => this.#note('over'));
  }

  camerasGiven(): Promise<void> {
    this.#drained.resolve();
    return settle();
  }

  /** Moves on by that much, in small steps: promises take their turn in between. */
  async pass(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += 50) {
      this.clock.advance(50);
      await settle();
    }
  }

  #note(what: string): void {
    this.steps.push([what, this.clock.monoMs()]);
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
  bench.begin();
});

describe('a node that leaves', () => {
  it('answers for as long as load balancers need, then ends connections with their next response', async () => {
    await bench.pass(1_000);
    await bench.camerasGiven();
    await bench.pass(STOP_DRAIN_MS);
    expect(bench.steps).toEqual([
      ['drain', 0],
      ['connections', NOTICE_MS],
      ['over', NOTICE_MS + LEAVE_MS],
    ]);
  });

  it('does not wait any longer if its cameras have taken that long', async () => {
    await bench.pass(NOTICE_MS + 500);
    await bench.camerasGiven();
    await bench.pass(STOP_DRAIN_MS);
    expect(bench.steps.slice(1)).toEqual([
      ['connections', NOTICE_MS + 500],
      ['over', NOTICE_MS + 500 + LEAVE_MS],
    ]);
  });

  it('leaves time for requests, however long cameras take', async () => {
    await bench.pass(STOP_DRAIN_MS);
    expect(bench.steps.slice(1)).toEqual([
      ['connections', STOP_DRAIN_MS - LEAVE_MS],
      ['over', STOP_DRAIN_MS],
    ]);
  });

  it('waits for no one if no other node stays', async () => {
    await bench.camerasGiven();
    await bench.pass(1_000);
    bench.hasHeirs = false;
    await bench.pass(250);
    expect(bench.steps.slice(1)).toEqual([['over', 1_250]]);
  });
});
