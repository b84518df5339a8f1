/** What the person may do with a wall. */

import { may } from './session.ts';
import type { Wall } from './wall-list.ts';

/** A wall with cameras that the person may not see can only be watched. */
export function mayChange({ hiddenCameras }: Wall): boolean {
  return may('operator') && hiddenCameras === 0;
}
