/** A share's link, ready for a phone: as a code, to copy, to pass on. */

import { embedCode } from '../embed-code.ts';
import type { ShareItem } from '../share-item.ts';
import { CopyButton } from './copy-button.tsx';
import { LinkReach } from './link-reach.tsx';
import { QrCode } from './qr-code.tsx';

export function ShareLinks({ share }: { readonly share: ShareItem }) {
  const { kind, name, pageUrl, m3u8Url, mpdUrl } = share;
  return (
    <div class="links">
      <QrCode text={pageUrl} label={`QR code of the link of ${name}`} />
      <div class="ways">
        <LinkReach url={pageUrl} />
        <input
          type="text"
          readOnly
          class="secret"
          aria-label="Link"
          value={pageUrl}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <div class="buttons">
          <CopyButton what="link" text={pageUrl} isPrimary />
          <a class="button" href={pageUrl} target="_blank" rel="noreferrer">
            Open
          </a>
          {navigator.share !== undefined && (
            <button
              type="button"
              // A person who closes the system's sheet has changed their mind; nothing went wrong.
              onClick={() => void navigator.share({ title: name, url: pageUrl }).catch(() => {})}
            >
              Send…
            </button>
          )}
        </div>
        <div class="buttons">
          {m3u8Url !== undefined && <CopyButton what="HLS link (M3U8)" short="HLS" text={m3u8Url} />}
          {mpdUrl !== undefined && <CopyButton what="DASH link (MPD)" short="DASH" text={mpdUrl} />}
          {kind === 'STREAM' || kind === 'WALL' ? (
            <CopyButton what="embed code" short="Embed code" text={embedCode(share)} />
          ) : null}
        </div>
      </div>
    </div>
  );
}

/** After a password was set: the gateway stores only the data that it needs to check it. */
export function OncePassword({ password }: { readonly password: string }) {
  return (
    <div class="once">
      <p>
        Password <code class="secret">{password}</code>
      </p>
      <CopyButton what="password" text={password} />
      <p class="hint">Pass it on now: it is not shown again.</p>
    </div>
  );
}
