/** Next to a map that is being arranged: what is not on it yet, and where the chosen mark is, in numbers. */

import { useEffect, useState } from 'preact/hooks';
import { type Degrees, degreesText, parsedDegrees } from '../map-geometry.ts';
import type { MapMark, Unplaced } from '../map-marks.ts';
import { t } from '../words.ts';
import { TextField } from './field.tsx';
import { SelectField } from './select.tsx';
import type { MapEdits } from './use-map-edits.ts';

export function MapSide({
  unplaced,
  chosen,
  edits,
  onPlace,
  onTyped,
}: {
  readonly unplaced: readonly Unplaced[];
  readonly chosen: MapMark | null;
  readonly edits: MapEdits;
  /** Puts it into the middle of the map. */
  readonly onPlace: (item: Unplaced) => void;
  /** Typed, so it may be anywhere. */
  readonly onTyped: (place: Degrees) => void;
}) {
  const sites = unplaced.filter(({ kind }) => kind === 'site');
  const cameras = unplaced.filter(({ kind }) => kind === 'camera');
  return (
    <div class="plan-side">
      {chosen === null ? (
        <p class="hint">{t('Drag a site to its place. Choose one to type its coordinates.')}</p>
      ) : (
        <Coordinates
          key={chosen.uuid}
          mark={chosen}
          onTyped={(place) => {
            edits.commit(chosen, place, chosen.degrees);
            onTyped(place);
          }}
          onTakeOff={() => edits.commit(chosen, null, chosen.degrees)}
        />
      )}
      <h2>{t('Not on the map')}</h2>
      {sites.length === 0 ? (
        <p class="hint">{t('All sites are on the map.')}</p>
      ) : (
        <ul class="plan-waiting">
          {sites.map((site) => (
            <li key={site.uuid}>
              <button
                type="button"
                aria-label={t('Place {name}', { name: site.name })}
                onClick={() => onPlace(site)}
              >
                {site.name}
              </button>
            </li>
          ))}
        </ul>
      )}
      {cameras.length > 0 && (
        <SelectField
          label={t('Place a single camera')}
          value=""
          options={[
            { value: '', title: t('Choose a camera') },
            ...cameras.map(({ uuid, name }) => ({ value: uuid, title: name })),
          ]}
          hint={t('For cameras that are not where their site is.')}
          onValue={(uuid) => {
            const camera = cameras.find((each) => each.uuid === uuid);
            if (camera !== undefined) onPlace(camera);
          }}
        />
      )}
    </div>
  );
}

function Coordinates({
  mark,
  onTyped,
  onTakeOff,
}: {
  readonly mark: MapMark;
  readonly onTyped: (place: Degrees) => void;
  readonly onTakeOff: () => void;
}) {
  const shown = degreesText(mark.degrees);
  const [text, setText] = useState(shown);
  // It was dragged.
  useEffect(() => setText(shown), [shown]);
  const typed = parsedDegrees(text);
  return (
    <form
      class="plan-chosen"
      aria-label={mark.name}
      onSubmit={(event) => {
        event.preventDefault();
        if (typed !== null) onTyped(typed);
      }}
    >
      <h2 class="break">{mark.name}</h2>
      <TextField
        label={t('Coordinates')}
        hint={t('Latitude and longitude, such as 52.52, 13.405')}
        error={typed === null ? t('These are no coordinates.') : null}
        maxLength={60}
        value={text}
        onValue={setText}
      />
      <button type="submit" disabled={typed === null || degreesText(typed) === shown}>
        {t('Move it there')}
      </button>
      <button type="button" onClick={onTakeOff}>
        {t('Take it off the map')}
      </button>
    </form>
  );
}
