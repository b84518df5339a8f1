/** The dialog that shares a camera or a wall. */

import { useMemo, useState } from 'preact/hooks';
import { camerasBySite } from '../by-site.ts';
import { expiryFault } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { NO_PAST, type PastChoice, pastTerms } from '../past-choice.ts';
import type { PickGroup } from '../picker-rows.ts';
import { NO_SCHEDULE, type ScheduleChoice, scheduleFault } from '../schedule-choice.ts';
import { storePainted } from '../schedule-state.ts';
import { createShare, type ShareOffer, type ShareTarget } from '../share-state.ts';
import { t } from '../words.ts';
import { Check } from './check.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { PastField } from './past-field.tsx';
import { ScheduleField } from './schedule-field.tsx';
import { SelectField } from './select.tsx';
import { TermsFields, useTerms } from './share-terms.tsx';
import { SignInCheck } from './sign-in-check.tsx';
import { TalkCheck } from './talk-check.tsx';

const DAY_SEC = 86_400;
const MAX_NAME_CHARS = 256;

export function NewShareDialog({
  read,
  targetUuid,
  onClose,
  onCreated,
}: {
  readonly read: ShareOffer;
  /** Chosen already; empty: the first. */
  readonly targetUuid: string;
  readonly onClose: () => void;
  /** `password` empty: it has none. */
  readonly onCreated: (uuid: string, password: string) => void;
}) {
  const [target, setTarget] = useState<ShareTarget>(
    read.targets.find(({ uuid }) => uuid === targetUuid) ?? read.targets[0]!,
  );
  const [name, setName] = useState('');
  const terms = useTerms(DAY_SEC);
  const [schedule, setSchedule] = useState<ScheduleChoice>(NO_SCHEDULE);
  const [past, setPast] = useState<PastChoice>(NO_PAST);
  const [pastFault, setPastFault] = useState<string | null>(null);
  const [isMuted, setIsMuted] = useState(false);
  const [canTalk, setCanTalk] = useState(false);
  const [needsSignIn, setNeedsSignIn] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  // There can be a thousand, and the dialog is shown again with each letter that is typed.
  const groups = useMemo(() => groupsOf(read), [read]);
  const submit = async () => {
    const found = scheduleFault(schedule);
    setFault(found);
    const pastFound = expiryFault(past.end, gatewayNowMs());
    setPastFault(pastFound);
    const given = terms.check();
    if (found !== null || pastFound !== null || given === null) return;
    const stored = await storePainted(schedule);
    setSchedule(stored);
    const { scheduleUuid, invertSchedule } = stored;
    const fields = { target, name, hasSound: !isMuted, canTalk, needsSignIn, scheduleUuid, invertSchedule };
    onCreated(await createShare({ ...fields, ...given, past: pastTerms(past) }), given.password);
  };

  return (
    <FormDialog title={t('New share')} submit={t('Create link')} onSubmit={submit} onClose={onClose}>
      <SelectField
        label={t('What to share')}
        value={target.uuid}
        options={[]}
        groups={groups}
        onValue={(value) => setTarget(read.targets.find(({ uuid }) => uuid === value)!)}
      />
      {target.kind === 'camera' && (
        <TextField
          label={t('Name')}
          hint={t('Viewers read it. Empty: {name}', { name: target.name })}
          maxLength={MAX_NAME_CHARS}
          value={name}
          onValue={setName}
        />
      )}
      <TermsFields draft={terms} />
      <ScheduleField
        choice={schedule}
        schedules={read.schedules}
        cameraUuids={target.kind === 'camera' ? [target.uuid] : []}
        fault={fault}
        onChoice={setSchedule}
      />
      <PastField choice={past} fault={pastFault} onChoice={setPast} />
      {target.kind === 'camera' && (
        <>
          <Check
            label={t('Without sound')}
            hint={t('This cannot be changed later.')}
            isChecked={isMuted}
            onCheck={setIsMuted}
          />
          {!isMuted && <TalkCheck isChecked={canTalk} onCheck={setCanTalk} />}
          <SignInCheck isChecked={needsSignIn} onCheck={setNeedsSignIn} />
        </>
      )}
    </FormDialog>
  );
}

function groupsOf({ targets, sites }: ShareOffer): PickGroup[] {
  const walls = targets.filter(({ kind }) => kind === 'wall');
  return [
    ...camerasBySite(
      targets.filter(({ kind }) => kind === 'camera'),
      sites,
      { withoutSite: t('Without a site'), withoutSites: t('Cameras') },
    ),
    { title: t('Walls'), options: walls.map(({ uuid, name }) => ({ value: uuid, title: name })) },
  ];
}
