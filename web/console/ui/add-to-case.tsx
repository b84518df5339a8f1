/** Adds times of cameras, or a clip, to a case that is open or new, or holds them without one. */

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import {
  addToCase,
  CASES_PLACE,
  casePlace,
  holdThings,
  MAX_NOTE_CHARS,
  MAX_NUMBER_CHARS,
  MAX_TITLE_CHARS,
  openCase,
  readCases,
  type Thing,
} from '../case-list.ts';
import { useReading } from '../reading.ts';
import { t } from '../words.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { ReadingView } from './reading-view.tsx';
import { SelectField } from './select.tsx';

const NEW = 'new';
const HOLD = 'hold';

export function AddToCaseDialog({
  things,
  firstTitle,
  summary,
  onClose,
}: {
  readonly things: readonly Thing[];
  /** Of a new case. */
  readonly firstTitle: string;
  /** What is added, in words. */
  readonly summary: string;
  readonly onClose: () => void;
}) {
  const { route, query } = useLocation();
  const cases = useReading(readCases, [], ({ entity }) => entity === 'EVIDENCE_CASE');
  const [chosen, setChosen] = useState<string | null>(query.case ?? null);
  const [title, setTitle] = useState(firstTitle);
  const [number, setNumber] = useState('');
  const [note, setNote] = useState('');
  const read = cases.state.value;
  const open =
    read.kind === 'read' ? read.value.filter(({ state }) => state === 'open' || state === 'failed') : [];
  // Someone may have sealed the chosen one in the meantime.
  const isKnown = chosen === NEW || chosen === HOLD || open.some(({ uuid }) => uuid === chosen);
  const where = isKnown && chosen !== null ? chosen : (open[0]?.uuid ?? NEW);
  const submit = async () => {
    if (where === HOLD) {
      await holdThings(things, note.trim());
      return route(CASES_PLACE);
    }
    const uuid = where === NEW ? await openCase({ title: title.trim(), number: number.trim() }) : where;
    // If an item is refused, a second try is about the case that was opened.
    if (where === NEW) setChosen(uuid);
    await addToCase(uuid, things, note);
    route(casePlace(uuid));
  };
  const isReady = where === NEW ? title.trim() !== '' : where !== HOLD || note.trim() !== '';
  return (
    <FormDialog
      title={t('Add to a case')}
      submit={where === HOLD ? t('Hold') : t('Add to case')}
      isReady={read.kind === 'read' && isReady}
      onSubmit={submit}
      onClose={onClose}
    >
      <p class="hint break">{summary}</p>
      <ReadingView reading={cases} what={t('cases')}>
        {() => (
          <SelectField
            label={t('Case')}
            value={where}
            options={[
              ...open.map((each) => ({
                value: each.uuid,
                title: each.number === '' ? each.title : `${each.number} · ${each.title}`,
              })),
              { value: NEW, title: t('New case') },
              { value: HOLD, title: t('No case, only a legal hold') },
            ]}
            onValue={setChosen}
          />
        )}
      </ReadingView>
      {where === NEW && (
        <>
          <TextField
            label={t('Title of the case')}
            isRequired
            maxLength={MAX_TITLE_CHARS}
            value={title}
            onValue={setTitle}
          />
          <TextField label={t('Number')} maxLength={MAX_NUMBER_CHARS} value={number} onValue={setNumber} />
        </>
      )}
      <TextField
        label={where === HOLD ? t('Why it is held') : t('Note')}
        isRequired={where === HOLD}
        maxLength={MAX_NOTE_CHARS}
        value={note}
        onValue={setNote}
      />
      <p class="hint">{t('It is kept from now on: nothing deletes it, also if the disk is full.')}</p>
    </FormDialog>
  );
}
