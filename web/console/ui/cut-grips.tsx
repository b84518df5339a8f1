/** The clip that is being cut, on the axis: its span, with a handle at each end, for mouse, finger, and keys. */

import { format, lengthText, msAt, type View, xOf } from '../time-axis.ts';
import type { Span } from '../timeline-state.ts';
import { t } from '../words.ts';

const MIN_CUT_MS = 1_000;
const STEP_MS = 1_000;
const WIDE_STEP_MS = 10_000;
const MINUTE_MS = 60_000;

interface CutProps {
  readonly cut: Span;
  readonly view: View;
  readonly widthPx: number;
  readonly timeZone: string;
  /** `shownMs`: the end that moves, so that its frame can be shown. */
  readonly onCut: (cut: Span, shownMs: number, isDragging: boolean) => void;
}

export function CutGrips(props: CutProps) {
  const { cut, view, widthPx } = props;
  const from = Math.max(0, xOf(view, cut.fromMs, widthPx));
  const to = Math.min(widthPx, xOf(view, cut.toMs, widthPx));
  return (
    <>
      <div
        class="cut"
        ref={(box) => {
          box?.style.setProperty('left', `${from}px`);
          box?.style.setProperty('width', `${Math.max(0, to - from)}px`);
        }}
      />
      <Grip {...props} end="from" />
      <Grip {...props} end="to" />
    </>
  );
}

function Grip({ end, cut, view, widthPx, timeZone, onCut }: CutProps & { readonly end: 'from' | 'to' }) {
  const atMs = end === 'from' ? cut.fromMs : cut.toMs;
  const x = xOf(view, atMs, widthPx);
  if (x < 0 || x > widthPx) return null;
  const put = (wantedMs: number, isDragging: boolean) => {
    const movedMs = Math.round(wantedMs);
    const moved =
      end === 'from'
        ? { ...cut, fromMs: Math.min(movedMs, cut.toMs - MIN_CUT_MS) }
        : { ...cut, toMs: Math.max(movedMs, cut.fromMs + MIN_CUT_MS) };
    onCut(moved, end === 'from' ? moved.fromMs : moved.toMs, isDragging);
  };
  const follow = (event: PointerEvent & { readonly currentTarget: HTMLElement }, isDragging: boolean) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const axis = event.currentTarget.parentElement!.getBoundingClientRect();
    put(msAt(view, event.clientX - axis.left, widthPx), isDragging);
  };
  return (
    <div
      class={`cut-grip at-${end}`}
      role="slider"
      tabIndex={0}
      aria-label={end === 'from' ? t('Start of the clip') : t('End of the clip')}
      aria-valuemin={Math.round(view.startMs / 1_000)}
      aria-valuemax={Math.round((view.startMs + view.spanMs) / 1_000)}
      aria-valuenow={Math.round(atMs / 1_000)}
      aria-valuetext={t('{format}, the clip has {length}', {
        format: format(timeZone, 'exact', atMs),
        length: lengthText(cut.toMs - cut.fromMs),
      })}
      ref={(grip) => grip?.style.setProperty('left', `${x}px`)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        event.currentTarget.focus({ preventScroll: true });
      }}
      onPointerMove={(event) => follow(event, true)}
      onPointerUp={(event) => follow(event, false)}
      onKeyDown={(event) => {
        const stepMs = stepOf(event);
        if (stepMs === null) return;
        event.preventDefault();
        put(atMs + stepMs, false);
      }}
    />
  );
}

/** Null: another key. */
function stepOf({ key, shiftKey }: KeyboardEvent): number | null {
  const stepMs = shiftKey ? WIDE_STEP_MS : STEP_MS;
  if (key === 'ArrowLeft' || key === 'ArrowDown') return -stepMs;
  if (key === 'ArrowRight' || key === 'ArrowUp') return stepMs;
  if (key === 'PageDown') return -MINUTE_MS;
  return key === 'PageUp' ? MINUTE_MS : null;
}
