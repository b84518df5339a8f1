/** In lists: why a camera does not work, or that it is paused, and what repairs it. */

import type { ComponentChildren } from 'preact';
import { symptomText } from '../alert-list.ts';
import type { CameraPauses } from '../camera-pause.ts';
import { cameraSourcePlace } from '../camera-places.ts';
import { listRepairOf } from '../camera-repair.ts';
import { type CameraItem, stateOf } from '../camera-state.ts';
import { FAULT_TITLES } from '../fault-words.ts';
import { place } from '../places.ts';
import { may } from '../session.ts';
import { t } from '../words.ts';
import { NextTry } from './next-try.tsx';
import { TryAgain } from './try-again.tsx';

/** What lists know besides the states of their cameras. */
export interface CameraTroubles {
  readonly pauses: CameraPauses;
  /** NVRs by camera. */
  readonly nvrOf: ReadonlyMap<string, string>;
  /** As camera-repair.ts has them. */
  readonly silentNvrs: ReadonlySet<string>;
  /** Troubles that devices reported, by camera. */
  readonly symptoms: ReadonlyMap<string, string>;
  /** Reads the list again. */
  readonly onTried: () => void;
}

const NOTHING: Partial<NonNullable<CameraItem['connectionDetail']>> = {};

/** Why a camera does not work and what to do, in two lines; all of it while the card or row has the pointer or the focus. `children`: if nothing is wrong. */
export function WhyText({
  camera: { uuid, connectionDetail },
  troubles: { symptoms },
  children,
}: {
  readonly camera: Pick<CameraItem, 'uuid' | 'connectionDetail'>;
  readonly troubles: CameraTroubles;
  readonly children?: ComponentChildren;
}) {
  const symptom = symptoms.get(uuid);
  const { reason, message, advice, retryAtMs } = connectionDetail ?? NOTHING;
  if (reason === undefined) {
    if (symptom === undefined && children === undefined) return null;
    return <p class="why">{symptom === undefined ? children : <b>{symptomText(symptom)}</b>}</p>;
  }
  return (
    <div class="why-box">
      <p class="why">
        <b>{FAULT_TITLES[reason]}.</b> {advice} <NextTry atMs={retryAtMs} />{' '}
        {message !== undefined && <small>{message}</small>}
      </p>
    </div>
  );
}

/** On a camera that is offline: what repairs it, and another try. */
export function CameraDeeds({
  camera,
  troubles,
}: {
  readonly camera: CameraItem;
  readonly troubles: CameraTroubles;
}) {
  if (stateOf(camera) !== 'offline') return null;
  return (
    <div class="card-deeds">
      <TryAgain camera={camera} code={camera.connectionDetail?.code} onTried={troubles.onTried} />
      <RepairLink camera={camera} troubles={troubles} />
    </div>
  );
}

/** For administrators; nothing if there is nothing that they can repair here. */
function RepairLink({
  camera,
  troubles: { nvrOf, silentNvrs },
}: {
  readonly camera: CameraItem;
  readonly troubles: CameraTroubles;
}) {
  const repair = may('admin') ? listRepairOf(camera, nvrOf, silentNvrs) : null;
  if (repair === null) return null;
  const [text, href] =
    repair.kind === 'nvr'
      ? [t('Look at its NVR'), place(`?nvr=${encodeURIComponent(repair.nvrUuid)}`)]
      : [repair.text, cameraSourcePlace(camera.uuid, repair.field)];
  return (
    <a class="button repair" href={href} aria-label={`${camera.name}: ${text}`}>
      {text}
    </a>
  );
}
