/** All cameras of a site on one time axis: recordings, alerts, clips, the play head and the cut. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Lane } from '../site-lanes.ts';
import { axisMarks, format, type View, xOf } from '../time-axis.ts';
import { followGestures } from '../timeline-gestures.ts';
import { GROWING_MS, type Span } from '../timeline-state.ts';
import { t } from '../words.ts';
import { colorOf } from './color-of.ts';
import { CutGrips } from './cut-grips.tsx';
import { useDark } from './use-dark.ts';

export interface LanesProps {
  readonly lanes: readonly Lane[];
  readonly view: View;
  readonly nowMs: number;
  readonly headMs: number;
  /** Description of the time at the head. */
  readonly headText: string;
  readonly timeZone: string;
  readonly cut: Span | null;
  readonly onView: (view: View) => void;
  readonly onSeek: (epochMs: number, isDragging: boolean) => void;
  readonly onPeek: (epochMs: number | null) => void;
  readonly onCut: (cut: Span, shownMs: number, isDragging: boolean) => void;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onShown: (uuid: string, isShown: boolean) => void;
}

const LANE_PX = 26;
const MARK_PX = 92;
const MIN_BAR_PX = 1;
const HATCH_PX = 7;
const HOLD_LINE_PX = 2;
const NVR_PX = 4;
const COMB_PX = 6;
/** Widths of the time at the head, and of the text of a mark. */
const HEAD_TEXT_PX = 76;
const MARK_TEXT_PX = 84;
/** What a mark of hours and minutes takes. */
const MARK_SHOWN_PX = 44;

export function TimelineLanes(props: LanesProps) {
  const { lanes, view, timeZone, onShown } = props;
  const over = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(over);
  const colors = useColors(over);
  // Lanes are drawn again when now has moved by a pixel.
  const pixelMs = view.spanMs / widthPx;
  const headLeft = headTextLeft(props, widthPx);
  const drawnNowMs = Math.ceil(props.nowMs / pixelMs) * pixelMs;
  return (
    <div class="lanes">
      <div class="lanes-head" aria-hidden="true">
        <div class="lanes-scale">
          {axisMarks(view, widthPx, timeZone, MARK_PX)
            .filter(({ epochMs }) => xOf(view, epochMs, widthPx) < widthPx - MARK_TEXT_PX)
            .filter(({ epochMs }) => !isBelow(headLeft, xOf(view, epochMs, widthPx)))
            .map(({ epochMs, text, isDay }) => (
              <span
                key={epochMs}
                class={isDay ? 'day' : ''}
                ref={(mark) => mark?.style.setProperty('left', `${xOf(view, epochMs, widthPx)}px`)}
              >
                {text}
              </span>
            ))}
          {headLeft !== null && (
            <b class="head-time" ref={(text) => text?.style.setProperty('left', `${headLeft}px`)}>
              {format(timeZone, 'seconds', props.headMs)}
            </b>
          )}
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <div class="lanes-body" role="group" aria-label={t('Cameras on the timeline')} tabIndex={0}>
        <div class="lanes-inner">
          {lanes.map((lane) => (
            <div key={lane.uuid} class="lane">
              <label>
                <input
                  type="checkbox"
                  checked={lane.isShown}
                  onChange={({ currentTarget }) => onShown(lane.uuid, currentTarget.checked)}
                />
                <span>{lane.name}</span>
              </label>
              <LaneCanvas lane={lane} view={view} nowMs={drawnNowMs} widthPx={widthPx} colors={colors} />
            </div>
          ))}
          <div class="lanes-axis">
            <Overlay {...props} over={over} widthPx={widthPx} />
            {props.cut !== null && (
              <CutGrips
                cut={props.cut}
                view={view}
                widthPx={widthPx}
                timeZone={timeZone}
                onCut={props.onCut}
              />
            )}
          </div>
        </div>
      </div>
    </div>
  );
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [widthPx, setWidthPx] = useState(600);
  useLayoutEffect(() => {
    const look = () => setWidthPx(Math.max(1, box.current!.clientWidth));
    look();
    const watch = new ResizeObserver(look);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  return widthPx;
}

interface Colors {
  readonly recorded: string;
  readonly nvr: string;
  readonly gap: string;
  readonly hatch: string;
  readonly alert: string;
  readonly clip: string;
  readonly motion: string;
  readonly bookmark: string;
  readonly held: string;
}

/** Colors of the scheme in effect; null: not known yet. */
function useColors(box: { readonly current: HTMLElement | null }): Colors | null {
  const [colors, setColors] = useState<Colors | null>(null);
  const isDark = useDark();
  useLayoutEffect(() => {
    const of = (name: string) => colorOf(box.current!, `--lane-${name}`);
    setColors({
      recorded: of('recorded'),
      nvr: of('nvr'),
      gap: of('gap'),
      hatch: of('hatch'),
      alert: of('alert'),
      clip: of('clip'),
      motion: of('motion'),
      bookmark: of('bookmark'),
      held: of('held'),
    });
  }, [isDark]);
  return colors;
}

function LaneCanvas({
  lane,
  view,
  nowMs,
  widthPx,
  colors,
}: {
  readonly colors: Colors | null;
  readonly lane: Lane;
  readonly view: View;
  readonly nowMs: number;
  readonly widthPx: number;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const shown = canvas.current!;
    if (colors === null) return;
    const scale = Math.min(2, devicePixelRatio);
    shown.width = Math.round(widthPx * scale);
    shown.height = LANE_PX * scale;
    const context = shown.getContext('2d')!;
    context.scale(scale, scale);
    const bar = ({ fromMs, toMs }: Span, top: number, height: number) => {
      const left = Math.max(0, xOf(view, fromMs, widthPx));
      const right = Math.min(widthPx, xOf(view, toMs, widthPx));
      if (right >= 0 && left <= widthPx)
        context.fillRect(left, top, Math.max(MIN_BAR_PX, right - left), height);
    };
    context.fillStyle = hatch(context, colors, scale);
    // A running recording is listed some seconds late: that is not a gap.
    const endMs = lane.spans.at(-1)?.toMs ?? 0;
    bar({ fromMs: 0, toMs: endMs > nowMs - GROWING_MS ? endMs : nowMs }, 6, LANE_PX - 12);
    context.fillStyle = colors.recorded;
    for (const span of lane.spans) bar(span, 6, LANE_PX - 12);
    // Pictures with time between them.
    context.fillStyle = combs(context, colors, scale);
    for (const span of lane.picturesOnly) bar(span, 6, LANE_PX - 12);
    // A narrower row of its own, over the gaps, too.
    context.fillStyle = colors.nvr;
    for (const span of lane.nvrSpans) bar(span, LANE_PX - 10, NVR_PX);
    context.fillStyle = colors.clip;
    for (const span of lane.clips) bar(span, LANE_PX - 5, 4);
    context.strokeStyle = colors.held;
    for (const span of lane.held) drawHold(context, span, view, widthPx);
    const isIn = (x: number) => x >= -4 && x <= widthPx + 4;
    context.fillStyle = colors.motion;
    for (const atMs of lane.motionMs) {
      const x = xOf(view, atMs, widthPx);
      if (isIn(x)) context.fillRect(x - 1, 8, 2, LANE_PX - 16);
    }
    context.fillStyle = colors.alert;
    for (const atMs of lane.alertsMs) {
      const x = xOf(view, atMs, widthPx);
      if (!isIn(x)) continue;
      context.beginPath();
      context.moveTo(x - 4, 0);
      context.lineTo(x + 4, 0);
      context.lineTo(x, 7);
      context.fill();
    }
    context.fillStyle = colors.bookmark;
    for (const atMs of lane.bookmarksMs) {
      const x = xOf(view, atMs, widthPx);
      if (isIn(x)) drawFlag(context, x);
    }
  }, [lane, view, nowMs, widthPx, colors]);
  return <canvas ref={canvas} class="lane-track" />;
}

/** Stripes: no color alone says that there is no video. */
function hatch(
  context: CanvasRenderingContext2D,
  { gap, hatch: line }: Colors,
  scale: number,
): CanvasPattern {
  const tile = new OffscreenCanvas(HATCH_PX * scale, HATCH_PX * scale);
  const drawn = tile.getContext('2d')!;
  drawn.scale(scale, scale);
  drawn.fillStyle = gap;
  drawn.fillRect(0, 0, HATCH_PX, HATCH_PX);
  drawn.strokeStyle = line;
  drawn.lineWidth = 1.5;
  drawn.beginPath();
  for (const x of [-HATCH_PX, 0, HATCH_PX]) {
    drawn.moveTo(x, HATCH_PX);
    drawn.lineTo(x + HATCH_PX, 0);
  }
  drawn.stroke();
  const pattern = context.createPattern(tile, 'repeat')!;
  pattern.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern;
}

/** Bars with room between them: no color alone says that only pictures are left. */
function combs(context: CanvasRenderingContext2D, { gap, recorded }: Colors, scale: number): CanvasPattern {
  const tile = new OffscreenCanvas(COMB_PX * scale, COMB_PX * scale);
  const drawn = tile.getContext('2d')!;
  drawn.scale(scale, scale);
  drawn.fillStyle = gap;
  drawn.fillRect(0, 0, COMB_PX, COMB_PX);
  drawn.fillStyle = recorded;
  drawn.fillRect(0, 0, COMB_PX / 3, COMB_PX);
  const pattern = context.createPattern(tile, 'repeat')!;
  pattern.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern;
}

/** Brackets around what is held: a frame, which no other sign has. */
function drawHold(
  context: CanvasRenderingContext2D,
  { fromMs, toMs }: Span,
  view: View,
  widthPx: number,
): void {
  const left = Math.max(-HOLD_LINE_PX, xOf(view, fromMs, widthPx));
  const right = Math.min(widthPx + HOLD_LINE_PX, xOf(view, toMs, widthPx));
  if (right < 0 || left > widthPx) return;
  context.lineWidth = HOLD_LINE_PX;
  const width = Math.max(2 * HOLD_LINE_PX, right - left) - HOLD_LINE_PX;
  context.strokeRect(left + HOLD_LINE_PX / 2, 4, width, LANE_PX - 8);
}

/** A pole with a flag. */
function drawFlag(context: CanvasRenderingContext2D, x: number): void {
  context.fillRect(x - 1, 0, 2, LANE_PX - 4);
  context.beginPath();
  context.moveTo(x, 0);
  context.lineTo(x + 9, 4);
  context.lineTo(x, 8);
  context.fill();
}

/** Left edge of the time at the head; null: it is out of sight. */
function headTextLeft({ view, headMs }: LanesProps, widthPx: number): number | null {
  const x = xOf(view, headMs, widthPx);
  if (x < 0 || x > widthPx) return null;
  return Math.min(Math.max(0, x - HEAD_TEXT_PX / 2), widthPx - HEAD_TEXT_PX);
}

/** Whether the time at the head would cover a mark and its text. */
function isBelow(headLeft: number | null, markX: number): boolean {
  return headLeft !== null && markX < headLeft + HEAD_TEXT_PX && markX + MARK_SHOWN_PX > headLeft;
}

function Overlay({
  over,
  widthPx,
  ...props
}: LanesProps & { readonly over: { readonly current: HTMLDivElement | null }; readonly widthPx: number }) {
  const { view, headMs } = props;
  const newest = useRef(props);
  newest.current = props;
  useEffect(() => followGestures(over.current!, newest), []);
  const headX = xOf(view, headMs, widthPx);
  return (
    <div
      ref={over}
      class="lanes-over"
      role="slider"
      tabIndex={0}
      aria-label={t('Play head')}
      aria-valuemin={Math.round(view.startMs / 1_000)}
      aria-valuemax={Math.round((view.startMs + view.spanMs) / 1_000)}
      aria-valuenow={Math.round(headMs / 1_000)}
      aria-valuetext={props.headText}
      onKeyDown={props.onKey}
    >
      {headX >= 0 && headX <= widthPx && (
        <div class="head" ref={(line) => line?.style.setProperty('left', `${headX}px`)} />
      )}
    </div>
  );
}
