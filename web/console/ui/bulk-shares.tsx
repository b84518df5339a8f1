/** Actions on the selected shares, the result for each share, and undo where possible. */

import { useState } from 'preact/hooks';
import { type Expiry, expirationTimeSecs, expiryFault } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { type BulkChoice, type BulkResult, changeShares, undoChanges } from '../share-bulk.ts';
import type { ShareItem } from '../share-item.ts';
import { MAX_ROWS } from '../share-state.ts';
import { t } from '../words.ts';
import { Chips } from './chips.tsx';
import { Dialog } from './dialog.tsx';
import { DialogFooter, SubmitButton } from './dialog-footer.tsx';
import { ExpiryField } from './expiry-field.tsx';

const DAY_SEC = 86_400;

type Opened = 'none' | 'extend' | 'end';

export function BulkBar({
  shares,
  onChanged,
  onClear,
}: {
  readonly shares: readonly ShareItem[];
  readonly onChanged: () => void;
  readonly onClear: () => void;
}) {
  const [opened, setOpened] = useState<Opened>('none');
  return (
    <div class="bulk" role="region" aria-label={t('Selected shares')}>
      <p role="status">
        {t('{count} selected', { count: shares.length })}
        {shares.length >= MAX_ROWS && <small> {t('(at most {count} at once)', { count: MAX_ROWS })}</small>}
      </p>
      <button type="button" onClick={() => setOpened('extend')}>
        {t('Extend…')}
      </button>
      <button type="button" class="danger" onClick={() => setOpened('end')}>
        {t('End…')}
      </button>
      <button type="button" class="quiet" onClick={onClear}>
        {t('Clear')}
      </button>
      {opened !== 'none' && (
        <ChangeSharesDialog
          kind={opened}
          shares={shares}
          onChanged={onChanged}
          onClose={(isDone) => {
            setOpened('none');
            if (isDone) onClear();
          }}
        />
      )}
    </div>
  );
}

/** Asks, shows the result for each share, and offers undo. `onClose`: with whether something was done. */
export function ChangeSharesDialog({
  kind,
  shares,
  onChanged,
  onClose,
}: {
  readonly kind: 'extend' | 'end';
  readonly shares: readonly ShareItem[];
  readonly onChanged: () => void;
  readonly onClose: (isDone: boolean) => void;
}) {
  const [results, setResults] = useState<readonly BulkResult[] | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const run = async (work: () => Promise<readonly BulkResult[]>) => {
    setIsBusy(true);
    setResults(await work());
    setIsBusy(false);
    onChanged();
  };
  const count = shares.length;
  const [only] = shares;
  const question =
    kind === 'end' && only !== undefined && count === 1
      ? t('End {name}?', { name: only.name })
      : kind === 'extend'
        ? t('Extend {count, plural, one {# share} other {# shares}}', { count })
        : t('End {count, plural, one {# share} other {# shares}}', { count });
  const title = results === null ? question : t('What was done');
  return (
    <Dialog title={title} onClose={() => onClose(results !== null)}>
      {results === null ? (
        <BulkForm
          kind={kind}
          isBusy={isBusy}
          onChoice={(choice) => void run(() => changeShares(choice, shares))}
          onClose={() => onClose(false)}
        />
      ) : (
        <Results
          results={results}
          isBusy={isBusy}
          onUndo={() => void run(() => undoChanges(results))}
          onClose={() => onClose(true)}
        />
      )}
    </Dialog>
  );
}

function BulkForm({
  kind,
  isBusy,
  onChoice,
  onClose,
}: {
  readonly kind: 'extend' | 'end';
  readonly isBusy: boolean;
  readonly onChoice: (choice: BulkChoice) => void;
  readonly onClose: () => void;
}) {
  const [expiry, setExpiry] = useState<Expiry>({ kind: 'in', sec: DAY_SEC });
  const [fault, setFault] = useState<string | null>(null);
  const [way, setWay] = useState<'end' | 'delete'>('end');
  const submit = () => {
    if (kind === 'end') return onChoice({ kind: way });
    const found = expiryFault(expiry, gatewayNowMs());
    setFault(found);
    if (found === null) onChoice({ kind: 'extend', endSec: epochSecOf(expiry) });
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {kind === 'extend' ? (
        <>
          <ExpiryField expiry={expiry} error={fault} onExpiry={setExpiry} />
          <p class="hint">{t('Shares that end later, or never, stay as they are.')}</p>
        </>
      ) : (
        <>
          <Chips
            legend={t('What happens to the links')}
            value={way}
            options={[
              { value: 'end', title: t('They end now') },
              { value: 'delete', title: t('They are deleted for good') },
            ]}
            onValue={(value) => setWay(value as 'end' | 'delete')}
          />
          <p>
            <b>{t('Everyone who is watching is cut off.')}</b>{' '}
            {way === 'end'
              ? t(
                  'The shares stay in the list as ended. You can take this back, or extend them later: the same links work again.',
                )
              : t('The links never work again, and this cannot be taken back.')}
          </p>
        </>
      )}
      <DialogFooter onBack={onClose}>
        <SubmitButton text={submitText(kind, way)} isBusy={isBusy} isDanger={kind === 'end'} />
      </DialogFooter>
    </form>
  );
}

function submitText(kind: 'extend' | 'end', way: 'end' | 'delete'): string {
  if (kind === 'extend') return t('Extend');
  return way === 'end' ? t('End now') : t('Delete');
}

function epochSecOf(expiry: Expiry): number | null {
  if (expiry.kind === 'in') return Math.ceil(gatewayNowMs() / 1_000) + expiry.sec;
  return expirationTimeSecs(expiry) ?? null;
}

function Results({
  results,
  isBusy,
  onUndo,
  onClose,
}: {
  readonly results: readonly BulkResult[];
  readonly isBusy: boolean;
  readonly onUndo: () => void;
  readonly onClose: () => void;
}) {
  const failed = results.filter(({ isFailed }) => isFailed).length;
  const undoable = results.filter(({ undo }) => undo !== null).length;
  // Failures come first.
  const sorted = results.toSorted((a, b) => Number(b.isFailed) - Number(a.isFailed));
  return (
    <div class="form">
      <p role="status">{summaryOf(results.length - failed, failed)}</p>
      <ul class="share-results">
        {sorted.map(({ share, outcome, isFailed }) => (
          <li key={share.uuid}>
            <span>{share.name}</span>
            <span class={isFailed ? 'field-error' : 'muted'}>{outcome}</span>
          </li>
        ))}
      </ul>
      <DialogFooter
        others={
          undoable > 0 && (
            <button type="button" disabled={isBusy} onClick={onUndo}>
              {isBusy
                ? t('One moment…')
                : t('{count, plural, one {Undo # change} other {Undo # changes}}', { count: undoable })}
            </button>
          )
        }
      >
        <button type="button" class="primary" onClick={onClose}>
          {t('Done')}
        </button>
      </DialogFooter>
    </div>
  );
}

function summaryOf(done: number, failed: number): string {
  const well = t('{count, plural, one {# share is as chosen.} other {# shares are as chosen.}}', {
    count: done,
  });
  if (failed === 0) return well;
  return `${well} ${t('{count} failed.', { count: failed })}`;
}
