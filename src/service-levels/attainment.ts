/** How far the goals have been attained. */

import { type GoalName, type Goals, targetPercentOf } from './goals.ts';
import type { LevelSums } from './level-sums.ts';

export interface Attainment {
  readonly goal: GoalName;
  /** The share that has to be good, in percent. */
  readonly targetPercent: number;
  /** null: nothing was measured. */
  readonly attainedPercent: number | null;
  /**
   * How much of what may be bad is left, in percent: 100 nothing was bad, 0 used up, below 0 exceeded. null: nothing was
   * measured, or nothing may be bad.
   */
  readonly budgetLeftPercent: number | null;
}

/** The good amount of each figure, and the whole amount. */
export function goodOf(goal: GoalName, sums: LevelSums): { readonly good: number; readonly all: number } {
  switch (goal) {
    case 'firstPicture':
      return { good: sums.goodFirstPictures, all: sums.firstPictures };
    case 'delay':
      return { good: sums.goodDelaySec, all: sums.delaySec };
    case 'stalls':
      return { good: sums.playedSec, all: sums.playedSec + sums.stalledSec };
    case 'errors':
      return { good: sums.requests - sums.failedRequests, all: sums.requests };
  }
}

export function attainmentOf(goal: GoalName, goals: Goals, sums: LevelSums): Attainment {
  const targetPercent = targetPercentOf(goal, goals);
  const { good, all } = goodOf(goal, sums);
  if (all <= 0) return { goal, targetPercent, attainedPercent: null, budgetLeftPercent: null };
  const attainedPercent = (good / all) * 100;
  const allowedBad = (all * (100 - targetPercent)) / 100;
  const budgetLeftPercent = allowedBad <= 0 ? null : (1 - (all - good) / allowedBad) * 100;
  return { goal, targetPercent, attainedPercent, budgetLeftPercent };
}
