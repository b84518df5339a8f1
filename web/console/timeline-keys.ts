/** The keys of the timeline's play head. */

import type { StepPlayer } from './step-player.ts';
import { liveView, type View, zoomed } from './time-axis.ts';
import type { Span } from './timeline-state.ts';

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

export function keysOf(parts: KeyParts): (event: KeyboardEvent) => void {
  const { player, view, headMs, nowMs, cut, setCut, bookmark, setView, seek } = parts;
  const stepMs = Math.max(1_000, view.spanMs / 100);
  const keys: Readonly<Record<string, (isWide: boolean) => void>> = {
    ArrowLeft: (isWide) => seek(headMs - stepMs * (isWide ? 10 : 1)),
    ArrowRight: (isWide) => seek(headMs + stepMs * (isWide ? 10 : 1)),
    PageDown: () => seek(headMs - view.spanMs),
    PageUp: () => seek(headMs + view.spanMs),
    Home: () => seek(view.startMs),
    End: () => {
      player.live();
      setView(liveView(view.spanMs, nowMs));
    },
    '+': () => setView(zoomed(view, 0.5, headMs, nowMs)),
    '=': () => setView(zoomed(view, 0.5, headMs, nowMs)),
    '-': () => setView(zoomed(view, 2, headMs, nowMs)),
    '[': () =>
      setCut?.({ fromMs: Math.round(headMs), toMs: Math.max(cut?.toMs ?? 0, Math.round(headMs) + 1_000) }),
    ']': () =>
      setCut?.({
        fromMs: Math.min(cut?.fromMs ?? headMs, Math.round(headMs) - 1_000),
        toMs: Math.round(headMs),
      }),
    b: () => bookmark?.(),
    ' ': () => {
      const head = player.head.value;
      player.setPlaying(head.kind === 'past' && !head.isPlaying);
    },
  };
  return (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act(event.shiftKey);
  };
}
