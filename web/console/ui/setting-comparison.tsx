/** What edits change, before they are saved: the value before and after, and a warning if this page's own address is among them. */

import type { Setting } from '../gateway-state.ts';
import { ownAddressWarning, shownText, titleOf, valueAfter } from '../settings-edit.ts';
import type { Edit } from '../setup-edits.ts';
import { t } from '../words.ts';

export function SettingComparison({
  edits,
  settings,
}: {
  readonly edits: readonly Edit[];
  readonly settings: readonly Setting[];
}) {
  const warning = ownAddressWarning(edits);
  return (
    <>
      {warning !== null && (
        <p class="link-warning" role="note">
          {warning}
        </p>
      )}
      <ul class="comparison">
        {edits.map((edit) => {
          const setting = settings.find(({ path }) => path === edit.path)!;
          const before = setting.isSecret ? (setting.isSet ? t('set') : t('not set')) : shownText(setting);
          return (
            <li key={edit.path}>
              <b>{titleOf(edit.path)}</b> <code>{edit.path}</code>
              <p>
                <del>{before === '' ? (setting.whenAbsent ?? t('nothing')) : before}</del>
                <span aria-hidden="true"> → </span>
                <ins>{valueAfter(setting, edit)}</ins>
              </p>
            </li>
          );
        })}
      </ul>
      <p class="hint">
        {t('The configuration file stays as it is. You can undo this on the page Settings.')}
      </p>
    </>
  );
}
