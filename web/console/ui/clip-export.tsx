/** The dialog that makes a clip, or a case of several cameras: its link, its download, or only its place among the clips. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { dayTimeFormat } from '../../words/formats.ts';
import { type CasePart, type CaseRequest, ClipCase, failureText, isSettled } from '../clip-case.ts';
import type { Expiry } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { format } from '../time-axis.ts';
import { t } from '../words.ts';
import { EveryDeviceCheck, fileUrl } from './clip-download.tsx';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { FormDialog } from './form-dialog.tsx';
import { FormError } from './form-error.tsx';
import { LinkReadyDialog } from './link-ready.tsx';
import { TermsFields, useTerms } from './share-terms.tsx';
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
  const [step, setStep] = useState(kind);
  switch (step) {
    case 'share':
      return <ShareSteps {...{ clips, title: wanted.title || t('Clip'), description, onBack, onDone }} />;
    case 'download':
      return <DownloadStep {...{ clips, description, onBack, onDone }} />;
    case 'save':
      return <SaveStep {...{ clips, onBack, onDone }} onShare={() => setStep('share')} />;
  }
}

/** Where, when, and by whose clock: viewers of the link read it, and so do those who save it. */
function caseText({ cut, cameras }: CaseRequest, siteName: string, timeZone: string): string {
  const [from, to] = [format(timeZone, 'exact', cut.fromMs), format(timeZone, 'exact', cut.toMs)];
  const times = t('{from} to {to} ({zone})', { from, to, zone: timeZone });
  return `${siteName}: ${cameras.map(({ name }) => name).join(', ')}. ${times}.`;
}

interface StepProps {
  readonly clips: ClipCase;
  readonly description: string;
  readonly onBack: () => void;
  readonly onDone: () => void;
}

function ShareSteps({ clips, title, description, onBack, onDone }: StepProps & { readonly title: string }) {
  const terms = useTerms(WEEK_SEC);
  const [made, setMade] = useState<MadeLink | null>(null);
  const submit = async () => {
    const given = terms.check();
    if (given === null) return;
    await clips.order();
    const { expirationTimeSecs, password } = given;
    const url = await clips.share({
      description,
      ...(password === '' ? {} : { plaintextPassword: password }),
      ...(expirationTimeSecs === undefined ? {} : { expirationTimeSecs }),
    });
    setMade({ url, password });
  };
  if (made !== null) {
    return (
      <LinkReadyDialog
        link={{ name: title, pageUrl: made.url, isEmbeddable: false }}
        password={made.password}
        onClose={onDone}
      >
        <p class="hint">{endText(terms.expiry)}</p>
        <PartList parts={clips.parts.value} />
      </LinkReadyDialog>
    );
  }
  return (
    <FormDialog title={t('Share clip')} submit={t('Create link')} onSubmit={submit} onClose={onBack}>
      <p class="hint">{description}</p>
      <TermsFields draft={terms} />
    </FormDialog>
  );
}

interface MadeLink {
  readonly url: string;
  /** Empty: none. */
  readonly password: string;
}

function endText(expiry: Expiry): string {
  if (expiry.kind === 'never') return t('The link does not end.');
  const epochMs = expiry.kind === 'in' ? gatewayNowMs() + expiry.sec * 1_000 : expiry.epochMs!;
  const time = dayTimeFormat('dateMinutes').format(epochMs);
  return t('The link ends {time}, your own time.', { time });
}

function DownloadStep({ clips, description, onBack, onDone }: StepProps) {
  const parts = clips.parts.value;
  const [url, setUrl] = useState<string | null>(null);
  const [isForEveryDevice, setForEveryDevice] = useState(false);
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
    <Dialog title={t('Download')} onClose={isFailed ? onBack : onDone}>
      <div class="dialog-body">
        <PartList parts={parts} />
        {url !== null && (
          <p class="hint">
            {parts.length === 1
              ? t('The file is an MP4. Its address works for one hour.')
              : t(
                  'One ZIP with a file per camera, and a note with names, times, and checksums. Its address works for one hour.',
                )}
          </p>
        )}
        {url !== null && parts.length === 1 && (
          <EveryDeviceCheck isChecked={isForEveryDevice} onCheck={setForEveryDevice} />
        )}
        <FormError error={naming.error ?? (isFailed ? null : ordering.error)} />
      </div>
      <DialogFooter>
        {url === null && !isFailed ? (
          <CancelButton clips={clips} onCanceled={onBack} />
        ) : (
          <button type="button" onClick={isFailed ? onBack : onDone}>
            {isFailed ? t('Back') : t('Done')}
          </button>
        )}
        {url !== null && (
          <a class="button primary" href={fileUrl(url, isForEveryDevice)} target="_blank" rel="noreferrer">
            {t('Save file')}
          </a>
        )}
        {naming.error !== null && (
          <button type="button" class="primary" onClick={prepare}>
            {t('Try again')}
          </button>
        )}
      </DialogFooter>
    </Dialog>
  );
}

function SaveStep({
  clips,
  onBack,
  onDone,
  onShare,
}: Omit<StepProps, 'description'> & { readonly onShare: () => void }) {
  const parts = clips.parts.value;
  const { error, run } = useAction();
  useEffect(() => void run(() => clips.order()), []);
  const isFailed = isSettled(parts) && parts.every(({ state }) => state === 'failed');
  return (
    <Dialog title={t('Save clip')} onClose={isFailed ? onBack : onDone}>
      <div class="dialog-body">
        <PartList parts={parts} />
        <FormError error={isFailed ? null : error} />
        {!isFailed && (
          <p>{t('It stays under Clips, below the timeline, until someone deletes it. Send it as a link?')}</p>
        )}
      </div>
      <DialogFooter>
        {isSettled(parts) ? null : <CancelButton clips={clips} onCanceled={onBack} />}
        <button type="button" class={isFailed ? 'primary' : ''} onClick={isFailed ? onBack : onDone}>
          {isFailed ? t('Back') : t('Done')}
        </button>
        {isSettled(parts) && !isFailed && (
          <button type="button" class="primary" onClick={onShare}>
            {t('Create a link')}
          </button>
        )}
      </DialogFooter>
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
      {t('Cancel')}
    </button>
  );
}

function PartList({ parts }: { readonly parts: readonly CasePart[] }) {
  return (
    <ul class="case-parts" aria-label={t('Cameras of the clip')}>
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
      return <span class="clip-state good">{t('Ready')}</span>;
    case 'failed':
      return <span class="trouble">{failureText(why)}</span>;
    case 'canceled':
      return <span class="hint">{t('Canceled')}</span>;
    case 'waiting':
      return <span class="hint">{t('Waiting')}</span>;
    case 'making':
      return (
        <span class="clip-state">
          <progress
            aria-label={t('Progress of {clip}', { clip: name })}
            max={100}
            {...(percent === 0 ? {} : { value: percent })}
          />{' '}
          {percent === 0 ? t('Waiting for the recording') : `${percent} %`}
        </span>
      );
  }
}
