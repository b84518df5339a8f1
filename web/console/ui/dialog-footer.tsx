/** The buttons at the end of a dialog, on one side and in one order everywhere: the way back, then the deed. Others stand on the left. */

import type { ComponentChildren } from 'preact';
import { t } from '../words.ts';

export function DialogFooter({
  back = t('Cancel'),
  onBack,
  others,
  children,
}: {
  /** On the button that leaves without the deed, such as "Close". */
  readonly back?: string;
  /** Absent: the deed is the only way on. */
  readonly onBack?: () => void;
  readonly others?: ComponentChildren;
  /** The deed, such as a button that submits the form. Absent: leaving is all that there is to do. */
  readonly children?: ComponentChildren;
}) {
  return (
    <footer class="dialog-footer">
      {Boolean(others) && <div class="others">{others}</div>}
      {onBack !== undefined && (
        <button type="button" onClick={onBack}>
          {back}
        </button>
      )}
      {children}
    </footer>
  );
}

/** The deed of a dialog with a form; Enter in a field does the same. */
export function SubmitButton({
  text,
  isBusy = false,
  isDanger = false,
  isReady = true,
}: {
  /** Names the deed, such as "End share". */
  readonly text: string;
  readonly isBusy?: boolean;
  /** It destroys something. */
  readonly isDanger?: boolean;
  readonly isReady?: boolean;
}) {
  return (
    <button type="submit" class={isDanger ? 'primary bad' : 'primary'} disabled={isBusy || !isReady}>
      {isBusy ? t('One moment…') : text}
    </button>
  );
}
