import { beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import {
  MAX_PAST_BYTES,
  MAX_PAST_BYTES_PER_LINK,
  MAX_PAST_BYTES_PER_VIEWER,
  MAX_PAST_REQUESTS,
  MAX_PAST_REQUESTS_PER_LINK,
  MAX_PAST_REQUESTS_PER_VIEWER,
  PastBudget,
} from './past-budget.ts';

const BUSY = expect.objectContaining({ code: 'TOO_MANY_PAST_READS' });
const MIB = 1_048_576;

let budget: PastBudget;

beforeEach(() => {
  budget = new PastBudget();
});

/** Another viewer. */
function viewer(audienceUuid: Ruuid, wallShareUuid: Ruuid | null = null) {
  return { audienceUuid, wallShareUuid };
}

describe('what is read of the past', () => {
  it('is bounded for all viewers of one link, whatever they open, and leaves room for others', () => {
    const share = newRuuid();
    for (let i = 0; i < MAX_PAST_BYTES_PER_LINK / MIB; i++) budget.take(viewer(share), MIB);
    expect(() => budget.take(viewer(share), MIB)).toThrow(BUSY);
    budget.take(viewer(newRuuid()), MIB);
    for (let i = 0; i < MAX_PAST_REQUESTS_PER_LINK; i++) budget.enter(viewer(share));
    expect(() => budget.enter(viewer(share))).toThrow(BUSY);
    budget.enter(viewer(newRuuid()));
    expect(budget.refused).toBe(2);
  });

  it('counts the cameras of a wall together', () => {
    const wall = newRuuid();
    for (let i = 0; i < MAX_PAST_REQUESTS_PER_LINK; i++) budget.enter(viewer(newRuuid(), wall));
    expect(() => budget.enter(viewer(newRuuid(), wall))).toThrow(BUSY);
  });

  it('is bounded for one viewer and for all', () => {
    const one = viewer(newRuuid());
    for (let i = 0; i < MAX_PAST_REQUESTS_PER_VIEWER; i++) budget.enter(one);
    expect(() => budget.enter(one)).toThrow(BUSY);
    for (let i = MAX_PAST_REQUESTS_PER_VIEWER; i < MAX_PAST_REQUESTS; i++) budget.enter(viewer(newRuuid()));
    expect(() => budget.enter(viewer(newRuuid()))).toThrow(BUSY);
    budget.take(one, MAX_PAST_BYTES_PER_VIEWER);
    expect(() => budget.take(one, 1)).toThrow(BUSY);
    budget.take(viewer(newRuuid()), MAX_PAST_BYTES - MAX_PAST_BYTES_PER_VIEWER);
    expect(() => budget.take(viewer(newRuuid()), 1)).toThrow(BUSY);
  });

  it('is given back once', () => {
    const one = viewer(newRuuid());
    const leave = budget.enter(one);
    const giveBack = budget.take(one, MAX_PAST_BYTES_PER_VIEWER);
    for (let i = 0; i < 2; i++) {
      leave();
      giveBack();
    }
    expect([budget.requests, budget.bytes]).toEqual([0, 0]);
    budget.take(one, MAX_PAST_BYTES_PER_VIEWER);
    expect(() => budget.take(one, 1)).toThrow(BUSY);
  });
});
