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
import { countText } from './bulk-dialogs.tsx';
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
      title={site === null ? 'New site' : 'Edit site'}
      submit={site === null ? 'Create site' : 'Save'}
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
        label="Name"
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
      title={`Delete ${site.name}?`}
      submit="Delete site"
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
        <p>No camera and no NVR is there.</p>
      ) : (
        <>
          <p>
            No camera is deleted, and all keep their links and recordings. There{' '}
            {cameras.length === 1 ? 'is' : 'are'} {countText(cameras.length)}
            {nvrs.length === 0 ? '' : nvrs.length === 1 ? ' and 1 NVR' : ` and ${nvrs.length} NVRs`}.
          </p>
          <SelectField
            label="Move them to"
            value={target}
            options={[
              { value: '', title: 'No site' },
              ...others.map(({ uuid, name }) => ({ value: uuid, title: name })),
            ]}
            hint={
              goal === undefined
                ? `Their schedules then run in UTC instead of ${site.timeZone}.`
                : goal.timeZone === site.timeZone
                  ? 'Their schedules keep their time zone.'
                  : `Their schedules then run in ${goal.timeZone} instead of ${site.timeZone}.`
            }
            onValue={setTarget}
          />
        </>
      )}
    </FormDialog>
  );
}
