/** Cameras as pictures. A picture is asked for when its card comes near the screen, a few at a time. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type CameraLinks, linkCount } from '../camera-order.ts';
import type { CameraItem } from '../camera-state.ts';
import { place } from '../places.ts';
import { t } from '../words.ts';
import { CameraPicture } from './camera-picture.tsx';
import { CameraSign } from './camera-sign.tsx';
import { CameraDeeds, type CameraTroubles, WhyText } from './camera-trouble.tsx';
import { PauseText } from './pause-line.tsx';
import { type ListSelection, SelectBox } from './select-box.tsx';
import { VirtualRows } from './virtual-rows.tsx';

const MIN_CARD_PX = 260;
const GAP_PX = 16;
/** Name, state and reason below the picture. */
const TEXT_PX = 104;

export function CameraCards({
  cameras,
  locationNames,
  wallLinks,
  troubles,
  selection,
}: {
  readonly cameras: readonly CameraItem[];
  readonly locationNames: ReadonlyMap<string, string>;
  readonly wallLinks: CameraLinks['wallLinks'];
  readonly troubles: CameraTroubles;
  readonly selection: ListSelection;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [widthPx, setWidthPx] = useState(0);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidthPx(entry!.contentRect.width));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  const columns = Math.max(1, Math.floor((widthPx + GAP_PX) / (MIN_CARD_PX + GAP_PX)));
  const cardPx = (widthPx - GAP_PX * (columns - 1)) / columns;
  const rowPx = Math.round((cardPx * 9) / 16) + TEXT_PX + GAP_PX;
  return (
    <div class={cameras.some(({ uuid }) => selection.has(uuid)) ? 'cards selecting' : 'cards'} ref={box}>
      {widthPx > 0 && (
        <VirtualRows
          count={Math.ceil(cameras.length / columns)}
          rowPx={rowPx}
          role="list"
          render={(row) => (
            <div
              class="card-row"
              role="presentation"
              key={row}
              style={{ gridTemplateColumns: `repeat(${columns}, 1fr)`, height: `${rowPx}px` }}
            >
              {cameras.slice(row * columns, (row + 1) * columns).map((camera) => (
                <CameraCard
                  key={camera.uuid}
                  camera={camera}
                  where={locationNames.get(camera.locationUuid ?? '') ?? null}
                  wallLinks={wallLinks}
                  troubles={troubles}
                  selection={selection}
                />
              ))}
            </div>
          )}
        />
      )}
    </div>
  );
}

function CameraCard({
  camera,
  where,
  wallLinks,
  troubles,
  selection,
}: {
  readonly camera: CameraItem;
  readonly where: string | null;
  readonly wallLinks: CameraLinks['wallLinks'];
  readonly troubles: CameraTroubles;
  readonly selection: ListSelection;
}) {
  const pause = troubles.pauses.get(camera.uuid);
  return (
    <div class="card" role="listitem" aria-label={camera.name}>
      <SelectBox uuid={camera.uuid} name={camera.name} selection={selection} />
      <div class="card-picture">
        <CameraPicture camera={camera} />
        <CameraDeeds camera={camera} troubles={troubles} />
      </div>
      <h2>
        <a href={place(`cameras/${camera.uuid}`)}>{camera.name}</a>
      </h2>
      <p>
        <CameraSign camera={camera} />
        {where !== null && <span class="place">{where}</span>}
      </p>
      {pause === undefined ? (
        <WhyText camera={camera} troubles={troubles}>
          {wallLinks !== null && sharedText(linkCount(camera, wallLinks))}
        </WhyText>
      ) : (
        <p class="why">
          <PauseText pause={pause} />
        </p>
      )}
    </div>
  );
}

function sharedText(count: number): string {
  if (count === 0) return t('Not shared');
  return t('{count, plural, one {Shared by # link} other {Shared by # links}}', { count });
}
