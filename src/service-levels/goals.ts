/** What an operator promises: how often each figure has to be good. */

export const GOAL_NAMES = ['firstPicture', 'delay', 'stalls', 'errors'] as const;
export type GoalName = (typeof GOAL_NAMES)[number];

/** As configured (`serviceLevels` in the configuration reference). Percentages are of what is good. */
export interface Goals {
  readonly firstPictureWithinMs: number;
  readonly firstPicturePercent: number;
  readonly delayWithinMs: number;
  readonly delayPercent: number;
  /** Of the time in which pictures are due. */
  readonly playedPercent: number;
  /** Of requests. */
  readonly answeredPercent: number;
}

export function targetPercentOf(goal: GoalName, goals: Goals): number {
  switch (goal) {
    case 'firstPicture':
      return goals.firstPicturePercent;
    case 'delay':
      return goals.delayPercent;
    case 'stalls':
      return goals.playedPercent;
    case 'errors':
      return goals.answeredPercent;
  }
}
