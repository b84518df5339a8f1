/** The time that is cut: exact times, cameras, title, and what would be missing; then it is a clip, or an item of a case. */

import { useState } from 'preact/hooks';
import { MAX_ITEM_MS } from '../case-list.ts';
import { matcherOf } from '../matcher.ts';
import type { Lane } from '../site-lanes.ts';
import { epochMsOfZonedInput, format, lengthText, zonedInput } from '../time-axis.ts';
import { MAX_CLIP_CAMERAS, MAX_CLIP_SEC, missingMs, type Recorded, type Span } from '../timeline-state.ts';
import { t } from '../words.ts';
import { AddToCaseDialog } from './add-to-case.tsx';
import { ClipExport, type ExportKind } from './clip-export.tsx';
import { TextField } from './field.tsx';
import { Icon } from './icon.tsx';
import { SearchField } from './search-field.tsx';

/** Viewers do not notice a gap that is shorter. */
const NOTICED_MS = 1_000;
/** Beyond that many, a camera is found by typing. */
const SEARCHED_CAMERAS = 8;

export function ClipCutter({
  cut,
  lanes,
  recorded,
  timeZone,
  siteName,
  firstTitle,
  onCut,
  onDone,
  onClose,
}: {
  readonly cut: Span;
  readonly lanes: readonly Lane[];
  readonly recorded: Recorded | null;
  readonly timeZone: string;
  readonly siteName: string;
  /** Such as what happened then. */
  readonly firstTitle: string;
  readonly onCut: (cut: Span) => void;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const [title, setTitle] = useState(firstTitle);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    new Set(lanes.filter(({ isShown }) => isShown).map(({ uuid }) => uuid)),
  );
  const [kind, setKind] = useState<ExportKind | 'case' | null>(null);
  const cameras = lanes.filter(({ uuid }) => chosen.has(uuid));
  const { faults, gaps, ofClips, ofCases } = judged(cut, cameras, recorded);
  const isClip = faults.length + ofClips.length === 0;
  const isForCase = faults.length + ofCases.length === 0;
  const isMatch = matcherOf(text);
  return (
    <>
      <form
        class="cutter"
        aria-label={t('New clip')}
        onSubmit={(event) => {
          event.preventDefault();
          if (isClip) setKind('share');
        }}
      >
        <header>
          <h2>{t('New clip')}</h2>
          <button type="button" class="quiet icon-only" aria-label={t('Close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        <div class="cutter-body">
          <TextField label={t('Title')} maxLength={256} value={title} onValue={setTitle} />
          <div class="cutter-times">
            <TimeField
              label={t('From')}
              atMs={cut.fromMs}
              zone={timeZone}
              onTime={(fromMs) => onCut({ ...cut, fromMs })}
            />
            <TimeField
              label={t('To')}
              atMs={cut.toMs}
              zone={timeZone}
              onTime={(toMs) => onCut({ ...cut, toMs })}
            />
          </div>
          <p class="cutter-length">
            {lengthText(Math.max(0, cut.toMs - cut.fromMs))} <span class="hint">{timeZone}</span>
          </p>
          <fieldset class="cutter-cameras">
            <legend>{t('Cameras')}</legend>
            {lanes.length > SEARCHED_CAMERAS && (
              <SearchField label={t('Find a camera')} value={text} onValue={setText} />
            )}
            {lanes
              .filter(({ uuid, name }) => chosen.has(uuid) || isMatch(name))
              .map(({ uuid, name }) => (
                <label key={uuid} class="check">
                  <input
                    type="checkbox"
                    checked={chosen.has(uuid)}
                    onChange={({ currentTarget }) =>
                      setChosen(currentTarget.checked ? new Set([...chosen, uuid]) : without(chosen, uuid))
                    }
                  />
                  <span>{name}</span>
                </label>
              ))}
          </fieldset>
          {gaps.map((gap) => (
            <p key={gap} class="hint cutter-gap">
              {gap}
            </p>
          ))}
          {[...faults, ...ofClips, ...ofCases].map((fault) => (
            <p key={fault} class="field-error">
              {fault}
            </p>
          ))}
        </div>
        <footer>
          <button type="submit" class="primary" disabled={!isClip}>
            {t('Share')}
          </button>
          <button type="button" disabled={!isClip} onClick={() => setKind('download')}>
            {t('Download')}
          </button>
          <button type="button" disabled={!isClip} onClick={() => setKind('save')}>
            {t('Save')}
          </button>
          <button type="button" disabled={!isForCase} onClick={() => setKind('case')}>
            {t('Add to case')}
          </button>
        </footer>
      </form>
      {kind === 'case' && (
        <AddToCaseDialog
          things={cameras.map(({ uuid }) => ({
            cameraUuid: uuid,
            fromMs: Math.round(cut.fromMs),
            toMs: Math.round(cut.toMs),
          }))}
          firstTitle={title.trim()}
          summary={t('{cameras}: {from} to {to}', {
            cameras: cameras.map(({ name }) => name).join(', '),
            from: format(timeZone, 'exact', cut.fromMs),
            to: format(timeZone, 'exact', cut.toMs),
          })}
          onClose={() => setKind(null)}
        />
      )}
      {kind !== null && kind !== 'case' && (
        <ClipExport
          kind={kind}
          wanted={{ cut, cameras, title: title.trim() }}
          {...{ timeZone, siteName }}
          onBack={() => setKind(null)}
          onDone={onDone}
        />
      )}
    </>
  );
}

function TimeField({
  label,
  atMs,
  zone,
  onTime,
}: {
  readonly label: string;
  readonly atMs: number;
  readonly zone: string;
  readonly onTime: (epochMs: number) => void;
}) {
  return (
    <label class="cutter-time">
      <span class="name">{label}</span>
      <input
        type="datetime-local"
        step="1"
        value={zonedInput(atMs, zone)}
        onChange={({ currentTarget }) => {
          const epochMs = epochMsOfZonedInput(currentTarget.value, zone);
          if (epochMs !== null) onTime(epochMs);
        }}
      />
    </label>
  );
}

function without(chosen: ReadonlySet<string>, uuid: string): ReadonlySet<string> {
  return new Set([...chosen].filter((each) => each !== uuid));
}

/** Faults that forbid both, or only clips, or only items of cases, and gaps that there would be. */
function judged(
  cut: Span,
  cameras: readonly Lane[],
  recorded: Recorded | null,
): Readonly<Record<'faults' | 'gaps' | 'ofClips' | 'ofCases', readonly string[]>> {
  const faults: string[] = [];
  const gaps: string[] = [];
  const ofClips: string[] = [];
  const ofCases: string[] = [];
  const lengthMs = cut.toMs - cut.fromMs;
  if (lengthMs <= 0) faults.push(t('The clip ends before it begins.'));
  if (lengthMs > MAX_ITEM_MS) ofCases.push(t('A case takes at most 24 hours at a time.'));
  if (lengthMs > MAX_CLIP_SEC * 1_000) ofClips.push(t('A clip can be at most 60 minutes long.'));
  if (recorded !== null && cut.fromMs > recorded.nowMs) faults.push(t('The clip would begin in the future.'));
  if (cameras.length === 0) faults.push(t('Choose a camera.'));
  if (cameras.length > MAX_CLIP_CAMERAS)
    ofClips.push(t('A clip can have at most {count} cameras.', { count: MAX_CLIP_CAMERAS }));
  if (recorded === null || lengthMs <= 0) return { faults, gaps, ofClips, ofCases };
  for (const { uuid, name } of cameras) {
    const missing = missingMs(recorded, uuid, cut);
    if (missing === null) continue;
    if (missing >= lengthMs)
      faults.push(t('{camera} has no recording of this time. Leave it out.', { camera: name }));
    else if (missing > NOTICED_MS) {
      gaps.push(
        t('{camera}: {length} of this time was not recorded. The clip leaves it out.', {
          camera: name,
          length: lengthText(missing),
        }),
      );
    }
  }
  return { faults, gaps, ofClips, ofCases };
}
