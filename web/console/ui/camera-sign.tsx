/** A camera's state in a word, with a dot that repeats it for the eye. */

import { type CameraItem, STATE_NAMES, stateOf } from '../camera-state.ts';
import { TimeAgo, TimeSince } from './time.tsx';

export function CameraSign({ camera }: { readonly camera: CameraItem }) {
  const state = stateOf(camera);
  const sinceMs = camera.connectionDetail?.sinceMs ?? null;
  return (
    <span class={`sign ${state}`}>
      {STATE_NAMES[state]}
      {state === 'offline' && sinceMs !== null && (
        <span class="since">
          {' '}
          for <TimeSince epochMs={sinceMs} />
        </span>
      )}
    </span>
  );
}

/** When the gateway tries again, if it does. */
export function NextTry({ camera }: { readonly camera: CameraItem }) {
  const retryAtMs = camera.connectionDetail?.retryAtMs ?? null;
  if (retryAtMs === null) return null;
  return (
    <>
      Next try <TimeAgo epochMs={retryAtMs} />
    </>
  );
}
