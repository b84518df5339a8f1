/** The dialog that makes a clip, or a case of several cameras: its link, its download, or only its place among the clips. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { type CasePart, type CaseRequest, ClipCase, failureText, isSettled } from '../clip-case.ts';
import { type Expiry, expirationTimeSecs, expiryFault } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { strengthOf } from '../password.ts';
import { format } from '../time-axis.ts';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { FormError } from './form-error.tsx';
import { PasswordField } from './password-field.tsx';
import { QrCode } from './qr-code.tsx';
import { OncePassword } from './share-links.tsx';
import { useAction } from './use-action.ts';

export type ExportKind = 'share' | 'download' | 'save';

const WEEK_SEC = 604_800;

export function ClipExport({
  kind,
  wanted,
  timeZone,
  siteName,
  onBack,
  onDone,
}: {
  readonly kind: ExportKind;
  readonly wanted: CaseRequest;
  readonly timeZone: string;
  readonly siteName: string;
  /** Nothing was made. */
  readonly onBack: () => void;
  readonly onDone: () => void;
}) {
  const clips = useMemo(() => new ClipCase(wanted), []);
  useEffect(() => () => clips.close(), [clips]);
  const description = caseText(wanted, siteName, timeZone);
  switch (kind) {
    case 'share':
      return <ShareSteps {...{ clips, description, onBack, onDone }} />;
    case 'download':
      return <DownloadStep {...{ clips, description, onBack, onDone }} />;
    case 'save':
      return <SaveStep {...{ clips, onBack, onDone }} />;
  }
}

/** Where, when, and by whose clock: viewers of the link read it, and so do those who save it. */
function caseText({ cut, cameras }: CaseRequest, siteName: string, timeZone: string): string {
  const times = `${format(timeZone, 'exact', cut.fromMs)} to ${format(timeZone, 'exact', cut.toMs)} (${timeZone})`;
  return `${siteName}: ${cameras.map(({ name }) => name).join(', ')}. ${times}.`;
}

interface StepProps {
  readonly clips: ClipCase;
  readonly description: string;
  readonly onBack: () => void;
  readonly onDone: () => void;
}

function ShareSteps({ clips, description, onBack, onDone }: StepProps) {
  const [expiry, setExpiry] = useState<Expiry>({ kind: 'in', sec: WEEK_SEC });
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const { isBusy, error, run } = useAction();
  const hasPassword = strengthOf(password) !== 'none';
  const submit = () => {
    const found = expiryFault(expiry, gatewayNowMs());
    setFault(found);
    if (found !== null) return;
    void run(async () => {
      await clips.order();
      const expirationSecs = expirationTimeSecs(expiry);
      const url = await clips.share({
        description,
        ...(hasPassword ? { plaintextPassword: password } : {}),
        ...(expirationSecs === undefined ? {} : { expirationTimeSecs: expirationSecs }),
      });
      setLink(url);
    });
  };
  if (link !== null) {
    return (
      <Dialog title="The link is ready" onClose={onDone}>
        <div class="dialog-body">
          <LinkReady link={link} />
          {hasPassword && <OncePassword password={password} />}
          <p class="hint">{endText(expiry)}</p>
          <PartList parts={clips.parts.value} />
        </div>
        <footer>
          <button type="button" onClick={onDone}>
            Done
          </button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title="Share clip" onClose={onBack}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div class="dialog-body">
          <p class="hint">{description}</p>
          <ExpiryField expiry={expiry} error={fault} onExpiry={setExpiry} />
          <PasswordField label="Password" value={password} onValue={setPassword} />
          <FormError error={error} />
        </div>
        <footer>
          <button type="button" onClick={onBack}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? 'Creating…' : 'Create link'}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function LinkReady({ link }: { readonly link: string }) {
  return (
    <div class="links">
      <QrCode text={link} label="QR code of the link" />
      <div class="ways">
        <input
          type="text"
          readOnly
          class="secret"
          aria-label="Link to the clip"
          value={link}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <div class="buttons">
          <CopyButton what="link" text={link} isPrimary />
          <a class="button" href={link} target="_blank" rel="noreferrer">
            Open
          </a>
        </div>
      </div>
    </div>
  );
}

function endText(expiry: Expiry): string {
  if (expiry.kind === 'never') return 'The link does not end.';
  const epochMs = expiry.kind === 'in' ? gatewayNowMs() + expiry.sec * 1_000 : expiry.epochMs!;
  const at = new Date(epochMs).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return `The link ends ${at}, your own time.`;
}

function DownloadStep({ clips, description, onBack, onDone }: StepProps) {
  const parts = clips.parts.value;
  const [url, setUrl] = useState<string | null>(null);
  const ordering = useAction();
  const naming = useAction();
  useEffect(() => void ordering.run(() => clips.order()), []);
  const isReady = isSettled(parts) && parts.some(({ state }) => state === 'ready');
  const prepare = () => void naming.run(async () => setUrl(await clips.downloadUrl(description)));
  useEffect(() => {
    if (isReady) prepare();
  }, [isReady]);
  const isFailed = isSettled(parts) && !isReady;
  return (
    <Dialog title="Download" onClose={isFailed ? onBack : onDone}>
      <div class="dialog-body">
        <PartList parts={parts} />
        {url !== null && (
          <p class="hint">
            {parts.length === 1
              ? 'The file is an MP4. Its address works for one hour.'
              : 'One ZIP with a file per camera, and a note with names, times, and checksums. Its address works for one hour.'}
          </p>
        )}
        <FormError error={naming.error ?? (isFailed ? null : ordering.error)} />
      </div>
      <footer>
        {url === null && !isFailed ? (
          <CancelButton clips={clips} onCanceled={onBack} />
        ) : (
          <button type="button" onClick={isFailed ? onBack : onDone}>
            {isFailed ? 'Back' : 'Done'}
          </button>
        )}
        {url !== null && (
          <a class="button primary" href={url} target="_blank" rel="noreferrer">
            Save file
          </a>
        )}
        {naming.error !== null && (
          <button type="button" class="primary" onClick={prepare}>
            Try again
          </button>
        )}
      </footer>
    </Dialog>
  );
}

function SaveStep({ clips, onBack, onDone }: Omit<StepProps, 'description'>) {
  const parts = clips.parts.value;
  const { error, run } = useAction();
  useEffect(() => void run(() => clips.order()), []);
  const isFailed = isSettled(parts) && parts.every(({ state }) => state === 'failed');
  return (
    <Dialog title="Save clip" onClose={isFailed ? onBack : onDone}>
      <div class="dialog-body">
        <PartList parts={parts} />
        <FormError error={isFailed ? null : error} />
        <p class="hint">You find it among the clips below the timeline.</p>
      </div>
      <footer>
        {isSettled(parts) ? null : <CancelButton clips={clips} onCanceled={onBack} />}
        <button type="button" class="primary" onClick={isFailed ? onBack : onDone}>
          {isFailed ? 'Back' : 'Done'}
        </button>
      </footer>
    </Dialog>
  );
}

function CancelButton({ clips, onCanceled }: { readonly clips: ClipCase; readonly onCanceled: () => void }) {
  const { isBusy, run } = useAction();
  return (
    <button
      type="button"
      disabled={isBusy}
      onClick={() =>
        void run(async () => {
          await clips.cancel();
          onCanceled();
        })
      }
    >
      Cancel
    </button>
  );
}

function PartList({ parts }: { readonly parts: readonly CasePart[] }) {
  return (
    <ul class="case-parts" aria-label="Cameras of the clip">
      {parts.map((part) => (
        <li key={part.cameraUuid}>
          <b>{part.name}</b> <PartState part={part} />
        </li>
      ))}
    </ul>
  );
}

function PartState({ part: { name, state, percent, why } }: { readonly part: CasePart }) {
  switch (state) {
    case 'ready':
      return <span class="clip-state good">Ready</span>;
    case 'failed':
      return <span class="trouble">{failureText(why)}</span>;
    case 'canceled':
      return <span class="hint">Canceled</span>;
    case 'waiting':
      return <span class="hint">Waiting</span>;
    case 'making':
      return (
        <span class="clip-state">
          <progress
            aria-label={`Progress of ${name}`}
            max={100}
            {...(percent === 0 ? {} : { value: percent })}
          />{' '}
          {percent === 0 ? 'Waiting for the recording' : `${percent} %`}
        </span>
      );
  }
}
