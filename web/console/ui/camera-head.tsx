/** The top of a camera's pages: its name, and the way from one page to the other. */

import { useLocation } from 'preact-iso';
import type { CameraPauses } from '../camera-pause.ts';
import { cameraDetailsPlace, cameraMasksPlace, cameraPlace, cameraSourcePlace } from '../camera-places.ts';
import { place } from '../places.ts';
import type { ReadingHandle } from '../reading.ts';
import { may } from '../session.ts';
import type { CameraStreams } from '../stream-state.ts';
import { t, tRich } from '../words.ts';
import { EmergencyButton } from './emergency-button.tsx';
import { CameraPauseLine, PauseButton } from './pause-line.tsx';
import { SigningBadge } from './signing-part.tsx';

export function CameraHead({
  camera,
  pauses,
}: {
  readonly camera: Pick<CameraStreams, 'cameraUuid' | 'name' | 'declared' | 'signing'>;
  readonly pauses: ReadingHandle<CameraPauses>;
}) {
  const { cameraUuid, name, declared } = camera;
  const { path } = useLocation();
  const tabs = [
    { to: cameraPlace(cameraUuid), title: t('Live and past') },
    { to: cameraDetailsPlace(cameraUuid), title: t('Details') },
    ...(may('admin') ? [{ to: cameraMasksPlace(cameraUuid), title: t('Privacy masks') }] : []),
  ];
  return (
    <div class="camera-head">
      <p>
        <a href={place('')}>{t('All cameras')}</a>
        {may('admin') && (
          <>
            {' · '}
            <a href={cameraSourcePlace(cameraUuid)} class={declared ? 'badge' : ''}>
              {declared
                ? tRich('Managed in {file}', { file: 'sluice.yaml' })
                : t('Edit name, site and address')}
            </a>
          </>
        )}
      </p>
      <div class="page-head">
        <h1 class="break">{name}</h1>
        <span class="section-deeds">
          <PauseButton camera={camera} pauses={pauses} />
          <EmergencyButton cameraUuids={[cameraUuid]} />
        </span>
      </div>
      <SigningBadge camera={camera} />
      <CameraPauseLine camera={camera} pauses={pauses} />
      <nav class="tabs" aria-label={t('Camera')}>
        {tabs.map(({ to, title }) => (
          <a key={to} href={to} aria-current={path === to ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </div>
  );
}
