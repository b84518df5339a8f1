/** Fields of the form that says how a camera is recorded (recording-panel.tsx): what, around events, and for how long. */

import { numberFormat } from '../../words/formats.ts';
import type { RecordedStreams, RecordingDraft, RecordingSettings } from '../camera-recording.ts';
import { t } from '../words.ts';
import { SelectField } from './select.tsx';

const ROLLS_SEC = [0, 5, 10, 15, 30, 60];
const AFTER_SEC = [0, 10, 30, 60, 120, 300, 600];
const KEEP_HOURS = [24, 72, 168, 336, 720, 1_440, 2_160, 4_320, 8_760];
const GIB = 1_073_741_824;
const SIZES_GIB = [10, 50, 100, 200, 500, 1_000, 2_000];
const HOURS_PER_DAY = 24;

interface PartProps {
  readonly draft: RecordingDraft;
  readonly settings: RecordingSettings;
  readonly change: (part: Partial<RecordingDraft>) => void;
}

export function EventFields({ draft, change }: PartProps) {
  return (
    <div class="pair">
      <SecondsField
        label={t('Before an event')}
        value={draft.preRollSec}
        choices={ROLLS_SEC}
        onValue={(preRollSec) => change({ preRollSec })}
      />
      <SecondsField
        label={t('After an event')}
        value={draft.postRollSec}
        choices={AFTER_SEC}
        onValue={(postRollSec) => change({ postRollSec })}
      />
    </div>
  );
}

function SecondsField({
  label,
  value,
  choices,
  onValue,
}: {
  readonly label: string;
  readonly value: number;
  readonly choices: readonly number[];
  readonly onValue: (value: number) => void;
}) {
  return (
    <SelectField
      label={label}
      value={String(value)}
      options={withValue(choices, value).map((each) => ({ value: String(each), title: secondsText(each) }))}
      onValue={(text) => onValue(Number(text))}
    />
  );
}

const STREAM_TEXTS: Readonly<Record<RecordedStreams, string>> = {
  both: t('Main stream and substream'),
  main: t('Main stream'),
  sub: t('Substream'),
};

export function StreamsField({ draft, change }: PartProps) {
  const label = t('What is recorded');
  return (
    <SelectField
      label={label}
      value={draft.streams}
      options={(['both', 'main', 'sub'] as const).map((value) => ({ value, title: STREAM_TEXTS[value] }))}
      hint={t(
        'The substream is small and plays on slow networks. A camera without one records its main stream.',
      )}
      onValue={(streams) => change({ streams })}
    />
  );
}

export function KeepFields({ draft, settings, change }: PartProps) {
  const { defaults } = settings;
  return (
    <details class="more-settings">
      <summary>{t('How long recordings stay')}</summary>
      <div class="pair">
        <SelectField
          label={t('Keep for')}
          value={String(draft.keepHours ?? '')}
          options={[
            {
              value: '',
              title: t('As for all cameras: {hours}', { hours: hoursText(defaults.keepHours) }),
            },
            ...withValue(KEEP_HOURS, draft.keepHours).map((each) => ({
              value: String(each),
              title: hoursText(each),
            })),
          ]}
          onValue={(text) => change({ keepHours: text === '' ? null : Number(text) })}
        />
        {draft.streams === 'both' && <KeepSubField {...{ draft, settings, change }} />}
        <KeepPicturesField {...{ draft, settings, change }} />
        <SelectField
          label={t('At most')}
          value={String(draft.maxBytes ?? '')}
          options={[
            {
              value: '',
              title: t('As for all cameras: {size}', { size: sizeText(defaults.maxBytes ?? null) }),
            },
            ...withValue(
              SIZES_GIB.map((each) => each * GIB),
              draft.maxBytes,
            ).map((each) => ({ value: String(each), title: sizeText(each) })),
          ]}
          onValue={(text) => change({ maxBytes: text === '' ? null : Number(text) })}
        />
      </div>
    </details>
  );
}

function KeepSubField({ draft, settings: { defaults }, change }: PartProps) {
  const label = t('Keep the substream for');
  const usual = draft.keepHours ?? defaults.keepSubHours;
  return (
    <SelectField
      label={label}
      value={String(draft.keepSubHours ?? '')}
      options={[
        { value: '', title: t('As usual: {hours}', { hours: hoursText(usual) }) },
        ...withValue(KEEP_HOURS, draft.keepSubHours).map((each) => ({
          value: String(each),
          title: hoursText(each),
        })),
      ]}
      onValue={(text) => change({ keepSubHours: text === '' ? null : Number(text) })}
    />
  );
}

/** Pictures that stay when the video of their time is deleted. */
function KeepPicturesField({ draft, settings: { defaults }, change }: PartProps) {
  const usual =
    defaults.keepKeyFramesHours === undefined
      ? t('As for all cameras: deleted with the video')
      : t('As for all cameras: {hours}', { hours: hoursText(defaults.keepKeyFramesHours) });
  return (
    <SelectField
      label={t('Then keep single pictures, up to')}
      value={String(draft.keepKeyFramesHours ?? '')}
      options={[
        { value: '', title: usual },
        ...withValue(KEEP_HOURS, draft.keepKeyFramesHours).map((each) => ({
          value: String(each),
          title: hoursText(each),
        })),
      ]}
      onValue={(text) => change({ keepKeyFramesHours: text === '' ? null : Number(text) })}
    />
  );
}

/** The choices, and the value in effect. */
function withValue(choices: readonly number[], value: number | null): number[] {
  return value === null || choices.includes(value)
    ? [...choices]
    : [...choices, value].toSorted((a, b) => a - b);
}

function secondsText(sec: number): string {
  if (sec === 0) return t('Nothing');
  return sec < 60 || sec % 60 !== 0 ? `${sec} s` : `${sec / 60} min`;
}

function hoursText(hours: number): string {
  if (hours % HOURS_PER_DAY !== 0)
    return t('{count, plural, one {# hour} other {# hours}}', { count: hours });
  return t('{count, plural, one {# day} other {# days}}', { count: hours / HOURS_PER_DAY });
}

function sizeText(bytes: number | null): string {
  return bytes === null
    ? t('no limit')
    : `${numberFormat({ maximumFractionDigits: 1 }).format(bytes / GIB)} GiB`;
}
