/** What a viewer of a share sees now, in a word, with a dot that repeats it for the eye. */

import type { SeenState } from '../share-seen.ts';
import { ClockTime } from './clock-time.tsx';
import { TimeAgo } from './time.tsx';

export function SeenSign({ state, isOffline }: { readonly state: SeenState; readonly isOffline: boolean }) {
  const isShown = state.kind === 'visible' || state.kind === 'partly';
  return (
    <>
      <span class={`seen ${isShown && isOffline ? 'offline' : state.kind}`}>{wordOf(state)}</span>
      <small>{isShown && isOffline ? 'Camera offline' : <Until state={state} />}</small>
    </>
  );
}

function wordOf(state: SeenState): string {
  switch (state.kind) {
    case 'visible':
      return 'Visible';
    case 'partly':
      return `${state.shown} of ${state.of} visible`;
    case 'hidden':
      return 'Hidden now';
    case 'expired':
      return 'Ended';
  }
}

function Until({ state }: { readonly state: SeenState }) {
  switch (state.kind) {
    case 'expired':
      return <TimeAgo epochMs={state.sinceMs} />;
    case 'hidden':
      return state.untilMs === null ? 'until it ends' : <UntilTime epochMs={state.untilMs} />;
    case 'partly':
      return state.untilMs === null ? null : <UntilTime epochMs={state.untilMs} />;
    case 'visible':
      return state.why === 'schedule' ? <UntilTime epochMs={state.untilMs!} /> : null;
  }
}

function UntilTime({ epochMs }: { readonly epochMs: number }) {
  return (
    <>
      until <ClockTime epochMs={epochMs} />
    </>
  );
}

/** The same in a sentence, with its reason. `scheduleName` null: none. */
export function SeenSentence({
  state,
  isOffline,
  scheduleName,
}: {
  readonly state: SeenState;
  readonly isOffline: boolean;
  readonly scheduleName: string | null;
}) {
  const schedule = scheduleName === null ? 'a schedule of its cameras' : `the schedule “${scheduleName}”`;
  switch (state.kind) {
    case 'expired':
      return (
        <>
          Ended <TimeAgo epochMs={state.sinceMs} />. The link says so. Extend the share and it works again.
        </>
      );
    case 'hidden':
      return (
        <>
          Hidden now by {schedule}
          {state.untilMs === null ? (
            '. It is not shown again before it ends.'
          ) : (
            <>
              , until <ClockTime epochMs={state.untilMs} />.
            </>
          )}
        </>
      );
    case 'partly':
      return (
        <>
          {state.shown} of {state.of} cameras are visible now because of {schedule}.
        </>
      );
    case 'visible':
      return (
        <>
          Visible now
          {state.untilMs !== null && (
            <>
              , until <ClockTime epochMs={state.untilMs} />
              {state.why === 'schedule' ? ` by ${schedule}` : ', when the share ends'}
            </>
          )}
          .{isOffline && ' But the camera is offline: viewers read that, and see its last picture.'}
        </>
      );
  }
}
