/** The recordings of the whole gateway: how long they stay, and how much they are. */

import { bytesText, type SystemState } from '../gateway-state.ts';
import { allStayText, diskText } from '../retention-words.ts';
import { t } from '../words.ts';
import { Facts } from './facts.tsx';

export function RecordingsPart({ recorder }: { readonly recorder: SystemState['recorder'] }) {
  const { forecast, use, activeStreams } = recorder;
  return (
    <section class="part">
      <h2>{t('Recordings')}</h2>
      {forecast === undefined ? (
        <p>
          {activeStreams > 0
            ? t('How long recordings are kept is shown here after a while of recording.')
            : t('No camera was recorded in the last day.')}
        </p>
      ) : (
        <p>
          <b>{allStayText(forecast)}</b> {diskText(forecast)}
        </p>
      )}
      <Facts
        facts={[
          [t('Recorded per day'), forecast === undefined ? null : bytesText(forecast.bytesPerDay)],
          [t('Stored now'), use === undefined ? null : bytesText(use.recordedBytes)],
          [
            t('Kept by legal holds'),
            use === undefined || use.heldBytes === 0 ? null : bytesText(use.heldBytes),
          ],
        ]}
      />
    </section>
  );
}
