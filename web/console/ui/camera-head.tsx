/** The top of a camera's pages: its name, and the way from one page to the other. */

import { useLocation } from 'preact-iso';
import { cameraDetailsPlace, cameraPlace, cameraSourcePlace } from '../camera-places.ts';
import { place } from '../places.ts';
import { may } from '../session.ts';

export function CameraHead({ cameraUuid, name }: { readonly cameraUuid: string; readonly name: string }) {
  const { path } = useLocation();
  const tabs = [
    { to: cameraPlace(cameraUuid), title: 'Live and past' },
    { to: cameraDetailsPlace(cameraUuid), title: 'Details' },
  ];
  return (
    <div class="camera-head">
      <p>
        <a href={place('')}>All cameras</a>
        {may('admin') && (
          <>
            {' · '}
            <a href={cameraSourcePlace(cameraUuid)}>Edit name, site and address</a>
          </>
        )}
      </p>
      <h1 class="break">{name}</h1>
      <nav class="tabs" aria-label="Camera">
        {tabs.map(({ to, title }) => (
          <a key={to} href={to} aria-current={path === to ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </div>
  );
}
