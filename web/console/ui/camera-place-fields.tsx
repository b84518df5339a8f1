/** Fields for a camera's name and place. */

import type { CameraPlace, Choices } from '../camera-adding.ts';
import type { PickOption } from '../picker-rows.ts';
import { t } from '../words.ts';
import { TextField } from './field.tsx';
import { SelectField } from './select.tsx';

const MAX_NAME_CHARS = 256;

/** A person who sees no site or NVR has none, and no field for it. */
export function PlaceFields({
  where,
  choices,
  hasName = true,
  nameError = null,
  onPlace,
}: {
  readonly where: CameraPlace;
  readonly choices: Pick<Choices, 'locations' | 'nvrs'>;
  readonly hasName?: boolean;
  readonly nameError?: string | null;
  readonly onPlace: (where: CameraPlace) => void;
}) {
  const { locations, nvrs } = choices;
  return (
    <>
      {hasName && (
        <TextField
          label={t('Name')}
          name="name"
          maxLength={MAX_NAME_CHARS}
          error={nameError}
          value={where.name}
          onValue={(name) => onPlace({ ...where, name })}
        />
      )}
      {locations.length + nvrs.length > 0 && (
        <div class="pair">
          {locations.length > 0 && (
            <SelectField
              label={t('Site')}
              value={where.locationUuid}
              options={[
                { value: '', title: where.nvrUuid === '' ? t('None') : t('That of the NVR') },
                ...named(locations),
              ]}
              onValue={(locationUuid) => onPlace({ ...where, locationUuid })}
            />
          )}
          {nvrs.length > 0 && (
            <SelectField
              label="NVR"
              value={where.nvrUuid}
              options={[{ value: '', title: t('None') }, ...named(nvrs)]}
              onValue={(nvrUuid) => onPlace({ ...where, nvrUuid })}
            />
          )}
        </div>
      )}
    </>
  );
}

function named(items: Choices['locations']): PickOption[] {
  return items.map(({ uuid, name }) => ({ value: uuid, title: name }));
}
