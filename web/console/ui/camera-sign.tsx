/** A camera's state in a word, with a dot that repeats it for the eye. */

import { type CameraItem, type CameraStateName, STATE_NAMES, shownState } from '../camera-state.ts';
import { tRich } from '../words.ts';
import { TimeSince } from './time.tsx';

export function CameraSign({ camera }: { readonly camera: CameraItem }) {
  const { state = 'not-checked', sinceMs, offlineSinceMs } = camera.connectionDetail ?? {};
  return <StateSign state={state} sinceMs={sinceMs} offlineSinceMs={offlineSinceMs} isBrief />;
}

/**
 * A camera that is offline stays so while the gateway tries it again, and since the first failure. `isBrief`: no duration of other
 * states.
 */
export function StateSign({
  state,
  sinceMs,
  offlineSinceMs,
  isBrief = false,
}: {
  readonly state: CameraStateName;
  readonly sinceMs: number | undefined;
  readonly offlineSinceMs: number | undefined;
  readonly isBrief?: boolean;
}) {
  const shown = shownState({ state, offlineSinceMs });
  const fromMs = shown === 'offline' ? (offlineSinceMs ?? sinceMs) : isBrief ? undefined : sinceMs;
  return (
    <span class={`sign ${shown}`}>
      {STATE_NAMES[shown]}
      {fromMs !== undefined && (
        <span class="since"> {tRich('for {time}', { time: <TimeSince epochMs={fromMs} /> })}</span>
      )}
    </span>
  );
}
