/** Shares several cameras with the same terms: a link for each. */

import { useState } from 'preact/hooks';
import type { CameraItem } from '../camera-state.ts';
import { type Expiry, expirationTimeSecs, expiryFault } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { strengthOf } from '../password.ts';
import { useReading } from '../reading.ts';
import { createShare, findPageUrls, readSchedules } from '../share-state.ts';
import { type BulkProps, BulkResults, Close, countText, useBulk } from './bulk-dialogs.tsx';
import { Check } from './check.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { PasswordField } from './password-field.tsx';
import { ReadingView } from './reading-view.tsx';
import { type ScheduleChoice, ScheduleField } from './schedule-field.tsx';
import { OncePassword } from './share-links.tsx';
import { SignInCheck } from './sign-in-check.tsx';

const DAY_SEC = 86_400;
const AT_ONCE = 4;

export function BulkShareDialog({ cameras, onClose }: BulkProps) {
  const [taken] = useState(cameras);
  const [expiry, setExpiry] = useState<Expiry>({ kind: 'in', sec: DAY_SEC });
  const [password, setPassword] = useState('');
  const [schedule, setSchedule] = useState<ScheduleChoice>({ scheduleUuid: null, invertSchedule: false });
  const [isMuted, setIsMuted] = useState(false);
  const [needsSignIn, setNeedsSignIn] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [isStarted, setIsStarted] = useState(false);
  const { progress, start } = useBulk<string>();
  const schedules = useReading(readSchedules, []);
  // A password of blanks counts as none; any other text counts as typed.
  const given = strengthOf(password) === 'none' ? '' : password;

  const submit = () => {
    const found = expiryFault(expiry, gatewayNowMs());
    setFault(found);
    if (found !== null) return;
    setIsStarted(true);
    void start(taken, AT_ONCE, ({ uuid, name }) =>
      createShare({
        target: { uuid, name, kind: 'camera' },
        name: '',
        password: given,
        hasSound: !isMuted,
        needsSignIn,
        ...schedule,
        expirationTimeSecs: expirationTimeSecs(expiry),
      }),
    );
  };
  return (
    <Dialog title={isStarted ? 'Links' : `Share ${countText(taken.length)}`} onClose={onClose}>
      {isStarted ? (
        <div class="form">
          <BulkResults cameras={taken} progress={progress} text={() => 'Shared'} />
          {given !== '' && <OncePassword password={given} />}
          <Close onClose={onClose}>
            <CopyLinks
              cameras={taken}
              shareOf={(uuid) => {
                const state = progress.get(uuid);
                return state?.kind === 'done' ? state.result : null;
              }}
              isWhole={[...progress.values()].every(({ kind }) => kind === 'done' || kind === 'failed')}
            />
          </Close>
        </div>
      ) : (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <p class="hint">Each camera gets a link of its own, with these terms.</p>
          <ExpiryField expiry={expiry} error={fault} onExpiry={setExpiry} />
          <PasswordField label="Password for all" value={password} onValue={setPassword} />
          <ReadingView reading={schedules} what="schedules">
            {(known) => (
              <ScheduleField
                choice={schedule}
                schedules={known}
                cameraUuids={taken.map(({ uuid }) => uuid)}
                onChoice={setSchedule}
              />
            )}
          </ReadingView>
          <Check
            label="Without sound"
            hint="This cannot be changed later."
            isChecked={isMuted}
            onCheck={setIsMuted}
          />
          <SignInCheck isChecked={needsSignIn} onCheck={setNeedsSignIn} />
          <footer>
            <button type="submit" class="primary">
              {`Create ${taken.length === 1 ? 'link' : `${taken.length} links`}`}
            </button>
            <button type="button" onClick={onClose}>
              Cancel
            </button>
          </footer>
        </form>
      )}
    </Dialog>
  );
}

/** The gateway is asked for the links when all are made. */
function CopyLinks({
  cameras,
  shareOf,
  isWhole,
}: {
  readonly cameras: readonly CameraItem[];
  readonly shareOf: (cameraUuid: string) => string | null;
  readonly isWhole: boolean;
}) {
  const made = cameras.flatMap(({ uuid, name }) => {
    const share = shareOf(uuid);
    return share === null ? [] : [{ name, share }];
  });
  if (!isWhole || made.length === 0) return null;
  return <CopyRead made={made} />;
}

function CopyRead({ made }: { readonly made: readonly { readonly name: string; readonly share: string }[] }) {
  const reading = useReading(async (signal) => {
    const urls = await findPageUrls(
      made.map(({ share }) => share),
      signal,
    );
    return made.map(({ name, share }) => `${name}\t${urls.get(share) ?? ''}`).join('\n');
  }, []);
  return (
    <ReadingView reading={reading} what="links">
      {(text) => (
        <CopyButton what={made.length === 1 ? 'link' : `${made.length} links`} text={text} isPrimary />
      )}
    </ReadingView>
  );
}
