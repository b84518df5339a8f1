/** The dialog after a link was made, wherever it was made. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { linkReach } from '../media-addresses.ts';
import { t } from '../words.ts';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { LinkWays, OncePassword, type ReadyLink } from './link-ways.tsx';
import { SelectField } from './select.tsx';
import { SendByMail } from './send-by-mail.tsx';

export function LinkReadyDialog({
  link,
  title = t('The link of {name} is ready', { name: link.name }),
  password,
  mailTo = '',
  others,
  onClose,
  children,
}: {
  readonly link: ReadyLink;
  readonly title?: string;
  /** Empty: it has none, or it was shown before. */
  readonly password: string;
  /** The address that a mail with the link goes to, unless someone changes it. */
  readonly mailTo?: string;
  /** Further buttons. */
  readonly others?: ComponentChildren;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-body">
        {linkReach(link.pageUrl) !== 'this-machine' && (
          <p class="hint">{t('Point a phone’s camera at the code, or copy the link.')}</p>
        )}
        <LinkWays link={link} />
        {password !== '' && <OncePassword password={password} />}
        <SendByMail url={link.pageUrl} name={link.name} address={mailTo} />
        {children}
      </div>
      <DialogFooter {...(others === undefined ? {} : { others })}>
        <button type="button" class="primary" onClick={onClose}>
          {t('Done')}
        </button>
      </DialogFooter>
    </Dialog>
  );
}

/** Several links that were made with the same terms: all to copy, and each like a single one. */
export function ReadyLinks({
  links,
  password,
}: {
  readonly links: readonly ReadyLink[];
  readonly password: string;
}) {
  const [shown, setShown] = useState(0);
  const link = links[shown] ?? links[0];
  if (link === undefined) return null;
  return (
    <>
      {links.length > 1 && (
        <>
          <div class="buttons">
            <CopyButton
              what={t('{count, plural, one {# link} other {# links}}', { count: links.length })}
              text={links.map(({ name, pageUrl }) => `${name}\t${pageUrl}`).join('\n')}
              isPrimary
            />
          </div>
          <SelectField
            label={t('Link of')}
            value={String(shown)}
            options={links.map(({ name }, i) => ({ value: String(i), title: name }))}
            onValue={(value) => setShown(Number(value))}
          />
        </>
      )}
      <LinkWays link={link} />
      {password !== '' && <OncePassword password={password} />}
    </>
  );
}
