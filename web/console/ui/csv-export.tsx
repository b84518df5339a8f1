/** Saves all cameras as a file for spreadsheets, without their logins. */

import { readChoices } from '../camera-adding.ts';
import { listCameras } from '../camera-state.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { t } from '../words.ts';
import { saveFile } from './file-download.ts';
import { FormError } from './form-error.tsx';
import { useAction } from './use-action.ts';

export function CsvExport() {
  const { isBusy, error, run } = useAction();
  const save = () =>
    void run(async () => {
      // Few people export, and everyone opens the page that has the button.
      const { csvOfCameras, readKnown } = await import('../camera-csv.ts');
      const { signal } = new AbortController();
      const [known, { locations, nvrs }] = await Promise.all([
        listCameras(signal).then((cameras) => readKnown(cameras, signal)),
        readChoices(signal),
      ]);
      const text = csvOfCameras({ cameras: known, sites: locations, nvrs });
      saveFile(`cameras-${new Date(gatewayNowMs()).toISOString().slice(0, 10)}.csv`, 'text/csv', text);
    });
  return (
    <>
      <button type="button" disabled={isBusy} onClick={save}>
        {isBusy ? t('Reading…') : t('Export CSV')}
      </button>
      <FormError error={error} />
    </>
  );
}
