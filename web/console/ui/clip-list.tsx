/** Clips of the cameras on the timeline: how far they are, their files, and links to share them. */

import { useEffect, useState } from 'preact/hooks';
import { TIME_ZONE } from '../../words/choices.ts';
import { CallError, call } from '../api.ts';
import { casePlace, holdOfClip, type LegalHold } from '../case-list.ts';
import { failureText } from '../clip-case.ts';
import { openPreview } from '../stream-state.ts';
import { format, lengthText } from '../time-axis.ts';
import {
  type ClipProgress,
  camerasOf,
  clipSpan,
  readClipProgress,
  type TimelineClip,
} from '../timeline-state.ts';
import { t } from '../words.ts';
import { AddToCaseDialog } from './add-to-case.tsx';
import { ClipDownloadDialog, fileUrl } from './clip-download.tsx';
import { ClipSignature } from './clip-signature.tsx';
import { DeleteClipDialog } from './delete-clip.tsx';
import { FormDialog } from './form-dialog.tsx';
import { FormError } from './form-error.tsx';
import { LinkReadyDialog } from './link-ready.tsx';
import { TermsFields, useTerms } from './share-terms.tsx';
import { useAction } from './use-action.ts';

/** The real-time stream does not tell the progress. */
const PROGRESS_MS = 1_000;
const DAY_SEC = 86_400;

export function ClipList({
  clips,
  names,
  timeZone,
  isOperator,
  holds,
  onSeek,
}: {
  readonly clips: readonly TimelineClip[];
  readonly names: ReadonlyMap<string, string>;
  readonly timeZone: string;
  readonly isOperator: boolean;
  readonly holds: readonly LegalHold[];
  readonly onSeek: (epochMs: number) => void;
}) {
  const [shared, setShared] = useState<TimelineClip | null>(null);
  const [added, setAdded] = useState<TimelineClip | null>(null);
  const [deleted, setDeleted] = useState<{ readonly clip: TimelineClip; readonly isMade: boolean } | null>(
    null,
  );
  return (
    <>
      <ul class="clip-list">
        {clips.map((clip) => (
          <ClipRow
            key={clip.uuid}
            clip={clip}
            names={names}
            timeZone={timeZone}
            onSeek={onSeek}
            hold={holdOfClip(holds, clip)}
            onShare={isOperator ? () => setShared(clip) : null}
            onCase={isOperator ? () => setAdded(clip) : null}
            onDelete={isOperator ? (isMade) => setDeleted({ clip, isMade }) : null}
          />
        ))}
      </ul>
      {shared !== null && <ShareClipDialog clip={shared} onClose={() => setShared(null)} />}
      {added !== null && (
        <AddToCaseDialog
          things={[{ clipUuid: added.uuid }]}
          firstTitle={added.title ?? ''}
          summary={t('Clip: {title}', { title: added.title ?? t('Clip') })}
          onClose={() => setAdded(null)}
        />
      )}
      {deleted !== null && (
        <DeleteClipDialog
          uuid={deleted.clip.uuid}
          title={deleted.clip.title ?? t('Clip')}
          isMade={deleted.isMade}
          onClose={() => setDeleted(null)}
        />
      )}
    </>
  );
}

function ClipRow({
  clip,
  names,
  timeZone,
  hold,
  onSeek,
  onShare,
  onCase,
  onDelete,
}: {
  readonly clip: TimelineClip;
  readonly names: ReadonlyMap<string, string>;
  readonly timeZone: string;
  /** Null: nothing keeps it. */
  readonly hold: LegalHold | null;
  readonly onSeek: (epochMs: number) => void;
  readonly onShare: (() => void) | null;
  readonly onCase: (() => void) | null;
  /** Null: the person may not. */
  readonly onDelete: ((isMade: boolean) => void) | null;
}) {
  const progress = useProgress(clip);
  const { fromMs, toMs } = clipSpan(clip);
  const status = progress?.status ?? clip.status;
  const title = clip.title ?? t('Clip');
  const { isBusy, error, run } = useAction();
  const [downloaded, setDownloaded] = useState<Downloaded | null>(null);
  return (
    <li>
      <div class="clip-text">
        <h3>
          {title} {hold !== null && <HeldBadge hold={hold} />}
        </h3>
        <p class="hint">
          {format(timeZone, 'exact', fromMs)} · {lengthText(toMs - fromMs)} ·{' '}
          {camerasOf(clip)
            .map((uuid) => names.get(uuid) ?? t('another camera'))
            .join(', ')}
        </p>
        <StatusLine status={status ?? 'UNKNOWN'} progress={progress} />
        {clip.cameraSignatures?.map((signature) => (
          <ClipSignature
            key={signature.cameraUuid}
            signature={signature}
            name={
              clip.deviceUuids.length > 1 ? (names.get(signature.cameraUuid) ?? t('another camera')) : null
            }
          />
        ))}
        <FormError error={error} />
      </div>
      <div class="clip-actions">
        <button
          type="button"
          onClick={() => onSeek(fromMs)}
          aria-label={t('Show {title} on the timeline', { title })}
        >
          {t('Show')}
        </button>
        {status === 'COMPLETE' && onShare !== null && (
          <button
            type="button"
            disabled={isBusy}
            aria-label={t('Download {title}', { title })}
            // Several files are one ZIP, as they were recorded.
            onClick={() =>
              camerasOf(clip).length === 1
                ? setDownloaded({ title, save: (isForAll) => downloadClip(clip, isForAll) })
                : void run(() => downloadClip(clip, false))
            }
          >
            {t('Download')}
          </button>
        )}
        {status === 'COMPLETE' &&
          onShare === null &&
          camerasOf(clip)
            .filter((uuid) => names.has(uuid))
            .map((uuid) => (
              <button
                key={uuid}
                type="button"
                disabled={isBusy}
                aria-label={t('Download {title}', { title: `${names.get(uuid)}: ${title}` })}
                onClick={() =>
                  setDownloaded({
                    title: `${names.get(uuid)}: ${title}`,
                    save: (isForAll) => download(uuid, clip, isForAll),
                  })
                }
              >
                {t('Download {title}', { title: names.get(uuid)! })}
              </button>
            ))}
        {onShare !== null && status !== 'FAILED' && (
          <button type="button" onClick={onShare} aria-label={t('Share {title}', { title })}>
            {t('Share')}
          </button>
        )}
        {onCase !== null && status === 'COMPLETE' && (
          <button type="button" onClick={onCase} aria-label={t('Add to case: {title}', { title })}>
            {t('Add to case')}
          </button>
        )}
        {onDelete !== null && hold === null && (
          <button
            type="button"
            class="danger"
            onClick={() => onDelete(status === 'COMPLETE')}
            aria-label={t('Delete {title}', { title })}
          >
            {t('Delete')}
          </button>
        )}
      </div>
      {downloaded !== null && (
        <ClipDownloadDialog
          title={downloaded.title}
          onDownload={downloaded.save}
          onClose={() => setDownloaded(null)}
        />
      )}
    </li>
  );
}

interface Downloaded {
  readonly title: string;
  readonly save: (isForEveryDevice: boolean) => Promise<void>;
}

/** Someone must release it before it can be deleted. */
function HeldBadge({ hold: { caseUuid, reason } }: { readonly hold: LegalHold }) {
  if (caseUuid === undefined) {
    return (
      <span class="badge" title={reason}>
        {t('Held')}
      </span>
    );
  }
  return (
    <a class="badge" href={casePlace(caseUuid)} title={reason}>
      {t('Held')}
    </a>
  );
}

function StatusLine({
  status,
  progress,
}: {
  readonly status: string;
  readonly progress: ClipProgress | null;
}) {
  if (status === 'COMPLETE') return <p class="clip-state good">{t('Ready')}</p>;
  if (status === 'FAILED') {
    const code = progress?.currentOperation;
    return (
      <p class="trouble">
        {failureText(code ?? null)} {code !== undefined && <code>{code}</code>}
      </p>
    );
  }
  if (!IN_PROGRESS.has(status)) return null;
  const percent = progress?.percentComplete;
  return (
    <p class="clip-state">
      <progress
        aria-label={t('Progress of the clip')}
        max={100}
        {...(percent === undefined ? {} : { value: percent })}
      />{' '}
      {percent === undefined || percent === 0 ? t('Waiting for the recording') : `${percent} %`}
    </p>
  );
}

const IN_PROGRESS: ReadonlySet<string> = new Set(['INITIATING', 'UPLOADING', 'RENDERING']);

/** Asked for only while it is being made, and once of what failed. */
function useProgress(clip: TimelineClip): ClipProgress | null {
  const [progress, setProgress] = useState<ClipProgress | null>(null);
  const isOpen = clip.status !== 'COMPLETE' && clip.status !== 'UNKNOWN';
  useEffect(() => {
    if (!isOpen) {
      setProgress(null);
      return;
    }
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const read = await readClipProgress(clip.uuid, left.signal);
        setProgress(read);
        if (!IN_PROGRESS.has(read.status ?? '')) return;
      } catch (error) {
        // The next look may succeed; a clip that was deleted leaves the list.
        if (!(error instanceof CallError)) return;
      }
      timer = setTimeout(look, PROGRESS_MS);
    };
    void look();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [clip.uuid, clip.status]);
  return progress;
}

/** The stored file, which outlives the recording: an address of it is a link, which is for operators. */
async function downloadClip({ uuid, title }: TimelineClip, isForEveryDevice: boolean): Promise<void> {
  const named = title === undefined ? {} : { title };
  const { downloadUrl } = await call('event/createClipDownload', { clipUuids: [uuid], ...named });
  openFile(fileUrl(downloadUrl, isForEveryDevice));
}

/** The file is made of the recording: the media listener knows a grant, and not who signed in to the console. */
async function download(cameraUuid: string, clip: TimelineClip, isForEveryDevice: boolean): Promise<void> {
  const { playlistUrl } = await openPreview(cameraUuid, null, AbortSignal.timeout(30_000));
  const zone = encodeURIComponent(TIME_ZONE);
  const range = `vod/${clip.timestampMs / 1_000}/${clip.durationSec ?? 1}/clip.mp4?download&tz=${zone}`;
  openFile(fileUrl(new URL(range, playlistUrl).href, isForEveryDevice));
}

function openFile(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  // If there is no file, a page of its own shows the reason.
  link.target = '_blank';
  link.rel = 'noopener';
  link.click();
}

function ShareClipDialog({ clip, onClose }: { readonly clip: TimelineClip; readonly onClose: () => void }) {
  const terms = useTerms(DAY_SEC);
  const [made, setMade] = useState<{ readonly url: string; readonly password: string } | null>(null);
  const title = clip.title ?? t('Clip');
  const submit = async () => {
    const given = terms.check();
    if (given === null) return;
    const { expirationTimeSecs, password } = given;
    const { shareUrl } = await call('event/createSharedClipGroupV3', {
      uuids: [{ eventUuid: clip.uuid }],
      title,
      ...(password === '' ? {} : { plaintextPassword: password }),
      ...(expirationTimeSecs === undefined ? {} : { expirationTimeSecs }),
    });
    setMade({ url: shareUrl, password });
  };
  if (made !== null) {
    return (
      <LinkReadyDialog
        link={{ name: title, pageUrl: made.url, isEmbeddable: false }}
        password={made.password}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog title={t('Share clip')} submit={t('Create link')} onSubmit={submit} onClose={onClose}>
      <TermsFields draft={terms} />
    </FormDialog>
  );
}
