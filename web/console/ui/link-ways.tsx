/** A link that is ready: as a code for a phone, to copy, to pass on, and for players and pages of partners. */

import { embedCode } from '../embed-code.ts';
import { linkReach } from '../media-addresses.ts';
import { place } from '../places.ts';
import { may } from '../session.ts';
import { hasSchedule, type ShareItem } from '../share-item.ts';
import { t, tRich } from '../words.ts';
import { CopyButton } from './copy-button.tsx';
import { QrCode } from './qr-code.tsx';

export interface ReadyLink {
  /** What it shows. */
  readonly name: string;
  readonly pageUrl: string;
  /** Absent: it has no playlist of its own. */
  readonly m3u8Url?: string;
  readonly mpdUrl?: string;
  /** Absent: the gateway does not serve RTSP, or it has no live video. */
  readonly rtspUrl?: string;
  /** Whether the page is made to be part of another one. */
  readonly isEmbeddable: boolean;
  /** Whether it leads to the console, for one person: the one who makes it has no use for it. */
  readonly isInvitation?: boolean;
}

export function readyLinkOf(share: ShareItem): ReadyLink {
  const { name, pageUrl, m3u8Url, mpdUrl, rtspUrl } = share;
  return {
    name,
    pageUrl,
    ...(m3u8Url === undefined ? {} : { m3u8Url }),
    ...(mpdUrl === undefined ? {} : { mpdUrl }),
    ...(rtspUrl === undefined ? {} : { rtspUrl }),
    isEmbeddable: hasSchedule(share),
  };
}

export function LinkWays({ link }: { readonly link: ReadyLink }) {
  const { name, pageUrl, m3u8Url, mpdUrl, rtspUrl, isEmbeddable, isInvitation = false } = link;
  // A phone would look for it on itself.
  const isForPhones = linkReach(pageUrl) !== 'this-machine';
  return (
    <div class={isForPhones ? 'links' : 'links only-here'}>
      {isForPhones && <QrCode text={pageUrl} label={t('QR code of the link of {name}', { name })} />}
      <div class="ways">
        <LinkReach url={pageUrl} part={isInvitation ? 'console' : 'links'} />
        <input
          type="text"
          readOnly
          class="secret"
          aria-label={t('Link')}
          value={pageUrl}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <div class="buttons">
          <CopyButton what={t('link')} text={pageUrl} isPrimary />
          {!isInvitation && (
            <a class="button" href={pageUrl} target="_blank" rel="noreferrer">
              {t('Open')}
            </a>
          )}
          {navigator.share !== undefined && (
            <button
              type="button"
              // A person who closes the system's sheet has changed their mind; nothing went wrong.
              onClick={() => void navigator.share({ title: name, url: pageUrl }).catch(() => {})}
            >
              {t('Send…')}
            </button>
          )}
        </div>
        {(m3u8Url !== undefined || mpdUrl !== undefined || isEmbeddable) && (
          <div class="partner-ways">
            <p class="hint">{t('For partners and web pages')}</p>
            <div class="buttons">
              {m3u8Url !== undefined && <CopyButton what={t('HLS link (M3U8)')} short="HLS" text={m3u8Url} />}
              {mpdUrl !== undefined && <CopyButton what={t('DASH link (MPD)')} short="DASH" text={mpdUrl} />}
              {rtspUrl !== undefined && <CopyButton what={t('RTSP link')} short="RTSP" text={rtspUrl} />}
              {isEmbeddable && (
                <CopyButton what={t('embed code')} short={t('Embed code')} text={embedCode(link)} />
              )}
            </div>
          </div>
        )}
      </div>
    </div>
  );
}

/** After a password was set: the gateway stores only the data that it needs to check it. */
export function OncePassword({ password }: { readonly password: string }) {
  return (
    <div class="once">
      <p>
        {tRich('Password <code>{password}</code>', {
          password,
          code: (text) => <code class="secret">{text}</code>,
        })}
      </p>
      <CopyButton what={t('password')} text={password} />
      <p class="hint">{t('Pass it on now: it is not shown again.')}</p>
    </div>
  );
}

/** Next to a link: whether it opens elsewhere, and what to do if it does not. Nothing for a link that may open anywhere. `part`: whose address it is. */
function LinkReach({ url, part = 'links' }: { readonly url: string; readonly part?: 'links' | 'console' }) {
  const reach = linkReach(url);
  if (reach === 'elsewhere') return null;
  if (reach === 'own-network') {
    return <p class="hint">{t('This link opens only in your own network.')}</p>;
  }
  const isAdmin = may('admin');
  return (
    <p class="link-warning" role="note">
      <b>{t('This link opens only on this machine.')}</b>{' '}
      {part === 'links' && isAdmin && (
        <a class="button" href={place('start')}>
          {t('Let phones open links')}
        </a>
      )}
      {part === 'console' && isAdmin && (
        <a href={place('settings')}>{t('Set the public address of the console')}</a>
      )}
      {!isAdmin && t('Ask an administrator to set the public address of the gateway.')}
    </p>
  );
}
