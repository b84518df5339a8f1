/** What the log says when the audio of a camera changes. */

import type { SoundStateName } from './sound-state.ts';

const SOUND_MESSAGES: Readonly<Record<SoundStateName, string | null>> = {
  unknown: null,
  none: null,
  live: 'camera audio live',
  silent: 'camera audio silent',
  waiting: 'camera audio waiting for a worker',
  unsupported: 'camera audio unsupported',
};

/** null: nothing to report. */
export function soundMessage(state: SoundStateName): string | null {
  return SOUND_MESSAGES[state];
}
