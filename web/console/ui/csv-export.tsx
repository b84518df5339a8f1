/** Saves all cameras as a file for spreadsheets, without their logins. */

import { exportCameras } from '../camera-export.ts';
import { t } from '../words.ts';
import { FormError } from './form-error.tsx';
import { useAction } from './use-action.ts';

export function CsvExport() {
  const { isBusy, error, run } = useAction();
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void run(exportCameras)}>
        {isBusy ? t('Reading…') : t('Export CSV')}
      </button>
      <FormError error={error} />
    </>
  );
}
