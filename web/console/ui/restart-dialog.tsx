/** Asks before the gateway restarts, waits for it, and loads the page again. */

import { restartGateway } from '../gateway-restart.ts';
import { t } from '../words.ts';
import { FormDialog } from './form-dialog.tsx';

export function RestartDialog({
  onUnseen,
  onClose,
}: {
  /** It did not respond at this address again. */
  readonly onUnseen: () => void;
  readonly onClose: () => void;
}) {
  return (
    <FormDialog
      title={t('Restart the gateway?')}
      submit={t('Restart now')}
      onSubmit={async () => {
        const outcome = await restartGateway();
        // The page's policy names the addresses of before.
        if (outcome === 'started') location.reload();
        else onUnseen();
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        {t(
          'Everyone who watches is cut off for some seconds; their players try again. Recordings have a gap. In a cluster, only this node restarts.',
        )}
      </p>
    </FormDialog>
  );
}
