/** Pauses of cameras for maintenance: how they are shown, begun, and ended. */

import { useEffect, useState } from 'preact/hooks';
import {
  type CameraPause,
  type CameraPauses,
  endPause,
  PAUSE_PRESETS,
  pauseCamera,
  pauseFault,
  readPauses,
} from '../camera-pause.ts';
import { cameraPlace } from '../camera-places.ts';
import type { Expiry } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { may } from '../session.ts';
import { t, tRich } from '../words.ts';
import { ClockTime } from './clock-time.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { FormError } from './form-error.tsx';
import { Icon } from './icon.tsx';
import { useAction } from './use-action.ts';
import { useNarrow } from './use-narrow.ts';

/** Browsers wait at most 24 days. */
const MAX_WAIT_MS = 3_600_000;

/** Pauses in effect; one that ends goes. */
export function usePauses(): ReadingHandle<CameraPauses> {
  const reading = useReading(readPauses, [], ({ entity }) => entity === 'CAMERA');
  const known = reading.state.value;
  useAfterPause(known.kind === 'read' ? known.value : NONE, reading.refresh);
  return reading;
}

const NONE: CameraPauses = new Map();

/** Calls it when the first of the pauses has ended: the stream announces no end. */
export function useAfterPause(pauses: CameraPauses, refresh: () => void): void {
  useEffect(() => {
    const [first] = pauses.values();
    if (first === undefined) return;
    const leftMs = Math.min(Math.max(0, first.untilMs - gatewayNowMs()) + 1_000, MAX_WAIT_MS);
    const timer = setTimeout(refresh, leftMs);
    return () => clearTimeout(timer);
  }, [pauses, refresh]);
}

/** As in "Paused for maintenance until 17:00 by Ada". */
export function PauseText({ pause: { untilMs, pausedBy } }: { readonly pause: CameraPause }) {
  return (
    <span class="pause-text">
      {tRich('Paused for maintenance until {time} by {name}', {
        time: <ClockTime epochMs={untilMs} />,
        name: pausedBy,
      })}
    </span>
  );
}

/** On the pages of a camera that is not paused: the button with which operators pause it. On a phone, its picture has the room. */
export function PauseButton({
  camera,
  pauses,
}: {
  readonly camera: { readonly cameraUuid: string; readonly name: string };
  readonly pauses: ReadingHandle<CameraPauses>;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const isNarrow = useNarrow();
  const known = pauses.state.value;
  const isPaused = known.kind === 'read' && known.value.has(camera.cameraUuid);
  if (isPaused || !may('operator')) return null;
  const text = t('Pause for maintenance…');
  return (
    <>
      <button
        type="button"
        class={isNarrow ? 'icon-only' : ''}
        {...(isNarrow ? { 'aria-label': text, title: text } : {})}
        onClick={() => setIsOpen(true)}
      >
        <Icon name="tool" /> {!isNarrow && text}
      </button>
      {isOpen && (
        <PauseDialog
          camera={camera}
          pause={undefined}
          onPause={pauses.refresh}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

/** On the pages of a camera: that it is paused, with what operators can do about it. */
export function CameraPauseLine({
  camera,
  pauses,
}: {
  readonly camera: { readonly cameraUuid: string; readonly name: string };
  readonly pauses: ReadingHandle<CameraPauses>;
}) {
  const { cameraUuid, name } = camera;
  const [isOpen, setIsOpen] = useState(false);
  const known = pauses.state.value;
  const pause = known.kind === 'read' ? known.value.get(cameraUuid) : undefined;
  const isOperator = may('operator');
  if (pause === undefined) return null;
  return (
    <div class="pause-line paused">
      <PauseText pause={pause} />
      {isOperator && (
        <button type="button" onClick={() => setIsOpen(true)}>
          {t('Change…')}
        </button>
      )}
      <EndPause cameraUuid={cameraUuid} name={name} onEnd={pauses.refresh} />
      {isOpen && (
        <PauseDialog
          camera={camera}
          pause={pause}
          onPause={pauses.refresh}
          onClose={() => setIsOpen(false)}
        />
      )}
    </div>
  );
}

/** For operators; nothing for others. */
function EndPause({
  cameraUuid,
  name,
  onEnd,
}: {
  readonly cameraUuid: string;
  readonly name: string;
  readonly onEnd: () => void;
}) {
  const { isBusy, error, run } = useAction();
  if (!may('operator')) return null;
  return (
    <>
      <button
        type="button"
        disabled={isBusy}
        aria-label={`${t('End pause')}: ${name}`}
        onClick={() =>
          void run(async () => {
            await endPause(cameraUuid);
            onEnd();
          })
        }
      >
        {t('End pause')}
      </button>
      <FormError error={error} />
    </>
  );
}

function PauseDialog({
  camera: { cameraUuid, name },
  pause,
  onPause,
  onClose,
}: {
  readonly camera: { readonly cameraUuid: string; readonly name: string };
  readonly pause: CameraPause | undefined;
  readonly onPause: () => void;
  readonly onClose: () => void;
}) {
  const [end, setEnd] = useState<Expiry>(
    pause === undefined ? { kind: 'in', sec: PAUSE_PRESETS[1]!.sec } : { kind: 'at', epochMs: pause.untilMs },
  );
  const [fault, setFault] = useState<string | null>(null);
  return (
    <FormDialog
      title={t('Pause {name} for maintenance', { name })}
      submit={pause === undefined ? t('Pause camera') : t('Save')}
      onSubmit={async () => {
        const wrong = pauseFault(end, gatewayNowMs());
        setFault(wrong);
        if (wrong !== null) return;
        await pauseCamera(cameraUuid, end);
        onPause();
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        {t(
          'Until then, no alerts, mails or findings are about this camera. It streams and records as before. If it is still offline at the end, people are told.',
        )}
      </p>
      <ExpiryField
        never={null}
        presets={PAUSE_PRESETS}
        expiry={end}
        error={fault}
        onExpiry={(expiry) => {
          setFault(null);
          setEnd(expiry);
        }}
      />
    </FormDialog>
  );
}

/** All that are paused, with the way to end each; nothing if none is. */
export function PausedCameras({
  pauses,
  names,
  onEnd,
}: {
  readonly pauses: CameraPauses;
  /** By camera; those that are missing are left out. */
  readonly names: ReadonlyMap<string, string>;
  readonly onEnd: () => void;
}) {
  const shown = [...pauses.values()].filter(({ cameraUuid }) => names.has(cameraUuid));
  if (shown.length === 0) return null;
  return (
    <section class="paused-cameras">
      <h2>
        {t('{count, plural, one {# camera is paused} other {# cameras are paused}}', { count: shown.length })}
      </h2>
      <ul class="names">
        {shown.map((pause) => (
          <li key={pause.cameraUuid} class="pause-line">
            <a href={cameraPlace(pause.cameraUuid)}>{names.get(pause.cameraUuid)}</a>
            <PauseText pause={pause} />
            <EndPause cameraUuid={pause.cameraUuid} name={names.get(pause.cameraUuid)!} onEnd={onEnd} />
          </li>
        ))}
      </ul>
    </section>
  );
}
