/** One share: what its viewers see, its links, and what can be done with it, a step at a time. */

import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { may } from '../session.ts';
import type { SeenState, ShareItem } from '../share-seen.ts';
import { type SharesRead, viewersOf } from '../share-state.ts';
import { ClockTime } from './clock-time.tsx';
import { Dialog } from './dialog.tsx';
import { SeenSentence } from './seen-sign.tsx';
import { OncePassword, ShareLinks } from './share-links.tsx';
import { EditStep, EndStep, ExtendStep, PasswordStep } from './share-steps.tsx';
import { isOffline } from './share-table.tsx';
import { ExactTime } from './time.tsx';

type Step = 'view' | 'edit' | 'extend' | 'password' | 'end';

export interface ShareDialogProps {
  readonly share: ShareItem;
  readonly state: SeenState;
  readonly read: SharesRead;
  /** It was created a moment ago; its password, empty for none. */
  readonly created: string | null;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function ShareDialog({ share, state, read, created, onChanged, onClose }: ShareDialogProps) {
  const [step, setStep] = useState<Step>('view');
  const rowStays = useRef(true);
  const [password, setPassword] = useState(created ?? '');
  const done = () => {
    onChanged();
    setStep('view');
  };
  const back = () => setStep('view');
  const titles: Readonly<Record<Step, string>> = {
    view: created === null ? share.name : `The link of ${share.name} is ready`,
    edit: `Edit ${share.name}`,
    extend: `Extend ${share.name}`,
    password: `Password of ${share.name}`,
    end: `End ${share.name}?`,
  };
  return (
    <Dialog title={titles[step]} onClose={onClose} openerStays={rowStays}>
      {step === 'view' && (
        <View
          share={share}
          state={state}
          read={read}
          password={password}
          isNew={created !== null}
          onStep={setStep}
        />
      )}
      {step === 'edit' && <EditStep share={share} schedules={read.schedules} onDone={done} onBack={back} />}
      {step === 'extend' && <ExtendStep share={share} onDone={done} onBack={back} />}
      {step === 'password' && (
        <PasswordStep
          share={share}
          onDone={(set) => {
            setPassword(set);
            done();
          }}
          onBack={back}
        />
      )}
      {step === 'end' && (
        <EndStep
          share={share}
          viewers={viewersOf(share)}
          onDone={() => {
            rowStays.current = false;
            onChanged();
            onClose();
          }}
          onBack={back}
        />
      )}
    </Dialog>
  );
}

function View({
  share,
  state,
  read,
  password,
  isNew,
  onStep,
}: {
  readonly share: ShareItem;
  readonly state: SeenState;
  readonly read: SharesRead;
  readonly password: string;
  readonly isNew: boolean;
  readonly onStep: (step: Step) => void;
}) {
  const schedule = share.scheduleUuid === null ? undefined : read.schedules.get(share.scheduleUuid);
  return (
    <div class="form">
      <p class="seen-now">
        <span class={`seen ${state.kind}`}>
          <SeenSentence
            state={state}
            isOffline={isOffline(share, read)}
            scheduleName={schedule?.name ?? null}
          />
        </span>
      </p>
      {isNew && <p class="hint">Point a phone’s camera at the code, or copy the link.</p>}
      <ShareLinks share={share} />
      {password !== '' && <OncePassword password={password} />}
      <Facts share={share} scheduleName={schedule?.name ?? null} />
      {may('operator') && (
        <footer>
          <button type="button" onClick={() => onStep('edit')}>
            Edit
          </button>
          {share.expiresAtMs !== null && (
            <button type="button" onClick={() => onStep('extend')}>
              Extend
            </button>
          )}
          <button type="button" onClick={() => onStep('password')}>
            {share.hasPassword ? 'New password' : 'Set a password'}
          </button>
          <button type="button" class="danger" onClick={() => onStep('end')}>
            End share
          </button>
        </footer>
      )}
    </div>
  );
}

function Facts({ share, scheduleName }: { readonly share: ShareItem; readonly scheduleName: string | null }) {
  const viewers = viewersOf(share);
  return (
    <dl class="facts">
      <Fact name="Shows">
        {share.targetName}
        {share.kind === 'wall' && ` (${share.parts.length} cameras)`}
        {share.hasPast && ', also the past'}
      </Fact>
      <Fact name="Ends">
        {share.expiresAtMs === null ? 'Never' : <ClockTime epochMs={share.expiresAtMs} />}
      </Fact>
      <Fact name="Password">{share.hasPassword ? 'Yes' : 'No: everyone who has the link can watch'}</Fact>
      <Fact name="Schedule">
        {scheduleName === null
          ? 'None'
          : `${share.invertSchedule ? 'Hidden' : 'Shown'} during “${scheduleName}”`}
      </Fact>
      {viewers !== null && <Fact name="Watching now">{String(viewers)}</Fact>}
      <Fact name="Created">
        <ExactTime epochMs={share.createdAtMs} />
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
