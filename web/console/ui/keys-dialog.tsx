/** The keys that act on this page: the page's first, then those of every page. */

import { useState } from 'preact/hooks';
import { type KeySet, keySets, keysText } from '../key-board.ts';
import { t } from '../words.ts';
import { Check } from './check.tsx';
import { COMMON_TITLE, GO_TITLE } from './common-keys.ts';
import { Dialog } from './dialog.tsx';
import type { OverProps } from './find-button.tsx';
import { allowCharacters, keyBoard } from './use-keys.ts';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);
const OF_ALL: ReadonlySet<string> = new Set([COMMON_TITLE, GO_TITLE]);

export function KeysDialog({ onClose }: OverProps) {
  const [hasCharacters, setHasCharacters] = useState(keyBoard.hasCharacters);
  const sets = keySets.value;
  const own = sets
    .filter(({ title }) => !OF_ALL.has(title))
    .toSorted((a, b) => Number(a.isOfPart ?? false) - Number(b.isOfPart ?? false));
  const common = [COMMON_TITLE, GO_TITLE].flatMap((wanted) => sets.filter(({ title }) => title === wanted));
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
      <div class="dialog-body keys">
        {[...own, ...common].map((set) => (
          <KeyTable key={set.title} set={set} hasCharacters={hasCharacters} />
        ))}
        <Check
          label={t('Letters, digits, and signs act as keys')}
          isChecked={hasCharacters}
          onCheck={(isAllowed) => {
            allowCharacters(isAllowed);
            setHasCharacters(isAllowed);
          }}
        />
        <p class="hint">
          {hasCharacters
            ? t('Keys are off while you type.')
            : t('Keys are off while you type. Open this list again from the search.')}
        </p>
      </div>
    </Dialog>
  );
}

function KeyTable({
  set: { title, keys, isOfPart = false },
  hasCharacters,
}: {
  readonly set: KeySet;
  readonly hasCharacters: boolean;
}) {
  const acting = keys.flatMap((deed) => {
    const named = deed.keys.filter((key) => hasCharacters || isOfPart || !isCharacter(key));
    return named.length === 0 ? [] : [{ ...deed, keys: named }];
  });
  if (acting.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl class={title === GO_TITLE ? 'brief' : ''}>
        {acting.map((deed) => (
          <div key={`${deed.title} ${deed.keys.join()}`}>
            <dt>
              {keysText(deed, IS_MAC).map((text) => (
                <kbd key={text}>{text}</kbd>
              ))}
            </dt>
            <dd>{deed.title}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** As the keyboard decides; of two keys in turn, the first. */
function isCharacter(key: string): boolean {
  return key !== ' ' && key.split(' ')[0]!.length === 1;
}
