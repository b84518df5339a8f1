/** Cameras of a wall in the order of their tiles. They are dragged, or moved with the buttons of each. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { MAX_WALL_CAMERAS } from '../wall-list.ts';
import { t, tRich } from '../words.ts';
import { Icon } from './icon.tsx';

export function OrderedCameras({
  devices,
  nameOf,
  pictureOf,
  columns,
  onChange,
}: {
  readonly devices: readonly string[];
  readonly nameOf: (device: string) => string;
  readonly pictureOf: (device: string) => ComponentChildren;
  readonly columns: number;
  readonly onChange: (devices: readonly string[]) => void;
}) {
  const [dragged, setDragged] = useState<number | null>(null);
  const [said, setSaid] = useState('');
  const move = (from: number, to: number) => {
    if (to < 0 || to >= devices.length || from === to) return;
    const next = [...devices];
    const [device] = next.splice(from, 1);
    next.splice(to, 0, device!);
    setSaid(t('{name}: tile {to} of {count}', { name: nameOf(device!), to: to + 1, count: next.length }));
    onChange(next);
  };
  return (
    <section class="part">
      <h2>
        {tRich('On the wall <span>{count} of {maxWallCameras}</span>', {
          count: devices.length,
          maxWallCameras: MAX_WALL_CAMERAS,
          span: (text) => <span class="muted">{text}</span>,
        })}
      </h2>
      {devices.length === 0 && <p class="hint">{t('Add cameras from the list.')}</p>}
      <ol class="ordered" style={{ '--columns': columns }}>
        {devices.map((device, index) => (
          <li
            key={device}
            draggable
            class={dragged === index ? 'dragged' : undefined}
            onDragStart={(event) => {
              setDragged(index);
              event.dataTransfer?.setData('text/plain', device);
            }}
            onDragOver={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              move(dragged, index);
              setDragged(index);
            }}
            onDrop={(event) => event.preventDefault()}
            onDragEnd={() => setDragged(null)}
          >
            <span class="ordered-picture">{pictureOf(device)}</span>
            <span class="place-number">{index + 1}</span>
            <span class="name" title={nameOf(device)}>
              {nameOf(device)}
            </span>
            <TileButtons
              name={nameOf(device)}
              isFirst={index === 0}
              isLast={index === devices.length - 1}
              onMove={(by) => move(index, index + by)}
              onRemove={() => {
                setSaid(t('{camera} removed', { camera: nameOf(device) }));
                onChange(devices.filter((one) => one !== device));
              }}
            />
          </li>
        ))}
      </ol>
      <p class="only-read" role="status">
        {said}
      </p>
    </section>
  );
}

function TileButtons({
  name,
  isFirst,
  isLast,
  onMove,
  onRemove,
}: {
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}) {
  return (
    <span class="tile-buttons">
      {/* Not disabled at the ends: that would take the focus from who moves it with the keyboard. */}
      <button
        type="button"
        class="quiet icon-only"
        aria-label={t('Move {name} forward', { name })}
        aria-disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        <Icon name="earlier" />
      </button>
      <button
        type="button"
        class="quiet icon-only"
        aria-label={t('Move {name} back', { name })}
        aria-disabled={isLast}
        onClick={() => onMove(1)}
      >
        <Icon name="later" />
      </button>
      <button
        type="button"
        class="quiet icon-only"
        aria-label={t('Remove {name}', { name })}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}
