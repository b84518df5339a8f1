/** All cameras of a site on one time axis: recordings, alerts, clips, the play head and the cut. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { axisMarks, format, msAt, panned, type View, xOf, zoomed } from '../time-axis.ts';
import { GROWING_MS, type Span } from '../timeline-state.ts';
import { colorOf } from './color-of.ts';
import { useDark } from './use-dark.ts';

export interface Lane {
  readonly uuid: string;
  readonly name: string;
  readonly isShown: boolean;
  readonly spans: readonly Span[];
  readonly alertsMs: readonly number[];
  readonly clips: readonly Span[];
}

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
  readonly onCut: (cut: Span) => void;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onShown: (uuid: string, isShown: boolean) => void;
}

const LANE_PX = 26;
const MARK_PX = 92;
const WHEEL_ZOOM = 1.0015;
/** Width of an edge of the cut. */
const GRIP_PX = 12;
const MIN_BAR_PX = 1;
/** Widths of the time at the head, and of the text of a mark. */
const HEAD_TEXT_PX = 76;
const MARK_TEXT_PX = 84;

export function TimelineLanes(props: LanesProps) {
  const { lanes, view, timeZone, onShown } = props;
  const over = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(over);
  const colors = useColors(over);
  // Lanes are drawn again when now has moved by a pixel.
  const pixelMs = view.spanMs / widthPx;
  const drawnNowMs = Math.ceil(props.nowMs / pixelMs) * pixelMs;
  return (
    <div class="lanes">
      <div class="lanes-scale" aria-hidden="true">
        {axisMarks(view, widthPx, timeZone, MARK_PX)
          .filter(({ epochMs }) => xOf(view, epochMs, widthPx) < widthPx - MARK_TEXT_PX)
          .map(({ epochMs, text, isDay }) => (
            <span
              key={epochMs}
              class={isDay ? 'day' : ''}
              ref={(mark) => mark?.style.setProperty('left', `${xOf(view, epochMs, widthPx)}px`)}
            >
              {text}
            </span>
          ))}
      </div>
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
      <Overlay {...props} over={over} widthPx={widthPx} />
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
  readonly gap: string;
  readonly alert: string;
  readonly clip: string;
}

/** Colors of the scheme in effect; null: not known yet. */
function useColors(box: { readonly current: HTMLElement | null }): Colors | null {
  const [colors, setColors] = useState<Colors | null>(null);
  const isDark = useDark();
  useLayoutEffect(() => {
    const of = (name: string) => colorOf(box.current!, `--lane-${name}`);
    setColors({ recorded: of('recorded'), gap: of('gap'), alert: of('alert'), clip: of('clip') });
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
    context.fillStyle = colors.gap;
    // A running recording is listed some seconds late: that is not a gap.
    const endMs = lane.spans.at(-1)?.toMs ?? 0;
    bar({ fromMs: 0, toMs: endMs > nowMs - GROWING_MS ? endMs : nowMs }, 6, LANE_PX - 12);
    context.fillStyle = colors.recorded;
    for (const span of lane.spans) bar(span, 6, LANE_PX - 12);
    context.fillStyle = colors.clip;
    for (const span of lane.clips) bar(span, LANE_PX - 5, 4);
    context.fillStyle = colors.alert;
    for (const atMs of lane.alertsMs) {
      const x = xOf(view, atMs, widthPx);
      if (x < -4 || x > widthPx + 4) continue;
      context.beginPath();
      context.moveTo(x - 4, 0);
      context.lineTo(x + 4, 0);
      context.lineTo(x, 7);
      context.fill();
    }
  }, [lane.spans, lane.alertsMs, lane.clips, view, nowMs, widthPx, colors]);
  return <canvas ref={canvas} class="lane-track" />;
}

function Overlay({
  over,
  widthPx,
  ...props
}: LanesProps & { readonly over: { readonly current: HTMLDivElement | null }; readonly widthPx: number }) {
  const { view, headMs, cut, timeZone } = props;
  const newest = useRef(props);
  newest.current = props;
  useEffect(() => follow(over.current!, newest), []);
  const place = (epochMs: number) => xOf(view, epochMs, widthPx);
  const headX = place(headMs);
  const isIn = (x: number) => x >= 0 && x <= widthPx;
  return (
    <div
      ref={over}
      class="lanes-over"
      role="slider"
      tabIndex={0}
      aria-label="Play head"
      aria-valuemin={Math.round(view.startMs / 1_000)}
      aria-valuemax={Math.round((view.startMs + view.spanMs) / 1_000)}
      aria-valuenow={Math.round(headMs / 1_000)}
      aria-valuetext={props.headText}
      onKeyDown={props.onKey}
    >
      {cut !== null && (
        <div
          class="cut"
          ref={(box) => {
            box?.style.setProperty('left', `${Math.max(0, place(cut.fromMs))}px`);
            const width = Math.min(widthPx, place(cut.toMs)) - Math.max(0, place(cut.fromMs));
            box?.style.setProperty('width', `${Math.max(0, width)}px`);
          }}
        />
      )}
      {isIn(headX) && <div class="head" ref={(line) => line?.style.setProperty('left', `${headX}px`)} />}
      {isIn(headX) && (
        <span
          class="head-time"
          ref={(text) =>
            text?.style.setProperty(
              'left',
              `${headX > widthPx - HEAD_TEXT_PX ? headX - HEAD_TEXT_PX : headX + 6}px`,
            )
          }
        >
          {format(timeZone, 'seconds', headMs)}
        </span>
      )}
    </div>
  );
}

/** Mouse, wheel and fingers. Returns what ends it. */
function follow(box: HTMLElement, newest: { readonly current: LanesProps }): () => void {
  const fingers = new Map<number, number>();
  let held: 'head' | 'from' | 'to' | 'pinch' | null = null;
  const xIn = (event: MouseEvent) => event.clientX - box.getBoundingClientRect().left;
  const timeAt = (x: number) => msAt(newest.current.view, x, box.clientWidth);
  const gripAt = (x: number): 'head' | 'from' | 'to' => {
    const { cut, view } = newest.current;
    if (cut === null) return 'head';
    if (Math.abs(xOf(view, cut.toMs, box.clientWidth) - x) < GRIP_PX) return 'to';
    return Math.abs(xOf(view, cut.fromMs, box.clientWidth) - x) < GRIP_PX ? 'from' : 'head';
  };
  const move = (x: number, isDragging: boolean) => {
    const { cut, onCut, onSeek } = newest.current;
    const atMs = timeAt(x);
    if (held === 'head') onSeek(atMs, isDragging);
    else if (cut !== null && held === 'from') onCut({ ...cut, fromMs: Math.min(atMs, cut.toMs) });
    else if (cut !== null && held === 'to') onCut({ ...cut, toMs: Math.max(atMs, cut.fromMs) });
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    box.setPointerCapture(event.pointerId);
    box.focus({ preventScroll: true });
    fingers.set(event.pointerId, xIn(event));
    held = fingers.size > 1 ? 'pinch' : gripAt(xIn(event));
    move(xIn(event), true);
  };
  const drag = (event: PointerEvent) => {
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    const x = xIn(event);
    if (held === 'pinch') pinch(event.pointerId, before, x);
    else move(x, true);
    fingers.set(event.pointerId, x);
  };
  const pinch = (id: number, before: number, x: number) => {
    const other = [...fingers].find(([each]) => each !== id)?.[1];
    if (other === undefined) return;
    const { view, nowMs, onView } = newest.current;
    const factor = Math.max(20, Math.abs(before - other)) / Math.max(20, Math.abs(x - other));
    onView(zoomed(view, factor, timeAt(other), nowMs));
  };
  const up = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId)) return;
    if (event.type === 'pointerup') move(xIn(event), false);
    if (fingers.size === 0) held = null;
  };
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const { view, nowMs, onView } = newest.current;
    const isAcross = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const turned =
      event.deltaX === 0 || Math.abs(event.deltaY) > Math.abs(event.deltaX) ? event.deltaY : event.deltaX;
    if (isAcross) onView(panned(view, (turned / box.clientWidth) * view.spanMs, nowMs));
    else onView(zoomed(view, WHEEL_ZOOM ** event.deltaY, timeAt(xIn(event)), nowMs));
  };
  const left = new AbortController();
  const { signal } = left;
  box.addEventListener('pointerdown', down, { signal });
  box.addEventListener('pointermove', drag, { signal });
  box.addEventListener('pointerup', up, { signal });
  box.addEventListener('pointercancel', up, { signal });
  box.addEventListener('wheel', wheel, { signal, passive: false });
  return () => left.abort();
}
