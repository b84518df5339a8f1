/** The steps of a share's dialog. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Expiry, expirationTimeSecs, expiryFault, expiryOf, extended, PRESETS } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { strengthOf } from '../password.ts';
import { pastChanges, pastChoiceOf } from '../past-choice.ts';
import { useReading } from '../reading.ts';
import { type ScheduleChoice, scheduleFault } from '../schedule-choice.ts';
import { storePainted } from '../schedule-state.ts';
import { may } from '../session.ts';
import { hasSchedule, type ShareItem } from '../share-item.ts';
import { deleteShare, readSchedules, type ShareChanges, updateShare } from '../share-state.ts';
import { t, tRich } from '../words.ts';
import { type CdnChoice, CdnField, cdnChoiceOf, cdnOf } from './cdn-field.tsx';
import { Check } from './check.tsx';
import { Chips } from './chips.tsx';
import { ClockTime } from './clock-time.tsx';
import { DialogFooter, SubmitButton } from './dialog-footer.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { TextField } from './field.tsx';
import { FormError } from './form-error.tsx';
import { PasswordField } from './password-field.tsx';
import { PastField } from './past-field.tsx';
import { ReadingView } from './reading-view.tsx';
import { ScheduleField } from './schedule-field.tsx';
import { SignInCheck } from './sign-in-check.tsx';
import { TalkCheck } from './talk-check.tsx';
import { type Action, useAction } from './use-action.ts';

interface StepProps {
  readonly share: ShareItem;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

const MAX_NAME_CHARS = 256;

/** Name, end, schedule, sign-in and delivery. Sends only fields that differ. */
export function EditStep({ share, onDone, onBack }: StepProps) {
  const schedules = useReading(readSchedules, [], ({ entity }) => entity === 'SCHEDULE');
  const [name, setName] = useState(share.name);
  const [expiry, setExpiry] = useState<Expiry>(expiryOf(share.expiresAtMs));
  const [schedule, setSchedule] = useState<ScheduleChoice>({ ...share, painted: null });
  const [scheduleError, setScheduleError] = useState<string | null>(null);
  const [needsSignIn, setNeedsSignIn] = useState(share.ssoProtected);
  const [past, setPast] = useState(pastChoiceOf(share));
  const [pastFault, setPastFault] = useState<string | null>(null);
  const [cdn, setCdn] = useState<CdnChoice>(cdnChoiceOf(share));
  const [talk, setTalk] = useState(share.talk);
  const [showsUnmasked, setShowsUnmasked] = useState(share.showsUnmasked);
  const [fault, setFault] = useState<string | null>(null);
  const action = useAction();
  const save = () => {
    const isSameEnd = expiry.kind === 'at' && expiry.epochMs === share.expiresAtMs;
    const found = isSameEnd ? null : expiryFault(expiry, gatewayNowMs());
    setFault(found);
    const unpainted = scheduleFault(schedule);
    setScheduleError(unpainted);
    const isSamePast = Object.keys(pastChanges(share, past)).length === 0;
    const pastFound = isSamePast ? null : expiryFault(past.end, gatewayNowMs());
    setPastFault(pastFound);
    if (found !== null || unpainted !== null || pastFound !== null) return;
    void action.run(async () => {
      const stored = await storePainted(schedule);
      setSchedule(stored);
      const { scheduleUuid, invertSchedule } = stored;
      const wanted = { name, scheduleUuid, invertSchedule, ssoProtected: needsSignIn, cdn };
      const changes = changesOf(share, wanted, isSameEnd ? expiryOf(share.expiresAtMs) : expiry);
      const all = {
        ...changes,
        ...(hasSchedule(share) ? pastChanges(share, past) : {}),
        ...(talk === undefined || talk === share.talk ? {} : { talk }),
        ...(showsUnmasked === share.showsUnmasked ? {} : { showsUnmasked }),
      };
      if (Object.keys(all).length > 0) await updateShare(share, all);
      onDone();
    });
  };
  return (
    <StepForm action={action} submit={t('Save')} onSubmit={save} onBack={onBack}>
      {share.kind !== 'WALL' && (
        <TextField label={t('Name')} maxLength={MAX_NAME_CHARS} isRequired value={name} onValue={setName} />
      )}
      <ExpiryField expiry={expiry} error={fault} onExpiry={setExpiry} />
      {hasSchedule(share) && (
        <ReadingView reading={schedules} what={t('schedules')}>
          {(known) => (
            <ScheduleField
              choice={schedule}
              schedules={known}
              cameraUuids={share.cameraUuid === undefined ? [] : [share.cameraUuid]}
              fault={scheduleError}
              onChoice={setSchedule}
            />
          )}
        </ReadingView>
      )}
      {hasSchedule(share) && <PastField choice={past} fault={pastFault} onChoice={setPast} />}
      {share.kind === 'STREAM' && (
        <SignInCheck isChecked={needsSignIn} wasChecked={share.ssoProtected} onCheck={setNeedsSignIn} />
      )}
      {talk !== undefined && <TalkCheck isChecked={talk} onCheck={setTalk} />}
      {share.kind === 'STREAM' && <CdnField choice={cdn} onChoice={setCdn} />}
      {hasSchedule(share) && may('admin') && (
        <Check
          label={t('Show what privacy masks cover')}
          hint={t('Only for people who are allowed to see all of it.')}
          isChecked={showsUnmasked}
          onCheck={setShowsUnmasked}
        />
      )}
      {needsSignIn !== share.ssoProtected && <p class="hint">{t('Everyone who is watching is cut off.')}</p>}
    </StepForm>
  );
}

type WantedTerms = Pick<ShareItem, 'name' | 'scheduleUuid' | 'invertSchedule' | 'ssoProtected'> & {
  readonly cdn: CdnChoice;
};

function changesOf(share: ShareItem, wanted: WantedTerms, expiry: Expiry): ShareChanges {
  const { name, scheduleUuid, invertSchedule, ssoProtected, cdn } = wanted;
  const endSec = expirationTimeSecs(expiry) ?? null;
  const isEndSame = endSec === (share.expiresAtMs === null ? null : share.expiresAtMs / 1_000);
  return {
    ...(share.kind === 'WALL' || name === share.name ? {} : { name }),
    ...(isEndSame ? {} : { expirationTimeSecs: endSec }),
    ...(scheduleUuid === share.scheduleUuid ? {} : { scheduleUuid }),
    ...(invertSchedule === share.invertSchedule ? {} : { invertSchedule }),
    ...(ssoProtected === share.ssoProtected ? {} : { ssoProtected }),
    ...(cdn === cdnChoiceOf(share) ? {} : { cdn: cdnOf(cdn) }),
  };
}

export function ExtendStep({ share, onDone, onBack }: StepProps) {
  const [choice, setChoice] = useState(String(PRESETS[1]!.sec));
  const action = useAction();
  const expiry: Expiry =
    choice === 'never' ? { kind: 'never' } : extended(share.expiresAtMs ?? 0, Number(choice), gatewayNowMs());
  const save = () =>
    void action.run(async () => {
      await updateShare(share, { expirationTimeSecs: expirationTimeSecs(expiry) ?? null });
      onDone();
    });
  const isOver = share.expiresAtMs !== null && share.expiresAtMs <= gatewayNowMs();
  return (
    <StepForm action={action} submit={t('Extend')} onSubmit={save} onBack={onBack}>
      <Chips
        legend={t('How much longer')}
        value={choice}
        options={[
          ...PRESETS.map(({ title, sec }) => ({ title, value: String(sec) })),
          { title: t('Without an end'), value: 'never' },
        ]}
        onValue={setChoice}
      />
      <p role="status">
        {expiry.kind === 'at'
          ? tRich('It then ends {time}.', { time: <ClockTime epochMs={expiry.epochMs!} /> })
          : t('It then never ends.')}{' '}
        {isOver && t('The same link works again.')}
      </p>
    </StepForm>
  );
}

export function PasswordStep({
  share,
  onDone,
  onBack,
}: Omit<StepProps, 'onDone'> & {
  /** With the new password; empty: it has none now. */
  readonly onDone: (password: string) => void;
}) {
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const action = useAction();
  const set = (wanted: string | null) =>
    void action.run(async () => {
      await updateShare(share, { password: wanted });
      onDone(wanted ?? '');
    });
  const save = () => {
    if (strengthOf(password) === 'none') setFault(t('Enter a password, or generate one.'));
    else set(password);
  };
  return (
    <StepForm
      action={action}
      submit={t('Set password')}
      onSubmit={save}
      onBack={onBack}
      extra={
        share.passwordProtected && (
          <button type="button" class="danger" disabled={action.isBusy} onClick={() => set(null)}>
            {t('Remove password')}
          </button>
        )
      }
    >
      <p>
        {t('The link stays the same. Everyone who is watching is cut off and has to enter the new password.')}
      </p>
      <PasswordField
        label={t('New password')}
        value={password}
        error={fault}
        onValue={(value) => {
          setFault(null);
          setPassword(value);
        }}
      />
    </StepForm>
  );
}

export function EndStep({ share, onDone, onBack }: StepProps) {
  const action = useAction();
  const end = () =>
    void action.run(async () => {
      await deleteShare(share);
      onDone();
    });
  return (
    <StepForm action={action} submit={t('End share')} isDanger onSubmit={end} onBack={onBack}>
      <p>
        <b>{cutOffText(share.viewerCount)}</b>{' '}
        {t(
          'The link stops working for good, and so does every page and player that uses it. A new share has another link.',
        )}
      </p>
    </StepForm>
  );
}

function cutOffText(viewers: number): string {
  if (viewers === 0) return t('No one is watching now.');
  return t(
    '{count, plural, one {# viewer is cut off immediately.} other {# viewers are cut off immediately.}}',
    {
      count: viewers,
    },
  );
}

function StepForm({
  action,
  submit,
  isDanger = false,
  extra,
  onSubmit,
  onBack,
  children,
}: {
  readonly action: Action;
  readonly submit: string;
  readonly isDanger?: boolean;
  /** Another button. */
  readonly extra?: ComponentChildren;
  readonly onSubmit: () => void;
  readonly onBack: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <div class="dialog-body">
        {children}
        <FormError error={action.error} />
      </div>
      <DialogFooter back={t('Back')} onBack={onBack} others={extra}>
        <SubmitButton text={submit} isBusy={action.isBusy} isDanger={isDanger} />
      </DialogFooter>
    </form>
  );
}
