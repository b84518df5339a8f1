import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { PastBudget } from './past-budget.ts';

const BUSY = expect.objectContaining({ code: 'TOO_MANY_PAST_READS' });
const MIB = 1_048_576;

let budget: PastBudget;

beforeEach(() => {
  budget = new PastBudget();
});

/** Another viewer. */
function viewer(audienceUuid: Ruuid, orgUuid: Ruuid, wallShareUuid: Ruuid | null = null) {
  return { audienceUuid, wallShareUuid, orgUuid, grantText: newRuuid() };
}

/** Requests that one viewer after another begins, until one is refused. */
function enterAll(nextViewer: () => ReturnType<typeof viewer>): number {
  for (let count = 0; ; count++) {
    try {
      budget.enter(nextViewer());
    } catch (error) {
      expect(error).toEqual(BUSY);
      return count;
    }
  }
}

describe('reading the past', () => {
  it('is bounded for all viewers of one organization, whatever links they open', () => {
    const [greedy, modest] = [newRuuid(), newRuuid()];
    expect(enterAll(() => viewer(newRuuid(), greedy))).toBe((LIMITS.pastRequests.total * 3) / 4);
    for (let taken = 0; taken < (LIMITS.pastBytes.total * 3) / 4; taken += 32 * MIB) {
      budget.take(viewer(newRuuid(), greedy), 32 * MIB);
    }
    expect(() => budget.take(viewer(newRuuid(), greedy), 64 * MIB)).toThrow(BUSY);
    const link = newRuuid();
    for (let index = 0; index < 100; index++) {
      budget.enter(viewer(link, modest));
      budget.take(viewer(link, modest), MIB / 2);
    }
  });

  it('is bounded for all viewers of one link, and of all cameras of one wall', () => {
    const [org, share, wall] = [newRuuid(), newRuuid(), newRuuid()];
    const ofOneLink = LIMITS.pastRequests.total / 2;
    expect(enterAll(() => viewer(share, org))).toBe(ofOneLink);
    expect(enterAll(() => viewer(newRuuid(), org, wall))).toBe(Math.floor(ofOneLink / 3));
    budget.enter(viewer(newRuuid(), org));
  });

  it('is bounded for one viewer', () => {
    const one = viewer(newRuuid(), newRuuid());
    const { requests, bytes } = {
      requests: LIMITS.pastRequests.levels.viewer.max,
      bytes: LIMITS.pastBytes.levels.viewer.max,
    };
    expect(enterAll(() => one)).toBe(requests);
    budget.take(one, bytes);
    expect(() => budget.take(one, 1)).toThrow(BUSY);
    expect(budget.refused).toBe(2);
  });

  it('gives back once', () => {
    const one = viewer(newRuuid(), newRuuid());
    const leave = budget.enter(one);
    const giveBack = budget.take(one, LIMITS.pastBytes.levels.viewer.max);
    for (let i = 0; i < 2; i++) {
      leave();
      giveBack();
    }
    expect([budget.requests, budget.bytes]).toEqual([0, 0]);
    budget.take(one, LIMITS.pastBytes.levels.viewer.max);
    expect(() => budget.take(one, 1)).toThrow(BUSY);
  });
});
