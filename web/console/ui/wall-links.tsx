/** The links of a wall: who has one can watch all of its cameras. */

import { useState } from 'preact/hooks';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { deleteWallLink, readWallLinks, shareWall, type Wall, type WallLink } from '../walls.ts';
import { ChoiceField } from './choice.tsx';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';
import { ReadingView } from './reading-view.tsx';
import { RecordTable } from './record-table.tsx';
import { TimeAgo } from './time.tsx';

/** In seconds; empty: it never ends. */
const LIVES = [
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '7 days'],
  ['2592000', '30 days'],
  ['', 'Never'],
] as const;
const DEFAULT_LIFE = '86400';
const SEC_MS = 1_000;

type Opened =
  | { readonly kind: 'create' }
  | { readonly kind: 'shown'; readonly title: string; readonly url: string }
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
        <h2>Links</h2>
        {isOperator && (
          <button type="button" onClick={() => setOpened({ kind: 'create' })}>
            <Icon name="share" /> Share by link
          </button>
        )}
      </div>
      <ReadingView reading={reading} what="links">
        {(links) =>
          links.length === 0 ? (
            <Notice title="The wall is not shared">
              <p>
                With a link, others watch it live without an account. To open the wall yourself, share it
                first.
              </p>
            </Notice>
          ) : (
            <LinkTable
              links={links}
              show={({ sharedVideoWallUrl }) =>
                setOpened({ kind: 'shown', title: 'Link to the wall', url: sharedVideoWallUrl })
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
      label="Links"
      items={links}
      keyOf={({ uuid }) => uuid}
      columns={[
        {
          title: 'Link',
          // Empty: the role only watches, and gets no links.
          cell: ({ sharedVideoWallUrl }) =>
            sharedVideoWallUrl === '' ? (
              'Known to operators'
            ) : (
              <a href={sharedVideoWallUrl} target="_blank" rel="noreferrer">
                {sharedVideoWallUrl}
              </a>
            ),
        },
        { title: 'Ends', cell: (link) => <EndText link={link} /> },
        {
          title: 'Password',
          cell: ({ passwordProtected }) => (passwordProtected ? 'With password' : 'No password'),
        },
        { title: 'Created', cell: ({ timestampMs }) => <TimeAgo epochMs={timestampMs} /> },
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
        aria-label={`Copy ${link.sharedVideoWallUrl}`}
        onClick={() => show(link)}
      >
        Copy
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={`End ${link.sharedVideoWallUrl}`}
        onClick={() => remove(link)}
      >
        End
      </button>
    </>
  );
}

function EndText({ link: { expirationTime } }: { readonly link: WallLink }) {
  if (expirationTime === undefined) return <>Never</>;
  const epochMs = expirationTime * SEC_MS;
  if (epochMs <= Date.now()) return <>Has ended</>;
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
          onShared={(url) => {
            changed();
            setOpened({ kind: 'shown', title: 'The wall is shared', url });
          }}
          onClose={close}
        />
      );
    case 'shown':
      return (
        <Dialog title={opened.title} onClose={close}>
          <div class="dialog-body">
            <CopyField label="Link" value={opened.url} />
          </div>
          <footer>
            <a class="button" href={opened.url} target="_blank" rel="noreferrer">
              Open the wall
            </a>
            <button type="button" class="primary" onClick={close}>
              Done
            </button>
          </footer>
        </Dialog>
      );
    case 'delete':
      return (
        <FormDialog
          title="End this link?"
          submit="End link"
          isDanger
          onSubmit={async () => {
            await deleteWallLink(wall.uuid, opened.link);
            changed();
            close();
          }}
          onClose={close}
        >
          <p>It stops working at once, and everyone who watches with it is cut off. The wall stays.</p>
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
  readonly onShared: (url: string) => void;
  readonly onClose: () => void;
}) {
  const [life, setLife] = useState<string>(DEFAULT_LIFE);
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      title="Share this wall"
      submit="Create link"
      onSubmit={async () => onShared(await shareWall(wall.uuid, life === '' ? null : Number(life), password))}
      onClose={onClose}
    >
      <p class="break">
        Anyone who has the link can watch all cameras of <b>{wall.displayName}</b> live, without audio.
      </p>
      <ChoiceField label="Ends after" value={life} options={LIVES} onChoice={setLife} />
      <TextField
        label="Password"
        type="password"
        autocomplete="new-password"
        value={password}
        onValue={setPassword}
        hint="Empty: the link alone is enough"
      />
    </FormDialog>
  );
}
