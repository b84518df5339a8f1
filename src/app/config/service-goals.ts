/** The goals of the service levels, as configured. */

import type { Goals } from '../../service-levels/goals.ts';
import type { Config } from './schema.ts';

const ALL_PERCENT = 100;

export function goalsOf(settings: Config['serviceLevels']): Goals {
  return {
    firstPictureWithinMs: settings.firstPictureWithinMs,
    firstPicturePercent: settings.firstPictureGoal,
    delayWithinMs: settings.delayWithinMs,
    delayPercent: settings.delayGoal,
    playedPercent: ALL_PERCENT - settings.stallsAtMost,
    answeredPercent: ALL_PERCENT - settings.errorsAtMost,
  };
}
