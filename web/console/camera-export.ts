/** All cameras as a file for spreadsheets, without their logins. */

import { readChoices } from './camera-adding.ts';
import { listCameras } from './camera-state.ts';
import { gatewayNowMs } from './gateway-clock.ts';
import { saveFile } from './ui/file-download.ts';

/** Fails with a CallError. */
export async function exportCameras(): Promise<void> {
  // Few people export, and everyone opens the page that has the button.
  const { csvOfCameras, readKnown } = await import('./camera-csv.ts');
  const { signal } = new AbortController();
  const [known, { locations, nvrs }] = await Promise.all([
    listCameras(signal).then((cameras) => readKnown(cameras, signal)),
    readChoices(signal),
  ]);
  const text = csvOfCameras({ cameras: known, sites: locations, nvrs });
  saveFile(`cameras-${new Date(gatewayNowMs()).toISOString().slice(0, 10)}.csv`, 'text/csv', text);
}
