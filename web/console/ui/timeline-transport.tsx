/** Playback of the timeline: play, speed, live, the time at the head, zoom, and what one can do with that time. */

import type { StepPlayer } from '../step-player.ts';
import { format, lengthText } from '../time-axis.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';

const RATES = [0.5, 1, 2, 4, 8];

export function TimelineTransport({
  player,
  headMs,
  timeZone,
  spanMs,
  onLive,
  onZoom,
  onBookmark,
  onCut,
}: {
  readonly player: StepPlayer;
  readonly headMs: number;
  readonly timeZone: string;
  readonly spanMs: number;
  readonly onLive: () => void;
  /** Below 1: closer. */
  readonly onZoom: (factor: number) => void;
  /** Null: the person's role does not allow it. */
  readonly onBookmark: (() => void) | null;
  readonly onCut: (() => void) | null;
}) {
  const head = player.head.value;
  const isLive = head.kind === 'live';
  const isPlaying = isLive || head.isPlaying;
  return (
    <div class="transport" role="group" aria-label={t('Playback')}>
      <button
        type="button"
        class="primary"
        onClick={() => player.setPlaying(head.kind === 'past' && !head.isPlaying)}
      >
        {isPlaying ? t('Pause') : t('Play')}
      </button>
      <select
        aria-label={t('Speed')}
        value={player.rate.value}
        onChange={({ currentTarget }) => {
          player.rate.value = Number(currentTarget.value);
        }}
      >
        {RATES.map((rate) => (
          <option key={rate} value={rate}>
            {rate}×
          </option>
        ))}
      </select>
      <button type="button" aria-pressed={isLive} onClick={onLive}>
        {t('Live')}
      </button>
      <p class="transport-time">
        <b>{isLive ? t('Live') : format(timeZone, 'exact', headMs)}</b> <span class="hint">{timeZone}</span>
      </p>
      <div class="transport-zoom">
        <button type="button" class="icon-only" aria-label={t('Zoom out')} onClick={() => onZoom(2)}>
          −
        </button>
        <span class="hint">{lengthText(spanMs)}</span>
        <button type="button" class="icon-only" aria-label={t('Zoom in')} onClick={() => onZoom(0.5)}>
          +
        </button>
      </div>
      {onBookmark !== null && (
        <button type="button" class="with-icon" onClick={onBookmark}>
          <Icon name="bookmark" />
          {t('Bookmark')}
        </button>
      )}
      {onCut !== null && (
        <button type="button" class="with-icon" onClick={onCut}>
          <Icon name="scissors" />
          {t('Cut a clip')}
        </button>
      )}
    </div>
  );
}
