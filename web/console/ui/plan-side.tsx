/** Next to a plan that is being arranged: cameras that are not on it yet, and what the chosen one sees. */

import type { CameraItem } from '../camera-state.ts';
import { ANGLE_RANGE, NEW_PLACE, type PlanPlace, REACH_RANGE } from '../plan-geometry.ts';
import { t } from '../words.ts';
import type { PlanEdits } from './use-plan-edits.ts';

export function PlanSide({
  cameras,
  edits,
  chosen,
  onChoose,
}: {
  readonly cameras: readonly CameraItem[];
  readonly edits: PlanEdits;
  readonly chosen: string | null;
  readonly onChoose: (cameraUuid: string | null) => void;
}) {
  const waiting = cameras.filter(({ uuid }) => !edits.places.has(uuid));
  const camera = cameras.find(({ uuid }) => uuid === chosen);
  const place = chosen === null ? undefined : edits.places.get(chosen);
  return (
    <div class="plan-side">
      {camera !== undefined && place !== undefined ? (
        <ChosenCamera camera={camera} place={place} edits={edits} onRemoved={() => onChoose(null)} />
      ) : (
        <p class="hint">{t('Drag a camera to its place. Choose one to set what it sees.')}</p>
      )}
      <h2>{t('Not on the plan')}</h2>
      {waiting.length === 0 ? (
        <p class="hint">{t('All cameras of this site are on the plan.')}</p>
      ) : (
        <ul class="plan-waiting">
          {waiting.map(({ uuid, name }) => (
            <li key={uuid}>
              <button
                type="button"
                aria-label={t('Place {name}', { name })}
                onClick={() => {
                  edits.preview(uuid, freePlace(edits.places));
                  edits.commit(uuid);
                  onChoose(uuid);
                }}
              >
                {name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function ChosenCamera({
  camera: { uuid, name },
  place,
  edits,
  onRemoved,
}: {
  readonly camera: CameraItem;
  readonly place: PlanPlace;
  readonly edits: PlanEdits;
  readonly onRemoved: () => void;
}) {
  const set = (change: Partial<PlanPlace>) => {
    edits.preview(uuid, { ...place, ...change });
    edits.commitSoon(uuid);
  };
  return (
    <section class="plan-chosen" aria-label={name}>
      <h2 class="break">{name}</h2>
      <Range
        label={t('Looks')}
        unit="°"
        value={place.directionDeg}
        range={[0, 359]}
        onValue={(directionDeg) => set({ directionDeg })}
      />
      <Range
        label={t('Sees as wide as')}
        unit="°"
        value={place.angleDeg}
        range={ANGLE_RANGE}
        onValue={(angleDeg) => set({ angleDeg })}
      />
      <Range
        label={t('Sees as far as')}
        unit=" %"
        value={Math.round(place.reach * 100)}
        range={[REACH_RANGE[0] * 100, REACH_RANGE[1] * 100]}
        onValue={(percent) => set({ reach: percent / 100 })}
      />
      <button
        type="button"
        onClick={() => {
          edits.preview(uuid, null);
          edits.commit(uuid);
          onRemoved();
        }}
      >
        {t('Take off the plan')}
      </button>
    </section>
  );
}

function Range({
  label,
  unit,
  value,
  range: [min, max],
  onValue,
}: {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  readonly range: readonly [min: number, max: number];
  readonly onValue: (value: number) => void;
}) {
  return (
    <div class="plan-range">
      <span aria-hidden="true">
        {label} <span>{`${Math.round(value)}${unit}`}</span>
      </span>
      <input
        type="range"
        aria-label={label}
        aria-valuetext={`${Math.round(value)}${unit}`}
        min={min}
        max={max}
        value={value}
        onInput={({ currentTarget }) => onValue(Number(currentTarget.value))}
      />
    </div>
  );
}

/** Not under another camera that was placed and not moved yet. */
function freePlace(places: ReadonlyMap<string, PlanPlace>): PlanPlace {
  const isTaken = (x: number) =>
    [...places.values()].some(
      (place) => Math.abs(place.x - x) < 0.01 && Math.abs(place.y - NEW_PLACE.y) < 0.01,
    );
  let { x } = NEW_PLACE;
  while (isTaken(x) && x < 0.9) x += 0.06;
  return { ...NEW_PLACE, x };
}
