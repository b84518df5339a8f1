/** Dialogs that create an NVR, rename and move it, and delete it. */

import { useMemo, useState } from 'preact/hooks';
import { removeCamera } from '../camera-adding.ts';
import { onceKeeper } from '../in-turn.ts';
import {
  changeAll,
  createNvr,
  deleteNvr,
  type NvrPlace,
  placeCamera,
  type SiteItem,
  updateNvr,
} from '../site-list.ts';
import { t } from '../words.ts';
import { countText } from './bulk-dialogs.tsx';
import { Check } from './check.tsx';
import { Chips } from './chips.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { SelectField } from './select.tsx';

const MAX_NAME_CHARS = 256;

export function NvrDialog({
  place = null,
  sites,
  onSaved,
  onClose,
}: {
  /** Null: a new one. */
  readonly place?: NvrPlace | null;
  readonly sites: readonly SiteItem[];
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const before = { name: place?.nvr.name ?? '', site: place?.nvr.locationUuid ?? '' };
  const [name, setName] = useState(before.name);
  const [site, setSite] = useState(before.site);
  const [movesCameras, setMovesCameras] = useState(true);
  const once = useMemo(onceKeeper, []);
  // Cameras without a site of their own follow anyway.
  const settled = (place?.cameras ?? []).filter(({ locationUuid }) => locationUuid !== undefined);
  const isMoved = site !== before.site;
  return (
    <FormDialog
      title={place === null ? t('New NVR') : t('Edit NVR')}
      submit={place === null ? t('Create NVR') : t('Save')}
      onSubmit={async () => {
        const trimmed = name.trim();
        if (place === null) await createNvr(trimmed, site, once({ trimmed, site }));
        else {
          const changes = {
            ...(trimmed === before.name ? {} : { name: trimmed }),
            ...(isMoved ? { locationUuid: site } : {}),
          };
          if (Object.keys(changes).length > 0) await updateNvr(place.nvr.uuid, changes);
          if (isMoved && movesCameras) {
            await changeAll(settled, ({ uuid }) => placeCamera(uuid, { locationUuid: site }));
          }
        }
        onSaved();
        onClose();
      }}
      onClose={onClose}
    >
      <TextField label={t('Name')} isRequired maxLength={MAX_NAME_CHARS} value={name} onValue={setName} />
      <SelectField
        label={t('Site')}
        value={site}
        options={[
          { value: '', title: t('None') },
          ...sites.map(({ uuid, name: title }) => ({ value: uuid, title })),
        ]}
        onValue={setSite}
      />
      {isMoved && settled.length > 0 && (
        <Check
          label={t('Move its {count} too', { count: countText(settled.length) })}
          hint={t('Their schedules then follow the time of that site.')}
          isChecked={movesCameras}
          onCheck={setMovesCameras}
        />
      )}
    </FormDialog>
  );
}

export function DeleteNvrDialog({
  place: { nvr, cameras },
  onDeleted,
  onClose,
}: {
  readonly place: NvrPlace;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}) {
  const [fate, setFate] = useState<'keep' | 'delete'>('keep');
  const shares = cameras.reduce((sum, { liveStreamsSharedCount }) => sum + liveStreamsSharedCount, 0);
  return (
    <FormDialog
      title={t('Delete {name}?', { name: nvr.name })}
      submit={
        fate === 'keep' || cameras.length === 0
          ? t('Delete NVR')
          : t('Delete NVR and {count}', { count: countText(cameras.length) })
      }
      isDanger
      onSubmit={async () => {
        await changeAll(cameras, ({ uuid }) =>
          fate === 'keep' ? placeCamera(uuid, { nvrUuid: '' }) : removeCamera(uuid),
        );
        await deleteNvr(nvr.uuid);
        onDeleted();
        onClose();
      }}
      onClose={onClose}
    >
      {cameras.length === 0 ? (
        <p>{t('No camera is behind it.')}</p>
      ) : (
        <>
          <Chips
            legend={t('Its {count}', { count: countText(cameras.length) })}
            value={fate}
            options={[
              { value: 'keep', title: t('Keep them') },
              { value: 'delete', title: t('Delete them too') },
            ]}
            onValue={setFate}
          />
          <p class={fate === 'keep' ? 'hint' : 'trouble'}>
            {fate === 'keep'
              ? t('They stay at their site, with their links and recordings, and play as before.')
              : t(
                  '{count, plural, =0 {They are gone for good. Everyone who watches them is cut off.} one {They are gone for good, and so is # share. Everyone who watches them is cut off.} other {They are gone for good, and so are # shares. Everyone who watches them is cut off.}}',
                  { count: shares },
                )}
          </p>
        </>
      )}
    </FormDialog>
  );
}
