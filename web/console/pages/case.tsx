/** One case: what it contains, and its seal, archive, and links. */

import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { call } from '../api.ts';
import {
  CASES_PLACE,
  type CaseRead,
  cameraFacts,
  type EvidenceCase,
  type EvidenceItem,
  itemGroups,
  readCase,
  sealFailureText,
  spanOf,
  spanPlace,
} from '../case-list.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { format, lengthText } from '../time-axis.ts';
import { CaseDialog, DeleteCaseDialog, ReopenDialog, SealDialog } from '../ui/case-dialogs.tsx';
import { CaseLinks } from '../ui/case-links.tsx';
import { CopyField } from '../ui/copy-field.tsx';
import { Facts } from '../ui/facts.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { PastPicture } from '../ui/past-picture.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { ExactTime } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { t, tRich } from '../words.ts';
import { CaseBadge } from './cases.tsx';

const CONCERNED: ReadonlySet<string> = new Set(['EVIDENCE_CASE', 'SAVED_CLIPS', 'LOCATION']);

type Opened = 'edit' | 'seal' | 'reopen' | 'delete';

export function CasePage() {
  const uuid = useRoute().params.caseUuid ?? '';
  const reading = useReading(
    (signal) => readCase(uuid, signal),
    [uuid],
    ({ entity }) => CONCERNED.has(entity),
  );
  return (
    <ReadingView reading={reading} what={t('the case')} title={t('Case')}>
      {(read) =>
        read === null ? (
          <Notice isPage title={t('This case does not exist')}>
            <p>
              {tRich('It was deleted, or the address is wrong. <link>See all cases</link>', {
                link: (text) => <a href={CASES_PLACE}>{text}</a>,
              })}
            </p>
          </Notice>
        ) : (
          <Shown read={read} refresh={reading.refresh} />
        )
      }
    </ReadingView>
  );
}

function Shown({ read, refresh }: { readonly read: CaseRead; readonly refresh: () => void }) {
  const { evidenceCase } = read;
  const { title, number, notes, state, failureCode, sealedBy, sealedAtMs, hiddenItems, fingerprint } =
    evidenceCase;
  usePageTitle(title);
  const { route } = useLocation();
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  const changed = () => {
    refresh();
    close();
  };
  const dialog = { evidenceCase, onClose: changed };
  // Those who do not see all items cannot seal or share it.
  const isWhole = hiddenItems === 0;
  return (
    <div class="case-page">
      <p>
        <a href={CASES_PLACE}>{t('All cases')}</a>
      </p>
      <div class="page-head">
        <h1>
          {title} <CaseBadge state={state} />
        </h1>
        {isWhole && <Deeds read={read} open={setOpened} />}
      </div>
      {isOpen(evidenceCase) && (
        <p class="hint">
          {t(
            'Seal the case when everything is in it: it then becomes one signed archive that can be shared and checked, and no longer changes.',
          )}
        </p>
      )}
      {failureCode !== undefined && <p class="outdated">{sealFailureText(failureCode)}</p>}
      {!isWhole && (
        <p class="hint">
          {t(
            '{count, plural, one {# more item is of a camera} other {# more items are of cameras}} that you cannot see. Someone who sees all of them can seal and share the case.',
            { count: hiddenItems },
          )}
        </p>
      )}
      <Facts
        facts={[
          [t('Number'), number],
          [t('Notes'), notes === '' ? null : <span class="case-notes">{notes}</span>],
          [
            t('Opened'),
            tRich('{time} by {name}', {
              time: <ExactTime epochMs={evidenceCase.createdAtMs} />,
              name: evidenceCase.createdBy,
            }),
          ],
          [
            t('Sealed'),
            sealedAtMs === undefined
              ? null
              : tRich('{time} by {name}', {
                  time: <ExactTime epochMs={sealedAtMs} />,
                  name: sealedBy ?? '',
                }),
          ],
        ]}
      />
      <Items read={read} isChangeable={isOpen(evidenceCase) && may('operator')} onChanged={refresh} />
      {fingerprint !== undefined && (
        <section class="part">
          <h2>{t('Proof')}</h2>
          <CopyField label={t('Fingerprint of the key')} value={fingerprint.replaceAll(/..(?=.)/g, '$&:')} />
          <p class="hint">
            {t(
              'Tell it to recipients in another way than the link, such as by phone. The page verify.html in the archive shows the same fingerprint if the archive is from this gateway.',
            )}
          </p>
        </section>
      )}
      {isWhole && may('operator') && <CaseLinks evidenceCase={evidenceCase} />}
      {opened === 'edit' && <CaseDialog known={evidenceCase} onSaved={changed} onClose={close} />}
      {opened === 'seal' && <SealDialog {...dialog} />}
      {opened === 'reopen' && <ReopenDialog {...dialog} />}
      {opened === 'delete' && (
        <DeleteCaseDialog evidenceCase={evidenceCase} onDeleted={() => route(CASES_PLACE)} onClose={close} />
      )}
    </div>
  );
}

function isOpen({ state }: EvidenceCase): boolean {
  return state === 'open' || state === 'failed';
}

/** Where footage is cut for the case: at what the case has already, or at the timeline's first camera. */
function footagePlace({ evidenceCase: { uuid, items }, clips }: CaseRead): string {
  const item = items.at(-1);
  const span = item === undefined ? null : spanOf(item, clips);
  const cameraUuid = item?.cameraUuids[0];
  const to = `case=${encodeURIComponent(uuid)}`;
  if (span === null || cameraUuid === undefined) return place(`timeline?${to}`);
  return `${spanPlace(cameraUuid, span)}&${to}`;
}

function Deeds({ read, open }: { readonly read: CaseRead; readonly open: (opened: Opened) => void }) {
  const { evidenceCase } = read;
  const { uuid, state, items } = evidenceCase;
  const { isBusy, error, run } = useAction();
  if (!may('operator')) return null;
  const download = async () => {
    const { downloadUrl } = await call('evidence/createCaseDownload', { caseUuid: uuid });
    const link = document.createElement('a');
    link.href = downloadUrl;
    link.target = '_blank';
    link.rel = 'noopener';
    link.click();
  };
  return (
    <div class="buttons">
      {isOpen(evidenceCase) && (
        <>
          <a class="button" href={footagePlace(read)}>
            <Icon name="plus" /> {t('Add footage')}
          </a>
          <button type="button" onClick={() => open('edit')}>
            {t('Edit')}
          </button>
          <button type="button" class="primary" disabled={items.length === 0} onClick={() => open('seal')}>
            <Icon name="lock" /> {t('Seal')}
          </button>
        </>
      )}
      {state === 'sealed' && (
        <button type="button" class="primary" disabled={isBusy} onClick={() => void run(download)}>
          <Icon name="download" /> {t('Download archive')}
        </button>
      )}
      {may('admin') && state !== 'open' && state !== 'failed' && (
        <button type="button" onClick={() => open('reopen')}>
          {t('Reopen')}
        </button>
      )}
      {may('admin') && (
        <button type="button" class="danger" onClick={() => open('delete')}>
          {t('Delete')}
        </button>
      )}
      <FormError error={error} />
    </div>
  );
}

function Items({
  read,
  isChangeable,
  onChanged,
}: {
  readonly read: CaseRead;
  readonly isChangeable: boolean;
  readonly onChanged: () => void;
}) {
  const { evidenceCase, sites, clips } = read;
  const [removed, setRemoved] = useState<EvidenceItem | null>(null);
  const groups = itemGroups(evidenceCase.items, clips);
  return (
    <section class="part" aria-label={t('Contents')}>
      <h2>{t('Contents')}</h2>
      {groups.length === 0 && (
        <Notice title={t('The case is empty')} draws="clips">
          <p>
            {tRich(
              'Choose “Cut a clip” on the <link>timeline</link>, or a clip there, and add it to this case.',
              {
                link: (text) => <a href="timeline">{text}</a>,
              },
            )}
          </p>
        </Notice>
      )}
      {groups.map(({ cameraUuid, items }) => {
        const facts = cameraUuid === null ? null : cameraFacts(sites, cameraUuid);
        return (
          <section key={cameraUuid ?? ''} class="case-camera">
            <h3>
              {facts?.name ?? t('Clips of several cameras')}{' '}
              {facts !== null && <span class="hint">{facts.timeZone}</span>}
            </h3>
            <ul class="clip-list">
              {items.map((item) => (
                <Item
                  key={item.uuid}
                  item={item}
                  read={read}
                  timeZone={facts?.timeZone ?? cameraFacts(sites, item.cameraUuids[0] ?? '').timeZone}
                  onRemove={isChangeable ? () => setRemoved(item) : null}
                />
              ))}
            </ul>
          </section>
        );
      })}
      {removed !== null && (
        <FormDialog
          title={t('Remove this from the case?')}
          submit={t('Remove')}
          isDanger
          onSubmit={async () => {
            await call('evidence/removeFromCase', { caseUuid: evidenceCase.uuid, itemUuid: removed.uuid });
            onChanged();
            setRemoved(null);
          }}
          onClose={() => setRemoved(null)}
        >
          <p>{t('The case no longer holds it, so it is deleted as other recordings are.')}</p>
        </FormDialog>
      )}
    </section>
  );
}

function Item({
  item,
  read: { clips, sites },
  timeZone,
  onRemove,
}: {
  readonly item: EvidenceItem;
  readonly read: CaseRead;
  readonly timeZone: string;
  /** null: the person may not, or the case is sealed. */
  readonly onRemove: (() => void) | null;
}) {
  const span = spanOf(item, clips);
  const { clipUuid, cameraUuids, note, addedBy } = item;
  const clip = clipUuid === undefined ? null : (clips.get(clipUuid)?.title ?? t('Deleted clip'));
  const time =
    span === null
      ? ''
      : t('{from} to {to} ({length})', {
          from: format(timeZone, 'exact', span.fromMs),
          to: format(timeZone, 'exact', span.toMs),
          length: lengthText(span.toMs - span.fromMs),
        });
  const name = clip === null ? time : t('Clip: {title}', { title: clip });
  const [cameraUuid] = cameraUuids;
  return (
    <li>
      {span !== null && cameraUuid !== undefined && (
        <PastPicture cameraUuid={cameraUuid} atMs={(span.fromMs + span.toMs) / 2} hasVideo />
      )}
      <div class="clip-text">
        <h4>{name}</h4>
        {clip !== null && <p class="hint">{time}</p>}
        {cameraUuids.length > 1 && (
          <p class="hint">{cameraUuids.map((uuid) => cameraFacts(sites, uuid).name).join(', ')}</p>
        )}
        {note !== '' && <p class="case-notes">{note}</p>}
        <p class="hint">{t('Added by {name}', { name: addedBy })}</p>
      </div>
      <div class="clip-actions">
        {span !== null && cameraUuid !== undefined && (
          <a
            class="button"
            href={spanPlace(cameraUuid, span)}
            aria-label={t('Show {title} on the timeline', { title: name })}
          >
            {t('Show')}
          </a>
        )}
        {onRemove !== null && (
          <button type="button" class="danger" aria-label={t('Remove {name}', { name })} onClick={onRemove}>
            {t('Remove')}
          </button>
        )}
      </div>
    </li>
  );
}
