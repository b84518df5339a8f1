/** Partners to whom cameras are opened in an emergency, for administrators. */

import { useState } from 'preact/hooks';
import { LANGUAGE, LANGUAGES } from '../../words/choices.ts';
import { listText } from '../../words/formats.ts';
import { deletePartner, type EmergencyPartner, PARTNER_TYPES, savePartner } from '../emergency-list.ts';
import type { ReadingHandle } from '../reading.ts';
import { t } from '../words.ts';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';
import { ReadingView } from './reading-view.tsx';
import { RecordTable } from './record-table.tsx';
import { optionsOf, SelectField } from './select.tsx';

type Opened =
  | { readonly kind: 'edit'; readonly partner: EmergencyPartner | null }
  | { readonly kind: 'delete'; readonly partner: EmergencyPartner }
  | { readonly kind: 'secret'; readonly secret: string };

export function EmergencyPartners({
  reading,
}: {
  readonly reading: ReadingHandle<readonly EmergencyPartner[]>;
}) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  return (
    <section class="part">
      <div class="section-head">
        <h2>{t('Partners')}</h2>
        <button type="button" onClick={() => setOpened({ kind: 'edit', partner: null })}>
          <Icon name="plus" /> {t('Add partner')}
        </button>
      </div>
      <ReadingView reading={reading} what={t('partners')}>
        {(partners) =>
          partners.length === 0 ? (
            <Notice title={t('There are no partners yet')}>
              <p>{t('Add emergency dispatch or an alarm center, and where it gets links.')}</p>
            </Notice>
          ) : (
            <RecordTable
              name="partners"
              label={t('Partners')}
              items={partners}
              keyOf={({ emergencyPartnerUuid }) => emergencyPartnerUuid}
              columns={[
                { title: t('Name'), cell: ({ name }) => <b>{name}</b> },
                { title: t('Kind'), cell: ({ partnerType }) => PARTNER_TYPES[partnerType] },
                { title: t('Gets links at'), cell: placesOf },
              ]}
              actions={(partner) => (
                <>
                  <button type="button" class="quiet" onClick={() => setOpened({ kind: 'edit', partner })}>
                    {t('Change')}
                  </button>
                  <button
                    type="button"
                    class="quiet danger"
                    onClick={() => setOpened({ kind: 'delete', partner })}
                  >
                    {t('Delete')}
                  </button>
                </>
              )}
            />
          )
        }
      </ReadingView>
      {opened?.kind === 'edit' && (
        <PartnerDialog
          partner={opened.partner}
          onSaved={(secret) => {
            reading.refresh();
            setOpened(secret === null ? null : { kind: 'secret', secret });
          }}
          onClose={close}
        />
      )}
      {opened?.kind === 'secret' && (
        <Dialog title={t('The secret of the webhook')} onClose={close}>
          <div class="dialog-body">
            <p>{t('It signs calls. It is shown only now.')}</p>
            <CopyField label={t('Secret')} value={opened.secret} />
          </div>
          <DialogFooter back={t('Close')} onBack={close} />
        </Dialog>
      )}
      {opened?.kind === 'delete' && (
        <FormDialog
          title={t('Delete {name}?', { name: opened.partner.name })}
          submit={t('Delete')}
          isDanger
          onSubmit={async () => {
            await deletePartner(opened.partner.emergencyPartnerUuid);
            reading.refresh();
            close();
          }}
          onClose={close}
        >
          <p>{t('Cameras that are open to it stay open until their time is over.')}</p>
        </FormDialog>
      )}
    </section>
  );
}

function placesOf({ mailAddresses, webhookUrl }: EmergencyPartner): string {
  const places = [...mailAddresses, ...(webhookUrl === undefined ? [] : [webhookUrl])];
  return places.length === 0 ? t('Only by hand') : listText(places);
}

function PartnerDialog({
  partner,
  onSaved,
  onClose,
}: {
  readonly partner: EmergencyPartner | null;
  readonly onSaved: (secret: string | null) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(partner?.name ?? '');
  const [partnerType, setPartnerType] = useState<EmergencyPartner['partnerType']>(
    partner?.partnerType ?? 'RAPIDSOS',
  );
  const [mails, setMails] = useState(partner?.mailAddresses.join(', ') ?? '');
  const [webhookUrl, setWebhookUrl] = useState(partner?.webhookUrl ?? '');
  const [language, setLanguage] = useState<EmergencyPartner['language']>(partner?.language ?? LANGUAGE);
  return (
    <FormDialog
      title={partner === null ? t('Add partner') : t('Change partner')}
      submit={t('Save')}
      onSubmit={async () => {
        const mailAddresses = mails.split(/[\s,;]+/).filter((each) => each !== '');
        onSaved(
          await savePartner({
            ...(partner === null ? {} : { emergencyPartnerUuid: partner.emergencyPartnerUuid }),
            name: name.trim(),
            partnerType,
            mailAddresses,
            ...(webhookUrl.trim() === '' ? {} : { webhookUrl: webhookUrl.trim() }),
            language,
          }),
        );
      }}
      onClose={onClose}
    >
      <TextField label={t('Name')} isRequired maxLength={256} value={name} onValue={setName} />
      <SelectField
        label={t('Kind')}
        value={partnerType}
        options={optionsOf(Object.entries(PARTNER_TYPES) as [EmergencyPartner['partnerType'], string][])}
        onValue={setPartnerType}
      />
      <TextField
        label={t('Mail addresses')}
        value={mails}
        onValue={setMails}
        hint={t('Up to four, with commas between them. Each gets a link of its own.')}
      />
      <TextField
        label={t('Webhook')}
        type="url"
        value={webhookUrl}
        onValue={setWebhookUrl}
        hint={t('For programs: called with the links. Empty: none.')}
      />
      <SelectField
        label={t('Language of mails')}
        value={language}
        options={optionsOf(Object.entries(LANGUAGES) as [EmergencyPartner['language'], string][])}
        onValue={setLanguage}
      />
    </FormDialog>
  );
}
