/** The keys of the timeline's play head. */

import type { KeyDeed, Press } from './key-board.ts';
import type { StepPlayer } from './step-player.ts';
import { liveView, type View, zoomed } from './time-axis.ts';
import type { Span } from './timeline-state.ts';
import { t } from './words.ts';

export interface KeyParts {
  readonly player: StepPlayer;
  readonly view: View;
  readonly headMs: number;
  readonly nowMs: number;
  readonly cut: Span | null;
  /** Null: the person's role does not allow it. */
  readonly setCut: ((cut: Span) => void) | null;
  readonly bookmark: (() => void) | null;
  readonly setView: (view: View) => void;
  readonly seek: (epochMs: number) => void;
}

export function timelineKeys(parts: KeyParts): readonly KeyDeed[] {
  const { player, view, headMs, nowMs, setView, seek, bookmark } = parts;
  const stepMs = Math.max(1_000, view.spanMs / 100);
  const step = (direction: number) => (press: Press) =>
    seek(headMs + direction * stepMs * (press.shiftKey ? 10 : 1));
  return [
    {
      keys: [' '],
      title: t('Play, pause'),
      act: () => {
        const head = player.head.value;
        player.setPlaying(head.kind === 'past' && !head.isPlaying);
      },
    },
    { keys: ['ArrowLeft'], title: t('A step back; with Shift, ten'), act: step(-1) },
    { keys: ['ArrowRight'], title: t('A step on; with Shift, ten'), act: step(1) },
    { keys: ['PageUp'], title: t('A screen on'), act: () => seek(headMs + view.spanMs) },
    { keys: ['PageDown'], title: t('A screen back'), act: () => seek(headMs - view.spanMs) },
    { keys: ['Home'], title: t('To the left end'), act: () => seek(view.startMs) },
    {
      keys: ['End'],
      title: t('Back to live'),
      act: () => {
        player.live();
        setView(liveView(view.spanMs, nowMs));
      },
    },
    {
      keys: ['+', '='],
      shown: ['+'],
      title: t('Zoom in'),
      act: () => setView(zoomed(view, 0.5, headMs, nowMs)),
    },
    { keys: ['-'], title: t('Zoom out'), act: () => setView(zoomed(view, 2, headMs, nowMs)) },
    ...cutKeys(parts),
    ...(bookmark === null ? [] : [{ keys: ['b'], title: t('Bookmark'), act: bookmark }]),
  ];
}

function cutKeys({ headMs, cut, setCut }: KeyParts): readonly KeyDeed[] {
  if (setCut === null) return [];
  return [
    {
      keys: ['['],
      title: t('A clip begins here'),
      act: () =>
        setCut({ fromMs: Math.round(headMs), toMs: Math.max(cut?.toMs ?? 0, Math.round(headMs) + 1_000) }),
    },
    {
      keys: [']'],
      title: t('A clip ends here'),
      act: () =>
        setCut({
          fromMs: Math.min(cut?.fromMs ?? headMs, Math.round(headMs) - 1_000),
          toMs: Math.round(headMs),
        }),
    },
  ];
}
