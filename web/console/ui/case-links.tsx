/** Links to the archive of a case: who has one can save it. */

import { useState } from 'preact/hooks';
import { type CaseLink, type EvidenceCase, readCaseLinks } from '../case-list.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { useReading } from '../reading.ts';
import { t } from '../words.ts';
import { CaseLinkDialog, RevokeLinkDialog, ShareCaseDialog } from './case-dialogs.tsx';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';
import { ReadingView } from './reading-view.tsx';
import { RecordTable } from './record-table.tsx';
import { TimeAgo } from './time.tsx';

const SEC_MS = 1_000;

type Opened = { readonly kind: 'share' } | { readonly kind: 'show' | 'revoke'; readonly link: CaseLink };

export function CaseLinks({ evidenceCase }: { readonly evidenceCase: EvidenceCase }) {
  const { uuid, title, state } = evidenceCase;
  // A link that is made while it is being sealed shows the archive when it is.
  const isSealed = state === 'sealing' || state === 'sealed';
  const reading = useReading(
    (signal) => readCaseLinks(uuid, signal),
    [uuid],
    ({ entity }) => entity === 'SHARED_CLIPS',
  );
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  return (
    <section class="part">
      <div class="section-head">
        <h2>{t('Links')}</h2>
        {isSealed && (
          <button type="button" onClick={() => setOpened({ kind: 'share' })}>
            <Icon name="share" /> {t('Share by link')}
          </button>
        )}
      </div>
      <ReadingView reading={reading} what={t('links')}>
        {(links) =>
          links.length === 0 ? (
            <Notice title={t('The case is not shared')}>
              <p>
                {isSealed
                  ? t('With a link, others save its archive without an account.')
                  : t('Seal it to share its archive by link.')}
              </p>
            </Notice>
          ) : (
            <RecordTable<CaseLink>
              name="case-links"
              label={t('Links')}
              items={links}
              keyOf={(link) => link.sharedClipGroupUuid}
              columns={[
                {
                  title: t('Link'),
                  cell: ({ shareUrl }) => (
                    <a class="link" href={shareUrl} target="_blank" rel="noreferrer">
                      {shareUrl}
                    </a>
                  ),
                },
                { title: t('Ends'), cell: (link) => <LinkEnd link={link} /> },
                {
                  title: t('Password'),
                  cell: ({ isSecured }) => (isSecured ? t('With password') : t('No password')),
                },
                { title: t('Created'), cell: ({ createdAtMs }) => <TimeAgo epochMs={createdAtMs} /> },
              ]}
              actions={(link) => (
                <>
                  <button
                    type="button"
                    class="quiet"
                    aria-label={t('Copy {what}', { what: link.shareUrl })}
                    onClick={() => setOpened({ kind: 'show', link })}
                  >
                    {t('Copy')}
                  </button>
                  <button
                    type="button"
                    class="quiet danger"
                    aria-label={t('End {name}', { name: link.shareUrl })}
                    onClick={() => setOpened({ kind: 'revoke', link })}
                  >
                    {t('End')}
                  </button>
                </>
              )}
            />
          )
        }
      </ReadingView>
      {opened?.kind === 'share' && (
        <ShareCaseDialog evidenceCase={evidenceCase} onShared={reading.refresh} onClose={close} />
      )}
      {opened?.kind === 'show' && (
        <CaseLinkDialog title={title} url={opened.link.shareUrl} password="" onClose={close} />
      )}
      {opened?.kind === 'revoke' && (
        <RevokeLinkDialog link={opened.link} onRevoked={reading.refresh} onClose={close} />
      )}
    </section>
  );
}

function LinkEnd({ link: { expirationTimeSecs } }: { readonly link: CaseLink }) {
  if (expirationTimeSecs === undefined) return <>{t('Never')}</>;
  const epochMs = expirationTimeSecs * SEC_MS;
  if (epochMs <= gatewayNowMs()) return <>{t('Has ended')}</>;
  return <TimeAgo epochMs={epochMs} />;
}
