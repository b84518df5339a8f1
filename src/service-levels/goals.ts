/** An operator's promises: how often each figure has to be good. */

export const GOAL_NAMES = ['firstPicture', 'delay', 'stalls', 'errors'] as const;
export type GoalName = (typeof GOAL_NAMES)[number];

/** As configured (`serviceLevels` in the configuration reference). Percentages are of good values. */
export interface Goals {
  readonly firstPictureWithinMs: number;
  readonly firstPicturePercent: number;
  readonly delayWithinMs: number;
  readonly delayPercent: number;
  /** The percentage of the time in which video is due. */
  readonly playedPercent: number;
  /** The percentage of requests. */
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
