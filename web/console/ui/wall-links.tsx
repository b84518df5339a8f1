/** The links of a wall: who has one can watch all of its cameras. */

import { useState } from 'preact/hooks';
import { gatewayNowMs } from '../gateway-clock.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { deleteWallLink, readWallLinks, shareWall, type Wall, type WallLink } from '../wall-list.ts';
import { t, tRich } from '../words.ts';
import { FormDialog } from './form-dialog.tsx';
import { Icon } from './icon.tsx';
import { LinkReadyDialog } from './link-ready.tsx';
import { Notice } from './notice.tsx';
import { ReadingView } from './reading-view.tsx';
import { RecordTable } from './record-table.tsx';
import { TermsFields, useTerms } from './share-terms.tsx';
import { TimeAgo } from './time.tsx';

const DAY_SEC = 86_400;
const SEC_MS = 1_000;

type Opened =
  | { readonly kind: 'create' }
  /** `password` empty: it has none, or it was shown before. */
  | { readonly kind: 'shown'; readonly title: string; readonly url: string; readonly password: string }
  | { readonly kind: 'delete'; readonly link: WallLink };

export function WallLinks({ wall }: { readonly wall: Wall }) {
  const reading = useReading(
    (signal) => readWallLinks(wall.uuid, signal),
    [wall.uuid],
    ({ entity }) => entity === 'VIDEO_WALL' || entity === 'SHARED_STREAMS',
  );
  const [opened, setOpened] = useState<Opened | null>(null);
  const isOperator = may('operator');
  return (
    <section class="part">
      <div class="section-head">
        <h2>{t('Links')}</h2>
        {isOperator && (
          <button type="button" onClick={() => setOpened({ kind: 'create' })}>
            <Icon name="share" /> {t('Share by link')}
          </button>
        )}
      </div>
      <ReadingView reading={reading} what={t('links')}>
        {(links) =>
          links.length === 0 ? (
            <Notice title={t('The wall is not shared')}>
              <p>{t('With a link, others watch it live without an account.')}</p>
            </Notice>
          ) : (
            <LinkTable
              links={links}
              show={({ sharedVideoWallUrl }) =>
                setOpened({
                  kind: 'shown',
                  title: t('Link to the wall'),
                  url: sharedVideoWallUrl,
                  password: '',
                })
              }
              remove={isOperator ? (link) => setOpened({ kind: 'delete', link }) : null}
            />
          )
        }
      </ReadingView>
      {opened !== null && (
        <LinkDialog opened={opened} wall={wall} setOpened={setOpened} changed={() => reading.refresh()} />
      )}
    </section>
  );
}

function LinkTable({
  links,
  show,
  remove,
}: {
  readonly links: readonly WallLink[];
  readonly show: (link: WallLink) => void;
  readonly remove: ((link: WallLink) => void) | null;
}) {
  return (
    <RecordTable<WallLink>
      name="wall-links"
      label={t('Links')}
      items={links}
      keyOf={({ uuid }) => uuid}
      columns={[
        {
          title: t('Link'),
          // Empty: the role only watches, and gets no links.
          cell: ({ sharedVideoWallUrl }) =>
            sharedVideoWallUrl === '' ? (
              t('Known to operators')
            ) : (
              <a href={sharedVideoWallUrl} target="_blank" rel="noreferrer">
                {sharedVideoWallUrl}
              </a>
            ),
        },
        { title: t('Ends'), cell: (link) => <EndText link={link} /> },
        {
          title: t('Password'),
          cell: ({ passwordProtected }) => (passwordProtected ? t('With password') : t('No password')),
        },
        { title: t('Created'), cell: ({ timestampMs }) => <TimeAgo epochMs={timestampMs} /> },
      ]}
      {...(remove === null
        ? {}
        : { actions: (link: WallLink) => <Actions link={link} show={show} remove={remove} /> })}
    />
  );
}

function Actions({
  link,
  show,
  remove,
}: {
  readonly link: WallLink;
  readonly show: (link: WallLink) => void;
  readonly remove: (link: WallLink) => void;
}) {
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={t('Copy {what}', { what: link.sharedVideoWallUrl })}
        onClick={() => show(link)}
      >
        {t('Copy')}
      </button>
      <button
        type="button"
        class="quiet danger"
        aria-label={t('End {name}', { name: link.sharedVideoWallUrl })}
        onClick={() => remove(link)}
      >
        {t('End')}
      </button>
    </>
  );
}

function EndText({ link: { expirationTime } }: { readonly link: WallLink }) {
  if (expirationTime === undefined) return <>{t('Never')}</>;
  const epochMs = expirationTime * SEC_MS;
  if (epochMs <= gatewayNowMs()) return <>{t('Has ended')}</>;
  return <TimeAgo epochMs={epochMs} />;
}

function LinkDialog({
  opened,
  wall,
  setOpened,
  changed,
}: {
  readonly opened: Opened;
  readonly wall: Wall;
  readonly setOpened: (opened: Opened | null) => void;
  readonly changed: () => void;
}) {
  const close = () => setOpened(null);
  switch (opened.kind) {
    case 'create':
      return (
        <ShareDialog
          wall={wall}
          onShared={(url, password) => {
            changed();
            setOpened({ kind: 'shown', title: t('The wall is shared'), url, password });
          }}
          onClose={close}
        />
      );
    case 'shown':
      return (
        <LinkReadyDialog
          link={{ name: wall.displayName, pageUrl: opened.url, isEmbeddable: true }}
          title={opened.title}
          password={opened.password}
          onClose={close}
        />
      );
    case 'delete':
      return (
        <FormDialog
          title={t('End this link?')}
          submit={t('End link')}
          isDanger
          onSubmit={async () => {
            await deleteWallLink(wall.uuid, opened.link);
            changed();
            close();
          }}
          onClose={close}
        >
          <p>
            {t('It stops working immediately, and everyone who watches with it is cut off. The wall stays.')}
          </p>
        </FormDialog>
      );
  }
}

function ShareDialog({
  wall,
  onShared,
  onClose,
}: {
  readonly wall: Wall;
  readonly onShared: (url: string, password: string) => void;
  readonly onClose: () => void;
}) {
  const terms = useTerms(DAY_SEC);
  const submit = async () => {
    const given = terms.check();
    if (given === null) return;
    onShared(await shareWall(wall.uuid, given.expirationTimeSecs, given.password), given.password);
  };
  return (
    <FormDialog title={t('Share this wall')} submit={t('Create link')} onSubmit={submit} onClose={onClose}>
      <p class="break">
        {tRich('Anyone who has the link can watch all cameras of <b>{wall}</b> live, without audio.', {
          wall: wall.displayName,
          b: (text) => <b>{text}</b>,
        })}
      </p>
      <TermsFields draft={terms} />
    </FormDialog>
  );
}
