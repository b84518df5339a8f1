/** Dialogs that create a site, change it, and delete it. */

import { useMemo, useState } from 'preact/hooks';
import type { Named } from '../camera-adding.ts';
import { onceKeeper } from '../in-turn.ts';
import { OWN_TIME_ZONE } from '../schedule-text.ts';
import {
  changeAll,
  createSite,
  deleteSite,
  placeCamera,
  type SiteItem,
  updateNvr,
  updateSite,
} from '../site-list.ts';
import { t } from '../words.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { SelectField } from './select.tsx';
import { ZoneField } from './zone-field.tsx';

const MAX_NAME_CHARS = 256;

export function SiteDialog({
  site = null,
  onSaved,
  onCreated,
  onClose,
}: {
  /** Null: a new one. */
  readonly site?: Pick<SiteItem, 'uuid' | 'name' | 'timeZone'> | null;
  readonly onSaved?: () => void;
  readonly onCreated?: (created: Named) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(site?.name ?? '');
  const [zone, setZone] = useState(site?.timeZone ?? OWN_TIME_ZONE);
  const once = useMemo(onceKeeper, []);
  return (
    <FormDialog
      title={site === null ? t('New site') : t('Edit site')}
      submit={site === null ? t('Create site') : t('Save')}
      onSubmit={async () => {
        const trimmed = name.trim();
        if (site === null) {
          const uuid = await createSite(trimmed, zone, once({ trimmed, zone }));
          onCreated?.({ uuid, name: trimmed });
        } else {
          await updateSite(site.uuid, {
            ...(trimmed === site.name ? {} : { name: trimmed }),
            ...(zone === site.timeZone ? {} : { tz: zone }),
          });
        }
        onSaved?.();
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        name="name"
        isRequired
        maxLength={MAX_NAME_CHARS}
        value={name}
        onValue={setName}
      />
      <ZoneField value={zone} onValue={setZone} />
    </FormDialog>
  );
}

/** Says first what happens with its cameras and NVRs: they go to another site, or to none. */
export function DeleteSiteDialog({
  site,
  others,
  onDeleted,
  onClose,
}: {
  readonly site: SiteItem;
  readonly others: readonly SiteItem[];
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}) {
  const [target, setTarget] = useState('');
  const { cameras, nvrs } = site;
  const own = cameras.filter(({ locationUuid }) => locationUuid === site.uuid);
  const isEmpty = own.length + nvrs.length === 0;
  const goal = others.find(({ uuid }) => uuid === target);
  return (
    <FormDialog
      title={t('Delete {name}?', { name: site.name })}
      submit={t('Delete site')}
      isDanger
      onSubmit={async () => {
        await changeAll(own, ({ uuid }) => placeCamera(uuid, { locationUuid: target }));
        await changeAll(nvrs, ({ uuid }) => updateNvr(uuid, { locationUuid: target }));
        await deleteSite(site.uuid);
        onDeleted();
        onClose();
      }}
      onClose={onClose}
    >
      {isEmpty ? (
        <p>{t('No camera and no NVR is there.')}</p>
      ) : (
        <>
          <p>
            {t('No camera is deleted, and all keep their links and recordings.')}{' '}
            {nvrs.length === 0
              ? t('{cameras, plural, one {There is # camera.} other {There are # cameras.}}', {
                  cameras: cameras.length,
                })
              : t(
                  '{cameras, plural, one {There is # camera} other {There are # cameras}} and {nvrs, plural, one {# NVR} other {# NVRs}}.',
                  { cameras: cameras.length, nvrs: nvrs.length },
                )}
          </p>
          <SelectField
            label={t('Move them to')}
            value={target}
            options={[
              { value: '', title: t('No site') },
              ...others.map(({ uuid, name }) => ({ value: uuid, title: name })),
            ]}
            hint={
              goal === undefined
                ? t('Their schedules then run in UTC instead of {timeZone}.', { timeZone: site.timeZone })
                : goal.timeZone === site.timeZone
                  ? t('Their schedules keep their time zone.')
                  : t('Their schedules then run in {timeZone} instead of {former}.', {
                      timeZone: goal.timeZone,
                      former: site.timeZone,
                    })
            }
            onValue={setTarget}
          />
        </>
      )}
    </FormDialog>
  );
}
