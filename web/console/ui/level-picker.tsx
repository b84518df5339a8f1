/** Shares for the synthetic viewer, found by name. */

import { useState } from 'preact/hooks';
import { gatewayNowMs } from '../gateway-clock.ts';
import { chooseShare } from '../measured-levels.ts';
import { useReading } from '../reading.ts';
import { targetText } from '../share-item.ts';
import { NO_FILTER, queryBody } from '../share-query.ts';
import { findShares } from '../share-state.ts';
import { t } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { FormError } from './form-error.tsx';
import { Icon } from './icon.tsx';
import { ReadingView } from './reading-view.tsx';
import { SearchField } from './search-field.tsx';
import { useAction } from './use-action.ts';

/** More are found by typing. */
const SHOWN = 30;

export function LevelPicker({
  chosen,
  onChange,
  onClose,
}: {
  readonly chosen: ReadonlySet<string>;
  readonly onChange: () => void;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const { isBusy, error, run } = useAction();
  const body = queryBody({ ...NO_FILTER, q: text, kind: 'cameras', sort: 'name' }, gatewayNowMs());
  const reading = useReading((signal) => findShares(body, 0, SHOWN, signal), [text]);
  return (
    <Dialog title={t('Measure a share')} onClose={onClose}>
      <div class="dialog-body picker">
        <p class="hint">
          {t(
            'The synthetic viewer opens the camera like a viewer does. It is not counted, and takes no one’s place.',
          )}
        </p>
        <SearchField label={t('Find a share')} value={text} onValue={setText} />
        <FormError error={error} />
        <ReadingView reading={reading} what={t('shares')}>
          {({ items, total }) => (
            <>
              {items.length === 0 && (
                <p class="hint">{text === '' ? t('No camera is shared yet.') : t('No share matches.')}</p>
              )}
              <ul>
                {items.map((share) => {
                  const isChosen = chosen.has(share.uuid);
                  const name = share.name === '' ? t('Without a title') : share.name;
                  return (
                    <li key={share.uuid}>
                      <span class="lines">
                        <span>{name}</span>
                        <small class="muted">{targetText(share)}</small>
                      </span>
                      <button
                        type="button"
                        class="quiet"
                        aria-label={
                          isChosen ? t('Stop measuring {name}', { name }) : t('Measure {name}', { name })
                        }
                        disabled={isBusy}
                        onClick={() =>
                          void run(async () => {
                            await chooseShare(share.uuid, !isChosen);
                            onChange();
                          })
                        }
                      >
                        {isChosen ? (
                          t('Stop')
                        ) : (
                          <>
                            <Icon name="plus" /> {t('Measure')}
                          </>
                        )}
                      </button>
                    </li>
                  );
                })}
              </ul>
              {total > items.length && (
                <p class="hint">
                  {t('{total} more: type a part of the name.', { total: total - items.length })}
                </p>
              )}
            </>
          )}
        </ReadingView>
      </div>
      <DialogFooter>
        <button type="button" class="primary" onClick={onClose}>
          {t('Done')}
        </button>
      </DialogFooter>
    </Dialog>
  );
}
