/** Opens a camera that is offline once, now, and says what came of it. For administrators, as every check of a camera. */

import { canTry } from '../camera-repair.ts';
import { FAULT_TITLES } from '../fault-words.ts';
import { may } from '../session.ts';
import { t } from '../words.ts';
import { useProbe } from './use-probe.ts';

export function TryAgain({
  camera: { uuid, name },
  code,
  onTried,
}: {
  readonly camera: { readonly uuid: string; readonly name: string };
  /** Why it is offline. */
  readonly code: string | undefined;
  /** Default: the page learns by itself what came of it. */
  readonly onTried?: () => void;
}) {
  const { state, start } = useProbe();
  if (!may('admin') || !canTry(code)) return null;
  const isBusy = state.kind === 'running';
  return (
    <>
      <button
        type="button"
        aria-label={t('{name}: Try again', { name })}
        aria-busy={isBusy}
        disabled={isBusy}
        onClick={() =>
          void start({ cameraUuid: uuid, withSnapshot: false, isBrief: true }).then(() => onTried?.())
        }
      >
        {isBusy ? t('Trying…') : t('Try again')}
      </button>
      <span class="tried" role="status">
        {state.kind === 'failed' && state.error.message}
        {state.kind === 'done' && outcomeText(state.report.main)}
      </span>
    </>
  );
}

function outcomeText({
  works,
  errorReason,
}: {
  readonly works: boolean;
  readonly errorReason?: keyof typeof FAULT_TITLES;
}): string {
  if (works) return t('It responds again.');
  return t('Tried just now: {reason}.', {
    reason: errorReason === undefined ? t('The camera does not respond') : FAULT_TITLES[errorReason],
  });
}
