/** Shares several cameras with the same terms: a link for each. */

import { useState } from 'preact/hooks';
import type { CameraItem } from '../camera-state.ts';
import { NO_PAST, pastTerms } from '../past-choice.ts';
import { useReading } from '../reading.ts';
import { NO_SCHEDULE, type ScheduleChoice, scheduleFault } from '../schedule-choice.ts';
import { storePainted } from '../schedule-state.ts';
import { createShare, findShares, MAX_ROWS, readSchedules } from '../share-state.ts';
import { t } from '../words.ts';
import { type BulkProps, BulkResults, useBulk } from './bulk-dialogs.tsx';
import { Check } from './check.tsx';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { FormDialog } from './form-dialog.tsx';
import { ReadyLinks } from './link-ready.tsx';
import { readyLinkOf } from './link-ways.tsx';
import { ReadingView } from './reading-view.tsx';
import { ScheduleField } from './schedule-field.tsx';
import { TermsFields, useTerms } from './share-terms.tsx';
import { SignInCheck } from './sign-in-check.tsx';

const DAY_SEC = 86_400;
const AT_ONCE = 4;

export function BulkShareDialog({ cameras, onClose }: BulkProps) {
  const [taken] = useState(cameras);
  const terms = useTerms(DAY_SEC);
  const [schedule, setSchedule] = useState<ScheduleChoice>(NO_SCHEDULE);
  const [isMuted, setIsMuted] = useState(false);
  const [needsSignIn, setNeedsSignIn] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  /** Of all links; null: nothing was started. */
  const [password, setPassword] = useState<string | null>(null);
  const { progress, start } = useBulk<string>();
  const schedules = useReading(readSchedules, []);

  const submit = async () => {
    const found = scheduleFault(schedule);
    setFault(found);
    const given = terms.check();
    if (found !== null || given === null) return;
    const stored = await storePainted(schedule);
    setSchedule(stored);
    setPassword(given.password);
    const { scheduleUuid, invertSchedule } = stored;
    const fields = {
      name: '',
      hasSound: !isMuted,
      canTalk: false,
      needsSignIn,
      scheduleUuid,
      invertSchedule,
      past: pastTerms(NO_PAST),
      ...given,
    };
    void start(taken, AT_ONCE, ({ uuid, name }) =>
      createShare({ target: { uuid, name, kind: 'camera' }, ...fields }),
    );
  };
  if (password !== null) {
    const states = [...progress.values()];
    const isWhole =
      states.length === taken.length && states.every(({ kind }) => kind === 'done' || kind === 'failed');
    const made = states.flatMap((state) => (state.kind === 'done' ? [state.result] : []));
    return (
      <Dialog title={t('Links')} onClose={onClose}>
        <div class="dialog-body">
          <BulkResults cameras={taken} progress={progress} text={() => t('Shared')} />
          {isWhole && made.length > 0 && <MadeLinks cameras={taken} made={made} password={password} />}
        </div>
        <DialogFooter back={t('Close')} onBack={onClose} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={t('Share {count, plural, one {# camera} other {# cameras}}', { count: taken.length })}
      submit={taken.length === 1 ? t('Create link') : t('Create {count} links', { count: taken.length })}
      onSubmit={submit}
      onClose={onClose}
    >
      <p class="hint">{t('Each camera gets a link of its own, with these terms.')}</p>
      <TermsFields draft={terms} passwordLabel={t('Password for all')} />
      <ReadingView reading={schedules} what={t('schedules')}>
        {(known) => (
          <ScheduleField
            choice={schedule}
            schedules={known}
            cameraUuids={taken.map(({ uuid }) => uuid)}
            fault={fault}
            onChoice={setSchedule}
          />
        )}
      </ReadingView>
      <Check
        label={t('Without sound')}
        hint={t('This cannot be changed later.')}
        isChecked={isMuted}
        onCheck={setIsMuted}
      />
      <SignInCheck isChecked={needsSignIn} onCheck={setNeedsSignIn} />
    </FormDialog>
  );
}

/** The gateway is asked for the links when all are made; they are in the order of the cameras. */
function MadeLinks({
  cameras,
  made,
  password,
}: {
  readonly cameras: readonly CameraItem[];
  readonly made: readonly string[];
  readonly password: string;
}) {
  const reading = useReading(async (signal) => {
    const places = new Map(cameras.map(({ uuid }, i) => [uuid, i]));
    const found = [];
    for (let offset = 0; offset < made.length; offset += MAX_ROWS) {
      const uuids = made.slice(offset, offset + MAX_ROWS);
      found.push(...(await findShares({ uuids }, 0, MAX_ROWS, signal)).items);
    }
    const placeOf = (uuid: string | undefined) => places.get(uuid ?? '') ?? places.size;
    return found.sort((a, b) => placeOf(a.cameraUuid) - placeOf(b.cameraUuid)).map(readyLinkOf);
  }, []);
  return (
    <ReadingView reading={reading} what={t('links')}>
      {(links) => <ReadyLinks links={links} password={password} />}
    </ReadingView>
  );
}
