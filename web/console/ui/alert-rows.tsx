/** Alerts as rows with what the camera showed. */

import { useEffect, useState } from 'preact/hooks';
import {
  alertTitle,
  mayHaveImage,
  type NamedDevices,
  type PolicyAlert,
  readAlertImage,
  triggerText,
} from '../alerts.ts';
import { takeTurn } from '../few-at-once.ts';
import { duration, TimeAgo } from './time.tsx';
import { useNarrow } from './use-narrow.ts';
import { VirtualRows } from './virtual-rows.tsx';

const WIDE_ROW_PX = 108;
const NARROW_ROW_PX = 148;

export function AlertRows({
  alerts,
  names,
  locationNames,
  arrived,
  save,
}: {
  readonly alerts: readonly PolicyAlert[];
  readonly names: NamedDevices;
  readonly locationNames: ReadonlyMap<string, string>;
  /** UUIDs of those that came while the page is open. */
  readonly arrived: ReadonlySet<string>;
  /** Null: the person cannot save alerts. */
  readonly save: ((alert: PolicyAlert) => void) | null;
}) {
  const isNarrow = useNarrow();
  return (
    <div class="alerts">
      <VirtualRows
        count={alerts.length}
        rowPx={isNarrow ? NARROW_ROW_PX : WIDE_ROW_PX}
        role="list"
        render={(index) => {
          const alert = alerts[index]!;
          return (
            <AlertRow
              key={alert.uuid}
              alert={alert}
              device={names.deviceNames.get(alert.deviceUuid) ?? null}
              isCamera={names.cameraUuids.has(alert.deviceUuid)}
              place={locationNames.get(alert.locationUuid ?? '') ?? null}
              isNew={arrived.has(alert.uuid)}
              save={save}
            />
          );
        }}
      />
    </div>
  );
}

function AlertRow({
  alert,
  device,
  isCamera,
  place,
  isNew,
  save,
}: {
  readonly alert: PolicyAlert;
  readonly device: string | null;
  readonly isCamera: boolean;
  readonly place: string | null;
  readonly isNew: boolean;
  readonly save: ((alert: PolicyAlert) => void) | null;
}) {
  const title = alertTitle(alert);
  const saveText = alert.saved ? 'Change note' : 'Save with a note';
  const { durationSec, policyAlertTriggers = [], textDescription = '' } = alert;
  return (
    <div class={isNew ? 'alert new' : 'alert'} role="listitem" aria-label={title}>
      <AlertImage alert={alert} isCamera={isCamera} />
      <div class="alert-text">
        <h2 title={title}>
          {isNew && <span class="badge new">New</span>}
          {title}
        </h2>
        <p>{[device ?? 'A device that was removed', place].filter((part) => part !== null).join(' · ')}</p>
        <p>
          <TimeAgo epochMs={alert.timestampMs} />
          {durationSec !== undefined && ` · lasted ${duration(durationSec)}`}
          {alert.clipLocation !== undefined && ' · has a clip'}
          {textDescription !== '' && policyAlertTriggers.length > 0 && (
            <span class="triggers"> · {policyAlertTriggers.map(triggerText).join(', ')}</span>
          )}
        </p>
      </div>
      <div class="alert-actions">
        {alert.saved && <span class="badge">Saved</span>}
        {save !== null && (
          <button type="button" onClick={() => save(alert)} aria-label={`${saveText}: ${title}`}>
            {saveText}
          </button>
        )}
      </div>
    </div>
  );
}

type Shown = { readonly kind: 'loading' | 'none' } | { readonly kind: 'image'; readonly data: string };

function AlertImage({ alert, isCamera }: { readonly alert: PolicyAlert; readonly isCamera: boolean }) {
  const [shown, setShown] = useState<Shown>({ kind: 'loading' });
  const isThere = isCamera && mayHaveImage(alert, Date.now());
  useEffect(() => {
    if (!isThere) {
      setShown({ kind: 'none' });
      return;
    }
    const left = new AbortController();
    takeTurn(left.signal, () => readAlertImage(alert, left.signal)).then(
      (data) => setShown({ kind: 'image', data }),
      () => {
        if (!left.signal.aborted) setShown({ kind: 'none' });
      },
    );
    return () => left.abort();
  }, [alert.uuid, isThere, alert.clipLocation === undefined]);
  if (shown.kind === 'image') {
    return (
      <div class="picture">
        <img src={`data:image/jpeg;base64,${shown.data}`} alt="" decoding="async" />
      </div>
    );
  }
  return (
    <div class="picture empty">
      <p>{shown.kind === 'loading' ? 'Loading…' : 'No image'}</p>
    </div>
  );
}
